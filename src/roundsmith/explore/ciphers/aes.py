"""How AES is explored: the choices that suit a target, and the sweep around them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from roundsmith.explore.choices import BOTH, ENCRYPT, Space
from roundsmith.explore.ciphers import aes_structure
from roundsmith.explore.ciphers.protocol import Exploration
from roundsmith.flows.flow import CELLS, Target
from roundsmith.spec import (
    SBOXES,
    Architecture,
    Direction,
    InverseRounds,
    KeyAdd,
    KeySboxes,
    KeySchedule,
    Linear,
    Sbox,
    StateStorage,
)
from roundsmith.spec.sboxes import ranked


def _suited(target: Target) -> Mapping[str, tuple[Any, ...]]:
    cells = target.flow.logic is CELLS
    return {
        "data_bits": (1, 8, 32, 64),
        "rounds": (1, 2, 5),
        "linear": (Linear.MINIMAL, Linear.FAST) if cells else (Linear.MIX_ADD, Linear.MINIMAL),
        "inverse_rounds": (None, InverseRounds.REORDERED, InverseRounds.SEPARATE),
    }


# --- The sweep ----------------------------------------------------------------------------------

_LOOP, _PIPE, _FOLDED, _SERIAL = (
    (Architecture.LOOP,),
    (Architecture.PIPE,),
    (Architecture.FOLDED,),
    (Architecture.SERIAL,),
)
_MEMORY = tuple(sbox for sbox in SBOXES["aes"] if sbox.of("aes").memory)
_ONE_CIRCUIT = tuple(sbox for sbox in SBOXES["aes"] if sbox.of("aes").shares_inverse)
_FLY = (KeySchedule.ON_THE_FLY,)
_STORED = (KeySchedule.STORED,)
_SHARED = (InverseRounds.REORDERED,)


def _sweep(target: Target) -> Iterable[Space]:
    return _few(target) if target.is_placed else _many(target)


def _loops(
    directions: tuple[Direction, ...], sboxes: Sequence[Sbox], **choices: Sequence[Any]
) -> Space:
    """Return rings of one round, encryption with Mixadd or what else is said."""
    own: dict[str, Sequence[Any]] = {
        "architecture": _LOOP,
        "rounds": (1,),
        "sbox": sboxes,
        "linear": (Linear.MINIMAL,),
        "key_schedule": _FLY,
        "inverse_rounds": _SHARED if directions == BOTH else (None,),
        **choices,
    }
    return Space(directions=directions, choices=own)


def _narrow(directions: tuple[Direction, ...], sboxes: Sequence[Sbox], **choices: Any) -> Space:
    keys = choices.pop("key_bits", (128,))
    own: dict[str, Sequence[Any]] = {
        "architecture": _FOLDED,
        "data_bits": (32, 64),
        "sbox": sboxes,
        "linear": (Linear.MINIMAL,),
        "key_schedule": _FLY,
        "state_storage": (StateStorage.SHIFT_REGISTERS, StateStorage.REGISTERS),
        **choices,
    }
    return Space(key_bits=keys, directions=directions, choices=own)


def _many(target: Target) -> Iterable[Space]:
    cells = target.flow.logic is CELLS
    main = ranked("aes", "sweep_cells" if cells else "sweep_luts")
    best = main[1]
    memory = () if cells else _MEMORY
    others = ranked("aes", "sweep_rest")
    mixes = (Linear.MINIMAL, Linear.FAST) if cells else (Linear.MIX_ADD, Linear.MINIMAL)
    yield _narrow(ENCRYPT, main)
    yield _narrow(BOTH, main[:2])
    yield _narrow(ENCRYPT, main[:1], key_bits=(256,))
    yield _narrow(BOTH, main[:1], key_bits=(256,), key_sboxes=(KeySboxes.BORROWED,))
    for sbox in {*main, *others}:
        yield Space(choices={"architecture": _SERIAL, "sbox": (sbox,), "linear": (Linear.DIRECT,)})
    yield _loops(ENCRYPT, (*main, *memory), linear=mixes)
    yield _loops(ENCRYPT, others)
    yield _loops(ENCRYPT, (best, *memory), key_schedule=_STORED)
    yield _loops(ENCRYPT, (best,), key_add=(KeyAdd.FIRST,))
    yield _loops((Direction.DECRYPT,), (best,))
    yield _loops(BOTH, (*main, *memory))
    yield _loops(BOTH, (best,), inverse_rounds=(InverseRounds.SEPARATE,))
    yield _loops(BOTH, (best,), inverse_rounds=(InverseRounds.EQUIVALENT,))
    yield _loops(BOTH, (best, *_ONE_CIRCUIT), key_schedule=_STORED)
    for keys in ((256,), (128, 192, 256)):
        yield Space(keys, ENCRYPT, _loops(ENCRYPT, (best,)).choices)
    for rounds in (2, 5):
        yield _loops(ENCRYPT, (best, *memory), rounds=(rounds,), linear=mixes[:1])
    yield _loops(BOTH, (best,), rounds=(2,), key_schedule=_STORED)
    for schedule in ((KeySchedule.TRAVELLING,), _STORED):
        pipes = {"architecture": _PIPE, "linear": mixes[:1], "key_schedule": schedule}
        yield Space(choices={**pipes, "sbox": (best, *memory)})


def _few(target: Target) -> Iterable[Space]:
    small, computed, table, *_ = ranked("aes", "sweep_luts")
    memory = _MEMORY
    shift = (StateStorage.SHIFT_REGISTERS,)
    yield _narrow(ENCRYPT, (small,))
    yield _narrow(BOTH, (small,), state_storage=shift)
    yield _narrow(BOTH, (small,), key_bits=(256,), state_storage=shift)
    yield Space(choices={"architecture": _SERIAL, "sbox": (small, table)})
    yield _loops(ENCRYPT, (small, *memory), linear=(Linear.MIX_ADD,))
    if target.flow.is_small:
        return
    yield _loops(ENCRYPT, (small, *memory), linear=(Linear.MIX_ADD,), key_schedule=_STORED)
    yield _loops(ENCRYPT, (computed, table))
    yield _loops(BOTH, (small, *memory))
    yield _loops(BOTH, (small,), key_schedule=_STORED)
    yield _loops(ENCRYPT, (small, *memory), rounds=(2,), linear=(Linear.MIX_ADD,))
    pipes = {"architecture": _PIPE, "linear": (Linear.MIX_ADD,)}
    yield Space(choices={**pipes, "sbox": memory})


EXPLORATION = Exploration("aes", aes_structure.parts, _suited, _sweep)
