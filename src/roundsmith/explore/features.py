"""From the parts of a spec to numbers that a regression can use, on one fabric.

The circuits count with what their own records say that they take there: LUT4s and levels of an
FPGA family, or gate equivalents and nanoseconds of standard cells.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from roundsmith import spec as formulas
from roundsmith.explore import ciphers, structure
from roundsmith.flows.targets import Target
from roundsmith.records import records
from roundsmith.records.records import CircuitMeasurement
from roundsmith.spec import (
    Architecture,
    Clear,
    Flow,
    InverseRounds,
    KeyAdd,
    KeySboxes,
    Linear,
    Sbox,
    Spec,
    StateStorage,
)

Vector = NDArray[np.float64]

#: The columns of the sum that is the area, in the order of `additive`.
COLUMNS = ("S-boxes", "linear", "data", "key", "control", "ram", "select", "xor", "one")

#: The columns of registers alone.
REGISTERS = ("data", "key", "control", "ram", "one")

#: Where the records of circuits have no figures for standard cells but these.
_CELLS = "asic:osu018"


@dataclass(frozen=True)
class Cost:
    """What one circuit takes: its area, and its depth in LUTs or ns."""

    area: float
    depth: float


def fabric(target: Target, aim: str) -> str:
    """Return which records of circuits tell of a target, with the aim of the flow in cells."""
    return target.flow.fabric(target, aim)


def costs(name: str) -> Mapping[str, Cost]:
    """Return what each circuit takes on a fabric, by its name, from the last record of each."""
    return _known(name, _count())[0]


def _count() -> int:
    """Return how many records of circuits there are: they are only ever added to."""
    return records.count(CircuitMeasurement)


def _costs(name: str) -> Mapping[str, Cost]:
    found: dict[str, Cost] = {}
    for record in records.circuit_measurements():
        if name.endswith("-cells"):
            if record.netlists and record.target == _CELLS:
                fast = name.startswith("delay")
                best = min(record.netlists, key=lambda n: n.delay_ns if fast else n.ge)
                found[record.name] = Cost(best.ge, best.delay_ns)
        elif record.mappings:
            whole = [m for m in record.mappings.get(name, []) if not m.cut]
            if whole:
                smallest = min(whole, key=lambda m: (m.luts, m.levels))
                found[record.name] = Cost(smallest.luts, smallest.levels)
    return found


def depths(name: str) -> Mapping[str, float]:
    """Return the depth of each circuit on a fabric, and of a plain level."""
    return _known(name, _count())[1]


@cache
def _known(name: str, _count: int) -> tuple[Mapping[str, Cost], Mapping[str, float]]:
    level = 0.15 if name.endswith("-cells") else 1.0
    found = dict(_costs(name))
    for part, circuits in ciphers.means().items():
        known = [found[circuit] for circuit in circuits if circuit in found]
        if len(known) == len(circuits):
            found[part] = Cost(fmean(c.area for c in known), fmean(c.depth for c in known))
    return found, _depths(level, found)


def _depths(level: float, cost_of: Mapping[str, Cost]) -> dict[str, float]:
    found = {circuit: cost.depth for circuit, cost in cost_of.items()}
    # What follows the output of a block RAM waits for it, as for four LUTs (ECP5 without its
    # output register).
    memory = 4 * level
    return found | dict.fromkeys(_memories(), memory) | {"levels": level}


def _memories() -> list[str]:
    return ["sbox-block-ram", "sbox-block-ram-inverse", "sbox-block-ram-both"]


@dataclass(frozen=True)
class Features:
    """The numbers of one spec: the terms of a sum, and what tells alike cores from others."""

    terms: Vector
    stage: float
    kind: Vector
    memories: float


def features(spec: Spec, name: str) -> Features:
    """Return the features of `spec` on a fabric."""
    found = structure.parts(spec)
    cost, depth = costs(name), depths(name)
    area = {"sbox": 0.0, "mix": 0.0}
    for circuit, count in found.circuits.items():
        if circuit in cost:
            area[circuit.partition("-")[0]] += count * cost[circuit].area
    stages = structure.stages(found.chain, spec.how.cuts)
    terms = np.array(
        [
            area["sbox"],
            area["mix"],
            found.data,
            found.key,
            found.control,
            found.ram,
            found.select,
            found.xor,
            1.0,
        ]
    )
    return Features(terms, structure.longest(stages, depth), _kind(spec), found.memories)


def _kind(spec: Spec) -> Vector:
    """Return what a sum cannot tell: choices as zeros and ones, and a few logarithms."""
    return np.array([float(value(spec)) for value in KINDS.values()])


def _is(field: str, value: object) -> Callable[[Spec], bool]:
    return lambda spec: getattr(spec.how, field) == value


def _cut(*cuts: str) -> Callable[[Spec], bool]:
    return lambda spec: set(cuts) <= set(spec.how.cuts)


#: The columns of `kind`, by name.
KINDS: dict[str, Callable[[Spec], float]] = {
    **{f"architecture {a}": _is("architecture", a) for a in Architecture},
    **{f"sbox {s}": _is("sbox", s) for s in Sbox},
    **{f"inverse_rounds {i}": _is("inverse_rounds", i) for i in InverseRounds},
    "borrowed": _is("key_sboxes", KeySboxes.BORROWED),
    "first": _is("key_add", KeyAdd.FIRST),
    "mix_add": _is("linear", Linear.MIX_ADD),
    "minimal or fast": lambda spec: spec.how.linear in {Linear.MINIMAL, Linear.FAST},
    "stored": lambda spec: spec.is_stored,
    "decrypts": lambda spec: spec.decrypts,
    "held": lambda spec: spec.port.flow is Flow.HELD,
    "reset": _is("clear", Clear.RESET),
    "registers": _is("state_storage", StateStorage.REGISTERS),
    "cut sub and round": _cut("sub", "round"),
    "cut mix": _cut("mix"),
    "cut half": _cut("half"),
    "log rounds": lambda spec: math.log(formulas.hardware_rounds(spec)),
    "log cuts": lambda spec: math.log(1 + len(spec.how.cuts)),
    "log key": lambda spec: math.log(max(spec.what.key_bits) / 128),
    "log data": lambda spec: math.log(spec.how.data_bits or 128),
    "log tiles": lambda spec: math.log(spec.how.tiles),
    "log lengths": lambda spec: math.log(1 + len(spec.what.key_bits)),
}
