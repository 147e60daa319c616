"""The register map as data: read from TOML, checked, with what its readers ask of it."""

import tomllib
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator
from pydantic import Field as Limits

from roundsmith.base.errors import RoundsmithError
from roundsmith.spec.ciphers import CIPHERS

SOURCE = Path(__file__).parent / "registers.toml"

WORD_BYTES = 4
WORD_BITS = 32

_FROZEN = ConfigDict(extra="forbid", frozen=True)

_Identifier = Annotated[str, Limits(pattern=r"^[a-z][a-z0-9]*(_[a-z0-9]+)*$")]


class Access(StrEnum):
    """What software may do with a register."""

    READ = "read"
    WRITE = "write"
    READ_WRITE = "read_write"
    WRITE_ONE_CLEARS = "write_one_clears"


class Kind(StrEnum):
    """What the hardware has behind a register."""

    CONSTANT = "constant"
    STATUS = "status"
    STORED = "stored"
    ACTION = "action"
    EVENT = "event"


#: What software may do with a register of each kind.
_ACCESS_OF = {
    Kind.CONSTANT: {Access.READ},
    Kind.STATUS: {Access.READ},
    Kind.STORED: {Access.WRITE, Access.READ_WRITE},
    Kind.ACTION: {Access.WRITE},
    Kind.EVENT: {Access.WRITE_ONE_CLEARS},
}


class Field(BaseModel):
    """Some bits of a register; `bits` is `high:low`, or one bit."""

    model_config = _FROZEN

    name: _Identifier
    bits: Annotated[str, Limits(pattern=r"^\d+(:\d+)?$")]
    text: str
    value: Annotated[int, Limits(ge=0)] = 0

    @property
    def high(self) -> int:
        """Its highest bit."""
        return int(self.bits.partition(":")[0])

    @property
    def low(self) -> int:
        """Its lowest bit."""
        return int(self.bits.rpartition(":")[2])

    @property
    def width(self) -> int:
        """Its number of bits."""
        return self.high - self.low + 1

    @property
    def mask(self) -> int:
        """Ones at its bits."""
        return ((1 << self.width) - 1) << self.low


class Register(BaseModel):
    """One register, or `count` of them in a row."""

    model_config = _FROZEN

    name: _Identifier
    offset: Annotated[int, Limits(ge=0)]
    access: Access
    kind: Kind
    text: str
    fields: Annotated[tuple[Field, ...], Limits(min_length=1)]
    count: Annotated[int, Limits(ge=1)] = 1
    string: bool = False
    turn: _Identifier | None = None
    wiped: bool = False

    @model_validator(mode="after")
    def _makes_sense(self) -> Self:
        if self.access not in _ACCESS_OF[self.kind]:
            raise ValueError(f"register '{self.name}': kind '{self.kind}' has no such access")
        if self.offset % WORD_BYTES:
            raise ValueError(f"register '{self.name}' does not begin at a word")
        if self.string != (self.count > 1):
            raise ValueError(f"register '{self.name}': several words are a string, one is not")
        if self.wiped and self.kind is not Kind.STORED:
            raise ValueError(f"register '{self.name}' stores nothing that could be wiped")
        if self.turn and not self.writable:
            raise ValueError(f"register '{self.name}' is never written, so it has no turn")
        taken = 0
        for field in self.fields:
            if field.high >= WORD_BITS or field.low > field.high or taken & field.mask:
                raise ValueError(f"register '{self.name}': no room for field '{field.name}'")
            if field.value >> field.width:
                raise ValueError(f"register '{self.name}': field '{field.name}' is too narrow")
            taken |= field.mask
        return self

    @property
    def readable(self) -> bool:
        """Whether a read gives more than an error."""
        return self.access is not Access.WRITE

    @property
    def writable(self) -> bool:
        """Whether a write does more than give an error."""
        return self.access is not Access.READ

    @property
    def addresses(self) -> range:
        """The byte addresses of its words."""
        return range(self.offset, self.offset + self.count * WORD_BYTES, WORD_BYTES)

    @property
    def mask(self) -> int:
        """Ones at the bits of its fields."""
        return sum(field.mask for field in self.fields)


class RegisterMap(BaseModel):
    """All registers, by rising address."""

    model_config = _FROZEN

    name: _Identifier
    title: str
    bytes: int
    registers: tuple[Register, ...]

    @model_validator(mode="after")
    def _apart(self) -> Self:
        names = [register.name for register in self.registers]
        if len(set(names)) != len(names):
            raise ValueError("two registers have one name")
        free = 0
        for register in self.registers:
            if register.offset < free:
                raise ValueError(f"register '{register.name}' lies on or before another one")
            free = register.addresses.stop
        if self.bytes & (self.bytes - 1) or free > self.bytes:
            raise ValueError("the map must be a power of two of bytes, with room for all registers")
        return self

    def __getitem__(self, name: str) -> Register:
        """Return the register of that name."""
        return next(register for register in self.registers if register.name == name)

    @property
    def turns(self) -> list[str]:
        """What writes may have to wait for."""
        return sorted({register.turn for register in self.registers if register.turn})

    @property
    def address_bits(self) -> int:
        """Bits of a byte address."""
        return (self.bytes - 1).bit_length()


def parse(data: dict[str, Any]) -> RegisterMap:
    """Return the map of plain `data`; RoundsmithError says what is wrong with it."""
    given = dict(data)
    given["registers"] = given.pop("register", ())
    try:
        return RegisterMap(**given)
    except ValidationError as error:
        first = error.errors()[0]
        message = first["msg"].removeprefix("Value error, ").rstrip(".")
        where = ".".join(map(str, first["loc"]))
        raise RoundsmithError(
            f"The register map: {where + ': ' if where else ''}{message}."
        ) from None


@cache
def load() -> RegisterMap:
    """Return the register map."""
    ciphers = ", ".join(f"{cipher.number} {cipher.name}" for cipher in CIPHERS)
    return parse(tomllib.loads(SOURCE.read_text().replace("{ciphers}", ciphers)))
