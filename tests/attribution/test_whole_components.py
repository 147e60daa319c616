"""What a core with whole rounds is made of, by the names of its instances."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyslang.ast import Compilation, GenerateBlockSymbol, InstanceSymbol, VisitAction
from pyslang.syntax import SyntaxTree

from roundsmith import catalogue
from roundsmith.attribution import cell_components
from roundsmith.attribution.ciphers import aes, serpent
from roundsmith.attribution.instances import UNNAMED, named
from roundsmith.design import generate
from roundsmith.flows import targets
from roundsmith.flows.asic import FLIP_FLOPS
from roundsmith.measure import measure
from roundsmith.records import records
from roundsmith.records.records import Measurement
from roundsmith.report import figures, published
from roundsmith.spec import Cipher, Linear, Spec, naming

#: GE of instances, with all that is below them.
PATHS = {
    "": 100.0,
    "u_core": 90.0,
    "u_core.gen_loop.u_loop": 60.0,
    "u_core.gen_loop.u_loop.u_round": 52.0,
    "u_core.gen_loop.u_loop.u_round.u_sub_bytes": 30.0,
    "u_core.gen_loop.u_loop.u_round.u_sub_bytes.u_sbox": 25.0,
    f"u_core.gen_loop.u_loop.u_round.u_sub_bytes.u_sbox.{FLIP_FLOPS}": 5.0,
    "u_core.gen_loop.u_loop.u_round.u_linear": 10.0,
    "u_core.gen_loop.u_loop.u_round.u_linear.u_mix_columns": 7.0,
    "u_core.gen_loop.u_loop.u_round.u_linear.u_cut": 1.0,
    "u_core.gen_loop.u_loop.u_round.gen_both.u_inv_mix_columns": 2.0,
    "u_core.gen_loop.u_loop.u_round.u_cut_round": 8.0,
    "u_core.gen_loop.u_loop.gen_on_the_fly.u_cut_round": 3.0,
    "u_core.u_key_store": 25.0,
    "u_core.u_key_store.u_expander.u_sub_word": 6.0,
    "u_core.u_key_store.u_expander.u_cut_sub": 1.0,
    "u_flow": 7.0,
}

#: Linear layers that are apart from the key addition.
ADDED_APART = set(Linear) - {Linear.GATED, Linear.MIX_ADD, Linear.IN_MEMORY}

LUTZ = {row["core"] for row in published.rows("lutz-2002-figure-3.csv")}


def test_every_instance_counts_once() -> None:
    assert aes.components(PATHS) == {
        "S-boxes of the state": 30.0,
        "linear layer": 9.0,
        "key addition and choice": 4.0,
        "registers of the round": 9.0,
        "S-boxes of the key schedule": 6.0,
        # Registers of keys are of the keys, whatever their name.
        "rest of the key schedule": 22.0,
        "port": 7.0,
        "entry and control": 13.0,
    }
    assert sum(aes.components(PATHS).values()) == PATHS[""]


def test_an_instance_that_a_rule_does_not_know_is_said_to_be_one() -> None:
    paths = {"": 10.0, "u_core": 10.0, "u_core.u_loop": 9.0, "u_core.u_loop.u_new": 4.0}
    assert aes.components(paths) == {"entry and control": 6.0, UNNAMED: 4.0}
    assert named("a.u_x.u_y", {"u_x": "x"}, {"": "rest"}) == "x"


def test_the_choice_of_stored_keys_is_told_in_a_line() -> None:
    paths = {"": 9.0, "u_core": 9.0, "u_core.gen_pipe.u_pipe": 5.0, "u_core.u_key_store": 3.0}
    assert aes.components(paths) == {
        "choice of stored keys, entry": 5.0,
        "rest of the key schedule": 3.0,
        "entry and control": 1.0,
    }
    del paths["u_core.u_key_store"]
    assert aes.components(paths) == {"entry and control": 9.0}


def test_the_parts_of_a_serpent_core() -> None:
    found = serpent.components(
        {
            "": 100.0,
            "u_core": 90.0,
            f"u_core.{FLIP_FLOPS}": 6.0,
            "u_core.u_key_generator": 30.0,
            "u_core.u_key_generator.u_sub": 20.0,
            "u_core.gen_stage[0].u_round": 40.0,
            "u_core.gen_stage[0].u_round.u_sub": 25.0,
            "u_core.gen_stage[0].u_round.u_linear": 10.0,
            "u_core.gen_stage[0].u_round.u_linear.u_cut_half": 1.0,
            "u_core.gen_stage[0].u_cut_round": 8.0,
            "u_core.gen_on_the_fly.u_sbox": 3.0,
            "u_core.gen_on_the_fly.u_sbox.gen_circuit.u_sbox": 3.0,
            "u_channels32_batch": 9.0,
        }
    )
    assert found == {
        "S-boxes of the state": 25.0,
        "linear layer": 9.0,
        "key addition and choice": 5.0,
        "registers of the round": 9.0,
        # The registers of round keys beside their generator, too.
        "key schedule": 39.0,
        "port": 9.0,
        "entry and control": 4.0,
    }
    stored = {"": 9.0, "u_core": 9.0, "u_core.u_key_store": 3.0, "u_core.u_loop": 4.0}
    assert serpent.components(stored) == {
        "choice of stored keys, entry": 2.0,
        "key schedule": 3.0,
        "entry and control": 4.0,
    }


# --- Every core -----------------------------------------------------------------------------


def whole_cores() -> list[Spec]:
    named = [spec for name in sorted(LUTZ) if (spec := naming.parse(name)) is not None]
    return [spec for spec in catalogue.everything() if not spec.is_narrow] + named


def instances(spec: Spec) -> dict[str, None]:
    """Return the paths of the instances of a core, one of those that differ in an index alone."""
    design = generate.design(spec)
    compilation = Compilation()
    for file in design.library:
        compilation.addSyntaxTree(SyntaxTree.fromText(file.read_text(), file.stem))
    compilation.addSyntaxTree(SyntaxTree.fromText(design.top, design.module))
    found: dict[str, None] = {}

    def visit(symbol: object) -> VisitAction:
        if isinstance(symbol, GenerateBlockSymbol) and symbol.isUninstantiated:
            return VisitAction.Skip
        if isinstance(symbol, InstanceSymbol):
            path = re.sub(r"\[\d+\]", "", symbol.hierarchicalPath).partition(".")[2]
            if path in found:
                return VisitAction.Skip
            found[path] = None
        return VisitAction.Advance

    (top,) = (t for t in compilation.getRoot().topInstances if t.name == design.module)
    top.body.visit(visit)
    return found


@pytest.mark.parametrize("spec", whole_cores(), ids=lambda spec: spec.name)
def test_every_instance_of_a_core_has_a_component(spec: Spec) -> None:
    rule = {Cipher.AES: aes, Cipher.SERPENT: serpent}[spec.what.cipher]
    paths = dict.fromkeys(instances(spec), 0.0)
    assert "u_core" in paths or spec.how.tiles > 1 or spec.port.lanes > 1
    told = {path: rule.component(path, paths) for path in paths}
    assert UNNAMED not in told.values(), [p for p, part in told.items() if part == UNNAMED]
    # Whatever works on blocks or keys has a component of its own.
    for path, part in told.items():
        name = path.rpartition(".")[2]
        if re.search(r"sub_bytes|sub_word|sbox|u_sub|mix|linear|u_key_(?!hold|slots)", name):
            is_control = name.endswith("_control") or part == "port"
            assert part != "entry and control" or is_control, f"{path} is in '{part}'"
    # The key addition of either cipher is of the data path, the linear layer has none of it.
    if spec.how.linear in ADDED_APART:
        rounds = [path for path in paths if re.search(r"\.(u_round|u_linear)$", path)]
        parts = {told[path] for path in rounds if rule is aes}
        assert rounds and parts <= {"key addition and choice"}


# --- Records --------------------------------------------------------------------------------


@pytest.fixture
def no_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("ROUNDSMITH_RECORDS", str(tmp_path))
    records.forget()
    yield
    monkeypatch.undo()
    records.forget()


@pytest.mark.usefixtures("no_records")
def test_components_of_an_older_rule_are_not_shown() -> None:
    spec, target = catalogue.find("lutz-figure-4"), targets.parse("asic:osu018")
    old = [
        Measurement(
            name=spec.name,
            target=target.name,
            cycles_per_block=10,
            area_ge=100.0,
            cycle_ns=5.0,
            flow=f"{aim}: flat test",
            design_hash=records.design_hash(spec, target),
            tools={},
            components={"linear layer": 100.0},
        )
        for aim in ("area-driven", "delay-driven")
    ]
    for record in old:
        records.append(record)
    assert not cell_components.told(spec, old[0]) and not cell_components.shown(spec, old[0])
    assert not any("linear layer" in line for line in figures.details(old, spec, target))
    # The figures still count, and the record is made anew only where that is asked for.
    assert measure.stored(spec, target) == old
    assert measure.stored(spec, target, again=True) is None
    new = [
        record.model_copy(update={"components_rule": cell_components.rule(spec)}) for record in old
    ]
    for record in new:
        records.append(record)
    assert measure.stored(spec, target, again=True) == new
    assert any("linear layer" in line for line in figures.details(new, spec, target))


def test_parts_are_told_again_as_a_whole_measurement_tells_them(own_records: Path) -> None:
    """`--again` makes only the netlist that keeps the instances, and comes to the same record."""
    spec, target = catalogue.find("smallest-ge-8bit"), targets.parse("asic:osu018")
    whole = measure.measure(spec, target, progress=lambda *_: None)
    assert whole[0].components
    for record in whole:
        records.append(record.model_copy(update={"components": {"of another rule": 1.0}}))
    assert measure.stored(spec, target, again=True) is None
    # They are of the design as it is, by the rule of hashes as it is.
    same = [record.model_copy(update=records.identity(spec, target)) for record in whole]
    assert measure.measure(spec, target, progress=lambda *_: None, again=True) == same
