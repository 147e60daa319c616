"""The subkeys of CMAC, proved by induction: they are those of the key in force.

The core gives any result, any number of cycles after a block. Keys come whenever the mode is open
for them, in the cycle in which a message begins as well. The proof remembers whether the encryption
of zero was asked for under the newest key, and what it was.
"""

from pathlib import Path

import pytest

from proofs import BEGIN, change, prove, refute, source
from roundsmith.paths import RTL

PACKAGE = RTL / "mode/rsm_mode_pkg.sv"

BENCH = (
    """
module proof import rsm_mode_pkg::*; (
  input logic clk_i, clear_i, msg_valid_i, msg_decrypt_i, in_valid_i, in_last_i, out_ready_i,
  input logic key_i, core_idle_i, core_in_ready_i, core_done_i,
  input logic [4:0] msg_tag_bytes_i, in_bytes_i,
  input logic [1:0] in_part_i,
  input block_t in_data_i, core_out_block_i
);
"""
    + BEGIN
    + """
  logic key_open, key_loaded, core_in_valid, core_out_valid;
  block_t core_in_block;

  MODULE dut (
    .clk_i, .rst_ni, .clear_i, .idle_o(), .msg_valid_i, .msg_ready_o(), .msg_decrypt_i,
    .msg_slot_i('0), .msg_iv_i('0), .msg_iv_bytes_i('0), .msg_aad_bytes_i('0),
    .msg_text_bytes_i('0), .msg_tag_bytes_i, .in_valid_i, .in_ready_o(), .in_data_i, COUNTS,
    .in_part_i, .in_last_i, .out_valid_o(), .out_ready_i, .out_data_o(), .out_part_o(),
    .out_last_o(), .out_status_o(), .key_loaded_i(key_loaded), .key_loaded_slot_i('0),
    .key_open_o(key_open), .core_idle_i, .core_in_valid_o(core_in_valid), .core_in_ready_i,
    .core_in_block_o(core_in_block), .core_in_decrypt_o(), .core_in_slot_o(),
    .core_out_valid_i(core_out_valid), .core_out_block_i
  );

  // The core has a block; zero was asked for under this key, and then its result came.
  logic busy_q, asked_q, known_q;
  block_t zero_q;
  assign key_loaded     = key_i & key_open & rst_ni & ~clear_i;
  assign core_out_valid = busy_q & core_done_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      {busy_q, asked_q, known_q} <= '0;
    end else begin
      busy_q  <= (core_in_valid & core_in_ready_i) | (busy_q & ~core_done_i);
      asked_q <= ~key_loaded & (asked_q | (core_in_valid & core_in_ready_i));
      known_q <= ~key_loaded & (known_q | (asked_q & core_out_valid));
    end
    if (core_out_valid && asked_q && !known_q) zero_q <= core_out_block_i;
  end

  // States: 0 idle, 1 and 2 ask and wait for zero, 3 to 5 run, above those an answer is made.
  always_comb begin
    if (started_q) begin
      if (core_in_valid && !asked_q) assert (core_in_block == '0);
      assert (!known_q || asked_q);
      assert (dut.state_q == 3'd2 || KEYED == known_q);
      assert (!known_q || ZERO == zero_q);
      assert (dut.state_q != 3'd1 || !asked_q);
      assert ((dut.state_q == 3'd2) == (asked_q && !known_q));
      if (dut.state_q >= 3'd3 && dut.state_q <= 3'd5) assert (KEYED);
      assert (busy_q == (dut.state_q == 3'd2 || dut.state_q == 3'd4));
      assert (STILL);
    end
  end
endmodule
"""
)

#: For each form: how it is told bytes, its register of the encryption of zero, and what keeps that
#: right: no memory is cleared behind its back, or nothing is added to the zero that is asked for.
FORMS = {
    "rsm_mode_cmac": {
        "COUNTS": ".in_bytes_i, .out_bytes_o(), .core_in_tag_o(), .core_out_ready_o(), "
        ".core_out_tag_i('0)",
        "KEYED": "dut.keyed_q[0]",
        "ZERO": "dut.keys_q[0]",
        "STILL": "dut.state_q == 3'd0 ? !dut.clearing_q || !known_q "
        ": !dut.clearing_q && dut.slot_q == '0",
    },
    "rsm_mode_cmac_single": {
        "COUNTS": ".in_keep_i(~(16'hffff >> in_bytes_i)), .out_keep_o()",
        "KEYED": "dut.gen_keys.keyed_q",
        "ZERO": "dut.gen_keys.zero_q",
        "STILL": "dut.state_q != 3'd1 || (dut.beat_q == '0 && dut.sum_q == '0)",
    },
}


def bench(form: str) -> str:
    """Return the proof of one form."""
    text = BENCH.replace("MODULE", form)
    for word, meaning in FORMS[form].items():
        text = text.replace(word, meaning)
    return text


def files(form: str) -> list[Path]:
    """Return the other files of one form."""
    answer = [source("rsm_mode_answer")] if form.endswith("single") else []
    return [PACKAGE, *answer]


@pytest.mark.parametrize("form", FORMS)
def test_subkeys_are_those_of_the_key_in_force(form: str, tmp_path: Path) -> None:
    prove(form, bench(form), tmp_path, *files(form), source(form))


FAULTS = [
    # A key comes with a message; a new key leaves the old subkeys; any result is taken for them.
    ("rsm_mode_cmac", "(Plain || stays_keyed)", "(Plain || keyed_q[msg_slot_i])"),
    ("rsm_mode_cmac", "if (key_loaded_i) keyed_q", "if (1'b0) keyed_q"),
    ("rsm_mode_cmac_single", "keyed_q & ~key_loaded_i", "keyed_q"),
    ("rsm_mode_cmac_single", "clear_i || key_loaded_i) keyed_q", "clear_i) keyed_q"),
    ("rsm_mode_cmac_single", "(state_q == StateKeyWait) & core_out_valid_i;", "core_out_valid_i;"),
]


@pytest.mark.parametrize(("form", "right", "wrong"), FAULTS)
def test_a_fault_is_found(form: str, right: str, wrong: str, tmp_path: Path) -> None:
    broken = change(source(form), right, wrong, tmp_path)
    refute(form, bench(form), tmp_path, *files(form), broken)
