"""Requirements: what a user needs of a core, and how far a core is from it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from roundsmith import spec as formulas
from roundsmith.base.errors import RoundsmithError
from roundsmith.flows.targets import Target
from roundsmith.flows.xilinx_lut4 import SLICES_OF_A_RAM
from roundsmith.spec import Bus, Cipher, Direction, Mode, Spec, mode_bus_rules, modes
from roundsmith.spec.ciphers import DEFAULT

#: LUT4s that a block RAM counts for in the area: two slices' worth each, as Saggese et al. 2003,
#: section 5, count the memory of two S-boxes.
LUTS_OF_A_RAM = 2 * SLICES_OF_A_RAM

#: How full a device may be: beyond that placing takes long and often fails.
FULL = 0.9

#: What can be asked to be least; `energy` would need a simulation of every candidate.
AIMS = ("area", "memory", "latency", "area-delay")


@dataclass(frozen=True)
class Figures:
    """What counts of a core on a target: measured, or else estimated.

    `area` is in gate equivalents, or in LUT4s with those that its block RAMs count for; latency is
    in ns. A figure that the target does not tell is None.
    """

    spec: Spec
    measured: bool
    area: float
    memory: float
    clock_mhz: float | None
    throughput_mbps: float | None
    latency_ns: float | None
    source: Any = field(compare=False, default=None)


def figures(spec: Spec, item: Any, target: Target, needs: "Needs", *, measured: bool) -> Figures:
    """Return what counts of a record or an estimate."""
    clock = _clock(item, target)
    throughput = latency = None
    memory = float(item.block_ram or 0)
    area = getattr(item, target.flow.logic.area)
    if target.flow.logic.has_block_ram:
        area += LUTS_OF_A_RAM * memory
    if clock:
        latency = 1000 * formulas.whole_latency_cycles(spec) / clock
        throughput = 128 * clock / formulas.cycles_per_block(spec)
        if needs.feedback:
            # A stream waits for its result before its next block.
            wait = max(formulas.whole_latency_cycles(spec), formulas.initiation_interval(spec))
            throughput = min(throughput, needs.streams * 128 * clock / wait)
    return Figures(spec, measured, float(area), memory, clock, throughput, latency, item)


def _clock(item: Any, target: Target) -> float | None:
    if item.cycle_ns:
        return float(1000 / item.cycle_ns)
    return min(float(item.fmax_mhz), target.clock_tree_mhz) if item.fmax_mhz else None


@dataclass(frozen=True)
class Needs:
    """What a core must do, its least and most figures, and what is to be least of all.

    With `feedback` each of `streams` waits for a result before its next block, as CBC does. A core
    in a `mode` takes messages one by one, perhaps from a `bus`, or as many as `streams` at a time;
    `directions` are those of the mode: most of them encrypt blocks in both.
    """

    target: Target
    key_bits: tuple[int, ...] = (128,)
    directions: tuple[Direction, ...] = (Direction.ENCRYPT,)
    cipher: Cipher = DEFAULT
    mode: Mode = Mode.NONE
    bus: Bus = Bus.NONE
    feedback: bool = False
    streams: int = 1
    min_throughput: float | None = None
    min_clock: float | None = None
    max_area: float | None = None
    max_memory: float | None = None
    max_latency: float | None = None
    minimise: str = "area"

    def limits(self) -> "dict[str, Limit]":
        """Return the requirements that have a number, by their options."""
        found = {
            "--min-throughput": Limit("throughput_mbps", self.min_throughput, most=False),
            "--min-clock": Limit("clock_mhz", self.min_clock, most=False),
            "--max-area": Limit("area", self.max_area, most=True),
            "--max-memory": Limit("memory", self.max_memory, most=True),
            "--max-latency": Limit("latency_ns", self.max_latency, most=True),
        }
        return {name: limit for name, limit in found.items() if limit.value is not None}

    def cost(self, one: Figures) -> tuple[float, ...]:
        """Return what is to be least, then what decides among equals: the other figures."""
        least = {
            "area": one.area,
            "memory": one.memory,
            "latency": _or_worst(one.latency_ns),
            "area-delay": one.area / max(1e-9, one.throughput_mbps or 1e-9),
        }[self.minimise]
        speed = -(one.throughput_mbps or 0.0)
        return (least, one.area, speed, _or_worst(one.latency_ns))

    def fits(self, one: Figures) -> bool:
        """Whether a core finds room on the device, as far as its figures tell."""
        room = self.target.flow.room(self.target)
        if room is None or one.measured:
            return True
        luts = one.area - LUTS_OF_A_RAM * one.memory
        return luts <= FULL * room[0] and one.memory <= room[1]

    @property
    def of_blocks(self) -> tuple[Direction, ...]:
        """The directions of the cipher: a mode may encrypt blocks to decrypt a message."""
        return mode_bus_rules.of_blocks(modes.of(self.mode), self.directions)

    def does(self, spec: Spec) -> bool:
        """Whether a core does what is asked: cipher, keys and directions, and perhaps more.

        One with several streams is of use to who has as many messages at a time.
        """
        return (
            spec.what.cipher is self.cipher
            and set(self.key_bits) <= set(spec.what.key_bits)
            and set(self.of_blocks) <= set(spec.what.directions)
            and not spec.is_loaded
            and spec.how.streams <= self.streams
            and (not spec.has_mode or (spec.what.mode, spec.what.bus) == (self.mode, self.bus))
        )


def _or_worst(value: float | None) -> float:
    return float("inf") if value is None else value


@dataclass(frozen=True)
class Limit:
    """One requirement: a figure, and the most or the least that it may be."""

    figure: str
    value: float | None
    most: bool

    def met(self, one: Figures, slack: float = 0.0) -> bool:
        """Whether a core meets it; `slack` is a share by which it may miss."""
        return self.miss(one) <= 1 + slack

    def miss(self, one: Figures) -> float:
        """Return by what factor a core misses it: 1 or less is none at all."""
        found = getattr(one, self.figure)
        assert self.value is not None
        if found is None:
            return float("inf")
        if self.most:
            return float(found) / self.value if self.value else 1.0 + float(found)
        return self.value / max(float(found), 1e-9)

    def best(self, some: list[Figures]) -> Figures | None:
        """Return the core that misses it least, of measured ones before others."""
        return min(some, key=lambda one: (self.miss(one), not one.measured), default=None)


UNITS: Mapping[str, tuple[str, str]] = {
    "throughput_mbps": ("Mbit/s", ",.0f"),
    "clock_mhz": ("MHz", ",.1f"),
    "memory": ("block RAMs", ",.0f"),
    "latency_ns": ("ns", ",.0f"),
}


def text(figure: str, value: float | None, target: Target) -> str:
    """Return a figure with its unit."""
    if value is None:
        return "unknown"
    if figure == "area":
        return f"{value:,.0f} {target.flow.logic.size}"
    unit, style = UNITS[figure]
    if figure == "throughput_mbps" and value >= 10_000:
        return f"{value / 1000:,.1f} Gbit/s"
    return f"{value:{style}} {unit}"


_SCALES = {
    "throughput": {"kbps": 1e-3, "mbps": 1.0, "gbps": 1e3, "tbps": 1e6},
    "clock": {"khz": 1e-3, "mhz": 1.0, "ghz": 1e3},
    "latency": {"ns": 1.0, "us": 1e3, "ms": 1e6},
    "area": {"": 1.0, "ge": 1.0, "lut": 1.0, "luts": 1.0, "lut4": 1.0, "kge": 1e3, "klut": 1e3},
}
_NUMBER = re.compile(r"([0-9][0-9_,]*(?:\.[0-9]+)?|\.[0-9]+)\s*([a-z0-9/]*)")


def quantity(option: str, kind: str, written: str | None) -> float | None:
    """Return a number with a unit, such as `500Mbps`, in Mbit/s, MHz, ns, GE or LUTs."""
    if written is None:
        return None
    scales = _SCALES[kind]
    match = _NUMBER.fullmatch(written.strip().lower())
    unit = match[2].replace("bit/s", "bps") if match else ""
    value = float(re.sub("[,_]", "", match[1])) if match else 0.0
    if unit not in scales or value <= 0:
        units = ", ".join(unit for unit in scales if unit)
        raise RoundsmithError(
            f"{option} '{written}' is no {kind}; write a number above 0 and its unit: {units}."
        )
    return value * scales[unit]
