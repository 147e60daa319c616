"""The families of targets as tables: what can be measured on, and the cells of each family."""

from collections.abc import Iterable

from roundsmith.design import tech
from roundsmith.flows import targets


def _rows(rows: Iterable[tuple[str, ...]]) -> str:
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def names() -> str:
    """Return the table of targets, placed ones first."""
    flows = sorted(targets.members(), key=lambda flow: not flow.is_placed)
    found = (row for flow in flows for row in flow.rows())
    return _rows([("target", "what is measured"), ("---", "---"), *found])


def cells() -> str:
    """Return the table of technology cells, with the file list that a core comes with."""
    found = (
        (name, what, f"`NAME_{rooms[-1]}.f`")
        for flow in targets.members()
        for name, what, rooms in flow.cell_rows()
        if rooms != tech.GENERIC
    )
    return _rows([("target", "cells", "file list"), ("---", "---", "---"), *found])


MEASURING_PARTS = {"targets": names}
BOARD_PARTS = {"technology cells": cells}
