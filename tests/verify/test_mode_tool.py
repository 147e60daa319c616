"""Modes in the tool: files against OpenSSL, specs, verification, export."""

import hashlib
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from roundsmith import catalogue, export
from roundsmith.base.errors import RoundsmithError, ToolError, VerificationFailed
from roundsmith.design import generate
from roundsmith.reference import openssl
from roundsmith.reference.messages import Question, Reply
from roundsmith.spec import Mode, Spec, mode_bus_rules, modes
from roundsmith.tools import iverilog
from roundsmith.verify import mode_verify
from tests.support.command import call
from tests.support.exported import resealed

LOOP = "aesany-both-loop1-table-stored-equiv-cr-slots4"
KEY = "2b7e151628aed2a6abf7158809cf4f3c"
IV = "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"
EVERY = [mode for mode in Mode if mode is not Mode.NONE]
MACS = {Mode.CMAC, Mode.CBC_MAC}
AEADS = {Mode.GCM, Mode.CCM, Mode.OCB}


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
        tag_bytes=max(modes.of(mode).tags, default=0),
    )
    spec = catalogue.find(core)
    model = modes.of(mode).openssl
    right = model(question) if model else modes.answer(question, spec.cipher.model.keyed)
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


#: CFB of 8 bits takes a block for a byte.
SLOW = {Mode.CFB8}


@pytest.mark.parametrize(
    "mode", [pytest.param(m, marks=pytest.mark.long if m in SLOW else ()) for m in EVERY]
)
def test_a_mebibyte_there_and_back(mode: Mode, tmp_path: Path) -> None:
    through(mode, hashlib.shake_256(b"mebibyte").digest(1 << 20), tmp_path)


def test_gmac_is_gcm_without_a_text(tmp_path: Path) -> None:
    """A tag of associated data alone, made and verified; one bit of the data more is noticed."""
    text, aad, out = (tmp_path / name for name in ("text", "aad", "out"))
    text.write_bytes(b"")
    data = hashlib.shake_256(b"gmac").digest(5003)
    aad.write_bytes(data)
    given = ["run", LOOP, "--mode", "gcm", "--key", KEY, "--iv", IV[:24], "--in", text]
    given += ["--aad", aad, "--out", out]
    question = Question("gcm", bytes.fromhex(KEY), b"", bytes.fromhex(IV[:24]), data)
    right = openssl.gcm(question).tag.hex()
    assert f"tag {right}" in call(*given)
    assert out.read_bytes() == b""
    out.unlink()
    assert "the tag is right" in call(*given, "--decrypt", "--tag", right)
    out.unlink()
    aad.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    with pytest.raises(RoundsmithError, match="The tag is wrong"):
        call(*given, "--decrypt", "--tag", right)
    assert not out.exists()


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
    assert "rsm_mode_gcm_oneblock #(" in generate.top_text(spec)
    files = [path.name for path in generate.design(spec).library]
    assert "rsm_ghash_step.sv" in files and "rsm_mode_ctr.sv" not in files


def test_a_mode_is_verified(own_records: Path) -> None:
    spec = catalogue.find(LOOP).with_mode(Mode.CTR)
    (record,) = mode_verify.verify(spec, None, seed=5)
    assert record.name == spec.name and record.blocks > 1000


def test_a_wrong_answer_is_noticed(own_records: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = catalogue.find(LOOP).with_mode(Mode.CTR)

    def other(question: Question) -> Reply:
        made = openssl.ctr(question)
        return Reply(made.text[:-1] + b"?", made.tag, made.right)

    monkeypatch.setitem(modes._BY_WORD, "ctr", replace(modes.of("ctr"), openssl=other))
    with pytest.raises(VerificationFailed, match="gives the text"):
        mode_verify.verify(spec, None, seed=5)


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
    (tmp_path / "changed.hex").write_text(resealed(lines))
    with pytest.raises(ToolError, match=r"[1-9]\d* passed, 1 failed"):
        iverilog.run(program, cwd=folder, arguments=[f"+vectors={tmp_path / 'changed.hex'}"])


def test_the_datasheet_names_the_port(tmp_path: Path) -> None:
    spec = catalogue.find("iterative-lut4-gcm")
    export.write(spec, tmp_path / "core")
    text = (tmp_path / "core" / f"{spec.module}.md").read_text()
    for port in generate.ports(spec):
        assert f"| `{port.name}` |" in text
    assert "GHASH | 1 multiplier of 13 bits a cycle" in text


def test_the_spec_in_the_documentation_is_legal() -> None:
    text = (Path(__file__).parents[2] / "docs/modes.md").read_text()
    (block,) = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    spec = Spec.from_toml(block)
    assert mode_bus_rules.mode_parameters(spec)["Lanes"] == "4"
    documented = set(re.findall(r"^\| `(\w+)`(?:, `(\w+)`)? \|", text, re.MULTILINE))
    names = {name for pair in documented for name in pair if name}
    assert {str(mode) for mode in EVERY} <= names
