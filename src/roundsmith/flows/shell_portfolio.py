"""What the families share whose cores are placed inside a shell of registers.

Every mapping of a small portfolio is placed with the first seed; the one with the highest
frequency per LUT4 gets the other seeds, and the median counts.
"""

import json
import re
import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from roundsmith.base.cache import kept
from roundsmith.base.errors import ToolError
from roundsmith.flows import components, ecp5
from roundsmith.flows.components import Role
from roundsmith.flows.ecp5 import FpgaNetlist, PlacedRun, Placement, Progress
from roundsmith.flows.shell import Module
from roundsmith.tools import nextpnr, process, yosys

#: Makes the netlist of a mapping.
Map = Callable[[str], FpgaNetlist]
#: Places a netlist with a seed; the flag is set once the netlist is chosen.
Place = Callable[[FpgaNetlist, int, bool], PlacedRun]


def synthesize(
    files: Sequence[Path],
    top: str,
    folder: Path,
    *,
    mapping: str,
    script: Sequence[str],
    family: str,
) -> FpgaNetlist:
    """Map SystemVerilog `files` with module `top` as `script` says; the netlist goes to `folder`.

    Its cells are not counted yet: `lut`, `ff` and `block_ram` are 0.
    """
    script = [
        yosys.read_slang([file.resolve() for file in files], top),
        *script,
        "attrmap -remove src",
        "write_json netlist.json",
        "write_verilog -noattr netlist.v",
    ]
    made = kept(
        f"{family}-synthesis",
        [yosys.version(), top, *script[1:]],
        [file.read_bytes() for file in files],
        lambda work: yosys.run(script, what=f"Synthesis of {top} for {family}", folder=work),
    )
    folder.mkdir(parents=True, exist_ok=True)
    json_file = Path(shutil.copyfile(made / "netlist.json", folder / f"{top}_{mapping}.json"))
    verilog = Path(shutil.copyfile(made / "netlist.v", folder / f"{top}_{mapping}.v"))
    return FpgaNetlist(
        top=top, mapping=mapping, json=json_file, verilog=verilog, lut=0, ff=0, block_ram=0
    )


def module_of(netlist: FpgaNetlist) -> Module:
    """Return the flat module of a netlist, in Yosys' form."""
    module: Module = json.loads(netlist.json.read_text())["modules"][netlist.top]
    return module


def kinds_of(netlist: FpgaNetlist) -> Counter[str]:
    """Return how many cells of each type a netlist has."""
    return Counter(str(cell["type"]) for cell in module_of(netlist)["cells"].values())


def best_mapping(
    mappings: Sequence[str],
    synthesize: Map,
    place: Place,
    seeds: Sequence[int],
    progress: Progress | None,
) -> tuple[FpgaNetlist, int, list[PlacedRun]]:
    """Return the best netlist of the portfolio, the LUTs of the smallest, the runs of all seeds."""
    total, done = 2 * len(mappings) + len(seeds), 0

    def tell(text: str) -> None:
        nonlocal done
        done += 1
        if progress is not None:
            progress(text, min(done, total), total)

    def placed(netlist: FpgaNetlist, seed: int, chosen: bool) -> PlacedRun:
        run = place(netlist, seed, chosen)
        tell(f"mapping '{netlist.mapping}', seed {seed}: {run.fmax_mhz:.1f} MHz")
        return run

    netlists = []
    for mapping in mappings:
        netlists.append(synthesize(mapping))
        tell(f"mapping '{mapping}': {netlists[-1].lut:,} LUT4")
    with ThreadPoolExecutor(max_workers=process.THREADS) as pool:
        tried = list(pool.map(lambda netlist: placed(netlist, seeds[0], False), netlists))
        merits = [run.fmax_mhz / max(1, n.lut) for n, run in zip(netlists, tried, strict=True)]
        netlist = netlists[merits.index(max(merits))]
        runs = list(pool.map(lambda seed: placed(netlist, seed, True), seeds))
        return netlist, min(n.lut for n in netlists), runs


def run_of(folder: Path, top: str, seed: int, placer: str, target_mhz: int) -> PlacedRun:
    """Return the run whose report nextpnr left in `folder`."""
    report = nextpnr.parse_report((folder / "report.json").read_text())
    if not report.fmax:
        raise ToolError(f"{top} has no path from register to register, so no fmax.")
    inside = [p for p in report.paths if "async" not in p.start and "async" not in p.end]
    path = max(inside, key=lambda p: p.delay, default=None)
    return PlacedRun(seed, placer, target_mhz, min(report.fmax.values()), report.used, path, folder)


def placement_of(
    netlist: FpgaNetlist,
    smallest_lut: int,
    target: str,
    runs: Sequence[PlacedRun],
    clock_tree_mhz: float,
    roles: dict[str, Role],
) -> Placement:
    """Return the placement that the runs of all seeds make."""
    fmax = {run.seed: run.fmax_mhz for run in runs}
    median, spread = ecp5.median_and_spread(list(fmax.values()))
    typical = min(runs, key=lambda run: abs(run.fmax_mhz - median))
    bels = json.loads((typical.folder / "bels.json").read_text())
    return Placement(
        netlist=netlist,
        smallest_lut=smallest_lut,
        target=target,
        placer=typical.placer,
        target_mhz=typical.target_mhz,
        fmax_by_seed=fmax,
        fmax_mhz=median,
        fmax_capped_mhz=min(median, clock_tree_mhz),
        spread=spread,
        critical_path=ecp5.path_steps(typical.path, roles) if typical.path is not None else (),
        input_to_register_ns=None,
        register_to_output_ns=None,
        used=dict(typical.used),
        roles=roles,
        bels={name: (kind, bel) for name, (kind, bel) in bels.items()},
    )


#: Components by what the name of a cell holds, the first that fits. A LUT has the name of the net
#: that it drives, so logic that was merged counts to one of its components.
_COMPONENTS = (
    ("u_sub_word", components.KEY_SBOX),
    ("u_sub_bytes", components.SBOX),
    (r"u_key|window|key", components.KEY),
    (r"u_linear|u_mix|u_round|state|out_block", components.LINEAR),
)


def roles(module: Module, memory: str, endings: Sequence[str]) -> dict[str, Role]:
    """Return the role of every cell by its name, and by those that nextpnr makes of it.

    `memory` is the pattern of the types of block RAM; nextpnr adds one of the `endings` to a name.
    """
    found = {}
    for name, cell in module["cells"].items():
        fits = (c for pattern, c in _COMPONENTS if re.search(pattern, name))
        component = next(fits, components.CONTROL)
        is_memory = re.match(memory, cell["type"]) is not None
        stage, tile = re.search(r"gen_stage\[(\d+)\]", name), re.search(r"u_tile_(\d+)", name)
        role = Role(
            component,
            f"block RAM, {component}" if is_memory else component,
            stage=int(stage[1]) if stage is not None else None,
            tile=int(tile[1]) if tile is not None else 0,
        )
        for ending in ("", *endings):
            found[name + ending] = role
    return found
