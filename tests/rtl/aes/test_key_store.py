"""The keys of a core: the store, and the keys at the ends, in random traffic against models."""

import random
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import pytest

from roundsmith.base.paths import RTL
from roundsmith.spec import Sbox
from roundsmith.tools import verilator
from tests.rtl.aes.key_expansion import (
    DIRECTIONS,
    ROUNDS,
    WORDS,
    broken_file,
    expanded,
    following,
    key_bits,
    lengths,
    preceding,
    random_key,
    walked_instead,
)


@dataclass(frozen=True)
class Store:
    """A key store in the bench."""

    mask: int
    direction: str
    slots: int = 1
    ports: int = 1
    sbox: Sbox = Sbox.MINIMAL
    cuts: int = 0
    early: bool = False
    align_last: bool = False
    sub_cut: bool = False

    @property
    def step_cycles(self) -> int:
        return self.sbox.of("aes").latency + self.cuts.bit_count() + 1 + self.sub_cut


#: Round keys go to registers word by word.
WORD_BY_WORD = Store(1, "Forward", ports=0, cuts=0b11, sub_cut=True, early=True)

#: What a bench holds: at most 16 slots, and as many read ports as the widest needs.
STORES = [
    Store(1, "Forward"),
    Store(1, "Both", cuts=0b1, early=True),
    Store(1, "Forward", sbox=Sbox.BLOCK_RAM, early=True, ports=2),
    Store(7, "Both", slots=3, cuts=0b101, early=True, ports=2),
    Store(7, "Both", slots=16, ports=1),
    Store(6, "Inverse", slots=2, cuts=0b1),
    Store(2, "Inverse", early=True),
    Store(1, "Forward", ports=0),
    Store(1, "Both", ports=0, cuts=0b1, early=True),
    Store(7, "Both", slots=2, ports=0),
    Store(7, "Both", slots=3, ports=0, early=True, align_last=True),
    Store(3, "Inverse", ports=0, align_last=True),
    Store(4, "Forward", ports=0, align_last=True),
    Store(1, "Both", sub_cut=True, early=True, ports=2),
    Store(1, "Forward", ports=0, cuts=0b1, sub_cut=True, early=True),
    WORD_BY_WORD,
    Store(1, "Both", slots=2, ports=0, sub_cut=True),
    Store(6, "Both", slots=2, ports=0, cuts=0b101, sub_cut=True),
    Store(7, "Both", slots=2, ports=0, cuts=0b1, sub_cut=True, early=True, align_last=True),
]
ENDS = [(direction, mask) for direction, mask in product(DIRECTIONS, (1, 2, 4, 6, 7))]

MOST_SLOTS = 16
MOST_PORTS = 2


