"""Measure how long the simulations of the largest cores take to build, and how fast they run.

For each core it prints the CPU seconds of a build from nothing, which takes some half of them where
two cores are free, the blocks in a CPU second of the program, and how often the build fits into two
minutes. The runtime of Verilator, which all simulations share, is built before.
"""

import os
import random
import sys
import tempfile
from collections.abc import Sequence
from unittest.mock import patch

from roundsmith import catalogue
from roundsmith.flows import synthesize
from roundsmith.simulate import simulate
from roundsmith.tools.process import cpu_seconds

#: A small core whose build brings along what all simulations share.
FIRST = "iterative-table"
#: Cores with all rounds beside each other; the last one has four pipes.
CORES = (
    "saggese-unrolled-5",
    "standaert-unrolled-ram",
    "standaert-unrolled-composite",
    "standaert-unrolled-mux",
    "fastest-ecp5",
    "fastest-serpent-ecp5",
    "fastest-ecp5-4",
)

BLOCKS = 20_000
LIMIT = 120.0


def measured(name: str) -> tuple[float, float]:
    """Return the CPU seconds of a build from nothing, and blocks in a CPU second."""
    spec = catalogue.find(name)
    files = synthesize.sources(spec)
    begun = cpu_seconds()
    program = simulate.build(spec, files)
    built = cpu_seconds() - begun
    key = bytes(min(spec.what.key_bits) // 8)
    given = simulate.stimulus(
        spec, [key], random.Random(0).randbytes(16 * spec.port.lanes * BLOCKS)
    )
    begun = cpu_seconds()
    simulate.run(program, spec, given)
    return built, spec.port.lanes * BLOCKS / (cpu_seconds() - begun)


def main(names: Sequence[str]) -> None:
    """Print a line for each core that is named."""
    print(f"{'core':30} {'build, s':>9} {'blocks/s':>10}  two minutes / build")
    with (
        tempfile.TemporaryDirectory() as cache,
        patch.dict(os.environ, ROUNDSMITH_CACHE=cache),
    ):
        measured(FIRST)
        for name in names or CORES:
            built, rate = measured(name)
            print(f"{name:30} {built:9.1f} {rate:10,.0f} {LIMIT / built:8.1f}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
