"""Modes in the tool: files against OpenSSL, ACVP vector sets, specs, verification, export."""

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from roundsmith import acvp, catalogue, export, generate, mode_verify
from roundsmith.cli import app
from roundsmith.errors import RoundsmithError, ToolError, VerificationFailed
from roundsmith.message_checks import keyed
from roundsmith.reference import modes as reference
from roundsmith.reference.modes import Question, openssl
from roundsmith.spec import Mode, Spec, modes
from roundsmith.tools import iverilog

LOOP = "aesany-both-loop1-table-stored-equiv-cr-slots4"
KEY = "2b7e151628aed2a6abf7158809cf4f3c"
IV = "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"
EVERY = [mode for mode in Mode if mode is not Mode.NONE]
MACS = {Mode.CMAC, Mode.CBC_MAC}
AEADS = {Mode.GCM, Mode.CCM, Mode.OCB}


def call(*words: object) -> str:
    """Run a command and return what it prints; RoundsmithError passes through."""
    answer = CliRunner().invoke(app, [str(word) for word in words])
    if answer.exception is not None and not isinstance(answer.exception, SystemExit):
        raise answer.exception
    assert answer.exit_code == 0, answer.output
    return answer.output


def setting(mode: Mode) -> tuple[str, str, str, bool]:
    """Return core, key and IV for a mode, and whether it has associated data."""
    iv = {Mode.GCM: IV[:24], Mode.CCM: IV[:24], Mode.OCB: IV[:24], Mode.ECB: ""}.get(mode, IV)
    iv = "" if mode in MACS else iv
    if mode is Mode.XTS:
        return LOOP, KEY + KEY[::-1], iv, False
    return LOOP, KEY, iv, mode in AEADS


def through(mode: Mode, text: bytes, folder: Path) -> None:
    """Send `text` there and back, with the command line, and compare with OpenSSL."""
    core, key, iv, has_aad = setting(mode)
    plain, there, back, aad = (folder / name for name in ("plain", "there", "back", "aad"))
    plain.write_bytes(text)
    aad.write_bytes(b"beside it" * 7)
    options = ["--mode", mode, "--key", key]
    options += ["--iv", iv] if iv else []
    options += ["--aad", aad] if has_aad else []
    out = [] if mode in MACS else ["--out", there]
    printed = call("run", core, *options, "--in", plain, *out)
    padded = text
    if mode in {Mode.ECB, Mode.CBC}:
        size = 16 - len(text) % 16
        padded += bytes([size]) * size
    question = Question(
        str(mode),
        bytes.fromhex(key),
        padded,
        bytes.fromhex(iv),
        aad.read_bytes() if has_aad else b"",
        tag_bytes=max(modes.TRAITS[mode].tags, default=0),
    )
    spec = catalogue.find(core)
    right = (
        openssl(question)
        if str(mode) in reference.OPENSSL
        else reference.answer(question, keyed(spec))
    )
    if right.tag:
        assert f"tag {right.tag.hex()}" in printed
        options += ["--tag", right.tag.hex()]
    if mode not in MACS:
        assert there.read_bytes() == right.text
        out = ["--out", back]
    source = plain if mode in MACS else there
    printed = call("run", core, *options, "--decrypt", "--in", source, *out)
    assert mode in MACS or back.read_bytes() == text
    assert ("the tag is right" in printed) == bool(right.tag)


