"""The folder that `build` writes: every other tool takes it as it is, and what it says is true."""

import hashlib
import itertools
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pyslang
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from pyserpent import Serpent

from roundsmith import catalogue, generate
from roundsmith.errors import RoundsmithError, ToolError
from roundsmith.export import write
from roundsmith.export.folder import contents
from roundsmith.export.timing import diagram, trace
from roundsmith.export.vectors import RANDOM, example, transfers
from roundsmith.paths import RTL
from roundsmith.spec import Bus, Linear, Spec
from roundsmith.tools import iverilog, process, verilator, yosys

EVERYTHING = catalogue.everything()

# Cores that show what a folder can hold: every kind of port, architecture and key schedule. The
# whole catalogue takes too long for every day.
CORES = [
    catalogue.find(name)
    for name in (
        "saggese-iterative",
        "saggese-iterative-full",
        "iterative-table",
        "iterative-table-full",
        "iterative-block-ram",
        "saggese-tiled-2",
        "saggese-tiled-2-full",
        "lutz-rijndael-full",
        "lutz-rijndael-chip",
        "saggese-unrolled-1",
        "lutz-serpent-chip",
        "serpent-iterative-full",
    )
]

# For what the catalogue does not have.
DEEP = Spec.from_toml(
    'name = "deep"\n'
    '[how]\nsbox = "lut4"\nlinear = "direct"\ncuts = ["sbox.0", "sbox.2", "sub"]\n'
    'edges = ["out"]\n'
)
KEY_FIRST = Spec.from_toml(
    'name = "key-first"\n'
    '[how]\nsbox = "table"\nkey_add = "first"\ncuts = ["sub", "round"]\n[port]\ntag_bits = 40\n'
)
# All key lengths, both directions, a tag of one bit.
EVERY_KEY = Spec.from_toml(
    'name = "every-key"\n'
    '[what]\nkey_bits = [128, 192, 256]\ndirections = ["encrypt", "decrypt"]\n'
    '[how]\nsbox = "table"\ninverse_rounds = "separate"\ncuts = ["sub", "round"]\n'
    '[port]\nkey_channel = "held"\ntag_bits = 1\n'
)
DECRYPT = Spec.from_toml(
    'name = "decrypt"\n'
    '[what]\nkey_bits = [192]\ndirections = ["decrypt"]\n'
    '[how]\nsbox = "table"\nrounds = 5\n[port]\nkey_channel = "held"\n'
)
# Two pipes side by side, and more keys than one.
LANES = Spec.from_toml(
    'name = "lanes"\n'
    "[what]\nkey_bits = [128, 256]\n"
    '[how]\narchitecture = "pipe"\nkey_schedule = "stored"\nsbox = "block_ram"\ntiles = 2\n'
    'cuts = []\nclear = "reset"\n'
    '[port]\nlanes = 2\nkey_channel = "held"\nkey_slots = 3\ntag_bits = 5\n'
)
MORE = [DEEP, DEEP.full(), KEY_FIRST, KEY_FIRST.full(), EVERY_KEY, DECRYPT.full(), LANES]

FIGURES: list[dict[str, object]] = [
    {"name": "iterative-table", "target": "ecp5-85k", "lut": 3456, "ff": 389, "block_ram": 0,
     "fmax_mhz": 123.4, "fmax_capped_mhz": 123.4, "throughput_mbps": 1579.5,
     "mbps_per_klut": 457.0, "area_ge": None, "cycle_ns": None, "mbps_per_kge": None},
    {"name": "iterative-table", "target": "asic:osu018", "lut": None, "ff": None,
     "block_ram": None, "fmax_mhz": None, "fmax_capped_mhz": None, "throughput_mbps": 2000.0,
     "mbps_per_klut": None, "area_ge": 12345.0, "cycle_ns": 6.4, "mbps_per_kge": 162.0},
]  # fmt: skip


def ciphered(spec: Spec, key: bytes, decrypt: bool, data: bytes) -> bytes:
    """Return whole blocks through a model that is none of ours."""
    if spec.what.cipher == "serpent":
        block = Serpent(key).decrypt if decrypt else Serpent(key).encrypt
        return b"".join(block(data[i : i + 16]) for i in range(0, len(data), 16))
    cipher = Cipher(algorithms.AES(key), modes.ECB())
    return (cipher.decryptor() if decrypt else cipher.encryptor()).update(data)


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    root = tmp_path_factory.mktemp("build")
    for spec in [*CORES, *MORE]:
        write(spec, root / spec.name)
    return {spec.name: root / spec.name for spec in [*CORES, *MORE]}


