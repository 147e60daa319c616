"""What a mode of operation and an AXI4-Stream bus add to a core, as a part of the page on buses."""

from collections.abc import Callable

from roundsmith import catalogue
from roundsmith.base.errors import RoundsmithError
from roundsmith.base.grid import NONE, Grid, number
from roundsmith.flows import targets
from roundsmith.records import records
from roundsmith.records.records import Measurement
from roundsmith.spec import Bus, Mode, ModeOfOperation, Spec
from roundsmith.spec.buses import MESSAGES
from roundsmith.spec.modes import MODES

TARGET = "ecp5-85k:6"

#: The cores, with the modes that use every direction of a core: others leave a part of it away.
#: Modes that keep keys, tags or tweaks beside the core, which costs more, stand behind the bus
#: alone.
CORES = tuple(dict.fromkeys(core for mode in MODES for core in mode.priced_on))


def _measured(spec: Spec) -> Measurement | None:
    return next(iter(records.current(spec, targets.parse(TARGET))), None)


def smallest(spec: Spec) -> int:
    """Return the LUT4s of the smallest mapping of a core. RoundsmithError when it has no record."""
    found = _measured(spec)
    if found is None or found.smallest_lut is None:
        raise RoundsmithError(f"{spec.name} was not measured on {TARGET} as it is.")
    return found.smallest_lut


def _row(form: str, spec: Spec, alone: Measurement | None) -> tuple[str, ...]:
    """Return LUT4, how many more than the core alone has, then LUT4 and clock as placed."""
    found = _measured(spec)
    if found is None or found.smallest_lut is None:
        return form, NONE, NONE, NONE, NONE
    base = None if alone is None else alone.smallest_lut
    more = None if base is None else found.smallest_lut / base - 1
    return (
        form,
        number(found.smallest_lut, ","),
        number(more, ".1%"),
        number(found.lut, ","),
        number(found.fmax_mhz, ".1f"),
    )


def modes_of(name: str) -> list[ModeOfOperation]:
    """Return the modes of a core in the table, the larger ones behind the others."""
    found = [mode for mode in MODES if name in mode.priced_on]
    return sorted(found, key=lambda mode: mode.is_larger)


def grid(name: str) -> Grid:
    """Return the core by itself, behind the full port, and in its modes without and with the bus.

    A form without a measurement that is true of it as it is has a mark in place of each figure.
    """
    core = catalogue.find(name)
    alone = _measured(core)
    rows = [_row("native port", core, None), _row("full port", core.full(), alone)]
    for mode in modes_of(name):
        spec = core.with_mode(Mode(mode.word))
        if not mode.is_larger:
            rows.append(_row(f"`{mode.word}`", spec, alone))
        for bus in [bus for bus in MESSAGES if bus.is_priced]:
            behind = spec.with_bus(Bus(bus.word))
            rows.append(_row(f"`{mode.word}` with `{bus.word}`", behind, alone))
    headings = ("", "smallest: LUT4", "more", "as placed: LUT4", "MHz")
    return Grid(title=f"`{name}`", note="", headings=headings, rows=tuple(rows))


def _text() -> str:
    parts = [f"{found.title}:\n\n{found.markdown()}" for found in map(grid, CORES)]
    return "\n".join(parts)


#: The generated part of docs/buses.md.
PARTS: dict[str, Callable[[], str]] = {"what a mode costs": _text}
