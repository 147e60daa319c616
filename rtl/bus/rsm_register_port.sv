// SPDX-License-Identifier: Apache-2.0
//
// Messages and keys through registers: the access of a bus on one side, a mode of operation and the
// key channel of its core on the other. What the registers are, says docs/buses.md.
//
// A key, a message and a beat each wait here until they are taken; until then their registers keep
// still, and a write to them is out of turn. A command at the wrong time is out of turn too.
// Software that is out of turn has lost its way, so everything is cleared, the keys too, and the
// error stays until the `clear` command. Nothing is taken while the error or `locked_i` is there;
// with `locked_i` to try is no offence.
//
// No key can be read, and nothing of a message but the beats that the mode gives out. The key
// register is zeroed when the core has the key.
//
// Latency: 0 for reads; 1 cycle from a write to what it starts, and to the clear.
module rsm_register_port
  import rsm_mode_pkg::*;
#(
  parameter int unsigned KeyWidth    = 128,
  parameter logic [1:0]  Cipher      = 2'd0,
  parameter logic [4:0]  Mode        = 5'd0,
  parameter logic [2:0]  Lengths     = 3'b001,  // key lengths: bit 0 for 128 bits
  parameter bit          Encrypts    = 1'b1,
  parameter bit          Decrypts    = 1'b0,
  parameter bit          HasSelfTest = 1'b0,
  parameter int unsigned KeySlots    = 1
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                clear_i,
  output logic                idle_o,
  // The access of a bus.
  input  logic                access_valid_i,
  input  logic                access_write_i,
  input  logic [7:0]          access_address_i,
  input  logic [31:0]         access_data_i,
  input  logic [3:0]          access_strobe_i,
  output logic [31:0]         access_data_o,
  output logic                access_error_o,
  output logic                interrupt_o,
  // What must be dropped, and whether something is inside.
  output logic                clear_o,
  input  logic                idle_i,
  // The self-test: 0 there is none, 1 it runs, 2 passed, 3 failed.
  output logic                self_test_o,
  input  logic                locked_i,
  input  logic [1:0]          self_test_i,
  // Keys.
  output logic                key_valid_o,
  input  logic                key_ready_i,
  output logic [KeyWidth-1:0] key_o,
  output logic [1:0]          key_len_o,
  output logic [3:0]          key_slot_o,
  // Messages.
  output logic                msg_valid_o,
  input  logic                msg_ready_i,
  output msg_t                msg_o,
  output logic                in_valid_o,
  input  logic                in_ready_i,
  output beat_t               in_o,
  input  logic                out_valid_i,
  output logic                out_ready_o,
  input  answer_t             out_i
);

  logic         open, has_slot, wrong, fault, clear_q, error_q;
  logic         command_start, command_load, command_clear, command_test;
  logic         out_of_turn, error;
  logic         key_q, message_q, in_q, key_taken;
  logic         push, last, last_q, take, out_valid;
  logic [4:0]   bytes, bytes_q, events, enabled;
  logic [1:0]   part, part_q;
  block_t       data, out_shown;
  msg_t         msg;
  logic [255:0] key;
  logic         unused_command, unused_take, unused;

  // --- What is out of turn ---

  assign open     = ~error_q & ~locked_i;
  assign has_slot = (32'(key_slot_o) < KeySlots) & (key_len_o != 2'd3) & Lengths[key_len_o];
  assign wrong    = out_of_turn
                  | (command_start & (message_q | key_q | ~open))
                  | (command_load & (key_q | ~open | ~has_slot))
                  | (take & ~out_valid);
  assign fault    = wrong & ~locked_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      clear_q <= 1'b0;
      error_q <= 1'b0;
    end else begin
      clear_q <= clear_i | fault | command_clear | command_test;
      error_q <= fault | (error_q & ~command_clear & ~command_test);
    end
  end

  assign idle_o         = idle_i & ~key_q & ~message_q & ~in_q & ~clear_q;
  assign clear_o        = clear_q;
  assign self_test_o    = command_test;
  assign access_error_o = error | wrong;

  // --- Keys, messages and beats that wait ---

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_q) begin
      {key_q, message_q, in_q} <= '0;
    end else begin
      key_q     <= (command_load & open) | (key_q & ~key_taken);
      message_q <= (command_start & open) | (message_q & ~msg_ready_i);
      in_q      <= push | (in_q & ~in_ready_i);
    end
  end

  always_ff @(posedge clk_i) begin
    if (push) {bytes_q, part_q, last_q} <= {bytes, part, last};
  end

  // A message that was there before the key uses the old one.
  assign key_valid_o = key_q & ~message_q;
  assign key_taken   = key_valid_o & key_ready_i;
  assign key_o       = key[255 -: KeyWidth];
  assign msg_valid_o = message_q;
  assign msg_o       = msg;
  assign in_valid_o  = in_q;
  assign in_o        = '{
    data: data,
    keep: keep_of(bytes_q),
    part: part_e'(part_q),
    last: last_q
  };

  // --- Beats out ---

  assign out_valid   = out_valid_i & open;
  assign out_ready_o = take & out_valid;

  // Nothing is to be seen while there is no beat, and nothing beyond its bytes.
  assign out_shown = kept_bytes(out_i.data, out_i.keep & {16{out_valid}});

  // --- The registers ---

  rsm_registers u_registers (
    .clk_i,
    .rst_ni,
    .clear_i                 (clear_q),
    .access_valid_i,
    .access_write_i,
    .access_address_i,
    .access_data_i,
    .access_strobe_i,
    .access_data_o,
    .access_error_o          (error),
    .out_of_turn_o           (out_of_turn),
    .input_busy_i            (in_q | ~open),
    .key_busy_i              (key_q | ~open),
    .message_busy_i          (message_q | ~open),
    .features_cipher_i       (Cipher),
    .features_key_lengths_i  (Lengths),
    .features_encrypts_i     (Encrypts),
    .features_decrypts_i     (Decrypts),
    .features_has_self_test_i(HasSelfTest),
    .features_mode_i         (Mode),
    .features_last_slot_i    (4'(KeySlots - 1)),
    .command_write_o         (unused_command),
    .command_start_o         (command_start),
    .command_load_key_o      (command_load),
    .command_clear_o         (command_clear),
    .command_self_test_o     (command_test),
    .status_idle_i           (idle_o),
    .status_key_ready_i      (open & ~key_q),
    .status_start_ready_i    (open & ~message_q & ~key_q),
    .status_in_ready_i       (open & ~in_q),
    .status_out_valid_i      (out_valid),
    .status_out_last_i       (out_valid & out_i.last),
    .status_out_part_i       (out_valid ? out_i.part : '0),
    .status_out_bytes_i      (out_valid ? bytes_of(out_i.keep) : '0),
    .status_tag_wrong_i      (out_valid & out_i.last & out_i.status.wrong_tag),
    .status_refused_i        (out_valid & out_i.last & out_i.status.refused),
    .status_error_i          (error_q),
    .status_locked_i         (locked_i),
    .self_test_state_i       (self_test_i),
    .int_enable_events_o     (enabled),
    .int_status_done_set_i   (out_valid & out_i.last),
    .int_status_done_o       (events[0]),
    .int_status_output_set_i (out_valid),
    .int_status_output_o     (events[1]),
    .int_status_input_set_i  (in_q & in_ready_i),
    .int_status_input_o      (events[2]),
    .int_status_key_set_i    (key_taken),
    .int_status_key_o        (events[3]),
    .int_status_error_set_i  (fault),
    .int_status_error_o      (events[4]),
    .key_control_length_o    (key_len_o),
    .key_control_slot_o      (key_slot_o),
    .message_decrypt_o       (msg.decrypt),
    .message_slot_o          (msg.slot),
    .message_iv_bytes_o      (msg.iv_bytes),
    .message_tag_bytes_o     (msg.tag_bytes),
    .aad_bytes_count_o       (msg.aad_bytes),
    .text_bytes_count_o      (msg.text_bytes),
    .iv_o                    (msg.iv),
    .data_in_o               (data),
    .in_control_write_o      (push),
    .in_control_bytes_o      (bytes),
    .in_control_part_o       (part),
    .in_control_last_o       (last),
    .out_control_write_o     (unused_take),
    .out_control_take_o      (take),
    .data_out_i              (out_shown),
    .key_wipe_i              (key_taken),
    .key_o                   (key)
  );

  assign interrupt_o = |(events & enabled);
  assign unused      = ^{out_i.status.spare, key[127:0], unused_command, unused_take};

endmodule
