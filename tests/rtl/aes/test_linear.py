"""Column circuits and linear layers are proved equal to FIPS 197 for all states.

For fixed control bits they are linear, so every output is followed through the netlist as a sum
of inputs, which covers all of them. With the control bits changing every cycle, random states go
through as well. Circuits are found by their files, so a new one is proved the moment it exists.
"""

import random
import re
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import product
from pathlib import Path

import pytest

from roundsmith.base.paths import RTL
from roundsmith.circuits.sbox_table import multiply
from roundsmith.design.ciphers.aes import LINEARS
from roundsmith.spec import COLUMN_CIRCUITS, Linear
from tests.support import netlists
from tests.support.netlists import Instance

FOLDER = RTL / "aes" / "linear"

# The first columns of the matrices of FIPS 197, 5.1.3 and 5.3.3, and the two that
# rsm_aes_mix_square multiplies by.
MIX = (0x02, 0x01, 0x01, 0x03)
INVERSE_MIX = (0x0E, 0x09, 0x0D, 0x0B)
IDENTITY = (0x01, 0x00, 0x00, 0x00)
SQUARE = (0x05, 0x00, 0x04, 0x00)

Matrix = tuple[int, ...]
Sums = list[frozenset[str]]


def ports(path: Path) -> frozenset[str]:
    head = re.search(r"^module .*?^\);", path.read_text(), re.MULTILINE | re.DOTALL)
    assert head is not None
    return frozenset(re.findall(r"\b(\w+_[io])\b", head[0]))


def mixed(matrix: Matrix, column: Sums) -> Sums:
    """Return a column of 32 sums, row 0 on top, times a matrix given by its first column."""
    result: Sums = [frozenset()] * 32
    for row, source, i in product(range(4), range(4), range(8)):
        byte = multiply(matrix[(row - source) % 4], 1 << i)
        for bit in range(8):
            if byte >> bit & 1:
                result[24 - 8 * row + bit] ^= column[24 - 8 * source + i]
    return result


# --- Circuits of one column -----------------------------------------------------------------


def columns() -> list[Path]:
    """Return the files of the column circuits: all but the selector."""
    found = sorted(FOLDER.glob("rsm_aes_mix_*.sv"))
    return [path for path in found if path.stem != "rsm_aes_mix_columns"]


def matrices(path: Path) -> tuple[str, list[Matrix]]:
    """Return the control port of a column circuit and the matrix at each of its values."""
    column = {"column_i", "column_o"}
    found = ports(path)
    if found == column:
        return "", [INVERSE_MIX if path.stem.endswith("_inverse") else MIX]
    if found == {"inverse_i", *column}:
        return "inverse_i", [MIX, INVERSE_MIX]
    if found == {"enable_i", *column}:
        return "enable_i", [IDENTITY, SQUARE]
    raise AssertionError(f"{path.name} has ports that no proof knows: {sorted(found)}")


def check_columns(
    folder: Path, script: list[str] = netlists.AS_READ, instead: Mapping[str, Path] | None = None
) -> None:
    controls = {path.stem: matrices(path) for path in columns()}
    instances = []
    for name, (control, _) in controls.items():
        widths = {"column_i": 32, "column_o": 32} | ({control: 1} if control else {})
        instances.append(Instance(name, name, widths, clocked=False))
    netlist = netlists.read(instances, folder, script, instead)
    column = [frozenset({f"column_i[{i}]"}) for i in range(32)]
    for value in (0, 1):
        found = netlist.sums({control: value for control, _ in controls.values() if control})
        for name, (_, expected) in controls.items():
            matrix = expected[value % len(expected)]
            assert found[f"{name}_column_o"] == mixed(matrix, column), f"{name} is not {matrix}"


def test_every_column_circuit(tmp_path: Path) -> None:
    check_columns(tmp_path)


def test_every_column_circuit_as_mapped_netlist(tmp_path: Path) -> None:
    check_columns(tmp_path, netlists.MAPPED)


def test_the_proof_of_a_column_can_fail(tmp_path: Path) -> None:
    name = "rsm_aes_mix_direct"
    wrong = tmp_path / f"{name}.sv"
    text = (FOLDER / wrong.name).read_text()
    wrong.write_text(text[::-1].replace("^", "|", 1)[::-1])
    assert wrong.read_text() != text
    with pytest.raises(AssertionError):
        check_columns(tmp_path, instead={name: wrong})


# --- Linear layers --------------------------------------------------------------------------

#: Which way each order goes, and whether its inverse adds the key before InvMixColumns.
ORDERS = {
    "OrderEncrypt": ("", False),
    "OrderDecrypt": ("_inverse", True),
    "OrderEquivalent": ("_inverse", False),
    "OrderBoth": ("_both", True),
    "OrderBothEquivalent": ("_both", False),
}
LAYERS = [linear for linear in Linear if linear is not Linear.IN_MEMORY]
WIDTHS = {
    "inverse_i": 1,
    "last_i": 1,
    "state_i": 128,
    "early_key_i": 128,
    "key_i": 128,
    "state_o": 128,
}


def circuits(linear: Linear, suffix: str) -> list[str]:
    """Return the column circuits that a linear layer instantiates."""
    if linear not in COLUMN_CIRCUITS:
        return ["square"]
    if linear in {Linear.FACTORED, Linear.SQUARED}:
        return [f"{linear}_both"]
    if linear is Linear.DIRECT and suffix == "_both":
        return ["direct", "direct_inverse"]
    return [f"{linear}{suffix}"]


Layer = tuple[Linear, str, int]


