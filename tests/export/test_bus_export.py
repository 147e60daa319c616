"""The folder of a core behind a bus: its test bench, LiteX module, FuseSoC core and driver."""

import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from roundsmith import catalogue, export
from roundsmith.base.errors import RoundsmithError, ToolError
from roundsmith.base.paths import DRIVER
from roundsmith.design import generate, packets
from roundsmith.design.registers import writer
from roundsmith.spec import Bus, Mode, Spec
from roundsmith.tools import iverilog, verilator
from tests.support.exported import resealed


def core(bus: Bus, mode: Mode, *, self_test: bool = False, **port: int) -> Spec:
    spec = catalogue.find("iterative-lut4").with_mode(mode).with_bus(bus, self_test=self_test)
    data = spec.model_dump()
    return Spec.from_data(data | {"port": data["port"] | port})


CORES = [
    core(Bus.AXI4_LITE, Mode.GCM, self_test=True),
    core(Bus.WISHBONE, Mode.CMAC, self_test=True),
    core(Bus.APB, Mode.CCM),
    core(Bus.AXI4_STREAM, Mode.CTR, self_test=True),
    core(Bus.AXI4_STREAM, Mode.GCM, stream_bits=8, stream_id_bits=3),
    core(Bus.AXI4_STREAM, Mode.CBC, stream_bits=512),
    core(Bus.AXI4_STREAM, Mode.XTS),
]
IDS = [f"{s.name}{s.port.stream_bits or ''}" for s in CORES]


@pytest.fixture(scope="module", params=CORES, ids=IDS)
def built(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Spec, Path]:
    folder = tmp_path_factory.mktemp("built") / "core"
    export.write(request.param, folder)
    return request.param, folder


def simulate(spec: Spec, folder: Path, vectors: str = "tb/vectors.hex") -> str:
    sources = [folder / f"{spec.module}.v", folder / f"tb/{spec.module}_tb.v"]
    program = iverilog.build(sources, folder / "bench.vvp")
    return iverilog.run(program, cwd=folder, arguments=[f"+vectors={vectors}"])


def test_the_bench_passes_and_can_fail(built: tuple[Spec, Path]) -> None:
    spec, folder = built
    *_, last = simulate(spec, folder).splitlines()
    assert last.endswith(" passed, 0 failed") and int(last.split()[0]) > 3
    lines = (folder / "tb/vectors.hex").read_text().splitlines()
    # The last line that is compared and has data: its lowest digit is changed.
    index = max(
        i
        for i, line in enumerate(lines)
        if (line.startswith("2_") and spec.what.bus is Bus.AXI4_STREAM and "_0" * 4 not in line)
        or (line.startswith("1_6") and line.split("_")[2] != "0" * 8)
    )
    parts = lines[index].split("_")
    place = -1 if spec.what.bus is Bus.AXI4_STREAM else 2
    parts[place] = parts[place][:-1] + f"{int(parts[place][-1], 16) ^ 1:x}"
    lines[index] = "_".join(parts)
    (folder / "wrong.hex").write_text(resealed(lines))
    with pytest.raises(ToolError, match=r"[1-9]\d* passed, 1 failed"):
        simulate(spec, folder, "wrong.hex")
    (folder / "wrong.hex").unlink()


def test_the_driver_comes_with_the_bus(built: tuple[Spec, Path]) -> None:
    spec, folder = built
    if spec.what.bus is Bus.AXI4_STREAM:
        (file,) = (folder / "driver").iterdir()
        assert file.name == "rsm_stream.h" and file.read_text() == packets.c_header()
        page = (folder / f"{spec.module}.md").read_text()
        assert packets.header_table() in page and "`driver/rsm_stream.h`" in page
        return
    assert (folder / "driver/rsm_registers.h").read_text() == writer.c_header()
    for name in ("rsm.c", "rsm.h"):
        assert (folder / "driver" / name).read_bytes() == (DRIVER / name).read_bytes()
    page = (folder / f"{spec.module}.md").read_text()
    assert writer.table() in page


def test_the_datasheet_has_every_port(built: tuple[Spec, Path]) -> None:
    spec, folder = built
    page = (folder / f"{spec.module}.md").read_text()
    for port in generate.ports(spec):
        assert f"| `{port.name}` | {port.direction} | {port.width} |" in page


def test_fusesoc_takes_the_core_file(built: tuple[Spec, Path]) -> None:
    core2 = import_module("fusesoc.capi2.coreparser")
    fusesoc = import_module("fusesoc.core")
    spec, folder = built
    file = str(folder / f"{spec.module}.core")
    parsed = fusesoc.Core(parser=core2.Core2Parser(), core_file=file)
    for target in ("default", "lint", "sim"):
        files = parsed.get_files({"target": target, "is_toplevel": True})
        assert files and all((folder / f["name"]).is_file() for f in files)


