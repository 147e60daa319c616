// SPDX-License-Identifier: Apache-2.0
//
// Behavioural model of the ECP5 block RAM DP16KD, which Yosys ships as a black box, written
// from the memory map of Yosys' technology files (18-bit words, 20 bits apart in each INITVAL;
// Lattice FPGA-TN-02204, memory usage guide). It has both ports, all widths, the three write
// modes, and the synchronous reset of an output, which blocks a write; an asynchronous one must stay
// low. With 36 bits port A only writes, the upper half from DIB, and port B only reads, the lower
// half to DOA. It knows no output register (REGMODE "NOREG", the only one that Yosys maps to).
// tests/flows/test_models.py compares it with memories written in Verilog.
module DP16KD (
  input  DIA17, DIA16, DIA15, DIA14, DIA13, DIA12, DIA11, DIA10, DIA9,
  input  DIA8, DIA7, DIA6, DIA5, DIA4, DIA3, DIA2, DIA1, DIA0,
  input  ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7,
  input  ADA6, ADA5, ADA4, ADA3, ADA2, ADA1, ADA0,
  input  CEA, OCEA, CLKA, WEA, RSTA, CSA2, CSA1, CSA0,
  output DOA17, DOA16, DOA15, DOA14, DOA13, DOA12, DOA11, DOA10, DOA9,
  output DOA8, DOA7, DOA6, DOA5, DOA4, DOA3, DOA2, DOA1, DOA0,
  input  DIB17, DIB16, DIB15, DIB14, DIB13, DIB12, DIB11, DIB10, DIB9,
  input  DIB8, DIB7, DIB6, DIB5, DIB4, DIB3, DIB2, DIB1, DIB0,
  input  ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7,
  input  ADB6, ADB5, ADB4, ADB3, ADB2, ADB1, ADB0,
  input  CEB, OCEB, CLKB, WEB, RSTB, CSB2, CSB1, CSB0,
  output DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9,
  output DOB8, DOB7, DOB6, DOB5, DOB4, DOB3, DOB2, DOB1, DOB0
);

  parameter DATA_WIDTH_A = 18;
  parameter DATA_WIDTH_B = 18;
  parameter REGMODE_A = "NOREG";
  parameter REGMODE_B = "NOREG";
  parameter RESETMODE = "SYNC";
  parameter ASYNC_RESET_RELEASE = "SYNC";
  parameter CSDECODE_A = "0b000";
  parameter CSDECODE_B = "0b000";
  parameter CLKAMUX = "CLKA";
  parameter CLKBMUX = "CLKB";
  parameter WRITEMODE_A = "NORMAL";
  parameter WRITEMODE_B = "NORMAL";
  parameter GSR = "ENABLED";
  parameter WID = 0;
  parameter [319:0] INITVAL_00 = 320'h0;
  parameter [319:0] INITVAL_01 = 320'h0;
  parameter [319:0] INITVAL_02 = 320'h0;
  parameter [319:0] INITVAL_03 = 320'h0;
  parameter [319:0] INITVAL_04 = 320'h0;
  parameter [319:0] INITVAL_05 = 320'h0;
  parameter [319:0] INITVAL_06 = 320'h0;
  parameter [319:0] INITVAL_07 = 320'h0;
  parameter [319:0] INITVAL_08 = 320'h0;
  parameter [319:0] INITVAL_09 = 320'h0;
  parameter [319:0] INITVAL_0A = 320'h0;
  parameter [319:0] INITVAL_0B = 320'h0;
  parameter [319:0] INITVAL_0C = 320'h0;
  parameter [319:0] INITVAL_0D = 320'h0;
  parameter [319:0] INITVAL_0E = 320'h0;
  parameter [319:0] INITVAL_0F = 320'h0;
  parameter [319:0] INITVAL_10 = 320'h0;
  parameter [319:0] INITVAL_11 = 320'h0;
  parameter [319:0] INITVAL_12 = 320'h0;
  parameter [319:0] INITVAL_13 = 320'h0;
  parameter [319:0] INITVAL_14 = 320'h0;
  parameter [319:0] INITVAL_15 = 320'h0;
  parameter [319:0] INITVAL_16 = 320'h0;
  parameter [319:0] INITVAL_17 = 320'h0;
  parameter [319:0] INITVAL_18 = 320'h0;
  parameter [319:0] INITVAL_19 = 320'h0;
  parameter [319:0] INITVAL_1A = 320'h0;
  parameter [319:0] INITVAL_1B = 320'h0;
  parameter [319:0] INITVAL_1C = 320'h0;
  parameter [319:0] INITVAL_1D = 320'h0;
  parameter [319:0] INITVAL_1E = 320'h0;
  parameter [319:0] INITVAL_1F = 320'h0;
  parameter [319:0] INITVAL_20 = 320'h0;
  parameter [319:0] INITVAL_21 = 320'h0;
  parameter [319:0] INITVAL_22 = 320'h0;
  parameter [319:0] INITVAL_23 = 320'h0;
  parameter [319:0] INITVAL_24 = 320'h0;
  parameter [319:0] INITVAL_25 = 320'h0;
  parameter [319:0] INITVAL_26 = 320'h0;
  parameter [319:0] INITVAL_27 = 320'h0;
  parameter [319:0] INITVAL_28 = 320'h0;
  parameter [319:0] INITVAL_29 = 320'h0;
  parameter [319:0] INITVAL_2A = 320'h0;
  parameter [319:0] INITVAL_2B = 320'h0;
  parameter [319:0] INITVAL_2C = 320'h0;
  parameter [319:0] INITVAL_2D = 320'h0;
  parameter [319:0] INITVAL_2E = 320'h0;
  parameter [319:0] INITVAL_2F = 320'h0;
  parameter [319:0] INITVAL_30 = 320'h0;
  parameter [319:0] INITVAL_31 = 320'h0;
  parameter [319:0] INITVAL_32 = 320'h0;
  parameter [319:0] INITVAL_33 = 320'h0;
  parameter [319:0] INITVAL_34 = 320'h0;
  parameter [319:0] INITVAL_35 = 320'h0;
  parameter [319:0] INITVAL_36 = 320'h0;
  parameter [319:0] INITVAL_37 = 320'h0;
  parameter [319:0] INITVAL_38 = 320'h0;
  parameter [319:0] INITVAL_39 = 320'h0;
  parameter [319:0] INITVAL_3A = 320'h0;
  parameter [319:0] INITVAL_3B = 320'h0;
  parameter [319:0] INITVAL_3C = 320'h0;
  parameter [319:0] INITVAL_3D = 320'h0;
  parameter [319:0] INITVAL_3E = 320'h0;
  parameter [319:0] INITVAL_3F = 320'h0;

  localparam [64*320-1:0] INIT = {
    INITVAL_3F, INITVAL_3E, INITVAL_3D, INITVAL_3C, INITVAL_3B, INITVAL_3A,
    INITVAL_39, INITVAL_38, INITVAL_37, INITVAL_36, INITVAL_35, INITVAL_34,
    INITVAL_33, INITVAL_32, INITVAL_31, INITVAL_30, INITVAL_2F, INITVAL_2E,
    INITVAL_2D, INITVAL_2C, INITVAL_2B, INITVAL_2A, INITVAL_29, INITVAL_28,
    INITVAL_27, INITVAL_26, INITVAL_25, INITVAL_24, INITVAL_23, INITVAL_22,
    INITVAL_21, INITVAL_20, INITVAL_1F, INITVAL_1E, INITVAL_1D, INITVAL_1C,
    INITVAL_1B, INITVAL_1A, INITVAL_19, INITVAL_18, INITVAL_17, INITVAL_16,
    INITVAL_15, INITVAL_14, INITVAL_13, INITVAL_12, INITVAL_11, INITVAL_10,
    INITVAL_0F, INITVAL_0E, INITVAL_0D, INITVAL_0C, INITVAL_0B, INITVAL_0A,
    INITVAL_09, INITVAL_08, INITVAL_07, INITVAL_06, INITVAL_05, INITVAL_04,
    INITVAL_03, INITVAL_02, INITVAL_01, INITVAL_00
  };

  // 2,048 units of nine bits; a word of 18 is two units, narrower words are parts of one.
  reg [8:0] unit [0:2047];
  integer i;

  initial begin
    for (i = 0; i < 1024; i = i + 1) begin
      unit[2*i]   = INIT[320*(i/16) + 20*(i%16) +: 9];
      unit[2*i+1] = INIT[320*(i/16) + 20*(i%16) + 9 +: 9];
    end
  end

  wire [13:0] ada = {ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7,
                     ADA6, ADA5, ADA4, ADA3, ADA2, ADA1, ADA0};
  wire [13:0] adb = {ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7,
                     ADB6, ADB5, ADB4, ADB3, ADB2, ADB1, ADB0};
  wire [17:0] dia = {DIA17, DIA16, DIA15, DIA14, DIA13, DIA12, DIA11, DIA10, DIA9,
                     DIA8, DIA7, DIA6, DIA5, DIA4, DIA3, DIA2, DIA1, DIA0};
  wire [17:0] dib = {DIB17, DIB16, DIB15, DIB14, DIB13, DIB12, DIB11, DIB10, DIB9,
                     DIB8, DIB7, DIB6, DIB5, DIB4, DIB3, DIB2, DIB1, DIB0};
  reg  [17:0] doa;
  reg  [17:0] doa_wide;
  reg  [17:0] dob;

  assign {DOA17, DOA16, DOA15, DOA14, DOA13, DOA12, DOA11, DOA10, DOA9,
          DOA8, DOA7, DOA6, DOA5, DOA4, DOA3, DOA2, DOA1, DOA0} =
         (DATA_WIDTH_B == 36) ? doa_wide : doa;
  assign {DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9,
          DOB8, DOB7, DOB6, DOB5, DOB4, DOB3, DOB2, DOB1, DOB0} = dob;

  initial doa = 18'h0;
  initial doa_wide = 18'h0;
  initial dob = 18'h0;

  // The word at `address` of a port that is `width` bits wide, taken from two units.
  function [17:0] pick(input integer width, input [13:0] address, input [8:0] low,
                       input [8:0] high);
    case (width)
      18:      pick = {high, low};
      9:       pick = {9'h0, low};
      4:       pick = {14'h0, low[4*address[2] +: 4]};
      2:       pick = {16'h0, low[2*address[2:1] +: 2]};
      default: pick = {17'h0, low[address[2:0]]};
    endcase
  endfunction

  // The unit at `address` after a write of `data` with byte enable `enable`.
  function [8:0] merge(input integer width, input [13:0] address, input [8:0] old,
                       input [8:0] data, input enable);
    begin
      merge = old;
      if (enable) begin
        case (width)
          18, 9:   merge = data;
          4:       merge[4*address[2] +: 4] = data[3:0];
          2:       merge[2*address[2:1] +: 2] = data[1:0];
          default: merge[address[2:0]] = data[0];
        endcase
      end
    end
  endfunction

  function [10:0] index(input integer width, input [13:0] address);
    index = (width == 18) ? {address[13:4], 1'b0} : address[13:3];
  endfunction

  wire        clka     = (CLKAMUX == "INV") ? ~CLKA : CLKA;
  wire [10:0] lowa     = index(DATA_WIDTH_A, ada);
  wire [10:0] higha    = {lowa[10:1], 1'b1};
  wire        writea   = CEA & WEA & ~RSTA;
  wire        enla     = (DATA_WIDTH_A == 18) ? ada[0] : 1'b1;
  wire        enha     = (DATA_WIDTH_A == 18) & ada[1];
  wire [8:0]  newla    = merge(DATA_WIDTH_A, ada, unit[lowa], dia[8:0], enla);
  wire [8:0]  newha    = merge(DATA_WIDTH_A, ada, unit[higha], dia[17:9], enha);

  always @(posedge clka) begin
    if (writea && DATA_WIDTH_A != 36) unit[lowa] <= newla;
    if (writea && DATA_WIDTH_A == 18) unit[higha] <= newha;
    if (writea && DATA_WIDTH_A == 36) begin
      if (ada[0]) unit[{ada[13:5], 2'd0}] <= dia[8:0];
      if (ada[1]) unit[{ada[13:5], 2'd1}] <= dia[17:9];
      if (ada[2]) unit[{ada[13:5], 2'd2}] <= dib[8:0];
      if (ada[3]) unit[{ada[13:5], 2'd3}] <= dib[17:9];
    end
    if (CEA) begin
      if (!WEA || WRITEMODE_A == "READBEFOREWRITE")
        doa <= pick(DATA_WIDTH_A, ada, unit[lowa], unit[higha]);
      else if (WRITEMODE_A == "WRITETHROUGH")
        doa <= pick(DATA_WIDTH_A, ada, newla, newha);
    end
    if (RSTA) doa <= 18'h0;
  end

  wire        clkb     = (CLKBMUX == "INV") ? ~CLKB : CLKB;
  wire [10:0] lowb     = index(DATA_WIDTH_B, adb);
  wire [10:0] highb    = {lowb[10:1], 1'b1};
  wire        writeb   = CEB & WEB & ~RSTB;
  wire        enlb     = (DATA_WIDTH_B == 18) ? adb[0] : 1'b1;
  wire        enhb     = (DATA_WIDTH_B == 18) & adb[1];
  wire [8:0]  newlb    = merge(DATA_WIDTH_B, adb, unit[lowb], dib[8:0], enlb);
  wire [8:0]  newhb    = merge(DATA_WIDTH_B, adb, unit[highb], dib[17:9], enhb);

  always @(posedge clkb) begin
    if (writeb) unit[lowb] <= newlb;
    if (writeb && DATA_WIDTH_B == 18) unit[highb] <= newhb;
    if (CEB) begin
      if (DATA_WIDTH_B == 36)
        {dob, doa_wide} <= {unit[{adb[13:5], 2'd3}], unit[{adb[13:5], 2'd2}],
                            unit[{adb[13:5], 2'd1}], unit[{adb[13:5], 2'd0}]};
      else if (!WEB || WRITEMODE_B == "READBEFOREWRITE")
        dob <= pick(DATA_WIDTH_B, adb, unit[lowb], unit[highb]);
      else if (WRITEMODE_B == "WRITETHROUGH")
        dob <= pick(DATA_WIDTH_B, adb, newlb, newhb);
    end
    if (RSTB) {dob, doa_wide} <= 36'h0;
  end

  function known(input integer width);
    known = width == 1 || width == 2 || width == 4 || width == 9 || width == 18 || width == 36;
  endfunction

  // A mode that this model does not know must not pass for one that it does.
  initial begin
    if (REGMODE_A != "NOREG" || REGMODE_B != "NOREG") begin
      $fatal(1, "DP16KD: the model knows REGMODE NOREG only");
    end
    if (!known(DATA_WIDTH_A) || !known(DATA_WIDTH_B)) begin
      $fatal(1, "DP16KD: the model knows widths of 1, 2, 4, 9, 18 and 36 only");
    end
  end

  always @(posedge RSTA or posedge RSTB) begin
    if (RESETMODE != "SYNC") begin
      $fatal(1, "DP16KD: the model knows RESETMODE SYNC only");
    end
  end

endmodule
