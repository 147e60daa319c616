"""What a mode of operation and an AXI4-Stream bus add to a core, as a part of the page on buses."""

from collections.abc import Callable

from roundsmith import catalogue, records, targets
from roundsmith.records import Measurement
from roundsmith.report.grid import NONE, Grid, number
from roundsmith.spec import Bus, Mode, Spec

TARGET = "ecp5-85k:6"

#: The cores, with the modes that use every direction of a core: others leave a part of it away.
CORES = {
    "iterative-lut4": (Mode.ECB, Mode.CBC, Mode.CFB, Mode.OFB, Mode.CTR),
    "satoh-1": (Mode.ECB, Mode.CBC),
}


def _measured(spec: Spec) -> Measurement | None:
    return next(iter(records.current(spec, targets.parse(TARGET))), None)


def _cells(spec: Spec, alone: Measurement | None) -> tuple[str, str, str]:
    """Return LUT4, how many more than the core alone has, and the clock."""
    found = _measured(spec)
    if found is None or found.lut is None:
        return NONE, NONE, NONE
    more = None if alone is None or alone.lut is None else found.lut / alone.lut - 1
    return number(found.lut, ","), number(more, ".1%"), number(found.fmax_mhz, ".1f")


def grid(name: str) -> Grid:
    """Return the core by itself, behind the full port, and in its modes without and with the bus.

    A form without a measurement that is true of it as it is has a mark in place of each figure.
    """
    core = catalogue.find(name)
    alone = _measured(core)
    nothing = (NONE,) * 3
    rows = [
        ("native port", *_cells(core, None), *nothing),
        ("full port", *_cells(core.full(), alone), *nothing),
    ]
    for mode in CORES[name]:
        spec = core.with_mode(mode)
        bus = spec.with_bus(Bus.AXI4_STREAM)
        rows.append((f"`{mode}`", *_cells(spec, alone), *_cells(bus, alone)))
    headings = ("", "LUT4", "more", "MHz", "with `axi4-stream`: LUT4", "more", "MHz")
    return Grid(title=f"`{name}`", note="", headings=headings, rows=tuple(rows))


def _text() -> str:
    parts = [f"{found.title}:\n\n{found.markdown()}" for found in map(grid, CORES)]
    return "\n".join(parts)


#: The generated part of docs/buses.md.
PARTS: dict[str, Callable[[], str]] = {"what a mode costs": _text}
