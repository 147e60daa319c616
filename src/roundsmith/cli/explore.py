"""The commands of the explorer: choose, explore, estimate, pipeline, report."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from roundsmith.base import output_file
from roundsmith.base.errors import RoundsmithError
from roundsmith.cli.console import Show, print_json, print_line, print_wide, progress
from roundsmith.cli.mode_bus_options import BusName, ModeName, parse_bus, parse_mode
from roundsmith.cli.requirements import CIPHER_HELP, Requirements, with_requirements
from roundsmith.spec.ciphers import DEFAULT

if TYPE_CHECKING:
    from roundsmith.explore.choose import Choice
    from roundsmith.explore.estimator import Estimate, Model
    from roundsmith.explore.needs import Figures, Needs
    from roundsmith.flows.targets import Target
    from roundsmith.records.index import Result
    from roundsmith.spec import Spec

Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
Name = Annotated[str, typer.Argument(help="A name of `roundsmith list`, or a spec as NAME.toml.")]
Goal = Annotated[str, typer.Option("--target", help="What the figures are for.")]
CipherName = Annotated[str, typer.Option("--cipher", help=CIPHER_HELP)]
Jobs = Annotated[int | None, typer.Option(min=1, help="How many at a time; one a processor.")]


def add(app: typer.Typer) -> None:
    """Add the commands of the explorer to the program."""
    for command in (choose, explore, estimate, pipeline, report):
        app.command()(command)


# --- choose -------------------------------------------------------------------------------------


@with_requirements
def choose(
    asked: Requirements,
    target: Goal,
    mode: ModeName = None,
    bus: BusName = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write the spec here, as NAME.toml.")
    ] = None,
    verify: Annotated[
        bool, typer.Option("--verify/--no-verify", help="Verify the winner for the target.")
    ] = True,
    as_json: Json = False,
) -> None:
    """Turn requirements into the core that meets them at least cost, measured and verified."""
    needs = asked.needs(target, mode, bus)
    output_file.check(output)
    with progress() as show:
        choice = chosen(needs, asked, show, verify=verify)
    if output is not None:
        output_file.write(output, choice.winner.spec.to_toml())
    if as_json:
        print_json(_choice_data(choice))
        return
    _print_figures([choice.winner, *choice.others], needs)
    for line in _told(choice):
        print_line(line)
    from roundsmith.catalogue import command

    print_line(f"{command(choice.winner.spec)} --target {needs.target.name} writes it.")


def chosen(needs: "Needs", asked: Requirements, show: Show, *, verify: bool = True) -> "Choice":
    """Return the choice for some requirements; the winner is verified unless that says no."""
    from roundsmith.explore import choose as rules
    from roundsmith.report import figures

    def proposed(best: "list[Figures]") -> None:
        names = ", ".join(one.spec.name for one in best[:3])
        show(f"of the estimates the best are {names}", 0, max(1, asked.tries))

    choice = rules.choose(
        needs,
        tries=asked.tries,
        jobs=min(asked.jobs or os.cpu_count() or 1, max(1, asked.tries)),
        report=lambda outcome, done, total, left: show(
            figures.outcome_line(outcome, left), done, total
        ),
        proposed=proposed,
    )
    if verify:
        _verified(choice.winner.spec, needs.target, show)
    return choice


def _verified(spec: "Spec", target: "Target", show: Show) -> None:
    """Verify a core as RTL and as the netlist for a target, unless that is stored."""
    from roundsmith.records import index
    from roundsmith.verify.verify import verify

    with index.opened() as database:
        there = database.verified(spec)
    if not {"RTL", target.name} <= set(there):
        verify(spec, target, progress=show)


def _told(choice: "Choice") -> list[str]:
    from roundsmith.explore.choose import price_line

    lines = [f"{choice.considered:,} cores considered, {choice.measured} of them measured"]
    lines += [price_line(price, choice).replace("`", "") for price in choice.prices]
    return lines


def _print_figures(some: "Sequence[Figures]", needs: "Needs") -> None:
    from roundsmith.explore.choose import row

    table = Table(box=None, pad_edge=False)
    table.add_column("core", no_wrap=True)
    for heading in ("area", "block RAM", "throughput", "clock", "latency"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("figures", no_wrap=True)
    for one in some:
        table.add_row(*(cell.replace("`", "") for cell in row(one, needs)))
    print_wide(table)


def _choice_data(choice: "Choice") -> dict[str, Any]:
    def data(one: "Figures") -> dict[str, Any]:
        return {
            "name": one.spec.name,
            "measured": one.measured,
            "area": one.area,
            "block_ram": one.memory,
            "clock_mhz": one.clock_mhz,
            "throughput_mbps": one.throughput_mbps,
            "latency_ns": one.latency_ns,
        }

    return {
        "winner": data(choice.winner),
        "spec": choice.winner.spec.model_dump(mode="json", exclude_none=True),
        "others": [data(one) for one in choice.others],
        "prices": [
            {"option": p.option, "share": p.share, "without": data(p.figures)}
            for p in choice.prices
        ],
        "considered": choice.considered,
        "measured": choice.measured,
    }


def explanation(choice: "Choice") -> str:
    """Return why the winner won, with what it was verified as, for its datasheet."""
    from roundsmith.explore.choose import explanation as reasons
    from roundsmith.records import index

    with index.opened() as database:
        seen = database.cycles(choice.winner.spec)
        there = database.verified(choice.winner.spec)
    text = reasons(choice)
    if seen is not None:
        forms = ", ".join("RTL" if form == "RTL" else f"netlist for {form}" for form in there)
        text += f"\nVerified: {forms}; {seen.blocks:,} blocks of the RTL were right.\n"
    return text


# --- estimate -----------------------------------------------------------------------------------


def estimate(
    target: Goal,
    name: Annotated[
        str | None, typer.Argument(help="A name of `roundsmith list`, or a spec as NAME.toml.")
    ] = None,
    errors: Annotated[
        bool, typer.Option("--errors", help="Show how far estimates are from what is measured.")
    ] = False,
    cipher: CipherName = DEFAULT.value,
    as_json: Json = False,
) -> None:
    """Estimate area, clock and throughput of a core without measuring it."""
    from roundsmith import catalogue
    from roundsmith.explore import estimator, space
    from roundsmith.explore.explain_cost import explain_cost
    from roundsmith.flows import targets

    if name is None and not errors:
        raise RoundsmithError("Name a core to estimate, or ask for the --errors of a target.")
    goal = targets.parse(target)
    found = [] if name is None else estimator.estimate([catalogue.find(name)], goal)
    of = found[0].spec.what.cipher if found else space.parse_cipher(cipher)
    models = [estimator.model(goal, aim, of) for aim in estimator.aims(goal)]
    if as_json:
        print_json(
            {
                "estimates": [_estimate_data(one) for one in found],
                "errors": [
                    {
                        "aim": m.aim,
                        "source": m.source,
                        "shared": m.shared,
                        **{figure: vars(error) for figure, error in m.errors().items()},
                    }
                    for m in models
                ],
            }
        )
        return
    if found:
        table = Table(box=None, pad_edge=False)
        rows = [_estimate_data(one) for one in found]
        headings = list(dict.fromkeys(key for row in rows for key in row))
        for heading in headings:
            table.add_column(_HEADINGS.get(heading, heading), justify="right", no_wrap=True)
        for row in rows:
            table.add_row(*(_cell(row.get(heading)) for heading in headings))
        print_wide(table)
    for m in models:
        aim = f"{m.aim}-driven: " if m.aim else ""
        told = ", ".join(
            f"{_HEADINGS[figure]} {error.median:.1%} in the median, {error.ninety:.0%} in nine of "
            f"ten ({error.cores} cores)"
            for figure, error in m.errors().items()
        )
        print_line(f"{aim}error on cores it had not seen{_told_of_source(m)}: {told}")
        in_modes = [one.spec for one in found if one.spec.has_mode and one.aim == m.aim]
        for line in explain_cost(estimator.wrapping(goal, m.aim), in_modes) if in_modes else ():
            print_line(f"{aim}{line}")


def _told_of_source(known: "Model") -> str:
    """Return whose records a model was learnt from, where they are another target's."""
    if known.source == known.target:
        return ""
    if not known.shared:
        return f" (records of {known.source} as they are, for no core was measured on both)"
    cores = "one core that was" if known.shared == 1 else f"{known.shared} cores that were"
    return f" (records of {known.source}, times the ratio in {cores} measured on both)"


