"""The folder that `build` writes: every other tool takes it as it is, and what it says is true."""

import hashlib
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

from roundsmith import catalogue, generate
from roundsmith.errors import RoundsmithError, ToolError
from roundsmith.export import write
from roundsmith.export.folder import contents
from roundsmith.export.timing import diagram, trace
from roundsmith.export.vectors import vectors
from roundsmith.paths import RTL
from roundsmith.spec import Linear, Spec
from roundsmith.tools import iverilog, process, verilator, yosys

CORES = catalogue.everything()
NAMES = [spec.name for spec in CORES]

# Rings of several blocks, for what the catalogue does not have: their diagrams look different.
DEEP = Spec.from_toml(
    'name = "deep"\n'
    '[how]\nsbox = "lut4"\nlinear = "direct"\ncuts = ["sbox.0", "sbox.2", "sub"]\n'
    'edges = ["out"]\n'
)
KEY_FIRST = Spec.from_toml(
    'name = "key-first"\n'
    '[how]\nsbox = "table"\nkey_add = "first"\ncuts = ["sub", "round"]\n[port]\ntag_bits = 40\n'
)
MORE = [DEEP, DEEP.full(), KEY_FIRST, KEY_FIRST.full()]

FIGURES: list[dict[str, object]] = [
    {"name": "iterative-table", "target": "ecp5-85k", "lut": 3456, "ff": 389, "block_ram": 0,
     "fmax_mhz": 123.4, "fmax_capped_mhz": 123.4, "throughput_mbps": 1579.5,
     "mbps_per_klut": 457.0, "area_ge": None, "cycle_ns": None, "mbps_per_kge": None},
    {"name": "iterative-table", "target": "asic:osu018", "lut": None, "ff": None,
     "block_ram": None, "fmax_mhz": None, "fmax_capped_mhz": None, "throughput_mbps": 2000.0,
     "mbps_per_klut": None, "area_ge": 12345.0, "cycle_ns": 6.4, "mbps_per_kge": 162.0},
]  # fmt: skip


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
    output = verilator.lint([], spec.module, ["-F", str(built[spec.name] / f"{spec.module}.f")])
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
    # The S-boxes of a block RAM core stay memories; nothing else is one, except the FIFO.
    memories = re.findall(r"^  reg \[\d+:0\] \w+ \[\d+:0\];", text, re.MULTILINE)
    block_ram = spec.how.sbox == "block_ram"
    roms = 1 + (spec.how.linear is Linear.IN_MEMORY) if block_ram else 0
    assert len(memories) == roms + spec.is_full
    assert ('(* rom_style = "block" *)' in text) == block_ram
    assert ('(* ram_style = "block" *)' in text) == block_ram


def test_the_verilog_2005_file_gives_block_rams(built: dict[str, Path], tmp_path: Path) -> None:
    source = built["saggese-iterative"] / "saggese_iterative.v"
    script = [
        f"read_verilog {source}",
        "synth_ecp5 -top saggese_iterative -run begin:map_ffs",
        "select -assert-count 10 t:DP16KD",
    ]
    yosys.run(script, what="Mapping the memories", folder=tmp_path)


# --- The test bench -----------------------------------------------------------------------------


@pytest.mark.parametrize("spec", [*CORES, *MORE], ids=lambda spec: spec.name)
def test_icarus_passes_the_vectors(spec: Spec, built: dict[str, Path], tmp_path: Path) -> None:
    output = simulate(built[spec.name], spec.module, tmp_path)
    assert output.strip().splitlines() == [f"{len(vectors())} passed, 0 failed"]


