"""The search for S-boxes with the fewest four-input lookup tables (LUT4).

Every structure of `norm` is five steps of lookup tables. Sums of input bits: f1 and f2 at three
points, two bits each. The norm: four sums of products of these. The inversion: D = N^-1 at three
points, six tables of four inputs. Twelve tables for two bits of six products f * D in GF(2^2); a
table has room for any basis. Sums of these for the output.

In a circuit of both directions the element that is inverted may be c * e^(2^j) when the direction
is inverse, e being the element that the structure would take: another 2,040 choices. A sum is then
a pair of sums, and a table that takes the direction selects among three signals.

The sums are searched for by `lut_sums.cpp`. A bit of the norm has rank eight, a table four: it is
the sum of two tables of four signals each and of a product of two more signals, all in one table
of four inputs. Four independent bits of the norm are four edges of a graph whose vertices are
functions of four signals, and a tree of five vertices will do.

Found circuits are kept in `lut_programs/`. Run as a program with the name of one, this writes its
module to standard output.
"""

import itertools
import random
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import combinations, product
from pathlib import Path

import numpy as np

from roundsmith.circuits import lut_circuit, norm, sbox_table
from roundsmith.circuits.lut_circuit import Lut, LutCircuit, LutStage
from roundsmith.circuits.matrix import parity
from roundsmith.circuits.norm import GF4, GF16, POINTS, Structure, power, times
from roundsmith.errors import ToolError
from roundsmith.tools import compiler

_SOURCE = Path(__file__).with_name("lut_sums.cpp")

#: LUT4s of a circuit apart from its sums: norm, inversion and products.
_FIXED = 9 + 6 + 12

_Group = tuple[int, Sequence[int]]
_Norm = tuple[list[tuple[tuple[int, ...], int, int]], list[tuple[int, int, int, tuple[int, int]]]]


@dataclass(frozen=True)
class _Task:
    """A structure and a direction, with c and j of the element that is inverted (see above)."""

    structure: Structure
    inverse: bool | None
    factor: int = 1
    square: int = 0

    @property
    def directions(self) -> tuple[bool, ...]:
        return (False, True) if self.inverse is None else (self.inverse,)

    @property
    def cases(self) -> list[tuple[int, bool]]:
        """All input bytes, in each direction."""
        return [(x, inverse) for inverse in self.directions for x in range(256)]

    def element(self, x: int, inverse: bool) -> int:
        """Return the element that is inverted for the input byte x."""
        if not inverse:
            return x
        return times(self.factor, power(_affine_inverse()[x], 1 << self.square))

    def label(self, u: int, inverse: bool) -> int:
        """Return the sum of input bits, as a mask, that Tr(u e^16) is, but for a constant."""
        if not inverse:
            return _forms(False)[u]
        moved = power(times(u, power(self.factor, 16)), 1 << (8 - self.square) % 8)
        return _forms(True)[moved]

    def column(self, a: int, inverse: bool) -> int:
        """Return what the term `a` of the inverse of e adds to the output."""
        if not inverse:
            return sbox_table.affine(a) ^ sbox_table.affine(0)
        return power(times(self.factor, a), 1 << (8 - self.square) % 8)

    @cached_property
    def factors(self) -> list[int]:
        """What each of the six products in GF(2^2) is multiplied with in the inverse of e."""
        r = norm.product_in_gf16(self.structure.triple)
        return [times(v, r[k]) for v in self.structure.v for k in range(3)]

    def functionals(self, inverse: bool) -> list[list[int]]:
        """For each product in GF(2^2) and output bit, which functional of the product it adds.

        Bit i of a functional is its value on GF4[i]; these two are a basis.
        """
        found = []
        for factor in self.factors:
            images = [self.column(times(factor, g), inverse) for g in GF4[:2]]
            found.append([(images[0] >> j & 1) | (images[1] >> j & 1) << 1 for j in range(8)])
        return found


