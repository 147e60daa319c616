"""The packets of a core behind AXI4-Stream, described once: codes, header and status.

The C header, the tables of docs/buses.md and of the datasheets, and the test bench of `build` are
made from what stands here.
"""

from dataclasses import dataclass

from roundsmith.base.render import render
from roundsmith.spec import modes

COMMAND = "make docs"


@dataclass(frozen=True)
class Code:
    """A value of `s_axis_tuser`, and what a transfer with it has."""

    name: str
    value: int
    text: str


@dataclass(frozen=True)
class Field:
    """Bytes of the header: the first of them, how many, and what they are.

    Numbers have their lowest byte first, strings their first byte. A field without a name is zero.
    """

    name: str
    first: int
    count: int
    text: str


@dataclass(frozen=True)
class Bits:
    """A field of `m_axis_tuser`."""

    name: str
    low: int
    width: int
    text: str

    @property
    def mask(self) -> int:
        """Return a one for each of its bits, in their places."""
        return ((1 << self.width) - 1) << self.low


CODES = (
    Code("header", 4, "header"),
    Code("aad", 0, "associated data"),
    Code("text", 1, "text"),
    Code("tag", 2, "the tag to verify"),
    Code("long_iv", 3, "an IV that is not in the header (GCM: one that has not 12 bytes)"),
)

FIELDS = (
    Field("decrypt", 0, 1, "0 to encrypt or make a tag, 1 to decrypt or verify"),
    Field("slot", 1, 1, "key slot"),
    Field("iv_bytes", 2, 1, "bytes of the IV in the header"),
    Field("tag_bytes", 3, 1, "bytes of the tag"),
    Field("aad_bytes", 4, 4, "bytes of associated data, the lowest byte first"),
    Field("text_bytes", 8, 4, "bytes of text, the lowest byte first"),
    Field("", 12, 4, "zero"),
    Field("iv", 16, 16, "the IV, nonce or counter block, from its first byte on"),
)

HEADER_BYTES = 32

ANSWER = (
    Bits("part", 0, 2, "the part: 1 text, 2 tag"),
    Bits("tag_wrong", 2, 1, "with `TLAST`: the tag is wrong"),
    Bits("refused", 3, 1, "with `TLAST`: the mode refuses the message"),
)

_CODE = {code.name: code.value for code in CODES}
AAD, TEXT, TAG, HEADER = (_CODE[name] for name in ("aad", "text", "tag", "header"))


def header(
    *,
    iv: bytes,
    tag_bytes: int,
    aad_bytes: int,
    text_bytes: int,
    decrypt: bool = False,
    slot: int = 0,
) -> bytes:
    """Return the 32 bytes of the header of a message; an IV in transfers of its own is empty."""
    values = {
        "decrypt": int(decrypt),
        "slot": slot,
        "iv_bytes": len(iv),
        "tag_bytes": tag_bytes,
        "aad_bytes": aad_bytes,
        "text_bytes": text_bytes,
        "iv": int.from_bytes(iv, "little"),
    }
    return b"".join(values.get(f.name, 0).to_bytes(f.count, "little") for f in FIELDS)


def c_header() -> str:
    """Return the C header for software that makes packets."""
    return render(
        "rsm_stream.h.j2",
        codes=CODES,
        fields=FIELDS,
        size=HEADER_BYTES,
        answer=ANSWER,
        modes=modes.NUMBERS,
        command=COMMAND,
    )


def code_table() -> str:
    """Return the codes of the transfers that go in as a Markdown table."""
    rows = [f"| {code.value} | {code.text} |" for code in CODES]
    return "\n".join(["| `s_axis_tuser` | transfer |", "|---:|---|", *rows]) + "\n"


def header_table() -> str:
    """Return the header as a Markdown table."""
    rows = [f"| {_places(f.first, f.count)} | {f.text} |" for f in FIELDS]
    return "\n".join(["| bytes of the header | |", "|---:|---|", *rows]) + "\n"


def answer_table() -> str:
    """Return the bits beside what comes out as a Markdown table."""
    rows = [f"| {_places(bits.low, bits.width)} | {bits.text} |" for bits in ANSWER]
    return "\n".join(["| bits of `m_axis_tuser` | |", "|---:|---|", *rows]) + "\n"


def _places(first: int, count: int) -> str:
    return f"{first}–{first + count - 1}" if count > 1 else str(first)
