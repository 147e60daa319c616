"""The 32-bit channels of `rsm_channels32` around a core, in simulation."""

from pathlib import Path

import numpy as np

from roundsmith import catalogue
from roundsmith.design import generate
from roundsmith.simulate import simulate


def test_the_channels_of_lutz(tmp_path: Path) -> None:
    """28 cycles from the first word of a block to the last of its result, a block in 5 cycles."""
    spec = catalogue.find("lutz-rijndael-chip")
    program = simulate.build(spec, generate.design(spec).write(tmp_path))
    random = np.random.default_rng(1)
    count = 64
    given = simulate.stimulus(
        spec,
        [random.bytes(16)],
        random.bytes(16 * count),
        decrypt=random.integers(0, 2, count, dtype=bool),
        key=0,
    )
    found = simulate.run(program, spec, given).results
    # The harness sees word 0; the other three follow at once.
    assert set(found["appeared"] + 3 - found["accepted"]) == {28}
    # The first decryption waits until its key is expanded.
    assert set(np.diff(found["accepted"][4:])) == {5}
