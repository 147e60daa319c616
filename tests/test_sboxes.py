"""Every S-box file is proved on all inputs, at every cut mask, the moment it exists.

The expected values come from our table, which is right because an AES written around it gives
OpenSSL's ciphertexts.
"""

import re
import subprocess
from pathlib import Path

import pytest

from roundsmith.circuits import sbox_table
from roundsmith.paths import RTL
from roundsmith.reference import aes
from roundsmith.spec import SBOX_CUTS, Sbox
from roundsmith.tools import verilator

FOLDER = RTL / "aes" / "sbox"
PORTS = {
    "byte": {"x_i", "y_o"},
    "pair": {"a_x_i", "a_y_o", "b_x_i", "b_y_o"},
    "multiples": {"a_x_i", "a_single_o", "a_double_o", "b_x_i", "b_single_o", "b_double_o"},
}
CONTROL = {"clk_i", "clear_i", "last_i"}


def files() -> list[Path]:
    return sorted(FOLDER.glob("rsm_aes_sbox_*.sv"))


def ports(path: Path) -> set[str]:
    head = re.search(r"^module .*?^\);", path.read_text(), re.MULTILINE | re.DOTALL)
    assert head is not None
    return set(re.findall(r"\b(\w+_[io])\b", head[0]))


def kind(path: Path) -> str:
    found = ports(path) - CONTROL
    matching = [name for name, expected in PORTS.items() if found == expected]
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
    for sbox in Sbox:
        path = FOLDER / f"rsm_aes_sbox_{sbox}.sv"
        if path.exists():
            assert cuts(path) == SBOX_CUTS[sbox], path.name


def bench() -> str:
    """Return a module that streams all bytes through every S-box at every cut mask."""
    s = sbox_table.sbox()
    table = ", ".join(f"8'h{v:02x}" for v in reversed(s))
    lines = [
        "module bench(input logic clk_i, input logic [8:0] x_i, output logic [31:0] errors_o);",
        f"  localparam logic [255:0][7:0] S = {{{table}}};",
        "  function automatic logic [7:0] twice(logic [7:0] a);",
        "    return {a[6:0], 1'b0} ^ (a[7] ? 8'h1b : 8'h00);",
        "  endfunction",
        "  logic [7:0] x, want; assign x = x_i[7:0]; assign want = S[x];",
        "  logic [8:0][8:0] old; logic [31:0] errors = 0; logic [31:0] age = 0;",
        "  assign errors_o = errors;",
    ]
    checks: list[str] = []
    for path in files():
        name, what = path.stem, kind(path)
        if what == "byte":
            for mask in range(1 << cuts(path)):
                y = f"{name}_{mask}"
                parameter = f"#(.Cuts({cuts(path)}'d{mask})) " if cuts(path) else ""
                clock = ".clk_i, .clear_i(1'b0), " if "clk_i" in ports(path) else ""
                lines.append(f"  logic [7:0] {y};")
                lines.append(f"  {name} {parameter}u_{y} ({clock}.x_i(x), .y_o({y}));")
                checks.append(f"{y} != S[at({mask.bit_count()}, 0)]")
            continue
        a, b = f"{name}_a", f"{name}_b"
        lines.append(f"  logic [7:0] {a}, {b}, {a}d, {b}d;")
        if what == "pair":
            lines.append(
                f"  {name} u_{name} (.clk_i, .clear_i(1'b0), .a_x_i(x), .a_y_o({a}), "
                f".b_x_i(~x), .b_y_o({b}));"
            )
            checks += [f"{a} != S[at(1, 0)]", f"{b} != S[~at(1, 0)]"]
        else:
            lines.append(
                f"  {name} u_{name} (.clk_i, .clear_i(1'b0), .last_i(x_i[8]), .a_x_i(x), "
                f".a_single_o({a}), .a_double_o({a}d), .b_x_i(~x), .b_single_o({b}), "
                f".b_double_o({b}d));"
            )
            last = "old[0][8]"
            for y, at in ((a, "at(1, 0)"), (b, "~at(1, 0)")):
                checks.append(f"{y} != ({last} ? 8'h00 : S[{at}])")
                checks.append(f"{y}d != ({last} ? S[{at}] : twice(S[{at}]))")
    lines.append("  function automatic logic [7:0] at(int n, int unused);")
    lines.append("    return n == 0 ? x : old[n-1][7:0];")
    lines.append("  endfunction")
    lines.append("  always_ff @(posedge clk_i) begin")
    lines.append("    old <= {old[7:0], x_i}; age <= age + 1;")
    lines.append("    if (age > 8) begin")
    for i, check in enumerate(checks):
        lines.append(f"      if ({check}) errors <= errors | 32'd1 << ({i} % 32);")
    lines.append("    end")
    lines.append("  end")
    return "\n".join([*lines, "endmodule", ""])


DRIVER = """
#include "Vmodel.h"
#include <cstdio>
int main() {
  Vmodel m;
  m.clk_i = 0;
  for (int i = 0; i < 3 * 512; ++i) {
    m.x_i = (i * 5 + 3) & 511;  // every value, never twice in a row
    m.clk_i = 0; m.eval();
    m.clk_i = 1; m.eval();
  }
  std::printf("%u\\n", m.errors_o);
}
"""


def simulate(folder: Path, sources: list[Path]) -> int:
    (folder / "bench.sv").write_text(bench())
    (folder / "driver.cpp").write_text(DRIVER)
    program = verilator.build(
        [RTL / "common/rsm_cut.sv", *sources, folder / "bench.sv"],
        "bench",
        folder / "driver.cpp",
        folder,
        flags=["-Wno-fatal"],
    )
    return int(subprocess.run([program], capture_output=True, text=True, check=True).stdout)


def test_every_sbox_on_every_byte_at_every_mask(tmp_path: Path) -> None:
    assert len(files()) >= 5
    assert simulate(tmp_path, files()) == 0


def test_the_proof_can_fail(tmp_path: Path) -> None:
    sources = files()
    wrong = tmp_path / "rsm_aes_sbox_table.sv"
    text = (FOLDER / wrong.name).read_text()
    wrong.write_text(text.replace("8'h77", "8'h76", 1))
    assert wrong.read_text() != text
    assert simulate(tmp_path, [wrong if p.name == wrong.name else p for p in sources]) != 0
