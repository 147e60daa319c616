"""Serpent: the reference model, the circuits of its S-boxes, and proofs of the RTL's parts."""

import ctypes
import itertools
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pyserpent import Serpent

from roundsmith.circuits import serpent as circuits
from roundsmith.circuits.program import Kind
from roundsmith.circuits.proof import ProofFailed
from roundsmith.reference import serpent
from tests.support import netlists
from tests.support.netlists import Instance

LENGTHS = (16, 24, 32)

# --- The reference model --------------------------------------------------------------------


@pytest.mark.parametrize("vector", serpent.VECTORS, ids=lambda v: v.source.replace(" ", "-"))
def test_known_answers(vector: serpent.Vector) -> None:
    assert serpent.encrypt(vector.key, vector.plaintext) == vector.ciphertext
    assert serpent.decrypt(vector.key, vector.ciphertext) == vector.plaintext


def test_both_orders_of_bytes() -> None:
    # The submission prints the number X3 X2 X1 X0, libraries the bytes of X0 to X3, each from its
    # least significant one.
    printed, state = "03020100070605040b0a09080f0e0d0c", (0x0F0E0D0C, 0x0B0A0908, 0x07060504)
    assert serpent.state_of(serpent.submission(printed)) == (*state, 0x03020100)
    assert serpent.block_of((*state, 0x03020100)).hex() == "0c0d0e0f08090a0b0405060700010203"
    # A vector of either order is wrong in the other.
    first, nessie = serpent.VECTORS[0], serpent.VECTORS[-2]
    assert serpent.encrypt(first.key[::-1], first.plaintext) != first.ciphertext
    assert serpent.encrypt(nessie.key[::-1], nessie.plaintext) != nessie.ciphertext


def test_a_key_of_another_length_is_refused() -> None:
    with pytest.raises(ValueError, match="a key of 160 bits"):
        serpent.encrypt(bytes(20), bytes(16))


@pytest.mark.parametrize("length", LENGTHS)
def test_pyserpent_agrees(length: int) -> None:
    rng = random.Random(length)
    for _ in range(10):
        key, block = rng.randbytes(length), rng.randbytes(16)
        assert Serpent(key).encrypt(block) == serpent.encrypt(key, block)
        assert Serpent(key).decrypt(block) == serpent.decrypt(key, block)


class Libgcrypt:
    """Serpent in ECB mode by libgcrypt."""

    def __init__(self) -> None:
        try:
            self.library = ctypes.CDLL("libgcrypt.so.20")
        except OSError:
            pytest.skip("libgcrypt is not installed")
        self.library.gcry_check_version(None)

    def __call__(self, key: bytes, data: bytes, decrypt: bool) -> bytes:
        handle, size = ctypes.c_void_p(), ctypes.c_size_t(len(data))
        # GCRY_CIPHER_SERPENT128 to SERPENT256, GCRY_CIPHER_MODE_ECB.
        algorithm = 304 + LENGTHS.index(len(key))
        assert self.library.gcry_cipher_open(ctypes.byref(handle), algorithm, 1, 0) == 0
        assert self.library.gcry_cipher_setkey(handle, key, ctypes.c_size_t(len(key))) == 0
        out = ctypes.create_string_buffer(len(data))
        work = self.library.gcry_cipher_decrypt if decrypt else self.library.gcry_cipher_encrypt
        assert work(handle, out, size, data, size) == 0
        self.library.gcry_cipher_close(handle)
        return out.raw


@pytest.mark.parametrize("length", LENGTHS)
def test_libgcrypt_agrees(length: int) -> None:
    cipher, rng = Libgcrypt(), random.Random(length)
    for _ in range(20):
        key, data = rng.randbytes(length), rng.randbytes(48)
        assert cipher(key, data, False) == serpent.encrypt(key, data)
        assert cipher(key, data, True) == serpent.decrypt(key, data)


