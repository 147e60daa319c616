"""`roundsmith verify` of cores behind a bus: the messages of their mode, through the bus."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from roundsmith import catalogue
from roundsmith.base.errors import VerificationFailed
from roundsmith.cli.cli import app
from roundsmith.flows import synthesize, targets
from roundsmith.reference import openssl
from roundsmith.reference.messages import Question
from roundsmith.simulate import messages
from roundsmith.simulate.messages import Message
from roundsmith.spec import Bus, Mode, Spec, mode_bus_rules
from roundsmith.verify import mode_verify

CORE = "iterative-lut4"

#: A core with several keys of all lengths, in both directions.
KEYS = "aesany-both-loop1-table-stored-equiv-cr-slots4"


def core(bus: Bus, mode: Mode, name: str = CORE, *, self_test: bool = False, **port: int) -> Spec:
    spec = catalogue.find(name).with_mode(mode).with_bus(bus, self_test=self_test)
    data = spec.model_dump()
    return Spec.from_data(data | {"port": data["port"] | port})


def streamed(bits: int) -> Spec:
    """Return a core whose streams share the bus."""
    data = catalogue.find("saggese-iterative-5-cbc5-axi4-stream").model_dump()
    return Spec.from_data(data | {"port": data["port"] | {"stream_bits": bits}})


def slow(*what: object) -> object:
    return pytest.param(*what, marks=pytest.mark.long)


def label(what: object) -> str:
    if not isinstance(what, Spec):
        return ""
    return f"{what.name}{what.port.stream_bits or ''}{'-tested' * what.what.self_test}"


#: Every bus, and every width of AXI4-Stream, with modes that give text, tags and both.
CORES = [
    core(Bus.AXI4_STREAM, Mode.CMAC, stream_bits=32, stream_id_bits=3),
    *map(
        slow,
        [
            core(Bus.AXI4_STREAM, Mode.CMAC, stream_bits=8, stream_id_bits=1),
            core(Bus.AXI4_STREAM, Mode.CTR, stream_bits=16, stream_id_bits=32),
            core(Bus.AXI4_STREAM, Mode.CCM, stream_bits=64),
            core(Bus.AXI4_STREAM, Mode.GCM, self_test=True),
            core(Bus.AXI4_STREAM, Mode.XTS, KEYS, stream_bits=256),
            core(Bus.AXI4_STREAM, Mode.GCM, KEYS, stream_bits=512, stream_id_bits=9),
            core(Bus.AXI4_LITE, Mode.GCM, KEYS),
            core(Bus.AXI4_LITE, Mode.CBC, self_test=True),
            core(Bus.WISHBONE, Mode.OCB, KEYS),
            core(Bus.APB, Mode.CFB8),
            core(Bus.APB, Mode.XTS, KEYS, self_test=True),
            core(Bus.APB, Mode.GCM, self_test=True),
        ],
    ),
]


@pytest.mark.parametrize("spec", CORES, ids=label)
def test_a_core_behind_a_bus_is_verified(spec: Spec, own_records: Path) -> None:
    (record,) = mode_verify.verify(spec, None, seed=5)
    assert record.name == spec.name and record.blocks > 1000


@pytest.mark.long
@pytest.mark.parametrize("bus", [Bus.AXI4_STREAM, Bus.APB])
def test_so_is_its_netlist(bus: Bus, own_records: Path) -> None:
    spec, target = core(bus, Mode.CTR), targets.parse("ecp5-85k")
    found = mode_verify.verify(spec, target, seed=6)
    assert [record.target for record in found] == [None, target.name]
    assert found[1].blocks > 1000


def checked(spec: Spec, fault: tuple[str, str, str], folder: Path) -> None:
    """Check `spec` with a fault in one of its files: what stands there, and what in its place."""
    name, right, wrong = fault
    files = []
    for path in synthesize.sources(spec):
        if path.name == name:
            text = path.read_text()
            assert text.count(right) == 1
            path = folder / name
            path.write_text(text.replace(right, wrong))
            name = ""
        files.append(path)
    assert not name, "the core does not have this file"
    mode_verify.check(spec, messages.build(spec, files), spec.name, 5)


STREAM = core(Bus.AXI4_STREAM, Mode.CMAC, stream_bits=32, stream_id_bits=3)
LITE = core(Bus.AXI4_LITE, Mode.GCM)
FAULTS = [
    # The key overtakes a message whose header is there.
    (STREAM, ("rsm_axi4_stream_key.sv", "~(hold_i & ~here_q[0])", "1'b1"), "gives the tag"),
    slow(
        STREAM,
        ("rsm_axi4_stream.sv", "room = tids_ready & ~key_comes_i", "room = tids_ready"),
        r"gives the tag|has a right tag",
    ),
    slow(
        STREAM,
        ("rsm_axi4_stream.sv", ".in_data_i   (beat_tid)", ".in_data_i   (~beat_tid)"),
        "m_axis_tid is that of another packet",
    ),
    slow(
        LITE,
        ("rsm_register_port.sv", "push | (in_q & ~in_ready_i)", "push"),
        "never ended|no longer accepts",
    ),
    slow(
        core(Bus.AXI4_LITE, Mode.CMAC),
        ("rsm_register_port.sv", "key_q & ~message_q;", "key_q;"),
        "gives the tag|has a right tag",
    ),
    slow(
        LITE,
        ("rsm_axi4_lite.sv", "else if (bready_i) begin", "else begin"),
        "an answer that was not taken has gone",
    ),
    slow(
        LITE,
        (
            "rsm_axi4_lite.sv",
            "else if (rready_i) begin",
            "else if (!rready_i) begin\n      rdata_o <= ~rdata_o;\n    end else begin",
        ),
        "an answer changed while it waited",
    ),
]


@pytest.mark.parametrize(("spec", "fault", "sentence"), FAULTS, ids=label)
def test_a_fault_is_found(
    spec: Spec, fault: tuple[str, str, str], sentence: str, tmp_path: Path
) -> None:
    with pytest.raises(VerificationFailed, match=sentence):
        checked(spec, fault, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize(
    "spec",
    [
        core(Bus.AXI4_STREAM, Mode.GCM, stream_bits=32),
        core(Bus.AXI4_STREAM, Mode.CBC, stream_bits=512, stream_id_bits=2),
        core(Bus.AXI4_LITE, Mode.CTR),
        streamed(32),
    ],
    ids=label,
)
def test_clear_overwrites_the_bus_too(spec: Spec, tmp_path: Path) -> None:
    """After `clear_i`, two cores that saw different keys and messages are bit for bit the same."""
    built = messages.build(spec, synthesize.sources(spec), savable=True)
    states = []
    for secret in (3, 4):
        random = np.random.default_rng(secret)
        key, text = random.bytes(16), random.bytes(64)
        sent = [Message(key, text, iv=random.bytes(12 if spec.what.mode is Mode.GCM else 16))] * 3
        for cleared in (True, False):
            save = tmp_path / f"{secret}-{cleared}"
            messages.run(built, spec, sent, save=save, end_clear=cleared)
            states.append(save.read_bytes())
    assert states[0] == states[2], "the state after clear_i depends on keys or messages"
    assert states[1] != states[3], "the comparison must see the state"


def call(*words: object) -> str:
    answer = CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=False)
    assert answer.exit_code == 0, answer.output
    return answer.output


def test_a_file_goes_through_a_bus(tmp_path: Path) -> None:
    """The name of a core behind a bus runs as any other."""
    plain, there, back = (tmp_path / name for name in ("plain", "there", "back"))
    plain.write_bytes(bytes(range(250)) * 3)
    key, iv = "2b7e151628aed2a6abf7158809cf4f3c", "f0f1f2f3f4f5f6f7f8f9fafb"
    options: Sequence[object] = ("run", f"{CORE}-gcm-apb", "--key", key, "--iv", iv)
    printed = call(*options, "--in", plain, "--out", there)
    question = Question(
        "gcm", bytes.fromhex(key), plain.read_bytes(), bytes.fromhex(iv), tag_bytes=16
    )
    right = openssl.gcm(question)
    assert there.read_bytes() == right.text and f"tag {right.tag.hex()}" in printed
    call(*options, "--decrypt", "--tag", right.tag.hex(), "--in", there, "--out", back)
    assert back.read_bytes() == plain.read_bytes()


def test_a_bus_promises_when_a_clear_is_done() -> None:
    inside = catalogue.find(CORE).with_mode(Mode.CTR)
    plain = mode_bus_rules.clear_cycles(inside)
    assert mode_bus_rules.clear_cycles(inside.with_bus(Bus.APB)) == plain + 1
    assert mode_bus_rules.clear_cycles(inside.with_bus(Bus.AXI4_STREAM)) == plain
    assert mode_bus_rules.clear_cycles(core(Bus.AXI4_STREAM, Mode.CTR, stream_id_bits=1)) == max(
        8, plain
    )
