"""Every S-box file is proved on all inputs, at every cut mask, the moment it exists.

The expected values come from our table, which is right because an AES written around it gives
OpenSSL's ciphertexts. Bytes stream through the netlists, a new one in every cycle, and where a
circuit goes both ways the direction changes with them.
"""

import random
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path

import pyslang
import pytest

from roundsmith.base.paths import RTL
from roundsmith.circuits import sbox_table
from roundsmith.circuits.program import PROGRAMS, load
from roundsmith.design import sboxes as selectors
from roundsmith.reference import aes
from roundsmith.spec import Sbox
from roundsmith.spec.sboxes import SBOXES, Form
from tests.support import netlists
from tests.support.netlists import Instance

FOLDER = RTL / "aes" / "sbox"
FORWARD = sbox_table.sbox()
INVERSE = sbox_table.inverse_sbox()

#: What each kind of file has for ports, apart from clock and clear, with their widths.
PORTS = {
    "byte": {"x_i": 8, "y_o": 8},
    "byte both": {"inverse_i": 1, "x_i": 8, "y_o": 8},
    "pair": {"a_x_i": 8, "a_y_o": 8, "b_x_i": 8, "b_y_o": 8},
    "pair both": {
        "a_inverse_i": 1, "a_x_i": 8, "a_y_o": 8, "b_inverse_i": 1, "b_x_i": 8, "b_y_o": 8,
    },
    "multiples": {
        "last_i": 1, "a_x_i": 8, "a_single_o": 8, "a_double_o": 8, "b_x_i": 8, "b_single_o": 8,
        "b_double_o": 8,
    },
    "two multiples": {
        "a_x_i": 8, "a_double_o": 8, "a_triple_o": 8, "b_x_i": 8, "b_double_o": 8, "b_triple_o": 8,
    },
}  # fmt: skip

#: The kinds that are an S-box.
FORMS = ("byte", "byte both", "pair", "pair both")

#: The inputs of one cycle, by port.
Inputs = Mapping[str, int]
#: What an output must be, from the inputs of the cycle it belongs to.
Expected = Callable[[Inputs], int]
#: An instance, its latency and what its outputs must be.
Case = tuple[Instance, int, Mapping[str, Expected]]


def files() -> list[Path]:
    found = [*FOLDER.glob("rsm_aes_sbox_*.sv"), *FOLDER.glob("rsm_aes_inverter_*.sv")]
    return sorted(found)


def ports(path: Path) -> set[str]:
    head = re.search(r"^module .*?^\);", path.read_text(), re.MULTILINE | re.DOTALL)
    assert head is not None
    return set(re.findall(r"\b(\w+_[io])\b", head[0]))


def kind(path: Path) -> str:
    found = ports(path) - {"clk_i", "clear_i"}
    matching = [name for name, expected in PORTS.items() if found == set(expected)]
    assert matching, f"{path.name} has ports that no proof knows: {sorted(found)}"
    return matching[0]


def cuts(path: Path) -> int:
    found = re.search(r"parameter logic \[(\d+):0\] Cuts", path.read_text())
    return int(found[1]) + 1 if found else 0


def python_aes(key: bytes, block: bytes, sbox: tuple[int, ...]) -> bytes:
    """Encrypt with plain loops around `sbox`."""
    words = [list(key[4 * i : 4 * i + 4]) for i in range(4)]
    rcon = 1
    for i in range(4, 44):
        word = list(words[i - 1])
        if i % 4 == 0:
            word = [sbox[b] for b in word[1:] + word[:1]]
            word[0] ^= rcon
            rcon = sbox_table.multiply(2, rcon)
        words.append([a ^ b for a, b in zip(words[i - 4], word, strict=True)])
    keys = [[b for word in words[4 * r : 4 * r + 4] for b in word] for r in range(11)]
    state = [a ^ b for a, b in zip(block, keys[0], strict=True)]
    for r in range(1, 11):
        state = [sbox[b] for b in state]
        state = [state[(i + 4 * (i % 4)) % 16] for i in range(16)]
        if r < 10:
            mixed = []
            for c in range(4):
                col = state[4 * c : 4 * c + 4]
                for i in range(4):
                    two, three = col[i], col[(i + 1) % 4]
                    mixed.append(
                        sbox_table.multiply(2, two)
                        ^ sbox_table.multiply(3, three)
                        ^ col[(i + 2) % 4]
                        ^ col[(i + 3) % 4]
                    )
            state = mixed
        state = [a ^ b for a, b in zip(state, keys[r], strict=True)]
    return bytes(state)


