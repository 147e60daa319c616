// SPDX-License-Identifier: Apache-2.0
//
// The AES core: picks the architecture, gives it its keys, and makes the native port of both.
//
// A rigid port, 128 bits wide: the consumer must take a result in the cycle in which it comes.
// rsm_flow makes the full port of it. Byte order: rsm_aes_pkg.
//
// With ChannelWithBlock (encryption with keys on the fly), a block is accepted together with its
// key and the length of that. With ChannelHeld, keys come through a channel of their own into one
// of KeySlots places, and a block names its place: `key_ready_o` may depend on `key_slot_i`, and
// `in_ready_o`, which is low until the key is usable in that direction, on the sideband of the
// block. A block accepted after a key uses it; one accepted at the same edge uses the one before.
//
// `in_decrypt_i` counts where Direction is DirectionBoth, `in_len_i` and `key_len_i` (0, 1, 2 for
// 128, 192, 256 bits) where several lengths are built in. Results leave in the order in which
// blocks were accepted. `rst_ni` resets control bits only, synchronously. One cycle of `clear_i`
// drops the blocks and keys inside and overwrites every bit that depends on them; `idle_o` rises
// when that is done, and is low as well while a key is being expanded.
//
// Latency: that of the architecture.
module rsm_aes
  import rsm_aes_pkg::*;
