"""The plane: names, spaces, fronts, the store, sweeps."""

import itertools
import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from roundsmith import catalogue
from roundsmith.base.errors import RoundsmithError
from roundsmith.cli import cli
from roundsmith.explore import space, structure, sweep
from roundsmith.explore.features import depths, fabric
from roundsmith.explore.front import cost, front
from roundsmith.explore.parts import Link
from roundsmith.explore.space import BOTH, ENCRYPT, Space
from roundsmith.flows import targets
from roundsmith.measure import campaign, measure
from roundsmith.records import index, records
from roundsmith.records.records import Measurement
from roundsmith.spec import Architecture, Cipher, Sbox, Spec, legal_cuts, naming
from tests.rtl.aes.test_sweep import FEW, MANY

OSU = targets.parse("asic:osu018")
ECP5 = targets.parse("ecp5-85k:6")
XCV = "mapped:xcv:plain"  # the fastest one to measure on


def run(*words: str) -> tuple[int, str]:
    """Run the program; return its status and what it printed."""
    found = CliRunner().invoke(cli.app, list(words))
    if isinstance(found.exception, RoundsmithError):
        return 2, str(found.exception)
    return found.exit_code, found.output


# --- Names --------------------------------------------------------------------------------------


def test_every_named_core_has_a_systematic_name_that_means_it() -> None:
    plain = [spec for spec in catalogue.everything() if not spec.has_mode]
    cores = [*plain, *FEW, *MANY]
    named = {naming.systematic(spec): spec for spec in cores if not spec.how.variants}
    for name, spec in named.items():
        meant = naming.parse(name)
        assert meant is not None and meant.hash() == spec.hash()
        assert meant.name == name
    # Two cores share a name only where they are one core.
    assert len(named) == len({spec.hash() for spec in named.values()})


def test_a_systematic_name_is_found_and_builds() -> None:
    spec = catalogue.find("aes128-both-loop2-lut4-stored-sep-c1s")
    assert spec.how.rounds == 2 and spec.how.cuts == ("sbox.1", "sub") and spec.is_both
    assert catalogue.command(spec) == f"roundsmith build {spec.name}"
    assert catalogue.find(spec.full().name) == spec.full()


@pytest.mark.parametrize(
    "name",
    [
        "aes128-enc",  # no architecture: not the canonical name of anything
        "aes128-enc-lut4-loop1-cs",  # another order
        "aes128-enc-loop1-lut4-cq",
        "aes128-up-loop1-lut4-cs",
        "des56-enc-loop1-table-cs",
        "aes128-enc-loop1-table-cs-t1",  # a default that is written out
    ],
)
def test_what_is_no_systematic_name(name: str) -> None:
    assert naming.parse(name) is None
    with pytest.raises(RoundsmithError, match="There is no core named"):
        catalogue.find(name)


def test_a_systematic_name_of_an_illegal_core_says_why() -> None:
    with pytest.raises(RoundsmithError, match="fewer rounds in hardware"):
        catalogue.find("aes128-enc-loop12-lut4-cs")


def test_variants_have_no_systematic_name() -> None:
    spec = next(spec for spec in MANY if spec.how.variants)
    with pytest.raises(RoundsmithError, match="no systematic name tells"):
        naming.systematic(spec)


# --- Spaces -------------------------------------------------------------------------------------


@pytest.mark.parametrize("directions", [ENCRYPT, BOTH])
def test_a_space_has_every_core_once(directions: tuple[str, ...]) -> None:
    found = space.specs(Space(directions=directions), OSU)
    assert len(found) > 200
    assert len({spec.name for spec in found}) == len({spec.hash() for spec in found}) == len(found)
    assert all(spec.what.directions == directions for spec in found)
    assert not any(spec.how.sbox is Sbox.BLOCK_RAM for spec in found)
    known = catalogue.native()
    # A core of the catalogue comes under its own name.
    assert any(spec.name in known for spec in found)


def test_all_cuts_are_all_legal_sets() -> None:
    choices = {
        "architecture": (Architecture.LOOP,),
        "rounds": (1,),
        "sbox": (Sbox.MUX_TREE,),
        "linear": ("minimal",),
        "key_schedule": ("on_the_fly",),
    }
    found = space.specs(Space(choices=choices, cuts="all"), ECP5)
    points = legal_cuts(found[0])
    # Without any register there would be no loop.
    assert {spec.how.cuts for spec in found} == {
        cuts
        for count in range(1, len(points) + 1)
        for cuts in itertools.combinations(points, count)
    }


@pytest.mark.parametrize("name", ["aes128-enc-loop1-lut4-cs", "aes128-both-loop1-gf4-reord-cs"])
def test_balanced_cuts_have_the_shortest_longest_stage(name: str) -> None:
    spec = catalogue.find(name)
    chain = structure.parts(spec).chain
    depth = depths(fabric(ECP5, ""))
    balanced = space.balanced(spec, ECP5)
    assert [len(cuts) for cuts in balanced] == sorted({len(cuts) for cuts in balanced})
    for cuts in balanced:
        best = structure.longest(structure.stages(chain, cuts), depth)
        for other in itertools.combinations(legal_cuts(spec), len(cuts)):
            assert best <= structure.longest(structure.stages(chain, other), depth) + 1e-9


