"""Several streams on one core: modes that feed results back keep the pipeline full together."""

import re
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from typer.testing import CliRunner

from roundsmith import catalogue, export
from roundsmith import spec as formulas
from roundsmith.base.errors import RoundsmithError, ToolError, VerificationFailed
from roundsmith.cli.cli import app
from roundsmith.design import generate
from roundsmith.flows import synthesize
from roundsmith.simulate import messages, simulate
from roundsmith.spec import Mode, Spec
from roundsmith.tools import iverilog
from roundsmith.verify import mode_verify
from tests.support.exported import resealed

BENCH = Path(__file__).parent / "interleave_bench.cpp"

SAGGESE = "saggese-iterative-5"
STORED = "aesany-both-loop1-table-stored-equiv-cr-slots4"

RANDOM = np.random.default_rng(1)


def streamed(base: str, mode: Mode, streams: int, key_slots: int = 1) -> Spec:
    """Return a core with streams of a mode."""
    full = catalogue.find(base).full()
    data: dict[str, Any] = full.model_dump() | {"name": f"{mode}-{streams}".replace("_", "-")}
    data["what"] |= {"mode": mode}
    data["how"] |= {"streams": streams}
    data["port"] |= {"tag_bits": 0, "key_slots": key_slots}
    return Spec.from_data(data)


@cache
def compiled(spec: Spec) -> Path:
    return messages.build(spec, synthesize.sources(spec))


#: Streams that fill the five slots. CMAC needs a cycle between a result and the block that comes
#: of it, so five of its streams leave one turn in 51 empty, and a sixth one takes it.
FILLED = {Mode.CBC: 5, Mode.CFB: 5, Mode.OFB: 5, Mode.CMAC: 6}


@pytest.mark.parametrize("mode", FILLED)
def test_the_slots_are_filled(mode: Mode) -> None:
    """At least 99 % of the slots are filled, in cycles, and every stream gives the right bytes."""
    spec = streamed(SAGGESE, mode, FILLED[mode])
    cycles = mode_verify.pace(spec, compiled(spec), spec.name, seed=1, blocks=1000)
    filled = formulas.filled_slots(spec, cycles)
    print(f"{mode}: {100 * filled:.2f} % of the slots filled by {FILLED[mode]} streams")
    assert 0.99 <= filled <= 1.0


def test_the_core_of_the_catalogue_is_filled() -> None:
    spec = catalogue.find("saggese-iterative-5-cbc5")
    alone = streamed(SAGGESE, Mode.CBC, 5)
    assert spec.hash() == alone.hash()
    assert formulas.cycles_per_block(spec) == 10
    assert formulas.latency_cycles(spec) == formulas.blocks_in_flight(spec) * 10 == 50


#: Cores of every kind, a mode, streams, key slots of each: the key beside the block or stored, one
#: key length or all, both directions, rings, tiles and a line; fewer streams than slots, and more.
KINDS = [
    (STORED, Mode.CBC, 3, 2),
    ("saggese-tiled-2", Mode.OFB, 3, 1),
    # One mode for all streams: keys stored or in front, tiles, a line, another cipher.
    ("cbc-fastest", Mode.CBC, 3, 2),
    pytest.param("aes128-enc-pipe-table-cr", Mode.CFB, 3, 1, marks=pytest.mark.long),
    pytest.param("serpent-iterative", Mode.CBC_MAC, 2, 1, marks=pytest.mark.long),
    pytest.param("saggese-tiled-2", Mode.CBC, 5, 1, marks=pytest.mark.long),
    pytest.param("aes128-enc-pipe-table-cr", Mode.CBC, 3, 1, marks=pytest.mark.long),
    pytest.param("serpent-iterative", Mode.CBC, 2, 1, marks=pytest.mark.long),
    pytest.param(STORED, Mode.CMAC, 2, 1, marks=pytest.mark.long),
    pytest.param("saggese-iterative", Mode.CFB8, 2, 1, marks=pytest.mark.long),
    pytest.param(SAGGESE, Mode.CCM, 5, 1, marks=pytest.mark.long),
    pytest.param(SAGGESE, Mode.CBC, 16, 1, marks=pytest.mark.long),
    pytest.param("standaert-loop-ram", Mode.CBC, 2, 1, marks=pytest.mark.long),
    pytest.param("cbc-fastest", Mode.CBC, 2, 1, marks=pytest.mark.long),
]


