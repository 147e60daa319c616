"""The benches of roundsmith.measure.tuning: cores, and the settings to try on each target.

The cores are small to middling, for every one is mapped some dozens of times, and differ in what
they are: serial, folded and a whole state wide; S-boxes in memories, in tables and computed.
"""

import statistics
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from roundsmith.base.cache import cache_dir
from roundsmith.base.errors import RoundsmithError, ToolError
from roundsmith.flows import asic, ecp5, synthesize, targets, xilinx_lut4
from roundsmith.spec import Spec

#: Figures of a trial, or why there are none.
Found = Mapping[str, float] | RoundsmithError

#: Tries settings, by their names, on one core and one variant; yields each as it is done.
Trials = Callable[[Spec, str, Mapping[str, str]], Iterator[tuple[str, Found]]]


@dataclass(frozen=True)
class Bench:
    """One target with one aim: what is tried on it, and what it costs.

    `settings` have the words of the tool by their names, those of the flow among them, which
    `present` names. `combine` makes one cost of those of all `variants`. `unit` says what the cost
    is.
    """

    name: str
    target: str
    unit: str
    cores: tuple[str, ...]
    settings: Mapping[str, str]
    present: tuple[str, ...]
    variants: tuple[str, ...]
    combine: Callable[[Sequence[float]], float]
    cost: Callable[[Mapping[str, float]], float]
    trials: Trials


# --- Standard cells -----------------------------------------------------------------------------

_CELLS = "asic:osu018"
_CELL_CORES = (
    "smallest-ge",
    "satoh-5",
    "satoh-1",
    "iterative-lut4",
    "iterative-composite",
    "best-per-ge-loop",
)

_AMAP = "amap -m -F 20 -A 20 -E 1; topo"
_MFS = "mfs3 -az -I 4 -O 2 -M 100; topo"
_FIRST = "strash; ifraig"
_RESYN2 = (
    "balance; rewrite; refactor; balance; rewrite; rewrite -z; balance; refactor -z; "
    "rewrite -z; balance"
)

_AREA = asic.SCRIPTS["area"] | {
    "without dch": f"{_FIRST}; {_AMAP}; {_MFS}",
    "without mfs3": f"{_FIRST}; dch; {_AMAP}",
    "amap as it comes": f"{_FIRST}; dch; amap; topo; {_MFS}",
    "scorr, dc2": f"{_FIRST}; scorr; dc2; dch -f; {_AMAP}; {_MFS}",
    "resyn2": f"{_FIRST}; {_RESYN2}; dch; {_AMAP}; {_MFS}",
    "&nf": f"{_FIRST}; dch; &get -n; &nf -R 10; &put; topo; {_MFS}",
    "Yosys' own": (
        "strash; &get -n; &fraig -x; &put; scorr; dc2; dretime; strash; &get -n; &dch -f; &nf; &put"
    ),
}

_SIZED = "buffer -c -N 8; upsize -D 1000; dnsize -D 1000; stime"
_QUICK = f"{_FIRST}; scorr; dc2; dch -f"

_DELAY = asic.SCRIPTS["delay"] | {
    "rewritten": f"{asic.SCRIPTS['area']['rewritten']}; {_SIZED}",
    "resyn2, map": f"{_FIRST}; {_RESYN2}; dch -f; map -B 0.9; topo; {_SIZED}",
    "map of small fan-outs": f"{_QUICK}; map -B 0.5; topo; {_SIZED}",
    "buffers of 4": f"{_QUICK}; map -B 0.9; topo; buffer -c -N 4; upsize -D 1000; dnsize -D 1000",
    "buffers of 16": f"{_QUICK}; map -B 0.9; topo; buffer -c -N 16; upsize -D 1000; dnsize -D 1000",
    "&nf without dc2": (
        "strash; &get -n; &fraig -x; &dch -f; &nf -D 1000; &put; buffer; upsize -D 1000; "
        "dnsize -D 1000; stime"
    ),
    "&syn3, &nf": (
        "strash; &get -n; &fraig -x; &syn3; &dch -f; &nf -D 1000; &put; buffer; upsize -D 1000; "
        "dnsize -D 1000; stime"
    ),
    "unsized": f"{_QUICK}; map -B 0.9; topo",
}


def _in_cells(spec: Spec, variant: str, settings: Mapping[str, str]) -> Iterator[tuple[str, Found]]:
    """Map a core in the shape `variant` with abc scripts."""
    target = targets.parse(_CELLS)
    files = synthesize.sources(spec, target)
    shape = next(s for s in asic.SHAPES["area"] if s == variant)
    with tempfile.TemporaryDirectory(dir=cache_dir(), prefix=".tuning-") as scratch:
        made = asic.trials(files, spec.module, target.library(), Path(scratch), shape, settings)
        for name, result in made:
            if isinstance(result, ToolError):
                yield name, result
            else:
                yield name, {"ge": result.ge, "ns": round(result.timing.cycle, 3)}


# --- Mapped to LUT4 -----------------------------------------------------------------------------

_LUT_CORES = (
    "smallest-lut",
    "chodowiec-gaj",
    "satoh-5",
    "iterative-lut4",
    "iterative-block-ram",
    "best-per-lut-loop",
)

