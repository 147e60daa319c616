"""Our figures of a core or a circuit: read from records, and with them which records those were.

A figure without a record of the design as it is is None, and the command that would make the
record is kept with it. There is no other way for a figure of ours into a table.
"""

from functools import cache
from pathlib import Path

from roundsmith import catalogue
from roundsmith.attribution import cell_components
from roundsmith.circuits import listing, rtl_proof
from roundsmith.flows import targets
from roundsmith.measure import measure_circuits
from roundsmith.records import records
from roundsmith.records.records import Failure, Measurement, PowerEstimate, Verification
from roundsmith.report import circuits
from roundsmith.report.papers.table import Row, Source, Value
from roundsmith.spec import Spec, naming

#: The fabrics of the papers, mapped to for area; and the FPGA and the cells for everything else.
VIRTEX = "mapped:xcv"
VIRTEX_E = "mapped:xcve"
VIRTEX_E_PLAIN = "mapped:xcve:plain"
FPGA = "ecp5-85k:6"
FPGA_PLAIN = "ecp5-85k:6:plain"
#: The FPGA on which cells can be placed in the order of the data.
SMALL_FPGA = "ice40-hx8k"
SMALL_FPGA_PLACED = "ice40-hx8k:floorplan"
CELLS = "asic:osu018"
#: The process nearest to the 0.6 µm of Lutz 2002.
OLD_CELLS = "asic:osu050"

#: The objectives of a flow for standard cells, as the names of flows begin.
AREA = "area"
DELAY = "delay"

_SIMULATION = "simulation: cycles seen at the ports of the RTL"


@cache
def _specs() -> dict[str, Spec]:
    """Return the cores of the catalogue by name, natively and in full."""
    return {spec.name: spec for spec in catalogue.everything()}


@cache
def _spec(name: str) -> Spec | None:
    """Return the core of that name: of the catalogue, or the one that a systematic name means."""
    return _specs().get(name) or naming.parse(name)


@cache
def _on(
    spec: Spec, target: str, stored: tuple[tuple[Path, ...], int]
) -> tuple[list[Measurement], Failure | None]:
    """Return what is known of a core on a target: measurements, or why there are none.

    Records are only ever added, so their number says whether they must be looked through again.
    """
    goal = targets.parse(target)
    found = records.current(spec, goal, anywhere=True)
    return found, None if found else records.failed(spec, goal)


@cache
def _seen(spec: Spec, stored: tuple[tuple[Path, ...], int]) -> Verification | None:
    """Return what the last simulation of a core as it is saw."""
    return records.simulated(spec)


@cache
def _spent(spec: Spec, target: str, stored: tuple[tuple[Path, ...], int]) -> PowerEstimate | None:
    """Return the energy estimate of a core as it is."""
    return records.power(spec, targets.parse(target))


def _stored() -> tuple[tuple[Path, ...], int]:
    kept = (
        *(records.measurements(), records.verifications(), records.failures()),
        records.power_estimates(),
    )
    return records.folders(), sum(len(found) for found in kept)


def square_mm(ge: float | None, target: str) -> float | None:
    """Return the area of the cells of so many GE, in mm² of the library of `target`."""
    return None if ge is None else ge * targets.parse(target).library().gate.area / 1e6


class Sources:
    """The records that were read, and the commands for those that were not there."""

    def __init__(self) -> None:
        self.read: dict[Source, None] = {}
        self.missing: dict[str, None] = {}
        self.failed: dict[str, None] = {}

    def row(self, *cells: Value) -> Row:
        """Return a row with these cells and all that was read for them."""
        return Row(cells, tuple(self.read), tuple(self.missing), tuple(self.failed))