def bench(chosen: Sequence[Store], ends: Sequence[tuple[str, int]]) -> str:
    """Return all stores and ends side by side, their ports joined to arrays."""
    ports = f"""
module bench import rsm_aes_pkg::*; (
  input  logic clk_i, rst_ni, clear_i,
  output logic idle_o [{len(chosen)}],
  input  logic key_valid_i [{len(chosen)}],
  output logic key_ready_o [{len(chosen)}],
  input  logic [255:0] key_i [{len(chosen)}],
  input  logic [1:0] key_len_i [{len(chosen)}],
  input  logic [3:0] key_slot_i [{len(chosen)}],
  input  logic [3:0] entry_slot_i [{len(chosen)}],
  input  logic entry_decrypt_i [{len(chosen)}],
  output logic entry_ready_o [{len(chosen)}],
  output logic [1:0] entry_len_o [{len(chosen)}],
  output logic [127:0] entry_key_o [{len(chosen)}],
  input  logic accept_i [{len(chosen)}],
  input  logic leave_i [{len(chosen)}],
  input  logic [3:0] leave_slot_i [{len(chosen)}],
  input  logic [3:0] read_slot_i [{len(chosen)}][{MOST_PORTS}],
  input  logic [3:0] read_index_i [{len(chosen)}][{MOST_PORTS}],
  output logic [127:0] read_key_o [{len(chosen)}][{MOST_PORTS}],
  output logic [{MOST_SLOTS * 15 * 128 - 1}:0] keys_o [{len(chosen)}],
  output logic end_idle_o [{len(ends)}],
  input  logic end_key_valid_i [{len(ends)}],
  output logic end_key_ready_o [{len(ends)}],
  input  logic [255:0] end_key_i [{len(ends)}],
  input  logic [1:0] end_key_len_i [{len(ends)}],
  output logic encrypt_ready_o [{len(ends)}],
  output logic decrypt_ready_o [{len(ends)}],
  output logic [1:0] len_o [{len(ends)}],
  output logic [255:0] first_o [{len(ends)}],
  output logic [255:0] last_o [{len(ends)}],
  output logic walk_valid_o [{len(ends)}],
  input  logic walk_ready_i [{len(ends)}],
  input  logic walked_i [{len(ends)}],
  input  logic [255:0] walked_window_i [{len(ends)}]
);
"""
    body = []
    for i, store in enumerate(chosen):
        width = max(1, (store.slots - 1).bit_length())
        reads = max(1, store.ports)
        slots = ", ".join(f"read_slot_i[{i}][{p}][{width - 1}:0]" for p in reversed(range(reads)))
        indices = ", ".join(f"read_index_i[{i}][{p}]" for p in reversed(range(reads)))
        keys = ", ".join(f"read_key_o[{i}][{p}]" for p in reversed(range(reads)))
        body.append(f"""
  rsm_aes_key_store #(
    .Sbox({store.sbox.of("aes").value}), .Cuts(7'd{store.cuts}),
    .Direction(Direction{store.direction}), .Lengths(3'd{store.mask}),
    .KeySlots({store.slots}), .EarlyEncrypt({int(store.early)}), .Ports({store.ports}),
    .AlignLast({int(store.align_last)}), .SubCut({int(store.sub_cut)})
  ) u_store_{i} (
    .clk_i, .rst_ni, .clear_i, .idle_o(idle_o[{i}]),
    .key_valid_i(key_valid_i[{i}]), .key_ready_o(key_ready_o[{i}]),
    .key_i(key_i[{i}][{key_bits(store.mask) - 1}:0]), .key_len_i(key_len_i[{i}]),
    .key_slot_i(key_slot_i[{i}][{width - 1}:0]),
    .entry_slot_i(entry_slot_i[{i}][{width - 1}:0]), .entry_decrypt_i(entry_decrypt_i[{i}]),
    .entry_ready_o(entry_ready_o[{i}]), .entry_len_o(entry_len_o[{i}]),
    .entry_key_o(entry_key_o[{i}]),
    .accept_i(accept_i[{i}]), .leave_i(leave_i[{i}]),
    .leave_slot_i(leave_slot_i[{i}][{width - 1}:0]),
    .read_slot_i({{{slots}}}), .read_index_i({{{indices}}}), .read_key_o({{{keys}}}),
    .keys_o(keys_o[{i}][{store.slots * 15 * 128 - 1}:0])
  );""")
    for i, (direction, mask) in enumerate(ends):
        top = key_bits(mask) - 1
        body.append(f"""
  rsm_aes_key_ends #(.Direction(Direction{direction}), .Lengths(3'd{mask})) u_ends_{i} (
    .clk_i, .rst_ni, .clear_i, .idle_o(end_idle_o[{i}]),
    .key_valid_i(end_key_valid_i[{i}]), .key_ready_o(end_key_ready_o[{i}]),
    .key_i(end_key_i[{i}][{top}:0]), .key_len_i(end_key_len_i[{i}]),
    .encrypt_ready_o(encrypt_ready_o[{i}]), .decrypt_ready_o(decrypt_ready_o[{i}]),
    .len_o(len_o[{i}]), .first_o(first_o[{i}][{top}:0]), .last_o(last_o[{i}][{top}:0]),
    .walk_valid_o(walk_valid_o[{i}]), .walk_ready_i(walk_ready_i[{i}]),
    .walked_i(walked_i[{i}]), .walked_window_i(walked_window_i[{i}][{top}:0])
  );""")
    return "\n".join([ports, *body, "endmodule", ""])