@pytest.mark.parametrize("name", ["iterative-lut4", "iterative-lut4-gcm-axi4-stream"])
def test_fusesoc_elaborates_the_core(name: str, tmp_path: Path) -> None:
    """FuseSoC sets a flow up from the core file, and Verilator has nothing to say of the design."""
    spec, folder = catalogue.find(name), tmp_path / "core"
    export.write(spec, folder)
    file = folder / f"{spec.module}.core"

    def lint() -> subprocess.CompletedProcess[str]:
        script = "import sys; from fusesoc.main import main; sys.exit(main())"
        options = ["--config", tmp_path / "fusesoc.conf", "--cores-root", folder]
        (tmp_path / "fusesoc.conf").write_text("")
        version = re.search(r"^name: (\S+)$", file.read_text(), re.MULTILINE)
        assert version is not None
        return subprocess.run(
            [
                *(sys.executable, "-c", script, *options, "run", "--target", "lint"),
                *("--work-root", tmp_path / "work", version[1]),
            ],
            cwd=tmp_path,
            # Its caches are those of the test.
            env=os.environ | verilator.environment() | {"HOME": str(tmp_path)},
            capture_output=True,
            text=True,
        )

    found = lint()
    said = found.stdout + found.stderr
    assert found.returncode == 0, said
    assert "Verilator: Built from" in said and "%Warning" not in said and "%Error" not in said
    (command,) = (tmp_path / "work").glob("*.vc")
    assert "--lint-only" in command.read_text()
    # Without one of its files it is not whole.
    text = file.read_text()
    file.write_text(text.replace("      - rtl/common/rsm_cut.sv\n", ""))
    assert file.read_text() != text
    found = lint()
    assert found.returncode != 0 and "rsm_cut" in found.stdout + found.stderr


#: A SoC around the core, whose Verilog goes to the third argument.
SOC = """
import importlib.util, sys
from pathlib import Path
from litex.build.generic_platform import Pins
from litex.build.io import CRG
from litex.build.sim import SimPlatform
from litex.soc.integration.soc import SoCRegion
from litex.soc.integration.soc_core import SoCCore

file, bus, made = Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])
found = importlib.util.spec_from_file_location("made", file)
module = importlib.util.module_from_spec(found)
found.loader.exec_module(module)
(name,) = (n for n, c in vars(module).items() if getattr(c, "__module__", "") == "made")

platform = SimPlatform("SIM", [("sys_clk", 0, Pins(1))])


class Soc(SoCCore):
    def __init__(self):
        standard = bus.replace("axi4_", "axi-") if bus == "axi4_lite" else "wishbone"
        super().__init__(platform, clk_freq=int(1e6), cpu_type=None, bus_standard=standard,
                         integrated_sram_size=0, with_uart=False, with_timer=False)
        self.crg = CRG(platform.request("sys_clk"))
        self.cipher = getattr(module, name)(platform)
        if bus == "axi4_stream":
            # Out of the core, into the core: every signal of it is used.
            self.comb += self.cipher.source.connect(self.cipher.sink, omit={"user"})
        else:
            region = SoCRegion(origin=0x40001000, size=0x100, cached=False)
            self.bus.add_slave("cipher", self.cipher.bus, region)


soc = Soc()
soc.finalize()
made.write_text(str(platform.get_verilog(soc, name="top")))
"""


def test_litex_elaborates(built: tuple[Spec, Path], tmp_path: Path) -> None:
    """LiteX writes a SoC around the core, and Verilator reads both."""
    spec, folder = built
    file = folder / f"litex/{spec.module}.py"
    assert file.exists() == (spec.what.bus is not Bus.APB)
    if not file.exists():
        return
    script, top = tmp_path / "soc.py", tmp_path / "top.v"
    script.write_text(SOC)
    argv = [sys.executable, script, file, spec.what.bus, top]
    subprocess.run(argv, check=True, cwd=tmp_path, capture_output=True)
    assert f"\n{spec.module} " in top.read_text()
    # Only what cannot be connected is asked for: the style of LiteX is its own.
    quiet = [f"-Wno-{w}" for w in ("lint", "style", "TIMESCALEMOD", "PROCASSINIT", "SYNCASYNCNET")]
    loud = ["-Wwarn-WIDTHTRUNC", "-Wwarn-WIDTHEXPAND"]
    said = verilator.lint([folder / f"{spec.module}.v", top], "top", [*quiet, *loud, "-Wno-fatal"])
    wrong = ("%Error", "PIN", "port connection")
    errors = [line for line in said.splitlines() if any(word in line for word in wrong)]
    assert not errors, errors


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"what": {"bus": "apb"}}, "mode names a mode of operation"),
        ({"what": {"self_test": True}}, "self_test belongs to one of the buses"),
        ({"port": {"stream_bits": 8}}, "stream_bits belongs to bus 'axi4_stream'"),
        ({"port": {"stream_id_bits": 8}}, "stream_id_bits belongs to bus 'axi4_stream'"),
    ],
)
def test_what_makes_no_sense_is_refused(change: dict[str, dict], sentence: str) -> None:
    with pytest.raises(RoundsmithError, match=sentence):
        Spec.from_data({"name": "wrong", **change})
