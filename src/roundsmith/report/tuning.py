"""The trials of other flows as tables: how every setting does against the flow in use."""

from collections.abc import Callable

from roundsmith.base.grid import Grid
from roundsmith.measure import tuning
from roundsmith.measure.tuning_benches import BENCHES, Bench

_HEADINGS = (
    "setting",
    "alone",
    "best core",
    "worst core",
    "joined",
    "cores",
    "in words of the tool",
)


def grid(bench: Bench) -> Grid:
    """Return how every setting of `bench` did, the best ones first."""
    rows = [
        (
            f"**{ratio.setting}**" if ratio.is_present else ratio.setting,
            f"{ratio.alone:.3f}",
            f"{ratio.low:.3f}",
            f"{ratio.high:.3f}",
            f"{ratio.joined:.3f}",
            str(ratio.cores),
            f"`{bench.settings[ratio.setting].strip()}`",
        )
        for ratio in tuning.ratios(bench, tuning.stored())
    ]
    return Grid(
        title=f"{bench.name} ({bench.target}): ratios of {bench.unit}",
        note="",
        headings=_HEADINGS,
        rows=tuple(rows),
        texts=frozenset({len(_HEADINGS) - 1}),
    )


def _part(bench: Bench) -> Callable[[], str]:
    def text() -> str:
        cores = ", ".join(f"`{core}`" for core in tuning.compared(bench, tuning.stored()))
        table = grid(bench).markdown()
        return f"On {cores} for `{bench.target}`, ratios of {bench.unit}:\n\n{table}"

    return text


#: The generated parts of docs/measuring.md.
PARTS: dict[str, Callable[[], str]] = {
    f"flow trials, {bench.name}": _part(bench) for bench in BENCHES
}
