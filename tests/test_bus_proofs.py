"""The small blocks of the buses, proved by induction: no transfer is lost, doubled or changed.

Each proof follows one byte, any byte, from where it goes in to where it comes out; counters of all
bytes say that none is missing and none comes twice. What the other side may do is any sequence that
keeps the rule of handshakes: what is offered stays until it is taken.
"""

from pathlib import Path

import pytest

from roundsmith.errors import ToolError
from roundsmith.paths import RTL
from roundsmith.tools import yosys
from test_flow import change

#: What the blocks are made of.
PARTS = (RTL / "common/rsm_fifo.sv", RTL / "mode/rsm_mode_queue.sv")

#: What every bench has: a first cycle in reset, and none later.
BEGIN = """
  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  logic rst_ni;
  assign rst_ni = started_q;
"""

GATHER = (
    """
module proof (
  input logic clk_i, in_valid_i, in_last_i, out_ready_i,
  input logic [15:0] in_data_i,
  input logic [1:0] in_bytes_i,
  input logic in_user_i
);
"""
    + BEGIN
    + """
  logic in_ready, out_valid, out_last, out_user, idle;
  logic [63:0] out_data;
  logic [3:0] out_bytes;

  rsm_stream_gather #(.Narrow(16), .Wide(64)) dut (
    .clk_i, .rst_ni, .clear_i(1'b0), .idle_o(idle), .in_valid_i, .in_ready_o(in_ready),
    .in_data_i, .in_bytes_i, .in_user_i, .in_last_i, .out_valid_o(out_valid), .out_ready_i,
    .out_data_o(out_data), .out_bytes_o(out_bytes), .out_user_o(out_user), .out_last_o(out_last)
  );

  logic taken, left;
  assign taken = in_valid_i & in_ready;
  assign left  = out_valid & out_ready_i;

  // All bytes and all last beats; the byte that is followed, and what was said of it.
  logic [5:0] in_q, out_q, lasts_in_q, lasts_out_q, followed_q;
  logic [7:0] byte_q;
  logic user_q, last_q, closes_q;
  logic [5:0] offset;
  assign offset = followed_q - in_q;

  always_ff @(posedge clk_i) begin
    followed_q <= followed_q;
    if (!rst_ni) begin
      {in_q, out_q, lasts_in_q, lasts_out_q} <= '0;
    end else begin
      if (taken) begin
        in_q       <= in_q + 6'(in_bytes_i);
        lasts_in_q <= lasts_in_q + 6'(in_last_i);
        if (offset < 6'(in_bytes_i)) begin
          byte_q <= (offset == '0) ? in_data_i[15:8] : in_data_i[7:0];
          user_q <= in_user_i;
          last_q <= in_last_i;
        end
      end
      if (left) begin
        out_q       <= out_q + 6'(out_bytes);
        lasts_out_q <= lasts_out_q + 6'(out_last);
      end
    end
  end

  // What was offered and not taken stays.
  logic in_held_q, out_held_q;
  logic [19:0] in_was_q;
  logic [69:0] out_was_q;
  logic [19:0] in_is;
  logic [69:0] out_is;
  assign in_is  = {in_data_i, in_bytes_i, in_user_i, in_last_i};
  assign out_is = {out_data, out_bytes, out_user, out_last};
  always_ff @(posedge clk_i) begin
    in_held_q  <= rst_ni & in_valid_i & ~in_ready;
    in_was_q   <= in_is;
    out_held_q <= rst_ni & out_valid & ~out_ready_i;
    out_was_q  <= out_is;
  end

  logic [5:0] place;
  assign place = followed_q - out_q;

  always_comb begin
    assume (in_bytes_i <= 2'd2);
    if (in_held_q) assume (in_valid_i && in_is == in_was_q);
    if (started_q) begin
      // In the block: as many bytes as have come in and not gone out.
      assert (in_q - out_q == (dut.begun_q ? 6'(dut.bytes_q) : 6'd0));
      assert (lasts_in_q - lasts_out_q == 6'(dut.begun_q & dut.last_q));
      assert (dut.bytes_q <= 4'd8 || !dut.begun_q);
      if (dut.begun_q) begin
        if (dut.last_q) assert (dut.whole_q);
        if (!dut.whole_q) assert (dut.bytes_q == {1'b0, dut.lane_q, 1'b0} && dut.lane_q != '0);
        // The followed byte is where it belongs, and what was said of it is said of its beat.
        if (place < 6'(dut.bytes_q)) begin
          assert (dut.data_q[63 - 8*32'(place[2:0]) -: 8] == byte_q);
          assert (dut.user_q == user_q);
          if (last_q) assert (dut.last_q);
        end
        for (int i = 0; i < 8; i += 2) begin
          if (i >= 32'(dut.bytes_q)) assert (dut.data_q[63 - 8*i -: 16] == '0);
        end
      end
      if (out_held_q) assert (out_valid && out_is == out_was_q);
      if (left && place < 6'(out_bytes)) begin
        assert (out_data[63 - 8*32'(place[2:0]) -: 8] == byte_q);
        assert (out_user == user_q);
      end
    end
  end
endmodule
"""
)

