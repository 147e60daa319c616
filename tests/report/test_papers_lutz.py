"""The comparison of Rijndael and Serpent after Lutz, from records that are made up."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from roundsmith import catalogue
from roundsmith.attribution import cell_components
from roundsmith.flows import targets
from roundsmith.records import records
from roundsmith.records.records import Measurement, PowerEstimate, Verification
from roundsmith.report import papers
from roundsmith.report.papers import lutz, plane
from roundsmith.report.published import rows
from roundsmith.spec import Spec, formulas, naming

Json = dict[str, Any]

#: A whole core of 1,000 GE, by its parts.
PARTS = {
    "S-boxes of the state": 300.0,
    "linear layer": 60.0,
    "key addition and choice": 30.0,
    "registers of the round": 10.0,
    "key schedule": 400.0,
    "choice of stored keys, entry": 50.0,
    "entry and control": 150.0,
}


@pytest.fixture(autouse=True)
def no_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("ROUNDSMITH_RECORDS", str(tmp_path))
    records.forget()
    yield
    monkeypatch.undo()
    records.forget()


def core(name: str) -> Spec:
    parsed = naming.parse(name)
    return catalogue.find(name) if parsed is None else parsed


def measured(name: str, target: str, **figures: Any) -> None:
    """Store a delay-driven record of 1,000 GE and 2 ns, or what else is said."""
    spec, goal = core(name), targets.parse(target)
    known: Json = {
        "area_ge": 1000.0,
        "cycle_ns": 2.0,
        "ff": 100,
        "flow": "delay-driven: test",
        "components": PARTS,
        "components_rule": cell_components.rule(spec),
    }
    interval = formulas.cycles_per_block(spec)
    known |= {"cycles_per_block": interval, "throughput_mbps": 64000 / interval} | figures
    digest = records.design_hash(spec, goal)
    records.append(
        Measurement(name=spec.name, target=goal.name, design_hash=digest, tools={}, **known)
    )


def verified(name: str) -> None:
    spec = core(name)
    records.append(
        Verification(
            name=spec.name,
            target=None,
            design_hash=records.design_hash(spec, None),
            blocks=1,
            latency_cycles=formulas.latency_cycles(spec),
            cycles_per_block=formulas.cycles_per_block(spec),
            key_setup_encrypt_cycles=21,
            key_setup_decrypt_cycles=21,
            tools={},
        )
    )


def table(label: str) -> list[Json]:
    papers_shown: list[Json] = papers.json("lutz")
    (found,) = (t for t in papers_shown[0]["tables"] if t["table"] == label)
    made: list[Json] = found["rows"]
    return made


def plane_row(label: str, cipher: str, rounds: int) -> Json:
    return next(
        row
        for row in table(label)
        if (row["what"]["cipher"], row["what"]["rounds"]) == (cipher, str(rounds))
    )


def test_a_core_of_figure_3_has_area_time_and_key_agility() -> None:
    measured("lutz-serpent", "asic:osu018")
    verified("lutz-serpent")
    row = plane_row("level ground, 0.18 µm", "Serpent", 4)
    assert row["ours"] == {
        "round_ge": 100.0,
        "subkeys_ge": 450.0,
        "area_ge": 1000.0,
        "throughput_gbps": 8.0,
        "latency_cycles": 32,
        "latency_ns": 64.0,
        "encryption_key_cycles": 21,
        "encryption_key_ns": 42.0,
        "decryption_key_cycles": 21,
        "decryption_key_ns": 42.0,
        "turn_cycles": 21,
        "turn_ns": 42.0,
    }
    assert not row["missing"] and len(row["records"]) == 2
    old = plane_row("level ground, 0.5 µm", "Serpent", 4)
    assert old["ours"]["round_ge"] is None and old["ours"]["latency_cycles"] == 32
    assert old["missing"] == ["roundsmith measure lutz-serpent --target asic:osu050"]


def test_several_key_lengths_are_shown_for_the_shortest() -> None:
    (name,) = (r["core"] for r in rows("lutz-2002-figure-3.csv") if r["rounds"] == "14")
    spec = core(name)
    verified(name)
    measured(name, "ecp5-85k:6", flow="place and route: test", lut=9000, fmax_capped_mhz=100.0)
    row = plane_row("level ground, ECP5", "Rijndael", 14)["ours"]
    assert row["latency_cycles"] == formulas.latency_cycles(spec, 128) == 20
    assert row["latency_cycles"] < formulas.latency_cycles(spec)
    assert (row["latency_ns"], row["lut"], row["turn_cycles"]) == (200.0, 9000, 0)


def test_the_plane_is_that_of_figure_3_on_every_target() -> None:
    names = [row["core"] for row in rows("lutz-2002-figure-3.csv")]
    for made in plane.tables():
        assert len(made.rows) == len(names)
        for name, row in zip(names, made.rows, strict=True):
            assert any(f" {name} " in command for command in row.missing)


def test_parts_by_an_older_rule_are_asked_for_again() -> None:
    measured("lutz-serpent", "asic:osu018", components_rule=None)
    (row,) = (r for r in table("Figure 3") if r["ours"]["core"] == "lutz-serpent")
    assert row["ours"]["throughput_gbps"] == 8.0 and row["ours"]["data_path_ge"] is None
    assert "roundsmith measure lutz-serpent --target asic:osu018 --again" in row["missing"]
    measured("lutz-serpent", "asic:osu018")
    (row,) = (r for r in table("Figure 3") if r["ours"]["core"] == "lutz-serpent")
    assert row["ours"]["data_path_ge"] == 400.0


def test_feedback_has_both_pairs_and_says_what_was_measured() -> None:
    pairs = [
        ("both", "lutz-figure-4", 10),
        ("both", "serpent256-both-loop1-min-sep-cr", 32),
        ("encryption", "iterative-composite", 10),
        ("encryption", "serpent-iterative", 32),
    ]
    for _, name, _ in pairs:
        measured(name, "asic:osu050", cycle_ns=10.0)
        verified(name)
    found = table("section 5")
    for row, (directions, name, cycles) in zip(found, pairs, strict=True):
        assert (row["what"]["directions"], row["ours"]["core"]) == (directions, name)
        assert row["ours"]["old_mbps"] == pytest.approx(12800 / cycles)
        assert row["published"]["mbps"] == (500 if directions == "both" else None)
        assert row["missing"] == [f"roundsmith measure {name} --target asic:osu018"]
    (made,) = (t for t in lutz.tables() if t.label == "section 5")
    assert "about 500 Mbit/s" in made.remarks[0]
    assert "1,280 Mbit/s with Rijndael and 400 with Serpent in 0.5 µm" in made.remarks[0]


def test_feedback_without_records_says_only_what_is_expected() -> None:
    (made,) = (t for t in lutz.tables() if t.label == "section 5")
    assert made.remarks[0].endswith("such a round.")


def test_the_chip_has_transistors_and_mm2_once_it_is_measured() -> None:
    verified("lutz-serpent")
    verified("lutz-serpent-chip")
    lines = {row["what"]["figure"]: row for row in table("Table 1")}
    assert lines["transistors"]["ours"]["serpent"] is None
    wanted = {
        f"roundsmith measure lutz-serpent-chip --target asic:{t}" for t in ("osu018", "osu050")
    }
    assert wanted <= set(lines["transistors"]["missing"])
    measured("lutz-serpent-chip", "asic:osu050", area_ge=60_000.0)
    measured("lutz-serpent", "asic:osu050")
    lines = {row["what"]["figure"]: row for row in table("Table 1")}
    ours = {figure: row["ours"]["serpent"] for figure, row in lines.items()}
    assert ours["transistors"] == 240_000
    assert lines["transistors"]["ratio"] == {"rijndael": None, "serpent": 0.8}
    assert ours["OSU 0.5 µm: with channels, GE"] == 60_000
    # A NAND of OSU's 0.5 µm cells is drawn with 216 µm².
    assert ours["chip, estimated, mm²"] == 12.96
    assert ours["subkey generation, mm²"] == 0.1
    assert ours["a round, mm²"] == 0.02
    assert ours["chip, laid out, mm²"] is None


def test_a_core_of_figure_3_has_its_energy_once_it_is_estimated() -> None:
    name = "aes128n256-both-loop1-shared-mixmin-stored-reord-c1r"
    before = [row["what"]["core"] for row in table("energy")]
    assert name not in before
    spec, target = core(name), targets.parse("asic:osu018")
    records.append(
        PowerEstimate(
            name=spec.name,
            target=target.name,
            flow="test",
            blocks=1,
            cycles_per_block=10,
            voltage=1.8,
            energy_pj=6400.0,
            energy_pj_per_bit=50.0,
            switching_pj=1.0,
            internal_pj=1.0,
            clock_pj=1.0,
            design_hash=records.design_hash(spec, target),
            tools={},
        )
    )
    found = table("energy")
    assert [row["what"]["core"] for row in found] == [*before, name]
    assert found[-1]["ours"]["energy_pj_per_bit"] == 50.0
