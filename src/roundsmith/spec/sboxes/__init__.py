"""The S-boxes of the library: one TOML each in this folder, named after the word in a spec.

To add an S-box, add its TOML here and its RTL: one module for each form, such as
`rsm_aes_sbox_lut4_both.sv`, or a program in `circuits/programs`, from which `make docs` makes the
module. `make docs` also updates the enumerations of the packages and the selectors. No other file
names the S-box. The hashes of cores with other S-boxes stay, with one exception: a second block RAM
changes `sbox_latency` in the package, and with it the hash of a ring of rounds that does not divide
the rounds of the cipher.

    short = "lut4"                            # in systematic names, no word of another choice

    [aes]                                     # or [serpent], or both
    number = 8                                # of SboxLut4: never changes, never used again
    forms = ["forward", "inverse", "both"]    # the modules; see `Form`
    cuts = 4                                  # places for registers inside
    about = "..."                             # one line for the docs, with its source
    origin = "search"                         # found by our search, or "cited"

`Construction` describes the optional keys and their defaults.
"""

import tomllib
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from roundsmith.base.errors import RoundsmithError

#: What a module computes: SubBytes, its inverse, or the one that its input `inverse_i` asks for.
Form = Literal["forward", "inverse", "both"]

#: The sets of forms that are possible. With the first one a core can only encrypt. With the second
#: one a core of both directions has two circuits side by side. With the last one every core has the
#: circuit for both directions.
_FORMS: tuple[tuple[Form, ...], ...] = (
    ("forward",),
    ("forward", "inverse"),
    ("forward", "inverse", "both"),
    ("both",),
)

#: Lists of S-boxes, in standard cells and in lookup tables: those that `explore` tries unless it is
#: told others, and those of the sweep whose measurements are shipped.
Ranking = Literal["explore_cells", "explore_luts", "sweep_cells", "sweep_luts", "sweep_rest"]

#: What makes the RTL that selects an S-box, as the RTL says it.
COMMAND = "make docs, from src/roundsmith/spec/sboxes"

#: The most cuts of an S-box: SboxCuts of rsm_aes_pkg.
MOST_CUTS = 7


class Construction(BaseModel):
    """An S-box for one cipher.

    `module` is the word in the names of its modules and of its value in the enumeration; the
    default is the word in a spec. `cuts_both` is the number of cuts in the circuit for both
    directions, where it differs. `memory` marks a block RAM, which serves two bytes and answers a
    cycle later.

    The other keys serve estimates and pictures. A floorplan without a netlist takes `luts`. An
    exploration takes the `bits` at each cut and the logic `levels` between cuts, unless the circuit
    is a straight-line program. `rank` gives the place in each list, lowest first. `credit` and
    `credit_both` name the authors in pictures.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    cipher: str
    number: Annotated[int, Field(ge=0, le=255)]
    about: str
    origin: Literal["search", "cited"]
    forms: tuple[Form, ...]
    module: str
    cuts: Annotated[int, Field(ge=0, le=MOST_CUTS)] = 0
    cuts_both: Annotated[int, Field(ge=0, le=MOST_CUTS)] | None = None
    memory: bool = False
    luts: int = 48
    bits: tuple[int, ...] = ()
    levels: tuple[int, ...] = ()
    rank: Mapping[Ranking, int] = {}
    credit: str = "found by search"
    credit_both: str | None = None

    @model_validator(mode="after")
    def _check(self) -> "Construction":
        if self.forms not in _FORMS:
            known = "; ".join(", ".join(forms) for forms in _FORMS)
            raise ValueError(f"forms are {', '.join(self.forms)}, where {known} are possible")
        if self.memory and self.forms != ("forward", "inverse", "both"):
            raise ValueError("a block RAM has all three forms")
        if self.bits and (len(self.bits), len(self.levels)) != (self.cuts, self.cuts + 1):
            raise ValueError("bits has one number for each cut, levels one more")
        return self

    @property
    def value(self) -> str:
        """The value of the enumeration in the package of the cipher: SboxSharedInverse."""
        return "Sbox" + "".join(word.capitalize() for word in self.module.split("_"))

    def module_of(self, form: Form) -> str:
        """Return the name of the module of a form."""
        ending = "" if form == "forward" else f"_{form}"
        return f"rsm_{self.cipher}_sbox_{self.module}{ending}"

    @property
    def latency(self) -> int:
        """Cycles that it takes even without a cut."""
        return int(self.memory)

    @property
    def has_inverse(self) -> bool:
        """Whether it can decrypt."""
        return self.forms != ("forward",)

    @property
    def has_both(self) -> bool:
        """Whether one circuit goes both ways."""
        return "both" in self.forms

    @property
    def shares_inverse(self) -> bool:
        """Whether the circuit for both directions is the only one."""
        return self.forms == ("both",)

    @property
    def side_by_side(self) -> bool:
        """Whether both directions are a circuit for each, and a multiplexer."""
        return self.forms == ("forward", "inverse")

    def cuts_of(self, form: Form) -> int:
        """Return the cuts of a form; both directions without a circuit of their own have those."""
        if form == "both" and self.has_both and self.cuts_both is not None:
            return self.cuts_both
        return self.cuts

    def credit_of(self, form: Form) -> str:
        """Return whose a form is."""
        return self.credit_both or self.credit if form == "both" else self.credit


class _File(BaseModel):
    """One TOML: the word in systematic names, and the S-box of each cipher."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    short: Annotated[str, Field(pattern="[a-z][a-z0-9]*")]
    built: Annotated[Mapping[str, Construction], Field(min_length=1)]


