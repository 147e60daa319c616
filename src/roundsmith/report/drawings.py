"""The drawings of docs/architecture.md: sources in `docs/drawings`, drawn by Typst.

The source of a drawing is a text, NAME.typ. That of the rooms gets the layers of the import
contract, the first lines of the packages and the real imports.
"""

import ast
import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from roundsmith.base.paths import RTL

ROOT = RTL.parent
FOLDER = ROOT / "docs" / "drawings"

#: What the drawings share; it is none itself.
_STYLE = "style"


def pictures() -> dict[Path, str]:
    """Return the drawings, by the file that each of them is for."""
    inputs = {"rooms": json.dumps(rooms())}
    sources = [path for path in sorted(FOLDER.glob("*.typ")) if path.stem != _STYLE]
    return {path.with_suffix(".svg"): _drawn(path, inputs) for path in sources}


def _drawn(source: Path, inputs: Mapping[str, str]) -> str:
    """Return the SVG of a source, with the fonts that matplotlib brings."""
    import matplotlib
    import typst

    fonts = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
    drawn = typst.compile(
        source, format="svg", font_paths=[fonts], ignore_system_fonts=True, sys_inputs=dict(inputs)
    )
    assert isinstance(drawn, bytes)  # a list where a drawing has several pages
    # One element a line: a change of one word is a change of a few lines.
    return drawn.decode().replace("><", ">\n<") + "\n"


# --- The rooms of the tool --------------------------------------------------------------------


@dataclass(frozen=True)
class Lane:
    """The line down to the room in row `target`, from row `first`, at place `lane` from the left.

    The rooms in the rows `joints` import that room.
    """

    target: int
    first: int
    joints: tuple[int, ...]
    lane: int


def rooms() -> dict[str, object]:
    """Return the rows of rooms, the floors that they stand on, and the lanes of the imports."""
    floors = _floors()
    rows = [room for floor in floors for room in floor]
    found = lanes(rows, reduced(_imports(rows)))
    reaches = {
        row: max(lane.lane for lane in found if row in lane.joints)
        for row in range(len(rows))
        if any(row in lane.joints for lane in found)
    }
    starts = [sum(map(len, floors[:index])) for index in range(len(floors))]
    return {
        "rows": [
            {"name": room, "about": _about(room), "reaches": reaches.get(row)}
            for row, room in enumerate(rows)
        ],
        "floors": [
            {"index": index, "first": first, "count": len(floor)}
            for index, (first, floor) in enumerate(zip(starts, floors, strict=True))
        ],
        "lanes": [asdict(lane) for lane in found],
        "width": len({lane.lane for lane in found}),
    }


def _floors() -> list[list[str]]:
    """Return the rooms of each floor of the import contract, the upper floors first."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    contract = next(each for each in settings["contracts"] if each["type"] == "layers")
    return [[room.strip() for room in layer.split("|")] for layer in contract["layers"]]


def _about(room: str) -> str:
    source = ROOT / "src" / "roundsmith" / room / "__init__.py"
    text = ast.get_docstring(ast.parse(source.read_text())) or ""
    return " ".join(text.partition("\n\n")[0].replace("`", "").split())


def _imports(rows: Sequence[str]) -> dict[str, set[str]]:
    """Return the rooms that each room imports something of."""
    import grimp

    graph = grimp.build_graph("roundsmith", cache_dir=None)
    packages = {room: f"roundsmith.{room}" for room in rows}
    return {
        room: {
            other
            for other in rows
            if other != room
            and graph.direct_import_exists(
                importer=packages[room], imported=packages[other], as_packages=True
            )
        }
        for room in rows
    }


def reduced(imports: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """Return the imports without those that a way over other rooms stands for as well."""
    below: dict[str, set[str]] = {}

    def reached(room: str) -> set[str]:
        if room not in below:
            below[room] = set().union(*({o} | reached(o) for o in imports.get(room, ())))
        return below[room]

    return {
        room: {o for o in others if not any(o in reached(other) for other in others)}
        for room, others in imports.items()
    }


def lanes(rows: Sequence[str], imports: Mapping[str, set[str]]) -> list[Lane]:
    """Return a lane for each room that is imported; lanes side by side share no row."""
    spans = []
    for target, room in enumerate(rows):
        joints = tuple(row for row, other in enumerate(rows) if room in imports.get(other, ()))
        if joints:
            spans.append((target - joints[0], target, joints))
    taken: list[set[int]] = []
    found = []
    for _, target, joints in sorted(spans):
        span = set(range(joints[0], target + 1))
        lane = next((i for i, used in enumerate(taken) if not used & span), len(taken))
        if lane == len(taken):
            taken.append(set())
        taken[lane] |= span
        found.append(Lane(target, joints[0], joints, lane))
    return found
