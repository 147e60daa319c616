"""Programs from what the searches find: sums of signals, and circuits of few inputs.

The searches know signals by number and ignore constants. Here they get names, and each sum the
constant that it must carry: a sum may be written as XOR or XNOR, so constants cost nothing, except
where an output is an input and the constant needs a NOT.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import count

from roundsmith.circuits.linear import Problem, Sums
from roundsmith.circuits.program import Kind, Operation

#: Where an output goes: its name and the constant that is added to the sum.
Target = tuple[str, int]


def sums(
    problem: Problem,
    found: Sums,
    inputs: Sequence[Target],
    outputs: Sequence[Target],
    temporary: Callable[[int], str],
) -> list[Operation]:
    """Return `found` as operations, in order.

    `inputs` names the problem's inputs, with the constant that each carries already; `outputs` its
    targets, those of late inputs included. `temporary` names any other sum by its vector.
    """
    names: dict[int, str] = {i: name for i, (name, _) in enumerate(inputs)}
    constants = {i: constant for i, (_, constant) in enumerate(inputs)}
    aliases = []
    for (name, constant), signal in zip(outputs, found.outputs, strict=True):
        if signal in names:
            aliases.append((name, constant, signal))
        else:
            names[signal], constants[signal] = name, constant
    vectors = [1 << i for i in range(problem.inputs)]
    operations = []
    for signal, (a, b) in enumerate(found.pairs, start=problem.inputs):
        vectors.append(vectors[a] ^ vectors[b])
        if signal not in names:
            names[signal], constants[signal] = temporary(vectors[signal]), 0
        flip = constants[signal] ^ constants[a] ^ constants[b]
        kind = Kind.XNOR if flip else Kind.XOR
        operations.append(Operation(names[signal], kind, (names[a], names[b])))
    for name, constant, signal in aliases:
        kind = Kind.ALIAS if constants[signal] == constant else Kind.NOT
        operations.append(Operation(name, kind, (names[signal],)))
    return operations


def counter(base: str) -> Callable[[], str]:
    """Return a function that gives `base[0]`, `base[1]` and so on."""
    numbers = count()
    return lambda: f"{base}[{next(numbers)}]"


def ordered(operations: Sequence[Operation], known: Sequence[str]) -> list[Operation]:
    """Return the operations so that each comes after what it uses. ValueError when they cannot."""
    available = set(known)
    waiting = list(operations)
    done: list[Operation] = []
    while waiting:
        ready = []
        later = []
        for operation in waiting:
            if available.issuperset(operation.operands):
                ready.append(operation)
                available.add(operation.target)
            else:
                later.append(operation)
        if not ready:
            raise ValueError(f"'{waiting[0]}' needs what needs it")
        done += ready
        waiting = later
    return done


def renamed(operations: Sequence[Operation], names: Mapping[str, str]) -> list[Operation]:
    """Return the operations with some signals under other names."""
    return [
        Operation(
            names.get(o.target, o.target),
            o.kind,
            tuple(names.get(operand, operand) for operand in o.operands),
        )
        for o in operations
    ]
