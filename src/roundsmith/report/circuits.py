"""Circuits as tables: what they are, what they take, and what was published.

Gates, depth and the proofs of programs are computed from the circuits when they are shown; LUT4s
and standard cells come from records; published figures from `data/published`. The three never
share a column.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict

from roundsmith.base.errors import RoundsmithError
from roundsmith.base.grid import NONE, Grid, number
from roundsmith.circuits import listing, luts, serpent
from roundsmith.circuits.cells import Netlist
from roundsmith.circuits.listing import Circuit
from roundsmith.circuits.luts import LutMapping
from roundsmith.circuits.program import Kind, counts, levels
from roundsmith.flows import targets
from roundsmith.flows.targets import Target
from roundsmith.measure import measure_circuits as measure
from roundsmith.report import groups
from roundsmith.report.published import rows

#: The family of the figures at the top level of a description: that of the papers.
FAMILY = "xcve"

#: The cells of the figures, unless a library is named.
CELLS = "asic:osu018"

#: Circuits that were published with their registers; `luts` counts with these for them.
PIPELINED = ("sbox-mux-tree", "sbox-gf16", "mix-add")

_XOR = (Kind.XOR, Kind.XNOR)
_AND = (Kind.AND, Kind.NAND)


def library(file: str | None) -> Target:
    """Return the standard cells to show or measure with: OSU's, or those of a Liberty file."""
    return targets.parse(CELLS if file is None else f"asic:{file}")


# --- One circuit ----------------------------------------------------------------------------


def describe(circuit: Circuit, cells: Target) -> dict[str, object]:
    """Return what is known of one circuit, with the documented, stable keys of the JSON.

    A figure that does not apply, or for which there is no record of the circuit as it is, is
    None.
    """
    return {
        "name": circuit.name,
        "cipher": circuit.cipher,
        "group": circuit.group,
        "box": circuit.box,
        "kind": circuit.kind,
        "direction": circuit.direction,
        "origin": circuit.origin,
        "module": circuit.module,
        "copies": circuit.copies if circuit.path.exists() else 1,
        "cuts": circuit.cuts if circuit.path.exists() else 0,
        "proved": measure.proved(circuit),
        **_gates(circuit),
        **_luts(circuit),
        **_cells(circuit, cells),
        "published": published(circuit.name) if circuit.box is None else _of_osvik(circuit),
    }


def _gates(circuit: Circuit) -> dict[str, object]:
    if circuit.operations is None:
        return dict.fromkeys((*_GATES, "depth", "kinds"))
    count = counts(circuit.operations)
    return {
        **_by_kind(count),
        "depth": max(levels(circuit.operations).values()),
        "kinds": {str(kind): count[kind] for kind in Kind if count[kind]},
    }


_GATES = ("gates", "xor", "and", "other")


def _by_kind(count: Counter[Kind]) -> dict[str, int]:
    xor, conjunctions = sum(count[k] for k in _XOR), sum(count[k] for k in _AND)
    other = count.total() - xor - conjunctions
    return dict(zip(_GATES, (count.total(), xor, conjunctions, other), strict=True))


def _luts(circuit: Circuit) -> dict[str, object]:
    record = measure.current(circuit, None)
    if record is None or record.mappings is None:
        keys = ("luts", "registers", "memories", "luts_uncut", "luts_cut", "levels", "families")
        return dict.fromkeys(keys)
    families = {name: _family(circuit, found) for name, found in record.mappings.items()}
    shown = {key: value for key, value in families[FAMILY].items() if key in _SHOWN}
    return {**shown, "families": families}


_SHOWN = ("luts", "registers", "memories", "luts_uncut", "luts_cut", "levels")


def _family(circuit: Circuit, mappings: Sequence[LutMapping]) -> dict[str, object]:
    uncut = luts.smallest(mappings, cut=False)
    cut = luts.smallest(mappings, cut=True) or uncut
    plain = luts.smallest(mappings, cut=False, wide=False)
    if uncut is None or cut is None:
        raise RoundsmithError(f"The record of {circuit.name} lacks a mapping without registers.")
    counted = cut if circuit.name.startswith(PIPELINED) else uncut
    return {
        "luts": counted.luts,
        "multiplexers": counted.multiplexers,
        "registers": cut.registers,
        "memories": uncut.memories,
        "luts_uncut": uncut.luts,
        "luts_cut": cut.luts,
        "luts_alone": None if plain is None else plain.luts,
        "levels": uncut.levels,
    }


