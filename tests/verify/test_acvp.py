"""ACVP vector sets, answered by a core: NIST's own samples, and sets against OpenSSL."""

import hashlib
import json
import secrets
from pathlib import Path
from typing import Any

import pytest

from roundsmith.base.errors import RoundsmithError
from roundsmith.reference.messages import Question, Reply
from roundsmith.spec import Mode, modes
from roundsmith.verify import acvp
from tests.support.command import call

#: Samples of NIST's ACVP server (json-files of its gen-val): a few tests of each kind of group
#: with the answers that it expects.
SAMPLES = Path(__file__).parent / "acvp"

LOOP = "aesany-both-loop1-table-stored-equiv-cr-slots4"


def openssl(question: Question) -> Reply:
    model = modes.of(question.mode).openssl
    assert model is not None
    return model(question)


AEADS = {Mode.GCM, Mode.CCM, Mode.OCB}


def group_of(mode: Mode, name: str, decrypt: bool, first: int) -> tuple[list[Any], list[Any]]:
    """Return tests as NIST's server writes them, and the right answers, of OpenSSL."""
    asked, right = [], []
    for number in range(first, first + 5):
        data = hashlib.shake_256(f"{name} {number}".encode()).digest(200)
        core_key = data[: 32 if mode is Mode.XTS else 16]
        size = 16 * (number % 3 + 1) + (0 if mode in {Mode.ECB, Mode.CBC} else number % 5)
        iv = {Mode.GCM: data[32:44], Mode.CCM: data[32:45], Mode.ECB: b""}.get(mode, data[32:48])
        aad = data[48:61] if mode in AEADS else b""
        text = b"" if name == "ACVP-AES-GMAC" else data[61 : 61 + size]
        tag_bytes = 16 if modes.of(mode).tags else 0
        iv = b"" if mode is Mode.CMAC else iv
        question = Question(str(mode), core_key, text, iv, aad, tag_bytes=tag_bytes)
        made = openssl(question)
        cipher, tag = made.text, made.tag
        wrong = decrypt and bool(tag) and number % 2 == 0
        shown = bytes([tag[0] ^ 1]) + tag[1:] if wrong else tag
        test: dict[str, Any] = {"tcId": number, "key": core_key.hex().upper()}
        answer: dict[str, Any] = {"tcId": number}
        if mode is Mode.CMAC:
            test["message"] = text.hex()
            if decrypt:
                test["mac"] = shown.hex()
                answer["testPassed"] = not wrong
            else:
                answer["mac"] = tag.hex().upper()
        else:
            joined = mode is Mode.CCM
            source = (cipher + shown if joined else cipher) if decrypt else text
            if name != "ACVP-AES-GMAC":
                test["ct" if decrypt else "pt"] = source.hex()
            test["tweakValue" if mode is Mode.XTS else "iv"] = iv.hex()
            if aad:
                test["aad"] = aad.hex()
            if decrypt and tag and not joined:
                test["tag"] = shown.hex()
            if decrypt and (wrong or name == "ACVP-AES-GMAC"):
                answer["testPassed"] = not wrong
            elif decrypt:
                answer["pt"] = text.hex().upper()
            elif name == "ACVP-AES-GMAC":
                answer["tag"] = tag.hex().upper()
            else:
                answer["ct"] = (cipher + tag if joined else cipher).hex().upper()
                if mode is Mode.GCM:
                    answer["tag"] = tag.hex().upper()
        if mode is Mode.ECB:
            del test["iv"]
        asked.append(test)
        right.append(answer)
    return asked, right


@pytest.mark.parametrize("name", acvp.ALGORITHMS)
def test_a_vector_set_is_answered(name: str, tmp_path: Path) -> None:
    mode = Mode(acvp.ALGORITHMS[name].word)
    groups, right = [], []
    for number, decrypt in enumerate((False, True)):
        ways = ("gen", "ver") if mode is Mode.CMAC else ("encrypt", "decrypt")
        asked, answers = group_of(mode, name, decrypt, 1 + 10 * number)
        group = {"tgId": number, "testType": "AFT", "direction": ways[decrypt], "keyLen": 128}
        if modes.of(mode).tags:
            group |= {"macLen" if mode is Mode.CMAC else "tagLen": 128}
        groups.append(group | {"tests": asked})
        right.append({"tgId": number, "tests": answers})
    given = {"vsId": 7, "algorithm": name, "revision": "1.0", "testGroups": groups}
    prompt, out = tmp_path / "prompt.json", tmp_path / "answers.json"
    prompt.write_text(json.dumps([{"acvVersion": "1.0"}, given]))
    printed = call("verify", LOOP, "--acvp", prompt, "--out", out)
    assert f"10 tests of {name} answered" in printed
    version, found = json.loads(out.read_text())
    assert version == {"acvVersion": "1.0"}
    assert found["vsId"] == 7 and found["algorithm"] == name
    assert found["testGroups"] == right


