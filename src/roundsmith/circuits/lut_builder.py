"""From the sums that were found to a whole S-box of four-input lookup tables."""

from collections.abc import Sequence
from itertools import combinations, product

from roundsmith.circuits import norm, sbox_table
from roundsmith.circuits.lut_circuit import Lut, LutCircuit, LutStage
from roundsmith.circuits.lut_norm import norm_tree, quadratic
from roundsmith.circuits.lut_task import Task, groups_for, input_groups, pair
from roundsmith.circuits.matrix import parity
from roundsmith.circuits.norm import GF4, POINTS, power, times


def depth_of(program: Sequence[int], bits: int, dual: bool) -> int:
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

    def __init__(self, task: Task) -> None:
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
            found = _recipes(codes, code, (1 << bits) - 1, dual, builder.levels)
            if not any(builder.add(name, value, recipe) for recipe in found):
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


def assembled(
    task: Task,
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
    free = {pair([1 << i] * len(task.directions), 8): name for i, name in enumerate(start)}
    made = {*inputs, *free}
    targets: dict[int, tuple[str, int]] = {}
    wires: list[tuple[str, int, str]] = []
    names: list[str] = []
    labels: list[int] = []
    for line, (_, sums) in enumerate(input_groups(task)):
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
    tree = norm_tree(tuple(labels))
    if tree is None:
        return None
    norms = [power(e, 17) for e in elements]
    functions, edges = tree
    for i, (quadruple, wedge, lin) in enumerate(functions):
        value = bits_of([quadratic(wedge, lin, e) for e in elements])
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
    wanted = [signals[0] for _, signals in groups_for(task, omitted)]
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


def _field(task: Task) -> str:
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
