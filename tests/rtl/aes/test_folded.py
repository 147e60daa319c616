"""The folded cores: random traffic against OpenSSL and the rules of their ports."""

import random
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from roundsmith import catalogue
from roundsmith.attribution import narrow_components
from roundsmith.base.paths import RTL
from roundsmith.flows import targets
from roundsmith.records import records
from roundsmith.tools import verilator

KEYS = 90
BLOCKS_OF_KEY = 60

#: FIPS 197, appendices B and C: keys and blocks that are among the random ones.
VECTORS = [
    ("2b7e151628aed2a6abf7158809cf4f3c", "3243f6a8885a308d313198a2e0370734"),
    *(
        (bytes(range(bits // 8)).hex(), "00112233445566778899aabbccddeeff")
        for bits in (128, 192, 256)
    ),
]

#: Rounds by key length in bits.
ROUNDS = {128: 10, 192: 12, 256: 14}


@dataclass(frozen=True)
class Core:
    columns: int
    borrowed: bool
    direction: str = "Both"
    sbox: str = "Cells"
    linear: str = "Minimal"
    inverse: str = "Reordered"
    rows: str = "Tapped"
    start: str = "Walked"
    channel: str = "Held"
    #: The key lengths of a core of rsm_aes_folded_long; rsm_aes_folded has 128 bits.
    bits: tuple[int, ...] = ()

    @property
    def module(self) -> str:
        return "rsm_aes_folded_long" if self.bits else "rsm_aes_folded"

    @property
    def name(self) -> str:
        keys = "borrowed" if self.borrowed else "own"
        parts = (self.columns, keys, self.direction, self.sbox, self.linear, self.inverse)
        rest = (self.rows, self.start, self.channel, *self.bits)
        return "_".join(map(str, (*parts, *rest))).lower()

    @property
    def parameters(self) -> str:
        keys = "Borrowed" if self.borrowed else "Own"
        mask = "".join(str(int(bits in self.bits)) for bits in (256, 192, 128))
        lengths = f", .Lengths(3'b{mask})" if self.bits else ""
        return (
            f".Columns({self.columns}), .KeySboxes(KeySboxes{keys}), "
            f".Direction(Direction{self.direction}), .Sbox(Sbox{self.sbox}), "
            f".Linear(Linear{self.linear}), .Inverse(Inverse{self.inverse}), "
            f".Rows(Rows{self.rows}), .Channel(Channel{self.channel}), "
            f".KeyStart(Start{self.start}){lengths}"
        )

    @property
    def slots(self) -> int:
        return 4 // self.columns

    @property
    def lap(self) -> int:
        """Return the cycles of a round."""
        return self.slots + self.borrowed

    @property
    def late(self) -> bool:
        """Whether blocks wait a cycle in front of the core, for the sixth word of their key."""
        return (
            self.channel == "WithBlock"
            and self.borrowed
            and self.columns == 1
            and (192 in self.bits)
        )

    def latency(self, bits: int = 128) -> int:
        """Return the cycles of a block: for 128 bits, those of Satoh's Table 4."""
        return self.slots + ROUNDS[bits] * self.lap + self.late

    def interval(self, bits: int, *, same: bool) -> int:
        """Return the cycles from a block to the next one, in the same or in the other direction."""
        if self.channel == "WithBlock":
            return self.latency(bits)
        if self.bits:
            walks = same and self.start == "Walked"
            return (2 * ROUNDS[bits] if walks else ROUNDS[bits] + 2) * self.lap
        return self.latency() + (10 if same and self.start == "Walked" else 0)

    @property
    def taking(self) -> int:
        """Return the cycles that a key takes."""
        return self.slots + (self.lap if self.bits else 0)

    @property
    def wait(self) -> int:
        """Return the most cycles that an idle core lets a block wait."""
        return (max(map(ROUNDS.get, self.bits)) + 2) * self.lap if self.bits else 64

    @property
    def clear(self) -> int:
        return 3 * self.lap if self.bits else 2 * self.slots


SATOH = [Core(1, True), Core(1, False), Core(2, True), Core(2, False)]
SHAPES = [(1, True), (1, False), (2, True), (2, False)]
#: As the paper has them: rows that shift at once, and InvMixColumns on the keys.
PRINTED = [
    replace(core, sbox="Gf4", linear="Factored", inverse="Equivalent", rows="Turned")
    for core in SATOH
]
ALL = [
    *SATOH,
    *PRINTED,
    *(replace(core, start="Kept") for core in SATOH),
    Core(1, True, "Forward", "Table", "Fast"),
    Core(2, True, "Forward", "Lut4", rows="Turned", start="Kept"),
    Core(1, False, "Forward", channel="WithBlock"),
    Core(2, True, "Forward", channel="WithBlock"),
    Core(1, True, "Inverse", "Minimal", "Direct"),
    Core(1, False, "Inverse", "Table", "Squared", "Equivalent", start="Kept"),
    Core(2, False, "Inverse", "Minimal", "Direct"),
]

#: Longer keys, some for every day, and in every shape: one length alone, and several.
LONG = [
    Core(1, True, bits=(256,)),
    Core(2, False, bits=(192,)),
    Core(1, True, bits=(128, 192, 256)),
    Core(1, True, "Forward", channel="WithBlock", bits=(128, 192, 256)),
    Core(1, True, start="Kept", bits=(192, 256)),
]
ALL_LONG = [
    *(Core(*shape, bits=bits) for shape in SHAPES for bits in ((256,), (192,), (128, 192, 256))),
    *(Core(*shape, "Forward", channel="WithBlock", bits=(256,)) for shape in SHAPES),
    *(Core(*shape, "Forward", channel="WithBlock", bits=(128, 192, 256)) for shape in SHAPES),
    *(Core(*shape, "Forward", channel="WithBlock", bits=(192,)) for shape in SHAPES[::2]),
    Core(1, True, "Forward", channel="WithBlock", bits=(128, 256)),
    *(Core(*shape, start="Kept", bits=bits) for shape in SHAPES for bits in ((256,), (128, 192))),
    Core(2, False, "Inverse", "Table", start="Kept", bits=(128, 192, 256)),
    Core(1, False, "Inverse", "Table", bits=(256,)),
    Core(2, True, "Inverse", inverse="Equivalent", rows="Turned", bits=(192,)),
]


def test_the_cycles_are_those_of_the_paper() -> None:
    assert [core.latency() for core in SATOH] == [54, 44, 32, 22]


@pytest.mark.parametrize(
    "cycles", [90_000, pytest.param(180_000, marks=pytest.mark.long)], ids=["half", "whole"]
)
def test_all_cores_in_random_traffic(cycles: int, tmp_path: Path) -> None:
    done = run_bench(tmp_path, ALL, cycles)
    assert all(done[core.name] >= cycles // 90 for core in ALL), done
    rates = (done["encryptions"], done["decryptions"], done["blocks at full rate"])
    assert min(rates) > cycles // 6
    assert min(done["keys"], done["clears"]) > cycles // 180


@pytest.mark.parametrize(
    ("cores", "cycles"),
    [(LONG, 20_000), pytest.param(ALL_LONG, 100_000, marks=pytest.mark.long)],
    ids=["some", "all"],
)
def test_cores_of_longer_keys_in_random_traffic(
    cores: Sequence[Core], cycles: int, tmp_path: Path
) -> None:
    done = run_bench(tmp_path, cores, cycles)
    assert all(done[core.name] >= cycles // 250 for core in cores), done
    assert min(done["encryptions"], done["decryptions"]) > len(cores) * cycles // 1000
    assert done["blocks at full rate"] > len(cores) * cycles // 500
    assert min(done["keys"], done["clears"]) > len(cores) * cycles // 3000


@pytest.mark.parametrize(
    ("module", "right", "wrong"),
    [
        ("row", "moving & by_three & ~count_i[1]", "moving & by_three & (count_i == 2'd0)"),
        ("key", "inverse_i ? w1_q : w1", "w1"),
        ("rcon", "power_q[2], power_q[1] ^ power_q[0]", "power_q[2], power_q[1]"),
        ("mix", ".inverse_i,", ".inverse_i (1'b0),"),
        ("", "clearing_q <= rst_ni", "clearing_q <= 1'b0"),
        ("", "turn_q <= ~busy_q & ~turn_q", "turn_q <= 1'b0"),
    ],
)
def test_the_traffic_can_fail(module: str, right: str, wrong: str, tmp_path: Path) -> None:
    name = "rsm_aes_folded" + (f"_{module}" if module else "")
    text = (RTL / "aes/folded" / f"{name}.sv").read_text()
    assert right in text
    broken = tmp_path / f"{name}.sv"
    broken.write_text(text.replace(right, wrong, 1))
    with pytest.raises(AssertionError):
        run_bench(tmp_path, [SATOH[0]], 6_000, {name: broken})


@pytest.mark.long
@pytest.mark.parametrize(
    ("module", "right", "wrong"),
    [
        ("line", "(is_256 | (is_192 & ~late))", "is_256"),
        ("line", ".inverse_i  (backwards)", ".inverse_i  (1'b0)"),
        ("line", "Width'(sum) & {Width{keep_i", "Width'(sum) & {Width{1'b1"),
        ("steps", "assign rotate[2]   = ~round_i[0]", "assign rotate[2]   = 1'b1"),
        ("steps", "{third[1], step} = {1'b1, 3'd4}", "{third[1], step} = {1'b1, 3'd5}"),
        ("long", "clearing_q <= rst_ni", "clearing_q <= 1'b0"),
        ("long", "| (fresh_q & ~(last_slot & ~at_zero))", ""),
        ("line", "Direct ? words_i[31:0]", "Direct ? line_q[1][31:0]"),
        ("long", "block_q   <= in_block_i & {Width{~clearing_q}}", "block_q   <= in_block_i"),
        ("long", "store ? key : words", "accept ? key : words"),
        ("long", "other_q & (starting | second_q) : accept & other", "other_q : accept & other"),
    ],
)
def test_the_traffic_of_longer_keys_can_fail(
    module: str, right: str, wrong: str, tmp_path: Path
) -> None:
    name = f"rsm_aes_folded_{module}"
    text = (RTL / "aes/folded" / f"{name}.sv").read_text()
    assert right in text
    broken = tmp_path / f"{name}.sv"
    broken.write_text(text.replace(right, wrong, 1))
    with pytest.raises(AssertionError):
        run_bench(tmp_path, LONG[2:], 40_000, {name: broken})


@pytest.mark.parametrize(
    ("parameters", "reason"),
    [
        (".Columns(3)", "takes one or two columns"),
        (".Lengths(3'b010)", "holds 128 bits"),
        (".Sbox(SboxBlockRam)", "answer in the same cycle"),
        (".Channel(ChannelWithBlock)", "keys come with blocks in encryption only"),
        (".Inverse(InverseSeparate)", "Inverse must be"),
    ],
)
def test_illegal_parameters_are_refused(parameters: str, reason: str, tmp_path: Path) -> None:
    top = tmp_path / "top.sv"
    top.write_text(wrapper("top", "rsm_aes_folded", parameters, 1))
    # An error of the core is one that is not fatal here, so that it is printed.
    assert reason in verilator.lint([*sources().values(), top], "top", ["-Wno-fatal"])


def test_cores_are_clean(tmp_path: Path) -> None:
    # One with every value of every choice.
    kept = [core for core in ALL if core.start == "Kept"]
    for core in (*SATOH[::3], *PRINTED[1:3], *kept, *LONG):
        top = tmp_path / "top.sv"
        top.write_text(wrapper("top", core.module, core.parameters, core.columns))
        assert "%" not in verilator.lint([*sources().values(), top], "top")


def run_bench(
    folder: Path,
    cores: Sequence[Core],
    cycles: int,
    instead: Mapping[str, Path] | None = None,
    netlists: Sequence[Path] = (),
) -> dict[str, int]:
    """Return how much traffic there was of each kind; AssertionError when something is wrong.

    With `netlists`, these hold the modules core_0, core_1, ...
    """
    (folder / "tables.h").write_text(tables(cores, cycles))
    file = folder / "bench.sv"
    modules = [wrapper(f"core_{i}", c.module, c.parameters, c.columns) for i, c in enumerate(cores)]
    file.write_text("\n".join([*([] if netlists else modules), bench(cores, not netlists)]))
    files = [] if netlists else (sources() | dict(instead or {})).values()
    program = verilator.build(
        [*files, *netlists, file],
        "bench",
        Path(__file__).with_name("folded_bench.cpp"),
        folder,
        flags=["-Wno-fatal", "-Wno-lint", "-Wno-style"],
        # The build takes far longer than the run.
        cflags=[f"-I{folder}", "-O0"],
    )
    run = subprocess.run([program], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout
    return {what: int(number) for what, number in re.findall(r"^(.+): (\d+)$", run.stdout, re.M)}


def sources() -> dict[str, Path]:
    found = [RTL / "aes/pkg/rsm_aes_pkg.sv", RTL / "aes/folded/rsm_aes_folded_pkg.sv"]
    for part in ("common", "aes/sbox", "aes/linear", "aes/folded"):
        found += sorted((RTL / part).glob("*.sv"))
    return {path.stem: path for path in found}


PORTS = {
    "key_valid_i": 1, "key_ready_o": 1, "key_i": 0, "in_valid_i": 1, "in_ready_o": 1,
    "in_block_i": 0, "in_key_i": 0, "in_decrypt_i": 1, "in_tag_i": 1, "idle_o": 1,
    "out_valid_o": 1, "out_block_o": 0, "out_tag_o": 1, "key_len_i": 2, "in_len_i": 2,
}  # fmt: skip


def wrapper(name: str, module: str, parameters: str, columns: int) -> str:
    """Return a core with its parameters set and without the ports that it does not look at."""
    ports = ["input logic clk_i", "input logic rst_ni", "input logic clear_i"]
    for port, width in PORTS.items():
        direction = "output" if port.endswith("_o") else "input"
        ports.append(f"{direction} logic [{(width or 32 * columns) - 1}:0] {port}")
    pins = ", ".join(f".{port}" for port in ["clk_i", "rst_ni", "clear_i", *PORTS])
    return (
        f"module {name} import rsm_aes_pkg::*; import rsm_aes_folded_pkg::*; (\n  "
        + ",\n  ".join(ports)
        + f"\n);\n  {module} #({parameters}) u_core (\n    {pins}\n  );\nendmodule\n"
    )


def bench(cores: Sequence[Core], inside: bool) -> str:
    """Return a bench of all cores; `zero_o` tells whether a core holds nothing but zeros."""
    ports = ["input logic clk_i", "input logic rst_ni", "input logic clear_i"]
    for port, width in {**PORTS, "zero_o": 1}.items():
        direction = "output" if port.endswith("_o") else "input"
        ports.append(f"{direction} logic [{(width or 64) - 1}:0] {port} [{len(cores)}]")
    lines = ["module bench (\n  " + ",\n  ".join(ports) + "\n);"]
    for i, core in enumerate(cores):
        pins = ["clk_i", "rst_ni", "clear_i"]
        texts = [f".{pin}" for pin in pins]
        for port, width in PORTS.items():
            part = "" if width else f"[{32 * core.columns - 1}:0]"
            texts.append(f".{port}({port}[{i}]{part})")
        lines.append(f"  core_{i} u_{i} ({', '.join(texts)});")
        if core.columns == 1:
            lines.append(f"  assign out_block_o[{i}][63:32] = '0;")
        held = [f"u_{i}.u_core.u_key.w{w}_q" for w in range(4)]
        if core.bits:
            held = [f"u_{i}.u_core.u_key.line_q"]
            if core.channel == "WithBlock" and core.borrowed:
                held.append(f"u_{i}.u_core.gen_early_words.early_q")
            if core.late:
                held += [f"u_{i}.u_core.gen_late.{kept}_q" for kept in ("block", "key")]
        if core.start == "Kept":
            inner = "" if core.bits else "u_kept."
            held.append(f"u_{i}.u_core.gen_kept.{inner}place_q")
        for r in range(4):
            row = f"u_{i}.u_core.u_path.u_state.gen_row[{r}]"
            if core.rows == "Turned":
                held.append(f"{row}.gen_turned.u_row.place_q")
            elif core.columns == 1:
                held.append(f"{row}.gen_one.u_row.place_q")
            else:
                held += [f"{row}.gen_two.u_row.{pair}_q" for pair in "ab"]
                if r == 0 and core.borrowed:
                    held.append(f"{row}.gen_two.u_row.gen_longer.last_q")
        zero = f"~|{{{', '.join(held)}}}" if inside else "1'b1"
        lines.append(f"  assign zero_o[{i}] = {zero};")
    return "\n".join([*lines, "endmodule", ""])


def tables(cores: Sequence[Core], cycles: int) -> str:
    rng = random.Random("folded")
    keys = [bytes.fromhex(key) for key, _ in VECTORS]
    keys += [rng.randbytes((16, 24, 32)[n % 3]) for n in range(KEYS - len(keys))]
    blocks = []
    for i, key in enumerate(keys):
        plain = [bytes.fromhex(VECTORS[i][1])] if i < len(VECTORS) else []
        plain += [rng.randbytes(16) for _ in range(BLOCKS_OF_KEY - len(plain))]
        encryptor = Cipher(algorithms.AES(key), modes.ECB()).encryptor()
        blocks += [(p, encryptor.update(p)) for p in plain]

    def row(data: Sequence[int]) -> str:
        return "{" + ",".join(map(str, data)) + "}"

    lines = [
        "#include <cstdint>",
        "#include <vector>",
        "struct Core {",
        "  const char *name;",
        "  int bytes, clear, taking, wait, lengths;",
        "  // By key length: from a block to its result, and to the next one.",
        "  int latency[3], same[3], change[3];",
        "  bool encrypts, decrypts, with_block;",
        "};",
        "struct Key { int size, length; uint8_t bytes[32]; };",
        "struct Block { uint8_t plain[16], cipher[16]; };",
        f"static const int cycles = {cycles}, core_count = {len(cores)}, key_count = {KEYS};",
        f"static const int blocks_of_key = {BLOCKS_OF_KEY};",
        "static const Core cores[] = {",
    ]
    for core in cores:
        flags = [
            core.direction != "Inverse",
            core.direction != "Forward",
            core.channel == "WithBlock",
        ]
        mask = sum(1 << i for i, bits in enumerate(ROUNDS) if bits in (core.bits or (128,)))
        numbers = [4 * core.columns, core.clear, core.taking, core.wait, mask]
        cycles = [
            [core.latency(bits) for bits in ROUNDS],
            *([core.interval(bits, same=same) for bits in ROUNDS] for same in (True, False)),
        ]
        values = [*numbers, *(row(each) for each in cycles), *map(int, flags)]
        lines.append(f'  {{"{core.name}", {", ".join(map(str, values))}}},')
    lines += ["};", "static const Key keys[] = {"]
    lines += [f"  {{{len(key)}, {len(key) // 8 - 2}, {row(key)}}}," for key in keys]
    lines += ["};", "static const Block blocks[] = {"]
    lines += [f"  {{{row(p)}, {row(c)}}}," for p, c in blocks]
    return "\n".join([*lines, "};", ""])


def test_every_cell_belongs_to_one_component() -> None:
    paths = {
        "": 100.0,
        "flip-flops": 8.0,
        "u_core": 90.0,
        "u_core.u_state": 40.0,
        "u_core.u_state.gen_row[0].u_row": 40.0,
        "u_core.u_state.gen_row[0].u_row.flip-flops": 32.0,
        "u_core.u_mix": 20.0,
        "u_core.u_mix.u_mix_columns": 12.0,
        "u_core.u_mix.u_mix_columns.gen_column[0].u_mix": 12.0,
        "u_core.gen_own.u_sub_word.gen_byte[0].u_sbox": 10.0,
        "u_core.gen_own.u_sub_word": 10.0,
        "u_core.u_rcon": 9.0,
        "u_core.u_rcon.flip-flops": 4.0,
    }
    found = narrow_components.components(paths)
    assert found == {
        "state registers": 32.0,
        "shifting of rows": 8.0,
        "linear layer": 12.0,
        "key addition and entry": 8.0,
        "S-boxes of the key schedule": 10.0,
        "round constants": 9.0,
        "control and selection": 21.0,
    }
    assert sum(found.values()) == paths[""]
    assert narrow_components.told(found)
    assert not narrow_components.told({"linear layer": 12.0})
    assert not narrow_components.told({"state registers": 32.0, "registers of the round": 1.0})


def test_the_record_of_a_core_tells_its_components() -> None:
    found = records.current(catalogue.find("satoh-5"), targets.parse("asic:osu018"))
    assert found
    for record in found:
        assert record.components is not None
        assert narrow_components.told(record.components)
        # 128 bits of state and a place more, and two key registers, in flip-flops of 4 GE.
        assert record.components["state registers"] == 4 * 136
        assert record.components["key registers"] == 4 * (128 + 160)