def test_stages_of_a_ring_are_cut_where_it_says() -> None:
    chain = tuple(Link("levels", 1.0, cut, 1) for cut in "abcd")
    lengths = {
        (): [4],
        ("a",): [4],
        ("b",): [4],
        ("a", "c"): [2, 2],
        ("a", "d"): [1, 3],
        ("a", "b", "c", "d"): [1, 1, 1, 1],
    }
    for cuts, wanted in lengths.items():
        assert sorted(map(len, structure.stages(chain, cuts))) == sorted(wanted)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--sbox", "gold"), "--sbox has no value 'gold'"),
        (("--keys", "64"), "--keys is 128, 192, 256"),
        (("--directions", "up"), "--directions is encrypt, decrypt or both"),
        (("--front", "lut"), "--front takes two or three of"),
        (("--cuts", "nowhere"), "--cuts has no point 'nowhere'"),
        (("--architecture", "loop", "--cuts", "mix,sub"), "No legal core has these choices"),
    ],
)
def test_what_is_no_choice_is_said(words: tuple[str, ...], said: str) -> None:
    status, text = run("explore", "--target", "ecp5-85k", "--estimate", *words)
    assert status == 2 and said in text


def test_estimates_of_a_space_are_shown_with_their_front() -> None:
    status, text = run(
        "explore", "--target", "ecp5-85k", "--architecture", "loop", "--estimate", "--json"
    )
    data = json.loads(text[text.index("{") :])
    assert status == 0 and 1 < len(data["front"]) < len(data["estimates"])
    by_name = {one["name"]: one for one in data["estimates"]}
    for a, b in itertools.pairwise(by_name[name] for name in data["front"]):
        assert a["lut"] < b["lut"] and a["throughput_mbps"] < b["throughput_mbps"]


def test_pruning_leaves_the_front_of_the_estimates() -> None:
    specs = space.specs(Space(choices={"architecture": (Architecture.LOOP,)}), ECP5)
    kept = {spec.name for spec in sweep.pruned(specs, ECP5)}
    best = front(sweep.estimates(specs, ECP5), sweep.area, cost("throughput_mbps"))
    assert {one.spec.name for one in best} <= kept and len(kept) < len(specs)


def test_the_shipped_sweep_is_wide_and_has_the_papers() -> None:
    for name, least in (("asic:osu018", 200), ("mapped:xcve", 200), ("ecp5-85k:6", 60)):
        target = targets.parse(name)
        found = sweep.standard(target)
        assert len({spec.hash() for spec in found}) == len(found) >= least
        papers = {
            spec.name
            for spec in catalogue.native().values()
            if spec.paper and spec.what.cipher is Cipher.AES and not spec.has_mode
            if space.stands_on(spec, target)
        }
        assert papers <= {spec.name for spec in found}


# --- Fronts -------------------------------------------------------------------------------------


@pytest.mark.parametrize("figures", [2, 3])
def test_a_front_is_what_nothing_beats(figures: int) -> None:
    rng = random.Random(figures)
    points = [tuple(rng.randrange(12) for _ in range(figures)) for _ in range(150)]
    costs = [lambda point, i=i: point[i] for i in range(figures)]
    best = front(points, *costs)

    def beats(a: tuple[int, ...], b: tuple[int, ...]) -> bool:
        return a != b and all(x <= y for x, y in zip(a, b, strict=True))

    assert set(best) == {p for p in points if not any(beats(q, p) for q in points)}
    assert len(set(best)) == len(best)


def test_more_throughput_is_better_and_none_is_worst() -> None:
    common = {"target": "t", "cycles_per_block": 1.0, "flow": "f", "design_hash": "", "tools": {}}
    made = [
        Measurement(name="slow", lut=100, throughput_mbps=10.0, **common),
        Measurement(name="fast", lut=200, throughput_mbps=20.0, **common),
        Measurement(name="worse", lut=250, throughput_mbps=15.0, **common),
        Measurement(name="none", lut=150, **common),
    ]
    best = front(made, cost("lut"), cost("throughput_mbps"))
    assert [one.name for one in best] == ["slow", "fast"]


# --- The store ----------------------------------------------------------------------------------


