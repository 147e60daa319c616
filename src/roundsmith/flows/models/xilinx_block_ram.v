// SPDX-License-Identifier: Apache-2.0
//
// Behavioural models of the block RAMs of Virtex, Virtex-E and Spartan-II (RAMB4, 4 kbit) and of
// Virtex-II and Spartan-3 (RAMB16, 16 kbit and 2 kbit of parity), which Yosys ships as black
// boxes. Word i of a port that is w bits wide is bits w*i up to w*i+w-1 of INIT, its parity the
// same of INITP. A port that is not enabled does nothing; a reset sets its output and leaves a
// write alone; RAMB4 shows what it writes, RAMB16 has three write modes (Xilinx DS003, XAPP130;
// DS031, XAPP463). tests/flows/test_models.py compares them with memories written in Verilog.
//
// Not there: memories whose ports differ in width.

// The memory behind both ports. A memory without parity has one bit of it all the same, which
// nobody reads. What a port reads while the other writes the same word is not defined.
module xilinx_block_ram #(
  parameter integer Bits = 4096,
  parameter integer Width = 8,
  parameter integer Parity = 1,
  parameter [Bits-1:0] Init = 0,
  parameter [Bits/8-1:0] InitParity = 0,
  parameter [Width+Parity-1:0] StartA = 0,
  parameter [Width+Parity-1:0] StartB = 0,
  parameter [Width+Parity-1:0] ResetA = 0,
  parameter [Width+Parity-1:0] ResetB = 0,
  parameter ModeA = "WRITE_FIRST",
  parameter ModeB = "WRITE_FIRST"
) (
  input                               clk_a, en_a, we_a, rst_a,
  input      [$clog2(Bits/Width)-1:0] addr_a,
  input      [Width+Parity-1:0]       di_a,
  output reg [Width+Parity-1:0]       do_a,
  input                               clk_b, en_b, we_b, rst_b,
  input      [$clog2(Bits/Width)-1:0] addr_b,
  input      [Width+Parity-1:0]       di_b,
  output reg [Width+Parity-1:0]       do_b
);

  reg [Width+Parity-1:0] words [0:Bits/Width-1];
  integer i;

  initial begin
    for (i = 0; i < Bits / Width; i = i + 1)
      words[i] = {InitParity[Parity*i +: Parity], Init[Width*i +: Width]};
    do_a = StartA;
    do_b = StartB;
  end

  always @(posedge clk_a) begin
    if (en_a) begin
      if (we_a) words[addr_a] <= di_a;
      if (rst_a) do_a <= ResetA;
      else if (!we_a || ModeA == "READ_FIRST") do_a <= words[addr_a];
      else if (ModeA == "WRITE_FIRST") do_a <= di_a;
    end
  end

  always @(posedge clk_b) begin
    if (en_b) begin
      if (we_b) words[addr_b] <= di_b;
      if (rst_b) do_b <= ResetB;
      else if (!we_b || ModeB == "READ_FIRST") do_b <= words[addr_b];
      else if (ModeB == "WRITE_FIRST") do_b <= di_b;
    end
  end

endmodule