def slang(folder: Path, arguments: str) -> pyslang.ast.Compilation:
    """Run slang's own driver on `arguments` inside `folder`; fail on any diagnostic."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        driver = pyslang.driver.Driver()
        driver.addStandardArgs()
        assert driver.parseCommandLine(f"slang {arguments}")
        assert driver.processOptions() and driver.parseAllSources()
        compilation = driver.createCompilation()
        driver.reportCompilation(compilation, True)
    finally:
        os.chdir(before)
    assert (driver.diagEngine.numErrors, driver.diagEngine.numWarnings) == (0, 0)
    return compilation


def instances(body: object) -> list[pyslang.ast.InstanceSymbol]:
    found: list[pyslang.ast.InstanceSymbol] = []

    def visit(symbol: object) -> None:
        if isinstance(symbol, pyslang.ast.InstanceSymbol):
            found.append(symbol)

    body.visit(visit)  # type: ignore[attr-defined]
    return found


def simulate(folder: Path, module: str, work: Path, *arguments: str) -> str:
    """Run the test bench on the Verilog-2005 file in Icarus."""
    files = [folder / f"{module}.v", folder / "tb" / f"{module}_tb.v"]
    program = iverilog.build(files, work / "bench.vvp", top=f"{module}_tb")
    return iverilog.run(program, cwd=folder, arguments=arguments)


# --- Other tools take it unchanged ------------------------------------------------------------


@pytest.mark.parametrize("spec", [*CORES, *MORE], ids=lambda spec: spec.name)
def test_verilator_reads_the_file_list(
    spec: Spec, built: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(built[spec.name])
    output = verilator.lint([], spec.module, ["-f", f"{spec.module}.f"])
    assert "%" not in output, output
    monkeypatch.chdir("/")
    file_list = str(built[spec.name] / f"{spec.module}.f")
    output = verilator.lint([], spec.module, ["-F", file_list])
    assert "%" not in output, output


@pytest.mark.parametrize("spec", [*CORES, *MORE], ids=lambda spec: spec.name)
def test_slang_reads_the_file_list_and_finds_what_the_datasheet_says(
    spec: Spec, built: dict[str, Path]
) -> None:
    folder = built[spec.name]
    compilation = slang(folder, f"-Wextra -f {spec.module}.f")
    (top,) = compilation.getRoot().topInstances
    assert top.name == spec.module

    elaborated = [
        (port.name, "input" if port.direction == pyslang.ast.ArgumentDirection.In else "output",
         port.type.bitWidth)
        for port in top.body.portList
    ]  # fmt: skip
    assert elaborated == [(p.name, p.direction, p.width) for p in generate.ports(spec)]
    text = (folder / f"{spec.module}.md").read_text()
    table = re.findall(r"^\| `(\w+)` \| (input|output) \| (\d+) \|", text, re.MULTILINE)
    assert [(name, direction, int(width)) for name, direction, width in table] == elaborated

    # No file is there that the core does not instantiate.
    used = {instance.definition.name for instance in instances(compilation.getRoot())}
    sources = list((folder / "rtl").rglob("*"))
    written = "\n".join(path.read_text() for path in sources if path.is_file())
    assert used == {spec.module, *re.findall(r"^module (\w+)", written, re.MULTILINE)}
    listed = [x for x in (folder / f"{spec.module}.f").read_text().split("\n") if x[:3] == "rtl"]
    assert sorted(listed) == sorted(
        str(path.relative_to(folder)) for path in sources if path.is_file()
    )


@pytest.mark.parametrize("spec", [*CORES, *MORE], ids=lambda spec: spec.name)
def test_the_verilog_2005_file_is_that(spec: Spec, built: dict[str, Path]) -> None:
    compilation = slang(built[spec.name], f"--std 1364-2005 {spec.module}.v")
    (top,) = compilation.getRoot().topInstances
    assert [p.name for p in top.body.portList] == [p.name for p in generate.ports(spec)]
    text = (built[spec.name] / f"{spec.module}.v").read_text()
    modules = re.findall(r"^module (\w+)", text, re.MULTILINE)
    assert all(name.startswith(spec.module) for name in modules)
    assert "src =" not in text and "\\" not in text
    # The S-boxes of a block RAM core stay memories, and nothing else has attributes.
    assert ('(* rom_style = "block" *)' in text) == (spec.how.sbox == "block_ram")
    assert ('(* ram_style = "block" *)' in text) == (spec.how.sbox == "block_ram")
    # A core without RAM and FIFO and without stored keys has no memory.
    memories = re.findall(r"^  reg \[\d+:0\] \w+ \[\d+:0\];", text, re.MULTILINE)
    if not spec.is_stored:
        block_ram = spec.how.sbox == "block_ram"
        roms = 1 + (spec.how.linear is Linear.IN_MEMORY) if block_ram else 0
        assert len(memories) == roms + spec.is_full


def test_the_verilog_2005_file_gives_block_rams(built: dict[str, Path], tmp_path: Path) -> None:
    source = built["saggese-iterative"] / "saggese_iterative.v"
    script = [
        f"read_verilog {source}",
        "synth_ecp5 -top saggese_iterative -run begin:map_ffs",
        "select -assert-count 10 t:DP16KD",
    ]
    yosys.run(script, what="Mapping the memories", folder=tmp_path)


# --- The test bench -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "spec",
    [
        # Icarus takes minutes for the gates of eight rounds.
        pytest.param(s, marks=pytest.mark.long if s.name == "lutz-serpent-chip" else ())
        for s in [*CORES, *MORE]
    ],
    ids=lambda spec: spec.name,
)
def test_icarus_passes_the_vectors(spec: Spec, built: dict[str, Path], tmp_path: Path) -> None:
    output = simulate(built[spec.name], spec.module, tmp_path)
    assert output.strip().splitlines() == [f"{len(transfers(spec))} passed, 0 failed"]


@pytest.mark.parametrize(
    ("name", "position"),
    [
        ("saggese-iterative", 1),
        ("saggese-iterative", 65),
        ("saggese-iterative-full", 96),
        ("lutz-rijndael-chip", 64),
    ],
)
def test_a_wrong_digit_fails(
    name: str, position: int, built: dict[str, Path], tmp_path: Path
) -> None:
    folder = built[name]
    lines = (folder / "tb" / "vectors.hex").read_text().splitlines(keepends=True)
    number = next(i for i, line in enumerate(lines) if "F.1.1, block 3" in line)
    digits = lines[number].replace("_", "")
    changed = digits[:position] + f"{int(digits[position], 16) ^ 1:x}" + digits[position + 1 :]
    wrong = tmp_path / "wrong.hex"
    wrong.write_text("".join([*lines[:number], changed, *lines[number + 1 :]]))
    count = len(transfers(catalogue.find(name)))
    with pytest.raises(ToolError, match=rf"status 1: {count - 1} passed, 1 failed"):
        simulate(folder, name.replace("-", "_"), tmp_path, f"+vectors={wrong}")


@pytest.mark.parametrize(
    ("name", "pattern", "replacement"),
    [
        # One byte of the S-box, one round constant, results that never come.
        ("iterative-table", r"8'h53: (\w+) = 8'hed;", r"8'h53: \1 = 8'hec;"),
        ("iterative-table-full", r"4'h5: (\w+) = 9'h110;", r"4'h5: \1 = 9'h111;"),
        ("iterative-table", r"(assign out_valid_o) = .*;", r"\1 = 1'b0;"),
    ],
)
def test_a_broken_core_fails(
    name: str, pattern: str, replacement: str, built: dict[str, Path], tmp_path: Path
) -> None:
    module = name.replace("-", "_")
    text, count = re.subn(pattern, replacement, (built[name] / f"{module}.v").read_text())
    assert count >= 1
    (tmp_path / "tb").mkdir()
    (tmp_path / f"{module}.v").write_text(text)
    for file in (f"tb/{module}_tb.v", "tb/vectors.hex"):
        (tmp_path / file).write_bytes((built[name] / file).read_bytes())
    with pytest.raises(ToolError, match=r"status 1: \d+ passed, [1-9]\d* failed"):
        simulate(tmp_path, module, tmp_path)


def test_the_bench_runs_on_the_systemverilog(built: dict[str, Path], tmp_path: Path) -> None:
    spec = catalogue.find("saggese-iterative-full")
    folder, module = built[spec.name], spec.module
    argv: list[str | Path] = [verilator._root() / "bin" / "verilator_bin", "--binary", "--timing"]
    argv += ["-j", "2", "-CFLAGS", "-std=c++20 -O0", "--Mdir", tmp_path / "obj"]
    argv += ["--top-module", f"{module}_tb", "-f", f"{module}.f", f"tb/{module}_tb.v"]
    process.run(argv, what="Verilator", cwd=folder, env=verilator.environment())
    output = process.run([tmp_path / "obj" / f"V{module}_tb"], what="The bench", cwd=folder)
    assert f"{len(transfers(spec))} passed, 0 failed" in output.splitlines()


@pytest.mark.parametrize("spec", [*CORES, *MORE], ids=lambda spec: spec.name)
def test_vectors_are_right(spec: Spec) -> None:
    found = transfers(spec)
    for transfer in found:
        right = ciphered(spec, transfer.key, transfer.decrypt, transfer.data)
        assert right == transfer.result, transfer.source
    for ours in (found, found[-RANDOM:]):
        assert {8 * len(transfer.key) for transfer in ours} == set(spec.what.key_bits)
        ways = {"decrypt" if transfer.decrypt else "encrypt" for transfer in ours}
        assert ways == set(spec.what.directions)


def test_the_standards_own_vectors_are_there() -> None:
    """FIPS 197, C.3, and the first block of SP 800-38A, F.1.4, typed in here once more."""
    found = {t.source: (t.key.hex(), t.data.hex(), t.result.hex()) for t in transfers(EVERY_KEY)}
    key = "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b"
    block = ("bd334f1d6e45f25ff712a214571fa5cc", "6bc1bee22e409f96e93d7e117393172a")
    assert found["SP 800-38A, F.1.4, block 1"] == (key, *block)
    encrypted = [t for t in transfers(EVERY_KEY) if t.source.endswith("C.3") and not t.decrypt]
    assert [t.result.hex() for t in encrypted] == ["8ea2b7ca516745bfeafc49904b496089"]


# --- What the datasheet says --------------------------------------------------------------------


def _block(name: str, lanes: int) -> bytes:
    return hashlib.shake_256(name.encode()).digest(16 * lanes)


@pytest.mark.parametrize("spec", [*CORES, *MORE], ids=lambda spec: spec.name)
def test_the_diagram_is_what_the_core_does(
    spec: Spec, built: dict[str, Path], tmp_path: Path
) -> None:
    """Drive the inputs of the diagram, and compare every output in every cycle."""
    expected = trace(spec)
    cycles = len(expected.signals["in_valid_i"])
    ports = {p.name: p for p in generate.ports(spec)}
    lanes = spec.port.lanes
    key = example(spec).key
    blocks = [_block(f"block {i}", lanes) for i in range(2)]
    shapes = {"key": key}
    shapes |= {f"block {i}": block for i, block in enumerate(blocks)}
    way = (spec, key, not spec.encrypts)
    shapes |= {f"result {i}": ciphered(*way, block) for i, block in enumerate(blocks)}
    # A frame of words has each of them under a name of its own.
    buses = {name: data.hex() for name, data in shapes.items()}
    for name, data in shapes.items():
        buses |= {f"{name}.{i // 4}": data[i : i + 4].hex() for i in range(0, len(data), 4)}
    lines = ["module trace;"]
    for port in ports.values():
        kind = "reg" if port.direction == "input" else "wire"
        lines.append(f"  {kind} [{port.width - 1}:0] {port.name};")
    lines.append(f"  {spec.module} dut ({', '.join(f'.{n}({n})' for n in ports)});")
    lines.append("  initial begin")
    lines += [f"    {n} = 0;" for n, p in ports.items() if p.direction == "input"]
    lines.append("    repeat (4) begin #5 clk_i = 1; #5 clk_i = 0; end rst_ni = 1;")
    if spec.is_stored:  # A key store is ready in the second cycle after reset.
        lines.append("    #5 clk_i = 1; #5 clk_i = 0;")
    for cycle in range(cycles):
        for name, values in expected.signals.items():
            if ports[name].direction == "input":
                value = values[cycle]
                if value.endswith("…"):  # One of the words between the ends of a long frame.
                    frame = value.removesuffix("…")
                    start = max(c for c in range(cycle) if values[c] == f"{frame}.0")
                    value = f"{frame}.{cycle - start}"
                if value in buses:
                    value = f"{ports[name].width}'h{buses[value]}"
                elif not value:
                    # Data that means nothing is unknown; side band is anything.
                    value = "'bx" if name.endswith(("block_i", "key_i")) else "0"
                lines.append(f"    {name} = {value};")
        shown = [n for n in expected.signals if ports[n].direction == "output"]
        lines.append(f'    #1 $display("{" ".join("%h" for _ in shown)}", {", ".join(shown)});')
        lines.append("    #4 clk_i = 1; #5 clk_i = 0;")
    lines += ["    $finish(0);", "  end", "endmodule"]
    bench = tmp_path / "trace.v"
    bench.write_text("\n".join(lines) + "\n")
    program = iverilog.build(
        [built[spec.name] / f"{spec.module}.v", bench], tmp_path / "trace.vvp", top="trace"
    )
    output = iverilog.run(program, cwd=tmp_path).splitlines()
    for cycle in range(cycles):
        for name, value in zip(shown, output[cycle].split(), strict=True):
            label = expected.signals[name][cycle]
            if label:
                assert value == buses.get(label, label), (name, cycle)


@pytest.mark.parametrize("spec", [*CORES, *MORE], ids=lambda spec: spec.name)
def test_the_diagram_shows_the_trace(spec: Spec, built: dict[str, Path]) -> None:
    """Read the drawn waves back, cycle by cycle, as an engineer would."""
    expected = trace(spec)
    source = json.loads((built[spec.name] / "timing.json").read_text())
    assert source == diagram(spec)
    rows = {row["name"]: row for row in source["signal"]}
    assert len({len(row["wave"]) for row in rows.values()}) == 1

    def read(row: dict[str, object]) -> list[str | None]:
        values: list[str | None] = []
        data = iter(row.get("data", []))  # type: ignore[call-overload]
        last = ""
        for symbol in str(row["wave"]):
            if symbol == "|":
                values.append(None)
                continue
            last = {"=": "", "x": ""}.get(symbol, last if symbol == "." else symbol)
            if symbol == "=":
                last = next(data)
            elif symbol == ".":
                last = next((v for v in reversed(values) if v is not None), last)
            values.append(last)
        return values

    numbers = read(rows["cycle"])
    for name, values in expected.signals.items():
        for number, value in zip(numbers, read(rows[name]), strict=True):
            if number is not None:
                assert value == values[int(number)], (name, number)
    text = (built[spec.name] / f"{spec.module}.md").read_text()
    for moment in (*expected.accepted, *expected.results):
        assert str(moment) in numbers
        assert re.search(rf"(accepted|come) in cycles.*\b{moment}\b", text)
    image = (built[spec.name] / "timing.svg").read_text()
    assert 'fill="white"' in image and "result 1" in image


@pytest.mark.parametrize("spec", [*CORES, *MORE], ids=lambda spec: spec.name)
def test_the_worked_example_is_right(spec: Spec, built: dict[str, Path]) -> None:
    text = (built[spec.name] / f"{spec.module}.md").read_text()
    place = r"^\| (\d+) \|(?: (\d) \|)? (\d+)\.\.(\d+) \| "
    rows = re.findall(place + r"`(..)` \| `(..)` \|$", text, re.MULTILINE)
    key_rows = re.findall(place + r"`(..)` \|$", text, re.MULTILINE)
    assert [int(row[0]) for row in rows] == list(range(16))
    assert [int(row[0]) for row in key_rows] == list(range(max(spec.what.key_bits) // 8))
    data, result = (bytes.fromhex("".join(row[i] for row in rows)) for i in (4, 5))
    key = bytes.fromhex("".join(row[4] for row in key_rows))
    assert ciphered(spec, key, not spec.encrypts, data) == result
    for signal, bits, table, column in (
        ("in_block_i", 128, rows, 4),
        ("(?:in_)?key_i", 8 * len(key_rows), key_rows, 4),
        ("out_block_o", 128, rows, 5),
    ):
        bus = int(re.search(rf"^{signal} += {bits}'h(\w+)", text, re.MULTILINE)[1], 16)  # type: ignore[index]
        for row in table:
            low = int(row[3])
            if spec.what.bus is Bus.CHANNELS32:
                low += bits - 32 * (int(row[1]) + 1)
            assert int(row[2]) - int(row[3]) == 7
            assert bus >> low & 255 == int(row[column], 16)


def test_figures(tmp_path: Path) -> None:
    spec = catalogue.find("iterative-table")
    write(spec, tmp_path / "without")
    write(spec, tmp_path / "with", figures=FIGURES)
    without = (tmp_path / "without" / "iterative_table.md").read_text()
    assert "`roundsmith measure iterative-table --target ecp5-85k` measures them" in without
    text = (tmp_path / "with" / "iterative_table.md").read_text()
    assert "| ecp5-85k | 3,456 | 389 | 0 | – | – | 123.4 | 123.4 | 1,580 | 457 | – |" in text
    assert "| asic:osu018 | – | – | – | 12,345 | 6.40 | – | – | 2,000 | – | 162 |" in text
    assert "roundsmith measure" not in text
    sdc = (tmp_path / "with" / "iterative_table.sdc").read_text()
    assert "create_clock -name clk_i -period 8.104 [get_ports clk_i]" in sdc
    sdc = (tmp_path / "without" / "iterative_table.sdc").read_text()
    assert "create_clock -name clk_i -period 10.000 [get_ports clk_i]" in sdc


def test_templates_to_copy_from(built: dict[str, Path], tmp_path: Path) -> None:
    for spec in [*CORES, *MORE]:
        folder = built[spec.name]
        around = tmp_path / "around.v"
        instance = (folder / f"{spec.module}_inst.v").read_text()
        around.write_text(f"module around;\n{instance}endmodule\n")
        iverilog.build([folder / f"{spec.module}.v", around], tmp_path / "a.vvp", top="around")
        text = (folder / f"{spec.module}_inst.vhd").read_text()
        ports = [p.name for p in generate.ports(spec)]
        assert re.findall(r"^    (\w+) +: (?:in |out) std_logic", text, re.MULTILINE) == ports
        assert re.findall(r"^    (\w+) +=> \1,?$", text, re.MULTILINE) == ports


def test_the_spec_in_the_folder_gives_the_same_core(built: dict[str, Path]) -> None:
    for spec in [*CORES, *MORE]:
        assert Spec.load(built[spec.name] / f"{spec.module}.toml") == spec
        text = (built[spec.name] / f"{spec.module}.md").read_text()
        block = re.search(r"```toml\n(.*?)```", text, re.DOTALL)
        assert block is not None and tomllib.loads(block[1])["name"] == spec.name


def _code(text: str) -> str:
    """Return SystemVerilog with one space for any run of comments and white space."""
    found = re.findall(r'"[^"]*"|//[^\n]*|/\*[\s\S]*?\*/|\s|.', text)
    blank = [part.isspace() or part.startswith(("//", "/*")) for part in found]
    runs = itertools.groupby(zip(blank, found, strict=True), key=lambda item: item[0])
    return "".join(" " if b else "".join(part for _, part in run) for b, run in runs).strip()


def test_provenance_can_be_recomputed(built: dict[str, Path]) -> None:
    for spec in [*CORES, *MORE]:
        folder = built[spec.name]
        names = (folder / f"{spec.module}.f").read_text().splitlines()
        files = [folder / name for name in names if not name.startswith("//")]
        digest = hashlib.sha256("".join(_code(p.read_text()) for p in files).encode()).hexdigest()
        text = (folder / f"{spec.module}.md").read_text()
        assert f"| Design hash | `{digest}` |" in text
        assert f"| Spec hash | `{spec.hash()}` |" in text
        for line in (folder / "SHA256SUMS").read_text().splitlines()[1:]:
            digest, _, name = line.partition("  ")
            assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest


@pytest.mark.parametrize("spec", CORES, ids=lambda spec: spec.name)
def test_fusesoc_takes_the_core_file(spec: Spec, built: dict[str, Path]) -> None:
    core2 = pytest.importorskip("fusesoc.capi2.coreparser")
    core = pytest.importorskip("fusesoc.core")
    folder = built[spec.name]
    parsed = core.Core(parser=core2.Core2Parser(), core_file=str(folder / f"{spec.module}.core"))
    assert str(parsed.name).startswith(f"roundsmith:{spec.what.cipher}:{spec.module}:")
    for target, expected in {
        "default": [*generate.relative_sources(generate.design(spec).library), f"{spec.module}.sv"],
        "sim": [f"{spec.module}.v", f"tb/{spec.module}_tb.v", "tb/vectors.hex"],
    }.items():
        files = parsed.get_files({"target": target, "is_toplevel": True})
        assert [file["name"] for file in files] == expected
        assert all((folder / name).is_file() for name in expected)


# --- Every core of the catalogue ----------------------------------------------------------------


@pytest.mark.parametrize("spec", EVERYTHING, ids=lambda spec: spec.name)
def test_the_library_of_a_core_is_what_it_uses(spec: Spec, tmp_path: Path) -> None:
    """slang elaborates the listed files alone, and instantiates a module of each."""
    design = generate.design(spec)
    files = " ".join(str(path) for path in design.write(tmp_path))
    compilation = slang(tmp_path, f"--top {spec.module} {files}")
    used = {instance.definition.name for instance in instances(compilation.getRoot())}
    listed = {path.stem for path in design.library if not path.stem.endswith("_pkg")}
    assert used == listed | {spec.module}


@pytest.mark.long
@pytest.mark.parametrize(
    "spec", [spec for spec in EVERYTHING if not spec.has_mode], ids=lambda spec: spec.name
)
def test_the_bench_of_every_core_passes(spec: Spec, tmp_path: Path) -> None:
    write(spec, tmp_path / "core")
    output = simulate(tmp_path / "core", spec.module, tmp_path)
    assert output.strip().splitlines() == [f"{len(transfers(spec))} passed, 0 failed"]


# --- The folder ---------------------------------------------------------------------------------


def test_the_same_bytes_every_time(tmp_path: Path) -> None:
    here = contents(DEEP.full())
    (tmp_path / "deep.toml").write_text(DEEP.full().to_toml())
    script = (
        "import hashlib\n"
        "from roundsmith import catalogue\n"
        "from roundsmith.export.folder import contents\n"
        "for name, text in contents(catalogue.find('deep.toml')).items():\n"
        "    print(name, hashlib.sha256(text).hexdigest())\n"
    )
    there = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        env={**os.environ, "PYTHONHASHSEED": "7", "TMPDIR": str(tmp_path), "TZ": "Asia/Tokyo"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    expected = [f"{name} {hashlib.sha256(text).hexdigest()}" for name, text in here.items()]
    assert there.splitlines() == expected
    for name, text in here.items():
        assert str(RTL).encode() not in text, name
        assert not re.search(rb"\bYosys \d|\b20[2-9]\d-\d\d-\d\d", text), name


def test_a_folder_of_ours_is_replaced(tmp_path: Path) -> None:
    spec = catalogue.find("iterative-table")
    folder = tmp_path / "a" / "core"
    files = write(spec, folder)
    assert sorted(path for path in folder.rglob("*") if path.is_file()) == files
    (folder / "iterative_table.v").write_text("edited")
    (folder / "tb" / "mine.txt").write_text("a note")
    assert write(spec, folder) == files
    assert (folder / "iterative_table.v").read_bytes() == contents(spec)["iterative_table.v"]
    assert (folder / "tb" / "mine.txt").read_text() == "a note"
    assert [path.name for path in folder.parent.iterdir()] == ["core"]


def test_a_folder_of_somebody_else_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = catalogue.find("iterative-table")
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(RoundsmithError, match="is not empty and holds something other than"):
        write(spec, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]
    with pytest.raises(RoundsmithError, match="is a file"):
        write(spec, tmp_path / "thesis.txt")
    write(spec, tmp_path / "core")
    with pytest.raises(RoundsmithError, match="something other than iterative_table_full"):
        write(spec.full(), tmp_path / "core")
    monkeypatch.chdir(tmp_path / "core" / "tb")
    with pytest.raises(RoundsmithError, match="in which this command runs"):
        write(spec, tmp_path / "core")
    empty = tmp_path / "empty"
    empty.mkdir()
    assert write(spec, empty)