def layers() -> list[Layer]:
    """Return every linear layer in every order, without and with its cut."""
    return [
        (linear, order, cut)
        for linear, (order, (suffix, _)), cut in product(LAYERS, ORDERS.items(), (0, 1))
        if all((FOLDER / f"rsm_aes_mix_{c}.sv").exists() for c in circuits(linear, suffix))
    ]


def test_no_linear_layer_is_missing() -> None:
    assert len(layers()) == 2 * len(LAYERS) * len(ORDERS)


def test_every_file_of_a_linear_layer_is_proved() -> None:
    proved = {"columns" if linear in COLUMN_CIRCUITS else linear for linear in LAYERS}
    found = {path.stem for path in FOLDER.glob("rsm_aes_linear_*.sv")}
    assert found == {f"rsm_aes_linear_{name}" for name in proved}


def shifted(state: list[frozenset[str]], direction: int) -> Sums:
    """Return ShiftRows of 128 sums (direction 1) or InvShiftRows (-1), by its definition."""
    result: Sums = [frozenset()] * 128
    for row, column, bit in product(range(4), range(4), range(8)):
        source = (column + direction * row) % 4
        result[120 - 8 * (4 * column + row) + bit] = state[120 - 8 * (4 * source + row) + bit]
    return result


def added(one: Sums, other: Sums) -> Sums:
    return [a ^ b for a, b in zip(one, other, strict=True)]


@cache
def textbook(order: str, cut: int, inverse: int, last: int) -> Sums:
    """Return the next state as FIPS 197 has it; with a cut, all but `key_i` is a cycle old."""

    def port(name: str, age: int) -> Sums:
        return [frozenset({f"{name}[{i}]" + (f" -{age}" if age else "")}) for i in range(128)]

    suffix, early = ORDERS[order]
    backwards = suffix == "_inverse" or (suffix == "_both" and inverse == 1)
    matrix = IDENTITY if last else INVERSE_MIX if backwards else MIX
    state = shifted(port("state_i", cut), -1 if backwards else 1)
    if backwards and early:
        state = added(state, port("early_key_i", cut))
    columns = [state[i : i + 32] for i in range(0, 128, 32)]
    state = [bit for column in columns for bit in mixed(matrix, column)]
    return state if backwards and early else added(state, port("key_i", 0))


def check_layers(
    folder: Path, chosen: Sequence[Layer], instead: Mapping[str, Path] | None = None
) -> None:
    made = {f"{linear}_{order}_{cut}": (linear, order, cut) for linear, order, cut in chosen}
    instances = [
        Instance(
            label,
            "rsm_aes_linear",
            WIDTHS,
            f"#(.Linear({LINEARS[linear]}), .Order({order}), .Cut({cut}))",
        )
        for label, (linear, order, cut) in made.items()
    ]
    netlist = netlists.read(instances, folder, instead=instead)
    for inverse, last in product((0, 1), repeat=2):
        found = netlist.sums({"inverse_i": inverse, "last_i": last})
        for label, (_, order, cut) in made.items():
            expected = textbook(order, cut, inverse, last)
            assert found[f"{label}_state_o"] == expected, f"{label}, {inverse=}, {last=}"
    _check_changing_controls(netlist, made)


def _check_changing_controls(
    netlist: netlists.Netlist, made: Mapping[str, Layer], cycles: int = 24
) -> None:
    rng = random.Random(1997)
    inputs = {
        port: [rng.getrandbits(width) for _ in range(cycles)]
        for port, width in WIDTHS.items()
        if port.endswith("_i")
    }
    controls = list(zip(inputs["inverse_i"], inputs["last_i"], strict=True))
    assert set(controls) == set(product((0, 1), repeat=2))
    found = netlist.along_time(inputs)

    @cache
    def expected(order: str, cut: int, t: int) -> int:
        bits = textbook(order, cut, *controls[t - cut])
        return sum(
            sum(_value(inputs, s, t) for s in terms) % 2 << i for i, terms in enumerate(bits)
        )

    for label, (_, order, cut) in made.items():
        for t in range(cut, cycles):
            assert found[f"{label}_state_o"][t] == expected(order, cut, t), f"{label}, cycle {t}"


def _value(inputs: Mapping[str, list[int]], term: str, cycle: int) -> int:
    name, rest = term.split("[")
    bit, age = rest.split("]")
    return inputs[name][cycle + int(age or 0)] >> int(bit) & 1


def test_every_linear_layer(tmp_path: Path) -> None:
    check_layers(tmp_path, layers())


@pytest.mark.parametrize(
    ("name", "layer", "right", "wrong"),
    [
        ("columns", (Linear.DIRECT, "OrderEncrypt", 0), "last_i ?", "~last_i ?"),
        ("gated", (Linear.GATED, "OrderEncrypt", 0), "~last_i & (a", "(a"),
        ("mix_add", (Linear.MIX_ADD, "OrderEncrypt", 1), "carry, carry, 1", "carry, 1'b0, 1"),
        ("", (Linear.GATED, "OrderBoth", 0), "? '0 : key_i", "? key_i : key_i"),
        # The direction of this cycle where that of the block is due.
        ("", (Linear.GATED, "OrderBoth", 1), ".Enable (Cut && HasBoth)", ".Enable (1'b0)"),
    ],
)
def test_the_proof_of_a_layer_can_fail(
    name: str, layer: Layer, right: str, wrong: str, tmp_path: Path
) -> None:
    name = f"rsm_aes_linear_{name}".rstrip("_")
    broken = tmp_path / f"{name}.sv"
    text = (FOLDER / broken.name).read_text()
    broken.write_text(text.replace(right, wrong, 1))
    assert broken.read_text() != text
    with pytest.raises(AssertionError):
        check_layers(tmp_path, [layer], {name: broken})
