// SPDX-License-Identifier: Apache-2.0
//
// A first-in first-out memory with a handshake on both sides.
//
// Neither ready nor valid depends on anything that is not in a register here. After `clear_i` it is
// empty at once, and idle when a zero is written over each of its words. `single_o` says that there
// is one word inside.
//
// Latency: a word accepted at one edge can be taken at the next.
module rsm_stream_fifo #(
  parameter int unsigned Width = 1,
  parameter int unsigned Depth = 2
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             clear_i,
  output logic             idle_o,
  output logic             single_o,
  input  logic             in_valid_i,
  output logic             in_ready_o,
  input  logic [Width-1:0] in_data_i,
  output logic             out_valid_o,
  input  logic             out_ready_i,
  output logic [Width-1:0] out_data_o
);

  localparam int unsigned CountWidth = $clog2(Depth + 1);

  typedef logic [CountWidth-1:0] count_t;

  count_t room_q;
  logic   push, pop;
  logic   clearing;

  assign in_ready_o = ~clearing & (room_q != '0);
  assign push       = in_valid_i & in_ready_o;
  assign pop        = out_valid_o & out_ready_i;
  assign single_o   = (room_q == count_t'(Depth - 1));
  assign idle_o     = ~clearing & ~out_valid_o;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) room_q <= count_t'(Depth);
    else                    room_q <= room_q - count_t'(push) + count_t'(pop);
  end

  rsm_fifo #(
    .Width (Width),
    .Depth (Depth)
  ) u_fifo (
    .clk_i,
    .rst_ni,
    .clear_i,
    .clearing_o (clearing),
    .push_i     (push),
    .data_i     (in_data_i),
    .valid_o    (out_valid_o),
    .pop_i      (pop),
    .data_o     (out_data_o)
  );

`ifdef RSM_ASSERT
  // A word that is offered stays until it is taken.
  logic             held_q;
  logic [Width-1:0] offered_q;

  always_ff @(posedge clk_i) begin
    held_q    <= rst_ni & ~clear_i & out_valid_o & ~out_ready_i;
    offered_q <= out_data_o;
    if (rst_ni && held_q) begin
      assert (out_valid_o && out_data_o == offered_q)
      else $error("rsm_stream_fifo: an offered word changed");
    end
  end
`endif

endmodule
