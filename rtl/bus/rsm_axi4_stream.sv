// SPDX-License-Identifier: Apache-2.0
//
// Messages as packets of AXI4-Stream, `Width` bits wide: a packet in is a header and the parts of a
// message, a packet out what the mode makes of it. Byte 0 is at `TDATA` bits 7..0; `TKEEP` has its
// ones at the low end, and is all ones but in the last transfer of a part.
//
//   TUSER in    bit 2: header; bits 1..0: 0 associated data, 1 text, 2 tag, 3 a long IV
//   header      32 bytes: 0 decrypt, 1 key slot, 2 bytes of the IV, 3 bytes of the tag,
//               4-7 and 8-11 lengths of associated data and text (the first byte is the lowest),
//               12-15 zero, 16-31 the IV at its beginning
//   TUSER out   bits 1..0: part; with TLAST bit 2: the tag is wrong, bit 3: refused
//   TID         leaves with the results of its packet
//
// No transfer has bytes of two parts. A packet that does not begin with a whole header is dropped.
// A packet out ends with a transfer without bytes when there is nothing left to carry.
//
// At 128 bits data passes straight through. With TID, up to `Messages` packets are under way.
//
// Latency: that of the mode at 128 bits; 1 cycle more where narrow transfers are collected.
module rsm_axi4_stream
  import rsm_mode_pkg::*;
