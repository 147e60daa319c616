// SPDX-License-Identifier: Apache-2.0
//
// The key channel of a core with stored keys: all 33 round keys, computed one a cycle. They move
// through their registers to where they stay, so no register is addressed.
//
// A key is taken unless one waits or is being expanded. It waits until the blocks inside, which
// still use the keys that are here, have left (`empty_i`); blocks are refused meanwhile. `clear_i`
// moves zeros through in 34 cycles.
//
// Latency: 35 cycles from a key to `ready_o`, in an empty core.
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

  typedef logic [5:0] count_t;

  logic          accept, start;
  logic          waiting_q, moving_q, clearing_q, loaded_q;
  count_t        count_q;
  window_t       window_q, next;
  state_t        key;
  state_t [32:0] keys_q;

  assign key_ready_o = ~waiting_q & ~moving_q;
  assign accept      = key_valid_i & key_ready_o;
  assign start       = waiting_q & empty_i;
  assign idle_o      = key_ready_o;
  assign ready_o     = loaded_q & key_ready_o;
  assign clearing_o  = clearing_q;
  assign keys_o      = keys_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      waiting_q  <= 1'b0;
      moving_q   <= 1'b0;
      clearing_q <= 1'b0;
      loaded_q   <= 1'b0;
      count_q    <= '0;
    end else if (clear_i) begin
      waiting_q  <= 1'b0;
      moving_q   <= 1'b1;
      clearing_q <= 1'b1;
      loaded_q   <= 1'b0;
      count_q    <= '0;
    end else begin
      if (accept)     waiting_q <= 1'b1;
      else if (start) waiting_q <= 1'b0;
      if (start) moving_q <= 1'b1;
      else if (moving_q && count_q == count_t'(33)) begin
        moving_q   <= 1'b0;
        clearing_q <= 1'b0;
        loaded_q   <= ~clearing_q;
      end
      count_q <= moving_q ? count_q + count_t'(1) : '0;
    end
  end

  // In cycle c the window becomes V[c], and round key c - 1 moves in.
  rsm_serpent_key_step u_step (
    .inverse_i (1'b0),
    .index_i   ({count_q, 2'b00}),
    .window_i  (window_q),
    .window_o  (next)
  );

  rsm_serpent_sub #(
    .Sbox (Sbox)
  ) u_sub (
    .box_i (box_t'(3'd4 - count_q[2:0])),
    .x_i   (window_q[7:4]),
    .y_o   (key)
  );

  always_ff @(posedge clk_i) begin
    if (clear_i || clearing_q) window_q <= '0;
    else if (accept)           window_q <= key_i;
    else if (moving_q)         window_q <= next;
    if (moving_q) keys_q <= {key & {128{~clearing_q}}, keys_q[32:1]};
  end

endmodule
