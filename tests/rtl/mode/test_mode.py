"""The modes of operation as RTL: against OpenSSL, over cores of every kind."""

from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from roundsmith import catalogue
from roundsmith.flows import synthesize
from roundsmith.simulate import messages
from roundsmith.simulate.messages import Answer, Message, MessageRun, Traffic
from roundsmith.spec import Mode, Spec, mode_bus_rules, modes
from roundsmith.verify import message_checks
from roundsmith.verify.message_checks import AskedMessage

#: A loop with several keys and all their lengths, the same with one key, a pipeline that keeps many
#: blocks in flight, and Serpent.
LOOP = "aesany-both-loop1-table-stored-equiv-cr-slots4"
SMALL = "aesany-both-loop1-table-stored-equiv-cr"  # over which modes have their small form
PIPE = "aes128-both-pipe-table-stored-equiv-cr"
SERPENT = "serpent-iterative"

STALLS = [
    Traffic(seed=1),
    Traffic(p_msg=60, p_in=100, p_out=60, seed=2),
    Traffic(p_in=90, seed=3),
    Traffic(p_out=40, seed=4),
]
SMOOTH = Traffic()
CLEARS = Traffic(p_in=200, p_out=200, p_clear=150, p_reset=80, seed=5)

EVERY = [mode for mode in Mode if mode is not Mode.NONE]


@cache
def spec_of(core: str, mode: Mode) -> Spec:
    return catalogue.find(core).with_mode(mode)


@cache
def program(core: str, mode: Mode) -> Path:
    spec = spec_of(core, mode)
    return messages.build(spec, synthesize.sources(spec))


def run(core: str, mode: Mode, asked: list[Message], traffic: Traffic = SMOOTH) -> MessageRun:
    return messages.run(program(core, mode), spec_of(core, mode), asked, traffic)


def one(core: str, mode: Mode, message: Message) -> Answer:
    (answer,) = run(core, mode, [message]).answers
    assert answer is not None
    return answer


def check(core: str, mode: Mode, asked: list[AskedMessage], traffic: Traffic) -> int:
    found = run(core, mode, [each.message for each in asked], traffic)
    return message_checks.compare(f"{core} {mode}", asked, found.answers)


def slow(core: str, mode: Mode) -> object:
    quick = core == LOOP or (core == SERPENT and mode in {Mode.CTR, Mode.GCM})
    return pytest.param(core, mode, marks=() if quick else pytest.mark.long)


PAIRS = [
    slow(core, mode)
    for core in (LOOP, PIPE, SERPENT)
    for mode in EVERY
    if core != SERPENT or not modes.of(mode).both_ways
]


@pytest.mark.parametrize(("core", "mode"), PAIRS)
def test_random_messages(core: str, mode: Mode) -> None:
    spec = spec_of(core, mode)
    random = np.random.default_rng(7)
    count, longest = (30, 100) if core == SERPENT else (150, 300)
    asked = message_checks.questions(spec, random, count, longest)
    for traffic in STALLS:
        assert check(core, mode, asked, traffic) == len(asked)
    # A slow core has a message for longer, and would hardly finish one between two clears.
    clears = replace(CLEARS, p_clear=30, p_reset=16) if core == SERPENT else CLEARS
    assert 10 < check(core, mode, asked, clears) < len(asked)


@pytest.mark.parametrize("mode", EVERY)
def test_long_messages(mode: Mode) -> None:
    random = np.random.default_rng(8)
    asked = message_checks.questions(spec_of(LOOP, mode), random, 6, 4096)
    for length in (4096, 4095) if not modes.of(mode).whole_blocks else (4096, 4080):
        message = replace(asked[0].message, text=random.bytes(length), decrypt=False)
        message = replace(message, tag_bytes=max((16, *modes.of(mode).tags[-1:])))
        asked.append(AskedMessage(message, message_checks.reply(spec_of(LOOP, mode), message)))
    assert check(LOOP, mode, asked, Traffic()) == len(asked)
    assert check(LOOP, mode, asked, Traffic(p_in=200, p_out=200, seed=3)) == len(asked)


TAMPERED = [(core, mode) for core in (LOOP, SMALL) for mode in (Mode.GCM, Mode.CCM, Mode.OCB)]