@cache
def _affine_inverse() -> dict[int, int]:
    return {sbox_table.affine(x): x for x in range(256)}


@cache
def _forms(inverse: bool) -> list[int]:
    masks = norm.input_masks([norm.form(u) for u in range(1, 256)], inverse)
    return [0, *(mask for mask, _ in masks)]


def _pair(values: Sequence[int], bits: int) -> int:
    """Return the signal of `lut_sums` for what it is in each direction."""
    return values[0] if len(values) == 1 else values[0] | values[1] << bits


def _input_groups(task: _Task) -> list[_Group]:
    """Two of the three bits at each of the six points."""
    sums = [
        _pair([task.label(u, inverse) for inverse in task.directions], 8)
        for u in task.structure.labels
    ]
    return [(2, sums[i : i + 3]) for i in range(0, 18, 3)]


def _output_groups(task: _Task, bases: int) -> list[tuple[tuple[int, ...], list[_Group]]]:
    """Return the sums of product bits for the outputs, for the `bases` sparsest choices of bits.

    The choice says for each of the six products which functional is not computed.
    """
    functionals = [task.functionals(inverse) for inverse in task.directions]

    def terms(line: int, without: int, j: int) -> list[int]:
        return [_terms(f[line][j], without) for f in functionals]

    ranked = []
    for line in range(6):
        weight = {}
        for without in (1, 2, 3):
            masks = [terms(line, without, j) for j in range(8)]
            weight[without] = sum((m[0] | m[-1]).bit_count() for m in masks)
        ranked.append(sorted(weight.items(), key=lambda item: item[1]))
    choices = sorted(product(range(3), repeat=6), key=lambda c: _weight(ranked, c))[:bases]
    found = []
    for choice in choices:
        omitted = tuple(ranked[line][i][0] for line, i in enumerate(choice))
        groups: list[_Group] = []
        for j in range(8):
            per_line = [terms(line, omitted[line], j) for line in range(6)]
            sums = [
                sum(per_line[line][d] << 2 * line for line in range(6))
                for d in range(len(task.directions))
            ]
            groups.append((1, [_pair(sums, 12)]))
        found.append((omitted, groups))
    return found


def _weight(ranked: Sequence[Sequence[tuple[int, int]]], choice: Sequence[int]) -> int:
    return sum(ranked[line][i][1] for line, i in enumerate(choice))


def _terms(functional: int, omitted: int) -> int:
    """Return a functional as a sum, as a mask, of the two that are not omitted."""
    if functional in (0, omitted):
        return 0 if functional == 0 else 3
    return 1 << [f for f in (1, 2, 3) if f != omitted].index(functional)


