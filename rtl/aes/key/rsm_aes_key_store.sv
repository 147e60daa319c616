// SPDX-License-Identifier: Apache-2.0
//
// Expanded keys for a core that computes none of its own: a key channel for KeySlots keys, one
// expander for all of them, and the round keys (Lutz 2002, section 2; Chodowiec 2003, section 3).
//
// Ports > 0: every slot has a memory with one port to write and `Ports` to read, without a clock
// to read by: on FPGAs, LUTs as RAM, one copy for each port. Ports = 0: all round keys stand in
// registers of their own, for a straight line of rounds; place i of `keys_o` is k[i], or
// with AlignLast k[i - (MaxNr - Nr)], where MaxNr belongs to the longest key built in: then the
// last round key is in the same place for all lengths, as the last round is. Places without a
// round key are zero or old.
//
//                                    +--> memories (Ports > 0) -----> read_key_o
//    key_i --> expander --> key -----+
//                                    +--> line of places (Ports = 0) --> keys_o
//
//    target_q: slot of the key in the expander     in_flight_q: slots with blocks in flight
//
// A key is taken when the expander is free and no block of its slot is in flight. One block may
// still be accepted at that very edge, with the old key: the new one waits until it has left.
// `accept_i` counts blocks into the entry slot, `leave_i` out of their slot: from the next cycle
// on, the block reads no round key. Blocks is the highest number in flight.
//
// `entry_ready_o` is low from the cycle after a key was taken until its round keys are there. The
// entry also tells the length, and the round key that blocks start from: k[0], or k[Nr] for
// decryption. With EarlyEncrypt, encryption does not wait for all round keys. A block accepted in
// some cycle must then read round key t no earlier than P * t - 1 cycles later, P as below.
//
// Latency: from the edge that takes a key to the first one that can accept a block of its slot,
// 3 + P * Nr cycles, or 3 with EarlyEncrypt for encryption; P = sbox_latency(Sbox, Cuts) + 1, and
// one more with SubCut, a register between the S-boxes and the key step. Where all keys have
// registers (Ports = 0) it is two more, for a round key is two cycles on its way to its place. With
// SubCut, the sign of a line of short wires, it goes from place to place, four registers each: that
// is 4 * MaxNr + 2 more, or with P > 3, where it goes word by word, 4 * MaxNr + 8. And another one
// more if P > 1, for the way of the key to the expander. `key_ready_o` rises two cycles after the
// last round key is there; with P > 1 and one slot a cycle after the last block of the slot has
// gone.
//
// `clear_i` forgets all keys and overwrites them: registers at the next edge, memories within 16
// cycles after it. `idle_o` and every ready are low for these 16 cycles; without memories, for one.
module rsm_aes_key_store
  import rsm_aes_pkg::*;