_HEADINGS = {
    "lut": "LUT4",
    "ff": "FF",
    "block_ram": "EBR",
    "area_ge": "GE",
    "cycle_ns": "ns",
    "period": "clock period",
    "fmax_mhz": "fmax MHz",
    "throughput_mbps": "Mbit/s",
}


def _estimate_data(one: "Estimate") -> dict[str, Any]:
    figures = {k: v for k, v in vars(one).items() if k != "spec" and v not in {None, ""}}
    return {"name": one.spec.name, **figures}


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:,.2f}" if value < 10 else f"{value:,.0f}"
    return "" if value is None else str(value)


# --- explore ------------------------------------------------------------------------------------

_LIST = "Values with commas, or all; those that suit the target without it."


def explore(
    target: Goal,
    cipher: CipherName = DEFAULT.value,
    keys: Annotated[str, typer.Option(help="128, 192, 256, several with commas, or any.")] = "128",
    directions: Annotated[str, typer.Option(help="encrypt, decrypt or both.")] = "encrypt",
    architecture: Annotated[str | None, typer.Option(help=_LIST)] = None,
    data_bits: Annotated[str | None, typer.Option(help=_LIST)] = None,
    rounds: Annotated[str | None, typer.Option(help=_LIST)] = None,
    sbox: Annotated[str | None, typer.Option(help=_LIST)] = None,
    key_sboxes: Annotated[str | None, typer.Option(help=_LIST)] = None,
    linear: Annotated[str | None, typer.Option(help=_LIST)] = None,
    key_add: Annotated[str | None, typer.Option(help=_LIST)] = None,
    key_schedule: Annotated[str | None, typer.Option(help=_LIST)] = None,
    key_start: Annotated[str | None, typer.Option(help=_LIST)] = None,
    inverse_rounds: Annotated[str | None, typer.Option(help=_LIST)] = None,
    state_storage: Annotated[str | None, typer.Option(help=_LIST)] = None,
    tiles: Annotated[str | None, typer.Option(help=_LIST)] = None,
    clear: Annotated[str | None, typer.Option(help=_LIST)] = None,
    mode: ModeName = None,
    bus: BusName = None,
    cuts: Annotated[
        str, typer.Option(help="auto for balanced stages, all, or sets: sub,round/sbox.1,sub.")
    ] = "auto",
    catalogue: Annotated[
        bool, typer.Option("--catalogue", help="The sweep whose measurements are shipped.")
    ] = False,
    prune: Annotated[
        bool, typer.Option("--prune/--no-prune", help="Leave out what cannot be on the front.")
    ] = True,
    first: Annotated[
        int | None, typer.Option(min=1, help="Only so many, the cheapest to measure.")
    ] = None,
    front: Annotated[
        str | None, typer.Option(help="The figures of the front: two or three with commas.")
    ] = None,
    measure: Annotated[
        bool, typer.Option("--measure/--estimate", help="Measure, or show estimates alone.")
    ] = True,
    scheduler: Annotated[
        str | None, typer.Option(help="The address of a Dask scheduler: tcp://HOST:PORT.")
    ] = None,
    jobs: Jobs = None,
    limit: Annotated[float | None, typer.Option(min=0.01, help="The most minutes for one.")] = None,
    again: Annotated[bool, typer.Option("--again", help="Try what failed before.")] = False,
    as_json: Json = False,
) -> None:
    """Measure every core of a set of choices that may be worth it, and show the Pareto front.

    What is stored is not measured again, so a sweep that was ended goes on where it was.
    """
    from roundsmith.explore import space, sweep
    from roundsmith.explore.choices import Space
    from roundsmith.flows import targets
    from roundsmith.report import figures

    written = {name: value for name, value in locals().items() if name in space.VALUES}
    goal = targets.parse(target)
    figures_of_front = _front_figures(goal, front)
    chosen_values = {n: space.parse(n, v) for n, v in written.items() if v is not None}
    around, behind = parse_mode(mode), parse_bus(bus)
    if catalogue:
        if mode or bus:
            raise RoundsmithError("--catalogue is a sweep of its own; leave --mode and --bus out.")
        specs = sweep.standard(goal, space.parse_cipher(cipher))
    else:
        plane = Space(
            space.parse_keys(keys),
            space.parse_directions(directions),
            chosen_values,
            space.parse_cuts(cuts),
            space.parse_cipher(cipher),
        )
        specs = space.specs(plane, goal)
        if mode or bus:
            specs = space.wrapped(specs, around, behind)
        legal = len(specs)
        if not specs:
            raise RoundsmithError(
                "No legal core has these choices; try --cuts auto, or all values."
            )
        specs = sweep.pruned(specs, goal) if prune else specs
        typer.echo(f"{legal} legal cores, {len(specs)} of them worth measuring", err=True)
    specs = sweep.cheapest_first(specs, goal)[:first]
    if not measure:
        _show_estimates(specs, goal, figures_of_front, as_json=as_json)
        return
    with progress() as show:
        outcomes = sweep.run(
            specs,
            goal,
            jobs=jobs or os.cpu_count() or 1,
            report=lambda outcome, done, total, left: show(
                figures.outcome_line(outcome, left), done, total
            ),
            scheduler=scheduler,
            again=again,
            limit=None if limit is None else 60 * limit,
        )
    _show_front(specs, goal, figures_of_front, as_json=as_json)
    failed = [outcome for outcome in outcomes if outcome.reason]
    if not as_json:
        print_line(f"{len(outcomes) - len(failed)} cores have records, {len(failed)} do not")
        for outcome in failed:
            print_line(figures.outcome_line(outcome, None))


