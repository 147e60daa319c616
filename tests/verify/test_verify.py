"""Verification passes on every core, and fails in one sentence on a broken one."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from roundsmith import catalogue
from roundsmith import spec as formulas
from roundsmith.base import paths
from roundsmith.base.errors import RoundsmithError, VerificationFailed
from roundsmith.flows import synthesize, targets
from roundsmith.flows.families import asic
from roundsmith.reference import aes
from roundsmith.simulate import simulate
from roundsmith.simulate.simulate import KeyMode, Traffic
from roundsmith.spec import Architecture, Cipher, Direction, Spec
from roundsmith.verify import verify
from tests.rtl.aes import test_sweep

SEED = 20031

#: Random blocks a check in these tests; `roundsmith verify` takes more.
BLOCKS = 3_000


def full(spec: Spec) -> Spec:
    """Return `spec` behind the full port, which has its core inside, or as it is with a bus."""
    return spec.full() if spec.has_full else spec


def timed(spec: Spec) -> object:
    """Return `spec` behind the full port; most pipelines take a minute to compile, and are long."""
    is_long = spec.how.architecture is Architecture.PIPE and spec.name != "saggese-unrolled-1"
    return pytest.param(full(spec), marks=pytest.mark.long if is_long else ())


@pytest.mark.parametrize(
    "spec",
    [timed(spec) for spec in catalogue.native().values() if not spec.has_mode],
    ids=lambda s: s.name,
)
def test_the_rtl_of_every_core(spec: Spec, cavp: "dict[tuple[int, bool], list[Triple]]") -> None:
    """Every question of `verify`; of AES NIST's known answers and multi-block tests for ECB too."""
    bench = verify.Bench(spec, spec.name, verify.rtl(spec))
    longest = verify.LONGEST / formulas.cycles_per_block(spec)
    assert verify.check(bench, SEED, BLOCKS).blocks > 2 * min(BLOCKS, longest)
    if spec.what.cipher is not Cipher.AES:
        return
    for bits in spec.what.key_bits:
        for direction in spec.what.directions:
            decrypt = direction is Direction.DECRYPT
            vectors = cavp[bits, decrypt]
            assert len(vectors) > 250
            given = simulate.stimulus(
                spec,
                [key for key, _, _ in vectors],
                b"".join(asked * spec.port.lanes for _, asked, _ in vectors),
                decrypt=decrypt,
            )
            run = simulate.run(bench.program, spec, given, Traffic(p_in=200, p_out=128))
            answers = [answer * spec.port.lanes for _, _, answer in vectors]
            assert run.message() == b"".join(answers)


NATIVELY = ["iterative-table", "lutz-rijndael", "satoh-1", "standaert-loop-ram", "saggese-tiled-2"]


@pytest.mark.parametrize("name", NATIVELY)
def test_the_rtl_natively(name: str) -> None:
    spec = catalogue.find(name)
    bench = verify.Bench(spec, name, verify.rtl(spec))
    assert verify.check(bench, SEED, BLOCKS).blocks > 2 * BLOCKS


#: Block RAM, batches and standard cells behind the full port; a core natively; another cipher.
NETLISTS = [
    ("saggese-iterative-full", "ecp5-85k", "area"),
    ("standaert-loop-ram-full", "ecp5-85k", "written"),
    ("iterative-lut4", "mapped:xcve", "mapped"),
    pytest.param("satoh-1-full", "asic:osu018", "area", marks=pytest.mark.long),
    pytest.param("serpent-iterative", "ecp5-85k", "area", marks=pytest.mark.long),
]


@pytest.mark.parametrize(("name", "target", "netlist"), NETLISTS)
def test_a_netlist(name: str, target: str, netlist: str) -> None:
    spec = catalogue.find(name)
    built = verify.netlist(spec, targets.parse(target), netlist)
    bench = verify.Bench(spec, name, built)
    assert verify.check(bench, SEED, BLOCKS).blocks > 2 * BLOCKS


