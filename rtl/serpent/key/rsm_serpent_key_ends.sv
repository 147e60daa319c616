// SPDX-License-Identifier: Apache-2.0
//
// The key channel of a core with keys on the fly: it holds the windows that blocks start from, at
// both ends of the key schedule (rsm_serpent_key_travel). Encryption starts from V[0], which is
// here a cycle after the key; decryption from V[32], which is found once for each key: a `walk`, an
// encryption without a block, goes through the core and comes back with it. The round key that
// V[32] holds is the 33rd, which Lutz computes ahead of time (2002, 4.3).
//
//                accept            walk enters            walk is back
//    no key -----------> waiting ------------> walking ---------------> ready
//                        encryption ready from here on                  decryption too
//
// A core of both directions holds both ends; one that only decrypts has one register.
//
// A key is taken unless a walk waits or is under way. A block accepted at the same edge still finds
// the old key; encryption is ready in the next cycle, decryption in that after `walked_i`. With
// `clear_i` everything is zero and forgotten at the next edge; the core drops the walk too.
//
// Latency: 1 cycle.
module rsm_serpent_key_ends
  import rsm_serpent_pkg::*;
#(
  parameter direction_e Direction = DirectionBoth
) (
  input  logic    clk_i,
  input  logic    rst_ni,
  input  logic    clear_i,
  output logic    idle_o,
  // The key channel: w[-8] to w[-1].
  input  logic    key_valid_i,
  output logic    key_ready_o,
  input  window_t key_i,
  // Where blocks start.
  output logic    encrypt_ready_o,
  output logic    decrypt_ready_o,
  output window_t first_o,
  output window_t last_o,
  // The walk: into the core, and back with V[32].
  output logic    walk_valid_o,
  input  logic    walk_ready_i,
  input  logic    walked_i,
  input  window_t walked_window_i
);

  logic    accept, found;
  // `loaded_q`: encryption may start. `walked_q`: decryption may start.
  logic    waiting_q, walking_q, loaded_q, walked_q, closed_q;
  window_t start, first_q;

  // A new key would take the place of the one that the walk is about, so it has to wait.
  assign idle_o          = ~waiting_q & ~walking_q;
  assign key_ready_o     = idle_o & ~closed_q;
  assign accept          = key_valid_i & key_ready_o;
  assign found           = walking_q & walked_i;
  assign walk_valid_o    = waiting_q;
  assign encrypt_ready_o = loaded_q;
  assign decrypt_ready_o = walked_q;

  // The key is w[-8] to w[-1]; round key 0 needs w[0] to w[3], so one step is made before the
  // register.
  rsm_serpent_key_step u_start (
    .inverse_i (1'b0),
    .index_i   (8'd0),
    .window_i  (key_i),
    .window_o  (start)
  );

  // No ready is high in the cycle after `clear_i`.
  always_ff @(posedge clk_i) begin
    closed_q <= rst_ni & clear_i;
  end

  // A core that only encrypts never needs the end of the schedule.
  if (Direction == DirectionForward) begin : gen_no_walk
    logic unused_walk;

    assign waiting_q   = 1'b0;
    assign walking_q   = 1'b0;
    assign walked_q    = 1'b0;
    assign unused_walk = walk_ready_i ^ walked_i;
  end else begin : gen_walk
    always_ff @(posedge clk_i) begin
      if (!rst_ni || clear_i) begin
        waiting_q <= 1'b0;
        walking_q <= 1'b0;
        walked_q  <= 1'b0;
      end else if (accept) begin
        // A new key makes the old end of the schedule worthless.
        waiting_q <= 1'b1;
        walked_q  <= 1'b0;
      end else if (waiting_q) begin
        waiting_q <= ~walk_ready_i;
        walking_q <= walk_ready_i;
      end else if (found) begin
        walking_q <= 1'b0;
        walked_q  <= 1'b1;
      end
    end
  end

  // No block starts from the first window here; only the walk does.
  if (Direction == DirectionInverse) begin : gen_no_encryption
    assign loaded_q = 1'b0;
  end else begin : gen_encryption
    always_ff @(posedge clk_i) begin
      if (!rst_ni || clear_i) loaded_q <= 1'b0;
      else if (accept)        loaded_q <= 1'b1;
    end
  end

  // The registers. An only one is written by both.
  always_ff @(posedge clk_i) begin
    if (clear_i)                                     first_q <= '0;
    else if (accept)                                 first_q <= start;
    else if (Direction == DirectionInverse && found) first_q <= walked_window_i;
  end

  assign first_o = first_q;

  if (Direction == DirectionBoth) begin : gen_last
    // Both ends are kept, so a change of direction costs no cycle.
    window_t last_q;

    always_ff @(posedge clk_i) begin
      if (clear_i)    last_q <= '0;
      else if (found) last_q <= walked_window_i;
    end

    assign last_o = last_q;
  end else begin : gen_no_last
    logic unused_window;

    assign last_o        = first_q;
    assign unused_window = ^{walked_window_i, found};
  end

endmodule
