"""Folded and serial cores: their specs, tops, formulas and the traffic through their ports."""

import itertools
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from roundsmith import (
    catalogue,
    elaborate,
    encrypt,
    export,
    generate,
    records,
    simulate,
    synthesize,
    targets,
    tech,
    verify,
)
from roundsmith import spec as formulas
from roundsmith.errors import RoundsmithError, VerificationFailed
from roundsmith.export.vectors import transfers
from roundsmith.key_frame import key_frame
from roundsmith.paths import RTL
from roundsmith.reference import aes
from roundsmith.simulate import Traffic
from roundsmith.spec import (
    Architecture,
    Bus,
    Direction,
    KeyChannel,
    KeySboxes,
    KeySchedule,
    KeyStart,
    Linear,
    Sbox,
    Spec,
    StateStorage,
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
from roundsmith.tools import iverilog

SEED = 20260

Data = dict[str, Any]

ENCRYPT, DECRYPT = Direction.ENCRYPT, Direction.DECRYPT
BOTH: Data = {"directions": ["encrypt", "decrypt"]}
HELD: Data = {"key_channel": "held"}
LONG: Data = BOTH | {"key_bits": [256]}

FOLDED: Data = {
    "architecture": "folded",
    "data_bits": 32,
    "sbox": "cells",
    "linear": "minimal",
    "state_storage": "shift_registers",
}
SATOH: Data = FOLDED | {
    "key_sboxes": "borrowed",
    "inverse_rounds": "reordered",
    "key_start": "walked",
}
STORED: Data = {
    "architecture": "folded",
    "data_bits": 32,
    "sbox": "block_ram",
    "key_sboxes": "borrowed",
    "key_schedule": "stored",
    "inverse_rounds": "reordered",
    "state_storage": "shift_registers",
}
LOADED: Data = {
    "architecture": "folded",
    "data_bits": 32,
    "sbox": "block_ram",
    "key_schedule": "loaded",
    "state_storage": "registers",
}
BYTE: Data = {"architecture": "serial", "data_bits": 8, "state_storage": "shift_registers"}
BIT: Data = BYTE | {"data_bits": 1, "key_sboxes": "borrowed"}
DECRYPTS: Data = {"directions": ["decrypt"]}
MEMORY: Data = BYTE | {"key_sboxes": "borrowed", "state_storage": "dual_port_ram"}


def data(how: Data, what: Data | None = None, port: Data | None = None) -> Data:
    width = how.get("data_bits") or 128
    return {"name": "x", "what": what or {}, "how": how, "port": {"width": width} | (port or {})}


def core(how: Data, what: Data | None = None, port: Data | None = None, name: str = "x") -> Spec:
    return Spec.from_data(data(how, what, port) | {"name": name})


def satoh(port: Data | None = None, **how: object) -> Spec:
    return core(SATOH | how, BOTH, HELD | (port or {}))


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


# --- What is refused ------------------------------------------------------------------------


def _full(how: Data, what: Data | None = None, **port: object) -> Data:
    return data(how, what, {"flow": "held", "key_channel": "held", "width": 128, **port})


REFUSED: list[tuple[Data, str]] = [
    (data(SATOH | {"data_bits": None}, BOTH, HELD), "needs data_bits: '32' or '64'"),
    (data(SATOH | {"data_bits": 8}, BOTH, HELD), "needs data_bits: '32' or '64'"),
    (data(BYTE | {"data_bits": 32}), "needs data_bits: '1' or '8'"),
    (data(BYTE | {"state_storage": None}), "needs state_storage"),
    *(
        (data(BYTE | {field: value}), f"so {field} must be left out")
        for field, value in (
            ("rounds", 2),
            ("cuts", ["sub"]),
            ("extra", [1]),
            ("edges", ["out"]),
            ("entry", "batch"),
            ("tiles", 2),
            ("variants", [{}]),
            ("streams", 2),
            ("key_add", "first"),
            ("clear", "reset"),
        )
    ),
    (data(BYTE, None, {"lanes": 2}), "so lanes must be left out"),
    (data(STORED, BOTH, HELD | {"key_slots": 2}), "the full port holds the others"),
    (data(STORED, BOTH | {"bus": "channels32"}, HELD), "bus must be 'none'"),
    (data(BYTE | {"key_schedule": "travelling"}), "takes 'on_the_fly' or 'stored'"),
    # Where the key is.
    (data(SATOH | {"key_start": None}, BOTH, HELD), "key_start says how the next block finds it"),
    (data(FOLDED | {"key_start": "kept"}), "it must be left out"),
    (data(BYTE | {"key_start": "walked"}), "it must be left out"),
    (data(STORED | {"key_start": "walked"}, BOTH, HELD), "it must be left out"),
    (data(BYTE, None, HELD), "the free port takes key_channel 'with_block'"),
    (data(SATOH, BOTH), "key_channel must be 'held'"),
    (data(FOLDED, None, HELD), "takes key_channel 'with_block'"),
    (data(STORED, BOTH), "key_channel must be 'held'"),
    (data(LOADED), "key_channel must be 'held'"),
    (_full(LOADED), "so flow must be 'free'"),
    (data(FOLDED | {"sbox_switch": "three_state"}), "lends to a key_schedule 'stored'"),
    ({"name": "x", "how": {"sbox_switch": "three_state"}}, "sbox_switch 'multiplexer'"),
    # The width of the port.
    (data(BYTE, None, {"width": 128}), "data_bits 8 is as wide as they are: width must be 8"),
    (data(SATOH, BOTH, HELD | {"width": 64}), "width must be 32, not 64"),
    (_full(BYTE, width=8), "width must be 128, not 8"),
    (_full(BYTE, key_channel="with_block"), "key_channel must be 'held'"),
    # Directions.
    (data(SATOH | {"inverse_rounds": None}, BOTH, HELD), "says how its rounds share hardware"),
    (data(BYTE | {"inverse_rounds": "reordered"}), "belongs to a core that decrypts"),
]

NOT_BUILT: list[tuple[Data, str]] = [
    (data(FOLDED | {"state_storage": "dual_port_ram"}), "state_storage 'dual_port_ram'"),
    (data(FOLDED | {"sbox": "block_ram"}), "sbox 'block_ram'"),
    (data(FOLDED | {"linear": "mix_add"}), "linear 'mix_add'"),
    (data(SATOH | {"inverse_rounds": "separate"}, BOTH, HELD), "inverse_rounds 'separate'"),
    (data(STORED | {"inverse_rounds": None}, None, HELD), "directions 'encrypt'"),
    (data(STORED | {"data_bits": 64}, BOTH, HELD), "data_bits '64'"),
    (data(STORED | {"sbox": "table"}, BOTH, HELD), "sbox 'table'"),
    (data(STORED | {"key_sboxes": "own"}, BOTH, HELD), "key_sboxes 'own'"),
    (data(STORED | {"inverse_rounds": "equivalent"}, BOTH, HELD), "inverse_rounds 'equivalent'"),
    (data(LOADED | {"inverse_rounds": "reordered"}, BOTH, HELD), "directions 'encrypt, decrypt'"),
    (data(LOADED | {"state_storage": "dual_port_ram"}, None, HELD), "state_storage"),
    (data(LOADED | {"key_sboxes": "borrowed"}, None, HELD), "key_sboxes 'borrowed'"),
    (data(BYTE | {"key_sboxes": "borrowed"}), "key_sboxes 'borrowed'"),
    (data(BIT | {"key_sboxes": "own"}), "key_sboxes 'own'"),
    (data(BYTE | {"linear": "minimal"}), "linear 'minimal'"),
    (data(BYTE | {"sbox": "block_ram"}), "sbox 'block_ram'"),
    (data(BYTE | {"state_storage": "registers"}), "state_storage 'registers'"),
    (data(BYTE | {"key_schedule": "stored"}), "key_schedule 'stored'"),
    (data(BYTE, {"directions": ["decrypt"]}), "directions 'decrypt'"),
    (data(BYTE | {"inverse_rounds": "equivalent"}, BOTH), "inverse_rounds 'equivalent'"),
    (data(MEMORY | {"inverse_rounds": "reordered"}, BOTH), "directions 'encrypt, decrypt'"),
    (data(MEMORY | {"data_bits": 1}), "data_bits '1'"),
    (data(MEMORY | {"key_sboxes": "own"}), "key_sboxes 'own'"),
    (data(BYTE, {"cipher": "serpent"}), "data_bits '8'"),
    (data(BIT, {"cipher": "serpent"} | DECRYPTS), "directions 'decrypt'"),
]


def _label(value: object) -> str:
    return value if isinstance(value, str) else ""


@pytest.mark.parametrize(("data", "reason"), REFUSED, ids=_label)
def test_nonsense_is_refused_with_the_reason(data: Data, reason: str) -> None:
    with pytest.raises(RoundsmithError) as caught:
        Spec.from_data(data)
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)
    assert str(caught.value).endswith(".")