def _front_figures(target: "Target", written: str | None) -> list[str]:
    """Return the figures of a front: those that a user wrote, or area and throughput."""
    from roundsmith.explore import front as fronts
    from roundsmith.records.records import Measurement

    if written is None:
        flow = target.flow
        return [flow.logic.area, "throughput_mbps" if flow.is_timed else "cycles_per_block"]
    names = [name.strip() for name in written.split(",")]
    legal = [*fronts.FIGURES]
    if not 2 <= len(names) <= 3 or any(name not in legal for name in names):
        raise RoundsmithError(f"--front takes two or three of {', '.join(legal)}.")
    assert all(name in Measurement.model_fields for name in names)
    return names


def _show_estimates(
    specs: "Sequence[Spec]", target: "Target", names: Sequence[str], *, as_json: bool
) -> None:
    from roundsmith.explore import estimator
    from roundsmith.explore.front import cost, front

    for name in names:
        if name not in estimator.Estimate.__dataclass_fields__:
            raise RoundsmithError(f"Nobody estimates {name}; --front without it shows estimates.")
    found = [e for e in estimator.estimate(specs, target) if e.aim in {"", "delay"}]
    best = front(found, *(cost(name) for name in names))
    if as_json:
        print_json(
            {"estimates": [_estimate_data(e) for e in found], "front": [e.spec.name for e in best]}
        )
        return
    table = Table(box=None, pad_edge=False)
    rows = [_estimate_data(one) for one in best]
    for heading in rows[0]:
        table.add_column(_HEADINGS.get(heading, heading), justify="right", no_wrap=True)
    for row in rows:
        table.add_row(*(_cell(value) for value in row.values()))
    print_wide(table)
    print_line(f"{len(best)} of {len(found)} estimates are on the front of {' and '.join(names)}")


