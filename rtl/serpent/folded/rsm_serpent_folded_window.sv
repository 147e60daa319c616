// SPDX-License-Identifier: Apache-2.0
//
// The key schedule of the folded core: eight words in a row that always move, one place a cycle.
// V[r] = w[4r-4] to w[4r+3] is the window that round key r comes from. What a lap of four cycles,
// counted by `count_i`, does to it:
//
//   load_i    four words of the key come in
//   step_i    V[r] becomes V[r+1], or V[r-1] with `down_i`; r is `place_i`
//   neither   each half goes round by itself, and is back at the end of the lap
//
// So no word needs an enable to wait while its round key is added, and in neither direction more
// than one new word is computed a cycle. `column_o` is byte `count_i` of each of the last four
// words, which go round: the columns that the S-boxes make 32 bits of round key r of.
//
// Latency: 4 cycles for a round key.
module rsm_serpent_folded_window
  import rsm_serpent_pkg::*;
#(
  parameter direction_e Direction = DirectionForward
) (
  input  logic            clk_i,
  input  logic [1:0]      count_i,
  input  logic            load_i,
  input  logic            step_i,
  input  logic            down_i,
  input  logic [5:0]      place_i,
  input  word_t           key_i,
  output logic [3:0][7:0] column_o
);

  window_t window_q, up, down;
  word_t   word;

  // The last word is w[4r+3], the next one w[4r+4]; before the key's own end, r is -1.
  assign up = next_word(window_q, {place_i + 6'd1, count_i});

  always_comb begin
    word = step_i ? up[7] : window_q[4];
    if (load_i) word = key_i;
  end

  if (Direction == DirectionForward) begin : gen_up
    logic unused_down;

    assign down        = '0;
    assign unused_down = ^{down_i, down};
  end else begin : gen_down
    assign down = last_word(window_q, {place_i, ~count_i});
  end

  always_ff @(posedge clk_i) begin
    if (Direction != DirectionForward && step_i && down_i) begin
      window_q <= down;
    end else begin
      window_q    <= {word, window_q[7:1]};
      window_q[3] <= (load_i || step_i) ? window_q[4] : window_q[0];
    end
  end

  // In cycle c of a lap without a step, word j of the four is c places further down.
  for (genvar j = 0; j < 4; j++) begin : gen_column
    always_comb begin
      unique case (count_i)
        2'd0:    column_o[j] = window_q[4 + j][7:0];
        2'd1:    column_o[j] = window_q[4 + (j + 3) % 4][15:8];
        2'd2:    column_o[j] = window_q[4 + (j + 2) % 4][23:16];
        2'd3:    column_o[j] = window_q[4 + (j + 1) % 4][31:24];
      endcase
    end
  end

  logic unused_up;

  assign unused_up = ^up[6:0];

endmodule
