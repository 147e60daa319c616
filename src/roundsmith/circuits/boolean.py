"""Short programs for several Boolean functions of up to four inputs, in two-input gates or more.

A function is a truth table: bit k is its value for the input pattern k, whose bit i is input i.
The search is C++; what it finds is checked here, every target in its exact polarity.
"""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from roundsmith.circuits.program import Kind, Operation
from roundsmith.tools import compiler

_SOURCE = Path(__file__).with_name("boolean.cpp")

#: The largest task that the search accepts.
MAX_INPUTS = 4
MAX_TARGETS = 32
MAX_ARRIVAL = 31


class Gates(StrEnum):
    """The gates that a circuit may have."""

    XOR_AND = "xor-and"  # XOR, XNOR, AND
    ALL = "all"  # every gate with two inputs, and inverters
    MUX = "mux"  # these and multiplexers

    @property
    def kinds(self) -> frozenset[Kind]:
        """The kinds of operations that are allowed."""
        if self is Gates.XOR_AND:
            return frozenset({Kind.XOR, Kind.XNOR, Kind.AND})
        return frozenset(Kind) - {Kind.ALIAS} - ({Kind.MUX} if self is Gates.ALL else set())


@dataclass(frozen=True)
class Task:
    """What is to be computed, and of what.

    `targets` are truth tables of functions of `inputs` bits, none of them constant. `depth` is the
    largest depth that a target may have (no bound when None), `arrivals` the depth of each input
    (all 0 when empty). Construction raises ValueError when the numbers do not fit.
    """

    targets: tuple[int, ...]
    inputs: int = 4
    gates: Gates = Gates.ALL
    depth: int | None = None
    arrivals: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if not 0 < self.inputs <= MAX_INPUTS:
            raise ValueError(f"{self.inputs} inputs, where 1 to {MAX_INPUTS} are possible")
        if not 0 < len(self.targets) <= MAX_TARGETS:
            raise ValueError(f"{len(self.targets)} targets, where 1 to {MAX_TARGETS} are possible")
        if any(not 0 < target < self.ones for target in self.targets):
            raise ValueError("a target is constant or has more patterns than the inputs")
        if self.arrivals and len(self.arrivals) != self.inputs:
            raise ValueError(f"{len(self.arrivals)} arrivals for {self.inputs} inputs")
        if any(not 0 <= level <= MAX_ARRIVAL for level in self.arrivals):
            raise ValueError(f"an arrival is outside 0 to {MAX_ARRIVAL}")

    @property
    def ones(self) -> int:
        """The truth table of the constant 1."""
        return (1 << (1 << self.inputs)) - 1


@dataclass(frozen=True)
class Step:
    """A gate: operand k below the number of inputs is input k, the others are earlier steps."""

    kind: Kind
    operands: tuple[int, ...]


@dataclass(frozen=True)
class Circuit:
    """A program: signal k below `inputs` is input k, signal `inputs` + i is the i-th step.

    `outputs` are the signals of the task's targets.
    """

    steps: tuple[Step, ...]
    outputs: tuple[int, ...]
    inputs: int = 4

    @property
    def cost(self) -> int:
        """The number of gates, inverters among them."""
        return len(self.steps)

    def depth(self, arrivals: Sequence[int] = ()) -> int:
        """Return the depth of the deepest output, for inputs that arrive at 0 or as given."""
        levels = list(arrivals) or [0] * self.inputs
        for step in self.steps:
            levels.append(1 + max(levels[k] for k in step.operands))
        return max((levels[k] for k in self.outputs), default=0)

    def tables(self) -> list[int]:
        """Return the truth table of every signal. ValueError when a step is none."""
        ones = (1 << (1 << self.inputs)) - 1
        tables = _inputs(self.inputs)
        for i, step in enumerate(self.steps):
            if len(step.operands) != _arity(step.kind):
                raise ValueError(f"step {i}, {step.kind}, has {len(step.operands)} operands")
            if any(not 0 <= k < len(tables) for k in step.operands):
                raise ValueError(f"step {i} uses a signal before it is computed")
            tables.append(_apply(step.kind, [tables[k] for k in step.operands], ones))
        return tables


def check(task: Task, circuit: Circuit) -> None:
    """Raise ValueError when `circuit` does not compute what `task` asks for with its gates."""
    if circuit.inputs != task.inputs:
        raise ValueError(f"{circuit.inputs} inputs, where the task has {task.inputs}")
    if len(circuit.outputs) != len(task.targets):
        raise ValueError(f"{len(circuit.outputs)} outputs for {len(task.targets)} targets")
    for i, step in enumerate(circuit.steps):
        if step.kind not in task.gates.kinds:
            raise ValueError(f"step {i} is {step.kind}, which '{task.gates}' has not")
    tables = circuit.tables()
    for i, (signal, target) in enumerate(zip(circuit.outputs, task.targets, strict=True)):
        if not 0 <= signal < len(tables) or tables[signal] != target:
            raise ValueError(f"output {i} is not its target")
    depth = circuit.depth(task.arrivals)
    if task.depth is not None and depth > task.depth:
        raise ValueError(f"the depth is {depth}, more than {task.depth}")


