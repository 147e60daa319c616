"""Verify a core: standard vectors, random blocks against a model, stalls, clear and reset.

The same questions go to the RTL and to the synthesized netlist, and every one also holds the
formulas of the spec to the clock. The first wrong block, the first broken rule of the port, or
the first cycle too many or too few ends it with one sentence.
"""

import math
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from roundsmith import spec as formulas
from roundsmith.base.errors import VerificationFailed
from roundsmith.flows import synthesize
from roundsmith.flows.targets import Target
from roundsmith.records import records
from roundsmith.records.records import Verification
from roundsmith.simulate import simulate
from roundsmith.simulate.simulate import BlockRun, KeyMode, SimulationFailed, Stimulus, Traffic
from roundsmith.spec import Bus, Direction, KeyChannel, Spec
from roundsmith.tools import verilator, yosys
from roundsmith.verify import mode_verify

#: Random blocks in each of the two long checks.
RANDOM_BLOCKS = 10_000

#: Cycles of the longest checks, about: the slowest cores, with more than a thousand cycles a block,
#: get as many random blocks as fit.
LONGEST = 5_000_000

#: Cycles a block up to which clears and resets come as often as for every other core; blocks that
#: take longer would not live to the end.
PACE = 100

#: Keys in 256 cycles, times the cycles that one keeps a core busy: more would leave it no time for
#: blocks.
KEY_PACE = 400

#: Keys of each length and direction that an idle core is given, to see latency and key set-up.
LONE_KEYS = 12

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Bench:
    """One compiled form of a core, with the words that name it in an error."""

    spec: Spec
    label: str
    program: Path


@dataclass(frozen=True)
class Answers:
    """What a core got right, and its cycles with the longest key that it has built in."""

    blocks: int
    latency_cycles: int
    cycles_per_block: float
    blocks_in_flight: int
    key_setup_encrypt_cycles: int | None
    key_setup_decrypt_cycles: int | None


def verify(
    spec: Spec, target: Target | None, *, progress: Progress | None = None, seed: int | None = None
) -> list[Verification]:
    """Verify `spec` as RTL and as its netlist for `target`; store and return the records.

    Without a target it is verified as RTL alone. A native core is checked behind the full port
    too, as RTL, where it has one. `progress` is
    called with the step, the number of steps done and their total; `seed` repeats an earlier
    run. A core with a mode of operation gets messages. Raises VerificationFailed with the first
    fault.
    """
    if spec.has_mode:
        return mode_verify.verify(spec, target, progress=progress, seed=seed)
    seed = random.SystemRandom().randrange(1 << 30) if seed is None else seed
    report = progress or (lambda step, done, total: None)
    forms = [spec, spec.full()] if spec.has_full and not spec.is_full else [spec]
    # A wrong core is found before the long way to its netlists; there is one at least.
    total = 2 * len(forms) + (3 if target else 0)
    found = []
    for i, form in enumerate(forms):
        port = "full port" if form.is_full else "native port"
        label = f"{spec.name}, RTL, {port}"
        report(f"compiling the RTL behind its {port}", 2 * i, total)
        with records.unchanged(form, None):
            program = rtl(form)
            report(f"simulating the RTL behind its {port}", 2 * i + 1, total)
            answered = check(Bench(form, label, program), seed)
        found.append(_record(form, None, [answered]))
    if target is None:
        report("done", total, total)
        return found
    report(f"synthesizing for {target.name}", 2 * len(forms), total)
    netlists = synthesize.netlist_names(spec, target)
    total += 2 * (len(netlists) - 1)
    answers = []
    with records.unchanged(spec, target):
        for i, name in enumerate(netlists):
            label = f"{spec.name}, {name} netlist for {target.name}"
            done = 2 * (len(forms) + i) + 1
            report(f"compiling the {name} netlist for {target.name}", done, total)
            program = netlist(spec, target, name)
            report(f"simulating the {name} netlist for {target.name}", done + 1, total)
            answers.append(check(Bench(spec, label, program), seed))
    found.append(_record(spec, target, answers))
    report("done", total, total)
    return found


