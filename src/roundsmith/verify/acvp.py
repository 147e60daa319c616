"""Answer an ACVP vector set for AES (NIST) with the RTL of a core, JSON in and JSON out.

Functional tests (AFT) go through the simulation as one batch of messages. In Monte Carlo tests
(MCT) every message hangs on the answer before, so they are asked one by one. What sets ask of a
mode says `Acvp` of the mode.

A group that asks for what the core, its mode or this program does not have is left out of the
answers as a whole, and named: see `_obstacle`.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from roundsmith.base import output_file
from roundsmith.base.errors import RoundsmithError
from roundsmith.flows import synthesize
from roundsmith.simulate import messages
from roundsmith.simulate.messages import Answer, Message, Session
from roundsmith.spec import Direction, Mode, ModeOfOperation, Spec, modes
from roundsmith.spec.modes.acvp import LENGTHS, Json, field, kind, number, number_of, part

#: Modes by the names of the algorithms.
ALGORITHMS = {name: mode for mode in modes.MODES for name in mode.acvp.algorithms}

#: The outer loop of a Monte Carlo test.
OUTER = 100

Progress = Callable[[str, int, int], None]


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
    asked = name.split("-")[1]
    if spec.cipher.acvp != asked:
        raise RoundsmithError(f"{path} is a set for {asked}, and {spec.name} is another cipher.")
    output_file.check(destination)
    made = spec.with_mode(Mode(ALGORITHMS[name].word))
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
                if kind(group) == "MCT":
                    found[test["tcId"]] = _monte_carlo(made, session, group, test)
                    progress("answering", len(found), total)
                else:
                    plain.append(_case(made, name, group, test))
    if plain:
        run = messages.run(program, made, [one for case in plain for one in case.messages])
        answers = iter(run.answers)
        for case in plain:
            mine = [next(answers) for _ in case.messages]
            found[case.test["tcId"]] = _written(made.mode, path, name, case, mine)
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
        data = json.loads(path.read_text("utf-8-sig"))
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
    slots = spec.mode.slots
    groups, left_out = [], []
    for group in given["testGroups"]:
        where = f"group {group.get('tgId')}"
        if group.get("tests", []) is None:
            group = {**group, "tests": []}  # a server's way to write a group without tests
        if not isinstance(group.get("tests"), list) or "tgId" not in group:
            raise RoundsmithError(f"{path}, {where}: it has no tgId or no tests.")
        if reason := _obstacle(spec, group):
            left_out.append(f"{where}: {reason}")
            continue
        for test in group["tests"]:
            if "tcId" not in test or len(field(test, "key", "")) * 8 != slots * group["keyLen"]:
                raise RoundsmithError(
                    f"{path}, {where}: a test has no tcId or not the key of its group."
                )
        groups.append(group)
    if not any(group["tests"] for group in groups):
        what = " ".join(left_out) or "None of its groups has a test."
        raise RoundsmithError(f"{path} has nothing that can be answered. {what}")
    return groups, left_out


def _obstacle(spec: Spec, group: Json) -> str:
    """Return a sentence that says why a group cannot be answered, or nothing."""
    mode, its_kind = spec.mode, kind(group)
    if group.get("keyLen") not in spec.what.key_bits:
        lengths = ", ".join(map(str, spec.what.key_bits))
        return f"keys have {group.get('keyLen')} bits, and {spec.name} has {lengths}."
    way = Direction.DECRYPT if group.get("direction") == "decrypt" else Direction.ENCRYPT
    if mode.both_ways and way not in spec.what.directions:
        return f"{spec.name} does not {way}."
    if its_kind == "MCT" and mode.acvp.loop is None:
        return f"mode '{mode.word}' has no Monte Carlo test."
    if its_kind not in {"AFT", "MCT", *mode.acvp.kinds}:
        return f"tests of the type '{its_kind}' are not known here."
    for case in (group, *group["tests"]):
        for name in (*LENGTHS.values(), "dataUnitLen"):
            bits = number(case, name) or 0
            if bits % 8 and name not in mode.acvp.bits:
                return f"{name} is {bits} bits, and mode '{mode.word}' takes whole bytes here."
        tag_bits = number(case, LENGTHS[_tag_field(mode)])
        if tag_bits and tag_bits // 8 not in mode.tags:
            lengths = ", ".join(str(8 * size) for size in mode.tags)
            return (
                f"tags have {tag_bits} bits, and those of mode '{mode.word}' {lengths or 'none'}."
            )
    return mode.acvp.obstacle(group)


def _tag_field(mode: ModeOfOperation) -> str:
    """Return what sets call the tag of a mode."""
    return "mac" if mode.mac else "tag"


def _case(spec: Spec, name: str, group: Json, test: Json) -> _Case:
    """Return what a functional test, or one of a counter, asks."""
    mode, asks = spec.mode, spec.mode.acvp
    decrypt = group.get("direction") in {"decrypt", "ver"}
    tag_bytes = (number_of(test, group, LENGTHS[_tag_field(mode)]) or 128) // 8
    source = "message" if mode.mac else "ct" if decrypt else "pt"
    tag = b""
    if asks.joined and decrypt:
        joined = field(test, source)
        text, tag = joined[: len(joined) - tag_bytes], joined[len(joined) - tag_bytes :]
    else:
        text = b"" if name in asks.tag_alone else part(test, group, source)
        if decrypt and mode.tags:
            tag = part(test, group, _tag_field(mode))
    iv, extra = _iv(mode, group, test)
    message = Message(
        key=field(test, "key"),
        text=text,
        iv=iv,
        aad=part(test, group, "aad") if "aad" in test else b"",
        decrypt=decrypt,
        tag=tag,
        tag_bytes=tag_bytes,
    )
    units = [message]
    if asks.units is not None:
        size = (number_of(test, group, "dataUnitLen") or 0) // 8
        units = [replace(message, text=text, iv=iv) for text, iv in asks.units(text, iv, size)]
    bits = number_of(test, group, "payloadLen") if "payloadLen" in asks.bits else None
    return _Case(test, units, extra, bits)


def _iv(mode: ModeOfOperation, group: Json, test: Json) -> tuple[bytes, dict[str, str]]:
    """Return the IV of a test, and what the answer says of it: one that is ours to make."""
    found = mode.acvp.iv(group, test)
    if found is None:
        raise RoundsmithError(f"test {test.get('tcId')} has no IV.")
    return found


def _written(
    mode: ModeOfOperation, path: Path, name: str, case: _Case, answers: Sequence[Answer | None]
) -> Json:
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
        if got.wrong_tag or mode.mac or name in mode.acvp.tag_alone:
            return found | {"testPassed": not got.wrong_tag}
        return found | {"pt": text}
    if mode.mac or name in mode.acvp.tag_alone:
        return found | {_tag_field(mode): tag}
    if mode.acvp.joined:
        return found | {"ct": text + tag}
    if mode.tags:
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
    key, text = field(test, "key"), field(test, source)
    iv, _ = _iv(spec.mode, group, test)
    loop = spec.mode.acvp.loop
    assert loop is not None
    entries = []
    for _ in range(OUTER):
        entry = {"key": key, "iv": iv, source: text}

        def ask(iv: bytes, text: bytes, key: bytes = key) -> bytes:
            (got,) = session.ask([Message(key=key, text=text, iv=iv, decrypt=decrypt)])
            return got.text

        last, key, iv, text = loop(ask, key, iv, text, decrypt)
        entry[result] = last
        entries.append({name: data.hex().upper() for name, data in entry.items() if data})
    return {"tcId": test["tcId"], "resultsArray": entries}
