// SPDX-License-Identifier: Apache-2.0
//
// AES-128 encryption a byte a cycle through one S-box, the key with the block: a core for FPGAs
// whose lookup tables can be memories. State and key are 16 bytes of such memory each.
//
// A round: four bytes of the key go through the S-box to their registers. Then, column by column,
// four bytes of the state are read in the order of ShiftRows and go through the S-box to a ring of
// four, and four turns of the ring give MixColumns, to which the next bytes of the key are added
// as they come about. A column is written to the place that it was read from, so the state is
// stored in another order in each round: row i of column c is in column c + i * r (modulo 4)
// after r rounds. In the last round bytes leave as they come, and the ring is only its entry.
//
// Narrow native port of 8 bits, flow free, key with the block; `in_len_i`, `in_decrypt_i` and all
// inputs of the key channel are not read.
//
// Latency: 346 cycles = 1 + 16 + 9 * 36 + 4 + 1: bytes enter; a round has 4 cycles for the key
// and 32 for the state, and its last one no more than one before the first byte. Interval: 362.
//
// `clear_i` overwrites everything with zeros within 16 cycles; then `idle_o` rises.
//
// While no result is on it, `out_block_o` shows intermediate values.
module rsm_aes_compact_serial
  import rsm_aes_pkg::*;