def test_the_table_is_that_of_openssl() -> None:
    sbox = sbox_table.sbox()
    seen: set[int] = set()
    key = bytes(range(16))
    for i in range(40):
        block = bytes((17 * i + j * j) % 256 for j in range(16))
        assert python_aes(key, block, sbox) == aes.encrypt(key, block)
        seen |= {a ^ b for a, b in zip(key, block, strict=True)}
    assert sorted(sbox) == list(range(256))


@pytest.mark.parametrize("name", sbox_table.modules())
def test_generated_tables_are_up_to_date(name: str) -> None:
    assert (FOLDER / f"{name}.sv").read_text() == sbox_table.module(name)


def test_the_spec_knows_the_cuts_of_every_file() -> None:
    for one in selectors.constructions("aes"):
        for form in one.forms:
            path = FOLDER / f"{one.module_of(form)}.sv"
            assert cuts(path) == one.cuts_of(form), path.name


def test_every_circuit_of_an_sbox_is_a_form_of_one() -> None:
    built = selectors.constructions("aes")
    known = {one.module_of(form) for one in built for form in one.forms}
    circuits = {path.stem for path in files() if kind(path) in FORMS and "_sbox_" in path.stem}
    assert circuits == known


def test_the_selectors_are_up_to_date() -> None:
    for path, text in selectors.modules().items():
        assert path.read_text() == text, path.name


# --- What the outputs must be ---------------------------------------------------------------


def outputs(path: Path) -> dict[str, Expected]:
    """Return what every output of a file must be."""
    what = kind(path)
    if path.stem.startswith("rsm_aes_inverter_"):
        table = evaluated(path)
        return {"y_o": lambda i: table[i["x_i"]]}
    if what == "multiples":
        return {
            "a_single_o": lambda i: 0 if i["last_i"] else FORWARD[i["a_x_i"]],
            "b_single_o": lambda i: 0 if i["last_i"] else FORWARD[i["b_x_i"]],
            "a_double_o": lambda i: double(i["last_i"], FORWARD[i["a_x_i"]]),
            "b_double_o": lambda i: double(i["last_i"], FORWARD[i["b_x_i"]]),
        }
    if what == "two multiples":
        return {
            f"{p}_{name}_o": multiple(f"{p}_x_i", factor)
            for p in ("a", "b")
            for name, factor in (("double", 2), ("triple", 3))
        }
    fixed = int(path.stem.endswith("_inverse"))
    both = what.endswith("both")

    def output(port: str) -> Expected:
        control = f"{port}inverse_i" if both else ""
        return lambda i: substituted(i[control] if both else fixed, i[f"{port}x_i"])

    return {f"{p}y_o": output(p) for p in ("a_", "b_", "") if f"{p}x_i" in PORTS[what]}


def substituted(inverse: int, x: int) -> int:
    return INVERSE[x] if inverse else FORWARD[x]


def multiple(port: str, factor: int) -> Expected:
    return lambda i: sbox_table.multiply(factor, FORWARD[i[port]])


def double(last: int, s: int) -> int:
    return s if last else sbox_table.multiply(2, s)


def evaluated(path: Path) -> list[int]:
    """Return the table of an inverter by its program, which is proved elsewhere."""
    stem = path.stem.removeprefix("rsm_aes_").replace("_", "-")
    ones = (1 << 256) - 1
    bits = {f"x[{i}]": sum((x >> i & 1) << x for x in range(256)) for i in range(8)}
    found = load(PROGRAMS / f"{stem}.toml").evaluate(bits, ones)
    return [sum((found[f"y[{i}]"] >> x & 1) << i for i in range(8)) for x in range(256)]