#(
  parameter sbox_e               Sbox         = SboxTable,
  parameter logic [SboxCuts-1:0] Cuts         = '0,
  parameter bit                  SubCut       = 1'b0,
  parameter direction_e          Direction    = DirectionForward,
  parameter lengths_t            Lengths      = 3'b001,
  parameter int unsigned         KeySlots     = 1,
  parameter bit                  EarlyEncrypt = 1'b0,
  parameter int unsigned         Ports        = 1,
  parameter bit                  AlignLast    = 1'b0,
  parameter int unsigned         Blocks       = 255,
  localparam int unsigned        SlotWidth    = (KeySlots > 1) ? $clog2(KeySlots) : 1,
  localparam int unsigned        Reads        = (Ports > 0) ? Ports : 1
) (
  input  logic                                    clk_i,
  input  logic                                    rst_ni,
  input  logic                                    clear_i,
  output logic                                    idle_o,
  // The key channel.
  input  logic                                    key_valid_i,
  output logic                                    key_ready_o,
  input  logic [key_bits(Lengths)-1:0]            key_i,
  input  length_t                                 key_len_i,
  input  logic [SlotWidth-1:0]                    key_slot_i,
  // Where blocks enter.
  input  logic [SlotWidth-1:0]                    entry_slot_i,
  input  logic                                    entry_decrypt_i,
  output logic                                    entry_ready_o,
  output length_t                                 entry_len_o,
  output block_t                                  entry_key_o,
  // Blocks in flight.
  input  logic                                    accept_i,
  input  logic                                    leave_i,
  input  logic [SlotWidth-1:0]                    leave_slot_i,
  // Round keys, by number or all of them.
  input  logic [Reads-1:0][SlotWidth-1:0]         read_slot_i,
  input  round_t [Reads-1:0]                      read_index_i,
  output block_t [Reads-1:0]                      read_key_o,
  output logic [KeySlots-1:0][MaxRounds:0][127:0] keys_o
);

  // There are Rounds + 1 round keys: one before the first round, and one for each round.
  localparam int unsigned Rounds     = max_rounds(Lengths);
  localparam bit          Encrypts   = (Direction != DirectionInverse);
  localparam bit          Decrypts   = (Direction != DirectionForward);

  // Far registers: a key has a cycle on its way to the expander, where a step takes several.
  localparam bit          InCut      = Ports == 0 && (SubCut || sbox_latency(Sbox, Cuts) > 0);

  // A block that has left is still counted for a cycle there, for it leaves at the far end.
  localparam int unsigned CountWidth = $clog2(Blocks + (InCut ? 32'd2 : 32'd1));

  // On the way to far registers, a round key passes Stride others from place to place: a wire from
  // one round to the next may be as long as the whole line is wide. Where a step takes long enough,
  // its words go one after the other, so that a quarter of the wires leave the expander, and each
  // is taken from a register of its own.
  localparam int unsigned Stride     = SubCut ? 4 : 0;
  localparam int unsigned StepCycles = sbox_latency(Sbox, Cuts) + (SubCut ? 32'd2 : 32'd1);
  localparam int unsigned Beats      = (SubCut && StepCycles >= 4) ? 4 : 1;
  localparam int unsigned PartWidth  = 128 / Beats;
  localparam int unsigned Way        = (Ports == 0) ? Stride * Rounds + 2 * Beats : 0;

  // Slots are used as masks with one bit each inside, so that no decoder stands in front of
  // registers.
  typedef logic [SlotWidth-1:0]  slot_t;
  typedef logic [CountWidth-1:0] count_t;
  typedef logic [KeySlots-1:0]   slots_t;

  if (KeySlots < 1 || KeySlots > 16) begin : gen_slots
    $error("rsm_aes_key_store: there are 1 to 16 key slots");
  end

  // One bit for the slot of a number; none for a number that no slot has. An only slot is meant
  // whatever the number.
  function automatic slots_t slot_mask(slot_t slot);
    slots_t mask;
    for (int unsigned s = 0; s < KeySlots; s++) begin
      mask[s] = (KeySlots == 1) || (slot == slot_t'(s));
    end
    return mask;
  endfunction

  slots_t  key_mask, entry_mask, leave_mask;
  logic    left;
  slot_t   left_slot;
  slots_t  in_flight_q;
  slots_t  encrypt_q, decrypt_q;
  slots_t  target_q;
  logic    key_accept;
  logic    expanding;
  logic    write;
  logic    first;
  logic    last;
  logic    last_q;
  logic    finishing;
  logic    last_on_way;
  logic    first_written, last_written;
  logic    usable;
  logic    clearing;
  round_t  index;
  block_t  key;

  length_t [KeySlots-1:0] len_q;

  // The three places at which a slot number comes in: the key channel, the entry, the exit.
  assign key_mask   = slot_mask(key_slot_i);
  assign entry_mask = slot_mask(entry_slot_i);
  assign leave_mask = slot_mask(left_slot);

  // The last round key is on its way to its place: the store is not free yet.
  assign finishing = last_q | last_on_way;

  // The key channel. `target_q` is the slot of the key in the expander. A register tells whether
  // that is free, for what a key steers is wide; and with InCut whether the only slot is, a cycle
  // after its last block has gone.
  localparam bit ReadyCut = InCut && KeySlots == 1;

  logic free_q;
  logic busy;

  // While one key is expanded no other is taken: there is one expander for all slots.
  assign busy        = expanding | finishing | clearing;
  assign key_ready_o = free_q & (ReadyCut | ((key_mask & ~in_flight_q) != '0));
  assign key_accept  = key_valid_i & key_ready_o;
  assign idle_o      = ~busy;

  always_ff @(posedge clk_i) begin
    // `free_q` is one cycle late on purpose: a register drives the wide multiplexers of the key.
    if (!rst_ni || clear_i) free_q <= 1'b0;
    else                    free_q <= ~key_accept & ~busy
                                      & ~(ReadyCut & (in_flight_q[0] | accept_i));
  end

  // Whether no block needs the keys any more that the ones in the expander will replace.
  logic go;

  rsm_cut #(
    .Width  (1),
    .Enable (InCut)
  ) u_cut_go (
    .clk_i,
    .clear_i (1'b0),
    .d_i     ((target_q & in_flight_q) == '0),
    .q_o     (go)
  );

  rsm_aes_key_expander #(
    .Sbox    (Sbox),
    .Cuts    (Cuts),
    .SubCut  (SubCut),
    .InCut   (InCut),
    .Lengths (Lengths)
  ) u_expander (
    .clk_i,
    .rst_ni,
    .clear_i,
    .busy_o  (expanding),
    .load_i  (key_accept),
    .key_i,
    .len_i   (key_len_i),
    .go_i    (go),
    .write_o (write),
    .first_o (first),
    .last_o  (last),
    .index_o (index),
    .key_o   (key)
  );

  // The first and the last key are written, in memories at once.
  logic unused_first;

  assign unused_first = first_written;

  if (Way > 0) begin : gen_way
    logic [Way-1:0] first_way_q, last_way_q;
    logic           last_on_way_q;

    always_ff @(posedge clk_i) begin
      if (!rst_ni || clear_i) begin
        first_way_q   <= '0;
        last_way_q    <= '0;
        last_on_way_q <= 1'b0;
      end else begin
        first_way_q   <= {first_way_q[Way-2:0], first};
        last_way_q    <= {last_way_q[Way-2:0], last};
        last_on_way_q <= last | (last_on_way_q & ~last_written);
      end
    end

    // The two shift registers tell when the first and the last round key have arrived at the far
    // end.
    assign first_written = first_way_q[Way-1];
    assign last_written  = last_way_q[Way-1];
    assign last_on_way   = last_on_way_q;
  end else begin : gen_no_way
    assign first_written = first;
    assign last_written  = last;
    // A memory has the round key in the cycle in which it is written.
    assign last_on_way   = 1'b0;
  end

  always_ff @(posedge clk_i) begin
    // Needed until the last round key is written, thus longer than the handshake.
    if (key_accept) target_q <= key_mask;
  end

  for (genvar s = 0; s < KeySlots; s++) begin : gen_len
    always_ff @(posedge clk_i) begin
      // The length of a key is needed by every block of its slot.
      if (clear_i)                        len_q[s] <= '0;
      else if (key_accept && key_mask[s]) len_q[s] <= key_len_i;
    end
  end

  // Whether blocks may start, for each slot: a cycle after the round keys are written.
  always_ff @(posedge clk_i) begin
    // One cycle later, as a memory that is written in this cycle can be read from the next one on.
    if (!rst_ni || clear_i) last_q <= 1'b0;
    else                    last_q <= last_written;
  end

  always_ff @(posedge clk_i) begin
    // A new key takes the mark away, its last round key sets it again.
    if (!rst_ni || clear_i) decrypt_q <= '0;
    else                    decrypt_q <= (decrypt_q & ~({KeySlots{key_accept}} & key_mask))
                                         | ({KeySlots{last_q}} & target_q);
  end

  if (Encrypts && EarlyEncrypt) begin : gen_early
    // An encryption begins with round key 0, so it may chase the expansion: block and expander go
    // through the round keys at the same pace.
    logic first_q;

    always_ff @(posedge clk_i) begin
      if (!rst_ni || clear_i) first_q <= 1'b0;
      else                    first_q <= first_written;
    end

    always_ff @(posedge clk_i) begin
      if (!rst_ni || clear_i) encrypt_q <= '0;
      else                    encrypt_q <= (encrypt_q & ~({KeySlots{key_accept}} & key_mask))
                                           | ({KeySlots{first_q}} & target_q);
    end
  end else begin : gen_complete
    // Otherwise a block waits for all round keys, whatever its direction.
    assign encrypt_q = decrypt_q;
  end

  // Blocks in flight, for each slot.
  rsm_cut #(
    .Width  (1 + SlotWidth),
    .Enable (InCut)
  ) u_cut_leave (
    .clk_i,
    .clear_i (clear_i | ~rst_ni),
    .d_i     ({leave_i, leave_slot_i}),
    .q_o     ({left, left_slot})
  );

  for (genvar s = 0; s < KeySlots; s++) begin : gen_count
    count_t count_q;
    logic   enter;
    logic   leave;

    // A block that enters and one that leaves in the same cycle keep the count.
    assign enter = accept_i & entry_mask[s];
    assign leave = left & leave_mask[s];

    always_ff @(posedge clk_i) begin
      if (!rst_ni || clear_i) begin
        count_q        <= '0;
        in_flight_q[s] <= 1'b0;
      end else if (enter ^ leave) begin
        count_q        <= enter ? count_q + count_t'(1) : count_q - count_t'(1);
        in_flight_q[s] <= enter | (count_q != count_t'(1));
      end
    end
  end

  // The entry. With one direction built in, that is the one.
  logic decrypt;

  // A core of one direction does not look at `entry_decrypt_i`.
  assign decrypt       = Decrypts & (entry_decrypt_i | ~Encrypts);
  assign usable        = ((decrypt ? decrypt_q : encrypt_q) & entry_mask) != '0;
  assign entry_ready_o = usable;

  always_comb begin
    // OR of the lengths behind their masks: smaller than a multiplexer by number.
    entry_len_o = '0;
    for (int unsigned s = 0; s < KeySlots; s++) begin
      if (entry_mask[s]) entry_len_o |= len_q[s];
    end
  end

  if (Ports > 0) begin : gen_memory
    // While the memories are cleared, zeros come from the window of the expander.
    // Sixteen places are overwritten one after the other, for a memory has one port to write. A
    // round key has the same port.
    logic   clearing_q;
    round_t place_q;
    round_t write_index;

    always_ff @(posedge clk_i) begin
      if (!rst_ni)      clearing_q <= 1'b0;
      else if (clear_i) clearing_q <= 1'b1;
      else              clearing_q <= clearing_q & (place_q != '1);
    end

    always_ff @(posedge clk_i) begin
      if (clear_i) place_q <= '0;
      else         place_q <= place_q + round_t'(1);
    end

    assign clearing    = clearing_q;
    assign write_index = clearing_q ? place_q : index;

    // A copy of the memory for each reader: LUTs as RAM have one port to read beside the one to
    // write.
    logic [KeySlots-1:0][Reads-1:0][127:0] read;

    for (genvar s = 0; s < KeySlots; s++) begin : gen_slot
      logic   write_slot;
      block_t memory_q [Rounds+1];

      assign write_slot = clearing_q | (write & target_q[s]);

      always_ff @(posedge clk_i) begin
        if (write_slot) memory_q[write_index] <= key;
      end

      assign keys_o[s] = '0;

      for (genvar p = 0; p < Ports; p++) begin : gen_port
        assign read[s][p] = memory_q[read_index_i[p]];
      end
    end

    for (genvar p = 0; p < Ports; p++) begin : gen_read
      if (KeySlots == 1) begin : gen_one
        assign read_key_o[p] = read[0][p];
      end else begin : gen_choice
        assign read_key_o[p] = read[read_slot_i[p]][p];
      end
    end

    if (KeySlots == 1) begin : gen_no_choice
      logic unused_slot;

      assign unused_slot = ^read_slot_i;
    end

    // The round keys that blocks start from: registers for one slot, small memories for many.
    block_t first_key, last_key;

    if (KeySlots == 1) begin : gen_end_registers
      if (Encrypts) begin : gen_first
        // A copy outside the memory saves a port to read: blocks start while rounds read other
        // keys.
        block_t first_key_q;

        always_ff @(posedge clk_i) begin
          if (clear_i)    first_key_q <= '0;
          else if (first) first_key_q <= key;
        end

        assign first_key = first_key_q;
      end else begin : gen_no_first
        assign first_key = '0;
      end

      if (Decrypts) begin : gen_last
        block_t last_key_q;

        always_ff @(posedge clk_i) begin
          if (clear_i)   last_key_q <= '0;
          else if (last) last_key_q <= key;
        end

        assign last_key = last_key_q;
      end else begin : gen_no_last
        assign last_key = '0;
      end
    end else begin : gen_end_memories
      slot_t slot_q;
      // While the memories are cleared, the places are counted; a slot number has at most four
      // bits, so all slots are reached.
      slot_t write_place;

      always_ff @(posedge clk_i) begin
        if (key_accept) slot_q <= key_slot_i;
      end

      assign write_place = clearing_q ? place_q[SlotWidth-1:0] : slot_q;

      if (Encrypts) begin : gen_first
        block_t first_keys_q [KeySlots];

        always_ff @(posedge clk_i) begin
          if (clearing_q || first) first_keys_q[write_place] <= key;
        end

        assign first_key = first_keys_q[entry_slot_i];
      end else begin : gen_no_first
        assign first_key = '0;
      end

      if (Decrypts) begin : gen_last
        block_t last_keys_q [KeySlots];

        always_ff @(posedge clk_i) begin
          if (clearing_q || last) last_keys_q[write_place] <= key;
        end

        assign last_key = last_keys_q[entry_slot_i];
      end else begin : gen_no_last
        assign last_key = '0;
      end
    end

    assign entry_key_o = decrypt ? last_key : first_key;
  end else begin : gen_registers
    // No ready is high in the cycle after `clear_i`.
    logic clearing_q;

    always_ff @(posedge clk_i) begin
      clearing_q <= rst_ni & clear_i;
    end

    assign clearing = clearing_q;

    // The place of k[0] for each length.
    function automatic round_t start_of(length_t len);
      // With AlignLast a short key leaves the first places free.
      if (!AlignLast) return '0;
      if (Lengths[2] && (len[1] || Lengths == 3'b100)) return '0;
      if (Lengths[1] && (len[0] || Lengths == 3'b010)) return round_t'(Rounds - 12);
      return round_t'(Rounds - 10);
    endfunction

    // The place of k[Nr] for each length.
    function automatic round_t end_of(length_t len);
      if (AlignLast) return round_t'(Rounds);
      if (Lengths[2] && (len[1] || Lengths == 3'b100)) return 4'd14;
      if (Lengths[1] && (len[0] || Lengths == 3'b010)) return 4'd12;
      return 4'd10;
    endfunction

    // Place i is told of its key by register Stride * i of the way.
    localparam int unsigned Places = Stride * Rounds + 1;

    // The line of places, for a Stride of 4:
    //
    //    expander --> part_q[0] --> ... --> part_q[4] --> ... --> part_q[8] --> ...
    //                     |                     |                     |
    //                  place 0               place 1               place 2
    //
    typedef logic [PartWidth-1:0] part_t;

    length_t target_len;
    slots_t  slots_q [Places];
    round_t  place_q [Places];
    part_t   part;
    part_t   part_q  [Places+Beats];
    block_t  entry_key [KeySlots];

    // What goes on the way. The window of the expander stands still while its words do.
    if (Beats == 1) begin : gen_whole
      assign part = key;
    end else begin : gen_words
      logic [1:0] beat_q;

      always_ff @(posedge clk_i) begin
        // One to three, and zero: without an enable, which would be one lookup table more.
        if (!rst_ni || clear_i) beat_q <= '0;
        else                    beat_q <= {beat_q[1] ^ beat_q[0], write | (beat_q == 2'd2)};
      end

      assign part = key[127 - 32*beat_q -: 32];
    end

    // The registers are far apart. So round keys go from one to the next, and with them for which
    // slot and place they are; there is no place 15. Before it is written, a key has a cycle in
    // which its place is enabled. After a clear, the keys on their way are zero.
    always_ff @(posedge clk_i) begin
      // The address travels beside the round key: place i takes what says i.
      slots_q[0] <= target_q;
      place_q[0] <= write ? index + start_of(target_len) : '1;
    end

    for (genvar h = 1; h < Places; h++) begin : gen_way_place
      always_ff @(posedge clk_i) begin
        slots_q[h] <= slots_q[h-1];
        place_q[h] <= place_q[h-1];
      end
    end

    for (genvar h = 0; h < Places + Beats; h++) begin : gen_way_part
      always_ff @(posedge clk_i) begin
        if (clear_i) part_q[h] <= '0;
        else         part_q[h] <= (h == 0) ? part : part_q[(h == 0) ? 0 : h-1];
      end
    end

    always_comb begin
      target_len = '0;
      for (int unsigned s = 0; s < KeySlots; s++) begin
        if (target_q[s]) target_len |= len_q[s];
      end
    end

    for (genvar s = 0; s < KeySlots; s++) begin : gen_slot
      logic [Rounds:0][127:0] keys_q;
      round_t                 entry_place;

      for (genvar i = 0; i <= Rounds; i++) begin : gen_place
        localparam int unsigned Here = Stride * i;

        // Part b comes b cycles after the first one, and is taken b registers farther on.
        logic [2*Beats-2:0] enable_q;

        always_ff @(posedge clk_i) begin
          // The comparison has a cycle of its own, so no logic stands between the far registers.
          enable_q[0] <= (KeySlots == 1 || slots_q[Here][s]) && place_q[Here] == round_t'(i);
        end

        for (genvar e = 1; e < 2 * Beats - 1; e++) begin : gen_enable
          always_ff @(posedge clk_i) begin
            enable_q[e] <= enable_q[e-1];
          end
        end

        for (genvar b = 0; b < Beats; b++) begin : gen_part
          localparam int unsigned Top = 127 - PartWidth * b;

          always_ff @(posedge clk_i) begin
            if (clear_i)            keys_q[i][Top -: PartWidth] <= '0;
            else if (enable_q[2*b]) keys_q[i][Top -: PartWidth] <= part_q[Here+1+b];
          end
        end

        assign keys_o[s][i] = keys_q[i];
      end

      for (genvar i = Rounds + 1; i <= MaxRounds; i++) begin : gen_no_place
        assign keys_o[s][i] = '0;
      end

      // Blocks start from the first place of their key, or from the last one to decrypt.
      assign entry_place  = decrypt ? end_of(len_q[s]) : start_of(len_q[s]);
      assign entry_key[s] = keys_q[entry_place];
    end

    if (KeySlots == 1) begin : gen_one
      assign entry_key_o = entry_key[0];
    end else begin : gen_choice
      assign entry_key_o = entry_key[entry_slot_i];
    end

    logic unused_read;

    assign read_key_o  = '0;
    assign unused_read = ^{read_slot_i, read_index_i};
  end

endmodule
