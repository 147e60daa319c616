"""Folded and serial cores: the cycles that formulas give, and the tops that are generated."""

import itertools
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from roundsmith import catalogue
from roundsmith import spec as formulas
from roundsmith.base.paths import RTL
from roundsmith.design import ciphers, elaborate, generate, tech
from roundsmith.design.ciphers import aes
from roundsmith.flows import synthesize, targets
from roundsmith.records import records
from roundsmith.spec import (
    Bus,
    Direction,
    KeyChannel,
    Spec,
    clear_cycles,
    core_latency_cycles,
    cycles_per_block,
    fifo_depth,
    idle_wait_cycles,
    initiation_interval,
    key_setup_cycles,
    latency_cycles,
    narrow,
    slots,
    whole_latency_cycles,
)
from roundsmith.spec.ciphers import CIPHERS
from tests.support.narrow_parts import (
    BIT,
    BYTE,
    FOLDED,
    LOADED,
    LONG,
    MEMORY,
    SATOH,
    STORED,
    core,
    satoh,
)
from tests.support.spec_parts import BOTH, HELD

ENCRYPT, DECRYPT = Direction.ENCRYPT, Direction.DECRYPT

NARROW = [spec for spec in catalogue.native().values() if spec.is_narrow]


def test_there_are_narrow_cores() -> None:
    assert {spec.how.architecture for spec in NARROW} == set(formulas.NARROW)


#: Cycles of the papers: from a block to its result, and those that blocks are apart.
PRINTED = {
    # Satoh 2001, Table 4.
    "satoh-5": (54, 54, 4),
    "satoh-4": (44, 44, 4),
    "satoh-3": (32, 32, 2),
    "satoh-2": (22, 22, 2),
    # Chodowiec and Gaj 2003, section 5: 166 Mbit/s at 60 MHz; key set-up in 44 cycles.
    "chodowiec-gaj": (42, 46, 44),
    "chodowiec-gaj-mux": (42, 46, 44),
    "chodowiec-gaj-dpram": (42, 46, 44),
    "chodowiec-gaj-fig2a": (42, 46, 44),
    # Seven cycles a round.
    "mcmillan-folded": (72, 76, 44),
}


def test_the_catalogue_has_the_cycles_of_the_papers() -> None:
    papers = [spec for spec in NARROW if spec.paper]
    assert {spec.name for spec in papers} <= set(PRINTED)
    for spec in papers:
        latency, interval, setup = PRINTED[spec.name]
        assert latency_cycles(spec) == latency
        assert initiation_interval(spec) == interval
        assert key_setup_cycles(spec, ENCRYPT) == setup
        if spec.name.startswith("satoh"):
            assert key_setup_cycles(spec, DECRYPT) == setup + 10
    assert round(128 * 60 / 46) == 167


#: The most cycles a block that the smallest cores may take.
MOST = {"smallest-ge": 1408, "smallest-ge-8bit": 176, "serial-both": 350}


def test_the_smallest_cores_keep_their_cycles() -> None:
    for name, most in MOST.items():
        assert cycles_per_block(catalogue.find(name)) <= most


# --- Formulas -------------------------------------------------------------------------------

#: What the headers of the modules state: latency and interval both ways, key set-up both ways,
#: clear. None stands for a direction that the core does not have.
STATED: list[tuple[Spec, Sequence[int | None]]] = [
    (satoh(), (54, 54, 64, 64, 4, 14, 8)),
    (satoh(key_sboxes="own"), (44, 44, 54, 54, 4, 14, 8)),
    (satoh({"width": 64}, data_bits=64), (32, 32, 42, 42, 2, 12, 4)),
    (satoh({"width": 64}, data_bits=64, key_sboxes="own"), (22, 22, 32, 32, 2, 12, 4)),
    (satoh(key_start="kept"), (54, 54, 54, 54, 4, 14, 8)),
    (core(FOLDED), (44, None, 44, None, 0, None, 8)),
    (core(SATOH, LONG, HELD), (74, 74, 140, 140, 10, 80, 15)),
    (
        core(SATOH | {"key_sboxes": "own"}, BOTH | {"key_bits": [192]}, HELD),
        (52, 52, 96, 96, 8, 56, 12),
    ),
    (core(SATOH | {"data_bits": 64}, LONG, HELD | {"width": 64}), (44, 44, 84, 84, 6, 48, 9)),
    (core(FOLDED, {"key_bits": [256]}), (60, None, 60, None, 0, None, 12)),
    (
        core(FOLDED | {"key_sboxes": "borrowed"}, {"key_bits": [192]}),
        (65, None, 65, None, 0, None, 15),
    ),
    (core(SATOH | {"key_start": "kept"}, LONG, HELD), (74, 74, 80, 80, 10, 80, 15)),
    (core(STORED, BOTH, HELD), (42, 42, 46, 46, 44, 44, 44)),
    (core(LOADED, None, HELD), (72, None, 76, None, 44, None, 44)),
    (core(BIT), (1281, None, 1408, None, 0, None, 1408)),
    (core(BYTE), (161, None, 176, None, 0, None, 176)),
    (core(BIT | {"inverse_rounds": "reordered"}, BOTH), (1281, 6401, 1408, 6528, 0, 0, 1408)),
    (core(BYTE | {"inverse_rounds": "reordered"}, BOTH), (161, 321, 176, 336, 0, 0, 176)),
    (core(MEMORY), (346, None, 362, None, 0, None, 16)),
    (core(MEMORY | {"sbox": "block_ram"}), (932, None, 948, None, 0, None, 33)),
    (core(BIT, {"cipher": "serpent"}), (4496, None, 4625, None, 0, None, 281)),
    (catalogue.find("serpent-folded"), (272, None, 272, None, 0, None, 8)),
    (catalogue.find("serpent-folded-both"), (264, 264, 392, 392, 12, 140, 8)),
]


