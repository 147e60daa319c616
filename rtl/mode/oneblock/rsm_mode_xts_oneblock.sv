// SPDX-License-Identifier: Apache-2.0
//
// XTS with ciphertext stealing (IEEE 1619, NIST SP 800-38E) over a core that has one block at a
// time: the IV is the number of the sector, 16 bytes, the least significant one first.
//
// It does what rsm_mode_xts does, of a single pair of keys, and stands on the native port: the key
// of the text has slot 0, that of the tweak slot 1.
//
// One addition of 128 bits serves all: what a block, its result, or nothing is added to is the
// tweak or twice the tweak. It makes the block of a beat and the answer of a result. Of nothing it
// makes the next tweak: the register of the beat is cleared when its block enters, and filled again
// in the cycle in which the tweak is doubled. A text goes into the core when it is known what
// follows it. Where that is a short beat:
//
//   - the tweaks change places in decryption: the first block goes with twice the tweak;
//   - the short beat and the end of the first result make the last block, byte by byte;
//   - the register of the beat keeps that result until the last one has gone out before it. The
//     short beat stays at the port until then.
//
// Refused are texts of less than 16 bytes or more than 2^LimitWidth blocks (the standard's limit is
// that of 20), and directions that the core does not have.
//
// Latency: a block takes that of the core and two cycles; a message begins with the tweak.
module rsm_mode_xts_oneblock
  import rsm_mode_pkg::*;