@pytest.mark.parametrize(("base", "mode", "streams", "key_slots"), KINDS)
def test_every_kind_of_core(
    base: str, mode: Mode, streams: int, key_slots: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stalls, key changes, clears and resets against OpenSSL; and the cycles of the formulas."""
    monkeypatch.setattr(mode_verify, "CYCLES", 200_000)
    spec = streamed(base, mode, streams, key_slots)
    assert mode_verify.check(spec, compiled(spec), spec.name, seed=2) > 500
    assert mode_verify.pace(spec, compiled(spec), spec.name, seed=2) > 0


@pytest.mark.parametrize(
    ("base", "mode", "streams", "shared"),
    [
        (SAGGESE, Mode.CBC, 5, True),
        ("cbc-fastest", Mode.CBC, 2, True),
        (SAGGESE, Mode.CFB, 5, False),
        # It decrypts as well, and has keys of several lengths.
        (STORED, Mode.CBC, 3, False),
    ],
)
def test_one_mode_for_all_streams(base: str, mode: Mode, streams: int, shared: bool) -> None:
    """Where CBC is only encrypted, by a core of one latency; there are no tags in the core then."""
    spec = streamed(base, mode, streams)
    top = generate.top_text(spec)
    assert formulas.is_shared(spec) is shared
    assert ("rsm_mode_cbc_streams" in top) is shared
    assert ("rsm_interleave" in top) is not shared
    assert (spec.tile(0).port.tag_bits == 0) is shared


def test_a_wrong_latency_of_the_core_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The mode counts the cycles to a result."""
    right = formulas.mode_bus_rules.mode_parameters
    later = {"Latency": str(formulas.latency_cycles(streamed(SAGGESE, Mode.CBC, 3)) + 1)}
    monkeypatch.setattr(
        formulas.mode_bus_rules, "mode_parameters", lambda spec: right(spec) | later
    )
    spec = streamed(SAGGESE, Mode.CBC, 3)
    with pytest.raises(VerificationFailed):
        mode_verify.check(spec, messages.build(spec, synthesize.sources(spec)), spec.name, seed=2)


def test_a_wrong_pace_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = streamed(SAGGESE, Mode.CBC, 5)
    monkeypatch.setattr(formulas, "cycles_per_block", lambda spec: 10.2)
    with pytest.raises(VerificationFailed, match=r"a block takes 10 cycles, the spec says 10\.2\."):
        mode_verify.pace(spec, compiled(spec), spec.name, seed=1, blocks=100)


def test_the_keys_of_two_streams_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key that went to another stream would not pass the check."""
    right = messages.keys_of

    def wrong(spec: Spec, message: messages.Message) -> list[tuple[int, bytes]]:
        return [(slot ^ 1 if slot < 2 else slot, key) for slot, key in right(spec, message)]

    spec = streamed(SAGGESE, Mode.CBC, 5)
    monkeypatch.setattr(messages, "keys_of", wrong)
    with pytest.raises(VerificationFailed):
        mode_verify.check(spec, compiled(spec), spec.name, seed=2)


def test_verify_says_how_many_slots_are_filled(
    own_records: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mode_verify, "CYCLES", 100_000)
    answer = CliRunner().invoke(app, ["verify", "saggese-iterative-5-cbc5", "--target", "rtl"])
    assert answer.exit_code == 0, answer.output
    said = re.search(r"5 streams, a block every ([\d.]+) cycles, ([\d.]+)% of", answer.output)
    assert said is not None, answer.output
    cycles, filled = map(float, said.groups())
    # The stream that begins is drawn, and after some of them a turn is lost where messages change.
    assert 10 <= cycles <= 10.02
    assert 99.8 <= filled <= 100


def test_the_cycles_in_the_documentation_are_those_of_the_formulas() -> None:
    text = (Path(__file__).parents[3] / "docs/modes.md").read_text()
    rows = re.findall(r"^\| `([\w-]+)` \| `(\w+)` \| (\d+) \| ([\d.]+) \| (\d+) % \|", text, re.M)
    assert len(rows) == 7
    for base, mode, streams, cycles, filled in rows:
        spec = streamed(base, Mode(mode), int(streams))
        assert formulas.cycles_per_block(spec) == float(cycles)
        assert f"{100 * formulas.filled_slots(spec, float(cycles)):.0f}" == filled


# --- The port -----------------------------------------------------------------------------------


def test_the_ports_stand_side_by_side() -> None:
    spec = streamed(STORED, Mode.CBC, 3, 2)
    ports = {port.name: port for port in generate.ports(spec)}
    data, slot = ports["in_data_i"], ports["key_slot_i"]
    assert (data.packed_range, data.range, data.bits) == ("[2:0][127:0]", "[383:0]", "3 × 128")
    assert (slot.packed_range, slot.range, slot.bits) == ("[2:0]", "[2:0]", "3")
    assert ports["in_valid_i"].packed_range == "[2:0]"
    assert "  input  logic [2:0][127:0] in_data_i," in generate.top_text(spec)


@pytest.mark.parametrize(("base", "key_slots"), [(SAGGESE, 1), (STORED, 2)])
def test_the_exported_bench_passes(base: str, key_slots: int, tmp_path: Path) -> None:
    """In plain Verilog, on the Verilog-2005 file; and it notices a wrong digit."""
    spec = streamed(base, Mode.CBC, 3, key_slots)
    folder = tmp_path / "core"
    export.write(spec, folder)
    files = [folder / f"{spec.module}.v", folder / f"tb/{spec.module}_tb.v"]
    program = iverilog.build(files, tmp_path / "bench.vvp", top=f"{spec.module}_tb")
    passed, failed = iverilog.run(program, cwd=folder).splitlines()[-1].split(" passed, ")
    assert int(passed) > 24 and failed == "0 failed"
    lines = (folder / "tb/vectors.hex").read_text().splitlines()
    number = next(i for i, line in enumerate(lines) if line.startswith("3"))
    lines[number] = lines[number][:-1] + ("1" if lines[number][-1] == "0" else "0")
    (tmp_path / "changed.hex").write_text(resealed(lines))
    with pytest.raises(ToolError, match=r"[1-9]\d* passed, 1 failed"):
        iverilog.run(program, cwd=folder, arguments=[f"+vectors={tmp_path / 'changed.hex'}"])
    text = (folder / f"{spec.module}.md").read_text()
    assert "| Streams | 3 on one core, each with a message port of its own |" in text
    assert "| `in_data_i` | input | 3 × 128 |" in text


def test_a_file_goes_through_one_of_the_streams(tmp_path: Path) -> None:
    key, iv, text = bytes(range(16)), bytes(range(16, 32)), RANDOM.bytes(320)
    (tmp_path / "in").write_bytes(text)
    words = ["run", "saggese-iterative-5-cbc5", "--mode", "cbc", "--nopad", "--key", key.hex()]
    words += ["--iv", iv.hex(), "--in", str(tmp_path / "in"), "--out", str(tmp_path / "out")]
    answer = CliRunner().invoke(app, words)
    assert answer.exit_code == 0, answer.output
    cipher = Cipher(algorithms.AES(key), modes.CBC(iv)).encryptor()
    assert (tmp_path / "out").read_bytes() == cipher.update(text)


def test_registers_refuse_streams_in_a_sentence() -> None:
    with pytest.raises(RoundsmithError, match="brings one message after the other"):
        catalogue.find("saggese-iterative-5-cbc5").with_bus(formulas.Bus.AXI4_LITE)


# --- Streams that do not care for each other ------------------------------------------------------


@dataclass
class Stream:
    """A stream: its key, its messages, how often it offers and takes something."""

    key: bytes
    messages: list[tuple[bytes, bytes]]
    p_in: int = 256
    p_out: int = 256

    def expected(self) -> bytes:
        ciphers = (Cipher(algorithms.AES(self.key), modes.CBC(iv)) for iv, _ in self.messages)
        pairs = zip(ciphers, self.messages, strict=True)
        return b"".join(cipher.encryptor().update(text) for cipher, (_, text) in pairs)


@dataclass
class Found:
    answers: bytes
    left: int
    span: int
    most: int


def run(program: Path, streams: list[Stream], folder: Path, seed: int = 1) -> Found:
    data = b""
    for s in streams:
        data += s.key + len(s.messages).to_bytes(4, "little")
        for iv, text in s.messages:
            data += iv + len(text).to_bytes(4, "little") + text
    given, answers = folder / "commands", folder / "answers"
    given.write_bytes(data)
    chances = [str(p) for s in streams for p in (s.p_in, s.p_out)]
    argv = [program, given, answers, str(seed), *chances]
    said = subprocess.run(argv, capture_output=True, text=True)
    assert said.returncode == 0, said.stderr
    return Found(answers.read_bytes(), *map(int, said.stdout.split()))


def streams_of(count: int, sizes: list[int]) -> list[Stream]:
    return [
        Stream(RANDOM.bytes(16), [(RANDOM.bytes(16), RANDOM.bytes(size)) for size in sizes])
        for _ in range(count)
    ]


@cache
def bench(streams: int) -> Path:
    """Return the bench of CBC over Saggese's ring of five slots."""
    spec = streamed(SAGGESE, Mode.CBC, streams)
    files = synthesize.sources(spec)
    return simulate.build(spec, files, harness=BENCH, defines=[f"RSM_STREAMS={streams}"])


def test_random_pauses(tmp_path: Path) -> None:
    """Streams of many speeds, messages of many lengths: nothing is lost, nothing mixed up."""
    for seed in range(8):
        sizes = [16 * int(RANDOM.integers(1, 12)) for _ in range(20)]
        streams = streams_of(5, sizes)
        for s in streams:
            s.p_in, s.p_out = (int(RANDOM.choice([5, 60, 256])) for _ in range(2))
        found = run(bench(5), streams, tmp_path, seed)
        assert found.answers == b"".join(s.expected() for s in streams)


def test_a_stream_that_takes_nothing_blocks_nobody(tmp_path: Path) -> None:
    """Two of five never take a result: the others are as fast as if they were alone."""
    streams = streams_of(5, [16 * 300])
    for stuck in (0, 3):
        streams[stuck].p_out = 0
    found = run(bench(5), streams, tmp_path)
    assert found.answers == b"".join(s.expected() for s in streams if s.p_out)
    assert found.most <= 50 + 5  # a turn of the ring, and one of the streams


def test_many_streams_share_in_turn(tmp_path: Path) -> None:
    """Eleven streams on five slots: none waits longer than a turn of all and a lap of the ring."""
    streams = streams_of(11, [16 * 200])
    found = run(bench(11), streams, tmp_path)
    assert found.answers == b"".join(s.expected() for s in streams)
    spec = streamed(SAGGESE, Mode.CBC, 11)
    cycles = formulas.cycles_per_block(spec)
    assert (found.left - 1) * cycles / found.span >= 0.99
    assert found.most <= 11 * cycles + formulas.latency_cycles(spec)
