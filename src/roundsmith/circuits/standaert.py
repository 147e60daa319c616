"""The S-box of Standaert et al. 2003, section 4.2, for four-input lookup tables."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from roundsmith.circuits.arithmetic import function
from roundsmith.circuits.builder import Builder, Signal, Vector
from roundsmith.circuits.field import Basis, Direct, Maps, Quadratic, extensions, isomorphisms
from roundsmith.circuits.matrix import Affine, Matrix
from roundsmith.circuits.program import Kind, Program

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