#(
  parameter bit          Encrypts   = 1'b1,
  parameter bit          Decrypts   = 1'b1,
  parameter int unsigned LimitWidth = 20
) (
  input  logic      clk_i,
  input  logic      rst_ni,
  input  logic      clear_i,
  output logic      idle_o,
  // A message begins.
  input  logic      msg_valid_i,
  output logic      msg_ready_o,
  input  msg_t      msg_i,
  // What comes in.
  input  logic      in_valid_i,
  output logic      in_ready_o,
  input  beat_t     in_i,
  // What goes out.
  output logic      out_valid_o,
  input  logic      out_ready_i,
  output answer_t   out_o,
  // Keys go past, to the core.
  input  key_t      key_i,
  output logic      key_open_o,
  // The core, which cannot wait, seen from here.
  input  logic      core_idle_i,
  output logic      core_in_valid_o,
  input  logic      core_in_ready_i,
  output core_req_t core_in_o,
  input  logic      core_out_valid_i,
  input  core_rsp_t core_out_i
);

  typedef logic [LimitWidth:0] count_t;

  typedef enum logic [2:0] {
    StateIdle,
    StateTake,    // a beat is taken, and the tweak doubled
    StateGive,    // its block goes to the core when it is known what follows
    StateWait,    // for the result
    StateTurn,    // the last result goes out, then the one before it follows
    StateEnd,     // as many bytes of that as the short beat has
    StateRefuse   // beats are dropped
  } state_e;

  // What the block is that goes to the core, or is in it.
  typedef enum logic [1:0] {
    KindTweak,    // the IV
    KindText,
    KindSteal,    // the one that is stolen from
    KindStolen    // the short beat, and what it stole
  } kind_e;

  state_e state_d, state_q;
  kind_e  kind_d, kind_q;
  logic   closed_q;         // nothing is ready right after a clear
  logic   decrypt_q;
  logic   final_d, final_q; // the block need not wait for a beat; one of text is the last one
  logic   pending_q;        // a result is to go out
  count_t blocks_q;         // whole blocks of the text
  block_t beat_q, tweak_q, result_q;

  // --- What stands at the port, and what is done with it ---

  logic start, legal, spent, text, whole, bubble, short_last;
  logic crowded;   // two answers wait
  logic load;      // the beat, and the next tweak
  logic enter, come, turn, refuse, write;

  assign start      = msg_valid_i & msg_ready_o;
  assign legal      = (msg_i.decrypt ? Decrypts : Encrypts) & (msg_i.iv_bytes == Full) &
                      (msg_i.slot == '0);
  assign spent      = blocks_q[LimitWidth];
  assign text       = in_valid_i & (in_i.part == PartText);
  assign whole      = text & in_i.keep[0] & ~spent;
  assign bubble     = text & ~in_i.keep[15];
  assign short_last = text & in_i.keep[15] & ~in_i.keep[0] & in_i.last & ~spent;
  assign crowded    = pending_q & out_valid_o;
  assign enter      = core_in_valid_o & core_in_ready_i;
  assign come       = (state_q == StateWait) & core_out_valid_i;
  assign turn       = (state_q == StateTurn) & ~crowded;
  assign refuse     = (state_q == StateRefuse) & in_valid_i & in_i.last & ~out_valid_o;
  assign write      = (pending_q & ~out_valid_o) | refuse;

  always_comb begin
    state_d    = state_q;
    kind_d     = kind_q;
    final_d    = final_q;
    in_ready_o = 1'b0;
    load       = 1'b0;
    case (state_q)
      StateIdle: begin
        if (start) begin
          state_d = legal ? StateGive : StateRefuse;
          kind_d  = KindTweak;
          final_d = 1'b1;
        end
      end
      StateTake: begin
        if (kind_q == KindSteal) begin
          load    = 1'b1;
          kind_d  = KindStolen;
          final_d = 1'b1;
          state_d = StateGive;
        end else if (in_valid_i && !crowded) begin
          load       = whole;
          in_ready_o = whole | (bubble & ~in_i.last);
          final_d    = in_i.last;
          if (whole) begin
            kind_d  = KindText;
            state_d = StateGive;
          end else if (!in_ready_o) begin
            state_d = StateRefuse;
          end
        end
      end
      StateGive: begin
        if (!final_q) begin
          in_ready_o = bubble;
          if (bubble) begin
            final_d = in_i.last;
          end else if (short_last) begin
            kind_d  = KindSteal;
            final_d = 1'b1;
          end else if (in_valid_i && !whole) begin
            state_d = StateRefuse;
          end
        end
        if (enter) state_d = StateWait;
      end
      StateWait: begin
        if (come) begin
          if (kind_q == KindStolen)               state_d = StateTurn;
          else if (kind_q == KindText && final_q) state_d = StateIdle;
          else                                    state_d = StateTake;
        end
      end
      StateTurn: if (turn) state_d = StateEnd;
      StateEnd: begin
        in_ready_o = ~out_valid_o;
        if (in_ready_o) state_d = StateIdle;
      end
      StateRefuse: begin
        in_ready_o = ~in_i.last | ~out_valid_o;
        if (refuse) state_d = StateIdle;
      end
      default: state_d = StateIdle;
    endcase
  end

  always_ff @(posedge clk_i) begin
    closed_q <= rst_ni & clear_i;
    if (!rst_ni || clear_i) begin
      state_q   <= StateIdle;
      pending_q <= 1'b0;
    end else begin
      state_q   <= state_d;
      pending_q <= (pending_q & ~write) | turn |
                   (come & ((kind_q == KindText) | (kind_q == KindStolen)));
    end
  end

  always_ff @(posedge clk_i) begin
    kind_q  <= kind_d;
    final_q <= final_d;
    if (clear_i)    decrypt_q <= 1'b0;
    else if (start) decrypt_q <= msg_i.decrypt;
    if (start)     blocks_q <= '0;
    else if (load) blocks_q <= blocks_q + count_t'(1);
  end

  // --- The addition, and what comes of it ---

  logic   doubles;
  block_t number, twice, tweak, sum;   // `number` and `twice`: the tweak with its bytes turned

  assign doubles = (state_q == StateTake)
                 ? (kind_q == KindText) | ((kind_q == KindSteal) & ~decrypt_q)
                 : (kind_q == KindSteal) & decrypt_q;
  assign twice   = double(number);

  always_comb begin
    for (int i = 0; i < 16; i++) begin
      number[8*i+:8]    = tweak_q[127-8*i-:8];
      tweak[127-8*i-:8] = doubles ? twice[8*i+:8] : number[8*i+:8];
    end
  end

  assign sum = ((state_q == StateWait) ? core_out_i.block : beat_q) ^ tweak;

  always_ff @(posedge clk_i) begin
    if (clear_i || start || (come && kind_q == KindStolen)) tweak_q <= '0;
    else if (load || (come && kind_q == KindTweak))         tweak_q <= sum;
    if (clear_i)                                    result_q <= '0;
    else if (turn || (come && kind_q != KindTweak)) result_q <= sum;
  end

  // A byte of the beat, or of the result before it.
  for (genvar i = 0; i < 32'(Full); i++) begin : gen_byte
    logic fresh;

    assign fresh = (state_q == StateIdle) | ((state_q == StateTake) & in_i.keep[15-i]);

    always_ff @(posedge clk_i) begin
      if (clear_i || (enter && kind_q != KindStolen)) begin
        beat_q[127-8*i-:8] <= '0;
      end else if (start || load || enter) begin
        beat_q[127-8*i-:8] <= !fresh ? result_q[127-8*i-:8]
                              : (state_q == StateIdle) ? msg_i.iv[127-8*i-:8]
                                                       : in_i.data[127-8*i-:8];
      end
    end
  end

  // --- The core ---

  assign core_in_valid_o = (state_q == StateGive) & (final_q | whole);
  assign core_in_o       = '{
    block:   sum,
    decrypt: decrypt_q & (kind_q != KindTweak),
    slot:    {3'd0, kind_q == KindTweak}
  };

  // --- The answer ---

  rsm_mode_answer u_answer (
    .clk_i,
    .rst_ni,
    .clear_i,
    .write_i   (write),
    .data_i    (result_q),
    .keep_i    (in_i.keep | {16{state_q != StateEnd}}),
    .empty_i   (refuse),
    .last_i    (refuse | (final_q & (state_q != StateTurn))),
    .refused_i (refuse),
    .valid_o   (out_valid_o),
    .ready_i   (out_ready_i),
    .answer_o  (out_o)
  );

  assign msg_ready_o = (state_q == StateIdle) & ~closed_q & ~crowded;
  assign key_open_o  = (state_q == StateIdle);
  assign idle_o      = core_idle_i & (state_q == StateIdle) & ~pending_q & ~out_valid_o;

  logic unused_in;

  assign unused_in = ^{msg_i, key_i};

endmodule
