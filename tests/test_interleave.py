"""Several streams on one core: modes that feed results back keep the pipeline full together."""

import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from cryptography.hazmat.decrepit.ciphers import modes as old_modes
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.cmac import CMAC

from roundsmith import catalogue, elaborate, generate
from roundsmith import spec as formulas
from roundsmith.paths import RTL
from roundsmith.spec import Mode, Spec
from roundsmith.tools import verilator

BENCH = Path(__file__).parent / "interleave_bench.cpp"

#: Streams of a mode over a core that takes its key with the block; each stream has one key.
TOP = """
module interleaved #(parameter int unsigned N = {streams}) (
  input  logic clk_i, rst_ni, clear_i, key_valid_i,
  output logic key_ready_o, entered_o, idle_o,
  input  logic [127:0] key_i,
  input  logic [{high}:0] key_slot_i,
  input  logic [N-1:0] msg_valid_i, in_valid_i, in_last_i, out_ready_i,
  output logic [N-1:0] msg_ready_o, in_ready_o, out_valid_o, out_last_o,
  input  logic [N-1:0][127:0] msg_iv_i, in_data_i,
  input  logic [N-1:0][4:0] in_bytes_i,
  output logic [N-1:0][127:0] out_data_o,
  output logic [N-1:0][4:0] out_bytes_o,
  output logic [N-1:0][2:0] out_status_o
);
  logic [N-1:0] idle, open, block_valid, block_ready, decrypt, result_valid, result_ready;
  logic [N-1:0][127:0] block, result;
  logic [N-1:0][3:0] slot;
  logic [N-1:0] tag, result_tag, mode_idle;

  for (genvar i = 0; i < N; i++) begin : gen_stream
    rsm_mode_{mode} #(.Depth (2), .TagWidth (1){forward}) u_mode (
      .clk_i, .rst_ni, .clear_i, .idle_o (mode_idle[i]),
      .msg_valid_i (msg_valid_i[i]), .msg_ready_o (msg_ready_o[i]), .msg_decrypt_i (1'b0),
      .msg_slot_i ('0), .msg_iv_i (msg_iv_i[i]), .msg_iv_bytes_i (5'd16), .msg_aad_bytes_i ('0),
      .msg_text_bytes_i ('0), .msg_tag_bytes_i (5'd{tag_bytes}),
      .in_valid_i (in_valid_i[i]), .in_ready_o (in_ready_o[i]), .in_data_i (in_data_i[i]),
      .in_bytes_i (in_bytes_i[i]), .in_part_i (2'd1), .in_last_i (in_last_i[i]),
      .out_valid_o (out_valid_o[i]), .out_ready_i (out_ready_i[i]),
      .out_data_o (out_data_o[i]), .out_bytes_o (out_bytes_o[i]), .out_part_o (),
      .out_last_o (out_last_o[i]), .out_status_o (out_status_o[i]),
      .key_loaded_i (key_valid_i & key_ready_o & (32'(key_slot_i) == i)),
      .key_loaded_slot_i ('0), .key_open_o (open[i]),
      .core_idle_i (idle[i]), .core_in_valid_o (block_valid[i]),
      .core_in_ready_i (block_ready[i]), .core_in_block_o (block[i]),
      .core_in_decrypt_o (decrypt[i]), .core_in_slot_o (slot[i]), .core_in_tag_o (tag[i]),
      .core_out_valid_i (result_valid[i]), .core_out_ready_o (result_ready[i]),
      .core_out_block_i (result[i]), .core_out_tag_i (result_tag[i]));
  end

  logic core_idle, held_idle, valid, ready, core_valid, core_ready, core_out_valid;
  logic [127:0] core_block, core_key, core_result;
  logic [1:0] core_len;
  logic [{high}:0] core_slot;
  logic [{high} + 1:0] core_tag, core_out_tag;

  rsm_interleave #(.Streams (N)) u_interleave (
    .clk_i, .rst_ni, .clear_i, .idle_o (idle), .in_valid_i (block_valid),
    .in_ready_o (block_ready), .in_block_i (block), .in_decrypt_i (decrypt), .in_slot_i (slot),
    .in_tag_i (tag), .out_valid_o (result_valid), .out_ready_i (result_ready),
    .out_block_o (result), .out_tag_o (result_tag),
    .key_loaded_i (key_valid_i & key_ready_o), .key_loaded_slot_i (key_slot_i),
    .core_idle_i (held_idle), .core_in_valid_o (valid), .core_in_ready_i (ready),
    .core_in_block_o (core_block), .core_in_decrypt_o (), .core_in_slot_o (core_slot),
    .core_in_tag_o (core_tag), .core_out_valid_i (core_out_valid),
    .core_out_block_i (core_result), .core_out_tag_i (core_out_tag));

  rsm_key_slots #(.KeySlots (N)) u_keys (
    .clk_i, .rst_ni, .clear_i, .idle_o (held_idle), .key_valid_i, .key_ready_o, .key_i,
    .key_len_i ('0), .key_slot_i, .in_valid_i (valid), .in_ready_o (ready),
    .in_slot_i (core_slot), .core_idle_i (core_idle), .core_in_valid_o (core_valid),
    .core_in_ready_i (core_ready), .core_in_key_o (core_key), .core_in_len_o (core_len));

  {module} u_core (
    .clk_i, .rst_ni, .clear_i, .idle_o (core_idle), .in_valid_i (core_valid),
    .in_ready_o (core_ready), .in_block_i (core_block), .in_key_i (core_key),
    .in_tag_i (core_tag), .out_valid_o (core_out_valid), .out_block_o (core_result),
    .out_tag_o (core_out_tag));

  assign entered_o = core_valid & core_ready;
  assign idle_o = &mode_idle;
endmodule
"""

