"""Which flow is best: the settings of each flow and others beside them, tried on six cores.

A flow is a small portfolio: it makes a netlist with each of its settings, and the best one counts.
So every setting is tried by itself on every core, and what a portfolio gives follows from that:
the best of its settings. Every trial is stored the moment it is there, as a JSON line of
`data/tuning/trials.jsonl`, and is not made again while core, setting and tools are the same.

A bench is one target with one aim. Its `cost` is what the flow makes small there; it is compared
as the ratio to that of the present flow, and over the cores by the geometric mean.
"""

import hashlib
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from roundsmith import catalogue
from roundsmith.base.errors import RoundsmithError
from roundsmith.base.paths import DATA
from roundsmith.design import generate
from roundsmith.flows import targets
from roundsmith.measure.tuning_benches import Bench
from roundsmith.records import records
from roundsmith.spec import Spec

PATH = DATA / "tuning" / "trials.jsonl"

#: Is told each finished trial on one line, how many there are, and of how many.
Progress = Callable[[str, int, int], None]


class Trial(BaseModel):
    """One core with one setting of a bench.

    `variant` is what the flow repeats with the setting, such as a seed, and `text` the setting in
    the words of the tool. `cost` is null where the tool failed, for which `reason` is.
    `design_hash` is that of the RTL, the target and the tools: trials of one hash are compared.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    bench: str
    core: str
    setting: str
    variant: str
    text: str
    cost: float | None
    figures: dict[str, float]
    reason: str
    design_hash: str
    tools: dict[str, str]


@dataclass(frozen=True)
class Ratio:
    """How a setting does against the present flow, as ratios of costs: below 1 is better.

    `alone` takes the place of the whole flow, `joined` joins it; `low` and `high` are the best and
    the worst core of `alone`. Over `cores`: those that all of it was tried on and came through.
    """

    setting: str
    is_present: bool
    alone: float
    low: float
    high: float
    joined: float
    cores: int


def run(bench: Bench, progress: Progress, path: Path = PATH) -> None:
    """Try what has not been tried on `bench`; store every trial in `path`."""
    known = {(t.bench, t.core, t.variant, t.text, t.design_hash) for t in stored(path)}
    total = len(bench.cores) * len(bench.variants) * len(bench.settings)
    done = 0
    for name in bench.cores:
        spec = catalogue.find(name)
        for variant in bench.variants:
            missing = {
                setting: text
                for setting, text in bench.settings.items()
                if (bench.name, name, variant, text, _hash(spec, bench.target)) not in known
            }
            done += len(bench.settings) - len(missing)
            for setting, found in bench.trials(spec, variant, missing) if missing else ():
                text = bench.settings[setting]
                trial = _trial(bench, spec, setting, variant, text, found)
                _append(trial, path)
                done += 1
                result = trial.reason if trial.cost is None else f"{trial.cost:,.4g}"
                progress(f"{name} {variant} {setting}: {result}", done, total)


def _trial(
    bench: Bench,
    spec: Spec,
    setting: str,
    variant: str,
    text: str,
    found: Mapping[str, float] | RoundsmithError,
) -> Trial:
    failed = isinstance(found, RoundsmithError)
    return Trial(
        bench=bench.name,
        core=spec.name,
        setting=setting,
        variant=variant,
        text=text,
        cost=None if isinstance(found, RoundsmithError) else bench.cost(found),
        figures={} if isinstance(found, RoundsmithError) else dict(found),
        # What follows the first words holds paths of this machine.
        reason=str(found).partition(":")[0] if failed else "",
        design_hash=_hash(spec, bench.target),
        tools=targets.parse(bench.target).tools(),
    )


@cache
def _hash(spec: Spec, name: str) -> str:
    """Return the hash of what decides a trial besides its setting."""
    target = targets.parse(name)
    rtl = generate.design(spec, target.rooms).digest
    return hashlib.sha256(f"{rtl}; {target.name}; {target.tools()}".encode()).hexdigest()


def stored(path: Path = PATH) -> list[Trial]:
    """Return all trials in `path`, oldest first."""
    lines = path.read_text().splitlines() if path.exists() else []
    try:
        trials = [Trial.model_validate_json(line) for line in lines]
    except ValidationError:
        raise RoundsmithError(f"{path} holds a line that is no trial; restore the file.") from None
    return [t.model_copy(update={"design_hash": records.carried(t.design_hash)}) for t in trials]


def _append(trial: Trial, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        file.write(trial.model_dump_json() + "\n")


# --- What follows from the trials ---------------------------------------------------------------


def ratios(bench: Bench, trials: Sequence[Trial]) -> list[Ratio]:
    """Return how every setting of `bench` did in `trials`, the best ones first.

    A trial counts with the words that its setting has now. The trials of a core are all of one
    design: the last one with which the whole of the present flow came through.
    """
    by_core = {core: _costs(bench, core, trials) for core in compared(bench, trials)}
    present = {core: min(costs[name] for name in bench.present) for core, costs in by_core.items()}
    found = []
    for setting in bench.settings:
        alone = {c: by_core[c][setting] / present[c] for c in present if setting in by_core[c]}
        if alone:
            joined = [min(1.0, ratio) for ratio in alone.values()]
            found.append(
                Ratio(
                    setting=setting,
                    is_present=setting in bench.present,
                    alone=statistics.geometric_mean(alone.values()),
                    low=min(alone.values()),
                    high=max(alone.values()),
                    joined=statistics.geometric_mean(joined),
                    cores=len(alone),
                )
            )
    return sorted(found, key=lambda ratio: (-ratio.cores, ratio.alone))


def compared(bench: Bench, trials: Sequence[Trial]) -> list[str]:
    """Return the cores of `bench` on which the present flow was tried, others with it."""
    return [core for core in bench.cores if _costs(bench, core, trials)]


def _costs(bench: Bench, core: str, trials: Sequence[Trial]) -> dict[str, float]:
    """Return the cost of every setting of which all variants came through on `core`."""
    ours = [
        t
        for t in trials
        if (t.bench, t.core) == (bench.name, core) and bench.settings.get(t.setting) == t.text
    ]
    for design in dict.fromkeys(t.design_hash for t in reversed(ours)):
        found = {(t.setting, t.variant): t.cost for t in ours if t.design_hash == design}
        costs = {}
        for setting in bench.settings:
            parts = [found.get((setting, variant)) for variant in bench.variants]
            if None not in parts:
                costs[setting] = bench.combine([part for part in parts if part is not None])
        if set(bench.present) <= set(costs):
            return costs
    return {}
