"""A bus around a core with a mode: its signals at the top, and the blocks that it is made of.

What a bus takes in is messages and keys. It hands them on at the message port of the mode and at
the key channel; a self-test may stand between.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from roundsmith.design.registers import model as registers
from roundsmith.reference import golden
from roundsmith.reference.messages import Block, Question
from roundsmith.spec import Bus, Cipher, Spec, buses, formulas, modes, streams

#: The bits of a word of a register bus, and of the key stream.
WORD = 32

#: Bits of TDATA that go straight through to the mode.
STRAIGHT_BITS = 128

CIPHERS = {Cipher.AES: 0, Cipher.SERPENT: 1}

#: Key lengths by their code.
_LENGTHS = (128, 192, 256)


@dataclass(frozen=True)
class Signal:
    """A port of the top: its name, direction, width and meaning, and the pin that it goes to."""

    name: str
    direction: str
    width: int
    meaning: str
    pin: str


def signals(spec: Spec) -> list[Signal]:
    """Return the signals of the bus of `spec`, in order."""
    make = {
        Bus.AXI4_STREAM: _axi4_stream,
        Bus.AXI4_LITE: _axi4_lite,
        Bus.WISHBONE: _wishbone,
        Bus.APB: _apb,
    }
    found = [
        Signal(f"{prefix}{name}", "input" if pin.endswith("i") else "output", width, meaning, pin)
        for prefix, name, pin, width, meaning in make[spec.what.bus](spec)
    ]
    if spec.what.bus in buses.REGISTERS:
        meaning = "an event has happened that is enabled"
        found.append(Signal("interrupt_o", "output", 1, meaning, "interrupt_o"))
    elif spec.what.self_test:
        meaning = "the self-test: 1 it runs, 2 passed, 3 failed"
        found.append(Signal("self_test_o", "output", 2, meaning, "state_o"))
    return found


_Rows = Iterator[tuple[str, str, str, int, str]]


def _axi4_lite(spec: Spec) -> _Rows:
    address = registers.load().address_bits
    rows = (
        ("awvalid_i", 1, "a write address is offered"),
        ("awready_o", 1, "it is accepted at this edge"),
        ("awaddr_i", address, "the byte address of a register"),
        ("wvalid_i", 1, "write data is offered"),
        ("wready_o", 1, "it is accepted at this edge"),
        ("wdata_i", WORD, "the word to write"),
        ("wstrb_i", WORD // 8, "its byte strobes: all of them"),
        ("bvalid_o", 1, "the write is done"),
        ("bready_i", 1, "the answer is taken at this edge"),
        ("bresp_o", 2, "0 okay, 2 there is no such write"),
        ("arvalid_i", 1, "a read address is offered"),
        ("arready_o", 1, "it is accepted at this edge"),
        ("araddr_i", address, "the byte address of a register"),
        ("rvalid_o", 1, "what was read is here"),
        ("rready_i", 1, "it is taken at this edge"),
        ("rdata_o", WORD, "the word that was read"),
        ("rresp_o", 2, "0 okay, 2 there is no such read"),
    )
    for pin, width, meaning in rows:
        yield "s_axi_", pin[:-2], pin, width, meaning


def _wishbone(spec: Spec) -> _Rows:
    rows = (
        ("cyc_i", "cyc", 1, "a cycle"),
        ("stb_i", "stb", 1, "an access is asked for"),
        ("we_i", "we", 1, "high to write"),
        ("adr_i", "adr", registers.load().address_bits, "the byte address of a register"),
        ("dat_i", "dat_w", WORD, "the word to write"),
        ("sel_i", "sel", WORD // 8, "its byte strobes: all of them in a write"),
        ("dat_o", "dat_r", WORD, "the word that was read"),
        ("ack_o", "ack", 1, "the access is done"),
        ("err_o", "err", 1, "there is no such access"),
        ("stall_o", "stall", 1, "a pipelined master waits"),
    )
    for pin, name, width, meaning in rows:
        yield "wb_", name, pin, width, meaning


def _apb(spec: Spec) -> _Rows:
    rows = (
        ("paddr_i", registers.load().address_bits, "the byte address of a register"),
        ("psel_i", 1, "this peripheral is meant"),
        ("penable_i", 1, "the access phase"),
        ("pwrite_i", 1, "high to write"),
        ("pwdata_i", WORD, "the word to write"),
        ("pstrb_i", WORD // 8, "its byte strobes: all of them in a write"),
        ("pready_o", 1, "the transfer ends"),
        ("prdata_o", WORD, "the word that was read"),
        ("pslverr_o", 1, "there is no such access"),
    )
    for pin, width, meaning in rows:
        yield "s_apb_", pin[:-2], pin, width, meaning


def _axi4_stream(spec: Spec) -> _Rows:
    bits, ids = buses.stream_bits(spec), buses.stream_id_bits(spec)
    several = spec.how.streams > 1
    into, out = "s_axis_", "m_axis_"
    yield into, "tvalid", "in_tvalid_i", 1, "a transfer of a packet is offered"
    yield into, "tready", "in_tready_o", 1, "it is accepted at this edge"
    yield into, "tdata", "in_tdata_i", bits, "header, or a part of the message, from the low end"
    yield into, "tkeep", "in_tkeep_i", bits // 8, "its bytes that count, from the low end"
    yield into, "tlast", "in_tlast_i", 1, "the last transfer of the message"
    parts = "bit 2 header; bits 1..0: 0 associated data, 1 text, 2 tag, 3 a long IV"
    yield into, "tuser", "in_tuser_i", 3, parts
    if ids:
        meaning = (
            "the stream of the message" if several else "any bits; they leave with the results"
        )
        yield into, "tid", "in_tid_i", ids, meaning
    yield out, "tvalid", "out_tvalid_o", 1, "a transfer of results is here"
    yield out, "tready", "out_tready_i", 1, "it is taken at this edge"
    yield out, "tdata", "out_tdata_o", bits, "text, or a tag, from the low end"
    yield out, "tkeep", "out_tkeep_o", bits // 8, "its bytes that count, from the low end"
    yield out, "tlast", "out_tlast_o", 1, "the last transfer of the results of a message"
    parts = "bits 1..0: 1 text, 2 tag; with TLAST: bit 2 wrong tag, bit 3 refused"
    yield out, "tuser", "out_tuser_o", 4, parts
    if ids:
        meaning = "its stream" if several else "the bits that came with the message"
        yield out, "tid", "out_tid_o", ids, meaning
    key = "s_axis_key_"
    yield key, "tvalid", "tvalid_i", 1, "a word of a key is offered"
    yield key, "tready", "tready_o", 1, "it is accepted at this edge"
    yield key, "tdata", "tdata_i", WORD, "four bytes of the key, the first one at the low end"
    yield key, "tlast", "tlast_i", 1, "the last word of the key"
    slots = key_id_bits(spec)
    if slots:
        yield key, "tid", "tid_i", slots, "the slot that it goes to"
    yield "", "key_refused_o", "refused_o", 1, "a key of a length or slot that is not there"


def key_id_bits(spec: Spec) -> int:
    """Return the bits of TID beside a key, 0 where there is but one slot."""
    if spec.how.streams > 1:
        return (streams.key_slots(spec) - 1).bit_length()
    return 4 if spec.port.key_slots > 1 else 0


# --- Parameters -----------------------------------------------------------------------------


def register_parameters(spec: Spec) -> dict[str, str]:
    """Return the parameters of rsm_register_port."""
    return {
        "KeyWidth": str(max(spec.what.key_bits)),
        "Cipher": f"2'd{CIPHERS[spec.what.cipher]}",
        "Mode": f"5'd{spec.mode.number}",
        "Lengths": _lengths(spec),
        "Encrypts": _bit(spec.encrypts),
        "Decrypts": _bit(decrypts(spec)),
        "HasSelfTest": _bit(spec.what.self_test),
        "KeySlots": str(spec.port.key_slots),
    }


def stream_parameters(spec: Spec) -> dict[str, str]:
    """Return the parameters of rsm_axi4_stream."""
    widths = {"Width": buses.stream_bits(spec), "TidWidth": buses.stream_id_bits(spec)}
    found = {name: str(n) for name, n in (widths | {"Messages": buses.STREAM_MESSAGES}).items()}
    return found | ({"Keeps": "1'b1"} if keeps(spec) else {})


def keeps(spec: Spec) -> bool:
    """Whether the mode takes the bytes of a beat from TKEEP as they are: nothing is between."""
    straight = buses.stream_bits(spec) == STRAIGHT_BITS and not spec.what.self_test
    return spec.what.bus is Bus.AXI4_STREAM and formulas.is_single(spec) and straight


def key_stream_parameters(spec: Spec) -> dict[str, str]:
    """Return the parameters of rsm_axi4_stream_key, or of rsm_axi4_stream_keys."""
    found = {"KeyWidth": str(max(spec.what.key_bits)), "Lengths": _lengths(spec)}
    if spec.how.streams > 1:
        found["Streams"] = str(spec.how.streams)
    return found | {"KeySlots": str(spec.port.key_slots)}


def decrypts(spec: Spec) -> bool:
    """Whether messages can be decrypted: some modes need no decryption of blocks for that."""
    return spec.decrypts or not spec.mode.both_ways


def _lengths(spec: Spec) -> str:
    return "3'b" + "".join(str(int(bits in spec.what.key_bits)) for bits in reversed(_LENGTHS))


def _bit(value: bool) -> str:
    return f"1'b{int(value)}"


# --- The known answers of the self-test -----------------------------------------------------


@dataclass(frozen=True)
class KnownAnswer:
    """A message of one block and what the mode makes of it."""

    key: bytes
    iv: bytes
    text: bytes
    answer: bytes
    tag: bytes = b""


def question(spec: Spec, number: int, size: int) -> Question | None:
    """Return message `number` with a text of `size` bytes, or None where the mode has none such.

    Key, IV and text are bytes that count up, each from its own start: no two are alike.
    """
    mode = spec.mode
    if mode.whole_blocks:
        size += -size % 16
    if size < mode.least_text:
        return None

    def counting(start: int, count: int) -> bytes:
        return bytes((start + number + i) % 256 for i in range(count))

    return Question(
        mode.word,
        counting(0x00, mode.slots * min(spec.what.key_bits) // 8),
        counting(0xC0, size),
        counting(0x80, mode.iv.usual),
        counting(0x40, 20 * (number % 2)) if mode.aad else b"",
        tag_bytes=16 if mode.tags else 0,
        counter_bits=modes.counter_bits(spec),
    )


def known_answer(spec: Spec) -> KnownAnswer:
    """Return the message of the self-test, its answer computed by the golden models."""
    cipher = golden.model(spec.what.cipher)

    def keyed(key: bytes) -> tuple[Block, Block]:
        return partial(cipher.encrypt, key), partial(cipher.decrypt, key)

    asked = question(spec, 0, 16)
    assert asked is not None
    reply = modes.answer(asked, keyed)
    answer = b"" if spec.mode.mac else reply.text
    return KnownAnswer(asked.key, asked.iv, asked.text, answer, reply.tag)


def self_test_parameters(spec: Spec) -> dict[str, str]:
    """Return the parameters of rsm_self_test."""
    known = known_answer(spec)
    width = max(spec.what.key_bits)
    size = len(known.key) // spec.mode.slots
    first, following = known.key[:size], known.key[size:]
    return {
        "KeyWidth": str(width),
        "KeyLen": f"2'd{_LENGTHS.index(8 * size)}",
        "Key": f"{width}'h{first.ljust(width // 8, bytes(1)).hex()}",
        "NextKey": f"{width}'h{following.ljust(width // 8, bytes(1)).hex()}",
        "TwoKeys": _bit(bool(following)),
        "Iv": f"128'h{known.iv.ljust(16, bytes(1)).hex()}",
        "IvBytes": f"5'd{len(known.iv)}",
        "TagBytes": f"5'd{len(known.tag)}",
        "Text": f"128'h{known.text.hex()}",
        "Answer": f"128'h{known.answer.ljust(16, bytes(1)).hex()}",
        "Tag": f"128'h{known.tag.ljust(16, bytes(1)).hex()}",
        "HasText": _bit(bool(known.answer)),
        "HasTag": _bit(bool(known.tag)),
        "Encrypts": _bit(spec.encrypts),
        "Decrypts": _bit(decrypts(spec)),
    }