def tables(chosen: Sequence[Store], ends: Sequence[tuple[str, int]]) -> str:
    """Return what the harness must know, as C++."""

    def array(words: Sequence[int]) -> str:
        return "{" + ", ".join(f"0x{word:08x}u" for word in words) + "}"

    def flag(value: bool) -> str:
        return str(int(value))

    store_rows = [
        f'{{"store {i} ({s.direction} {s.mask})", {s.mask}, {key_bits(s.mask)}, '
        f"{flag(s.direction != 'Inverse')}, "
        f"{flag(s.direction != 'Forward')}, {s.slots}, {s.ports}, {flag(s.early)}, "
        f"{flag(s.align_last)}, {flag(s.sub_cut)}, {s.step_cycles}, {ROUNDS[lengths(s.mask)[-1]]}}}"
        for i, s in enumerate(chosen)
    ]
    end_rows = [
        f'{{"ends {direction} {mask}", {mask}, {key_bits(mask)}, '
        f"{flag(direction != 'Inverse')}, {flag(direction != 'Forward')}}}"
        for direction, mask in ends
    ]
    rng = random.Random(1997)
    keys = []
    for length in [0, 1, 2] * 20:
        words = expanded(length, random_key(rng, length))
        rounds = ROUNDS[length]
        walked = following(length, words, rounds)
        if length == 2:
            walked[4:] = walked_instead(words)
        schedule = ", ".join(array(words[4 * t : 4 * t + 4]) for t in range(rounds + 1))
        keys.append(
            f"{{{length}, {rounds}, {WORDS[length]}, {array(words[: WORDS[length]])}, "
            f"{{{schedule}}}, {array(walked)}, {array(preceding(length, words, rounds))}}}"
        )
    return f"""
struct Store {{
  const char *name;
  int mask, key_bits, encrypts, decrypts, slots, ports, early, align_last, sub_cut,
    step_cycles, max_rounds;
}};
struct End {{ const char *name; int mask, key_bits, encrypts, decrypts; }};
struct Key {{
  int len, rounds, key_words;
  uint32_t words[8], round_keys[15][4], walked[8], last[8];
}};
static const Store stores[] = {{{", ".join(store_rows)}}};
static const End ends[] = {{{", ".join(end_rows)}}};
static const Key keys[] = {{{", ".join(keys)}}};
static const int store_count = {len(chosen)}, end_count = {len(ends)}, key_count = {len(keys)};
"""


def run_bench(
    folder: Path,
    chosen: Sequence[Store],
    ends: Sequence[tuple[str, int]],
    instead: Mapping[str, Path] | None = None,
) -> dict[str, int]:
    """Return how much traffic there was of each kind; AssertionError when something is wrong."""
    (folder / "tables.h").write_text(tables(chosen, ends))
    file = folder / "bench.sv"
    file.write_text(bench(chosen, ends))
    found = [RTL / "aes/pkg/rsm_aes_pkg.sv"]
    for part in ("common", "aes/sbox", "aes/key"):
        found += sorted((RTL / part).glob("*.sv"))
    files = {path.stem: path for path in found} | dict(instead or {})
    program = verilator.build(
        [*files.values(), file],
        "bench",
        Path(__file__).with_name("key_store_bench.cpp"),
        folder,
        # Ports that are wider than those of an instance do no harm here.
        flags=["-Wno-fatal"],
        cflags=[f"-I{folder}"],
    )
    run = subprocess.run([program], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout
    return {what: int(number) for what, number in re.findall(r"^(.+): (\d+)$", run.stdout, re.M)}


def test_stores_and_ends_in_random_traffic(tmp_path: Path) -> None:
    done = run_bench(tmp_path, STORES, ENDS)
    assert done["most blocks"] > 200
    rare = {what: number for what, number in done.items() if what != "most blocks" and number < 500}
    assert not rare
    assert len(done) == 11


@pytest.mark.parametrize(
    ("module", "right", "wrong"),
    [
        # A key for a slot with a block in flight.
        ("store", "(target_q & in_flight_q) == '0", "1'b1"),
        # Zeros do not reach every place.
        ("store", "(place_q != '1)", "(place_q != 4'd9)"),
        # Words of a key to far registers are left out.
        ("store", "{beat_q[1] ^ beat_q[0], write", "{beat_q[1], write"),
        # The only slot of far registers is told free while a block needs its keys.
        ("store", "(in_flight_q[0] | accept_i)", "in_flight_q[0]"),
        ("ends", "w6 ^ w5", "w6"),
    ],
)
def test_the_traffic_can_fail(module: str, right: str, wrong: str, tmp_path: Path) -> None:
    broken = broken_file(f"rsm_aes_key_{module}", right, wrong, tmp_path)
    with pytest.raises(AssertionError, match=r"cycle \d+: (store|ends)"):
        run_bench(tmp_path, [STORES[1], WORD_BY_WORD], [("Both", 4)], broken)