@pytest.mark.parametrize(("data", "reason"), NOT_BUILT, ids=_label)
def test_what_is_not_built_is_refused_by_name(data: Data, reason: str) -> None:
    with pytest.raises(RoundsmithError) as caught:
        Spec.from_data(data)
    assert reason in str(caught.value)
    assert "is part of the design space but not built yet" in str(caught.value)


def test_ready_made_round_keys_have_no_full_port() -> None:
    spec = core(LOADED, None, HELD)
    assert not spec.has_full
    assert spec.key_port_bits == 44 * 32
    with pytest.raises(RoundsmithError, match="takes all round keys ready made"):
        spec.full()


#: Values of every choice of a narrow core, to try them against each other.
CHOICES: Data = {
    "directions": [("encrypt",), ("decrypt",), ("encrypt", "decrypt")],
    "architecture": [Architecture.FOLDED, Architecture.SERIAL],
    "data_bits": [1, 8, 32, 64],
    "sbox": [Sbox.CELLS, Sbox.BLOCK_RAM],
    "key_sboxes": list(KeySboxes),
    "linear": [Linear.DIRECT, Linear.MINIMAL],
    "key_schedule": list(KeySchedule),
    "key_start": [None, *KeyStart],
    "inverse_rounds": [None, "reordered"],
    "state_storage": list(StateStorage),
}