@pytest.mark.parametrize(("spec", "stated"), STATED, ids=lambda v: "")
def test_the_cycles_are_those_of_the_headers(spec: Spec, stated: Sequence[int | None]) -> None:
    for way, latency, interval, setup in zip(
        Direction, stated[:2], stated[2:4], stated[4:6], strict=True
    ):
        if latency is not None and interval is not None:
            assert latency_cycles(spec, None, way) == latency
            assert core_latency_cycles(spec, None, way) == latency
            assert initiation_interval(spec, None, way) == interval
            assert key_setup_cycles(spec, way) == setup
    assert clear_cycles(spec) == stated[6]
    assert slots(spec) == 1
    assert latency_cycles(spec) == max(n for n in stated[:2] if n is not None)
    assert cycles_per_block(spec) == max(n for n in stated[2:4] if n is not None)
    assert whole_latency_cycles(spec) == latency_cycles(spec) + 128 // spec.port.width - 1


@pytest.mark.parametrize(("spec", "stated"), STATED, ids=lambda v: "")
def test_the_headers_say_so(spec: Spec, stated: Sequence[int | None]) -> None:
    """The number of every latency that is one stands in the header of its module."""
    module = narrow.module(spec).name
    if module in {"rsm_aes_folded", "rsm_aes_folded_long", "rsm_aes_serial_both"}:
        pytest.skip("states formulas, or leaves it to what is inside")
    text = next(RTL.rglob(f"{module}.sv")).read_text().partition("\nmodule ")[0]
    header = " ".join(text.replace("//", " ").split())
    assert re.search(rf"Latency: .*\b{stated[0]} cycles|Latency: {stated[0]} cycles", header)
    assert re.search(rf"Interval: (.*= )?{stated[2]}\b", header)
    assert re.search(rf"(within|Clear:) {stated[6]}\b", header)


def test_the_wide_port_adds_the_beats_and_a_fifo() -> None:
    for how, beats in ((BYTE, 16), (BIT, 128), (FOLDED, 4), (FOLDED | {"data_bits": 64}, 2)):
        native = core(how)
        assert latency_cycles(native.full()) == latency_cycles(native) + beats - 1 + 1
        assert cycles_per_block(native.full()) == cycles_per_block(native)
        assert whole_latency_cycles(native.full()) == latency_cycles(native.full())


def test_a_walk_costs_where_the_direction_stays() -> None:
    walked, kept = satoh(), satoh(key_start="kept")
    for first, second in itertools.product(Direction, Direction):
        assert initiation_interval(kept, None, first, second) == 54
        wanted = 64 if first is second else 54
        assert initiation_interval(walked, None, first, second) == wanted
    assert idle_wait_cycles(walked) == 18
    assert idle_wait_cycles(core(FOLDED)) == 3
    assert idle_wait_cycles(catalogue.find("saggese-iterative")) == 0


def test_a_second_result_has_room_only_where_it_can_come() -> None:
    # Blocks one way are 64 cycles apart, and 59 pass until a credit is back; both ways are 54.
    assert fifo_depth(satoh().full()) == 2
    way_back = core(SATOH | {"inverse_rounds": None}, {"directions": ["decrypt"]}, HELD)
    assert initiation_interval(way_back) == 64
    assert fifo_depth(way_back.full()) == 1


def test_a_bus_is_no_narrow_port() -> None:
    chip = catalogue.find("lutz-rijndael-chip")
    assert chip.what.bus is Bus.CHANNELS32
    assert not chip.is_narrow
    assert chip.native_width == 128


# --- Tops -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("spec", "stated"), STATED, ids=lambda v: "")
def test_a_native_top_is_the_module_and_nothing_else(spec: Spec, stated: object) -> None:
    text = generate.top_text(spec)
    module = narrow.module(spec).name
    assert re.findall(r"^  (rsm_\w+) #", text, re.MULTILINE) == [module]
    width = spec.port.width
    for port in generate.ports(spec):
        if port.name in {"in_block_i", "out_block_o", "in_key_i", "key_i"}:
            assert port.width == width
    names = {port.name for port in generate.ports(spec)}
    held = spec.port.key_channel is KeyChannel.HELD
    assert ("key_i" in names) == held
    assert ("in_key_i" in names) != held
    assert ("in_decrypt_i" in names) == spec.is_both


