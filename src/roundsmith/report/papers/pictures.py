"""Pictures of the papers' tables: published figures as circles, ours as diamonds.

They show what the tables show and nothing else. Published and ours share an axis only where its
unit is the same: slices and LUTs of one fabric, gates. Throughput on two FPGAs stands in two
panels; in cells of two technologies it does not compare either, and the title names both.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from roundsmith.base import svg
from roundsmith.report.papers import chodowiec_gaj, lutz, plane, saggese, satoh, standaert
from roundsmith.report.papers.panels import (
    INK,
    OTHERS,
    OURS,
    THEIRS,
    Point,
    finish,
    fpga,
    headed,
    legend,
    log,
    points,
    scatter,
)
from roundsmith.report.papers.table import Table

#: How the paper turns other units into slices (Chodowiec and Gaj, below Table 3).
_PER_SLICE = {"slices": 1, "LE": 2, "LUT": 2}


def _rows(table: Table) -> list[Mapping[str, Any]]:
    found = table.json()["rows"]
    assert isinstance(found, list)
    return found


def _satoh(pyplot: Any) -> Any:
    figure, axes = pyplot.subplots(figsize=(8.6, 5.6))
    found = _rows(satoh.cores())
    own = [row for row in found if row["what"]["optimised"]]
    others = [row for row in found if not row["what"]["optimised"]]
    log(axes, "area in gates (NANDs of the library of each)", "Mbit/s")
    headed(axes, "Satoh et al. 2001, Table 4: IBM 0.11 µm, worst case; ours OSU 0.18 µm, typical, "
           "no wires")  # fmt: skip

    def published(rows: Sequence[Mapping[str, Any]]) -> list[Point]:
        return points(
            ((row["what"]["core"].split(" [")[0].split(",")[0] + _year(row["what"]["core"]),
             row["published"]["gates"], row["published"]["throughput_mbps"])
            for row in rows), OTHERS if rows is others else THEIRS,
        )  # fmt: skip

    def goal(word: str) -> list[Mapping[str, Any]]:
        return [row for row in own if row["what"]["optimised"] == f"for {word}"]

    small, fast, foreign = published(goal("size")), published(goal("speed")), published(others)
    for size, speed in zip(small, fast, strict=True):
        axes.plot([size.x, speed.x], [size.y, speed.y], color=THEIRS, lw=0.8, alpha=0.5)
    ours = points(
        (
            (row["what"]["core"], row["ours"]["area_ge"], row["ours"]["throughput_mbps"])
            for row in goal("speed")
        ),
        OURS,
    )
    scatter(axes, foreign, "o", mfc="none")
    scatter(axes, small, "o", mfc="none", mew=1.6)
    scatter(axes, fast, "o", mew=1.6)
    scatter(axes, ours, "D")
    finish(axes, small, foreign, ours)
    legend(
        figure,
        ("published, for size", "o", THEIRS, False),
        ("published, for speed", "o", THEIRS, True),
        ("published, other authors", "o", OTHERS, False),
        ("ours, delay-driven", "D", OURS, True),
    )
    figure.subplots_adjust(left=0.09, right=0.84, top=0.93, bottom=0.19)
    return figure


def _year(name: str) -> str:
    """Return the number by which the paper cites another design, in brackets as it does."""
    return f" [{name.split('[')[1].split(']')[0]}]" if "[" in name else ""


def _standaert(pyplot: Any) -> Any:
    tables = standaert.tables()
    areas = [row for t in tables if t.title.endswith("area") for row in _rows(t)]
    speeds = [row for t in tables if t.title.endswith("clock") for row in _rows(t)]
    compared = [row for t in tables if t.label in ("Table 6", "Table 7") for row in _rows(t)]
    (virtex,) = (_rows(t) for t in tables if t.label == "Table 7")

    def name(row: Mapping[str, Any]) -> str:
        return str(row["what"]["core"]).removeprefix("standaert-")

    slices_of = {name(row): row["published"]["slices"] for row in areas}
    cores = {row["what"]["core"] for row in speeds}
    own = points(
        [
            *((name(r), slices_of[name(r)], r["published"]["throughput_mbps"]) for r in speeds),
            *(
                (f"{name(r)}, Virtex", r["published"]["slices"], r["published"]["throughput_mbps"])
                for r in virtex
                if r["what"]["core"] in cores
            ),
        ],
        THEIRS,
    )
    others = points(
        (
            (name(row), row["published"]["slices"], row["published"]["throughput_mbps"])
            for row in compared
            if row["what"]["core"] not in cores
        ),
        OTHERS,
    )
    return fpga(
        pyplot,
        (
            "Tables 4 and 5: LUTs on Virtex-E",
            "LUT4",
            [(name(r), r["published"]["luts"], r["ours"]["lut"]) for r in areas],
            False,
        ),
        ("Published: Tables 4 to 7, Virtex-E and Virtex", "slices", own, others),
        points(((name(r), r["ours"]["fpga_lut"], r["ours"]["fpga_mbps"]) for r in speeds), OURS),
    )


def _saggese(pyplot: Any) -> Any:
    areas, speeds = _rows(saggese.area()), _rows(saggese.speed())

    def name(row: Mapping[str, Any]) -> str:
        return str(row["what"]["core"]).removeprefix("saggese-")

    pairs = list(zip(areas, speeds, strict=True))
    marks = [
        (name(a), a["published"]["slices_with_ram"], 1000 * s["published"]["throughput_gbps"])
        for a, s in pairs
    ]
    mine = [a["what"]["core"].startswith("saggese") for a in areas]
    own = points((p for p, is_own in zip(marks, mine, strict=True) if is_own), THEIRS)
    others = points((p for p, is_own in zip(marks, mine, strict=True) if not is_own), OTHERS)
    return fpga(
        pyplot,
        (
            "Figure 5: slices on Virtex-E, without RAM",
            "slices",
            [
                (name(a), a["published"]["slices"], a["ours"]["slices_least"])
                for a, is_own in zip(areas, mine, strict=True)
                if is_own
            ],
            True,
        ),
        ("Published: Figure 5, Virtex-E and Virtex", "slices, a RAM as 128", own, others),
        points(
            ((name(s), s["ours"]["fpga_lut"],
              None if s["ours"]["fpga_gbps"] is None else 1000 * s["ours"]["fpga_gbps"])
             for s in speeds),
            OURS,
        ),
    )  # fmt: skip


def _chodowiec_gaj(pyplot: Any) -> Any:
    first = _rows(chodowiec_gaj.results())
    compared, stores = _rows(chodowiec_gaj.comparison()), _rows(chodowiec_gaj.stores())
    sizes = [
        (row["ours"]["core"], row["published"]["area"],
         row["ours"]["slices_least"])
        for row in compared
        if row["ours"]["core"] is not None
    ]  # fmt: skip
    known = {name for name, _, _ in sizes}
    sizes += [
        (row["what"]["core"], None, row["ours"]["slices_least"])
        for row in stores
        if row["what"]["core"] not in known
    ]

    def label(row: Mapping[str, Any]) -> str:
        return f"{row['what']['design']} ({row['what']['technology']})"

    marks = [
        (label(row), row["published"]["area"] / _PER_SLICE[row["published"]["area_unit"]],
         row["published"]["throughput_mbps"], row["what"]["design"] == "Our")
        for row in compared
    ]  # fmt: skip
    own = points(((row["what"]["device"], row["published"]["slices"],
                    row["published"]["throughput_mbps"]) for row in first), THEIRS)  # fmt: skip
    ours = [
        (row["ours"]["core"], row["ours"]["fpga_lut"], row["ours"]["fpga_mbps"])
        for row in compared
        if row["ours"]["core"] is not None
    ]
    return fpga(
        pyplot,
        ("Tables 1 and 3, section 3.1: slices on Virtex", "slices", sizes, True),
        (
            "Published: Tables 1 and 3, without RAM",
            "slices (2 LUT or LE are one)",
            own,
            points(((a, x, y) for a, x, y, is_own in marks if not is_own), OTHERS),
        ),
        points(ours, OURS),
    )


def _lutz(pyplot: Any) -> Any:
    figure, ((theirs, old), (cells, fabric)) = pyplot.subplots(2, 2, figsize=(12.5, 9.4))
    printed = {row["what"]["figure"]: row["published"] for row in _rows(lutz.chips())}
    drawing = _rows(plane.architectures())
    headed(theirs, "Published: AMS 0.6 µm; what the text and Table 1 say")
    log(theirs, "rounds' area in mm²", "Gbit/s")
    chips = points(
        (
            (
                f"{cipher.title()}, {printed['rounds in hardware'][cipher]} rounds",
                printed["a round, mm²"][cipher] * printed["rounds in hardware"][cipher],
                printed["throughput, Gbit/s"][cipher],
            )
            for cipher in ("rijndael", "serpent")
        ),
        THEIRS,
    )
    scatter(theirs, chips, "o", mfc="none", mew=1.6)
    single = next(r for r in drawing if r["published"]["throughput_gbps"] is not None)
    least = single["published"]["throughput_gbps"]
    theirs.axhline(least, color=THEIRS, lw=1, ls="--", alpha=0.7)
    theirs.text(0.03, least * 1.04, "one round, one stage, both ciphers: in the order of this",
                transform=theirs.get_yaxis_transform(), fontsize=7.5, color=INK)  # fmt: skip
    theirs.set_xlim(3, 50)
    theirs.set_ylim(0.3, 5)
    finish(theirs, chips)
    path = "data path in gate equivalents"
    _rounds(old, drawing, ("old_data_path_ge", "old_throughput_gbps"),
            "Ours: OSU 0.5 µm, delay-driven, no wires", path)  # fmt: skip
    _rounds(cells, drawing, ("data_path_ge", "throughput_gbps"),
            "Ours: OSU 0.18 µm, delay-driven, no wires", path)  # fmt: skip
    _rounds(fabric, drawing, ("fpga_lut", "fpga_throughput_gbps"),
            "Ours: ECP5-85k, grade 6, placed and routed", "LUT4 of the whole core")  # fmt: skip
    legend(
        figure,
        ("published", "o", THEIRS, False),
        ("our Rijndael (rounds x stages)", "D", OURS, True),
        ("our Serpent", "s", OURS, True),
        (
            "2, 7 and 14 times our one round of Rijndael, as the paper extrapolates",
            "D",
            OURS,
            False,
        ),
    )
    figure.subplots_adjust(left=0.05, right=0.85, top=0.96, bottom=0.11, wspace=0.48, hspace=0.24)
    return figure


def _rounds(
    axes: Any,
    drawing: Sequence[Mapping[str, Any]],
    columns: tuple[str, str],
    title: str,
    unit: str,
) -> None:
    """Draw our throughput against our area on one target, over rounds and stages."""
    area, speed = columns
    headed(axes, title)
    log(axes, unit, "Gbit/s")
    ours = [r for r in drawing if r["ours"][speed] is not None and r["ours"][area] is not None]
    for row in ours:
        # A round of Serpent has the fewer S-boxes the more rounds there are: no multiple of one.
        # Nor is a whole core.
        single = row["what"]["rounds"] == "1" and row["what"]["cipher"] == "Rijndael"
        if area == "fpga_lut" or not single:
            continue
        # As the paper did: one round that was synthesized, times the rounds in hardware. Those are
        # 14; a key of 128 bits needs 10 rounds, in as many laps.
        times = [n for n in range(1, 15) if 14 % n == 0]
        x = [n * row["ours"][area] for n in times]
        y = [10 / math.ceil(10 / n) * row["ours"][speed] for n in times]
        axes.plot(x, y, "-", color=OURS, lw=0.8, alpha=0.6)
        axes.plot(x[1:], y[1:], "D", color=OURS, ms=5, mfc="white")
    every = []
    for cipher, marker in (("Rijndael", "D"), ("Serpent", "s")):
        measured = points(
            (
                (
                    f"{cipher}, {row['what']['rounds']} x {row['what']['stages']}",
                    row["ours"][area],
                    row["ours"][speed],
                )
                for row in ours
                if row["what"]["cipher"] == cipher
            ),
            OURS,
        )
        scatter(axes, measured, marker)
        every += measured
    finish(axes, every)


DRAWN: dict[str, Callable[[Any], Any]] = {
    "satoh-table-4": _satoh,
    "lutz-figure-3": _lutz,
    "chodowiec-gaj-tables-1-3": _chodowiec_gaj,
    "standaert-tables-4-7": _standaert,
    "saggese-figure-5": _saggese,
}


def all_of_them() -> dict[str, str]:
    """Return the SVG of every picture by its name."""
    return {name: svg.drawn(draw) for name, draw in DRAWN.items()}
