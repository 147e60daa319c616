// SPDX-License-Identifier: Apache-2.0
//
// The round constant generator RC and RC^-1 (Satoh 2001, section 3.2, Fig. 3), which also counts
// the rounds of a 128-bit key.
//
// Its register goes with the round key that the schedule is at: x^i for round key i. A step
// forwards multiplies it by x, one backwards divides; `constant_o` is that of the step, 01 to 36
// hexadecimal (FIPS 197, 5.2). `start_i` goes to the start of the schedule, or with `from_last_i`
// to its end. `first_o` and `last_o` tell that the key is at the start or the end of its schedule,
// `first_next_o` and `last_next_o` that it will be, unless it goes there by `start_i`.
//
// Latency: 0.
module rsm_aes_folded_rcon
  import rsm_aes_pkg::*;
(
  input  logic  clk_i,
  input  logic  start_i,
  input  logic  from_last_i,
  input  logic  step_i,
  input  logic  inverse_i,
  output byte_t constant_o,
  output logic  first_o,
  output logic  last_o,
  output logic  first_next_o,
  output logic  last_next_o
);

  byte_t power_q, power_d;
  byte_t half;

  assign half       = {power_q[0], power_q[7:5], power_q[4] ^ power_q[0], power_q[3] ^ power_q[0],
                       power_q[2], power_q[1] ^ power_q[0]};
  assign constant_o = inverse_i ? half : power_q;

  always_comb begin
    power_d = power_q;
    if (step_i) power_d = inverse_i ? half : xtime(power_q);
  end

  always_ff @(posedge clk_i) begin
    power_q <= start_i ? (from_last_i ? 8'h6c : 8'h01) : power_d;
  end

  // Two bits tell these from the other powers: x^0 = 01, x^10 = 6c.
  assign first_o      = power_q[0] & ~power_q[1];
  assign last_o       = power_q[3] & power_q[2];
  assign first_next_o = power_d[0] & ~power_d[1];
  assign last_next_o  = power_d[3] & power_d[2];

endmodule