#(
  parameter sbox_e       Sbox     = SboxLut4,
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

  if (sbox_latency(Sbox, '0) != 0) begin : gen_combinational
    $error("rsm_aes_compact_serial: the S-box is one without a clock");
  end

  logic unused_inputs;

  assign unused_inputs = ^{key_valid_i, key_i, key_len_i, in_len_i, in_decrypt_i};
  assign key_ready_o   = 1'b0;

  // --- Control ---------------------------------------------------------------------------------

  // What the core is at; none of them while it waits for a block.
  logic       load_q;   // bytes enter, or zeros while it is cleared
  logic       sub_q;    // bytes of the key go through the S-box
  logic       mix_q;    // a round
  logic       final_q;  // the last round, and the cycle behind it
  logic       wipe_q;
  logic       turn_q;   // within a round: the ring is turned, and a column written
  logic [1:0] column_q, row_q;
  logic [1:0] order_q;  // the number of the round, modulo 4
  logic [1:0] before_q; // the column of the cycle before
  logic       leave_q;  // the byte that was read in the cycle before leaves
  logic [7:0] constant_q;
  logic       start;
  logic       row_last, last_byte;
  logic       next_column;
  logic       first_column;

  assign idle_o       = ~(load_q | sub_q | mix_q | final_q);
  assign in_ready_o   = idle_o;
  assign start        = in_valid_i & idle_o;
  assign row_last     = (row_q == 2'd3);
  assign next_column  = row_last & ~(mix_q & ~turn_q);
  assign last_byte    = next_column & (column_q == 2'd3);
  assign first_column = (column_q == 2'd0);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      load_q  <= 1'b0;
      sub_q   <= 1'b0;
      mix_q   <= 1'b0;
      final_q <= 1'b0;
      wipe_q  <= 1'b0;
    end else if (clear_i) begin
      load_q  <= 1'b1;
      sub_q   <= 1'b0;
      mix_q   <= 1'b0;
      final_q <= 1'b0;
      wipe_q  <= 1'b1;
    end else begin
      load_q  <= start | (load_q & ~last_byte);
      sub_q   <= ((load_q & ~wipe_q) | mix_q) & last_byte | (sub_q & ~last_byte);
      // The last constant of the schedule, 36, belongs to the last round.
      mix_q   <= (sub_q & last_byte & ~(constant_q[5] & constant_q[4])) | (mix_q & ~last_byte);
      final_q <= (sub_q & last_byte & constant_q[5] & constant_q[4])
               | (final_q & ~(leave_q & (before_q == 2'd3) & (row_q == 2'd0)));
      wipe_q  <= load_q & wipe_q & ~last_byte;
    end
  end

  // A round's key bytes 13, 14, 15, 12 go through the S-box while the column is still 3.
  always_ff @(posedge clk_i) begin
    if (clear_i || idle_o) begin
      row_q    <= '0;
      column_q <= '0;
    end else begin
      row_q <= row_q + 2'd1;
      if (next_column) column_q <= (load_q | mix_q) & last_byte ? 2'd3 : column_q + 2'd1;
    end
  end

  always_ff @(posedge clk_i) begin
    turn_q   <= mix_q & (turn_q ^ row_last);
    before_q <= column_q;
    leave_q  <= final_q & ~clear_i;
  end

  always_ff @(posedge clk_i) begin
    if (load_q)                  order_q <= '0;
    else if (sub_q && last_byte) order_q <= order_q + 2'd1;
  end

  always_ff @(posedge clk_i) begin
    if (load_q) constant_q <= 8'h01;
    else if (mix_q && last_byte)
      constant_q <= {constant_q[6:0], 1'b0} ^ (constant_q[7] ? 8'h1b : 8'h00);
  end

  logic valid_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) valid_q <= 1'b0;
    else                    valid_q <= final_q & ~leave_q;
  end

  assign out_valid_o = valid_q;

  logic [TagWidth-1:0] tag_q;

  always_ff @(posedge clk_i) begin
    if (clear_i)    tag_q <= '0;
    else if (start) tag_q <= in_tag_i;
  end

  assign out_tag_o = tag_q;

  // --- Memories --------------------------------------------------------------------------------

  logic [3:0] state_place, key_place;
  logic [7:0] state_read, key_read;
  logic [7:0] state_new, key_new;
  logic       state_write, key_write;

  always_comb begin
    // column + row * order
    state_place[1:0] = row_q;
    state_place[3:2] = column_q + ({2{order_q[0]}} & row_q) + {order_q[1] & row_q[0], 1'b0};
    // In the last round bytes of the key are a cycle behind those of the state.
    key_place[0]     = row_q[0] ^ (sub_q | final_q);
    key_place[1]     = row_q[1] ^ (row_q[0] & sub_q) ^ (~row_q[0] & final_q);
    key_place[3:2]   = final_q ? before_q : column_q;
  end

  assign state_write = load_q | turn_q;
  assign key_write   = load_q | turn_q | leave_q;

  rsm_tech_ram_16 #(
    .Width (8)
  ) u_state (
    .clk_i,
    .write_i         (state_write),
    .write_address_i (state_place),
    .data_i          (state_new),
    .read_address_i  (state_place),
    .data_o          (state_read)
  );

  rsm_tech_ram_16 #(
    .Width (8)
  ) u_key (
    .clk_i,
    .write_i         (key_write),
    .write_address_i (key_place),
    .data_i          (key_new),
    .read_address_i  (key_place),
    .data_o          (key_read)
  );

  logic [7:0] sub;

  rsm_aes_sub_bytes #(
    .Sbox  (Sbox),
    .Bytes (1)
  ) u_sbox (
    .clk_i,
    .clear_i   (1'b0),
    .inverse_i (1'b0),
    .state_i   (sub_q ? key_read : state_read),
    .state_o   (sub)
  );

  // --- Key schedule ----------------------------------------------------------------------------

  // Everything is added to a byte of the old key, so whatever does not belong to it is zero then.
  logic [7:0]      enter_key_q;
  logic [7:0]      round_q;    // the round constant, for the first byte
  logic [3:0][7:0] word_q;     // SubWord(RotWord(w)), for the first four
  logic [3:0][7:0] bytes_q;    // the last four bytes of the new key, for the other twelve

  assign key_new = load_q ? enter_key_q : key_read ^ round_q ^ word_q[3] ^ bytes_q[3];

  always_ff @(posedge clk_i) begin
    if (clear_i || wipe_q) enter_key_q <= '0;
    else                   enter_key_q <= in_key_i;
  end

  always_ff @(posedge clk_i) begin
    if (key_write || (!first_column && !sub_q)) round_q <= '0;
    else                                        round_q <= constant_q;
  end

  always_ff @(posedge clk_i) begin
    if (!first_column && !sub_q)  word_q <= '0;
    else if (sub_q || key_write)  word_q <= {word_q[2:0], sub};
  end

  always_ff @(posedge clk_i) begin
    if (load_q || sub_q) bytes_q <= '0;
    else if (key_write)  bytes_q <= {bytes_q[2:0], key_new};
  end

  // --- MixColumns ------------------------------------------------------------------------------

  // The ring, its oldest byte in ring_q[3]. It is empty while a block enters, and in the last round
  // all but its entry is: then nothing is mixed.
  logic [3:0][7:0] ring_q;
  logic [7:0]      enter_q;
  logic [7:0]      doubled;

  always_ff @(posedge clk_i) begin
    if (clear_i || load_q || idle_o) ring_q[0] <= '0;
    else                  ring_q[0] <= turn_q ? ring_q[3] : sub;
  end

  always_ff @(posedge clk_i) begin
    if (clear_i || load_q || idle_o || final_q) ring_q[3:1] <= '0;
    else                                        ring_q[3:1] <= ring_q[2:0];
  end

  always_ff @(posedge clk_i) begin
    if (clear_i || wipe_q || !(load_q || idle_o)) enter_q <= '0;
    else                                          enter_q <= in_block_i;
  end

  assign doubled = ring_q[3] ^ ring_q[2];

  assign state_new = {doubled[6:0], 1'b0} ^ (doubled[7] ? 8'h1b : 8'h00)
                   ^ ring_q[2] ^ ring_q[1] ^ ring_q[0] ^ enter_q ^ key_new;

  assign out_block_o = state_new;

endmodule
