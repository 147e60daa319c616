// SPDX-License-Identifier: Apache-2.0
//
// The state of a folded core: columns go in one a cycle, and columns after ShiftRows or
// InvShiftRows come out one a cycle, which is all that those need (Chodowiec and Gaj 2003, 3.1,
// Fig. 3). Each row is a store of its own.
//
// Column c - 1 (modulo 4) of a round goes in while column c of the next one comes out, for
// `column_i` = c. Column 0 comes out while column 3 goes in, so one byte of it is forwarded past
// the store: that of row 3 for ShiftRows, of row 1 for InvShiftRows (3.2, Fig. 7).
//
// Store 0: shift registers with a tap. 1: dual-port memories with two banks, the one of the columns
// that come out being `bank_i`, which changes whenever `column_i` becomes 0. 2: registers; three
// columns wait in 96 bits until the fourth comes, and all go to 128 bits with a multiplexer behind
// them (Fig. 2a).
//
// Latency: 0 for the forwarded byte, else 1 cycle and more.
module rsm_aes_compact_store #(
  parameter int unsigned Store = 0
) (
  input  logic        clk_i,
  input  logic        inverse_i,
  input  logic [1:0]  column_i,
  input  logic        bank_i,
  input  logic [31:0] column_data_i,
  output logic [31:0] shifted_o
);

  logic first;
  logic last;

  assign first = (column_i == 2'd0);
  assign last  = (column_i == 2'd3);

  if (Store == 0) begin : gen_taps
    logic unused_bank;

    assign unused_bank = bank_i;

    for (genvar row = 0; row < 4; row++) begin : gen_row
      logic [3:0] tap;
      logic [7:0] tapped;
      logic [7:0] data;

      assign data = column_data_i[31-8*row -: 8];

      // With s the last shift, the byte that entered a shift before s is at place 0, and so on.
      if (row == 0) begin : gen_0
        assign tap                 = 4'd2;
        assign shifted_o[31 -: 8]  = tapped;
      end else if (row == 2) begin : gen_2
        assign tap                 = {1'b0, column_i[1], 2'b00};
        assign shifted_o[15 -: 8]  = tapped;
      end else begin : gen_odd
        logic onward;  // this row's bytes come from the column after the present one

        assign onward = (row == 1) ^ inverse_i;
        assign tap    = {1'b0, onward & last, ~onward, 1'b1};

        assign shifted_o[31-8*row -: 8] = (first & ~onward) ? data : tapped;
      end

      rsm_tech_shift_tap #(
        .Width (8),
        .Depth (6)
      ) u_shift (
        .clk_i,
        .enable_i (1'b1),
        .data_i   (data),
        .tap_i    (tap),
        .data_o   (tapped)
      );
    end
  end else if (Store == 1) begin : gen_banks
    logic       write_bank;
    logic [1:0] write_column;
    logic       unused_last;

    assign unused_last  = last;
    assign write_bank   = bank_i ^ ~first;
    assign write_column = column_i - 2'd1;

    for (genvar row = 0; row < 4; row++) begin : gen_row
      logic [1:0] read_column;
      logic [7:0] read;
      logic [7:0] data;

      assign data        = column_data_i[31-8*row -: 8];
      assign read_column = inverse_i ? column_i - 2'(row) : column_i + 2'(row);

      rsm_tech_ram_16 #(
        .Width (8)
      ) u_ram (
        .clk_i,
        .write_i         (1'b1),
        .write_address_i ({1'b0, write_bank, write_column}),
        .data_i          (data),
        .read_address_i  ({1'b0, bank_i, read_column}),
        .data_o          (read)
      );

      if (row == 1 || row == 3) begin : gen_forward
        assign shifted_o[31-8*row -: 8] = (first & ((row == 1) == inverse_i)) ? data : read;
      end else begin : gen_straight
        assign shifted_o[31-8*row -: 8] = read;
      end
    end
  end else if (Store == 2) begin : gen_registers
    // Columns 0 to 2 of the round that goes in; column 0 on top once all three are there.
    logic [2:0][31:0] waiting_q;
    logic [3:0][31:0] whole_d, whole_q;
    logic             unused_last;

    assign unused_last = last ^ bank_i;
    assign whole_d     = first ? {waiting_q, column_data_i} : whole_q;

    always_ff @(posedge clk_i) begin
      waiting_q <= {waiting_q[1:0], column_data_i};
      whole_q   <= whole_d;
    end

    // Only column 0 needs the registers' inputs.
    for (genvar row = 0; row < 4; row++) begin : gen_row
      logic [3:0][7:0] choice;  // by column_i
      logic [7:0]      byte_0, byte_1;

      // Column c of a block is element 3 - c.
      assign byte_0 = (row == 0) ? waiting_q[2][31 -: 8]
                    : (row == 1) ? waiting_q[1][23 -: 8]
                    : (row == 2) ? waiting_q[0][15 -: 8] : column_data_i[7:0];
      assign byte_1 = (row == 0) ? waiting_q[2][31 -: 8]
                    : (row == 1) ? column_data_i[23 -: 8]
                    : (row == 2) ? waiting_q[0][15 -: 8] : waiting_q[1][7:0];
      assign choice[0] = inverse_i ? byte_1 : byte_0;

      for (genvar c = 1; c < 4; c++) begin : gen_column
        assign choice[c] = inverse_i ? whole_q[3-((c + 4 - row) % 4)][31-8*row -: 8]
                                     : whole_q[3-((c + row) % 4)][31-8*row -: 8];
      end

      assign shifted_o[31-8*row -: 8] = choice[column_i];
    end
  end else begin : gen_unknown
    $error("rsm_aes_compact_store: Store names no store");
  end

endmodule
