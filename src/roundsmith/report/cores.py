"""What each core can do, in cycles: the rows of `roundsmith list`."""

from contextlib import suppress

from roundsmith import catalogue
from roundsmith import spec as formulas
from roundsmith.base.errors import RoundsmithError
from roundsmith.flows import targets
from roundsmith.records import records
from roundsmith.records.records import Failure, verifications
from roundsmith.spec import Direction, Spec


def describe(spec: Spec) -> dict[str, object]:
    """Return one row with the documented, stable keys of `roundsmith list --json`.

    Cycles are those of the longest key built in, as the last simulation of the core as it is saw
    them (`simulated`), or else as the formulas of the spec say. `latency_cycles` is the time to
    the first word of a result, `whole_latency_cycles` to the last; they differ behind a bus.
    """
    setups = _key_setups(spec)
    row: dict[str, object] = {
        "name": spec.name,
        "cipher": str(spec.what.cipher),
        "key_bits": list(spec.what.key_bits),
        "directions": [str(d) for d in spec.what.directions],
        "architecture": str(spec.how.architecture),
        "key_schedule": str(spec.how.key_schedule),
        "tiles": spec.how.tiles,
        "port_width": spec.port.width,
        "lanes": spec.port.lanes,
        "paper": spec.paper,
        "cycles_per_block": formulas.cycles_per_block(spec),
        "latency_cycles": formulas.latency_cycles(spec),
        "whole_latency_cycles": formulas.whole_latency_cycles(spec),
        "core_latency_cycles": formulas.core_latency_cycles(spec),
        "key_setup_cycles": formulas.key_setup_cycles(spec),
        **setups,
        "blocks_in_flight": formulas.blocks_in_flight(spec),
    }
    seen = records.simulated(spec)
    is_simulated = seen is not None and seen.latency_cycles is not None
    if seen is not None and is_simulated:
        measured = ("latency_cycles", "cycles_per_block", *setups)
        row |= {key: getattr(seen, key) for key in measured}
        row["blocks_in_flight"] = seen.blocks_in_flight or row["blocks_in_flight"]
        row["key_setup_cycles"] = max(v for k in setups if isinstance(v := row[k], int))
    return row | {"simulated": is_simulated, "verified": is_verified(spec)}


def _key_setups(spec: Spec) -> dict[str, int | None]:
    """Return the cycles from a key to its first block, null in a direction that is not built."""
    return {
        f"key_setup_{direction}_cycles": (
            formulas.key_setup_cycles(spec, direction)
            if direction in spec.what.directions
            else None
        )
        for direction in Direction
    }


def is_verified(spec: Spec) -> bool:
    """Whether RTL and a netlist passed for the design as it is, on any target known here."""
    names = {v.target for v in verifications() if v.name == spec.name and v.target is not None}
    # A user's own Liberty file is not known by its name alone.
    known = [targets.parse(n) for n in sorted(names) if not n.endswith(".lib")]
    return records.is_verified(spec, known)


def failures() -> list[Failure]:
    """Return why the cores of the catalogue, as they are, could not be measured, if any."""
    found = []
    for name, goal in dict.fromkeys((f.name, f.target) for f in records.failures()):
        with suppress(RoundsmithError):  # a core or a Liberty file that is no more
            failure = records.failed(catalogue.find(name), targets.parse(goal))
            found += [] if failure is None else [failure]
    return found


def verified_text(spec: Spec) -> str:
    """Return which forms of the core, as it is, passed: `RTL`, `RTL, netlist` or `no`."""
    if is_verified(spec):
        return "RTL, netlist"
    return "RTL" if records.simulated(spec) is not None else "no"
