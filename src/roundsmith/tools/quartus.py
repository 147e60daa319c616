"""What Quartus reports of a fitted design: the files `.fit.rpt` and `.sta.rpt`.

Quartus itself is never called: its user runs it. The reports are text, with tables of lines that
begin with a semicolon.
"""

import re
from collections.abc import Iterator, Sequence

from roundsmith.base.errors import ToolError
from roundsmith.tools.vendor_report import VendorReport

#: Families by how the names of their devices begin; a project has to name both.
FAMILIES = {
    "EP2C": "Cyclone II",
    "EP3C": "Cyclone III",
    "EP4CE": "Cyclone IV E",
    "EP4CGX": "Cyclone IV GX",
    "5CE": "Cyclone V",
    "5CG": "Cyclone V",
    "5CS": "Cyclone V",
    "5A": "Arria V",
    "5S": "Stratix V",
    "10M": "MAX 10",
    "10CL": "Cyclone 10 LP",
    "10CX": "Cyclone 10 GX",
    "10A": "Arria 10",
    "1S": "Stratix 10",
}

_VERSIONS = ("Quartus Prime Version", "Quartus II Version", "Quartus II 64-Bit Version")
#: What a count is called, on families of ALMs first, then on those of logic elements.
_LUTS = ("Combinational ALUT usage for logic", "Total combinational functions")
_UNITS = ("Logic utilization (in ALMs)", "Total logic elements")
_MEMORY = re.compile(r"Total RAM Blocks|M\d+Ks?( blocks)?")


def family(part: str) -> str | None:
    """Return the family of a device; None where it is not known."""
    fits = [start for start in FAMILIES if part.upper().startswith(start)]
    return FAMILIES[max(fits, key=len)] if fits else None


def parse(texts: Sequence[str], clock: str) -> VendorReport:
    """Return what the two reports say. Raises ToolError when one is missing or says too little."""
    fits = [text for text in texts if re.search(r"^; Fitter Summary ", text, re.MULTILINE)]
    times = [text for text in texts if "Restricted Fmax" in text and text not in fits]
    if len(texts) != 2 or len(fits) != 1 or len(times) != 1:
        raise ToolError(
            "The reports are not the two that are needed: that of the fitter, NAME.fit.rpt, and "
            "that of the timing analyzer, NAME.sta.rpt."
        )
    fit, timing = _rows(fits[0]), _rows(times[0])
    status = _value(fit, ("Fitter Status",))
    if not status.startswith("Successful"):
        raise ToolError(f"The fitter ended with '{status.partition(' - ')[0]}', without figures.")
    (mark, version), other = _run(fit), _run(timing)
    if (mark, version) != other:
        raise ToolError("The two reports are not of one run.")
    reached = list(_fmax(times[0], clock))
    if not reached:
        raise ToolError(f"The timing report has no fmax of the clock '{clock}'.")
    memories = [_number(value) for name, value in fit.items() if _MEMORY.fullmatch(name)]
    return VendorReport(
        tool="quartus",
        version=version,
        top=_value(fit, ("Top-level Entity Name",)),
        part=_value(fit, ("Device",)),
        mark=mark,
        lut=_number(_value(fit, _LUTS)),
        ff=_number(_value(fit, ("Total registers",))),
        block_ram=max(memories, default=0),
        slices=_number(_value(fit, _UNITS)),
        cells={"virtual_pins": _number(_value(fit, ("Total virtual pins",)))},
        aim_mhz=None,
        fmax_mhz=min(fmax for fmax, _ in reached),
        fmax_capped_mhz=min(min(pair) for pair in reached),
    )


def same_part(part: str, said: str) -> bool:
    """Say whether the `part` of an order code is the device that a report names."""
    return part.upper() == said.upper()


def _run(rows: dict[str, str]) -> tuple[str, str]:
    """Return the revision and the version of Quartus, which only some reports call one."""
    return _value(rows, ("Revision Name",)), _value(rows, _VERSIONS).removeprefix("Version ")


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip(";").split(";")]


def _rows(text: str) -> dict[str, str]:
    """Return the second cell of every row of all tables by the first; the first such row counts."""
    rows: dict[str, str] = {}
    for line in text.splitlines():
        cells = _cells(line) if line.startswith(";") else []
        if len(cells) > 1 and cells[1]:
            rows.setdefault(cells[0].lstrip("- "), cells[1])
    return rows


def _value(rows: dict[str, str], names: Sequence[str]) -> str:
    for name in names:
        if name in rows:
            return rows[name]
    raise ToolError(f"A report of Quartus has no row '{' or '.join(names)}'.")


def _number(value: str) -> int:
    """Return the first number of a cell such as `1,234 / 32,070 ( 4 % )`."""
    digits = re.match(r"[\d,]+", value)
    if digits is None:
        raise ToolError(f"A report of Quartus has '{value}' where a number is due.")
    return int(digits[0].replace(",", ""))


def _fmax(text: str, clock: str) -> Iterator[tuple[float, float]]:
    """Yield fmax and restricted fmax of a clock from every table that has them, in MHz."""
    columns: list[str] = []
    for line in text.splitlines():
        cells = _cells(line) if line.startswith(";") else []
        if "Restricted Fmax" in cells:
            columns = cells
        elif len(cells) != len(columns) or not line.startswith((";", "+")):
            columns = columns if line.startswith("+") else []
        elif columns and cells[columns.index("Clock Name")] == clock:
            free, bound = (cells[columns.index(c)] for c in ("Fmax", "Restricted Fmax"))
            yield float(free.split(" ")[0]), float(bound.split(" ")[0])
