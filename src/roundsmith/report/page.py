"""The report: one HTML page of all records that stands alone, without a network.

Everything in it is a record that is true of the core as it is, or a published figure with its
citation; the page itself only filters, draws and sorts.
"""

import base64
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from roundsmith import catalogue
from roundsmith import spec as formulas
from roundsmith.attribution import cell_components
from roundsmith.base.errors import RoundsmithError
from roundsmith.base.render import render
from roundsmith.flows.targets import Target, parse
from roundsmith.records import index, records
from roundsmith.records.index import Result
from roundsmith.report.published import figure, rows
from roundsmith.spec import Spec

_TEMPLATES = Path(__file__).parent / "templates"

#: The choices that the page filters and colours by.
CHOICES = (
    "cipher",
    "mode",
    "bus",
    "architecture",
    "sbox",
    "directions",
    "key_bits",
    "rounds",
    "data_bits",
    "registers",
    "linear",
    "key_schedule",
    "inverse_rounds",
    "key_sboxes",
    "state_storage",
    "tiles",
    "clear",
    "port",
    "paper",
)

#: Steps of a longest path that a datasheet shows.
_STEPS = 8

#: Tables of whole designs, and which column of each is which figure of the page.
_TABLES: Mapping[str, Mapping[str, str]] = {
    "satoh-2001-table-4.csv": {"area_ge": "gates", "device": "technology"},
    "standaert-2003-tables-4-5.csv": {"lut": "luts"},
    "standaert-2003-table-6.csv": {"lut": "luts"},
    "standaert-2003-table-7.csv": {},
    "saggese-2003-figure-5.csv": {},
    "chodowiec-gaj-2003-table-1.csv": {},
    "core-records.csv": {},
}


def html(names: Sequence[str] | None = None) -> str:
    """Return the page, of some targets or of all that something was measured on."""
    with index.opened() as database:
        found = database.results(names)
        points = [_point(result, database) for result in found]
    if not points:
        where = f" on {', '.join(names)}" if names else ""
        raise RoundsmithError(
            f"There are no records of cores as they are{where}; `roundsmith measure` makes some."
        )
    counts: dict[str, int] = {}
    for point in points:
        counts[point["target"]] = counts.get(point["target"], 0) + 1
    cores = len({point["name"] for point in points})
    data = {
        "choices": [c for c in CHOICES if any(p["choices"][c] for p in points)],
        "targets": sorted(counts, key=lambda name: (-counts[name], name)),
        "points": points,
        "published": published(),
        "pictures": _pictures(found),
    }
    summary = (
        f"{len(points):,} records of {cores:,} cores on {len(counts)} targets. Click a point for "
        "its datasheet, the command that builds it and its placement."
    )
    return render(
        "report.html.j2",
        css=(_TEMPLATES / "report.css").read_text(),
        script=(_TEMPLATES / "report.js").read_text(),
        summary=summary,
        # Nothing inside may end the element that holds it.
        data=json.dumps(data, separators=(",", ":")).replace("</", "<\\/"),
    )


def _point(result: Result, database: index.Store) -> dict[str, Any]:
    """Return one record as the page has it."""
    record, spec = result.record, result.spec
    keys: tuple[str, ...] = (
        "name",
        "target",
        "lut",
        "ff",
        "block_ram",
        "slices",
        "fmax_mhz",
        "cycles_per_block",
    )
    keys += ("throughput_mbps", "mbps_per_klut", "area_ge", "cycle_ns", "mbps_per_kge")
    known = records.picture(spec, parse(record.target))
    return {
        **{key: getattr(record, key) for key in keys},
        "flow": record.flow.partition(":")[0],
        "bits_per_cycle": round(128 / record.cycles_per_block, 4),
        "verified": ", ".join(result.verified) or "no",
        "hash": record.design_hash[:16],
        "choices": choices(spec),
        "cycles": _cycles(spec),
        "command": f"{catalogue.command(spec)} --target {record.target}",
        "spec": spec.to_toml(),
        "components": [[part, ge] for part, ge in cell_components.shown(spec, record).items()],
        "path": [[step.part, step.delay_ns] for step in record.critical_path[:_STEPS]],
        "tools": [[tool, version] for tool, version in record.tools.items()],
        "picture": "" if known is None else known.name,
    }


