"""The generated parts of the README: tables made from records, and nothing else."""

import csv
from collections.abc import Callable, Mapping

from roundsmith import catalogue, records, targets
from roundsmith import spec as formulas
from roundsmith.errors import RoundsmithError
from roundsmith.paths import DATA
from roundsmith.records import Measurement
from roundsmith.report import circuits, cores
from roundsmith.spec import Sbox, Spec

FPGA = "ecp5-85k:6"
CELLS = "asic:osu018"


def update(text: str) -> str:
    """Return the README with every generated part made anew from the records."""
    return fill(text, PARTS, "README.md")


def fill(text: str, parts: Mapping[str, Callable[[], str]], page: str) -> str:
    """Return the `text` of a page with what `parts` make between the marks of their names."""
    for name, make in parts.items():
        begin, end = f"<!-- {name}: made by `make docs` -->\n", f"<!-- end of {name} -->"
        if begin not in text or end not in text:
            raise RoundsmithError(f"{page} lacks the marks of its generated part '{name}'.")
        head, _, rest = text.partition(begin)
        _, _, tail = rest.partition(end)
        text = head + begin + make() + end + tail
    return text


def _row(*cells: object) -> str:
    return "| " + " | ".join(str(cell) for cell in cells) + " |\n"


def _current(spec: Spec, target: str) -> list[Measurement]:
    return records.current(spec, targets.parse(target))


def fpga_table() -> str:
    """Return every core on the FPGA, natively and behind the full port."""
    text = _row("core", "S-box", "cycles/block", "latency", "LUT4", "FF", "EBR", "MHz", "Mbit/s",
                "Mbit/s per kLUT", "verified")  # fmt: skip
    text += _row("---", "---", *["---:"] * 8, "---")
    for spec in catalogue.everything():
        found = _current(spec, FPGA)
        if not found:
            raise RoundsmithError(
                f"{spec.name} has no record of the design as it is on {FPGA}; "
                f"`roundsmith measure {spec.name} --target {FPGA}` makes one."
            )
        m = found[0]
        text += _row(
            f"`{spec.name}`",
            str(spec.how.sbox).replace("_", " "),
            f"{formulas.cycles_per_block(spec):g}",
            formulas.latency_cycles(spec),
            f"{m.lut:,}",
            f"{m.ff:,}",
            m.block_ram,
            f"{m.fmax_mhz:.1f}",
            f"{m.throughput_mbps:,.0f}",
            f"{m.mbps_per_klut:,.0f}",
            "RTL, netlist" if cores.is_verified(spec) else "no",
        )
    return text


def cells_table() -> str:
    """Return the cores without block RAM in standard cells."""
    text = _row("core", "GE, area-driven", "GE, delay-driven", "ns", "Mbit/s", "Mbit/s per kGE")
    text += _row("---", *["---:"] * 5)
    for spec in catalogue.everything():
        found = {m.flow.partition("-")[0]: m for m in _current(spec, CELLS)}
        if spec.how.sbox is Sbox.BLOCK_RAM or len(found) < 2:
            continue
        small, fast = found["area"], found["delay"]
        text += _row(
            f"`{spec.name}`",
            f"{small.area_ge:,.0f}",
            f"{fast.area_ge:,.0f}",
            f"{fast.cycle_ns:.2f}",
            f"{fast.throughput_mbps:,.0f}",
            f"{fast.mbps_per_kge:,.0f}",
        )
    return text


def published_table() -> str:
    """Return what the paper printed for the core that is built after it."""
    path = DATA / "published" / "saggese-2003-figure-5.csv"
    lines = [line for line in path.read_text().splitlines() if not line.startswith("#")]
    row = next(r for r in csv.DictReader(lines) if r["design"] == "Iterative")
    text = _row("published", "device", "slices", "block RAM", "MHz", "Gbit/s")
    text += _row("---", "---", *["---:"] * 4)
    return text + _row(
        "Saggese et al. 2003, Fig. 5, Iterative",
        "Virtex-E 2000-8",
        row["slices"],
        row["block_ram"],
        row["clock_mhz"],
        row["throughput_gbps"],
    )


PARTS: dict[str, Callable[[], str]] = {
    "FPGA figures": fpga_table,
    "standard-cell figures": cells_table,
    "published figures": published_table,
    "circuit records": circuits.records_table,
}
