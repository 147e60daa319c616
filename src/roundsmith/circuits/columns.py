"""Column circuits as problems for the search: MixColumns, InvMixColumns, and both in one.

For both, the inverse is MixColumns with a correction, as d(x) = c(x) d^2(x) and d^2(x) = 1 +
{04} (1 + x^2) (Chodowiec and Gaj 2003, equations 7 and 8; Barreto): with s0 the sum of bytes 0 and
2 and s1 that of bytes 1 and 3, {04} s0 or {04} s1 is added to each byte, before MixColumns or after
it. Sixteen AND gates let the correction in. They may stand anywhere on its way.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from roundsmith.circuits import assembly
from roundsmith.circuits.linear import Problem, Sums
from roundsmith.circuits.program import Kind, Operation, Program, Stage

#: A byte of sums: eight masks over the inputs, least significant bit first.
_Byte = list[int]
_Column = list[_Byte]

_IN = [f"a{row}[{bit}]" for row in range(4) for bit in range(8)]
_OUT = [f"b{row}[{bit}]" for row in range(4) for bit in range(8)]

#: The least depths that are possible or nearly so, in XOR gates.
_SHALLOW = {"forward": 3, "inverse": 5, "both": 6}


@dataclass(frozen=True)
class Form:
    """One way to write a column circuit as a problem; late inputs are behind AND gates."""

    direction: str
    problem: Problem
    title: str

    def program(self, name: str, source: str, found: Sums) -> Program:
        """Return `found` as a program."""
        behind = [signal for signal, _ in self.problem.late]
        inputs = [(bit, 0) for bit in (*_IN, *(f"g[{i}]" for i in range(len(behind))))]
        outputs = [(bit, 0) for bit in (*_OUT, *(f"s[{i}]" for i in range(len(behind))))]
        temporary = assembly.counter("t")
        operations = assembly.sums(self.problem, found, inputs, outputs, lambda _: temporary())
        for i in range(len(behind)):
            operations.append(Operation(f"g[{i}]", Kind.AND, ("inverse", f"s[{i}]")))
        operations = assembly.ordered(operations, [*_IN, "inverse"])
        stage = Stage(self.title, tuple(operations))
        return Program(name, "mix", self.direction, "search", source, (stage,))


def forms(direction: str, shallow: bool) -> list[Form]:
    """Return the problems for a direction; `shallow` bounds their depth."""
    depth = _SHALLOW[direction] if shallow else None
    if direction == "forward":
        return [Form(direction, Problem(32, _flat(_mix(_bytes(0, 4))), depth=depth), "MixColumns")]
    if direction == "inverse":
        column = _mix(_corrected(_bytes(0, 4), *_sums(_bytes(0, 4), _four)))
        return [Form(direction, Problem(32, _flat(column), depth=depth), "InvMixColumns")]
    return [
        *(_gated_before(before, after, depth) for before, after in _GATES),
        _gated_after(depth),
    ]


def _bytes(first: int, count: int) -> _Column:
    return [[1 << (first + 8 * row + bit) for bit in range(8)] for row in range(count)]


def _add(*bytes_: _Byte) -> _Byte:
    total = [0] * 8
    for byte in bytes_:
        total = [a ^ b for a, b in zip(total, byte, strict=True)]
    return total


def _double(a: _Byte) -> _Byte:
    """Return {02} * a (xtime, FIPS 197, 4.2.1)."""
    return [a[7], a[0] ^ a[7], a[1], a[2] ^ a[7], a[3] ^ a[7], a[4], a[5], a[6]]


def _four(a: _Byte) -> _Byte:
    return _double(_double(a))


def _same(a: _Byte) -> _Byte:
    return a


def _mix(a: _Column) -> _Column:
    return [
        _add(_double(_add(a[i], a[(i + 1) % 4])), a[(i + 1) % 4], a[(i + 2) % 4], a[(i + 3) % 4])
        for i in range(4)
    ]


def _sums(a: _Column, scale: Callable[[_Byte], _Byte]) -> _Column:
    return [scale(_add(a[0], a[2])), scale(_add(a[1], a[3]))]


def _corrected(a: _Column, even: _Byte, odd: _Byte) -> _Column:
    return [_add(a[0], even), _add(a[1], odd), _add(a[2], even), _add(a[3], odd)]


def _flat(column: Sequence[_Byte]) -> tuple[int, ...]:
    return tuple(bit for byte in column for bit in byte)


def _late(column: _Column) -> tuple[tuple[int, int], ...]:
    return tuple((32 + i, vector) for i, vector in enumerate(_flat(column)))


#: Where the gates stand: what is done before them and after them makes {04} of the sums.
_GATES = ((_same, _four), (_double, _double), (_four, _same))


def _gated_before(
    before: Callable[[_Byte], _Byte], after: Callable[[_Byte], _Byte], depth: int | None
) -> Form:
    a, g = _bytes(0, 4), _bytes(32, 2)
    column = _mix(_corrected(a, after(g[0]), after(g[1])))
    problem = Problem(48, _flat(column), depth=depth, late=_late(_sums(a, before)))
    return Form("both", problem, "MixColumns of the column with the inverse's correction g")


def _gated_after(depth: int | None) -> Form:
    b, g = _mix(_bytes(0, 4)), _bytes(32, 2)
    column = _corrected(b, _four(g[0]), _four(g[1]))
    problem = Problem(48, _flat(column), depth=depth, late=_late(_sums(b, _same)))
    return Form("both", problem, "MixColumns, and the inverse's correction g of its result")