def choices(spec: Spec) -> dict[str, str]:
    """Return the choices of a core as words, none as an empty one."""
    how = spec.how
    values = {
        "cipher": spec.what.cipher,
        "mode": spec.what.mode,
        "bus": spec.what.bus,
        "architecture": how.architecture,
        "sbox": how.sbox,
        "directions": "both" if spec.is_both else how_directions(spec),
        "key_bits": " ".join(map(str, spec.what.key_bits)),
        "rounds": "" if spec.is_narrow else formulas.hardware_rounds(spec),
        "data_bits": how.data_bits or 128,
        "registers": "" if spec.is_narrow else formulas.round_latency(spec),
        "linear": how.linear,
        "key_schedule": how.key_schedule,
        "inverse_rounds": how.inverse_rounds or "",
        "key_sboxes": how.key_sboxes,
        "state_storage": how.state_storage or "",
        "tiles": how.tiles,
        "clear": how.clear,
        "port": "full" if spec.is_full else "native",
        "paper": spec.paper or "",
    }
    return {key: str(value) for key, value in values.items()}


def how_directions(spec: Spec) -> str:
    """Return the one direction of a core."""
    return str(spec.what.directions[0])


def _cycles(spec: Spec) -> list[list[object]]:
    return [
        ["cycles a block", formulas.cycles_per_block(spec)],
        ["latency", formulas.whole_latency_cycles(spec)],
        ["blocks in flight", formulas.blocks_in_flight(spec)],
        ["key set-up", formulas.key_setup_cycles(spec)],
        ["clear", formulas.clear_cycles(spec)],
    ]


def _pictures(found: Iterable[Result]) -> dict[str, str]:
    """Return the placements by file name, as data that a page can hold."""
    drawn = (records.picture(result.spec, _target(result)) for result in found)
    return {
        file.name: "data:image/png;base64," + base64.b64encode(file.read_bytes()).decode()
        for file in sorted({file for file in drawn if file is not None})
    }


def _target(result: Result) -> Target:
    return parse(result.record.target)


def published() -> list[dict[str, Any]]:
    """Return the designs of the literature that have an area and a throughput."""
    found = []
    for file, columns in _TABLES.items():
        citation = _citation(file)
        for row in rows(file):
            numbers = {
                key: _number(row, columns.get(key, key))
                for key in ("area_ge", "lut", "slices", "block_ram", "clock_mhz", "throughput_mbps")
            }
            gigabits = _number(row, "throughput_gbps")
            if gigabits is not None:
                numbers["throughput_mbps"] = 1000 * gigabits
            has_area = any(numbers[unit] for unit in ("area_ge", "lut", "slices"))
            if not has_area or not numbers["throughput_mbps"]:
                continue
            if numbers["clock_mhz"]:
                bits = numbers["throughput_mbps"] / numbers["clock_mhz"]
                numbers["bits_per_cycle"] = round(bits, 4)
            label = row.get("design") or row.get("core") or ""
            device = row.get(columns.get("device", "device")) or _DEVICES.get(file, "")
            own = row.get("citation") or citation
            found.append({"label": label, "device": device, "citation": own, **numbers})
    return found


#: Devices that the head of a table names for all its rows.
_DEVICES = {
    "standaert-2003-tables-4-5.csv": "XCV3200E-8",
    "standaert-2003-table-6.csv": "Virtex-E",
}


def _number(row: Mapping[str, str], key: str) -> float | None:
    value = figure(row, key) if row.get(key) else None
    return None if value is None else float(value)


def _citation(file: str) -> str:
    """Return which paper and table a file is of, from its name."""
    match = re.fullmatch(r"([a-z-]+)-(\d{4})-([a-z]+)-([\d-]+)\.csv", file)
    if match is None:
        return ""
    authors = " and ".join(name.capitalize() for name in match[1].split("-"))
    return f"{authors} {match[2]}, {match[3].capitalize()} {match[4].replace('-', ', ')}"
