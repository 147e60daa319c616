"""The key schedule: its steps are proved, its parts are run.

The words of the key expansion come from FIPS 197, 5.2, written here once more. For fixed controls
the parts before and after the S-boxes of a step are sums, so every output is followed through the
netlist as a sum of inputs, which covers all keys. Whole steps, the expander, the store and the
keys at the ends are run on random keys, the last three against models of their rules.
"""

import random
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import pytest

import netlists
from netlists import Instance
from roundsmith.circuits import sbox_table
from roundsmith.generate import SBOXES
from roundsmith.paths import RTL
from roundsmith.spec import SBOX_LATENCY, Sbox
from roundsmith.tools import verilator

SBOX = sbox_table.sbox()

#: Words of a key of length 0, 1 and 2, and the rounds that they take.
WORDS = (4, 6, 8)
ROUNDS = (10, 12, 14)

#: Every choice of lengths that can be built in.
MASKS = range(1, 8)
DIRECTIONS = ("Forward", "Inverse", "Both")


def lengths(mask: int) -> list[int]:
    return [length for length in range(3) if mask >> length & 1]


def key_bits(mask: int) -> int:
    return 32 * WORDS[lengths(mask)[-1]]


# --- The key expansion, by the standard ----------------------------------------------------


def rotated(word: int) -> int:
    """RotWord."""
    return (word << 8 | word >> 24) & 0xFFFFFFFF


def substituted(word: int) -> int:
    """SubWord."""
    return sum(SBOX[word >> shift & 0xFF] << shift for shift in (0, 8, 16, 24))


def constant(index: int) -> int:
    """Rcon[index]: a power of x in the first byte."""
    value = 1
    for _ in range(index - 1):
        value = value << 1 ^ (0x11B if value & 0x80 else 0)
    return value << 24


