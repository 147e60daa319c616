"""Several keys in front of a core that holds one: every block under the newest key of its slot.

`formal/rsm_key_swap_proof.sv` proves it for `rsm_key_swap` by itself.
"""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from roundsmith import catalogue, export
from roundsmith.base.errors import RoundsmithError
from roundsmith.design import generate
from roundsmith.flows import synthesize
from roundsmith.simulate import simulate
from roundsmith.simulate.simulate import KeyMode, Traffic
from roundsmith.spec import Mode, Spec, clear_cycles, cycles_per_block, key_setup_cycles, keys
from roundsmith.tools import iverilog
from roundsmith.verify import verify

# --- Cores --------------------------------------------------------------------------------------


def slotted(name: str, slots: int) -> Spec:
    """Return the full form of a core with so many key slots."""
    data: dict[str, Any] = catalogue.find(name).full().model_dump()
    data["name"] = f"{name}-slots{slots}-full"
    return Spec.from_data(data | {"port": data["port"] | {"key_slots": slots}})


#: Cores of either cipher, and whether they have one key at a time: loops, batches, less than a
#: round, all key lengths, stored round keys of one key, tiles; and some that take any key at once.
CORES = [
    ("lutz-serpent", 3, True),
    ("satoh-1", 4, True),
    ("serpent-iterative", 2, False),
    *(
        pytest.param(*core, marks=pytest.mark.long)
        for core in (
            ("serpent-folded-both", 2, True),
            ("chodowiec-gaj", 2, True),
            ("compact-256", 3, True),
            ("fastest-serpent-ecp5", 16, True),
            ("iterative-lut4", 3, False),
            ("serial-both", 2, False),
            ("saggese-tiled-2", 2, False),
        )
    ),
]


@pytest.mark.parametrize(("name", "slots", "swapped"), CORES)
def test_keys_of_all_slots_in_random_traffic(name: str, slots: int, swapped: bool) -> None:
    """Key changes in every slot, stalls, clears and resets; and the cycles of the formulas."""
    spec = slotted(name, slots)
    assert keys.are_swapped(spec) == swapped and keys.in_front(spec)
    wanted = f"rsm_key_{'swap' if swapped else 'slots'} #("
    assert generate.top_text(spec).count(wanted) == 1
    answers = verify.check(verify.Bench(spec, name, verify.rtl(spec)), 1998, 300)
    assert answers.blocks > 500
    assert answers.cycles_per_block == cycles_per_block(spec) == cycles_per_block(spec.native())


def test_another_slot_costs_a_key_set_up() -> None:
    """Blocks of two slots by turns, and of one slot, which goes on as if there were no other."""
    spec = slotted("satoh-1", 2)
    program = verify.rtl(spec)
    both = [bytes(range(16)), bytes(range(16, 32))]
    cycles = []
    for key in (np.zeros(40, int), np.arange(40) % 2):
        given = simulate.stimulus(spec, both, bytes(640), key=key)
        found = simulate.run(program, spec, given, Traffic(KeyMode.NAMED)).results["accepted"]
        cycles.append(np.diff(found.astype(int))[5:])
    assert set(cycles[0]) == {cycles_per_block(spec)}
    # The key goes in as soon as the block before no longer needs its own.
    most = cycles_per_block(spec) + key_setup_cycles(spec)
    assert all(cycles_per_block(spec) < taken <= most for taken in cycles[1])


@pytest.mark.parametrize("name", ["satoh-1", "lutz-serpent"])
def test_clear_overwrites_every_key(name: str, tmp_path: Path) -> None:
    """After `clear_i`, two cores that saw different keys are bit for bit the same."""
    spec = slotted(name, 3)
    built = simulate.build(spec, synthesize.sources(spec), savable=True)
    states = []
    for secret in (3, 4):
        random = np.random.default_rng(secret)
        some = [random.bytes(max(spec.what.key_bits) // 8) for _ in range(3)]
        given = simulate.stimulus(spec, some, random.bytes(96), key=np.arange(6) % 3)
        for cleared in (True, False):
            save = tmp_path / f"{secret}-{cleared}"
            simulate.run(built, spec, given, save=save, end_clear=cleared)
            states.append(save.read_bytes())
    assert states[0] == states[2], "the state after clear_i depends on keys"
    assert states[1] != states[3], "the comparison must see the state"


def test_the_cycles_of_a_swap() -> None:
    one, three = catalogue.find("lutz-serpent").full(), slotted("lutz-serpent", 3)
    assert key_setup_cycles(three) == key_setup_cycles(one) + 1
    assert clear_cycles(three) == clear_cycles(one) and clear_cycles(slotted("satoh-1", 16)) == 16


@pytest.mark.parametrize("name", ["serpent-folded-both", "serpent-iterative", "satoh-1"])
def test_a_mode_brings_the_slots_that_it_needs(name: str) -> None:
    spec = catalogue.find(f"{name}-xts")
    assert spec.port.key_slots == 2 and spec.bare() == catalogue.find(f"{name}-cbc").bare()
    assert spec == catalogue.find(name).with_mode(Mode.XTS) == Spec.from_toml(spec.to_toml())
    assert catalogue.command(spec) == f"roundsmith build {name}-xts"


def test_slots_in_front_of_a_core_need_the_full_port() -> None:
    data = catalogue.find("satoh-1").model_dump()
    with pytest.raises(
        RoundsmithError, match="the full port holds the others: flow must be 'held'"
    ):
        Spec.from_data(data | {"port": data["port"] | {"key_slots": 2}})


@pytest.mark.long
@pytest.mark.parametrize("spec", [slotted("satoh-1", 3), catalogue.find("lutz-serpent-xts")])
def test_the_exported_bench_passes(spec: Spec, tmp_path: Path) -> None:
    folder = tmp_path / "core"
    export.write(spec, folder)
    files = [folder / f"{spec.module}.v", folder / f"tb/{spec.module}_tb.v"]
    built = iverilog.build(files, tmp_path / "bench.vvp", top=f"{spec.module}_tb")
    passed, failed = map(int, re.findall(r"\d+", iverilog.run(built, cwd=folder).splitlines()[-1]))
    assert passed >= 20 and failed == 0
    text = (folder / f"{spec.module}.md").read_text()
    assert "at a time, so a message costs two" in text or "One of them is in use at a time" in text