RANDOM = np.random.default_rng(1)


def core(streams: int) -> Spec:
    """Saggese's ring of five slots, with a tag that has room for the number of the stream."""
    spec = catalogue.find("saggese-iterative-5")
    bits = (streams - 1).bit_length() + 1
    return spec.model_copy(update={"port": spec.port.model_copy(update={"tag_bits": bits})})


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("interleave")


@cache
def program(mode: Mode, streams: int, folder: Path) -> Path:
    folder.mkdir()
    spec = core(streams)
    forward = ", .Encrypts (1'b1), .Decrypts (1'b0)" if mode is Mode.CBC else ""
    text = TOP.format(
        mode=mode,
        streams=streams,
        high=(streams - 1).bit_length() - 1,
        forward=forward,
        module=spec.module,
        tag_bytes=16 if mode is Mode.CMAC else 0,
    )
    top = folder / "interleaved.sv"
    top.write_text(text)
    files = dict.fromkeys(generate.design(spec).write(folder))
    for name in ("port/rsm_interleave", "port/rsm_key_slots", f"mode/rsm_mode_{mode}"):
        path = RTL / f"{name}.sv"
        files |= dict.fromkeys([*elaborate.library(path.stem, path.read_text()).files, path])
    return verilator.build(
        [*sorted(files, key=lambda file: not file.stem.endswith("_pkg")), top],
        "interleaved",
        BENCH,
        folder,
        flags=["-Wno-fatal"],
        cflags=[f"-DRSM_STREAMS={streams}"],
    )


def cmac(key: bytes, text: bytes) -> bytes:
    engine = CMAC(algorithms.AES(key))
    engine.update(text)
    return engine.finalize()


@dataclass
class Stream:
    """A stream: its key, its messages, how often it offers and takes something."""

    key: bytes
    messages: list[tuple[bytes, bytes]]
    p_in: int = 256
    p_out: int = 256

    def expected(self, mode: Mode) -> bytes:
        if mode is Mode.CMAC:
            return b"".join(cmac(self.key, text) for _, text in self.messages)
        how = {Mode.CBC: modes.CBC, Mode.CFB: old_modes.CFB, Mode.OFB: old_modes.OFB}[mode]
        found = b""
        for iv, text in self.messages:
            found += Cipher(algorithms.AES(self.key), how(iv)).encryptor().update(text)
        return found


