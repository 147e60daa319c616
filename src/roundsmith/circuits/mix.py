"""Circuits for a column of MixColumns: direct, and those of two papers for both directions."""

from collections.abc import Callable

from roundsmith.circuits import proof
from roundsmith.circuits.builder import Builder, Signal, Vector
from roundsmith.circuits.program import Program
from roundsmith.circuits.sbox_table import multiply


def _times(builder: Builder, constant: int, a: Vector) -> Vector:
    """Return a constant times a byte: xtime of FIPS 197, 4.2.1, as often as needed, and sums."""
    multiples = []
    while constant:
        if constant & 1:
            multiples.append(a)
        constant >>= 1
        a = _xtime(builder, a) if constant else a
    return builder.add(*multiples)


def _xtime(builder: Builder, a: Vector) -> Vector:
    reduction = {bit for bit in range(1, 8) if multiply(2, 0x80) >> bit & 1}
    shifted = [a[7], *a[:7]]
    return [builder.xor(s, a[7]) if i in reduction else s for i, s in enumerate(shifted)]


def _columns(builder: Builder, first: tuple[int, ...], a: list[Vector]) -> list[Vector]:
    """Return the product of a column and a circulant matrix with this first column."""
    return [
        builder.add(*(_times(builder, first[(row - i) % 4], a[i]) for i in range(4)))
        for row in range(4)
    ]


def _mix(
    name: str,
    direction: str,
    title: str,
    source: str,
    body: Callable[[Builder, list[Vector], Signal], list[Vector]],
) -> Program:
    """Return a column circuit of one stage; `body` makes the four bytes of its output."""
    builder = Builder()
    a = [builder.inputs(f"a{row}") for row in range(4)]
    inverse = builder.input("inverse") if direction == "both" else Signal(-1)
    builder.stage(title)
    for row, vector in enumerate(body(builder, a, inverse)):
        builder.output(f"b{row}", vector)
    return builder.program(name, "mix", direction, source)


def mix_direct() -> Program:
    """Return MixColumns with the sums of neighbours shared: 108 XOR."""

    def body(builder: Builder, a: list[Vector], _: Signal) -> list[Vector]:
        d = [builder.name(f"d{row}", builder.add(a[row], a[(row + 1) % 4])) for row in range(4)]
        return [
            builder.add(_times(builder, 2, d[row]), a[(row + 1) % 4], d[(row + 2) % 4])
            for row in range(4)
        ]

    return _mix(
        "mix-direct",
        "forward",
        "With the sums d of two neighbours, byte i is {02} d(i) + a(i+1) + d(i+2)",
        "FIPS 197, 5.1.3, with the sums of neighbours shared (Daemen and Rijmen, The Design of "
        "Rijndael, 4.1.2).",
        body,
    )


def mix_direct_inverse() -> Program:
    """Return InvMixColumns as the rows of its matrix."""
    return _mix(
        "mix-direct-inverse",
        "inverse",
        "Each byte of the result is a row of the matrix: {0e}, {0b}, {0d} and {09}",
        "FIPS 197, 5.3.3: the rows of the matrix, its multiples by xtime (4.2.1), thrice.",
        lambda builder, a, _: _columns(builder, proof.INVERSE_MIX, a),
    )


def mix_factored_both() -> Program:
    """Return Satoh's factored circuit for both directions: 195 XOR and the selectors."""

    def body(builder: Builder, a: list[Vector], inverse: Signal) -> list[Vector]:
        # The paper counts the bytes from the other end: its a3 is the byte of row 0.
        a3, a2, a1, a0 = a
        x3 = builder.name("x3", builder.add(a3, a2))
        x2 = builder.name("x2", builder.add(a2, a1))
        x1 = builder.name("x1", builder.add(a1, a0))
        x0 = builder.name("x0", builder.add(a0, a3))
        rows = (x3, x1, a2), (x2, x1, a3), (x1, x3, a0), (x0, x3, a1)
        b = [
            builder.name(f"mix{row}", builder.add(_times(builder, 2, double), single, byte))
            for row, (double, single, byte) in enumerate(rows)
        ]
        y1 = builder.name("y1", _times(builder, 4, builder.add(a3, a1)))
        y0 = builder.name("y0", _times(builder, 4, builder.add(a2, a0)))
        y2 = builder.name("y2", _times(builder, 2, builder.add(y1, y0)))
        z1 = builder.name("z1", builder.add(y2, y1))
        z0 = builder.name("z0", builder.add(y2, y0))
        c = [builder.add(byte, z) for byte, z in zip(b, (z1, z0, z1, z0), strict=True)]
        c = [builder.name(f"unmix{row}", byte) for row, byte in enumerate(c)]
        return [builder.select(inverse, i, f) for i, f in zip(c, b, strict=True)]

    return _mix(
        "mix-factored-both",
        "both",
        "Equation (6), then (7) on top of it; the direction selects",
        "Satoh et al. 2001, section 3.3, equations (6) and (7), Fig. 4.",
        body,
    )


def mix_squared_both() -> Program:
    """Return Chodowiec and Gaj's circuit: InvMixColumns is MixColumns after d^2(x)."""

    def body(builder: Builder, a: list[Vector], inverse: Signal) -> list[Vector]:
        four = [_times(builder, 4, byte) for byte in a]
        five = [builder.add(once, byte) for once, byte in zip(four, a, strict=True)]
        squared = [
            builder.name(f"squared{row}", builder.add(five[row], four[(row + 2) % 4]))
            for row in range(4)
        ]
        chosen = [
            builder.name(f"in{row}", builder.select(inverse, squared[row], a[row]))
            for row in range(4)
        ]
        return _columns(builder, proof.MIX, chosen)

    return _mix(
        "mix-squared-both",
        "both",
        "d^2(x) = {04} x^2 + {05}, the selector, MixColumns",
        "Chodowiec and Gaj 2003, section 3.3, Fig. 6, equations (7) to (10); MixColumns is that of "
        "FIPS 197, 5.1.3.",
        body,
    )
