"""Finite fields of characteristic two: direct extensions and towers, in any basis.

An element is an int, its bit i the coordinate of basis element i. A direct field GF(2^n) is given
by an irreducible polynomial over GF(2), a quadratic extension by x^2 + T x + N over its sub-field;
each has a polynomial basis (1, Y, ...) and, where the conjugates of the root Y are independent, a
normal basis (Y, Y^q, ...). `towers` enumerates all that have 256 elements, `isomorphisms` their
maps from the AES field, `Maps` merges such a map with the affine map of SubBytes.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from roundsmith.circuits.matrix import Affine, Matrix
from roundsmith.circuits.sbox_table import affine


class Basis(StrEnum):
    """Which basis a field has over its sub-field."""

    POLYNOMIAL = "polynomial"
    NORMAL = "normal"


class Field(ABC):
    """A field with 2^bits elements, in a basis over its sub-field (GF(2) for a direct field)."""

    @property
    @abstractmethod
    def bits(self) -> int:
        """The number of coordinates of an element."""

    @property
    @abstractmethod
    def shape(self) -> str:
        """The tower without its polynomials, such as GF((2^4)^2)."""

    @property
    @abstractmethod
    def steps(self) -> tuple[str, ...]:
        """Polynomial and basis of every extension, the lowest first."""

    @property
    def name(self) -> str:
        """A readable name; constants are hexadecimal, in the basis of the sub-field."""
        return f"{self.shape}: {'; '.join(self.steps)}"

    def __str__(self) -> str:
        return self.name

    @property
    @abstractmethod
    def one(self) -> int:
        """The one of the field."""

    @abstractmethod
    def _product(self, a: int, b: int) -> int:
        """Return the product of two elements by its definition."""

    @abstractmethod
    def trace(self, a: int) -> int:
        """Return the sum of the conjugates of an element, as an element of the sub-field."""

    @abstractmethod
    def norm(self, a: int) -> int:
        """Return the product of the conjugates of an element, as an element of the sub-field."""

    @cached_property
    def _products(self) -> bytes:
        size = 1 << self.bits
        return bytes(self._product(a, b) for a in range(size) for b in range(size))

    def multiply(self, a: int, b: int) -> int:
        """Return the product of two elements."""
        # A table is worth its making for the sub-fields, which everything is built on.
        return self._products[a << self.bits | b] if self.bits <= 4 else self._product(a, b)

    def square(self, a: int) -> int:
        """Return the square of an element."""
        return self.multiply(a, a)

    def power(self, a: int, exponent: int) -> int:
        """Return a power of an element; the exponent is not negative."""
        result = self.one
        for bit in f"{exponent:b}":
            result = self.square(result)
            if bit == "1":
                result = self.multiply(result, a)
        return result

    def invert(self, a: int) -> int:
        """Return the inverse of an element, and zero for zero."""
        return self.power(a, (1 << self.bits) - 2)

    def scaling(self, constant: int) -> Matrix:
        """Return the matrix of the multiplication by a constant."""
        return Matrix.of_map(lambda a: self.multiply(constant, a), self.bits, self.bits)

    @cached_property
    def squaring(self) -> Matrix:
        """The matrix of squaring, which is linear."""
        return Matrix.of_map(self.square, self.bits, self.bits)

    def absolute_trace(self, a: int) -> int:
        """Return the trace of an element to GF(2), as 0 or 1."""
        total = 0
        for _ in range(self.bits):
            total ^= a
            a = self.square(a)
        return int(total == self.one)


@dataclass(frozen=True)
class Direct(Field):
    """GF(2^n): `polynomial` is irreducible over GF(2), bit i its coefficient of x^i.

    The normal basis is (Y, Y^2, Y^4, ...) of a root Y. ValueError when the polynomial is
    reducible or the basis does not exist.
    """

    polynomial: int
    basis: Basis = Basis.POLYNOMIAL

    def __post_init__(self) -> None:
        if not is_irreducible(self.polynomial):
            raise ValueError(f"{_polynomial(self.polynomial)} is reducible")
        if self.basis is Basis.NORMAL:
            self._to_powers.inverse()  # raises when the conjugates are dependent

    @property
    def bits(self) -> int:
        """The degree of the polynomial."""
        return self.polynomial.bit_length() - 1

    @property
    def shape(self) -> str:
        """The field without its polynomial."""
        return f"GF(2^{self.bits})"

    @property
    def steps(self) -> tuple[str, ...]:
        """Polynomial and basis."""
        return (f"{_polynomial(self.polynomial)} {self.basis} basis",)

    def _reduce(self, product: int) -> int:
        while product.bit_length() > self.bits:
            product ^= self.polynomial << (product.bit_length() - 1 - self.bits)
        return product

    @cached_property
    def _to_powers(self) -> Matrix:
        """From coordinates in this basis to those in the polynomial basis."""
        if self.basis is Basis.POLYNOMIAL:
            return Matrix.identity(self.bits)
        conjugates = [2]
        while len(conjugates) < self.bits:
            conjugates.append(self._reduce(_carryless(conjugates[-1], conjugates[-1])))
        return Matrix.of_columns(conjugates, self.bits)

    @cached_property
    def _from_powers(self) -> Matrix:
        return self._to_powers.inverse()

    @property
    def one(self) -> int:
        """The one of the field."""
        return self._from_powers.apply(1)

    def _product(self, a: int, b: int) -> int:
        if self.basis is Basis.POLYNOMIAL:
            return self._reduce(_carryless(a, b))
        product = _carryless(self._to_powers.apply(a), self._to_powers.apply(b))
        return self._from_powers.apply(self._reduce(product))

    def trace(self, a: int) -> int:
        """Return the trace to GF(2)."""
        return self.absolute_trace(a)

    def norm(self, a: int) -> int:
        """Return the norm to GF(2), which is one for all but zero."""
        return int(a != 0)


@dataclass(frozen=True)
class Quadratic(Field):
    """The extension of `sub` by a root Y of x^2 + T x + N, T = `linear` and N = `constant`.

    An element has its upper half of bits in front of Y (polynomial basis, (1, Y)) or of Y^q
    (normal basis, (Y, Y^q)), q the size of the sub-field. ValueError when the polynomial is
    reducible.
    """

    sub: Field
    linear: int
    constant: int
    basis: Basis = Basis.POLYNOMIAL

    def __post_init__(self) -> None:
        # With x = T z the polynomial is T^2 (z^2 + z + N / T^2), irreducible when the trace of
        # its constant is one. Without T it is a square.
        inverse = self.sub.invert(self.linear)
        quotient = self.sub.multiply(self.constant, self.sub.square(inverse))
        if not self.sub.absolute_trace(quotient):
            raise ValueError(f"{self.steps[-1]} over {self.sub} is reducible")

    @property
    def bits(self) -> int:
        """Twice the bits of the sub-field."""
        return 2 * self.sub.bits

    @property
    def shape(self) -> str:
        """The tower without its polynomials."""
        return f"GF({self.sub.shape[2:]}^2)"

    @property
    def steps(self) -> tuple[str, ...]:
        """Polynomial and basis of every extension, the lowest first."""
        linear = "" if self.linear == self.sub.one else f"{self.linear:x}"
        step = f"x^2+{linear}x+{self.constant:x} {self.basis} basis"
        return (*self.sub.steps, step)

    @cached_property
    def _quotient(self) -> int:
        return self.sub.multiply(self.constant, self.sub.invert(self.linear))  # N / T

    @property
    def one(self) -> int:
        """The one of the field."""
        if self.basis is Basis.POLYNOMIAL:
            return self.sub.one
        half = self.sub.invert(self.linear)  # 1 = (Y + Y^q) / T
        return self.join(half, half)

    def split(self, a: int) -> tuple[int, int]:
        """Return the upper and the lower coordinate of an element over the sub-field."""
        return a >> self.sub.bits, a & ((1 << self.sub.bits) - 1)

    def join(self, high: int, low: int) -> int:
        """Return the element with these coordinates."""
        return high << self.sub.bits | low

    def _product(self, a: int, b: int) -> int:
        sub = self.sub
        (a1, a0), (b1, b0) = self.split(a), self.split(b)
        high, low = sub.multiply(a1, b1), sub.multiply(a0, b0)
        mixed = sub.multiply(a1 ^ a0, b1 ^ b0)
        if self.basis is Basis.POLYNOMIAL:
            # a1 b1 Y^2 + (a1 b0 + a0 b1) Y + a0 b0, with Y^2 = T Y + N
            cross = mixed ^ high ^ low
            return self.join(
                sub.multiply(high, self.linear) ^ cross, sub.multiply(high, self.constant) ^ low
            )
        # a1 b1 Y^2q + a0 b0 Y^2 + (a1 b0 + a0 b1) N, with Y^2 = T Y + N and 1 = (Y + Y^q) / T
        common = sub.multiply(mixed, self._quotient)
        return self.join(
            sub.multiply(high, self.linear) ^ common, sub.multiply(low, self.linear) ^ common
        )

    def conjugate(self, a: int) -> int:
        """Return a^q, q the size of the sub-field."""
        high, low = self.split(a)
        if self.basis is Basis.NORMAL:
            return self.join(low, high)
        return self.join(high, low ^ self.sub.multiply(high, self.linear))  # Y^q = Y + T

    def trace(self, a: int) -> int:
        """Return a + a^q, as an element of the sub-field."""
        high, low = self.split(a)
        total = high ^ low if self.basis is Basis.NORMAL else high
        return self.sub.multiply(total, self.linear)

    def norm(self, a: int) -> int:
        """Return a * a^q, as an element of the sub-field."""
        sub = self.sub
        high, low = self.split(a)
        product = sub.multiply(high, low)
        if self.basis is Basis.NORMAL:
            scaled = sub.multiply(sub.square(high ^ low), self.constant)
            return scaled ^ sub.multiply(product, sub.square(self.linear))
        scaled = sub.multiply(sub.square(high), self.constant)
        return scaled ^ sub.multiply(product, self.linear) ^ sub.square(low)

    def invert(self, a: int) -> int:
        """Return the inverse of an element, and zero for zero: a^q over the norm."""
        inverse = self.sub.invert(self.norm(a))
        high, low = self.split(self.conjugate(a))
        return self.join(self.sub.multiply(high, inverse), self.sub.multiply(low, inverse))


def _carryless(a: int, b: int) -> int:
    """Return the product of two polynomials over GF(2)."""
    product = 0
    while b:
        product ^= a * (b & 1)
        a, b = a << 1, b >> 1
    return product


def _polynomial(mask: int) -> str:
    powers = [i for i in reversed(range(mask.bit_length())) if mask >> i & 1]
    return "+".join({0: "1", 1: "x"}.get(i, f"x^{i}") for i in powers)


def is_irreducible(polynomial: int) -> bool:
    """Whether a polynomial over GF(2), bit i its coefficient of x^i, has no proper divisor."""
    degree = polynomial.bit_length() - 1
    for divisor in range(2, 1 << (degree // 2 + 1)):
        rest = polynomial
        while rest.bit_length() >= divisor.bit_length():
            rest ^= divisor << (rest.bit_length() - divisor.bit_length())
        if rest == 0:
            return False
    return degree > 0


def direct_fields(bits: int) -> Iterator[Direct]:
    """Yield GF(2^bits) for every irreducible polynomial and every basis that exists."""
    for polynomial in range((1 << bits) + 1, 2 << bits, 2):
        if not is_irreducible(polynomial):
            continue
        for basis in Basis:
            try:
                yield Direct(polynomial, basis)
            except ValueError:
                continue  # no normal basis


def extensions(sub: Field) -> Iterator[Quadratic]:
    """Yield the extensions of a field by every irreducible x^2 + T x + N, in both bases."""
    size = 1 << sub.bits
    for linear in range(1, size):
        for constant in range(1, size):
            for basis in Basis:
                try:
                    yield Quadratic(sub, linear, constant, basis)
                except ValueError:
                    break  # reducible


def towers() -> Iterator[Field]:
    """Yield every field with 256 elements: GF(2^8), GF((2^4)^2), GF(((2^2)^2)^2)."""
    yield from direct_fields(8)
    for sub in direct_fields(4):
        yield from extensions(sub)
    for lowest in direct_fields(2):
        for middle in extensions(lowest):
            yield from extensions(middle)


AES = Direct(0x11B)

_GF4 = Direct(0b111)
#: Satoh et al. 2001, equation (8): phi = {10}, lambda = {1100}, polynomial bases.
SATOH_GF4 = Quadratic(Quadratic(_GF4, 1, 0b10), 1, 0b1100)
#: Satoh et al. 2001, equation (9), with x^4+x+1 for the misprinted x^2+x+1; omega_14 = {1001}.
SATOH_GF16 = Quadratic(Direct(0b10011), 1, 0b1001)

#: The field that each bare inverter computes in, by the name of its program.
INVERTERS: dict[str, Field] = {"inverter-gf4": SATOH_GF4, "inverter-gf16": SATOH_GF16}


def isomorphisms(tower: Field, source: Direct = AES) -> list[Matrix]:
    """Return all isomorphisms from `source`, in a polynomial basis, to a field of its size.

    There are as many as the field has bits: each sends the root x of the source's polynomial to
    one of that polynomial's roots in the tower.
    """
    if source.basis is not Basis.POLYNOMIAL or source.bits != tower.bits:
        raise ValueError(f"no isomorphism is found from {source} to {tower}")

    def powers(root: int) -> list[int]:
        found = [tower.one]
        while len(found) <= source.bits:
            found.append(tower.multiply(found[-1], root))
        return found

    def value(root: int) -> int:
        total = 0
        for i, power in enumerate(powers(root)):
            if source.polynomial >> i & 1:
                total ^= power
        return total

    root = next(x for x in range(2, 1 << tower.bits) if value(x) == 0)
    found = []
    for _ in range(source.bits):  # the other roots are the conjugates of the first
        found.append(Matrix.of_columns(powers(root)[:-1], tower.bits))
        root = tower.square(root)
    return found


#: The affine map of SubBytes, FIPS 197, 5.1.1.
SUB_BYTES = Affine.of_map(affine, 8, 8)


@dataclass(frozen=True)
class Maps:
    """The maps around an inversion in a tower, from an isomorphism `delta` of the AES field.

    SubBytes is `to_tower`, inversion, `from_tower`; InvSubBytes is `inverse_to_tower`, inversion,
    `inverse_from_tower`.
    """

    delta: Matrix

    @property
    def to_tower(self) -> Affine:
        """The isomorphism, delta."""
        return Affine(self.delta)

    @property
    def inverse_from_tower(self) -> Affine:
        """The isomorphism back, delta^-1."""
        return Affine(self.delta.inverse())

    @property
    def from_tower(self) -> Affine:
        """The affine map of SubBytes after the isomorphism back."""
        return SUB_BYTES @ self.inverse_from_tower

    @property
    def inverse_to_tower(self) -> Affine:
        """The isomorphism after the inverse of the affine map of SubBytes."""
        return self.to_tower @ SUB_BYTES.inverse()