@dataclass
class Found:
    answers: bytes
    cycles: int
    entered: int
    span: int
    most: int


def run(binary: Path, streams: list[Stream], seed: int = 1) -> Found:
    data = b""
    for s in streams:
        data += s.key + len(s.messages).to_bytes(4, "little")
        for iv, text in s.messages:
            data += iv + len(text).to_bytes(4, "little") + text
    given, answers = binary.parent / "commands", binary.parent / "answers"
    given.write_bytes(data)
    chances = [str(p) for s in streams for p in (s.p_in, s.p_out)]
    argv = [binary, given, answers, str(seed), *chances]
    said = subprocess.run(argv, capture_output=True, text=True)
    assert said.returncode == 0, said.stderr
    return Found(answers.read_bytes(), *map(int, said.stdout.split()))


def streams_of(count: int, sizes: list[int]) -> list[Stream]:
    return [
        Stream(RANDOM.bytes(16), [(RANDOM.bytes(16), RANDOM.bytes(size)) for size in sizes])
        for _ in range(count)
    ]


#: Streams that fill the five slots. CMAC needs a cycle between a result and the block that comes
#: of it, so five of its streams leave one turn in 51 empty, and a sixth one takes it.
STREAMS = {Mode.CBC: 5, Mode.CFB: 5, Mode.OFB: 5, Mode.CMAC: 6}


@pytest.mark.parametrize("mode", STREAMS)
def test_the_slots_are_filled(mode: Mode, folder: Path) -> None:
    """At least 99 % of the slots are filled, in cycles, and every stream gives the right bytes."""
    count, blocks = STREAMS[mode], 1000
    spec = core(count)
    streams = streams_of(count, [16 * blocks])
    found = run(program(mode, count, folder / f"{mode}{count}"), streams)
    assert found.answers == b"".join(s.expected(mode) for s in streams)
    # CMAC has one block more, for its subkeys.
    assert found.entered == count * (blocks + (mode is Mode.CMAC))
    # From when the first blocks have filled the ring to when the last one enters it.
    entered, cycles = found.entered - formulas.slots(spec), found.span - formulas.slots(spec) + 1
    filled = entered * formulas.cycles_per_block(spec) / cycles
    print(f"{mode}: {100 * filled:.2f} % of the slots filled by {count} streams")
    assert 0.99 <= filled <= 1.0


def test_random_pauses(folder: Path) -> None:
    """Streams of many speeds, messages of many lengths: nothing is lost, nothing mixed up."""
    for seed in range(8):
        sizes = [16 * int(RANDOM.integers(1, 12)) for _ in range(20)]
        streams = streams_of(5, sizes)
        for s in streams:
            s.p_in, s.p_out = (int(RANDOM.choice([5, 60, 256])) for _ in range(2))
        found = run(program(Mode.CBC, 5, folder / "cbc5"), streams, seed)
        assert found.answers == b"".join(s.expected(Mode.CBC) for s in streams)


def test_a_stream_that_takes_nothing_blocks_nobody(folder: Path) -> None:
    """Two of five never take a result: the others are as fast as if they were alone."""
    streams = streams_of(5, [16 * 300])
    for stuck in (0, 3):
        streams[stuck].p_out = 0
    found = run(program(Mode.CBC, 5, folder / "cbc5"), streams)
    rest = [s for s in streams if s.p_out]
    assert found.answers == b"".join(s.expected(Mode.CBC) for s in rest)
    assert found.most <= 50 + 5  # a turn of the ring, and one of the streams


def test_many_streams_share_in_turn(folder: Path) -> None:
    """Eleven streams on five slots: none waits longer than a turn of all and a lap of the ring."""
    streams = streams_of(11, [16 * 200])
    found = run(program(Mode.CBC, 11, folder / "cbc11"), streams)
    assert found.answers == b"".join(s.expected(Mode.CBC) for s in streams)
    cycles = formulas.cycles_per_block(core(11))
    assert (found.entered - 1) * cycles / found.span >= 0.99
    assert found.most <= 11 * cycles + formulas.latency_cycles(core(11))
