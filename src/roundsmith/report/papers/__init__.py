"""The papers' tables with our figures beside them: what `roundsmith papers` shows.

One module a paper. Published figures come from `data/published`, ours from records; a figure of
ours without a record is not shown, and the command that makes the record is named.
"""

import difflib
from collections.abc import Callable, Iterable
from types import ModuleType

from roundsmith.base.errors import RoundsmithError
from roundsmith.base.grid import Grid
from roundsmith.report.papers import chodowiec_gaj, lutz, saggese, satoh, standaert
from roundsmith.report.papers.table import Table

PAPERS: dict[str, ModuleType] = {
    module.NAME: module for module in (satoh, lutz, chodowiec_gaj, standaert, saggese)
}


def chosen(name: str | None) -> list[ModuleType]:
    """Return the paper of that name, or all without one."""
    if name is None:
        return list(PAPERS.values())
    if name in PAPERS:
        return [PAPERS[name]]
    close = difflib.get_close_matches(name, PAPERS, n=1)
    hint = f"did you mean '{close[0]}'?" if close else f"there are {', '.join(PAPERS)}."
    raise RoundsmithError(f"There is no paper '{name}'; {hint}")


def json(name: str | None) -> list[dict[str, object]]:
    """Return the papers with the documented, stable keys of the JSON."""
    return [
        {
            "paper": paper.NAME,
            "citation": paper.CITATION,
            "tables": [table.json() for table in paper.tables()],
        }
        for paper in chosen(name)
    ]


def grids(paper: ModuleType) -> tuple[list[Grid], list[str]]:
    """Return a paper's tables as they are shown, and the commands that would fill their gaps."""
    tables: list[Table] = paper.tables()
    shown: list[Grid] = []
    known: set[str] = set()
    for table in tables:
        shown.append(table.grid(paper.SHORT, known))
        known |= set(table.remarks)
    return shown, list(dict.fromkeys(command for table in tables for command in table.missing))


def circuit_grids() -> list[Grid]:
    """Return the papers' tables of circuits."""
    made = (
        (satoh, [satoh.column_circuits(), satoh.sboxes()]),
        (standaert, standaert.components()),
        (lutz, [lutz.shared_inverse()]),
    )
    return [table.grid(paper.SHORT) for paper, tables in made for table in tables]


def page(grids: Iterable[Grid]) -> str:
    """Return tables as a part of a page."""
    return "\n".join(_section(grid) for grid in grids)


def _section(grid: Grid) -> str:
    conditions, *remarks = grid.note.splitlines()
    below = "".join(f"- {remark}\n" for remark in remarks)
    return f"**{grid.title}**\n\n{conditions}\n\n{grid.markdown()}\n{below}"


def _part(paper: ModuleType) -> Callable[[], str]:
    def text() -> str:
        found, missing = grids(paper)
        gaps = "".join(f"- `{command}`\n" for command in missing)
        return page(found) + (f"\nRecords that are missing:\n\n{gaps}" if gaps else "")

    return text


#: The generated part of docs/circuits.md.
CIRCUIT_PARTS: dict[str, Callable[[], str]] = {"published tables": lambda: page(circuit_grids())}

#: The generated parts of docs/papers.md.
PARTS: dict[str, Callable[[], str]] = {name: _part(paper) for name, paper in PAPERS.items()}
