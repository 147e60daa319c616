"""Records: what was measured and verified, with the hash of what it was measured on.

Those that come with Roundsmith are in `data/measured` and are only read; what is measured here
goes to the user's own folder. All are append-only: one JSON object a line. The last record of a key
counts, and only as long as its design hash is still the hash of the design.

How designs are hashed may change. Then `carried.jsonl` says which hash by the new rule stands for
the same design as one by the old rule (see scripts/carry_records.py); records stay as they were
stored. A new record also says by which rule it was hashed, and the hash of its whole sources, which
no rule decides: with it a design can be recognized whatever rule is in force.
"""

import fcntl
import hashlib
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Literal, TypedDict, TypeVar

from platformdirs import user_data_path
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from roundsmith.base.errors import RoundsmithError, ToolMissing
from roundsmith.base.paths import DATA
from roundsmith.circuits.cells import Netlist
from roundsmith.circuits.luts import LutMapping
from roundsmith.design import elaborate, generate, tech
from roundsmith.flows.targets import Target
from roundsmith.spec import Spec


class _OfDesign(BaseModel):
    """What every record of a design has: its hash, the rule of the hash, and its sources.

    `rule` is roundsmith.design.elaborate.RULE, null in records that are older than it. `sources` is
    the hash of all code, of the flow and of the versions of the tools (see `sources_hash`).
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    design_hash: str
    rule: int | None = None
    sources: str | None = None


class Carried(BaseModel):
    """Two hashes of one design: by an older rule, and by `rule`. `design` is for the reader."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    old: str
    new: str
    rule: int
    design: str


class PathStep(BaseModel):
    """One step of a critical path: what part of the core, and the delay in ns."""

    model_config = ConfigDict(frozen=True)

    part: str
    delay_ns: float


class Measurement(_OfDesign):
    """The figures of one core on one target. A figure that does not apply is null.

    `lut` counts LUT4, on families that have larger ones LUTs of any size, those that distributed
    RAM and shift registers occupy included; `shift_registers` and `memory_luts` are these where
    they are LUT4; `slices` is a lower bound, without the block RAMs;
    `cells` counts carry, multiplexers that join LUTs, and the LUTs of shift registers and RAM;
    `smallest_lut` counts the smallest netlist of the flow, which places another if that has more
    MHz per LUT; `levels` is how many LUTs the longest path has. `fmax_mhz` is the median over
    `seeds`, and `fmax_spread_mhz` its lowest and highest; the capped fmax is limited by the clock
    tree of the family and decides the throughput. `area_ge` and `cycle_ns` are of one netlist.
    `components_rule` is the rule that told the components (see
    roundsmith.attribution.cell_components).
    """

    name: str
    target: str
    lut: int | None = None
    smallest_lut: int | None = None
    ff: int | None = None
    block_ram: int | None = None
    slices: int | None = None
    shift_registers: int | None = None
    memory_luts: int | None = None
    cells: dict[str, int] | None = None
    levels: int | None = None
    fmax_mhz: float | None = None
    fmax_spread_mhz: tuple[float, float] | None = None
    fmax_capped_mhz: float | None = None
    cycles_per_block: float
    throughput_mbps: float | None = None
    mbps_per_klut: float | None = None
    area_ge: float | None = None
    cycle_ns: float | None = None
    mbps_per_kge: float | None = None
    flow: str
    tools: dict[str, str]
    seeds: list[int] | None = None
    components: dict[str, float] | None = None
    components_rule: int | None = None
    critical_path: list[PathStep] = Field(default_factory=list)
    to_outputs_ns: float | None = None
    from_inputs_ns: float | None = None


class Verification(_OfDesign):
    """A core that answered everything right, as RTL or as the netlist for one target.

    The cycles were seen in that simulation, with the longest key built in; a key set-up is null
    in a direction that the core does not have.
    """

    name: str
    target: str | None
    blocks: int
    latency_cycles: int | None = None
    cycles_per_block: float | None = None
    blocks_in_flight: int | None = None
    key_setup_encrypt_cycles: int | None = None
    key_setup_decrypt_cycles: int | None = None
    tools: dict[str, str]


FailureKind = Literal["does not fit", "does not route", "tool missing", "timed out", "refused"]


class Failure(_OfDesign):
    """A core that could not be measured on a target, and why, in one sentence.

    `refused` is a tool that does not take the core for another reason. Where the tools are missing,
    the hash is that of the RTL alone, since the flow has no versions.
    """

    name: str
    target: str
    kind: FailureKind
    reason: str
    tools: dict[str, str]


class PowerEstimate(_OfDesign):
    """The energy of a core for a block, in pJ: an estimate without wires (see measure.power).

    `switching_pj`, `internal_pj` and `clock_pj` add up to it. `blocks` were simulated.
    """

    name: str
    target: str
    flow: str
    blocks: int
    cycles_per_block: float
    voltage: float
    energy_pj: float
    energy_pj_per_bit: float
    switching_pj: float
    internal_pj: float
    clock_pj: float
    tools: dict[str, str]


