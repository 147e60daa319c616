"""SVG of a picture: the same text for the same figures."""

import io
from collections.abc import Callable, Sequence
from typing import Any


def drawn(draw: Callable[[Any], Any]) -> str:
    """Return the SVG of the figure that `draw` makes with matplotlib's pyplot."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    # Names inside the file come from the salt and not from chance.
    with matplotlib.rc_context({"svg.hashsalt": "roundsmith", "font.family": "DejaVu Sans"}):
        figure = draw(pyplot)
        out = io.StringIO()
        nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        figure.savefig(out, format="svg", metadata=nothing)
        pyplot.close(figure)
    # matplotlib ends some lines with spaces.
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def plain(axes: Any) -> None:
    """Give a panel a light grid behind the data, and no frame above and at the right."""
    axes.grid(color="#e6e6e4", lw=0.6)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def apart(heights: Sequence[float], gap: float) -> list[float]:
    """Return rising `heights` moved apart by `gap` at least, and inside the panel."""
    found: list[float] = []
    for height in heights:
        found.append(max(height, found[-1] + gap) if found else max(height, gap / 2))
    top = 1 - gap / 2
    for index in range(len(found) - 1, -1, -1):
        found[index] = min(found[index], top)
        top = found[index] - gap
    return found
