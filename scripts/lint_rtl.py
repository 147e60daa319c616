"""Check the SystemVerilog: house rules, and Verilator and slang without a warning.

They read every core of the catalogue, with the technology cells of every family, cores with every
kind of round and key schedule and in every mode of operation, a bench with the circuits that no
core instantiates, and the board examples. `JOBS` in the environment sets the number of processes;
without it, there is one for each processor.
"""

import os
import re
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import cycle, product
from pathlib import Path

import pyslang

from roundsmith import catalogue
from roundsmith.base import paths
from roundsmith.base.errors import ToolError
from roundsmith.base.paths import RTL
from roundsmith.design import elaborate, generate, tech
from roundsmith.design.ciphers import aes
from roundsmith.spec import Bus, Mode, Spec
from roundsmith.spec.sboxes import constructions
from roundsmith.tools import verilator


def house_rules(path: Path) -> list[str]:
    """Return what in one file breaks the rules of the house."""
    text = path.read_text()
    found = []
    if not text.startswith("// SPDX-License-Identifier: Apache-2.0\n"):
        found.append("the first line is not the license")
    declared = re.findall(r"^(?:module|package) (\w+)", text, re.MULTILINE)
    if declared != [path.stem]:
        found.append(f"holds {declared}, not the one module {path.stem}")
    if not path.stem.startswith("rsm_"):
        found.append("its name does not start with rsm_")
    header = re.search(r"^module .*?^\);", text, re.MULTILINE | re.DOTALL)
    if header:
        ports = re.findall(r"^  (?:input|output)\s.*?(\w+),?(?:\s*//.*)?$", header[0], re.MULTILINE)
        found += [
            f"port {p} ends in none of _i, _o, _ni and _no"
            for p in ports
            if p[-2:] not in {"_i", "_o", "ni", "no"}
        ]
        if "Latency:" not in text.partition("module ")[0]:
            found.append("its header does not say its latency")
    for number, line in enumerate(text.splitlines(), start=1):
        if len(line) > 100:
            found.append(f"line {number} is longer than 100 characters")
        if re.search(r"\w'\(\s*[~-]", line.partition("//")[0]):
            # Verilator widens `x` in 32'(~x) before it inverts it; slang and Yosys widen after.
            found.append(f"line {number} casts the result of ~ or -: give it a name first")
        if line != line.rstrip() or "\t" in line:
            found.append(f"line {number} has a tab or ends in a blank")
    return [f"{path.parent.name}/{path.name}: {fault}" for fault in found]


def readers(files: Sequence[Path], top: str, flags: Sequence[str] = ()) -> list[str]:
    """Return the warnings of Verilator, with extra `flags`, and slang about module `top`."""
    try:
        # Warnings are not fatal here, or Verilator would only say how many there are.
        printed = verilator.lint(files, top, [*flags, "-Wno-fatal"]).splitlines()
    except ToolError as error:
        return [str(error)]
    found = [line for line in printed if line.startswith("%")]
    driver = pyslang.driver.Driver()
    driver.addStandardArgs()
    defines = [flag for flag in flags if flag.startswith("-D")]
    arguments = " ".join(["slang", "-Wextra", *defines, "--top", top, *map(str, files)])
    read = driver.parseCommandLine(arguments) and driver.processOptions()
    if not (read and driver.parseAllSources()):
        return [*found, f"{top}: slang cannot read it"]
    driver.reportCompilation(driver.createCompilation(), True)
    complaints = driver.diagEngine.numErrors + driver.diagEngine.numWarnings
    if complaints:
        found.append(f"{top}: slang has {complaints} complaints")
    return found


_PORT = re.compile(r"^  (input|output) +(?:logic|\w+_t) *(\[[^]]*\])? +(\w+)", re.MULTILINE)
_CUTS = re.compile(r"parameter logic \[(\d+):0\] Cuts")

ORDERS = ("Encrypt", "Decrypt", "Equivalent", "Both", "BothEquivalent")
DIRECTIONS = ("Forward", "Inverse", "Both")


