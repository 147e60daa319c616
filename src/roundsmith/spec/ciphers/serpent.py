"""Serpent: which of the choices mean something for it, and what its own parts take in cycles.

The choices are those of AES; what its S-boxes and its linear transformation leave open is less.
"""

import itertools
from typing import TYPE_CHECKING

from roundsmith.reference.golden import Model
from roundsmith.spec.choices import (
    NARROW,
    Architecture,
    Clear,
    InverseRounds,
    KeyAdd,
    KeyChannel,
    KeySboxes,
    KeySchedule,
    KeyStart,
    Linear,
    StateStorage,
)
from roundsmith.spec.ciphers.protocol import Batch, BlockCipher, ByteOrder
from roundsmith.spec.narrow import BOTH, ENCRYPT, Cycles, Module, always, only, ways
from roundsmith.spec.sboxes import SBOXES

if TYPE_CHECKING:
    from roundsmith.spec.model import Spec

#: Rounds for every key length.
ROUNDS = 32

#: The cuts of a round in the order data passes them; the second is inside the linear
#: transformation.
CUTS = ("sub", "half", "round")

#: Cycles of stored keys: from a key to the first block, a word a cycle and then down the line of
#: places; and those in which zeros move through all of them.
_KEY_STORE_CYCLES = 175
_KEY_STORE_CLEAR_CYCLES = 172

#: Lutz's core. Its key generator goes through the schedule in double steps.
_BATCH = Batch(key_cycles=21, clear_cycles=8)


def _model() -> Model:
    from roundsmith.reference import serpent

    return serpent


# --- The choices --------------------------------------------------------------------------------


def _cuts(spec: "Spec") -> list[str]:
    return list(CUTS)


def _round_name(spec: "Spec") -> str:
    return "a round of serpent"


def _check(spec: "Spec") -> None:
    how = spec.how
    for tile in [spec, *(spec.tiles() if how.variants else [])]:
        if tile.how.linear is not Linear.DIRECT:
            raise ValueError(
                f"linear '{tile.how.linear}' is a way to build MixColumns of AES; serpent has one "
                "linear transformation, so linear must be left out."
            )
    if how.key_add is KeyAdd.FIRST:
        raise ValueError(
            "key_add 'first' is an order of the rounds of AES; a round of serpent has its key at "
            "its end, so key_add must be left out."
        )
    if how.architecture is Architecture.LOOP and ROUNDS % how.rounds:
        raise ValueError(
            f"rounds '{how.rounds}' does not divide the {ROUNDS} of serpent; a loop of it has 1, "
            "2, 4, 8 or 16."
        )
    if how.architecture in NARROW:
        return
    if spec.is_both and how.inverse_rounds is not InverseRounds.SEPARATE:
        raise ValueError(
            "S-boxes and linear transformation of serpent have nothing to share with their "
            "inverses, so a core of both directions has inverse_rounds 'separate'."
        )
    if not spec.is_both and how.inverse_rounds is not None:
        raise ValueError(
            "inverse_rounds says how two directions share hardware; serpent in one direction "
            "leaves it out."
        )
    if "ring" in how.edges:
        raise ValueError("the edge 'ring' belongs to AES; serpent takes the edge 'out'.")
    if spec.batch:
        _check_batch(spec)


def _check_batch(spec: "Spec") -> None:
    """Refuse what the one core with batches has not."""
    how = spec.how
    built = (
        how.rounds == 4
        and how.cuts == ("round",)
        and not how.extra
        and not how.edges
        and spec.is_both
        and spec.what.key_bits == (256,)
        and how.key_schedule is KeySchedule.ON_THE_FLY
        and how.clear is Clear.FLUSH
        and how.tiles == 1
    )
    if not built:
        raise ValueError(
            "entry 'batch' of serpent is the core of Lutz 2002: four rounds with the cut 'round', "
            "both directions, 256-bit keys 'on_the_fly', clear 'flush' and no more registers; "
            "other rings take entry 'overlap'."
        )


# --- The cycles of stored round keys ------------------------------------------------------------


def _key_store_cycles(spec: "Spec", encrypts: bool, key_bits: int | None) -> int:
    return _KEY_STORE_CYCLES


def _key_store_clears(spec: "Spec", cycles: int) -> int:
    # What is left of the keys must be gone before the rounds are empty.
    return cycles + _KEY_STORE_CLEAR_CYCLES


# --- Folded and serial cores --------------------------------------------------------------------

#: The key lengths that a core can have built in.
_LENGTHS = frozenset(
    bits for count in range(1, 4) for bits in itertools.combinations((128, 192, 256), count)
)


def _folded(spec: "Spec", key_bits: int) -> Cycles:
    """Return the cycles of laps: one or two a round, and those in which key and block come."""
    lap, rounds = 4, ROUNDS
    if spec.native_channel is KeyChannel.WITH_BLOCK:
        return Cycles(ways(lap * (4 + 2 * rounds)), 0, {}, clear=2 * lap, wait=lap - 1)
    latency, walk = lap * (2 + 2 * rounds), lap * rounds
    # A walk begins with the lap behind that in which it is seen to be needed.
    return Cycles(
        ways(latency, latency),
        0,
        ways(3 * lap, 3 * lap + walk),
        clear=2 * lap,
        again=walk,
        wait=lap,
    )


_NARROW_MODULES = (
    Module(
        "rsm_serpent_serial_bit",
        {"architecture": Architecture.SERIAL, "data_bits": 1},
        {
            "key_bits": _LENGTHS,
            "directions": only(ENCRYPT),
            "state_storage": only(StateStorage.SHIFT_REGISTERS),
            "sbox": frozenset(SBOXES["serpent"]),
            "key_sboxes": only(KeySboxes.BORROWED),
            "key_schedule": only(KeySchedule.ON_THE_FLY),
        },
        always(Cycles(ways(4496), 129, {}, clear=281)),
    ),
    Module(
        "rsm_serpent_folded",
        {"architecture": Architecture.FOLDED},
        {
            "key_bits": _LENGTHS,
            "directions": only(ENCRYPT, BOTH),
            "data_bits": only(32),
            "state_storage": only(StateStorage.SHIFT_REGISTERS),
            "sbox": frozenset(SBOXES["serpent"]),
            "key_sboxes": only(KeySboxes.BORROWED),
            "key_schedule": only(KeySchedule.ON_THE_FLY),
            "key_start": only(None, KeyStart.WALKED),
            "inverse_rounds": only(None, InverseRounds.SEPARATE),
        },
        _folded,
    ),
)


CIPHER = BlockCipher(
    word="serpent",
    name="Serpent",
    number=1,
    rounds=dict.fromkeys((128, 192, 256), ROUNDS),
    byte_order=ByteOrder(
        standard="NESSIE",
        first="the first byte of a message",
        printed="least significant one of X0, the rightmost one in the submission's hexadecimal "
        "strings and the leftmost one in those of NESSIE,",
    ),
    golden=_model,
    source="The model of Serpent",
    slow_model=True,
    cuts=_cuts,
    round_name=_round_name,
    check=_check,
    plain_sboxes=True,
    narrow=_NARROW_MODULES,
    batch=_BATCH,
    key_store_cycles=_key_store_cycles,
    key_store_clears=_key_store_clears,
)
