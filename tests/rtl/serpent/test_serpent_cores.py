"""Serpent cores: random traffic against models of the cipher and of their port."""

import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from roundsmith.base.paths import RTL
from roundsmith.reference import serpent
from roundsmith.tools import verilator

#: 172 cycles move zeros through the registers of stored keys.
STORE_CLEAR = 172


@dataclass(frozen=True)
class Core:
    """A configuration of rsm_serpent; cuts and edges are letters: s(ub), h(alf), r(ound), i, o."""

    rounds: int
    direction: str = "Both"
    schedule: str = "OnTheFly"
    channel: str = "Held"
    sbox: str = "Circuit"
    lengths: int = 0b111
    cuts: str = "r"
    extra: int = 0
    edges: str = ""
    clear: str = "Flush"

    @property
    def name(self) -> str:
        parts = (self.rounds, self.direction, self.schedule, self.channel, self.sbox, self.lengths)
        return "_".join(map(str, (*parts, self.cuts, self.extra, self.edges, self.clear))).lower()

    @property
    def parameters(self) -> str:
        cuts = ", ".join(f"{n}: 1'b{int(n[0] in self.cuts)}" for n in ("sub", "half", "round"))
        edges = ", ".join(f"{n}: 1'b{int(n[0] in self.edges)}" for n in ("in", "out"))
        return (
            f".Rounds({self.rounds}), .Sbox(Sbox{self.sbox}), "
            f".Direction(Direction{self.direction}), .Schedule(Schedule{self.schedule}), "
            f".Channel(Channel{self.channel}), .Lengths(3'b{self.lengths:03b}), "
            f".Cuts('{{{cuts}}}), .Extra(32'd{self.extra}), .Edges('{{{edges}}}), "
            f".Clear(Clear{self.clear}), .TagWidth(8)"
        )

    @property
    def slots(self) -> int:
        return self.rounds * len(self.cuts) + self.extra.bit_count()

    @property
    def latency(self) -> int:
        return 32 // self.rounds * self.slots + len(self.edges)

    @property
    def key_bits(self) -> int:
        return 64 + 64 * self.lengths.bit_length()

    @property
    def ring_clear(self) -> int:
        return self.slots + ("o" in self.edges) if self.clear == "Flush" else 1

    @property
    def row(self) -> str:
        """The core as the bench reads it."""
        stored = self.schedule == "Stored"
        values = [
            f'"{self.name}"', self.slots, 32 // self.rounds, 32 // self.rounds * self.slots,
            self.latency, int("i" in self.edges), int("o" in self.edges), self.key_bits,
            self.lengths, self.ring_clear, STORE_CLEAR if stored else 1,
            int(self.direction != "Inverse"), int(self.direction != "Forward"),
            int(self.channel == "WithBlock"), int(stored), int(self.rounds == 32),
        ]  # fmt: skip
        return "{" + ", ".join(map(str, values)) + "},"


#: One of every choice, in every kind of architecture.
SOME = [
    Core(1),
    Core(1, "Forward", channel="WithBlock", sbox="Table", lengths=0b001, clear="Reset"),
    Core(2, "Both", "Stored", sbox="Fast", cuts="sr", edges="o"),
    Core(8, "Inverse", lengths=0b110, cuts="h", sbox="Osvik"),
    Core(32, "Forward", "Stored", cuts="r", edges="io"),
]
#: What the long test runs besides: all rings and the line, in all directions and schedules.
ALL = [
    *SOME,
    Core(4, "Forward", channel="WithBlock", cuts="shr", clear="Reset"),
    Core(4, "Both", cuts="", extra=1, edges="o", lengths=0b010, sbox="Osvik"),
    Core(32, "Both", "Stored", cuts="shr", edges="io"),
    *(Core(rounds) for rounds in (2, 4, 8, 16)),
    *(Core(rounds, "Forward", sbox="Fast") for rounds in (1, 2, 8, 16)),
    *(Core(rounds, "Inverse", "Stored", cuts="sr", clear="Reset") for rounds in (1, 4, 16)),
    *(Core(rounds, "Both", "Stored", cuts="shr") for rounds in (1, 4, 8, 16)),
    *(Core(1, "Both", cuts=cuts) for cuts in ("s", "h", "sh", "hr", "shr")),
    Core(1, "Inverse", sbox="Table", cuts="sr"),
    Core(32, "Forward", channel="WithBlock", cuts="shr", edges="io"),
    Core(32, "Both", cuts="r"),
    Core(32, "Inverse", cuts="sr", edges="i", clear="Reset"),
    Core(32, "Forward", "Stored", cuts="r", edges="o", sbox="Fast", clear="Reset"),
]


