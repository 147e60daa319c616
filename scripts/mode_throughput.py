"""Measure in cycles what modes of operation make of a pipelined core, message after message.

For each mode and length of message it prints the blocks of text a cycle, beside the one block a
cycle of the core itself; GCM gives the core one block more for every message, the mask of its tag,
and the last column counts it.
"""

import sys
from collections.abc import Sequence

from roundsmith import catalogue
from roundsmith import spec as formulas
from roundsmith.flows import synthesize
from roundsmith.simulate import messages
from roundsmith.simulate.messages import Message
from roundsmith.spec import Mode, Spec

#: The core, unless another is named, and what is measured over it.
CORE = "aes128-enc-pipe-table-cr"
MODES = (Mode.CTR, Mode.GCM)
SIZES = (1500, 64)
COUNT = 200


def blocks_a_cycle(spec: Spec, size: int) -> tuple[float, float]:
    """Return the blocks of text that leave in a cycle, and the blocks that the core was given.

    They are counted between the last beats of two messages, when the pipeline is full.
    """
    iv = bytes(spec.mode.iv.usual)
    message = Message(bytes(min(spec.what.key_bits) // 8), bytes(size), iv=iv)
    program = messages.build(spec, synthesize.sources(spec))
    found = messages.run(program, spec, [message] * COUNT)
    first, last = found.answers[COUNT // 4], found.answers[-1]
    assert first is not None and last is not None
    cycles = last.last - first.last
    text = (COUNT - 1 - COUNT // 4) * -(-size // 16)
    beside = (COUNT - 1 - COUNT // 4) * bool(spec.mode.tags)
    return text / cycles, (text + beside) / cycles


def main(names: Sequence[str]) -> None:
    """Print a line for each mode and length over each core that is named."""
    print(f"{'core':34} {'mode':6} {'bytes':>6} {'text':>8} {'all':>8}  of the core's blocks")
    for name in names or [CORE]:
        for mode in MODES:
            spec = catalogue.find(name).with_mode(mode)
            own = 1 / formulas.cycles_per_block(spec)
            for size in SIZES:
                text, every = (rate / own for rate in blocks_a_cycle(spec, size))
                print(f"{name:34} {mode:6} {size:6} {text:8.2%} {every:8.2%}")


if __name__ == "__main__":
    main(sys.argv[1:])
