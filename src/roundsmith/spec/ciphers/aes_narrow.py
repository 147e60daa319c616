"""The folded and serial cores of AES: what each module is built for, and its cycles."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from roundsmith.spec.choices import (
    COLUMN_CIRCUITS,
    Architecture,
    InverseRounds,
    KeyChannel,
    KeySboxes,
    KeySchedule,
    KeyStart,
    Linear,
    StateStorage,
)
from roundsmith.spec.narrow import BOTH, ENCRYPT, Cycles, Module, always, only, ways
from roundsmith.spec.sboxes import SBOXES, Sbox

if TYPE_CHECKING:
    from roundsmith.spec.model import Spec

#: Rounds by key length in bits (FIPS 197, Fig. 4).
ROUNDS = {128: 10, 192: 12, 256: 14}

#: S-boxes that answer in the same cycle, and the memory that the compact cores are built around.
_AT_ONCE = frozenset(sbox for sbox in SBOXES["aes"] if sbox.of("aes").latency == 0)
_BLOCK_RAM = Sbox("block_ram")

#: The rounds with 128-bit keys, which most narrow cores are built for.
_ROUNDS = ROUNDS[128]


# --- Cycles -------------------------------------------------------------------------------------


def _folded(spec: "Spec", key_bits: int) -> Cycles:
    lap = 128 // spec.native_width
    latency = lap + _ROUNDS * (lap + (spec.how.key_sboxes is KeySboxes.BORROWED))
    if spec.native_channel is KeyChannel.WITH_BLOCK:
        return Cycles(ways(latency), 0, {}, clear=2 * lap, wait=lap - 1)
    # A walk through the key schedule takes a cycle a round key.
    walks = spec.how.key_start is KeyStart.WALKED
    return Cycles(
        ways(latency, latency),
        0,
        ways(lap, lap + _ROUNDS),
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
        return Cycles(ways(latency + int(late)), 0, {}, clear=3 * lap, wait=wait)
    # A block leaves its last lap; the next one enters in that of the same round key, two later, or
    # in that of round key 0 again.
    return Cycles(
        ways(latency, latency),
        2 * lap - slots,
        ways(2 * lap, (rounds + 2) * lap),
        clear=3 * lap,
        again=(rounds - 2) * lap if spec.how.key_start is KeyStart.WALKED else 0,
        wait=rounds * lap + pause,
    )


def _serial(backwards: int) -> "Callable[[Spec, int], Cycles]":
    """Return the cycles of a serial core with so many passes of a round in decryption."""

    def cycles(spec: "Spec", key_bits: int) -> Cycles:
        # In every pass the state goes once round; the last one is also the first of the result.
        lap = 128 // spec.native_width
        latency = ways(_ROUNDS * lap + 1, backwards * _ROUNDS * lap + 1)
        return Cycles(latency, lap - 1, {}, clear=(_ROUNDS + 1) * lap)

    return cycles


# --- Modules ------------------------------------------------------------------------------------

_FOLDED = {"architecture": Architecture.FOLDED, "key_schedule": KeySchedule.ON_THE_FLY}
_FOLDED_BUILT = {
    "state_storage": only(StateStorage.REGISTERS, StateStorage.SHIFT_REGISTERS),
    "sbox": _AT_ONCE,
    "linear": COLUMN_CIRCUITS,
    "inverse_rounds": only(None, InverseRounds.REORDERED, InverseRounds.EQUIVALENT),
}

#: The modules, the special ones first.
MODULES = (
    Module("rsm_aes_folded", _FOLDED | {"key_bits": (128,)}, _FOLDED_BUILT, _folded),
    Module("rsm_aes_folded_long", _FOLDED, _FOLDED_BUILT, _folded_long),
    Module(
        "rsm_aes_compact_folded",
        {"architecture": Architecture.FOLDED, "key_schedule": KeySchedule.STORED},
        {
            "key_bits": only((128,)),
            "directions": only(BOTH),
            "data_bits": only(32),
            "sbox": only(_BLOCK_RAM),
            "key_sboxes": only(KeySboxes.BORROWED),
            "linear": only(Linear.DIRECT),
            "inverse_rounds": only(InverseRounds.REORDERED),
        },
        always(Cycles(ways(42, 42), 4, ways(44, 44), clear=44, wait=1)),
    ),
    Module(
        "rsm_aes_compact_pipelined",
        {"architecture": Architecture.FOLDED, "key_schedule": KeySchedule.LOADED},
        {
            "key_bits": only((128,)),
            "directions": only(ENCRYPT),
            "data_bits": only(32),
            "state_storage": only(StateStorage.REGISTERS),
            "sbox": only(_BLOCK_RAM),
            "key_sboxes": only(KeySboxes.OWN),
            "linear": only(Linear.DIRECT),
        },
        always(Cycles(ways(72), 4, ways(44), clear=44, wait=1)),
    ),
    Module(
        "rsm_aes_compact_micro",
        {
            "architecture": Architecture.SERIAL,
            "state_storage": StateStorage.DUAL_PORT_RAM,
            "sbox": _BLOCK_RAM,
        },
        {
            "key_bits": only((128,)),
            "directions": only(ENCRYPT),
            "data_bits": only(8),
            "key_sboxes": only(KeySboxes.BORROWED),
            "key_schedule": only(KeySchedule.ON_THE_FLY),
            "linear": only(Linear.DIRECT),
        },
        always(Cycles(ways(932), 16, {}, clear=33)),
    ),
    Module(
        "rsm_aes_compact_serial",
        {"architecture": Architecture.SERIAL, "state_storage": StateStorage.DUAL_PORT_RAM},
        {
            "key_bits": only((128,)),
            "directions": only(ENCRYPT),
            "data_bits": only(8),
            "sbox": _AT_ONCE,
            "key_sboxes": only(KeySboxes.BORROWED),
            "key_schedule": only(KeySchedule.ON_THE_FLY),
            "linear": only(Linear.DIRECT),
        },
        always(Cycles(ways(346), 16, {}, clear=16)),
    ),
    *(
        Module(
            name,
            {"architecture": Architecture.SERIAL, "data_bits": bits, "directions": directions},
            {
                "key_bits": only((128,)),
                "state_storage": only(StateStorage.SHIFT_REGISTERS),
                "sbox": _AT_ONCE,
                # Ten rounds send 200 bytes through S-boxes; one has time for them at a bit a cycle.
                "key_sboxes": only(KeySboxes.BORROWED if bits == 1 else KeySboxes.OWN),
                "key_schedule": only(KeySchedule.ON_THE_FLY),
                "linear": only(Linear.DIRECT),
                "inverse_rounds": only(InverseRounds.REORDERED if directions == BOTH else None),
            },
            _serial(5 if bits == 1 else 2),
        )
        for name, bits, directions in (
            ("rsm_aes_serial_bit", 1, ENCRYPT),
            ("rsm_aes_serial_byte", 8, ENCRYPT),
            ("rsm_aes_serial_both", 1, BOTH),
            ("rsm_aes_serial_both", 8, BOTH),
        )
    ),
)
