// SPDX-License-Identifier: Apache-2.0
//
// A multiplier in the field of GHASH that takes `Digit` bits of one factor a cycle, the highest
// powers first (elements as in rsm_ghash_step).
//
// `start_i` may come again in the cycle of the last step; `product_o` is the product in that cycle
// already, and stays until the next start. `done_o` follows one cycle later, with the `mark_i` that
// came with the start and the product in `kept_o`, which the next multiplication may overwrite a
// cycle later.
//
// Latency: ceil(128 / Digit) cycles.
module rsm_ghash_lane #(
  parameter int unsigned Digit     = 8,
  parameter int unsigned MarkWidth = 1
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 clear_i,
  output logic                 idle_o,
  output logic                 free_o,
  input  logic                 start_i,
  input  logic [127:0]         value_i,
  input  logic [127:0]         factor_i,
  input  logic [MarkWidth-1:0] mark_i,
  output logic [127:0]         product_o,
  output logic                 done_o,
  output logic [127:0]         kept_o,
  output logic [MarkWidth-1:0] mark_o
);

  localparam int unsigned Steps      = (127 + Digit) / Digit;
  localparam int unsigned Room       = Steps * Digit;
  localparam int unsigned CountWidth = $clog2(Steps + 1);

  typedef logic [CountWidth-1:0] count_t;

  count_t               left_q;         // steps that are left
  logic                 first_q, done_q;
  logic [Room-1:0]      rest, value_q;  // the next digit is at its high end
  logic [127:0]         factor_q, product_q, stepped;
  logic [MarkWidth-1:0] mark_q, kept_mark_q;
  logic                 last_step;

  assign last_step = (left_q == count_t'(1));
  assign free_o    = (left_q == '0) | last_step;
  assign idle_o    = (left_q == '0) & ~done_q;

  rsm_ghash_step #(
    .Digit (Digit)
  ) u_step (
    .product_i (first_q ? '0 : product_q),
    .digit_i   (value_q[Room-1-:Digit]),
    .factor_i  (factor_q),
    .product_o (stepped)
  );

  if (Steps > 1) begin : gen_rest
    assign rest = value_q << Digit;
  end else begin : gen_no_rest
    assign rest = '0;
  end

  assign product_o = (left_q == '0) ? product_q : stepped;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      left_q <= '0;
      done_q <= 1'b0;
    end else begin
      if (start_i)             left_q <= count_t'(Steps);
      else if (left_q != '0)   left_q <= left_q - count_t'(1);
      done_q <= last_step;
    end
    first_q <= start_i;
  end

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      {value_q, factor_q, product_q} <= '0;
    end else begin
      if (start_i) {value_q, factor_q} <= {{(Room-128){1'b0}}, value_i, factor_i};
      else         value_q <= rest;
      product_q <= product_o;
    end
    if (start_i)   mark_q      <= mark_i;
    if (last_step) kept_mark_q <= mark_q;
  end

  assign done_o = done_q;
  assign kept_o = product_q;
  assign mark_o = kept_mark_q;

`ifdef RSM_ASSERT
  // A multiplication starts only where the one before it ends.
  always_ff @(posedge clk_i) begin
    if (rst_ni && !clear_i) begin
      assert (!start_i || free_o) else $error("rsm_ghash_lane: a product is cut off");
    end
  end
`endif

endmodule