@pytest.mark.parametrize("mode", EVERY)
def test_a_file_there_and_back(mode: Mode, tmp_path: Path) -> None:
    size = 4096 if mode is Mode.CBC_MAC else 5003
    through(mode, hashlib.shake_256(b"file").digest(size), tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("mode", EVERY)
def test_a_mebibyte_there_and_back(mode: Mode, tmp_path: Path) -> None:
    through(mode, hashlib.shake_256(b"mebibyte").digest(1 << 20), tmp_path)


def test_a_wrong_tag_writes_nothing(tmp_path: Path) -> None:
    source, out = tmp_path / "in", tmp_path / "out"
    source.write_bytes(b"x" * 40)
    options = ["--mode", "gcm", "--key", KEY, "--iv", IV[:24], "--in", source, "--out", out]
    with pytest.raises(RoundsmithError, match=r"The tag is wrong: .* nothing was written"):
        call("run", LOOP, *options, "--decrypt", "--tag", "00" * 16)
    assert not out.exists()


BAD = [
    (["--mode", "gmc"], "--mode is one of ecb, cbc, .* not 'gmc'"),
    (["--mode", "cbc"], "--iv takes 32 hexadecimal digits in mode 'cbc', not 0"),
    (["--mode", "ctr", "--iv", "xy"], "--iv takes an even number of hexadecimal digits"),
    (["--mode", "ecb", "--iv", IV], "--iv takes none in mode 'ecb'"),
    (["--mode", "ctr", "--iv", IV, "--tag", "00"], "mode 'ctr' has no tag"),
    (["--mode", "cbc", "--iv", IV, "--aad", "x"], "mode 'cbc' has no associated data"),
    (["--mode", "gcm", "--iv", IV[:24], "--decrypt"], "--decrypt takes --tag"),
    (["--mode", "gcm", "--iv", IV[:24], "--tag", "00"], "--tag is verified, with --decrypt"),
    (["--mode", "gcm", "--iv", IV[:24], "--tag-bytes", "5"], "has one of 4, 8, 12, 13"),
    (["--mode", "cmac"], "gives a tag and no text; leave --out out"),
    (["--mode", "cbc", "--iv", IV, "--nopad"], "takes whole blocks of 16 bytes"),
    (["--iv", IV], "belong to --mode"),
]


@pytest.mark.parametrize(("options", "sentence"), BAD, ids=lambda x: str(x)[:30])
def test_bad_options_get_a_sentence(options: list[str], sentence: str, tmp_path: Path) -> None:
    source = tmp_path / "in"
    source.write_bytes(b"x" * 17)
    given = ["run", LOOP, "--key", KEY, "--in", source, "--out", tmp_path / "out", *options]
    with pytest.raises(RoundsmithError, match=sentence):
        call(*given)


ILLEGAL = [
    ({"what": {"mode": "ctr"}}, "mode 'ctr' stands on the full port of the core"),
    (
        {"what": {"mode": "ctr"}, "port": {"tag_bits": 3}},
        "mode 'ctr' has messages in place of single blocks: tag_bits must be 0",
    ),
    ({"what": {"mode": "xts"}}, "mode 'xts' has 2 keys for a message"),
    ({"what": {"mode": "cbc"}, "how": {"ghash_bits": 8}}, "ghash_bits belongs to mode 'gcm'"),
    ({"what": {"mode": "gcm"}, "how": {"counter_bits": 8}}, "counter_bits belongs to mode 'ctr'"),
    (
        {"what": {"mode": "ctr", "directions": ["decrypt"]}},
        "mode 'ctr' encrypts blocks even to decrypt a message",
    ),
]


@pytest.mark.parametrize(("changes", "sentence"), ILLEGAL)
def test_illegal_specs_get_a_sentence(changes: dict[str, Any], sentence: str) -> None:
    port = {"flow": "held", "key_channel": "held"}
    if sentence.endswith("full port of the core"):
        port = {}
    data = {"name": "x", "what": changes["what"], "how": changes.get("how", {})}
    data["port"] = port | changes.get("port", {})
    with pytest.raises(RoundsmithError, match=sentence):
        Spec.from_data(data)


def test_a_name_with_a_mode_is_that_core() -> None:
    spec = catalogue.find("iterative-lut4-gcm")
    assert spec == catalogue.find("iterative-lut4").with_mode(Mode.GCM)
    assert spec == Spec.from_toml(spec.to_toml())
    assert catalogue.command(spec) == "roundsmith build iterative-lut4-gcm"
    assert catalogue.find(f"{LOOP}-cbc-mac").what.mode is Mode.CBC_MAC
    assert "rsm_mode_gcm #(" in generate.top_text(spec)
    files = [path.name for path in generate.design(spec).library]
    assert "rsm_ghash.sv" in files and "rsm_mode_ctr.sv" not in files


def test_a_mode_is_verified(own_records: Path) -> None:
    spec = catalogue.find(LOOP).with_mode(Mode.CTR)
    (record,) = mode_verify.verify(spec, None, seed=5)
    assert record.name == spec.name and record.blocks > 1000


def test_a_wrong_answer_is_noticed(own_records: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = catalogue.find(LOOP).with_mode(Mode.CTR)

    def other(question: Question) -> reference.Reply:
        made = openssl(question)
        return reference.Reply(made.text[:-1] + b"?", made.tag, made.right)

    monkeypatch.setattr(reference, "openssl", other)
    with pytest.raises(VerificationFailed, match="gives the text"):
        mode_verify.verify(spec, None, seed=5)


# --- ACVP --------------------------------------------------------------------------------------


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
        tag_bytes = 16 if modes.TRAITS[mode].tags else 0
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
    mode = acvp.ALGORITHMS[name]
    groups, right = [], []
    for number, decrypt in enumerate((False, True)):
        ways = ("gen", "ver") if mode is Mode.CMAC else ("encrypt", "decrypt")
        asked, answers = group_of(mode, name, decrypt, 1 + 10 * number)
        group = {"tgId": number, "testType": "AFT", "direction": ways[decrypt], "keyLen": 128}
        if modes.TRAITS[mode].tags:
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

    assert acvp._LOOPS[mode](ask, key, iv, text, True) == tuple(right)


@pytest.mark.parametrize(("name", "decrypt"), [("ACVP-AES-CBC", True), ("ACVP-AES-CFB8", False)])
def test_a_monte_carlo_test_on_the_core(
    name: str, decrypt: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two outer loops, against the same loops with OpenSSL."""
    monkeypatch.setattr(acvp, "OUTER", 2)
    mode = acvp.ALGORITHMS[name]
    size = 1 if mode is Mode.CFB8 else 16
    key, iv, text = bytes(range(16)), bytes(range(16, 32)), bytes(range(32, 32 + size))
    source, result = ("ct", "pt") if decrypt else ("pt", "ct")
    test = {"tcId": 1, "key": key.hex(), "iv": iv.hex(), source: text.hex()}
    group = {"tgId": 1, "testType": "MCT", "keyLen": 128, "tests": [test]}
    group["direction"] = "decrypt" if decrypt else "encrypt"
    prompt, out = tmp_path / "prompt.json", tmp_path / "answers.json"
    prompt.write_text(json.dumps({"vsId": 1, "algorithm": name, "testGroups": [group]}))
    call("verify", LOOP, "--acvp", prompt, "--out", out)
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

        last, key, iv, text = acvp._LOOPS[mode](ask, key, iv, text, decrypt)
        assert entry[result] == last.hex().upper()


SETS = [
    ("{", "is not JSON"),
    ("{}", "is no ACVP vector set: it has no testGroups"),
    ('{"algorithm": "SHA2-256", "testGroups": []}', "is a set for 'SHA2-256'; known here are"),
    (
        '{"algorithm": "ACVP-AES-CTR", "testGroups": [{"tgId": 3, "keyLen": 512, "tests": []}]}',
        "group 3: keys have 512 bits",
    ),
    (
        '{"algorithm": "ACVP-AES-CTR", "testGroups": [{"keyLen": 128, "tests": [{"tcId": 1}]}]}',
        "a test has no tcId or not the key of its group",
    ),
]


@pytest.mark.parametrize(("text", "sentence"), SETS)
def test_a_bad_vector_set_gets_a_sentence(text: str, sentence: str, tmp_path: Path) -> None:
    prompt = tmp_path / "prompt.json"
    prompt.write_text(text)
    with pytest.raises(RoundsmithError, match=sentence):
        call("verify", LOOP, "--acvp", prompt, "--out", tmp_path / "answers.json")


#: The benches that run within two seconds, and with GCM and XTS one of each kind of message.
QUICK = {Mode.CFB8, Mode.CBC_MAC, Mode.CMAC, Mode.GCM, Mode.XTS}


@pytest.mark.parametrize(
    "mode", [pytest.param(m, marks=() if m in QUICK else pytest.mark.long) for m in EVERY]
)
def test_the_exported_bench_passes(mode: Mode, tmp_path: Path) -> None:
    spec = catalogue.find(LOOP).with_mode(mode)
    folder = tmp_path / "core"
    export.write(spec, folder)
    bench = folder / f"tb/{spec.module}_tb.v"
    program = iverilog.build(
        [folder / f"{spec.module}.v", bench], tmp_path / "bench.vvp", top=f"{spec.module}_tb"
    )
    last = iverilog.run(program, cwd=folder).splitlines()[-1]
    passed, failed = map(int, re.findall(r"\d+", last))
    assert passed >= 24 and failed == 0
    # A bench that cannot fail says nothing.
    vectors = (folder / "tb/vectors.hex").read_text()
    lines = vectors.splitlines()
    number = next(i for i, line in enumerate(lines) if line.startswith("3"))
    lines[number] = lines[number][:-1] + ("1" if lines[number][-1] == "0" else "0")
    changed = "\n".join(lines) + "\n"
    (tmp_path / "changed.hex").write_text(changed)
    with pytest.raises(ToolError):
        iverilog.run(program, cwd=folder, arguments=[f"+vectors={tmp_path / 'changed.hex'}"])


def test_the_datasheet_names_the_port(tmp_path: Path) -> None:
    spec = catalogue.find("iterative-lut4-gcm")
    export.write(spec, tmp_path / "core")
    text = (tmp_path / "core" / f"{spec.module}.md").read_text()
    for port in generate.ports(spec):
        assert f"| `{port.name}` |" in text
    assert "GHASH | 1 multiplier of 13 bits a cycle" in text


def test_the_spec_in_the_documentation_is_legal() -> None:
    text = (Path(__file__).parents[1] / "docs/modes.md").read_text()
    (block,) = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    spec = Spec.from_toml(block)
    assert modes.parameters(spec)["Lanes"] == "4"
    documented = set(re.findall(r"^\| `(\w+)`(?:, `(\w+)`)? \|", text, re.MULTILINE))
    names = {name for pair in documented for name in pair if name}
    assert {str(mode) for mode in EVERY} <= names
