"""How the vector sets of NIST's ACVP ask about a mode: their fields, and their Monte Carlo loops.

The loops are those of the AES Algorithm Validation Suite, 6.4.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from roundsmith.base.errors import RoundsmithError

Json = Mapping[str, Any]

#: The length that belongs to a field, in bits. It stands with the test or with its group, or not at
#: all; only as many bits of the field count.
LENGTHS = {
    "pt": "payloadLen",
    "ct": "payloadLen",
    "message": "msgLen",
    "aad": "aadLen",
    "iv": "ivLen",
    "tag": "tagLen",
    "mac": "macLen",
}

#: The inner loop of a Monte Carlo test.
INNER = 1000

#: Asks for one message under an IV.
Ask = Callable[[bytes, bytes], bytes]
#: The result of a loop, and the key, IV and text of the next one.
Looped = tuple[bytes, bytes, bytes, bytes]
#: An inner loop: what asks, key, IV, text, and whether it decrypts.
Loop = Callable[[Ask, bytes, bytes, bytes, bool], Looped]

#: An IV, and what an answer says of one that is ours to make.
Given = tuple[bytes, dict[str, str]]


def kind(group: Json) -> str:
    """Return what kind of tests a group has: AFT, MCT or CTR, or another one."""
    found = str(group.get("testType", "AFT")).upper()
    return {"COUNTER": "CTR"}.get(found, found)


def field(test: Json, name: str, default: str | None = None) -> bytes:
    """Return a hexadecimal field of a test."""
    text = test.get(name, default)
    try:
        return bytes.fromhex(text or "")
    except (TypeError, ValueError):
        raise RoundsmithError(f"test {test.get('tcId')}: {name} is not hexadecimal.") from None


def number(case: Json, name: str) -> int | None:
    """Return a number of a test or a group, if it is there."""
    value = case.get(name)
    if value is not None and (not isinstance(value, int) or value < 0):
        raise RoundsmithError(f"{name} of a test or a group is no number: {value!r}.")
    return value


def number_of(test: Json, group: Json, name: str) -> int | None:
    """Return a number that stands with the test or with its group, if any."""
    return number(test if name in test else group, name)


def part(test: Json, group: Json, name: str) -> bytes:
    """Return a field, as many bytes of it as its length says."""
    data, bits = field(test, name), number_of(test, group, LENGTHS[name])
    if bits is None:
        return data
    if len(data) < -(-bits // 8):
        raise RoundsmithError(
            f"test {test.get('tcId')}: {name} has {8 * len(data)} bits, and {LENGTHS[name]} "
            f"says {bits}."
        )
    return data[: -(-bits // 8)]


def given_iv(group: Json, test: Json) -> Given | None:
    """Return the IV of a test, which says it."""
    return (part(test, group, "iv"), {}) if "iv" in test else None


def no_iv(group: Json, test: Json) -> Given | None:
    """Return nothing, for a mode that has no IV."""
    return b"", {}


def _no_obstacle(group: Json) -> str:
    return ""


@dataclass(frozen=True)
class Acvp:
    """What vector sets ask of a mode.

    `algorithms` are the names of its sets, `tag_alone` those of them that ask for no text. `loop`
    is its Monte Carlo test, and `kinds` are types of tests beside that and the functional one.
    Lengths in `bits` need not be whole bytes. Where tags are `joined`, they stand behind the text.
    `iv` finds the IV of a test in its group. A test may ask about several messages: `units` divides
    a text with its IV by the size that a set calls `dataUnitLen`. `obstacle` is a sentence that
    says why the mode cannot answer a group.
    """

    algorithms: tuple[str, ...] = ()
    tag_alone: tuple[str, ...] = ()
    loop: Loop | None = None
    kinds: tuple[str, ...] = ()
    bits: tuple[str, ...] = ()
    joined: bool = False
    iv: Callable[[Json, Json], Given | None] = given_iv
    units: Callable[[bytes, bytes, int], Sequence[tuple[bytes, bytes]]] | None = None
    obstacle: Callable[[Json], str] = _no_obstacle


NOT_ASKED = Acvp()

# --- Monte Carlo tests -------------------------------------------------------------------------


def mixed(key: bytes, results: Sequence[bytes]) -> bytes:
    """Return the next key: the last results are added, as many bytes as it has."""
    stream = b"".join(results)[-len(key) :]
    return bytes(a ^ b for a, b in zip(key, stream, strict=True))


def chained(ask: Ask, key: bytes, iv: bytes, text: bytes, *, feedback: str) -> Looped:
    """Run the inner loop of modes with an IV and 16 bytes at a time.

    A message goes on where the one before ended; `feedback` says what it takes over as its IV.
    """
    results: list[bytes] = []
    chain, now = iv, text
    for count in range(INNER):
        made = ask(chain, now)
        after = {
            "in": now,
            "out": made,
            "pad": bytes(a ^ b for a, b in zip(now, made, strict=True)),
        }
        chain = after[feedback]
        now = iv if count == 0 else results[-1]
        results.append(made)
    return results[-1], mixed(key, results[-2:]), results[-1], results[-2]


def chained_by_results(ask: Ask, key: bytes, iv: bytes, text: bytes, decrypt: bool) -> Looped:
    """Run the inner loop of a mode that takes the last ciphertext over as its IV."""
    return chained(ask, key, iv, text, feedback="in" if decrypt else "out")
