"""Several streams behind one AXI4-Stream: TID is the number of the stream."""

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from roundsmith import catalogue, export
from roundsmith import spec as formulas
from roundsmith.base.errors import ToolError, VerificationFailed
from roundsmith.cli.cli import app
from roundsmith.design import generate
from roundsmith.explore import choose, wrappers
from roundsmith.explore.needs import Needs
from roundsmith.flows import synthesize
from roundsmith.flows.targets import parse
from roundsmith.simulate import messages
from roundsmith.spec import Bus, Mode, Spec, buses, mode_bus_rules
from roundsmith.tools import iverilog
from roundsmith.verify import mode_verify
from tests.support.exported import resealed
from tests.verify.test_bus_verify import checked

FIVE = "saggese-iterative-5-cbc5-axi4-stream"

#: A core that stores the keys of all streams, two each, and decrypts.
STORED = "aesany-both-loop1-table-stored-equiv-cr-slots2-cbc3-axi4-stream"


def core(name: str, bits: int = 128) -> Spec:
    data: dict[str, Any] = catalogue.find(name).model_dump()
    return Spec.from_data(data | {"port": data["port"] | {"stream_bits": bits}})


def slow(*what: object) -> object:
    return pytest.param(*what, marks=pytest.mark.long)


#: Every width, modes with text and with tags, keys beside the block and stored, rings and a line.
CORES = [
    (FIVE, 128),
    slow(FIVE, 16),
    slow(STORED, 512),
    slow("cbc-fastest-cbc2-axi4-stream", 64),
    slow("saggese-iterative-5-cmac6-axi4-stream", 8),
    slow("saggese-iterative-5-ccm5-axi4-stream", 256),
    slow("saggese-iterative-cfb8-2-axi4-stream", 64),
    slow("saggese-iterative-5-ofb17-axi4-stream", 128),
    slow("aes128-enc-pipe-table-cr-cfb-3-axi4-stream", 128),
    slow("serpent-iterative-cbc-mac2-axi4-stream", 32),
]


