"""How Serpent is explored: the choices that suit a target, and the sweep around them."""

from collections.abc import Iterable, Mapping
from typing import Any

from roundsmith.explore.choices import AUTO, BOTH, ENCRYPT, Space
from roundsmith.explore.ciphers import serpent_structure
from roundsmith.explore.ciphers.protocol import Exploration
from roundsmith.flows.flow import Target
from roundsmith.spec import (
    SBOXES,
    Architecture,
    Cipher,
    Direction,
    InverseRounds,
    KeySchedule,
    Linear,
)
from roundsmith.spec.sboxes import ranked


def _suited(target: Target) -> Mapping[str, tuple[Any, ...]]:
    return {
        "data_bits": (1, 32),
        "rounds": (1, 2, 4, 8, 16),
        "linear": (Linear.DIRECT,),
        "inverse_rounds": (None, InverseRounds.SEPARATE),
    }


def _sweep(target: Target) -> Iterable[Space]:
    """Yield small cores of all kinds, and rings with some registers."""
    placed = target.is_placed
    sbox = ranked("serpent", "sweep_luts" if placed else "sweep_cells")
    narrow, loop = (Architecture.SERIAL, Architecture.FOLDED), (Architecture.LOOP,)

    def cores(keys: tuple[int, ...], directions: tuple[Direction, ...], **how: Any) -> Space:
        cuts = how.pop("cuts", AUTO)
        return Space(keys, directions, {"sbox": sbox, **how}, cuts, Cipher.SERPENT)

    for directions in (ENCRYPT, BOTH):
        every = sbox if placed else SBOXES["serpent"]
        yield cores((128,), directions, architecture=narrow, sbox=every)
        yield cores((128, 192, 256), directions, architecture=narrow)
    for rounds, cuts in _RINGS:
        yield cores((256,), ENCRYPT, architecture=loop, rounds=(rounds,), cuts=cuts)
    one = {"architecture": loop, "rounds": (1,), "key_schedule": (KeySchedule.ON_THE_FLY,)}
    yield cores((256,), BOTH, cuts=(("round",),), **one)


#: Rings in the sweep: rounds, and sets of cuts.
_RINGS = (
    (1, (("round",), ("sub", "round"))),
    (2, (("round",),)),
    (4, (("round",), ("half", "round"))),
    (8, (("round",),)),
)


EXPLORATION = Exploration(
    "serpent", serpent_structure.parts, _suited, _sweep, serpent_structure.circuits
)
