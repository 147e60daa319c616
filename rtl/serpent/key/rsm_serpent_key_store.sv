// SPDX-License-Identifier: Apache-2.0
//
// The key channel of a core with stored keys: all 33 round keys, a word of the key schedule and
// eight S-boxes a cycle. The round keys move down a line of places, the first one to the first
// (rsm_serpent_key_place). No signal reaches more than one place, and no more than two lookup
// tables of four inputs stand between two registers, but for the control.
//
//    key_i --> window (a word a cycle) --> group (4 words, 8 columns a cycle)
//                                             |
//              8 S-boxes, in pairs <----------+
//                   |
//                   +--> place 0 --> place 1 --> ... --> place 32   (keys_o)
//
// A key is taken unless one waits or is being expanded. It waits until the blocks inside, which
// still use the keys that are here, have left (`empty_i`); blocks are refused meanwhile. `clear_i`
// moves zeros through in 172 cycles.
//
// With c counted from the first word, w[c - 1] has come in cycle c; round key r is whole in cycle
// 4r + 4, and its parts are at place 0 in cycles 4r + 7 to 4r + 10, at place r r cycles later.
//
// Latency: 175 cycles from the edge that accepts a key to the first that can accept a block with
// it, in an empty core.
module rsm_serpent_key_store
  import rsm_serpent_pkg::*;
