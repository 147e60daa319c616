// SPDX-License-Identifier: Apache-2.0
//
// Sends bytes over a serial line: a start bit, eight bits with the least significant one first, no
// parity, a stop bit; ClocksPerBit cycles of the clock a bit. `valid_i` and `ready_o` move a byte.
//
// Latency: the start bit is on the line from the cycle behind that in which the byte is taken. The
// next byte is taken 10 * ClocksPerBit + 1 cycles later. `clear_i` for one cycle drops a byte that
// is on its way and overwrites it; the line is high from the next cycle on.
module rsm_uart_tx #(
  parameter int unsigned ClocksPerBit = 104
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       clear_i,
  input  logic       valid_i,
  output logic       ready_o,
  input  logic [7:0] data_i,
  output logic       tx_o
);

  localparam int unsigned CountWidth = $clog2(ClocksPerBit);

  typedef logic [CountWidth-1:0] count_t;

  if (ClocksPerBit < 2) begin : gen_clocks
    $error("rsm_uart_tx: a bit has two cycles of the clock or more");
  end

  count_t     count_q;  // cycles that are left of this bit
  logic [3:0] left_q;   // bits that are left with this one: 10 in the start bit, 0 without a byte
  logic [7:0] data_q;
  // The line, upside down: a register that starts at zero keeps it high from the start.
  logic       low_q;
  logic       start, last;

  assign ready_o = (left_q == '0);
  assign start   = valid_i & ready_o;
  assign last    = (count_q == '0);

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      left_q <= '0;
      low_q  <= 1'b0;
    end else if (start) begin
      left_q <= 4'd10;
      low_q  <= 1'b1;
    end else if (last && !ready_o) begin
      left_q <= left_q - 4'd1;
      low_q  <= (left_q > 4'd2) & ~data_q[0];
    end
  end

  always_ff @(posedge clk_i) begin
    if (start || last) count_q <= count_t'(ClocksPerBit - 1);
    else               count_q <= count_q - count_t'(1);
  end

  always_ff @(posedge clk_i) begin
    if (clear_i)    data_q <= '0;
    else if (start) data_q <= data_i;
    else if (last)  data_q <= {1'b0, data_q[7:1]};
  end

  assign tx_o = ~low_q;

endmodule
