"""Check the SystemVerilog: house rules, Verilator and slang without a warning for every core."""

import re
import sys
import tempfile
from pathlib import Path

import pyslang

from roundsmith import catalogue, generate
from roundsmith.paths import RTL
from roundsmith.tools import verilator


def house_rules(path: Path) -> list[str]:
    """Return what in one library file breaks the rules of the house."""
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
        ports = re.findall(r"^  (?:input|output)\s.*?(\w+),?$", header[0], re.MULTILINE)
        found += [
            f"port {p} ends in neither _i, _o nor _ni"
            for p in ports
            if p[-2:] not in {"_i", "_o", "ni"}
        ]
        if "Latency:" not in text.partition("module ")[0]:
            found.append("its header does not say its latency")
    for number, line in enumerate(text.splitlines(), start=1):
        if len(line) > 100:
            found.append(f"line {number} is longer than 100 characters")
        if line != line.rstrip() or "\t" in line:
            found.append(f"line {number} has a tab or ends in a blank")
    return [f"{path.relative_to(RTL)}: {fault}" for fault in found]


def readers(name: str, folder: Path) -> list[str]:
    """Return the warnings of Verilator and slang about one core."""
    spec = catalogue.find(name)
    files = generate.design(spec).write(folder)
    printed = verilator.lint(files, spec.module).splitlines()
    found = [line for line in printed if line.startswith("%")]
    driver = pyslang.driver.Driver()
    driver.addStandardArgs()
    arguments = " ".join(["slang", "-Wextra", "--top", spec.module, *map(str, files)])
    read = driver.parseCommandLine(arguments) and driver.processOptions()
    if not (read and driver.parseAllSources()):
        return [*found, f"{name}: slang cannot read it"]
    driver.reportCompilation(driver.createCompilation(), True)
    complaints = driver.diagEngine.numErrors + driver.diagEngine.numWarnings
    if complaints:
        found.append(f"{name}: slang has {complaints} complaints")
    return found


def main() -> None:
    """Check everything; print each fault and exit with status 1 when there is one."""
    faults = [fault for path in sorted(RTL.rglob("*.sv")) for fault in house_rules(path)]
    with tempfile.TemporaryDirectory() as folder:
        for spec in catalogue.everything():
            faults += readers(spec.name, Path(folder))
    for fault in faults:
        print(fault, file=sys.stderr)
    checked = len(list(RTL.rglob("*.sv")))
    print(f"{checked} RTL files, {len(catalogue.everything())} cores: {len(faults)} faults")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
