"""Carry the records over to another rule of hashing designs; no tool runs, and no figure changes.

    git worktree add /tmp/before COMMIT
    PYTHONPATH=/tmp/before/src .venv/bin/python scripts/carry_records.py list > before.json
    .venv/bin/python scripts/carry_records.py carry before.json

`list` writes the hash of every design that has a record, by the rule of the sources it runs on.
`carry` compares these with the hashes by the present rule and adds a line for each that differs to
`data/measured/carried.jsonl`. Both must see the same `rtl/`: then both hashes are of one design.
"""

import json
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from roundsmith import catalogue
from roundsmith.base.errors import RoundsmithError
from roundsmith.circuits import listing, luts, rtl_proof
from roundsmith.design import elaborate
from roundsmith.flows import targets
from roundsmith.flows.flow import CELLS
from roundsmith.measure import curve, measure_circuits, tuning, tuning_benches
from roundsmith.records import records


def _designs() -> Iterator[tuple[str, str]]:
    """Return a name for every design with a record, and its hash."""
    cores = {
        (record.name, record.target)
        for found in (
            records.measurements(),
            records.verifications(),
            records.failures(),
            records.power_estimates(),
        )
        for record in found
    }
    cores |= {(name, None) for name, _ in cores}
    for name, goal in sorted(cores, key=str):
        with suppress(RoundsmithError):  # a core that is no more, a Liberty file that is not here
            spec = catalogue.find(name)
            target = None if goal is None else targets.parse(goal)
            # The version that is wanted counts where a tool is not installed.
            yield f"core {name} {goal}", records.design_hash(spec, target, wanted=True)
            if target is not None and target.flow.logic is CELLS:
                yield f"curve {name} {goal}", curve._hash(spec, target)
    for bench in tuning_benches.BENCHES:
        for name in bench.cores:
            yield f"trial {name} {bench.target}", tuning._hash(catalogue.find(name), bench.target)
    goals = [targets.parse(f"asic:{name}") for name in ("osu018", "osu035", "osu050")]
    flows = {"luts": luts.FLOW, "proof": rtl_proof.FLOW}
    flows |= {goal.name: measure_circuits._cells_flow(goal) for goal in goals}
    for circuit in listing.everything():
        for name, flow in flows.items():
            if circuit.path.exists():
                yield f"circuit {circuit.name} {name}", measure_circuits.design_hash(circuit, flow)


def _present() -> dict[str, str]:
    return dict(_designs())


def _carry(before: dict[str, str]) -> None:
    """Add what `before` and the present rule call the same design to the records."""
    now = _present()
    stored = "".join(path.read_text() for path in _stored())
    with records.carried_path().open("a") as file:
        for design, old in before.items():
            if old != now[design] and f'"{old}"' in stored:
                line = records.Carried(old=old, new=now[design], rule=elaborate.RULE, design=design)
                file.write(line.model_dump_json() + "\n")


def _stored() -> list[Path]:
    return [*records.folders()[0].glob("*.jsonl"), tuning.PATH]


def main() -> None:
    """Run the step that is asked for."""
    if sys.argv[1:] == ["list"]:
        json.dump(_present(), sys.stdout, indent=0)
    elif len(sys.argv) == 3 and sys.argv[1] == "carry":
        _carry(json.loads(Path(sys.argv[2]).read_text()))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
