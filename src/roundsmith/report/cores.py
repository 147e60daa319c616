"""What each core can do, in cycles: the rows of `roundsmith list`."""

from roundsmith import records, targets
from roundsmith import spec as formulas
from roundsmith.records import verifications
from roundsmith.spec import Spec


def describe(spec: Spec) -> dict[str, object]:
    """Return one row with the documented, stable keys of `roundsmith list --json`."""
    return {
        "name": spec.name,
        "cipher": str(spec.what.cipher),
        "key_bits": list(spec.what.key_bits),
        "directions": [str(d) for d in spec.what.directions],
        "architecture": str(spec.how.architecture),
        "port_width": spec.port.width,
        "paper": spec.paper,
        "cycles_per_block": formulas.cycles_per_block(spec),
        "latency_cycles": formulas.latency_cycles(spec),
        "core_latency_cycles": formulas.core_latency_cycles(spec),
        "key_setup_cycles": formulas.key_setup_cycles(spec),
        "blocks_in_flight": formulas.blocks_in_flight(spec),
        "verified": is_verified(spec),
    }


def is_verified(spec: Spec) -> bool:
    """Whether RTL and a netlist passed for the design as it is, on any target known here."""
    names = {v.target for v in verifications() if v.name == spec.name and v.target is not None}
    # A user's own Liberty file is not known by its name alone.
    known = [targets.parse(n) for n in sorted(names) if n == "asic:osu018" or n[:4] != "asic"]
    return records.is_verified(spec, known)