@pytest.mark.parametrize(("core", "mode"), TAMPERED)
def test_every_flipped_bit_is_caught(core: str, mode: Mode) -> None:
    """In the ciphertext, the tag, the nonce and the associated data, each bit by itself."""
    spec = spec_of(core, mode)
    random = np.random.default_rng(9)
    plain = Message(
        key=random.bytes(16), text=random.bytes(20), iv=random.bytes(12), aad=random.bytes(18)
    )
    made = message_checks.reply(spec, plain)
    assert made is not None
    right = replace(plain, text=made.text, decrypt=True, tag=made.tag)
    wrong = []
    for field in ("text", "tag", "iv", "aad"):
        data = getattr(right, field)
        for bit in range(8 * len(data)):
            turned = bytearray(data)
            turned[bit // 8] ^= 1 << bit % 8
            wrong.append(replace(right, **{field: bytes(turned)}))
    sent = [right, *wrong, right, right]
    found = run(core, mode, sent).answers
    answers = [answer for answer in found if answer is not None]
    first, *others, last, _ = [answer.wrong_tag for answer in answers]
    assert len(others) == len(wrong) == 8 * (20 + 16 + 12 + 18)
    assert all(others) and not first and not last
    # Message after message without a stall: each verdict comes as long after the one before,
    # whichever bit is wrong, and that of a right tag too. Behind the last nothing more begins.
    # A nonce is no secret: the small form of OCB shifts a bit a cycle, as far as its last bits say.
    verdicts = [answer.last for answer in answers[:-1]]
    took = zip(pairwise(verdicts), sent[1:-1], strict=True)
    alike = [t for t, message in took if core == LOOP or message.iv == right.iv]
    assert len(alike) > 8 * (20 + 16 + 18)
    assert len({after - before for before, after in alike}) == 1


@pytest.mark.parametrize(
    ("core", "mode"),
    [(core, mode) for core in (LOOP, SMALL) for mode in (Mode.CMAC, Mode.GCM, Mode.CCM, Mode.OCB)],
)
def test_a_tag_of_another_length_is_wrong(core: str, mode: Mode) -> None:
    """Whatever its bytes are: the right ones and more, or too few of them."""
    spec = spec_of(core, mode)
    random = np.random.default_rng(11)
    iv = b"" if mode is Mode.CMAC else random.bytes(12)
    sent = []
    for said in (8, 16):
        plain = Message(random.bytes(16), random.bytes(20), iv=iv, tag_bytes=said)
        made = message_checks.reply(spec, plain)
        assert made is not None and len(made.tag) == said
        text = plain.text if mode is Mode.CMAC else made.text
        right = replace(plain, text=text, decrypt=True, tag=made.tag, tag_said=said)
        other = made.tag + bytes(8) if said == 8 else made.tag[:8]
        sent += [right, replace(right, tag=other), right]
    answers = [answer for answer in run(core, mode, sent).answers if answer is not None]
    assert not any(answer.refused for answer in answers)
    assert [answer.wrong_tag for answer in answers] == [False, True, False] * 2


KEY = bytes(range(16))

#: What each mode refuses, and why.
REFUSED = [
    (Mode.ECB, Message(KEY, bytes(17)), "not whole blocks"),
    (Mode.ECB, Message(KEY, bytes(16), aad=b"x"), "associated data"),
    (Mode.CBC, Message(KEY, bytes(40), iv=bytes(16)), "not whole blocks"),
    (Mode.CTR, Message(KEY, bytes(33), iv=b"\xff" * 15 + b"\xfe"), "the counter wraps"),
    (Mode.CBC_MAC, Message(KEY, bytes(17)), "not whole blocks"),
    (Mode.CBC_MAC, Message(KEY, b""), "no block"),
    (Mode.CMAC, Message(KEY, bytes(16), tag_bytes=0), "no tag"),
    (Mode.CMAC, Message(KEY, bytes(16), tag_bytes=17), "a tag of more than a block"),
    (Mode.CMAC, Message(KEY, bytes(16), aad=b"x"), "associated data"),
    (Mode.CMAC, Message(KEY, bytes(16), decrypt=True), "no tag to verify"),
    (Mode.GCM, Message(KEY, bytes(16), iv=bytes(12), tag_bytes=7), "length of the tag"),
    (Mode.GCM, Message(KEY, bytes(16), iv=b"", aad=b"x"), "no IV"),
    (Mode.GCM, Message(KEY, bytes(16), iv=bytes(12), decrypt=True), "no tag to verify"),
    (Mode.CCM, Message(KEY, bytes(16), iv=bytes(6)), "length of the nonce"),
    (Mode.CCM, Message(KEY, bytes(16), iv=bytes(14)), "length of the nonce"),
    (Mode.CCM, Message(KEY, bytes(16), iv=bytes(12), tag_bytes=5), "length of the tag"),
    (Mode.CCM, Message(KEY, bytes(1 << 16), iv=bytes(13)), "too long for the nonce"),
    (Mode.OCB, Message(KEY, bytes(16), iv=b""), "no nonce"),
    (Mode.OCB, Message(KEY, bytes(16), iv=bytes(16)), "length of the nonce"),
    (Mode.OCB, Message(KEY, bytes(16), iv=bytes(12), tag_bytes=0), "no tag"),
    (Mode.XTS, Message(KEY + KEY[::-1], bytes(15), iv=bytes(16)), "less than a block"),
    # A tag was said, and the text is the last that comes.
    *(
        (mode, Message(KEY, bytes(text), iv=bytes(size), decrypt=True, tag_said=16), "tag missing")
        for mode, size in ((Mode.CMAC, 0), (Mode.GCM, 12), (Mode.CCM, 12), (Mode.OCB, 12))
        # Blocks of a longer text are still in the core when the next message begins.
        for text in (16, 64)
    ),
]


SMALL_REFUSES = {Mode.CMAC, Mode.GCM, Mode.CCM, Mode.OCB}


@pytest.mark.parametrize(
    ("core", "mode", "message", "why"),
    [
        *((LOOP, *case) for case in REFUSED),
        *((SMALL, *case) for case in REFUSED if case[0] in SMALL_REFUSES),
    ],
    ids=lambda x: str(x)[:24],
)
def test_what_is_refused(core: str, mode: Mode, message: Message, why: str) -> None:
    """A refused message is answered with the status, and the next one is right."""
    random = np.random.default_rng(3)
    good = [message_checks.question(spec_of(core, mode), random, 64, message.key) for _ in range(3)]
    sent = [good[0].message, message, good[1].message, message, good[2].message]
    for traffic in (Traffic(), Traffic(p_in=100, p_out=80, seed=2)):
        found = run(core, mode, sent, traffic).answers
        for number in (1, 3):
            answer = found[number]
            assert answer is not None and answer.refused and not answer.tag, why
        assert message_checks.compare(why, good, [found[0], found[2], found[4]]) == 3


def test_a_direction_that_the_core_lacks_is_refused() -> None:
    for core, decrypt in (("iterative-lut4", True), ("aes128-dec-loop1-table-cr", False)):
        answer = one(core, Mode.CBC, Message(KEY, bytes(32), iv=bytes(16), decrypt=decrypt))
        assert answer.refused and not answer.text
        answer = one(core, Mode.CBC, Message(KEY, bytes(32), iv=bytes(16), decrypt=not decrypt))
        assert not answer.refused and len(answer.text) == 32


@pytest.mark.parametrize("mode", EVERY)
def test_a_slot_that_the_core_lacks_is_refused(mode: Mode) -> None:
    """And the messages around it, of another slot, are right."""
    spec = spec_of(LOOP, mode)
    random = np.random.default_rng(4)
    key = random.bytes(16 * modes.of(mode).slots)
    good = [message_checks.question(spec, random, 64, key) for _ in range(2)]
    # The key is in the slot that is left of the wrong ones when their high bits are lost.
    good = [AskedMessage(replace(each.message, slot=0), each.reply) for each in good]
    slots = spec.port.key_slots // modes.of(mode).slots
    wrong = [replace(good[0].message, slot=slot, key=b"") for slot in (slots, 16 - slots)]
    sent = [good[0].message, *wrong, good[1].message]
    for traffic in (Traffic(), Traffic(p_in=100, p_out=80, seed=2)):
        first, *refused, last = run(LOOP, mode, sent, traffic).answers
        assert all(answer is not None and answer.refused for answer in refused)
        assert not any(answer.text or answer.tag for answer in refused if answer is not None)
        assert message_checks.compare("others", good, [first, last]) == 2


@pytest.mark.parametrize(
    ("name", "mode"),
    [
        *(("iterative-lut4", mode) for mode in (Mode.GCM, Mode.OCB, Mode.XTS)),
        ("satoh-1", Mode.XTS),
    ],
)
def test_blocks_over_the_limit_are_refused(name: str, mode: Mode, tmp_path: Path) -> None:
    """With counters of 4 bits, for none of 20 to 32 would come to its end in a short simulation."""
    spec = catalogue.find(name).with_mode(mode)
    files = synthesize.sources(spec)
    top = tmp_path / files[-1].name
    head = f"{mode_bus_rules.mode_module(spec)} #("
    assert files[-1].read_text().count(head) == 1
    top.write_text(files[-1].read_text().replace(head, f"{head}.LimitWidth (4),"))
    built = messages.build(spec, [*files[:-1], top])
    most = 16 * (16 if mode is Mode.XTS else 14)
    ivs = {Mode.GCM: [bytes(12), b"\xff" * 16, bytes(range(40))], Mode.XTS: [bytes(16)]}
    key, aad = (KEY + KEY[::-1], b"") if mode is Mode.XTS else (KEY, b"x")
    asked: list[Message] = []
    for iv in ivs.get(mode, [bytes(12)]):
        for size in (most, most + 1, most - 11, most + 16):
            asked.append(Message(key, bytes(i % 256 for i in range(size)), iv=iv, aad=aad))
        if aad:
            asked += [Message(key, bytes(20), iv=iv, aad=bytes(size)) for size in (most, 15 * 16)]
    if mode is Mode.GCM:
        asked.append(Message(key, bytes(20), iv=bytes(most + 1)))
    for traffic in (Traffic(), Traffic(p_in=100, p_out=80, seed=2)):
        answers = messages.run(built, spec, asked, traffic).answers
        for message, answer in zip(asked, answers, strict=True):
            over = max(map(len, (message.text, message.aad, message.iv))) > most
            assert answer is not None and answer.refused == over
            if not over:
                right = message_checks.reply(spec, message)
                assert right is not None
                assert (answer.text, answer.tag) == (right.text, right.tag)


def test_a_counter_of_some_bits_wraps_there() -> None:
    core = catalogue.find("iterative-lut4")
    data = core.model_dump() | {"name": "counted"}
    data["how"]["counter_bits"] = 4
    with pytest.raises(Exception, match="counter_bits belongs to mode 'ctr'"):
        Spec.from_data(data)
    full = core.with_mode(Mode.CTR).model_dump()
    full["how"]["counter_bits"] = 4
    spec = Spec.from_data(full)
    built = messages.build(spec, synthesize.sources(spec))
    iv = bytes(15) + b"\xfa"  # six values are left
    sent = [Message(KEY, bytes(16 * 6), iv=iv), Message(KEY, bytes(16 * 6 + 1), iv=iv)]
    first, second = messages.run(built, spec, sent).answers
    assert first is not None and second is not None
    assert not first.refused and second.refused
    assert first.text == second.text  # what came before the fault


@pytest.mark.parametrize("core", [LOOP, SMALL])
def test_a_message_of_an_iv_alone(core: str) -> None:
    spec = spec_of(core, Mode.GCM)
    asked = []
    for size in (1, 16, 33):
        message = Message(KEY, iv=bytes(range(size)))
        made = message_checks.reply(spec, message)
        assert made is not None and len(made.tag) == 16
        checked = replace(message, decrypt=True, tag=made.tag)
        asked += [
            AskedMessage(message, made),
            AskedMessage(checked, message_checks.reply(spec, checked)),
        ]
    for traffic in STALLS:
        assert check(core, Mode.GCM, asked, traffic) == 6


@pytest.mark.parametrize("core", [LOOP, SMALL])
def test_associated_data_of_ccm_with_a_long_length(core: str) -> None:
    spec = spec_of(core, Mode.CCM)
    message = Message(KEY, bytes(40), iv=bytes(8), aad=bytes(range(256)) * 256)
    right = message_checks.reply(spec, message)
    assert check(core, Mode.CCM, [AskedMessage(message, right)] * 2, Traffic()) == 2


@pytest.mark.parametrize(
    "mode",
    [pytest.param(m, marks=() if m is Mode.GCM else pytest.mark.long) for m in EVERY],
)
def test_clear_overwrites_everything(mode: Mode, tmp_path: Path) -> None:
    """After `clear_i`, two cores that saw different keys and messages are bit for bit the same."""
    spec = spec_of(LOOP, mode)
    built = messages.build(spec, synthesize.sources(spec), savable=True)
    states = []
    for secret in (3, 4):
        random = np.random.default_rng(secret)
        key = random.bytes(16 * modes.of(mode).slots)
        iv = random.bytes({Mode.ECB: 0, Mode.GCM: 12, Mode.CCM: 12, Mode.OCB: 12}.get(mode, 16))
        aad = random.bytes(40) if mode in {Mode.GCM, Mode.CCM, Mode.OCB} else b""
        text = random.bytes(48 if modes.of(mode).whole_blocks else 60)
        for cleared in (True, False):
            save = tmp_path / f"{secret}-{cleared}"
            sent = [Message(key, text, iv=iv, aad=aad)] * 3
            messages.run(built, spec, sent, save=save, end_clear=cleared)
            states.append(save.read_bytes())
    assert states[0] == states[2], "the state after clear_i depends on keys or messages"
    assert states[1] != states[3], "the comparison must see the state"


#: A pipeline that takes a block a cycle.
FAST = "aes128-enc-pipe-table-cr"


@pytest.mark.parametrize("mode", [Mode.CTR, Mode.GCM])
@pytest.mark.parametrize(("size", "least"), [(1500, 0.99), (64, 0.9)])
def test_a_pipeline_is_kept_full(mode: Mode, size: int, least: float) -> None:
    """Message after message; the one block of GCM for its tag counts, for the core computes it."""
    iv = bytes(12 if mode is Mode.GCM else 16)
    count = 100
    answers = run(FAST, mode, [Message(KEY, bytes(size), iv=iv)] * count).answers
    first, last = answers[count // 4], answers[-1]
    assert first is not None and last is not None
    given = (count - 1 - count // 4) * (-(-size // 16) + (mode is Mode.GCM))
    assert given / (last.last - first.last) >= least