#(
  parameter int unsigned Width    = 128,  // 8, 16, 32 ... 512
  parameter int unsigned TidWidth = 0,    // 0: there is none, and the ports have one bit
  parameter int unsigned Messages = 8,
  parameter int unsigned TidPort  = (TidWidth > 0) ? TidWidth : 1
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               clear_i,
  output logic               idle_o,
  // A key is on its way to the core: a message that begins now waits for it.
  input  logic               key_comes_i,
  // A header is here whose message has not begun: a key that comes now would be too early.
  output logic               header_waits_o,
  input  logic               in_tvalid_i,
  output logic               in_tready_o,
  input  logic [Width-1:0]   in_tdata_i,
  input  logic [Width/8-1:0] in_tkeep_i,
  input  logic               in_tlast_i,
  input  logic [2:0]         in_tuser_i,
  input  logic [TidPort-1:0] in_tid_i,
  output logic               out_tvalid_o,
  input  logic               out_tready_i,
  output logic [Width-1:0]   out_tdata_o,
  output logic [Width/8-1:0] out_tkeep_o,
  output logic               out_tlast_o,
  output logic [3:0]         out_tuser_o,
  output logic [TidPort-1:0] out_tid_o,
  // The message port of a mode, seen from here.
  input  logic               core_idle_i,
  output logic               core_msg_valid_o,
  input  logic               core_msg_ready_i,
  output msg_t               core_msg_o,
  output logic               core_in_valid_o,
  input  logic               core_in_ready_i,
  output beat_t              core_in_o,
  input  logic               core_out_valid_i,
  output logic               core_out_ready_o,
  input  answer_t            core_out_i
);

  localparam int unsigned Bytes  = Width / 8;
  localparam int unsigned InUser = 3 + TidPort;

  if (Width < 8 || Width > 512 || (Width & (Width - 1)) != 0) begin : gen_no_such_width
    $error("rsm_axi4_stream: TDATA has 8 to 512 bits, a power of two");
  end
  if (Messages < 1) begin : gen_no_messages
    $error("rsm_axi4_stream: one message at least is under way");
  end

  // --- Bytes from the left ---

  logic [Width-1:0] in_data, out_data;
  logic [Bytes-1:0] in_keep, out_keep;

  always_comb begin
    for (int unsigned i = 0; i < Bytes; i++) begin
      in_data[Width-1-8*i -: 8] = in_tdata_i[8*i +: 8];
      in_keep[Bytes-1-i]        = in_tkeep_i[i];
      out_tdata_o[8*i +: 8]     = out_data[Width-1-8*i -: 8];
      out_tkeep_o[i]            = out_keep[Bytes-1-i];
    end
  end

  // --- Beats of 128 bits ---

  logic               beat_valid, beat_ready, beat_last, gather_idle;
  logic [InUser-1:0]  in_user, beat_said;
  logic [127:0]       beat_data;
  keep_t              beat_keep;
  logic [2:0]         beat_user;
  logic [TidPort-1:0] beat_tid;

  assign in_user               = {in_tid_i, in_tuser_i};
  assign {beat_tid, beat_user} = beat_said;

  if (Width < 128) begin : gen_gather_in
    rsm_stream_gather #(
      .Narrow    (Width),
      .Wide      (128),
      .UserWidth (InUser)
    ) u_in (
      .clk_i,
      .rst_ni,
      .clear_i,
      .idle_o      (gather_idle),
      .in_valid_i  (in_tvalid_i),
      .in_ready_o  (in_tready_o),
      .in_data_i   (in_data),
      .in_keep_i   (in_keep),
      .in_user_i   (in_user),
      .in_last_i   (in_tlast_i),
      .out_valid_o (beat_valid),
      .out_ready_i (beat_ready),
      .out_data_o  (beat_data),
      .out_keep_o  (beat_keep),
      .out_user_o  (beat_said),
      .out_last_o  (beat_last)
    );
  end else if (Width > 128) begin : gen_split_in
    assign gather_idle = 1'b1;

    rsm_stream_split #(
      .Wide      (Width),
      .Narrow    (128),
      .UserWidth (InUser)
    ) u_in (
      .clk_i,
      .rst_ni,
      .clear_i,
      .in_valid_i  (in_tvalid_i),
      .in_ready_o  (in_tready_o),
      .in_data_i   (in_data),
      .in_keep_i   (in_keep),
      .in_user_i   (in_user),
      .in_last_i   (in_tlast_i),
      .out_valid_o (beat_valid),
      .out_ready_i (beat_ready),
      .out_data_o  (beat_data),
      .out_keep_o  (beat_keep),
      .out_user_o  (beat_said),
      .out_last_o  (beat_last)
    );
  end else begin : gen_straight_in
    assign gather_idle = 1'b1;
    assign beat_valid  = in_tvalid_i;
    assign in_tready_o = beat_ready;
    assign beat_data   = in_data;
    assign beat_keep   = in_keep;
    assign beat_said   = in_user;
    assign beat_last   = in_tlast_i;
  end

  // --- Header and body ---

  typedef enum logic [2:0] {
    First,   // the first half of a header is awaited
    Second,  // the second half, with the IV
    Body,
    Empty,   // a message without a beat is given one
    Drop     // to the end of a packet that makes no sense
  } state_e;

  state_e      state_q, state_d;
  logic        whole, begins, room, tids_idle;
  logic        decrypt_q;
  logic [3:0]  slot_q;
  logic [4:0]  iv_bytes_q, tag_bytes_q;
  logic [31:0] aad_bytes_q, text_bytes_q;

  function automatic logic [31:0] turned(logic [31:0] word);
    return {word[7:0], word[15:8], word[23:16], word[31:24]};
  endfunction

  assign whole  = beat_user[2] & beat_keep[0];
  assign begins = core_msg_valid_o & core_msg_ready_i;

  always_comb begin
    state_d    = state_q;
    beat_ready = 1'b1;
    case (state_q)
      First: if (beat_valid) state_d = (whole & ~beat_last) ? Second : beat_last ? First : Drop;
      Second: begin
        beat_ready = ~whole | (core_msg_ready_i & room);
        if (begins)                   state_d = beat_last ? Empty : Body;
        else if (beat_valid & ~whole) state_d = beat_last ? First : Drop;
      end
      Body: begin
        beat_ready = core_in_ready_i;
        if (beat_valid && core_in_ready_i && beat_last) state_d = First;
      end
      Empty: begin
        beat_ready = 1'b0;
        if (core_in_ready_i) state_d = First;
      end
      default: if (beat_valid && beat_last) state_d = First;
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) state_q <= First;
    else                    state_q <= state_d;
  end

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      {decrypt_q, slot_q, iv_bytes_q, tag_bytes_q, aad_bytes_q, text_bytes_q} <= '0;
    end else if (state_q == First) begin
      decrypt_q    <= beat_data[120];
      slot_q       <= beat_data[115:112];
      iv_bytes_q   <= beat_data[108:104];
      tag_bytes_q  <= beat_data[100:96];
      aad_bytes_q  <= turned(beat_data[95:64]);
      text_bytes_q <= turned(beat_data[63:32]);
    end
  end

  // At 128 bits and more it is still at the port then, so it comes after the key.
  if (Width < 128) begin : gen_header_waits
    assign header_waits_o = ~gather_idle & whole & (state_q == Second);
  end else begin : gen_no_header_waits
    assign header_waits_o = 1'b0;
  end

  assign core_msg_valid_o = beat_valid & (state_q == Second) & whole & room;
  assign core_msg_o       = '{
    decrypt:    decrypt_q,
    slot:       slot_q,
    iv:         beat_data,
    iv_bytes:   iv_bytes_q,
    aad_bytes:  aad_bytes_q,
    text_bytes: text_bytes_q,
    tag_bytes:  tag_bytes_q
  };

  assign core_in_valid_o = (beat_valid & (state_q == Body)) | (state_q == Empty);
  assign core_in_o       = '{
    data: beat_data,
    keep: (state_q == Empty) ? '0 : beat_keep,
    part: (state_q == Empty) ? PartText : part_e'(beat_user[1:0]),
    last: (state_q == Empty) | beat_last
  };

  // --- Results ---

  logic [3:0] user;
  logic       leaves, out_idle, unused_inputs;

  assign user = {core_out_i.last ? core_out_i.status[1:0] : 2'd0, core_out_i.part};

  if (Width < 128) begin : gen_split_out
    assign out_idle = 1'b1;

    rsm_stream_split #(
      .Wide      (128),
      .Narrow    (Width),
      .UserWidth (4)
    ) u_out (
      .clk_i,
      .rst_ni,
      .clear_i,
      .in_valid_i  (core_out_valid_i),
      .in_ready_o  (core_out_ready_o),
      .in_data_i   (core_out_i.data),
      .in_keep_i   (core_out_i.keep),
      .in_user_i   (user),
      .in_last_i   (core_out_i.last),
      .out_valid_o (out_tvalid_o),
      .out_ready_i (out_tready_i),
      .out_data_o  (out_data),
      .out_keep_o  (out_keep),
      .out_user_o  (out_tuser_o),
      .out_last_o  (out_tlast_o)
    );
  end else if (Width > 128) begin : gen_gather_out
    rsm_stream_gather #(
      .Narrow    (128),
      .Wide      (Width),
      .UserWidth (4)
    ) u_out (
      .clk_i,
      .rst_ni,
      .clear_i,
      .idle_o      (out_idle),
      .in_valid_i  (core_out_valid_i),
      .in_ready_o  (core_out_ready_o),
      .in_data_i   (core_out_i.data),
      .in_keep_i   (core_out_i.keep),
      .in_user_i   (user),
      .in_last_i   (core_out_i.last),
      .out_valid_o (out_tvalid_o),
      .out_ready_i (out_tready_i),
      .out_data_o  (out_data),
      .out_keep_o  (out_keep),
      .out_user_o  (out_tuser_o),
      .out_last_o  (out_tlast_o)
    );
  end else begin : gen_straight_out
    assign out_idle         = 1'b1;
    assign out_tvalid_o     = core_out_valid_i;
    assign core_out_ready_o = out_tready_i;
    assign out_data         = core_out_i.data;
    assign out_keep         = core_out_i.keep;
    assign out_tuser_o      = user;
    assign out_tlast_o      = core_out_i.last;
  end

  assign leaves = out_tvalid_o & out_tready_i & out_tlast_o;

  // --- Whose results they are ---

  if (TidWidth > 0) begin : gen_tid
    logic tids_ready, unused_single, unused_tid;

    rsm_stream_fifo #(
      .Width (TidWidth),
      .Depth (Messages)
    ) u_tids (
      .clk_i,
      .rst_ni,
      .clear_i,
      .idle_o      (tids_idle),
      .single_o    (unused_single),
      .in_valid_i  (begins),
      .in_ready_o  (tids_ready),
      .in_data_i   (beat_tid),
      .out_valid_o (unused_tid),
      .out_ready_i (leaves),
      .out_data_o  (out_tid_o)
    );

    assign room = tids_ready & ~key_comes_i;
  end else begin : gen_no_tid
    logic unused_tid;

    assign room       = ~key_comes_i;
    assign tids_idle  = 1'b1;
    assign out_tid_o  = '0;
    assign unused_tid = ^{beat_tid, leaves};
  end

  assign idle_o        = core_idle_i & gather_idle & out_idle & (state_q == First) & tids_idle;
  assign unused_inputs = ^core_out_i;

`ifdef RSM_ASSERT
  // A transfer that is offered stays as it is until it is taken (AXI4-Stream, 2.2.1).
  logic                  held_q;
  logic [Width+TidPort:0] offered_q;

  always_ff @(posedge clk_i) begin
    held_q    <= rst_ni & ~clear_i & out_tvalid_o & ~out_tready_i;
    offered_q <= {out_tdata_o, out_tid_o, out_tlast_o};
    if (rst_ni && !clear_i && held_q) begin
      assert (out_tvalid_o && {out_tdata_o, out_tid_o, out_tlast_o} == offered_q)
      else $error("rsm_axi4_stream: an offered transfer changed");
    end
  end
`endif

endmodule