@pytest.mark.parametrize(("name", "bits"), CORES)
def test_streams_are_mixed(name: str, bits: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Transfers at random, stalls, key changes, clears and resets; and the cycles of a block."""
    monkeypatch.setattr(mode_verify, "CYCLES", 200_000)
    spec = core(name, bits)
    program = messages.build(spec, synthesize.sources(spec))
    assert mode_verify.check(spec, program, spec.name, seed=2) > 300
    cycles = mode_verify.pace(spec, program, spec.name, seed=2)
    if (name, bits) == (FIVE, 128):
        assert 0.998 <= formulas.filled_slots(spec, cycles) <= 1.0


@pytest.mark.long
def test_so_are_those_of_a_netlist(own_records: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mode_verify, "CYCLES", 100_000)
    found = mode_verify.verify(core(FIVE), parse("ecp5-85k"), seed=6)
    assert [record.target for record in found] == [None, "ecp5-85k:6"]
    assert all(record.blocks > 300 for record in found)


FAULTS = [
    # A key overtakes a header on its way to the stream; or it comes and nobody waits for it.
    ("rsm_stream_route.sv", "(headers_q != '0)", "1'b0", "gives the text"),
    slow("rsm_axi4_stream_keys.sv", "here & {Streams{~idle_o}}", "'0", "gives the text|accepts"),
    # Transfers of no stream go to one; a transfer is changed for another one while it waits.
    slow(
        "rsm_stream_route.sv",
        "32'(in_tid_i) == i",
        "(32'(in_tid_i) % Streams) == i",
        "ended before its last beat",
    ),
    slow("rsm_stream_merge.sv", "held_q ? last_q : turn", "turn", "changed while it waited"),
]


@pytest.mark.parametrize(("file", "right", "wrong", "sentence"), FAULTS)
def test_a_fault_is_found(file: str, right: str, wrong: str, sentence: str, tmp_path: Path) -> None:
    with pytest.raises(VerificationFailed, match=sentence):
        checked(core(FIVE, 32), (file, right, wrong), tmp_path)


# --- The top --------------------------------------------------------------------------------------


def test_the_number_of_a_stream_has_the_bits_that_it_needs() -> None:
    ports = {port.name: port.range for port in generate.ports(core(STORED))}
    assert ports["s_axis_tid"] == ports["m_axis_tid"] == "[1:0]"
    assert ports["s_axis_key_tid"] == "[2:0]"
    many = catalogue.find("saggese-iterative-5").with_mode(Mode.OFB, 256).with_bus(Bus.AXI4_STREAM)
    ports = {port.name: port.range for port in generate.ports(many)}
    assert ports["s_axis_tid"] == ports["s_axis_key_tid"] == "[7:0]"


def test_it_is_known_by_its_name() -> None:
    spec = catalogue.find("saggese-iterative-5").with_mode(Mode.CBC, 5).with_bus(Bus.AXI4_STREAM)
    assert catalogue.find(FIVE) == spec and spec.name == FIVE
    assert spec.bare().name == "saggese-iterative-5"
    assert f"`roundsmith build {FIVE}`" in generate.top_text(spec)


def test_clearing_takes_as_long_as_the_longest_queue() -> None:
    assert formulas.clear_cycles(core(FIVE)) == mode_bus_rules.clear_cycles(
        catalogue.find(FIVE.removesuffix("-axi4-stream"))
    )
    assert formulas.clear_cycles(core(FIVE, 8)) == 32


# --- The folder -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "bits"), [(FIVE, 128), (STORED, 8)])
def test_the_exported_bench_passes_and_can_fail(name: str, bits: int, tmp_path: Path) -> None:
    """In plain Verilog, on the Verilog-2005 file; and it notices a wrong digit."""
    spec, folder = core(name, bits), tmp_path / "core"
    export.write(spec, folder)
    files = [folder / f"{spec.module}.v", folder / f"tb/{spec.module}_tb.v"]
    program = iverilog.build(files, tmp_path / "bench.vvp", top=f"{spec.module}_tb")
    passed, failed = iverilog.run(program, cwd=folder).splitlines()[-1].split(" passed, ")
    lines = (folder / "tb/vectors.hex").read_text().splitlines()
    assert int(passed) == sum(line.startswith("2") for line in lines) and failed == "0 failed"
    number = max(i for i, line in enumerate(lines) if line.startswith("2_0"))
    lines[number] = lines[number][:-1] + ("1" if lines[number][-1] == "0" else "0")
    (tmp_path / "changed.hex").write_text(resealed(lines))
    with pytest.raises(ToolError, match=r"[1-9]\d* passed, 1 failed"):
        iverilog.run(program, cwd=folder, arguments=[f"+vectors={tmp_path / 'changed.hex'}"])
    text = (folder / f"{spec.module}.md").read_text()
    count = spec.how.streams
    assert f"| Streams | {count} on one core; TID is the number of the stream, from 0 |" in text
    assert f"| `s_axis_tid` | input | {(count - 1).bit_length()} | the stream of" in text
    litex = (folder / f"litex/{spec.module}.py").read_text()
    assert f"AXIStreamInterface(32, 4, id_width={buses.key_id_bits(spec)})" in litex


# --- Requirements ---------------------------------------------------------------------------------


def test_streams_behind_the_bus_are_candidates() -> None:
    target = parse("ecp5-85k")
    needs = Needs(target=target, mode=Mode.CBC, bus=Bus.AXI4_STREAM, streams=5)
    choose.check(needs)
    names = {spec.name for spec in choose.candidates(needs)}
    assert FIVE in names and "saggese-iterative-5-cbc-axi4-stream" in names
    answer = CliRunner().invoke(
        app, ["choose", "--target", "ecp5-85k", "--mode", "cbc", "--bus", "apb", "--streams", "5"]
    )
    assert "whose TID is the number of a stream" in str(answer.exception)


def test_its_price_counts_a_bus_for_each_stream_and_says_what_it_leaves_out() -> None:
    spec = catalogue.find(FIVE)
    terms = wrappers.terms(spec)
    shared = ("streams", "bus_streams")
    # One mode serves them all.
    assert terms["cbc"] == 1
    assert all(terms[name] == 5 for name in ("axi4_stream", *shared))
    apart = wrappers.terms(catalogue.find("saggese-iterative-5-cfb-5"))
    assert apart["cfb"] == 5 and apart["blocks"] > terms["blocks"]
    empty = wrappers.Wrapping("ecp5-85k:6", {}, {}, {}, (), {}, {})
    assert empty.uncounted(spec)[-1] == "what lets 5 streams share the bus"
    known = wrappers.Wrapping(
        "ecp5-85k:6", {"ff": {n: wrappers.Price(1.0, "") for n in shared}}, {}, {}, (), {}, {}
    )
    assert not known.uncounted(spec)
    assert "bus" not in str(empty.uncounted(catalogue.find("saggese-iterative-5-cbc5")))