def answered(given: dict[str, Any], folder: Path) -> tuple[str, dict[str, Any]]:
    """Return what is printed of a set, and the answers."""
    prompt, out = folder / "prompt.json", folder / "answers.json"
    prompt.write_text(json.dumps(given))
    printed = call("verify", LOOP, "--acvp", prompt, "--out", out)
    return printed, json.loads(out.read_text())


@pytest.mark.parametrize("path", sorted(SAMPLES.iterdir()), ids=lambda path: path.stem)
def test_samples_of_nist(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Answers byte for byte those of NIST, whose IVs stand in for ours."""
    sample = json.loads(path.read_text())
    tests = [test for group in sample["answers"]["testGroups"] for test in group["tests"]]
    ivs = iter([bytes.fromhex(test["iv"]) for test in tests if "iv" in test])
    monkeypatch.setattr(secrets, "token_bytes", lambda count: next(ivs)[:count])
    printed, found = answered(sample["prompt"], tmp_path)
    assert found == sample["answers"]
    assert "left out" not in printed
    assert next(ivs, None) is None


def counters(text: bytes, key: bytes, cipher: bytes) -> list[int]:
    """Return the counter blocks under a text, as the server finds them."""
    masks = bytes(a ^ b for a, b in zip(text, cipher, strict=True))
    blocks = openssl(Question("ecb", key, masks, decrypt=True)).text
    return [int.from_bytes(blocks[i : i + 16], "big") for i in range(0, len(blocks), 16)]


@pytest.mark.parametrize("decrypt", [False, True])
def test_a_test_of_the_counter(decrypt: bool, tmp_path: Path) -> None:
    """A thousand blocks with an IV of ours, which counts up by one and is not in the answer."""
    key, text = bytes(range(16)), hashlib.shake_256(b"counter").digest(16000)
    source, result = ("ct", "pt") if decrypt else ("pt", "ct")
    group = {"tgId": 1, "testType": "CTR", "keyLen": 128, "incremental": True, "overflow": False}
    group["direction"] = "decrypt" if decrypt else "encrypt"
    group["tests"] = [{"tcId": 1, "key": key.hex(), source: text.hex()}]
    given = {"vsId": 1, "algorithm": "ACVP-AES-CTR", "testGroups": [group]}
    _, found = answered(given, tmp_path)
    (answer,) = found["testGroups"][0]["tests"]
    assert set(answer) == {"tcId", result}
    blocks = counters(text, key, bytes.fromhex(answer[result]))
    assert blocks == list(range(blocks[0], blocks[0] + 1000))


@pytest.mark.parametrize("decrypt", [False, True])
@pytest.mark.parametrize("tweak", ["hex", "number"])
def test_data_units_of_xts(tweak: str, decrypt: bool, tmp_path: Path) -> None:
    """Each data unit under the tweak after the one before, against OpenSSL unit by unit."""
    source, result = ("ct", "pt") if decrypt else ("pt", "ct")
    tests, right = [], []
    # Whole units and half a one; units that steal; one unit, shorter than it might be.
    for number, (size, unit) in enumerate([(112, 32), (71, 50), (48, 48), (40, 64)]):
        data = hashlib.shake_256(f"units {number}".encode()).digest(48 + size)
        key, text = data[:32], data[48:]
        # A carry out of the first byte, and out of all of them.
        first = 255 if tweak == "number" else (1 << 128) - 1 - number % 2
        test = {"tcId": number, "key": key.hex(), source: text.hex()}
        test |= {"payloadLen": 8 * size, "dataUnitLen": 8 * unit}
        if tweak == "number":
            test["sequenceNumber"] = first
        else:
            test["tweakValue"] = first.to_bytes(16, "little").hex()
        tests.append(test)
        answer = b""
        for place, start in enumerate(range(0, size, unit)):
            iv = ((first + place) % (1 << 128)).to_bytes(16, "little")
            part = text[start : start + unit]
            answer += openssl(Question("xts", key, part, iv, decrypt=decrypt)).text
        right.append({"tcId": number, result: answer.hex().upper()})
    group = {"tgId": 1, "testType": "AFT", "keyLen": 128, "tweakMode": tweak, "tests": tests}
    group["direction"] = "decrypt" if decrypt else "encrypt"
    given = {"vsId": 1, "algorithm": "ACVP-AES-XTS", "revision": "2.0", "testGroups": [group]}
    _, found = answered(given, tmp_path)
    assert found["testGroups"] == [{"tgId": 1, "tests": right}]


#: Groups that cannot be answered: what they have in place of a group of one block, and why.
LEFT_OUT = [
    ("ACVP-AES-CTR", {"testType": "CTR", "overflow": True}, {}, "the counter overflows"),
    ("ACVP-AES-CTR", {"testType": "ctr", "incremental": False}, {}, "the counter counts down"),
    ("ACVP-AES-CTR", {"testType": "MCT"}, {}, "mode 'ctr' has no Monte Carlo test"),
    ("ACVP-AES-CTR", {"testType": "VOT"}, {}, "tests of the type 'VOT' are not known here"),
    ("ACVP-AES-CTR", {"keyLen": 512}, {}, "keys have 512 bits"),
    ("ACVP-AES-GCM", {"payloadLen": 127, "tagLen": 128}, {}, "payloadLen is 127 bits, and mode"),
    ("ACVP-AES-GCM", {"ivLen": 90}, {}, "ivLen is 90 bits, and mode 'gcm' takes whole bytes"),
    ("ACVP-AES-GCM", {"tagLen": 72}, {}, "tags have 72 bits, and those of mode 'gcm' 32, 64, 96,"),
    ("CMAC-AES", {"macLen": 37}, {}, "macLen is 37 bits, and mode 'cmac' takes whole bytes here"),
    ("ACVP-AES-XTS", {}, {"payloadLen": 237}, "payloadLen is 237 bits, and mode 'xts' takes"),
    (
        "ACVP-AES-XTS",
        {},
        {"payloadLen": 136, "dataUnitLen": 128},
        "the last data unit has 8 bits, and XTS begins at a block of 128",
    ),
]


def one_block(name: str, number: int, group: dict[str, Any], test: dict[str, Any]) -> Any:
    """Return a group with a test of one block, changed by `group` and `test`."""
    key = bytes(range(32 if name == "ACVP-AES-XTS" else 16)).hex()
    text = {"message" if name == "CMAC-AES" else "pt": "00" * 32}
    iv = {"tweakValue" if name == "ACVP-AES-XTS" else "iv": "01" * 16}
    made = {"tgId": number, "testType": "AFT", "direction": "encrypt", "keyLen": 128} | group
    return made | {"tests": [{"tcId": number, "key": key} | text | iv | test]}


@pytest.mark.parametrize(("name", "group", "test", "sentence"), LEFT_OUT)
def test_what_cannot_be_answered_is_named(
    name: str, group: dict[str, Any], test: dict[str, Any], sentence: str, tmp_path: Path
) -> None:
    given: dict[str, Any] = {"vsId": 1, "algorithm": name}
    given["testGroups"] = [one_block(name, 1, {}, {}), one_block(name, 2, group, test)]
    printed, found = answered(given, tmp_path)
    assert f"left out: group 2: {sentence}" in printed
    assert f"1 tests of {name} answered" in printed
    assert [group["tgId"] for group in found["testGroups"]] == [1]
    given["testGroups"] = given["testGroups"][1:]
    with pytest.raises(RoundsmithError, match="has nothing that can be answered"):
        answered(given, tmp_path)


def test_a_group_may_be_empty_and_a_file_have_a_mark(tmp_path: Path) -> None:
    """As servers and editors write them: `null` for no tests, a byte order mark before all."""
    name = "ACVP-AES-CTR"
    given: dict[str, Any] = {"vsId": 1, "algorithm": name}
    empty = one_block(name, 2, {}, {}) | {"tests": None}
    given["testGroups"] = [one_block(name, 1, {}, {}), empty]
    prompt, out = tmp_path / "prompt.json", tmp_path / "answers.json"
    prompt.write_text(json.dumps(given), encoding="utf-8-sig")
    assert f"1 tests of {name} answered" in call("verify", LOOP, "--acvp", prompt, "--out", out)
    found = json.loads(out.read_text())["testGroups"]
    assert [len(group["tests"]) for group in found] == [1, 0]


#: Neighbours in NIST's Monte Carlo answers (decryptions, the samples of its ACVP server): key, IV,
#: ciphertext and plaintext of an iteration, then key, IV and ciphertext of the next one.
CHAINS = {
    Mode.CBC: """
        E47E4DF0D3FC2BC9C7D62BD14F213145C7224E69352ED760 31DBA97125FEEB663C0811D94C523ADC
        1B953184CB38C0171C2C436729AA1537 A2305613A998F6A18235A0FE4F5C0102
        4DB206C4E08FBBB865E67DC2E6B9C7E44517EE977A72D662 A2305613A998F6A18235A0FE4F5C0102
        19A0A44489DB9847A9CC4B3433739071""",
    Mode.OFB: """
        2D9D17D3A6F50DB602248952621AE1652FE6EE959F66941A 5D0B147E949ED3856252018C0D442E2E
        7E22E9B2072754E1ADD2051C2B3DD08C F8414FF25FEA7E6FB76A7755B7DC4D44
        656FE5842A7B6324FA65C6A03DF09F0A988C99C028BAD95E F8414FF25FEA7E6FB76A7755B7DC4D44
        946CC16A8C27A9EB48F2F2578C8E6E92""",
    Mode.CFB8: """
        B0E082E675C9A3E8B494B7BEEE18EA249F7659068D96CE3C1C195E61E87987E7
        493FFBA340A719BD6426D7FDCA2F1FF4 04 E4
        73F5DACE5AC109AE7E3E5F39D3DF515C04131E7B2EB8B05911F1DFCAFEE45F03
        9B65477DA32E7E650DE881AB169DD8E4 78""",
}


@pytest.mark.parametrize("mode", CHAINS)
def test_monte_carlo_loops_are_those_of_nist(mode: Mode) -> None:
    key, iv, text, *right = (bytes.fromhex(word) for word in CHAINS[mode].split())

    def ask(iv: bytes, text: bytes) -> bytes:
        return openssl(Question(str(mode), key, text, iv, decrypt=True)).text

    loop = modes.of(mode).acvp.loop
    assert loop is not None and loop(ask, key, iv, text, True) == tuple(right)


@pytest.mark.parametrize(("name", "decrypt"), [("ACVP-AES-CBC", True), ("ACVP-AES-CFB8", False)])
def test_a_monte_carlo_test_on_the_core(
    name: str, decrypt: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two outer loops, against the same loops with OpenSSL."""
    monkeypatch.setattr(acvp, "OUTER", 2)
    mode = Mode(acvp.ALGORITHMS[name].word)
    size = 1 if mode is Mode.CFB8 else 16
    key, iv, text = bytes(range(16)), bytes(range(16, 32)), bytes(range(32, 32 + size))
    source, result = ("ct", "pt") if decrypt else ("pt", "ct")
    test = {"tcId": 1, "key": key.hex(), "iv": iv.hex(), source: text.hex()}
    group = {"tgId": 1, "testType": "MCT", "keyLen": 128, "tests": [test]}
    group["direction"] = "decrypt" if decrypt else "encrypt"
    prompt, out = tmp_path / "prompt.json", tmp_path / "answers.json"
    prompt.write_text(json.dumps({"vsId": 1, "algorithm": name, "testGroups": [group]}))
    call("verify", LOOP, "--acvp", prompt, "--out", out)
    loop = modes.of(mode).acvp.loop
    assert loop is not None
    entries = json.loads(out.read_text())["testGroups"][0]["tests"][0]["resultsArray"]
    assert len(entries) == 2
    for entry in entries:
        assert entry == {
            "key": key.hex().upper(),
            "iv": iv.hex().upper(),
            source: text.hex().upper(),
            result: entry[result],
        }

        def ask(iv: bytes, text: bytes, key: bytes = key) -> bytes:
            return openssl(Question(str(mode), key, text, iv, decrypt=decrypt)).text

        last, key, iv, text = loop(ask, key, iv, text, decrypt)
        assert entry[result] == last.hex().upper()


ONE = '{"algorithm": "ACVP-AES-CTR", "testGroups": [{"tgId": 1, "keyLen": 128, "tests": %s}]}'

TEST = '[{"tcId": 1, "key": "000102030405060708090a0b0c0d0e0f", "pt": "00"}]'

SETS = [
    ("{", "is not JSON"),
    ("{}", "is no ACVP vector set: it has no testGroups"),
    ('{"algorithm": "SHA2-256", "testGroups": []}', "is a set for 'SHA2-256'; known here are"),
    (
        '{"algorithm": "ACVP-AES-CTR", "testGroups": [{"tgId": 3, "keyLen": 512, "tests": []}]}',
        "group 3: keys have 512 bits",
    ),
    (ONE % '[{"tcId": 1}]', "a test has no tcId or not the key of its group"),
    (ONE % "3", "group 1: it has no tgId or no tests"),
    # What asks nothing is not answered.
    ('{"algorithm": "ACVP-AES-CTR", "testGroups": []}', "None of its groups has a test"),
    (ONE % "[]", "has nothing that can be answered. None of its groups has a test"),
    (ONE % "null", "has nothing that can be answered. None of its groups has a test"),
    (
        ONE % TEST.replace("}", ', "payloadLen": "x"}'),
        "payloadLen of a test or a group is no number",
    ),
    (ONE % TEST.replace("}", ', "payloadLen": 9}'), "pt has 8 bits, and payloadLen says 9"),
    (ONE % TEST, "test 1 has no IV"),
]


@pytest.mark.parametrize(("text", "sentence"), SETS)
def test_a_bad_vector_set_gets_a_sentence(text: str, sentence: str, tmp_path: Path) -> None:
    prompt = tmp_path / "prompt.json"
    prompt.write_text(text)
    with pytest.raises(RoundsmithError, match=sentence):
        call("verify", LOOP, "--acvp", prompt, "--out", tmp_path / "answers.json")
