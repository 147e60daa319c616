// SPDX-License-Identifier: Apache-2.0
//
// The key expansion of FIPS 197, 5.2, one round key after the other: a register for the window of
// rsm_aes_key_travel, and four S-boxes.
//
// `load_i` takes a key. It waits until `go_i`, which is read no more after that; then round key t
// is written P * t cycles later, P = rsm_aes_pkg::sbox_latency(Sbox, Cuts) + 1, and one more with
// SubCut, a register behind the S-boxes. `busy_o` falls after the last one. A key must not come
// while `busy_o` is high.
//
// With `clear_i` the key is dropped and the window is zero at the next edge; it stays zero, and
// so does `key_o`, until the next key.
//
//    key_i --> [InCut] --> mux --> window_q --+--> key_o
//                           ^                 |
//                           |                 v
//                        key_step <--[SubCut]-- S-boxes <-- key_word
//
// With InCut, a register stands between the key and the window; what moves the window then comes
// from registers too, for it steers wide multiplexers, and so does the round constant, which is
// needed at the end of a step only. With SubCut as well, and keys of 128 bits alone, a register
// holds all of a step but SubWord, so that one lookup table stands before the window.
//
// Latency: round key t is written at edge 1 + P * t after the one that took the key, if it need
// not wait; with InCut one later.
module rsm_aes_key_expander
  import rsm_aes_pkg::*;