_ABC9 = xilinx_lut4.SCRIPTS | {
    "without &mfs": "+&if,{W},-a",
    "for delay": "+&scorr;&sweep;&dc2;&dch,-f,-r;&ps;&if,{W};&mfs",
    "dch alone": "+&dch,-f;&if,{W},-a;&mfs",
    "without dch": "+&scorr;&sweep;&dc2;&if,{W},-a;&mfs",
    "&syn3": "+&scorr;&sweep;&syn3;&syn3;&dch,-f;&if,{W},-a;&mfs",
    "mapped twice": "+&if,{W},-a;&mfs;&st;&if,{W},-a;&mfs",
}


def _in_lut4(spec: Spec, _variant: str, settings: Mapping[str, str]) -> Iterator[tuple[str, Found]]:
    """Map a core to Virtex-E with one script of ABC9 in place of the two of the flow."""
    target = targets.parse("mapped:xcve")
    files = synthesize.sources(spec, target)
    with tempfile.TemporaryDirectory(dir=cache_dir(), prefix=".tuning-") as scratch:
        for name, script in settings.items():
            try:
                made = xilinx_lut4.synthesize(
                    files, spec.module, target.size, Path(scratch), scripts={"trial": script}
                )
                yield name, {"slices": made.slices, "lut": made.lut, "ff": made.ff}
            except ToolError as problem:
                yield name, problem


# --- Placed on ECP5 -----------------------------------------------------------------------------

_PLACED = "ecp5-85k:6"
_PLACED_CORES = (
    "smallest-lut",
    "chodowiec-gaj",
    "iterative-block-ram",
    "satoh-5",
    "iterative-lut4",
    "best-per-lut-loop",
)
_WEIGHTS = " --placer-heap-timingweight 40 --placer-heap-critexp 5"

#: Options of nextpnr and the frequency to aim at: `10 % above` what `static` reaches, or in MHz.
_NEXTPNR = {
    "static": f"--placer static{_WEIGHTS} @ 150",
    "heap": f"--placer heap{_WEIGHTS} @ +10%",
    "heap, 260 MHz": f"--placer heap{_WEIGHTS} @ 260",
    "heap without weights": "--placer heap @ +10%",
    "heap, weights 100 and 8": (
        "--placer heap --placer-heap-timingweight 100 --placer-heap-critexp 8 @ +10%"
    ),
    "as nextpnr comes": " @ 12",
}
#: Seconds that one placement may take.
_PATIENCE = 600


def _on_ecp5(spec: Spec, variant: str, settings: Mapping[str, str]) -> Iterator[tuple[str, Found]]:
    """Place and route the smallest netlist of a core with the seed `variant`."""
    target = targets.parse(_PLACED)
    files, folder = synthesize.sources(spec, target), synthesize.work(spec, target)
    netlist = ecp5.candidates(files, spec.module, folder)[0]

    def placed(text: str) -> float:
        options, _, aim = text.partition("@")
        # What `static` reaches with the first seed, as in the flow.
        mhz = ecp5.target_mhz(first()) if "+" in aim else int(aim)
        return ecp5.place_once(
            netlist, target.size, target.grade, options.split(), mhz, int(variant), _PATIENCE
        ).fmax_mhz

    def first() -> float:
        options, aim = ecp5.PLACERS["static"], ecp5.FIRST_TARGET_MHZ
        return ecp5.place_once(
            netlist, target.size, target.grade, options, aim, ecp5.SEEDS[0]
        ).fmax_mhz

    for name, text in settings.items():
        try:
            yield name, {"mhz": placed(text), "lut": netlist.lut}
        except ToolError as problem:
            yield name, problem


#: Every bench, the quick ones first.
BENCHES = (
    Bench(
        name="standard cells, area",
        target=_CELLS,
        unit="area",
        cores=_CELL_CORES,
        settings=_AREA,
        present=tuple(asic.SCRIPTS["area"]),
        variants=asic.SHAPES["area"],
        combine=min,
        cost=lambda found: found["ge"],
        trials=_in_cells,
    ),
    Bench(
        name="standard cells, delay",
        target=_CELLS,
        unit="area x clock period",
        cores=_CELL_CORES,
        settings=_DELAY,
        present=tuple(asic.SCRIPTS["delay"]),
        variants=asic.SHAPES["delay"],
        combine=min,
        cost=lambda found: found["ge"] * found["ns"],
        trials=_in_cells,
    ),
    Bench(
        name="LUT4",
        target="mapped:xcve",
        unit="slices",
        cores=_LUT_CORES,
        settings=_ABC9,
        present=tuple(xilinx_lut4.SCRIPTS),
        variants=("best of all forms",),
        combine=min,
        cost=lambda found: found["slices"],
        trials=_in_lut4,
    ),
    Bench(
        name="ECP5",
        target=_PLACED,
        unit="LUT4 / MHz",
        cores=_PLACED_CORES,
        settings=_NEXTPNR,
        present=("static", "heap"),
        variants=tuple(map(str, ecp5.SEEDS)),
        combine=statistics.median,
        cost=lambda found: found["lut"] / min(found["mhz"], ecp5.CLOCK_TREE_MHZ[6]),
        trials=_on_ecp5,
    ),
)
