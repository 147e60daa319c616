"""The narrow cores: which module a folded or serial core is, and what its header states.

Each module is built for some values of the choices, and its cycles are those of its header.
"""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from roundsmith.spec import serpent
from roundsmith.spec.choices import (
    COLUMN_CIRCUITS,
    ROUNDS,
    Architecture,
    Cipher,
    Direction,
    InverseRounds,
    KeyChannel,
    KeySboxes,
    KeySchedule,
    KeyStart,
    Linear,
    StateStorage,
)
from roundsmith.spec.sboxes import SBOXES, Sbox

if TYPE_CHECKING:
    from roundsmith.spec.model import Spec

_ENCRYPT = (Direction.ENCRYPT,)
_DECRYPT = (Direction.DECRYPT,)
_BOTH = (Direction.ENCRYPT, Direction.DECRYPT)

#: S-boxes that answer in the same cycle, and the memory that the compact cores are built around.
_AT_ONCE = frozenset(sbox for sbox in SBOXES["aes"] if sbox.of("aes").latency == 0)
_BLOCK_RAM = Sbox("block_ram")

#: The rounds with 128-bit keys, which all narrow cores are built for.
_ROUNDS = ROUNDS[128]


@dataclass(frozen=True)
class Module:
    """One public module: what makes a core one of its kind, and the choices that it is built for.

    A choice that is not named is free.
    """

    name: str
    kind: Mapping[str, Any]
    built: Mapping[str, frozenset[Any]]
    cipher: Cipher = Cipher.AES


def _only(*values: Any) -> frozenset[Any]:
    return frozenset(values)


#: The key lengths that a core can have built in.
_LENGTHS = frozenset(
    bits for count in range(1, 4) for bits in itertools.combinations((128, 192, 256), count)
)

_FOLDED = {"architecture": Architecture.FOLDED, "key_schedule": KeySchedule.ON_THE_FLY}
_FOLDED_BUILT = {
    "state_storage": _only(StateStorage.REGISTERS, StateStorage.SHIFT_REGISTERS),
    "sbox": _AT_ONCE,
    "linear": COLUMN_CIRCUITS,
    "inverse_rounds": _only(None, InverseRounds.REORDERED, InverseRounds.EQUIVALENT),
}

