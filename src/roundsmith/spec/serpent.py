"""Serpent: which of the choices mean something for it, and what its own parts take in cycles.

The choices are those of AES; what its S-boxes and its linear transformation leave open is less.
"""

from typing import TYPE_CHECKING

from roundsmith.spec.choices import (
    NARROW,
    Architecture,
    Cipher,
    Clear,
    Entry,
    InverseRounds,
    KeyAdd,
    KeySchedule,
    Linear,
)

if TYPE_CHECKING:
    from roundsmith.spec.model import Spec

#: Rounds for every key length.
ROUNDS = 32

#: The cuts of a round in the order data passes them; the second is inside the linear
#: transformation.
CUTS = ("sub", "half", "round")

#: Cycles from a key to the first block: of stored keys, a word a cycle and then down the line of
#: places; and of the core with batches, whose key generator goes through the schedule in double
#: steps.
KEY_STORE_CYCLES = 175
BATCH_KEY_CYCLES = 21

#: Cycles in which zeros move through the stored keys, and through the core with batches.
KEY_STORE_CLEAR_CYCLES = 172
BATCH_CLEAR_CYCLES = 8


def is_serpent(spec: "Spec") -> bool:
    """Whether the cipher is Serpent."""
    return spec.what.cipher is Cipher.SERPENT


def is_batch(spec: "Spec") -> bool:
    """Whether it is Lutz's core, whose batches share key and direction."""
    return is_serpent(spec) and spec.how.entry is Entry.BATCH


def check(spec: "Spec") -> None:
    """Raise ValueError with the reason where a choice means nothing for Serpent."""
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
    if is_batch(spec):
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