SPLIT = (
    """
module proof (
  input logic clk_i, in_valid_i, in_last_i, in_user_i, out_ready_i,
  input logic [63:0] in_data_i,
  input logic [3:0] in_bytes_i
);
"""
    + BEGIN
    + """
  logic in_ready, out_valid, out_last, out_user;
  logic [15:0] out_data;
  logic [1:0] out_bytes;

  rsm_stream_split #(.Wide(64), .Narrow(16)) dut (
    .clk_i, .rst_ni, .clear_i(1'b0), .in_valid_i, .in_ready_o(in_ready), .in_data_i, .in_bytes_i,
    .in_user_i, .in_last_i, .out_valid_o(out_valid), .out_ready_i, .out_data_o(out_data),
    .out_bytes_o(out_bytes), .out_user_o(out_user), .out_last_o(out_last)
  );

  logic taken, left;
  assign taken = in_valid_i & in_ready;
  assign left  = out_valid & out_ready_i;

  // Bytes of whole wide beats that have gone in, bytes that have come out.
  logic [5:0] in_q, out_q, begun;
  assign begun = out_q - in_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) {in_q, out_q} <= '0;
    else begin
      if (taken) in_q <= in_q + 6'(in_bytes_i);
      if (left) out_q <= out_q + 6'(out_bytes);
    end
  end

  logic in_held_q, out_held_q;
  logic [69:0] in_was_q, in_is;
  logic [19:0] out_was_q, out_is;
  assign in_is  = {in_data_i, in_bytes_i, in_user_i, in_last_i};
  assign out_is = {out_data, out_bytes, out_user, out_last};
  always_ff @(posedge clk_i) begin
    in_held_q  <= rst_ni & in_valid_i & ~in_ready;
    in_was_q   <= in_is;
    out_held_q <= rst_ni & out_valid & ~out_ready_i;
    out_was_q  <= out_is;
  end

  always_comb begin
    assume (in_bytes_i <= 4'd8);
    if (in_held_q) assume (in_valid_i && in_is == in_was_q);
    if (started_q) begin
      // What has come out of the beat at the port; more of it is left.
      assert (begun == {3'b0, dut.lane_q, 1'b0});
      if (dut.lane_q != '0) assert (in_held_q && begun < 6'(in_bytes_i));
      if (out_held_q) assert (out_valid && out_is == out_was_q);
      if (left) begin
        assert (out_user == in_user_i);
        if (out_bytes != '0) assert (out_data[15:8] == in_data_i[63 - 8*32'(begun[2:0]) -: 8]);
        if (out_bytes == 2'd2)
          assert (out_data[7:0] == in_data_i[55 - 8*32'(begun[2:0]) -: 8]);
        assert (out_bytes != '0 || in_bytes_i == '0);
        // The wide beat goes with its last byte, and so does `last`.
        assert (taken == (begun + 6'(out_bytes) == 6'(in_bytes_i)));
        assert (out_last == (taken & in_last_i));
      end else assert (!taken);
    end
  end
endmodule
"""
)

