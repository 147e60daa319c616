"""The AES S-boxes as tables, derived from their definition and written as SystemVerilog.

FIPS 197, section 5.1.1: the inverse in GF(2^8), zero mapped to zero, then an affine map over
GF(2). Run as a program with the name of a module, it writes that module to standard output.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from roundsmith.base.render import render

_AES_POLYNOMIAL = 0x11B  # x^8 + x^4 + x^3 + x + 1
_AFFINE_CONSTANT = 0x63
_PER_LINE = 8


def multiply(a: int, b: int) -> int:
    """Return the product of two elements of the AES field."""
    product = 0
    while b:
        if b & 1:
            product ^= a
        a <<= 1
        if a >> 8:
            a ^= _AES_POLYNOMIAL
        b >>= 1
    return product


def invert(a: int) -> int:
    """Return the inverse of an element of the AES field, and zero for zero."""
    # The multiplicative group has 255 elements, so the inverse is the 254th power.
    result = 1
    for bit in f"{254:b}":
        result = multiply(result, result)
        if bit == "1":
            result = multiply(result, a)
    return result


def affine(a: int) -> int:
    """Return the affine map of SubBytes."""
    doubled = a << 8 | a  # makes rotations shifts
    rotations = doubled ^ doubled >> 4 ^ doubled >> 5 ^ doubled >> 6 ^ doubled >> 7
    return rotations & 0xFF ^ _AFFINE_CONSTANT


def sbox() -> tuple[int, ...]:
    """Return the 256 entries of the forward S-box."""
    return tuple(affine(invert(x)) for x in range(256))


def inverse_sbox() -> tuple[int, ...]:
    """Return the 256 entries of the inverse S-box (FIPS 197, 5.3.2)."""
    forward = sbox()
    return tuple(forward.index(y) for y in range(256))


def inverses() -> tuple[int, ...]:
    """Return the inverse of every element of the AES field, and zero for zero."""
    return tuple(invert(x) for x in range(256))


def multiples() -> tuple[int, ...]:
    """Return 256 words of 16 bits: {2 S, 3 S} for x."""
    return tuple(multiply(2, s) << 8 | multiply(3, s) for s in sbox())


def single_and_double() -> tuple[int, ...]:
    """Return 512 words of 16 bits: {S, 2 S} for x, then {0, S} for 256 + x.

    The first half serves every round but the last, the second half the last.
    """
    return tuple(s << 8 | multiply(2, s) for s in sbox()) + sbox()


def leaves(table: Sequence[int]) -> tuple[int, ...]:
    """Return 128 truth tables over x[3:0]: entry 16 * i + k is bit i of `table` at x[7:4] = k."""
    return tuple(
        sum((table[16 * k + low] >> i & 1) << low for low in range(16))
        for i in range(8)
        for k in range(16)
    )


def _descending(entries: Sequence[int], bits: int) -> list[str]:
    """Write entries as lines of literals, the last entry first, as packed arrays stand."""
    lines = []
    for first in range(len(entries) - _PER_LINE, -1, -_PER_LINE):
        row = entries[first : first + _PER_LINE][::-1]
        comma = "," if first else " "
        last = first + _PER_LINE - 1
        lines.append(f"{_literals(row, bits)}{comma}  // {last:02x} to {first:02x}")
    return lines


def _ascending(entries: Sequence[int], bits: int) -> list[str]:
    """Write entries as lines of literals, the first entry first, as memories stand."""
    rows = [entries[i : i + _PER_LINE] for i in range(0, len(entries), _PER_LINE)]
    return [
        f"{_literals(row, bits)}{',' if i < len(rows) - 1 else ' '}  // {_PER_LINE * i:02x}"
        for i, row in enumerate(rows)
    ]


def _literals(row: Sequence[int], bits: int) -> str:
    return ", ".join(f"{bits}'h{entry:0{bits // 4}x}" for entry in row)


_FORWARD = {"sbox": "forward S-box (FIPS 197, 5.1.1)", "step": "SubBytes"}
_INVERSE = {"sbox": "inverse S-box (FIPS 197, 5.3.2)", "step": "InvSubBytes"}


@dataclass(frozen=True)
class _File:
    """One module: its template, the lines of its table and the other values to fill in."""

    template: str
    lines: Callable[[], list[str]]
    values: Mapping[str, object] = field(default_factory=dict)


_FILES = {
    "table": _File("table", lambda: _descending(sbox(), 8), _FORWARD),
    "table_inverse": _File("table", lambda: _descending(inverse_sbox(), 8), _INVERSE),
    "mux_tree": _File("mux_tree", lambda: _descending(leaves(sbox()), 16), _FORWARD),
    "mux_tree_inverse": _File(
        "mux_tree", lambda: _descending(leaves(inverse_sbox()), 16), _INVERSE
    ),
    "shared_inverse_both": _File("shared_inverse", lambda: _descending(inverses(), 8)),
    "block_ram": _File("block_ram", lambda: _ascending(sbox(), 8), _FORWARD | {"both": False}),
    "block_ram_inverse": _File(
        "block_ram", lambda: _ascending(inverse_sbox(), 8), _INVERSE | {"both": False}
    ),
    "block_ram_both": _File(
        "block_ram", lambda: _ascending(sbox() + inverse_sbox(), 8), {"both": True}
    ),
    "mix_ram": _File("mix_ram", lambda: _ascending(single_and_double(), 16)),
    "multiples_ram": _File("multiples_ram", lambda: _ascending(multiples(), 16)),
}


def modules() -> list[str]:
    """Return the names of the modules that this file writes."""
    return [f"rsm_aes_sbox_{name}" for name in _FILES]


def module(name: str) -> str:
    """Return the SystemVerilog file of module `name`; KeyError when it is none of modules()."""
    file = _FILES[name.removeprefix("rsm_aes_sbox_")]
    return render(
        f"rsm_aes_sbox_{file.template}.sv.j2",
        name=name,
        lines=file.lines(),
        command=f"python -m roundsmith.circuits.sbox_table {name}",
        **file.values,
    )


if __name__ == "__main__":
    try:
        sys.stdout.write(module(sys.argv[1]))
    except (IndexError, KeyError):
        sys.exit(f"error: name one of the modules {', '.join(modules())}.")
