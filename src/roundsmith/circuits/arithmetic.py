"""Products and inversions in fields, as parts of the circuits of the publications."""

from dataclasses import dataclass

from roundsmith.circuits.builder import Builder, Signal, Vector
from roundsmith.circuits.field import Field, Quadratic
from roundsmith.circuits.matrix import Affine, Matrix


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
