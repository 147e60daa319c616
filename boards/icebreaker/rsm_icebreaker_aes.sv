// SPDX-License-Identifier: Apache-2.0
//
// AES-128 over the serial line of an iCEBreaker (iCE40 UP5K, clock of 12 MHz): the core
// `smallest-lut` between a receiver and a transmitter. What the bytes mean stands in
// rsm_uart_frame.
//
// The green light is on while there is a key. The user button forgets it, and everything else.
//
// Latency: 363 cycles from the edge that takes the last byte of a block to the one at which the
// transmitter takes the first byte of the answer, a third of the time of one byte on the line.
module rsm_icebreaker_aes #(
  // 12 MHz / 115,200 = 104.2
  parameter int unsigned ClocksPerBit = 104
) (
  input  logic clk_i,
  input  logic btn_ni,
  input  logic rx_i,
  output logic tx_o,
  output logic led_green_no
);

  // --- Reset -----------------------------------------------------------------------------------

  // Registers of iCE40 are zero after configuration. So it begins like after the button: a reset
  // of 14 cycles, and then one cycle of clearing, which a reset would overrule.
  // verilator lint_off PROCASSINIT
  logic [3:0] awake_q = '0;
  // verilator lint_on PROCASSINIT
  logic [1:0] button_q;
  logic       rst_n, clear;

  always_ff @(posedge clk_i) begin
    button_q <= {button_q[0], btn_ni};
  end

  always_ff @(posedge clk_i) begin
    if (!button_q[1])       awake_q <= '0;
    else if (awake_q != '1) awake_q <= awake_q + 4'd1;
  end

  assign rst_n = (awake_q[3:1] == '1);
  assign clear = rst_n & ~awake_q[0];

  // --- The serial line -------------------------------------------------------------------------

  logic       rx_valid, tx_valid, tx_ready;
  logic [7:0] rx_data, tx_data;

  rsm_uart_rx #(
    .ClocksPerBit (ClocksPerBit)
  ) u_rx (
    .clk_i,
    .rst_ni  (rst_n),
    .clear_i (clear),
    .rx_i,
    .valid_o (rx_valid),
    .data_o  (rx_data)
  );

  rsm_uart_tx #(
    .ClocksPerBit (ClocksPerBit)
  ) u_tx (
    .clk_i,
    .rst_ni  (rst_n),
    .clear_i (clear),
    .valid_i (tx_valid),
    .ready_o (tx_ready),
    .data_i  (tx_data),
    .tx_o
  );

  // --- The core --------------------------------------------------------------------------------

  logic       keyed;
  logic       in_valid, in_ready, out_valid;
  logic [7:0] in_block, in_key, out_block;
  logic       idle, key_ready, out_tag;
  logic       unused;

  assign unused       = ^{idle, key_ready, out_tag};
  assign led_green_no = ~keyed;

  rsm_uart_frame u_frame (
    .clk_i,
    .rst_ni      (rst_n),
    .clear_i     (clear),
    .keyed_o     (keyed),
    .rx_valid_i  (rx_valid),
    .rx_data_i   (rx_data),
    .tx_valid_o  (tx_valid),
    .tx_ready_i  (tx_ready),
    .tx_data_o   (tx_data),
    .in_valid_o  (in_valid),
    .in_ready_i  (in_ready),
    .in_block_o  (in_block),
    .in_key_o    (in_key),
    .out_valid_i (out_valid),
    .out_block_i (out_block)
  );

  rsm_aes_compact_serial u_core (
    .clk_i,
    .rst_ni       (rst_n),
    .clear_i      (clear),
    .idle_o       (idle),
    .key_valid_i  (1'b0),
    .key_ready_o  (key_ready),
    .key_i        ('0),
    .key_len_i    ('0),
    .in_valid_i   (in_valid),
    .in_ready_o   (in_ready),
    .in_block_i   (in_block),
    .in_key_i     (in_key),
    .in_len_i     ('0),
    .in_decrypt_i (1'b0),
    .in_tag_i     (1'b0),
    .out_valid_o  (out_valid),
    .out_block_o  (out_block),
    .out_tag_o    (out_tag)
  );

endmodule