def minimise(
    task: Task,
    *,
    seconds: float,
    seed: int = 1,
    start: Circuit | None = None,
    progress: Callable[[Circuit], None] | None = None,
    stop_at: int | None = None,
) -> Circuit:
    """Search for `seconds` and return the shortest circuit found, of least depth among equals.

    The search goes on from `start` when that is given, and then never returns a longer circuit; it
    ends early with `stop_at` gates or fewer. `progress` is called with each improvement.
    ValueError when no circuit meets the depth, or none was found.
    """
    if start is not None:
        check(task, start)
        if stop_at is not None and start.cost <= stop_at:
            return start
    best = start
    # The search takes a function and its complement for one, so it does not count these.
    stop = 0 if stop_at is None else max(stop_at - _complements(task), 0)
    with compiler.lines(_SOURCE, [f"{seconds}", f"{seed}", f"{stop}"], _text(task, start)) as lines:
        for line in lines:
            word, *numbers = line.split()
            if word == "none":
                break
            found = _circuit(task, [int(x) for x in numbers])
            if best is None or _rank(task, found) < _rank(task, best):
                best = found
                if progress is not None:
                    progress(found)
    if best is None:
        raise ValueError("no circuit was found that meets the depth")
    return best


def _rank(task: Task, circuit: Circuit) -> tuple[int, int]:
    return circuit.cost, circuit.depth(task.arrivals)


def _inputs(count: int) -> list[int]:
    """Return the truth tables of the inputs."""
    return [sum((k >> i & 1) << k for k in range(1 << count)) for i in range(count)]


def _arity(kind: Kind) -> int:
    return {Kind.NOT: 1, Kind.ALIAS: 1, Kind.MUX: 3}.get(kind, 2)


def _apply(kind: Kind, tables: Sequence[int], ones: int) -> int:
    names = tuple("abc"[: len(tables)])
    values = dict(zip(names, tables, strict=True))
    return Operation("t", kind, names).apply(values, ones) & ones


def _complements(task: Task) -> int:
    """Return how many targets need a gate more: complements of inputs and of other targets."""
    if task.gates is Gates.XOR_AND:
        return 0
    inputs = _inputs(task.inputs)
    wanted = set(task.targets) - set(inputs)
    opposite = {target: target ^ task.ones for target in wanted}
    return sum(o in inputs or (o in wanted and o < t) for t, o in opposite.items())


def _text(task: Task, start: Circuit | None) -> str:
    """Return the task, and the functions to start from, as the search reads them."""
    numbers = [task.inputs, list(Gates).index(task.gates), -1 if task.depth is None else task.depth]
    numbers += task.arrivals or (0,) * task.inputs
    numbers += [len(task.targets), *task.targets]
    if start is not None:
        numbers += start.tables()[task.inputs :]
    return " ".join(map(str, numbers)) + "\n"


def _circuit(task: Task, numbers: Sequence[int]) -> Circuit:
    """Read a line of the search, find the gates by their truth tables, and check all of it."""
    tables = _inputs(task.inputs)
    steps: list[Step] = []
    stream = iter(numbers)
    for _ in range(next(stream)):
        table, count = next(stream), next(stream)
        operands = tuple(itertools.islice(stream, count))
        steps.append(_gate(task, table, operands, tables))
        tables.append(table)
    for target in task.targets:
        if target in tables:
            continue
        # The complement is there; the same operands give it as well, or an inverter.
        signal = tables.index(target ^ task.ones)
        twin = steps[signal - task.inputs] if signal >= task.inputs else None
        if twin is None or twin.kind is Kind.MUX:
            steps.append(Step(Kind.NOT, (signal,)))
        else:
            steps.append(_gate(task, target, twin.operands, tables))
        tables.append(target)
    circuit = Circuit(tuple(steps), tuple(map(tables.index, task.targets)), task.inputs)
    check(task, circuit)
    return circuit


def _gate(task: Task, table: int, operands: tuple[int, ...], tables: Sequence[int]) -> Step:
    """Return the gate that makes `table` of the operands, in whatever order."""
    for kind in Kind:
        if kind not in task.gates.kinds or _arity(kind) != len(operands):
            continue
        for order in itertools.permutations(operands):
            if _apply(kind, [tables[k] for k in order], task.ones) == table:
                return Step(kind, order)
    raise ValueError(f"no gate makes {table:#x}")