LITE = (
    """
module proof (
  input logic clk_i, awvalid_i, wvalid_i, bready_i, arvalid_i, rready_i, access_error_i,
  input logic [7:0] awaddr_i, araddr_i,
  input logic [31:0] wdata_i, access_data_i,
  input logic [3:0] wstrb_i
);
"""
    + BEGIN
    + """
  logic awready, wready, bvalid, arready, rvalid, valid, write;
  logic [1:0] bresp, rresp;
  logic [31:0] rdata, data;
  logic [7:0] address;
  logic [3:0] strobe;

  rsm_axi4_lite dut (
    .clk_i, .rst_ni, .awvalid_i, .awready_o(awready), .awaddr_i, .wvalid_i, .wready_o(wready),
    .wdata_i, .wstrb_i, .bvalid_o(bvalid), .bready_i, .bresp_o(bresp), .arvalid_i,
    .arready_o(arready), .araddr_i, .rvalid_o(rvalid), .rready_i, .rdata_o(rdata),
    .rresp_o(rresp), .access_valid_o(valid), .access_write_o(write), .access_address_o(address),
    .access_data_o(data), .access_strobe_o(strobe), .access_data_i, .access_error_i
  );

  // Everything that passes, counted; the newest address, data and answer.
  logic [3:0] aw_q, w_q, b_q, ar_q, r_q, writes_q, reads_q;
  logic [7:0] awaddr_q, araddr_q;
  logic [35:0] word_q;
  logic [33:0] read_q;
  logic [1:0] wrote_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) {aw_q, w_q, b_q, ar_q, r_q, writes_q, reads_q} <= '0;
    else begin
      aw_q     <= aw_q + 4'(awvalid_i & awready);
      w_q      <= w_q + 4'(wvalid_i & wready);
      b_q      <= b_q + 4'(bvalid & bready_i);
      ar_q     <= ar_q + 4'(arvalid_i & arready);
      r_q      <= r_q + 4'(rvalid & rready_i);
      writes_q <= writes_q + 4'(valid & write);
      reads_q  <= reads_q + 4'(valid & ~write);
    end
    if (awvalid_i & awready) awaddr_q <= awaddr_i;
    if (arvalid_i & arready) araddr_q <= araddr_i;
    if (wvalid_i & wready) word_q <= {wdata_i, wstrb_i};
    if (valid & write) wrote_q <= {access_error_i, 1'b0};
    if (valid & ~write) read_q <= {access_data_i, access_error_i, 1'b0};
  end

  logic b_held_q, r_held_q;
  always_ff @(posedge clk_i) begin
    b_held_q <= rst_ni & bvalid & ~bready_i;
    r_held_q <= rst_ni & rvalid & ~rready_i;
  end

  always_comb begin
    if (started_q) begin
      assert (aw_q - writes_q == 4'(dut.aw_q));
      assert (w_q - writes_q == 4'(dut.w_q));
      assert (writes_q - b_q == 4'(bvalid));
      assert (ar_q - reads_q == 4'(dut.ar_q));
      assert (reads_q - r_q == 4'(rvalid));
      if (dut.aw_q) assert (dut.awaddr_q == awaddr_q);
      if (dut.ar_q) assert (dut.araddr_q == araddr_q);
      if (dut.w_q) assert ({dut.wdata_q, dut.wstrb_q} == word_q);
      if (valid & write) assert (address == awaddr_q && {data, strobe} == word_q);
      if (valid & ~write) assert (address == araddr_q);
      if (bvalid) assert (bresp == wrote_q);
      if (rvalid) assert ({rdata, rresp} == read_q);
      else assert (rdata == '0);
      if (b_held_q) assert (bvalid);
      if (r_held_q) assert (rvalid);
    end
  end
endmodule
"""
)

# The core is any circuit that gives back no more results of a stream than it was given blocks.
INTERLEAVE = (
    """
module proof (
  input logic clk_i, core_in_ready_i, core_out_valid_i, key_loaded_i, key_loaded_slot_i,
  input logic [1:0] in_valid_i, out_ready_i, core_out_tag_i,
  input logic [7:0] result_i
);
"""
    + BEGIN
    + """
  logic [1:0] idle, in_ready, out_valid, out_tag, core_tag;
  logic [1:0][127:0] out_block;
  logic core_valid, core_decrypt, core_slot;
  logic [127:0] core_block;

  // The block of a stream is its number.
  rsm_interleave #(.Streams(2), .Depth(2)) dut (
    .clk_i, .rst_ni, .clear_i(1'b0), .idle_o(idle), .in_valid_i, .in_ready_o(in_ready),
    .in_block_i({128'd1, 128'd0}), .in_decrypt_i(2'b10), .in_slot_i('0), .in_tag_i('0),
    .out_valid_o(out_valid), .out_ready_i, .out_block_o(out_block), .out_tag_o(out_tag),
    .key_loaded_i, .key_loaded_slot_i, .core_idle_i(1'b1), .core_in_valid_o(core_valid),
    .core_in_ready_i, .core_in_block_o(core_block), .core_in_decrypt_o(core_decrypt),
    .core_in_slot_o(core_slot), .core_in_tag_o(core_tag), .core_out_valid_i,
    .core_out_block_i({120'd0, result_i}), .core_out_tag_i
  );

  logic [1:0] mine, taken;
  logic [1:0][3:0] flight_q, room, held;
  logic [1:0] keyed_q;
  assign mine  = {core_out_valid_i & core_out_tag_i[1], core_out_valid_i & ~core_out_tag_i[1]};
  assign taken = in_valid_i & in_ready;
  assign room  = {4'(dut.gen_stream[1].room_q), 4'(dut.gen_stream[0].room_q)};
  assign held  = {4'(dut.gen_stream[1].u_results.count_q),
                  4'(dut.gen_stream[0].u_results.count_q)};

  // The two places of a FIFO: one is taken when the pointers differ.
  logic [1:0] odd;
  assign odd = {dut.gen_stream[1].u_results.write_q ^ dut.gen_stream[1].u_results.read_q,
                dut.gen_stream[0].u_results.write_q ^ dut.gen_stream[0].u_results.read_q};

  // Whether a stream asked and another one was served, and a result that was not taken.
  logic [1:0] passed_q, waited_q;
  logic [1:0][7:0] was_q;
  always_ff @(posedge clk_i) begin
    for (int i = 0; i < 2; i++) begin
      if (!rst_ni) begin
        flight_q[i] <= '0;
        keyed_q[i]  <= 1'b0;
        passed_q[i] <= 1'b0;
      end else begin
        flight_q[i] <= flight_q[i] + 4'(taken[i]) - 4'(mine[i]);
        if (key_loaded_i && 32'(key_loaded_slot_i) == i) keyed_q[i] <= 1'b1;
        if (taken[i] || !dut.asks[i]) passed_q[i] <= 1'b0;
        else if (taken[1-i]) passed_q[i] <= 1'b1;
      end
      waited_q[i] <= rst_ni & out_valid[i] & ~out_ready_i[i];
      was_q[i]    <= out_block[i][7:0];
    end
  end

  always_comb begin
    for (int i = 0; i < 2; i++) if (mine[i]) assume (flight_q[i] != '0);
    if (started_q) begin
      assert (core_valid == |dut.asks);
      assert ((|taken) == (core_valid & core_in_ready_i) && taken != 2'b11);
      for (int i = 0; i < 2; i++) begin
        // Every block in flight has a place for its result.
        assert (6'(room[i]) + 6'(flight_q[i]) + 6'(held[i]) == 6'd2);
        assert (odd[i] == held[i][0]);
        assert (keyed_q[i] == dut.loaded_q[i]);
        if (taken[i]) begin
          assert (keyed_q[i] && core_block == 128'(i) && 32'(core_slot) == i);
          assert (32'(core_tag[1]) == i && 32'(core_decrypt) == i);
        end
        // A stream sees its own results and nothing else.
        assert (out_valid[i] == (held[i] != '0 || mine[i]));
        if (!out_valid[i]) assert (out_block[i] == '0);
        if (waited_q[i]) assert (out_valid[i] && out_block[i][7:0] == was_q[i]);
        // After another one was served it is the turn of one that waits.
        if (passed_q[i]) assert (32'(dut.last_q) != i);
        if (passed_q[i] && dut.asks[i]) assert (!taken[1-i]);
      end
    end
  end
endmodule
"""
)

