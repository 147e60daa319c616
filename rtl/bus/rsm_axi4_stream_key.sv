// SPDX-License-Identifier: Apache-2.0
//
// AXI4-Stream, 32 bits, to the key channel of a core: a packet is a key. The first byte is at bits
// 7..0 of the first word. `TID` is the slot that the key goes to, read with the last word. A packet
// of a length that the core has not is dropped, and `refused_o` is high for a cycle.
//
// A key is here until the core has it, then it is zeroed.
//
// Latency: 1 cycle from the last word of the longest key; a shorter one is moved to the left first,
// a word a cycle.
module rsm_axi4_stream_key #(
  parameter int unsigned KeyWidth = 128,
  parameter logic [2:0]  Lengths  = 3'b001,  // key lengths: bit 0 for 128 bits
  parameter int unsigned KeySlots = 1
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                clear_i,
  output logic                idle_o,
  output logic                refused_o,
  // No key may begin in this cycle.
  input  logic                hold_i,
  input  logic                tvalid_i,
  output logic                tready_o,
  input  logic [31:0]         tdata_i,
  input  logic                tlast_i,
  input  logic [3:0]          tid_i,
  output logic                key_valid_o,
  input  logic                key_ready_i,
  output logic [KeyWidth-1:0] key_o,
  output logic [1:0]          key_len_o,
  output logic [3:0]          key_slot_o
);

  localparam int unsigned Words = KeyWidth / 32;

  // Zeros follow a shorter key; where there is none, nothing has to be put in their place.
  localparam bit Shorter = |(Lengths & 3'((1 << ((KeyWidth - 128) / 64)) - 1));

  typedef logic [Words-1:0] words_t;

  typedef enum logic [1:0] {
    Take,   // words come
    Align,  // zeros follow them
    Give    // the core may have it
  } state_e;

  state_e     state_q;
  words_t     here_q;  // a one from the right for each word that is here
  logic [2:0] ends;    // the word that comes is the last one of 128, 192 or 256 bits
  logic [3:0] slot_q;
  logic [1:0] len_q;
  logic       accept, legal, shift, full, forget;

  for (genvar i = 0; i < 3; i++) begin : gen_length
    localparam int unsigned Last = 3 + 2 * i;  // where the last word of such a key goes

    if (Last < Words) begin : gen_fits
      assign ends[i] = here_q[Last-1] & ~here_q[Last];
    end else begin : gen_too_long
      assign ends[i] = 1'b0;
    end
  end

  assign full = here_q[Words-2];  // with the word that comes

  assign tready_o = (state_q == Take) & ~(hold_i & ~here_q[0]);
  assign accept   = tvalid_i & tready_o;
  assign legal    = (|(ends & Lengths)) & (32'(tid_i) < KeySlots);
  assign shift    = accept | (Shorter & (state_q == Align));
  assign forget   = (accept & tlast_i & ~legal) | (key_valid_o & key_ready_i);

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i || forget) begin
      state_q <= Take;
      here_q  <= '0;
    end else begin
      if (shift) here_q <= words_t'({here_q, 1'b1});
      if (accept && tlast_i)                   state_q <= (full || !Shorter) ? Give : Align;
      if (Shorter && state_q == Align && full) state_q <= Give;
    end
  end

  always_ff @(posedge clk_i) begin
    refused_o <= rst_ni & ~clear_i & accept & tlast_i & ~legal;
    if (accept) {len_q, slot_q} <= {ends[2:1], tid_i};
  end

  logic [31:0] word;

  assign word = (accept | ~Shorter) ? {tdata_i[7:0], tdata_i[15:8], tdata_i[23:16], tdata_i[31:24]}
                                    : '0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i || forget) key_o <= '0;
    else if (shift)                   key_o <= {key_o[KeyWidth-33:0], word};
  end

  assign key_valid_o = (state_q == Give);
  assign key_len_o   = len_q;
  assign key_slot_o  = slot_q;
  assign idle_o      = ~here_q[0];

endmodule
