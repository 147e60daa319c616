// SPDX-License-Identifier: Apache-2.0
//
// Receives bytes from a serial line: a start bit, eight bits with the least significant one first,
// no parity, a stop bit; ClocksPerBit cycles of the clock a bit.
//
// The line may change at any time. Every bit is read in its middle, so both ends may differ by
// 4 % in speed. `valid_o` is high for the one cycle in which `data_o` is a byte. A start bit that
// is over before its middle counts as noise, and a byte without its stop bit is dropped.
//
// Latency: 2 + ClocksPerBit / 2 + 9 * ClocksPerBit cycles, from the edge that reads the line low to
// the one from which `valid_o` is high. `clear_i` for one cycle overwrites what came of a byte, and
// drops it.
module rsm_uart_rx #(
  parameter int unsigned ClocksPerBit = 104
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       clear_i,
  input  logic       rx_i,
  output logic       valid_o,
  output logic [7:0] data_o
);

  localparam int unsigned CountWidth = $clog2(ClocksPerBit);

  typedef logic [CountWidth-1:0] count_t;

  if (ClocksPerBit < 4) begin : gen_clocks
    $error("rsm_uart_rx: a bit has four cycles of the clock or more");
  end

  // The first two registers bring the line into step with the clock, the third remembers it.
  logic [2:0] line_q;
  logic       line;
  logic       begins;

  always_ff @(posedge clk_i) begin
    line_q <= {line_q[1:0], rx_i};
  end

  assign line   = line_q[1];
  assign begins = line_q[2] & ~line;

  logic       busy_q;
  logic       valid_q;
  count_t     count_q;  // cycles to the middle of a bit
  logic [3:0] left_q;   // bits behind this one: 9 in the start bit, 0 in the stop bit
  logic [7:0] data_q;
  logic       middle;
  logic       ends, noise;

  assign middle = busy_q & (count_q == '0);
  assign ends   = (left_q == '0);
  assign noise  = (left_q == 4'd9) & line;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      busy_q  <= 1'b0;
      valid_q <= 1'b0;
    end else begin
      busy_q  <= busy_q ? ~(middle & (ends | noise)) : begins;
      valid_q <= middle & ends & line;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!busy_q) begin
      count_q <= count_t'(ClocksPerBit / 2 - 1);
      left_q  <= 4'd9;
    end else if (middle) begin
      count_q <= count_t'(ClocksPerBit - 1);
      left_q  <= left_q - 4'd1;
    end else begin
      count_q <= count_q - count_t'(1);
    end
  end

  // The start bit falls out at the end, the stop bit is not taken in.
  always_ff @(posedge clk_i) begin
    if (clear_i)              data_q <= '0;
    else if (middle && !ends) data_q <= {line, data_q[7:1]};
  end

  assign valid_o = valid_q;
  assign data_o  = data_q;

endmodule
