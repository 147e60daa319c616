"""Keys and the small modes, proved by induction: all blocks of a message go under one key.

The core takes blocks and gives results at any time. Keys come whenever the mode is open for them,
in the cycle in which a message begins as well.
"""

from pathlib import Path

import pytest

from proofs import BEGIN, change, prove, refute, source
from roundsmith.paths import RTL
from roundsmith.spec import Mode, formulas

PACKAGE = RTL / "mode/rsm_mode_pkg.sv"

BENCH = (
    """
module proof import rsm_mode_pkg::*; (
  input logic clk_i, clear_i, msg_valid_i, msg_decrypt_i, in_valid_i, in_last_i, out_ready_i,
  input logic key_i, core_idle_i, core_in_ready_i, core_out_valid_i,
  input logic [3:0] msg_slot_i,
  input logic [4:0] msg_iv_bytes_i, msg_tag_bytes_i,
  input logic [31:0] msg_aad_bytes_i, msg_text_bytes_i,
  input logic [15:0] in_keep_i,
  input logic [1:0] in_part_i,
  input block_t msg_iv_i, in_data_i, core_out_block_i
);
"""
    + BEGIN
    + """
  logic msg_ready, key_open, key_loaded, core_in_valid, begins, enters;

  MODULE dut (
    .clk_i, .rst_ni, .clear_i, .idle_o(), .msg_valid_i, .msg_ready_o(msg_ready), .msg_decrypt_i,
    .msg_slot_i, .msg_iv_i, .msg_iv_bytes_i, .msg_aad_bytes_i, .msg_text_bytes_i,
    .msg_tag_bytes_i, .in_valid_i, .in_ready_o(), .in_data_i, .in_keep_i, .in_part_i, .in_last_i,
    .out_valid_o(), .out_ready_i, .out_data_o(), .out_keep_o(), .out_part_o(), .out_last_o(),
    .out_status_o(), .key_loaded_i(key_loaded), .key_loaded_slot_i('0), .key_open_o(key_open),
    .core_idle_i, .core_in_valid_o(core_in_valid), .core_in_ready_i, .core_in_block_o(),
    .core_in_decrypt_o(), .core_in_slot_o(), .core_out_valid_i, .core_out_block_i
  );

  assign key_loaded = key_i & key_open;
  assign begins     = (msg_valid_i & msg_ready) | (BETWEEN);
  assign enters     = core_in_valid & core_in_ready_i;

  // A block of the message has gone, and a key has come since or with it.
  logic entered_q, changed_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      {entered_q, changed_q} <= '0;
    end else begin
      entered_q <= enters | (entered_q & ~begins);
      changed_q <= begins ? key_loaded & enters
                          : changed_q | (key_loaded & (entered_q | enters));
    end
  end

  always_comb begin
    if (started_q) begin
      assert (!(enters && !begins && changed_q));
      assert (!changed_q || !(ACTIVE));
    end
  end
endmodule
"""
)

#: When a message is here, by what controls the mode.
ACTIVE = {
    "rsm_mode_single_through": "dut.u_through.active_q",
    "rsm_mode_single_ahead": "dut.u_ahead.active_q",
    "rsm_mode_cbc_mac_single": "dut.u_cmac.state_q != 3'd0",
    "rsm_mode_cmac_single": "dut.state_q != 3'd0",
    "rsm_mode_ccm_single": "dut.state_q != 4'd0",
    "rsm_mode_xts_single": "dut.state_q != 3'd0",
    "rsm_mode_ocb_single": "dut.state_q != 4'd0",
    "rsm_mode_gcm_single": "dut.state_q > 4'd1",
}

#: When a mode begins something that is no message: the block that makes H of a new key.
BETWEEN = {"rsm_mode_gcm_single": "dut.state_q == 4'd1"}


def bench(mode: Mode) -> tuple[str, str, list[Path]]:
    """Return the module of a mode, its proof and the other files that it is made of."""
    name = f"rsm_mode_{mode}_single"
    parts = ("answer", "single_through", "single_ahead", "cmac_single")
    step = (RTL / "mode/rsm_ghash_step.sv",) if mode is Mode.GCM else ()
    others = [f"rsm_mode_{part}" for part in parts if f"rsm_mode_{part}" != name]
    text = source(name).read_text()
    used = [other for other in others if f"{other} " in text]
    if "rsm_mode_cmac_single" in used:
        used.insert(0, "rsm_mode_answer")
    active = next(when for control, when in ACTIVE.items() if control in (name, *used))
    bench = BENCH.replace("MODULE", name).replace("ACTIVE", active)
    files = [PACKAGE, *map(source, used), *step]
    return name, bench.replace("BETWEEN", BETWEEN.get(name, "1'b0")), files


@pytest.mark.parametrize("mode", formulas.SINGLE)
def test_all_blocks_of_a_message_go_under_one_key(mode: Mode, tmp_path: Path) -> None:
    name, text, others = bench(mode)
    prove(name, text, tmp_path, *others, source(name))


FAULTS = [
    # A key comes with the first block; it comes at any time.
    (Mode.CFB, "~active & ~start;", "~active;"),
    (Mode.OFB, "~active & ~start;", "~active;"),
    (Mode.CTR, "key_open_o     = ~active;", "key_open_o     = 1'b1;"),
    (Mode.CBC, "key_open_o     = ~active;", "key_open_o     = 1'b1;"),
    (Mode.CMAC, "key_open_o   = (state_q == StateIdle);", "key_open_o   = 1'b1;"),
    (Mode.CCM, "key_open_o   = (state_q == StateIdle);", "key_open_o   = 1'b1;"),
    (Mode.XTS, "key_open_o  = (state_q == StateIdle);", "key_open_o  = 1'b1;"),
    (Mode.OCB, "key_open_o   = (state_q == StateIdle);", "key_open_o   = 1'b1;"),
    (Mode.GCM, "key_open_o   = (state_q == StateIdle) & ~start;", "key_open_o   = 1'b1;"),
]


@pytest.mark.parametrize(("mode", "right", "wrong"), FAULTS)
def test_a_fault_is_found(mode: Mode, right: str, wrong: str, tmp_path: Path) -> None:
    name, text, others = bench(mode)
    broken = change(source(name), right, wrong, tmp_path)
    refute(name, text, tmp_path, *others, broken)