def circuits() -> str:
    """Return a bench with every S-box at no cut and all cuts, and the selectors in every way."""
    made = []
    for path in sorted((RTL / "aes/sbox").glob("rsm_aes_*_*.sv")):
        cuts = _CUTS.search(path.read_text())
        masks = (f".Cuts({int(cuts[1]) + 1}'d0)", ".Cuts('1)") if cuts else ("",)
        made += [(path, mask) for mask in masks if path.stem != "rsm_aes_sub_bytes"]
    sub_bytes = RTL / "aes/sbox/rsm_aes_sub_bytes.sv"
    for one, way in product(constructions("aes"), DIRECTIONS):
        if one.has_inverse or way == "Forward":
            made.append((sub_bytes, f".Sbox({one.value}), .Direction(Direction{way})"))
    linear = RTL / "aes/linear/rsm_aes_linear.sv"
    layers = [value for value in aes.LINEARS.values() if value != "LinearInMemory"]
    for layer, order in product(layers, ORDERS):
        made.append((linear, f".Linear({layer}), .Order(Order{order}), .Cut(1'b1)"))
    declared: dict[str, str] = {}
    body = []
    for number, (path, parameters) in enumerate(made):
        header = path.read_text().partition("\n);")[0].partition("\nmodule ")[2]
        pins = []
        for direction, width, port in _PORT.findall(header):
            bits = "[127:0]" if path == linear and port in _BLOCKS else width
            bits = bits.replace("8*Bytes-1", "127")
            name = f"y{number}_{port}" if direction == "output" else _input(port, bits)
            declared[name] = f"{direction} logic {bits} {name}"
            pins.append(f".{port} ({name})")
        body.append(f"  {path.stem} #({parameters}) u_{number} ({', '.join(pins)});")
    ports = ",\n  ".join(declared.values())
    return "\n".join(
        [f"module circuits\n  import rsm_aes_pkg::*;\n(\n  {ports}\n);", *body, "endmodule", ""]
    )


_BLOCKS = {"state_i", "early_key_i", "key_i", "state_o"}


def _input(port: str, bits: str) -> str:
    """Return one input of the bench for all ports of the same name and width."""
    return f"{port.removesuffix('_i')}{bits.partition(':')[0].strip('[')}_i"


#: How a core can go about its directions: directions, inverse_rounds, key_add.
WAYS: list[tuple[list[str], str | None, str]] = [
    (["encrypt"], None, "last"),
    (["encrypt"], None, "first"),
    (["decrypt"], None, "last"),
    (["decrypt"], "equivalent", "last"),
    (["encrypt", "decrypt"], "separate", "last"),
    (["encrypt", "decrypt"], "reordered", "last"),
    (["encrypt", "decrypt"], "mirrored", "first"),
    (["encrypt", "decrypt"], "equivalent", "last"),
]

#: Architectures and their key schedules.
SCHEDULES = (
    ("loop", "on_the_fly"),
    ("loop", "stored"),
    ("pipe", "travelling"),
    ("pipe", "stored"),
)


def varied() -> list[Spec]:
    """Return a core of every way in every schedule, with one key length and several by turns."""
    made = []
    for (architecture, schedule), (directions, inverse, key_add) in product(SCHEDULES, WAYS):
        stored = schedule == "stored"
        if stored and key_add == "first":
            continue
        several = len(made) % 2 == 1
        how = {"architecture": architecture, "key_schedule": schedule, "key_add": key_add}
        data = {
            "name": f"varied-{len(made)}",
            "what": {"key_bits": [128, 192, 256] if several else [128], "directions": directions},
            "how": how | {"cuts": ["round"]} | ({"inverse_rounds": inverse} if inverse else {}),
            "port": {
                "key_channel": "held" if stored or "decrypt" in directions else "with_block",
                "key_slots": 2 if stored and several else 1,
            },
        }
        made.append(Spec.from_data(data))
    return made


#: Cores that modes of operation stand around: with several keys, and with one and no decryption.
UNDER_MODES = ("aesany-both-loop1-table-stored-equiv-cr-slots4", "iterative-lut4")

#: Cores with one key at a time, narrow ones with several key lengths and batches among them.
UNDER_XTS = ("satoh-1", "serpent-folded-both", "lutz-serpent")


def in_modes() -> list[Spec]:
    """Return a core in every mode that it can have."""
    made = []
    for name, mode in product(UNDER_MODES, Mode):
        if mode is not Mode.NONE:
            made.append(catalogue.find(name).with_mode(mode))
    made += [catalogue.find(name).with_mode(Mode.XTS) for name in UNDER_XTS]
    return made


#: What streams of a mode stand around, and how many there are, with how many key slots each.
UNDER_STREAMS = (
    ("aesany-both-loop1-table-stored-equiv-cr", Mode.CBC, 3, 2),
    ("saggese-iterative-5", Mode.CMAC, 6, 1),
    ("saggese-tiled-2", Mode.OFB, 2, 1),
    ("serpent-iterative", Mode.CFB8, 16, 1),
)