#(
  parameter arch_e       Arch      = ArchLoop,
  parameter int unsigned Rounds    = 1,
  parameter sbox_e       Sbox      = SboxTable,
  parameter linear_e     Linear    = LinearDirect,
  parameter key_add_e    KeyAdd    = KeyAddLast,
  parameter inverse_e    Inverse   = InverseReordered,
  parameter direction_e  Direction = DirectionForward,
  parameter schedule_e   Schedule  = ScheduleOnTheFly,
  parameter channel_e    Channel   = ChannelWithBlock,
  parameter lengths_t    Lengths   = 3'b001,
  parameter int unsigned KeySlots  = 1,
  parameter cuts_t       Cuts      = '{head: 1'b0, sbox: '0, sub: 1'b1, mix: 1'b0, round: 1'b0},
  parameter extra_t      Extra     = '0,
  parameter edges_t      Edges     = '0,
  parameter entry_e      Entry     = EntryOverlap,
  parameter clear_e      Clear     = ClearFlush,
  parameter int unsigned TagWidth  = 1,
  localparam int unsigned KeyBits   = key_bits(Lengths),
  localparam int unsigned SlotWidth = (KeySlots > 1) ? $clog2(KeySlots) : 1
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 clear_i,
  output logic                 idle_o,
  input  logic                 key_valid_i,
  output logic                 key_ready_o,
  input  logic [KeyBits-1:0]   key_i,
  input  logic [1:0]           key_len_i,
  input  logic [SlotWidth-1:0] key_slot_i,
  input  logic                 in_valid_i,
  output logic                 in_ready_o,
  input  logic [127:0]         in_block_i,
  input  logic [KeyBits-1:0]   in_key_i,
  input  logic [1:0]           in_len_i,
  input  logic                 in_decrypt_i,
  input  logic [SlotWidth-1:0] in_slot_i,
  input  logic [TagWidth-1:0]  in_tag_i,
  output logic                 out_valid_o,
  output logic [127:0]         out_block_o,
  output logic [TagWidth-1:0]  out_tag_o
);

  localparam int unsigned Ports = (Arch == ArchLoop) ? Rounds : 32'd1;

  // The length of every key where there is but one.
  localparam bit      OneLength = $countones(Lengths) == 1;
  localparam length_t Only      = Lengths[2] ? 2'd2 : Lengths[1] ? 2'd1 : 2'd0;

  logic                 decrypt;
  logic                 enter_valid;
  logic                 enter_ready;
  logic [KeyBits-1:0]   enter_window;
  length_t              enter_length;
  logic                 enter_inverse;
  logic                 enter_walk;
  logic                 leave;
  logic [3:0]           leave_slot;
  logic                 walked;
  logic [KeyBits-1:0]   walked_window;
  logic                 arch_idle;
  logic                 keys_idle;
  length_t              key_length;

  // What the rounds of a ring ask for, and the keys that they get; all keys of a line.
  control_t [Ports-1:0]                  key_control;
  block_t   [Ports-1:0]                  ring_key;
  block_t   [KeySlots-1:0][MaxRounds:0]  line_key;

  assign decrypt    = (Direction == DirectionBoth) ? in_decrypt_i : (Direction == DirectionInverse);
  assign key_length = OneLength ? Only : key_len_i;
  assign idle_o     = arch_idle & keys_idle;

  // --- Keys ------------------------------------------------------------------------------------

  if (Channel == ChannelWithBlock) begin : gen_with_block
    logic unused_channel;

    assign key_ready_o   = 1'b0;
    assign keys_idle     = 1'b1;
    assign in_ready_o    = enter_ready;
    assign enter_valid   = in_valid_i;
    assign enter_window  = in_key_i;
    assign enter_length  = OneLength ? Only : in_len_i;
    assign enter_inverse = 1'b0;
    assign enter_walk    = 1'b0;
    assign ring_key      = '0;
    assign line_key      = '0;

    assign unused_channel = ^{key_valid_i, key_i, key_length, key_slot_i, decrypt};

    if (Direction != DirectionForward || Schedule != ScheduleOnTheFly || KeySlots != 1)
    begin : gen_needs_channel
      $error("rsm_aes: a core that decrypts or stores its keys needs ChannelHeld");
    end
  end else if (Schedule == ScheduleOnTheFly) begin : gen_on_the_fly
    // A new key walks through the core once, to find the last round key.
    logic               encrypt_ready;
    logic               decrypt_ready;
    logic               usable;
    logic               walk;
    logic [KeyBits-1:0] first;
    logic [KeyBits-1:0] last;
    logic               unused_sideband;

    rsm_aes_key_ends #(
      .Direction (Direction),
      .Lengths   (Lengths)
    ) u_key_ends (
      .clk_i,
      .rst_ni,
      .clear_i,
      .idle_o          (keys_idle),
      .key_valid_i,
      .key_ready_o,
      .key_i,
      .key_len_i       (key_length),
      .encrypt_ready_o (encrypt_ready),
      .decrypt_ready_o (decrypt_ready),
      .len_o           (enter_length),
      .first_o         (first),
      .last_o          (last),
      .walk_valid_o    (walk),
      .walk_ready_i    (enter_ready),
      .walked_i        (walked),
      .walked_window_i (walked_window)
    );

    assign usable        = decrypt ? decrypt_ready : encrypt_ready;
    assign in_ready_o    = enter_ready & usable & ~walk;
    assign enter_valid   = walk | (in_valid_i & usable);
    assign enter_walk    = walk;
    assign enter_inverse = decrypt & ~walk;
    assign enter_window  = enter_inverse ? last : first;
    assign ring_key      = '0;
    assign line_key      = '0;

    assign unused_sideband = ^{key_slot_i, in_key_i, in_len_i};

    if (KeySlots != 1) begin : gen_one_slot
      $error("rsm_aes: keys on the fly have one place; several need ScheduleStored");
    end
  end else if (Schedule == ScheduleStored) begin : gen_stored
    localparam int unsigned StorePorts = (Arch == ArchLoop) ? Rounds : 32'd0;

    // A stored key is there before its block needs it where a round takes as long as a key step.
    localparam bit          SubCut       = Cuts.sub && Cuts.mix;
    localparam int unsigned StepCycles   = sbox_latency(Sbox, Cuts.sbox) + (SubCut ? 32'd2 : 32'd1);
    localparam bit          EarlyEncrypt = round_latency(Sbox, Cuts) >= StepCycles;

    // Blocks in flight, one of them in the edge `in`.
    localparam int unsigned Hardware = (Arch == ArchLoop) ? Rounds : max_rounds(Lengths);
    localparam int unsigned Blocks   = registers(Sbox, Cuts, Extra, Hardware) + 1;

    logic                            usable;
    block_t                          entry_key;
    logic   [Ports-1:0][SlotWidth-1:0] read_slot;
    round_t [Ports-1:0]              read_index;
    logic                            unused_sideband;

    for (genvar i = 0; i < Ports; i++) begin : gen_port
      // Decryption counts its steps down to 1, and ends with round key 0.
      assign read_slot[i]  = key_control[i].slot[SlotWidth-1:0];
      assign read_index[i] = key_control[i].inverse ? key_control[i].step - round_t'(1)
                                                    : key_control[i].step;
    end

    rsm_aes_key_store #(
      .Sbox         (Sbox),
      .Cuts         (Cuts.sbox),
      .SubCut       (SubCut),
      .Direction    (Direction),
      .Lengths      (Lengths),
      .KeySlots     (KeySlots),
      .EarlyEncrypt (EarlyEncrypt),
      .AlignLast    (Arch == ArchPipe && Direction == DirectionForward && !OneLength),
      .Blocks       (Blocks),
      .Ports        (StorePorts)
    ) u_key_store (
      .clk_i,
      .rst_ni,
      .clear_i,
      .idle_o          (keys_idle),
      .key_valid_i,
      .key_ready_o,
      .key_i,
      .key_len_i       (key_length),
      .key_slot_i,
      .entry_slot_i    (in_slot_i),
      .entry_decrypt_i (decrypt),
      .entry_ready_o   (usable),
      .entry_len_o     (enter_length),
      .entry_key_o     (entry_key),
      .accept_i        (in_valid_i & in_ready_o),
      .leave_i         (leave),
      .leave_slot_i    (leave_slot[SlotWidth-1:0]),
      .read_slot_i     (read_slot),
      .read_index_i    (read_index),
      .read_key_o      (ring_key),
      .keys_o          (line_key)
    );

    assign in_ready_o    = enter_ready & usable;
    assign enter_valid   = in_valid_i & usable;
    assign enter_walk    = 1'b0;
    assign enter_inverse = decrypt;

    if (KeyBits == 128) begin : gen_window
      assign enter_window = entry_key;
    end else begin : gen_wide_window
      assign enter_window = {entry_key, {(KeyBits - 128){1'b0}}};
    end

    assign unused_sideband = ^{in_key_i, in_len_i};
  end else begin : gen_unknown_schedule
    $error("rsm_aes: Schedule names no key schedule");
  end

  // --- Rounds ----------------------------------------------------------------------------------

  if (Arch == ArchLoop) begin : gen_loop
    rsm_aes_loop #(
      .Rounds    (Rounds),
      .Sbox      (Sbox),
      .Linear    (Linear),
      .KeyAdd    (KeyAdd),
      .Inverse   (Inverse),
      .Direction (Direction),
      .Schedule  (Schedule),
      .Lengths   (Lengths),
      .Cuts      (Cuts),
      .Extra     (Extra),
      .Edges     (Edges),
      .Entry     (Entry),
      .Clear     (Clear),
      .TagWidth  (TagWidth)
    ) u_loop (
      .clk_i,
      .rst_ni,
      .clear_i,
      .idle_o          (arch_idle),
      .in_valid_i      (enter_valid),
      .in_ready_o      (enter_ready),
      .in_block_i,
      .in_window_i     (enter_window),
      .in_length_i     (enter_length),
      .in_inverse_i    (enter_inverse),
      .in_slot_i       (4'(in_slot_i)),
      .in_walk_i       (enter_walk),
      .in_tag_i,
      .key_control_o   (key_control),
      .key_i           (ring_key),
      .leave_o         (leave),
      .leave_slot_o    (leave_slot),
      .walked_o        (walked),
      .walked_window_o (walked_window),
      .out_valid_o,
      .out_block_o,
      .out_tag_o
    );

  end else if (Arch == ArchPipe && Linear == LinearInMemory) begin : gen_pipe_in_memory
    logic unused_entry;

    rsm_aes_pipe_in_memory #(
      .Cuts     (Cuts),
      .Edges    (Edges),
      .TagWidth (TagWidth)
    ) u_pipe (
      .clk_i,
      .rst_ni,
      .clear_i,
      .idle_o      (arch_idle),
      .in_valid_i  (enter_valid),
      .in_ready_o  (enter_ready),
      .in_block_i,
      .in_key_i    (enter_window[KeyBits-1 -: 128]),
      .in_tag_i,
      .out_valid_o,
      .out_block_o,
      .out_tag_o
    );

    assign key_control   = '0;
    assign leave         = 1'b0;
    assign leave_slot    = '0;
    assign walked        = 1'b0;
    assign walked_window = '0;
    assign unused_entry  = ^{Inverse, enter_length, enter_inverse, enter_walk};

    if (Direction != DirectionForward || Sbox != SboxBlockRam || Channel != ChannelWithBlock ||
        Lengths != 3'b001 || KeyAdd != KeyAddLast || Clear != ClearReset || Extra != '0 ||
        Entry != EntryOverlap) begin : gen_in_memory_only
      $error("rsm_aes: a pipe with LinearInMemory encrypts, with the key beside each block");
    end
  end else if (Arch == ArchPipe) begin : gen_pipe
    rsm_aes_pipe #(
      .Sbox      (Sbox),
      .Linear    (Linear),
      .KeyAdd    (KeyAdd),
      .Inverse   (Inverse),
      .Direction (Direction),
      .Schedule  (Schedule),
      .Lengths   (Lengths),
      .KeySlots  (KeySlots),
      .Cuts      (Cuts),
      .Extra     (Extra),
      .Edges     (Edges),
      .Clear     (Clear),
      .TagWidth  (TagWidth)
    ) u_pipe (
      .clk_i,
      .rst_ni,
      .clear_i,
      .idle_o          (arch_idle),
      .in_valid_i      (enter_valid),
      .in_ready_o      (enter_ready),
      .in_block_i,
      .in_window_i     (enter_window),
      .in_length_i     (enter_length),
      .in_inverse_i    (enter_inverse),
      .in_slot_i       (4'(in_slot_i)),
      .in_walk_i       (enter_walk),
      .in_tag_i,
      .keys_i          (line_key),
      .leave_o         (leave),
      .leave_slot_o    (leave_slot),
      .walked_o        (walked),
      .walked_window_o (walked_window),
      .out_valid_o,
      .out_block_o,
      .out_tag_o
    );

    assign key_control = '0;

    if (Entry != EntryOverlap) begin : gen_no_batch
      $error("rsm_aes: EntryBatch is for a ring");
    end
  end else begin : gen_unknown_arch
    $error("rsm_aes: Arch names no architecture");
  end

  // Some variants have no use for these.
  logic unused_signals;

  assign unused_signals = ^{key_length, in_slot_i, decrypt, leave, leave_slot, walked,
                            walked_window, key_control, ring_key, line_key};

endmodule
