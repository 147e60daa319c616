"""The datasheet that `build` writes, and what describes the core beside it: all of it is true."""

import hashlib
import itertools
import json
import re
import tomllib
from pathlib import Path

import pytest

from roundsmith import catalogue
from roundsmith.design import generate
from roundsmith.export import write
from roundsmith.export.timing import diagram, trace
from roundsmith.export.vectors import example
from roundsmith.spec import Bus, Spec
from roundsmith.tools import iverilog
from tests.support.exported import CORES, MORE, ciphered

FIGURES: list[dict[str, object]] = [
    {"name": "iterative-table", "target": "ecp5-85k", "lut": 3456, "ff": 389, "block_ram": 0,
     "fmax_mhz": 123.4, "fmax_capped_mhz": 123.4, "throughput_mbps": 1579.5,
     "mbps_per_klut": 457.0, "area_ge": None, "cycle_ns": None, "mbps_per_kge": None},
    {"name": "iterative-table", "target": "asic:osu018", "lut": None, "ff": None,
     "block_ram": None, "fmax_mhz": None, "fmax_capped_mhz": None, "throughput_mbps": 2000.0,
     "mbps_per_klut": None, "area_ge": 12345.0, "cycle_ns": 6.4, "mbps_per_kge": 162.0},
]  # fmt: skip


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
