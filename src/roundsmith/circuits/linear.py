"""Short XOR programs for linear maps over GF(2): the search is C++, what it finds is checked here.

A vector is a bit mask over the inputs, bit k for input k; a target is a sum of inputs. A program
adds two signals at a time, and the search wants few additions, cancellations allowed. Besides the
targets a problem may say when each input arrives, how deep the targets may be, and which inputs
are late: a late input is there only after another vector has been computed (it is that vector
behind a gate), one level deeper than it.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from roundsmith.tools import compiler

_SOURCE = Path(__file__).with_name("linear.cpp")

#: The largest problem that the search accepts.
MAX_INPUTS = 64
MAX_TARGETS = 64


@dataclass(frozen=True)
class Problem:
    """What is to be computed, and from which inputs.

    `targets` are bit masks over the `inputs`. `arrivals` gives the depth of each input (all 0 when
    empty), `depth` the largest depth that a target may have (no bound when None). Each pair of
    `late` is an input and the vector that must be computed before that input is there; its arrival
    is the vector's depth plus one. Construction raises ValueError when the numbers do not fit.
    """

    inputs: int
    targets: tuple[int, ...]
    arrivals: tuple[int, ...] = ()
    depth: int | None = None
    late: tuple[tuple[int, int], ...] = ()

    def __post_init__(self) -> None:
        if not 0 < self.inputs <= MAX_INPUTS:
            raise ValueError(f"{self.inputs} inputs, where 1 to {MAX_INPUTS} are possible")
        if len(set(self.wanted)) > MAX_TARGETS:
            raise ValueError(f"{len(set(self.wanted))} targets, where {MAX_TARGETS} are possible")
        if any(not 0 < vector < 1 << self.inputs for vector in self.wanted):
            raise ValueError("a target is zero or uses an input that is not there")
        if self.arrivals and len(self.arrivals) != self.inputs:
            raise ValueError(f"{len(self.arrivals)} arrivals for {self.inputs} inputs")
        if any(not 0 <= level < 60 for level in self.arrivals):
            raise ValueError("an arrival is outside 0 to 59")
        late = [signal for signal, _ in self.late]
        if len(set(late)) != len(late) or any(not 0 <= k < self.inputs for k in late):
            raise ValueError("a late input is named twice or is not there")

    @property
    def wanted(self) -> tuple[int, ...]:
        """The targets, then the vectors that late inputs wait for."""
        return (*self.targets, *(vector for _, vector in self.late))


@dataclass(frozen=True)
class Sums:
    """A program: signal k below `inputs` is input k, signal `inputs` + i is the i-th pair's sum.

    `outputs` are the signals of the problem's targets, then of the vectors of its late inputs.
    """

    pairs: tuple[tuple[int, int], ...]
    outputs: tuple[int, ...]

    @property
    def cost(self) -> int:
        """The number of two-input XORs."""
        return len(self.pairs)

    def depth(self, problem: Problem) -> int:
        """Return the depth of the deepest target; the late inputs' own vectors do not count."""
        levels = _trace(problem, self)[1]
        return max((levels[k] for k in self.outputs[: len(problem.targets)]), default=0)


def _trace(problem: Problem, sums: Sums) -> tuple[list[int], list[int]]:
    """Return the vector and the level of every signal. ValueError when one comes too early."""
    n = problem.inputs
    vectors = [1 << k for k in range(n)]
    levels = list(problem.arrivals) or [0] * n
    after = sums.outputs[len(problem.targets) :]
    waits = {late: signal for (late, _), signal in zip(problem.late, after, strict=True)}
    present = [k not in waits for k in range(n)]

    def arrive() -> None:
        for late, signal in list(waits.items()):
            if signal < len(vectors) and (signal >= n or present[signal]):
                present[late] = True
                levels[late] = levels[signal] + 1
                del waits[late]
                arrive()

    arrive()
    for i, pair in enumerate(sums.pairs):
        for signal in pair:
            if not 0 <= signal < n + i:
                raise ValueError(f"sum {i} uses signal {signal} before it is computed")
            if signal < n and not present[signal]:
                raise ValueError(f"sum {i} uses the late input {signal} too early")
        a, b = pair
        vectors.append(vectors[a] ^ vectors[b])
        levels.append(max(levels[a], levels[b]) + 1)
        arrive()
    if waits:
        raise ValueError(f"the late input {min(waits)} never arrives")
    return vectors, levels


