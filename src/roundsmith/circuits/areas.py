"""What a gate of a straight-line program costs in a cell library, about.

The smallest cell of that function counts; a mapper finds better, as it joins gates.
"""

from itertools import permutations

from roundsmith.circuits.program import Kind, Operation
from roundsmith.tools.liberty import Cell, Library

#: Kinds whose complement serves as well, as what follows can absorb it.
_EITHER = (Kind.XOR, Kind.XNOR, Kind.MUX)
#: What a kind is made of where a library has no cell for it.
_MADE_OF = {
    Kind.AND: (Kind.NAND, Kind.NOT),
    Kind.OR: (Kind.NOR, Kind.NOT),
    Kind.ANDNOT: (Kind.NOR, Kind.NOT),
    Kind.ORNOT: (Kind.NAND, Kind.NOT),
    Kind.XOR: (Kind.NAND,) * 4,
    Kind.XNOR: (Kind.NAND,) * 4 + (Kind.NOT,),
    Kind.MUX: (Kind.NAND,) * 3 + (Kind.NOT,),
    Kind.NOR: (Kind.NAND,) + (Kind.NOT,) * 3,
    Kind.NOT: (Kind.NAND,),
}


def areas(library: Library) -> dict[Kind, float]:
    """Return the GE of every kind of gate in `library`."""
    found = {Kind.NAND: 1.0, Kind.ALIAS: 0.0}
    for kind in (Kind.NOT, Kind.NOR, *_MADE_OF):
        cells = [cell.area for cell in library.cells.values() if _fits(cell, kind)]
        made = sum(found[part] for part in _MADE_OF[kind])
        found[kind] = min([*map(library.ge, cells), made])
    return found


def _fits(cell: Cell, kind: Kind) -> bool:
    """Say whether the cell computes `kind`, its inputs in any order."""
    count = {Kind.NOT: 1, Kind.MUX: 3}.get(kind, 2)
    ones = (1 << (1 << count)) - 1
    columns = [sum(1 << k for k in range(1 << count) if k >> i & 1) for i in range(count)]
    for order in permutations(range(count)):
        names = [f"i{k}" for k in order]
        values = {f"i{k}": columns[k] for k in range(count)}
        table = Operation("o", kind, tuple(names)).apply(values, ones) & ones
        if cell.computes(count, table) or (kind in _EITHER and cell.computes(count, table ^ ones)):
            return True
    return False