`define CONTENT4 \
  parameter [255:0] \
    INIT_00=0, INIT_01=0, INIT_02=0, INIT_03=0, INIT_04=0, INIT_05=0, INIT_06=0, INIT_07=0, \
    INIT_08=0, INIT_09=0, INIT_0A=0, INIT_0B=0, INIT_0C=0, INIT_0D=0, INIT_0E=0, INIT_0F=0; \
  localparam [4095:0] CONTENT = { \
    INIT_0F, INIT_0E, INIT_0D, INIT_0C, INIT_0B, INIT_0A, INIT_09, INIT_08, \
    INIT_07, INIT_06, INIT_05, INIT_04, INIT_03, INIT_02, INIT_01, INIT_00};

`define CONTENT16 \
  parameter [255:0] \
    INIT_00=0, INIT_01=0, INIT_02=0, INIT_03=0, INIT_04=0, INIT_05=0, INIT_06=0, INIT_07=0, \
    INIT_08=0, INIT_09=0, INIT_0A=0, INIT_0B=0, INIT_0C=0, INIT_0D=0, INIT_0E=0, INIT_0F=0, \
    INIT_10=0, INIT_11=0, INIT_12=0, INIT_13=0, INIT_14=0, INIT_15=0, INIT_16=0, INIT_17=0, \
    INIT_18=0, INIT_19=0, INIT_1A=0, INIT_1B=0, INIT_1C=0, INIT_1D=0, INIT_1E=0, INIT_1F=0, \
    INIT_20=0, INIT_21=0, INIT_22=0, INIT_23=0, INIT_24=0, INIT_25=0, INIT_26=0, INIT_27=0, \
    INIT_28=0, INIT_29=0, INIT_2A=0, INIT_2B=0, INIT_2C=0, INIT_2D=0, INIT_2E=0, INIT_2F=0, \
    INIT_30=0, INIT_31=0, INIT_32=0, INIT_33=0, INIT_34=0, INIT_35=0, INIT_36=0, INIT_37=0, \
    INIT_38=0, INIT_39=0, INIT_3A=0, INIT_3B=0, INIT_3C=0, INIT_3D=0, INIT_3E=0, INIT_3F=0; \
  localparam [16383:0] CONTENT = { \
    INIT_3F, INIT_3E, INIT_3D, INIT_3C, INIT_3B, INIT_3A, INIT_39, INIT_38, \
    INIT_37, INIT_36, INIT_35, INIT_34, INIT_33, INIT_32, INIT_31, INIT_30, \
    INIT_2F, INIT_2E, INIT_2D, INIT_2C, INIT_2B, INIT_2A, INIT_29, INIT_28, \
    INIT_27, INIT_26, INIT_25, INIT_24, INIT_23, INIT_22, INIT_21, INIT_20, \
    INIT_1F, INIT_1E, INIT_1D, INIT_1C, INIT_1B, INIT_1A, INIT_19, INIT_18, \
    INIT_17, INIT_16, INIT_15, INIT_14, INIT_13, INIT_12, INIT_11, INIT_10, \
    INIT_0F, INIT_0E, INIT_0D, INIT_0C, INIT_0B, INIT_0A, INIT_09, INIT_08, \
    INIT_07, INIT_06, INIT_05, INIT_04, INIT_03, INIT_02, INIT_01, INIT_00};

