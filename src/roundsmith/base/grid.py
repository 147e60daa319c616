"""A table with a title: for a terminal or for a page."""

from dataclasses import dataclass

from rich.table import Table

#: What stands where there is no figure.
NONE = "–"

#: Headings of columns that hold text wherever they stand.
_TEXTS = {"origin", "proved", "published", "by", "ours has"}


def number(value: object, style: str = "") -> str:
    """Return a figure as text, or the mark for none."""
    return NONE if value is None else format(value, style)


@dataclass(frozen=True)
class Grid:
    """A table: its title, what to know of it, headings, rows.

    `left` counts the text columns, `texts` names more of them. A heading may have two lines.
    """

    title: str
    note: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    left: int = 1
    texts: frozenset[int] = frozenset()

    def _is_text(self, index: int) -> bool:
        return index < self.left or index in self.texts or self.headings[index] in _TEXTS

    def rich(self) -> Table:
        """Return the table for a terminal."""
        table = Table(box=None, pad_edge=False, title=self.title, title_justify="left")
        for index, heading in enumerate(self.headings):
            table.add_column(heading, justify="left" if self._is_text(index) else "right")
        for row in self.rows:
            table.add_row(*(cell.replace("`", "") for cell in row))
        return table

    def markdown(self) -> str:
        """Return the table for a page."""
        headings = tuple(heading.replace("\n", " ") for heading in self.headings)
        marks = tuple("---" if self._is_text(i) else "---:" for i in range(len(headings)))
        return "".join(f"| {' | '.join(line)} |\n" for line in (headings, marks, *self.rows))