class CircuitMeasurement(_OfDesign):
    """What one circuit takes: `mappings` by FPGA family, or `netlists` in standard cells."""

    name: str
    target: str
    tools: dict[str, str]
    mappings: dict[str, list[LutMapping]] | None = None
    netlists: list[Netlist] | None = None


class CircuitProof(_OfDesign):
    """A circuit whose module was proved right for every input."""

    name: str
    tools: dict[str, str]


class PipelineSearch(BaseModel):
    """What both searches for a pipeline of a core measured on a target, in their order.

    `printed` are the names of the cores of Algorithm 1, `wider` those of ours: their figures are
    those of their measurements.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    target: str
    printed: tuple[str, ...]
    wider: tuple[str, ...]


AnyRecord = (
    Measurement
    | Verification
    | Failure
    | PowerEstimate
    | CircuitMeasurement
    | CircuitProof
    | PipelineSearch
)
Record = TypeVar(
    "Record",
    Measurement,
    Verification,
    Failure,
    PowerEstimate,
    CircuitMeasurement,
    CircuitProof,
    PipelineSearch,
)

Line = TypeVar("Line", bound=BaseModel)

_FILES: dict[type[BaseModel], str] = {
    Measurement: "measurements.jsonl",
    Verification: "verifications.jsonl",
    Failure: "failures.jsonl",
    PowerEstimate: "power.jsonl",
    CircuitMeasurement: "circuits.jsonl",
    CircuitProof: "circuit-proofs.jsonl",
    PipelineSearch: "pipelines.jsonl",
}


def folder() -> Path:
    """Return the folder that new records go to: `roundsmith/records` of the user's data.

    `ROUNDSMITH_RECORDS` names another.
    """
    own = os.environ.get("ROUNDSMITH_RECORDS")
    return Path(own) if own else user_data_path("roundsmith", appauthor=False) / "records"


def folders() -> tuple[Path, ...]:
    """Return the folders that records are read from: the shipped ones, then the user's own.

    Where `ROUNDSMITH_RECORDS` names a folder, there is that one alone.
    """
    return (folder(),) if os.environ.get("ROUNDSMITH_RECORDS") else (DATA / "measured", folder())


def carried_path() -> Path:
    """Return the file that says which hashes of different rules are of one design."""
    return folders()[0] / "carried.jsonl"


def picture_path(spec: Spec, target: Target) -> Path:
    """Return where the placement of `spec` on `target` is drawn when it is measured."""
    return folder() / _picture(spec, target)


def picture(spec: Spec, target: Target) -> Path | None:
    """Return the last picture of the placement of `spec` on `target`, None where there is none."""
    files = (place / _picture(spec, target) for place in reversed(folders()))
    return next((file for file in files if file.exists()), None)


def _picture(spec: Spec, target: Target) -> Path:
    return Path("placements") / f"{spec.name}-{target.slug}.png"


def design_hash(spec: Spec, target: Target | None, *, wanted: bool = False) -> str:
    """Return the hash of a design on a target: expanded RTL, flow script and tool versions.

    The technology cells are those of the target. Without a target it is the hash of the RTL alone,
    with the generic ones. ToolMissing where a tool is not here, unless the version that is `wanted`
    counts.
    """
    text = generate.design(spec, target.rooms if target else tech.GENERIC).digest
    if target is not None:
        text += target.flow_text(wanted=wanted)
    return hashlib.sha256(text.encode()).hexdigest()


class Identity(TypedDict):
    """What a record says of the design that it is of."""

    design_hash: str
    rule: int
    sources: str


def identity(spec: Spec, target: Target | None) -> Identity:
    """Return what a new record of `spec` on `target` says of the design. ToolMissing as above."""
    return Identity(
        design_hash=design_hash(spec, target),
        rule=elaborate.RULE,
        sources=sources_hash(spec, target),
    )


def sources_hash(spec: Spec, target: Target | None) -> str:
    """Return the hash of all code of a design, taken or not, and of the flow: by no rule.

    It is the SHA-256 over the code of the library files in reading order, without comments, over
    the top module, and over the text of the flow where there is a target.
    """
    design = generate.design(spec, target.rooms if target else tech.GENERIC)
    texts = [elaborate.code(path.read_text()) for path in design.library]
    flow = target.flow_text() if target else ""
    return hashlib.sha256("".join([*texts, elaborate.code(design.top), flow]).encode()).hexdigest()


@contextmanager
def unchanged(spec: Spec, target: Target | None) -> Iterator[None]:
    """Raise RoundsmithError at the end when the design is not the one of the beginning.

    What was found of it meanwhile would be stored under the hash of another.
    """
    before = design_hash(spec, target)
    yield
    elaborate.forget()
    if design_hash(spec, target) != before:
        raise RoundsmithError(
            f"The files of {spec.name} changed meanwhile, so nothing was stored; try again."
        )


def append(record: AnyRecord) -> None:
    """Add `record` to its file, at once and whole. Several processes may do so at once."""
    path = folder() / _FILES[type(record)]
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab", buffering=0) as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.write(record.model_dump_json().encode() + b"\n")
    forget()


def forget() -> None:
    """Read the records anew the next time: another process may have added some."""
    _read.cache_clear()
    _carried.cache_clear()


def measurements() -> list[Measurement]:
    """Return all measurements ever stored, oldest first."""
    return list(_read(Measurement))


def verifications() -> list[Verification]:
    """Return all verifications ever stored, oldest first."""
    return list(_read(Verification))


def failures() -> list[Failure]:
    """Return all failures ever stored, oldest first."""
    return list(_read(Failure))


def power_estimates() -> list[PowerEstimate]:
    """Return all estimates of energy ever stored, oldest first."""
    return list(_read(PowerEstimate))


def circuit_measurements() -> list[CircuitMeasurement]:
    """Return all measurements of circuits ever stored, oldest first."""
    return list(_read(CircuitMeasurement))


def circuit_proofs() -> list[CircuitProof]:
    """Return all proofs of circuits ever stored, oldest first."""
    return list(_read(CircuitProof))


def pipeline_searches() -> list[PipelineSearch]:
    """Return all searches for a pipeline ever stored, oldest first."""
    return list(_read(PipelineSearch))


def count(kind: type[Record]) -> int:
    """Return how many records of a kind there are."""
    return len(_read(kind))


@cache
def _read(kind: type[Record]) -> tuple[Record, ...]:
    found = []
    for place in folders():
        for record in _lines(place / _FILES[kind], kind):
            if isinstance(record, _OfDesign):
                record = record.model_copy(update={"design_hash": carried(record.design_hash)})
            found.append(record)
    return tuple(found)


def carried(digest: str) -> str:
    """Return the hash by the present rule of a design whose hash was `digest` by an older one.

    It is the same where none is known.
    """
    known = _carried(carried_path())
    while digest in known:
        digest = known[digest]
    return digest


@cache
def _carried(path: Path) -> dict[str, str]:
    return {line.old: line.new for line in _lines(path, Carried)}


def _lines(path: Path, kind: type[Line]) -> list[Line]:
    """Return the lines of a file, none where there is no file."""
    found = []
    lines = path.read_text().splitlines() if path.exists() else []
    for number, line in enumerate(lines, start=1):
        try:
            found.append(kind.model_validate_json(line))
        except ValidationError:
            raise RoundsmithError(
                f"{path}, line {number}, is not a record; restore the file or delete that line."
            ) from None
    return found


def _hash_here(spec: Spec, target: Target) -> str | None:
    """Return the hash of a design on a target, None where a tool is missing: it has no version."""
    try:
        return design_hash(spec, target)
    except ToolMissing:
        return None


def current(spec: Spec, target: Target, *, anywhere: bool = False) -> list[Measurement]:
    """Return the measurements of `spec` on `target` that are true of the design as it is.

    One for each objective of the flow: an FPGA has one, standard cells have two. A page is the same
    `anywhere`: there the records of tools count that are wanted, but may not be here.
    """
    known = _hash_here(spec, target)
    if known is None and anywhere:
        known = design_hash(spec, target, wanted=True)
    found = {m.flow.split(":")[0]: m for m in measurements() if _is(m, spec, target, known)}
    return list(found.values())


def failed(spec: Spec, target: Target) -> Failure | None:
    """Return why the design as it is could not be measured on `target`, the last time it was tried.

    None where it was not tried or could be measured.
    """
    wanted = {design_hash(spec, None)}
    with suppress(ToolMissing):
        if current(spec, target):
            return None
        wanted.add(design_hash(spec, target))
    found = [f for f in failures() if (f.name, f.target) == (spec.name, target.name)]
    return next((f for f in reversed(found) if f.design_hash in wanted), None)


def power(spec: Spec, target: Target) -> PowerEstimate | None:
    """Return the energy estimate that is true of the design as it is, None if there is none."""
    wanted = design_hash(spec, target)
    found = [p for p in _read(PowerEstimate) if (p.name, p.target) == (spec.name, target.name)]
    return next((p for p in reversed(found) if p.design_hash == wanted), None)


def simulated(spec: Spec) -> Verification | None:
    """Return what was last seen of the RTL of `spec` as it is, None if it was not verified."""
    wanted = design_hash(spec, None)
    found = [v for v in verifications() if (v.name, v.target) == (spec.name, None)]
    return next((v for v in reversed(found) if v.design_hash == wanted), None)


def _is(record: Measurement, spec: Spec, target: Target, wanted: str | None) -> bool:
    return (record.name, record.target, record.design_hash) == (spec.name, target.name, wanted)


def is_verified(spec: Spec, targets: Iterable[Target]) -> bool:
    """Whether RTL and the netlist for one of `targets` passed for the design as it is."""
    passed = {(v.name, v.target, v.design_hash) for v in verifications()}
    if (spec.name, None, design_hash(spec, None)) not in passed:
        return False
    return any((spec.name, t.name, _hash_here(spec, t)) in passed for t in targets)
