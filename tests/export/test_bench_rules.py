"""The exported benches check that what is offered stays as it is until it is taken."""

import re
from pathlib import Path

import pytest

from roundsmith import catalogue, export
from roundsmith.base.errors import ToolError
from roundsmith.spec import Bus, Mode, Spec
from roundsmith.tools import iverilog

CTR = catalogue.find("iterative-lut4").with_mode(Mode.CTR)


def restless(bench: str, port: str, ready: str) -> str:
    """Return a bench whose core has a bit of `port` turned while what it offers is not taken.

    What is taken is right all the same.
    """
    declared = re.compile(rf"^  wire +((?:\[\d+:0\])? *){port};$", re.M)
    (match,) = declared.finditer(bench)
    turned = f"wire {match[1]}right;\n  wire {match[1]}{port} = right ^ !(&{ready});"
    bench, count = re.subn(rf"\.{port}( *)\({port}\)", rf".{port}\1(right)", bench)
    assert count == 1
    return declared.sub(f"  {turned}", bench)


@pytest.mark.parametrize(
    ("spec", "port", "ready"),
    [
        (catalogue.find("iterative-table-full"), "out_block_o", "out_ready_i"),
        (CTR, "out_data_o", "out_ready_i"),
        (catalogue.find("saggese-iterative-5-cbc5"), "out_data_o", "out_ready_i"),
        (CTR.with_bus(Bus.AXI4_STREAM, self_test=False), "m_axis_tdata", "m_axis_tready"),
    ],
    ids=lambda what: what.name if isinstance(what, Spec) else "",
)
def test_what_is_offered_stays(spec: Spec, port: str, ready: str, tmp_path: Path) -> None:
    folder = tmp_path / "core"
    export.write(spec, folder)
    core, bench = folder / f"{spec.module}.v", folder / f"tb/{spec.module}_tb.v"
    top = f"{spec.module}_tb"
    program = iverilog.build([core, bench], tmp_path / "bench.vvp", top=top)
    assert iverilog.run(program, cwd=folder).splitlines()[-1].endswith(" passed, 0 failed")
    bench.write_text(restless(bench.read_text(), port, ready))
    program = iverilog.build([core, bench], tmp_path / "restless.vvp", top=top)
    with pytest.raises(ToolError):
        iverilog.run(program, cwd=folder)
