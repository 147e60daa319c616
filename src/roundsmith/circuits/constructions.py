"""The circuits of the publications, composed from field arithmetic as straight-line programs.

Run as a program with names of circuits (all without a name), it writes their files in `programs/`.

    python -m roundsmith.circuits.constructions [NAME...]
"""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations

from roundsmith.circuits import proof
from roundsmith.circuits.builder import Builder, Signal, Vector
from roundsmith.circuits.field import (
    SATOH_GF4,
    SATOH_GF16,
    Basis,
    Direct,
    Field,
    Maps,
    Quadratic,
    extensions,
    isomorphisms,
)
from roundsmith.circuits.matrix import Affine, Matrix
from roundsmith.circuits.program import PROGRAMS, Kind, Program, Stage
from roundsmith.circuits.sbox_table import multiply
from roundsmith.errors import RoundsmithError

# Products in a field


@dataclass(frozen=True)
class Multiplier:
    """A product as sums, AND gates and sums: outputs * ((left * a) & (right * b))."""

    left: Matrix
    right: Matrix
    outputs: Matrix

    def terms(self, builder: Builder, a: Vector, b: Vector) -> Vector:
        """Return the AND gates of a product; `outputs` makes the product of them."""
        lefts, rights = builder.array(self.left, a), builder.array(self.right, b)
        return [builder.conjunction(x, y) for x, y in zip(lefts, rights, strict=True)]

    def product(self, builder: Builder, a: Vector, b: Vector) -> Vector:
        """Return the product of two elements."""
        return builder.array(self.outputs, self.terms(builder, a, b))


def multiplier(field: Field) -> Multiplier:
    """Return how a product is formed: by Karatsuba's method down to GF(2), else by rows.

    Quadratic extensions are taken in a polynomial basis.
    """
    if isinstance(field, Quadratic):
        return _karatsuba(multiplier(field.sub), field, field.join(field.sub.one, 0))
    if field.bits == 2:
        bit = Matrix.identity(1)
        return _karatsuba(Multiplier(bit, bit, bit), field, 0b10)
    return _by_rows(field)


def _karatsuba(sub: Multiplier, field: Field, root: int) -> Multiplier:
    """Return the method of three products in the sub-field, in the basis (1, Y), `root` = Y.

    (a1 Y + a0) (b1 Y + b0) = a0 b0 (1 + Y) + a1 b1 (Y^2 + Y) + (a1 + a0) (b1 + b0) Y.
    """
    weights = field.one ^ root, field.square(root) ^ root, root
    columns = [
        field.multiply(weight, column) for weight in weights for column in sub.outputs.columns
    ]
    return Multiplier(
        _at_three_points(sub.left),
        _at_three_points(sub.right),
        Matrix.of_columns(columns, field.bits),
    )


def _at_three_points(sub: Matrix) -> Matrix:
    """Return `sub` of the lower half, of the upper half and of their sum."""
    none = Matrix((0,) * sub.height, sub.width)
    return sub.beside(none).above(none.beside(sub)).above(sub.beside(sub))


def _by_rows(field: Field) -> Multiplier:
    """Return the method of the product matrix: sums of b's bits, each times one bit of a."""
    size = field.bits
    rows = [field.scaling(1 << i).rows for i in range(size)]
    pairs = [(i, k) for k in range(size) for i in range(size)]
    return Multiplier(
        Matrix(tuple(1 << i for i, _ in pairs), size),
        Matrix(tuple(rows[i][k] for i, k in pairs), size),
        Matrix.of_columns((1 << k for _, k in pairs), size),
    )


# Inversions in a sub-field


def function(builder: Builder, table: list[int], height: int, x: Vector) -> Vector:
    """Return any function of x, a table of `height` bits, as sums of products of x's bits."""
    form = list(table)  # becomes, for each set of inputs, the outputs that have this product
    for i in range(len(x)):
        for entry in range(len(table)):
            if entry >> i & 1:
                form[entry] ^= form[entry ^ 1 << i]

    def product(factors: int) -> Signal:
        rest = factors & (factors - 1)  # without the first factor
        first = x[(factors ^ rest).bit_length() - 1]
        return builder.conjunction(product(rest), first) if rest else first

    used = sorted((i for i in range(1, len(table)) if form[i]), key=int.bit_count)
    matrix = Matrix.of_columns((form[factors] for factors in used), height)
    return builder.array(Affine(matrix, form[0]), [product(factors) for factors in used])