#(
  parameter sbox_e               Sbox    = SboxTable,
  parameter logic [SboxCuts-1:0] Cuts    = '0,
  parameter bit                  SubCut  = 1'b0,
  parameter bit                  InCut   = 1'b0,
  parameter lengths_t            Lengths = 3'b001
) (
  input  logic                         clk_i,
  input  logic                         rst_ni,
  input  logic                         clear_i,
  output logic                         busy_o,
  input  logic                         load_i,
  input  logic [key_bits(Lengths)-1:0] key_i,
  input  length_t                      len_i,
  input  logic                         go_i,
  output logic                         write_o,
  output logic                         first_o,
  output logic                         last_o,
  output round_t                       index_o,
  output block_t                       key_o
);

  localparam int unsigned KeyBits = key_bits(Lengths);
  localparam int unsigned Latency = sbox_latency(Sbox, Cuts) + (SubCut ? 32'd1 : 32'd0);

  // Whether the rest of a key step is done before SubWord, in a register of its own.
  localparam bit Ahead = InCut && SubCut && Lengths == 3'b001;

  // The cycles that the round constant can wait for.
  localparam int unsigned Spare     = Latency - ((Ahead || Latency == 0) ? 32'd1 : 32'd0);
  localparam int unsigned StepDelay = !InCut ? 32'd0 : (Spare > 1) ? 32'd2 : Spare;

  // The states of a key: it waits for `go_i` (waiting_q), then its round keys are written
  // (running_q).
  typedef logic [KeyBits-1:0] window_t;

  logic    waiting_q;
  logic    running_q;
  logic    start;
  logic    again;
  logic    step_ahead;
  logic    step_done;
  logic    ending_q;
  logic    load;
  logic    move;
  window_t load_key;
  length_t load_len;
  logic    is_192, is_256;
  length_t len_q;
  round_t  index_q;
  round_t  step, sum_step;
  round_t  rounds;
  window_t window_q;
  window_t window, next;
  window_t stepped;
  word_t   word, subword, subword_q;

  assign is_192 = Lengths[1] & (len_q[0] | (Lengths == 3'b010));
  assign is_256 = Lengths[2] & (len_q[1] | (Lengths == 3'b100));
  assign rounds = is_256 ? 4'd14 : is_192 ? 4'd12 : 4'd10;

  // Round key 0 is the top of the key itself, so it is written when the expansion starts.
  assign start   = waiting_q & go_i;
  assign step    = index_q + round_t'(1);
  assign busy_o  = (InCut & load) | waiting_q | running_q;
  assign write_o = start | again;
  assign first_o = start;
  // `ending_q` was found out a step earlier: comparing the step here would lengthen the path of the
  // write.
  assign last_o  = again & ending_q;
  assign index_o = index_q;
  assign key_o   = window_q[KeyBits-1 -: 128];

  // The cycles of a step: a round key is written in the first one, the S-boxes take the others.
  if (Latency == 0) begin : gen_single
    // With S-boxes that have no register a step takes one cycle: a round key in every cycle.
    assign again      = running_q;
    assign step_done  = write_o;
    assign step_ahead = 1'b0;

    if (InCut) begin : gen_no_cut
      $error("rsm_aes_key_expander: InCut needs a step of several cycles");
    end
  end else begin : gen_many
    // A one moves through `passed_q` while the S-boxes work; at its end the step is done.
    logic               again_q;
    logic [Latency-1:0] passed_q;

    assign again     = again_q;
    assign step_done = passed_q[Latency-1];

    // Whether a step is done in the next cycle.
    if (Latency == 1) begin : gen_ahead_of_one
      assign step_ahead = write_o & ~last_o;
    end else begin : gen_ahead
      assign step_ahead = passed_q[Latency-2];
    end

    always_ff @(posedge clk_i) begin
      if (!rst_ni || clear_i) begin
        again_q  <= 1'b0;
        passed_q <= '0;
      end else begin
        again_q  <= step_done;
        passed_q <= Latency'({passed_q, write_o & ~last_o});
      end
    end
  end

  // The key channel may be far away from the window, so its wires get a cycle.
  rsm_cut #(
    .Width  (KeyBits + 2),
    .Enable (InCut)
  ) u_cut_key (
    .clk_i,
    .clear_i,
    .d_i ({key_i, len_i}),
    .q_o ({load_key, load_len})
  );

  // Two bits steer the multiplexer in front of the whole window. They come from registers, for they
  // have the largest fan-out.
  rsm_cut #(
    .Width  (2),
    .Enable (InCut)
  ) u_cut_move (
    .clk_i,
    .clear_i (clear_i | ~rst_ni),
    .d_i     ({load_i, load_i | (InCut ? step_ahead : step_done)}),
    .q_o     ({load, move})
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      waiting_q <= 1'b0;
      running_q <= 1'b0;
    end else begin
      // A clear drops a key in any state, so both bits have one.
      waiting_q <= load | (waiting_q & ~go_i);
      running_q <= start | (running_q & ~last_o);
    end
  end

  // What is not said to be a step is none: the registers hold while a key waits.
  always_ff @(posedge clk_i) begin
    if (load) begin
      index_q <= '0;
      len_q   <= load_len;
    end else if (step_done) begin
      index_q  <= step;
      ending_q <= step == rounds;
    end
  end

  always_ff @(posedge clk_i) begin
    if (clear_i)   window_q <= '0;
    else if (move) window_q <= load ? load_key : next;
  end

  rsm_aes_key_word #(
    .Lengths (Lengths)
  ) u_word (
    .inverse_i (1'b0),
    .len_i     (len_q),
    .step_i    (step),
    .window_i  (window_q),
    .word_o    (word),
    .window_o  (window)
  );

  rsm_aes_sub_bytes #(
    .Bytes (4),
    .Sbox  (Sbox),
    .Cuts  (Cuts)
  ) u_sub_word (
    .clk_i,
    .clear_i,
    .inverse_i (1'b0),
    .state_i   (word),
    .state_o   (subword)
  );

  rsm_cut #(
    .Width  (32),
    .Enable (SubCut)
  ) u_cut_sub (
    .clk_i,
    .clear_i,
    .d_i (subword),
    .q_o (subword_q)
  );

  // The number of the step is needed at its end only, for the round constant.
  rsm_delay #(
    .Width ($bits(round_t)),
    .Depth (StepDelay)
  ) u_delay_step (
    .clk_i,
    .clear_i (1'b0),
    .d_i     (step),
    .q_o     (sum_step)
  );

  rsm_aes_key_step #(
    .Lengths (Lengths),
    .Shallow (SubCut)
  ) u_step (
    .inverse_i (1'b0),
    .len_i     (len_q),
    .step_i    (sum_step),
    .window_i  (window),
    .subword_i (Ahead ? '0 : subword_q),
    .window_o  (stepped)
  );

  // SubWord takes part in every word: what it is added to is summed up while the S-boxes work.
  if (Ahead) begin : gen_ahead_of_sub
    window_t stepped_q;

    rsm_cut #(
      .Width  (KeyBits),
      .Enable (1'b1)
    ) u_cut_step (
      .clk_i,
      .clear_i,
      .d_i (stepped),
      .q_o (stepped_q)
    );

    // 128 bits: n0 to n3 all contain SubWord exactly once, so one XOR at the end adds it to all
    // four words.
    assign next = stepped_q ^ {4{subword_q}};
  end else begin : gen_behind_sub
    assign next = stepped;
  end

endmodule
