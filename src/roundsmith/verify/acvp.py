"""Answer an ACVP vector set for AES (NIST) with the RTL of a core, JSON in and JSON out.

Functional tests (AFT) go through the simulation as one batch of messages. In Monte Carlo tests
(MCT) every message hangs on the answer before, so they are asked one by one; the loops are those of
the AES Algorithm Validation Suite, 6.4.

A group that asks for what the core, its mode or this program does not have is left out of the
answers as a whole, and named: see `_obstacle`.
"""

import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from roundsmith.base import output_file
from roundsmith.base.errors import RoundsmithError
from roundsmith.flows import synthesize
from roundsmith.simulate import messages
from roundsmith.simulate.messages import Answer, Message, Session
from roundsmith.spec import Cipher, Direction, Mode, Spec, modes

#: Modes by the names of the algorithms.
ALGORITHMS = {
    "ACVP-AES-ECB": Mode.ECB,
    "ACVP-AES-CBC": Mode.CBC,
    "ACVP-AES-CFB8": Mode.CFB8,
    "ACVP-AES-CFB128": Mode.CFB,
    "ACVP-AES-OFB": Mode.OFB,
    "ACVP-AES-CTR": Mode.CTR,
    "ACVP-AES-GCM": Mode.GCM,
    "ACVP-AES-GMAC": Mode.GCM,
    "ACVP-AES-CCM": Mode.CCM,
    "ACVP-AES-XTS": Mode.XTS,
    "CMAC-AES": Mode.CMAC,
}

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

#: The counter of RFC 3686, the last 32 bits of the first counter block.
FIRST_COUNT = (1).to_bytes(4, "big")

#: The loops of a Monte Carlo test.
OUTER, INNER = 100, 1000

Progress = Callable[[str, int, int], None]
Json = Mapping[str, Any]


@dataclass(frozen=True)
class _Case:
    """One test of a group: what it asks, and how its answer is written.

    Of XTS each data unit is a message; the text of the answer has `bits` bits, or whole bytes.
    """

    test: Json
    messages: Sequence[Message]
    extra: Mapping[str, str]
    bits: int | None


def answer(spec: Spec, path: Path, destination: Path, progress: Progress) -> str:
    """Answer the vector set in `path` with the core of `spec`; return a line of what was done.

    The core gets the mode that the set is about. Raises RoundsmithError where the file is no vector
    set, or asks for what the core or the mode does not have.
    """
    whole, given = _read(path)
    name = str(given.get("algorithm"))
    if name not in ALGORITHMS:
        known = ", ".join(ALGORITHMS)
        raise RoundsmithError(f"{path} is a set for '{name}'; known here are {known}.")
    if spec.what.cipher is not Cipher.AES:
        raise RoundsmithError(f"{path} is a set for AES, and {spec.name} is another cipher.")
    output_file.check(destination)
    made = spec.with_mode(ALGORITHMS[name])
    groups, left_out = _sorted_out(made, path, given)
    total = sum(len(group["tests"]) for group in groups)
    progress("compiling the RTL", 0, total)
    program = messages.build(made, synthesize.sources(made))
    progress("answering", 0, total)
    found: dict[int, Json] = {}
    plain: list[_Case] = []
    with Session(program, made) as session:
        for group in groups:
            for test in group["tests"]:
                if _kind(group) == "MCT":
                    found[test["tcId"]] = _monte_carlo(made, session, group, test)
                    progress("answering", len(found), total)
                else:
                    plain.append(_case(made, name, group, test))
    if plain:
        run = messages.run(program, made, [one for case in plain for one in case.messages])
        answers = iter(run.answers)
        for case in plain:
            mine = [next(answers) for _ in case.messages]
            found[case.test["tcId"]] = _written(path, name, case, mine)
    progress("answering", total, total)
    response: dict[str, Any] = {
        key: given[key] for key in ("vsId", "algorithm", "revision") if key in given
    }
    response["testGroups"] = [
        {"tgId": group["tgId"], "tests": [found[test["tcId"]] for test in group["tests"]]}
        for group in groups
    ]
    text = json.dumps([whole[0], response] if whole else response, indent=2) + "\n"
    output_file.write(destination, text)
    line = f"{made.name}: {total:,} tests of {name} answered in {destination}"
    return "\n".join([line, *(f"left out: {reason}" for reason in left_out)])


