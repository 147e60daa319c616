// SPDX-License-Identifier: Apache-2.0
//
// What the modes without a tag have in common: one block of the core for each beat of text.
//
// A mode puts its rule beside this: the block that goes to the core for the beat at the port, and
// an operand that waits for the result. The result and the operand are added, the bytes that the
// beat does not have are taken away, and that is the beat that goes out. Any number of blocks may
// be in the core; `Depth` operands are kept.
//
// A mode that feeds results back waits with `wait_i`. It sees whether all blocks of this message
// have left (`settled_o`: the mode's own register has what it needs), and whether the result of the
// last one is at the port just now (`chained_o`); so a block enters in the cycle in which the one
// before comes out.
//
// A message that is refused goes no farther: its beats are taken, and one empty beat with the
// status ends it. The next message waits in a register, and begins in the cycle after the last
// beat.
//
// Latency: that of the core; a message begins one cycle after it is accepted.
module rsm_mode_stream
  import rsm_mode_pkg::*;
#(
  parameter int unsigned Depth        = 2,
  parameter int unsigned Slots        = 1,
  parameter int unsigned OperandWidth = 128,   // its bits that count, at the left
  parameter bit          Whole        = 1'b0,  // texts have whole blocks
  parameter bit          Encrypts     = 1'b1,
  parameter bit          Decrypts     = 1'b1
) (
  input  logic      clk_i,
  input  logic      rst_ni,
  input  logic      clear_i,
  output logic      idle_o,
  // A message begins.
  input  logic      msg_valid_i,
  output logic      msg_ready_o,
  input  msg_t      msg_i,
  // What comes in.
  input  logic      in_valid_i,
  output logic      in_ready_o,
  input  beat_t     in_i,
  // What goes out.
  output logic      out_valid_o,
  input  logic      out_ready_i,
  output answer_t   out_o,
  // Keys go past, to the core.
  input  key_t      key_i,
  output logic      key_open_o,
  // The full port of the core, seen from here.
  input  logic      core_idle_i,
  output logic      core_in_valid_o,
  input  logic      core_in_ready_i,
  output core_req_t core_in_o,
  input  logic      core_out_valid_i,
  output logic      core_out_ready_o,
  input  core_rsp_t core_out_i,
  // The mode. A message begins at this edge, with this IV; it decrypts.
  output logic                start_o,
  output block_t              start_iv_o,
  output logic                decrypt_o,
  // A block goes to the core at this edge; it is not known yet; there is none for this beat.
  output logic                step_o,
  input  logic                wait_i,
  input  logic                refuse_i,
  // The block, whether the core decrypts it, and what is added to its result.
  input  block_t              block_i,
  input  logic                decrypt_i,
  input  block_t              operand_i,
  // All blocks have left; all of this message have; the result of the last one is at the port; its
  // operand. A result leaves at this edge, which may be an old one where younger ones follow.
  output logic                empty_o,
  output logic                settled_o,
  output logic                chained_o,
  output block_t              operand_o,
  output logic                result_o
);

  localparam int unsigned Kept = (OperandWidth > 0) ? OperandWidth : 1;

  typedef struct packed {
    logic            block;     // there is a block of it in the core
    keep_t           keep;
    logic            last;
    logic            refused;
    logic [Kept-1:0] operand;
  } entry_t;

  msg_t   head;
  logic   head_valid, heads_idle;
  logic   active_q, fresh_q, refused_q, decrypt_q;
  logic   [3:0] slot_q;
  logic   bad, bubble, accept, last_leaves;
  logic   core_side, queue_side;
  logic   queue_ready, queue_idle, queue_valid, single, push;
  logic   unused_single, unused_in;
  entry_t entry_in, entry;

  // --- Messages ---

  rsm_stream_fifo #(
    .Width ($bits(msg_t)),
    .Depth (1)
  ) u_heads (
    .clk_i,
    .rst_ni,
    .clear_i,
    .idle_o      (heads_idle),
    .single_o    (unused_single),
    .in_valid_i  (msg_valid_i),
    .in_ready_o  (msg_ready_o),
    .in_data_i   (msg_i),
    .out_valid_o (head_valid),
    .out_ready_i (start_o),
    .out_data_o  (head)
  );

  assign last_leaves = accept & in_i.last;
  assign start_o     = head_valid & (~active_q | last_leaves);
  assign start_iv_o  = head.iv;
  assign decrypt_o   = decrypt_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) active_q <= 1'b0;
    else if (start_o)       active_q <= 1'b1;
    else if (last_leaves)   active_q <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (clear_i) {decrypt_q, slot_q} <= '0;
    else if (start_o) {decrypt_q, slot_q} <= {head.decrypt, head.slot};
    // No block of this message has gone yet; there is a reason to refuse it.
    if (start_o)     fresh_q <= 1'b1;
    else if (step_o) fresh_q <= 1'b0;
    if (start_o)     refused_q <= (32'(head.slot) >= Slots);
    else if (accept) refused_q <= refused_q | bad;
  end

  assign key_open_o = ~(head_valid & (head.slot == key_i.slot)) &
                      ~(active_q & (slot_q == key_i.slot));

  // --- Beats in ---

  assign bad    = (in_i.part != PartText) | refuse_i | (decrypt_q ? ~Decrypts : ~Encrypts) |
                  (Whole & in_i.keep[15] & ~in_i.keep[0]);
  assign bubble = refused_q | bad | ~in_i.keep[15];

  // A beat with a block needs the core, its last beat or a block the queue; both at once.
  assign core_side  = bubble | (core_in_ready_i & ~wait_i);
  assign queue_side = (bubble & ~in_i.last) | queue_ready;

  assign in_ready_o      = active_q & core_side & queue_side;
  assign accept          = in_valid_i & in_ready_o;
  assign step_o          = accept & ~bubble;
  assign core_in_valid_o = active_q & in_valid_i & ~bubble & ~wait_i & queue_ready;
  assign core_in_o       = '{block: block_i, decrypt: decrypt_i, slot: slot_q};

  assign push     = accept & (~bubble | in_i.last);
  assign entry_in = '{
    block:   ~bubble,
    keep:    bubble ? '0 : in_i.keep,
    last:    in_i.last,
    refused: refused_q | bad,
    operand: (OperandWidth > 0) ? operand_i[127-:Kept] : '0
  };

  // --- Beats out ---

  rsm_stream_fifo #(
    .Width ($bits(entry_t)),
    .Depth (Depth)
  ) u_entries (
    .clk_i,
    .rst_ni,
    .clear_i,
    .idle_o      (queue_idle),
    .single_o    (single),
    .in_valid_i  (push),
    .in_ready_o  (queue_ready),
    .in_data_i   (entry_in),
    .out_valid_o (queue_valid),
    .out_ready_i (out_valid_o & out_ready_i),
    .out_data_o  (entry)
  );

  assign core_out_ready_o = queue_valid & entry.block & out_ready_i;

  assign out_valid_o = queue_valid & (core_out_valid_i | ~entry.block);
  assign out_o       = '{
    data:   kept_bytes(core_out_i.block ^ operand_o, entry.keep),
    keep:   entry.keep,
    part:   PartText,
    last:   entry.last,
    status: '{spare: 1'b0, refused: entry.refused & entry.last, wrong_tag: 1'b0}
  };

  if (OperandWidth > 0) begin : gen_operand
    assign operand_o = {entry.operand, {(128-Kept){1'b0}}};
  end else begin : gen_none
    assign operand_o = '0;
  end

  assign empty_o   = queue_idle;
  assign settled_o = fresh_q | queue_idle;
  assign chained_o = ~fresh_q & single & core_out_valid_i;
  assign result_o  = ~fresh_q & core_out_valid_i & core_out_ready_o;

  assign idle_o = core_idle_i & heads_idle & queue_idle & ~active_q;

  assign unused_in = ^{in_i, head, key_i, operand_i, entry.operand};

endmodule