def summand(length: int, index: int, word: int) -> int:
    """Return what FIPS 197, Fig. 11, adds to w[index - Nk], from w[index - 1]."""
    nk = WORDS[length]
    if index % nk == 0:
        return substituted(rotated(word)) ^ constant(index // nk)
    if nk > 6 and index % nk == 4:
        return substituted(word)
    return word


def expanded(length: int, key: Sequence[int]) -> list[int]:
    """Return w[0], w[1], ... with the words that continue the schedule behind its end."""
    words = list(key)
    for index in range(WORDS[length], 4 * ROUNDS[length] + WORDS[length]):
        words.append(words[index - WORDS[length]] ^ summand(length, index, words[-1]))
    return words


def joined(words: Sequence[int]) -> int:
    """Return words as one number, the first word on top."""
    return int.from_bytes(b"".join(word.to_bytes(4, "big") for word in words), "big")


def round_keys(length: int, key: Sequence[int]) -> list[int]:
    words = expanded(length, key)
    return [joined(words[4 * t : 4 * t + 4]) for t in range(ROUNDS[length] + 1)]


def random_key(rng: random.Random, length: int) -> list[int]:
    return [rng.getrandbits(32) for _ in range(WORDS[length])]


@pytest.mark.parametrize(
    ("length", "key", "some"),
    [
        # FIPS 197, appendix A.1 to A.3.
        (
            0,
            "2b7e151628aed2a6abf7158809cf4f3c",
            {4: 0xA0FAFE17, 23: 0x11F915BC, 39: 0x575C006E, 43: 0xB6630CA6},
        ),
        (
            1,
            "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b",
            {6: 0xFE0C91F7, 12: 0x4DB7B4BD, 51: 0x01002202},
        ),
        (
            2,
            "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
            {8: 0x9BA35411, 12: 0xA8B09C1A, 28: 0x98C5BFC9, 59: 0x706C631E},
        ),
    ],
)
def test_the_expansion_here_is_that_of_the_standard(
    length: int, key: str, some: Mapping[int, int]
) -> None:
    words = expanded(length, [int(key[i : i + 8], 16) for i in range(0, len(key), 8)])
    assert {index: words[index] for index in some} == some


# --- Windows -------------------------------------------------------------------------------


def following(length: int, words: Sequence[int], step: int) -> list[int]:
    """Return the window W_t: a round key and the words that follow it."""
    return list(words[4 * step : 4 * step + WORDS[length]])


def preceding(length: int, words: Sequence[int], step: int) -> list[int]:
    """Return the window V_t: a round key and the words before it."""
    return list(words[4 * step : 4 * step + 4]) + list(
        words[4 * step + 4 - WORDS[length] : 4 * step]
    )


# --- Proofs --------------------------------------------------------------------------------

Sum = frozenset[str]
#: A word as sums of inputs, the most significant bit first.
Word = list[Sum]


def named(port: str, high: int) -> Word:
    """Return the word of a port whose most significant bit is `high`."""
    return [frozenset({f"{port}[{high - i}]"}) for i in range(32)]


def added(*words: Word) -> Word:
    result: Word = [frozenset()] * 32
    for word in words:
        result = [a ^ b for a, b in zip(result, word, strict=True)]
    return result


def constant_word(value: int) -> Word:
    return [frozenset({"1"} if value >> (31 - i) & 1 else set()) for i in range(32)]


@dataclass(frozen=True)
class Step:
    """What one step must do, derived from the standard for windows of named words.

    `enters` is what goes into SubWord, None where its output counts for nothing; `result` is the
    window behind it. None stands for a word that may be anything.
    """

    enters: Word | None
    result: list[Word | None]


def textbook(length: int, step: int, inverse: bool, bits: int, both: bool) -> Step:
    """Return a step for a window of `bits` bits, from the words and the rule for one word."""
    nk = WORDS[length]
    ports = [named("window_i", bits - 1 - 32 * i) for i in range(nk)]
    subword = named("subword_i", 31)
    enters: Word | None = None
    known: dict[int, Word] = {}

    def rule(index: int) -> Word:
        """Return the summand of w[index]; notes what enters SubWord."""
        nonlocal enters
        word = known[index - 1]
        if index % nk == 0:
            enters = word[8:] + word[:8]
            return added(subword, constant_word(constant(index // nk)))
        if nk > 6 and index % nk == 4:
            enters = word
            return subword
        return word

    if not inverse:
        known.update({4 * (step - 1) + i: word for i, word in enumerate(ports)})
        for index in range(4 * step + nk - 4, 4 * step + nk):
            if both and length == 2 and step == 14 and index % 4 == 0:
                # The exception: SubWord is left out.
                known[index] = known[index - nk]
                continue
            known[index] = added(known[index - nk], rule(index))
        return Step(enters, [known[4 * step + i] for i in range(nk)])
    first = 4 * step + 4 - nk
    places = [*range(4 * step, 4 * step + 4), *range(first, 4 * step)]
    known.update(dict(zip(places, ports, strict=True)))
    wanted = [*range(4 * step - 4, 4 * step), *range(first - 4, 4 * step - 4)]
    for index in reversed(range(first - 4, first)):
        known[index] = added(known[index + nk], rule(index + nk))
    # The words before w[0] are nobody's.
    return Step(enters, [known[index] if index >= 0 else None for index in wanted])


@pytest.mark.parametrize("mask", MASKS)
def test_every_step_is_proved(mask: int, tmp_path: Path) -> None:
    check_steps(mask, DIRECTIONS, tmp_path)


def check_steps(
    mask: int,
    directions: Sequence[str],
    folder: Path,
    instead: Mapping[str, Path] | None = None,
    script: Sequence[str] = netlists.AS_READ,
) -> None:
    """Prove the parts before and after the S-boxes for all windows and all values of SubWord.

    The part behind takes what the part before has left of the window, as it does in a step.
    """
    bits = key_bits(mask)
    bench = folder / "parts.sv"
    bench.write_text(PARTS)
    ports = {
        "inverse_i": 1, "len_i": 2, "step_i": 4, "window_i": bits, "subword_i": 32,
        "word_o": 32, "window_o": bits,
    }  # fmt: skip
    instances = [
        Instance(
            direction,
            "parts",
            ports,
            f"#(.Direction(Direction{direction}), .Lengths(3'd{mask}))",
            clocked=False,
        )
        for direction in directions
    ]
    netlist = netlists.read(instances, folder, script, {**(instead or {}), "parts": bench})
    for length, inverse in product(lengths(mask), (False, True)):
        for step in range(1, ROUNDS[length] + 1):
            found = netlist.sums({"inverse_i": inverse, "len_i": length, "step_i": step})
            for direction in directions:
                if direction == ("Forward" if inverse else "Inverse"):
                    continue
                what = f"{direction}, {length=}, {step=}, {inverse=}"
                expected = textbook(length, step, inverse, bits, direction == "Both")
                word = found[f"{direction}_word_o"][::-1]
                assert expected.enters in (None, word), f"{what}: the word for SubWord"
                window = found[f"{direction}_window_o"][::-1]
                for i, wanted in enumerate(expected.result):
                    assert wanted in (None, window[32 * i : 32 * i + 32]), f"{what}: word {i}"


PARTS = """
module parts
  import rsm_aes_pkg::*;
#(
  parameter direction_e Direction = DirectionForward,
  parameter lengths_t   Lengths   = 3'b001
) (
  input  logic                         inverse_i,
  input  length_t                      len_i,
  input  round_t                       step_i,
  input  logic [key_bits(Lengths)-1:0] window_i,
  input  word_t                        subword_i,
  output word_t                        word_o,
  output logic [key_bits(Lengths)-1:0] window_o
);
  logic [key_bits(Lengths)-1:0] window;
  rsm_aes_key_word #(.Direction(Direction), .Lengths(Lengths)) u_word (
    .inverse_i, .len_i, .step_i, .window_i, .word_o, .window_o(window)
  );
  rsm_aes_key_step #(.Direction(Direction), .Lengths(Lengths)) u_step (
    .inverse_i, .len_i, .step_i, .window_i(window), .subword_i, .window_o
  );
endmodule
"""


@pytest.mark.parametrize(
    ("module", "right", "wrong"),
    [
        ("word", "4'd2, 4'd5, 4'd8, 4'd11: from_1 = ~", "4'd2, 4'd5, 4'd8: from_1 = ~"),
        ("word", "w2 & {32{inverse}}", "w2 & {32{~inverse}}"),
        ("word", "(step_i[0] ^ inverse)", "step_i[0]"),
        ("step", "4'd8, 4'd9:   return 8'h20", "4'd8: return 8'h20"),
        ("step", "at_2 = inverse;", "at_2 = 1'b0;"),
        ("step", "inverse | (step_i != 4'd14)", "1'b1"),
        ("step", "4'd10:   return 8'h36", "4'd10:   return 8'h37"),
    ],
)
def test_the_proof_of_a_step_can_fail(module: str, right: str, wrong: str, tmp_path: Path) -> None:
    broken = broken_file(f"rsm_aes_key_{module}", right, wrong, tmp_path)
    with pytest.raises(AssertionError):
        check_steps(7, ["Both"], tmp_path, broken)


def broken_file(name: str, right: str, wrong: str, folder: Path) -> dict[str, Path]:
    """Return a wrong copy of a module, to be read instead of it."""
    text = (RTL / "aes/key" / f"{name}.sv").read_text()
    assert right in text
    file = folder / f"{name}.sv"
    file.write_text(text.replace(right, wrong, 1))
    return {name: file}


# --- Whole steps ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Passed:
    """A window on its way through a step: what goes in, and what must come out."""

    length: int
    step: int
    inverse: bool
    before: list[int]
    after: list[int]


def passages(rng: random.Random, mask: int, directions: str, number: int) -> list[Passed]:
    """Return every step of every length in random order, each with a key of its own."""
    inverses = {"Forward": (False,), "Inverse": (True,), "Both": (False, True)}[directions]
    steps = [
        (length, step, inverse)
        for length, inverse in product(lengths(mask), inverses)
        for step in range(1, ROUNDS[length] + 1)
    ]
    steps *= -(-number // len(steps))
    rng.shuffle(steps)
    found = []
    for length, step, inverse in steps:
        words = expanded(length, random_key(rng, length))
        if not inverse:
            after = following(length, words, step)
            if directions == "Both" and (length, step) == (2, 14):
                after[4:] = walked_instead(words)
            passed = Passed(length, step, inverse, following(length, words, step - 1), after)
        elif 4 * (step - 1) + 4 >= WORDS[length]:
            after = preceding(length, words, step - 1)
            passed = Passed(length, step, inverse, preceding(length, words, step), after)
        else:
            # The words before w[0] are nobody's: only the round key counts.
            window = words[4 * step : 4 * step + 4]
            window += words[max(0, 4 * step + 4 - WORDS[length]) : 4 * step]
            if 4 * step + 4 < WORDS[length]:
                continue
            passed = Passed(length, step, inverse, window, words[4 * step - 4 : 4 * step])
        found.append(passed)
    return found


def walked_instead(words: Sequence[int]) -> list[int]:
    """Return the last words after step 14 of 256 bits, which leaves SubWord out."""
    result = []
    last = 0
    for word in words[52:56]:
        last ^= word
        result.append(last)
    return result


CHOICES = [
    ("Both", 7, Sbox.MINIMAL, 0b000),
    ("Both", 7, Sbox.MINIMAL, 0b101),
    ("Both", 1, Sbox.TABLE, 0b0),
    ("Both", 4, Sbox.CELLS, 0b1),
    ("Both", 2, Sbox.LUT4, 0b1),
    ("Forward", 7, Sbox.GF4, 0b10),
    ("Forward", 1, Sbox.CELLS, 0b0),
    ("Inverse", 7, Sbox.FAST, 0b1),
    ("Inverse", 1, Sbox.LUT4, 0b0),
]


def check_passages(
    choices: Sequence[tuple[str, int, Sbox, int]],
    folder: Path,
    instead: Mapping[str, Path] | None = None,
    number: int = 200,
) -> None:
    """Send random windows through whole steps, with other controls in every cycle."""
    for direction, mask, sbox, cuts in choices:
        rng = random.Random(f"{direction} {mask} {sbox} {cuts}")
        bits = key_bits(mask)
        ports = {"inverse_i": 1, "len_i": 2, "step_i": 4, "window_i": bits, "window_o": bits}
        parameters = (
            f"#(.Sbox({SBOXES[sbox]}), .Direction(Direction{direction}), "
            f".Lengths(3'd{mask}), .Cuts(7'd{cuts}))"
        )
        one = Instance("travel", "rsm_aes_key_travel", ports, parameters)
        netlist = netlists.read([one], folder, instead=instead)
        sent = passages(rng, mask, direction, number)
        latency = SBOX_LATENCY.get(sbox, 0) + cuts.bit_count()
        idle = [0] * latency
        # In one direction nothing looks at `inverse_i`.
        found = netlist.along_time(
            {
                "inverse_i": [
                    p.inverse if direction == "Both" else rng.getrandbits(1) for p in sent
                ] + idle,
                "len_i": [p.length for p in sent] + idle,
                "step_i": [p.step for p in sent] + idle,
                "window_i": [
                    joined(p.before) << (bits - 32 * len(p.before)) for p in sent
                ] + idle,
            }
        )["travel_window_o"][latency:]  # fmt: skip
        for passed, window in zip(sent, found, strict=True):
            what = f"{direction} {mask} {sbox} {cuts}: {passed}, found {window:x}"
            assert window >> (bits - 32 * len(passed.after)) == joined(passed.after), what


@pytest.mark.parametrize("choice", CHOICES, ids=str)
def test_random_windows_through_whole_steps(
    choice: tuple[str, int, Sbox, int], tmp_path: Path
) -> None:
    check_passages([choice], tmp_path)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        (".step_i    (step_q)", ".step_i    (step_i)"),
        (".inverse_i (inverse_q)", ".inverse_i (inverse_i)"),
        (".len_i     (len_q)", ".len_i     (len_i)"),
        (".Depth (Latency)", ".Depth (Latency - 1)"),
    ],
)
def test_the_run_of_a_step_can_fail(right: str, wrong: str, tmp_path: Path) -> None:
    broken = broken_file("rsm_aes_key_travel", right, wrong, tmp_path)
    with pytest.raises(AssertionError):
        check_passages([("Both", 7, Sbox.MINIMAL, 0b101)], tmp_path, broken)


# --- Keys of a core ------------------------------------------------------------------------


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
        return SBOX_LATENCY.get(self.sbox, 0) + self.cuts.bit_count() + 1 + self.sub_cut


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
    .Sbox({SBOXES[store.sbox]}), .Cuts(7'd{store.cuts}),
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
