// SPDX-License-Identifier: Apache-2.0
//
// A first-in first-out memory of Depth words whose oldest word stands at the output.
//
// The writer must know that there is room: a push into a full FIFO is a fault of the design
// (the flow wrapper counts credits, so it cannot happen there).
//
// The memory has no reset. After `clear_i` it is empty at once, and `clearing_o` is high for
// the Depth cycles in which a zero is written over every word.
//
//              write_q                 read_q
//                 |                      |
//    data_i --> [ 0 | 1 | ... | Depth-1 ] --> data_o
//
// Latency: a word pushed at one edge can be popped at the next.
module rsm_fifo #(
  parameter int unsigned Width = 1,
  parameter int unsigned Depth = 2
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             clear_i,
  output logic             clearing_o,
  input  logic             push_i,
  input  logic [Width-1:0] data_i,
  output logic             valid_o,
  input  logic             pop_i,
  output logic [Width-1:0] data_o
);

  // A pointer to a single word is never read, but it needs one bit to be legal.
  localparam int unsigned PtrWidth   = (Depth > 1) ? $clog2(Depth) : 1;
  localparam int unsigned CountWidth = $clog2(Depth + 1);

  typedef logic [PtrWidth-1:0]   ptr_t;
  typedef logic [CountWidth-1:0] count_t;

  // An array without a reset, so that FPGAs may build it of distributed RAM.
  logic [Width-1:0] memory_q [Depth];
  ptr_t             write_d, write_q;
  ptr_t             read_d, read_q;
  count_t           count_d, count_q;
  logic             clearing_d, clearing_q;
  logic             write;
  logic             last;

  // Depth need not be a power of two, so the pointers wrap by comparison.
  function automatic ptr_t next(ptr_t ptr);
    return (ptr == ptr_t'(Depth - 1)) ? '0 : ptr + ptr_t'(1);
  endfunction

  // A count beside the pointers tells full from empty, where both pointers are equal.
  assign clearing_o = clearing_q;
  assign valid_o    = (count_q != '0);
  assign data_o     = memory_q[read_q];

  // The write pointer walks over the whole memory while the FIFO is cleared.
  assign last  = (write_q == ptr_t'(Depth - 1));
  assign write = push_i | clearing_q;

  always_comb begin
    write_d    = write ? next(write_q) : write_q;
    read_d     = pop_i ? next(read_q) : read_q;
    count_d    = count_q + count_t'(push_i) - count_t'(pop_i);
    clearing_d = clearing_q & ~last;
    // A clear wins over a push and a pop of the same cycle: what they move is dropped.
    if (clear_i) begin
      write_d    = '0;
      read_d     = '0;
      count_d    = '0;
      clearing_d = 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      write_q    <= '0;
      read_q     <= '0;
      count_q    <= '0;
      clearing_q <= 1'b0;
    end else begin
      write_q    <= write_d;
      read_q     <= read_d;
      count_q    <= count_d;
      clearing_q <= clearing_d;
    end
  end

  always_ff @(posedge clk_i) begin
    // Writing zeros uses the port of `push_i`: a second port would double the memory.
    if (write) memory_q[write_q] <= clearing_q ? '0 : data_i;
  end

`ifdef RSM_ASSERT
  // A push needs room, and a pop a word.
  always_ff @(posedge clk_i) begin
    if (rst_ni && !clear_i) begin
      assert (!push_i || 32'(count_q) < Depth || pop_i) else $error("rsm_fifo: overflow");
      assert (!pop_i || valid_o) else $error("rsm_fifo: underflow");
    end
  end
`endif

endmodule
