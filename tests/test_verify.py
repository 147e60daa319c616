"""Verification passes on every core, and fails in one sentence on a broken one."""

import shutil
import subprocess
from pathlib import Path

import pytest

from roundsmith import catalogue, generate, paths, simulate, synthesize, targets, verify
from roundsmith.errors import VerificationFailed
from roundsmith.reference import aes
from roundsmith.simulate import KeyMode, Traffic
from roundsmith.spec import Spec

SEED = 20031


def deep(clear: str, **how: object) -> Spec:
    """Return a core whose ring holds several blocks, which no named one does yet."""
    choices = {"sbox": "lut4", "clear": clear, "edges": ["out"], **how}
    return Spec.from_data({"name": f"deep-{clear}", "how": choices, "port": {"tag_bits": 7}})


DEEP = [
    deep("flush", cuts=["sbox.1", "sub", "mix", "round"]),
    deep("reset", cuts=["sbox.0", "sbox.3", "round"], key_add="first"),
]
SINGLE = Spec.from_data(
    {
        "name": "in-memory",
        "how": {
            "sbox": "block_ram",
            "linear": "in_memory",
            "cuts": [],
            "edges": ["out"],
            "clear": "reset",
        },
    }
)
NO_TAG = Spec.from_data({"name": "no-tag", "how": {"sbox": "table", "cuts": ["round"]}})


def program(spec: Spec) -> Path:
    return simulate.build(spec, synthesize.sources(spec))


@pytest.mark.parametrize("spec", catalogue.everything(), ids=lambda s: s.name)
def test_the_rtl_of_every_core(spec: Spec) -> None:
    bench = verify.Bench(spec, spec.name, program(spec))
    assert verify.check(bench, SEED) > 2 * verify.RANDOM_BLOCKS


@pytest.mark.parametrize(
    "spec", [*DEEP, *(s.full() for s in DEEP), SINGLE, NO_TAG], ids=lambda s: s.name
)
def test_rings_of_several_blocks(spec: Spec) -> None:
    bench = verify.Bench(spec, spec.name, program(spec))
    assert verify.check(bench, SEED) > 2 * verify.RANDOM_BLOCKS


NETLISTS = [
    ("saggese-iterative", "ecp5-85k", "area"),
    ("iterative-lut4-full", "ecp5-85k", "written"),
    ("iterative-composite", "asic:osu018", "area"),
    ("iterative-lut4", "mapped:xcve", "mapped"),
]


@pytest.mark.parametrize(("name", "target", "netlist"), NETLISTS)
def test_a_netlist(name: str, target: str, netlist: str) -> None:
    spec = catalogue.find(name)
    made = synthesize.netlist(spec, targets.parse(target), netlist)
    built = simulate.build(spec, made.files, flags=made.simulation_flags)
    assert verify.check(verify.Bench(spec, name, built), SEED) > 2 * verify.RANDOM_BLOCKS


@pytest.mark.long
@pytest.mark.parametrize("target", ["ecp5-85k", "asic:osu018"])
@pytest.mark.parametrize("spec", catalogue.everything(), ids=lambda s: s.name)
def test_everything(spec: Spec, target: str, own_records: Path) -> None:
    assert len(verify.verify(spec, targets.parse(target), seed=SEED)) == 2


