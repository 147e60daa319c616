"""The spec: what a core must do and how it is built.

A spec is plain data, in TOML as `[what]`, `[how]` and `[port]`. This module is the only place
that knows which combinations are legal and has the formulas for latency, interval and cycles;
every simulation checks them against the clock.

Every choice of the design space is modelled here. A value that makes no sense is refused with
the reason, a value that makes sense but has no hardware yet is refused by its name.
"""

import hashlib
import json
import re
import tomllib
from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import tomli_w
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from roundsmith.errors import RoundsmithError


class Cipher(StrEnum):
    """Which block cipher."""

    AES = "aes"
    SERPENT = "serpent"


class Direction(StrEnum):
    """Which way a block goes."""

    ENCRYPT = "encrypt"
    DECRYPT = "decrypt"


class Architecture(StrEnum):
    """How much of the cipher stands in hardware."""

    SERIAL = "serial"
    FOLDED = "folded"
    LOOP = "loop"
    PIPE = "pipe"


class Sbox(StrEnum):
    """How an S-box is built."""

    TABLE = "table"
    MUX_TREE = "mux_tree"
    BLOCK_RAM = "block_ram"
    GF16 = "gf16"
    GF4 = "gf4"
    SHARED_INVERSE = "shared_inverse"
    MINIMAL = "minimal"
    FAST = "fast"
    LUT4 = "lut4"
    CELLS = "cells"


class Linear(StrEnum):
    """How ShiftRows, MixColumns and the key addition are built."""

    DIRECT = "direct"
    GATED = "gated"
    IN_MEMORY = "in_memory"
    FACTORED = "factored"
    SQUARED = "squared"
    MIX_ADD = "mix_add"
    MINIMAL = "minimal"
    FAST = "fast"


class KeyAdd(StrEnum):
    """Where the round key is added: after the linear layer, or before SubBytes."""

    LAST = "last"
    FIRST = "first"


class KeySchedule(StrEnum):
    """Where round keys come from."""

    STORED = "stored"
    ON_THE_FLY = "on_the_fly"
    TRAVELLING = "travelling"


class KeySboxes(StrEnum):
    """Whether the key schedule has S-boxes of its own."""

    OWN = "own"
    BORROWED = "borrowed"


class InverseRounds(StrEnum):
    """How decryption rounds are built."""

    SEPARATE = "separate"
    REORDERED = "reordered"
    EQUIVALENT = "equivalent"


class StateStorage(StrEnum):
    """Where a folded or serial core keeps its state."""

    REGISTERS = "registers"
    SHIFT_REGISTERS = "shift_registers"
    DUAL_PORT_RAM = "dual_port_ram"


class Clear(StrEnum):
    """How `clear_i` overwrites the data registers."""

    FLUSH = "flush"
    RESET = "reset"


class Flow(StrEnum):
    """Whether a result waits for its consumer."""

    FREE = "free"
    HELD = "held"


class KeyChannel(StrEnum):
    """Whether the key comes with every block or through a channel of its own."""

    WITH_BLOCK = "with_block"
    HELD = "held"


class Mode(StrEnum):
    """The mode of operation around the core; `none` is the bare block cipher."""

    NONE = "none"
    ECB = "ecb"
    CBC = "cbc"
    CFB = "cfb"
    OFB = "ofb"
    CTR = "ctr"
    CMAC = "cmac"
    OCB = "ocb"
    GCM = "gcm"
    CCM = "ccm"
    XTS = "xts"


class Bus(StrEnum):
    """The bus around the core; `none` is the block port."""

    NONE = "none"
    AXI4_STREAM = "axi4_stream"
    AXI4_LITE = "axi4_lite"
    WISHBONE = "wishbone"
    APB = "apb"
    CHANNELS32 = "channels32"


#: Rounds by key length in bits (FIPS 197, Fig. 4).
ROUNDS = {128: 10, 192: 12, 256: 14}

#: How many internal cuts each S-box construction offers.
SBOX_CUTS = {
    Sbox.TABLE: 0,
    Sbox.MUX_TREE: 2,
    Sbox.BLOCK_RAM: 0,
    Sbox.GF16: 7,
    Sbox.GF4: 4,
    Sbox.SHARED_INVERSE: 2,
    Sbox.MINIMAL: 4,
    Sbox.FAST: 4,
    Sbox.LUT4: 4,
    Sbox.CELLS: 4,
}

#: Cycles that an S-box takes even without a cut.
SBOX_LATENCY = {Sbox.BLOCK_RAM: 1}

