// SPDX-License-Identifier: Apache-2.0
//
// Counter mode (NIST SP 800-38A, 6.5): the IV is the first counter block, and its last
// `CounterWidth` bits count. The last block may be shorter. Both directions are the same, and keep
// the core full.
//
// A counter does not wrap: a message that needs a block after the one with all ones is refused
// there.
//
// Latency: that of the core; a message begins one cycle after it is accepted.
module rsm_mode_ctr
  import rsm_mode_pkg::*;
#(
  parameter int unsigned Depth        = 2,  // blocks that may be in the core
  parameter int unsigned TagWidth     = 1,
  parameter int unsigned Slots        = 1,  // of keys; messages of others are refused
  parameter int unsigned CounterWidth = 128
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                clear_i,
  output logic                idle_o,
  // A message begins.
  input  logic                msg_valid_i,
  output logic                msg_ready_o,
  input  logic                msg_decrypt_i,
  input  logic [3:0]          msg_slot_i,
  input  logic [127:0]        msg_iv_i,
  input  logic [4:0]          msg_iv_bytes_i,
  input  logic [31:0]         msg_aad_bytes_i,
  input  logic [31:0]         msg_text_bytes_i,
  input  logic [4:0]          msg_tag_bytes_i,
  // What comes in.
  input  logic                in_valid_i,
  output logic                in_ready_o,
  input  logic [127:0]        in_data_i,
  input  logic [4:0]          in_bytes_i,
  input  logic [1:0]          in_part_i,
  input  logic                in_last_i,
  // What goes out.
  output logic                out_valid_o,
  input  logic                out_ready_i,
  output logic [127:0]        out_data_o,
  output logic [4:0]          out_bytes_o,
  output logic [1:0]          out_part_o,
  output logic                out_last_o,
  output logic [2:0]          out_status_o,
  // Keys go past, to the core.
  input  logic                key_loaded_i,
  input  logic [3:0]          key_loaded_slot_i,
  output logic                key_open_o,
  // The full port of the core, seen from here.
  input  logic                core_idle_i,
  output logic                core_in_valid_o,
  input  logic                core_in_ready_i,
  output logic [127:0]        core_in_block_o,
  output logic                core_in_decrypt_o,
  output logic [3:0]          core_in_slot_o,
  output logic [TagWidth-1:0] core_in_tag_o,
  input  logic                core_out_valid_i,
  output logic                core_out_ready_o,
  input  logic [127:0]        core_out_block_i,
  input  logic [TagWidth-1:0] core_out_tag_i
);

  localparam int unsigned Width = CounterWidth;

  typedef logic [Width-1:0] counter_t;

  logic   start, step;
  logic   unused_empty, unused_decrypt, unused_settled, unused_chained, unused_result;
  logic   spent_q;  // the counter has had its last value
  block_t start_iv, counter_q;
  block_t unused_operand;

  if (Width < 1 || Width > 128) begin : gen_no_width
    $error("CounterWidth is 1 to 128 bits");
  end

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      counter_q <= '0;
    end else if (start) begin
      counter_q <= start_iv;
    end else if (step) begin
      counter_q[Width-1:0] <= counter_q[Width-1:0] + counter_t'(1);
    end
    if (start)     spent_q <= 1'b0;
    else if (step) spent_q <= spent_q | (&counter_q[Width-1:0]);
  end

  rsm_mode_stream #(
    .Depth    (Depth),
    .TagWidth (TagWidth),
    .Slots    (Slots)
  ) u_stream (
    .clk_i,
    .rst_ni,
    .clear_i,
    .idle_o,
    .msg_valid_i,
    .msg_ready_o,
    .msg_decrypt_i,
    .msg_slot_i,
    .msg_iv_i,
    .msg_iv_bytes_i,
    .msg_aad_bytes_i,
    .msg_text_bytes_i,
    .msg_tag_bytes_i,
    .in_valid_i,
    .in_ready_o,
    .in_data_i,
    .in_bytes_i,
    .in_part_i,
    .in_last_i,
    .out_valid_o,
    .out_ready_i,
    .out_data_o,
    .out_bytes_o,
    .out_part_o,
    .out_last_o,
    .out_status_o,
    .key_loaded_i,
    .key_loaded_slot_i,
    .key_open_o,
    .core_idle_i,
    .core_in_valid_o,
    .core_in_ready_i,
    .core_in_block_o,
    .core_in_decrypt_o,
    .core_in_slot_o,
    .core_in_tag_o,
    .core_out_valid_i,
    .core_out_ready_o,
    .core_out_block_i,
    .core_out_tag_i,
    .start_o    (start),
    .start_iv_o (start_iv),
    .decrypt_o  (unused_decrypt),
    .step_o     (step),
    .wait_i     (1'b0),
    .refuse_i   (spent_q),
    .block_i    (counter_q),
    .decrypt_i  (1'b0),
    .operand_i  (in_data_i),
    .empty_o    (unused_empty),
    .settled_o  (unused_settled),
    .chained_o  (unused_chained),
    .operand_o  (unused_operand),
    .result_o   (unused_result)
  );

endmodule