#(
  parameter sbox_e Sbox = SboxTable
) (
  input  logic          clk_i,
  input  logic          rst_ni,
  input  logic          clear_i,
  output logic          idle_o,
  // The key channel: w[-8] to w[-1].
  input  logic          key_valid_i,
  output logic          key_ready_o,
  input  window_t       key_i,
  // No block is inside.
  input  logic          empty_i,
  output logic          ready_o,
  // Keys are being overwritten, and blocks must not be what is left of them.
  output logic          clearing_o,
  output state_t [32:0] keys_o
);

  typedef logic [7:0] count_t;

  // The last part of round key 32 is there in the cycle after.
  // 33 round keys of four words, the way through the S-boxes, and 32 places.
  localparam count_t Last = 8'd171;

  // The name of a register ends in `_q`, that of its next value in `_d`.
  logic   accept, start, busy_d;
  logic   waiting_d, moving_d, loaded_d, ready_d, ready_q, open_q;
  logic   waiting_q, empty_q, moving_q, last_q, clearing_q, loaded_q;
  count_t count_q;

  // Registers that say so at once: who offers a key waits for `ready_q`, and all the bits of a
  // block for `open_q`.
  assign waiting_d = (waiting_q | accept) & ~start & ~clear_i;
  assign moving_d  = (moving_q & ~last_q) | start | clear_i;
  assign loaded_d  = (last_q ? ~clearing_q : loaded_q) & ~clear_i;
  assign busy_d    = waiting_q | accept | (moving_q & ~last_q) | clear_i;
  assign ready_d   = ~rst_ni | ~busy_d;

  always_ff @(posedge clk_i) begin
    waiting_q <= rst_ni & waiting_d;
    moving_q  <= rst_ni & moving_d;
    loaded_q  <= rst_ni & loaded_d;
    ready_q   <= ready_d;
    open_q    <= rst_ni & loaded_d & ~busy_d;
  end

  assign key_ready_o = ready_q;
  assign accept      = key_valid_i & key_ready_o;
  // The keys here are overwritten from now on, so the core must be empty.
  assign start       = waiting_q & empty_q;
  assign idle_o      = key_ready_o;
  assign ready_o     = open_q;
  assign clearing_o  = clearing_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      empty_q    <= 1'b0;
      last_q     <= 1'b0;
      clearing_q <= 1'b0;
      count_q    <= '0;
    end else if (clear_i) begin
      empty_q    <= 1'b0;
      last_q     <= 1'b0;
      clearing_q <= 1'b1;
      count_q    <= '0;
    end else begin
      // A block accepted together with the key is seen in the cycle after.
      empty_q <= waiting_q & empty_i & ~start;
      last_q  <= moving_q & (count_q == Last - count_t'(1));
      // A clear is an expansion of zeros: the same counter, the same line, no reset for 4,224 bits.
      if (last_q) clearing_q <= 1'b0;
      count_q <= moving_q ? count_q + count_t'(1) : '0;
    end
  end

  // --- The key schedule ------------------------------------------------------------------------

  // The window is the key at first, then eight words of the schedule in a row.
  window_t window_q, next;
  state_t  group_q;

  rsm_serpent_key_step #(
    .Words (1)
  ) u_step (
    .inverse_i (1'b0),
    .index_i   (count_q),
    .window_i  (window_q),
    .window_o  (next)
  );

  // What stands at the input while there is no key is of no use, and 256 bits need not wait for the
  // handshake to be left out: the window stands still only while a key waits in it. Each word has
  // copies of its own of `ready_q`, `clearing_q` and what lets it go on.
  logic [7:0] load, zero, pass;

  rsm_replicate #(
    .Copies (8)
  ) u_load (
    .clk_i,
    .clear_i (1'b0),
    .d_i     (ready_d),
    .q_o     (load)
  );

  rsm_replicate #(
    .Copies (8)
  ) u_zero (
    .clk_i,
    .clear_i (~rst_ni),
    .d_i     (clear_i | (clearing_q & ~last_q)),
    .q_o     (zero)
  );

  rsm_replicate #(
    .Copies (8)
  ) u_pass (
    .clk_i,
    .clear_i (1'b0),
    .d_i     (~rst_ni | ~(waiting_q | accept) | moving_d),
    .q_o     (pass)
  );

  for (genvar w = 0; w < 8; w++) begin : gen_window
    always_ff @(posedge clk_i) begin
      if (zero[w])      window_q[w] <= '0;
      else if (pass[w]) window_q[w] <= load[w] ? key_i[w] : next[w];
    end
  end

  // Four words of a round key, eight columns of which go on in every cycle; each word waits for a
  // copy of its own, which is told a cycle ahead.
  logic [3:0] whole;

  rsm_replicate #(
    .Copies (4)
  ) u_whole (
    .clk_i,
    .clear_i (1'b0),
    .d_i     (~moving_q | (count_q[1:0] == 2'd3)),
    .q_o     (whole)
  );

  for (genvar w = 0; w < 4; w++) begin : gen_word
    always_ff @(posedge clk_i) begin
      // Four words are taken at once, then eight bits of each leave in each of four cycles.
      group_q[w] <= whole[w] ? window_q[4+w] : {8'd0, group_q[w][31:8]};
    end
  end

  // --- The S-boxes -----------------------------------------------------------------------------

  // Round key r comes from S-box 3 - r mod 8; its columns are there in cycles 4r + 5 to 4r + 8. In
  // one cycle each pair of S-boxes chooses, in the next one the pairs do.
  box_t                 box;
  logic [1:0]           next_pair_q, pair_q;
  logic [3:0]           odd;
  logic [3:0][3:0][7:0] y, y_q;
  logic [3:0][7:0]      columns;

  // Two bits choose a pair, the lowest one the S-box in it.
  assign box = 3'd4 - count_q[4:2];

  always_ff @(posedge clk_i) begin
    next_pair_q <= box[2:1];
    // The choice of the pair is needed one cycle after that inside the pair.
    pair_q      <= next_pair_q;
    y_q         <= y;
  end

  // Each pair chooses by a copy of its own.
  rsm_replicate #(
    .Copies (4)
  ) u_odd (
    .clk_i,
    .clear_i (1'b0),
    .d_i     (box[0]),
    .q_o     (odd)
  );

  for (genvar w = 0; w < 4; w++) begin : gen_columns
    assign columns[w] = group_q[w][7:0];
  end

  for (genvar p = 0; p < 4; p++) begin : gen_pair
    rsm_serpent_sub #(
      .Sbox  (Sbox),
      // S-boxes 2p and 2p + 1.
      .Boxes (8'd3 << (2 * p)),
      .Width (8)
    ) u_sub (
      .box_i ({2'(p), odd[p]}),
      .x_i   (columns),
      .y_o   (y[p])
    );
  end

  // --- The line --------------------------------------------------------------------------------

  logic                  stop, began_q, first_q, final_q, sends_q, restart_q, valid_q;
  logic [3:0][7:0]       part_q;
  logic [33:0]           restart, valid;
  logic [33:0][3:0][7:0] part;

  // Nothing may move on at a clear, or parts of the old key would come behind the zeros.
  assign stop = clear_i | ~rst_ni;

  // Parts stand at place 0 in cycles 7 to 138, and zeros when there are none. What depends on the
  // count is known a cycle ahead.
  always_ff @(posedge clk_i) begin
    began_q   <= rst_ni & (start | clear_i);
    first_q   <= moving_q & (count_q == 8'd4) & ~stop;
    final_q   <= count_q == 8'd136;
    sends_q   <= (sends_q | first_q) & ~final_q & ~stop;
    restart_q <= began_q & ~stop;
    valid_q   <= sends_q & ~stop;
    part_q    <= y_q[pair_q] & {32{sends_q & ~clearing_q}};
  end

  // Wires from place to place; no signal reaches more than one of them.
  assign restart[0] = restart_q;
  assign valid[0]   = valid_q;
  assign part[0]    = part_q;

  for (genvar r = 0; r < 33; r++) begin : gen_place
    rsm_serpent_key_place u_place (
      .clk_i,
      .clear_i   (stop),
      .restart_i (restart[r]),
      .valid_i   (valid[r]),
      .part_i    (part[r]),
      .restart_o (restart[r+1]),
      .valid_o   (valid[r+1]),
      .part_o    (part[r+1]),
      .key_o     (keys_o[r])
    );
  end

  logic unused_ends;

  assign unused_ends = ^{restart[33], valid[33], part[33]};

endmodule