def _cells(circuit: Circuit, cells: Target) -> dict[str, object]:
    record = measure.current(circuit, cells)
    if record is None or not record.netlists:
        keys = ("ge", "ge_delay_ns", "delay_ns", "delay_ge", "netlists")
        return {"cells": cells.name, **dict.fromkeys(keys)}
    small, fast = record.netlists[0], record.netlists[-1]
    return {
        "cells": cells.name,
        "ge": small.ge,
        "ge_delay_ns": small.delay_ns,
        "delay_ns": fast.delay_ns,
        "delay_ge": fast.ge,
        "netlists": [asdict(netlist) for netlist in record.netlists],
    }


def netlists(circuit: Circuit) -> list[Netlist]:
    """Return the netlists of `circuit` in OSU's cells, the smallest first; none without record."""
    record = measure.current(circuit, library(None))
    return list(record.netlists or []) if record is not None else []


# --- Published figures ----------------------------------------------------------------------


_FIGURES = ("gates", "xor", "and", "depth", "ge", "luts", "registers")


def published(name: str) -> list[dict[str, object]]:
    """Return the published figures that stand beside circuit `name`."""
    found: list[dict[str, object]] = []
    for row in rows("circuit-records.csv"):
        if name in row["circuits"].split():
            figures = {key: int(row[key]) for key in _FIGURES if row[key]}
            texts = {key: row[key] for key in ("short", "citation", "remark")}
            found.append({**figures, **texts})
    return found


def _of_osvik(circuit: Circuit) -> list[dict[str, object]]:
    """Return what Osvik's circuit of the same S-box of Serpent has; a table stands beside none."""
    if circuit.operations is None or circuit.box is None:
        return []
    sbox = serpent.Sbox(circuit.box, circuit.direction == "inverse")
    (his,) = (c for c in serpent.published() if c.sbox == sbox)
    count = _by_kind(counts(his.operations))
    return [
        {
            **{key: count[key] for key in ("gates", "xor", "and")},
            "depth": his.depth,
            "short": "Osvik 2000",
            "citation": "Osvik: Speeding up Serpent. AES3, 2000",
            "remark": "XOR, AND, OR and NOT only",
        }
    ]


def _published_text(published_: object) -> str:
    units = {"gates": "gates", "depth": "deep", "ge": "GE", "luts": "LUT4", "registers": "FF"}
    texts = []
    for row in published_ if isinstance(published_, list) else []:
        figures = ", ".join(f"{row[key]} {unit}" for key, unit in units.items() if key in row)
        texts.append(f"{figures} ({row['short']})")
    return "; ".join(texts)


# --- Tables ---------------------------------------------------------------------------------


def overview(found: Iterable[Mapping[str, object]]) -> Grid:
    """Return one row for each description of a circuit, or of a group (see `groups`)."""
    lines = []
    for row in found:
        lines.append(
            (
                str(row["name"]),
                str(row["kind"]),
                str(row["direction"]),
                *(number(row[key]) for key in ("gates", "xor", "and", "other", "depth")),
                *(number(row[key]) for key in ("luts", "registers")),
                number(row["ge"], ".0f"),
                number(row["delay_ns"], ".2f"),
                str(row["origin"]),
                "yes" if row["proved"] else "no",
                _published_text(row["published"]),
            )
        )
    return Grid(
        title="",
        note="",
        headings=(
            "name", "kind", "direction", "gates", "XOR", "AND", "other", "depth", "LUT4",
            "FF", "GE", "ns", "origin", "proved", "published",
        ),
        rows=tuple(lines),
        left=3,
    )  # fmt: skip


def _described(name: str) -> Mapping[str, object]:
    """Return the description of circuit `name`, with no figure where there is no such circuit."""
    for circuit in listing.everything():
        if circuit.name == name:
            return describe(circuit, library(None))
    return {}


