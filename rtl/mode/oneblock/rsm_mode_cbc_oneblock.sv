// SPDX-License-Identifier: Apache-2.0
//
// Cipher block chaining (NIST SP 800-38A, 6.2) over a core that has one block at a time: a block
// goes from the port to the core, and by way of two registers to the answer
// (rsm_mode_oneblock_through). To encrypt, the register of the result is the chain as well.
//
// It does what rsm_mode_cbc does, of a single key slot, and stands on the native port. Only what
// its directions need is there: one addition of 128 bits for each of them.
//
// Latency: 2 cycles more than that of the core; a message begins one cycle after it is accepted.
module rsm_mode_cbc_oneblock
  import rsm_mode_pkg::*;
#(
  parameter bit Encrypts = 1'b1,
  parameter bit Decrypts = 1'b1
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
  // The core, which cannot wait, seen from here.
  input  logic      core_idle_i,
  output logic      core_in_valid_o,
  input  logic      core_in_ready_i,
  output core_req_t core_in_o,
  input  logic      core_out_valid_i,
  input  core_rsp_t core_out_i
);

  logic   start, active, busy, pending, enter, write, last, refused, empty;
  logic   decrypt_q, fresh_q;
  block_t block, result_q;
  block_t added;  // what the result is added to

  always_ff @(posedge clk_i) begin
    if (clear_i)    decrypt_q <= 1'b0;
    else if (start) decrypt_q <= msg_i.decrypt;
    // No block of this message has gone yet.
    if (start)      fresh_q <= 1'b1;
    else if (enter) fresh_q <= 1'b0;
  end

  if (Encrypts) begin : gen_encrypts
    // The IV until the first block has gone, zero then.
    block_t iv_q;
    logic   chained;

    always_ff @(posedge clk_i) begin
      if (!rst_ni || clear_i || enter)    iv_q <= '0;
      else if (start && (!msg_i.decrypt)) iv_q <= msg_i.iv;
    end

    assign chained = ~decrypt_q & ~fresh_q;
    assign block   = in_i.data ^ iv_q ^ ({128{chained}} & result_q);
  end else begin : gen_no_encrypts
    assign block = in_i.data;
  end

  if (Decrypts) begin : gen_decrypts
    // The ciphertext of the block in the core, and the one before it.
    block_t own_q, before_q;

    always_ff @(posedge clk_i) begin
      if (clear_i)    own_q <= '0;
      else if (start) own_q <= msg_i.iv;
      else if (enter) own_q <= in_i.data;
    end

    always_ff @(posedge clk_i) begin
      if (clear_i || (enter && !decrypt_q)) before_q <= '0;
      else if (enter)                       before_q <= own_q;
    end

    assign added = before_q;
  end else begin : gen_no_decrypts
    assign added = '0;
  end

  assign core_in_o = '{block: block, decrypt: decrypt_q, slot: '0};

  always_ff @(posedge clk_i) begin
    if (clear_i)               result_q <= '0;
    else if (core_out_valid_i) result_q <= core_out_i.block ^ added;
  end

  rsm_mode_oneblock_through u_through (
    .clk_i,
    .rst_ni,
    .clear_i,
    .msg_valid_i,
    .msg_ready_o,
    .msg_i,
    .in_valid_i,
    .in_ready_o,
    .in_i,
    .core_in_valid_o,
    .core_in_ready_i,
    .core_out_valid_i,
    .out_valid_i (out_valid_o),
    .start_o     (start),
    .active_o    (active),
    .busy_o      (busy),
    .pending_o   (pending),
    .enter_o     (enter),
    .refuse_i    (decrypt_q ? ~Decrypts : ~Encrypts),
    .wait_i      (~decrypt_q & ~fresh_q & busy),
    .write_o     (write),
    .empty_o     (empty),
    .last_o      (last),
    .refused_o   (refused)
  );

  rsm_mode_answer u_answer (
    .clk_i,
    .rst_ni,
    .clear_i,
    .write_i   (write),
    .data_i    (result_q),
    .keep_i    ('1),
    .empty_i   (empty),
    .last_i    (last),
    .refused_i (refused),
    .valid_o   (out_valid_o),
    .ready_i   (out_ready_i),
    .answer_o  (out_o)
  );

  assign key_open_o = ~active;
  assign idle_o     = core_idle_i & ~active & ~pending & ~out_valid_o;

  logic unused_in;

  assign unused_in = ^{msg_i, in_i, key_i, fresh_q};

endmodule
