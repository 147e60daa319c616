"""The generated parts of the README: tables made from records, and nothing else."""

from collections.abc import Callable, Mapping

from roundsmith import catalogue
from roundsmith.base.errors import RoundsmithError
from roundsmith.flows import targets
from roundsmith.records import records
from roundsmith.records.records import Measurement
from roundsmith.report import circuits, cores
from roundsmith.spec import Spec

FPGA = "ecp5-85k"
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


def _measured(target: str) -> list[tuple[Spec, list[Measurement]]]:
    """Return the native cores with records of the design as it is on `target`.

    A row whose record is no longer true is gone from the table, and so the page is stale.
    """
    found = [(spec, _current(spec, target)) for spec in catalogue.native().values()]
    return [(spec, records_) for spec, records_ in found if records_]


def cores_table() -> str:
    """Return what every core does, in cycles."""
    text = _row("core", "paper", "rounds in hardware", "S-box", "keys", "schedule", "directions",
                "cycles/block", "latency", "in flight", "key set-up", "verified")  # fmt: skip
    text += _row(*["---"] * 7, *["---:"] * 4, "---")
    for spec in catalogue.native().values():
        row = cores.describe(spec)
        setup = [row[f"key_setup_{way}_cycles"] for way in ("encrypt", "decrypt")]
        text += _row(
            f"`{spec.name}`",
            spec.paper or "",
            "all" if spec.is_pipe else spec.how.rounds * spec.how.tiles,
            str(spec.how.sbox).replace("_", " "),
            ", ".join(str(bits) for bits in spec.what.key_bits),
            str(spec.how.key_schedule).replace("_", " "),
            " and ".join(str(d) for d in spec.what.directions),
            f"{row['cycles_per_block']:.4g}",
            row["latency_cycles"],
            row["blocks_in_flight"],
            " / ".join(str(cycles) for cycles in setup if cycles is not None),
            cores.verified_text(spec),
        )
    return text


#: What a flow does besides, by the end of the target's name.
PLANS = {"": "", ":floorplan": ", in quarters", ":refined": ", refined"}


def fpga_table(grade: int) -> str:
    """Return every core that was measured on the FPGA in a speed grade, the fastest first.

    Cores that were placed in quarters of the chip, or refined, have a row of their own.
    """
    text = _row("core", "S-box", "LUT4", "FF", "EBR", "MHz", "MHz under the clock tree's limit",
                "Mbit/s", "Mbit/s per kLUT")  # fmt: skip
    text += _row("---", "---", *["---:"] * 7)
    found = [
        (spec, m, words)
        for plan, words in PLANS.items()
        for spec, (m, *_) in _measured(f"{FPGA}:{grade}{plan}")
    ]
    found.sort(key=lambda row: -(row[1].throughput_mbps or 0))
    for spec, m, plan in found:
        text += _row(
            f"`{spec.name}`{plan}",
            str(spec.how.sbox).replace("_", " "),
            f"{m.lut:,}",
            f"{m.ff:,}",
            m.block_ram,
            f"{m.fmax_mhz:.1f}",
            f"{m.fmax_capped_mhz:.1f}",
            f"{m.throughput_mbps:,.0f}",
            f"{m.mbps_per_klut:,.0f}",
        )
    return text


#: What is best in something: words, core, target, the beginning of the flow.
BEST = (
    ("least area in standard cells", "smallest-ge", CELLS, "area"),
    ("least area on an FPGA, no block RAM", "smallest-lut", f"{FPGA}:6", ""),
    ("most a chip does", "fastest-ecp5-4", f"{FPGA}:8:floorplan", ""),
    ("most a pipeline does", "fastest-ecp5", f"{FPGA}:8:refined", ""),
    ("the same, Serpent", "fastest-serpent-ecp5", f"{FPGA}:6", ""),
    ("most per LUT, no block RAM", "best-per-lut", f"{FPGA}:8", ""),
    ("most per gate equivalent", "best-per-ge", CELLS, "delay"),
    ("the same, a block at a time", "best-per-ge-loop", CELLS, "delay"),
    ("a block of CBC in least time", "cbc-fastest", CELLS, "delay"),
)


def best_table() -> str:
    """Return what is best in something, and its figures."""
    text = _row("", "core", "on", "area", "MHz", "Mbit/s", "Mbit/s per kLUT or kGE")
    text += _row("---", "---", "---", *["---:"] * 4)
    for words, name, target, flow in BEST:
        for m in _current(catalogue.find(name), target):
            if not m.flow.startswith(flow):
                continue
            mhz = 1000 / m.cycle_ns if m.cycle_ns is not None else m.fmax_capped_mhz
            area = f"{m.area_ge:,.0f} GE" if m.area_ge is not None else f"{m.lut:,} LUT4"
            each = m.mbps_per_kge if m.area_ge is not None else m.mbps_per_klut
            text += _row(
                words,
                f"`{name}`",
                f"`{target}`",
                area,
                f"{mhz:,.1f}",
                f"{m.throughput_mbps:,.0f}",
                f"{each:,.0f}",
            )
    return text


def cells_table() -> str:
    """Return the cores that were measured in standard cells, the smallest first."""
    text = _row("core", "GE, area-driven", "GE, delay-driven", "ns", "Mbit/s", "Mbit/s per kGE",
                "GE, area-driven, full port")  # fmt: skip
    text += _row("---", *["---:"] * 6)
    by_flow = [
        (spec, {m.flow.partition("-")[0]: m for m in found}) for spec, found in _measured(CELLS)
    ]
    for spec, found in sorted(by_flow, key=lambda pair: pair[1]["area"].area_ge or 0):
        small, fast = found["area"], found["delay"]
        text += _row(
            f"`{spec.name}`",
            f"{small.area_ge:,.0f}",
            f"{fast.area_ge:,.0f}",
            f"{fast.cycle_ns:.2f}",
            f"{fast.throughput_mbps:,.0f}",
            f"{fast.mbps_per_kge:,.0f}",
            _full_port(spec),
        )
    return text


def _full_port(spec: Spec) -> str:
    """Return the GE of a core with its full port, nothing where that was not measured."""
    found = _current(spec.full(), CELLS) if spec.has_full else []
    return next((f"{m.area_ge:,.0f}" for m in found if m.flow.startswith("area")), "")


PARTS: dict[str, Callable[[], str]] = {
    "what is best": best_table,
    "cores": cores_table,
    "FPGA figures": lambda: fpga_table(6),
    "FPGA figures of speed grade 8": lambda: fpga_table(8),
    "standard-cell figures": cells_table,
    "circuit records": circuits.records_table,
}
