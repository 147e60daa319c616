"""Several keys in front of a core that holds one: every block under the newest key of its slot."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from proofs import BEGIN, change, prove, refute, source
from roundsmith import catalogue, export, generate, simulate, synthesize, verify
from roundsmith.errors import RoundsmithError
from roundsmith.simulate import KeyMode, Traffic
from roundsmith.spec import Mode, Spec, clear_cycles, cycles_per_block, key_setup_cycles, keys
from roundsmith.tools import iverilog

# The core is any circuit that takes keys and blocks when it likes to. What it has as a key is the
# last one that it took; what a user knows is the last one of each slot.
PROOF = (
    """
module proof (
  input logic clk_i, clear_i, key_valid_i, in_valid_i, core_key_ready_i, core_in_ready_i,
  input logic [1:0] key_i, key_len_i, key_slot_i, in_slot_i
);
"""
    + BEGIN
    + """
  logic idle, key_ready, in_ready, core_key_valid, core_in_valid;
  logic [1:0] core_key, core_key_len;

  rsm_key_swap #(.KeyWidth(2), .KeySlots(SLOTS)) dut (
    .clk_i, .rst_ni, .clear_i, .idle_o(idle), .key_valid_i, .key_ready_o(key_ready), .key_i,
    .key_len_i, .key_slot_i(WIDTH'(key_slot_i)), .in_valid_i, .in_ready_o(in_ready),
    .in_slot_i(WIDTH'(in_slot_i)), .core_idle_i(1'b1),
    .core_key_valid_o(core_key_valid), .core_key_ready_i, .core_key_o(core_key),
    .core_key_len_o(core_key_len), .core_in_valid_o(core_in_valid), .core_in_ready_i
  );

  // The newest key of each slot, and the one in the core.
  logic [SLOTS-1:0] known_q;
  logic [SLOTS-1:0][3:0] newest_q;
  logic has_q;
  logic [3:0] core_q;
  logic accept, send;
  assign accept = key_valid_i & key_ready;
  assign send   = core_key_valid & core_key_ready_i;

  // Cycles since a clear, as far as they count; a key that was offered to the core.
  logic [2:0] since_q;
  logic offered_q, sent_q, renewed_q;
  logic [1:0] slot_was_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      {known_q, has_q} <= '0;
    end else begin
      if (accept) known_q[key_slot_i] <= 1'b1;
      if (send)   has_q <= 1'b1;
    end
    if (accept) newest_q[key_slot_i] <= {key_len_i, key_i};
    if (send)   core_q <= {core_key_len, core_key};
    if (!rst_ni)                  since_q <= 3'd7;
    else if (clear_i)             since_q <= 3'd0;
    else if (since_q < 3'(SLOTS)) since_q <= since_q + 3'd1;
    offered_q  <= rst_ni & ~clear_i & core_key_valid & ~core_key_ready_i;
    sent_q     <= rst_ni & ~clear_i & send;
    renewed_q  <= accept & (key_slot_i == in_slot_i);
    slot_was_q <= in_slot_i;
  end

  always_comb begin
    assume (key_slot_i < 2'(SLOTS) && in_slot_i < 2'(SLOTS));
    // What was offered stays, but that a clear drops it.
    if (offered_q) assume (in_valid_i && in_slot_i == slot_was_q);
    if (started_q) begin
      // No block is lost, and none is doubled.
      assert ((in_valid_i & in_ready) == (core_in_valid & core_in_ready_i));
      // It enters under the newest key of its slot, which is in the core.
      if (core_in_valid) assert (in_valid_i && known_q[in_slot_i] && has_q);
      if (core_in_valid) assert (core_q == newest_q[in_slot_i]);
      // A key goes to the core only for a block that waits for it, and waits for the core.
      if (core_key_valid) assert (in_valid_i && known_q[in_slot_i] && !core_in_valid && !in_ready);
      if (core_key_valid) assert ({core_key_len, core_key} == newest_q[in_slot_i]);
      if (offered_q) assert (core_key_valid);
      // It goes once.
      if (sent_q && !renewed_q && in_slot_i == slot_was_q) begin
        assert (in_ready == core_in_ready_i && !core_key_valid);
      end
      // No block of a known slot waits for anything but the core.
      if (in_valid_i && known_q[in_slot_i]) assert (core_key_valid | core_in_valid);
      // A key is taken at any time but after a clear, when a zero is written over each.
      assert (key_ready == (since_q >= 3'(SLOTS)) && idle == key_ready);
      assert (dut.clearing_q == (since_q < 3'(SLOTS)));
      if (dut.clearing_q) assert (3'(dut.sweep_q) == since_q);
      for (int i = 0; i < SLOTS; i++) begin
        if (since_q < 3'd7 && !known_q[i] && 3'(i) < since_q) assert (dut.FORM.keys_q[i] == '0);
        if (known_q[i]) assert (dut.FORM.keys_q[i] == newest_q[i]);
      end
      assert (dut.loaded_q == known_q);
      if (dut.there_q) begin
        assert (2'(dut.slot_q) < 2'(SLOTS) && has_q && known_q[dut.slot_q]);
        assert (core_q == newest_q[dut.slot_q]);
      end
    end
  end
endmodule
"""
)


#: Two keys are in registers, more in a memory.
FORMS = {2: "gen_pair", 3: "gen_memory"}


def proof(slots: int) -> str:
    width = (slots - 1).bit_length()
    words = {"SLOTS": slots, "WIDTH": width, "FORM": FORMS[slots]}
    return re.sub("SLOTS|WIDTH|FORM", lambda word: str(words[word[0]]), PROOF)


@pytest.mark.parametrize("slots", FORMS)
def test_every_block_has_the_newest_key_of_its_slot(slots: int, tmp_path: Path) -> None:
    prove("rsm_key_swap", proof(slots), tmp_path, source("rsm_key_swap"))


@pytest.mark.parametrize(
    ("slots", "right", "wrong"),
    [
        # Another slot's key; a key that was replaced in the core, and on its way there.
        (3, "there_q & (slot_q == in_slot_i)", "there_q"),
        (3, "else if (accept && (key_slot_i == slot_q)) there_q <= 1'b0;", ""),
        (3, "there_q <= ~(accept & (key_slot_i == in_slot_i));", "there_q <= 1'b1;"),
        # A slot without a key; a block that does not wait for its key; a key that is sent again.
        (3, "in_valid_i & loaded_q[in_slot_i] & ~fits", "in_valid_i & ~fits"),
        (3, "  = fits & in_valid_i;", "  = in_valid_i;"),
        (3, "in_valid_i & loaded_q[in_slot_i] & ~fits", "in_valid_i & loaded_q[in_slot_i]"),
        # A key that a clear leaves; one that is lost in the cycles after it.
        (3, "clearing_q ? '0 : key_in", "key_in"),
        (2, "keys_q[i] <= '0;", "keys_q[i] <= key_in;"),
        (3, "slot_t'(KeySlots - 1)", "slot_t'(KeySlots - 2)"),
        (3, "assign key_ready_o = ~clearing_q;", "assign key_ready_o = 1'b1;"),
        # A key that goes to both places of a pair.
        (2, "accept && key_slot_i == slot_t'(i)", "accept"),
    ],
)  # fmt: skip
def test_the_proof_can_fail(slots: int, right: str, wrong: str, tmp_path: Path) -> None:
    broken = change(source("rsm_key_swap"), right, wrong, tmp_path)
    refute("rsm_key_swap", proof(slots), tmp_path, broken)


# --- Cores --------------------------------------------------------------------------------------


def slotted(name: str, slots: int) -> Spec:
    """Return the full form of a core with so many key slots."""
    data: dict[str, Any] = catalogue.find(name).full().model_dump()
    data["name"] = f"{name}-slots{slots}-full"
    return Spec.from_data(data | {"port": data["port"] | {"key_slots": slots}})


#: Cores of either cipher, and whether they have one key at a time: loops, batches, less than a
#: round, all key lengths, stored round keys of one key, tiles; and some that take any key at once.
CORES = [
    ("lutz-serpent", 3, True),
    ("satoh-1", 4, True),
    ("serpent-iterative", 2, False),
    *(
        pytest.param(*core, marks=pytest.mark.long)
        for core in (
            ("serpent-folded-both", 2, True),
            ("chodowiec-gaj", 2, True),
            ("compact-256", 3, True),
            ("fastest-serpent-ecp5", 16, True),
            ("iterative-lut4", 3, False),
            ("serial-both", 2, False),
            ("saggese-tiled-2", 2, False),
        )
    ),
]


@pytest.mark.parametrize(("name", "slots", "swapped"), CORES)
def test_keys_of_all_slots_in_random_traffic(name: str, slots: int, swapped: bool) -> None:
    """Key changes in every slot, stalls, clears and resets; and the cycles of the formulas."""
    spec = slotted(name, slots)
    assert keys.are_swapped(spec) == swapped and keys.in_front(spec)
    wanted = f"rsm_key_{'swap' if swapped else 'slots'} #("
    assert generate.top_text(spec).count(wanted) == 1
    answers = verify.check(verify.Bench(spec, name, verify.rtl(spec)), 1998, 300)
    assert answers.blocks > 500
    assert answers.cycles_per_block == cycles_per_block(spec) == cycles_per_block(spec.native())


def test_another_slot_costs_a_key_set_up() -> None:
    """Blocks of two slots by turns, and of one slot, which goes on as if there were no other."""
    spec = slotted("satoh-1", 2)
    program = verify.rtl(spec)
    both = [bytes(range(16)), bytes(range(16, 32))]
    cycles = []
    for key in (np.zeros(40, int), np.arange(40) % 2):
        given = simulate.stimulus(spec, both, bytes(640), key=key)
        found = simulate.run(program, spec, given, Traffic(KeyMode.NAMED)).results["accepted"]
        cycles.append(np.diff(found.astype(int))[5:])
    assert set(cycles[0]) == {cycles_per_block(spec)}
    # The key goes in as soon as the block before no longer needs its own.
    most = cycles_per_block(spec) + key_setup_cycles(spec)
    assert all(cycles_per_block(spec) < taken <= most for taken in cycles[1])


@pytest.mark.parametrize("name", ["satoh-1", "lutz-serpent"])
def test_clear_overwrites_every_key(name: str, tmp_path: Path) -> None:
    """After `clear_i`, two cores that saw different keys are bit for bit the same."""
    spec = slotted(name, 3)
    built = simulate.build(spec, synthesize.sources(spec), savable=True)
    states = []
    for secret in (3, 4):
        random = np.random.default_rng(secret)
        some = [random.bytes(max(spec.what.key_bits) // 8) for _ in range(3)]
        given = simulate.stimulus(spec, some, random.bytes(96), key=np.arange(6) % 3)
        for cleared in (True, False):
            save = tmp_path / f"{secret}-{cleared}"
            simulate.run(built, spec, given, save=save, end_clear=cleared)
            states.append(save.read_bytes())
    assert states[0] == states[2], "the state after clear_i depends on keys"
    assert states[1] != states[3], "the comparison must see the state"


def test_the_cycles_of_a_swap() -> None:
    one, three = catalogue.find("lutz-serpent").full(), slotted("lutz-serpent", 3)
    assert key_setup_cycles(three) == key_setup_cycles(one) + 1
    assert clear_cycles(three) == clear_cycles(one) and clear_cycles(slotted("satoh-1", 16)) == 16


@pytest.mark.parametrize("name", ["serpent-folded-both", "serpent-iterative", "satoh-1"])
def test_a_mode_brings_the_slots_that_it_needs(name: str) -> None:
    spec = catalogue.find(f"{name}-xts")
    assert spec.port.key_slots == 2 and spec.bare() == catalogue.find(f"{name}-cbc").bare()
    assert spec == catalogue.find(name).with_mode(Mode.XTS) == Spec.from_toml(spec.to_toml())
    assert catalogue.command(spec) == f"roundsmith build {name}-xts"


def test_slots_in_front_of_a_core_need_the_full_port() -> None:
    data = catalogue.find("satoh-1").model_dump()
    with pytest.raises(
        RoundsmithError, match="the full port holds the others: flow must be 'held'"
    ):
        Spec.from_data(data | {"port": data["port"] | {"key_slots": 2}})


@pytest.mark.long
@pytest.mark.parametrize("spec", [slotted("satoh-1", 3), catalogue.find("lutz-serpent-xts")])
def test_the_exported_bench_passes(spec: Spec, tmp_path: Path) -> None:
    folder = tmp_path / "core"
    export.write(spec, folder)
    files = [folder / f"{spec.module}.v", folder / f"tb/{spec.module}_tb.v"]
    built = iverilog.build(files, tmp_path / "bench.vvp", top=f"{spec.module}_tb")
    passed, failed = map(int, re.findall(r"\d+", iverilog.run(built, cwd=folder).splitlines()[-1]))
    assert passed >= 20 and failed == 0
    text = (folder / f"{spec.module}.md").read_text()
    assert "at a time, so a message costs two" in text or "One of them is in use at a time" in text
