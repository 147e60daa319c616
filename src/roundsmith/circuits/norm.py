"""Every S-box that inverts through the norm, with eighteen products after the norm's inversion.

With z = x^16 and the norm N = x^17, which lies in GF(2^4), the inverse of x is z * D, D = N^-1
(Itoh and Tsujii 1988). Over GF(2^4), z = v1 f1 + v2 f2 with f_i = Tr(w_i z), Tr the trace to
GF(2^4), so two products f_i * D are needed. A product in GF(2^4) takes three in GF(2^2), at three
of its five points, and each of these three in GF(2) (Karatsuba's method, twice): f_i and D are
needed as nine sums of bits each, Tr(s d_k f_i) and Tr(s d_k D) for s in GF(2^2) and three points
d_k. The norm is a quadratic form in f1 and f2: the same points give f1 * f2 with nine products.

A choice of three points and of w_1 and w_2, each up to a factor in GF(2^2), is a `Structure`; there
are 6,800. They include what towers of fields in all polynomial and normal bases give (Satoh et al.
2001; Canright, CHES 2005), and more, as the points need not come from a basis.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations, product

from roundsmith.circuits import sbox_table
from roundsmith.circuits.matrix import parity
from roundsmith.circuits.program import Kind

EXP = [1]
while len(EXP) < 255:
    EXP.append(sbox_table.multiply(EXP[-1], 3))
LOG = {element: exponent for exponent, element in enumerate(EXP)}


def times(*factors: int) -> int:
    """Return the product of elements of the AES field."""
    if 0 in factors:
        return 0
    return EXP[sum(LOG[factor] for factor in factors) % 255]


def power(a: int, exponent: int) -> int:
    """Return a power of an element of the AES field; 0 stays 0."""
    return 0 if a == 0 else EXP[LOG[a] * exponent % 255]


def trace(a: int, bits: int) -> int:
    """Return the trace to GF(2) of an element of GF(2^bits), as 0 or 1."""
    total = 0
    for _ in range(bits):
        total ^= a
        a = power(a, 2)
    return total


#: The units of GF(2^4) and GF(2^2) inside the AES field.
GF16 = tuple(a for a in range(1, 256) if power(a, 15) == 1)
GF4 = tuple(a for a in range(1, 256) if power(a, 3) == 1)

# A generator of GF(2^4); its first five powers are the five points, the classes modulo GF(2^2).
_GENERATOR = next(a for a in GF16 if power(a, 3) != 1 and power(a, 5) != 1)
POINTS = tuple(power(_GENERATOR, i) for i in range(5))

# Multiplying D by a unit moves all points, so two kinds of triples stand for all ten.
_TRIPLES = ((0, 1, 2), (0, 1, 3))


@cache
def _product_in_gf4() -> tuple[int, ...]:
    """Return l such that A * B is the sum over s of l[s] * Tr(s A) * Tr(s B), in GF(2^2)."""
    elements = (0, *GF4)
    for l_ in product(GF4, repeat=3):
        if all(
            times(a, b)
            == _sum(
                times(f, trace(times(s, a), 2) & trace(times(s, b), 2))
                for f, s in zip(l_, GF4, strict=True)
            )
            for a in elements
            for b in elements
        ):
            return l_
    raise AssertionError("the field is not what it should be")


@cache
def product_in_gf16(triple: tuple[int, int, int]) -> tuple[int, ...]:
    """Return r such that f * D is the sum over k of r[k] * Tr(d_k f) * Tr(d_k D), to GF(2^2)."""
    basis = [power(_GENERATOR, i) for i in range(4)]

    def inner(a: int, k: int) -> int:
        scaled = times(POINTS[k], a)
        return scaled ^ power(scaled, 4)

    for r in product(GF16, repeat=3):
        if all(
            times(f, d)
            == _sum(times(c, inner(f, k), inner(d, k)) for c, k in zip(r, triple, strict=True))
            for f in basis
            for d in basis
        ):
            return r
    raise AssertionError("the points are not three")


def _sum(terms: Iterator[int]) -> int:
    total = 0
    for term in terms:
        total ^= term
    return total


def form(u: int) -> int:
    """Return Tr(u x^16) as a mask over the bits of x."""
    conjugate = power(u, 16)
    return sum(trace(times(conjugate, 1 << i), 8) << i for i in range(8))


@dataclass(frozen=True)
class Norm:
    """The norm's bits Tr(eta N) as sums of products of two forms, and of bits of x.

    `products` are gates on two forms (indices into `Structure.forms`); `sums` says which of them
    each bit of the norm adds (a mask), `squares` which bits of x (a mask; 0 where the products
    have the squares in them).
    """

    products: tuple[tuple[Kind, int, int], ...]
    sums: tuple[int, ...]
    squares: tuple[int, ...]


@dataclass(frozen=True)
class Structure:
    """A choice of points (indices into POINTS) and of w_1 and w_2."""

    triple: tuple[int, int, int]
    w: tuple[int, int]

    @cached_property
    def v(self) -> tuple[int, int]:
        """The dual basis: z = v1 Tr(w1 z) + v2 Tr(w2 z)."""
        first, second = self.w
        determinant = times(first, power(second, 16)) ^ times(power(first, 16), second)
        return (
            times(power(second, 16), power(determinant, 254)),
            times(power(first, 16), power(determinant, 254)),
        )

    @property
    def labels(self) -> list[int]:
        """The u of the eighteen sums Tr(u z): f1 at three points, three bits each, then f2."""
        return [times(s, POINTS[k], w) for w in self.w for k in self.triple for s in GF4]

    @property
    def forms(self) -> list[int]:
        """The eighteen sums that are multiplied with D, as masks over the bits of x."""
        return [form(u) for u in self.labels]

    @property
    def columns(self) -> list[int]:
        """What each of the eighteen products adds to the inverse, as elements of the AES field."""
        r = product_in_gf16(self.triple)
        return [times(v, r[k], f) for v in self.v for k in range(3) for f in _product_in_gf4()]

    @property
    def inverse_labels(self) -> list[int]:
        """The nine m for which Tr(m D) is needed, in the order of the forms of one coordinate."""
        return [times(s, POINTS[k]) for k in self.triple for s in GF4]

    @cached_property
    def _mixed(self) -> int:
        """The coefficient of f1 * f2 in the norm."""
        v1, v2 = self.v
        return times(v1, power(v2, 16)) ^ times(power(v1, 16), v2)

    @property
    def short(self) -> list[int]:
        """The nine eta for which Tr(eta N) needs the products at two of the three points."""
        r = product_in_gf16(self.triple)

        def points(eta: int) -> int:
            weights = (times(eta, self._mixed, r[k]) for k in range(3))
            return sum(weight != power(weight, 4) for weight in weights)

        return [eta for eta in GF16 if points(eta) == 2]

    def norm(self, eta: Sequence[int], twist: tuple[int, int, int]) -> Norm:
        """Return the bits Tr(eta N) of the norm as sums of nine AND gates and of bits of x.

        `twist` pairs the bits at each point anew; any of the 27 is right.
        """
        v1, v2 = self.v
        r = product_in_gf16(self.triple)
        products = []
        weights = []
        for k in range(3):
            turn = GF4[twist[k]]
            for i, s in enumerate(GF4):
                products.append((Kind.AND, 3 * k + i, 9 + 3 * k + GF4.index(times(s, turn))))
                weights.append(times(self._mixed, r[k], power(turn, 2), _product_in_gf4()[i]))
        sums = tuple(
            sum(trace(times(e, weight), 4) << j for j, weight in enumerate(weights)) for e in eta
        )
        # Tr(a^2) = Tr(a), so a square gives the trace of its root.
        squares = tuple(
            form(
                times(power(times(e, power(v1, 17)), 128), self.w[0])
                ^ times(power(times(e, power(v2, 17)), 128), self.w[1])
            )
            for e in eta
        )
        return Norm(tuple(products), sums, squares)

    def norm_without_squares(self, eta: Sequence[int], twist: tuple[int, int, int]) -> Norm:
        """Return the bits of the norm as sums of products alone; `eta` are of `short`.

        a & ~b is a product with a added, a | b one with both added (Canright's use of NOR, CHES
        2005): with the right gates the squares cost nothing.
        """
        plain = self.norm(eta, twist)
        forms = self.forms
        found: dict[tuple[Kind, int, int], int] = {}
        sums = []
        for mask, square in zip(plain.sums, plain.squares, strict=True):
            factors = [plain.products[j][1:] for j in range(9) if mask >> j & 1]
            for added in product(range(4), repeat=len(factors)):
                total = square
                for (a, b), which in zip(factors, added, strict=True):
                    total ^= (forms[a] if which & 1 else 0) ^ (forms[b] if which & 2 else 0)
                if total == 0:
                    break
            else:
                raise ValueError("the bits are not short")
            gates = [_with_added(a, b, which) for (a, b), which in zip(factors, added, strict=True)]
            sums.append(sum(1 << found.setdefault(gate, len(found)) for gate in gates))
        return Norm(tuple(found), tuple(sums), (0,) * len(eta))


def _with_added(a: int, b: int, which: int) -> tuple[Kind, int, int]:
    """Return the gate for a & b, to which a (bit 0 of `which`) and b (bit 1) are added."""
    return (
        (Kind.AND, a, b),
        (Kind.ANDNOT, a, b),
        (Kind.ANDNOT, b, a),
        (Kind.OR, a, b),
    )[which]


def structures() -> list[Structure]:
    """Return all structures, up to what changes neither sums nor products."""
    classes = [EXP[i] for i in range(85)]  # the units modulo GF(2^2)
    return [
        Structure(triple, (first, second))
        for triple in _TRIPLES
        for first, second in combinations(classes, 2)
        # Two of the same line over GF(2^4) are no basis.
        if (LOG[first] - LOG[second]) % 17
    ]


@dataclass(frozen=True)
class Inversion:
    """The inversion of the norm as a task: from four bits Tr(eta N) to nine bits Tr(m D).

    `inputs` are the eta, `points` the indices of the three points of D.
    """

    inputs: tuple[int, int, int, int]
    points: tuple[int, int, int]

    def tables(self) -> list[int]:
        """Return the nine functions of four bits as truth tables (bit k: input pattern k)."""
        return self.tables_of([times(s, POINTS[p]) for p in self.points for s in GF4])

    def tables_of(self, labels: Sequence[int]) -> list[int]:
        """Return the bits Tr(m D), m in `labels`, as truth tables."""
        norms = {0: 0}
        for n in GF16:
            norms[sum(trace(times(e, n), 4) << i for i, e in enumerate(self.inputs))] = n
        return [
            sum(trace(times(m, power(norms[k], 14)), 4) << k for k in range(16)) for m in labels
        ]


def inversions() -> dict[Inversion, list[Inversion]]:
    """Return the tasks that differ, each with all that are the same circuit with other names.

    N times a unit is D divided by it, and a square is a change of names, too.
    """
    found: dict[Inversion, list[Inversion]] = {}
    seen: set[tuple[frozenset[int], frozenset[int]]] = set()
    for inputs in combinations(GF16, 4):
        if not _independent(inputs):
            continue
        for points in combinations(range(5), 3):
            if (frozenset(inputs), frozenset(points)) in seen:
                continue
            task = Inversion(inputs, points)
            found[task] = []
            for square, unit in product(range(4), GF16):
                moved = tuple(times(power(e, 1 << square), unit) for e in inputs)
                at = tuple(
                    _point(times(power(POINTS[p], 1 << square), power(unit, 14))) for p in points
                )
                key = (frozenset(moved), frozenset(at))
                if key not in seen:
                    seen.add(key)
                    found[task].append(Inversion(moved, at))  # type: ignore[arg-type]
    return found


def _point(m: int) -> int:
    return next(i for i, p in enumerate(POINTS) if times(m, power(p, 14)) in GF4)


def _independent(elements: Sequence[int]) -> bool:
    span = {0}
    for element in elements:
        if element in span:
            return False
        span |= {element ^ other for other in span}
    return True


def input_masks(masks: Sequence[int], inverse: bool) -> list[tuple[int, int]]:
    """Return sums of bits of the inverted element as sums of bits of the S-box's input.

    Each is a mask and a constant; they differ for the inverse S-box, whose affine map comes first.
    """
    if not inverse:
        return [(mask, 0) for mask in masks]
    affine_inverse = {sbox_table.affine(x): x for x in range(256)}
    constant = affine_inverse[0]
    return [
        (
            sum(parity(mask & (affine_inverse[1 << i] ^ constant)) << i for i in range(8)),
            parity(mask & constant),
        )
        for mask in masks
    ]


def output_columns(columns: Sequence[int], inverse: bool) -> list[int]:
    """Return what each product adds to the S-box's output, where the affine map may follow."""
    if inverse:
        return list(columns)
    return [sbox_table.affine(column) ^ sbox_table.affine(0) for column in columns]