@pytest.mark.long
@pytest.mark.parametrize("target", ["ecp5-85k", "asic:osu018"])
@pytest.mark.parametrize("spec", catalogue.everything(), ids=lambda s: s.name)
def test_everything(spec: Spec, target: str, own_records: Path) -> None:
    if target.startswith("asic") and "block_ram" in {t.how.sbox for t in spec.tiles()}:
        with pytest.raises(RoundsmithError, match="block RAM"):
            asic.standard_cells(spec, targets.parse(target), "area")
        return
    for record in verify.verify(spec, targets.parse(target), seed=SEED):
        if spec.has_mode:
            assert record.blocks > BLOCKS
            continue
        assert record.latency_cycles == formulas.latency_cycles(spec)
        assert record.cycles_per_block == formulas.cycles_per_block(spec)


#: A file of the library, what stands there, what takes its place, the core that must notice, and
#: how the sentence begins.
FAULTS = {
    "one byte of the S-box": (
        "aes/sbox/rsm_aes_sbox_table.sv",
        "8'h63",
        "8'h62",
        "iterative-table",
        "iterative-table: block ",
    ),
    "one round constant": (
        "aes/key/rsm_aes_key_step.sv",
        "8'h1b;",
        "8'h1d;",
        "iterative-table",
        "iterative-table: block 0 (FIPS 197, appendix B) is wrong",
    ),
    "one ShiftRows offset": (
        "aes/pkg/rsm_aes_pkg.sv",
        "(c + r) % 4",
        "(c + r + r / 3) % 4",
        "iterative-table",
        "iterative-table: block 0 (FIPS 197, appendix B) is wrong",
    ),
    "a block dropped under back pressure": (
        "port/rsm_flow.sv",
        ".push_i     (core_out_valid_i)",
        ".push_i     (core_out_valid_i & (out_ready_i | ~out_valid_o))",
        "iterative-table-full",
        "iterative-table-full, random stalls: cycle ",
    ),
    "decryption with the round keys in the order of encryption": (
        "aes/rsm_aes.sv",
        "? key_control[i].step - round_t'(1)",
        "? round_t'(10) - key_control[i].step",
        "lutz-rijndael",
        "lutz-rijndael: block 6 (FIPS 197, appendix B) is wrong: key 2b7e1516",
    ),
    "a key that changes under a block in flight": (
        "aes/key/rsm_aes_key_store.sv",
        "in_flight_q[s] <= enter | (count_q != count_t'(1));",
        "in_flight_q[s] <= 1'b0;",
        "lutz-rijndael",
        "lutz-rijndael: block ",
    ),
    "batches of Serpent that keep the round keys of the first round": (
        "serpent/arch/rsm_serpent_batch.sv",
        "phase_q[1:0] == 2'(s + 3)",
        "phase_q == 5'(s + 3)",
        "lutz-serpent",
        "lutz-serpent: block 0 (ecb_vk.txt of the submission, KEYSIZE=256, I=1) is wrong",
    ),
    "a core that calls itself idle while it expands a key": (
        "aes/rsm_aes.sv",
        "assign idle_o     = arch_idle & keys_idle;",
        "assign idle_o     = arch_idle;",
        "lutz-rijndael",
        "lutz-rijndael, standard vectors: cycle ",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_broken_core_is_found(fault: str, tmp_path: Path) -> None:
    file, right, wrong, name, sentence = FAULTS[fault]
    text = (paths.RTL / file).read_text()
    assert right in text
    broken = tmp_path / Path(file).name
    broken.write_text(text.replace(right, wrong, 1))
    spec = catalogue.find(name)
    files = [broken if path == paths.RTL / file else path for path in synthesize.sources(spec)]
    assert broken in files
    bench = verify.Bench(spec, name, simulate.build(spec, files))
    with pytest.raises(VerificationFailed) as caught:
        verify.check(bench, SEED, BLOCKS)
    assert str(caught.value).startswith(sentence)
    assert "\n" not in str(caught.value)
    if "dropped" in fault:
        assert "block " in str(caught.value)


def test_a_wrong_formula_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = catalogue.find("lutz-rijndael")
    bench = verify.Bench(spec, "it", verify.rtl(spec))
    formula = {
        "latency_cycles": "it, back-to-back blocks with 128-bit keys: block 0 took 20 cycles, the",
        "initiation_interval": "it, back-to-back blocks with 128-bit keys: block ",
        "key_setup_cycles": "it, single encryptions with 128-bit keys: block 0 was accepted 3 ",
        "blocks_in_flight": "it, back-to-back blocks with 128-bit keys: 4 blocks were inside at",
    }
    for name, sentence in formula.items():
        right = getattr(formulas, name)
        with monkeypatch.context() as patch:
            patch.setattr(formulas, name, lambda *a, right=right, **k: right(*a, **k) + 1)
            with pytest.raises(VerificationFailed) as caught:
                verify.check(bench, SEED, 200)
        assert str(caught.value).startswith(sentence)


def test_stalls_do_happen() -> None:
    """The traffic of the stall check really makes results wait."""
    spec = catalogue.find("iterative-table-full")
    built = verify.rtl(spec)
    given = simulate.stimulus(spec, [bytes(16)], bytes(16 * 500))
    quick = simulate.run(built, spec, given)
    slow = simulate.run(built, spec, given, Traffic(p_out=8, seed=3))
    assert slow.cycles > 2 * quick.cycles


#: Loops with batches, streams, tiles and stored keys, lengths that mix, and lines; the longer ones
#: as lines of their own.
CHANGING = [
    catalogue.find("iterative-table-full"),
    catalogue.find("standaert-loop-mux-full"),
    catalogue.find("saggese-iterative-5-full"),
    catalogue.find("saggese-tiled-4-full"),
    catalogue.find("lutz-rijndael-full"),
    catalogue.find("satoh-1-full"),
    next(spec for spec in test_sweep.FEW if spec.name == "loop1-mixed-both-128-192-256"),
    pytest.param(catalogue.find("saggese-unrolled-5-full"), marks=pytest.mark.long),
    pytest.param(catalogue.find("best-per-lut-full"), marks=pytest.mark.long),
]


@pytest.mark.parametrize("spec", CHANGING, ids=lambda s: s.name)
def test_keys_change_at_every_phase(spec: Spec) -> None:
    """Keys come in every cycle that a block can be old, and every block is right.

    The phase of a key is the number of cycles from the last block to it: 0 in the cycle that
    accepts the block, and up to the latency or the interval, whichever is longer. It must have been
    offered in each of them. Keys that travel with their blocks, on the fly or registers beside
    them, are taken when they are offered (unless a walk for the key before is under way), so they
    must have been taken in each phase too. Stored keys wait until the blocks in flight have left,
    which need the old ones: they must have been taken in phase 0, in none in which the block is
    inside, and in every one after that, for another interval.
    """
    bench = verify.Bench(spec, spec.name, verify.rtl(spec))
    span = max(formulas.initiation_interval(spec), formulas.latency_cycles(spec))
    offered, taken = set(), set()
    # A core that is full, and one whose blocks come so far apart that all phases are there.
    rare = max(2, 128 // span)
    for p_in, p_key, blocks in ((200, 2 * rare, BLOCKS), (rare, rare, 2 * BLOCKS)):
        given = verify.Questions(bench, np.random.default_rng(SEED), SEED).mixed(blocks)
        traffic = Traffic(KeyMode.INDEPENDENT, p_in=p_in, p_key=p_key, seed=9)
        run = simulate.run(bench.program, spec, given, traffic)
        verify.compare(bench, given, run)
        offered |= phases(run, "offered")
        taken |= phases(run, "keyed")
    assert offered >= set(range(span))
    if not spec.is_stored:
        assert taken >= set(range(span))
        return
    first = min(taken - {0})
    assert 0 in taken and first > formulas.round_trip_cycles(spec)
    assert taken >= set(range(first, first + formulas.initiation_interval(spec)))


def phases(run: simulate.BlockRun, event: str) -> set[int]:
    """Return the cycles from the last block accepted before a key, or with it, to that key."""
    accepted = run.results["accepted"].astype(np.int64)
    keys = np.unique(run.results[event].astype(np.int64))
    before = np.searchsorted(accepted, keys, side="right") - 1
    return set((keys - accepted[before])[before >= 0].tolist())


CLEARED = [
    "saggese-iterative-full",
    "iterative-composite",
    "lutz-rijndael-full",
    "satoh-1",
    "standaert-loop-mux-full",
    *("chodowiec-gaj", "smallest-ge", "satoh-5"),
    "lutz-serpent-chip",
    pytest.param("smallest-lut", marks=pytest.mark.long),
    pytest.param("smallest-ram", marks=pytest.mark.long),
    pytest.param("saggese-unrolled-1-full", marks=pytest.mark.long),
    pytest.param("best-per-ge", marks=pytest.mark.long),
]


@pytest.mark.parametrize("name", CLEARED)
def test_clear_overwrites_everything(name: str, tmp_path: Path) -> None:
    """After `clear_i`, two cores that saw different keys and blocks are bit for bit the same."""
    spec = catalogue.find(name)
    built = simulate.build(spec, synthesize.sources(spec), savable=True)
    # One direction, for a simulation keeps the arguments of functions that it no longer calls.
    decrypt = [not spec.encrypts] * 5
    states = []
    for secret in (0x00, 0xA5):
        key = bytes((secret ^ i) & 255 for i in range(max(spec.what.key_bits) // 8))
        blocks = bytes((secret + 7 * i) & 255 for i in range(16 * 5 * spec.port.lanes))
        given = simulate.stimulus(spec, [key] * 5, blocks, decrypt=decrypt)
        for cleared in (True, False):
            save = tmp_path / f"{secret}-{cleared}"
            simulate.run(built, spec, given, save=save, end_clear=cleared)
            states.append(save.read_bytes())
    assert states[0] == states[2], "the state after clear_i depends on keys or blocks"
    assert states[1] != states[3], "the comparison must see the state"


#: Key, what is asked, and the answer.
Triple = tuple[bytes, bytes, bytes]


@pytest.fixture(scope="module")
def cavp() -> dict[tuple[int, bool], list[Triple]]:
    """Every block of NIST's CAVP files for ECB, by key length and direction (true: decryption)."""
    cryptography_vectors = pytest.importorskip("cryptography_vectors")
    folder = Path(cryptography_vectors.__file__).parent / "ciphers" / "AES" / "ECB"
    found: dict[tuple[int, bool], list[Triple]] = {}
    for bits in (128, 192, 256):
        for path in sorted(folder.glob(f"*{bits}.rsp")):
            encryptions, _, decryptions = path.read_text().partition("[DECRYPT]")
            assert "[ENCRYPT]" in encryptions
            found.setdefault((bits, False), []).extend(
                triples(encryptions, "PLAINTEXT", "CIPHERTEXT")
            )
            found.setdefault((bits, True), []).extend(
                triples(decryptions, "CIPHERTEXT", "PLAINTEXT")
            )
    return found


def triples(text: str, asked: str, answer: str) -> Iterator[Triple]:
    """Yield every block of one half of a file; its answer is the last line of each record."""
    fields: dict[str, bytes] = {}
    for line in text.splitlines():
        name, equals, value = line.partition(" = ")
        if not equals or name == "COUNT":
            continue
        fields[name] = bytes.fromhex(value)
        if name == answer:
            for i in range(0, len(fields[asked]), 16):
                yield fields["KEY"], fields[asked][i : i + 16], fields[answer][i : i + 16]


def test_the_reference_is_right() -> None:
    for vector in aes.VECTORS:
        assert aes.encrypt(vector.key, vector.plaintext) == vector.ciphertext
        assert aes.decrypt(vector.key, vector.ciphertext) == vector.plaintext


def test_openssl_pads_alike(tmp_path: Path) -> None:
    message = b"thirty-three bytes of a message.."
    (tmp_path / "in").write_bytes(message)
    key = "000102030405060708090a0b0c0d0e0f"
    command = ["openssl", "enc", "-aes-128-ecb", "-K", key, "-in", tmp_path / "in"]
    if shutil.which("openssl") is None:
        pytest.skip("the openssl program is not here; `cryptography` carries the library")
    got = subprocess.run(command, capture_output=True, check=True).stdout
    assert aes.encrypt(bytes.fromhex(key), aes.pad(message)) == got