#: The modules; of two whose kind a core is, the first one counts.
MODULES = (
    Module("rsm_aes_folded", _FOLDED | {"key_bits": (128,)}, _FOLDED_BUILT),
    Module("rsm_aes_folded_long", _FOLDED, _FOLDED_BUILT),
    Module(
        "rsm_aes_compact_folded",
        {"architecture": Architecture.FOLDED, "key_schedule": KeySchedule.STORED},
        {
            "key_bits": _only((128,)),
            "directions": _only(_BOTH),
            "data_bits": _only(32),
            "sbox": _only(_BLOCK_RAM),
            "key_sboxes": _only(KeySboxes.BORROWED),
            "linear": _only(Linear.DIRECT),
            "inverse_rounds": _only(InverseRounds.REORDERED),
        },
    ),
    Module(
        "rsm_aes_compact_pipelined",
        {"architecture": Architecture.FOLDED, "key_schedule": KeySchedule.LOADED},
        {
            "key_bits": _only((128,)),
            "directions": _only(_ENCRYPT),
            "data_bits": _only(32),
            "state_storage": _only(StateStorage.REGISTERS),
            "sbox": _only(_BLOCK_RAM),
            "key_sboxes": _only(KeySboxes.OWN),
            "linear": _only(Linear.DIRECT),
        },
    ),
    Module(
        "rsm_aes_compact_micro",
        {
            "architecture": Architecture.SERIAL,
            "state_storage": StateStorage.DUAL_PORT_RAM,
            "sbox": _BLOCK_RAM,
        },
        {
            "key_bits": _only((128,)),
            "directions": _only(_ENCRYPT),
            "data_bits": _only(8),
            "key_sboxes": _only(KeySboxes.BORROWED),
            "key_schedule": _only(KeySchedule.ON_THE_FLY),
            "linear": _only(Linear.DIRECT),
        },
    ),
    Module(
        "rsm_aes_compact_serial",
        {"architecture": Architecture.SERIAL, "state_storage": StateStorage.DUAL_PORT_RAM},
        {
            "key_bits": _only((128,)),
            "directions": _only(_ENCRYPT),
            "data_bits": _only(8),
            "sbox": _AT_ONCE,
            "key_sboxes": _only(KeySboxes.BORROWED),
            "key_schedule": _only(KeySchedule.ON_THE_FLY),
            "linear": _only(Linear.DIRECT),
        },
    ),
    *(
        Module(
            name,
            {"architecture": Architecture.SERIAL, "data_bits": bits, "directions": directions},
            {
                "key_bits": _only((128,)),
                "state_storage": _only(StateStorage.SHIFT_REGISTERS),
                "sbox": _AT_ONCE,
                # Ten rounds send 200 bytes through S-boxes; one has time for them at a bit a cycle.
                "key_sboxes": _only(KeySboxes.BORROWED if bits == 1 else KeySboxes.OWN),
                "key_schedule": _only(KeySchedule.ON_THE_FLY),
                "linear": _only(Linear.DIRECT),
                "inverse_rounds": _only(InverseRounds.REORDERED if directions == _BOTH else None),
            },
        )
        for name, bits, directions in (
            ("rsm_aes_serial_bit", 1, _ENCRYPT),
            ("rsm_aes_serial_byte", 8, _ENCRYPT),
            ("rsm_aes_serial_both", 1, _BOTH),
            ("rsm_aes_serial_both", 8, _BOTH),
        )
    ),
    Module(
        "rsm_serpent_serial_bit",
        {"architecture": Architecture.SERIAL, "data_bits": 1},
        {
            "key_bits": _LENGTHS,
            "directions": _only(_ENCRYPT),
            "state_storage": _only(StateStorage.SHIFT_REGISTERS),
            "sbox": frozenset(SBOXES["serpent"]),
            "key_sboxes": _only(KeySboxes.BORROWED),
            "key_schedule": _only(KeySchedule.ON_THE_FLY),
        },
        Cipher.SERPENT,
    ),
    Module(
        "rsm_serpent_folded",
        {"architecture": Architecture.FOLDED},
        {
            "key_bits": _LENGTHS,
            "directions": _only(_ENCRYPT, _BOTH),
            "data_bits": _only(32),
            "state_storage": _only(StateStorage.SHIFT_REGISTERS),
            "sbox": frozenset(SBOXES["serpent"]),
            "key_sboxes": _only(KeySboxes.BORROWED),
            "key_schedule": _only(KeySchedule.ON_THE_FLY),
            "key_start": _only(None, KeyStart.WALKED),
            "inverse_rounds": _only(None, InverseRounds.SEPARATE),
        },
        Cipher.SERPENT,
    ),
)


def module(spec: "Spec") -> Module:
    """Return the module that a folded or serial core is, or that is nearest to it."""
    choices = values(spec)

    def same(made: Module) -> int:
        return sum(1 for field, value in made.kind.items() if choices[field] == value)

    there = [
        m
        for m in MODULES
        if m.cipher is spec.what.cipher and m.kind["architecture"] is spec.how.architecture
    ]
    fitting = [m for m in there if same(m) == len(m.kind)]
    return fitting[0] if fitting else max(there, key=lambda m: (same(m) - len(m.kind), same(m)))


def values(spec: "Spec") -> dict[str, Any]:
    """Return all choices by name."""
    return {
        field: getattr(part, field)
        for part in (spec.what, spec.how)
        for field in type(part).model_fields
    }


@dataclass(frozen=True)
class Cycles:
    """What the header of a module states, of its native port.

    `latency` is from the beat 0 of a block to that of its result and `key_setup` from that of a
    key to the first block that can use it, by direction; `rest` is from a result to the next block,
    and `again` what it is longer where that goes the same way. An idle core that has a key takes
    a block after `wait` cycles at most, because blocks begin in some cycles only.
    """

    latency: Mapping[Direction, int]
    rest: int
    key_setup: Mapping[Direction, int]
    clear: int
    again: int = 0
    wait: int = 0


