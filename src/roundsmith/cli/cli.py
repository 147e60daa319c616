"""The command line: thin, and the only place that prints."""

import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer
from rich.table import Table

from roundsmith import catalogue
from roundsmith.base import output_file
from roundsmith.base.errors import RoundsmithError, VerificationFailed
from roundsmith.cli import explore
from roundsmith.cli.console import out as _out
from roundsmith.cli.console import print_grid as _print_grid
from roundsmith.cli.console import print_json as _print_json
from roundsmith.cli.console import print_line as _print_line
from roundsmith.cli.console import print_wide as _print_wide
from roundsmith.cli.console import progress as _progress
from roundsmith.cli.mode_bus_options import BusName, ModeName, SelfTest, with_mode_and_bus
from roundsmith.cli.requirements import Requirements, with_requirements
from roundsmith.spec.ciphers import CIPHERS
from roundsmith.tools import process

if TYPE_CHECKING:
    from pydantic import BaseModel

    from roundsmith.flows.targets import Target
    from roundsmith.spec import Spec

app = typer.Typer(
    help=f"From a requirement to an {' or '.join(cipher.name for cipher in CIPHERS)} core: "
    "SystemVerilog, verified and measured.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

circuits = typer.Typer(help="Show, prove and measure the circuits that cores are made of.")
app.add_typer(circuits, name="circuits")
explore.add(app)

Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
Name = Annotated[str, typer.Argument(help="A name of `roundsmith list`, or a spec as NAME.toml.")]
Library = Annotated[
    str | None,
    typer.Option("--library", help="A Liberty file; OSU's 0.18 um cells if there is none."),
]


@app.command("list")
def list_cores(as_json: Json = False) -> None:
    """Show the named cores and what each can do, in cycles."""
    from roundsmith.report import cores, figures

    rows = [cores.describe(spec) for spec in catalogue.everything()]
    if as_json:
        _print_json(rows)
        return
    table = Table(box=None, pad_edge=False)
    for heading in ("name", "paper", "S-box", "port"):
        table.add_column(heading, no_wrap=True)
    for heading in ("cycles/block", "latency", "in flight", "key set-up"):
        table.add_column(heading, justify="right", no_wrap=True)
    for heading in ("directions", "keys", "cycles", "verified"):
        table.add_column(heading, no_wrap=True)
    for spec, row in zip(catalogue.everything(), rows, strict=True):
        setups = (row["key_setup_encrypt_cycles"], row["key_setup_decrypt_cycles"])
        table.add_row(
            spec.name,
            spec.paper or "",
            spec.how.sbox,
            _port(spec),
            f"{row['cycles_per_block']:g}",
            str(row["latency_cycles"]),
            str(row["blocks_in_flight"]),
            "/".join("-" if cycles is None else str(cycles) for cycles in setups),
            "/".join(spec.what.directions),
            "/".join(map(str, spec.what.key_bits)),
            "simulated" if row["simulated"] else "formula",
            "yes" if row["verified"] else "no",
        )
    _print_wide(table)
    _out.print("Key set-up is for encryption/decryption; `cycles` says where they come from.")
    for failure in cores.failures():
        _out.print(figures.failure_line(failure), markup=False, highlight=False)


def _port(spec: "Spec") -> str:
    """Return what kind of port a core has."""
    if spec.what.bus != "none":
        return spec.what.bus
    return "messages" if spec.has_mode else "full" if spec.is_full else "native"


@app.command()
@with_requirements
def build(
    asked: Requirements,
    name: Annotated[
        str | None,
        typer.Argument(
            help="A name of `roundsmith list`, or a spec as NAME.toml; without it, requirements."
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="The folder to write; the core's name without it."),
    ] = None,
    target: Annotated[
        str | None, typer.Option("--target", help="The target whose technology cells are added.")
    ] = None,
    pcf: Annotated[
        Path | None, typer.Option("--pcf", help="The pins of the bitstream, a PCF file.")
    ] = None,
    mode: ModeName = None,
    bus: BusName = None,
    self_test: SelfTest = False,
) -> None:
    """Write a core into a folder that stands alone: RTL, Verilog, test bench, datasheet.

    With --target, the cells of that family that it has and a file list with them; with --pcf as
    well, its bitstream. Without a name, the requirements choose the core, which is measured and
    verified for the target, and its datasheet says why it won.

    With --mode it takes messages, and with --bus through AXI4-Stream, or through registers on
    AXI4-Lite, Wishbone or APB, with a driver in C; with --streams as many messages at a time.
    """
    from roundsmith import export
    from roundsmith.flows import targets
    from roundsmith.report import figures

    why = ""
    if (name is None) is not bool(asked):
        raise RoundsmithError(
            "Name a core of `roundsmith list`, or say what it must do, such as --directions both "
            "--min-throughput 500Mbps; one of the two."
        )
    if name is None:
        if self_test:
            raise RoundsmithError(
                "--self-test belongs to a core that has a name; `roundsmith choose` finds one."
            )
        needs = asked.needs(target, mode, bus)
        with _progress() as show:
            choice = explore.chosen(needs, asked, show)
        spec, why = choice.winner.spec, explore.explanation(choice)
    else:
        spec = with_mode_and_bus(catalogue.find(name), mode, bus, self_test, asked.streams)
    if target is None and pcf is not None:
        raise RoundsmithError(
            "A bitstream takes both --target, such as ice40-up5k, and --pcf, the file of its pins."
        )
    beside = {}
    if target is not None:
        goal = targets.parse(target)
        beside = export.cells(spec, goal)
        if pcf is not None:
            beside |= export.bitstream(spec, goal, pcf)
    shown = [record.model_dump(mode="json") for record in figures.of(spec)]
    output = output or Path(spec.module)
    files = export.write(spec, output, figures=shown, beside=beside, why=why)
    _out.print(f"{spec.name}: {len(files)} files in {output}", markup=False, highlight=False)


@app.command()
def library(
    output: Annotated[Path, typer.Option("-o", "--output", help="The folder to write.")] = Path(
        "rsm_library"
    ),
) -> None:
    """Write the RTL library, for projects that read the SystemVerilog of several cores."""
    from roundsmith import export

    files = export.library(output)
    _out.print(f"the library: {len(files)} files in {output}", markup=False, highlight=False)


@app.command()
def verify(
    name: Name,
    mode: ModeName = None,
    bus: BusName = None,
    self_test: SelfTest = False,
    target: Annotated[
        str, typer.Option("--target", help="The target of the netlist; `rtl` for the RTL alone.")
    ] = "ecp5-85k",
    seed: Annotated[int | None, typer.Option(help="Repeat the run with this seed.")] = None,
    acvp: Annotated[
        Path | None, typer.Option("--acvp", help="Answer this ACVP vector set (JSON) instead.")
    ] = None,
    destination: Annotated[
        Path | None, typer.Option("--out", help="Where the answers to --acvp go (JSON).")
    ] = None,
) -> None:
    """Check a core against the standards and OpenSSL, as RTL and as the target's netlist."""
    from roundsmith.flows import targets
    from roundsmith.report import figures
    from roundsmith.verify.acvp import answer
    from roundsmith.verify.verify import verify as verify_core

    if (acvp is None) is not (destination is None):
        raise RoundsmithError("--acvp names the vector set and --out the file of the answers.")
    if acvp is not None and destination is not None:
        with _progress() as show:
            line = answer(catalogue.find(name), acvp, destination, show)
        _out.print(line, markup=False, highlight=False, soft_wrap=True)
        return

    spec = with_mode_and_bus(catalogue.find(name), mode, bus, self_test)
    goal = None if target == "rtl" else targets.parse(target)
    with _progress() as show:
        found = verify_core(spec, goal, progress=show, seed=seed)
    for record in found:
        what = "RTL" if record.target is None else f"netlist for {record.target}"
        _out.print(f"{record.name}: {what}: {record.blocks:,} blocks right", highlight=False)
        if spec.how.streams > 1 and record.cycles_per_block is not None:
            pace = figures.pace(spec, record.cycles_per_block)
            _out.print(f"{record.name}: {what}: {pace}", highlight=False)


@app.command()
def measure(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            help="Names of `roundsmith list`, or specs as NAME.toml.", metavar="NAME..."
        ),
    ] = None,
    target: Annotated[
        list[str] | None,
        typer.Option("--target", "--targets", help="What to measure on; several with commas."),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Measure the whole catalogue.")] = False,
    sweep: Annotated[
        bool, typer.Option("--sweep", help="In standard cells: draw area over the clock period.")
    ] = False,
    again: Annotated[
        bool,
        typer.Option(
            "--again", help="Try once more what failed, and what tells its parts by an older rule."
        ),
    ] = False,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="With several: how many at a time; one a processor.")
    ] = None,
    limit: Annotated[
        float | None, typer.Option(min=0.01, help="With several: the most minutes for one.")
    ] = None,
    report: Annotated[
        list[Path] | None,
        typer.Option("--report", help="A report of vivado:PART or quartus:PART to read; two."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Measure cores on targets: area, clock and throughput, from one netlist.

    What is stored is not measured again, so a run that was ended goes on where it was.
    """
    from roundsmith.flows import targets
    from roundsmith.measure.measure import measure as measure_core
    from roundsmith.report import figures

    goals = [targets.parse(name) for some in target or [] for name in some.split(",") if name]
    if bool(names) == every or not goals:
        raise RoundsmithError("Name the cores to measure, or --all, and at least one --target.")
    specs = [catalogue.find(name) for name in names or catalogue.native()]
    if report:
        if every or len(specs) * len(goals) > 1 or goals[0].flow.is_run:
            raise RoundsmithError(
                "--report takes one core and one target whose tool writes reports, such as "
                "vivado:xc7a35ticsg324-1L or quartus:5CSEMA5F31C6."
            )
        _imported(specs[0], goals[0], report, as_json=as_json)
        return
    if every or len(specs) * len(goals) > 1:
        if sweep:
            raise RoundsmithError("--sweep takes one core and one target.")
        _campaign(specs, goals, jobs, again=again, limit=limit, as_json=as_json)
        return
    spec, goal = specs[0], goals[0]
    if sweep:
        _sweep(spec, goal, as_json=as_json)
        return
    with _progress() as show:
        found = measure_core(spec, goal, progress=show, again=again)
    if as_json:
        _print_json([record.model_dump(mode="json") for record in found])
        return
    _out.print(figures.table(found))
    for line in figures.details(found, spec, goal):
        _out.print(line, markup=False, highlight=False)


def _imported(spec: "Spec", goal: "Target", files: "Sequence[Path]", *, as_json: bool) -> None:
    """Read the reports of a vendor's tool and print the record of them."""
    from roundsmith.measure import vendor
    from roundsmith.report import figures

    found = vendor.measure(spec, goal, files)
    if as_json:
        _print_json([found.model_dump(mode="json")])
        return
    _out.print(figures.table([found]))
    for line in figures.details([found], spec, goal):
        _out.print(line, markup=False, highlight=False)


def _campaign(
    specs: "Sequence[Spec]",
    goals: "Sequence[Target]",
    jobs: int | None,
    *,
    again: bool,
    limit: float | None,
    as_json: bool,
) -> None:
    """Measure every core on every target, say how it goes, and print what came of it."""
    from roundsmith.measure import campaign
    from roundsmith.report import figures

    pairs = [campaign.Pair(spec, goal) for goal in goals for spec in specs]
    with _progress() as show:
        found = campaign.run(
            pairs,
            jobs=jobs or os.cpu_count() or 1,
            report=lambda outcome, done, total, left: show(
                figures.outcome_line(outcome, left), done, total
            ),
            again=again,
            limit=None if limit is None else 60 * limit,
        )
    found.sort(key=lambda outcome: pairs.index(outcome.pair))
    if as_json:
        _print_json([m.model_dump(mode="json") for o in found for m in o.found])
        return
    _print_wide(figures.table([record for outcome in found for record in outcome.found]))
    for outcome in found:
        if outcome.reason:
            _out.print(figures.outcome_line(outcome, None), markup=False, highlight=False)


def _sweep(spec: "Spec", target: "Target", *, as_json: bool) -> None:
    """Measure the area-time curve of a core, print it and say where it is drawn."""
    from roundsmith.measure.curve import sweep
    from roundsmith.report import curve, figures

    with _progress() as show:
        found = sweep(spec, target, progress=show)
    picture = curve.path(spec, target)
    curve.draw(found, picture)
    if as_json:
        _print_json([record.model_dump(mode="json") for record in found])
        return
    _out.print(figures.table(found))
    _out.print(f"curve: {picture}", markup=False, highlight=False)


@app.command()
def power(
    name: Name,
    target: Annotated[str, typer.Option("--target", help="Standard cells.")] = "asic:osu018",
    as_json: Json = False,
) -> None:
    """Estimate the energy of a core for a block, without wires, from simulating its netlist."""
    from roundsmith.flows import targets
    from roundsmith.measure.power import estimate
    from roundsmith.report import figures

    spec = catalogue.find(name)
    with _progress() as show:
        found = estimate(spec, targets.parse(target), progress=show)
    if as_json:
        _print_json(found.model_dump(mode="json"))
        return
    for line in figures.energy(found):
        _out.print(line, markup=False, highlight=False)


@app.command()
def results(
    as_json: Json = False,
    failures: Annotated[
        bool, typer.Option("--failures", help="Only what could not be measured, and why.")
    ] = False,
    check: Annotated[
        bool,
        typer.Option("--check", help="Only which records are of designs that changed since."),
    ] = False,
) -> None:
    """Show the stored measurements, and what could not be measured."""
    from roundsmith.records import records
    from roundsmith.report import figures

    if check:
        _check_records(as_json)
        return
    found: Sequence[BaseModel] = records.failures() if failures else records.measurements()
    if as_json:
        _print_json([record.model_dump(mode="json") for record in found])
        return
    if not failures:
        _out.print(figures.table(records.measurements()))
    for failure in records.failures():
        _out.print(figures.failure_line(failure), markup=False, highlight=False)


def _check_records(as_json: bool) -> None:
    from dataclasses import asdict

    from roundsmith.records import record_check

    found = record_check.check()
    if as_json:
        _print_json([asdict(each) for each in found])
        return
    for each in found:
        _print_line(
            f"{each.kind}: {each.lines} records; of {len(each.true)} designs as they are, "
            f"of {len(each.stale)} that changed since, of {len(each.unknown)} that are not here"
        )
        for name in each.stale:
            _print_line(f"  changed since: {name}")


@app.command()
def run(
    name: Name,
    key: Annotated[str, typer.Option("--key", help="The key, in hexadecimal digits.")],
    source: Annotated[Path, typer.Option("--in", help="The file to read.")],
    destination: Annotated[
        Path | None, typer.Option("--out", help="The file to write; none for a tag alone.")
    ] = None,
    decrypt: Annotated[bool, typer.Option("--decrypt", help="Decrypt or verify instead.")] = False,
    mode: ModeName = None,
    iv: Annotated[
        str, typer.Option("--iv", help="IV, first counter block, nonce or tweak, hexadecimal.")
    ] = "",
    aad: Annotated[Path | None, typer.Option("--aad", help="A file of associated data.")] = None,
    tag: Annotated[str, typer.Option("--tag", help="The tag to verify, hexadecimal.")] = "",
    tag_bytes: Annotated[
        int | None, typer.Option("--tag-bytes", help="The bytes of a tag; as many as it can have.")
    ] = None,
    nopad: Annotated[
        bool, typer.Option("--nopad", help="No padding (PKCS#7) in ECB and CBC.")
    ] = False,
) -> None:
    """Encrypt or decrypt a file through the compiled RTL, as OpenSSL would (ECB without --mode)."""
    from roundsmith.verify.encrypt import cipher_file
    from roundsmith.verify.encrypt_mode import Given
    from roundsmith.verify.encrypt_mode import cipher_file as cipher_file_in_mode

    spec = with_mode_and_bus(catalogue.find(name), mode, None, False)
    if spec.has_mode:
        given = Given(key, iv, aad, tag, tag_bytes, decrypt, not nopad)
        with _progress() as show:
            lines = cipher_file_in_mode(spec, given, source, destination, progress=show)
        for line in lines:
            _out.print(line, markup=False, highlight=False)
        return
    if iv or aad or tag or tag_bytes is not None or nopad:
        raise RoundsmithError("--iv, --aad, --tag, --tag-bytes and --nopad belong to --mode.")
    if destination is None:
        raise RoundsmithError("--out names the file to write.")
    with _progress() as show:
        summary = cipher_file(spec, key, source, destination, decrypt=decrypt, progress=show)
    _out.print(summary, markup=False, highlight=False)


@circuits.callback(invoke_without_command=True)
def show_circuits(
    context: typer.Context,
    as_json: Json = False,
    library: Library = None,
    each: Annotated[bool, typer.Option(help="A row for each of Serpent's S-boxes.")] = False,
) -> None:
    """Show every circuit: gates, depth, proof, sizes, and what was published."""
    from roundsmith.circuits import listing
    from roundsmith.report import circuits as report
    from roundsmith.report import groups

    if context.invoked_subcommand is not None:
        return
    cells = report.library(library)
    found = [report.describe(circuit, cells) for circuit in listing.everything()]
    if as_json:
        _print_json(found)
    else:
        _print_wide(report.overview(found if each else groups.together(found)).rich())


@circuits.command("measure")
def measure_circuits(
    names: Annotated[
        list[str] | None, typer.Argument(help="Circuits, measured even if they were; all without.")
    ] = None,
    library: Library = None,
    missing: Annotated[
        bool, typer.Option("--missing", help="Leave out what was measured, even if named.")
    ] = False,
) -> None:
    """Prove and measure circuits: LUT4s of three families, area and delay in standard cells."""
    from roundsmith.circuits import listing
    from roundsmith.measure.measure_circuits import measure as measure_each
    from roundsmith.report import circuits as report
    from roundsmith.report import groups

    everything = list(listing.everything())
    chosen = [c for name in names for c in listing.named(name)] if names else everything
    cells = report.library(library)
    with _progress() as show:
        measure_each(chosen, cells, again=bool(names) and not missing, progress=show)
    found = [report.describe(circuit, cells) for circuit in chosen]
    _print_wide(report.overview(groups.together(found)).rich())


@circuits.command("search")
def search_circuits(
    name: Annotated[
        str | None,
        typer.Argument(help="What to find, as the list calls it, such as serpent-sbox-fast-3."),
    ] = None,
    objective: Annotated[str | None, typer.Option(help="gates, depth, ge or luts.")] = None,
    kind: Annotated[str | None, typer.Option(help="sbox or mix (MixColumns).")] = None,
    direction: Annotated[str | None, typer.Option(help="forward, inverse or both.")] = None,
    minutes: Annotated[float, typer.Option(help="How long to search.")] = 2.0,
    library: Library = None,
    jobs: Annotated[int | None, typer.Option(help="Processes; all cores when left out.")] = None,
    fresh: Annotated[bool, typer.Option(help="Start anew instead of going on.")] = False,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Write it here.")] = None,
) -> None:
    """Search for a circuit, and print the best with its proof.

    By name, or for AES by objective, kind and direction: of gates, an S-box, forward, if left out.
    """
    from roundsmith.measure import find_circuit

    output_file.check(output)
    with _progress() as show:
        wish = find_circuit.wish(name, objective, kind, direction)
        found = find_circuit.run(wish, minutes, library, jobs=jobs, fresh=fresh, progress=show)
    if output is not None:
        output_file.write(output, found.text)
    else:
        typer.echo(found.text)
    for line in found.lines:
        _out.print(line, markup=False, highlight=False)


@circuits.command("tables")
def circuit_tables() -> None:
    """Show the papers' tables of circuits: published columns beside ours."""
    from roundsmith.report import papers as report

    for grid in report.circuit_grids():
        _print_grid(grid)


@app.command()
def papers(
    name: Annotated[
        str | None,
        typer.Argument(help="satoh, lutz, chodowiec-gaj, standaert or saggese; all without."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Show the papers' tables: published figures beside ours, ours from records only."""
    from roundsmith.report import papers as report

    if as_json:
        _print_json(report.json(name))
        return
    commands: dict[str, None] = {}
    for paper in report.chosen(name):
        grids, missing = report.grids(paper)
        for grid in grids:
            _print_grid(grid)
        commands |= dict.fromkeys(missing)
    _out.print("`--json` gives the record of every row of ours, with the hash of its design.")
    if commands:
        _out.print("Records that are missing, and what makes them:")
    for command in commands:
        _out.print(f"  {command}", markup=False, highlight=False)


@app.command()
def doctor() -> None:
    """Show which tools are there, their versions, and what brings a missing one."""
    from roundsmith.report import tools

    rows = tools.survey()
    table = Table(box=None, pad_edge=False)
    for heading in ("tool", "version", "for", "if missing"):
        table.add_column(heading)
    for row in rows:
        table.add_row(row.name, row.version or "missing", row.purpose, row.remedy)
    _out.print(table)
    if any(row.version is None and row.required for row in rows):
        raise typer.Exit(2)


@app.command()
def clean() -> None:
    """Delete the caches: compiled simulations, netlists, fetched packages. Records stay."""
    from roundsmith.base import cache

    freed = cache.clean()
    _out.print(f"freed {freed / 1e6:.1f} MB", highlight=False)


def _interrupt(*_: Any) -> NoReturn:
    """End everything at once, also the programs that other threads wait for.

    Typer turns the exception into status 130, and says nothing.
    """
    process.end_all()
    typer.echo("interrupted; finished steps are kept", err=True)
    raise KeyboardInterrupt


def main() -> None:
    """Run the command line; user errors print one sentence and exit with status 2."""
    for ending in (signal.SIGINT, signal.SIGTERM):
        signal.signal(ending, _interrupt)
    try:
        app()
    except VerificationFailed as error:
        typer.echo(f"verification failed: {error}", err=True)
        sys.exit(1)
    except RoundsmithError as error:
        typer.echo(f"error: {error}", err=True)
        sys.exit(2)
