// SPDX-License-Identifier: Apache-2.0
//
// What the bytes of the serial line mean, between the UART and a core with a narrow native port of
// 8 bits, flow free, key with the block:
//
//   'K' and 16 bytes   the key of the blocks that follow; no answer
//   'E' and 16 bytes   a block; the answer is 16 bytes, what the core makes of it
//
// Any other byte in place of a letter counts for nothing, and so does an 'E' before the first key.
// So 16 bytes of zero, and the time of 16 more, end whatever was begun. Bytes that come between the
// last one of a block and the last one of its answer are dropped.
//
// One register holds a block, then its result. The key goes round once while it is read.
//
// Latency: 1 cycle from the last byte of a block to the first beat; 1 from the last beat of the
// result to the first byte of the answer. `clear_i` for one cycle forgets key and block.
module rsm_uart_frame (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       clear_i,
  output logic       keyed_o,
  // From the line, and to it.
  input  logic       rx_valid_i,
  input  logic [7:0] rx_data_i,
  output logic       tx_valid_o,
  input  logic       tx_ready_i,
  output logic [7:0] tx_data_o,
  // To the core, and from it.
  output logic       in_valid_o,
  input  logic       in_ready_i,
  output logic [7:0] in_block_o,
  output logic [7:0] in_key_o,
  input  logic       out_valid_i,
  input  logic [7:0] out_block_i
);

  localparam logic [7:0] CommandKey     = 8'h4b;  // K
  localparam logic [7:0] CommandEncrypt = 8'h45;  // E

  typedef enum logic [2:0] {
    Command,  // a letter is awaited
    TakeKey,
    TakeBlock,
    Feed,     // block and key go to the core
    Collect,  // the result is awaited, and comes
    Answer
  } state_e;

  // Every state but the first one has sixteen steps, one for each byte.
  state_e       state_q, state_d;
  logic [3:0]   count_q;
  logic         begun;
  logic         step;
  logic         keyed_q;
  logic [127:0] key_q;
  logic [127:0] block_q;

  assign begun = (count_q != '0);

  always_comb begin
    state_d = state_q;
    step    = 1'b0;
    case (state_q)
      TakeKey: begin
        step = rx_valid_i;
        if (step && count_q == '1) state_d = Command;
      end
      TakeBlock: begin
        step = rx_valid_i;
        if (step && count_q == '1) state_d = Feed;
      end
      Feed: begin
        step = in_ready_i | begun;
        if (step && count_q == '1) state_d = Collect;
      end
      Collect: begin
        step = out_valid_i | begun;
        if (step && count_q == '1) state_d = Answer;
      end
      Answer: begin
        step = tx_ready_i;
        if (step && count_q == '1) state_d = Command;
      end
      default: begin
        if (rx_valid_i && rx_data_i == CommandKey)                state_d = TakeKey;
        if (rx_valid_i && rx_data_i == CommandEncrypt && keyed_q) state_d = TakeBlock;
      end
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      state_q <= Command;
      count_q <= '0;
      keyed_q <= 1'b0;
    end else begin
      state_q <= state_d;
      if (step) count_q <= count_q + 4'd1;
      if (state_q == TakeKey && state_d == Command) keyed_q <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (clear_i)                         key_q <= '0;
    else if (step && state_q == TakeKey) key_q <= {key_q[119:0], rx_data_i};
    else if (step && state_q == Feed)    key_q <= {key_q[119:0], key_q[127:120]};
  end

  always_ff @(posedge clk_i) begin
    if (clear_i) block_q <= '0;
    else if (step && state_q != TakeKey)
      block_q <= {block_q[119:0], state_q == Collect ? out_block_i : rx_data_i};
  end

  assign keyed_o    = keyed_q;
  assign in_valid_o = (state_q == Feed) & ~begun;
  assign in_block_o = block_q[127:120];
  assign in_key_o   = key_q[127:120];
  assign tx_valid_o = (state_q == Answer);
  assign tx_data_o  = block_q[127:120];

endmodule
