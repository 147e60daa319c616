"""Verify a core with a mode of operation: random messages against OpenSSL, stalls and clears.

The same questions go to the RTL and to the synthesized netlists. Where OpenSSL has no answer (other
ciphers, short tags of OCB3), the plain model of the modes has.
"""

import random
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from roundsmith import spec as formulas
from roundsmith.base.errors import VerificationFailed
from roundsmith.flows import synthesize
from roundsmith.flows.targets import Target
from roundsmith.records import records
from roundsmith.records.records import Verification
from roundsmith.simulate import messages
from roundsmith.simulate.messages import MessageRun, Traffic
from roundsmith.simulate.simulate import SimulationFailed
from roundsmith.spec import Spec
from roundsmith.tools import verilator, yosys
from roundsmith.verify import message_checks
from roundsmith.verify.message_checks import AskedMessage

#: Random messages of a check, and the most bytes of one.
MESSAGES = 300
LONGEST = 4096

#: Cycles of a check, about: slow cores get fewer and shorter messages.
CYCLES = 2_000_000

#: Blocks of a message that shows how fast a core with several streams is, and how far it may be off
#: the formulas: what lies between two messages, and the turn in a hundred that five streams of CCM
#: lose if they begin in some orders.
PACE_BLOCKS = 400
PACE_ERROR = 0.015

#: How the checks drive the port, and the bus where there is one.
TRAFFIC = {
    "messages back to back": Traffic(),
    "random stalls": Traffic(p_msg=60, p_in=110, p_key=20, p_out=60),
    "a slow consumer": Traffic(p_out=40),
    "random clears and resets": Traffic(p_in=200, p_out=200, p_clear=100, p_reset=50),
}

Progress = Callable[[str, int, int], None]


def verify(
    spec: Spec, target: Target | None, *, progress: Progress | None = None, seed: int | None = None
) -> list[Verification]:
    """Verify `spec` as RTL, and as its netlists for `target` if there is one; store the records.

    Raises VerificationFailed with the first fault.
    """
    seed = random.SystemRandom().randrange(1 << 30) if seed is None else seed
    report = progress or (lambda step, done, total: None)
    names = synthesize.netlist_names(spec, target) if target else []
    total = 2 + 2 * len(names)
    report("compiling the RTL", 0, total)
    with records.unchanged(spec, None):
        program = messages.build(spec, synthesize.sources(spec))
        report("simulating the RTL", 1, total)
        blocks = check(spec, program, f"{spec.name}, RTL", seed)
        cycles = pace(spec, program, f"{spec.name}, RTL", seed) if spec.how.streams > 1 else None
    found = [_record(spec, None, blocks, cycles)]
    if target:
        blocks = 0
        with records.unchanged(spec, target):
            for i, name in enumerate(names):
                report(f"compiling the {name} netlist for {target.name}", 2 + 2 * i, total)
                made = synthesize.netlist(spec, target, name)
                program = messages.build(spec, made.files, flags=made.simulation_flags)
                report(f"simulating the {name} netlist for {target.name}", 3 + 2 * i, total)
                label = f"{spec.name}, {name} netlist for {target.name}"
                blocks += check(spec, program, label, seed)
        found.append(_record(spec, target, blocks))
    report("done", total, total)
    return found


def check(spec: Spec, program: Path, label: str, seed: int) -> int:
    """Put every question to one compiled core; return how many blocks of text were right."""
    generator = np.random.default_rng(seed)
    each = 2 * formulas.cycles_per_block(spec)
    each = max(each, spec.bus.beat_cycles(spec))
    budget = int(CYCLES / each)
    longest = max(64, min(LONGEST, 16 * budget // 64))
    count = max(20, min(MESSAGES, budget // (longest // 16)))
    if spec.cipher.slow_model:
        longest, count = 256, 60
    answered = 0
    for what, traffic in TRAFFIC.items():
        asked = message_checks.questions(spec, generator, count, longest)
        made = _ask(spec, program, asked, traffic, f"{label}, {what}", seed)
        answered += message_checks.compare(f"{label}, {what}", asked, made.answers) and sum(
            -(-len(one.message.text) // 16)
            for one, answer in zip(asked, made.answers, strict=True)
            if answer is not None
        )
    return answered


def pace(spec: Spec, program: Path, label: str, seed: int, blocks: int = PACE_BLOCKS) -> float:
    """Send messages of `blocks` through all streams, back to back; return the cycles a block.

    Raises VerificationFailed where a byte is wrong, or where the cycles are not those of the spec.
    """
    label = f"{label}, all streams at once"
    generator = np.random.default_rng(seed)
    keys = [generator.bytes(max(spec.what.key_bits) // 8) for _ in range(spec.how.streams)]
    asked = [
        message_checks.encryption(spec, generator, 16 * blocks, key, stream)
        for _ in range(3)
        for stream, key in enumerate(keys)
    ]
    made = _ask(spec, program, asked, Traffic(), label, seed)
    message_checks.compare(label, asked, made.answers)
    beats = np.array([(a.first, a.last) for a in made.answers if a is not None])
    before, middle = beats.reshape(3, len(keys), 2)[:2]
    if spec.mode.mac:  # one beat a message
        rate = float((blocks / (middle[:, 1] - before[:, 1])).sum())
    else:
        rate = float(((blocks - 1) / (middle[:, 1] - middle[:, 0])).sum())
    wanted = max(formulas.cycles_per_block(spec), spec.bus.beat_cycles(spec))
    if abs(1 / rate - wanted) > PACE_ERROR * wanted:
        raise VerificationFailed(
            f"{label}: a block takes {1 / rate:.4g} cycles, the spec says {wanted:.4g}."
        )
    return 1 / rate


def _ask(
    spec: Spec,
    program: Path,
    asked: Sequence[AskedMessage],
    traffic: Traffic,
    label: str,
    seed: int,
) -> MessageRun:
    given = Traffic(**{**vars(traffic), "seed": seed + 1})
    try:
        return messages.run(program, spec, [each.message for each in asked], given)
    except SimulationFailed as error:
        raise VerificationFailed(f"{label}: {error}.") from None


def _record(
    spec: Spec, target: Target | None, blocks: int, cycles: float | None = None
) -> Verification:
    record = Verification(
        name=spec.name,
        target=target.name if target else None,
        **records.identity(spec, target),
        blocks=blocks,
        cycles_per_block=cycles,
        tools={"verilator": verilator.version(), "yosys": yosys.version()},
    )
    records.append(record)
    return record
