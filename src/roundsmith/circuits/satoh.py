"""Inverters and S-boxes of Satoh et al. 2001, section 4."""

from dataclasses import replace

from roundsmith.circuits.arithmetic import invert, multiplier, norm
from roundsmith.circuits.builder import Builder, Vector
from roundsmith.circuits.field import SATOH_GF4, SATOH_GF16, Maps, Quadratic, isomorphisms
from roundsmith.circuits.matrix import Affine, Matrix
from roundsmith.circuits.program import Program, Stage

#: Equation (13) as printed: row by row, the least significant bits in the upper left corner, so
#: that row i makes bit i and its character j stands for input bit j. Read so, the left matrix is
#: one of the eight isomorphisms from the AES field to that of equation (8), and the right one is
#: its inverse; transposed or with the bits in the other order they are none.
_DELTA = "11000010 01001010 01111001 01100011 01110101 00110101 01111011 00000101"
_DELTA_INVERSE = "10101110 00001100 01111001 01111100 01101110 01000110 00100010 01000111"


def printed_delta() -> Matrix:
    """Return the isomorphism delta of equation (13)."""
    return _printed(_DELTA)


def printed_delta_inverse() -> Matrix:
    """Return delta^-1 of equation (13)."""
    return _printed(_DELTA_INVERSE)


def _printed(rows: str) -> Matrix:
    texts = rows.split()
    return Matrix(tuple(int(text[::-1], 2) for text in texts), len(texts))


_SATOH = "Satoh et al. 2001"
_EQUATION_8 = (
    "GF(((2^2)^2)^2), polynomial bases: x^2+x+1; x^2+x+phi, phi = {10}; x^2+x+lambda, "
    "lambda = {1100}. P^-1 = (P^17)^-1 P^16; P^16 is P's upper half and total."
)
_EQUATION_9 = (
    "GF((2^4)^2), polynomial bases: x^4+x+1; x^2+x+omega14, omega14 = {1001}. "
    "P^-1 = (P^17)^-1 P^16; P^16 is P's upper half and total."
)
_MISPRINT = (
    "The paper prints x^2+x+1 for the first polynomial of equation (9), evidently for x^4+x+1: "
    "GF(2^4) needs degree four, and omega14 = {1001} is the 14th power of its root."
)


def _inverse(builder: Builder, field: Quadratic, p: Vector) -> Vector:
    """Return the inverse of p in three stages, Satoh's Fig. 6: P^-1 = (P^17)^-1 P^16."""
    half = field.sub.bits
    low, high = p[:half], p[half:]
    builder.stage("Norm")
    total = builder.name("total", builder.add(high, low))
    seventeenth = builder.name("norm", builder.array(*norm(builder, field, high, total, low)))
    builder.stage(f"Inversion in {field.sub.shape}")
    reciprocal = builder.name("reciprocal", invert(builder, field.sub, seventeenth))
    builder.stage("Products")
    method = multiplier(field.sub)
    return [
        *method.product(builder, total, reciprocal),
        *method.product(builder, high, reciprocal),
    ]


def _inverter(name: str, field: Quadratic, source: str, basis: str) -> Program:
    builder = Builder()
    builder.output("y", _inverse(builder, field, builder.inputs("x")))
    program = builder.program(name, "inverter", "forward", source, basis)
    one = Stage("Inversion: norm, inverse of the norm, products", program.operations)
    return replace(program, stages=(one,))


def inverter_gf4() -> Program:
    """Return Satoh's inverter in the field of equation (8)."""
    source = f"{_SATOH}, section 4.2, Fig. 6; multipliers by Karatsuba's method."
    return _inverter("inverter-gf4", SATOH_GF4, source, _EQUATION_8)


def inverter_gf16() -> Program:
    """Return Satoh's inverter in the field of equation (9)."""
    source = f"{_SATOH}, section 4.2, Fig. 6 in the field of equation (9). {_MISPRINT}"
    return _inverter("inverter-gf16", SATOH_GF16, source, _EQUATION_9)


def _sbox(
    name: str, direction: str, field: Quadratic, delta: Matrix, source: str, basis: str
) -> Program:
    """Return an S-box as in Satoh's Fig. 5; both directions share one array on either side."""
    maps = Maps(delta)
    builder = Builder()
    x = builder.inputs("x")
    inverse = builder.input("inverse") if direction == "both" else None

    def through(forward: Affine, backward: Affine, operands: Vector) -> Vector:
        if inverse is None:
            return builder.array(forward if direction == "forward" else backward, operands)
        images = builder.array(forward.above(backward), operands)
        return builder.select(inverse, images[8:], images[:8])

    builder.stage("Input map" if inverse is None else "Input maps and selector")
    p = builder.name("p", through(maps.to_tower, maps.inverse_to_tower, x))
    q = builder.name("q", _inverse(builder, field, p))
    builder.stage("Output map" if inverse is None else "Output maps and selector")
    builder.output("y", through(maps.from_tower, maps.inverse_from_tower, q))
    return builder.program(name, "sbox", direction, source, basis)


def _sbox_gf4(name: str, direction: str) -> Program:
    source = f"{_SATOH}, section 4, Fig. 5 and 6, delta of equation (13)"
    if direction == "both":
        source += ". Sums shared by a greedy method, as in section 4.3."
    else:
        source += "; one direction of it, without the selectors."
    return _sbox(name, direction, SATOH_GF4, printed_delta(), source, _EQUATION_8)


def sbox_gf4() -> Program:
    """Return the forward direction of Satoh's S-box."""
    return _sbox_gf4("sbox-gf4", "forward")


def sbox_gf4_inverse() -> Program:
    """Return the inverse direction of Satoh's S-box."""
    return _sbox_gf4("sbox-gf4-inverse", "inverse")


def sbox_gf4_both() -> Program:
    """Return Satoh's S-box for both directions."""
    return _sbox_gf4("sbox-gf4-both", "both")


def sbox_gf16_both() -> Program:
    """Return the S-box for both directions that Satoh compares with, in equation (9)'s field."""
    source = (
        f"{_SATOH}, section 4, Fig. 5 and 6 in the field of equation (9); delta, which the paper "
        f"does not print, is that of the eight with the fewest gates. {_MISPRINT}"
    )
    candidates = (
        _sbox("sbox-gf16-both", "both", SATOH_GF16, delta, source, _EQUATION_9)
        for delta in isomorphisms(SATOH_GF16)
    )
    return min(candidates, key=lambda program: program.gates)
