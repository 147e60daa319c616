"""The energy that a core in standard cells takes for a block: an estimate without wires.

The area-driven netlist encrypts random blocks under random keys, many runs at once, and every
result is compared with the model's. Of each wire the transitions between two blocks in a steady
flow are counted. Three sums make the energy of a block:

- switching: C V^2 / 2 for each transition of a wire, C the input pins on it;
- internal: what the Liberty tables say of the cell that drives it, and of the pins it drives;
- clock: both transitions a cycle of the clock's pins, switching and internal, an ideal tree.

Not in it: wires, hazards (gates have no delay here), the buffers of a clock tree, leakage.
"""

import random
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from roundsmith import spec as formulas
from roundsmith.base.cache import cache_dir
from roundsmith.base.errors import RoundsmithError, VerificationFailed
from roundsmith.flows import toggles
from roundsmith.flows.families import asic
from roundsmith.flows.flow import CELLS, Target
from roundsmith.flows.toggles import Circuit
from roundsmith.records import records
from roundsmith.records.records import PowerEstimate
from roundsmith.simulate.key_frame import key_frame
from roundsmith.spec import Bus, Direction, KeyChannel, Spec
from roundsmith.tools import energy
from roundsmith.tools.energy import Costs
from roundsmith.tools.liberty import Library

#: Runs that are simulated at once, each with a key of its own.
RUNS = 64


@dataclass(frozen=True)
class Energy:
    """Sums over all runs in pJ: wires, inside cells, and what the clock takes of both."""

    switching: float
    internal: float
    clock: float

    @property
    def total(self) -> float:
        """The sum of the three."""
        return self.switching + self.internal + self.clock


def estimate(
    spec: Spec, target: Target, *, progress: Callable[[str, int, int], None]
) -> PowerEstimate:
    """Return the energy of `spec` in the cells of `target`, estimated now if it is not stored."""
    if target.flow.logic is not CELLS:
        raise RoundsmithError(
            f"The energy of a core is estimated in standard cells, and {target.name} has none; "
            "take asic:osu018 or asic:FILE.lib."
        )
    if spec.what.bus is not Bus.NONE or spec.port.lanes > 1:
        raise RoundsmithError(
            f"The energy of {spec.name} cannot be estimated through its port of several lanes or "
            "a bus; take the native core of the same kind."
        )
    if spec.has_mode:
        raise RoundsmithError(
            f"The energy of {spec.name} cannot be estimated, for messages have no energy a block; "
            "take the core without a mode."
        )
    stored = records.power(spec, target)
    if stored is not None:
        return stored
    with records.unchanged(spec, target):
        progress("area-driven synthesis", 0, 2)
        made = asic.standard_cells(spec, target, "area")
        library = target.library()
        progress("simulation of the netlist", 1, 2)
        with tempfile.TemporaryDirectory(dir=cache_dir(), prefix=".power-") as scratch:
            circuit = toggles.load(made.netlist, spec.module, library, Path(scratch), RUNS)
        _Flow(spec, circuit).run()
    spent = spent_by(circuit, library, energy.costs(library))
    blocks = counted(spec)
    count = RUNS * blocks
    found = PowerEstimate(
        name=spec.name,
        target=target.name,
        # What decides a figure besides RTL and library.
        flow=f"area-driven: {made.flow}; power {RUNS} runs, {blocks} blocks after {blocks}, "
        f"slew {energy.SLEW_NS} ns",
        blocks=count,
        cycles_per_block=circuit.cycles / blocks,
        voltage=energy.costs(library).voltage,
        energy_pj=round(spent.total / count, 3),
        energy_pj_per_bit=round(spent.total / count / 128, 4),
        switching_pj=round(spent.switching / count, 3),
        internal_pj=round(spent.internal / count, 3),
        clock_pj=round(spent.clock / count, 3),
        **records.identity(spec, target),
        tools=target.tools(),
    )
    records.append(found)
    progress("done", 2, 2)
    return found


def spent_by(circuit: Circuit, library: Library, costs: Costs) -> Energy:
    """Return the energy of the transitions that `circuit` counted, over all its runs."""
    loads = [0.0] * circuit.wires
    for instance in circuit.instances:
        for pin in instance.cell.inputs:
            if pin in instance.wires:
                loads[instance.wires[pin]] += instance.cell.pins[pin].capacitance
    rises, falls = list(circuit.rises), list(circuit.falls)
    edges = circuit.cycles * circuit.runs
    rises[circuit.clock] = falls[circuit.clock] = edges
    switching = internal = clock = 0.0
    for wire, load in enumerate(loads):
        spent = (rises[wire] + falls[wire]) * costs.switching(load)
        if wire == circuit.clock:
            clock += spent
        else:
            switching += spent
    for instance in circuit.instances:
        for pin, wire in instance.wires.items():
            load = loads[wire] if pin in instance.cell.outputs else 0.0
            rise, fall = costs.internal(instance.cell.name, pin, load)
            spent = rises[wire] * rise + falls[wire] * fall
            if wire == circuit.clock:
                clock += spent
            else:
                internal += spent
    return Energy(switching, internal, clock)


