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
module rsm_self_test #(
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
  input  logic                msg_decrypt_i,
  input  logic [3:0]          msg_slot_i,
  input  logic [127:0]        msg_iv_i,
  input  logic [4:0]          msg_iv_bytes_i,
  input  logic [31:0]         msg_aad_bytes_i,
  input  logic [31:0]         msg_text_bytes_i,
  input  logic [4:0]          msg_tag_bytes_i,
  input  logic                in_valid_i,
  output logic                in_ready_o,
  input  logic [127:0]        in_data_i,
  input  logic [4:0]          in_bytes_i,
  input  logic [1:0]          in_part_i,
  input  logic                in_last_i,
  output logic                out_valid_o,
  input  logic                out_ready_i,
  output logic [127:0]        out_data_o,
  output logic [4:0]          out_bytes_o,
  output logic [1:0]          out_part_o,
  output logic                out_last_o,
  output logic [2:0]          out_status_o,
  // The key channel and the message port, seen from here.
  input  logic                core_idle_i,
  output logic                core_key_valid_o,
  input  logic                core_key_ready_i,
  output logic [KeyWidth-1:0] core_key_o,
  output logic [1:0]          core_key_len_o,
  output logic [3:0]          core_key_slot_o,
  output logic                core_msg_valid_o,
  input  logic                core_msg_ready_i,
  output logic                core_msg_decrypt_o,
  output logic [3:0]          core_msg_slot_o,
  output logic [127:0]        core_msg_iv_o,
  output logic [4:0]          core_msg_iv_bytes_o,
  output logic [31:0]         core_msg_aad_bytes_o,
  output logic [31:0]         core_msg_text_bytes_o,
  output logic [4:0]          core_msg_tag_bytes_o,
  output logic                core_in_valid_o,
  input  logic                core_in_ready_i,
  output logic [127:0]        core_in_data_o,
  output logic [4:0]          core_in_bytes_o,
  output logic [1:0]          core_in_part_o,
  output logic                core_in_last_o,
  input  logic                core_out_valid_i,
  output logic                core_out_ready_o,
  input  logic [127:0]        core_out_data_i,
  input  logic [4:0]          core_out_bytes_i,
  input  logic [1:0]          core_out_part_i,
  input  logic                core_out_last_i,
  input  logic [2:0]          core_out_status_i
);

  localparam logic [1:0] PartText = 2'd1;
  localparam logic [1:0] PartTag  = 2'd2;

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
  logic         testing, over, take, good, complete, second;
  logic [127:0] expected;
  logic [4:0]   length;

  assign testing = (state_q != Passed);
  assign over    = (state_q == Passed) | (state_q == Failed);

  // --- What comes back ---

  always_comb begin
    expected = decrypt_q ? Text : Answer;
    length   = 5'd16;
    if (core_out_part_i == PartTag) begin
      expected = Tag;
      length   = TagBytes;
    end
  end

  assign take = (state_q == SendText || state_q == SendTag || state_q == Collect)
              & core_out_valid_i;
  assign good = (core_out_bytes_i == '0)
              | ((core_out_bytes_i == length) & (core_out_data_i == expected));
  // With the last beat: all that the mode gives has come.
  assign complete = (text_q | (core_out_part_i == PartText & core_out_bytes_i != '0)) == HasText
                  & (tag_q | (core_out_part_i == PartTag & core_out_bytes_i != '0))
                    == (HasTag & ~decrypt_q)
                  & core_out_status_i[1:0] == 2'd0;

  // --- The steps ---

  always_comb begin
    state_d   = state_q;
    decrypt_d = decrypt_q;
    wrong_d   = wrong_q | (take & ~good) | (take & core_out_last_i & ~complete);
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
    if (take && core_out_last_i) begin
      state_d   = (wrong_d | decrypt_q | ~Decrypts) ? Wipe : Head;
      decrypt_d = Decrypts;
    end
    if (start_i || (clear_i && !over)) state_d = Begin;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) state_q <= Begin;
    else         state_q <= state_d;
  end

  always_ff @(posedge clk_i) begin
    decrypt_q <= decrypt_d;
    wrong_q   <= wrong_d;
    if (state_q == Head) {text_q, tag_q} <= '0;
    else if (take && core_out_bytes_i != '0) begin
      text_q <= text_q | (core_out_part_i == PartText);
      tag_q  <= tag_q | (core_out_part_i == PartTag);
    end
  end

  assign clear_o  = clear_i | (state_q == Begin) | (state_q == Wipe);
  assign idle_o   = core_idle_i & over;
  assign locked_o = testing;
  assign state_o  = (state_q == Passed) ? 2'd2 : (state_q == Failed) ? 2'd3 : 2'd1;

  // --- Keys and messages: the test's, or those from outside ---

  assign key_ready_o      = ~testing & core_key_ready_i;
  assign second           = (state_q == LoadNext);
  assign core_key_valid_o = testing ? (state_q == LoadKey) | second : key_valid_i;
  assign core_key_o       = testing ? (second ? NextKey : Key) : key_i;
  assign core_key_len_o   = testing ? KeyLen : key_len_i;
  assign core_key_slot_o  = testing ? 4'(second) : key_slot_i;

  assign msg_ready_o           = ~testing & core_msg_ready_i;
  assign core_msg_valid_o      = testing ? (state_q == Head) : msg_valid_i;
  assign core_msg_decrypt_o    = testing ? decrypt_q : msg_decrypt_i;
  assign core_msg_slot_o       = testing ? '0 : msg_slot_i;
  assign core_msg_iv_o         = testing ? Iv : msg_iv_i;
  assign core_msg_iv_bytes_o   = testing ? IvBytes : msg_iv_bytes_i;
  assign core_msg_aad_bytes_o  = testing ? '0 : msg_aad_bytes_i;
  assign core_msg_text_bytes_o = testing ? 32'd16 : msg_text_bytes_i;
  assign core_msg_tag_bytes_o  = testing ? TagBytes : msg_tag_bytes_i;

  assign in_ready_o      = ~testing & core_in_ready_i;
  assign core_in_valid_o = testing ? (state_q == SendText || state_q == SendTag) : in_valid_i;
  assign core_in_last_o  = testing ? (state_q == SendTag || !(HasTag && decrypt_q)) : in_last_i;

  always_comb begin
    core_in_data_o  = in_data_i;
    core_in_bytes_o = in_bytes_i;
    core_in_part_o  = in_part_i;
    if (testing) begin
      core_in_data_o  = (decrypt_q && HasText) ? Answer : Text;
      core_in_bytes_o = 5'd16;
      core_in_part_o  = PartText;
      if (state_q == SendTag) begin
        core_in_data_o  = Tag;
        core_in_bytes_o = TagBytes;
        core_in_part_o  = PartTag;
      end
    end
  end

  assign out_valid_o      = ~testing & core_out_valid_i;
  assign core_out_ready_o = testing ? take : out_ready_i;
  assign out_data_o       = testing ? '0 : core_out_data_i;
  assign out_bytes_o      = core_out_bytes_i;
  assign out_part_o       = core_out_part_i;
  assign out_last_o       = core_out_last_i;
  assign out_status_o     = core_out_status_i;

endmodule
