"""The command line: stable JSON, one sentence for every mistake, real files encrypted."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from roundsmith import catalogue
from roundsmith.base import paths
from roundsmith.flows import targets
from roundsmith.records import records
from roundsmith.reference import aes

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(sys.executable).with_name("roundsmith")
KEY = "000102030405060708090a0b0c0d0e0f"

#: A verification as it was stored before it had cycles.
OLD_RECORD = '{"name": "x", "target": null, "design_hash": "0", "blocks": 1, "tools": {}}'

LIST_KEYS = {
    "name",
    "cipher",
    "key_bits",
    "directions",
    "architecture",
    "port_width",
    "paper",
    "cycles_per_block",
    "latency_cycles",
    "core_latency_cycles",
    "key_setup_cycles",
    "key_setup_encrypt_cycles",
    "key_setup_decrypt_cycles",
    "key_schedule",
    "lanes",
    "tiles",
    "whole_latency_cycles",
    "blocks_in_flight",
    "simulated",
    "verified",
}
RECORD_KEYS = {
    "name",
    "target",
    "lut",
    "ff",
    "block_ram",
    "fmax_mhz",
    "fmax_capped_mhz",
    "cycles_per_block",
    "throughput_mbps",
    "mbps_per_klut",
    "area_ge",
    "cycle_ns",
    "mbps_per_kge",
    "flow",
    "design_hash",
    "tools",
    "seeds",
}


def run(*arguments: object, cwd: Path = ROOT, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [PROGRAM, *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=cwd,
        env={**os.environ, **env},
        check=False,
    )


def test_list() -> None:
    rows = json.loads(run("list", "--json").stdout)
    assert all(set(row) == LIST_KEYS for row in rows)
    assert [row["name"] for row in rows] == [spec.name for spec in catalogue.everything()]
    saggese = next(row for row in rows if row["name"] == "saggese-iterative")
    assert (saggese["latency_cycles"], saggese["cycles_per_block"]) == (11, 10)
    assert saggese["key_bits"] == [128] and saggese["directions"] == ["encrypt"]


def test_list_without_records_verifies_nothing(tmp_path: Path) -> None:
    rows = json.loads(run("list", "--json", ROUNDSMITH_RECORDS=str(tmp_path)).stdout)
    assert not any(row["verified"] or row["simulated"] for row in rows)


def test_list_takes_cycles_from_simulation(tmp_path: Path) -> None:
    """A record of the RTL as it is counts before the formulas; one of other RTL does not."""
    spec = catalogue.find("lutz-rijndael")
    record = records.Verification(
        name=spec.name,
        target=None,
        design_hash=records.design_hash(spec, None),
        blocks=1,
        latency_cycles=98,
        cycles_per_block=7.5,
        blocks_in_flight=9,
        key_setup_encrypt_cycles=4,
        key_setup_decrypt_cycles=76,
        tools={},
    )
    other = record.model_copy(update={"name": "satoh-1"})
    lines = (record.model_dump_json(), other.model_dump_json(), OLD_RECORD)
    (tmp_path / "verifications.jsonl").write_text("\n".join(lines) + "\n")
    rows = json.loads(run("list", "--json", ROUNDSMITH_RECORDS=str(tmp_path)).stdout)
    assert [row["name"] for row in rows if row["simulated"]] == ["lutz-rijndael"]
    row = next(row for row in rows if row["simulated"])
    assert (row["latency_cycles"], row["cycles_per_block"]) == (98, 7.5)
    assert row["blocks_in_flight"] == 9
    assert (row["key_setup_encrypt_cycles"], row["key_setup_decrypt_cycles"]) == (4, 76)
    table = run("list", ROUNDSMITH_RECORDS=str(tmp_path)).stdout
    line = next(line for line in table.splitlines() if line.startswith("lutz-rijndael "))
    words = line.split()
    assert all(
        w in words for w in ("7.5", "98", "9", "4/76", "encrypt/decrypt", "128", "simulated")
    )


def test_results() -> None:
    found = json.loads(run("results", "--json").stdout)
    assert found and all(set(record) >= RECORD_KEYS for record in found)
    table = run("results").stdout
    assert "saggese-iterative" in table and "LUT4" in table


def test_results_are_held_against_their_designs() -> None:
    found = {each["kind"]: each for each in json.loads(run("results", "--check", "--json").stdout)}
    assert "saggese-iterative on ecp5-85k:6" in found["measurements"]["true"]
    line = run("results", "--check").stdout.splitlines()[0]
    assert line.startswith(f"measurements: {found['measurements']['lines']} records; ")


def test_a_stored_measurement_is_not_made_again() -> None:
    answer = run("measure", "saggese-iterative", "--target", "ecp5-85k", "--json")
    assert answer.returncode == 0, answer.stderr
    (record,) = json.loads(answer.stdout)
    spec, target = catalogue.find("saggese-iterative"), targets.parse("ecp5-85k:6")
    assert record["design_hash"] == records.design_hash(spec, target)
    assert "mapping" not in answer.stderr


@pytest.mark.parametrize("size", [0, 1, 16, 1000])
def test_run_gives_what_openssl_gives(size: int, tmp_path: Path) -> None:
    message = bytes(i * 7 & 255 for i in range(size))
    (tmp_path / "in").write_bytes(message)
    arguments = ["--key", KEY, "--in", tmp_path / "in", "--out", tmp_path / "out"]
    answer = run("run", "saggese-iterative", *arguments)
    assert answer.returncode == 0, answer.stderr
    assert (tmp_path / "out").read_bytes() == aes.encrypt(bytes.fromhex(KEY), aes.pad(message))
    assert "cycles" in answer.stdout and "µs at" in answer.stdout


def test_run_decrypts_what_it_encrypted(tmp_path: Path) -> None:
    message = bytes(i * 11 & 255 for i in range(1000))
    (tmp_path / "in").write_bytes(message)
    there = ["--key", KEY, "--in", tmp_path / "in", "--out", tmp_path / "secret"]
    answer = run("run", "lutz-rijndael", *there)
    assert answer.returncode == 0, answer.stderr
    secret = (tmp_path / "secret").read_bytes()
    assert secret == aes.encrypt(bytes.fromhex(KEY), aes.pad(message))
    back = ["--decrypt", "--in", tmp_path / "secret", "--out", tmp_path / "back"]
    answer = run("run", "lutz-rijndael", "--key", KEY, *back)
    assert answer.returncode == 0, answer.stderr
    assert (tmp_path / "back").read_bytes() == message
    answer = run("run", "lutz-rijndael", "--key", "0" * 32, *back[:-1], tmp_path / "wrong")
    assert answer.returncode == 2
    said = [line for line in answer.stderr.splitlines() if not line.startswith("[")]
    assert len(said) == 1 and "does not decrypt under this key" in said[0]
    assert not (tmp_path / "wrong").exists()


def test_run_takes_any_key_length_built_in(tmp_path: Path) -> None:
    text = """