class _Flow:
    """Random blocks through the block port of a netlist, all runs in step."""

    def __init__(self, spec: Spec, circuit: Circuit) -> None:
        numbers = random.Random(1)
        bits = spec.what.key_bits[-1]
        self.spec, self.circuit = spec, circuit
        self.patience = patience(spec)
        self.decrypt = Direction.ENCRYPT not in spec.what.directions
        self.keys = [numbers.randbytes(bits // 8) for _ in range(circuit.runs)]
        # As many before those that count, so that the core is full; and some behind them.
        self.blocks = counted(spec)
        self.given = [
            [numbers.randbytes(16) for _ in range(circuit.runs)]
            for _ in range(2 * self.blocks + 2 + 2 * int(formulas.blocks_in_flight(spec)))
        ]
        self.taken: list[list[bytes]] = []

    def run(self) -> None:
        """Count the transitions of some blocks in a steady flow; check every result."""
        self._start()
        with_block = self.spec.port.key_channel is KeyChannel.WITH_BLOCK
        keys = [key_frame(self.spec, key) for key in self.keys]
        if not with_block:
            self._frame({"key_i": keys}, "key_valid_i", "key_ready_o", lambda: None)
        accepted = 0

        def entered() -> None:
            nonlocal accepted
            # From the cycle in which one block enters to that in which another does.
            self.circuit.counting = self.blocks <= accepted < 2 * self.blocks
            accepted += 1

        for blocks in self.given:
            frames = {"in_block_i": blocks}
            if with_block:
                frames["in_key_i"] = keys
            self._frame(frames, "in_valid_i", "in_ready_o", entered)
        while len(self.taken) < 2 * self.blocks:
            self._cycle()
        for blocks, results in zip(self.given, self.taken, strict=False):
            self._check(blocks, results)

    def _start(self) -> None:
        circuit = self.circuit
        length = (128, 192, 256).index(self.spec.what.key_bits[-1])
        codes = {"in_len_i": length, "key_len_i": length, "in_decrypt_i": int(self.decrypt)}
        for name, wires in circuit.ports.items():
            if name.endswith("_i") and name != "clk_i":
                code = codes.get(name, 0)
                circuit.drive(name, [circuit.ones * (code >> i & 1) for i in range(len(wires))])
        if "out_ready_i" in circuit.ports:
            circuit.drive("out_ready_i", [circuit.ones])
        self.waiting = 0
        self.parts: list[list[int]] = []
        for _ in range(4):
            circuit.settle()
            circuit.tick()
        circuit.drive("rst_ni", [circuit.ones])

    def _frame(
        self,
        frames: dict[str, list[bytes]],
        valid: str,
        ready: str,
        entered: Callable[[], None],
    ) -> None:
        """Send a frame, beat by beat, on ports that move together."""
        circuit = self.circuit
        beats = {port: _beats(values, len(circuit.ports[port])) for port, values in frames.items()}
        for number in range(max(map(len, beats.values()))):
            for port, rows in beats.items():
                if number < len(rows):
                    circuit.drive(port, rows[number])
            if number:
                circuit.drive(valid, [0])
                self._cycle()
                continue
            circuit.drive(valid, [circuit.ones])
            for _ in range(self.patience):
                circuit.settle()
                if circuit.read(ready)[0]:
                    break
                self._cycle()
            else:
                raise VerificationFailed(f"The netlist of {self.spec.name} takes no {valid}.")
            entered()
            self._cycle()
        circuit.drive(valid, [0])

    def _cycle(self) -> None:
        """Settle, take what comes out, and clock."""
        circuit = self.circuit
        circuit.settle()
        width = len(circuit.ports["out_block_o"])
        self.waiting += 1
        if self.parts or circuit.read("out_valid_o")[0]:
            self.waiting = 0
            self.parts.append(circuit.read("out_block_o"))
            if len(self.parts) * width == 128:
                self.taken.append(_blocks(self.parts, circuit.runs))
                self.parts = []
        if self.waiting > self.patience:
            raise VerificationFailed(f"The netlist of {self.spec.name} gives no results.")
        circuit.tick()

    def _check(self, blocks: Sequence[bytes], results: Sequence[bytes]) -> None:
        model = self.spec.cipher.model
        cipher = model.decrypt if self.decrypt else model.encrypt
        for key, block, result in zip(self.keys, blocks, results, strict=True):
            if cipher(key, block) != result:
                raise VerificationFailed(
                    f"The netlist of {self.spec.name} answers {block.hex()} under {key.hex()} "
                    f"with {result.hex()}."
                )


def patience(spec: Spec) -> int:
    """Return the cycles without progress after which a netlist counts as dead.

    More than a core can need for anything, and not so many that a simulation seems to hang.
    """
    setups = [formulas.key_setup_cycles(spec, way) for way in spec.what.directions]
    once = formulas.latency_cycles(spec) + formulas.clear_cycles(spec) + max(setups)
    return 2 * int(once + formulas.cycles_per_block(spec)) + 100


def counted(spec: Spec) -> int:
    """Return of how many blocks the transitions are counted: two, or all slots of a ring.

    A ring may take its blocks one after the other and then none for a while, so that the cycles
    between two of them are not those of all.
    """
    return 2 if spec.is_pipe else max(2, int(formulas.blocks_in_flight(spec)))


def _beats(values: Sequence[bytes], width: int) -> list[list[int]]:
    """Return frames, one a run, as beats: for every wire of the port a number with a bit a run.

    The first byte comes first, its most significant bit first; short frames are left-aligned.
    """
    bits = len(values[0]) * 8
    total = -(-bits // width) * width
    numbers = [int.from_bytes(value, "big") << (total - bits) for value in values]
    rows = []
    for beat in range(total // width):
        base = total - (beat + 1) * width
        rows.append(
            [
                sum((number >> (base + wire) & 1) << run for run, number in enumerate(numbers))
                for wire in range(width)
            ]
        )
    return rows


def _blocks(parts: Sequence[Sequence[int]], runs: int) -> list[bytes]:
    """Return the block of each run from the beats of a frame."""
    found = []
    for run in range(runs):
        number = 0
        for wires in parts:
            for wire in reversed(wires):
                number = number << 1 | (wire >> run & 1)
        found.append(number.to_bytes(16, "big"))
    return found
