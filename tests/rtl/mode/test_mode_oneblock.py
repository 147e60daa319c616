"""The modes over cores that have one block at a time: which cores, right answers, no cycle lost."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from roundsmith import catalogue
from roundsmith.design import generate
from roundsmith.flows import synthesize
from roundsmith.simulate import messages
from roundsmith.simulate.messages import Answer, Message, Traffic
from roundsmith.spec import Mode, Spec, formulas, mode_bus_rules, modes
from roundsmith.verify import message_checks

#: A core that encrypts, with its key beside the block; one that does both, with keys on the fly;
#: one with every key length; Serpent.
ENCRYPTS = "iterative-lut4"
BOTH = "satoh-1"
LENGTHS = "aesany-both-loop1-table-stored-equiv-cr"
SERPENT = "serpent-iterative"

CORES = (ENCRYPTS, BOTH, LENGTHS, SERPENT)

#: XTS takes turns with two keys in a core that holds one: keys on the fly, in both directions.
FLY = "aesany-both-loop1-gf16-mixmin-equiv-ch"
FLY_SERPENT = "serpent256-both-loop1-min-sep-cr"
CORES_XTS = (BOTH, FLY, FLY_SERPENT)

#: What has another form: several blocks in a ring, tiles, keys in slots, a pipeline, a narrow core.
OTHERS = (
    *("saggese-iterative-5", "saggese-tiled-2", "aes128-enc-pipe-table-cr", "chodowiec-gaj"),
    "aesany-both-loop1-table-stored-equiv-cr-slots4",
)

TRAFFIC = [
    Traffic(seed=1),
    Traffic(p_msg=60, p_in=100, p_out=60, seed=2),
    Traffic(p_in=90, seed=3),
    Traffic(p_out=40, seed=4),
]
CLEARS = Traffic(p_in=200, p_out=200, p_clear=150, p_reset=80, seed=5)
KEY = bytes(range(16))
#: Modes that have a small form.
ONEBLOCK = tuple(Mode(mode.word) for mode in modes.MODES if mode.oneblock)

MACS = {Mode(mode.word) for mode in modes.MODES if mode.mac}
#: Modes that make a tag.
TAGS = MACS | {Mode.CCM, Mode.OCB, Mode.GCM}


@cache
def spec_of(core: str, mode: Mode) -> Spec:
    return catalogue.find(core).with_mode(mode)


@cache
def program(core: str, mode: Mode) -> Path:
    spec = spec_of(core, mode)
    return messages.build(spec, synthesize.sources(spec))


def cores_of(mode: Mode) -> tuple[str, ...]:
    return CORES_XTS if mode is Mode.XTS else CORES


def test_which_cores_have_the_small_form() -> None:
    for mode in ONEBLOCK:
        for core in cores_of(mode):
            if mode in {Mode.ECB, Mode.CBC} or catalogue.find(core).encrypts:
                top = generate.design(spec_of(core, mode)).top
                assert f"rsm_mode_{mode}_oneblock" in top and "rsm_flow" not in top
    for core in CORES:
        assert "rsm_mode_cfb8 " in generate.design(spec_of(core, Mode.CFB8)).top
    for core in OTHERS:
        top = generate.design(spec_of(core, Mode.CTR)).top
        assert "rsm_mode_ctr " in top and "rsm_flow" in top
    for core in (*OTHERS, ENCRYPTS, LENGTHS, SERPENT):
        top = generate.design(spec_of(core, Mode.XTS)).top
        assert "rsm_mode_xts " in top and "rsm_flow" in top


def digit(spec: Spec) -> int:
    return int(mode_bus_rules.mode_parameters(spec)["Digit"])


def test_a_counter_turns_while_a_block_is_in_the_core() -> None:
    assert digit(spec_of(ENCRYPTS, Mode.CTR)) == 16
    assert digit(spec_of(SERPENT, Mode.CTR)) == 8
    for core in (ENCRYPTS, BOTH, LENGTHS, SERPENT):
        spec = spec_of(core, Mode.CTR)
        turns = 128 // digit(spec)
        assert all(
            turns + 2 <= formulas.initiation_interval(spec, bits) for bits in spec.what.key_bits
        )


def quick(core: str, mode: Mode) -> object:
    others = {(BOTH, Mode.XTS), (LENGTHS, Mode.CTR)}
    is_quick = core == ENCRYPTS or (core, mode) in others
    return pytest.param(core, mode, marks=() if is_quick else pytest.mark.long)


PAIRS = [quick(core, mode) for mode in ONEBLOCK for core in cores_of(mode)]


@pytest.mark.parametrize(("core", "mode"), PAIRS)
def test_random_messages(core: str, mode: Mode) -> None:
    spec = spec_of(core, mode)
    random = np.random.default_rng(7)
    count, longest = (30, 100) if core in {SERPENT, FLY_SERPENT} else (150, 300)
    asked = message_checks.questions(spec, random, count, longest)
    sent = [each.message for each in asked]
    for traffic in (*TRAFFIC, CLEARS):
        found = messages.run(program(core, mode), spec, sent, traffic)
        right = message_checks.compare(f"{core} {mode}", asked, found.answers)
        some = len(asked) // 10 < right < len(asked)
        assert some if traffic is CLEARS else right == len(asked), right


@pytest.mark.parametrize("decrypt", [False, True])
def test_a_text_of_every_length(decrypt: bool) -> None:
    """XTS up to five blocks: refused below one, and stolen from where a beat is short."""
    spec = spec_of(BOTH, Mode.XTS)
    random = np.random.default_rng(8)
    sent = [
        Message(random.bytes(32), random.bytes(size), iv=random.bytes(16), decrypt=decrypt)
        for size in range(81)
    ]
    for traffic in TRAFFIC:
        answers = messages.run(program(BOTH, Mode.XTS), spec, sent, traffic).answers
        for each, answer in zip(sent, answers, strict=True):
            assert answer is not None and answer.refused == (len(each.text) < 16)
            if not answer.refused:
                right = message_checks.reply(spec, each)
                assert right is not None and answer.text == right.text, len(each.text)


def message(mode: Mode, key: bytes, text: bytes, iv: bytes, decrypt: bool = False) -> Message:
    """Return a message with what its mode has: two keys, no IV or a short one, 16 bytes of tag."""
    key = key + key[::-1] if mode is Mode.XTS else key
    iv = b"" if mode is Mode.ECB or mode in MACS else iv[: 12 if mode in TAGS else 16]
    tag = bytes(16 if decrypt and mode in TAGS else 0)
    return Message(key, text, iv=iv, decrypt=decrypt, tag=tag, tag_bytes=16 if mode in TAGS else 0)


def last_cycle(core: str, mode: Mode, blocks: int, decrypt: bool) -> int:
    sent = message(mode, KEY, bytes(16 * blocks), bytes(16), decrypt)
    (answer,) = messages.run(program(core, mode), spec_of(core, mode), [sent]).answers
    assert answer is not None and not answer.refused
    assert len(answer.text) == (0 if mode in MACS else 16 * blocks)
    assert len(answer.tag) == (16 if mode in TAGS and not decrypt else 0)
    return answer.last


@pytest.mark.parametrize("mode", ONEBLOCK)
def test_the_core_is_kept_busy(mode: Mode) -> None:
    """A block in every interval, one cycle more if chained or hashed, two in XTS; two turns in CCM.

    In OCB few blocks take longer: six of blocks 51 to 150 are multiples of 16, none is one of 256.
    """
    core = BOTH if mode in {Mode.CBC, Mode.XTS, Mode.OCB} else ENCRYPTS
    spec = spec_of(core, mode)
    chained = mode in {Mode.CBC, Mode.CFB, Mode.OFB} | MACS
    both = {Mode.CBC, Mode.CFB, Mode.XTS, Mode.OCB, Mode.GCM}
    ways = (False, True) if mode in both else (False,)
    for decrypt in ways:
        taken = last_cycle(core, mode, 150, decrypt) - last_cycle(core, mode, 50, decrypt)
        if mode is Mode.OCB:
            assert abs(taken - 100 * formulas.cycles_per_block(spec)) < 1, f"{decrypt}"
            continue
        turn = formulas.initiation_interval(spec)
        hashed = mode is Mode.GCM
        waits = 2 if mode is Mode.XTS else hashed or (chained and not decrypt)
        each = 2 * turn + 3 if mode is Mode.CCM else turn + waits
        assert taken == 100 * each, f"{mode} {decrypt}"
        if not decrypt:
            assert taken == 100 * formulas.cycles_per_block(spec)


@pytest.mark.parametrize("bits", [1, pytest.param(128, marks=pytest.mark.long)])
def test_a_multiplier_of_another_size(bits: int) -> None:
    """It sets the pace where it takes longer than the core."""
    data = spec_of(ENCRYPTS, Mode.GCM).model_dump()
    data["how"] |= {"ghash_bits": bits, "ghash_lanes": 1}
    spec = Spec.from_data(data)
    assert formulas.is_oneblock(spec)
    assert formulas.cycles_per_block(spec) == (129 if bits == 1 else 11)
    built = messages.build(spec, synthesize.sources(spec))
    asked = message_checks.questions(spec, np.random.default_rng(10), 60, 100)
    for traffic in TRAFFIC:
        found = messages.run(built, spec, [each.message for each in asked], traffic)
        assert message_checks.compare(f"{bits} bits", asked, found.answers) == len(asked)
    for decrypt in (False, True):
        last = []
        for blocks in (10, 30):
            sent = message(Mode.GCM, KEY, bytes(16 * blocks), bytes(16), decrypt)
            (answer,) = messages.run(built, spec, [sent]).answers
            assert answer is not None and not answer.refused
            last.append(answer.last)
        assert last[1] - last[0] == 20 * formulas.cycles_per_block(spec)


@pytest.mark.parametrize("bits", [3, 16, pytest.param(20, marks=pytest.mark.long), 128])
def test_a_counter_that_would_wrap_is_refused(bits: int) -> None:
    """Wherever its bits end: in the first digit, at the end of one, or inside another one."""
    data = spec_of(ENCRYPTS, Mode.CTR).model_dump()
    data["how"]["counter_bits"] = bits
    spec = Spec.from_data(data)
    built = messages.build(spec, synthesize.sources(spec))
    for left in (1, 2, 5):
        low = (1 << bits) - left
        iv = ((0x5A << 120) % (1 << 128) & ~((1 << bits) - 1) | low).to_bytes(16, "big")
        sizes = (16 * left, 16 * left + 1, 16 * left + 40)
        sent = [Message(KEY, bytes(size), iv=iv) for size in sizes]
        for traffic in (Traffic(), Traffic(p_in=60, p_out=60, seed=6)):
            answers = messages.run(built, spec, sent, traffic).answers
            fits, *over = [answer for answer in answers if isinstance(answer, Answer)]
            assert not fits.refused and len(fits.text) == 16 * left
            assert len(over) == 2 and all(answer.refused for answer in over)
            assert all(answer.text == fits.text for answer in over)
            right = message_checks.reply(spec_of(ENCRYPTS, Mode.CTR), sent[0])
            assert right is not None and fits.text == right.text


@pytest.mark.parametrize(
    "mode",
    [pytest.param(m, marks=() if m is Mode.CTR else pytest.mark.long) for m in ONEBLOCK],
)
def test_clear_overwrites_everything(mode: Mode, tmp_path: Path) -> None:
    """After `clear_i`, two cores that saw different keys and messages are bit for bit the same."""
    spec = spec_of(BOTH if mode in {Mode.ECB, Mode.CBC, Mode.XTS} else ENCRYPTS, mode)
    built = messages.build(spec, synthesize.sources(spec), savable=True)
    # What is stolen stays in other registers than the end of whole blocks.
    for size in (48, 40) if mode is Mode.XTS else (48,):
        states = []
        for secret in (3, 4):
            random = np.random.default_rng(secret)
            sent = [message(mode, random.bytes(16), random.bytes(size), random.bytes(16))] * 3
            for cleared in (True, False):
                save = tmp_path / f"{secret}-{cleared}"
                messages.run(built, spec, sent, save=save, end_clear=cleared)
                states.append(save.read_bytes())
        assert states[0] == states[2], "the state after clear_i depends on keys or messages"
        assert states[1] != states[3], "the comparison must see the state"
