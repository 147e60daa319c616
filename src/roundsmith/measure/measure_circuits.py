"""Measure circuits, one by one, and store the records.

A record carries the hash of what it was measured on: what the elaborated module reaches, the flow
and the versions of the tools. When any of them changes, the record no longer counts. Every record
is stored as soon as it is there, so an interrupted run goes on where it was.
"""

import hashlib
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from roundsmith.circuits import cells, luts, rtl_proof
from roundsmith.circuits.listing import Circuit
from roundsmith.circuits.proof import is_proved
from roundsmith.design import elaborate
from roundsmith.flows.targets import Target
from roundsmith.records import records
from roundsmith.records.records import CircuitMeasurement, CircuitProof
from roundsmith.tools import yosys

Progress = Callable[[str, int, int], None]

#: The target of the records with mappings to LUT4s.
LUTS = "luts"


def design_hash(circuit: Circuit, flow: str) -> str:
    """Return the hash of what a circuit reaches, without and with registers, and of a flow."""
    text = f"{_rtl(circuit)}; {_tools()}; {flow}"
    return hashlib.sha256(text.encode()).hexdigest()


def _rtl(circuit: Circuit) -> str:
    """Return the digest of what a circuit reaches, without and with registers."""
    instances = ""
    for cut in (False, True):
        settings = (setting.split("=") for setting in circuit.parameters(cut=cut))
        values = ", ".join(f".{name} ({value})" for name, value in settings)
        instances += f"  {circuit.module} #({values}) u_{int(cut)} ();\n"
    top = f"module circuit;\n{instances}endmodule\n"
    return elaborate.library("circuit", f"{circuit.text}\n{top}").digest


def _tools() -> dict[str, str]:
    return {"yosys": yosys.version()}


def _cells_flow(cells_of: Target) -> str:
    file = cells_of.file
    library = "" if file is None else hashlib.sha256(file.read_bytes()).hexdigest()
    return f"{cells_of.name}; {cells.FLOW}; {library}"


def current(circuit: Circuit, target: Target | None) -> CircuitMeasurement | None:
    """Return the record of `circuit` that is true of it as it is.

    `target` is one of standard cells; without it, it is the record of mappings to LUT4s.
    """
    if not circuit.path.exists():
        return None
    name = LUTS if target is None else target.name
    wanted = design_hash(circuit, luts.FLOW if target is None else _cells_flow(target))
    for record in reversed(records.circuit_measurements()):
        if (record.name, record.target, record.design_hash) == (circuit.name, name, wanted):
            return record
    return None


def proved(circuit: Circuit) -> bool:
    """Whether the circuit is right for every input.

    The proof of a program is done here and now; that of any other module is a record.
    """
    if circuit.program is not None:
        return is_proved(circuit.program)
    wanted = design_hash(circuit, rtl_proof.FLOW)
    return (circuit.name, wanted) in {(p.name, p.design_hash) for p in records.circuit_proofs()}


def measure(
    circuits: Sequence[Circuit], target: Target, *, again: bool, progress: Progress
) -> None:
    """Prove and measure `circuits`: LUT4s, and cells of `target`. Stores what it finds.

    What has a record of the circuit as it is is left out, unless `again`. `progress` is told
    each step, how many are done and how many there are.
    """
    steps = [(c, step) for c in circuits for step in _steps(c, target, again=again)]
    for done, (circuit, (what, work)) in enumerate(steps):
        progress(f"{circuit.name}: {what}", done, len(steps))
        with tempfile.TemporaryDirectory() as folder:
            work(Path(folder))
    progress("done", len(steps), len(steps))


_Step = tuple[str, Callable[[Path], None]]


def _steps(circuit: Circuit, target: Target, *, again: bool) -> list[_Step]:
    """Return what is to be done for one circuit: a name and the work, in a folder."""

    def proof(_: Path) -> None:
        rtl_proof.prove(circuit)
        digest = design_hash(circuit, rtl_proof.FLOW)
        records.append(CircuitProof(name=circuit.name, design_hash=digest, tools=_tools()))

    def to_luts(folder: Path) -> None:
        records.append(
            CircuitMeasurement(
                name=circuit.name,
                target=LUTS,
                design_hash=design_hash(circuit, luts.FLOW),
                tools=_tools(),
                mappings=luts.synthesize(circuit, folder),
            )
        )

    def to_cells(folder: Path) -> None:
        records.append(
            CircuitMeasurement(
                name=circuit.name,
                target=target.name,
                design_hash=design_hash(circuit, _cells_flow(target)),
                tools=_tools(),
                netlists=cells.synthesize(circuit, target.library(), folder),
            )
        )

    steps: list[_Step] = []
    if circuit.program is None and (again or not proved(circuit)):
        steps.append(("proof", proof))
    if again or current(circuit, None) is None:
        steps.append(("LUT4s", to_luts))
    if not circuit.in_memory and (again or current(circuit, target) is None):
        steps.append(("standard cells", to_cells))
    return steps
