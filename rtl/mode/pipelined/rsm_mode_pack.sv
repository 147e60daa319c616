// SPDX-License-Identifier: Apache-2.0
//
// Puts beats of one byte together: a beat goes out when it has 16 of them, or with the last one. An
// empty beat adds nothing, and is the last one.
//
// Latency: 1 cycle from the byte that completes a beat.
module rsm_mode_pack
  import rsm_mode_pkg::*;
(
  input  logic    clk_i,
  input  logic    rst_ni,
  input  logic    clear_i,
  output logic    idle_o,
  input  logic    in_valid_i,
  output logic    in_ready_o,
  input  answer_t in_i,
  output logic    out_valid_o,
  input  logic    out_ready_i,
  output answer_t out_o
);

  block_t  data_q;
  keep_t   keep_q;
  part_e   part_q;
  logic    last_q;
  status_t status_q;
  logic    accept, leave, unused_in;

  assign out_valid_o = last_q | keep_q[0];
  assign out_o       = '{data: data_q, keep: keep_q, part: part_q, last: last_q, status: status_q};
  assign in_ready_o  = ~out_valid_o;
  assign accept      = in_valid_i & in_ready_o;
  assign leave       = out_valid_o & out_ready_i;
  assign idle_o      = ~keep_q[15] & ~last_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i || leave) begin
      keep_q <= '0;
      last_q <= 1'b0;
    end else if (accept) begin
      if (in_i.keep[15]) keep_q <= {1'b1, keep_q[15:1]};
      last_q <= in_i.last;
    end
  end

  always_ff @(posedge clk_i) begin
    if (accept) {part_q, status_q} <= {in_i.part, in_i.status};
  end

  // The byte goes behind those that are here; the first one overwrites all of them.
  for (genvar i = 0; i < 16; i++) begin : gen_byte
    logic ahead, goes_here;

    assign ahead     = (i == 0) | keep_q[16-((i == 0) ? 1 : i)];
    assign goes_here = in_i.keep[15] & ahead & ~keep_q[15-i];

    always_ff @(posedge clk_i) begin
      if (clear_i) begin
        data_q[127-8*i-:8] <= '0;
      end else if (accept) begin
        if (goes_here)        data_q[127-8*i-:8] <= in_i.data[127:120];
        else if (!keep_q[15]) data_q[127-8*i-:8] <= '0;
      end
    end
  end

  assign unused_in = ^in_i;

endmodule