`define PARITY16 \
  parameter [255:0] \
    INITP_00=0, INITP_01=0, INITP_02=0, INITP_03=0, \
    INITP_04=0, INITP_05=0, INITP_06=0, INITP_07=0; \
  localparam [2047:0] PARITY = { \
    INITP_07, INITP_06, INITP_05, INITP_04, INITP_03, INITP_02, INITP_01, INITP_00};

// One and two ports of RAMB4; N is the last bit of a word, A that of its address.
`define RAMB4_ONE(NAME, N, A) \
module NAME (output [N:0] DO, input [A:0] ADDR, input [N:0] DI, input EN, CLK, WE, RST); \
  `CONTENT4 \
  wire unused; \
  xilinx_block_ram #(.Width(N+1), .Init(CONTENT)) u_ram ( \
    .clk_a(CLK), .en_a(EN), .we_a(WE), .rst_a(RST), .addr_a(ADDR), .di_a({1'b0, DI}), \
    .do_a({unused, DO}), .clk_b(1'b0), .en_b(1'b0), .we_b(1'b0), .rst_b(1'b0), \
    .addr_b({(A+1){1'b0}}), .di_b({(N+2){1'b0}}), .do_b()); \
endmodule

`define RAMB4_TWO(NAME, N, A) \
module NAME ( \
  output [N:0] DOA, input [A:0] ADDRA, input [N:0] DIA, input ENA, CLKA, WEA, RSTA, \
  output [N:0] DOB, input [A:0] ADDRB, input [N:0] DIB, input ENB, CLKB, WEB, RSTB); \
  parameter SIM_COLLISION_CHECK = "ALL"; \
  `CONTENT4 \
  wire unused_a, unused_b; \
  xilinx_block_ram #(.Width(N+1), .Init(CONTENT)) u_ram ( \
    .clk_a(CLKA), .en_a(ENA), .we_a(WEA), .rst_a(RSTA), .addr_a(ADDRA), .di_a({1'b0, DIA}), \
    .do_a({unused_a, DOA}), \
    .clk_b(CLKB), .en_b(ENB), .we_b(WEB), .rst_b(RSTB), .addr_b(ADDRB), .di_b({1'b0, DIB}), \
    .do_b({unused_b, DOB})); \
endmodule

`RAMB4_ONE(RAMB4_S1, 0, 11)
`RAMB4_ONE(RAMB4_S2, 1, 10)
`RAMB4_ONE(RAMB4_S4, 3, 9)
`RAMB4_ONE(RAMB4_S8, 7, 8)
`RAMB4_ONE(RAMB4_S16, 15, 7)
`RAMB4_TWO(RAMB4_S1_S1, 0, 11)
`RAMB4_TWO(RAMB4_S2_S2, 1, 10)
`RAMB4_TWO(RAMB4_S4_S4, 3, 9)
`RAMB4_TWO(RAMB4_S8_S8, 7, 8)
`RAMB4_TWO(RAMB4_S16_S16, 15, 7)

// The same of RAMB16, without parity (words of up to four bits) and with; P is the last bit of
// the parity.
`define RAMB16_ONE(NAME, N, A) \
module NAME (output [N:0] DO, input [A:0] ADDR, input [N:0] DI, input EN, CLK, WE, SSR); \
  parameter [N:0] INIT = 0, SRVAL = 0; \
  parameter WRITE_MODE = "WRITE_FIRST"; \
  `CONTENT16 \
  wire unused; \
  xilinx_block_ram #(.Bits(16384), .Width(N+1), .Init(CONTENT), \
    .StartA({1'b0, INIT}), .ResetA({1'b0, SRVAL}), .ModeA(WRITE_MODE)) u_ram ( \
    .clk_a(CLK), .en_a(EN), .we_a(WE), .rst_a(SSR), .addr_a(ADDR), .di_a({1'b0, DI}), \
    .do_a({unused, DO}), .clk_b(1'b0), .en_b(1'b0), .we_b(1'b0), .rst_b(1'b0), \
    .addr_b({(A+1){1'b0}}), .di_b({(N+2){1'b0}}), .do_b()); \
endmodule

`define RAMB16_ONE_PARITY(NAME, N, P, A) \
module NAME (output [N:0] DO, output [P:0] DOP, input [A:0] ADDR, input [N:0] DI, \
  input [P:0] DIP, input EN, CLK, WE, SSR); \
  parameter [N+P+1:0] INIT = 0, SRVAL = 0; \
  parameter WRITE_MODE = "WRITE_FIRST"; \
  `CONTENT16 \
  `PARITY16 \
  xilinx_block_ram #(.Bits(16384), .Width(N+1), .Parity(P+1), \
    .Init(CONTENT), .InitParity(PARITY), .StartA(INIT), .ResetA(SRVAL), .ModeA(WRITE_MODE) \
    ) u_ram ( \
    .clk_a(CLK), .en_a(EN), .we_a(WE), .rst_a(SSR), .addr_a(ADDR), .di_a({DIP, DI}), \
    .do_a({DOP, DO}), .clk_b(1'b0), .en_b(1'b0), .we_b(1'b0), .rst_b(1'b0), \
    .addr_b({(A+1){1'b0}}), .di_b({(N+P+2){1'b0}}), .do_b()); \
endmodule