def norm(
    builder: Builder, field: Quadratic, high: Vector, total: Vector, low: Vector
) -> tuple[Matrix, Vector]:
    """Return the norm N high^2 + total low, total = high + low, as an array not yet made."""
    method = multiplier(field.sub)
    scaled = field.sub.scaling(field.constant) @ field.sub.squaring
    return method.outputs.beside(scaled), [*method.terms(builder, low, total), *high]


def invert(builder: Builder, field: Field, x: Vector) -> Vector:
    """Return the inverse in a sub-field."""
    if field.bits == 2:
        return builder.array(field.squaring, x)
    if not isinstance(field, Quadratic):
        return function(builder, [field.invert(i) for i in range(16)], field.bits, x)
    half = field.sub.bits
    low, high = x[:half], x[half:]
    total = builder.add(high, low)
    matrix, terms = norm(builder, field, high, total, low)
    if field.sub.bits == 2:  # inversion is linear there, so that it joins the sums of the norm
        reciprocal = builder.array(field.sub.squaring @ matrix, terms)
    else:
        reciprocal = invert(builder, field.sub, builder.array(matrix, terms))
    method = multiplier(field.sub)
    return [
        *method.product(builder, total, reciprocal),
        *method.product(builder, high, reciprocal),
    ]


# Satoh et al. 2001: inverters and S-boxes

#: Equation (13) as printed: row by row, the least significant bits in the upper left corner, so
#: that row i makes bit i and its character j stands for input bit j. Read so, the left matrix is
#: one of the eight isomorphisms from the AES field to that of equation (8), and the right one is
#: its inverse; transposed or with the bits in the other order they are none.
_DELTA = "11000010 01001010 01111001 01100011 01110101 00110101 01111011 00000101"
_DELTA_INVERSE = "10101110 00001100 01111001 01111100 01101110 01000110 00100010 01000111"


def satoh_delta() -> Matrix:
    """Return the isomorphism delta of equation (13)."""
    return _printed(_DELTA)


def satoh_delta_inverse() -> Matrix:
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
    return _sbox(name, direction, SATOH_GF4, satoh_delta(), source, _EQUATION_8)


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


# Standaert et al. 2003: an S-box for 4-input lookup tables

_LUT = 4  # inputs of a lookup table
_ROOTS = 5  # h^5 = 1 for the root h of x^4+x^3+x^2+x+1
_SUB = Direct(0b11111)


def trace_forms() -> Matrix:
    """Return the five forms Tr(h^j x) of an element x of GF(2^4); their sum is zero.

    A product then needs no sum of inputs: Tr(h^k a b) is the sum of a_i Tr(h^(i+k) b) for the
    coordinates a_i of a, and h^(i+k) is one of only five elements.
    """
    return Matrix(
        tuple(
            sum(_SUB.absolute_trace(_SUB.multiply(_SUB.power(2, j), 1 << i)) << i for i in range(4))
            for j in range(_ROOTS)
        ),
        4,
    )


@dataclass(frozen=True)
class _Split:
    """A linear map in two steps of sums of at most four bits, eight signals between them."""

    first: Affine
    second: Affine

    @property
    def gates(self) -> int:
        """The two-input gates of both steps, nothing shared."""
        return sum(row.bit_count() - 1 for row in self.first.matrix.rows + self.second.matrix.rows)


def splits(target: Affine) -> Iterator[_Split]:
    """Yield the ways to compute some outputs first, the others from these and from inputs."""
    size = target.matrix.width
    rows = target.matrix.rows
    light = [i for i, row in enumerate(rows) if row.bit_count() <= _LUT]
    for made in range(1, size):
        for early in combinations(light, made):
            for kept in combinations(range(size), size - made):
                middle = Matrix(tuple(1 << i for i in kept) + tuple(rows[i] for i in early), size)
                try:
                    second = target.matrix @ middle.inverse()
                except ValueError:
                    continue
                if max(row.bit_count() for row in second.rows) > _LUT:
                    continue
                constant = sum(
                    (target.constant >> i & 1) << (len(kept) + place)
                    for place, i in enumerate(early)
                )
                first = Affine(middle, constant)
                yield _Split(first, Affine(second, target.constant ^ second.apply(constant)))


