"""What a transition costs in the cells of a Liberty file: pin capacitances and internal energy.

Energies are in pJ, capacitances in fF, times in ns. Tables are read at the load that the output
drives and at one slew for all (`SLEW_NS`), between their points linearly and beyond them as at the
last; where a cell has several tables for an edge, by input or by condition, their mean counts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from roundsmith.base.errors import ToolError
from roundsmith.tools.liberty import Group, Library, femtofarads, parse

#: The slew at which the tables are read: that of a gate of usual strength and load.
SLEW_NS = 0.1


@dataclass(frozen=True)
class Table:
    """Energy by its two indices, load and slew, or by one of them; `values` row by row."""

    loads: tuple[float, ...]
    slews: tuple[float, ...]
    values: tuple[float, ...]

    def at(self, load: float, slew: float) -> float:
        """Return the value at a load and a slew, in the units of the table."""
        row, down = _place(self.loads, load)
        column, right = _place(self.slews, slew)

        def value(i: int, j: int) -> float:
            rows, columns = max(1, len(self.loads)), max(1, len(self.slews))
            return self.values[min(i, rows - 1) * columns + min(j, columns - 1)]

        upper = value(row, column) * (1 - right) + value(row, column + 1) * right
        lower = value(row + 1, column) * (1 - right) + value(row + 1, column + 1) * right
        return upper * (1 - down) + lower * down


def _place(points: Sequence[float], at: float) -> tuple[int, float]:
    """Return the index of the point before `at`, and how far on to the next it lies, 0 to 1."""
    if len(points) < 2 or at <= points[0]:
        return 0, 0.0
    if at >= points[-1]:
        return len(points) - 1, 0.0
    index = max(i for i, point in enumerate(points) if point <= at)
    return index, (at - points[index]) / (points[index + 1] - points[index])


@dataclass(frozen=True)
class Costs:
    """A library's voltage, and tables by cell and pin for a rise and a fall of that pin.

    `farads` is its unit of capacitance in fF, `nanoseconds` its unit of time in ns.
    """

    voltage: float
    farads: float
    nanoseconds: float
    tables: Mapping[tuple[str, str], tuple[tuple[Table, ...], tuple[Table, ...]]]

    def switching(self, femto: float) -> float:
        """Return the energy of one transition of a wire with a load of so many fF: C V^2 / 2."""
        return 0.5e-3 * femto * self.voltage**2

    def internal(self, cell: str, pin: str, femto: float) -> tuple[float, float]:
        """Return what a rise and a fall of a pin cost inside the cell, with a load in fF."""
        rise, fall = self.tables.get((cell, pin), ((), ()))
        load, slew = femto / self.farads, SLEW_NS / self.nanoseconds
        # The unit of energy is that of capacitance times V^2: pJ where capacitance is in pF.
        unit = self.farads / 1000
        return _mean(rise, load, slew) * unit, _mean(fall, load, slew) * unit


def _mean(tables: Sequence[Table], load: float, slew: float) -> float:
    return sum(table.at(load, slew) for table in tables) / len(tables) if tables else 0.0


def costs(library: Library) -> Costs:
    """Return what transitions cost in `library`.

    Raises ToolError when the library has no tables of internal energy, or no voltage.
    """
    tree = parse(library.path)
    voltage = float(tree.attributes.get("nom_voltage", "0"))
    unit = tree.attributes.get("voltage_unit", "1V").strip('"')
    voltage *= {"1V": 1.0, "100mV": 0.1, "10mV": 0.01, "1mV": 0.001}.get(unit, 1.0)
    time = tree.attributes.get("time_unit", "1ns").strip('"')
    templates = {group.name: group for group in tree.groups_of("power_lut_template")}
    tables = {}
    for cell in tree.groups_of("cell"):
        for pin in cell.groups_of("pin"):
            found = _tables(pin, templates)
            if found[0] or found[1]:
                for name in pin.arguments:
                    tables[cell.name, name] = found
    if not tables or voltage <= 0:
        raise ToolError(
            f"{library.name} says nothing of internal energy or voltage, so no energy can be "
            "estimated; take a Liberty file with internal_power and nom_voltage."
        )
    nanoseconds = {"1ps": 1e-3, "10ps": 1e-2, "100ps": 0.1}.get(time, 1.0)
    return Costs(voltage, femtofarads(tree), nanoseconds, tables)


def _tables(
    pin: Group, templates: Mapping[str, Group]
) -> tuple[tuple[Table, ...], tuple[Table, ...]]:
    """Return the tables of a pin for its rise and for its fall."""
    sides: dict[str, list[Table]] = {"rise_power": [], "fall_power": []}
    for group in pin.groups_of("internal_power"):
        for part in group.groups:
            both = tuple(sides) if part.kind == "power" else (part.kind,)
            for side in both:
                if side in sides:
                    sides[side].append(_table(part, templates))
    return tuple(sides["rise_power"]), tuple(sides["fall_power"])


def _table(part: Group, templates: Mapping[str, Group]) -> Table:
    template = templates.get(part.name)
    values = _numbers(part.attributes["values"])
    if template is None:  # scalar
        return Table((), (), values)
    axes: list[tuple[str, tuple[float, ...]]] = []
    for number in ("1", "2"):
        meaning = template.attributes.get(f"variable_{number}", "")
        index = part.attributes.get(f"index_{number}") or template.attributes.get(f"index_{number}")
        if index is not None:
            axes.append(("load" if "capacitance" in meaning else "slew", _numbers(index)))
    if len(axes) == 2 and axes[0][0] == "slew":
        columns = len(axes[1][1])
        values = tuple(v for column in range(columns) for v in values[column::columns])
    by_name = dict(axes)
    return Table(by_name.get("load", ()), by_name.get("slew", ()), values)


def _numbers(text: str) -> tuple[float, ...]:
    for mark in '"\\,':
        text = text.replace(mark, " ")
    return tuple(float(word) for word in text.split())
