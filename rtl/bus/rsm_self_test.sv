// SPDX-License-Identifier: Apache-2.0
//
// Known answers before anything else (what FIPS 140 asks for at power-up): after reset, and
// when `start_i` asks for it, a key and a message whose answer is known go through the mode and the
// core, in each direction that they have. Until the answers are right the message port and the key
// channel are closed; when one is wrong they stay closed, until a reset or another start. Then
// everything is cleared, so nothing of the test remains.
//
// The message has one block of text and no associated data, and a second key in slot 1 where the
// mode takes two for a message. `Answer` is its text encrypted, where the mode gives text, and
// `Tag` its tag, `TagBytes` long, where it gives one.
//
// What comes from outside is forwarded without a register; `clear_i` makes a test that is not over
// begin again.
//
// Latency: 0 once the test has passed.
module rsm_self_test
  import rsm_mode_pkg::*;
#(
  parameter int unsigned         KeyWidth = 128,
  parameter logic [1:0]          KeyLen   = 2'd0,
  parameter logic [KeyWidth-1:0] Key      = '0,
  parameter logic [KeyWidth-1:0] NextKey  = '0,
  parameter logic [127:0]        Iv       = '0,
  parameter logic [4:0]          IvBytes  = 5'd16,
  parameter logic [4:0]          TagBytes = 5'd0,
  parameter logic [127:0]        Text     = '0,
  parameter logic [127:0]        Answer   = '0,
  parameter logic [127:0]        Tag      = '0,
  parameter bit                  TwoKeys  = 1'b0,  // the mode takes a second key
  parameter bit                  HasText  = 1'b1,  // the mode gives text
  parameter bit                  HasTag   = 1'b0,  // the mode gives a tag
  parameter bit                  Encrypts = 1'b1,
  parameter bit                  Decrypts = 1'b1
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                clear_i,
  output logic                clear_o,
  output logic                idle_o,
  input  logic                start_i,
  output logic                locked_o,
  // 1 it runs, 2 passed, 3 failed.
  output logic [1:0]          state_o,
  // From outside.
  input  logic                key_valid_i,
  output logic                key_ready_o,
  input  logic [KeyWidth-1:0] key_i,
  input  logic [1:0]          key_len_i,
  input  logic [3:0]          key_slot_i,
  input  logic                msg_valid_i,
  output logic                msg_ready_o,
  input  msg_t                msg_i,
  input  logic                in_valid_i,
  output logic                in_ready_o,
  input  beat_t               in_i,
  output logic                out_valid_o,
  input  logic                out_ready_i,
  output answer_t             out_o,
  // The key channel and the message port, seen from here.
  input  logic                core_idle_i,
  output logic                core_key_valid_o,
  input  logic                core_key_ready_i,
  output logic [KeyWidth-1:0] core_key_o,
  output logic [1:0]          core_key_len_o,
  output logic [3:0]          core_key_slot_o,
  output logic                core_msg_valid_o,
  input  logic                core_msg_ready_i,
  output msg_t                core_msg_o,
  output logic                core_in_valid_o,
  input  logic                core_in_ready_i,
  output beat_t               core_in_o,
  input  logic                core_out_valid_i,
  output logic                core_out_ready_o,
  input  answer_t             core_out_i
);

  typedef enum logic [3:0] {
    Begin,    // all is cleared first
    Quiet,    // until nothing is inside
    LoadKey,
    LoadNext,
    Head,     // a message begins
    SendText,
    SendTag,
    Collect,  // its answer
    Wipe,     // the test is cleared away
    Leave,    // until that is done
    Passed,
    Failed
  } state_e;

  state_e       state_q, state_d;
  logic         decrypt_q, decrypt_d;  // the message that is on its way
  logic         wrong_q, wrong_d;
  logic         text_q, tag_q;         // its answer has had text, a tag
  logic         testing, ended, some, take, good, complete, second;
  block_t       expected;
  keep_t        expected_keep;

  assign testing = (state_q != Passed);
  assign ended   = (state_q == Passed) | (state_q == Failed);

  // --- What comes back ---

  always_comb begin
    expected      = decrypt_q ? Text : Answer;
    expected_keep = '1;
    if (core_out_i.part == PartTag) begin
      expected      = Tag;
      expected_keep = keep_of(TagBytes);
    end
  end

  assign take = (state_q == SendText || state_q == SendTag || state_q == Collect)
              & core_out_valid_i;
  assign some = core_out_i.keep[15];
  assign good = ~some
              | ((core_out_i.keep == expected_keep) & (core_out_i.data == expected));
  // With the last beat: all that the mode gives has come.
  assign complete = (text_q | (core_out_i.part == PartText & some)) == HasText
                  & (tag_q | (core_out_i.part == PartTag & some))
                    == (HasTag & ~decrypt_q)
                  & ~core_out_i.status.refused & ~core_out_i.status.wrong_tag;

  // --- The steps ---

  always_comb begin
    state_d   = state_q;
    decrypt_d = decrypt_q;
    wrong_d   = wrong_q | (take & ~good) | (take & core_out_i.last & ~complete);
    case (state_q)
      Begin: begin
        state_d   = Quiet;
        decrypt_d = ~Encrypts;
        wrong_d   = 1'b0;
      end
      Quiet:    if (core_idle_i) state_d = LoadKey;
      LoadKey:  if (core_key_ready_i) state_d = TwoKeys ? LoadNext : Head;
      LoadNext: if (core_key_ready_i) state_d = Head;
      Head:     if (core_msg_ready_i) state_d = SendText;
      SendText: if (core_in_ready_i) state_d = (HasTag & decrypt_q) ? SendTag : Collect;
      SendTag:  if (core_in_ready_i) state_d = Collect;
      Collect:  ;
      Wipe:     state_d = Leave;
      Leave:    if (core_idle_i) state_d = wrong_q ? Failed : Passed;
      default:  ;
    endcase
    if (take && core_out_i.last) begin
      state_d   = (wrong_d | decrypt_q | ~Decrypts) ? Wipe : Head;
      decrypt_d = Decrypts;
    end
    if (start_i || (clear_i && !ended)) state_d = Begin;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) state_q <= Begin;
    else         state_q <= state_d;
  end

  always_ff @(posedge clk_i) begin
    decrypt_q <= decrypt_d;
    wrong_q   <= wrong_d;
    if (state_q == Head) {text_q, tag_q} <= '0;
    else if (take && some) begin
      text_q <= text_q | (core_out_i.part == PartText);
      tag_q  <= tag_q | (core_out_i.part == PartTag);
    end
  end

  assign clear_o  = clear_i | (state_q == Begin) | (state_q == Wipe);
  assign idle_o   = core_idle_i & ended;
  assign locked_o = testing;
  assign state_o  = (state_q == Passed) ? 2'd2 : (state_q == Failed) ? 2'd3 : 2'd1;

  // --- Keys and messages: the test's, or those from outside ---

  assign key_ready_o      = ~testing & core_key_ready_i;
  assign second           = (state_q == LoadNext);
  assign core_key_valid_o = testing ? (state_q == LoadKey) | second : key_valid_i;
  assign core_key_o       = testing ? (second ? NextKey : Key) : key_i;
  assign core_key_len_o   = testing ? KeyLen : key_len_i;
  assign core_key_slot_o  = testing ? 4'(second) : key_slot_i;

  assign msg_ready_o      = ~testing & core_msg_ready_i;
  assign core_msg_valid_o = testing ? (state_q == Head) : msg_valid_i;

  always_comb begin
    core_msg_o = msg_i;
    if (testing) begin
      core_msg_o = '{
        decrypt:    decrypt_q,
        slot:       '0,
        iv:         Iv,
        iv_bytes:   IvBytes,
        aad_bytes:  '0,
        text_bytes: 32'd16,
        tag_bytes:  TagBytes
      };
    end
  end

  assign in_ready_o      = ~testing & core_in_ready_i;
  assign core_in_valid_o = testing ? (state_q == SendText || state_q == SendTag) : in_valid_i;

  always_comb begin
    core_in_o = in_i;
    if (testing) begin
      if (state_q == SendTag) begin
        core_in_o = '{data: Tag, keep: keep_of(TagBytes), part: PartTag, last: 1'b1};
      end else begin
        core_in_o = '{
          data: (decrypt_q && HasText) ? Answer : Text,
          keep: '1,
          part: PartText,
          last: !(HasTag && decrypt_q)
        };
      end
    end
  end

  assign out_valid_o      = ~testing & core_out_valid_i;
  assign core_out_ready_o = testing ? take : out_ready_i;
  assign out_o            = '{
    data:   testing ? '0 : core_out_i.data,
    keep:   core_out_i.keep,
    part:   core_out_i.part,
    last:   core_out_i.last,
    status: core_out_i.status
  };

endmodule