def _read(path: Path) -> tuple[list[Any], dict[str, Any]]:
    """Return the list that the set stands in, behind a version, or an empty one; and the set."""
    try:
        data = json.loads(path.read_text())
    except OSError as error:
        raise RoundsmithError(f"{path} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise RoundsmithError(f"{path} cannot be read: it is no text in UTF-8.") from None
    except json.JSONDecodeError as error:
        raise RoundsmithError(f"{path} is not JSON: {error}.") from None
    whole = data if isinstance(data, list) else []
    given = data[-1] if isinstance(data, list) and data else data
    if not isinstance(given, dict) or not isinstance(given.get("testGroups"), list):
        raise RoundsmithError(f"{path} is no ACVP vector set: it has no testGroups.")
    return whole, given


def _sorted_out(spec: Spec, path: Path, given: Json) -> tuple[list[Json], list[str]]:
    """Return the groups to answer, and why the others are left out; before the work begins.

    Raises RoundsmithError where a group is none, or where none is left.
    """
    slots = modes.TRAITS[spec.what.mode].slots
    groups, left_out = [], []
    for group in given["testGroups"]:
        where = f"group {group.get('tgId')}"
        if not isinstance(group.get("tests"), list) or "tgId" not in group:
            raise RoundsmithError(f"{path}, {where}: it has no tgId or no tests.")
        if reason := _obstacle(spec, group):
            left_out.append(f"{where}: {reason}")
            continue
        for test in group["tests"]:
            if "tcId" not in test or len(_field(test, "key", "")) * 8 != slots * group["keyLen"]:
                raise RoundsmithError(
                    f"{path}, {where}: a test has no tcId or not the key of its group."
                )
        groups.append(group)
    if left_out and not groups:
        raise RoundsmithError(f"{path} has nothing that can be answered. " + " ".join(left_out))
    return groups, left_out


def _obstacle(spec: Spec, group: Json) -> str:
    """Return a sentence that says why a group cannot be answered, or nothing."""
    mode, kind = spec.what.mode, _kind(group)
    traits = modes.TRAITS[mode]
    if group.get("keyLen") not in spec.what.key_bits:
        lengths = ", ".join(map(str, spec.what.key_bits))
        return f"keys have {group.get('keyLen')} bits, and {spec.name} has {lengths}."
    way = Direction.DECRYPT if group.get("direction") == "decrypt" else Direction.ENCRYPT
    if traits.both_ways and way not in spec.what.directions:
        return f"{spec.name} does not {way}."
    if kind == "MCT" and mode not in _LOOPS:
        return f"mode '{mode}' has no Monte Carlo test."
    if kind == "CTR" and group.get("overflow"):
        return "the counter overflows, and one of ours does not wrap: such a message is refused."
    if kind == "CTR" and group.get("incremental") is False:
        return "the counter counts down, and ours counts up."
    if kind not in {"AFT", "MCT"} and (kind, mode) != ("CTR", Mode.CTR):
        return f"tests of the type '{kind}' are not known here."
    for case in (group, *group["tests"]):
        for name in (*LENGTHS.values(), "dataUnitLen"):
            bits = _number(case, name) or 0
            if bits % 8 and (name, mode) != ("payloadLen", Mode.CTR):
                return f"{name} is {bits} bits, and mode '{mode}' takes whole bytes here."
        tag_bits = _number(case, "macLen" if mode is Mode.CMAC else "tagLen")
        if tag_bits and tag_bits // 8 not in traits.tags:
            lengths = ", ".join(str(8 * size) for size in traits.tags)
            return f"tags have {tag_bits} bits, and those of mode '{mode}' {lengths or 'none'}."
        size, unit = (_number(case, name) or 0 for name in ("payloadLen", "dataUnitLen"))
        if mode is Mode.XTS and unit and size > unit and 0 < size % unit < 128:
            return f"the last data unit has {size % unit} bits, and XTS begins at a block of 128."
    return ""


def _field(test: Json, name: str, default: str | None = None) -> bytes:
    """Return a hexadecimal field of a test."""
    text = test.get(name, default)
    try:
        return bytes.fromhex(text or "")
    except (TypeError, ValueError):
        raise RoundsmithError(f"test {test.get('tcId')}: {name} is not hexadecimal.") from None


def _kind(group: Json) -> str:
    """Return what kind of tests a group has: AFT, MCT or CTR, or another one."""
    kind = str(group.get("testType", "AFT")).upper()
    return {"COUNTER": "CTR"}.get(kind, kind)


def _number(case: Json, name: str) -> int | None:
    """Return a number of a test or a group, if it is there."""
    value = case.get(name)
    if value is not None and (not isinstance(value, int) or value < 0):
        raise RoundsmithError(f"{name} of a test or a group is no number: {value!r}.")
    return value


def _value(test: Json, group: Json, name: str) -> int | None:
    """Return a number that stands with the test or with its group, if any."""
    return _number(test if name in test else group, name)


def _part(test: Json, group: Json, name: str) -> bytes:
    """Return a field, as many bytes of it as its length says."""
    data, bits = _field(test, name), _value(test, group, LENGTHS[name])
    if bits is None:
        return data
    if len(data) < -(-bits // 8):
        raise RoundsmithError(
            f"test {test.get('tcId')}: {name} has {8 * len(data)} bits, and {LENGTHS[name]} "
            f"says {bits}."
        )
    return data[: -(-bits // 8)]


def _case(spec: Spec, name: str, group: Json, test: Json) -> _Case:
    """Return what a functional test, or one of a counter, asks."""
    mode = spec.what.mode
    decrypt = group.get("direction") in {"decrypt", "ver"}
    mac = "macLen" if mode is Mode.CMAC else "tagLen"
    tag_bytes = (_value(test, group, mac) or 128) // 8
    source = "message" if mode is Mode.CMAC else "ct" if decrypt else "pt"
    tag = b""
    if mode is Mode.CCM and decrypt:
        joined = _field(test, source)
        text, tag = joined[: len(joined) - tag_bytes], joined[len(joined) - tag_bytes :]
    else:
        text = b"" if name == "ACVP-AES-GMAC" else _part(test, group, source)
        if decrypt and modes.TRAITS[mode].tags:
            tag = _part(test, group, "mac" if mode is Mode.CMAC else "tag")
    iv, extra = _iv(mode, group, test)
    message = Message(
        key=_field(test, "key"),
        text=text,
        iv=iv,
        aad=_part(test, group, "aad") if "aad" in test else b"",
        decrypt=decrypt,
        tag=tag,
        tag_bytes=tag_bytes,
    )
    units = [message]
    if mode is Mode.XTS:
        units = _data_units(message, (_value(test, group, "dataUnitLen") or 0) // 8)
    bits = _value(test, group, "payloadLen") if mode is Mode.CTR else None
    return _Case(test, units, extra, bits)


def _iv(mode: Mode, group: Json, test: Json) -> tuple[bytes, dict[str, str]]:
    """Return the IV of a test, and what the answer says of it: one that is ours to make.

    The counter of CTR begins as that of RFC 3686 (which the server demands where the IV is ours),
    far from its end. In a test of the counter itself the server finds it in the text.
    """
    if mode in {Mode.ECB, Mode.CMAC}:
        return b"", {}
    if mode is Mode.XTS:
        number = _number(test, "sequenceNumber")
        if number is not None:
            return number.to_bytes(16, "little"), {}
        if "tweakValue" in test:
            return _field(test, "tweakValue"), {}
    elif "iv" in test:
        return _part(test, group, "iv"), {}
    elif mode is Mode.CTR and _kind(group) == "CTR":
        return secrets.token_bytes(12) + FIRST_COUNT, {}
    elif mode in {Mode.GCM, Mode.CTR} and group.get("direction") == "encrypt":
        if mode is Mode.CTR:
            iv = secrets.token_bytes(12) + FIRST_COUNT
        else:
            iv = secrets.token_bytes((_value(test, group, "ivLen") or 96) // 8)
        return iv, {"iv": iv.hex().upper()}
    raise RoundsmithError(f"test {test.get('tcId')} has no IV.")


def _data_units(message: Message, size: int) -> list[Message]:
    """Return a message of XTS as data units of `size` bytes (0: one of all bytes).

    The tweak is a number whose first byte is its lowest (IEEE 1619, 5.1), one more a unit.
    """
    first, size = int.from_bytes(message.iv, "little"), size or len(message.text) or 1
    return [
        replace(
            message,
            text=message.text[start : start + size],
            iv=((first + number) % (1 << 128)).to_bytes(16, "little"),
        )
        for number, start in enumerate(range(0, max(1, len(message.text)), size))
    ]


def _written(path: Path, name: str, case: _Case, answers: Sequence[Answer | None]) -> Json:
    """Return the answer to a functional test as ACVP has it."""
    found: dict[str, Any] = {"tcId": case.test["tcId"], **case.extra}
    message, done = case.messages[0], [got for got in answers if got is not None]
    if any(got.refused for got in done):
        raise RoundsmithError(
            f"{path}, test {case.test['tcId']}: the core refuses the message; its lengths or its "
            "counter are over the limits of the mode."
        )
    whole, got = b"".join(got.text for got in done), done[-1]
    text, tag = _cut(whole, case.bits).hex().upper(), got.tag.hex().upper()
    if message.decrypt and message.tag:
        if got.wrong_tag or name in {"CMAC-AES", "ACVP-AES-GMAC"}:
            return found | {"testPassed": not got.wrong_tag}
        return found | {"pt": text}
    if name == "CMAC-AES":
        return found | {"mac": tag}
    if name == "ACVP-AES-GMAC":
        return found | {"tag": tag}
    if name == "ACVP-AES-CCM":
        return found | {"ct": text + tag}
    if name == "ACVP-AES-GCM":
        return found | {"ct": text, "tag": tag}
    return found | {"pt" if message.decrypt else "ct": text}


def _cut(text: bytes, bits: int | None) -> bytes:
    """Return `text` with zeros behind its first `bits`, which end in its last byte."""
    spare = -(bits or 0) % 8
    return text[:-1] + bytes([text[-1] >> spare << spare]) if spare else text


# --- Monte Carlo tests -------------------------------------------------------------------------


def _monte_carlo(spec: Spec, session: Session, group: Json, test: Json) -> Json:
    """Return the answer to a Monte Carlo test."""
    decrypt = group.get("direction") == "decrypt"
    source, result = ("ct", "pt") if decrypt else ("pt", "ct")
    key, text = _field(test, "key"), _field(test, source)
    iv, _ = _iv(spec.what.mode, group, test)
    entries = []
    for _ in range(OUTER):
        entry = {"key": key, "iv": iv, source: text}

        def ask(iv: bytes, text: bytes, key: bytes = key) -> bytes:
            (got,) = session.ask([Message(key=key, text=text, iv=iv, decrypt=decrypt)])
            return got.text

        last, key, iv, text = _LOOPS[spec.what.mode](ask, key, iv, text, decrypt)
        entry[result] = last
        entries.append({name: data.hex().upper() for name, data in entry.items() if data})
    return {"tcId": test["tcId"], "resultsArray": entries}


#: Asks for one message under an IV.
_Ask = Callable[[bytes, bytes], bytes]
#: The result of a loop, and the key, IV and text of the next one.
_Loop = tuple[bytes, bytes, bytes, bytes]


def _mixed(key: bytes, results: Sequence[bytes]) -> bytes:
    """Return the next key: the last results are added, as many bytes as it has."""
    stream = b"".join(results)[-len(key) :]
    return bytes(a ^ b for a, b in zip(key, stream, strict=True))


def _ecb(ask: _Ask, key: bytes, iv: bytes, text: bytes, decrypt: bool) -> _Loop:
    results = []
    for _ in range(INNER):
        text = ask(b"", text)
        results.append(text)
    return text, _mixed(key, results[-2:]), iv, text


def _chained(ask: _Ask, key: bytes, iv: bytes, text: bytes, *, feedback: str) -> _Loop:
    """Run the inner loop of modes with an IV and 16 bytes at a time.

    A message goes on where the one before ended; `feedback` says what it takes over as its IV.
    """
    results: list[bytes] = []
    chain, now = iv, text
    for number in range(INNER):
        made = ask(chain, now)
        after = {
            "in": now,
            "out": made,
            "pad": bytes(a ^ b for a, b in zip(now, made, strict=True)),
        }
        chain = after[feedback]
        now = iv if number == 0 else results[-1]
        results.append(made)
    return results[-1], _mixed(key, results[-2:]), results[-1], results[-2]


def _cbc(ask: _Ask, key: bytes, iv: bytes, text: bytes, decrypt: bool) -> _Loop:
    return _chained(ask, key, iv, text, feedback="in" if decrypt else "out")


def _ofb(ask: _Ask, key: bytes, iv: bytes, text: bytes, decrypt: bool) -> _Loop:
    return _chained(ask, key, iv, text, feedback="pad")


def _cfb8(ask: _Ask, key: bytes, iv: bytes, text: bytes, decrypt: bool) -> _Loop:
    chain, now, results = iv, text, b""
    for number in range(INNER):
        made = ask(chain, now)
        chain = chain[1:] + (now if decrypt else made)
        now = iv[number : number + 1] if number < 16 else results[number - 16 : number - 15]
        results += made
    return results[-1:], _mixed(key, [results]), results[-16:], results[-17:-16]


_LOOPS: dict[Mode, Callable[[_Ask, bytes, bytes, bytes, bool], _Loop]] = {
    Mode.ECB: _ecb,
    Mode.CBC: _cbc,
    Mode.CFB: _cbc,
    Mode.OFB: _ofb,
    Mode.CFB8: _cfb8,
}
