"""Proofs that straight-line programs compute what FIPS 197 defines.

S-boxes and inverters are evaluated on every input. A column circuit has too many, but is linear:
its outputs are followed symbolically, as sums of inputs, which covers every input at once.
"""

from roundsmith.base.errors import RoundsmithError
from roundsmith.circuits import field, sbox_table
from roundsmith.circuits.program import Kind, Program

#: The first column of the matrices of MixColumns and InvMixColumns (FIPS 197, 5.1.3 and 5.3.3).
MIX = (0x02, 0x01, 0x01, 0x03)
INVERSE_MIX = (0x0E, 0x09, 0x0D, 0x0B)

_FORWARD_SBOX = sbox_table.sbox()
_INVERSE_SBOX = tuple(_FORWARD_SBOX.index(y) for y in range(256))


class ProofFailed(RoundsmithError):
    """A circuit that does not compute what it should, and an input that shows it."""


def prove(program: Program) -> None:
    """Return when `program` is right for every input; else raise ProofFailed."""
    for inverse in _directions(program):
        if program.kind == "mix":
            _prove_linear(program, inverse)
        else:
            _prove_on_every_byte(program, inverse)


def is_proved(program: Program) -> bool:
    """Whether `program` is right for every input."""
    try:
        prove(program)
    except ProofFailed:
        return False
    return True


def _directions(program: Program) -> tuple[bool, ...]:
    return {"forward": (False,), "inverse": (True,), "both": (False, True)}[program.direction]


def table(program: Program, inverse: bool) -> tuple[int, ...]:
    """Return the output byte of an S-box or inverter for every input byte, in one direction."""
    ones = (1 << 256) - 1
    values = {f"x[{i}]": sum(1 << x for x in range(256) if x >> i & 1) for i in range(8)}
    if program.direction == "both":
        values["inverse"] = ones if inverse else 0
    found = program.evaluate(values, ones)
    return tuple(sum((found[f"y[{i}]"] >> x & 1) << i for i in range(8)) for x in range(256))


def _prove_on_every_byte(program: Program, inverse: bool) -> None:
    found = table(program, inverse)
    if program.kind == "sbox":
        wanted = _INVERSE_SBOX if inverse else _FORWARD_SBOX
    else:
        tower = field.INVERTERS[program.name]
        wanted = tuple(tower.invert(x) for x in range(256))
    for x in range(256):
        if found[x] != wanted[x]:
            raise ProofFailed(
                f"{program.name}{' (inverse)' if inverse else ''} is wrong: it maps {x:02x} to "
                f"{found[x]:02x} instead of {wanted[x]:02x}."
            )


# A signal of a linear circuit: bit i says whether input i is a term, bit 32 is the constant.
_COLUMN = 32
_ONE = 1 << _COLUMN


def _prove_linear(program: Program, inverse: bool) -> None:
    found = _sums(program, inverse)
    first = INVERSE_MIX if inverse else MIX
    for row in range(4):
        for bit in range(8):
            name = f"b{row}[{bit}]"
            wanted = 0
            for source in range(4):
                for i in range(8):
                    product = sbox_table.multiply(first[(row - source) % 4], 1 << i)
                    wanted |= (product >> bit & 1) << (8 * source + i)
            if found[name] != wanted:
                raise ProofFailed(
                    f"{program.name}{' (inverse)' if inverse else ''} is wrong: {name} is the sum "
                    f"of {_terms(found[name])} instead of {_terms(wanted)}."
                )


def _terms(sum_: int) -> str:
    names = [f"a{i // 8}[{i % 8}]" for i in range(_COLUMN) if sum_ >> i & 1]
    return ", ".join(names + ["1"] * (sum_ >> _COLUMN)) or "nothing"


def _sums(program: Program, inverse: bool) -> dict[str, int]:
    """Return every signal as a sum of inputs; ProofFailed when one is no such sum."""
    found = {f"a{i // 8}[{i % 8}]": 1 << i for i in range(_COLUMN)}
    found["inverse"] = _ONE if inverse else 0
    for operation in program.operations:
        parts = [found[name] for name in operation.operands]
        kind = operation.kind
        if kind is Kind.XOR:
            value = parts[0] ^ parts[1]
        elif kind is Kind.XNOR:
            value = parts[0] ^ parts[1] ^ _ONE
        elif kind is Kind.ALIAS:
            value = parts[0]
        elif kind is Kind.NOT:
            value = parts[0] ^ _ONE
        elif kind is Kind.MUX and parts[0] in (0, _ONE):
            value = parts[1] if parts[0] else parts[2]
        elif kind in (Kind.AND, Kind.ANDNOT) and {0, _ONE}.intersection(parts):
            # A gate with the direction: one operand is a constant here.
            left, right = parts[0], parts[1] ^ (_ONE if kind is Kind.ANDNOT else 0)
            constant, other = (left, right) if left in (0, _ONE) else (right, left)
            value = other if constant == _ONE else 0
        else:
            raise ProofFailed(f"{program.name} is not linear: '{operation}' is no sum of inputs.")
        found[operation.target] = value
    return found
