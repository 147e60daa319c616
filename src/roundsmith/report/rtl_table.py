"""The modules of `rtl/` as tables, one for each room: a line for each file.

Purpose, latency and source come from the header of the file. The proof comes from `formal/` and
from the records of the circuits, the test from the text of `tests/`.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

from roundsmith.base.errors import RoundsmithError
from roundsmith.base.grid import NONE, Grid
from roundsmith.base.paths import RTL
from roundsmith.circuits import listing
from roundsmith.design.elaborate import code
from roundsmith.measure import measure_circuits

ROOT = RTL.parent

#: The kinds of files that tests consist of.
_TESTS = (".py", ".cpp", ".h", ".sv")

#: Tests of the tool: the modules that they name are examples.
_EXAMPLES = ("test_hash", "test_rooms", "test_docs", "test_proofs", "test_mutants")

#: How many test files a row shows.
_SHOWN = 2

#: The rooms in the order of a reader who starts with the smallest parts.
ROOMS: dict[str, str] = {
    "common": "Registers, delay lines, FIFOs and arbiters. They name no cipher.",
    "aes/pkg": "Types, parameter values and the byte order of AES.",
    "aes/sbox": "One file for each S-box, and the selector `rsm_aes_sub_bytes`.",
    "aes/linear": "ShiftRows, MixColumns and the key addition, one file for each circuit.",
    "aes/round": "One round without its key schedule, one file for each order of steps.",
    "aes/key": "The key schedule: a step, keys that travel with a block, stored keys.",
    "aes/arch": "Rings and straight lines of rounds, with the entry and the exit of blocks.",
    "aes/folded": "Cores of one or two columns a cycle, with round keys on the fly.",
    "aes/serial": "Cores of one bit or one byte a cycle.",
    "aes/compact": "Cores that keep the state, the round keys or the program in memory.",
    "aes": "The public AES core.",
    "serpent/pkg": "Types, parameter values and the byte order of Serpent.",
    "serpent/sbox": "The eight S-boxes of Serpent, one file for each construction.",
    "serpent/linear": "The linear transformation of Serpent.",
    "serpent/round": "One round of Serpent without its key schedule.",
    "serpent/key": "The key schedule of Serpent.",
    "serpent/arch": "Rings and straight lines of Serpent rounds.",
    "serpent/folded": "The Serpent core of 32 bits a cycle.",
    "serpent/serial": "The Serpent core of one bit a cycle.",
    "serpent": "The public Serpent core.",
    "port": "The full port around a native core, key slots, copies and streams.",
    "mode": "What all modes have in common: their types, the bytes of a beat, an answer.",
    "mode/pipelined": "Modes for cores with any number of blocks in flight.",
    "mode/oneblock": "Modes for cores with one block in flight, on the native port.",
    "mode/streams": "Modes that serve several streams with one core.",
    "bus": "Buses, registers, the self-test and a serial line.",
    "tech": "Cells that a target family builds better. A target replaces the generic form.",
}


def tables() -> str:
    """Return a heading and a table for each room."""
    parts = []
    for room, files in _rooms().items():
        grid = Grid("", "", _HEADINGS, tuple(_row(path) for path in files), left=len(_HEADINGS))
        parts.append(f"### {room}\n\n{_about(room)}\n\n{grid.markdown()}")
    return "\n".join(parts)


PARTS = {"modules": tables}

_HEADINGS = ("module", "purpose", "latency", "source", "proof", "tests")


def _about(room: str) -> str:
    if room not in ROOMS:
        raise RoundsmithError(
            f"rtl/{room} has no sentence in ROOMS of {Path(__file__).name}; add the room there."
        )
    return ROOMS[room]


def _rooms() -> dict[str, list[Path]]:
    """Return the files of each room, in the order of ROOMS; new rooms come last."""
    found: dict[str, list[Path]] = {}
    for path in sorted(RTL.rglob("*.sv")):
        room = path.parent.relative_to(RTL).as_posix()
        found.setdefault("tech" if room.startswith("tech/") else room, []).append(path)
    order = list(ROOMS)
    return dict(sorted(found.items(), key=lambda p: order.index(p[0]) if p[0] in order else 99))


def _row(path: Path) -> tuple[str, ...]:
    name = path.stem
    place = path.relative_to(RTL).as_posix()
    shown = f"{name}, {path.parent.name}" if place.startswith("tech/") else name
    text = header(path)
    cells = (
        f"[`{shown}`]({place})",
        purpose(text),
        latency(text) or ("no hardware" if name.endswith("_pkg") else ""),
        "; ".join(sources(text)) or NONE,
        _proof(name),
        _tests(name),
    )
    return tuple(cell.replace("|", "\\|") for cell in cells)


# --- Headers --------------------------------------------------------------------------------


def header(path: Path) -> str:
    """Return the text of the header of a file: its paragraphs, without the license."""
    lines = []
    for line in path.read_text().splitlines()[1:]:
        if not line.startswith("//"):
            break
        lines.append(line.removeprefix("//").strip())
    return "\n".join(lines).strip()


#: A full stop at the end of a sentence.
_STOP = re.compile(r"(?<!\bFig)(?<!\bFigs)(?<!\bal)\.(?= [A-Z`\"(]| iCE40| rsm_|$)")


def _sentence(text: str) -> str:
    """Return the first sentence of a paragraph; a colon in front of a list ends one as well."""
    words = " ".join(text.split())
    stop = _STOP.search(words)
    return words[: stop.end()] if stop else re.sub(r"[:,;]$", ".", words)


def purpose(text: str) -> str:
    """Return the first sentence of a header, without the sources in parentheses."""
    return _without_sources(_sentence(text.partition("\n\n")[0]))


def _without_sources(words: str) -> str:
    """Return a sentence without each parenthesis that begins with a standard or a paper."""
    start = words.find(" (")
    while start >= 0:
        if _WORK.match(words, start + 2):
            depth, end = 1, start + 2
            while depth:
                depth += {"(": 1, ")": -1}.get(words[end], 0)
                end += 1
            words = words[:start] + words[end:]
            start -= 1
        start = words.find(" (", start + 1)
    return words


def latency(text: str) -> str:
    """Return what a header says behind `Latency:`, up to the end of the sentence."""
    _, found, rest = f"\n{text}".partition("\nLatency:")
    return _sentence(rest.partition("\n\n")[0]).removesuffix(".") if found else ""


#: Places in a work: sections, figures, tables, equations.
_PLACE = (
    r"(?:(?:section|Fig|Table|equation|Algorithm)s?\.? )?"
    r"(?:\(\d+\)|\d+(?:\.\d+)*[a-z]?(?:\([a-z]\))?(?: [A-Z]\d)?)"
)
_PLACES = rf"(?:(?:,| and| to) {_PLACE})*"
_BEFORE = r"(?:(?P<before>Figs?\. \w+) of )?"

#: Standards and papers. Behind `Lutz's core` the year stands in parentheses.
_WORKS = (
    rf"(?P<standard>FIPS \d+|NIST SP 800-\d+\w?|RFC \d+|IEEE \d+)(?P<places>{_PLACES})",
    r"(?P<bus>AMBA \d(?: and \d)*|Wishbone B\d)",
    rf"{_BEFORE}\b(?P<author>[A-Z][A-Za-z]+)(?: et al\.)?(?P<more>(?: and [A-Z][a-z]+)?) "
    rf"(?P<year>(?:19|20)\d\d)(?P<places_of>{_PLACES})",
    rf"(?P<owner>[A-Z][a-z]+)(?:'s [\w ]+| [a-z ]+) "
    rf"\((?P<year_of>(?:19|20)\d\d)(?P<places_in>{_PLACES})\)",
    r'(?P<title>[A-Z][a-z]+(?:, [A-Z][a-z]+)*, "[^"]+",(?: \w+,)? \d{4})',
)
_WORK = re.compile("|".join(f"(?:{work})" for work in _WORKS))


def sources(text: str) -> list[str]:
    """Return the standards and papers that a header names, each with its sections."""
    words = " ".join(text.split())
    found: dict[str, set[str]] = {}
    for match in _WORK.finditer(words):
        part = {key: value or "" for key, value in match.groupdict().items()}
        who = part["standard"] or part["bus"] or part["title"]
        if part["author"]:
            who = f"{part['author']}{part['more']} {part['year']}"
        if part["owner"]:
            who = f"{part['owner']} {part['year_of']}"
        places = part["places"] + part["places_of"] + part["places_in"]
        if part["before"]:
            places = f", {part['before']}{places}"
        if any(known.startswith(who) for known in found if known != who):
            continue
        found.setdefault(who, set())
        if places and not any(places in known for known in found[who]):
            found[who].add(places)
    named = [who + "".join(sorted(places)) for who, places in found.items()]
    is_searched = re.search(r"\bSource: [^.]*\bsearch\b", words) is not None
    return [*named, "our search"] if is_searched else named


# --- Proofs ---------------------------------------------------------------------------------


@cache
def _proofs() -> dict[str, str]:
    """Return the module that each proof names, which may be a pattern, by the proof."""
    files = sorted((ROOT / "formal").glob("*_proof.toml"))
    return {path.stem: str(tomllib.loads(path.read_text())["module"]) for path in files}


@cache
def _proved() -> Mapping[str, bool]:
    """Return the modules that hold circuits, and whether all these are proved on every input."""
    found: dict[str, bool] = {}
    for circuit in listing.everything():
        proved = measure_circuits.proved(circuit)
        found[circuit.module] = found.get(circuit.module, True) and proved
    return found


def _proof(module: str) -> str:
    links = [
        f"[{name.removeprefix('rsm_').removesuffix('_proof')}](../formal/{name}.sv)"
        for name, pattern in _proofs().items()
        if fnmatchcase(module, pattern)
    ]
    if _proved().get(module):
        links.append("[exhaustive](../docs/circuits.md)")
    return ", ".join(links) or NONE


# --- Tests ----------------------------------------------------------------------------------

#: The name of a module with a part that a test fills in, or a pattern of files.
_PATTERN = re.compile(r"\brsm_\w*(?:(?:\{\w+\}|\*)\w*)+")
_BLANK = re.compile(r"\{\w+\}|\*")


@cache
def _test_files() -> dict[Path, str]:
    return {
        path: path.read_text()
        for path in sorted((ROOT / "tests").rglob("*"))
        if path.suffix in _TESTS and not path.stem.startswith(_EXAMPLES)
    }


@cache
def _patterns(path: Path) -> list[str]:
    """Return the expressions for names that a test fills in; it must give a word beside `rsm`."""
    found = []
    for name in sorted(set(_PATTERN.findall(_test_files()[path]))):
        if _BLANK.sub("", name).removeprefix("rsm_").strip("_"):
            found.append(r"\w+".join(map(re.escape, _BLANK.split(name))))
    return found


@cache
def _naming(module: str) -> Sequence[Path]:
    """Return the test files that name `module`: whole names first, tests before benches."""
    whole = re.compile(rf"\b{module}\b")
    ranked = []
    for path, text in _test_files().items():
        is_bench = not path.stem.startswith("test_")
        if whole.search(text):
            ranked.append((0, is_bench, path))
        elif any(re.fullmatch(pattern, module) for pattern in _patterns(path)):
            ranked.append((1, is_bench, path))
    return [path for *_, path in sorted(ranked)]


@cache
def _users() -> Mapping[str, set[str]]:
    """Return the modules, those of `boards/` too, that name each module."""
    files = [*sorted(RTL.rglob("*.sv")), *sorted((ROOT / "boards").rglob("*.sv"))]
    names = {path.stem for path in files}
    found: dict[str, set[str]] = {name: set() for name in names}
    for path in files:
        for name in names & set(re.findall(r"\brsm_\w+", code(path.read_text()))):
            if name != path.stem:
                found[name].add(path.stem)
    return found


def _floors(module: str) -> Iterator[list[str]]:
    """Yield the modules that instantiate `module`, then those that instantiate these, and so on."""
    seen = {module}
    floor = [module]
    while floor:
        floor = sorted({user for name in floor for user in _users()[name]} - seen)
        seen.update(floor)
        yield floor


def _tests(module: str) -> str:
    direct = _naming(module)
    if direct:
        return _links(direct)
    for floor in _floors(module):
        through = next((name for name in floor if _naming(name)), None)
        if through is not None:
            return f"{_links(_naming(through))} with `{through}`"
    return "whole cores"


def _links(files: Sequence[Path]) -> str:
    return ", ".join(
        f"[{path.name}](../{path.relative_to(ROOT).as_posix()})" for path in files[:_SHOWN]
    )