# --- The proof ------------------------------------------------------------------------------

#: No construction is deeper, so after so many cycles the registers hold what came in.
FILL = 9


def stream(names: set[str]) -> dict[str, list[int]]:
    """Return inputs cycle by cycle: after FILL, each byte port has each byte with each bit.

    Bits change about every other cycle.
    """
    rng = random.Random(2001)
    words = [*(rng.randrange(1024) for _ in range(FILL)), *rng.sample(range(1024), 1024)]
    found = {}
    for name in names:
        # A second byte differs from the first one, but meets all others as well.
        mine = [(341 + w) % 1024 if name.startswith("b_") else w for w in words]
        if name == "state_i":
            found[name] = [(w + 85) % 256 << 8 | w % 256 for w in mine]
        elif name.endswith("x_i"):
            found[name] = [w % 256 for w in mine]
        else:
            found[name] = [w >> (9 if name.startswith("b_") else 8) & 1 for w in mine]
    return found


def check(
    cases: Sequence[Case],
    folder: Path,
    script: list[str] = netlists.AS_READ,
    instead: Mapping[str, Path] | None = None,
) -> None:
    """Prove `cases` on netlists made by `script`."""
    instances = [one for one, _, _ in cases]
    netlist = netlists.read(instances, folder, script, instead)
    compare(cases, netlist.along_time)


def compare(
    cases: Sequence[Case],
    outputs: Callable[[Mapping[str, list[int]]], Mapping[str, list[int]]],
) -> None:
    """Compare what `outputs` gives for a stream of inputs with what it must be."""
    instances = [one for one, _, _ in cases]
    inputs = stream({port for one in instances for port in one.ports if port.endswith("_i")})
    found = outputs(inputs)
    cycles = [{name: values[t] for name, values in inputs.items()} for t in range(FILL + 1024)]
    for one, latency, expected in cases:
        for port, value in expected.items():
            seen = found[f"{one.label}_{port}"]
            for t in range(FILL, FILL + 1024):
                assert seen[t] == value(cycles[t - latency]), f"{one.label}, {port}, cycle {t}"


def cases(every_mask: bool) -> list[Case]:
    """Return every file at every mask, or at none and all of its cuts."""
    found = []
    for path in files():
        number, what = cuts(path), kind(path)
        masks = range(1 << number) if every_mask else {0, (1 << number) - 1}
        for mask in masks:
            parameter = f"#(.Cuts({number}'d{mask}))" if number else ""
            clocked = "clk_i" in ports(path)
            one = Instance(f"{path.stem}_{mask}", path.stem, PORTS[what], parameter, clocked)
            in_memory = 0 if what.startswith("byte") else 1
            found.append((one, mask.bit_count() + in_memory, outputs(path)))
    return found


def test_every_sbox_on_every_byte_at_every_mask(tmp_path: Path) -> None:
    assert len(files()) >= 11
    check(cases(every_mask=True), tmp_path)


def test_every_sbox_as_mapped_netlist(tmp_path: Path) -> None:
    mapped = [case for case in cases(every_mask=False) if not in_memory(case)]
    check(mapped, tmp_path, netlists.MAPPED)


def test_every_memory_as_mapped_netlist(tmp_path: Path) -> None:
    mapped = [case for case in cases(every_mask=False) if in_memory(case)]
    instances = [one for one, _, _ in mapped]
    compare(mapped, lambda inputs: netlists.simulate(instances, inputs, tmp_path))


def in_memory(case: Case) -> bool:
    return "a_x_i" in case[0].ports


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("rsm_aes_sbox_table", "8'h77", "8'h76"),
        ("rsm_aes_sbox_block_ram_both", "8'h09", "8'h08"),
        ("rsm_aes_sbox_shared_inverse_both", ".d_i ({inverse, after", ".d_i ({inverse_i, after"),
    ],
)
def test_the_proof_can_fail(name: str, right: str, wrong: str, tmp_path: Path) -> None:
    broken = tmp_path / f"{name}.sv"
    text = (FOLDER / broken.name).read_text()
    broken.write_text(text.replace(right, wrong, 1))
    assert broken.read_text() != text
    concerned = [case for case in cases(every_mask=True) if case[0].module == name]
    with pytest.raises(AssertionError):
        check(concerned, tmp_path, instead={name: broken})


