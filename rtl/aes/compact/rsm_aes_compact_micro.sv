// SPDX-License-Identifier: Apache-2.0
//
// AES-128 encryption with block RAM for everything: the state, the key, the S-box with its
// multiples, and the program that says what is done in each cycle. What is left is a counter and
// two sums of eight bits.
//
// One operation a cycle: a byte of the state and one of the key are read, their sum is looked up,
// and what is found there is added to `sum_q` or replaces it. A byte behind MixColumns takes four
// of them, one of the last round or of a result one, one of the key two. All four fields of an
// operation are in the words in which they are due, so no register has to delay them.
//
// Narrow native port of 8 bits, flow free, key with the block; `in_len_i`, `in_decrypt_i` and all
// inputs of the key channel are not read.
//
// Latency: 932 cycles = 1 + 16 + 9 * 64 + 16 + 10 * 32 + 3: bytes enter, nine rounds and the last
// one, ten round keys, three cycles from an operation to its sum. Interval: 948.
//
// `clear_i` overwrites everything with zeros within 33 cycles; then `idle_o` rises.
//
// While no result is on it, `out_block_o` shows intermediate values.
module rsm_aes_compact_micro #(
  parameter int unsigned TagWidth = 1
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                clear_i,
  output logic                idle_o,
  input  logic                key_valid_i,
  output logic                key_ready_o,
  input  logic [7:0]          key_i,
  input  logic [1:0]          key_len_i,
  input  logic                in_valid_i,
  output logic                in_ready_o,
  input  logic [7:0]          in_block_i,
  input  logic [7:0]          in_key_i,
  input  logic [1:0]          in_len_i,
  input  logic                in_decrypt_i,
  input  logic [TagWidth-1:0] in_tag_i,
  output logic                out_valid_o,
  output logic [7:0]          out_block_o,
  output logic [TagWidth-1:0] out_tag_o
);

  logic unused_inputs;

  assign unused_inputs = ^{key_valid_i, key_i, key_len_i, in_len_i, in_decrypt_i};
  assign key_ready_o   = 1'b0;

  // --- The program -----------------------------------------------------------------------------

  // Where the words are that wipe the memories.
  localparam logic [9:0] Wipe = 10'd960;

  logic       run_q, load_q, wipe_q, stale_q;
  logic       start, finish;
  logic [9:0] next_q;
  logic [5:0] state_place;
  logic [3:0] key_place;
  logic [1:0] page;
  logic       replace;
  logic [4:0] place;
  logic       to_state, to_key, leave, last;

  assign idle_o      = ~run_q;
  assign in_ready_o  = ~run_q;
  assign start       = in_valid_i & ~run_q;
  assign finish      = last & run_q & ~stale_q;
  assign out_valid_o = leave & run_q & ~stale_q;

  // The word behind a clear is still one of the block that was dropped.
  always_ff @(posedge clk_i) begin
    stale_q <= clear_i & rst_ni;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      run_q  <= 1'b0;
      load_q <= 1'b0;
      wipe_q <= 1'b0;
    end else if (clear_i) begin
      run_q  <= 1'b1;
      load_q <= 1'b0;
      wipe_q <= 1'b1;
    end else begin
      run_q  <= start | (run_q & ~finish);
      load_q <= start | (load_q & ~next_q[4]);
      wipe_q <= wipe_q & ~finish;
    end
  end

  always_ff @(posedge clk_i) begin
    if (clear_i)                                     next_q <= Wipe;
    else if (!rst_ni || finish || !(run_q || start)) next_q <= '0;
    else                                             next_q <= next_q + 10'd1;
  end

  rsm_aes_compact_program u_program (
    .clk_i,
    .address_i (next_q),
    .data_o    ({state_place, key_place, page, replace, place, to_state, to_key, leave, last})
  );

  // --- Operations ------------------------------------------------------------------------------

  logic [7:0] in_block_q, in_key_q;
  logic [7:0] state_q, key_q;
  logic [7:0] looked_up;
  logic [7:0] sum_q;

  always_ff @(posedge clk_i) begin
    in_block_q <= in_block_i;
    in_key_q   <= in_key_i;
  end

  // No word reads what is being written in the same cycle.
  (* ram_style = "block", no_rw_check *)
  logic [7:0] state_memory_q [64];

  (* ram_style = "block", no_rw_check *)
  logic [7:0] key_memory_q [16];

  // Two banks of the state, zero, and the round constants.
  initial begin
    for (int i = 0; i < 64; i++) state_memory_q[i] = '0;
    state_memory_q[33] = 8'h01;
    state_memory_q[34] = 8'h02;
    state_memory_q[35] = 8'h04;
    state_memory_q[36] = 8'h08;
    state_memory_q[37] = 8'h10;
    state_memory_q[38] = 8'h20;
    state_memory_q[39] = 8'h40;
    state_memory_q[40] = 8'h80;
    state_memory_q[41] = 8'h1b;
    state_memory_q[42] = 8'h36;
  end

  always_ff @(posedge clk_i) begin
    if (to_state && run_q) state_memory_q[{1'b0, place}] <= load_q ? in_block_q : sum_q;
    state_q <= state_memory_q[state_place];
  end

  always_ff @(posedge clk_i) begin
    if (to_key && run_q) key_memory_q[place[3:0]] <= load_q ? in_key_q : sum_q;
    key_q <= key_memory_q[key_place];
  end

  rsm_aes_compact_pages u_pages (
    .clk_i,
    .address_i ({page, state_q ^ key_q}),
    .data_o    (looked_up)
  );

  always_ff @(posedge clk_i) begin
    if (clear_i || wipe_q) sum_q <= '0;
    else                   sum_q <= (sum_q & {8{~replace}}) ^ looked_up;
  end

  assign out_block_o = sum_q;

  logic [TagWidth-1:0] tag_q;

  always_ff @(posedge clk_i) begin
    if (clear_i)    tag_q <= '0;
    else if (start) tag_q <= in_tag_i;
  end

  assign out_tag_o = tag_q;

endmodule
