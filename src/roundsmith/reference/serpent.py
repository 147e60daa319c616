"""Serpent in Python, by its submission, for both directions and all key lengths.

Anderson, Biham, Knudsen: "Serpent: A Proposal for the Advanced Encryption Standard", 1998; here in
its bitslice form, which needs neither of the two permutations of bits: a state is four words of 32
bits, X0 first, and bit i of the four, X0 the least significant, is the input of S-box i.

Byte order, stated once. A block or a key is a string of bytes whose first byte is the least
significant one of X0, or of the first key word: what crypto libraries do, and what the vectors of
NESSIE have. The submission prints a block as one number of 128 bits, X3 first, which is the same
bytes read backwards; `submission` turns one into the other.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from roundsmith.reference.messages import Block

State = tuple[int, int, int, int]

#: S-boxes 0 to 7.
SBOXES = (
    (3, 8, 15, 1, 10, 6, 5, 11, 14, 13, 4, 2, 7, 0, 9, 12),
    (15, 12, 2, 7, 9, 0, 5, 10, 1, 11, 14, 8, 6, 13, 3, 4),
    (8, 6, 7, 9, 3, 12, 10, 15, 13, 1, 14, 4, 0, 11, 5, 2),
    (0, 15, 11, 8, 12, 9, 6, 3, 13, 1, 2, 4, 10, 7, 5, 14),
    (1, 15, 8, 3, 12, 0, 11, 6, 2, 5, 4, 10, 9, 14, 7, 13),
    (15, 5, 2, 11, 4, 10, 9, 12, 0, 3, 14, 8, 13, 6, 7, 1),
    (7, 2, 12, 5, 8, 4, 6, 11, 14, 9, 1, 15, 13, 3, 10, 0),
    (1, 13, 15, 0, 14, 8, 2, 11, 7, 4, 12, 10, 9, 3, 5, 6),
)
INVERSE_SBOXES = tuple(tuple(box.index(y) for y in range(16)) for box in SBOXES)

ROUNDS = 32
#: Fractional part of the golden ratio, in every word of the key schedule.
PHI = 0x9E3779B9

_ONES = 0xFFFFFFFF


def _left(word: int, by: int) -> int:
    return (word << by | word >> 32 - by) & _ONES


def _right(word: int, by: int) -> int:
    return _left(word, 32 - by)


def _add(a: State, b: State) -> State:
    return (a[0] ^ b[0], a[1] ^ b[1], a[2] ^ b[2], a[3] ^ b[3])


def substitute(box: Sequence[int], state: State) -> State:
    """Return `state` behind 32 copies of the S-box `box`."""
    out = [0, 0, 0, 0]
    for i in range(32):
        y = box[sum((word >> i & 1) << k for k, word in enumerate(state))]
        for k in range(4):
            out[k] |= (y >> k & 1) << i
    return (out[0], out[1], out[2], out[3])


def transform(state: State) -> State:
    """Return `state` behind the linear transformation."""
    a, b, c, d = state
    a, c = _left(a, 13), _left(c, 3)
    b, d = _left(b ^ a ^ c, 1), _left(d ^ c ^ (a << 3 & _ONES), 7)
    a, c = _left(a ^ b ^ d, 5), _left(c ^ d ^ (b << 7 & _ONES), 22)
    return a, b, c, d


def transform_back(state: State) -> State:
    """Return `state` behind the inverse of the linear transformation."""
    a, b, c, d = state
    c, a = _right(c, 22) ^ d ^ (b << 7 & _ONES), _right(a, 5) ^ b ^ d
    d, b = _right(d, 7) ^ c ^ (a << 3 & _ONES), _right(b, 1) ^ a ^ c
    return _right(a, 13), b, _right(c, 3), d


def prekeys(key: bytes) -> list[int]:
    """Return the words w[-8] to w[131] of the key schedule; word w[i] has the index i + 8.

    A key of less than 256 bits gets a one behind its last bit, then zeros.
    """
    if len(key) not in (16, 24, 32):
        raise ValueError(f"a key of {8 * len(key)} bits, where 128, 192 and 256 are possible")
    padded = (key + b"\x01" + bytes(31))[:32]
    words = [int.from_bytes(padded[4 * i : 4 * i + 4], "little") for i in range(8)]
    for i in range(4 * (ROUNDS + 1)):
        words.append(_left(words[i] ^ words[i + 3] ^ words[i + 5] ^ words[i + 7] ^ PHI ^ i, 11))
    return words


def round_keys(key: bytes) -> list[State]:
    """Return the 33 round keys."""
    words = prekeys(key)[8:]
    groups = [(words[i], words[i + 1], words[i + 2], words[i + 3]) for i in range(0, len(words), 4)]
    return [substitute(SBOXES[(3 - i) % 8], group) for i, group in enumerate(groups)]


def state_of(block: bytes) -> State:
    """Return the four words of a block of 16 bytes."""
    a, b, c, d = (int.from_bytes(block[i : i + 4], "little") for i in range(0, 16, 4))
    return a, b, c, d


def block_of(state: State) -> bytes:
    """Return the block of 16 bytes of four words."""
    return b"".join(word.to_bytes(4, "little") for word in state)


def encrypt(key: bytes, plaintext: bytes) -> bytes:
    """Encrypt whole blocks, each by itself (ECB without padding)."""
    keys = round_keys(key)
    return b"".join(_encrypt(keys, plaintext[i : i + 16]) for i in range(0, len(plaintext), 16))


def decrypt(key: bytes, ciphertext: bytes) -> bytes:
    """Decrypt whole blocks, each by itself (ECB without padding)."""
    keys = round_keys(key)
    return b"".join(_decrypt(keys, ciphertext[i : i + 16]) for i in range(0, len(ciphertext), 16))


def keyed(key: bytes) -> tuple[Block, Block]:
    """Return encryption and decryption of blocks with one key."""
    return partial(encrypt, key), partial(decrypt, key)


def _encrypt(keys: Sequence[State], block: bytes) -> bytes:
    state = state_of(block)
    for i in range(ROUNDS):
        state = substitute(SBOXES[i % 8], _add(state, keys[i]))
        state = transform(state) if i < ROUNDS - 1 else _add(state, keys[ROUNDS])
    return block_of(state)


def _decrypt(keys: Sequence[State], block: bytes) -> bytes:
    state = state_of(block)
    for i in reversed(range(ROUNDS)):
        state = transform_back(state) if i < ROUNDS - 1 else _add(state, keys[ROUNDS])
        state = _add(substitute(INVERSE_SBOXES[i % 8], state), keys[i])
    return block_of(state)


def submission(text: str) -> bytes:
    """Return the bytes of a block or key as the submission prints it, or as its text would be."""
    return bytes.fromhex(text)[::-1]


@dataclass(frozen=True)
class Vector:
    """One known answer: where it is printed, and its key and blocks in our order of bytes."""

    source: str
    key: bytes
    plaintext: bytes
    ciphertext: bytes

    @property
    def encryption(self) -> str:
        """Where it is printed; it holds in both directions."""
        return self.source

    @property
    def decryption(self) -> str:
        """The same."""
        return self.source


# Variable key and variable text, for one bit set: bits 1 to 5 from the left, as printed.
_VARIABLE = {
    128: (
        (
            "49afbfad9d5a34052cd8ffa5986bd2dd",
            "0c1e2e4e79bd02c2501096e79b5e73fa",
            "d769e71b31f4ae12e14cdc48238d2d7b",
            "bd0276d6be072cc00b3d426130bf355f",
            "c191e2121daea18ec30957bbce199a8c",
        ),
        (
            "10b5ffb720b8cb9002a1142b0ba2e94a",
            "91a7847ef1cd87551b5b4bf6f8e96e2c",
            "5d32aece8383fb2ee22cb4a6061d1429",
            "b4895cad26dfa1538e9ad80599e1e62a",
            "3b275d40f7daf4a3f59ddfab28ff8715",
        ),
    ),
    192: (
        (
            "e78e5402c7195568ac3678f7a3f60c66",
            "23645a0ddd4b0f8b73b6215ea938a59e",
            "95d262643c94cab3e5830fc90a3ad119",
            "2a66ae878814c427cd1be1b929d69d1b",
            "c1f74b3c5df4b485118b6901a22bef14",
        ),
        (
            "b10b271ba25257e1294f2b51f076d0d9",
            "d522a3b8d6d89d4d2a124fdd88f36896",
            "6faefee5f5255d5465c1befa672af1d3",
            "409e1d63bc71eb0d6f7eceaa03025897",
            "8a7e9feb4300a2a265f4a14e52011be1",
        ),
    ),
    256: (
        (
            "abed96e766bf28cbc0ebd21a82ef0819",
            "959658cdfcd80356dde045bbe7b1888d",
            "04d49cc0fae714b46b5b177664df4c28",
            "39f1b1a339ded740d80b663a057d4866",
            "df15b01e30cf9c81688f989809579a86",
        ),
        (
            "da5a7992b1b4ae6f8c004bc8a7de5520",
            "f351351b823e3d7a4f3bf390c4f198cb",
            "a477a65d9db75c8ed7218c52b64c65bb",
            "f8019452cba4fe618d80a6756183b2e0",
            "d43b7b981b829342fce0e3ec6f5f4c82",
        ),
    ),
}


def _variable() -> list[Vector]:
    found = []
    for bits, (by_key, by_text) in _VARIABLE.items():
        zero_key, zero = bytes(bits // 8), bytes(16)
        for i, (first, second) in enumerate(zip(by_key, by_text, strict=True)):
            key, text = (f"{1 << size - 1 - i:0{size // 4}x}" for size in (bits, 128))
            name = f"submission, KEYSIZE={bits}, I={i + 1}"
            found.append(
                Vector(f"ecb_vk.txt of the {name}", submission(key), zero, submission(first))
            )
            found.append(
                Vector(f"ecb_vt.txt of the {name}", zero_key, submission(text), submission(second))
            )
    return found


#: The first five known answers of either file of the submission, for every key length, and one of
#: NESSIE for each, which has the bytes in our order.
VECTORS = (
    *_variable(),
    Vector(
        "NESSIE, Serpent with 256-bit keys, set 1, vector 0",
        bytes.fromhex("80" + "00" * 31),
        bytes(16),
        bytes.fromhex("a223aa1288463c0e2be38ebd825616c0"),
    ),
    Vector(
        "NESSIE, Serpent with 192-bit keys, set 1, vector 0",
        bytes.fromhex("80" + "00" * 23),
        bytes(16),
        bytes.fromhex("9e274ead9b737bb21efcfca548602689"),
    ),
    Vector(
        "NESSIE, Serpent with 128-bit keys, set 1, vector 0",
        bytes.fromhex("80" + "00" * 15),
        bytes(16),
        bytes.fromhex("264e5481eff42a4606abda06c0bfda3d"),
    ),
)

#: Monte-Carlo tests of the submission (ecb_e_m.txt, ecb_d_m.txt) by bits of the key and whether
#: they decrypt: the results of five chains of 10,000 blocks each. Key and text of the first are
#: zero; the text goes on, and each key is the one before added to the last result and, behind it,
#: the one before that.
MONTE_CARLO = {
    (128, False): (
        "90e7a5ba9497fa1bfc00f7d1a3a86a1e",
        "5d0c5da998aaa940d493738892579447",
        "b5e6510fbbd63d828ade0b89ae48ef5f",
        "8056b61dacb4d3f52976ef5b1d4165e8",
        "3997c4990223e5c70f3cb015f48ec57a",
    ),
    (128, True): (
        "47c6786045bb9d30f4029e7ccccd1cae",
        "003380e19f10065740394f48e2fe80b7",
        "7a4f7db38c52a8b711b778a38d203b6b",
        "fa57c160b1b826ea22f531dc593db5b4",
        "08e2ea201ab8e452bb4584a09a4633ce",
    ),
    (192, False): (
        "2d8af7b79eb7f21fdb394c77c3fb8c3a",
        "145a25a48329ea5d2d74a9b4131d5604",
        "21014b6befdc0872028061468546a3fd",
        "8d0a51da5120051c79d1b445e5673c3a",
        "eb471350ae9df1af4fadbccd44b13902",
    ),
    (192, True): (
        "0fb9b00ae4e6e0f328ddc43cee462898",
        "4c934ebda169107cb5194221683e5ead",
        "833102dcd73503127f0e4b80810aeb21",
        "e245a98468f854ebce6b8ac4ed240387",
        "a193b9d74c81d6ca8a3bfcc1145f54cc",
    ),
    (256, False): (
        "92efa3ca9477794d31f4df7bce23e60a",
        "1eaee9147d3844e65e3c7b333587e432",
        "243f7cb4e3e0d01c390397440c844c65",
        "d77ab40a2e6019e6c4efffc1e7d6bb3a",
        "309fc28ad5b155b4bf7069efad0a045c",
    ),
    (256, True): (
        "cff2f5875d0fb0d3217052fc9d7b94a3",
        "96d0752aa50b521aa681dd8950b20223",
        "f025f88fb4892701f4ec303dfedd71bf",
        "e348d81659cfb277ddf1bb4800d52ee2",
        "9af9f63f39600e440d296b46441c6611",
    ),
}


# --- Many blocks at once --------------------------------------------------------------------

#: A state of many blocks: in each of the four words one entry a block.
States = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def _products(box: Sequence[int]) -> list[list[int]]:
    """Return the algebraic normal form of an S-box: for each output bit the products in its sum.

    Product m is that of the input bits in the mask m; product 0 is one.
    """
    found = []
    for k in range(4):
        sums = [y >> k & 1 for y in box]
        for i in range(4):
            for m in range(16):
                if m >> i & 1:
                    sums[m] ^= sums[m ^ 1 << i]
        found.append([m for m in range(16) if sums[m]])
    return found


_PRODUCTS = [_products(box) for box in SBOXES]
_INVERSE_PRODUCTS = [_products(box) for box in INVERSE_SBOXES]


def _substitute_each(sums: Sequence[Sequence[int]], state: States) -> States:
    products = [np.full_like(state[0], _ONES)]
    for m in range(1, 16):
        low = m & -m
        products.append(products[m ^ low] & state[low.bit_length() - 1])
    out = []
    for terms in sums:
        total = np.zeros_like(state[0])
        for m in terms:
            total ^= products[m]
        out.append(total)
    return (out[0], out[1], out[2], out[3])


def _turn(word: np.ndarray, by: int) -> np.ndarray:
    return (word << np.uint32(by % 32)) | (word >> np.uint32(-by % 32))


def _up(word: np.ndarray, by: int) -> np.ndarray:
    return word << np.uint32(by)


def _add_each(a: States, b: States) -> States:
    return (a[0] ^ b[0], a[1] ^ b[1], a[2] ^ b[2], a[3] ^ b[3])


def _transform_each(state: States) -> States:
    a, b, c, d = state
    a, c = _turn(a, 13), _turn(c, 3)
    b, d = _turn(b ^ a ^ c, 1), _turn(d ^ c ^ _up(a, 3), 7)
    a, c = _turn(a ^ b ^ d, 5), _turn(c ^ d ^ _up(b, 7), 22)
    return a, b, c, d


def _transform_back_each(state: States) -> States:
    a, b, c, d = state
    c, a = _turn(c, -22) ^ d ^ _up(b, 7), _turn(a, -5) ^ b ^ d
    d, b = _turn(d, -7) ^ c ^ _up(a, 3), _turn(b, -1) ^ a ^ c
    return _turn(a, -13), b, _turn(c, -3), d


def _round_keys_each(keys: Sequence[bytes]) -> list[States]:
    """Return the 33 round keys of every key."""
    padded = b"".join((key + b"\x01" + bytes(31))[:32] for key in keys)
    words = list(np.frombuffer(padded, "<u4").reshape(-1, 8).T.astype(np.uint32))
    for i in range(4 * (ROUNDS + 1)):
        sums = words[i] ^ words[i + 3] ^ words[i + 5] ^ words[i + 7] ^ np.uint32(PHI ^ i)
        words.append(_turn(sums, 11))
    groups = [words[i : i + 4] for i in range(8, len(words), 4)]
    return [
        _substitute_each(_PRODUCTS[(3 - i) % 8], (a, b, c, d))
        for i, (a, b, c, d) in enumerate(groups)
    ]


def cipher_each(
    keys: Sequence[bytes], key: np.ndarray, decrypting: np.ndarray, data: np.ndarray
) -> np.ndarray:
    """Return row i of `data` (whole blocks) encrypted or decrypted with keys[key[i]].

    All rows of a direction go through the cipher at once.
    """
    answers = np.empty_like(data)
    all_keys = _round_keys_each(keys)
    for inverse in (False, True):
        rows = np.flatnonzero(decrypting.astype(bool) == inverse)
        if not len(rows):
            continue
        blocks = data.shape[1] // 16
        number = np.repeat(key[rows].astype(np.int64), blocks)
        words = np.ascontiguousarray(data[rows]).view("<u4").reshape(-1, 4).T.astype(np.uint32)
        own = [(k[0][number], k[1][number], k[2][number], k[3][number]) for k in all_keys]
        state: States = (words[0], words[1], words[2], words[3])
        state = (_decrypt_each if inverse else _encrypt_each)(own, state)
        out = np.ascontiguousarray(np.stack(state, axis=1).astype("<u4")).view("u1")
        answers[rows] = out.reshape(len(rows), -1)
    return answers


def _encrypt_each(keys: Sequence[States], state: States) -> States:
    for i in range(ROUNDS):
        state = _substitute_each(_PRODUCTS[i % 8], _add_each(state, keys[i]))
        state = _transform_each(state) if i < ROUNDS - 1 else _add_each(state, keys[ROUNDS])
    return state


def _decrypt_each(keys: Sequence[States], state: States) -> States:
    for i in reversed(range(ROUNDS)):
        state = _transform_back_each(state) if i < ROUNDS - 1 else _add_each(state, keys[ROUNDS])
        state = _add_each(_substitute_each(_INVERSE_PRODUCTS[i % 8], state), keys[i])
    return state