def test_cores_in_random_traffic(tmp_path: Path) -> None:
    done = run_bench(tmp_path, SOME, 55_000)
    # Stored keys take a while, and a clear comes often.
    least = {core.name: 40 if core.schedule == "Stored" else 200 for core in SOME}
    assert all(done[name] >= number for name, number in least.items()), done
    assert min(done["encryptions"], done["decryptions"]) > 2_000, done
    assert done["keys"] > 300 and done["clears"] > 20 and done["states compared"] > 8, done


@pytest.mark.long
@pytest.mark.parametrize("part", range(4))
def test_every_core_enciphers_ten_thousand_blocks(part: int, tmp_path: Path) -> None:
    cores = ALL[part::4]
    done = run_bench(tmp_path, cores, 2_400_000, clear_every=40_000)
    assert all(done[core.name] >= 10_000 for core in cores), done


@pytest.mark.parametrize(
    ("module", "right", "wrong"),
    [
        ("key/rsm_serpent_key_travel", "3'd2 - step_end[2:0]", "3'd3 - step_end[2:0]"),
        ("key/rsm_serpent_key_ends", "first_q <= start", "first_q <= key_i"),
        ("arch/rsm_serpent_loop", "~Line & valid_q[Slots-1] & ~leave", "~Line & valid_q[Slots-1]"),
        ("arch/rsm_serpent_loop", "clearing_q <= cycles_t'(ClearCycles)", "clearing_q <= 2"),
        ("round/rsm_serpent_round", ".second_bypass_i (&step_end)", ".second_bypass_i (1'b0)"),
    ],
)
@pytest.mark.long
def test_the_traffic_can_fail(module: str, right: str, wrong: str, tmp_path: Path) -> None:
    path = RTL / "serpent" / f"{module}.sv"
    text = path.read_text()
    assert right in text
    broken = tmp_path / path.name
    broken.write_text(text.replace(right, wrong, 1))
    with pytest.raises(AssertionError):
        run_bench(tmp_path, [Core(2, cuts="sr")], 20_000, {path.stem: broken})


@pytest.mark.parametrize(
    ("parameters", "reason"),
    [
        (".Rounds(3)", "must divide 32"),
        (".Cuts('0)", "set at least one cut"),
        (".Rounds(2), .Edges('{in: 1'b1, out: 1'b0})", "is for a line"),
        (".Direction(DirectionBoth)", "needs ChannelHeld"),
        (".Schedule(ScheduleStored)", "need ChannelHeld"),
    ],
)
def test_illegal_parameters_are_refused(parameters: str, reason: str, tmp_path: Path) -> None:
    top = tmp_path / "top.sv"
    top.write_text(wrapper("top", parameters, 128, 1))
    # An error of the core is one that is not fatal here, so that it is printed.
    assert reason in verilator.lint([*sources().values(), top], "top", ["-Wno-fatal"])


def test_cores_are_clean(tmp_path: Path) -> None:
    for core in SOME:
        top = tmp_path / "top.sv"
        top.write_text(wrapper("top", core.parameters, core.key_bits, 8))
        assert "%" not in verilator.lint([*sources().values(), top], "top"), core.name