FAULTS = {
    "one byte of the S-box": (
        "aes/sbox/rsm_aes_sbox_table.sv",
        "8'h63",
        "8'h62",
        "iterative-table, RTL, native port: block ",
    ),
    "one round constant": (
        "aes/pkg/rsm_aes_pkg.sv",
        "8'h1b;",
        "8'h1d;",
        "iterative-table, RTL, native port: block 0 (FIPS 197, appendix B) is wrong",
    ),
    "one ShiftRows offset": (
        "aes/pkg/rsm_aes_pkg.sv",
        "(c + r) % 4",
        "(c + r + r / 3) % 4",
        "iterative-table, RTL, native port: block 0 (FIPS 197, appendix B) is wrong",
    ),
    "a block dropped under back pressure": (
        "port/rsm_flow.sv",
        ".push_i     (core_out_valid_i)",
        ".push_i     (core_out_valid_i & (out_ready_i | ~out_valid_o))",
        "iterative-table, RTL, full port, random stalls: cycle ",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_broken_core_is_found(
    fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own_records: Path
) -> None:
    file, right, wrong, sentence = FAULTS[fault]
    rtl = tmp_path / "rtl"
    shutil.copytree(paths.RTL, rtl)
    text = (rtl / file).read_text()
    assert right in text
    (rtl / file).write_text(text.replace(right, wrong, 1))
    monkeypatch.setattr(generate, "RTL", rtl)
    spec = catalogue.find("iterative-table")
    with pytest.raises(VerificationFailed) as caught:
        verify.verify(spec, targets.parse("ecp5-85k"), seed=SEED)
    assert str(caught.value).startswith(sentence)
    assert "\n" not in str(caught.value)
    if "dropped" in fault:
        assert "block " in str(caught.value)


def test_stalls_do_happen() -> None:
    """The traffic of the stall check really makes results wait."""
    spec = catalogue.find("iterative-table-full")
    keys = [bytes([i]) * 16 for i in range(50)]
    quick = simulate.run(program(spec), spec, keys, bytes(16 * 500), Traffic(KeyMode.SINGLE))
    slow = simulate.run(
        program(spec), spec, keys, bytes(16 * 500), Traffic(KeyMode.SINGLE, p_out=8, seed=3)
    )
    assert slow.cycles > 2 * quick.cycles


def test_keys_change_at_every_phase() -> None:
    """Keys that come at any time reach blocks at every distance from their acceptance."""
    spec = catalogue.find("iterative-table-full")
    keys = [i.to_bytes(16, "big") for i in range(997)]
    traffic = Traffic(KeyMode.INDEPENDENT, p_in=200, p_key=60, seed=9)
    run = simulate.run(program(spec), spec, keys, bytes(16 * 3000), traffic)
    assert len(set(run.results["key"])) > 500
    wanted = aes.encrypt_each([(keys[k], bytes(16)) for k in run.results["key"]])
    assert run.ciphertexts() == wanted


@pytest.mark.parametrize("name", ["saggese-iterative-full", "iterative-composite", "deep-flush"])
def test_clear_overwrites_everything(name: str, tmp_path: Path) -> None:
    """After `clear_i`, two cores that saw different keys and blocks are bit for bit the same."""
    spec = DEEP[0].full() if name == "deep-flush" else catalogue.find(name)
    built = simulate.build(spec, synthesize.sources(spec), savable=True)
    states = []
    for secret in (0x00, 0xA5):
        key = [bytes((secret ^ i) & 255 for i in range(16))]
        blocks = bytes((secret + 7 * i) & 255 for i in range(16 * 5))
        for cleared in (True, False):
            save = tmp_path / f"{secret}-{cleared}"
            simulate.run(built, spec, key * 5, blocks, Traffic(), save=save, end_clear=cleared)
            states.append(save.read_bytes())
    assert states[0] == states[2], "the state after clear_i depends on keys or blocks"
    assert states[1] != states[3], "the comparison must see the state"


def test_cavp(vectors: "list[tuple[bytes, bytes, bytes]]") -> None:
    """NIST's known-answer and multi-block tests for ECB, on the RTL of every core."""
    assert len(vectors) > 250
    keys = [key for key, _, _ in vectors]
    blocks = b"".join(plaintext for _, plaintext, _ in vectors)
    for spec in catalogue.everything():
        run = simulate.run(program(spec), spec, keys, blocks, Traffic(p_in=200, p_out=128))
        assert run.ciphertexts() == [ciphertext for _, _, ciphertext in vectors], spec.name


@pytest.fixture(scope="module")
def vectors() -> list[tuple[bytes, bytes, bytes]]:
    """Key, plaintext and ciphertext of every block of the CAVP files for AES-128 encryption."""
    cryptography_vectors = pytest.importorskip("cryptography_vectors")
    folder = Path(cryptography_vectors.__file__).parent / "ciphers" / "AES" / "ECB"
    found = []
    for path in sorted(folder.glob("*128.rsp")):
        text = path.read_text().partition("[DECRYPT]")[0]
        assert "[ENCRYPT]" in text
        fields: dict[str, bytes] = {}
        for line in text.splitlines():
            name, equals, value = line.partition(" = ")
            if not equals or name == "COUNT":
                continue
            fields[name] = bytes.fromhex(value)
            if name == "CIPHERTEXT":
                plain, cipher = fields["PLAINTEXT"], fields["CIPHERTEXT"]
                found += [
                    (fields["KEY"], plain[i : i + 16], cipher[i : i + 16])
                    for i in range(0, len(plain), 16)
                ]
    return found


def test_the_reference_is_right() -> None:
    for vector in aes.AES128_VECTORS:
        assert aes.encrypt(vector.key, vector.plaintext) == vector.ciphertext


def test_openssl_pads_alike(tmp_path: Path) -> None:
    message = b"thirty-three bytes of a message.."
    (tmp_path / "in").write_bytes(message)
    key = "000102030405060708090a0b0c0d0e0f"
    command = ["openssl", "enc", "-aes-128-ecb", "-K", key, "-in", tmp_path / "in"]
    if shutil.which("openssl") is None:
        pytest.skip("the openssl program is not here; `cryptography` carries the library")
    got = subprocess.run(command, capture_output=True, check=True).stdout
    assert aes.encrypt(bytes.fromhex(key), aes.pad(message)) == got