def _norm_of_forms(builder: Builder, field: Quadratic, a1: Vector, forms: Vector) -> Vector:
    """Return the trace forms Tr(h^k n) of the norm n = s^2 + a1 s + Delta a1^2, s = a0 + a1.

    `forms` are the trace forms of s. The squares are linear, and every bit that they add up is an
    input of the products already, so that they need no lookup table: n is two tables deep.
    """
    scaled = trace_forms() @ field.sub.scaling(field.constant) @ _SUB.squaring
    bits = []
    for k in range(4):
        used = [(k + i) % _ROOTS for i in range(4)]
        # Tr(h^k s^2) = Tr(h^(k/2) s), and 1/2 = 3 modulo 5. The form that no product has is the
        # sum of the other four.
        square = 3 * k % _ROOTS
        squares = {square} if square in used else set(used)
        terms = [
            _term(builder, a1[i], forms[j], bool(scaled.rows[k] >> i & 1), j in squares)
            for i, j in enumerate(used)
        ]
        bits.append(builder.xor(builder.xor(*terms[:2]), builder.xor(*terms[2:])))
    return bits


def _term(builder: Builder, a: Signal, b: Signal, plus_a: bool, plus_b: bool) -> Signal:
    """Return a b, plus a and plus b on request, as one gate."""
    if plus_a and plus_b:
        return builder.operation(Kind.OR, a, b)
    if plus_a:
        return builder.operation(Kind.ANDNOT, a, b)
    if plus_b:
        return builder.operation(Kind.ANDNOT, b, a)
    return builder.conjunction(a, b)


def _partial_products(builder: Builder, a: Vector, forms: Vector) -> Vector:
    """Return two signals for each trace form of a b, whose sum it is; `forms` are those of b."""
    parts = []
    for k in range(4):
        terms = [builder.conjunction(a[i], forms[(k + i) % _ROOTS]) for i in range(4)]
        parts += [builder.xor(*terms[:2]), builder.xor(*terms[2:])]
    return parts


@dataclass(frozen=True)
class _Around:
    """What stands around the inversion of Standaert's S-box in GF((2^4)^2).

    `before` leads from x to a1 and to the trace forms of a0 + a1, `after` from those of b1 and b0
    to y.
    """

    field: Quadratic
    before: Affine
    after: Affine

    @property
    def tables(self) -> int:
        """The sums of both maps: none of them is more than one lookup table in `splits`."""
        return sum(
            row.bit_count() > 1 or bool(linear.constant >> i & 1)
            for linear in (self.before, self.after)
            for i, row in enumerate(linear.matrix.rows)
        )


def _surroundings(direction: str) -> Iterator[_Around]:
    """Yield the maps for every Delta and every isomorphism."""
    forms, none, half = trace_forms(), Matrix((0,) * 4, 4), Matrix.identity(4)
    entry = Affine(none.beside(half).above(forms.beside(forms)))
    # Four of the five forms are coordinates.
    four = Matrix(forms.rows[:4], 4)
    exit_ = Affine(four.beside(none).above(none.beside(four)).inverse())
    for field in extensions(_SUB):
        if field.linear != _SUB.one or field.basis is not Basis.POLYNOMIAL:
            continue
        for delta in isomorphisms(field):
            maps = Maps(delta)
            if direction == "forward":
                yield _Around(field, entry @ maps.to_tower, maps.from_tower @ exit_)
            else:
                before = entry @ maps.inverse_to_tower
                yield _Around(field, before, maps.inverse_from_tower @ exit_)


def _cheapest(direction: str) -> tuple[Quadratic, _Split, _Split]:
    """Return the field and the split maps with the fewest lookup tables, then the fewest gates."""
    candidates = sorted(_surroundings(direction), key=lambda around: around.tables)
    best: tuple[int, Quadratic, _Split, _Split] | None = None
    least = 0
    for around in candidates:
        if best and around.tables > least:
            break
        before = min(splits(around.before), key=lambda split: split.gates, default=None)
        after = min(splits(around.after), key=lambda split: split.gates, default=None)
        if before and after and (not best or before.gates + after.gates < best[0]):
            best = before.gates + after.gates, around.field, before, after
            least = around.tables
    assert best, "some field has maps of two steps"
    return best[1:]