@pytest.mark.parametrize(
    ("name", "position"),
    [("saggese-iterative", 0), ("saggese-iterative", 64), ("saggese-iterative-full", 95)],
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
    with pytest.raises(ToolError, match=rf"status 1: {len(vectors()) - 1} passed, 1 failed"):
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
    folder, module = built["saggese-iterative-full"], "saggese_iterative_full"
    argv: list[str | Path] = [verilator._root() / "bin" / "verilator_bin", "--binary", "--timing"]
    argv += ["-j", "2", "-CFLAGS", "-std=c++20 -O0", "--Mdir", tmp_path / "obj"]
    argv += ["--top-module", f"{module}_tb", "-f", f"{module}.f", f"tb/{module}_tb.v"]
    process.run(argv, what="Verilator", cwd=folder, env=verilator._environment())
    output = process.run([tmp_path / "obj" / f"V{module}_tb"], what="The bench", cwd=folder)
    assert f"{len(vectors())} passed, 0 failed" in output.splitlines()


def test_vectors_are_right() -> None:
    for vector in vectors():
        encryptor = Cipher(algorithms.AES(vector.key), modes.ECB()).encryptor()
        assert encryptor.update(vector.plaintext) == vector.ciphertext, vector.source


# --- What the datasheet says --------------------------------------------------------------------


@pytest.mark.parametrize("spec", [*CORES, *MORE], ids=lambda spec: spec.name)
def test_the_diagram_is_what_the_core_does(
    spec: Spec, built: dict[str, Path], tmp_path: Path
) -> None:
    """Drive the inputs of the diagram, and compare every output in every cycle."""
    expected = trace(spec)
    cycles = len(expected.signals["in_valid_i"])
    ports = {p.name: p for p in generate.ports(spec)}
    buses = {"key": "128'h2b7e151628aed2a6abf7158809cf4f3c",
             "block 0": "128'h3243f6a8885a308d313198a2e0370734",
             "block 1": "128'h6bc1bee22e409f96e93d7e117393172a"}  # fmt: skip
    results = {"result 0": "3925841d02dc09fbdc118597196a0b32",
               "result 1": "3ad77bb40d7a3660a89ecaf32466ef97"}  # fmt: skip
    lines = ["module trace;"]
    for port in ports.values():
        kind = "reg" if port.direction == "input" else "wire"
        lines.append(f"  {kind} [{port.width - 1}:0] {port.name};")
    lines.append(f"  {spec.module} dut ({', '.join(f'.{n}({n})' for n in ports)});")
    lines.append("  initial begin")
    lines += [f"    {n} = 0;" for n, p in ports.items() if p.direction == "input"]
    lines.append("    repeat (4) begin #5 clk_i = 1; #5 clk_i = 0; end rst_ni = 1;")
    for cycle in range(cycles):
        for name, values in expected.signals.items():
            if ports[name].direction == "input":
                value = values[cycle]
                bus = buses.get(value, "{128{1'bx}}")
                lines.append(f"    {name} = {bus if ports[name].width > 1 else value};")
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
                assert value == results.get(label, label), (name, cycle)


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


@pytest.mark.parametrize("spec", CORES, ids=lambda spec: spec.name)
def test_the_worked_example_is_right(spec: Spec, built: dict[str, Path]) -> None:
    text = (built[spec.name] / f"{spec.module}.md").read_text()
    rows = re.findall(
        r"^\| (\d+) \| (\d+)\.\.(\d+) \| `(..)` \| `(..)` \| `(..)` \|", text, re.MULTILINE
    )
    assert [int(row[0]) for row in rows] == list(range(16))
    key, plaintext, ciphertext = (bytes.fromhex("".join(r[i] for r in rows)) for i in (3, 4, 5))
    encryptor = Cipher(algorithms.AES(key), modes.ECB()).encryptor()
    assert encryptor.update(plaintext) == ciphertext
    bus = int(re.search(r"in_block_i +=? *= 128'h(\w+)", text)[1], 16)  # type: ignore[index]
    for _, high, low, _, byte, _ in rows:
        assert int(high) - int(low) == 7
        assert bus >> int(low) & 255 == int(byte, 16)


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


def test_provenance_can_be_recomputed(built: dict[str, Path]) -> None:
    for spec in [*CORES, *MORE]:
        folder = built[spec.name]
        names = (folder / f"{spec.module}.f").read_text().splitlines()
        files = [folder / name for name in names if not name.startswith("//")]
        digest = hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()
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
    assert str(parsed.name).startswith(f"roundsmith:aes:{spec.module}:")
    for target, expected in {
        "default": [*generate.relative_sources(generate.design(spec).library), f"{spec.module}.sv"],
        "sim": [f"{spec.module}.v", f"tb/{spec.module}_tb.v", "tb/vectors.hex"],
    }.items():
        files = parsed.get_files({"target": target, "is_toplevel": True})
        assert [file["name"] for file in files] == expected
        assert all((folder / name).is_file() for name in expected)


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
