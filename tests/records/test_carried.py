"""Records outlive the rule by which their designs were hashed, and say what identifies a design."""

import json
from collections import Counter
from pathlib import Path

import pytest

from roundsmith import catalogue
from roundsmith.base.errors import RoundsmithError
from roundsmith.design import elaborate, generate
from roundsmith.flows import targets
from roundsmith.records import index, record_check, records
from roundsmith.records.records import Carried, Verification

SPEC = catalogue.find("smallest-ge")


def _seen(design_hash: str) -> Verification:
    return Verification(name=SPEC.name, target=None, blocks=1, tools={}, design_hash=design_hash)


def _carry(*lines: tuple[str, str]) -> None:
    with records.carried_path().open("a") as file:
        for old, new in lines:
            file.write(Carried(old=old, new=new, rule=9, design="").model_dump_json() + "\n")
    records.forget()


def test_a_carried_record_is_true_of_its_design(no_records: Path) -> None:
    """Over two rules, without a change to the record itself."""
    records.append(_seen("0" * 64))
    before = (no_records / "verifications.jsonl").read_text()
    assert records.simulated(SPEC) is None
    _carry(("0" * 64, "1" * 64))
    assert records.simulated(SPEC) is None
    with index.opened() as store:
        assert not store.verified(SPEC)
    _carry(("1" * 64, records.design_hash(SPEC, None)))
    assert records.simulated(SPEC) is not None
    with index.opened() as store:
        assert store.verified(SPEC) == ("RTL",)
    assert (no_records / "verifications.jsonl").read_text() == before


def test_a_carried_file_that_is_broken_is_said(no_records: Path) -> None:
    records.append(_seen("0" * 64))
    records.carried_path().write_text('{"old": 1}\n')
    records.forget()
    with pytest.raises(RoundsmithError, match=r"carried\.jsonl, line 1, is not a record"):
        records.verifications()


def test_every_line_carries_records_to_one_hash() -> None:
    """What no record has needs no line, and under one rule two designs are never made one."""
    lines = [json.loads(line) for line in records.carried_path().read_text().splitlines()]
    assert lines
    stored = "".join(path.read_text() for path in records.folders()[0].glob("*.jsonl"))
    stored += (records.folders()[0].parent / "tuning" / "trials.jsonl").read_text()
    for line in lines:
        held = (f'"design_hash":"{line["old"]}"', f'"new":"{line["old"]}"')
        assert held[0] in stored or held[1] in stored, line
    assert set(Counter(line["old"] for line in lines).values()) == {1}
    assert set(Counter(line["new"] for line in lines).values()) == {1}


def test_a_new_record_says_what_identifies_its_design(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its sources change with any code of its files, and with nothing else."""
    target = targets.parse("asic:osu018")
    identity = records.identity(SPEC, target)
    assert identity["rule"] == elaborate.RULE
    assert identity["design_hash"] == records.design_hash(SPEC, target)
    assert identity["sources"] != records.identity(SPEC, None)["sources"]
    read = Path.read_text
    designed = generate.design(SPEC)

    def sources(more: str) -> str:
        with monkeypatch.context() as patch:
            patch.setattr(generate, "design", lambda *_: designed)
            patch.setattr(Path, "read_text", lambda p, *a, **k: read(p, *a, **k) + more)
            return records.sources_hash(SPEC, target)

    assert sources("// a remark\n") == sources("") == identity["sources"]
    assert sources("wire more;") != identity["sources"]


def test_records_are_held_against_their_designs(no_records: Path) -> None:
    with pytest.raises(RoundsmithError, match="There are no records in"):
        record_check.check()
    records.append(_seen(records.design_hash(SPEC, None)))
    gone = _seen("0" * 64)
    records.append(gone.model_copy(update={"name": "smallest-lut"}))
    records.append(gone.model_copy(update={"name": "of-mine"}))
    records.append(gone.model_copy(update={"target": "asic:nowhere.lib"}))
    (found,) = (each for each in record_check.check() if each.lines)
    assert found == record_check.Checked(
        kind="verifications",
        lines=4,
        true=("smallest-ge on rtl",),
        stale=("smallest-lut on rtl",),
        unknown=("of-mine on rtl", "smallest-ge on asic:nowhere.lib"),
    )
