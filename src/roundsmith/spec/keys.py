"""Keys in slots: those that the core stores itself, and those that are held in front of it.

A core with whole rounds of a cipher with `key_slots` can store the round keys of several keys. Any
other core has one key at a time, so the full port holds the keys of all slots. It hands the core a
key with each block, or sends the key through the key channel when a block of another slot comes.
"""

from typing import TYPE_CHECKING

from roundsmith.spec.choices import KeyChannel

if TYPE_CHECKING:
    from roundsmith.spec.model import Spec

#: Cycles from the edge that accepts a key in front of a core to the one at which the core can.
SWAP_CYCLES = 1


def of_core(spec: "Spec") -> bool:
    """Whether the core itself stores the keys of all slots."""
    return spec.is_stored and not spec.is_narrow and spec.cipher.key_slots


def in_front(spec: "Spec") -> bool:
    """Whether there are several slots, and their keys are held in front of the core."""
    return spec.port.key_slots > 1 and not of_core(spec)


def are_swapped(spec: "Spec") -> bool:
    """Whether the core has one of the keys at a time, and takes another when a block needs it."""
    return in_front(spec) and spec.native_channel is KeyChannel.HELD


def held(spec: "Spec") -> int:
    """Return how many keys are held in front of the core in a memory, cleared one a cycle."""
    if spec.how.streams > 1:
        return spec.how.streams if spec.native_channel is KeyChannel.WITH_BLOCK else 0
    return spec.port.key_slots if in_front(spec) else 0


def at_once(spec: "Spec") -> int:
    """Return how many slots blocks can take turns with, without waiting for a key."""
    return 1 if are_swapped(spec) else spec.port.key_slots
