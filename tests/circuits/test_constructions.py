"""The circuits of the publications: reproducible, proved, and of the sizes that they print."""

import functools

import pytest

from roundsmith.base.errors import RoundsmithError
from roundsmith.circuits import constructions, satoh
from roundsmith.circuits.builder import Builder
from roundsmith.circuits.field import SATOH_GF4, isomorphisms
from roundsmith.circuits.matrix import Affine, Matrix
from roundsmith.circuits.program import PROGRAMS, Kind, Program, load
from roundsmith.circuits.proof import prove

NAMES = list(constructions.CONSTRUCTIONS)


@functools.cache
def program(name: str) -> Program:
    return load(PROGRAMS / f"{name}.toml")


def crossing(name: str) -> list[int]:
    """Return how many signals pass each cut, without the direction."""
    stages = program(name).stages
    counts = []
    known: set[str] = set(program(name).inputs)
    for i, stage in enumerate(stages[:-1]):
        known |= {o.target for o in stage.operations}
        later = {x for s in stages[i + 1 :] for o in s.operations for x in o.operands}
        counts.append(len(known & (later | set(program(name).outputs)) - {"inverse"}))
    return counts


def widest(name: str) -> list[int]:
    """Return, stage by stage, the most signals of earlier stages that one signal depends on."""
    result = []
    stages = program(name).stages
    for i, stage in enumerate(stages):
        support: dict[str, frozenset[str]] = {}
        for o in stage.operations:
            parts = (support.get(name, frozenset({name})) for name in o.operands)
            support[o.target] = frozenset().union(*parts)
        later = {x for s in stages[i + 1 :] for o in s.operations for x in o.operands}
        ends = later | set(program(name).outputs)
        result.append(max(len(s) for target, s in support.items() if target in ends))
    return result


@pytest.mark.parametrize("name", NAMES)
def test_files_are_reproducible_and_proved(name: str) -> None:
    assert (PROGRAMS / f"{name}.toml").read_text() == constructions.text(name)
    prove(program(name))


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(RoundsmithError, match="'sbox' is no construction"):
        constructions.text("sbox")


def test_the_printed_delta_is_an_isomorphism_and_its_inverse() -> None:
    """Equation (13) as it is printed, least significant bits in the upper left corner."""
    delta, back = satoh.printed_delta(), satoh.printed_delta_inverse()
    assert delta in isomorphisms(SATOH_GF4)
    assert delta @ back == Matrix.identity(8)
    assert delta.transposed not in isomorphisms(SATOH_GF4)


def test_the_factored_mix_has_the_195_xor_of_the_paper() -> None:
    """Satoh et al. 2001, Table 1: 195 XOR, 7 deep; the selectors come on top."""
    counts = program("mix-factored-both").counts()
    assert counts == {Kind.XOR: 195, Kind.MUX: 32}
    assert program("mix-factored-both").depth == 7  # the selectors are where b already waits


def test_the_inverter_of_small_fields_has_fewer_gates() -> None:
    """Satoh et al. 2001, Table 2: 173 against 241 gates (NAND), 294 against 362 with the maps."""
    assert program("inverter-gf4").gates < program("inverter-gf16").gates
    assert program("sbox-gf4-both").gates < program("sbox-gf16-both").gates
    # Nine AND for a product in GF((2^2)^2), three in GF(2^2), three products of each.
    assert program("inverter-gf4").counts()[Kind.AND] == 3 * 9 + 3 * 3


@pytest.mark.parametrize("name", ["inverter-gf4", "inverter-gf16"])
def test_inverters_have_no_place_for_a_register(name: str) -> None:
    assert len(program(name).stages) == 1


@pytest.mark.parametrize("name", ["sbox-gf16", "sbox-gf16-inverse"])
def test_the_sbox_for_lookup_tables_fits_them(name: str) -> None:
    """Standaert et al. 2003, Table 2: seven pipeline levels with 76 registers."""
    assert crossing(name) == [8, 9, 12, 13, 16, 8, 8]
    assert sum(crossing(name)) <= 76
    # Every signal that passes a cut is one table of four inputs, but for the norm.
    assert [i for i, width in enumerate(widest(name)) if width > 4] == [2]


@pytest.mark.parametrize(
    "name", ["sbox-gf4", "sbox-gf4-inverse", "sbox-gf4-both", "sbox-gf16-both"]
)
def test_the_other_sboxes_have_four_cuts(name: str) -> None:
    assert len(crossing(name)) == 4


def test_an_operation_is_made_once() -> None:
    builder = Builder()
    x = builder.inputs("x")
    builder.stage("Everything")
    assert builder.xor(x[0], x[1]) == builder.xor(x[1], x[0])
    assert builder.select(x[0], x[1:2], x[2:3]) != builder.select(x[0], x[2:3], x[1:2])


def test_a_second_name_is_the_same_signal_to_later_operations() -> None:
    builder = Builder()
    x = builder.inputs("x")
    builder.stage("Everything")
    alias = builder.name("alias", x)
    assert alias != x
    assert builder.xor(alias[0], alias[1]) == builder.xor(x[0], x[1])


def test_an_array_shares_sums_and_absorbs_constants() -> None:
    linear = Affine(Matrix((0b0111, 0b1111, 0b0111, 0b0001, *(1 << i for i in range(4, 8))), 8), 2)
    builder = Builder()
    x = builder.inputs("x")
    builder.stage("Everything")
    builder.output("y", builder.array(linear, x))
    made = builder.program("array", "sbox", "forward", "a test")
    assert made.counts() == {Kind.XOR: 2, Kind.XNOR: 1}
    for value in (0x00, 0x5A, 0xFF):
        found = made.evaluate({f"x[{i}]": value >> i & 1 for i in range(8)}, 1)
        assert sum(found[f"y[{i}]"] << i for i in range(8)) == linear.apply(value)
