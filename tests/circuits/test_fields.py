"""Fields, towers and the maps around them, against their definitions."""

import random
from collections import Counter
from itertools import islice

import pytest

from roundsmith.circuits import sbox_table
from roundsmith.circuits.field import (
    AES,
    SATOH_GF4,
    SATOH_GF16,
    Basis,
    Direct,
    Field,
    Maps,
    Quadratic,
    isomorphisms,
    towers,
)
from roundsmith.circuits.matrix import Affine, Matrix

TOWERS = list(towers())
SAMPLE = TOWERS[::131]
SBOX = sbox_table.sbox()


def is_isomorphism(delta: Matrix, tower: Field) -> bool:
    """Whether a matrix is one: regular, and right for one and for every product with x."""
    delta.inverse()
    root = delta.apply(2)
    return delta.apply(1) == tower.one and all(
        delta.apply(AES.multiply(2, 1 << i)) == tower.multiply(root, delta.apply(1 << i))
        for i in range(8)
    )


def test_every_tower_is_enumerated_once() -> None:
    shapes = Counter(tower.shape for tower in TOWERS)
    # 30 polynomials of degree 8, 16 of them with a normal basis; 3 and 2 of degree 4; 1 and 1 of
    # degree 2; 120 and 6 quadratics over GF(2^4) and GF(2^2), all with both bases.
    assert shapes == {
        "GF(2^8)": 30 + 16,
        "GF((2^4)^2)": (3 + 2) * 120 * 2,
        "GF(((2^2)^2)^2)": (1 + 1) * (6 * 2) * (120 * 2),
    }
    assert len({tower.name for tower in TOWERS}) == len(TOWERS)


def test_the_name_says_polynomials_and_bases() -> None:
    tower = Quadratic(Direct(0b10011), 1, 9, Basis.NORMAL)
    assert tower.name == "GF((2^4)^2): x^4+x+1 polynomial basis; x^2+x+9 normal basis"


@pytest.mark.parametrize("polynomial", [0b101, 0b10101, 0b100011011 ^ 1])
def test_reducible_polynomials_are_refused(polynomial: int) -> None:
    with pytest.raises(ValueError, match="reducible"):
        Direct(polynomial)


def test_reducible_extensions_are_refused() -> None:
    for linear, constant in ((0, 3), (1, 1)):
        with pytest.raises(ValueError, match="reducible"):
            Quadratic(Direct(0b10011), linear, constant)


@pytest.mark.parametrize("tower", SAMPLE, ids=str)
def test_the_axioms_hold(tower: Field) -> None:
    chance = random.Random(tower.name)
    for _ in range(40):
        a, b, c = (chance.randrange(256) for _ in range(3))
        assert tower.multiply(a, b) == tower.multiply(b, a)
        assert tower.multiply(tower.multiply(a, b), c) == tower.multiply(a, tower.multiply(b, c))
        assert tower.multiply(a, b ^ c) == tower.multiply(a, b) ^ tower.multiply(a, c)
        assert tower.multiply(tower.one, a) == a
        assert tower.square(a) == tower.multiply(a, a) == tower.squaring.apply(a)
        assert tower.scaling(b).apply(a) == tower.multiply(a, b)
        assert tower.multiply(a, tower.invert(a)) == (tower.one if a else 0)


@pytest.mark.parametrize("tower", SAMPLE, ids=str)
def test_trace_and_norm_are_sum_and_product_of_conjugates(tower: Field) -> None:
    if not isinstance(tower, Quadratic):
        assert Counter(map(tower.trace, range(256))) == {0: 128, 1: 128}
        assert Counter(map(tower.norm, range(256))) == {0: 1, 1: 255}
        return
    for a in range(0, 256, 5):
        conjugate = tower.conjugate(a)
        assert conjugate == tower.power(a, 16)
        # An element of the sub-field times the one is that element in the tower.
        high, low = tower.split(tower.one)
        for value, wanted in (
            (tower.trace(a), a ^ conjugate),
            (tower.norm(a), tower.multiply(a, conjugate)),
        ):
            within = tower.join(tower.sub.multiply(value, high), tower.sub.multiply(value, low))
            assert within == wanted


def test_the_aes_field_is_that_of_the_tables() -> None:
    assert all(AES.invert(a) == sbox_table.invert(a) for a in range(256))


@pytest.mark.parametrize("tower", SAMPLE, ids=str)
def test_there_are_eight_isomorphisms(tower: Field) -> None:
    found = isomorphisms(tower)
    assert len(set(found)) == 8
    assert all(is_isomorphism(delta, tower) for delta in found)


@pytest.mark.long
def test_every_isomorphism_of_every_tower_is_one() -> None:
    for tower in TOWERS:
        found = isomorphisms(tower)
        assert len(set(found)) == 8, tower
        assert all(is_isomorphism(delta, tower) for delta in found), tower


@pytest.mark.parametrize(
    "tower", [AES, SATOH_GF4, SATOH_GF16, *islice(SAMPLE, 9, None, 9)], ids=str
)
def test_the_merged_maps_give_the_sbox(tower: Field) -> None:
    for delta in isomorphisms(tower):
        maps = Maps(delta)
        for x in range(256):
            y = maps.from_tower.apply(tower.invert(maps.to_tower.apply(x)))
            assert y == SBOX[x]
            inside = tower.invert(maps.inverse_to_tower.apply(y))
            assert maps.inverse_from_tower.apply(inside) == x


def test_matrices_multiply_and_invert() -> None:
    chance = random.Random(1)
    a, b = (Matrix(tuple(chance.randrange(256) for _ in range(8)), 8) for _ in range(2))
    assert all((a @ b).apply(x) == a.apply(b.apply(x)) for x in range(256))
    regular = isomorphisms(SATOH_GF4)[0]
    assert regular @ regular.inverse() == Matrix.identity(8)
    assert regular.transposed.transposed == regular
    stacked, row = a.above(b), a.beside(b)
    assert stacked.apply(0x5A) == a.apply(0x5A) | b.apply(0x5A) << 8
    assert row.apply(0x5A | 0xC3 << 8) == a.apply(0x5A) ^ b.apply(0xC3)
    with pytest.raises(ValueError, match="singular"):
        Matrix((1, 1), 2).inverse()


def test_affine_maps_multiply_and_invert() -> None:
    linear = Affine(isomorphisms(SATOH_GF4)[0], 0x5A)
    other = Affine(isomorphisms(SATOH_GF16)[3], 0xC3)
    both = linear.above(other)
    for x in range(256):
        assert (linear @ other).apply(x) == linear.apply(other.apply(x))
        assert linear.inverse().apply(linear.apply(x)) == x
        assert both.apply(x) == linear.apply(x) | other.apply(x) << 8
