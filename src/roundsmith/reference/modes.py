"""The modes of operation over any block cipher, as their standards write them, and by OpenSSL.

`answer` is the plain one, for a cipher given as two functions; `openssl` has AES with what the
`cryptography` package offers. Tests hold one to the other. A message that a mode does not take is a
ValueError.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.decrepit.ciphers import modes as decrepit
from cryptography.hazmat.primitives.ciphers import Cipher, aead, algorithms, modes
from cryptography.hazmat.primitives.cmac import CMAC

Block = Callable[[bytes], bytes]

#: Keys of a cipher to its two functions of a block.
Keyed = Callable[[bytes], tuple[Block, Block]]


@dataclass(frozen=True)
class Question:
    """One message: `tag` is the one to verify, `tag_bytes` the length of one to generate."""

    mode: str
    key: bytes
    text: bytes = b""
    iv: bytes = b""
    aad: bytes = b""
    decrypt: bool = False
    tag: bytes = b""
    tag_bytes: int = 16
    counter_bits: int = 128


@dataclass(frozen=True)
class Reply:
    """Text, tag (none where it was verified or there is none), and whether the tag was right."""

    text: bytes
    tag: bytes = b""
    right: bool = True


def _xor(a: bytes, b: bytes) -> bytes:
    size = min(len(a), len(b))
    return bytes(x ^ y for x, y in zip(a[:size], b[:size], strict=True))


def _blocks(data: bytes) -> Iterator[bytes]:
    for i in range(0, len(data), 16):
        yield data[i : i + 16]


def _whole(data: bytes) -> None:
    if len(data) % 16:
        raise ValueError("a text that has not whole blocks")


def _padded(data: bytes) -> bytes:
    return data if len(data) == 16 else (data + b"\x80").ljust(16, b"\0")


def _double(block: bytes) -> bytes:
    """Twice an element as CMAC and OCB write it."""
    number = int.from_bytes(block, "big") << 1
    return (number ^ (0x87 | 1 << 128) if number >> 128 else number).to_bytes(16, "big")


# --- Modes without a tag (SP 800-38A, 38E) ---------------------------------------------------


def _ecb(question: Question, encrypt: Block, decrypt: Block) -> bytes:
    _whole(question.text)
    function = decrypt if question.decrypt else encrypt
    return b"".join(map(function, _blocks(question.text)))


def _cbc(question: Question, encrypt: Block, decrypt: Block) -> bytes:
    _whole(question.text)
    before, found = question.iv, b""
    for block in _blocks(question.text):
        made = _xor(decrypt(block), before) if question.decrypt else encrypt(_xor(block, before))
        before = block if question.decrypt else made
        found += made
    return found


def _cfb(question: Question, encrypt: Block, size: int) -> bytes:
    register, found = question.iv, b""
    for i in range(0, len(question.text), size):
        segment = question.text[i : i + size]
        made = _xor(segment, encrypt(register))
        register = (register + (segment if question.decrypt else made))[-16:]
        found += made
    return found


def _ofb(question: Question, encrypt: Block) -> bytes:
    block, found = question.iv, b""
    for part in _blocks(question.text):
        block = encrypt(block)
        found += _xor(part, block)
    return found


def _counted(text: bytes, first: bytes, bits: int, encrypt: Block) -> bytes:
    """Return `text` under counter blocks from `first` on, whose last `bits` count."""
    head, start = int.from_bytes(first, "big") >> bits << bits, int.from_bytes(first, "big")
    found = b""
    for i, part in enumerate(_blocks(text)):
        counter = head | (start + i) % (1 << bits)
        found += _xor(part, encrypt(counter.to_bytes(16, "big")))
    return found


def _ctr(question: Question, encrypt: Block) -> bytes:
    bits = question.counter_bits
    start = int.from_bytes(question.iv, "big") % (1 << bits)
    if start + -(-len(question.text) // 16) > 1 << bits:
        raise ValueError("a counter that wraps")
    return _counted(question.text, question.iv, bits, encrypt)


def _xts(question: Question, encrypt: Block, decrypt: Block, tweak: Block) -> bytes:
    text = question.text
    if len(text) < 16:
        raise ValueError("a text of less than a block")
    function = decrypt if question.decrypt else encrypt
    tweaks = [tweak(question.iv)]
    while len(tweaks) < -(-len(text) // 16):
        number = int.from_bytes(tweaks[-1], "little") << 1
        number = number ^ (0x87 | 1 << 128) if number >> 128 else number
        tweaks.append(number.to_bytes(16, "little"))

    def one(block: bytes, mask: bytes) -> bytes:
        return _xor(function(_xor(block, mask)), mask)

    parts = list(_blocks(text))
    if len(parts[-1]) == 16:
        return b"".join(map(one, parts, tweaks))
    found = b"".join(map(one, parts[:-2], tweaks))
    first, second = tweaks[-2:] if not question.decrypt else tweaks[:-3:-1]
    stolen = one(parts[-2], first)
    size = len(parts[-1])
    return found + one(parts[-1] + stolen[size:], second) + stolen[:size]


# --- Tags --------------------------------------------------------------------------------------


def _cmac(question: Question, encrypt: Block, *, plain: bool) -> bytes:
    parts = list(_blocks(question.text)) or [b""]
    once = _double(encrypt(bytes(16)))
    if plain:
        if not question.text:
            raise ValueError("a text of no block")
        _whole(question.text)
    else:
        parts[-1] = _xor(_padded(parts[-1]), once if len(parts[-1]) == 16 else _double(once))
    state = bytes(16)
    for part in parts:
        state = encrypt(_xor(state, part))
    return state


def ghash(key: bytes, data: bytes) -> bytes:
    """Return GHASH of whole blocks (SP 800-38D, 6.4)."""
    factor, state = int.from_bytes(key, "big"), 0
    for block in _blocks(data):
        x, y, product = state ^ int.from_bytes(block, "big"), factor, 0
        for i in reversed(range(128)):
            product ^= y if x >> i & 1 else 0
            y = y >> 1 ^ (0xE1 << 120 if y & 1 else 0)
        state = product
    return state.to_bytes(16, "big")


def _filled(data: bytes) -> bytes:
    return data + bytes(-len(data) % 16)


def _gcm(question: Question, encrypt: Block) -> tuple[bytes, bytes]:
    key = encrypt(bytes(16))
    if len(question.iv) == 12:
        first = question.iv + b"\0\0\0\1"
    else:
        first = ghash(key, _filled(question.iv) + (8 * len(question.iv)).to_bytes(16, "big"))
    second = first[:12] + ((int.from_bytes(first[12:], "big") + 1) % (1 << 32)).to_bytes(4, "big")
    found = _counted(question.text, second, 32, encrypt)
    ciphertext = question.text if question.decrypt else found
    lengths = (8 * len(question.aad)).to_bytes(8, "big") + (8 * len(ciphertext)).to_bytes(8, "big")
    state = ghash(key, _filled(question.aad) + _filled(ciphertext) + lengths)
    return found, _xor(state, encrypt(first))


def _ccm(question: Question, encrypt: Block) -> tuple[bytes, bytes]:
    size = 15 - len(question.iv)
    if not 2 <= size <= 8 or len(question.text) >> 8 * size:
        raise ValueError("a text that is too long for its nonce")
    counter = bytes([size - 1]) + question.iv + bytes(size)
    found = _counted(question.text, counter[:-1] + b"\1", 8 * size, encrypt)
    plaintext = found if question.decrypt else question.text
    tag_bytes = len(question.tag) if question.decrypt else question.tag_bytes
    flags = 64 * bool(question.aad) + 8 * ((tag_bytes - 2) // 2) + size - 1
    data = bytes([flags]) + question.iv + len(plaintext).to_bytes(size, "big")
    if question.aad:
        count = len(question.aad)
        prefix = (
            count.to_bytes(2, "big") if count < 0xFF00 else b"\xff\xfe" + count.to_bytes(4, "big")
        )
        data += _filled(prefix + question.aad)
    state = bytes(16)
    for block in _blocks(data + _filled(plaintext)):
        state = encrypt(_xor(state, block))
    return found, _xor(state, encrypt(counter))


def _offsets(start: bytes, star: bytes) -> Iterator[bytes]:
    """Yield the offsets of OCB3 for whole blocks."""
    offset, number = start, 0
    while True:
        number += 1
        step = _double(_double(star))
        for _ in range((number & -number).bit_length() - 1):
            step = _double(step)
        offset = _xor(offset, step)
        yield offset


def _ocb(question: Question, encrypt: Block, decrypt: Block) -> tuple[bytes, bytes]:
    star = encrypt(bytes(16))
    tag_bytes = len(question.tag) if question.decrypt else question.tag_bytes
    nonce = (1 << 8 * len(question.iv) | int.from_bytes(question.iv, "big")).to_bytes(16, "big")
    nonce = bytes([tag_bytes % 16 << 4 | nonce[0]]) + nonce[1:]
    bottom = nonce[15] % 64
    top = encrypt(nonce[:15] + bytes([nonce[15] & 0xC0]))
    stretch = int.from_bytes(top + _xor(top[:8], top[1:9]), "big")
    offset = (stretch >> 64 - bottom & (1 << 128) - 1).to_bytes(16, "big")

    total, running = bytes(16), bytes(16)
    for block, masked in zip(_blocks(question.aad), _offsets(bytes(16), star), strict=False):
        running = masked if len(block) == 16 else _xor(running, star)
        total = _xor(total, encrypt(_xor(_padded(block), running)))

    found, checksum = b"", bytes(16)
    for block, masked in zip(_blocks(question.text), _offsets(offset, star), strict=False):
        if len(block) == 16:
            offset = masked
            function = decrypt if question.decrypt else encrypt
            made = _xor(function(_xor(block, offset)), offset)
        else:
            offset = _xor(offset, star)
            made = _xor(block, encrypt(offset))
        checksum = _xor(checksum, _padded(made if question.decrypt else block))
        found += made
    return found, _xor(total, encrypt(_xor(_xor(checksum, offset), _double(star))))


# --- Both --------------------------------------------------------------------------------------


def answer(question: Question, keyed: Keyed) -> Reply:
    """Return what the mode makes of a message over the cipher `keyed`."""
    mode, key = question.mode, question.key
    encrypt, decrypt = keyed(key[: len(key) // 2] if mode == "xts" else key)
    simple = {
        "ecb": lambda: _ecb(question, encrypt, decrypt),
        "cbc": lambda: _cbc(question, encrypt, decrypt),
        "cfb": lambda: _cfb(question, encrypt, 16),
        "cfb8": lambda: _cfb(question, encrypt, 1),
        "ofb": lambda: _ofb(question, encrypt),
        "ctr": lambda: _ctr(question, encrypt),
        "xts": lambda: _xts(question, encrypt, decrypt, keyed(key[len(key) // 2 :])[0]),
    }
    if mode in simple:
        return Reply(simple[mode]())
    if mode in {"cmac", "cbc_mac"}:
        text, tag = b"", _cmac(question, encrypt, plain=mode == "cbc_mac")
    elif mode == "gcm":
        text, tag = _gcm(question, encrypt)
    elif mode == "ccm":
        text, tag = _ccm(question, encrypt)
    else:
        text, tag = _ocb(question, encrypt, decrypt)
    if question.decrypt:
        return Reply(text, right=tag[: len(question.tag)] == question.tag)
    return Reply(text, tag[: question.tag_bytes])


_STREAMS: dict[str, Callable[[bytes], Any]] = {
    "cbc": modes.CBC,
    "cfb": decrepit.CFB,
    "cfb8": decrepit.CFB8,
    "ofb": decrepit.OFB,
    "ctr": modes.CTR,
    "xts": modes.XTS,
}

#: The modes that OpenSSL has, as `openssl` uses it.
OPENSSL = frozenset({*_STREAMS, "ecb", "cmac", "gcm", "ccm", "ocb"})


def openssl(question: Question) -> Reply:
    """Return what OpenSSL makes of a message with AES.

    The text of a message with a wrong tag is empty: OpenSSL hands none out.
    """
    mode, key, text = question.mode, question.key, question.text
    if mode == "ecb" or mode in _STREAMS:
        made: Any = modes.ECB() if mode == "ecb" else _STREAMS[mode](question.iv)
        cipher = Cipher(algorithms.AES(key), made)
        context = cipher.decryptor() if question.decrypt else cipher.encryptor()
        return Reply(context.update(text) + context.finalize())
    if mode == "cmac":
        code = CMAC(algorithms.AES(key))
        code.update(text)
        tag = code.finalize()
        if question.decrypt:
            return Reply(b"", right=tag[: len(question.tag)] == question.tag)
        return Reply(b"", tag[: question.tag_bytes])
    if mode == "gcm":
        return _openssl_gcm(question)
    tag_bytes = len(question.tag) if question.decrypt else question.tag_bytes
    box: aead.AESCCM | aead.AESOCB3
    box = aead.AESCCM(key, tag_bytes) if mode == "ccm" else aead.AESOCB3(key)
    if question.decrypt:
        try:
            return Reply(box.decrypt(question.iv, text + question.tag, question.aad))
        except InvalidTag:
            return Reply(b"", right=False)
    made_of = box.encrypt(question.iv, text, question.aad)
    return Reply(made_of[: len(text)], made_of[len(text) :])


def _openssl_gcm(question: Question) -> Reply:
    cipher = algorithms.AES(question.key)
    if not question.decrypt:
        encryptor = Cipher(cipher, modes.GCM(question.iv)).encryptor()
        encryptor.authenticate_additional_data(question.aad)
        made = encryptor.update(question.text) + encryptor.finalize()
        return Reply(made, encryptor.tag[: question.tag_bytes])
    mode = modes.GCM(question.iv, question.tag, min_tag_length=4)
    decryptor = Cipher(cipher, mode).decryptor()
    decryptor.authenticate_additional_data(question.aad)
    made = decryptor.update(question.text)
    try:
        return Reply(made + decryptor.finalize())
    except InvalidTag:
        return Reply(b"", right=False)