PROOFS = {
    "rsm_interleave": INTERLEAVE,
    "rsm_stream_gather": GATHER,
    "rsm_stream_split": SPLIT,
    "rsm_axi4_lite": LITE,
}


def source(name: str) -> Path:
    return next(RTL.glob(f"*/{name}.sv"))


def prove(name: str, bench: str, folder: Path, *files: Path) -> None:
    """Prove by induction what a bench asserts of the module `name` in files."""
    file = folder / "proof.sv"
    file.write_text(bench)
    script = [
        yosys.read_slang([*files, file], "proof"),
        "prep -flatten -nordff -top proof",
        "memory_map",
        "opt_clean",
        "chformal -lower",
        "sat -verify -tempinduct -seq 3 -maxsteps 6 -prove-asserts -set-assumes proof",
    ]
    yosys.run(script, what=f"The proof of {name}", folder=folder)


@pytest.mark.parametrize("name", PROOFS)
def test_nothing_is_lost(name: str, tmp_path: Path) -> None:
    prove(name, PROOFS[name], tmp_path, *PARTS, source(name))


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        # A beat is left open after a short one; one waits that could go; bytes of old beats stay.
        ("rsm_stream_gather", "in_last_i | ~full |", "in_last_i |"),
        ("rsm_stream_gather", "~out_valid_o | out_ready_i", "1'b1"),
        ("rsm_stream_gather", "else if (store && first) ", "else if (1'b0) "),
        # A beat goes too early; `last` comes with every part of it.
        ("rsm_stream_split", "out_ready_i & ends", "out_ready_i"),
        ("rsm_stream_split", "in_last_i & ends", "in_last_i"),
        # No place for a result; a stream that is always first; another one's result is shown.
        ("rsm_interleave", "~clearing & (room_q != '0)", "~clearing"),
        ("rsm_interleave", "if (any && core_in_ready_i) last_q <= chosen", "last_q <= '0"),
        ("rsm_interleave", "held ? held_block : mine ? block : '0", "held ? held_block : block"),
        # An answer is given up; a write goes without its data; what was read stays.
        ("rsm_axi4_lite", "else if (rready_i) begin", "else begin"),
        ("rsm_axi4_lite", "aw_q & w_q & ~bvalid_o", "aw_q & ~bvalid_o"),
        ("rsm_axi4_lite", "      rdata_o  <= '0;\n    end\n", "    end\n"),
    ],
)
def test_the_proofs_can_fail(name: str, right: str, wrong: str, tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="proof did fail"):
        prove(name, PROOFS[name], tmp_path, *PARTS, change(source(name), right, wrong, tmp_path))
