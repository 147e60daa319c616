"""The folded cores: random traffic against OpenSSL and the rules of their ports."""

import random
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from roundsmith.paths import RTL
from roundsmith.tools import verilator

KEYS = 40
BLOCKS_OF_KEY = 60

#: FIPS 197, appendices B and C.1: keys and blocks that are among the random ones.
VECTORS = [
    ("2b7e151628aed2a6abf7158809cf4f3c", "3243f6a8885a308d313198a2e0370734"),
    ("000102030405060708090a0b0c0d0e0f", "00112233445566778899aabbccddeeff"),
]


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

    @property
    def name(self) -> str:
        keys = "borrowed" if self.borrowed else "own"
        parts = (self.columns, keys, self.direction, self.sbox, self.linear, self.inverse)
        return "_".join(map(str, (*parts, self.rows, self.start, self.channel))).lower()

    @property
    def parameters(self) -> str:
        keys = "Borrowed" if self.borrowed else "Own"
        return (
            f".Columns({self.columns}), .KeySboxes(KeySboxes{keys}), "
            f".Direction(Direction{self.direction}), .Sbox(Sbox{self.sbox}), "
            f".Linear(Linear{self.linear}), .Inverse(Inverse{self.inverse}), "
            f".Rows(Rows{self.rows}), .KeyStart(Start{self.start}), .Channel(Channel{self.channel})"
        )

    @property
    def latency(self) -> int:
        """Return the cycles of a block: for both directions, those of Satoh's Table 4."""
        laps = 4 // self.columns
        return laps + 10 * (laps + self.borrowed)

    @property
    def clear(self) -> int:
        return 8 // self.columns


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


def test_the_cycles_are_those_of_the_paper() -> None:
    assert [core.latency for core in SATOH] == [54, 44, 32, 22]


def test_all_cores_in_random_traffic(tmp_path: Path) -> None:
    done = run_bench(tmp_path, ALL, 180_000)
    assert all(done[core.name] >= 2_000 for core in ALL), done
    assert min(done["encryptions"], done["decryptions"], done["blocks at full rate"]) > 30_000
    assert min(done["keys"], done["clears"]) > 1_000


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
    top.write_text(wrapper("top", parameters, 1))
    # An error of the core is one that is not fatal here, so that it is printed.
    assert reason in verilator.lint([*sources().values(), top], "top", ["-Wno-fatal"])


def test_cores_are_clean(tmp_path: Path) -> None:
    # One with every value of every choice.
    for core in (*SATOH[::3], *PRINTED[1:3], *(c for c in ALL if c.start == "Kept")):
        top = tmp_path / "top.sv"
        top.write_text(wrapper("top", core.parameters, core.columns))
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
    modules = [wrapper(f"core_{i}", c.parameters, c.columns) for i, c in enumerate(cores)]
    file.write_text("\n".join([*([] if netlists else modules), bench(cores, not netlists)]))
    files = [] if netlists else (sources() | dict(instead or {})).values()
    program = verilator.build(
        [*files, *netlists, file],
        "bench",
        Path(__file__).with_name("folded_bench.cpp"),
        folder,
        flags=["-Wno-fatal", "-Wno-lint", "-Wno-style"],
        cflags=[f"-I{folder}"],
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
    "out_valid_o": 1, "out_block_o": 0, "out_tag_o": 1,
}  # fmt: skip


def wrapper(name: str, parameters: str, columns: int) -> str:
    """Return a core with its parameters set and without the ports that it does not look at."""
    ports = ["input logic clk_i", "input logic rst_ni", "input logic clear_i"]
    for port, width in PORTS.items():
        direction = "output" if port.endswith("_o") else "input"
        ports.append(f"{direction} logic [{(width or 32 * columns) - 1}:0] {port}")
    pins = ", ".join(f".{port}" for port in ["clk_i", "rst_ni", "clear_i", *PORTS])
    return (
        f"module {name} import rsm_aes_pkg::*; import rsm_aes_folded_pkg::*; (\n  "
        + ",\n  ".join(ports)
        + f"\n);\n  rsm_aes_folded #({parameters}) u_core (\n"
        + f"    {pins},\n    .key_len_i(2'd0), .in_len_i(2'd0)\n  );\nendmodule\n"
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
        if core.start == "Kept":
            held.append(f"u_{i}.u_core.gen_kept.u_kept.place_q")
        for r in range(4):
            row = f"u_{i}.u_core.u_state.gen_row[{r}]"
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
    keys += [rng.randbytes(16) for _ in range(KEYS - len(keys))]
    blocks = []
    for i, key in enumerate(keys):
        plain = [bytes.fromhex(VECTORS[i][1])] if i < len(VECTORS) else []
        plain += [rng.randbytes(16) for _ in range(BLOCKS_OF_KEY - len(plain))]
        encryptor = Cipher(algorithms.AES(key), modes.ECB()).encryptor()
        blocks += [(p, encryptor.update(p)) for p in plain]

    def row(data: bytes) -> str:
        return "{" + ",".join(map(str, data)) + "}"

    lines = [
        "#include <cstdint>",
        "#include <vector>",
        "struct Core {",
        "  const char *name;",
        "  int bytes, latency, clear;",
        "  bool encrypts, decrypts, walks, with_block;",
        "};",
        "struct Key { uint8_t bytes[16]; };",
        "struct Block { uint8_t plain[16], cipher[16]; };",
        f"static const int cycles = {cycles}, core_count = {len(cores)}, key_count = {KEYS};",
        f"static const int blocks_of_key = {BLOCKS_OF_KEY};",
        "static const Core cores[] = {",
    ]
    for core in cores:
        flags = [
            core.direction != "Inverse",
            core.direction != "Forward",
            core.start == "Walked" and core.channel == "Held",
            core.channel == "WithBlock",
        ]
        ways = ", ".join(str(int(flag)) for flag in flags)
        lines.append(
            f'  {{"{core.name}", {4 * core.columns}, {core.latency}, {core.clear}, {ways}}},'
        )
    lines += ["};", "static const Key keys[] = {"]
    lines += [f"  {{{row(key)}}}," for key in keys]
    lines += ["};", "static const Block blocks[] = {"]
    lines += [f"  {{{row(p)}, {row(c)}}}," for p, c in blocks]
    return "\n".join([*lines, "};", ""])
