"""GCM, Galois/counter mode: CTR, and GHASH over ciphertext and associated data (SP 800-38D).

GHASH stands beside the core: one multiplier in the smaller form, several that share the work in the
other one.
"""

import math
import secrets
from typing import TYPE_CHECKING

from roundsmith.reference import openssl
from roundsmith.reference.messages import Block, Question, blocks, counted, filled, xor
from roundsmith.spec import formulas
from roundsmith.spec.modes import acvp, common
from roundsmith.spec.modes.protocol import Iv, ModeOfOperation, OneBlock, Term

if TYPE_CHECKING:
    import numpy as np

    from roundsmith.spec.model import Spec

# --- The standard -------------------------------------------------------------------------------


def ghash(key: bytes, data: bytes) -> bytes:
    """Return GHASH of whole blocks (SP 800-38D, 6.4)."""
    factor, state = int.from_bytes(key, "big"), 0
    for block in blocks(data):
        x, y, product = state ^ int.from_bytes(block, "big"), factor, 0
        for i in reversed(range(128)):
            product ^= y if x >> i & 1 else 0
            y = y >> 1 ^ (0xE1 << 120 if y & 1 else 0)
        state = product
    return state.to_bytes(16, "big")


def _text_and_tag(question: Question, encrypt: Block, decrypt: Block) -> tuple[bytes, bytes]:
    key = encrypt(bytes(16))
    if len(question.iv) == 12:
        first = question.iv + b"\0\0\0\1"
    else:
        first = ghash(key, filled(question.iv) + (8 * len(question.iv)).to_bytes(16, "big"))
    second = first[:12] + ((int.from_bytes(first[12:], "big") + 1) % (1 << 32)).to_bytes(4, "big")
    found = counted(question.text, second, 32, encrypt)
    ciphertext = question.text if question.decrypt else found
    lengths = (8 * len(question.aad)).to_bytes(8, "big") + (8 * len(ciphertext)).to_bytes(8, "big")
    state = ghash(key, filled(question.aad) + filled(ciphertext) + lengths)
    return found, xor(state, encrypt(first))


# --- The hardware -------------------------------------------------------------------------------


def bits(spec: "Spec") -> int:
    """Return how many bits a GHASH multiplier takes a cycle.

    If the spec does not say, one that is just done when the next block comes, or 32 where several
    have to share the work: more would be the slowest path.
    """
    if spec.how.ghash_bits is not None:
        return spec.how.ghash_bits
    cycles = math.floor(max(1.0, formulas.core_cycles_per_block(spec)))
    return min(32, math.ceil(128 / cycles))


def steps(spec: "Spec") -> int:
    """Cycles that a GHASH multiplier takes for a block."""
    return math.ceil(128 / bits(spec))


def lanes(spec: "Spec") -> int:
    """Return how many GHASH multipliers there are: enough to keep up with the core by default."""
    if spec.how.ghash_lanes is not None:
        return spec.how.ghash_lanes
    return math.ceil(steps(spec) / max(1.0, formulas.core_cycles_per_block(spec)))


def _wait(spec: "Spec") -> int:
    """Return how many beats wait for the tag before them, so that the core does not."""
    latency = lanes(spec) + steps(spec) + 6
    return math.ceil(latency / max(1.0, formulas.core_cycles_per_block(spec))) + 1


def _has_one_multiplier(spec: "Spec") -> bool:
    """Whether GHASH is done by one multiplier before the next block comes.

    One that takes longer stands alone where the spec says so.
    """
    if spec.how.ghash_lanes is not None:
        return spec.how.ghash_lanes == 1
    return steps(spec) <= formulas.core_cycles_per_block(spec)


def _cycles(spec: "Spec", key_bits: int | None) -> float:
    return common.unchained_cycles(spec, key_bits, steps(spec))


def _clears(spec: "Spec") -> list[int]:
    """Cycles of the beats that wait, of the sums of the lanes, and of the powers of the keys."""
    if formulas.is_oneblock(spec):
        return []
    powers = common.power_of_two(spec.port.key_slots) * common.power_of_two(lanes(spec))
    return [_wait(spec), lanes(spec) + 1, 4, powers]


def _settles(spec: "Spec") -> int:
    return 2 if formulas.is_oneblock(spec) else 2 * _wait(spec)


def _parameters(spec: "Spec") -> dict[str, str]:
    digit = {"Digit": str(bits(spec))}
    if formulas.is_oneblock(spec):
        return digit | {"Interval": str(formulas.shortest_interval(spec))}
    return digit | {"Lanes": str(lanes(spec)), "Wait": str(_wait(spec))}


# --- Checks and estimates -----------------------------------------------------------------------


def _iv_length(random: "np.random.Generator") -> int:
    """Return 12 bytes in most cases, and others that come in beats."""
    return int(random.choice([12, 12, 12, 12, 8, 16, 17, int(random.integers(1, 70))]))


def _openssl_has(question: Question) -> bool:
    return len(question.iv) >= 8


def _asked_iv(group: acvp.Json, test: acvp.Json) -> acvp.Given | None:
    """Return the IV of a test; that of an encryption may be ours to make."""
    if "iv" in test:
        return acvp.part(test, group, "iv"), {}
    if group.get("direction") != "encrypt":
        return None
    iv = secrets.token_bytes((acvp.number_of(test, group, "ivLen") or 96) // 8)
    return iv, {"iv": iv.hex().upper()}


def _rows(spec: "Spec") -> list[tuple[str, str]]:
    count = 1 if formulas.is_oneblock(spec) else lanes(spec)
    text = f"{count} multiplier{'s' * (count != 1)} of {bits(spec)} bits a cycle"
    return [("GHASH", text)]


def _multipliers(spec: "Spec", is_memory: bool) -> float:
    return float(lanes(spec)) * (1.0 if is_memory else bits(spec))


def _queues(spec: "Spec", is_memory: bool) -> float | None:
    """Return the queues for blocks to hash, for hashes and for answers: a set of them a stream."""
    return None if formulas.is_oneblock(spec) else float(spec.how.streams)


#: What is expected of GHASH: for each bit of a digit 128 products and sums, of which a LUT4 takes
#: one and a half, and with 32 of them three blocks of registers.
_EXPECTED = {"lut": 128 / 1.5, "ff": 128 * 3 / 32, "area_ge": 128 * 4.0}


MODE = ModeOfOperation(
    word="gcm",
    number=9,
    options=("ghash_bits", "ghash_lanes"),
    iv=Iv(least=1, most=1 << 16, usual=12, in_beats=True, draw=_iv_length),
    tags=(4, 8, 12, 13, 14, 15, 16),
    aad=True,
    oneblock=OneBlock(more=1, fits=_has_one_multiplier),
    cycles=_cycles,
    clears=_clears,
    settles=_settles,
    parameters=_parameters,
    answer=common.text_and_tag(_text_and_tag),
    openssl=openssl.gcm,
    openssl_has=_openssl_has,
    acvp=acvp.Acvp(("ACVP-AES-GCM", "ACVP-AES-GMAC"), tag_alone=("ACVP-AES-GMAC",), iv=_asked_iv),
    rows=_rows,
    terms=(
        Term("ghash", "GHASH", _multipliers, grows=True, expected=_EXPECTED),
        Term("gcm_queues", "the queues of GCM", _queues),
    ),
    priced_on=("iterative-lut4",),
)
