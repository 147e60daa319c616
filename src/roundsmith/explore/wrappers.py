"""What a mode of operation and a bus add to a core: the cores that tell, the sum, and its use.

A core in a mode is compared with the record of the same core by itself. The difference in area
and in registers is a sum over what stands around the core, at prices that `prices` learns; the
clock is the slower one of the core and of what stands around it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from roundsmith import catalogue
from roundsmith.base.errors import RoundsmithError
from roundsmith.records import records
from roundsmith.records.records import Measurement
from roundsmith.spec import Bus, Spec, buses, formulas, mode_bus_rules, modes

#: The terms that modes have beside themselves, such as the multipliers of GCM.
TERMS = tuple(term for mode in modes.MODES for term in mode.terms)

#: The terms of the sum: a price for each mode and each bus, and for what grows with the core: the
#: bits of the blocks that are accounted for, what else a mode has, the streams that share it, and
#: those that share a bus.
COLUMNS = (
    *(mode.word for mode in modes.MODES),
    *(bus.word for bus in buses.MESSAGES),
    "blocks",
    *(term.name for term in TERMS),
    "streams",
    "bus_streams",
)

#: Those without which there is an estimate all the same, that says so.
_SHARING = {"streams": "the core", "bus_streams": "the bus"}

#: Figures that are a sum; the period of the clock is not.
SUMS = ("ff", "lut", "area_ge", "block_ram")

#: Those of them without which there is no estimate.
NEEDED = ("ff", "lut", "area_ge")

#: What the error of a figure is taken for where nothing tells it: as wide as any was so far.
UNKNOWN_ERROR = 0.25

#: The core that says what a mode costs wherever it can be in that mode: the smallest loop.
_SAMPLE = "iterative-lut4"


@dataclass(frozen=True)
class Example:
    """A core in a mode that was measured, and the same core by itself."""

    spec: Spec
    record: Measurement
    base: Measurement


@dataclass(frozen=True)
class Price:
    """What one column of the sum costs, or the shortest clock period in ns that it allows.

    `source` is the target that it was learnt on. From another one it is led here by a ratio, known
    by cores that both have: so many `in_mode`, and so many `alone`.
    """

    value: float
    source: str
    in_mode: int = 0
    alone: int = 0


@dataclass(frozen=True)
class PriceError:
    """By what share of the whole core a figure was off, in the median of so many cores."""

    median: float
    cores: int


@dataclass(frozen=True)
class Wrapping:
    """What is known of modes and buses on a target.

    `prices` has for each figure those of `COLUMNS` that are known, here or elsewhere; `limits` the
    clock period of a mode or a bus that slowed its core down, in ns, `fastest` the shortest one
    that each was measured at here, and `untimed` those of which nothing is known. `errors` are
    those of columns that were learnt here, `borrowed` of the same as if they had not been.
    """

    target: str
    prices: Mapping[str, Mapping[str, Price]]
    limits: Mapping[str, Price]
    fastest: Mapping[str, float]
    untimed: Sequence[str]
    errors: Mapping[str, PriceError]
    borrowed: Mapping[str, PriceError]

    def more(self, spec: Spec, figure: str) -> float:
        """Return by how much a figure of `spec` is more than that of its core."""
        known = self.prices.get(figure, {})
        return sum(
            value * known[name].value
            for name, value in terms(spec, figure).items()
            if name in known
        )

    def period(self, spec: Spec) -> float:
        """Return the shortest clock period that the mode and the bus of `spec` allow, in ns."""
        return max(
            (self.limits[word].value for word in words(spec) if word in self.limits), default=0.0
        )

    def check(self, spec: Spec) -> None:
        """Raise RoundsmithError, which says what to measure, where a price was learnt nowhere."""
        needed = [known for figure, known in self.prices.items() if figure in NEEDED]
        for name in terms(spec):
            if name not in _SHARING and any(name not in known for known in needed):
                raise RoundsmithError(
                    f"No core {_named(name)} was measured on any target, so nothing tells what "
                    f"that adds to one; `roundsmith measure {_sample(spec)} --target "
                    f"{self.target}` measures it."
                )

    def sources(self, spec: Spec, figure: str) -> dict[str, Price]:
        """Return the prices of `spec` that were learnt on another target, by column."""
        known = self.prices.get(figure, {})
        return {
            name: known[name]
            for name in terms(spec)
            if name in known and known[name].source != self.target
        }

    def doubt(self, figure: str) -> float:
        """Return how far off a figure is in the median, at the worst that is known of it."""
        told = [e.median for e in (self.errors.get(figure), self.borrowed.get(figure)) if e]
        return max(told, default=UNKNOWN_ERROR)

    def uncounted(self, spec: Spec) -> list[str]:
        """Return what `spec` has whose price nobody knows, and which is left out of the sum."""
        found = []
        bits = buses.stream_bits(spec)
        if spec.bus.has_packets and bits != buses.STREAM_BITS:
            found.append(f"a TDATA of {bits} bits in place of {buses.STREAM_BITS}")
        if spec.what.self_test:
            found.append("the self-test")
        return found + [
            f"what lets {spec.how.streams} streams share {what}"
            for name, what in _SHARING.items()
            if name in terms(spec) and name not in self.prices.get("ff", {})
        ]


def words(spec: Spec) -> tuple[str, ...]:
    """Return the mode and the bus of `spec`, as far as it has them."""
    return tuple(str(word) for word in (spec.what.mode, spec.what.bus) if word != "none")


@cache
def terms(spec: Spec, figure: str = "") -> Mapping[str, float]:
    """Return what the sum of a core in a mode is over, by column: each stream has its own mode.

    Behind AXI4-Stream each has what takes packets, too, and that alone where one mode serves all.
    A block RAM is as good for many blocks as for few, so that their number does not count there.
    """
    count = spec.how.streams
    found = dict.fromkeys(words(spec), float(count))
    is_memory = figure == "block_ram"
    kept = mode_bus_rules.depth(spec)
    if formulas.is_shared(spec):
        found[spec.mode.word] = 1.0
        kept = mode_bus_rules.SHARED_PLACES
    if not formulas.is_oneblock(spec):
        found["blocks"] = count * (1.0 if is_memory else 128.0 * kept)
    for term in spec.mode.terms:
        added = term.count(spec, is_memory)
        if added is not None:
            found[term.name] = added
    if count > 1:
        found["streams"] = float(count)
        if spec.what.bus is not Bus.NONE:
            found["bus_streams"] = float(count)
    return found


def _named(column: str) -> str:
    if column in modes.NUMBERS:
        return f"in mode {column.replace('_', '-')}"
    if column in list(Bus):
        return f"behind {column.replace('_', '-')}"
    return "in a mode that keeps account of several blocks"


def _sample(spec: Spec) -> str:
    """Return the cores to measure: the smallest one in the same mode, or this one and its core.

    The small form of a mode tells nothing of what the other form keeps.
    """
    name = "-".join((_SAMPLE, *(word.replace("_", "-") for word in words(spec))))
    own = f"{spec.name} {spec.bare().name}"
    try:
        sample = catalogue.find(name)
    except RoundsmithError:
        return own
    return f"{name} {_SAMPLE}" if terms(spec).keys() <= terms(sample).keys() else own


def last(target: str, aim: str) -> dict[str, Measurement]:
    """Return the last record of each core on a target, by name."""
    return {
        m.name: m
        for m in records.measurements()
        if m.target == target and (not aim or m.flow.startswith(f"{aim}-driven"))
    }


def examples(target: str, aim: str) -> list[Example]:
    """Return the cores in a mode that were measured on a target, with their cores' records."""
    there = last(target, aim)
    found = []
    for name, record in there.items():
        spec = _in_mode(name)
        base = None if spec is None else there.get(spec.bare().name)
        if spec is not None and base is not None:
            found.append(Example(spec, record, base))
    return found


@cache
def _in_mode(name: str) -> Spec | None:
    """Return the core of that name, None if it has no mode or there is none."""
    try:
        spec = catalogue.find(name)
    except RoundsmithError:
        return None  # a core of somebody's own, or one that is no more
    return spec if spec.has_mode else None