#: The linear layers that are a circuit of one column, so that any round may take them.
COLUMN_CIRCUITS = frozenset(
    {Linear.DIRECT, Linear.FACTORED, Linear.SQUARED, Linear.MINIMAL, Linear.FAST}
)

#: What has hardware today, field by field. Everything else is refused by name.
BUILT: dict[str, frozenset[Any]] = {
    "cipher": frozenset({Cipher.AES}),
    "key_bits": frozenset({(128,)}),
    "directions": frozenset({(Direction.ENCRYPT,)}),
    "mode": frozenset({Mode.NONE}),
    "bus": frozenset({Bus.NONE}),
    "architecture": frozenset({Architecture.LOOP}),
    "rounds": frozenset({1}),
    "sbox": frozenset(Sbox) - {Sbox.SHARED_INVERSE},
    "key_sboxes": frozenset({KeySboxes.OWN}),
    "linear": frozenset(Linear),
    "key_add": frozenset({KeyAdd.LAST, KeyAdd.FIRST}),
    "key_schedule": frozenset({KeySchedule.ON_THE_FLY}),
    "inverse_rounds": frozenset({None}),
    "state_storage": frozenset({None}),
    "tiles": frozenset({1}),
    "streams": frozenset({1}),
    "clear": frozenset({Clear.FLUSH, Clear.RESET}),
    "width": frozenset({128}),
    "key_slots": frozenset({1}),
}

_FROZEN = ConfigDict(extra="forbid", frozen=True)

Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$", max_length=64)]


class What(BaseModel):
    """What the core must do."""

    model_config = _FROZEN

    cipher: Cipher = Cipher.AES
    key_bits: tuple[Literal[128, 192, 256], ...] = (128,)
    directions: tuple[Direction, ...] = (Direction.ENCRYPT,)
    mode: Mode = Mode.NONE
    bus: Bus = Bus.NONE


class How(BaseModel):
    """How it is built: each field is a free choice of its own."""

    model_config = _FROZEN

    architecture: Architecture = Architecture.LOOP
    rounds: Annotated[int, Field(ge=1, le=32)] = 1
    sbox: Sbox = Sbox.TABLE
    key_sboxes: KeySboxes = KeySboxes.OWN
    linear: Linear = Linear.DIRECT
    key_add: KeyAdd = KeyAdd.LAST
    key_schedule: KeySchedule = KeySchedule.ON_THE_FLY
    inverse_rounds: InverseRounds | None = None
    state_storage: StateStorage | None = None
    cuts: tuple[str, ...] = ("sub",)
    edges: tuple[str, ...] = ()
    tiles: Annotated[int, Field(ge=1, le=64)] = 1
    streams: Annotated[int, Field(ge=1, le=256)] = 1
    clear: Clear = Clear.FLUSH


