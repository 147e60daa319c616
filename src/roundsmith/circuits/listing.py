"""Which circuits there are: the straight-line programs, and the modules that are none.

A circuit is found by where its module stands and by its ports, so a new file is listed, proved
and measured without being named here. Modules that choose among circuits are none themselves.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from roundsmith.circuits import program as programs
from roundsmith.circuits import writer
from roundsmith.circuits.program import Program
from roundsmith.errors import RoundsmithError
from roundsmith.paths import RTL, library

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

# Modules that our own search found; all others that are no programs follow a publication.
_SEARCHED = {"sbox-lut4", "sbox-lut4-inverse", "sbox-lut4-both"}

_COMMENT = re.compile(r"//[^\n]*")
_MODULE = re.compile(r"\brsm_\w+")
_HEAD = re.compile(r"^module .*?^\);", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Circuit:
    """One circuit: its name, what it computes, where it comes from, and its module.

    `kind` is sbox, inverter, mix or mix-add (a whole state with the key added), `direction`
    forward, inverse or both, `origin` search or cited. `program` is None for a module that is
    no straight-line program.
    """

    name: str
    kind: str
    direction: str
    origin: str
    path: Path
    program: Program | None = None

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
        """Return the parameters that set every register, or none, as `NAME=VALUE`."""
        if not self.cuts:
            return []
        name = "Cuts" if re.search(r"\bCuts\b", self.text) else "Cut"
        return [f"{name}={self.cuts}'d{(1 << self.cuts) - 1 if cut else 0}"]

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
    """Return all circuits: S-boxes first, then inverters and column circuits, each by name."""
    found = {
        p.name: Circuit(p.name, p.kind, p.direction, p.origin, writer.path(p), p)
        for p in programs.everything()
    }
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
            origin = "search" if name in _SEARCHED else "cited"
            found[name] = Circuit(name, kind, direction, origin, path)
    order = list(PLACES)
    known = [c for c in found.values() if c.kind in order]
    rest = [c for c in found.values() if c.kind not in order]
    return (*sorted(known, key=lambda c: (order.index(c.kind), c.name)), *rest)


def find(name: str) -> Circuit:
    """Return the circuit called `name`; RoundsmithError says which there are."""
    for circuit in everything():
        if circuit.name == name:
            return circuit
    names = ", ".join(circuit.name for circuit in everything())
    raise RoundsmithError(f"There is no circuit '{name}'; there are {names}.")
