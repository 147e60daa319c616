// SPDX-License-Identifier: Apache-2.0
//
// One S-box: the construction and the direction that the parameters name.
//
// In DirectionBoth `inverse_i` belongs to the byte that enters with it; elsewhere nothing looks
// at it. A block RAM serves two bytes and is not offered here; see rsm_aes_sub_bytes, which also
// puts two circuits side by side where a construction has none for both directions.
//
// Latency: $countones(Cuts) cycles.
module rsm_aes_sbox
  import rsm_aes_pkg::*;
#(
  parameter sbox_e               Sbox      = SboxTable,
  parameter direction_e          Direction = DirectionForward,
  parameter logic [SboxCuts-1:0] Cuts      = '0
) (
  input  logic  clk_i,
  input  logic  clear_i,
  input  logic  inverse_i,
  input  byte_t x_i,
  output byte_t y_o
);

  if (Sbox == SboxTable && Direction == DirectionForward) begin : gen_table
    rsm_aes_sbox_table u_sbox (.clk_i, .clear_i, .x_i, .y_o);
  end else if (Sbox == SboxTable && Direction == DirectionInverse) begin : gen_table_inverse
    rsm_aes_sbox_table_inverse u_sbox (.clk_i, .clear_i, .x_i, .y_o);
  end else if (Sbox == SboxMuxTree && Direction == DirectionForward) begin : gen_mux_tree
    rsm_aes_sbox_mux_tree #(.Cuts (Cuts[1:0])) u_sbox (.clk_i, .clear_i, .x_i, .y_o);
  end else if (Sbox == SboxMuxTree && Direction == DirectionInverse) begin : gen_mux_tree_inverse
    rsm_aes_sbox_mux_tree_inverse #(.Cuts (Cuts[1:0])) u_sbox (.clk_i, .clear_i, .x_i, .y_o);
  end else if (Sbox == SboxGf16 && Direction == DirectionForward) begin : gen_gf16
    rsm_aes_sbox_gf16 #(.Cuts (Cuts[6:0])) u_sbox (.clk_i, .clear_i, .x_i, .y_o);
  end else if (Sbox == SboxGf16 && Direction == DirectionInverse) begin : gen_gf16_inverse
    rsm_aes_sbox_gf16_inverse #(.Cuts (Cuts[6:0])) u_sbox (.clk_i, .clear_i, .x_i, .y_o);
  end else if (Sbox == SboxGf16 && Direction == DirectionBoth) begin : gen_gf16_both
    rsm_aes_sbox_gf16_both #(.Cuts (Cuts[3:0])) u_sbox (.clk_i, .clear_i, .inverse_i, .x_i, .y_o);
  end else if (Sbox == SboxGf4 && Direction == DirectionForward) begin : gen_gf4
    rsm_aes_sbox_gf4 #(.Cuts (Cuts[3:0])) u_sbox (.clk_i, .clear_i, .x_i, .y_o);
  end else if (Sbox == SboxGf4 && Direction == DirectionInverse) begin : gen_gf4_inverse
    rsm_aes_sbox_gf4_inverse #(.Cuts (Cuts[3:0])) u_sbox (.clk_i, .clear_i, .x_i, .y_o);
  end else if (Sbox == SboxGf4 && Direction == DirectionBoth) begin : gen_gf4_both
    rsm_aes_sbox_gf4_both #(.Cuts (Cuts[3:0])) u_sbox (.clk_i, .clear_i, .inverse_i, .x_i, .y_o);
  end else if (Sbox == SboxSharedInverse) begin : gen_shared_inverse
    logic inverse;

    assign inverse = (Direction == DirectionBoth) ? inverse_i : (Direction == DirectionInverse);

    rsm_aes_sbox_shared_inverse_both #(.Cuts (Cuts[1:0])) u_sbox (
      .clk_i, .clear_i, .inverse_i (inverse), .x_i, .y_o
    );
  end else if (Sbox == SboxMinimal && Direction == DirectionForward) begin : gen_minimal
    rsm_aes_sbox_minimal #(.Cuts (Cuts[3:0])) u_sbox (.clk_i, .clear_i, .x_i, .y_o);
  end else if (Sbox == SboxMinimal && Direction == DirectionInverse) begin : gen_minimal_inverse
    rsm_aes_sbox_minimal_inverse #(.Cuts (Cuts[3:0])) u_sbox (.clk_i, .clear_i, .x_i, .y_o);
  end else if (Sbox == SboxMinimal && Direction == DirectionBoth) begin : gen_minimal_both
    rsm_aes_sbox_minimal_both #(.Cuts (Cuts[3:0])) u_sbox (
      .clk_i, .clear_i, .inverse_i, .x_i, .y_o
    );
  end else if (Sbox == SboxFast && Direction == DirectionForward) begin : gen_fast
    rsm_aes_sbox_fast #(.Cuts (Cuts[3:0])) u_sbox (.clk_i, .clear_i, .x_i, .y_o);
  end else if (Sbox == SboxFast && Direction == DirectionInverse) begin : gen_fast_inverse
    rsm_aes_sbox_fast_inverse #(.Cuts (Cuts[3:0])) u_sbox (.clk_i, .clear_i, .x_i, .y_o);
  end else if (Sbox == SboxFast && Direction == DirectionBoth) begin : gen_fast_both
    rsm_aes_sbox_fast_both #(.Cuts (Cuts[3:0])) u_sbox (.clk_i, .clear_i, .inverse_i, .x_i, .y_o);
  end else if (Sbox == SboxLut4 && Direction == DirectionForward) begin : gen_lut4
    rsm_aes_sbox_lut4 #(.Cuts (Cuts[3:0])) u_sbox (.clk_i, .clear_i, .x_i, .y_o);
  end else if (Sbox == SboxLut4 && Direction == DirectionInverse) begin : gen_lut4_inverse
    rsm_aes_sbox_lut4_inverse #(.Cuts (Cuts[3:0])) u_sbox (.clk_i, .clear_i, .x_i, .y_o);
  end else if (Sbox == SboxLut4 && Direction == DirectionBoth) begin : gen_lut4_both
    rsm_aes_sbox_lut4_both #(.Cuts (Cuts[3:0])) u_sbox (.clk_i, .clear_i, .inverse_i, .x_i, .y_o);
  end else if (Sbox == SboxCells && Direction == DirectionForward) begin : gen_cells
    rsm_aes_sbox_cells #(.Cuts (Cuts[3:0])) u_sbox (.clk_i, .clear_i, .x_i, .y_o);
  end else if (Sbox == SboxCells && Direction == DirectionInverse) begin : gen_cells_inverse
    rsm_aes_sbox_cells_inverse #(.Cuts (Cuts[3:0])) u_sbox (.clk_i, .clear_i, .x_i, .y_o);
  end else if (Sbox == SboxCells && Direction == DirectionBoth) begin : gen_cells_both
    rsm_aes_sbox_cells_both #(.Cuts (Cuts[3:0])) u_sbox (.clk_i, .clear_i, .inverse_i, .x_i, .y_o);
  end else begin : gen_unknown
    $error("rsm_aes_sbox: no S-box of one byte has this construction in this direction");
  end

  if (Direction != DirectionBoth) begin : gen_one_direction
    logic unused_inverse;

    assign unused_inverse = inverse_i;
  end

  // The cuts that a construction offers are the lowest bits of the mask.
  function automatic int unsigned offered(sbox_e sbox, direction_e direction);
    case (sbox)
      SboxMuxTree, SboxSharedInverse:                      return 32'd2;
      SboxGf4, SboxMinimal, SboxFast, SboxLut4, SboxCells: return 32'd4;
      SboxGf16: return (direction == DirectionBoth) ? 32'd4 : 32'd7;
      default:                                             return 32'd0;
    endcase
  endfunction

  if (32'(Cuts) >> offered(Sbox, Direction) != '0) begin : gen_no_such_cut
    $error("rsm_aes_sbox: this S-box has fewer internal cuts than Cuts names");
  end

endmodule