def test_any_combination_is_legal_or_refused_in_one_sentence() -> None:
    legal = set()
    for values in itertools.product(*CHOICES.values()):
        how = dict(zip(CHOICES, values, strict=True))
        what = {"directions": how.pop("directions")}
        for channel in KeyChannel:
            try:
                spec = core(how, what, {"key_channel": channel})
            except RoundsmithError as error:
                assert str(error).endswith(".")
                assert "\n" not in str(error)
                continue
            legal.add(spec.hash())
            assert spec.port.key_channel is spec.native_channel
            assert spec.how.cuts == ()
            assert Spec.from_toml(spec.to_toml()) == spec
            assert clear_cycles(spec) >= spec.beats
            assert initiation_interval(spec) >= core_latency_cycles(spec) >= spec.beats
            if spec.has_full:
                assert spec.full().native() == spec
                assert spec.full().port.width == 128
                assert fifo_depth(spec.full()) in {1, 2}
                assert clear_cycles(spec.full()) == clear_cycles(spec)
    # 80 with keys on the fly in two or one columns, 3 with stored ones, one with loaded ones, and 6
    # serial ones.
    assert len(legal) == 90


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


@pytest.mark.parametrize("made", narrow.MODULES, ids=lambda m: m.name)
def test_parameters_of_the_tool_are_those_of_the_module(made: narrow.Module) -> None:
    spec = next(spec for spec, _ in STATED if narrow.module(spec).name == made.name)
    text = next(RTL.rglob(f"{made.name}.sv")).read_text().partition("\n) (")[0]
    declared = re.findall(r"^  parameter\s+[\w ]+?\s+(\w+)\s+=", text, re.MULTILINE)
    parameters = list(generate.core_parameters(spec))
    # Where other lengths than 128 bits are not built, the mask is left at its default.
    assert parameters == [n for n in declared if n != "Lengths" or n in parameters]


