// SPDX-License-Identifier: Apache-2.0
//
// Three 32-bit channels around a core that takes batches of four blocks (the chip of Lutz 2002,
// section 2.2 and the queues of Fig. 9 and 10): the pins of rsm_channels32. Every transfer is a
// frame of words, the most significant first: valid and ready move word 0, the others follow on
// consecutive cycles without a handshake. The direction of a block is read with its word 0.
//
// Up to four blocks of one direction are collected; they go to the core in consecutive cycles when
// there are four, or when none is offered that could join them. So a stream of blocks makes whole
// batches, and a block by itself does not wait for others. Results are collected for four cycles,
// and leave one after the other.
//
// A key begins when the core is ready for one and no block is being collected. A block accepted
// after a key uses the new key; one accepted in the same cycle the old one, and then the key waits
// inside for it. From a key's word 0 on no block begins until the core has computed the
// first round key.
//
// Latency: for blocks of a whole batch and a core of 32 cycles, 53 from word 0 to word 0, and 3
// more until the last word: 56 in all. `clear_i` overwrites everything at once.
module rsm_channels32_batch #(
  parameter int unsigned KeyWidth = 256
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                clear_i,
  output logic                idle_o,
  input  logic                key_valid_i,
  output logic                key_ready_o,
  input  logic [31:0]         key_i,
  input  logic                in_valid_i,
  output logic                in_ready_o,
  input  logic [31:0]         in_block_i,
  input  logic                in_decrypt_i,
  output logic                out_valid_o,
  output logic [31:0]         out_block_o,
  // The native port of the core, seen from here.
  input  logic                core_idle_i,
  output logic                core_key_valid_o,
  input  logic                core_key_ready_i,
  output logic [KeyWidth-1:0] core_key_o,
  output logic                core_in_valid_o,
  input  logic                core_in_ready_i,
  output logic [127:0]        core_in_block_o,
  output logic                core_in_decrypt_o,
  input  logic                core_out_valid_i,
  input  logic [127:0]        core_out_block_i
);

  // --- Keys ------------------------------------------------------------------------------------

  logic key_busy, key_whole, taken_key_q, keyed_q, keyed;
  logic empty;

  rsm_frame_in #(
    .Words (KeyWidth / 32)
  ) u_key (
    .clk_i,
    .rst_ni,
    .clear_i,
    .enable_i (core_key_ready_i & empty),
    .busy_o   (key_busy),
    .valid_i  (key_valid_i),
    .ready_o  (key_ready_o),
    .word_i   (key_i),
    .valid_o  (key_whole),
    .ready_i  (core_key_ready_i & empty),
    .data_o   (core_key_o)
  );

  assign core_key_valid_o = key_whole & empty;

  // The core is ready for another key as soon as it is done with this one.
  assign keyed = keyed_q | (taken_key_q & core_key_ready_i);

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      taken_key_q <= 1'b0;
      keyed_q     <= 1'b0;
    end else if (core_key_valid_o && core_key_ready_i) begin
      taken_key_q <= 1'b1;
      keyed_q     <= 1'b0;
    end else begin
      keyed_q     <= keyed;
    end
  end

  // --- Blocks ----------------------------------------------------------------------------------

  // Words that are here, the youngest one lowest; blocks of them that the core has taken already.
  logic [4:0]        count_q;
  logic [2:0]        sent_q;
  logic [15:0][31:0] words_q;
  logic              decrypt_q;
  logic              whole, start, shift, taken;
  logic [1:0]        oldest;

  assign empty      = count_q == '0;
  assign whole      = count_q[1:0] == 2'd0;
  assign in_ready_o = whole & ~count_q[4] & (sent_q == '0) & keyed & ~key_busy
                    & (empty | (in_decrypt_i == decrypt_q));
  assign start      = in_valid_i & in_ready_o;
  assign shift      = start | ~whole;

  // From the first block that the core takes on, the others follow.
  assign core_in_valid_o   = whole & ~empty & ~start;
  assign core_in_decrypt_o = decrypt_q;
  assign taken             = core_in_valid_o & core_in_ready_i;
  assign oldest            = 2'(count_q[4:2] - sent_q - 3'd1);
  assign core_in_block_o   = words_q[4*oldest +: 4];

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      count_q <= '0;
      sent_q  <= '0;
    end else if (shift) begin
      count_q <= count_q + 5'd1;
    end else if (taken) begin
      count_q <= (oldest == 2'd0) ? '0 : count_q;
      sent_q  <= (oldest == 2'd0) ? '0 : sent_q + 3'd1;
    end
    if (start && empty) decrypt_q <= in_decrypt_i;
  end

  always_ff @(posedge clk_i) begin
    if (clear_i)    words_q <= '0;
    else if (shift) words_q <= {words_q[14:0], in_block_i};
  end

  // --- Results ---------------------------------------------------------------------------------

  // Cycles since the first result of a batch: four to collect it, then one every four.
  logic [4:0]        phase_q;
  logic [3:0]        valid_q;
  logic [3:0][127:0] results_q;
  logic              collect, send;
  logic              out_busy;

  assign collect = (phase_q[4:2] == '0) & (core_out_valid_i | (phase_q != '0));
  assign send    = (phase_q[4:2] != '0) & (phase_q[1:0] == '0);

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      phase_q <= '0;
      valid_q <= '0;
    end else begin
      if (phase_q == 5'd16)                phase_q <= '0;
      else if (collect || (phase_q != '0)) phase_q <= phase_q + 5'd1;
      if (collect || send) valid_q <= {collect & core_out_valid_i, valid_q[3:1]};
    end
  end

  always_ff @(posedge clk_i) begin
    if (clear_i)              results_q <= '0;
    else if (collect || send) results_q <= {core_out_block_i & {128{collect}}, results_q[3:1]};
  end

  rsm_frame_out u_out (
    .clk_i,
    .rst_ni,
    .clear_i,
    .busy_o  (out_busy),
    .valid_i (send & valid_q[0]),
    .block_i (results_q[0]),
    .valid_o (out_valid_o),
    .word_o  (out_block_o)
  );

  assign idle_o = core_idle_i & ~key_busy & empty & (phase_q == '0) & ~out_busy;

endmodule
