// SPDX-License-Identifier: Apache-2.0
//
// Where one stored round key stands, on a line along which round keys come in parts of eight
// columns (bits 8j to 8j + 7 of all four words, j = 0 first). A place keeps the first four parts
// that it sees after `restart_i` and hands on the others, so nothing has to reach them all. Each
// word takes a part when its own copy of a register says so, a cycle after the part is seen.
//
//    place r-1 --> part_q --> place r+1
//                    |
//                    +--> key_q (the first four parts after restart_i)
//
// Latency: 1 cycle from place to place; a key is whole two cycles after its last part.
module rsm_serpent_key_place
  import rsm_serpent_pkg::*;
(
  input  logic            clk_i,
  input  logic            clear_i,
  input  logic            restart_i,
  input  logic            valid_i,
  input  logic [3:0][7:0] part_i,
  output logic            restart_o,
  output logic            valid_o,
  output logic [3:0][7:0] part_o,
  output state_t          key_o
);

  logic            restart_q, valid_q;
  // Parts that were taken since the restart; bit 2 says that the key is whole.
  logic [2:0]      count_q;
  logic [3:0][7:0] part_q;
  state_t          key_q;
  logic            take;
  logic [3:0]      taken;

  // The place is full after four parts; what comes then is for the places behind it.
  assign take = valid_i & ~count_q[2];

  // 128 bits have one enable each; four copies keep it near them.
  rsm_replicate #(
    .Copies (4)
  ) u_taken (
    .clk_i,
    .clear_i,
    .d_i     (take),
    .q_o     (taken)
  );

  always_ff @(posedge clk_i) begin
    restart_q <= restart_i & ~clear_i;
    valid_q   <= valid_i & count_q[2] & ~clear_i;
    part_q    <= part_i;
    // The restart runs ahead of the parts, so each place is empty when its first part comes.
    if (restart_i) count_q <= '0;
    else if (take) count_q <= count_q + 3'd1;
  end

  for (genvar w = 0; w < 4; w++) begin : gen_word
    always_ff @(posedge clk_i) begin
      // Eight columns are eight bits of each word: a word fills from the top and shifts down.
      if (taken[w]) key_q[w] <= {part_q[w], key_q[w][31:8]};
    end
  end

  assign restart_o = restart_q;
  assign valid_o   = valid_q;
  assign part_o    = part_q;
  assign key_o     = key_q;

endmodule