def _read(path: Path) -> _File:
    try:
        data: dict[str, Any] = tomllib.loads(path.read_text())
        sections = {key: value for key, value in data.items() if isinstance(value, dict)}
        others = {key: value for key, value in data.items() if key not in sections}
        built = {
            cipher: {"module": path.stem, **own, "cipher": cipher}
            for cipher, own in sections.items()
        }
        return _File.model_validate(others | {"built": built})
    except ValueError as problem:
        raise RoundsmithError(f"{path} describes no S-box: {problem}") from None


def _files() -> dict[str, _File]:
    """Return what the files say, by word: those of a cipher side by side, in their order."""
    found = {path.stem: _read(path) for path in Path(__file__).parent.glob("*.toml")}

    def place(word: str) -> tuple[str, int, str]:
        first = min(found[word].built.values(), key=lambda one: one.cipher)
        return first.cipher, first.number, word

    return {word: found[word] for word in sorted(found, key=place)}


_FILES = _files()


class Sbox(StrEnum):
    """How an S-box is built: a member for each file, so `lut4.toml` is Sbox.LUT4."""

    locals().update({word.upper(): word for word in _FILES})

    @property
    def short(self) -> str:
        """Its word in systematic names."""
        return _FILES[self].short

    def of(self, cipher: str) -> Construction:
        """Return what it is for a cipher; KeyError where it is not built for it."""
        return _FILES[self].built[cipher]


def _of(cipher: str) -> tuple[Sbox, ...]:
    """Return the S-boxes of a cipher by their numbers; RoundsmithError where two have the same."""
    by_number: dict[int, Sbox] = {}
    for sbox in Sbox:
        built = _FILES[sbox].built.get(cipher)
        if built is None:
            continue
        other = by_number.setdefault(built.number, sbox)
        if other is not sbox:
            raise RoundsmithError(
                f"The S-boxes '{other}' and '{sbox}' of {cipher} have the same number "
                f"{built.number}; give the newer one the next that is free."
            )
    return tuple(by_number[number] for number in sorted(by_number))


#: The S-boxes of each cipher, by their numbers.
SBOXES: Mapping[str, tuple[Sbox, ...]] = {
    cipher: _of(cipher)
    for cipher in sorted({word for one in _FILES.values() for word in one.built})
}


def constructions(cipher: str) -> list[Construction]:
    """Return the S-boxes of a cipher as they are built, by their numbers."""
    return [sbox.of(cipher) for sbox in SBOXES[cipher]]


def ranked(cipher: str, which: Ranking) -> tuple[Sbox, ...]:
    """Return the S-boxes of a cipher that are in a list, the first one first."""
    places = {sbox: sbox.of(cipher).rank.get(which) for sbox in SBOXES[cipher]}
    found = [(place, sbox) for sbox, place in places.items() if place is not None]
    return tuple(sbox for _, sbox in sorted(found, key=lambda pair: pair[0]))