def rtl(spec: Spec) -> Path:
    """Return the compiled RTL of `spec`."""
    return simulate.build(spec, synthesize.sources(spec))


def netlist(spec: Spec, target: Target, name: str) -> Path:
    """Return the compiled netlist called `name` of `spec` for `target`."""
    made = synthesize.netlist(spec, target, name)
    return simulate.build(spec, made.files, flags=made.simulation_flags)


def _record(spec: Spec, target: Target | None, answers: list[Answers]) -> Verification:
    first = answers[0]
    record = Verification(
        name=spec.name,
        target=target.name if target else None,
        **records.identity(spec, target),
        blocks=sum(each.blocks for each in answers),
        latency_cycles=first.latency_cycles,
        cycles_per_block=first.cycles_per_block,
        blocks_in_flight=first.blocks_in_flight,
        key_setup_encrypt_cycles=first.key_setup_encrypt_cycles,
        key_setup_decrypt_cycles=first.key_setup_decrypt_cycles,
        tools={"verilator": verilator.version(), "yosys": yosys.version()},
    )
    records.append(record)
    return record


def check(bench: Bench, seed: int, blocks: int = RANDOM_BLOCKS) -> Answers:
    """Put every question to one compiled core; return what it took to answer them.

    `blocks` is the number of random blocks in each of the two long checks, fewer where they would
    take more than `LONGEST` cycles.
    """
    blocks = min(blocks, int(LONGEST / formulas.cycles_per_block(bench.spec)))
    questions = Questions(bench, np.random.default_rng(seed), seed)
    answered = questions.vectors()
    longest = max(bench.spec.what.key_bits)
    latency, interval, inside = 0, 0.0, 0
    share = blocks // len(bench.spec.what.key_bits)
    for key_bits in bench.spec.what.key_bits:
        for directions in _runs(bench.spec):
            right, first, beat, most = questions.back_to_back(key_bits, share, directions)
            answered += right
            if key_bits == longest:
                latency, interval, inside = max(latency, first), beat, most
    setups: dict[bool, int] = {}
    for bits, decrypt in _ways(bench.spec):
        right, latency_there, setup = questions.alone(bits, decrypt)
        answered += right
        if bits == longest:
            latency = max(latency, latency_there)
            setups[decrypt] = setup
    answered += questions.key_changes(blocks // 5)
    answered += questions.stalls(blocks)
    answered += questions.clears(3 * blocks // 10)
    return Answers(answered, latency, interval, inside, setups.get(False), setups.get(True))


def _ways(spec: Spec) -> Iterator[tuple[int, bool]]:
    """Yield every key length and direction that `spec` has built in."""
    for bits in spec.what.key_bits:
        for direction in spec.what.directions:
            yield bits, direction is Direction.DECRYPT


def _runs(spec: Spec) -> list[tuple[Direction, ...]]:
    """Return the directions that blocks without a gap between them can go: all, or one by one."""
    every = spec.what.directions
    return [(way,) for way in every] if formulas.turn_cycles(spec) else [every]


@dataclass(frozen=True)
class Questions:
    """The questions to one compiled core; each method returns first how many blocks were right."""

    bench: Bench
    random: np.random.Generator
    seed: int

    @property
    def spec(self) -> Spec:
        """The spec of the core."""
        return self.bench.spec

    def vectors(self) -> int:
        """Ask for the standards' examples, in every key length and direction."""
        model = self.spec.cipher.model
        keys, names, blocks, decrypts = [], [], [], []
        for bits, decrypt in _ways(self.spec):
            for vector in model.VECTORS:
                if 8 * len(vector.key) != bits:
                    continue
                keys.append(vector.key)
                names.append(vector.decryption if decrypt else vector.encryption)
                asked, right = vector.plaintext, vector.ciphertext
                if decrypt:
                    asked, right = right, asked
                if (model.decrypt if decrypt else model.encrypt)(vector.key, asked) != right:
                    source = self.spec.cipher.source
                    raise VerificationFailed(f"{source} disagrees with the standards' examples.")
                blocks.append(asked * self.spec.port.lanes)
                decrypts.append(decrypt)
        given = simulate.stimulus(self.spec, keys, b"".join(blocks), decrypt=decrypts)
        return self._ask(given, Traffic(), "standard vectors", names)[0]

    def back_to_back(
        self, bits: int, blocks: int, directions: tuple[Direction, ...]
    ) -> tuple[int, int, float, int]:
        """Ask for blocks without a gap, with keys of one length.

        Also return the longest latency, the cycles a block and the most blocks inside at one time.
        Of several directions the blocks alternate in the first half and are random in the second.
        Every slot keeps its key, unless keys come with the blocks; then each block has another.
        """
        # Enough to fill the core twice, however few were asked for.
        fill = formulas.blocks_in_flight(self.spec, bits) // self.spec.port.lanes
        count = max(self._handshakes(blocks), 2 * fill)
        slots = formulas.keys.at_once(self.spec)
        keyed = self.spec.port.key_channel is KeyChannel.HELD
        keys = [self.random.bytes(bits // 8) for _ in range(slots if keyed else count)]
        decrypt = self._directions(count, directions)
        if len(directions) > 1:
            decrypt[: count // 2] = np.arange(count // 2) % 2
        given = simulate.stimulus(
            self.spec, keys, self._data(count), decrypt=decrypt, key=np.arange(count) % len(keys)
        )
        what = f"back-to-back blocks with {bits}-bit keys"
        right, run = self._ask(given, Traffic(seed=self.seed), what)
        latency = self._check_latency(given, run, bits, what)
        interval = self._check_interval(given, run, bits, what)
        return right, latency, interval, self._check_in_flight(run, bits, what)

    def alone(self, bits: int, decrypt: bool) -> tuple[int, int, int]:
        """Ask an idle core for a block under a new key; also return latency and key set-up."""
        keys = [self.random.bytes(bits // 8) for _ in range(LONE_KEYS)]
        given = simulate.stimulus(self.spec, keys, self._data(LONE_KEYS), decrypt=decrypt)
        what = f"single {'decryptions' if decrypt else 'encryptions'} with {bits}-bit keys"
        right, run = self._ask(given, Traffic(KeyMode.ALONE, seed=self.seed + 3), what)
        latency = self._check_latency(given, run, bits, what, alone=True)
        if self.spec.port.key_channel is not KeyChannel.HELD:
            return right, latency, 0
        direction = Direction.DECRYPT if decrypt else Direction.ENCRYPT
        wanted = formulas.key_setup_cycles(self.spec, direction, bits)
        setups = run.cycles_between("keyed", "accepted")
        if self.spec.what.bus is Bus.NONE:
            setups[0] -= self._turn(decrypt)
        # Where a key is held for the core, the cycles of the core decide when a frame enters.
        early = 0
        if self.spec.native_channel is KeyChannel.WITH_BLOCK or formulas.keys.are_swapped(
            self.spec
        ):
            early = formulas.frame_wait_cycles(self.spec)
        wrong = (setups > wanted) | (setups < wanted - early)
        if wrong.any():
            first = int(np.argmax(wrong))
            raise VerificationFailed(
                f"{self.bench.label}, {what}: block {first} was accepted {setups[first]} cycles "
                f"after its key, the spec says {wanted}."
            )
        return right, latency, wanted

    def key_changes(self, blocks: int) -> int:
        """Ask for blocks whose key changes after one or a few, each key as soon as it can."""
        count = self._handshakes(blocks)
        changes = np.cumsum(self.random.random(count) < 0.6)
        keys = self._keys(int(changes[-1]) + 1)
        given = simulate.stimulus(
            self.spec, keys, self._data(count), decrypt=self._directions(count), key=changes
        )
        traffic = Traffic(p_in=240, p_key=240, p_out=240, seed=self.seed + 4)
        return self._ask(given, traffic, "key changes")[0]

    def stalls(self, blocks: int) -> int:
        """Ask for blocks with pauses on both sides and keys at any time."""
        traffic = Traffic(
            KeyMode.INDEPENDENT, p_in=110, p_key=self._key_rate(40), p_out=40, seed=self.seed + 1
        )
        return self._ask(self.mixed(blocks), traffic, "random stalls")[0]

    def clears(self, blocks: int) -> int:
        """Ask for blocks while the core is cleared and reset; what is dropped is dropped."""
        pace = max(1.0, formulas.initiation_interval(self.spec) / PACE)
        traffic = Traffic(
            KeyMode.INDEPENDENT,
            p_in=200,
            p_key=self._key_rate(80),
            p_out=128,
            p_clear=math.ceil(500 / pace),
            p_reset=math.ceil(200 / pace),
            seed=self.seed + 2,
        )
        return self._ask(self.mixed(blocks), traffic, "random clears and resets")[0]

    def _key_rate(self, most: int) -> int:
        """Return how often a key comes, in 256: not so often that no block gets in between them."""
        setup = formulas.key_setup_cycles(self.spec)
        return min(most, max(1, KEY_PACE // max(1, setup)))

    def _handshakes(self, blocks: int) -> int:
        return max(blocks // self.spec.port.lanes, 40)

    def _data(self, count: int) -> bytes:
        return self.random.bytes(16 * self.spec.port.lanes * count)

    def _keys(self, count: int) -> list[bytes]:
        """Return random keys of random lengths."""
        lengths = self.random.choice(self.spec.what.key_bits, count)
        return [self.random.bytes(bits // 8) for bits in lengths]

    def _directions(
        self, count: int, directions: tuple[Direction, ...] | None = None
    ) -> np.ndarray:
        """Return random directions, of those that the core has; true is decryption."""
        ways = directions or self.spec.what.directions
        legal = [direction is Direction.DECRYPT for direction in ways]
        return self.random.choice(legal, count)

    def mixed(self, blocks: int) -> Stimulus:
        """Return blocks under random keys in random directions."""
        count = self._handshakes(blocks)
        return simulate.stimulus(
            self.spec,
            self._keys(count),
            self._data(count),
            decrypt=self._directions(count),
            key=self.random.integers(0, count, count),
        )

    def _ask(
        self, given: Stimulus, traffic: Traffic, what: str, names: list[str] | None = None
    ) -> tuple[int, BlockRun]:
        """Simulate, and compare every block with that of the model."""
        try:
            run = simulate.run(self.bench.program, self.spec, given, traffic)
        except SimulationFailed as error:
            raise VerificationFailed(f"{self.bench.label}, {what}: {error}.") from None
        compare(self.bench, given, run, names)
        return len(run.results) * self.spec.port.lanes, run

    def _turn(self, decrypt: bool) -> int:
        """Return the cycles by which the first block is late; after a reset a core encrypts."""
        return formulas.turn_cycles(self.spec) if decrypt and self.spec.encrypts else 0

    def _check_latency(
        self, given: Stimulus, run: BlockRun, bits: int, what: str, *, alone: bool = False
    ) -> int:
        """Hold every block of an unhindered run to the latency of the spec; return the longest.

        Of blocks that are not alone, some may wait in 32-bit channels for those before them; while
        the core turns, all there do.
        """
        ways = self._ways_of(given, run)
        wanted = np.zeros(len(ways), np.int64)
        for way in self.spec.what.directions:
            batch = 1 if alone else None
            wanted[ways == way] = formulas.latency_cycles(self.spec, bits, way, batch)
        latencies = run.cycles_between("accepted", "appeared")
        longest = int(wanted.max())
        late = np.zeros(len(ways), np.int64)
        if self.spec.bus.has_words:
            turn = self._turn(ways[0] == Direction.DECRYPT)
            wanted[0] += turn
            late[1:] = 0 if alone else formulas.bus_wait_cycles(self.spec)
            late[1 : 1 if alone else 2 * formulas.slots(self.spec)] += turn
        wrong = (latencies < wanted) | (latencies > wanted + late)
        if wrong.any():
            first = int(np.argmax(wrong))
            raise VerificationFailed(
                f"{self.bench.label}, {what}: block {first} took {latencies[first]} cycles, "
                f"the spec says {wanted[first]}."
            )
        return longest

    def _check_interval(self, given: Stimulus, run: BlockRun, bits: int, what: str) -> float:
        """Hold the steady state to the interval of the spec; return cycles a block.

        Directions may change the interval; the one that is returned is that of blocks that go the
        slower way.
        """
        group = formulas.slots(self.spec)
        # The first keys hold up the first blocks.
        settled = self.spec.port.key_slots + group * (2 if formulas.turn_cycles(self.spec) else 1)
        accepted = run.results["accepted"][settled:].astype(np.int64)
        intervals = accepted[group:] - accepted[:-group]
        ways = self._ways_of(given, run)[settled:]
        wanted = np.zeros(len(intervals), np.int64)
        for way in self.spec.what.directions:
            for following in self.spec.what.directions:
                here = (ways[:-group] == way) & (ways[group:] == following)
                wanted[here] = formulas.initiation_interval(self.spec, bits, way, following)
        if len(intervals) == 0 or (intervals != wanted).any():
            first = int(np.argmax(intervals != wanted))
            index = run.results["index"][settled + first]
            raise VerificationFailed(
                f"{self.bench.label}, {what}: block {index + group} was accepted "
                f"{intervals[first]} cycles after block {index}, the spec says {wanted[first]}."
            )
        interval = formulas.initiation_interval(self.spec, bits)
        return interval / (group * self.spec.port.lanes)

    def _check_in_flight(self, run: BlockRun, bits: int, what: str) -> int:
        """Hold the most blocks inside at one time to the spec; return how many they were.

        A block is inside from its acceptance until its result shows, less the cycles that the port
        adds to the core, and less what it waits for its slot in 32-bit channels. The edges of a
        ring are beside its slots, so they do not count.
        """
        latency = formulas.latency_cycles(self.spec, bits)
        outside = latency - formulas.core_latency_cycles(self.spec, bits)
        if not self.spec.is_pipe:
            outside += len(self.spec.how.edges)
        appeared = run.results["appeared"].astype(np.int64)
        entered = np.maximum(run.results["accepted"].astype(np.int64), appeared - latency)
        left = np.searchsorted(appeared - outside, entered, side="right")
        found = int((np.arange(1, len(left) + 1) - left).max()) * self.spec.port.lanes
        wanted = formulas.blocks_in_flight(self.spec, bits)
        if found != wanted:
            raise VerificationFailed(
                f"{self.bench.label}, {what}: {found} blocks were inside at one time, the spec "
                f"says {wanted}."
            )
        return found

    def _ways_of(self, given: Stimulus, run: BlockRun) -> np.ndarray:
        """Return the direction of each result."""
        decrypts = given.decrypt[run.results["index"]]
        return np.where(decrypts, Direction.DECRYPT.value, Direction.ENCRYPT.value)


def compare(bench: Bench, given: Stimulus, run: BlockRun, names: list[str] | None = None) -> None:
    """Compare every block with the model's; raise VerificationFailed at the first wrong one."""
    index, key = run.results["index"], run.results["key"]
    data, decrypt = given.data[index], given.decrypt[index]
    right = bench.spec.cipher.model.cipher_each(given.keys, key, decrypt, data)
    got = run.results["data"]
    wrong = np.argwhere((got != right).any(axis=1))
    if len(wrong) == 0:
        return
    row = int(wrong[0, 0])
    lane = int(np.argmax(got[row] != right[row])) // 16
    part = slice(16 * lane, 16 * lane + 16)
    name = f"block {index[row]}"
    if names is not None:
        name += f" ({names[int(index[row])]})"
    if got.shape[1] > 16:
        name += f", lane {lane},"
    raise VerificationFailed(
        f"{bench.label}: {name} is wrong: key {given.keys[key[row]].hex()}, "
        f"{'ciphertext' if decrypt[row] else 'plaintext'} {data[row, part].tobytes().hex()} "
        f"gives {got[row, part].tobytes().hex()} instead of {right[row, part].tobytes().hex()}."
    )
