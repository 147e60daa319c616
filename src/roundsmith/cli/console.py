"""What the command line prints with: tables, JSON, and how far a long step is."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from roundsmith.base.grid import Grid

#: Is told what is being done, how many steps are done, and how many there are.
Show = Callable[[str, int, int], None]

# A pipe has no width of its own; a table must not be cut for it.
out = Console(width=None if sys.stdout.isatty() else 160)
err = Console(stderr=True)


@contextmanager
def progress() -> Iterator[Show]:
    """Show what is being done and how far it is, on stderr; yields the callback for it."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    if not err.is_terminal:
        yield lambda step, done, total: typer.echo(f"[{done}/{total}] {step}", err=True)
        return
    with Progress(*columns, console=err, transient=True) as bar:
        task = bar.add_task("starting", total=None)
        yield lambda step, done, total: bar.update(
            task, description=step, completed=done, total=total
        )


def print_line(text: str) -> None:
    """Print a line as it is."""
    out.print(text, markup=False, highlight=False)


def print_wide(table: Table) -> None:
    """Print a table whose lines must not be broken, however wide they are."""
    Console(width=max(out.width, 260)).print(table, crop=False, overflow="ignore", no_wrap=True)


def print_grid(grid: Grid) -> None:
    """Print a table with what there is to know of it below."""
    print_wide(grid.rich())
    for line in grid.note.splitlines():
        print_line(line)
    out.print()


def print_json(value: Any) -> None:
    """Print a value as JSON."""
    typer.echo(json.dumps(value, indent=2))