def run_bench(
    folder: Path,
    cores: Sequence[Core],
    cycles: int,
    instead: Mapping[str, Path] | None = None,
    clear_every: int = 400,
) -> dict[str, int]:
    """Return how much traffic there was of each kind; AssertionError when something is wrong."""
    (folder / "tables.h").write_text(tables(cores, cycles, clear_every))
    file = folder / "bench.sv"
    modules = [wrapper(f"core_{i}", c.parameters, c.key_bits, 8) for i, c in enumerate(cores)]
    file.write_text("\n".join([*modules, bench(cores)]))
    program = verilator.build(
        [*(sources() | dict(instead or {})).values(), file],
        "bench",
        Path(__file__).with_name("serpent_bench.cpp"),
        folder,
        flags=["--savable", "-Wno-fatal", "-Wno-lint", "-Wno-style"],
        cflags=[f"-I{folder}", f"-I{Path(__file__).parent}"],
    )
    run = subprocess.run([program], cwd=folder, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    return {what: int(number) for what, number in re.findall(r"^(.+): (\d+)$", run.stdout, re.M)}


def sources() -> dict[str, Path]:
    found = [RTL / "serpent/pkg/rsm_serpent_pkg.sv"]
    for part in ("common", "serpent"):
        found += [path for path in sorted((RTL / part).rglob("*.sv")) if path not in found]
    return {path.stem: path for path in found}


#: Ports of a core and their widths: 0 for a key.
PORTS = {
    "idle_o": 1, "key_valid_i": 1, "key_ready_o": 1, "key_i": 0, "key_len_i": 2, "in_valid_i": 1,
    "in_ready_o": 1, "in_block_i": 128, "in_key_i": 0, "in_len_i": 2, "in_decrypt_i": 1,
    "in_tag_i": 8, "out_valid_o": 1, "out_block_o": 128, "out_tag_o": 8,
}  # fmt: skip


def wrapper(name: str, parameters: str, key_bits: int, tag_bits: int) -> str:
    """Return a core with its parameters set."""
    ports = ["input logic clk_i", "input logic rst_ni", "input logic clear_i"]
    for port, width in PORTS.items():
        direction = "output" if port.endswith("_o") else "input"
        bits = tag_bits if port.endswith(("tag_i", "tag_o")) else width or key_bits
        ports.append(f"{direction} logic [{bits - 1}:0] {port}")
    return (
        f"module {name} import rsm_serpent_pkg::*; (\n  "
        + ",\n  ".join(ports)
        + f"\n);\n  rsm_serpent #({parameters}) u_core (.*);\nendmodule\n"
    )


def bench(cores: Sequence[Core]) -> str:
    """Return a bench of all cores."""
    ports = ["input logic clk_i", "input logic rst_ni", "input logic clear_i"]
    for port, width in PORTS.items():
        direction = "output" if port.endswith("_o") else "input"
        ports.append(f"{direction} logic [{(width or 256) - 1}:0] {port} [{len(cores)}]")
    lines = ["module bench (\n  " + ",\n  ".join(ports) + "\n);"]
    for i, core in enumerate(cores):
        pins = [".clk_i", ".rst_ni", ".clear_i"]
        for port, width in PORTS.items():
            pins.append(f".{port}({port}[{i}]{'' if width else f'[{core.key_bits - 1}:0]'})")
        lines.append(f"  core_{i} u_{i} ({', '.join(pins)});")
    return "\n".join([*lines, "endmodule", ""])


def tables(cores: Sequence[Core], cycles: int, clear_every: int) -> str:
    def row(data: Sequence[int]) -> str:
        return "{" + ",".join(map(str, data)) + "}"

    longest = STORE_CLEAR + max((core.ring_clear for core in cores), default=0)
    numbers = "slots, laps, laps_cycles, latency, in_edge, out_edge, key_bits, lengths"
    lines = [
        "#include <algorithm>",
        "#include <cstdint>",
        f"struct Core {{ const char *name; int {numbers}, ring_clear, key_clear;",
        "  bool encrypts, decrypts, with_block, stored, line; };",
        "struct Answer { int length; uint8_t key[32], plain[16], cipher[16]; };",
        f"static const int cycles = {cycles}, clear_every = {clear_every};",
        f"static const int core_count = {len(cores)};",
        f"static const int longest_clear = {longest};",
        "static const Core cores[] = {",
        *(core.row for core in cores),
        "};",
        "static const uint8_t sboxes[2][8][16] = {",
    ]
    for boxes in (serpent.SBOXES, serpent.INVERSE_SBOXES):
        lines.append("{" + ",".join(map(row, boxes)) + "},")
    lines += ["};", "static const Answer answers[] = {"]
    for v in serpent.VECTORS:
        data = ",".join(map(row, (v.key, v.plaintext, v.ciphertext)))
        lines.append(f"{{{len(v.key) // 8 - 2},{data}}},")
    return "\n".join([*lines, "};", ""])
