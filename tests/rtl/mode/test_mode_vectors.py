"""The modes of operation as RTL: NIST's and other published vectors that `cryptography` carries."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from roundsmith import catalogue
from roundsmith.flows import synthesize
from roundsmith.simulate import messages
from roundsmith.simulate.messages import Message
from roundsmith.spec import Mode, formulas, modes

cryptography_vectors = pytest.importorskip("cryptography_vectors")
FOLDER = Path(cryptography_vectors.__file__).parent

#: A core with all key lengths, both directions and room for several keys.
CORE = "aesany-both-loop1-table-stored-equiv-cr-slots4"

#: One over which modes have their small form.
SMALL = "aesany-both-loop1-gf16-mixmin-equiv-ch"

#: A message, the text and the tag that answer it, and whether its tag is right.
Known = tuple[Message, bytes, bytes, bool]


def records(path: Path) -> Iterator[tuple[dict[str, str], dict[str, str]]]:
    """Yield the records of a file, each with what the brackets before it say."""
    heads: dict[str, str] = {}
    record: dict[str, str] = {}
    for line in [*path.read_text().splitlines(), ""]:
        line = line.strip()
        if line.startswith("#"):
            continue
        bracket = re.fullmatch(r"\[(.*)\]", line)
        field = re.fullmatch(r"(\w+)\s*=\s*(.*)|(FAIL)", line)
        if (not line or bracket) and record:
            yield heads, record
            record = {}
        if bracket:
            for part in bracket[1].split(","):
                name, _, value = part.partition("=")
                heads[name.strip().lower()] = value.strip()
                if name.strip() in {"ENCRYPT", "DECRYPT"}:
                    heads["way"] = name.strip()
        elif field:
            record[(field[1] or field[3]).lower()] = (field[2] or "").strip()


def simple(folder: str, pattern: str) -> Iterator[Known]:
    """Yield what stands in the files of a mode without a tag."""
    for path in sorted((FOLDER / "ciphers/AES" / folder).glob(pattern)):
        for heads, record in records(path):
            names = {"pt": "plaintext", "ct": "ciphertext"}
            plain, cipher = (record.get(k, record.get(n, "")) for k, n in names.items())
            decrypt = heads.get("way") == "DECRYPT"
            text, right = (cipher, plain) if decrypt else (plain, cipher)
            message = Message(
                bytes.fromhex(record["key"]),
                bytes.fromhex(text),
                iv=bytes.fromhex(record.get("iv", "")),
                decrypt=decrypt,
            )
            yield message, bytes.fromhex(right), b"", True


def xts() -> Iterator[Known]:
    for path in sorted((FOLDER / "ciphers/AES/XTS").rglob("*.rsp")):
        for heads, record in records(path):
            if int(record["dataunitlen"]) % 8:
                continue  # not whole bytes
            decrypt = heads.get("way") == "DECRYPT"
            plain, cipher = bytes.fromhex(record["pt"]), bytes.fromhex(record["ct"])
            number = record.get("dataunitseqnumber")
            iv = (
                bytes.fromhex(record["i"]) if number is None else int(number).to_bytes(16, "little")
            )
            text, right = (cipher, plain) if decrypt else (plain, cipher)
            yield Message(bytes.fromhex(record["key"]), text, iv, decrypt=decrypt), right, b"", True


def gcm() -> Iterator[Known]:
    for path in sorted((FOLDER / "ciphers/AES/GCM").glob("*.rsp")):
        for number, (_, record) in enumerate(records(path)):
            # Tens of thousands; the lengths come in groups of fifteen.
            if number % 15 not in {0, 1} or "key" not in record:
                continue
            decrypt = "Decrypt" in path.name
            key, iv, aad, cipher, tag = (
                bytes.fromhex(record[name]) for name in ("key", "iv", "aad", "ct", "tag")
            )
            right = "fail" not in record
            plain = bytes.fromhex(record.get("pt", ""))
            if decrypt:
                yield Message(key, cipher, iv, aad, True, tag), plain, b"", right
            else:
                yield Message(key, plain, iv, aad, tag_bytes=len(tag)), cipher, tag, True


def ccm() -> Iterator[Known]:
    for path in sorted((FOLDER / "ciphers/AES/CCM").glob("*.rsp")):
        common: dict[str, str] = {}
        for heads, record in records(path):
            if "count" not in record:
                common |= record
                continue
            given = heads | common | record
            sizes = {name: int(given[name]) for name in ("alen", "plen", "nlen", "tlen")}
            aad = bytes.fromhex(given["adata"])[: sizes["alen"]]
            both = bytes.fromhex(given["ct"])
            cipher, tag = both[: sizes["plen"]], both[sizes["plen"] :]
            assert len(tag) == sizes["tlen"]
            key, iv = bytes.fromhex(given["key"]), bytes.fromhex(given["nonce"])
            right = given.get("result", "Pass").startswith("Pass")
            plain = bytes.fromhex(given.get("payload", ""))[: sizes["plen"]]
            yield Message(key, cipher, iv, aad, True, tag), plain, b"", right
            if right:
                yield Message(key, plain, iv, aad, tag_bytes=len(tag)), cipher, tag, True


def ocb() -> Iterator[Known]:
    for path in sorted((FOLDER / "ciphers/AES/OCB3").glob("*.txt")):
        for _, record in records(path):
            key, iv, aad, plain, both = (
                bytes.fromhex(record.get(name, ""))
                for name in ("key", "nonce", "aad", "plaintext", "ciphertext")
            )
            cipher, tag = both[: len(plain)], both[len(plain) :]
            if len(tag) > 16 or not tag:
                continue
            yield Message(key, plain, iv, aad, tag_bytes=len(tag)), cipher, tag, True
            yield Message(key, cipher, iv, aad, True, tag), plain, b"", True


def cmac() -> Iterator[Known]:
    for path in sorted((FOLDER / "CMAC").glob("*aes*.txt")):
        for _, record in records(path):
            key, text, tag = (bytes.fromhex(record[n]) for n in ("key", "message", "output"))
            yield Message(key, text, tag_bytes=len(tag)), b"", tag, True
            yield Message(key, text, decrypt=True, tag=tag), b"", b"", True


#: Where the vectors of a mode come from, and how many there are: all that stand in the files (of
#: GCM two in fifteen, of XTS those of whole bytes), so that none is lost on the way here.
SOURCES = {
    Mode.ECB: (lambda: simple("ECB", "*.rsp"), 2138),
    Mode.CBC: (lambda: simple("CBC", "*.rsp"), 2138),
    Mode.CFB: (lambda: simple("CFB", "CFB128*.rsp"), 2138),
    Mode.CFB8: (lambda: simple("CFB", "CFB8*.rsp"), 2138),
    Mode.OFB: (lambda: simple("OFB", "*.rsp"), 2138),
    Mode.CTR: (lambda: simple("CTR", "*.txt"), 9),
    Mode.XTS: (xts, 2800),
    Mode.GCM: (gcm, 6300),
    Mode.CCM: (ccm, 5280),
    Mode.OCB: (ocb, 142),
    Mode.CMAC: (cmac, 24),
}


@cache
def program(core: str, mode: Mode) -> Path:
    spec = catalogue.find(core).with_mode(mode)
    return messages.build(spec, synthesize.sources(spec))


def quick(mode: Mode) -> object:
    """Return the small form of a mode; by name those that chain blocks and do nothing else."""
    is_quick = modes.of(mode).tags or mode in {Mode.CTR, Mode.XTS}
    return pytest.param(SMALL, mode, marks=() if is_quick else pytest.mark.long)


PAIRS = [
    *((CORE, mode) for mode in SOURCES),
    *(quick(mode) for mode in SOURCES if modes.of(mode).oneblock),
]


@pytest.mark.parametrize(("core", "mode"), PAIRS)
def test_published_vectors(core: str, mode: Mode) -> None:
    spec = catalogue.find(core).with_mode(mode)
    assert formulas.is_oneblock(spec) == (core == SMALL)
    source, least = SOURCES[mode]
    known = list(source())
    assert len(known) >= least
    found = messages.run(program(core, mode), spec, [message for message, *_ in known]).answers
    for (message, text, tag, right), answer in zip(known, found, strict=True):
        assert answer is not None and not answer.refused, message
        assert answer.wrong_tag is not right, message
        assert not right or (answer.text, answer.tag) == (text, tag), message