class Port(BaseModel):
    """The block port of the core."""

    model_config = _FROZEN

    width: Literal[1, 8, 32, 128] = 128
    flow: Flow = Flow.FREE
    key_channel: KeyChannel = KeyChannel.WITH_BLOCK
    key_slots: Annotated[int, Field(ge=1, le=16)] = 1
    tag_bits: Annotated[int, Field(ge=0, le=64)] = 0


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
        _check_sense(self)
        _check_built(self)
        return self

    @property
    def module(self) -> str:
        """The name of the generated top module."""
        return self.name.replace("-", "_")

    @property
    def is_full(self) -> bool:
        """Whether the core has the full port: 128 bits, held, both channels."""
        return self.port.flow is Flow.HELD

    def full(self) -> "Spec":
        """Return the same core behind the full port, named `NAME-full`."""
        if self.is_full:
            return self
        port = self.port.model_copy(
            update={"width": 128, "flow": Flow.HELD, "key_channel": KeyChannel.HELD}
        )
        return Spec(
            name=f"{self.name}-full",
            paper=self.paper,
            what=self.what,
            how=self.how,
            port=Port(**port.model_dump()),
        )

    def native(self) -> "Spec":
        """Return the same core with its native, rigid port."""
        if not self.is_full:
            return self
        port = self.port.model_copy(
            update={"flow": Flow.FREE, "key_channel": KeyChannel.WITH_BLOCK}
        )
        return self.model_copy(update={"name": self.name.removesuffix("-full"), "port": port})

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
        except (OSError, UnicodeDecodeError) as error:
            raise RoundsmithError(f"The spec {path} cannot be read: {error}.") from None
        return Spec.from_toml(text, source=str(path))

    def hash(self) -> str:
        """Return a stable hash of everything that decides the hardware (not of the name)."""
        data = self.model_dump(mode="json", exclude={"name", "paper"})
        text = json.dumps(data, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()


# --- The formulas ---------------------------------------------------------------------------


def sbox_latency(spec: Spec) -> int:
    """Cycles that SubBytes takes."""
    inner = sum(cut.startswith("sbox.") for cut in spec.how.cuts)
    return inner + SBOX_LATENCY.get(spec.how.sbox, 0)


def round_latency(spec: Spec) -> int:
    """Cycles that one round takes: the number of registers in it."""
    outer = sum(not cut.startswith("sbox.") for cut in spec.how.cuts)
    return sbox_latency(spec) + outer


def cipher_rounds(spec: Spec) -> int:
    """Return the rounds of the cipher with the longest key that is built in."""
    return ROUNDS[max(spec.what.key_bits)]


def core_latency_cycles(spec: Spec) -> int:
    """Cycles from the edge that accepts a block to the edge that shows it, native port."""
    return cipher_rounds(spec) * round_latency(spec) + len(spec.how.edges)


def latency_cycles(spec: Spec) -> int:
    """Return the same for the port that the spec names: the full port adds its FIFO."""
    return core_latency_cycles(spec) + (1 if spec.is_full else 0)


def blocks_in_flight(spec: Spec) -> int:
    """Blocks in the ring at one time."""
    return round_latency(spec)


def cycles_per_block(spec: Spec) -> float:
    """Cycles a block in the long run, with blocks always waiting and results always taken."""
    return cipher_rounds(spec) * round_latency(spec) / blocks_in_flight(spec)


def initiation_interval(spec: Spec) -> int:
    """Cycles after which the same slot of the ring takes its next block."""
    return cipher_rounds(spec) * round_latency(spec)


def key_setup_cycles(spec: Spec) -> int:
    """Cycles from the edge that accepts a key to the first that can accept a block with it."""
    return 1 if spec.port.key_channel is KeyChannel.HELD else 0


def fifo_depth(spec: Spec) -> int:
    """Return how many results the full port can hold: enough never to slow the core down.

    A block holds its credit from its acceptance until its result is taken, `latency_cycles`
    later at best, and the returned credit can be used one cycle after that. In that time a ring
    that is kept busy accepts one block for each slot, back to back, in every interval.
    """
    whole, rest = divmod(latency_cycles(spec) + 1, initiation_interval(spec))
    return blocks_in_flight(spec) * whole + min(blocks_in_flight(spec), rest)


def clear_cycles(spec: Spec) -> int:
    """Cycles after the edge that sees `clear_i` until everything is overwritten."""
    flush = round_latency(spec) + len(spec.how.edges)
    core = flush if spec.how.clear is Clear.FLUSH else 1
    return max(core, fifo_depth(spec)) if spec.is_full else core


# --- Legality -------------------------------------------------------------------------------


def legal_cuts(how: How) -> list[str]:
    """Return the cuts that a round of this kind offers, in the order data passes them."""
    if how.linear is Linear.IN_MEMORY:
        return ["sub"]
    names = [f"sbox.{i}" for i in range(SBOX_CUTS[how.sbox])]
    names.append("sub")
    if how.key_add is KeyAdd.LAST:
        names.append("mix")
    names.append("round")
    return names


def _check_sense(spec: Spec) -> None:
    what, how, port = spec.what, spec.how, spec.port
    _no_repeats("key_bits", what.key_bits)
    _no_repeats("directions", what.directions)
    _no_repeats("cuts", how.cuts)
    _no_repeats("edges", how.edges)
    if what.cipher is Cipher.SERPENT and how.sbox not in {Sbox.TABLE, Sbox.MINIMAL, Sbox.FAST}:
        raise ValueError(
            f"sbox '{how.sbox}' is built for AES; serpent takes 'table', 'minimal' or 'fast'."
        )
    whole_state = how.architecture in {Architecture.LOOP, Architecture.PIPE}
    if whole_state and how.state_storage is not None:
        raise ValueError(
            f"architecture '{how.architecture}' keeps its state in the registers of the round, "
            "so state_storage must be left out; it belongs to 'serial' and 'folded'."
        )
    if not whole_state and how.state_storage is None:
        raise ValueError(
            f"architecture '{how.architecture}' needs state_storage: 'registers', "
            "'shift_registers' or 'dual_port_ram'."
        )
    if whole_state and port.width != 128:
        raise ValueError(
            f"architecture '{how.architecture}' takes a whole block a cycle, so its port has "
            f"width 128, not {port.width}."
        )
    if whole_state and how.key_sboxes is KeySboxes.BORROWED:
        raise ValueError(
            f"architecture '{how.architecture}' uses every S-box in every cycle, so the key "
            "schedule cannot borrow them: key_sboxes must be 'own'."
        )
    rounds = ROUNDS[max(what.key_bits)] if what.cipher is Cipher.AES else 32
    if how.architecture is Architecture.LOOP and how.rounds >= rounds:
        raise ValueError(
            f"a loop has fewer rounds in hardware than the cipher's {rounds}, not {how.rounds}; "
            "all of them in a line are the architecture 'pipe'."
        )
    decrypts = Direction.DECRYPT in what.directions
    if how.inverse_rounds is not None and not decrypts:
        raise ValueError(
            "inverse_rounds belongs to a core that decrypts; add 'decrypt' to directions or "
            "leave it out."
        )
    if how.key_schedule is KeySchedule.TRAVELLING and how.architecture is not Architecture.PIPE:
        raise ValueError(
            "key_schedule 'travelling' sends keys down a pipe beside their blocks; "
            f"architecture '{how.architecture}' takes 'on_the_fly' or 'stored'."
        )
    if how.key_add is KeyAdd.FIRST and how.linear not in COLUMN_CIRCUITS:
        raise ValueError(
            f"key_add 'first' takes the key addition out of the linear layer, so linear "
            f"'{how.linear}' has nothing to merge; use {_words(sorted(COLUMN_CIRCUITS))}."
        )
    if how.linear is Linear.IN_MEMORY and how.sbox is not Sbox.BLOCK_RAM:
        raise ValueError(
            "linear 'in_memory' keeps the multiples of MixColumns beside the S-box in a block "
            f"RAM, so sbox must be 'block_ram', not '{how.sbox}'."
        )
    if how.linear is Linear.IN_MEMORY and how.clear is Clear.FLUSH:
        raise ValueError(
            "linear 'in_memory' has no gate at the entry of the ring that could flush it; "
            "clear must be 'reset'."
        )
    if port.flow is Flow.HELD and port.key_channel is KeyChannel.WITH_BLOCK:
        raise ValueError(
            "flow 'held' is the full port, which has a key channel: key_channel must be 'held'."
        )
    free_with_channel = port.flow is Flow.FREE and port.key_channel is KeyChannel.HELD
    if free_with_channel and whole_state and how.key_schedule is not KeySchedule.STORED:
        raise ValueError(
            "a free port with a key channel needs stored round keys; with keys on the fly use "
            "key_channel 'with_block', or flow 'held' for the full port."
        )
    _check_cuts(spec)


def _check_cuts(spec: Spec) -> None:
    how = spec.how
    legal = legal_cuts(how)
    for cut in how.cuts:
        if cut not in legal:
            raise ValueError(
                f"cut '{cut}' is not a point of this round; with sbox '{how.sbox}' and key_add "
                f"'{how.key_add}' the points are {_words(legal)}."
            )
    if list(how.cuts) != sorted(how.cuts, key=legal.index):
        raise ValueError(
            f"cuts are written in the order in which data passes them: {_words(legal)}."
        )
    for edge in how.edges:
        if edge != "out":
            raise ValueError(f"edge '{edge}' is unknown; the one edge is 'out'.")
    if how.architecture is Architecture.LOOP and round_latency(spec) == 0:
        raise ValueError(
            f"a loop needs a register: set at least one of the cuts {_words(legal)}, or take "
            "sbox 'block_ram', which has one inside."
        )


def _check_built(spec: Spec) -> None:
    for part in (spec.what, spec.how, spec.port):
        for field in type(part).model_fields:
            value = getattr(part, field)
            if field in BUILT and value not in BUILT[field]:
                built = _words(_plain(v) for v in sorted(BUILT[field], key=str))
                raise ValueError(
                    f"{field} '{_plain(value)}' is part of the design space but not built yet; "
                    f"today it is {built}."
                )


def _no_repeats(field: str, values: tuple[Any, ...]) -> None:
    if len(set(values)) != len(values):
        raise ValueError(f"{field} names the same value twice.")
    if not values and field in {"key_bits", "directions"}:
        raise ValueError(f"{field} is empty; name at least one.")


def _plain(value: Any) -> str:
    if isinstance(value, tuple):
        return ", ".join(str(v) for v in value)
    return "none" if value is None else str(value)


def _words(values: Iterable[str]) -> str:
    quoted = [f"'{v}'" for v in values]
    if len(quoted) < 2:
        return "".join(quoted)
    return ", ".join(quoted[:-1]) + " or " + quoted[-1]


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
    return f"known here are {_words(model.model_fields)}"