#: What was searched, our circuit for it, and the published circuit that it stands against.
_RECORDS = (
    ("S-box, of XOR, XNOR and AND", "sbox-minimal", "Boyar, Peralta in CHES 2018"),
    ("S-box, of any gates and multiplexers", "sbox-cells", "Maximov, Ekdahl 2019"),
    ("S-box, least depth", "sbox-fast", "Boyar, Peralta 2011"),
    ("inverse S-box, of XOR, XNOR and AND", "sbox-minimal-inverse", "Boyar, Peralta, list"),
    ("inverse S-box, least depth", "sbox-fast-inverse", "Boyar, Peralta 2011"),
    ("MixColumns", "mix-minimal", "Maximov 2019"),
    ("MixColumns, least depth", "mix-fast", "Shi et al. 2023"),
    ("InvMixColumns", "mix-minimal-inverse", "Xiang et al. 2020"),
)
#: Circuits for both directions, and the published construction built by us the same way.
_MERGED = (
    ("both S-boxes in one", "sbox-minimal-both", "sbox-gf4-both"),
    ("both S-boxes in one, for cells", "sbox-cells-both", "sbox-gf4-both"),
    ("MixColumns and InvMixColumns in one", "mix-minimal-both", "mix-factored-both"),
)


def records() -> list[Grid]:
    """Return what the search found beside the best that we know to be published."""
    against = []
    for what, name, short in _RECORDS:
        ours = _described(name)
        theirs = next((row for row in published(name) if row["short"] == short), None)
        if theirs is None:
            raise RoundsmithError(f"circuit-records.csv has no row '{short}' for {name}.")
        figures = [number(ours.get(key)) for key in ("gates", "depth")]
        wanted = [number(theirs.get(key)) for key in ("gates", "depth")]
        against.append((what, f"`{name}`", *figures, *wanted, short, _verdict(ours, theirs)))
    merged = []
    for what, name, other in _MERGED:
        ours, built = _described(name), _described(other)
        pairs = [(ours.get(key), built.get(key)) for key in ("gates", "xor", "ge")]
        merged.append(
            (
                what,
                f"`{name}`",
                f"`{other}`",
                *(f"{number(a, '.0f')} / {number(b, '.0f')} = {_ratio(a, b)}" for a, b in pairs),
            )
        )
    return [
        Grid(
            title="Against published circuits",
            note="Every gate has two inputs; a multiplexer counts as one gate.",
            headings=("circuit", "ours", "gates", "depth", "published gates", "published depth",
                      "by", "ours has"),
            rows=tuple(against),
            left=2,
        ),
        Grid(
            title="Both directions in one circuit, against Satoh's constructions as printed",
            note="Both are built, counted and mapped by us in the same way: ours / theirs = ratio.",
            headings=("circuit", "ours", "theirs", "gates", "XOR", "GE"),
            rows=tuple(merged),
            left=3,
        ),
    ]  # fmt: skip


def records_table() -> str:
    """Return the first of the records as a table for a page."""
    return records()[0].markdown()


def _verdict(ours: Mapping[str, object], theirs: Mapping[str, object]) -> str:
    words = []
    for key, less, more in (
        ("gates", "fewer gates", "more gates"),
        ("depth", "less depth", "more depth"),
    ):
        a, b = ours.get(key), theirs.get(key)
        if isinstance(a, int) and isinstance(b, int) and a != b:
            words.append(f"{abs(a - b)} {less if a < b else more}")
    return ", ".join(words) or "the same"


def _ratio(a: object, b: object) -> str:
    known = isinstance(a, int | float) and isinstance(b, int | float)
    return f"{float(str(a)) / float(str(b)):.2f}" if known else NONE


# --- The page -------------------------------------------------------------------------------


def _page_overview() -> str:
    cells = library(None)
    found = [describe(c, cells) for c in listing.everything()]
    return overview(groups.together(found)).markdown()


def _page(grids: Iterable[Grid]) -> str:
    return "\n".join(f"**{g.title}**\n\n{g.note}\n\n{g.markdown()}" for g in grids)


#: The generated parts of docs/circuits.md.
PARTS: dict[str, Callable[[], str]] = {
    "circuits": _page_overview,
    "records": lambda: _page(records()),
}