def cycles(spec: "Spec", key_bits: int | None = None) -> Cycles:
    """Return the cycles of a folded or serial core; those of its longest key if none is named."""
    name = module(spec).name
    if name == "rsm_aes_folded":
        return _folded(spec)
    if name == "rsm_aes_folded_long":
        return _folded_long(spec, key_bits or max(spec.what.key_bits))
    if name == "rsm_aes_compact_folded":
        return Cycles(_ways(42, 42), 4, _ways(44, 44), clear=44, wait=1)
    if name == "rsm_aes_compact_pipelined":
        return Cycles(_ways(72), 4, _ways(44), clear=44, wait=1)
    if name == "rsm_aes_compact_serial":
        return Cycles(_ways(346), 16, {}, clear=16)
    if name == "rsm_aes_compact_micro":
        return Cycles(_ways(932), 16, {}, clear=33)
    if name == "rsm_serpent_serial_bit":
        return Cycles(_ways(4496), 129, {}, clear=281)
    if name == "rsm_serpent_folded":
        return _serpent_folded(spec)
    # In every pass the state goes once round; the last one is also the first of the result.
    lap = 128 // spec.native_width
    backwards = (5 if spec.how.data_bits == 1 else 2) * _ROUNDS
    latency = _ways(_ROUNDS * lap + 1, backwards * lap + 1)
    return Cycles(latency, lap - 1, {}, clear=(_ROUNDS + 1) * lap)


def _folded(spec: "Spec") -> Cycles:
    lap = 128 // spec.native_width
    latency = lap + _ROUNDS * (lap + (spec.how.key_sboxes is KeySboxes.BORROWED))
    if spec.native_channel is KeyChannel.WITH_BLOCK:
        return Cycles(_ways(latency), 0, {}, clear=2 * lap, wait=lap - 1)
    # A walk through the key schedule takes a cycle a round key.
    walks = spec.how.key_start is KeyStart.WALKED
    return Cycles(
        _ways(latency, latency),
        0,
        _ways(lap, lap + _ROUNDS),
        clear=2 * lap,
        again=_ROUNDS if walks else 0,
        wait=2 * lap + _ROUNDS,
    )


def _folded_long(spec: "Spec", key_bits: int) -> Cycles:
    """Return the cycles with keys of one length: a lap for each round key, up or down."""
    slots, rounds = 128 // spec.native_width, ROUNDS[key_bits]
    pause = int(spec.how.key_sboxes is KeySboxes.BORROWED)
    lap = slots + pause
    latency = slots + rounds * lap
    if spec.native_channel is KeyChannel.WITH_BLOCK:
        # Without S-boxes of its own, the schedule would need the sixth word of a key too early.
        late = slots == 4 and pause and 192 in spec.what.key_bits
        wait = 0 if late else slots - 1
        return Cycles(_ways(latency + int(late)), 0, {}, clear=3 * lap, wait=wait)
    # A block leaves its last lap; the next one enters in that of the same round key, two later, or
    # in that of round key 0 again.
    return Cycles(
        _ways(latency, latency),
        2 * lap - slots,
        _ways(2 * lap, (rounds + 2) * lap),
        clear=3 * lap,
        again=(rounds - 2) * lap if spec.how.key_start is KeyStart.WALKED else 0,
        wait=rounds * lap + pause,
    )


def _serpent_folded(spec: "Spec") -> Cycles:
    """Return the cycles of laps: one or two a round, and those in which key and block come."""
    lap, rounds = 4, serpent.ROUNDS
    if spec.native_channel is KeyChannel.WITH_BLOCK:
        return Cycles(_ways(lap * (4 + 2 * rounds)), 0, {}, clear=2 * lap, wait=lap - 1)
    latency, walk = lap * (2 + 2 * rounds), lap * rounds
    # A walk begins with the lap behind that in which it is seen to be needed.
    return Cycles(
        _ways(latency, latency),
        0,
        _ways(3 * lap, 3 * lap + walk),
        clear=2 * lap,
        again=walk,
        wait=lap,
    )


def _ways(encrypt: int, decrypt: int | None = None) -> dict[Direction, int]:
    both = {Direction.ENCRYPT: encrypt}
    return both if decrypt is None else both | {Direction.DECRYPT: decrypt}
