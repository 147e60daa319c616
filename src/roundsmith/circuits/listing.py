"""Which circuits there are: the straight-line programs, and the modules that are none.

A circuit of AES is found by where its module stands and by its ports, so a new file is listed,
proved and measured without being named here. Modules that choose among circuits are none
themselves. A module of Serpent's S-boxes holds all eight, and each of them is a circuit.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from roundsmith.base.errors import RoundsmithError
from roundsmith.base.paths import RTL, library
from roundsmith.circuits import program as programs
from roundsmith.circuits import serpent, serpent_linear, writer
from roundsmith.circuits.program import Operation, Program
from roundsmith.spec.sboxes import SBOXES, Form

#: Where the modules of each kind stand, below the RTL's folder.
PLACES = {
    "sbox": "aes/sbox/rsm_aes_sbox_*.sv",
    "inverter": "aes/sbox/rsm_aes_inverter_*.sv",
    "mix": "aes/linear/rsm_aes_mix_*.sv",
    "mix-add": "aes/linear/rsm_aes_linear_mix_add.sv",
}

#: The data ports of each kind. A `pair` is two S-boxes in one memory.
PORTS = {
    "sbox": ({"x_i", "y_o"}, {"a_x_i", "a_y_o", "b_x_i", "b_y_o"}),
    "inverter": ({"x_i", "y_o"},),
    "mix": ({"column_i", "column_o"},),
    "mix-add": ({"state_i", "key_i", "state_o"},),
}
_CONTROL = {"clk_i", "clear_i", "last_i", "inverse_i", "a_inverse_i", "b_inverse_i"}

# It offers all column circuits, by a parameter.
_CHOICES = {"rsm_aes_mix_columns"}

_SUFFIX = {"forward": "", "inverse": "-inverse"}

_COMMENT = re.compile(r"//[^\n]*")
_MODULE = re.compile(r"\brsm_\w+")
_HEAD = re.compile(r"^module .*?^\);", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Circuit:
    """One circuit: its name, what it computes, where it comes from, and its module.

    `kind` is sbox, inverter, mix or mix-add (a whole state with the key added), of Serpent sbox or
    linear (a whole state); `direction` forward, inverse or both, `origin` search or cited.
    `program` is None for a module that is not made of a file in `programs/`, and `operations` for
    one that is no straight-line program at all. `settings` are the parameters of the module that
    make it this circuit. One of Serpent's S-boxes has its number in `box`, and the name of all
    eight in `group`.
    """

    name: str
    kind: str
    direction: str
    origin: str
    path: Path
    program: Program | None = None
    cipher: str = "aes"
    settings: tuple[str, ...] = ()
    operations: tuple[Operation, ...] | None = None
    box: int | None = None
    group: str | None = None

    @property
    def module(self) -> str:
        """The name of the SystemVerilog module."""
        return self.path.stem

    @cached_property
    def text(self) -> str:
        """The module's file, without comments."""
        try:
            return _COMMENT.sub("", self.path.read_text())
        except OSError:
            raise RoundsmithError(
                f"{self.name} has no module yet; `make docs` writes {self.path.name}."
            ) from None

    @property
    def ports(self) -> frozenset[str]:
        """The names of all ports."""
        return ports(self.text)

    @property
    def copies(self) -> int:
        """How many circuits of the kind the module holds: two S-boxes share a block RAM."""
        return 2 if "a_x_i" in self.ports else 1

    @property
    def in_memory(self) -> bool:
        """Whether the circuit is a block RAM."""
        return bool(re.search(r'r[ao]m_style = "block"', self.text))

    @property
    def cuts(self) -> int:
        """How many places for registers the module offers."""
        several = re.search(r"parameter logic \[(\d+):0\]\s+Cuts\b", self.text)
        if several:
            return int(several[1]) + 1
        return int(bool(re.search(r"parameter bit\s+Cut\b", self.text)))

    def parameters(self, *, cut: bool) -> Sequence[str]:
        """Return the settings, and what sets every register, or none, as `NAME=VALUE`."""
        if not self.cuts:
            return self.settings
        name = "Cuts" if re.search(r"\bCuts\b", self.text) else "Cut"
        return [*self.settings, f"{name}={self.cuts}'d{(1 << self.cuts) - 1 if cut else 0}"]

    @property
    def files(self) -> list[Path]:
        """The module's file and all that it uses, bottom up."""
        found: dict[Path, None] = {}
        _collect(self.path, self.text, found)
        return list(found)


