"""The area-time curve of a core in standard cells as a picture, from records only."""

from collections.abc import Sequence
from pathlib import Path

import matplotlib
from matplotlib.figure import Figure

from roundsmith.flows.targets import Target
from roundsmith.measure.curve import front
from roundsmith.records import records
from roundsmith.records.records import Measurement
from roundsmith.spec import Spec


def path(spec: Spec, target: Target) -> Path:
    """Return where the curve of `spec` on `target` is drawn."""
    return records.folder() / "curves" / f"{spec.name}-{target.slug}.svg"


def draw(found: Sequence[Measurement], file: Path) -> None:
    """Draw area over clock period, every netlist a point, those that none beats joined."""
    best = front(found)
    # The text of a picture should depend on its figures alone.
    with matplotlib.rc_context({"svg.hashsalt": "roundsmith", "svg.fonttype": "none"}):
        figure = Figure(figsize=(6.4, 4.0), layout="constrained")
        axes = figure.add_subplot()
        axes.step(
            [m.cycle_ns or 0.0 for m in best],
            [m.area_ge or 0.0 for m in best],
            where="post",
            color="tab:blue",
            linewidth=1.0,
        )
        for aim, marker, colour in (
            ("delay at", "o", "tab:blue"),
            ("delay-driven", "^", "tab:red"),
            ("area-driven", "s", "tab:green"),
        ):
            these = [m for m in found if m.flow.startswith(aim)]
            axes.scatter(
                [m.cycle_ns or 0.0 for m in these],
                [m.area_ge or 0.0 for m in these],
                marker=marker,
                color=colour,
                s=24,
                zorder=3,
                label="for one clock" if aim == "delay at" else aim,
            )
        axes.set_title(f"{found[0].name} on {found[0].target}, without wires")
        axes.set_xlabel("clock period, ns")
        axes.set_ylabel("area, GE")
        axes.set_ylim(bottom=0)
        axes.grid(alpha=0.3)
        axes.legend(frameon=False)
        file.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(file, format="svg", metadata={"Date": None})