def check(problem: Problem, sums: Sums) -> None:
    """Raise ValueError when `sums` does not compute what `problem` asks for."""
    wanted = problem.wanted
    if len(sums.outputs) != len(wanted):
        raise ValueError(f"{len(sums.outputs)} outputs for {len(wanted)} targets")
    vectors, levels = _trace(problem, sums)
    for i, (signal, vector) in enumerate(zip(sums.outputs, wanted, strict=True)):
        if not 0 <= signal < len(vectors) or vectors[signal] != vector:
            raise ValueError(f"output {i} is not its target")
        bounded = i < len(problem.targets) and problem.depth is not None
        if bounded and levels[signal] > (problem.depth or 0):
            raise ValueError(f"output {i} has depth {levels[signal]}, more than {problem.depth}")


def minimise(
    problem: Problem,
    *,
    seconds: float,
    seed: int = 1,
    start: Sums | None = None,
    progress: Callable[[Sums], None] | None = None,
) -> Sums:
    """Search for `seconds` and return the shortest program found, of least depth among equals.

    The search goes on from `start` when that is given, and then never returns a longer program.
    `progress` is called with each improvement. ValueError when no program meets the depths.
    """
    if start is not None:
        check(problem, start)
    best = start
    text = _problem_text(problem) + _pairs_text(start.pairs if start else ())
    with compiler.lines(_SOURCE, ["minimise", f"{seconds}", f"{seed}"], text) as lines:
        for line in lines:
            word, *numbers = line.split()
            if word == "none":
                break
            if word != "best":
                continue
            found = _sums(problem, numbers)
            if best is None or _rank(problem, found) < _rank(problem, best):
                best = found
                if progress is not None:
                    progress(found)
    if best is None:
        raise ValueError("no program meets the depths")
    return best


def estimate(problems: Sequence[Problem], *, tries: int, seed: int = 1) -> list[Sums]:
    """Return a short program for each of many small problems, from `tries` short searches each.

    ValueError when a problem has no program that meets its depths.
    """
    text = "".join(_problem_text(problem) for problem in problems)
    results: list[Sums] = []
    with compiler.lines(_SOURCE, ["estimate", f"{tries}", f"{seed}"], text) as lines:
        for problem, line in zip(problems, lines, strict=True):
            word, *numbers = line.split()
            if word != "best":
                raise ValueError(f"no program meets the depths of problem {len(results)}")
            results.append(_sums(problem, numbers))
    return results


def _rank(problem: Problem, sums: Sums) -> tuple[int, int]:
    return sums.cost, sums.depth(problem)


def _problem_text(problem: Problem) -> str:
    depth = -1 if problem.depth is None else problem.depth
    lines: list[Iterable[int]] = [
        (problem.inputs, len(problem.targets), len(problem.late), depth),
        problem.arrivals or (0,) * problem.inputs,
        problem.targets,
        *problem.late,
    ]
    return "".join(" ".join(map(str, line)) + "\n" for line in lines)


def _pairs_text(pairs: tuple[tuple[int, int], ...]) -> str:
    return " ".join(map(str, [len(pairs), *(signal for pair in pairs for signal in pair)])) + "\n"


def _sums(problem: Problem, numbers: Sequence[str]) -> Sums:
    """Read the pairs of one line of the search, name the outputs and check all of it."""
    signals = [int(x) for x in numbers[1:]]
    pairs = tuple(zip(signals[::2], signals[1::2], strict=True))
    vectors = [1 << k for k in range(problem.inputs)]
    for a, b in pairs:
        vectors.append(vectors[a] ^ vectors[b])
    signal = {vector: k for k, vector in enumerate(vectors)}
    sums = Sums(pairs, tuple(signal[vector] for vector in problem.wanted))
    check(problem, sums)
    return sums