def with_streams() -> list[Spec]:
    """Return cores with several streams: keys beside the block or stored, tiles, Serpent.

    Each of them also behind AXI4-Stream, in one of its widths.
    """
    made = []
    widths = cycle((8, 32, 128, 512))
    for name, mode, streams, key_slots in UNDER_STREAMS:
        data = catalogue.find(name).full().model_dump()
        data["name"] = f"streams-{len(made)}"
        data["what"] |= {"mode": mode}
        data["how"] |= {"streams": streams}
        data["port"] |= {"tag_bits": 0, "key_slots": key_slots}
        alone = Spec.from_data(data)
        on_bus = alone.with_bus(Bus.AXI4_STREAM).model_dump()
        on_bus["port"] |= {"stream_bits": next(widths)}
        made += [alone, Spec.from_data(on_bus)]
    return made


#: A bus with what else changes its top: mode, self-test, fields of the port.
BUSES: list[tuple[Bus, Mode, bool, dict[str, int]]] = [
    (Bus.AXI4_LITE, Mode.GCM, True, {}),
    (Bus.WISHBONE, Mode.CMAC, False, {}),
    (Bus.APB, Mode.CBC, True, {}),
    (Bus.AXI4_STREAM, Mode.CTR, False, {"stream_bits": 8}),
    (Bus.AXI4_STREAM, Mode.CBC, True, {"stream_bits": 128, "stream_id_bits": 4}),
    (Bus.AXI4_STREAM, Mode.CCM, False, {"stream_bits": 512, "stream_id_bits": 1}),
]


def behind_buses() -> list[Spec]:
    """Return a core behind every bus, with one key and key length, and with several."""
    several = Spec.from_data(
        {
            "name": "several",
            "what": {"key_bits": [128, 256], "directions": ["encrypt", "decrypt"]},
            "how": {"key_schedule": "stored", "inverse_rounds": "equivalent", "cuts": ["round"]},
            "port": {"key_channel": "held", "key_slots": 3},
        }
    )
    made = []
    for base in (catalogue.find("iterative-lut4"), several):
        for bus, mode, self_test, port in BUSES:
            data = base.with_mode(mode).with_bus(bus, self_test=self_test).model_dump()
            data["name"] += f"-{len(made)}"
            made.append(Spec.from_data(data | {"port": data["port"] | port}))
    return made


#: The technology cells of every target.
ROOMS = (tech.GENERIC, tech.ECP5, tech.ICE40, tech.XILINX, tech.VIRTEX)

#: The board examples, each with the cells of its family.
BOARDS = {RTL.parent / "boards/icebreaker/rsm_icebreaker_aes.sv": tech.ICE40}


def core_faults(spec: Spec) -> list[str]:
    """Check one core with the technology cells of every family."""
    libraries = [generate.design(spec, rooms) for rooms in ROOMS]
    faults = []
    # The folder is this core's alone: other processes write their tops at the same time.
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for design in {design.library: design for design in libraries}.values():
            faults += readers(design.write(folder), spec.module)
        if spec.is_full or spec.has_mode:  # there most modules with assertions stand
            faults += readers(libraries[0].write(folder), spec.module, verilator.ASSERT)
    return faults


def board_faults(board: Path) -> list[str]:
    """Check one board example with the cells of its family."""
    library = elaborate.library(board.stem, board.read_text(), BOARDS[board]).files
    return readers([*library, board], board.stem)


def circuit_faults() -> list[str]:
    """Check the bench of the circuits."""
    with tempfile.TemporaryDirectory() as scratch:
        bench = Path(scratch) / "circuits.sv"
        bench.write_text(circuits())
        # What only whole cores use of the package is unused here.
        return readers([*paths.library(), bench], "circuits", ["-Wno-UNUSEDPARAM"])


def processes() -> int:
    """Return how many processes check at a time."""
    text = os.environ.get("JOBS") or str(os.cpu_count() or 1)
    if not re.fullmatch(r"[1-9][0-9]*", text):
        sys.exit(f"JOBS is {text!r}: it must be a whole number from 1. Try JOBS=2.")
    return int(text)


def main() -> None:
    """Check everything; print each fault and exit with status 1 when there is one."""
    jobs = processes()
    files = [*sorted(RTL.rglob("*.sv")), *BOARDS]
    faults = [fault for path in files for fault in house_rules(path)]
    cores = [
        *catalogue.everything(),
        *varied(),
        *in_modes(),
        *with_streams(),
        *behind_buses(),
    ]
    with ProcessPoolExecutor(jobs) as pool:
        of_circuits = pool.submit(circuit_faults)  # one long task: it starts first
        of_cores = pool.map(core_faults, cores)
        of_boards = pool.map(board_faults, BOARDS)
        # The order of the faults does not depend on which process ends first.
        for found in (*of_cores, *of_boards, of_circuits.result()):
            faults += found
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"{len(files)} RTL files, {len(cores)} cores: {len(faults)} faults")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
