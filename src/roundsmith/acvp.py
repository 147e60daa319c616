"""Answer an ACVP vector set for AES (NIST) with the RTL of a core, JSON in and JSON out.

Functional tests (AFT) go through the simulation as one batch of messages. In Monte Carlo tests
(MCT) every message hangs on the answer before, so they are asked one by one; the loops are those of
the AES Algorithm Validation Suite, 6.4.
"""

import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from roundsmith import messages, output_file, synthesize
from roundsmith.errors import RoundsmithError
from roundsmith.messages import Answer, Message, Session
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

#: The loops of a Monte Carlo test.
OUTER, INNER = 100, 1000

Progress = Callable[[str, int, int], None]
Json = Mapping[str, Any]


@dataclass(frozen=True)
class _Case:
    """One test of a group: what it asks, and how its answer is written."""

    group: Json
    test: Json
    message: Message
    extra: Mapping[str, str]


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
    _check(made, path, given)
    total = sum(len(group["tests"]) for group in given["testGroups"])
    progress("compiling the RTL", 0, total)
    program = messages.build(made, synthesize.sources(made))
    progress("answering", 0, total)
    found: dict[int, Json] = {}
    plain: list[_Case] = []
    with Session(program, made) as session:
        for group in given["testGroups"]:
            for test in group["tests"]:
                if group.get("testType") == "MCT":
                    found[test["tcId"]] = _monte_carlo(made, session, group, test)
                    progress("answering", len(found), total)
                else:
                    plain.append(_case(made, name, group, test))
    if plain:
        run = messages.run(program, made, [case.message for case in plain])
        for case, got in zip(plain, run.answers, strict=True):
            assert got is not None
            found[case.test["tcId"]] = _written(path, name, case, got)
    progress("answering", total, total)
    response: dict[str, Any] = {
        key: given[key] for key in ("vsId", "algorithm", "revision") if key in given
    }
    response["testGroups"] = [
        {"tgId": group["tgId"], "tests": [found[test["tcId"]] for test in group["tests"]]}
        for group in given["testGroups"]
    ]
    text = json.dumps([whole[0], response] if whole else response, indent=2) + "\n"
    output_file.write(destination, text)
    return f"{made.name}: {total:,} tests of {name} answered in {destination}"


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


def _check(spec: Spec, path: Path, given: Json) -> None:
    """Refuse a set that asks for what the core does not have, before the work begins."""
    slots = modes.TRAITS[spec.what.mode].slots
    for group in given["testGroups"]:
        where = f"{path}, group {group.get('tgId')}"
        if group.get("keyLen") not in spec.what.key_bits:
            lengths = ", ".join(map(str, spec.what.key_bits))
            raise RoundsmithError(
                f"{where}: keys have {group.get('keyLen')} bits, and {spec.name} has {lengths}."
            )
        way = Direction.DECRYPT if group.get("direction") == "decrypt" else Direction.ENCRYPT
        if modes.TRAITS[spec.what.mode].both_ways and way not in spec.what.directions:
            raise RoundsmithError(f"{where}: {spec.name} does not {way}.")
        for test in group.get("tests", ()):
            if "tcId" not in test or len(_field(test, "key", "")) * 8 != slots * group["keyLen"]:
                raise RoundsmithError(f"{where}: a test has no tcId or not the key of its group.")


def _field(test: Json, name: str, default: str | None = None) -> bytes:
    """Return a hexadecimal field of a test."""
    text = test.get(name, default)
    try:
        return bytes.fromhex(text or "")
    except (TypeError, ValueError):
        raise RoundsmithError(f"test {test.get('tcId')}: {name} is not hexadecimal.") from None


def _value(case: Json, group: Json, name: str) -> int:
    """Return a number that stands with the test or with its group."""
    return int(case.get(name, group.get(name, 0)) or 0)


def _case(spec: Spec, name: str, group: Json, test: Json) -> _Case:
    """Return what a functional test asks."""
    mode = spec.what.mode
    decrypt = group.get("direction") in {"decrypt", "ver"}
    bits = [_value(test, group, key) for key in ("payloadLen", "dataUnitLen", "aadLen", "msgLen")]
    if any(count % 8 for count in bits) or _value(test, group, "tagLen") % 8:
        raise RoundsmithError(
            f"test {test['tcId']} has a length of bits that are no whole bytes, which "
            f"{spec.name} does not take."
        )
    text = _field(test, "message" if mode is Mode.CMAC else "ct" if decrypt else "pt")
    iv, tag, extra = _field(test, "iv"), _field(test, "tag"), {}
    tag_bytes = (_value(test, group, "tagLen") or 128) // 8
    if mode is Mode.CMAC:
        tag, tag_bytes = _field(test, "mac"), _value(test, group, "macLen") // 8
    if mode is Mode.CCM and decrypt:
        text, tag = text[: len(text) - tag_bytes], text[len(text) - tag_bytes :]
    if mode is Mode.XTS:
        number = test.get("sequenceNumber")
        iv = _field(test, "tweakValue") if number is None else int(number).to_bytes(16, "little")
    if mode is Mode.GCM and not decrypt and "iv" not in test:
        # The IV is ours to make.
        iv = secrets.token_bytes((_value(test, group, "ivLen") or 96) // 8)
        extra = {"iv": iv.hex().upper()}
    if mode is Mode.CTR and "iv" not in test:
        # The counter is ours, far from its end; the server finds it in the answer.
        iv = bytes([0]) + secrets.token_bytes(15)
    message = Message(
        key=_field(test, "key"),
        text=b"" if name == "ACVP-AES-GMAC" else text,
        iv=iv,
        aad=_field(test, "aad"),
        decrypt=decrypt,
        tag=tag if decrypt else b"",
        tag_bytes=tag_bytes,
    )
    return _Case(group, test, message, extra)


def _written(path: Path, name: str, case: _Case, got: Answer) -> Json:
    """Return the answer to a functional test as ACVP has it."""
    found: dict[str, Any] = {"tcId": case.test["tcId"], **case.extra}
    if got.refused:
        raise RoundsmithError(
            f"{path}, test {case.test['tcId']}: the core refuses the message; its lengths or its "
            "counter are over the limits of the mode."
        )
    text, tag = got.text.hex().upper(), got.tag.hex().upper()
    if case.message.decrypt and case.message.tag:
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
    return found | {"pt" if case.message.decrypt else "ct": text}


# --- Monte Carlo tests -------------------------------------------------------------------------


def _monte_carlo(spec: Spec, session: Session, group: Json, test: Json) -> Json:
    """Return the answer to a Monte Carlo test."""
    decrypt = group.get("direction") == "decrypt"
    source, result = ("ct", "pt") if decrypt else ("pt", "ct")
    key, iv, text = (_field(test, name) for name in ("key", "iv", source))
    if spec.what.mode not in _LOOPS:
        raise RoundsmithError(f"mode '{spec.what.mode}' has no Monte Carlo test.")
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
