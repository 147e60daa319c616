// SPDX-License-Identifier: Apache-2.0
//
// The messages of several streams of a mode whose texts have whole blocks, as they come in: all
// their IVs in one memory and all their beats in another one, two places for each stream.
//
// Step by step, each in a cycle: a stream offers a message or a beat; it is chosen, in turn; it is
// told that it is taken; that is written to its place. So a stream brings a beat every three
// cycles at most, all of them together one a cycle, and no output depends on an input but that
// `key_open_o` does on the slot of the key.
//
// Of a message that is refused, and of beats without bytes, nothing is kept but that there is an
// end to be told. A message is taken when all blocks of the one before it have gone to the core.
//
// Latency: a beat is there 4 cycles after it was offered.
module rsm_mode_intake
  import rsm_mode_pkg::*;
#(
  parameter int unsigned Streams = 2,
  parameter int unsigned Slots   = 1  // of keys, of a stream
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  input  logic                      clear_i,
  output logic [Streams-1:0]        idle_o,
  // Messages begin.
  input  logic [Streams-1:0]        msg_valid_i,
  output logic [Streams-1:0]        msg_ready_o,
  input  msg_t [Streams-1:0]        msg_i,
  // What comes in.
  input  logic [Streams-1:0]        in_valid_i,
  output logic [Streams-1:0]        in_ready_o,
  input  beat_t [Streams-1:0]       in_i,
  // Keys.
  input  logic [3:0]                key_slot_i,
  output logic [Streams-1:0]        key_open_o,
  // A block waits; the slot of its key; one has been chosen and is not in the core.
  output logic [Streams-1:0]        waits_o,
  output logic [Streams-1:0][3:0]   slot_o,
  input  logic [Streams-1:0]        chosen_i,
  // The oldest block of this stream, a one for one of them; it is taken away at this edge.
  input  logic [Streams-1:0]        next_i,
  input  logic                      pop_i,
  output block_t                    text_o,
  output block_t                    iv_o,
  output logic                      first_o,
  output logic                      last_o,
  // A message is to end without a block, refused or not; that has been told at this edge.
  output logic [Streams-1:0]        end_o,
  output logic [Streams-1:0]        end_refused_o,
  input  logic [Streams-1:0]        reported_i
);

  localparam int unsigned NumberWidth = (Streams > 1) ? $clog2(Streams) : 1;

  typedef logic [NumberWidth-1:0] number_t;
  typedef logic [NumberWidth:0]   place_t;

  function automatic number_t number_of(logic [Streams-1:0] one);
    number_t found;
    found = '0;
    for (int unsigned i = 0; i < Streams; i++) begin
      if (one[i]) found |= number_t'(i);
    end
    return found;
  endfunction

  // --- Asked in turn ---

  logic [Streams-1:0] wants_d, wants_q, given, begin_d, begin_q, take_d, take_q;
  logic [Streams-1:0] active_q, head_moves, beat_moves;

  rsm_round_robin #(
    .Width (Streams)
  ) u_choice (
    .clk_i,
    .rst_ni,
    .clear_i,
    .asks_i  (wants_q),
    .take_i  (1'b1),
    .given_o (given)
  );

  assign begin_d     = given & ~active_q;
  assign take_d      = given & active_q;
  assign msg_ready_o = begin_q;
  assign in_ready_o  = take_q;
  assign head_moves  = begin_q & msg_valid_i;
  assign beat_moves  = take_q & in_valid_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) {wants_q, begin_q, take_q} <= '0;
    else                    {wants_q, begin_q, take_q} <= {wants_d, begin_d, take_d};
  end

  // --- Taken, in a register for all of them ---

  logic [Streams-1:0] taken_q;  // a one for whose it is
  logic [Streams-1:0] lasts;
  logic               head_q, last_q;
  logic [1:0]         part, part_q;
  block_t             data, data_q;
  logic               none, whole, none_q, whole_q, bad;

  always_comb begin
    data  = '0;
    none  = 1'b1;
    whole = 1'b0;
    lasts = '0;
    part  = '0;
    for (int unsigned i = 0; i < Streams; i++) begin
      data    |= (begin_q[i] ? msg_i[i].iv : in_i[i].data) & {128{begin_q[i] | take_q[i]}};
      none    &= ~(take_q[i] & in_i[i].keep[15]);
      whole   |= take_q[i] & in_i[i].keep[0];
      part    |= in_i[i].part & {2{take_q[i]}};
      lasts[i] = in_i[i].last;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) taken_q <= '0;
    else                    taken_q <= head_moves | beat_moves;
    if (clear_i) data_q <= '0;
    else         data_q <= data;
    none_q  <= none;
    whole_q <= whole;
    part_q  <= part;
    head_q  <= |head_moves;
    last_q  <= |(beat_moves & lasts);
  end

  assign bad = (part_q != PartText) | (~whole_q & ~none_q);

  // --- Written to its place ---

  logic [Streams-1:0] writes, write_half, read_half, begun_q;
  number_t            written, read, sweep;
  place_t             sweep_q;
  logic               clearing_q, text_write, iv_write;
  logic [129:0]       texts_q [2*Streams];
  block_t             ivs_q   [Streams];

  assign written    = number_of(taken_q);
  assign read       = number_of(next_i);
  assign sweep      = sweep_q[NumberWidth:1];
  assign text_write = clearing_q | (writes != '0);
  assign iv_write   = clearing_q | (head_q & (taken_q != '0));

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      clearing_q <= 1'b0;
      sweep_q    <= '0;
    end else if (clear_i) begin
      clearing_q <= 1'b1;
      sweep_q    <= '0;
    end else if (clearing_q) begin
      clearing_q <= (sweep_q != place_t'(2 * Streams - 1));
      sweep_q    <= sweep_q + place_t'(1);
    end
  end

  // While it is cleared nothing is taken, and the register in front holds zeros.
  always_ff @(posedge clk_i) begin
    if (text_write) begin
      texts_q[clearing_q ? sweep_q : {written, |(taken_q & write_half)}]
        <= {~|(taken_q & begun_q), last_q, data_q};
    end
    if (iv_write) ivs_q[clearing_q ? sweep : written] <= data_q;
  end

  assign {first_o, last_o, text_o} = texts_q[{read, |(next_i & read_half)}];
  assign iv_o                      = ivs_q[read];

  // --- Each stream ---

  for (genvar i = 0; i < Streams; i++) begin : gen_stream
    logic       refused_q, write_q, read_q, end_q, end_refused_q, blocks_q;
    logic       beat_taken, beat, bubble, blocks, comes;
    logic [1:0] words_q;
    logic [3:0] slot_q;

    assign beat_taken = taken_q[i];
    assign beat       = beat_taken & ~head_q;
    assign bubble     = refused_q | bad | none_q;

    assign writes[i]     = beat & ~bubble;
    assign write_half[i] = write_q;
    assign read_half[i]  = read_q;

    // What is on its way: chosen or taken; blocks that are not in the core.
    assign comes      = given[i] | take_q[i] | begin_q[i];
    assign blocks     = (words_q != '0) | chosen_i[i] | beat_taken;
    assign wants_d[i] = ~clearing_q & ~end_q & ~comes &
                        (active_q[i] ? in_valid_i[i] & ~words_q[1] & ~(words_q[0] & beat_taken)
                                     : msg_valid_i[i] & ~blocks);

    always_ff @(posedge clk_i) begin
      if (!rst_ni || clear_i) begin
        active_q[i] <= 1'b0;
        words_q     <= '0;
        end_q       <= 1'b0;
        write_q     <= 1'b0;
        read_q      <= 1'b0;
      end else begin
        if (head_moves[i])                      active_q[i] <= 1'b1;
        else if (beat_moves[i] && in_i[i].last) active_q[i] <= 1'b0;
        words_q <= words_q + 2'(writes[i]) - 2'(pop_i & next_i[i]);
        write_q <= write_q ^ writes[i];
        read_q  <= read_q ^ (pop_i & next_i[i]);
        if (beat && bubble && last_q) end_q <= 1'b1;
        else if (reported_i[i])       end_q <= 1'b0;
      end
    end

    always_ff @(posedge clk_i) begin
      if (clear_i)            slot_q <= '0;
      else if (head_moves[i]) slot_q <= msg_i[i].slot;
      if (head_moves[i])   refused_q <= msg_i[i].decrypt | (32'(msg_i[i].slot) >= Slots);
      else if (beat & bad) refused_q <= 1'b1;
      if (head_moves[i])  begun_q[i] <= 1'b0;
      else if (writes[i]) begun_q[i] <= 1'b1;
      if (beat) end_refused_q <= refused_q | bad;
      blocks_q <= active_q[i] | blocks;
    end

    assign waits_o[i]       = (words_q != '0);
    assign slot_o[i]        = slot_q;
    assign end_o[i]         = end_q;
    assign end_refused_o[i] = end_refused_q;
    // A cycle late, but where the first one of them comes its message is there already.
    assign key_open_o[i]    = ~((slot_q == key_slot_i) & (active_q[i] | blocks_q));
    assign idle_o[i]        = ~clearing_q & ~active_q[i] & ~blocks & ~comes & ~end_q;
  end

  logic unused_in;

  assign unused_in = ^{msg_i, in_i};

endmodule
