// SPDX-License-Identifier: Apache-2.0
//
// GHASH (NIST SP 800-38D, 6.4) with `Lanes` multipliers that take `Digit` bits a cycle each.
//
// The blocks of a message go to the lanes in turn, and every lane carries its own sum: it
// multiplies by H^Lanes, so that its next block is due Lanes blocks later. What closes a message is
// a matter of powers: the last block is multiplied by H, the one before it by H^2, and so on, and
// the products of the last Lanes blocks are added. Which power a block needs is known when the end
// of its message is in sight or Lanes blocks are waiting, so blocks wait in a queue until then.
// With Lanes = ceil(128 / Digit) it takes a block a cycle, and messages follow each other without
// a gap.
//
// A key (H of one slot) is loaded when nothing is inside; the first lane computes its powers.
// Hashes leave in the order of their messages; up to Lanes + 3 of them wait.
//
// Latency: from the last block, Lanes + ceil(128 / Digit) + 3 cycles at most, if none waits.
module rsm_ghash
  import rsm_mode_pkg::*;
#(
  parameter int unsigned Digit = 8,
  parameter int unsigned Lanes = 1,
  parameter int unsigned Slots = 1
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       clear_i,
  output logic       idle_o,
  input  logic       key_valid_i,
  output logic       key_ready_o,
  input  logic [3:0] key_slot_i,
  input  block_t     key_i,
  input  logic       in_valid_i,
  output logic       in_ready_o,
  input  logic [3:0] in_slot_i,
  input  block_t     in_block_i,
  input  logic       in_last_i,
  output logic       out_valid_o,
  input  logic       out_ready_i,
  output block_t     out_hash_o
);

  // Messages of one block can end in every lane at once, and three more on the way out.
  localparam int unsigned Hashes = Lanes + 3;
  localparam int unsigned Room   = Lanes + 1;

  // The powers of one slot begin at a power of two, so that its number is part of their address.
  localparam int unsigned LaneBits = $clog2(Lanes);
  localparam int unsigned Powers   = 2 ** ($clog2(Slots) + LaneBits);

  localparam int unsigned CountWidth = $clog2(Room + 1);
  localparam int unsigned LaneWidth  = (Lanes > 1) ? $clog2(Lanes) : 1;
  localparam int unsigned PowerWidth = (Powers > 1) ? $clog2(Powers) : 1;

  typedef logic [CountWidth-1:0] count_t;
  typedef logic [LaneWidth-1:0]  lane_t;
  typedef logic [PowerWidth-1:0] power_t;

  // What a product is for: the sum that closes a message, and whether it is the last of it.
  typedef struct packed {
    logic closes;
    logic last;
  } mark_t;

  // The first bit of a block is the coefficient of x^0.
  function automatic block_t turned(block_t block);
    block_t found;
    for (int i = 0; i < 128; i++) found[i] = block[127-i];
    return found;
  endfunction

  // --- Blocks that wait ---

  logic            accept, go;
  logic            waiting;      // a block stands at the head of the queue
  block_t          block;
  logic [3:0]      slot;
  count_t          count_q;
  logic [Room-1:0] lasts_d, lasts_q;  // of the blocks that wait, the oldest at bit 0
  logic            queue_idle, unused_single;

  rsm_stream_fifo #(
    .Width (4 + 128),
    .Depth (Room)
  ) u_blocks (
    .clk_i,
    .rst_ni,
    .clear_i,
    .idle_o      (queue_idle),
    .single_o    (unused_single),
    .in_valid_i  (in_valid_i),
    .in_ready_o  (in_ready_o),
    .in_data_i   ({in_slot_i, turned(in_block_i)}),
    .out_valid_o (waiting),
    .out_ready_i (go),
    .out_data_o  ({slot, block})
  );

  assign accept = in_valid_i & in_ready_o;

  always_comb begin
    lasts_d = lasts_q;
    for (int i = 0; i < Room; i++) begin
      if (accept && count_q == count_t'(i)) lasts_d[i] = in_last_i;
    end
    if (go) lasts_d = lasts_d >> 1;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) {count_q, lasts_q} <= '0;
    else {count_q, lasts_q} <= {count_q + count_t'(accept) - count_t'(go), lasts_d};
  end

  // --- Which power, which lane ---

  logic   closing;        // the end of the message is in sight
  lane_t  distance;       // the blocks between
  lane_t  turn_q;         // the lane of the next block
  count_t seen_q;         // blocks of this message before this one, Lanes at most
  logic   chained;        // its lane has a sum of this message
  logic   [Lanes-1:0]          idles, frees, dones;
  logic   [Lanes-1:0][127:0]   products, kept;
  mark_t  [Lanes-1:0]          marks;
  mark_t  mark;
  block_t value, power;
  logic   room;           // for another hash

  always_comb begin
    distance = lane_t'(Lanes - 1);
    for (int i = Lanes - 1; i >= 0; i--) begin
      if (lasts_q[i]) distance = lane_t'(i);
    end
  end

  assign closing = |lasts_q[Lanes-1:0];
  assign chained = (seen_q == count_t'(Lanes));
  assign mark    = '{closes: closing, last: lasts_q[0]};
  assign value   = block ^ (chained ? products[turn_q] : '0);
  assign go      = waiting & frees[turn_q] & (room | ~lasts_q[0]) &
                   (closing | (count_q >= count_t'(Lanes)));

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      turn_q <= '0;
      seen_q <= '0;
    end else if (go) begin
      turn_q <= (turn_q == lane_t'(Lanes - 1)) ? '0 : turn_q + lane_t'(1);
      seen_q <= lasts_q[0] ? '0 : chained ? seen_q : seen_q + count_t'(1);
    end
  end

  // --- Keys and their powers ---

  logic   keying_q, fresh_q, clearing_q;
  logic   begin_key, multiply_key, write;
  lane_t  number_q;        // the power that is next, less one
  power_t address, clear_q;
  block_t written;
  block_t powers_q [Powers];

  function automatic power_t place(logic [3:0] which, lane_t number);
    return power_t'((32'(which) << LaneBits | 32'(number)) & (Powers - 1));
  endfunction

  // H itself goes in at once; each lane but one then asks for a product.
  assign begin_key    = key_valid_i & ~keying_q & ~clearing_q & queue_idle & (&idles);
  assign multiply_key = keying_q & fresh_q & (number_q != '0);
  assign write        = begin_key | (keying_q & ~fresh_q & dones[0]) | clearing_q;
  assign key_ready_o  = keying_q & (number_q == '0);
  assign written      = clearing_q ? '0 : keying_q ? kept[0] : turned(key_i);
  assign address      = clearing_q ? clear_q : place(key_slot_i, keying_q ? number_q : '0);

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      keying_q <= 1'b0;
    end else if (begin_key) begin
      keying_q <= 1'b1;
    end else if (key_ready_o) begin
      keying_q <= 1'b0;
    end
    if (begin_key) begin
      number_q <= (Lanes > 1) ? lane_t'(1) : '0;
      fresh_q  <= 1'b1;
    end else if (multiply_key) begin
      fresh_q <= 1'b0;
    end else if (keying_q && !fresh_q && dones[0]) begin
      number_q <= (number_q == lane_t'(Lanes - 1)) ? '0 : number_q + lane_t'(1);
      fresh_q  <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      clearing_q <= 1'b0;
    end else if (clear_i) begin
      clearing_q <= 1'b1;
    end else if (clear_q == power_t'(Powers - 1)) begin
      clearing_q <= 1'b0;
    end
    if (clear_i)         clear_q <= '0;
    else if (clearing_q) clear_q <= clear_q + power_t'(1);
  end

  always_ff @(posedge clk_i) begin
    if (write) powers_q[address] <= written;
  end

  assign power = powers_q[place(keying_q ? key_slot_i : slot, keying_q ? '0 : distance)];

  // --- Lanes ---

  for (genvar i = 0; i < Lanes; i++) begin : gen_lane
    logic key_here;

    assign key_here = (i == 0) ? multiply_key : 1'b0;

    rsm_ghash_lane #(
      .Digit     (Digit),
      .MarkWidth ($bits(mark_t))
    ) u_lane (
      .clk_i,
      .rst_ni,
      .clear_i,
      .idle_o    (idles[i]),
      .free_o    (frees[i]),
      .start_i   (key_here | (go & (turn_q == lane_t'(i)))),
      .value_i   (key_here ? ((number_q == lane_t'(1)) ? turned(key_i) : products[i]) : value),
      .factor_i  (power),
      .mark_i    (key_here ? '0 : mark),
      .product_o (products[i]),
      .done_o    (dones[i]),
      .kept_o    (kept[i]),
      .mark_o    (marks[i])
    );
  end

  // --- The sum that closes a message ---

  block_t term, sum, sum_q;
  logic   closes, ends;
  logic   [$clog2(Hashes+1)-1:0] room_q;
  logic   hashes_idle, unused_ready, unused_hash_single;

  always_comb begin
    term   = '0;
    closes = 1'b0;
    ends   = 1'b0;
    for (int i = 0; i < Lanes; i++) begin
      if (dones[i] && marks[i].closes) begin
        term   |= kept[i];
        closes |= 1'b1;
        ends   |= marks[i].last;
      end
    end
  end

  assign sum = sum_q ^ term;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i || ends) sum_q <= '0;
    else if (closes)                sum_q <= sum;
  end

  rsm_stream_fifo #(
    .Width (128),
    .Depth (Hashes)
  ) u_hashes (
    .clk_i,
    .rst_ni,
    .clear_i,
    .idle_o      (hashes_idle),
    .single_o    (unused_hash_single),
    .in_valid_i  (ends),
    .in_ready_o  (unused_ready),
    .in_data_i   (turned(sum)),
    .out_valid_o (out_valid_o),
    .out_ready_i (out_ready_i),
    .out_data_o  (out_hash_o)
  );

  // A place for the hash is reserved before the last block of its message is multiplied.
  assign room = (room_q != '0);

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      room_q <= ($clog2(Hashes + 1))'(Hashes);
    end else begin
      room_q <= room_q - ($clog2(Hashes + 1))'(go & lasts_q[0])
                + ($clog2(Hashes + 1))'(out_valid_o & out_ready_i);
    end
  end

  assign idle_o = queue_idle & hashes_idle & (&idles) & ~keying_q & ~clearing_q;

endmodule