@pytest.fixture
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Give the test a folder of its own for records and caches."""
    monkeypatch.setenv("ROUNDSMITH_RECORDS", str(tmp_path / "records"))
    monkeypatch.setenv("ROUNDSMITH_CACHE", str(tmp_path / "cache"))
    records.forget()
    yield tmp_path
    records.forget()


def _record(spec: Spec, lut: int, *, digest: str | None = None) -> Measurement:
    target = targets.parse(XCV)
    return Measurement(
        name=spec.name,
        target=XCV,
        lut=lut,
        cycles_per_block=1.0,
        flow="mapped: area only",
        design_hash=digest or records.design_hash(spec, target),
        tools={},
    )


def test_the_store_has_what_is_true_of_the_cores_as_they_are(own_folder: Path) -> None:
    one, other = catalogue.find("smallest-lut"), catalogue.find("aes128-enc-loop1-lut4-cs")
    records.append(_record(one, 1))
    records.append(_record(one, 2))
    records.append(_record(other, 3))
    records.append(_record(other, 4, digest="another core"))
    with index.opened() as database:
        found = {r.spec.name: r.record.lut for r in database.results()}
        assert found == {one.name: 2, other.name: 3}
        assert database.results() == database.results([XCV])
        target = targets.parse(XCV)
        for spec in (one, other):
            for goal in (target, None):
                assert database.design_hash(spec, goal) == records.design_hash(spec, goal)

    # What is added is seen, a line on its way is not, and another file is read anew.
    path = own_folder / "records" / "measurements.jsonl"
    records.append(_record(one, 5))
    with path.open("a") as file:
        file.write('{"name": "half')
    with index.opened() as database:
        assert {r.record.lut for r in database.results()} == {5, 3}
    path.write_text(_record(other, 7).model_dump_json() + "\n")
    with index.opened() as database:
        assert [r.record.lut for r in database.results()] == [7]
    path.write_text("no record\n")
    with pytest.raises(RoundsmithError, match="a line that is not a record"), index.opened():
        pass


def test_the_store_agrees_with_the_shipped_records() -> None:
    with index.opened() as database:
        found = database.results(["ecp5-85k:6"])
    assert found
    for result in found[:6]:
        assert result.record in records.current(result.spec, ECP5)


# --- Sweeps -------------------------------------------------------------------------------------


def test_a_sweep_keeps_what_it_measured_and_goes_on(
    own_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("explore", "--target", XCV, "--architecture", "serial", "--data-bits", "8")
    words += ("--sbox", "lut4", "--no-prune", "--jobs", "1", "--json", "--first")
    monkeypatch.setattr(sys, "argv", ["roundsmith"])
    status, text = run(*words, "1")
    lines = (own_folder / "records" / "measurements.jsonl").read_text().splitlines()
    assert status == 0 and len(lines) == 1
    assert json.loads(text[text.index("{") :])["measured"] == 1

    # Now nothing may be measured that has a record.
    tried = []

    def refuse(spec: Spec, *_: object, **__: object) -> list[Measurement]:
        tried.append(spec.name)
        raise RoundsmithError("measured again")

    monkeypatch.setattr(measure, "measure", refuse)
    pairs = [campaign.Pair(s, targets.parse(XCV)) for s in map(catalogue.find, _names(lines))]
    outcomes = campaign.run(pairs, jobs=1, report=lambda *_: None)
    assert not tried and [len(outcome.found) for outcome in outcomes] == [1]


def _names(lines: list[str]) -> list[str]:
    return [json.loads(line)["name"] for line in lines]


#: Whose structures must be among what was measured, and cores of no paper beside them.
PAPERS = {
    OSU.name: {None, "Satoh 2001", "Lutz 2002"},
    ECP5.name: {None, "Chodowiec 2003", "Standaert 2003", "Saggese 2003"},
}


def _does_as_much(spec: Spec, other: Spec) -> bool:
    ours, theirs = spec.what, other.what
    return (
        ours.cipher is theirs.cipher
        and set(ours.key_bits) >= set(theirs.key_bits)
        and set(ours.directions) >= set(theirs.directions)
    )


@pytest.mark.parametrize("target", [OSU, ECP5], ids=lambda target: target.name)
def test_the_front_is_at_least_as_good_as_every_paper(target: targets.Target) -> None:
    """Of each paper's own structure, a point of the front does as much, no larger, no slower."""
    with index.opened() as database:
        found = [r for r in database.results([target.name]) if r.record.throughput_mbps]
    assert {r.spec.paper for r in found} >= PAPERS[target.name]
    for own in found:
        flow = own.record.flow.partition(":")[0].partition(",")[0]
        alike = [
            r for r in found if r.record.flow.startswith(flow) and _does_as_much(r.spec, own.spec)
        ]
        if own.spec.paper:
            best = front(alike, sweep.area, cost("throughput_mbps"))
            assert any(
                sweep.area(point) <= sweep.area(own)
                and point.record.throughput_mbps >= own.record.throughput_mbps
                for point in best
            ), own.spec.name


@pytest.mark.parametrize(
    ("target", "least"), [(OSU, 200), (targets.parse("mapped:xcve"), 200), (ECP5, 60)]
)
def test_the_shipped_records_are_rich(target: targets.Target, least: int) -> None:
    """A new user's first answer has a whole plane behind it, of cores as they are."""
    with index.opened() as database:
        cores = {r.spec.hash() for r in database.results([target.name])}
    assert len(cores) >= least