# --- The selector ---------------------------------------------------------------------------

DIRECTIONS: dict[str, Form] = {
    "DirectionForward": "forward",
    "DirectionInverse": "inverse",
    "DirectionBoth": "both",
}


def value(sbox: Sbox) -> str:
    """Return the enum value of an S-box."""
    return sbox.of("aes").value


def is_offered(sbox: Sbox, direction: str) -> bool:
    """Whether a core can have an S-box in a direction."""
    return direction == "DirectionForward" or sbox.of("aes").has_inverse


def offered() -> list[tuple[Sbox, str]]:
    return [(s, d) for s in SBOXES["aes"] for d in DIRECTIONS if is_offered(s, d)]


def offered_cuts(sbox: Sbox, direction: str) -> int:
    return sbox.of("aes").cuts_of(DIRECTIONS[direction])


def test_the_selector(tmp_path: Path) -> None:
    widths = {"inverse_i": 1, "state_i": 16, "state_o": 16}
    made: list[Case] = []
    for sbox, direction in offered():
        for mask in {0, (1 << offered_cuts(sbox, direction)) - 1}:
            parameters = (
                f"#(.Bytes(2), .Sbox({value(sbox)}), .Direction({direction}), .Cuts(7'd{mask}))"
            )
            one = Instance(f"{sbox}_{direction}_{mask}", "rsm_aes_sub_bytes", widths, parameters)
            latency = mask.bit_count() + sbox.of("aes").latency
            made.append((one, latency, {"state_o": two_bytes(direction)}))
    check(made, tmp_path)


def two_bytes(direction: str) -> Expected:
    def value(inputs: Inputs) -> int:
        both = direction == "DirectionBoth"
        inverse = inputs["inverse_i"] if both else int(direction == "DirectionInverse")
        high, low = divmod(inputs["state_i"], 256)
        return substituted(inverse, high) << 8 | substituted(inverse, low)

    return value


def complaints(**choice: str) -> bool:
    """Whether slang refuses to elaborate the selector with these parameters."""
    parameters = ", ".join(f".{name}({value})" for name, value in choice.items())
    bench = pyslang.syntax.SyntaxTree.fromText(
        "module bench import rsm_aes_pkg::*; (input logic clk_i, input logic [15:0] state_i, "
        "output logic [15:0] state_o); "
        f"rsm_aes_sub_bytes #(.Bytes(2), {parameters}) u_sub_bytes "
        "(.clk_i, .clear_i(1'b0), .inverse_i(1'b0), .state_i, .state_o); endmodule"
    )
    options = pyslang.ast.CompilationOptions()
    options.topModules = {"bench"}
    compilation = pyslang.ast.Compilation(pyslang.Bag([options]))
    for tree in [*library(), bench]:
        compilation.addSyntaxTree(tree)
    return any(d.isError() for d in compilation.getAllDiagnostics())


@cache
def library() -> list[pyslang.syntax.SyntaxTree]:
    files = [RTL / "aes/pkg/rsm_aes_pkg.sv", *FOLDER.glob("*.sv"), *RTL.glob("common/*.sv")]
    return [pyslang.syntax.SyntaxTree.fromFile(str(path)) for path in files]


def test_the_selector_refuses_the_rest() -> None:
    for sbox in SBOXES["aes"]:
        for direction in DIRECTIONS:
            refused = complaints(Sbox=value(sbox), Direction=direction)
            assert refused != is_offered(sbox, direction), (sbox, direction)


def test_the_selector_refuses_cuts_that_a_construction_lacks() -> None:
    for sbox, direction in offered():
        choice = {"Sbox": value(sbox), "Direction": direction}
        number = offered_cuts(sbox, direction)
        assert not complaints(**choice, Cuts=f"7'd{(1 << number) - 1}")
        if number < 7:
            assert complaints(**choice, Cuts=f"7'd{1 << number}")