def test_a_full_top_stands_on_what_it_needs() -> None:
    def modules(spec: Spec) -> list[str]:
        return re.findall(r"^  (rsm_\w+) #", generate.top_text(spec), re.MULTILINE)

    assert modules(satoh().full()) == ["rsm_flow", "rsm_widen", "rsm_aes_folded"]
    assert modules(core(BYTE).full()) == [
        *("rsm_flow", "rsm_key_hold", "rsm_widen", "rsm_aes_serial_byte")
    ]


@pytest.mark.parametrize("made", [m for c in CIPHERS for m in c.narrow], ids=lambda m: m.name)
def test_parameters_of_the_tool_are_those_of_the_module(made: narrow.Module) -> None:
    spec = next(spec for spec, _ in STATED if narrow.module(spec).name == made.name)
    text = next(RTL.rglob(f"{made.name}.sv")).read_text().partition("\n) (")[0]
    declared = re.findall(r"^  parameter\s+[\w ]+?\s+(\w+)\s+=", text, re.MULTILINE)
    parameters = list(ciphers.core_parameters(spec))
    # Where other lengths than 128 bits are not built, the mask is left at its default.
    assert parameters == [n for n in declared if n != "Lengths" or n in parameters]


def test_values_of_the_tool_are_those_of_the_package() -> None:
    text = (RTL / "aes/folded/rsm_aes_folded_pkg.sv").read_text()
    pairs: list[tuple[str, dict[Any, str]]] = [
        ("key_sboxes_e", aes.KEY_SBOXES),
        ("rows_e", aes.ROWS),
        ("key_start_e", aes.KEY_STARTS),
    ]
    for enum, mapping in pairs:
        found = re.search(rf"typedef enum [^{{]*{{([^}}]*)}} {enum};", text)
        assert found is not None
        assert set(found[1].replace(",", " ").split()) == set(mapping.values())


#: The rooms of the cells of a core with a tapped shift register, a memory and a 3-state bus.
CELLS = {
    None: {"shift_tap": "generic", "ram_wide": "generic", "bus": "generic"},
    "asic:osu018": {"shift_tap": "generic", "ram_wide": "generic", "bus": "generic"},
    "ecp5-85k": {
        "shift_tap": "ram", "ram_16": "ecp5", "ram_wide": "generic", "bus": "generic",
    },
    "ice40-up5k": {
        "shift_tap": "ram", "ram_16": "ice40", "ram_wide": "ice40", "bus": "generic",
    },
    "mapped:xcv": {
        "shift_tap": "xilinx", "SRL16E": "xilinx", "ram_wide": "generic",
        "bus": "virtex", "BUFT": "virtex",
    },
    "mapped:xc3s": {
        "shift_tap": "xilinx", "SRL16E": "xilinx", "ram_wide": "generic", "bus": "generic",
    },
}  # fmt: skip


@pytest.mark.parametrize("name", CELLS)
def test_cells_come_from_the_rooms_of_the_target(name: str | None) -> None:
    spec = core(STORED | {"sbox_switch": "three_state"}, BOTH, HELD)
    target = None if name is None else targets.parse(name)
    files = synthesize.sources(spec, target)
    cells = [path for path in files if path.is_relative_to(tech.TECH)]
    rooms = {path.stem.removeprefix("rsm_tech_"): path.parent.name for path in cells}
    assert rooms == CELLS[name]


def test_the_hash_of_a_design_covers_the_cells_of_its_target(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ecp5, virtex = targets.parse("ecp5-85k"), targets.parse("mapped:xcv")
    with_cells = core(STORED, BOTH, HELD)
    without = catalogue.find("saggese-iterative")

    def hashes() -> list[str]:
        elaborate.forget()
        goals = (None, ecp5, virtex)
        return [records.design_hash(spec, goal) for spec in (with_cells, without) for goal in goals]

    before = hashes()
    read = Path.read_text
    monkeypatch.setattr(
        Path,
        "read_text",
        lambda p, *a, **k: read(p, *a, **k).replace(
            "endmodule", "wire x; endmodule" if p.parent.name == "ecp5" else "endmodule"
        ),
    )
    changed = [old != new for old, new in zip(before, hashes(), strict=True)]
    monkeypatch.undo()
    elaborate.forget()
    assert changed == [False, True, False, False, False, False]


def test_the_folder_of_a_target_has_its_cells(tmp_path: Path) -> None:
    spec = catalogue.find("chodowiec-gaj")
    program = Path(sys.executable).with_name("roundsmith")
    for name, room in (("mapped:xcv", "virtex"), ("ecp5-25k", "ecp5")):
        folder = tmp_path / room
        command = [program, "build", spec.name, "-o", folder, "--target", name]
        assert subprocess.run(command, capture_output=True).returncode == 0
        listed = (folder / f"{spec.module}_{room}.f").read_text().splitlines()[2:]
        wanted = generate.design(spec, targets.parse(name).rooms)
        assert [(folder / path).read_text() for path in listed] == [
            *(path.read_text() for path in wanted.library), wanted.top
        ]  # fmt: skip
        # The folder is still the portable one.
        assert "rtl/tech/generic/rsm_tech_shift_tap.sv" in (folder / f"{spec.module}.f").read_text()