def ports(text: str) -> frozenset[str]:
    """Return the names of the ports of the module in `text`."""
    head = _HEAD.search(text)
    return frozenset(re.findall(r"\b(\w+_[io])\b", head[0])) if head else frozenset()


@cache
def _library() -> dict[str, Path]:
    return {path.stem: path for path in library()}


def _collect(path: Path, text: str, found: dict[Path, None]) -> None:
    """Add `path` to `found`, after every file that its `text` names."""
    for name in dict.fromkeys(_MODULE.findall(text)):
        used = _library().get(name)
        if used is not None and name != path.stem and used not in found:
            _collect(used, _COMMENT.sub("", used.read_text()), found)
    found[path] = None


@cache
def everything() -> tuple[Circuit, ...]:
    """Return all circuits: of AES, S-boxes first, then inverters and columns; then of Serpent."""
    return (*_of_aes(), *_of_serpent())


def _of_aes() -> Sequence[Circuit]:
    found = {
        p.name: Circuit(
            p.name, p.kind, p.direction, p.origin, writer.path(p), p, operations=p.operations
        )
        for p in programs.everything()
    }
    built = [sbox.of("aes") for sbox in SBOXES["aes"]]
    origins = {one.module_of(form): one.origin for one in built for form in one.forms}
    for kind, place in PLACES.items():
        for path in sorted(RTL.glob(place)):
            name = path.stem.removeprefix("rsm_").removeprefix("aes_").replace("_", "-")
            name = "mix-add" if kind == "mix-add" else name
            if name in found or path.stem in _CHOICES:
                continue
            if ports(_COMMENT.sub("", path.read_text())) - _CONTROL not in PORTS[kind]:
                continue  # a part of a circuit
            suffix = name.rpartition("-")[2]
            direction = suffix if suffix in programs.DIRECTIONS else "forward"
            origin = origins.get(path.stem, "cited")
            found[name] = Circuit(name, kind, direction, origin, path)
    order = list(PLACES)
    known = [c for c in found.values() if c.kind in order]
    rest = [c for c in found.values() if c.kind not in order]
    return (*sorted(known, key=lambda c: (order.index(c.kind), c.name)), *rest)


def _of_serpent() -> Sequence[Circuit]:
    return (*_serpent_sboxes(), *(_serpent_linear(way) for way in ("forward", "inverse")))


def _serpent_sboxes() -> Iterator[Circuit]:
    known = {(c.goal, c.sbox): c for c in (*serpent.circuits(), *serpent.published())}
    for word in SBOXES["serpent"]:
        built = word.of("serpent")
        for sbox in serpent.SBOXES:
            way: Form = "inverse" if sbox.inverse else "forward"
            if way not in built.forms:
                continue
            program = known.get((serpent.CONSTRUCTIONS.get(built.module, ""), sbox))
            yield Circuit(
                f"serpent-sbox-{word}-{sbox.number}{_SUFFIX[way]}",
                "sbox",
                way,
                built.origin,
                RTL / "serpent" / "sbox" / f"{built.module_of(way)}.sv",
                cipher="serpent",
                settings=(f"Box={sbox.number}", "Width=1"),
                operations=None if program is None else program.operations,
                box=sbox.number,
                group=f"serpent-sbox-{word}{_SUFFIX[way]}",
            )


def _serpent_linear(way: str) -> Circuit:
    inverse = way == "inverse"
    return Circuit(
        f"serpent-linear{_SUFFIX[way]}",
        "linear",
        way,
        "cited",
        RTL / "serpent" / "linear" / "rsm_serpent_linear.sv",
        cipher="serpent",
        settings=(f"Inverse=1'd{int(inverse)}",),
        operations=serpent_linear.operations(inverse=inverse),
    )


def find(name: str) -> Circuit:
    """Return the circuit called `name`; RoundsmithError says which there are."""
    for circuit in everything():
        if circuit.name == name:
            return circuit
    names = ", ".join(dict.fromkeys(circuit.group or circuit.name for circuit in everything()))
    raise RoundsmithError(
        f"There is no circuit '{name}'; there are {names}; and each S-box of Serpent by its "
        "number: serpent-sbox-minimal-3, serpent-sbox-minimal-3-inverse."
    )


def named(name: str) -> list[Circuit]:
    """Return the circuit called `name`, or the eight of a group; RoundsmithError as `find`."""
    return [c for c in everything() if c.group == name] or [find(name)]