def _show_front(
    specs: "Sequence[Spec]", target: "Target", names: Sequence[str], *, as_json: bool
) -> None:
    """Print the front of what was measured of some cores."""
    from roundsmith.explore.front import cost, front
    from roundsmith.records import index
    from roundsmith.report import figures

    wanted = {spec.name for spec in specs}
    with index.opened() as database:
        found = [r for r in database.results([target.name]) if r.spec.name in wanted]
    found = [r for r in found if all(getattr(r.record, name) is not None for name in names)]
    best: list[Result] = front(found, *(cost(name) for name in names))
    if as_json:
        data = [r.record.model_dump(mode="json") for r in best]
        print_json({"front": data, "measured": len(found)})
        return
    print_wide(figures.table([r.record for r in best]))
    print_line(f"{len(best)} of {len(found)} records are on the front of {' and '.join(names)}")


# --- pipeline and report ------------------------------------------------------------------------


def pipeline(
    name: Name,
    target: Goal,
    tries: Annotated[
        int, typer.Option(min=1, help="The most pipelines that our search measures.")
    ] = 12,
    plot: Annotated[
        Path | None, typer.Option("--plot", help="Draw both searches into this SVG file.")
    ] = None,
    jobs: Jobs = None,
    as_json: Json = False,
) -> None:
    """Find the pipeline with the most throughput per area: Standaert's Algorithm 1, and ours."""
    from roundsmith import catalogue
    from roundsmith.explore import pipeline as searches
    from roundsmith.flows import targets
    from roundsmith.report import figures

    spec, goal = catalogue.find(name), targets.parse(target)
    output_file.check(plot)
    with progress() as show:
        found = searches.search(
            spec,
            goal,
            tries=tries,
            jobs=jobs or os.cpu_count() or 1,
            report=lambda outcome, done, total, left: show(
                figures.outcome_line(outcome, left), done, total
            ),
        )
    if plot is not None:
        output_file.write(plot, searches.drawing(found))
    if as_json:
        print_json(searches.data(found))
        return
    for grid in searches.grids(found):
        print_wide(grid.rich())
        print_line(grid.note)
    print_line(searches.verdict(found))


def report(
    output: Annotated[Path, typer.Option("-o", "--output", help="The HTML file to write.")],
    target: Annotated[
        str | None, typer.Option("--target", help="Some targets, with commas; all without.")
    ] = None,
) -> None:
    """Write one HTML page of all records: the plane, its front, tables, datasheets, placements."""
    from roundsmith.flows import targets
    from roundsmith.report import page

    names = None
    if target is not None:
        names = [targets.parse(word.strip()).name for word in target.split(",")]
    output_file.check(output)
    text = page.html(names)
    output_file.write(output, text)
    print_line(f"{output}: {len(text) / 1e6:.1f} MB")
