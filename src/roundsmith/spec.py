"""The spec: what a core must do and how it is built.

A spec is plain data, in TOML as `[what]`, `[how]` and `[port]`. This module is the only place
that knows which combinations are legal and has the formulas for latency, interval and cycles;
every simulation checks them against the clock.

Every choice of the design space is modelled here. A value that makes no sense is refused with
the reason, a value that makes sense but has no hardware yet is refused by its name.
"""

import hashlib
import json
import math
import re
import tomllib
from collections.abc import Iterable
from enum import StrEnum
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
    """How decryption rounds are built.

    Two paths side by side; one path with the key before InvMixColumns (Lutz 2002, Fig. 6); one
    with the key first both ways (his Fig. 4); or one that adds transformed keys after
    InvMixColumns (FIPS 197, 5.3.5).
    """

    SEPARATE = "separate"
    REORDERED = "reordered"
    MIRRORED = "mirrored"
    EQUIVALENT = "equivalent"


class Entry(StrEnum):
    """When blocks enter a ring: as slots fall free, or in batches that leave before the next."""

    OVERLAP = "overlap"
    BATCH = "batch"


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

#: How many internal cuts each S-box construction offers, in one direction.
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

#: The same where one circuit of both directions has another number.
SBOX_CUTS_BOTH = {Sbox.GF16: 4}

#: Cycles that an S-box takes even without a cut.
SBOX_LATENCY = {Sbox.BLOCK_RAM: 1}

#: The linear layers that are a circuit of one column, so that any round may take them.
COLUMN_CIRCUITS = frozenset(
    {Linear.DIRECT, Linear.FACTORED, Linear.SQUARED, Linear.MINIMAL, Linear.FAST}
)

#: The edges of a core, in the order in which data passes them.
EDGES = ("in", "ring", "out")

#: What has hardware today, field by field. Everything else is refused by name.
BUILT: dict[str, frozenset[Any]] = {
    "cipher": frozenset({Cipher.AES}),
    "mode": frozenset({Mode.NONE}),
    "bus": frozenset({Bus.NONE, Bus.CHANNELS32}),
    "architecture": frozenset({Architecture.LOOP, Architecture.PIPE}),
    "sbox": frozenset(Sbox),
    "key_sboxes": frozenset({KeySboxes.OWN}),
    "linear": frozenset(Linear),
    "state_storage": frozenset({None}),
    "streams": frozenset({1}),
    "width": frozenset({128}),
}

_FROZEN = ConfigDict(extra="forbid", frozen=True)


