"""A sweep: measure what a space holds, the cheapest first, without what cannot be on the front.

Who starts it again goes on where it was: what has a record is not measured twice, on one machine
or on many.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from roundsmith import catalogue
from roundsmith.explore import estimator, space
from roundsmith.explore.estimator import Estimate
from roundsmith.explore.features import fabric, features
from roundsmith.explore.front import cost, front
from roundsmith.explore.space import BOTH, ENCRYPT, Space
from roundsmith.flows.flow import CELLS, Target
from roundsmith.measure import campaign
from roundsmith.measure.campaign import Outcome, Pair, Report
from roundsmith.spec import (
    SBOXES,
    Architecture,
    Cipher,
    Direction,
    InverseRounds,
    KeyAdd,
    KeySboxes,
    KeySchedule,
    Linear,
    Sbox,
    Spec,
    StateStorage,
)
from roundsmith.spec.sboxes import ranked

#: By how many median errors a core may be better than estimated before it is left out.
DOUBT = 2.0


def run(
    specs: Sequence[Spec],
    target: Target,
    *,
    jobs: int,
    report: Report,
    scheduler: str | None = None,
    again: bool = False,
    limit: float | None = None,
) -> list[Outcome]:
    """Measure `specs` on `target`: by processes here, or by the workers of a Dask scheduler."""
    pairs = [Pair(spec, target) for spec in cheapest_first(specs, target)]
    if scheduler is not None:
        from roundsmith.explore import distribute

        return distribute.run(pairs, scheduler, report=report, again=again)
    return campaign.run(pairs, jobs=jobs, report=report, again=again, limit=limit)


def cheapest_first(specs: Sequence[Spec], target: Target) -> list[Spec]:
    """Return `specs` by what their parts come to, so that what is small is measured soon.

    That takes no estimator, which a target without records does not have.
    """
    name = fabric(target, "area")

    def size(spec: Spec) -> float:
        return float(features(spec, name).terms.sum())

    return sorted(specs, key=lambda spec: (size(spec), spec.name))


def estimates(specs: Sequence[Spec], target: Target) -> list[Estimate]:
    """Return one estimate a core: in standard cells that of the netlist made for speed."""
    found = estimator.estimate(specs, target)
    return [e for e in found if e.aim in {"", "delay"}]


def area(item: Any) -> float:
    """Return the area of a record or an estimate: gate equivalents, or LUTs."""
    found = item.area_ge if item.area_ge is not None else item.lut
    return float("inf") if found is None else float(found)


def pruned(specs: Sequence[Spec], target: Target) -> list[Spec]:
    """Return those of `specs`, all of one cipher, that may be on the front of area and throughput.

    One is left out when the estimates of another are better in both, by more than `DOUBT` times
    the error that they have in the median. Where a target tells no clock, none is left out.
    """
    if not target.flow.is_timed or not specs:
        return list(specs)
    found = estimates(specs, target)
    cipher = specs[0].what.cipher
    in_mode = any(spec.has_mode for spec in specs)
    doubts = estimator.doubts(target, estimator.aims(target)[-1], cipher, in_mode=in_mode)
    in_area = DOUBT * doubts[target.flow.logic.area]
    in_time = DOUBT * doubts[target.flow.logic.period]
    best = front(found, area, cost("throughput_mbps"))

    def is_beaten(one: Estimate) -> bool:
        smallest, fastest = area(one) * (1 - in_area), (one.throughput_mbps or 0) * (1 + in_time)
        return any(area(b) < smallest and (b.throughput_mbps or 0) > fastest for b in best)

    return [one.spec for one in found if not is_beaten(one)]


# --- The shipped catalogue of measurements ------------------------------------------------------

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


def standard(target: Target, cipher: Cipher = Cipher.AES) -> list[Spec]:
    """Return the cores of the sweep whose measurements are shipped: all over the plane.

    Named cores of the cipher, all that can stand on the target, and a grid around them; where each
    one is placed and routed, a part of it.
    """
    placed = target.is_placed
    if cipher is Cipher.SERPENT:
        spaces = _of_serpent(placed)
    else:
        spaces = _few(target) if placed else _many(target)
    named = [
        spec
        for spec in catalogue.native().values()
        if spec.what.cipher is cipher and not spec.has_mode and space.stands_on(spec, target)
    ]
    found = {spec.name: spec for spec in named}
    for one in spaces:
        found |= {spec.name: spec for spec in space.specs(one, target)}
    return cheapest_first(list(found.values()), target)


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


def _of_serpent(placed: bool) -> Iterable[Space]:
    """Yield the grid of Serpent: small cores of all kinds, and rings with some registers."""
    sbox = ranked("serpent", "sweep_luts" if placed else "sweep_cells")
    narrow = (Architecture.SERIAL, Architecture.FOLDED)

    def cores(keys: tuple[int, ...], directions: tuple[Direction, ...], **how: Any) -> Space:
        cuts = how.pop("cuts", space.AUTO)
        return Space(keys, directions, {"sbox": sbox, **how}, cuts, Cipher.SERPENT)

    for directions in (ENCRYPT, BOTH):
        every = sbox if placed else SBOXES["serpent"]
        yield cores((128,), directions, architecture=narrow, sbox=every)
        yield cores((128, 192, 256), directions, architecture=narrow)
    for rounds, cuts in _SERPENT_RINGS:
        yield cores((256,), ENCRYPT, architecture=_LOOP, rounds=(rounds,), cuts=cuts)
    one = {"architecture": _LOOP, "rounds": (1,), "key_schedule": _FLY}
    yield cores((256,), BOTH, cuts=(("round",),), **one)


#: Rings of Serpent in the sweep: rounds, and sets of cuts.
_SERPENT_RINGS = (
    (1, (("round",), ("sub", "round"))),
    (2, (("round",),)),
    (4, (("round",), ("half", "round"))),
    (8, (("round",),)),
)