def _sums(
    problems: Sequence[Sequence[_Group]], bits: int, dual: bool, tries: int, seed: int, limit: int
) -> list[list[int] | None]:
    """Return what the tables of each problem compute, in order; None without a program."""
    lines = [f"{bits} {int(dual)} {tries} {seed} {limit}"]
    for groups in problems:
        lines.append(str(len(groups)))
        lines += [" ".join(map(str, (need, len(s), *s))) for need, s in groups]
    done = subprocess.run(
        [compiler.build(_SOURCE)],
        input="\n".join(lines),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise ToolError(f"The search for sums ended with {done.returncode}.")
    found = [[int(x) for x in line.split()] for line in done.stdout.splitlines()]
    return [None if numbers[0] < 0 else numbers[1:] for numbers in found]


def _single_tasks(inverse: bool, rng: random.Random) -> Iterator[list[_Task]]:
    """Yield all structures, those with the cheapest sums of input bits first."""
    forms = _forms(inverse)
    tasks = [_Task(s, inverse) for s in norm.structures()]
    rng.shuffle(tasks)

    def tables(task: _Task) -> float:
        """Two sums of each point, where a bit is free and more than four bits are deep."""
        cost = [
            (0.0, 1.0, 1.1)[(n > 1) + (n > 4)]
            for n in (forms[u].bit_count() for u in task.structure.labels)
        ]
        return sum(sum(sorted(cost[i : i + 3])[:2]) for i in range(0, 18, 3))

    tasks.sort(key=tables)
    for i in range(0, len(tasks), 20):
        yield tasks[i : i + 20]


def _both_tasks(rng: random.Random) -> Iterator[list[_Task]]:
    """Yield the best structures for some c and j at a time.

    They are ranked by how many sums take one table and how many products each output needs.
    """
    structures = norm.structures()
    classes = [norm.EXP[i] for i in range(85)]
    place = {u: norm.LOG[u] % 85 for u in range(1, 256)}
    points = np.array([[place[s.labels[3 * i]] for i in range(6)] for s in structures])
    factors = np.array([[place[a] for a in _Task(s, None).factors] for s in structures])
    twists = [(c, j) for c in range(1, 256) for j in range(8)]
    rng.shuffle(twists)
    # The first few at once, so that a short search finds something; then most of them, ranked.
    for chunk in (twists[:8], twists[8:160], twists[160:]):
        ranked: list[tuple[float, _Task]] = []
        for c, j in chunk:
            task = _Task(structures[0], None, c, j)
            sums = np.array([_sum_score(task, a) for a in classes])[points].sum(1)
            outputs = np.array([_outputs_of(task, a) for a in classes])[factors].sum(1)
            score = sums + 0.8 * outputs
            ranked += [
                (float(score[i]), _Task(structures[int(i)], None, c, j))
                for i in np.argsort(score)[:40]
            ]
        ranked.sort(key=lambda item: item[0])
        for i in range(0, 5 * len(chunk), 20):
            yield [task for _, task in ranked[i : i + 20]]


def _sum_score(task: _Task, a: int) -> float:
    """Return about how many tables the best two of the three sums at a point take."""
    scores = []
    for g in GF4:
        one, other = (task.label(times(a, g), inverse) for inverse in task.directions)
        width = (one | other).bit_count()
        free = one == other and width == 1
        scores.append(0.0 if free else (1.0, 1.35, 1.6, 1.8)[min(3, max(0, width - 3))])
    return sum(sorted(scores)[:2])


def _outputs_of(task: _Task, a: int) -> int:
    """Return to how many outputs a product adds, in one direction or the other."""
    found = 0
    for g in GF4:
        for inverse in task.directions:
            found |= task.column(times(a, g), inverse)
    return found.bit_count()


def search(
    inverse: bool | None,
    *,
    seconds: float,
    seed: int = 1,
    progress: Callable[[LutCircuit], None] | None = None,
) -> LutCircuit:
    """Search for about `seconds` and return the smallest S-box found, proved on all bytes.

    `inverse` is the direction, None for a circuit of both. `progress` is called with each
    improvement. The search starts from nothing; it always returns a circuit, even if that takes
    a few seconds more.
    """
    end = time.monotonic() + seconds
    rng = random.Random(seed)
    best: LutCircuit | None = None
    tasks = itertools.chain.from_iterable(
        _both_tasks(rng) if inverse is None else _single_tasks(inverse, rng)
        for _ in itertools.count()
    )
    try:
        while best is None or time.monotonic() < end:
            for circuit in _circuits(next(tasks), best, rng):
                lut_circuit.prove(circuit)
                best = circuit
                if progress is not None:
                    progress(best)
                if time.monotonic() > end:
                    break
    except KeyboardInterrupt:
        if best is None:
            raise
    return best


def _circuits(
    tasks: Sequence[_Task], best: LutCircuit | None, rng: random.Random
) -> Iterator[LutCircuit]:
    """Yield at most one circuit better than `best`: fewer tables, or as many and less depth."""
    dual = tasks[0].inverse is None
    limit = 40 if best is None else best.cost - _FIXED
    depth = 99 if best is None else best.depth
    problems = [_input_groups(task) for task in tasks]
    found = _sums(problems, 8, dual, 12, rng.getrandbits(30), min(16, limit - 8))
    candidates = []
    for task, inputs in zip(tasks, found, strict=True):
        if inputs is None:
            continue
        choices = _output_groups(task, 12 if dual else 24)
        problems = [groups for _, groups in choices]
        longest = min(20, limit - len(inputs))
        programs = _sums(problems, 12, dual, 4, rng.getrandbits(30), longest)
        for (omitted, _), outputs in zip(choices, programs, strict=True):
            if outputs is None or len(inputs) + len(outputs) > limit:
                continue
            # The norm is two tables deep, the inversion and the products one each.
            deep = 4 + _depth(inputs, 8, dual) + _depth(outputs, 12, dual)
            rank = len(inputs) + len(outputs), deep
            if rank < (limit, depth):
                limit = rank[0]
                candidates.append((rank, task, inputs, omitted, outputs))
    for _, task, inputs, omitted, outputs in sorted(candidates, key=lambda c: c[0]):
        circuit = _circuit(task, inputs, omitted, outputs)
        if circuit is not None and (
            best is None or (circuit.cost, circuit.depth) < (best.cost, best.depth)
        ):
            yield circuit
            return


def _depth(program: Sequence[int], bits: int, dual: bool) -> int:
    """Return the depth of a program of `_sums`."""
    codes = {f"{i}": 1 << i | (1 << bits + i if dual else 0) for i in range(bits)}
    levels = {"inverse": 0} | dict.fromkeys(codes, 0)
    for i, code in enumerate(program, start=bits):
        recipe = _recipes(codes, code, (1 << bits) - 1, dual, levels)[0]
        codes[f"{i}"] = code
        levels[f"{i}"] = 1 + max(levels[x] for x in recipe)
    return max(levels.values())


class _Builder:
    """A circuit in the making: the value of every signal in every case, and how deep it is."""

    def __init__(self, task: _Task) -> None:
        self.cases = task.cases
        self.ones = (1 << len(self.cases)) - 1
        self.values = {
            f"x[{i}]": sum((x >> i & 1) << k for k, (x, _) in enumerate(self.cases))
            for i in range(8)
        }
        self.levels = dict.fromkeys(self.values, 0)
        if task.inverse is None:
            self.values["inverse"] = sum(inverse << k for k, (_, inverse) in enumerate(self.cases))
            self.levels["inverse"] = 0
        self.luts: list[Lut] = []

    def add(self, signal: str, value: int, inputs: Sequence[str]) -> bool:
        """Add the table for `value` with the inputs that it needs; False when there is none."""
        lut = self._fit(signal, value, inputs)
        if lut is None:
            return False
        self.luts.append(lut)
        self.values[signal] = value
        self.levels[signal] = max(self.levels[x] for x in lut.inputs) + (not lut.is_wire)
        return True

    def _fit(self, signal: str, value: int, inputs: Sequence[str]) -> Lut | None:
        """Solve for the sum of products of inputs of the lowest degree."""
        rows: list[tuple[int, int]] = []  # a value, and which products it is the sum of
        masks: list[tuple[int, ...]] = []
        for degree in range(len(inputs) + 1):
            for chosen in combinations(range(len(inputs)), degree):
                found = self.ones
                for i in chosen:
                    found &= self.values[inputs[i]]
                _reduce(rows, found, 1 << len(masks))
                masks.append(chosen)
            rest, used = value, 0
            for pivot, products in rows:
                if rest ^ pivot < rest:
                    rest, used = rest ^ pivot, used ^ products
            if rest == 0:
                terms = [masks[k] for k in range(len(masks)) if used >> k & 1]
                needed = sorted({i for term in terms for i in term})
                table = 0
                for pattern in range(1 << len(needed)):
                    there = {i for k, i in enumerate(needed) if pattern >> k & 1}
                    table |= (sum(there.issuperset(term) for term in terms) & 1) << pattern
                return Lut(signal, tuple(inputs[i] for i in needed), table) if needed else None
        return None

    def take(self) -> tuple[Lut, ...]:
        """Return the tables since the last call: a stage, by name where uses allow it."""
        left = {lut.signal: lut for lut in self.luts}
        ordered: list[Lut] = []

        def place(lut: Lut) -> None:
            for name in lut.inputs:
                if name in left:
                    place(left.pop(name))
            ordered.append(lut)

        while left:
            place(left.pop(min(left)))
        self.luts = []
        return tuple(ordered)


def _reduce(rows: list[tuple[int, int]], value: int, products: int) -> None:
    for pivot, others in rows:
        if value ^ pivot < value:
            value, products = value ^ pivot, products ^ others
    if value:
        rows.append((value, products))
        rows.sort(reverse=True)


def _add_sums(
    builder: _Builder,
    program: Sequence[int],
    start: Sequence[str],
    bits: int,
    dual: bool,
    spare: str,
    targets: dict[int, tuple[str, int]],
) -> bool:
    """Add the tables of a program of `_sums`; False when constants stand in the way.

    `start` are the names of its inputs, `targets` the names and values of what is wanted of it.
    """
    spares = sum(code not in targets for code in program)
    before = dict(builder.values), dict(builder.levels), list(builder.luts)
    selected = builder.values.get("inverse", 0)
    # A constant may differ between the directions in a sum that nobody asked for.
    for flips in product((0, selected) if dual else (0,), repeat=min(spares, 5)):
        builder.values, builder.levels, builder.luts = (
            dict(before[0]),
            dict(before[1]),
            list(before[2]),
        )
        codes = {name: 1 << i | (1 << bits + i if dual else 0) for i, name in enumerate(start)}
        extra = 0
        for code in program:
            if code in targets:
                name, value = targets[code]
            else:
                name, value = f"{spare}[{extra}]", flips[extra] if extra < len(flips) else 0
                extra += 1
                for i, part in enumerate(builder.values[x] for x in start):
                    if code >> i & 1:
                        value ^= part & ~selected
                    if dual and code >> bits + i & 1:
                        value ^= part & selected
            recipes = _recipes(codes, code, (1 << bits) - 1, dual, builder.levels)
            if not any(builder.add(name, value, recipe) for recipe in recipes):
                break
            codes[name] = code
        else:
            return True
    return False


def _recipes(
    codes: dict[str, int], code: int, low: int, dual: bool, levels: dict[str, int]
) -> list[tuple[str, ...]]:
    """Return the sets of signals from which one table makes `code`, the shallowest first."""
    found = []
    names = list(codes)
    for size in range(1, 5):
        for chosen in combinations(names, size):
            total = 0
            for name in chosen:
                total ^= codes[name]
            if total == code:
                found.append(chosen)
    if dual:
        for chosen in combinations(names, 3):
            a, b, c = (codes[name] for name in chosen)
            span = (0, a, b, c, a ^ b, a ^ c, b ^ c, a ^ b ^ c)
            if any((s ^ code) & low == 0 for s in span) and any(
                (s ^ code) & ~low == 0 for s in span
            ):
                found.append(("inverse", *chosen))
    return sorted(found, key=lambda r: (max(levels[x] for x in r), len(r)))


def _circuit(
    task: _Task,
    inputs: Sequence[int],
    omitted: Sequence[int],
    outputs: Sequence[int],
) -> LutCircuit | None:
    """Return the whole circuit, or None when the norm or a constant does not work out."""
    s = task.structure
    dual = task.inverse is None
    builder = _Builder(task)
    elements = [task.element(*case) for case in task.cases]

    def bits_of(values: Sequence[int]) -> int:
        return sum(value << i for i, value in enumerate(values))

    # The input map: two sums at each point, each one that is an input bit being a wire.
    start = [f"x[{i}]" for i in range(8)]
    free = {_pair([1 << i] * len(task.directions), 8): name for i, name in enumerate(start)}
    made = {*inputs, *free}
    targets: dict[int, tuple[str, int]] = {}
    wires: list[tuple[str, int, str]] = []
    names: list[str] = []
    labels: list[int] = []
    for line, (_, sums) in enumerate(_input_groups(task)):
        chosen = [i for i in range(3) if sums[i] in made][:2]
        for k, i in enumerate(chosen):
            name = f"{'ab'[line // 3]}[{line % 3 * 2 + k}]"
            u = s.labels[3 * line + i]
            value = bits_of([parity(norm.form(u) & e) for e in elements])
            names.append(name)
            labels.append(u)
            if sums[i] in free:
                wires.append((name, value, free[sums[i]]))
            else:
                targets[sums[i]] = (name, value)
    for name, value, bit in wires:
        raw = builder.values[bit]
        if value not in (raw, raw ^ builder.ones):
            return None
        builder.add(name, raw, [bit])
    if not _add_sums(builder, inputs, start, 8, dual, "s", targets):
        return None
    stages = [
        LutStage("Input map: f1 (a) and f2 (b) at three points, two bits each.", builder.take())
    ]

    # The norm.
    tree = _norm_tree(tuple(labels))
    if tree is None:
        return None
    norms = [power(e, 17) for e in elements]
    functions, edges = tree
    for i, (quadruple, wedge, lin) in enumerate(functions):
        value = bits_of([_quadratic(wedge, lin, e) for e in elements])
        if not builder.add(f"n[{i}]", value, [names[k] for k in quadruple]):
            return None
    etas = []
    for i, (eta, one, other, signals) in enumerate(edges):
        etas.append(eta)
        value = bits_of([norm.trace(times(eta, n), 4) for n in norms])
        used = [f"n[{one}]", f"n[{other}]", *(names[k] for k in signals)]
        if not builder.add(f"norm[{i}]", value, used):
            return None
    stages.append(
        LutStage(
            "Norm: functions of four signals, then its four bits, each from two of these.",
            builder.take(),
        )
    )

    # Inversion and products.
    inverses = [power(n, 14) for n in norms]
    for k, point in enumerate(s.triple):
        for i in range(2):
            m = times(GF4[i], POINTS[point])
            value = bits_of([norm.trace(times(m, d), 4) for d in inverses])
            if not builder.add(f"d[{2 * k + i}]", value, [f"norm[{j}]" for j in range(4)]):
                return None
    stages.append(LutStage("Inversion: the norm's inverse at its three points.", builder.take()))
    product_names = []
    for line in range(6):
        w, k = s.w[line // 3], line % 3
        basis = [f for f in (1, 2, 3) if f != omitted[line]]
        for i, functional in enumerate(basis):
            values = []
            for e, d in zip(elements, inverses, strict=True):
                f = _down(times(w, power(e, 16)), 16)
                m = times(_point(f, s.triple[k]), _point(d, s.triple[k]))
                values.append(_functional(functional, m))
            name = f"p{'ab'[line // 3]}[{2 * k + i}]"
            product_names.append(name)
            used = [*names[2 * line : 2 * line + 2], f"d[{2 * k}]", f"d[{2 * k + 1}]"]
            if not builder.add(name, bits_of(values), used):
                return None
    stages.append(
        LutStage("e^16 * N(e)^-1: a product in GF(2^2) at each point of both.", builder.take())
    )

    # The output map.
    forward = sbox_table.sbox()
    backward = sbox_table.inverse_sbox()
    bytes_ = [(backward if inverse else forward)[x] for x, inverse in task.cases]
    wanted = [signals[0] for _, signals in _groups_for(task, omitted)]
    if len(set(wanted)) < 8:
        return None
    targets = {
        code: (f"y[{j}]", bits_of([y >> j & 1 for y in bytes_])) for j, code in enumerate(wanted)
    }
    if not _add_sums(builder, outputs, product_names, 12, dual, "t", targets):
        return None
    for code, (name, value) in targets.items():
        if name not in builder.values:
            k = (code & 0xFFF).bit_length() - 1  # a single product
            if not builder.add(name, value, [product_names[k]]):
                return None
    stages.append(
        LutStage("Output map: interpolation, the AES basis and the affine map.", builder.take())
    )
    direction = {False: "forward", True: "inverse", None: "both"}[task.inverse]
    suffix = {False: "", True: "-inverse", None: "-both"}[task.inverse]
    return LutCircuit(f"sbox-lut4{suffix}", direction, _field(task), tuple(stages))


def _groups_for(task: _Task, omitted: Sequence[int]) -> list[_Group]:
    return next(groups for chosen, groups in _output_groups(task, 729) if chosen == tuple(omitted))


def _down(a: int, exponent: int) -> int:
    """Return the trace of `a` to the field of `exponent` elements below that of their square."""
    return a ^ power(a, exponent)


def _point(a: int, point: int) -> int:
    """Return an element of GF(2^4) at a point: a trace to GF(2^2)."""
    return _down(times(POINTS[point], a), 4)


def _functional(functional: int, m: int) -> int:
    """Return the value of a functional on an element of GF(2^2)."""
    if m == 0:
        return 0
    return parity(functional & (1, 2, 3)[GF4.index(m)])


def _field(task: _Task) -> str:
    s = task.structure
    first, second = s.w
    element = {
        False: "The inverted element e is x.",
        True: "The inverted element e is x after the inverse of the affine map.",
        None: "The inverted element e is x, and for the inverse S-box "
        f"{task.factor:02x} * a^{1 << task.square}, a being x after the inverse of the affine map.",
    }[task.inverse]
    d = ", ".join(f"{POINTS[k]:02x}" for k in s.triple)
    return (
        f"{element} Over the AES field (x^8 + x^4 + x^3 + x + 1), f1 = Tr({first:02x} * e^16) and "
        f"f2 = Tr({second:02x} * e^16) (hexadecimal), Tr the trace to GF(2^4), are multiplied "
        "with the inverse of the norm e^17, each product by three in GF(2^2) (Karatsuba's "
        f"method): all three are needed at three points, the traces to GF(2^2) of {d} times them, "
        "two bits each. The basis of these two bits differs from signal to signal: with a lookup "
        "table a change of basis is free."
    )


# The norm. A quadratic function of e is its mixed terms e_i e_j, as 28 bits, and its linear part.

_MIXED = {pair: k for k, pair in enumerate(combinations(range(8), 2))}


@cache
def _wedge(u: int, v: int) -> int:
    """Return the mixed terms of the product of two sums."""
    return sum(((u >> i & v >> j ^ u >> j & v >> i) & 1) << k for (i, j), k in _MIXED.items())


def _quadratic(mixed: int, linear: int, e: int) -> int:
    terms = sum((e >> i & e >> j & 1) << k for (i, j), k in _MIXED.items())
    return parity(mixed & terms) ^ parity(linear & e)


def _norm_bit(eta: int) -> tuple[int, int]:
    """Return the bit Tr(eta N) of the norm N = e^17."""
    value = [norm.trace(times(eta, power(e, 17)), 4) for e in range(256)]
    linear = sum(value[1 << i] << i for i in range(8))
    mixed = sum(
        (value[1 << i | 1 << j] ^ value[1 << i] ^ value[1 << j]) << k
        for (i, j), k in _MIXED.items()
    )
    return mixed, linear


def _span(vectors: Sequence[int]) -> list[int]:
    span = [0]
    for vector in vectors:
        span += [vector ^ other for other in span]
    return span


#: A function of four signals: its mixed terms and its linear part.
_Function = tuple[int, int]


@lru_cache(maxsize=64)
def _norm_tree(labels: tuple[int, ...]) -> _Norm | None:
    """Return five functions of four signals and four bits of the norm made of them.

    `labels` are the u of the twelve signals. A function is the indices of its signals, its mixed
    terms and its linear part; a bit is its eta, two functions and two signals whose product or sum
    is added.
    """
    sums = [norm.form(u) for u in labels]
    pairs = list(combinations(range(12), 2))
    functions: defaultdict[int, dict[int, tuple[int, ...]]] = defaultdict(dict)
    for chosen in combinations(range(12), 4):
        terms = [(0, 0)]
        for i, j in combinations(chosen, 2):
            mixed, linear = _wedge(sums[i], sums[j]), sums[i] & sums[j]
            terms += [(m ^ mixed, k ^ linear) for m, k in terms]
        span = _span([sums[i] for i in chosen])
        for mixed, linear in terms:
            for extra in span:
                functions[mixed].setdefault(linear ^ extra, chosen)
    # What the table of a bit may add to two functions: mixed terms, linear part, two signals.
    added: defaultdict[int, dict[int, tuple[int, int]]] = defaultdict(dict)
    for i, j in pairs:
        for mixed, linear in ((0, 0), (_wedge(sums[i], sums[j]), sums[i] & sums[j])):
            for extra in _span([sums[i], sums[j]]):
                added[mixed].setdefault(linear ^ extra, (i, j))
    known = np.array(sorted(functions), dtype=np.int64)
    is_known = np.zeros(1 << 28, dtype=bool)
    is_known[known] = True
    edges: defaultdict[_Function, list[tuple[_Function, int, tuple[int, int]]]] = defaultdict(list)
    for eta in GF16:
        mixed, linear = _norm_bit(eta)
        for more, linears in added.items():
            others = known ^ (mixed ^ more)
            hits = is_known[others] & (known < others)
            for one, other in zip(known[hits].tolist(), others[hits].tolist(), strict=True):
                for a in functions[one]:
                    for extra, signals in linears.items():
                        b = a ^ linear ^ extra
                        if b in functions[other]:
                            edges[one, a].append(((other, b), eta, signals))
                            edges[other, b].append(((one, a), eta, signals))
    roots = sorted(edges, key=lambda f: len(edges[f]), reverse=True)[:200]
    for root in roots:
        tree = _grow(edges, [root], [])
        if tree is not None:
            nodes, bits = tree
            return [(functions[m][k], m, k) for m, k in nodes], bits
    return None


def _grow(
    edges: dict[_Function, list[tuple[_Function, int, tuple[int, int]]]],
    nodes: list[_Function],
    bits: list[tuple[int, int, int, tuple[int, int]]],
) -> tuple[list[_Function], list[tuple[int, int, int, tuple[int, int]]]] | None:
    """Grow a tree to four edges whose bits of the norm are independent."""
    if len(bits) == 4:
        return nodes, bits
    span = _span([bit[0] for bit in bits])
    for i, node in enumerate(nodes):
        for other, eta, signals in edges[node]:
            if other not in nodes and eta not in span:
                new = (eta, i, len(nodes), signals)
                tree = _grow(edges, [*nodes, other], [*bits, new])
                if tree is not None:
                    return tree
    return None


def modules() -> dict[str, str]:
    """Return the text of every module that is kept, by the module's name."""
    return {
        lut_circuit.module_name(circuit): lut_circuit.module_text(
            circuit, f"python -m roundsmith.circuits.lut_search {circuit.name}"
        )
        for circuit in lut_circuit.everything()
    }


if __name__ == "__main__":
    sys.stdout.write(modules()[lut_circuit.module_name(lut_circuit.load(sys.argv[1]))])
