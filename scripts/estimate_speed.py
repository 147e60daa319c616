"""Measure how long estimates take, beside what they spare: the mapping of such a core.

For each target it prints how many cores are considered for a requirement, how long it takes to
propose and estimate them all, and how many times longer the synthesis of one small core takes than
the estimate of one. The models that estimate have been learnt before; nothing else is kept.
"""

import os
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from unittest.mock import patch

from roundsmith import catalogue
from roundsmith.explore import choose, estimator
from roundsmith.explore.needs import Needs
from roundsmith.explore.space import BOTH
from roundsmith.flows import ecp5, synthesize, targets

TARGETS = ("asic:osu018", "ecp5-85k:6", "mapped:xcve")

#: The core whose synthesis is timed: the smallest loop for an FPGA with LUT4.
CORE = "iterative-lut4"


def synthesis_seconds() -> float:
    """Return the time of one mapping of CORE to LUT4, with nothing kept of it."""
    spec = catalogue.find(CORE)
    sources = synthesize.sources(spec, targets.parse("ecp5-85k:6"))
    with tempfile.TemporaryDirectory() as folder, patch.dict(os.environ, ROUNDSMITH_CACHE=folder):
        started = time.perf_counter()
        ecp5.synthesize_ecp5(sources, spec.module, Path(folder), "written")
        return time.perf_counter() - started


def main(names: Sequence[str]) -> None:
    """Print a line for each target that is named."""
    one = synthesis_seconds()
    print(f"{'target':14} {'cores':>6} {'s for all':>10} {'ms each':>8}  synthesis / estimate")
    for name in names or TARGETS:
        asked = Needs(target=targets.parse(name), directions=BOTH)
        for aim in estimator.aims(asked.target):
            estimator.model(asked.target, aim)  # what was learnt is kept
        choose._grid.cache_clear()
        estimator._features.cache_clear()
        started = time.process_time()
        cores = choose.candidates(asked)
        found = estimator.estimate(cores, asked.target)
        total = time.process_time() - started
        each = total / len(found)
        print(f"{name:14} {len(cores):6,} {total:10.2f} {1e3 * each:8.2f}  {one / each:,.0f}")


if __name__ == "__main__":
    main(sys.argv[1:])
