"""Iterated chains through Serpent cores: each result is the next block, ten thousand times over."""

import random
import subprocess
from pathlib import Path

import pytest
from pyserpent import Serpent

from roundsmith import catalogue
from roundsmith.flows import synthesize, targets
from roundsmith.simulate import simulate
from roundsmith.spec import Spec
from tests.spec.test_serpent_tool import BOTH, HELD, serpent_core

SEED = 32
BENCH = Path(__file__).with_name("serpent_chain_bench.cpp")
LENGTHS = (128, 192, 256)

#: `serpent-iterative` and a ring of both directions, with every key length built in.
ITERATIVE = serpent_core({"key_bits": LENGTHS}, name="iterative", sbox="minimal", clear="reset")
RING = serpent_core(
    BOTH | {"key_bits": LENGTHS}, HELD, name="ring", rounds=4, sbox="minimal",
    inverse_rounds="separate",
)  # fmt: skip
FOLDED = catalogue.find("serpent-folded-both-full")
LUTZ = catalogue.find("lutz-serpent")


def programs(spec: Spec, target: str | None) -> list[Path]:
    """Return the compiled RTL of `spec`, or all its netlists for a target."""
    if target is None:
        return [simulate.build(spec, synthesize.sources(spec), harness=BENCH)]
    on = targets.parse(target)
    made = [synthesize.netlist(spec, on, name) for name in synthesize.netlist_names(spec, on)]
    return [
        simulate.build(spec, each.files, flags=each.simulation_flags, harness=BENCH)
        for each in made
    ]


def after(
    program: Path,
    spec: Spec,
    key: bytes,
    blocks: list[bytes],
    count: int,
    *,
    decrypt: bool = False,
) -> list[bytes]:
    """Return what a simulation of `spec` makes of chains from `blocks`, `count` blocks long."""
    wide = key.ljust(max(spec.what.key_bits) // 8, b"\xa5")
    code = LENGTHS.index(8 * len(key))
    words = [wide.hex(), str(code), str(int(decrypt)), str(count), *(b.hex() for b in blocks)]
    run = subprocess.run([program, *words], capture_output=True, text=True, check=True)
    return [bytes.fromhex(line) for line in run.stdout.split()]


def model(key: bytes, blocks: list[bytes], count: int) -> list[bytes]:
    """Return the same from pyserpent."""
    cipher = Serpent(key)
    ends = []
    for block in blocks:
        end = block
        for _ in range(count):
            end = cipher.encrypt(end)
        ends.append(end)
    return ends


def there_and_back(
    spec: Spec, bits: int, chains: int, count: int, target: str | None = None
) -> None:
    """Compare chains with pyserpent's, and go back where the core can."""
    numbers = random.Random(f"{SEED} {bits}")
    key = numbers.randbytes(bits // 8)
    blocks = [numbers.randbytes(16) for _ in range(chains)]
    wanted = model(key, blocks, count)
    for program in programs(spec, target):
        assert after(program, spec, key, blocks, count) == wanted
        if spec.is_both:
            assert after(program, spec, key, wanted, count, decrypt=True) == blocks


def test_short_chains() -> None:
    there_and_back(ITERATIVE, 192, 1, 50)


@pytest.mark.long
@pytest.mark.parametrize("bits", LENGTHS)
@pytest.mark.parametrize(
    ("spec", "chains"), [(ITERATIVE, 1), (RING, 4), (FOLDED, 1)], ids=["one", "ring", "folded"]
)
def test_ten_thousand_times_over(spec: Spec, chains: int, bits: int) -> None:
    there_and_back(spec, bits, chains, 10_000)


@pytest.mark.long
def test_ten_thousand_times_over_in_batches() -> None:
    there_and_back(LUTZ, 256, 4, 10_000)


@pytest.mark.long
@pytest.mark.parametrize("bits", LENGTHS)
@pytest.mark.parametrize(
    ("spec", "chains", "target"),
    [(ITERATIVE, 1, "asic:osu018"), (RING, 4, "mapped:xcve"), (FOLDED, 1, "ecp5-25k")],
    ids=["one", "ring", "folded"],
)
def test_ten_thousand_times_over_as_netlists(
    spec: Spec, chains: int, target: str, bits: int
) -> None:
    there_and_back(spec, bits, chains, 10_000, target)