`define RAMB16_TWO(NAME, N, A) \
module NAME ( \
  output [N:0] DOA, input [A:0] ADDRA, input [N:0] DIA, input ENA, CLKA, WEA, SSRA, \
  output [N:0] DOB, input [A:0] ADDRB, input [N:0] DIB, input ENB, CLKB, WEB, SSRB); \
  parameter [N:0] INIT_A = 0, INIT_B = 0, SRVAL_A = 0, SRVAL_B = 0; \
  parameter WRITE_MODE_A = "WRITE_FIRST", WRITE_MODE_B = "WRITE_FIRST"; \
  parameter SIM_COLLISION_CHECK = "ALL"; \
  `CONTENT16 \
  wire unused_a, unused_b; \
  xilinx_block_ram #(.Bits(16384), .Width(N+1), .Init(CONTENT), \
    .StartA({1'b0, INIT_A}), .StartB({1'b0, INIT_B}), .ResetA({1'b0, SRVAL_A}), \
    .ResetB({1'b0, SRVAL_B}), .ModeA(WRITE_MODE_A), .ModeB(WRITE_MODE_B)) u_ram ( \
    .clk_a(CLKA), .en_a(ENA), .we_a(WEA), .rst_a(SSRA), .addr_a(ADDRA), .di_a({1'b0, DIA}), \
    .do_a({unused_a, DOA}), \
    .clk_b(CLKB), .en_b(ENB), .we_b(WEB), .rst_b(SSRB), .addr_b(ADDRB), .di_b({1'b0, DIB}), \
    .do_b({unused_b, DOB})); \
endmodule

`define RAMB16_TWO_PARITY(NAME, N, P, A) \
module NAME ( \
  output [N:0] DOA, output [P:0] DOPA, input [A:0] ADDRA, input [N:0] DIA, \
  input [P:0] DIPA, input ENA, CLKA, WEA, SSRA, \
  output [N:0] DOB, output [P:0] DOPB, input [A:0] ADDRB, input [N:0] DIB, \
  input [P:0] DIPB, input ENB, CLKB, WEB, SSRB); \
  parameter [N+P+1:0] INIT_A = 0, INIT_B = 0, SRVAL_A = 0, SRVAL_B = 0; \
  parameter WRITE_MODE_A = "WRITE_FIRST", WRITE_MODE_B = "WRITE_FIRST"; \
  parameter SIM_COLLISION_CHECK = "ALL"; \
  `CONTENT16 \
  `PARITY16 \
  xilinx_block_ram #(.Bits(16384), .Width(N+1), .Parity(P+1), .Init(CONTENT), \
    .InitParity(PARITY), .StartA(INIT_A), .StartB(INIT_B), \
    .ResetA(SRVAL_A), .ResetB(SRVAL_B), .ModeA(WRITE_MODE_A), .ModeB(WRITE_MODE_B)) u_ram ( \
    .clk_a(CLKA), .en_a(ENA), .we_a(WEA), .rst_a(SSRA), .addr_a(ADDRA), .di_a({DIPA, DIA}), \
    .do_a({DOPA, DOA}), \
    .clk_b(CLKB), .en_b(ENB), .we_b(WEB), .rst_b(SSRB), .addr_b(ADDRB), .di_b({DIPB, DIB}), \
    .do_b({DOPB, DOB})); \
endmodule

`RAMB16_ONE(RAMB16_S1, 0, 13)
`RAMB16_ONE(RAMB16_S2, 1, 12)
`RAMB16_ONE(RAMB16_S4, 3, 11)
`RAMB16_ONE_PARITY(RAMB16_S9, 7, 0, 10)
`RAMB16_ONE_PARITY(RAMB16_S18, 15, 1, 9)
`RAMB16_ONE_PARITY(RAMB16_S36, 31, 3, 8)
`RAMB16_TWO(RAMB16_S1_S1, 0, 13)
`RAMB16_TWO(RAMB16_S2_S2, 1, 12)
`RAMB16_TWO(RAMB16_S4_S4, 3, 11)
`RAMB16_TWO_PARITY(RAMB16_S9_S9, 7, 0, 10)
`RAMB16_TWO_PARITY(RAMB16_S18_S18, 15, 1, 9)
`RAMB16_TWO_PARITY(RAMB16_S36_S36, 31, 3, 8)