def test_values_of_the_tool_are_those_of_the_package() -> None:
    text = (RTL / "aes/folded/rsm_aes_folded_pkg.sv").read_text()
    pairs: list[tuple[str, dict[Any, str]]] = [
        ("key_sboxes_e", generate.KEY_SBOXES),
        ("rows_e", generate.ROWS),
        ("key_start_e", generate.KEY_STARTS),
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
        lambda p, *a, **k: read(p, *a, **k) + ("wire x;" if p.parent.name == "ecp5" else ""),
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


# --- A folder of all round keys -----------------------------------------------------------------


def test_the_exported_bench_sends_all_round_keys(tmp_path: Path) -> None:
    spec = catalogue.find("mcmillan-folded")
    export.write(spec, tmp_path)
    files = [tmp_path / f"{spec.module}.v", tmp_path / f"tb/{spec.module}_tb.v"]
    program = iverilog.build(files, tmp_path / "bench.vvp", top=f"{spec.module}_tb")
    answer = iverilog.run(program, cwd=tmp_path).strip().splitlines()
    assert answer == [f"{len(transfers(spec))} passed, 0 failed"]
    vector = next(v for v in aes.VECTORS if len(v.key) == 16)
    text = (tmp_path / f"{spec.module}.md").read_text()
    assert f"key_i       = 1408'h{key_frame(spec, vector.key).hex()}\n" in text


def test_a_file_goes_through_a_core_of_round_keys(tmp_path: Path) -> None:
    spec = catalogue.find("mcmillan-folded")
    source, sealed = tmp_path / "source", tmp_path / "sealed"
    source.write_bytes(bytes(range(100)))
    encrypt.cipher_file(spec, "00" * 16, source, sealed, progress=lambda *_: None)
    assert sealed.read_bytes() == aes.encrypt(bytes(16), aes.pad(source.read_bytes()))


# --- Traffic --------------------------------------------------------------------------------

#: One core of each width and key channel, natively and in full, with tags.
DRIVEN = {
    "byte": core(BYTE, None, {"tag_bits": 3}, "driven-byte"),
    "byte-full": core(BYTE, None, {"tag_bits": 3}, "driven-byte").full(),
    "byte-both": core(BYTE | {"inverse_rounds": "reordered"}, BOTH, None, "driven-byte-both"),
    "bit": core(BIT, None, None, "driven-bit"),
    "column": core(FOLDED, None, {"tag_bits": 3}, "driven-column").full(),
    "columns": core(
        SATOH | {"data_bits": 64}, BOTH, HELD | {"tag_bits": 3}, "driven-columns"
    ).full(),
    "loaded": core(LOADED, None, HELD, "driven-loaded"),
    "keys-256": core(SATOH, LONG, HELD, "driven-keys-256").full(),
}
ANY: Data = {"key_bits": [128, 192, 256]}
DRIVEN_LONG = {
    "any-key": core(SATOH, BOTH | ANY, HELD, "driven-any-key").full(),
    "any-key-wide": core(
        SATOH | {"data_bits": 64, "key_sboxes": "own"}, BOTH | ANY, HELD, "driven-any-key-wide"
    ).full(),
    "any-key-beside": core(FOLDED, ANY, {"tag_bits": 3}, "driven-any-key-beside").full(),
    "keys-256-beside": core(
        FOLDED | {"key_sboxes": "borrowed"}, {"key_bits": [256]}, None, "driven-keys-256-beside"
    ).full(),
    "keys-192-beside": core(
        FOLDED | {"key_sboxes": "borrowed"}, {"key_bits": [192]}, None, "driven-keys-192-beside"
    ),
    "any-key-beside-borrowed": core(
        FOLDED | {"key_sboxes": "borrowed"}, ANY, {"tag_bits": 3}, "driven-any-key-beside-borrowed"
    ).full(),
    "keys-256-kept": core(SATOH | {"key_start": "kept"}, LONG, HELD, "driven-keys-256-kept"),
    "any-key-kept": core(
        SATOH | {"key_start": "kept"}, BOTH | ANY, HELD, "driven-any-key-kept"
    ).full(),
    "keys-192": core(SATOH, BOTH | {"key_bits": [192]}, HELD, "driven-keys-192"),
    "keys-192-back": core(
        SATOH | {"inverse_rounds": None},
        {"directions": ["decrypt"], "key_bits": [192]},
        HELD,
        "driven-keys-192-back",
    ).full(),
}


@pytest.mark.parametrize(
    "name", [*DRIVEN, *(pytest.param(name, marks=pytest.mark.long) for name in DRIVEN_LONG)]
)
def test_every_question_is_answered(name: str) -> None:
    spec = (DRIVEN | DRIVEN_LONG)[name]
    answers = verify.check(verify.Bench(spec, name, verify.rtl(spec)), SEED, 200)
    assert answers.blocks > 400
    assert answers.latency_cycles == latency_cycles(spec)
    assert answers.cycles_per_block == cycles_per_block(spec)


@pytest.mark.parametrize(
    ("formula", "sentence"),
    [
        ("latency_cycles", "it, back-to-back blocks with 128-bit keys: block 0 took "),
        ("initiation_interval", "it, back-to-back blocks with 128-bit keys: block "),
        ("clear_cycles", "it, random clears and resets: cycle "),
    ],
)
def test_a_wrong_formula_is_found(
    formula: str, sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = DRIVEN["byte-both"]
    bench = verify.Bench(spec, "it", verify.rtl(spec))
    right = getattr(formulas, formula)
    monkeypatch.setattr(formulas, formula, lambda *a, **k: right(*a, **k) + 1)
    with pytest.raises(VerificationFailed) as caught:
        verify.check(bench, SEED, 200)
    assert str(caught.value).startswith(sentence)


def test_the_slowest_cores_get_fewer_blocks() -> None:
    spec = DRIVEN["byte-both"]
    bench = verify.Bench(spec, "it", verify.rtl(spec))
    limit = verify.LONGEST
    try:
        verify.LONGEST = 50 * 336
        assert verify.check(bench, SEED).blocks < 50 * 4
    finally:
        verify.LONGEST = limit


def test_a_frame_is_sent_beat_by_beat() -> None:
    """A bit a cycle: the vector of the standard comes out right, and one wrong bit is seen."""
    spec = DRIVEN["bit"]
    vector = next(v for v in aes.VECTORS if len(v.key) == 16)
    given = simulate.stimulus(spec, [vector.key], vector.plaintext)
    run = simulate.run(verify.rtl(spec), spec, given, Traffic())
    assert run.message() == vector.ciphertext
    run.results["data"][0, 15] ^= 1
    with pytest.raises(VerificationFailed, match="block 0 is wrong"):
        verify.compare(verify.Bench(spec, "it", Path()), given, run)


def test_round_keys_are_those_of_the_standard() -> None:
    key = bytes.fromhex("2b7e151628aed2a6abf7158809cf4f3c")
    spec = core(LOADED, None, HELD)
    given = simulate.stimulus(spec, [key], bytes(16))
    assert given.sent[0].hex().startswith(key.hex() + "a0fafe17")
    assert given.sent[0].hex().endswith("d014f9a8c9ee2589e13f0cc8b6630ca6")
    assert len(given.sent[0]) == 176
    assert np.array_equal(given.key_bits(), [128])


def test_a_bus_is_no_narrow_port() -> None:
    chip = catalogue.find("lutz-rijndael-chip")
    assert chip.what.bus is Bus.CHANNELS32
    assert not chip.is_narrow
    assert chip.native_width == 128
