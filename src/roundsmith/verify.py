"""Verify a core: standard vectors, random blocks against OpenSSL, stalls, clear and reset.

The same questions go to the RTL and to the synthesized netlist. The first wrong block, or the
first broken rule of the port, ends it with one sentence.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from roundsmith import records, simulate, synthesize
from roundsmith import spec as formulas
from roundsmith.errors import VerificationFailed
from roundsmith.records import Verification
from roundsmith.reference import aes
from roundsmith.simulate import KeyMode, SimulationFailed, Traffic
from roundsmith.spec import Spec
from roundsmith.targets import Target
from roundsmith.tools import verilator, yosys

#: Random blocks in each of the two long checks.
RANDOM_BLOCKS = 10_000

#: Blocks sent while the core is cleared and reset at random.
CLEARED_BLOCKS = 3_000

#: Blocks sent at full speed under one key, to see the interval at a full port.
INTERVAL_BLOCKS = 500

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Bench:
    """One compiled form of a core, with the words that name it in an error."""

    spec: Spec
    label: str
    program: Path


def verify(
    spec: Spec, target: Target, *, progress: Progress | None = None, seed: int | None = None
) -> list[Verification]:
    """Verify `spec` as RTL and as its netlist for `target`; store and return the records.

    A native core is checked behind the full port too, as RTL. `progress` is called with the
    step, the number of steps done and their total; `seed` repeats an earlier run. Raises
    VerificationFailed with the first fault.
    """
    seed = random.SystemRandom().randrange(1 << 30) if seed is None else seed
    report = progress or (lambda step, done, total: None)
    forms = [spec] if spec.is_full else [spec, spec.full()]
    report(f"synthesizing for {target.name}", 0, 1)
    netlists = synthesize.netlist_names(spec, target)
    total = 2 * (len(forms) + len(netlists))
    checked = 0
    for i, form in enumerate(forms):
        port = "full port" if form.is_full else "native port"
        label = f"{spec.name}, RTL, {port}"
        report(f"compiling the RTL behind its {port}", 2 * i, total)
        program = _rtl(form)
        report(f"simulating the RTL behind its {port}", 2 * i + 1, total)
        checked += check(Bench(form, label, program), seed)
    found = [_record(spec, None, checked)]
    checked_netlists = 0
    for i, name in enumerate(netlists, start=len(forms)):
        label = f"{spec.name}, {name} netlist for {target.name}"
        report(f"compiling the {name} netlist for {target.name}", 2 * i, total)
        program = _netlist(spec, target, name)
        report(f"simulating the {name} netlist for {target.name}", 2 * i + 1, total)
        checked_netlists += check(Bench(spec, label, program), seed)
    found.append(_record(spec, target, checked_netlists))
    report("done", total, total)
    return found


def _rtl(spec: Spec) -> Path:
    return simulate.build(spec, synthesize.sources(spec))


def _netlist(spec: Spec, target: Target, name: str) -> Path:
    netlist = synthesize.netlist(spec, target, name)
    return simulate.build(spec, netlist.files, flags=netlist.simulation_flags)


def _record(spec: Spec, target: Target | None, blocks: int) -> Verification:
    record = Verification(
        name=spec.name,
        target=target.name if target else None,
        design_hash=records.design_hash(spec, target),
        blocks=blocks,
        tools={"verilator": verilator.version(), "yosys": yosys.version()},
    )
    records.append(record)
    return record


def check(bench: Bench, seed: int) -> int:
    """Put every question to one compiled core; return the number of blocks it got right."""
    generator = random.Random(seed)
    keys = [generator.randbytes(16) for _ in range(RANDOM_BLOCKS)]
    blocks = generator.randbytes(16 * RANDOM_BLOCKS)
    answered = _vectors(bench)
    answered += _back_to_back(bench, keys, blocks, seed)
    answered += _stalls(bench, keys, blocks, seed)
    answered += _clears(bench, keys, blocks[: 16 * CLEARED_BLOCKS], seed)
    return answered


def _vectors(bench: Bench) -> int:
    vectors = aes.AES128_VECTORS
    keys = [v.key for v in vectors]
    blocks = b"".join(v.plaintext for v in vectors)
    run = _run(bench, keys, blocks, Traffic(), "standard vectors")
    names = [f"block {i} ({v.source})" for i, v in enumerate(vectors)]
    _compare(bench, run, keys, blocks, names, [v.ciphertext for v in vectors])
    return len(run.results)


def _back_to_back(bench: Bench, keys: Sequence[bytes], blocks: bytes, seed: int) -> int:
    """Check 10,000 random blocks, a new key for each, never a pause; then the two formulas."""
    spec = bench.spec
    run = _run(bench, keys, blocks, Traffic(seed=seed), "back-to-back blocks")
    _compare(bench, run, keys, blocks)
    latency = run.results["appeared"] - run.results["accepted"]
    wanted = formulas.latency_cycles(spec)
    if (latency != wanted).any():
        first = int(np.argmax(latency != wanted))
        raise VerificationFailed(
            f"{bench.label}: block {first} took {latency[first]} cycles, the spec says {wanted}."
        )
    steady = run
    if spec.is_full:
        # A new key for every block would hide the interval behind the key channel.
        some = blocks[: 16 * INTERVAL_BLOCKS]
        traffic = Traffic(KeyMode.SINGLE, seed=seed)
        steady = _run(bench, keys[:1], some, traffic, "back-to-back blocks")
        _compare(bench, steady, keys, some)
    _check_interval(bench, steady)
    return len(run.results)


def _check_interval(bench: Bench, run: simulate.Run) -> None:
    slots = formulas.blocks_in_flight(bench.spec)
    wanted = formulas.initiation_interval(bench.spec)
    accepted = run.results["accepted"]
    intervals = accepted[slots:] - accepted[:-slots]
    if (intervals != wanted).any():
        first = int(np.argmax(intervals != wanted))
        raise VerificationFailed(
            f"{bench.label}: block {first + slots} was accepted {intervals[first]} cycles after "
            f"block {first}, the spec says {wanted}."
        )


def _stalls(bench: Bench, keys: Sequence[bytes], blocks: bytes, seed: int) -> int:
    """Check 10,000 random blocks with pauses on both sides and keys at any time."""
    traffic = Traffic(KeyMode.INDEPENDENT, p_in=110, p_key=40, p_out=40, seed=seed + 1)
    run = _run(bench, keys, blocks, traffic, "random stalls")
    _compare(bench, run, keys, blocks)
    return len(run.results)


def _clears(bench: Bench, keys: Sequence[bytes], blocks: bytes, seed: int) -> int:
    """Check blocks while the core is cleared and reset at random; what is dropped is dropped."""
    traffic = Traffic(
        KeyMode.INDEPENDENT, p_in=200, p_key=80, p_out=128, p_clear=500, p_reset=200, seed=seed + 2
    )
    run = _run(bench, keys, blocks, traffic, "random clears and resets")
    _compare(bench, run, keys, blocks)
    return len(run.results)


def _run(
    bench: Bench, keys: Sequence[bytes], blocks: bytes, traffic: Traffic, what: str
) -> simulate.Run:
    try:
        return simulate.run(bench.program, bench.spec, keys, blocks, traffic)
    except SimulationFailed as error:
        raise VerificationFailed(f"{bench.label}, {what}: {error}.") from None


def _compare(
    bench: Bench,
    run: simulate.Run,
    keys: Sequence[bytes],
    blocks: bytes,
    names: Sequence[str] | None = None,
    expected: Sequence[bytes] | None = None,
) -> None:
    """Compare every result with OpenSSL's (or with `expected`); raise at the first wrong one."""
    indices = run.results["index"]
    pairs = [
        (keys[key], blocks[16 * index : 16 * index + 16])
        for key, index in zip(run.results["key"], indices, strict=True)
    ]
    wanted = aes.encrypt_each(pairs)
    if expected is not None and wanted != list(expected):
        raise VerificationFailed("OpenSSL disagrees with the standard's own vectors.")
    for i, (got, right) in enumerate(zip(run.ciphertexts(), wanted, strict=True)):
        if got != right:
            name = names[i] if names else f"block {indices[i]}"
            key, plaintext = pairs[i]
            raise VerificationFailed(
                f"{bench.label}: {name} is wrong: key {key.hex()}, plaintext {plaintext.hex()} "
                f"gives {got.hex()} instead of {right.hex()}."
            )
