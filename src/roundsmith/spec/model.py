"""The model of a spec: its fields, as they stand in TOML, and what follows from them."""

import hashlib
import json
import re
import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import tomli_w
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)

from roundsmith.base.errors import RoundsmithError
from roundsmith.spec import buses, ciphers, keys, legality, modes, reserved, streams
from roundsmith.spec.buses import Bus, BusProtocol
from roundsmith.spec.choices import (
    NARROW,
    Architecture,
    Clear,
    Direction,
    Entry,
    Flow,
    InverseRounds,
    KeyAdd,
    KeyChannel,
    KeySboxes,
    KeySchedule,
    KeyStart,
    Linear,
    SboxSwitch,
    StateStorage,
)
from roundsmith.spec.ciphers import Batch, BlockCipher, Cipher
from roundsmith.spec.modes import Mode, ModeOfOperation
from roundsmith.spec.sboxes import Construction, Sbox
from roundsmith.spec.wording import words

_FROZEN = ConfigDict(extra="forbid", frozen=True)


def _ascending(values: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(sorted(values))


def _encrypt_first(values: tuple[Direction, ...]) -> tuple[Direction, ...]:
    return tuple(sorted(values, key=list(Direction).index))


def _free(name: str) -> str:
    """Refuse a name that means something else in a language that the core is written in."""
    objection = reserved.objection(name)
    if objection is not None:
        raise ValueError(f"'{name}' {objection}")
    return name


Name = Annotated[
    str,
    Field(pattern=r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$", max_length=64),
    AfterValidator(_free),
]


class What(BaseModel):
    """What the core must do. Key lengths and directions are sets: their order says nothing.

    With `self_test` a core behind a bus computes known answers before it takes anything.
    """

    model_config = _FROZEN

    cipher: Cipher = ciphers.DEFAULT
    key_bits: Annotated[tuple[Literal[128, 192, 256], ...], AfterValidator(_ascending)] = (128,)
    directions: Annotated[tuple[Direction, ...], AfterValidator(_encrypt_first)] = (
        Direction.ENCRYPT,
    )
    mode: Mode = Mode.NONE
    bus: Bus = Bus.NONE
    self_test: bool = False


class Variant(BaseModel):
    """What one tile has of its own; the rest is as in `how`."""

    model_config = _FROZEN

    sbox: Sbox | None = None
    linear: Linear | None = None
    cuts: tuple[str, ...] | None = None


class How(BaseModel):
    """How it is built: each field is a free choice of its own.

    `rounds` are those of a loop (a pipe has all of them); `extra` names the rounds in hardware,
    from 1, with one more register at their entry. `data_bits` is what a folded or serial core
    does in a cycle: one or two columns, a byte, a bit. `counter_bits` belongs to mode `ctr`: the
    bits of its blocks that count, the last ones; `ghash_bits` and `ghash_lanes` to mode `gcm`: what
    a multiplier takes a cycle, and how many there are; `streams` to modes that chain: how many
    messages the core has at one time, each under a key of its own.
    """

    model_config = _FROZEN

    architecture: Architecture = Architecture.LOOP
    data_bits: Literal[1, 8, 32, 64] | None = None
    rounds: Annotated[int, Field(ge=1, le=32)] = 1
    sbox: Sbox = Sbox("table")
    key_sboxes: KeySboxes = KeySboxes.OWN
    sbox_switch: SboxSwitch = SboxSwitch.MULTIPLEXER
    linear: Linear = Linear.DIRECT
    key_add: KeyAdd = KeyAdd.LAST
    key_schedule: KeySchedule = KeySchedule.ON_THE_FLY
    key_start: KeyStart | None = None
    inverse_rounds: InverseRounds | None = None
    state_storage: StateStorage | None = None
    cuts: tuple[str, ...] = ("sub",)
    extra: tuple[Annotated[int, Field(ge=1, le=32)], ...] = ()
    edges: tuple[str, ...] = ()
    entry: Entry = Entry.OVERLAP
    tiles: Annotated[int, Field(ge=1, le=64)] = 1
    variants: tuple[Variant, ...] = ()
    streams: Annotated[int, Field(ge=1, le=256)] = 1
    clear: Clear = Clear.FLUSH
    counter_bits: Annotated[int, Field(ge=1, le=128)] | None = None
    ghash_bits: Annotated[int, Field(ge=1, le=128)] | None = None
    ghash_lanes: Annotated[int, Field(ge=1, le=128)] | None = None

    @model_validator(mode="before")
    @classmethod
    def _no_cuts(cls, data: Any) -> Any:
        """Give no cuts to a core that offers none."""
        if isinstance(data, dict) and data.get("architecture") in NARROW:
            return {"cuts": ()} | data
        return data


class Port(BaseModel):
    """The block port of the core. One handshake moves a block in each of its lanes.

    Through a port that is narrower than a block, it moves the first beat, and the others follow.
    `stream_bits` and `stream_id_bits` are the widths of TDATA and TID of bus `axi4_stream`; where
    TID is the number of a stream, it has the bits of that.
    """

    model_config = _FROZEN

    width: Literal[1, 8, 32, 64, 128] = 128
    lanes: Annotated[int, Field(ge=1, le=64)] = 1
    flow: Flow = Flow.FREE
    key_channel: KeyChannel = KeyChannel.WITH_BLOCK
    key_slots: Annotated[int, Field(ge=1, le=16)] = 1
    tag_bits: Annotated[int, Field(ge=0, le=64)] = 0
    stream_bits: Literal[8, 16, 32, 64, 128, 256, 512] | None = None
    stream_id_bits: Annotated[int, Field(ge=1, le=32)] | None = None


class Spec(BaseModel):
    """One core: its name, what it does, how it is built, its port and where it comes from."""

    model_config = _FROZEN

    name: Name
    paper: str | None = None
    what: What = What()
    how: How = How()
    port: Port = Port()

    @model_validator(mode="after")
    def _legal(self) -> Self:
        legality.check(self)
        return self

    @property
    def module(self) -> str:
        """The name of the generated top module."""
        return self.name.replace("-", "_")

    @property
    def is_full(self) -> bool:
        """Whether the core has the full port: 128 bits, held, both channels."""
        return self.port.flow is Flow.HELD

    @property
    def cipher(self) -> BlockCipher:
        """All that is known of the cipher that it names."""
        return ciphers.of(self.what.cipher)

    @property
    def batch(self) -> Batch | None:
        """The module of the cipher whose batches share key and direction, if the core is that."""
        return self.cipher.batch if self.how.entry is Entry.BATCH else None

    @property
    def mode(self) -> ModeOfOperation:
        """All that is known of the mode of operation that it names."""
        return modes.of(self.what.mode)

    @property
    def bus(self) -> BusProtocol:
        """All that is known of the bus that it names."""
        return buses.of(self.what.bus)

    @property
    def has_mode(self) -> bool:
        """Whether a mode of operation stands around the core, so that it takes messages."""
        return self.what.mode is not Mode.NONE

    @property
    def has_message_bus(self) -> bool:
        """Whether a bus that carries messages stands around the mode."""
        return self.bus.carries_messages

    @property
    def encrypts(self) -> bool:
        """Whether the core encrypts."""
        return Direction.ENCRYPT in self.what.directions

    @property
    def decrypts(self) -> bool:
        """Whether the core decrypts."""
        return Direction.DECRYPT in self.what.directions

    @property
    def is_both(self) -> bool:
        """Whether the core does both, as each block says."""
        return self.encrypts and self.decrypts

    @property
    def is_pipe(self) -> bool:
        """Whether all rounds stand in a line."""
        return self.how.architecture is Architecture.PIPE

    @property
    def is_narrow(self) -> bool:
        """Whether less than a round stands in hardware, behind a native port of its width."""
        return self.how.architecture in NARROW

    @property
    def sbox(self) -> Construction:
        """The S-box of a legal core, for its cipher."""
        return self.how.sbox.of(self.what.cipher)

    @property
    def native_width(self) -> Literal[1, 8, 32, 64, 128]:
        """Return the width of the native port: that of the data path."""
        return self.how.data_bits or 128

    @property
    def beats(self) -> int:
        """Return the beats of a block at the port that the spec names."""
        return 128 // self.port.width

    @property
    def is_stored(self) -> bool:
        """Whether round keys are expanded once and kept."""
        return self.how.key_schedule is KeySchedule.STORED

    @property
    def is_loaded(self) -> bool:
        """Whether the key channel brings all round keys."""
        return self.how.key_schedule is KeySchedule.LOADED

    @property
    def key_port_bits(self) -> int:
        """Return the bits of what the port takes as a key: the longest, or all round keys."""
        longest = max(self.what.key_bits)
        return 128 * (self.cipher.rounds[longest] + 1) if self.is_loaded else longest

    @property
    def native_channel(self) -> KeyChannel:
        """How keys reach the native port: it follows from the key schedule and the directions.

        Decryption starts from the last round key, which has to be found before the first block;
        a serial core finds it for every block anew.
        """
        if self.how.architecture is Architecture.SERIAL:
            return KeyChannel.WITH_BLOCK
        held = self.is_stored or self.is_loaded or self.decrypts
        return KeyChannel.HELD if held else KeyChannel.WITH_BLOCK

    @property
    def has_full(self) -> bool:
        """Whether there is a full port for it.

        A bus stands on the native port, in its place, a mode on the full port itself, and ready
        made round keys do not fit it.
        """
        return self.what.bus is Bus.NONE and not self.has_mode and not self.is_loaded

    def full(self) -> "Spec":
        """Return the same core behind the full port, named `NAME-full`."""
        if self.is_full:
            return self
        if self.is_loaded:
            raise RoundsmithError(
                f"{self.name} takes all round keys ready made, and the full port has keys, so "
                "there is no full port of it."
            )
        if not self.has_full:
            raise RoundsmithError(
                f"{self.name} has the bus '{self.what.bus}' in place of a block port, so there "
                "is no full port of it."
            )
        port = self.port.model_copy(
            update={"width": 128, "flow": Flow.HELD, "key_channel": KeyChannel.HELD}
        )
        data = {
            "name": f"{self.name}-full",
            "paper": self.paper,
            "what": self.what,
            "how": self.how,
            "port": port.model_dump(),
        }
        return Spec.from_data(data, self.name)

    def with_mode(self, mode: Mode, count: int = 1) -> "Spec":
        """Return the same core in a mode of operation, named `NAME-gcm` and so on.

        It has as many key slots as a message of the mode uses, at least. With a `count` of streams
        beyond one, each of them in that mode, it is `NAME-cbc5`.
        """
        if self.what.mode is mode and count in {1, self.how.streams}:
            return self
        if self.has_mode:
            raise RoundsmithError(f"{self.name} has the mode '{self.what.mode}' already.")
        full = self.full()
        slots = max(full.port.key_slots, modes.of(mode).slots)
        data = {
            "name": f"{self.name.removesuffix('-full')}-{streams.word(modes.of(mode), count)}",
            "paper": self.paper,
            "what": {**full.what.model_dump(), "mode": mode},
            "how": {**full.how.model_dump(), "streams": count},
            "port": {**full.port.model_dump(), "tag_bits": 0, "key_slots": slots},
        }
        return Spec.from_data(data, self.name)

    def with_bus(self, bus: Bus, *, self_test: bool = False) -> "Spec":
        """Return the same core, which has a mode, behind a bus: `NAME-axi4-lite` and so on."""
        if self.what.bus is not Bus.NONE:
            raise RoundsmithError(f"{self.name} has the bus '{self.what.bus}' already.")
        data = {
            "name": f"{self.name}-{bus.replace('_', '-')}",
            "paper": self.paper,
            "what": {**self.what.model_dump(), "bus": bus, "self_test": self_test},
            "how": self.how.model_dump(),
            "port": self.port.model_dump(),
        }
        return Spec.from_data(data, self.name)

    def native(self) -> "Spec":
        """Return the same core with its native, rigid port."""
        if not self.is_full or self.has_mode:
            return self
        port = self.port.model_copy(update=self._native_port())
        return self.model_copy(update={"name": self.name.removesuffix("-full"), "port": port})

    def bare(self) -> "Spec":
        """Return the native core inside, without its mode of operation and its bus."""
        if not self.has_mode:
            return self.native()
        name = self.name.removesuffix(f"-{self.what.bus.replace('_', '-')}")
        name = name.removesuffix(f"-{streams.word(self.mode, self.how.streams)}")
        plain = {"bus": Bus.NONE, "mode": Mode.NONE, "self_test": False}
        what = self.what.model_copy(update=plain)
        how = self.how.model_copy(update=dict.fromkeys(modes.OPTIONS) | {"streams": 1})
        port = self.port.model_copy(update=self._native_port())
        return self.model_copy(update={"name": name, "what": what, "how": how, "port": port})

    def tile(self, index: int) -> "Spec":
        """Return one tile as a core of its own, with its native port, which all streams share."""
        own = self.how.variants[index].model_dump(exclude_none=True) if self.how.variants else {}
        how = self.how.model_copy(update={"tiles": 1, "variants": (), "streams": 1, **own})
        port = self.port.model_copy(update={"lanes": 1, **self._native_port(), **self._shared()})
        plain = {"bus": Bus.NONE, "mode": Mode.NONE, "self_test": False}
        what = self.what.model_copy(update=plain)
        return self.model_copy(update={"what": what, "how": how, "port": port})

    def _native_port(self) -> dict[str, Any]:
        return {
            "width": self.native_width,
            "flow": Flow.FREE,
            "key_channel": self.native_channel,
            "key_slots": self.port.key_slots if keys.of_core(self) else 1,
            "stream_bits": None,
            "stream_id_bits": None,
        }

    def _shared(self) -> dict[str, Any]:
        """Return what the port of a core has that several streams share, and no other has."""
        if self.how.streams == 1:
            return {}
        held = self.native_channel is KeyChannel.HELD
        return {
            "key_slots": streams.key_slots(self) if held else 1,
            "tag_bits": streams.tag_bits(self),
        }

    def tiles(self) -> list["Spec"]:
        """Return all tiles, each as a core of its own."""
        return [self.tile(i) for i in range(self.how.tiles)]

    def to_toml(self) -> str:
        """Return the spec as a TOML document that `from_toml` reads back."""
        return tomli_w.dumps(self.model_dump(mode="json", exclude_none=True))

    @staticmethod
    def from_toml(text: str, source: str = "the spec") -> "Spec":
        """Read a spec from TOML; RoundsmithError says in one sentence what is wrong."""
        try:
            data = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise RoundsmithError(f"{source} is not TOML: {error}.") from None
        return Spec.from_data(data, source)

    @staticmethod
    def from_data(data: dict[str, Any], source: str = "the spec") -> "Spec":
        """Build a spec from plain data; RoundsmithError says in one sentence what is wrong."""
        try:
            return Spec(**data)
        except ValidationError as error:
            raise RoundsmithError(f"{source}: {_sentence(error)}") from None
        except TypeError:
            raise RoundsmithError(f"{source}: a spec is a table with the key 'name'.") from None

    @staticmethod
    def load(path: Path) -> "Spec":
        """Read a spec from a TOML file."""
        try:
            text = path.read_text()
        except OSError as error:
            raise RoundsmithError(f"The spec {path} cannot be read: {error.strerror}.") from None
        except UnicodeDecodeError:
            raise RoundsmithError(
                f"The spec {path} cannot be read: it is no text in UTF-8."
            ) from None
        return Spec.from_toml(text, source=str(path))

    def hash(self) -> str:
        """Return a stable hash of everything that decides the hardware (not of the name)."""
        data = self.model_dump(mode="json", exclude={"name", "paper"})
        text = json.dumps(data, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()


def _sentence(error: ValidationError) -> str:
    """Turn pydantic's first complaint into one sentence."""
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    message = re.sub(r"^Value error, ", "", first["msg"]).rstrip(".")
    if first["type"] == "extra_forbidden":
        known = _known_fields(first["loc"])
        return f"'{where}' is not a field of a spec; {known}."
    if first["type"] == "missing":
        return f"the field '{where}' is missing."
    return f"{where}: {message}." if where else f"{message}."


def _known_fields(location: tuple[int | str, ...]) -> str:
    models: dict[str, type[BaseModel]] = {"what": What, "how": How, "port": Port}
    model = models.get(str(location[0]), Spec) if len(location) > 1 else Spec
    if "variants" in location:
        model = Variant
    return f"known here are {words(model.model_fields)}"