def _sbox_for_tables(name: str, direction: str) -> Program:
    field, before, after = _cheapest(direction)
    builder = Builder()
    x = builder.inputs("x")
    forward = direction == "forward"
    transform = "Field transform" if forward else "Affine and field transform"
    builder.stage(f"{transform}, first step")
    u = builder.name("u", builder.array(before.first, x))
    builder.stage(f"{transform}, second step")
    images = builder.array(before.second, u)
    a1, s_forms = builder.name("a1", images[:4]), builder.name("s_form", images[4:])
    builder.stage("Norm")
    n = builder.name("n", _norm_of_forms(builder, field, a1, s_forms))
    # The coordinate of h^4 is not there, so that Tr(h s) is the sum of all coordinates.
    s = builder.name("s", [builder.xor(s_forms[-i % _ROOTS], s_forms[1]) for i in range(4)])
    builder.stage("Inversion in GF(2^4)")
    forms = trace_forms()
    element = Matrix(forms.rows[:4], 4).inverse()
    table = [forms.apply(_SUB.invert(element.apply(code))) for code in range(16)]
    m_forms = builder.name("m_form", function(builder, table, _ROOTS, n))
    builder.stage("Partial products")
    parts1 = builder.name("part1", _partial_products(builder, a1, m_forms))
    parts0 = builder.name("part0", _partial_products(builder, s, m_forms))
    builder.stage("Sums of partial products")
    b1 = builder.name("b1", builder.add(parts1[::2], parts1[1::2]))
    b0 = builder.name("b0", builder.add(parts0[::2], parts0[1::2]))
    transform = "Back transform" if not forward else "Back and affine transform"
    builder.stage(f"{transform}, first step")
    v = builder.name("v", builder.array(after.first, [*b0, *b1]))
    builder.stage(f"{transform}, second step")
    builder.output("y", builder.array(after.second, v))
    source = (
        "Standaert et al. 2003, section 4.2, Fig. 4 and equation (10), where s stands for a0 + a1. "
        "Field, isomorphism and bases are ours, for the fewest lookup tables of four inputs "
        "between cuts."
    )
    basis = (
        f"GF((2^4)^2), polynomial bases: x^4+x^3+x^2+x+1 with root h; x^2+x+Delta, Delta = "
        f"{{{field.constant:04b}}}. The norm is n = s^2 + a1 s + Delta a1^2; b1 = a1 m and "
        "b0 = s m, where m = 1/n. Bit j of n, b1, b0, s_form and m_form is the trace Tr(h^j e) of "
        "its element e: as h^5 = 1, a product bit takes two tables and no sums of inputs."
    )
    return builder.program(name, "sbox", direction, source, basis)


def sbox_gf16() -> Program:
    """Return Standaert's composite S-box in eight stages."""
    return _sbox_for_tables("sbox-gf16", "forward")


def sbox_gf16_inverse() -> Program:
    """Return the inverse S-box in the manner of Standaert's."""
    return _sbox_for_tables("sbox-gf16-inverse", "inverse")


# Column circuits


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
        f"{_SATOH}, section 3.3, equations (6) and (7), Fig. 4.",
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


#: Every circuit, by the name of its program.
CONSTRUCTIONS: dict[str, Callable[[], Program]] = {
    "inverter-gf4": inverter_gf4,
    "inverter-gf16": inverter_gf16,
    "sbox-gf4": sbox_gf4,
    "sbox-gf4-inverse": sbox_gf4_inverse,
    "sbox-gf4-both": sbox_gf4_both,
    "sbox-gf16": sbox_gf16,
    "sbox-gf16-inverse": sbox_gf16_inverse,
    "sbox-gf16-both": sbox_gf16_both,
    "mix-direct": mix_direct,
    "mix-direct-inverse": mix_direct_inverse,
    "mix-factored-both": mix_factored_both,
    "mix-squared-both": mix_squared_both,
}


def text(name: str) -> str:
    """Return the file of a construction, proved. RoundsmithError when there is no such name."""
    if name not in CONSTRUCTIONS:
        raise RoundsmithError(
            f"'{name}' is no construction; name one of {', '.join(CONSTRUCTIONS)}."
        )
    program = CONSTRUCTIONS[name]()
    proof.prove(program)
    return program.dumps(command=f"python -m roundsmith.circuits.constructions {name}")


def main(names: list[str]) -> None:
    """Write the files of the named constructions, of all when none is named."""
    for name in names or CONSTRUCTIONS:
        (PROGRAMS / f"{name}.toml").write_text(text(name))


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except RoundsmithError as error:
        sys.exit(f"error: {error}")