class Core(Sources):
    """One core by its name, or none: its figures as they are asked for."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        self.spec: Spec | None = _spec(name)

    @property
    def title(self) -> str | None:
        """The name as a page shows it, None if there is no such core."""
        return f"`{self.name}`" if self.spec is not None else None

    def measured(self, target: str, objective: str = "") -> Measurement | None:
        """Return the record on `target`, of one objective where the flow has several."""
        if self.spec is None:
            return None
        found, failure = _on(self.spec, target, _stored())
        of = {m.flow.partition(":")[0].partition("-")[0]: m for m in found}
        record = of.get(objective) if objective else next(iter(of.values()), None)
        if record is not None:
            self.read[Source(record.name, record.target, record.flow, record.design_hash)] = None
        elif failure is not None:
            self.failed[f"{self.name} on {target} {failure.kind}: {failure.reason}"] = None
        else:
            self.missing[f"roundsmith measure {self.name} --target {target}"] = None
        return record

    def figure(self, target: str, field: str, objective: str = "") -> int | float | None:
        """Return one figure of that record."""
        record = self.measured(target, objective)
        value = None if record is None else getattr(record, field)
        return value if isinstance(value, int | float) else None

    def part(self, target: str, objective: str, *parts: str) -> float | None:
        """Return the GE of parts of the core, together.

        Components are of a netlist that keeps instances apart, which may be another than the one
        that counts, and larger: the parts have the share of the core's area that they have there.
        None where an older rule told them.
        """
        record = self.measured(target, objective)
        if self.spec is None or record is None or record.area_ge is None:
            return None
        if not cell_components.told(self.spec, record):
            self.missing[f"roundsmith measure {self.name} --target {target} --again"] = None
        found = cell_components.shown(self.spec, record)
        share = sum(found.get(part, 0.0) for part in parts)
        return record.area_ge * share / sum(found.values()) if found else None

    def seen(self) -> Verification | None:
        """Return what the last simulation of the core as it is saw."""
        if self.spec is None:
            return None
        record = _seen(self.spec, _stored())
        if record is None or record.latency_cycles is None:
            self.missing[f"roundsmith verify {self.name} --target rtl"] = None
            return None
        self.read[Source(record.name, "rtl", _SIMULATION, record.design_hash)] = None
        return record

    def cycles(self, field: str) -> int | float | None:
        """Return cycles of that simulation: a whole number as one."""
        record = self.seen()
        value = None if record is None else getattr(record, field)
        return int(value) if isinstance(value, float) and value == int(value) else value

    def bits_per_cycle(self) -> float | None:
        """Return the bits of a block by the cycles that blocks are apart."""
        cycles = self.cycles("cycles_per_block")
        return None if cycles is None else 128 / cycles

    def energy(self, target: str) -> float | None:
        """Return the energy of a block in pJ, from the estimate on `target`."""
        if self.spec is None:
            return None
        record = _spent(self.spec, target, _stored())
        if record is None:
            self.missing[f"roundsmith power {self.name} --target {target}"] = None
            return None
        self.read[Source(record.name, record.target, record.flow, record.design_hash)] = None
        return record.energy_pj

    def gigabits(self, target: str, objective: str) -> float | None:
        """Return the throughput of the record in Gbit/s."""
        mbps = self.figure(target, "throughput_mbps", objective)
        return None if mbps is None else mbps / 1000


class Circuit(Sources):
    """One circuit by its name: its figures as `roundsmith circuits` shows them."""

    def __init__(self, *names: str) -> None:
        super().__init__()
        self.names = names
        found = {circuit.name: circuit for circuit in listing.everything()}
        self._circuits = [found[name] for name in names if name in found]
        cells = circuits.library(None)
        self._described = [circuits.describe(circuit, cells) for circuit in self._circuits]

    @property
    def title(self) -> str | None:
        """The names as a page shows them."""
        return " and ".join(f"`{circuit.name}`" for circuit in self._circuits) or None

    def counted(self, key: str) -> int | float | None:
        """Return gates or depth of the straight-line programs: the sum of their counts."""
        for circuit in self._circuits:
            digest = measure_circuits.design_hash(circuit, rtl_proof.FLOW)
            self.read[Source(circuit.name, "program", "counted", digest)] = None
        return self._sum(key)

    def luts(self, key: str) -> int | float | None:
        """Return LUT4s or registers, from the records of mappings."""
        self._note(None)
        return self._sum(key)

    def cells(self, key: str) -> int | float | None:
        """Return GE or delays, from the records in standard cells."""
        self._note(CELLS)
        return self._sum(key)

    def _note(self, target: str | None) -> None:
        for circuit in self._circuits:
            record = measure_circuits.current(circuit, targets.parse(target) if target else None)
            if record is None:
                self.missing[f"roundsmith circuits measure {circuit.name}"] = None
            else:
                flow = "mapping" if target is None else "area- and delay-driven"
                found = Source(record.name, record.target, flow, record.design_hash)
                self.read[found] = None

    def _sum(self, key: str) -> int | float | None:
        values = [row.get(key) for row in self._described]
        known = [value for value in values if isinstance(value, int | float)]
        return sum(known) if known and len(known) == len(values) else None
