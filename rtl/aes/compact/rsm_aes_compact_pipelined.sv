// SPDX-License-Identifier: Apache-2.0
//
// AES-128 encryption, one column a cycle through three registers of 32 bits: Fig. 2b of Chodowiec
// and Gaj 2003, the structure that they take the core of McMillan and Patterson 2001 to have. The
// S-boxes in block RAM are the first register, the others stand behind MixColumns and the key
// addition. The last column of a round is back seven cycles after the first one left.
//
// There is no key schedule: a key is a frame of 44 beats, all round keys from the first one on,
// which are stored in a third block RAM. (McMillan's keys are part of the bitstream.)
//
// Narrow native port of 32 bits, flow free, key channel held; `in_key_i`, `in_len_i`,
// `in_decrypt_i` and `key_len_i` are not read. An idle core is ready for a block and for a key by
// turns; a key is also taken in the last cycle of a block.
//
// Latency: 72 cycles = 2 + 7 * 10. Interval: 76. Key: 44 cycles from the edge that takes its first
// beat to the first one that can take a block.
//
// `clear_i` overwrites everything with zeros within 44 cycles; then `idle_o` rises.
//
// While no result is on it, `out_block_o` shows intermediate values.
module rsm_aes_compact_pipelined #(
  parameter int unsigned TagWidth = 1
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                clear_i,
  output logic                idle_o,
  input  logic                key_valid_i,
  output logic                key_ready_o,
  input  logic [31:0]         key_i,
  input  logic [1:0]          key_len_i,
  input  logic                in_valid_i,
  output logic                in_ready_o,
  input  logic [31:0]         in_block_i,
  input  logic [31:0]         in_key_i,
  input  logic [1:0]          in_len_i,
  input  logic                in_decrypt_i,
  input  logic [TagWidth-1:0] in_tag_i,
  output logic                out_valid_o,
  output logic [31:0]         out_block_o,
  output logic [TagWidth-1:0] out_tag_o
);

  logic unused_inputs;

  assign unused_inputs = ^{in_key_i, in_len_i, in_decrypt_i, key_len_i};

  // --- Control ---------------------------------------------------------------------------------

  // A round is phases 0 to 6. Column c leaves the state in phase c, is in the first register in
  // phase c + 1, and so on. A block enters the second one from phase 1 of round 0 on, in which an
  // idle core waits. The address of the round keys is that for the next phase: 4 * round + c in
  // phase c + 1.
  logic       run_q, keying_q, wiping_q, tail_q, turn_q, usable_q;
  logic [2:0] phase_q;
  logic [5:0] index_q;
  logic       take_key, take_block;
  logic       finish;
  logic       last_word;
  logic       active;

  assign last_word   = (index_q == 6'd43);
  assign finish      = tail_q & (phase_q == 3'd6);
  assign key_ready_o = (~run_q & ~keying_q & turn_q) | finish;
  assign in_ready_o  = ~run_q & ~keying_q & ~turn_q & usable_q;
  assign take_key    = key_valid_i & key_ready_o;
  assign take_block  = in_valid_i & in_ready_o;
  assign idle_o      = ~run_q & ~keying_q;
  assign active      = run_q | take_block;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      run_q    <= 1'b0;
      keying_q <= 1'b0;
      wiping_q <= 1'b0;
      turn_q   <= 1'b0;
      usable_q <= 1'b0;
    end else begin
      run_q    <= ~clear_i & (take_block | (run_q & ~finish));
      keying_q <= clear_i | take_key | (keying_q & ~last_word);
      wiping_q <= clear_i | (wiping_q & ~last_word);
      turn_q   <= ~run_q & ~keying_q & ~turn_q;
      usable_q <= ~clear_i & ~take_key & (usable_q | (keying_q & last_word & ~wiping_q));
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i || finish) tail_q <= 1'b0;
    else                              tail_q <= tail_q | (run_q & last_word);
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i || !active || finish) phase_q <= 3'd1;
    else                                         phase_q <= (phase_q == 3'd6) ? 3'd0
                                                                              : phase_q + 3'd1;
  end

  logic step;

  assign step = keying_q | take_key | (active & (phase_q inside {[3'd1:3'd4]}) & ~tail_q);

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i || last_word) index_q <= '0;
    else if (step)                       index_q <= index_q + 6'd1;
  end

  logic valid_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) valid_q <= 1'b0;
    else                    valid_q <= run_q & (index_q == 6'd41);
  end

  logic [TagWidth-1:0] tag_q;

  always_ff @(posedge clk_i) begin
    if (clear_i)         tag_q <= '0;
    else if (take_block) tag_q <= in_tag_i;
  end

  assign out_tag_o   = tag_q;
  assign out_valid_o = valid_q;

  // --- The round -------------------------------------------------------------------------------

  // Column 0 is element 3.
  logic [3:0][31:0] state_q;
  logic [31:0]      shifted;
  logic [31:0]      sub, mixed;
  logic [31:0]      mixed_q, added_q;
  logic [31:0]      key;
  logic             entering, last_round;

  assign entering   = (index_q[5:2] == 4'd0);
  assign last_round = (index_q[5:2] == 4'd10);

  for (genvar row = 0; row < 4; row++) begin : gen_row
    logic [3:0][7:0] choice;

    for (genvar c = 0; c < 4; c++) begin : gen_column
      assign choice[c] = state_q[3-((c+row)%4)][31-8*row -: 8];
    end

    assign shifted[31-8*row -: 8] = choice[phase_q[1:0]];
  end

  for (genvar pair = 0; pair < 2; pair++) begin : gen_pair
    rsm_aes_sbox_block_ram u_sbox (
      .clk_i,
      .clear_i (clear_i | wiping_q),
      .a_x_i   (shifted[31-16*pair -: 8]),
      .a_y_o   (sub[31-16*pair -: 8]),
      .b_x_i   (shifted[23-16*pair -: 8]),
      .b_y_o   (sub[23-16*pair -: 8])
    );
  end

  rsm_aes_mix_direct u_mix (
    .column_i (sub),
    .column_o (mixed)
  );

  always_ff @(posedge clk_i) begin
    if (clear_i || wiping_q) begin
      mixed_q <= '0;
      added_q <= '0;
    end else begin
      mixed_q <= entering ? in_block_i : last_round ? sub : mixed;
      added_q <= mixed_q ^ key;
    end
  end

  always_ff @(posedge clk_i) begin
    if (clear_i)              state_q <= '0;
    else if (phase_q >= 3'd3) state_q <= {state_q[2:0], added_q};
  end

  assign out_block_o = added_q;

  // --- Round keys ------------------------------------------------------------------------------

  rsm_tech_ram_wide #(
    .Width        (32),
    .AddressWidth (6)
  ) u_memory (
    .clk_i,
    .write_i   (keying_q | take_key),
    .address_i (index_q),
    .data_i    (key_i & {32{~wiping_q}}),
    .data_o    (key)
  );

endmodule
