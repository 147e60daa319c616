"""The key schedule: its steps are proved and run.

The words of the key expansion come from FIPS 197, 5.2, written once more in key_expansion. For
fixed controls the parts before and after the S-boxes of a step are sums, so every output is
followed through the netlist as a sum of inputs, which covers all keys. Whole steps and the expander
are run on random keys.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import pytest

from roundsmith.spec import Sbox
from tests.rtl.aes.key_expansion import (
    DIRECTIONS,
    MASKS,
    ROUNDS,
    WORDS,
    broken_file,
    constant,
    expanded,
    following,
    joined,
    key_bits,
    lengths,
    preceding,
    random_key,
    walked_instead,
)
from tests.support import netlists
from tests.support.netlists import Instance


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
            f"#(.Sbox({sbox.of('aes').value}), .Direction(Direction{direction}), "
            f".Lengths(3'd{mask}), .Cuts(7'd{cuts}))"
        )
        one = Instance("travel", "rsm_aes_key_travel", ports, parameters)
        netlist = netlists.read([one], folder, instead=instead)
        sent = passages(rng, mask, direction, number)
        latency = sbox.of("aes").latency + cuts.bit_count()
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