def _ascending(values: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(sorted(values))


def _encrypt_first(values: tuple[Direction, ...]) -> tuple[Direction, ...]:
    return tuple(sorted(values, key=list(Direction).index))


Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$", max_length=64)]


class What(BaseModel):
    """What the core must do. Key lengths and directions are sets: their order says nothing."""

    model_config = _FROZEN

    cipher: Cipher = Cipher.AES
    key_bits: Annotated[tuple[Literal[128, 192, 256], ...], AfterValidator(_ascending)] = (128,)
    directions: Annotated[tuple[Direction, ...], AfterValidator(_encrypt_first)] = (
        Direction.ENCRYPT,
    )
    mode: Mode = Mode.NONE
    bus: Bus = Bus.NONE


class Variant(BaseModel):
    """What one tile has of its own; the rest is as in `how`."""

    model_config = _FROZEN

    sbox: Sbox | None = None
    linear: Linear | None = None
    cuts: tuple[str, ...] | None = None


class How(BaseModel):
    """How it is built: each field is a free choice of its own.

    `rounds` are those of a loop (a pipe has all of them); `extra` names the rounds in hardware,
    from 1, with one more register at their entry.
    """

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
    extra: tuple[Annotated[int, Field(ge=1, le=32)], ...] = ()
    edges: tuple[str, ...] = ()
    entry: Entry = Entry.OVERLAP
    tiles: Annotated[int, Field(ge=1, le=64)] = 1
    variants: tuple[Variant, ...] = ()
    streams: Annotated[int, Field(ge=1, le=256)] = 1
    clear: Clear = Clear.FLUSH


class Port(BaseModel):
    """The block port of the core. One handshake moves a block in each of its lanes."""

    model_config = _FROZEN

    width: Literal[1, 8, 32, 128] = 128
    lanes: Annotated[int, Field(ge=1, le=64)] = 1
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
    def is_stored(self) -> bool:
        """Whether round keys are expanded once and kept."""
        return self.how.key_schedule is KeySchedule.STORED

    @property
    def native_channel(self) -> KeyChannel:
        """How keys reach the native port: it follows from the key schedule and the directions.

        Decryption starts from the last round key, which has to be found before the first block.
        """
        held = self.is_stored or self.decrypts
        return KeyChannel.HELD if held else KeyChannel.WITH_BLOCK

    @property
    def has_full(self) -> bool:
        """Whether there is a full port for it: a bus stands on the native port, in its place."""
        return self.what.bus is Bus.NONE

    def full(self) -> "Spec":
        """Return the same core behind the full port, named `NAME-full`."""
        if self.is_full:
            return self
        if not self.has_full:
            raise RoundsmithError(
                f"{self.name} has the bus '{self.what.bus}' in place of a block port, so there "
                "is no full port of it."
            )
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
        port = self.port.model_copy(update={"flow": Flow.FREE, "key_channel": self.native_channel})
        return self.model_copy(update={"name": self.name.removesuffix("-full"), "port": port})

    def tile(self, index: int) -> "Spec":
        """Return one tile as a core of its own, with its native port."""
        own = self.how.variants[index].model_dump(exclude_none=True) if self.how.variants else {}
        how = self.how.model_copy(update={"tiles": 1, "variants": (), **own})
        port = self.port.model_copy(
            update={"lanes": 1, "flow": Flow.FREE, "key_channel": self.native_channel}
        )
        what = self.what.model_copy(update={"bus": Bus.NONE})
        return self.model_copy(update={"what": what, "how": how, "port": port})

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
        except (OSError, UnicodeDecodeError) as error:
            raise RoundsmithError(f"The spec {path} cannot be read: {error}.") from None
        return Spec.from_toml(text, source=str(path))

    def hash(self) -> str:
        """Return a stable hash of everything that decides the hardware (not of the name)."""
        data = self.model_dump(mode="json", exclude={"name", "paper"})
        text = json.dumps(data, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()


# --- The formulas ---------------------------------------------------------------------------
#
# `key_bits` picks one of several key lengths; left out, it is the longest one built in.

#: Cycles from the edge that accepts a key to the first edge at which a block can use it: of a
#: register; of a store whose first round keys are still being written. A walk, which looks for
#: the last round key, enters after the first and is done a cycle after the second of two more.
KEY_HOLD_CYCLES = 1
KEY_STORE_CYCLES = 3
KEY_WALK_CYCLES = 2

#: What a 32-bit channel takes to bring a block, word by word; and the register at its output.
CHANNEL_WORDS = 4
CHANNEL_OUT_CYCLES = 1

#: Addresses of the memory of a key slot, of which all are cleared side by side.
KEY_ADDRESSES = 16


def sbox_latency(spec: Spec) -> int:
    """Cycles that SubBytes takes."""
    inner = sum(cut.startswith("sbox.") for cut in spec.how.cuts)
    return inner + SBOX_LATENCY.get(spec.how.sbox, 0)


def round_latency(spec: Spec) -> int:
    """Cycles that one round takes without extra registers: the number of cuts in it."""
    outer = sum(not cut.startswith("sbox.") for cut in spec.how.cuts)
    return sbox_latency(spec) + outer


def cipher_rounds(spec: Spec, key_bits: int | None = None) -> int:
    """Return the rounds of the cipher with a key of `key_bits`."""
    return ROUNDS[key_bits or max(spec.what.key_bits)]


def hardware_rounds(spec: Spec) -> int:
    """Return how many rounds stand in hardware: a pipe has those of its longest key."""
    return cipher_rounds(spec) if spec.is_pipe else spec.how.rounds


def stage_latencies(spec: Spec) -> list[int]:
    """Cycles that each round in hardware takes, the first one first."""
    plain = round_latency(spec)
    return [plain + (r in spec.how.extra) for r in range(1, hardware_rounds(spec) + 1)]


def slots(spec: Spec) -> int:
    """Return how many times a core accepts in one `initiation_interval`.

    A ring has as many slots as registers, and so has each of its tiles.
    """
    return 1 if spec.is_pipe else sum(stage_latencies(spec)) * spec.how.tiles


def entry_stage(spec: Spec, key_bits: int | None = None) -> int:
    """Return the round in hardware, counted from 0, at which a block enters.

    Where the rounds in hardware do not divide those of the cipher, blocks enter late, so that
    all of them leave at the end.
    """
    return -cipher_rounds(spec, key_bits) % hardware_rounds(spec)


def round_trip_cycles(spec: Spec, key_bits: int | None = None) -> int:
    """Cycles that a block spends in the rounds: the core latency without the edges."""
    stages = stage_latencies(spec)
    whole, rest = divmod(cipher_rounds(spec, key_bits), len(stages))
    late = sum(stages[entry_stage(spec, key_bits) :]) if rest else 0
    return late + whole * sum(stages)


def core_latency_cycles(spec: Spec, key_bits: int | None = None) -> int:
    """Cycles from the edge that accepts a block to the edge that shows it, native port."""
    return round_trip_cycles(spec, key_bits) + len(spec.how.edges)


def latency_cycles(spec: Spec, key_bits: int | None = None) -> int:
    """Return the same for the port that the spec names.

    The full port adds its FIFO. 32-bit channels add the words of a block and a register: it is
    the time from first word to first word, of a block that does not wait for its slot.
    """
    bus = CHANNEL_WORDS + CHANNEL_OUT_CYCLES if spec.what.bus is Bus.CHANNELS32 else 0
    return core_latency_cycles(spec, key_bits) + bus + (1 if spec.is_full else 0)


def whole_latency_cycles(spec: Spec, key_bits: int | None = None) -> int:
    """Return the same up to the last word of the result; a wide port has but one."""
    words = CHANNEL_WORDS if spec.what.bus is Bus.CHANNELS32 else 1
    return latency_cycles(spec, key_bits) + words - 1


def blocks_in_flight(spec: Spec) -> int:
    """Blocks inside at one time: independent streams that a feedback mode can interleave."""
    if spec.is_pipe:
        return core_latency_cycles(spec) * spec.how.tiles
    return slots(spec)


def initiation_interval(spec: Spec, key_bits: int | None = None) -> int:
    """Cycles after which the same slot takes its next block."""
    if spec.is_pipe:
        return 1
    if spec.how.entry is Entry.BATCH:
        return core_latency_cycles(spec, key_bits)
    laps = math.ceil(cipher_rounds(spec, key_bits) / spec.how.rounds)
    return laps * sum(stage_latencies(spec))


def cycles_per_block(spec: Spec, key_bits: int | None = None) -> float:
    """Cycles a block in the long run, with blocks always waiting and results always taken."""
    return initiation_interval(spec, key_bits) / slots(spec) / spec.port.lanes


def encrypts_early(spec: Spec) -> bool:
    """Whether a block can be encrypted while its key is still being expanded.

    A round must take as long as a key step then.
    """
    return round_latency(spec) >= key_step_cycles(spec)


def key_step_cycles(spec: Spec) -> int:
    """Cycles of a step of the expander: S-boxes, window, and `sub` where `mix` follows."""
    return sbox_latency(spec) + 1 + ({"sub", "mix"} <= set(spec.how.cuts))


def key_setup_cycles(
    spec: Spec, direction: Direction | None = None, key_bits: int | None = None
) -> int:
    """Cycles from the edge that accepts a key to the first that can accept a block with it.

    Without a direction it is that of the slowest one built in.
    """
    if direction is None:
        return max(key_setup_cycles(spec, d, key_bits) for d in spec.what.directions)
    encrypts = direction is Direction.ENCRYPT
    if spec.is_stored:
        expand = cipher_rounds(spec, key_bits) * max(key_step_cycles(t) for t in spec.tiles())
        early = encrypts and all(encrypts_early(t) for t in spec.tiles())
        cycles = KEY_STORE_CYCLES + 2 * spec.is_pipe + (0 if early else expand)
    elif spec.decrypts:
        cycles = _walk_setup_cycles(spec, encrypts, key_bits)
    else:
        cycles = KEY_HOLD_CYCLES if spec.port.key_channel is KeyChannel.HELD else 0
    if spec.what.bus is Bus.CHANNELS32:
        cycles += (key_bits or max(spec.what.key_bits)) // 32
    return cycles


def _walk_setup_cycles(spec: Spec, encrypts: bool, key_bits: int | None) -> int:
    """Return `key_setup_cycles` where a walk goes through the core for the last round key.

    It enters a cycle after the key. A block to be encrypted can follow at once, unless the walk
    has the only slot.
    """
    if not encrypts:
        return round_trip_cycles(spec, key_bits) + ("in" in spec.how.edges) + KEY_WALK_CYCLES
    alone = not spec.is_pipe and slots(spec) == spec.how.tiles
    return KEY_HOLD_CYCLES + (initiation_interval(spec, key_bits) if alone else 1)


def fifo_depth(spec: Spec) -> int:
    """Return how many results the full port can hold: enough never to slow the core down.

    A block holds its credit from its acceptance until its result is taken, `latency_cycles`
    later at best, and the returned credit can be used one cycle after that. In that time a core
    that is kept busy accepts one block for each slot, back to back, in every interval. With
    several key lengths a slot can fall free a little sooner than for one of them alone, but not
    before its block has left.
    """
    depth = 0
    for key_bits in spec.what.key_bits:
        interval = initiation_interval(spec, key_bits)
        if len(spec.what.key_bits) > 1:
            interval = min(interval, round_trip_cycles(spec, key_bits))
        whole, rest = divmod(latency_cycles(spec, key_bits) + 1, interval)
        depth = max(depth, slots(spec) * whole + min(slots(spec), rest))
    return depth


def clear_cycles(spec: Spec) -> int:
    """Cycles after the edge that sees `clear_i` until everything is overwritten."""
    flush = sum(stage_latencies(spec)) + ("out" in spec.how.edges)
    cycles = flush if spec.how.clear is Clear.FLUSH else _reset_cycles(spec)
    if spec.is_stored and not spec.is_pipe:
        cycles = max(cycles, KEY_ADDRESSES)
    return max(cycles, fifo_depth(spec)) if spec.is_full else cycles


def _reset_cycles(spec: Spec) -> int:
    """Cycles of reset: key windows in front of a key step have none and run empty behind it."""
    held = {"sub", "mix", "round"} & set(spec.how.cuts)
    if spec.is_stored or spec.how.linear is Linear.IN_MEMORY or not held:
        return 1
    return 1 + sbox_latency(spec) + ("head" in spec.how.cuts)


# --- Legality -------------------------------------------------------------------------------


def sbox_cuts(spec: Spec) -> int:
    """Return how many internal cuts the S-boxes offer.

    Cuts go into the forward S-boxes of the key schedule too. Where both directions share one
    circuit, it may have fewer.
    """
    merged = spec.is_both and spec.how.inverse_rounds is not InverseRounds.SEPARATE
    forward = SBOX_CUTS[spec.how.sbox]
    return SBOX_CUTS_BOTH.get(spec.how.sbox, forward) if merged else forward


def legal_cuts(spec: Spec) -> list[str]:
    """Return the cuts that a round of this kind offers, in the order data passes them."""
    if spec.how.linear is Linear.IN_MEMORY:
        return ["sub"]
    names = ["head", *(f"sbox.{i}" for i in range(sbox_cuts(spec))), "sub"]
    if spec.how.key_add is KeyAdd.LAST:
        names.append("mix")
    names.append("round")
    return names


def _check_sense(spec: Spec) -> None:
    what, how = spec.what, spec.how
    _no_repeats("key_bits", what.key_bits)
    _no_repeats("directions", what.directions)
    _no_repeats("extra", how.extra)
    _no_repeats("edges", how.edges)
    if what.cipher is Cipher.SERPENT and how.sbox not in {Sbox.TABLE, Sbox.MINIMAL, Sbox.FAST}:
        raise ValueError(
            f"sbox '{how.sbox}' is built for AES; serpent takes 'table', 'minimal' or 'fast'."
        )
    if how.architecture not in {Architecture.LOOP, Architecture.PIPE}:
        if how.state_storage is None:
            raise ValueError(
                f"architecture '{how.architecture}' needs state_storage: 'registers', "
                "'shift_registers' or 'dual_port_ram'."
            )
        # Nothing more is known of these yet; they are refused by name.
        return
    _check_whole_state(spec)
    _check_rounds(spec)
    _check_keys(spec)
    _check_port(spec)
    _check_variants(spec)
    for tile in [spec, *spec.tiles()]:
        _check_directions(tile)
        _check_linear(tile)
        _check_cuts(tile)
    _check_edges(spec)
    _check_tiles(spec)
    _check_rate(spec)


def _check_whole_state(spec: Spec) -> None:
    how, port = spec.how, spec.port
    if how.state_storage is not None:
        raise ValueError(
            f"architecture '{how.architecture}' keeps its state in the registers of the round, "
            "so state_storage must be left out; it belongs to 'serial' and 'folded'."
        )
    if port.width != 128:
        raise ValueError(
            f"architecture '{how.architecture}' takes a whole block a cycle, so its port has "
            f"width 128, not {port.width}."
        )
    if how.key_sboxes is KeySboxes.BORROWED:
        raise ValueError(
            f"architecture '{how.architecture}' uses every S-box in every cycle, so the key "
            "schedule cannot borrow them: key_sboxes must be 'own'."
        )


def _check_rounds(spec: Spec) -> None:
    what, how = spec.what, spec.how
    if spec.is_pipe and how.rounds != 1:
        raise ValueError(
            "a pipe has all rounds of the cipher in hardware, so rounds must be left out; it "
            "belongs to 'loop'."
        )
    rounds = 32 if what.cipher is Cipher.SERPENT else ROUNDS[min(what.key_bits)]
    if not spec.is_pipe and how.rounds >= rounds:
        raise ValueError(
            f"a loop has fewer rounds in hardware than the {rounds} of its shortest key, not "
            f"{how.rounds}; all of them in a line are the architecture 'pipe'."
        )
    if list(how.extra) != sorted(how.extra):
        raise ValueError("extra names rounds in the order in which data passes them.")
    if how.extra and how.extra[-1] > hardware_rounds(spec):
        raise ValueError(
            f"extra names round {how.extra[-1]}, but there are {hardware_rounds(spec)} in "
            "hardware, counted from 1."
        )
    if how.entry is Entry.BATCH and spec.is_pipe:
        raise ValueError(
            "entry 'batch' holds blocks back from a ring, and a pipe takes one in every cycle; "
            "leave entry at 'overlap'."
        )
    if how.entry is Entry.BATCH and len(what.key_bits) > 1:
        raise ValueError(
            "entry 'batch' lets all blocks of a batch go the same number of rounds, so key_bits "
            "must name one length; several take entry 'overlap'."
        )


def _check_keys(spec: Spec) -> None:
    how, port = spec.how, spec.port
    if how.key_schedule is KeySchedule.TRAVELLING and not spec.is_pipe:
        raise ValueError(
            "key_schedule 'travelling' sends keys down a pipe beside their blocks; "
            f"architecture '{how.architecture}' takes 'on_the_fly' or 'stored'."
        )
    if how.key_schedule is KeySchedule.ON_THE_FLY and spec.is_pipe:
        raise ValueError(
            "key_schedule 'on_the_fly' computes round keys beside the rounds of a loop; in a "
            "pipe they go from stage to stage: use 'travelling' or 'stored'."
        )
    if port.key_slots > 1 and not spec.is_stored:
        raise ValueError(
            f"key_slots '{port.key_slots}' keeps several expanded keys, so key_schedule must be "
            f"'stored', not '{how.key_schedule}'."
        )


def _check_port(spec: Spec) -> None:
    what, how, port = spec.what, spec.how, spec.port
    if port.flow is Flow.HELD and port.key_channel is KeyChannel.WITH_BLOCK:
        raise ValueError(
            "flow 'held' is the full port, which has a key channel: key_channel must be 'held'."
        )
    if port.flow is Flow.FREE and port.key_channel is not spec.native_channel:
        if port.key_channel is KeyChannel.HELD:
            raise ValueError(
                "a free port with a key channel needs stored round keys or decryption; "
                f"encryption with keys '{how.key_schedule}' takes key_channel 'with_block', or "
                "flow 'held' for the full port."
            )
        if spec.is_stored:
            raise ValueError(
                "key_schedule 'stored' expands a key once for many blocks, so keys have a "
                "channel of their own: key_channel must be 'held'."
            )
        raise ValueError(
            "decryption starts from the last round key, which is found once for many blocks, so "
            "keys have a channel of their own: key_channel must be 'held'."
        )
    if what.bus is Bus.CHANNELS32:
        _check_channels(spec)


def _check_channels(spec: Spec) -> None:
    what, how, port = spec.what, spec.how, spec.port
    if port.flow is Flow.HELD:
        raise ValueError(
            "bus 'channels32' stands on the native port and moves its words without a stop, so "
            "flow must be 'free'."
        )
    if port.key_channel is not KeyChannel.HELD:
        raise ValueError(
            "bus 'channels32' has a channel for keys, so the core must have one too: "
            "key_schedule 'stored', or a core that decrypts."
        )
    if spec.is_pipe or how.tiles > 1 or how.entry is Entry.BATCH:
        raise ValueError(
            "bus 'channels32' takes five cycles to bring a block, too slow to fill a pipe, tiles "
            "or a batch; use one 'loop' with entry 'overlap'."
        )
    if len(what.key_bits) > 1 or port.key_slots > 1 or port.tag_bits > 0:
        raise ValueError(
            "bus 'channels32' has words and a direction and nothing else: key_bits names one "
            "length, key_slots is 1 and tag_bits 0."
        )


def _check_variants(spec: Spec) -> None:
    how = spec.how
    if how.variants and len(how.variants) != how.tiles:
        raise ValueError(
            f"variants has {len(how.variants)} tables for {how.tiles} tiles; it has one for each, "
            "empty where a tile is as the rest of how says."
        )
    wanted = round_latency(spec)
    for i, tile in enumerate(spec.tiles(), start=1):
        if round_latency(tile) != wanted:
            raise ValueError(
                f"tile {i} takes {round_latency(tile)} cycles a round and the rest of how "
                f"{wanted}; blocks keep their order only among tiles of one latency."
            )


def _check_directions(spec: Spec) -> None:
    how = spec.how
    inverse = how.inverse_rounds
    if inverse is not None and not spec.decrypts:
        raise ValueError(
            "inverse_rounds belongs to a core that decrypts; add 'decrypt' to directions or "
            "leave it out."
        )
    first = how.key_add is KeyAdd.FIRST
    if first and not spec.encrypts:
        raise ValueError(
            "key_add 'first' is an order of encryption rounds, or of both directions mirrored; a "
            "core that decrypts only takes key_add 'last'."
        )
    if not spec.encrypts and inverse not in {None, InverseRounds.EQUIVALENT}:
        raise ValueError(
            f"inverse_rounds '{inverse}' is a way to share a round with encryption; a core that "
            "decrypts only takes 'equivalent', or none for the order of FIPS 197."
        )
    if not spec.is_both:
        return
    if first and inverse is not InverseRounds.MIRRORED:
        raise ValueError(
            "key_add 'first' in both directions is the round of Lutz 2002, Fig. 4: "
            "inverse_rounds must be 'mirrored'."
        )
    if inverse is None:
        raise ValueError(
            "a core of both directions says how its rounds share hardware: inverse_rounds must "
            "be 'separate', 'reordered' or 'equivalent', or 'mirrored' with key_add 'first'."
        )
    if inverse is InverseRounds.MIRRORED and not first:
        raise ValueError(
            "inverse_rounds 'mirrored' adds the key first in both directions: key_add must be "
            "'first'."
        )
    if inverse is InverseRounds.SEPARATE and how.sbox is Sbox.SHARED_INVERSE:
        raise ValueError(
            "sbox 'shared_inverse' is one table for both directions, and inverse_rounds "
            "'separate' would build it twice; use 'reordered' or 'equivalent', or another sbox."
        )


def _check_linear(spec: Spec) -> None:
    what, how = spec.what, spec.how
    if how.key_add is KeyAdd.FIRST:
        if how.linear not in COLUMN_CIRCUITS:
            raise ValueError(
                f"key_add 'first' takes the key addition out of the linear layer, so linear "
                f"'{how.linear}' has nothing to merge; use {_words(sorted(COLUMN_CIRCUITS))}."
            )
        if spec.is_stored:
            raise ValueError(
                "key_add 'first' adds two round keys in the last round, and a store hands out "
                "one: key_schedule must be "
                f"'{KeySchedule.TRAVELLING if spec.is_pipe else KeySchedule.ON_THE_FLY}'."
            )
    if how.linear is not Linear.IN_MEMORY:
        return
    if how.sbox is not Sbox.BLOCK_RAM:
        raise ValueError(
            "linear 'in_memory' keeps the multiples of MixColumns beside the S-box in a block "
            f"RAM, so sbox must be 'block_ram', not '{how.sbox}'."
        )
    if how.clear is Clear.FLUSH:
        raise ValueError(
            "linear 'in_memory' has no gate at the entry of the ring that could flush it; "
            "clear must be 'reset'."
        )
    plain = (
        what.directions == (Direction.ENCRYPT,)
        and what.key_bits == (128,)
        and how.architecture is Architecture.LOOP
        and how.rounds == 1
        and how.key_schedule is KeySchedule.ON_THE_FLY
        and how.entry is Entry.OVERLAP
        and not how.extra
    )
    if not plain:
        raise ValueError(
            "linear 'in_memory' is one round with the entry of the ring inside it: encryption "
            "with 128-bit keys in a loop of one round, keys on_the_fly, entry 'overlap', nothing "
            "extra; any other core takes another linear layer."
        )


def _check_cuts(spec: Spec) -> None:
    how = spec.how
    _no_repeats("cuts", how.cuts)
    legal = legal_cuts(spec)
    for cut in how.cuts:
        if cut not in legal:
            both = " for both directions" if spec.is_both else ""
            raise ValueError(
                f"cut '{cut}' is not a point of this round; with sbox '{how.sbox}'{both}, linear "
                f"'{how.linear}' and key_add '{how.key_add}' the points are {_words(legal)}."
            )
    if list(how.cuts) != sorted(how.cuts, key=legal.index):
        raise ValueError(
            f"cuts are written in the order in which data passes them: {_words(legal)}."
        )
    if spec.is_pipe and round_trip_cycles(spec, min(spec.what.key_bits)) == 0:
        raise ValueError(
            "a pipe without a register is a path from input to output: set at least one of the "
            f"cuts {_words(legal)}."
        )
    if not spec.is_pipe and slots(spec) == 0:
        raise ValueError(
            f"a loop needs a register: set at least one of the cuts {_words(legal)}, or take "
            "sbox 'block_ram', which has one inside."
        )
    late = any(entry_stage(spec, bits) for bits in spec.what.key_bits)
    if not spec.is_pipe and round_latency(spec) == 0 and late:
        raise ValueError(
            "a loop without a cut in its round has no slot in front of each of them, so blocks "
            "cannot enter late: set a cut, or let rounds divide those of the cipher."
        )


def _check_edges(spec: Spec) -> None:
    how = spec.how
    for edge in how.edges:
        if edge not in EDGES:
            raise ValueError(f"edge '{edge}' is unknown; the edges are {_words(EDGES)}.")
    if {"ring", "out"} <= set(how.edges):
        raise ValueError(
            "the edges 'ring' and 'out' are two registers for one purpose: name the one that "
            "shows the result."
        )
    if list(how.edges) != sorted(how.edges, key=EDGES.index):
        raise ValueError("edges are written in the order in which data passes them: 'in' first.")
    batch = how.entry is Entry.BATCH
    if "in" in how.edges and not (spec.is_pipe or batch):
        raise ValueError(
            "the edge 'in' accepts a block before its slot comes round, so a loop needs entry "
            "'batch' for it; entry 'overlap' takes the edge 'out'."
        )
    if "ring" not in how.edges:
        return
    if spec.is_pipe or not batch or any("head" not in tile.how.cuts for tile in spec.tiles()):
        raise ValueError(
            "the edge 'ring' shows the result in the register at the head of the ring, so it "
            "needs a loop with the cut 'head', and entry 'batch' to keep the next block out of it."
        )
    if how.key_add is KeyAdd.FIRST or 1 in how.extra:
        raise ValueError(
            "the edge 'ring' shows what follows the last round at the head of the ring: key_add "
            "must be 'last', and extra must not put another register before it."
        )


def _check_tiles(spec: Spec) -> None:
    how, port = spec.how, spec.port
    if spec.is_pipe and port.lanes != how.tiles:
        raise ValueError(
            f"a pipe takes a block a cycle by itself, so {how.tiles} tiles of it need lanes "
            f"'{how.tiles}', not '{port.lanes}'."
        )
    if not spec.is_pipe and port.lanes != 1:
        raise ValueError(
            "lanes belong to tiles of pipes; tiles of loops take their blocks one by one through "
            "a single lane."
        )
    if how.streams > 1 and spec.what.mode is Mode.NONE:
        raise ValueError(
            "streams belongs to a mode that chains its blocks; leave it out: the bare cipher can "
            f"interleave as many as it has blocks in flight, here {blocks_in_flight(spec)}."
        )
    if spec.is_pipe or how.tiles == 1:
        return
    if how.entry is Entry.BATCH:
        raise ValueError(
            "entry 'batch' fills one ring and then holds blocks back; tiles, which are there for "
            "throughput, take entry 'overlap'."
        )
    if len(spec.what.key_bits) > 1:
        raise ValueError(
            "tiles of loops keep blocks in order by a latency that is the same for all, so "
            "key_bits must name one length; several take one tile, or a pipe."
        )


def _check_rate(spec: Spec) -> None:
    """Refuse a port that is too slow for the rounds behind it."""
    blocks, cycles = slots(spec), initiation_interval(spec)
    if spec.how.tiles > 1 and not spec.is_pipe and blocks > cycles:
        raise ValueError(
            f"{spec.how.tiles} tiles take {blocks} blocks in {cycles} cycles, more than one port "
            "can bring; use fewer tiles, or a pipe."
        )
    # A frame begins when the core has taken the one before, which waits a cycle wherever the slot
    # that comes round is one that the frames before it have filled.
    needed = (CHANNEL_WORDS + 1) * blocks + math.gcd(CHANNEL_WORDS + 1, blocks) - 1
    if spec.what.bus is Bus.CHANNELS32 and needed > cycles:
        raise ValueError(
            f"bus 'channels32' takes {needed} cycles to bring the {blocks} blocks that this ring "
            f"takes in {cycles}; use fewer rounds."
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
    if "variants" in location:
        model = Variant
    return f"known here are {_words(model.model_fields)}"
