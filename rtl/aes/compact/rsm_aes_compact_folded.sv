// SPDX-License-Identifier: Apache-2.0
//
// AES-128 in both directions, one column a cycle, with round keys stored in memory (Chodowiec and
// Gaj 2003, sections 3.1 to 3.5, Figs. 3 to 8): 3 block RAMs, two with the S-boxes of two bytes
// each, forwards and inverse, and one with the round keys.
//
// The S-boxes are read by the clock, yet a round takes 4 cycles: one byte is forwarded around the
// store of the state. A new key goes through the same S-boxes, a word of 32 bits a cycle.
// InvMixColumns is in the data path, not on the keys (3.4).
//
// Store: 0, shift registers with a tap; 1, dual-port memory; 2, the registers of Fig. 2a.
// ThreeState: whether the S-boxes are switched to the key schedule by the cell rsm_tech_bus, which
// is 3-state buffers where a family has them, or by a multiplexer (3.5 has both).
//
// Narrow native port of 32 bits, flow free, key channel held; `in_key_i`, `in_len_i` and
// `key_len_i` are not read. An idle core is ready for a key and for a block by turns; a key is also
// taken in the last cycle of a block, so that blocks without a gap do not keep it out.
//
// Latency: 42 cycles = 1 + 1 + 4 * 10, both directions: input register, address of the first
// round key, ten rounds. Interval: 46, the four cycles of the input included. Key: 44 cycles from
// the edge that takes it to the first one that can take a block.
//
// `clear_i` overwrites everything with zeros within 44 cycles; then `idle_o` rises.
//
// While no result is on it, `out_block_o` shows intermediate values.
module rsm_aes_compact_folded #(
  parameter int unsigned Store      = 0,
  parameter bit          ThreeState = 1'b0,
  parameter int unsigned TagWidth   = 1
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

  assign unused_inputs = ^{in_key_i, in_len_i, key_len_i};

  // --- Control ---------------------------------------------------------------------------------

  // While run_q is high, the counter goes over the 44 words of the expanded key: for a block with
  // keying_q low, for a new key with it high. A clear is a key of zeros that is never usable.
  // The round is counted from 2, for decryption from 3, to where its complement is the round of
  // the key that decryption needs: 12 - i is the complement of 3 + i.
  logic       run_q, keying_q, wiping_q, turn_q, usable_q;
  logic       decrypt_q;
  logic [3:0] round_q;
  logic [1:0] column_q;
  logic       first_q;
  logic       last;
  logic       finish;
  logic       take_key, take_block;
  logic       blocking;
  logic       entering;
  logic [5:0] address;

  assign blocking = run_q & ~keying_q;
  assign entering = blocking & first_q;
  assign last     = round_q[3] & round_q[2] & (round_q[0] == decrypt_q);
  assign finish   = run_q & last & (column_q == 2'd3);

  assign key_ready_o = ~run_q & turn_q;
  assign in_ready_o  = (~run_q & ~turn_q & usable_q) | (finish & keying_q & ~wiping_q);
  assign take_key    = key_valid_i & key_ready_o;
  assign take_block  = in_valid_i & in_ready_o;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      run_q    <= 1'b0;
      keying_q <= 1'b0;
      wiping_q <= 1'b0;
      turn_q   <= 1'b1;
      usable_q <= 1'b0;
    end else begin
      run_q    <= clear_i | take_key | take_block | (run_q & ~finish);
      keying_q <= clear_i | take_key | (keying_q & ~take_block);
      wiping_q <= clear_i | (wiping_q & ~finish);
      turn_q   <= run_q | ~turn_q;
      usable_q <= ~clear_i & ~take_key & (usable_q | (finish & keying_q & ~wiping_q));
    end
  end

  always_ff @(posedge clk_i) begin
    if (clear_i || take_key) decrypt_q <= 1'b0;
    else if (take_block)     decrypt_q <= in_decrypt_i;
  end

  always_ff @(posedge clk_i) begin
    if (clear_i || take_key || take_block) begin
      first_q  <= 1'b1;
      column_q <= '0;
      round_q  <= {3'b001, take_block & in_decrypt_i & ~clear_i};
    end else begin
      column_q <= column_q + 2'd1;
      if (column_q == 2'd3) begin
        first_q <= 1'b0;
        round_q <= round_q + 4'd1;
      end
    end
  end

  assign address = {round_q ^ {4{decrypt_q}}, column_q};

  // The word of the key comes out a cycle after its address.
  logic bypass_q, inverse_q, valid_q, busy_q;

  always_ff @(posedge clk_i) begin
    bypass_q  <= first_q | last;
    inverse_q <= decrypt_q & ~first_q & ~last;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      valid_q <= 1'b0;
      busy_q  <= 1'b0;
    end else begin
      valid_q <= blocking & last & (column_q == 2'd0);
      busy_q  <= blocking;
    end
  end

  assign idle_o      = ~run_q & ~busy_q;
  assign out_valid_o = valid_q;

  logic [TagWidth-1:0] tag_q;

  always_ff @(posedge clk_i) begin
    if (clear_i)         tag_q <= '0;
    else if (take_block) tag_q <= in_tag_i;
  end

  assign out_tag_o = tag_q;

  // --- The state -------------------------------------------------------------------------------

  // Zero but for the words of a block that enters: nothing else is added with it.
  logic [31:0] in_q, enter_q;
  logic [31:0] shifted;
  logic [31:0] sub;
  logic [31:0] key;
  logic [31:0] column;
  logic [31:0] word;

  always_ff @(posedge clk_i) begin
    in_q <= in_block_i;
  end

  always_ff @(posedge clk_i) begin
    if (clear_i || !entering) enter_q <= '0;
    else                      enter_q <= in_q;
  end

  rsm_aes_compact_mix u_mix (
    .decrypt_i (decrypt_q),
    .inverse_i (inverse_q),
    .bypass_i  (bypass_q),
    .sub_i     (sub),
    .key_i     (key),
    .column_i  (enter_q),
    .column_o  (column)
  );

  assign out_block_o = column;

  rsm_aes_compact_store #(
    .Store (Store)
  ) u_store (
    .clk_i,
    .inverse_i     (decrypt_q),
    .column_i      (column_q),
    .bank_i        (round_q[0]),
    .column_data_i (column),
    .shifted_o     (shifted)
  );

  // --- S-boxes, lent to the key schedule -------------------------------------------------------

  logic        sbox_clear;
  logic [31:0] sbox_in;

  // S-boxes show zero whenever their output is added to something it does not belong to.
  assign sbox_clear = clear_i | wiping_q | ~run_q | (keying_q ? column_q != 2'd3 : first_q);

  if (ThreeState) begin : gen_bus
    rsm_tech_bus #(
      .Width   (32),
      .Sources (2)
    ) u_bus (
      .enable_i ({keying_q, ~keying_q}),
      .data_i   ({word[23:0], word[31:24], shifted}),
      .bus_o    (sbox_in)
    );
  end else begin : gen_multiplexer
    assign sbox_in = keying_q ? {word[23:0], word[31:24]} : shifted;
  end

  for (genvar pair = 0; pair < 2; pair++) begin : gen_pair
    rsm_aes_sbox_block_ram_both u_sbox (
      .clk_i,
      .clear_i     (sbox_clear),
      .a_inverse_i (decrypt_q),
      .a_x_i       (sbox_in[31-16*pair -: 8]),
      .a_y_o       (sub[31-16*pair -: 8]),
      .b_inverse_i (decrypt_q),
      .b_x_i       (sbox_in[23-16*pair -: 8]),
      .b_y_o       (sub[23-16*pair -: 8])
    );
  end

  // --- Round keys ------------------------------------------------------------------------------

  logic keying;

  assign keying = run_q & keying_q;

  rsm_aes_compact_key u_key (
    .clk_i,
    .wipe_i  (clear_i | wiping_q),
    .run_i   (keying),
    .load_i  (first_q),
    .index_i (column_q),
    .key_i,
    .sub_i   (sub),
    .word_o  (word)
  );

  rsm_tech_ram_wide #(
    .Width        (32),
    .AddressWidth (6)
  ) u_memory (
    .clk_i,
    .write_i   (keying),
    .address_i (address),
    .data_i    (word),
    .data_o    (key)
  );

endmodule
