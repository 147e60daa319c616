"""Cores behind a bus, driven by bus masters of the `cocotbext` packages, with random stalls."""

from contextlib import suppress
from pathlib import Path

import pytest
from cocotb_tools.check_results import get_results
from cocotb_tools.runner import get_runner

from roundsmith import catalogue
from roundsmith.design import generate
from roundsmith.spec import Bus, Mode, Spec
from roundsmith.tools import verilator


def simulate(spec: Spec, bench: str, folder: Path, **environment: object) -> tuple[int, int]:
    """Run the cocotb bench on `spec`; return how many tests ran and how many failed."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in verilator.environment().items():
            # The bench is slower than the model: it is compiled in the quickest way.
            quick = " OPT_FAST=-O1 OPT_SLOW=-O0 OPT_GLOBAL=-O1" if name == "MAKEFLAGS" else ""
            patch.setenv(name, value + quick)
        patch.setenv("COCOTB_ANSI_OUTPUT", "0")
        runner = get_runner("verilator")
        runner.build(
            sources=generate.design(spec).write(folder),
            hdl_toplevel=spec.module,
            build_dir=folder / "build",
            build_args=["--x-assign", "unique", "--x-initial", "unique", "-Wno-fatal", "-O3"],
            log_file=folder / "build.log",
        )
        results = folder / "results.xml"
        # What failed stands in the results.
        with suppress(SystemExit):
            runner.test(
                hdl_toplevel=spec.module,
                test_module=f"{__package__}.cocotb_benches.{bench}",
                build_dir=folder / "build",
                test_dir=folder,
                results_xml=str(results),
                extra_env={f"RSM_{name}": str(value) for name, value in environment.items()},
                log_file=folder / "run.log",
            )
        return get_results(results)


def log(folder: Path) -> str:
    return (folder / "run.log").read_text()[-8000:]


def slow(bits: int) -> object:
    return pytest.param(bits, marks=pytest.mark.long)


def message_core(bus: Bus, *, mode: Mode = Mode.CTR, self_test: bool = False) -> Spec:
    return catalogue.find("iterative-lut4").with_mode(mode).with_bus(bus, self_test=self_test)


@pytest.mark.parametrize(
    ("bus", "self_test", "classic"),
    [
        (Bus.AXI4_LITE, True, False),
        pytest.param(Bus.WISHBONE, False, False, marks=pytest.mark.long),
        pytest.param(Bus.WISHBONE, False, True, marks=pytest.mark.long),
        pytest.param(Bus.APB, False, False, marks=pytest.mark.long),
    ],
)
def test_registers(bus: Bus, self_test: bool, classic: bool, tmp_path: Path) -> None:
    spec = message_core(bus, self_test=self_test)
    settings = {"BUS": bus, "SELF_TEST": int(self_test), "CLASSIC": int(classic), "SEED": 1}
    assert simulate(spec, "registers", tmp_path, **settings) == (7, 0), log(tmp_path)


@pytest.mark.parametrize(
    ("bits", "ids", "self_test"),
    [
        (32, 3, False),
        *(
            pytest.param(*kind, marks=pytest.mark.long)
            for kind in ((8, 0, False), (128, 4, True), (512, 1, False))
        ),
    ],
)
def test_stream(bits: int, ids: int, self_test: bool, tmp_path: Path) -> None:
    spec = message_core(Bus.AXI4_STREAM, self_test=self_test)
    port = spec.port.model_copy(update={"stream_bits": bits, "stream_id_bits": ids or None})
    spec = Spec.from_data(spec.model_copy(update={"port": port}).model_dump())
    settings = {"BITS": bits, "IDS": ids, "SELF_TEST": int(self_test), "SEED": bits}
    assert simulate(spec, "stream", tmp_path, **settings) == (4, 0), log(tmp_path)


@pytest.mark.parametrize("bits", [32, *map(slow, (8, 128, 512))])
def test_mixed_streams(bits: int, tmp_path: Path) -> None:
    data = catalogue.find("saggese-iterative-5-cbc5-axi4-stream").model_dump()
    spec = Spec.from_data(data | {"port": data["port"] | {"stream_bits": bits}})
    settings = {"BITS": bits, "STREAMS": spec.how.streams, "SEED": bits}
    settings |= {"IDS": 3, "SELF_TEST": 0}
    assert simulate(spec, "mixed_streams", tmp_path, **settings) == (2, 0), log(tmp_path)
