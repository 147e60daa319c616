// SPDX-License-Identifier: Apache-2.0
//
// The state of a folded core: four rows of registers that do ShiftRows, or InvShiftRows, by
// themselves (Satoh 2001, section 3.1, Fig. 2).
//
// New columns enter in order, `Columns` a cycle, and those of the shifted state leave in order at
// `columns_o`. `count_i` numbers the cycles in which they do; with Pause there is one more, marked
// by `pause_i`, in front of them. `plain_o` are the columns as they are, for the result.
//
// Latency: 0. After five cycles without `run_i` (three with two columns), all has been moved out.
module rsm_aes_folded_state
  import rsm_aes_pkg::*;
  import rsm_aes_folded_pkg::*;
#(
  parameter rows_e       Rows      = RowsTapped,
  parameter int unsigned Columns   = 1,
  parameter direction_e  Direction = DirectionForward,
  parameter bit          Pause     = 1'b1
) (
  input  logic                  clk_i,
  input  logic                  run_i,
  input  logic                  inverse_i,
  input  logic                  pause_i,
  // Without Pause: the last columns of a block or of a round but the last one.
  input  logic                  turn_i,
  input  logic [1:0]            count_i,
  input  logic [32*Columns-1:0] columns_i,
  output logic [32*Columns-1:0] columns_o,
  output logic [32*Columns-1:0] plain_o
);

  for (genvar r = 0; r < 4; r++) begin : gen_row
    if (Rows == RowsTurned) begin : gen_turned
      byte_t [Columns-1:0] in, out;

      for (genvar c = 0; c < Columns; c++) begin : gen_column
        localparam int unsigned High = 32 * (Columns - c) - 8 * r - 1;

        assign in[c]                  = columns_i[High -: 8];
        assign columns_o[High -: 8] = out[c];
        assign plain_o[High -: 8]   = out[c];
      end

      rsm_aes_folded_row_turned #(
        .Columns   (Columns),
        .Row       (r),
        .Direction (Direction),
        .Pause     (Pause)
      ) u_row (
        .clk_i,
        .inverse_i,
        .turn_i  (Pause ? run_i & pause_i : turn_i),
        .bytes_i (in),
        .bytes_o (out)
      );
    end else if (Columns == 1) begin : gen_one
      rsm_aes_folded_row #(
        .Row       (r),
        .Direction (Direction),
        .Pause     (Pause)
      ) u_row (
        .clk_i,
        .run_i,
        .inverse_i,
        .pause_i,
        .count_i,
        .byte_i  (columns_i[31-8*r -: 8]),
        .byte_o  (columns_o[31-8*r -: 8]),
        .plain_o (plain_o[31-8*r -: 8])
      );
    end else begin : gen_two
      byte_t [1:0] in, out, plain;

      assign in = {columns_i[31-8*r -: 8], columns_i[63-8*r -: 8]};
      assign {columns_o[31-8*r -: 8], columns_o[63-8*r -: 8]} = out;
      assign {plain_o[31-8*r -: 8], plain_o[63-8*r -: 8]}     = plain;

      rsm_aes_folded_row_pair #(
        .Row       (r),
        .Direction (Direction),
        .Pause     (Pause)
      ) u_row (
        .clk_i,
        .run_i,
        .inverse_i,
        .pause_i,
        .count_i (count_i[0]),
        .bytes_i (in),
        .bytes_o (out),
        .plain_o (plain)
      );
    end
  end

  if (Rows != RowsTurned && Rows != RowsTapped) begin : gen_unknown
    $error("rsm_aes_folded_state: Rows names no way to shift rows");
  end

  logic unused;

  assign unused = ^{run_i, pause_i, turn_i, count_i};

endmodule