name = "long-keys"
[what]
key_bits = [192, 256]
"""
    (tmp_path / "core.toml").write_text(text)
    (tmp_path / "in").write_bytes(bytes(range(100)))
    arguments = ["--in", "in", "--out", "out"]
    for digits in (48, 64):
        key = (KEY * 2)[:digits]
        answer = run("run", "core.toml", "--key", key, *arguments, cwd=tmp_path)
        assert answer.returncode == 0, answer.stderr
        wanted = aes.encrypt(bytes.fromhex(key), aes.pad(bytes(range(100))))
        assert (tmp_path / "out").read_bytes() == wanted
    answer = run("run", "core.toml", "--key", KEY, *arguments, cwd=tmp_path)
    assert answer.returncode == 2
    assert "--key takes 48 or 64 hexadecimal digits" in answer.stderr


def test_build_from_a_file(tmp_path: Path) -> None:
    text = catalogue.find("iterative-table").to_toml().replace("iterative-table", "my-core")
    (tmp_path / "my.toml").write_text(text)
    answer = run("build", "my.toml", "-o", "out", cwd=tmp_path)
    assert answer.returncode == 0, answer.stderr
    assert (tmp_path / "out" / "my_core.sv").exists()


def test_doctor() -> None:
    answer = run("doctor")
    assert answer.returncode == 0
    assert all(name in answer.stdout for name in ("pyosys", "verilator", "g++", "perl"))


def test_doctor_without_a_compiler(tmp_path: Path) -> None:
    answer = run("doctor", PATH=str(tmp_path))
    assert answer.returncode == 2
    assert "apt-get install g++" in answer.stdout


def test_simulation_without_a_compiler(tmp_path: Path) -> None:
    (tmp_path / "in").write_text("x")
    arguments = ["--key", KEY, "--in", tmp_path / "in", "--out", tmp_path / "out"]
    cache = str(tmp_path / "cache")
    answer = run("run", "saggese-iterative", *arguments, PATH="/none", ROUNDSMITH_CACHE=cache)
    assert answer.returncode == 2
    assert "apt-get install perl g++ make" in answer.stderr
    assert not (tmp_path / "out").exists()


def test_clean(tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "x").write_bytes(bytes(1_000_000))
    answer = run("clean", ROUNDSMITH_CACHE=str(tmp_path / "cache"))
    assert "freed 1.0 MB" in answer.stdout
    assert not (tmp_path / "cache" / "x").exists()


MISTAKES = [
    (["build", "nope", "-o", "out"], "There is no core named 'nope'"),
    (["build", "sagese-iterative", "-o", "out"], "did you mean 'saggese-iterative'?"),
    (["build", "missing.toml", "-o", "out"], "cannot be read"),
    (["build", "broken.toml", "-o", "out"], "is not TOML"),
    (["build", "illegal.toml", "-o", "out"], "a loop needs a register"),
    (["build", "native.toml", "-o", "out"], "stands on the full port of the core"),
    (["build", "binary.toml", "-o", "out"], "cannot be read"),
    (["verify", "nope"], "There is no core named"),
    (["verify", "iterative-table", "--target", "virtex"], "'virtex' is no target; legal are"),
    (["measure", "iterative-table", "--target", "ecp5-1k"], "ECP5 has no size '1k'"),
    (["measure", "iterative-table", "--target", "mapped:xc9"], "No family 'xc9'"),
    (["measure", "iterative-table", "--target", "ecp5-85k:9"], "no speed grade '9'"),
    (["measure", "iterative-table", "--target", "asic:none.lib"], "names no file"),
    (["measure", "iterative-table", "--target", "asic:broken.toml"], "Liberty"),
    (["measure", "saggese-iterative", "--target", "asic:osu018"], "does not have"),
    (["run", "iterative-table", "--key", "12", "--in", "x", "--out", "y"], "32 hexadecimal"),
    (["run", "iterative-table", "--key", "g" * 32, "--in", "x", "--out", "y"], "hexadecimal"),
    (["run", "iterative-table", "--key", KEY, "--in", "x", "--out", "y"], "cannot be read"),
    (
        ["run", "iterative-table", "--key", KEY, "--in", "in", "--out", "no/y"],
        "is not there; make it",
    ),
    (["run", "iterative-table", "--key", KEY, "--in", "in", "--out", "."], "is a folder"),
    (
        ["run", "iterative-table", "--decrypt", "--key", KEY, "--in", "in", "--out", "y"],
        "does not decrypt",
    ),
    (
        ["run", "lutz-rijndael", "--decrypt", "--key", KEY, "--in", "in", "--out", "y"],
        "whole blocks of 16 bytes",
    ),
]


@pytest.mark.parametrize(("arguments", "sentence"), MISTAKES, ids=lambda v: " ".join(v[:2]))
def test_a_mistake_is_one_sentence(arguments: list[str], sentence: str, tmp_path: Path) -> None:
    (tmp_path / "broken.toml").write_text("name = ")
    (tmp_path / "illegal.toml").write_text('name = "x"\n[how]\ncuts = []\n')
    (tmp_path / "native.toml").write_text('name = "x"\n[what]\nmode = "cbc"\n')
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "in").write_text("message")
    before = sorted(tmp_path.rglob("*"))
    answer = run(*arguments, cwd=tmp_path)
    assert answer.returncode == 2
    said = [line for line in answer.stderr.splitlines() if not line.startswith("[")]
    assert len(said) == 1 and said[0].startswith("error: ") and sentence in said[0], said
    assert "Traceback" not in answer.stderr
    assert sorted(tmp_path.rglob("*")) == before


def test_a_broken_record_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "measurements.jsonl").write_text('{"name": 1}\n')
    answer = run("results", ROUNDSMITH_RECORDS=str(tmp_path))
    assert answer.returncode == 2
    assert "line 1, is not a record" in answer.stderr


def test_the_repository_has_its_records() -> None:
    assert (paths.DATA / "measured" / "measurements.jsonl").exists()