def chains(one: Callable[[bytes, bytes, bool], bytes], bits: int, decrypt: bool) -> Iterator[str]:
    """Yield the results of the Monte-Carlo test as the submission prints them."""
    key, text = bytes(bits // 8), bytes(16)
    while True:
        for _ in range(10_000):
            before, text = text, one(key, text, decrypt)
        yield serpent.submission(text.hex()).hex()
        key = bytes(a ^ b for a, b in zip(key, text + before, strict=False))


@pytest.mark.parametrize(("bits", "decrypt"), serpent.MONTE_CARLO)
def test_libgcrypt_gives_the_monte_carlo_tests_of_the_submission(bits: int, decrypt: bool) -> None:
    wanted = serpent.MONTE_CARLO[bits, decrypt]
    assert tuple(itertools.islice(chains(Libgcrypt(), bits, decrypt), 5)) == wanted


@pytest.mark.long
@pytest.mark.parametrize(("bits", "decrypt"), serpent.MONTE_CARLO)
def test_a_chain_of_the_monte_carlo_tests(bits: int, decrypt: bool) -> None:
    keys, text = serpent.round_keys(bytes(bits // 8)), bytes(16)
    one = serpent._decrypt if decrypt else serpent._encrypt
    for _ in range(10_000):
        text = one(keys, text)
    assert serpent.submission(text.hex()).hex() == serpent.MONTE_CARLO[bits, decrypt][0]


# --- The circuits ---------------------------------------------------------------------------

CIRCUITS = circuits.circuits()
OSVIK = circuits.published()


def test_every_circuit_is_proved() -> None:
    assert len(CIRCUITS) == 32 and len(OSVIK) == 16
    for circuit in [*CIRCUITS, *OSVIK]:
        circuits.prove(circuit)


def test_no_circuit_is_longer_than_those_published() -> None:
    assert {c.gates for c in OSVIK} == {14, 16, 17, 18, 19}
    for circuit in CIRCUITS:
        if circuit.goal == "gates":
            of_osvik = next(c for c in OSVIK if c.sbox == circuit.sbox)
            assert circuit.gates <= of_osvik.gates - 2, circuit.sbox.name
        else:
            assert circuit.depth <= 4, circuit.sbox.name
    for fast in CIRCUITS[16:]:
        short = next(c for c in CIRCUITS if c.sbox == fast.sbox)
        assert fast.depth < short.depth and fast.gates >= short.gates


def test_no_operation_can_change_unnoticed() -> None:
    other = {Kind.XOR: Kind.XNOR, Kind.AND: Kind.NAND, Kind.OR: Kind.NOR, Kind.ANDNOT: Kind.ORNOT}
    for circuit in [*CIRCUITS, *OSVIK]:
        for i, operation in enumerate(circuit.operations):
            if operation.kind in other:
                operations = list(circuit.operations)
                operations[i] = replace(operation, kind=other[operation.kind])
                with pytest.raises(ProofFailed):
                    circuits.prove(replace(circuit, operations=tuple(operations)))


def test_the_search_goes_on_from_what_is_there() -> None:
    known = CIRCUITS[0]
    found = circuits._found(known.sbox, "gates", 0.1, 1, known)
    assert found.gates <= known.gates
    assert circuits._as_steps(found).cost == found.gates


def test_files_are_what_the_circuits_give() -> None:
    assert circuits.DATA.read_text() == circuits.dumps(CIRCUITS)
    for path, text in circuits.modules().items():
        assert path.read_text() == text, "`python -m roundsmith.circuits.serpent write`"


# --- Proofs of the RTL ----------------------------------------------------------------------


def test_sboxes_are_proved(tmp_path: Path) -> None:
    """Every construction of every S-box, for every input."""
    made = {}
    for construction in ("Table", "Circuit", "Fast", "Osvik"):
        for sbox in circuits.SBOXES:
            label = f"{construction.lower()}_{sbox.name.replace('-', '_')}"
            parameters = (
                f"#(.Sbox(rsm_serpent_pkg::Sbox{construction}), .Inverse({int(sbox.inverse)}), "
                f".Box({sbox.number}), .Width(1))"
            )
            ports = {"x_i": 4, "y_o": 4}
            made[label] = (
                sbox,
                Instance(label, "rsm_serpent_sbox", ports, parameters, clocked=False),
            )
    netlist = netlists.read([instance for _, instance in made.values()], tmp_path)
    found = netlist.along_time({"x_i": list(range(16))})
    for label, (sbox, _) in made.items():
        assert tuple(found[f"{label}_y_o"]) == sbox.table, label


def bits_of(state: serpent.State) -> int:
    return sum(word << 32 * i for i, word in enumerate(state))


def state_of(bits: int) -> serpent.State:
    a, b, c, d = (bits >> 32 * i & 0xFFFFFFFF for i in range(4))
    return a, b, c, d


@pytest.mark.parametrize("inverse", [False, True])
def test_linear_transformations_are_proved(inverse: bool, tmp_path: Path) -> None:
    """For every state, as sums of its bits, with the cut and without, and left out."""
    ports = {"first_bypass_i": 1, "state_i": 128, "second_bypass_i": 1, "state_o": 128}
    instances = [
        Instance(
            f"cut_{cut}",
            "rsm_serpent_linear",
            ports,
            f"#(.Inverse({int(inverse)}), .Bypass(1), .Cut({cut}))",
        )
        for cut in (0, 1)
    ]
    netlist = netlists.read(instances, tmp_path)
    transform = serpent.transform_back if inverse else serpent.transform
    wanted: list[set[int]] = [set() for _ in range(128)]
    for i in range(128):
        image = bits_of(transform(state_of(1 << i)))
        for k in range(128):
            if image >> k & 1:
                wanted[k].add(i)
    for bypass in (0, 1):
        constants = {"first_bypass_i": bypass, "second_bypass_i": bypass, "clear_i": 0, "clk_i": 0}
        found = netlist.sums(constants)
        for cut in (0, 1):
            age = " -1" if cut else ""
            for k, terms in enumerate(found[f"cut_{cut}_state_o"]):
                of = {k} if bypass else wanted[k]
                assert terms == {f"state_i[{i}]{age}" for i in of}


def test_key_steps_are_proved(tmp_path: Path) -> None:
    """For every window, as sums of its bits, against the recurrence of the submission."""
    ports = {"index_i": 8, "window_i": 256, "window_o": 256}
    module = "rsm_serpent_key_step"
    ways = {"forward": "Forward", "back": "Inverse"}
    instances = [
        Instance(label, module, ports, f"#(.Direction(rsm_serpent_pkg::Direction{way}))", False)
        for label, way in ways.items()
    ]
    # The direction is built in.
    instances = [replace(i, ports={"inverse_i": 1, **ports}) for i in instances]
    netlist = netlists.read(instances, tmp_path)
    for index in (0, 4, 63, 127, 128):
        found = netlist.sums({"inverse_i": 0, "index_i": index})
        words = [
            frozenset([f"window_i[{32 * i + k}]"]) for i in range(8) for k in range(32)
        ]  # bit k of word i
        for i in range(index, index + 4):
            base = len(words) - 256
            for k in range(32):
                source = (k - 11) % 32
                total = frozenset("1") if (serpent.PHI ^ i) >> source & 1 else frozenset()
                for back in (0, 3, 5, 7):
                    total ^= words[base + 32 * back + source]
                words.append(total)
        assert found["forward_window_o"] == words[128:]
    for index in (7, 131):
        found = netlist.sums({"inverse_i": 0, "index_i": index})
        words = [frozenset([f"window_i[{n}]"]) for n in range(256)]
        for i in range(index, index - 4, -1):
            older = []
            for k in range(32):
                total = frozenset("1") if (serpent.PHI ^ i) >> k & 1 else frozenset()
                total ^= words[32 * 7 + (k + 11) % 32]
                for back in (2, 4, 6):
                    total ^= words[32 * back + k]
                older.append(total)
            words = older + words[:224]
        assert found["back_window_o"] == words
