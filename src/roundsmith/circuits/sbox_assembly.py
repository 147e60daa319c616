"""S-boxes put together from parts: sums of input bits, the norm, its inversion, products, sums.

`Parts` are one way to build a one-directional S-box, `Merged` one for both directions: there,
eight sums of the input are selected by the direction, everything up to the products is shared,
and the output is selected again. What the parts need computed is given as problems for the
searches of `linear` and `boolean`; what these find becomes a `Program`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from roundsmith.circuits import assembly, norm
from roundsmith.circuits.assembly import Target
from roundsmith.circuits.boolean import Circuit
from roundsmith.circuits.linear import Problem, Sums
from roundsmith.circuits.norm import Inversion, Norm, Structure
from roundsmith.circuits.program import Kind, Operation, Program, Stage

_X = [(f"x[{i}]", 0) for i in range(8)]
_Z = [(f"z[{i}]", 0) for i in range(8)]
_FORMS = [f"{v}[{i}]" for v in "ab" for i in range(9)]
_PRODUCTS = [f"product_{v}[{i}]" for v in "ab" for i in range(9)]
_NORM = [f"norm[{i}]" for i in range(4)]
_CONSTANT = 0x63  # of the affine map of SubBytes

_TITLES = (
    "Input map: f1 (a) and f2 (b) at three points, three bits each",
    "Norm",
    "Inversion of the norm: D at three points, three bits each",
    "Products: f1 * D and f2 * D",
    "Output map",
)


def _rows(columns: Sequence[int]) -> tuple[int, ...]:
    """Return, for each of eight output bits, which columns it sums."""
    return tuple(
        sum((column >> bit & 1) << j for j, column in enumerate(columns)) for bit in range(8)
    )


@dataclass(frozen=True)
class Parts:
    """How a one-directional S-box is built: the points, the norm's bits and the direction."""

    structure: Structure
    task: Inversion
    norm: Norm
    inverse: bool

    @property
    def forms(self) -> list[tuple[int, int]]:
        """The eighteen sums of input bits, as masks with constants."""
        return norm.input_masks(self.structure.forms, self.inverse)

    @property
    def squares(self) -> list[tuple[int, int]]:
        """What each bit of the norm adds of the input, as masks with constants."""
        return norm.input_masks(self.norm.squares, self.inverse)

    def input_problem(self) -> Problem:
        """Return the sums of input and norm at once: eight bits of x, then the products."""
        forms = [mask for mask, _ in self.forms]
        return _with_products(forms, [mask for mask, _ in self.squares], self.norm)

    def forms_problem(self, depth: int) -> Problem:
        """Return the sums of the input alone, with a bound on their depth."""
        return Problem(8, tuple(mask for mask, _ in self.forms), depth=depth)

    def norm_problem(self, depth: int) -> Problem:
        """Return the sums of products alone, for a norm without squares, with a bound on depth."""
        return Problem(len(self.norm.products), self.norm.sums, depth=depth)

    def output_problem(self, arrivals: Sequence[int] = (), depth: int | None = None) -> Problem:
        """Return the sums of the eighteen products."""
        columns = norm.output_columns(self.structure.columns, self.inverse)
        return Problem(18, _rows(columns), tuple(arrivals), depth)

    def program(
        self,
        name: str,
        source: str,
        input_map: Sums | tuple[Sums, Sums],
        inversion: Circuit,
        output_map: Sums,
        *,
        gate: Kind = Kind.AND,
    ) -> Program:
        """Return the S-box, whose last products are `gate`: AND or NAND.

        `input_map` answers `input_problem`, or is the answers to `forms_problem` and
        `norm_problem`. ValueError when the parts wait for each other.
        """
        forms = list(zip(_FORMS, (c for _, c in self.forms), strict=True))
        bits = list(zip(_NORM, (c for _, c in self.squares), strict=True))
        products = _product_names(self.norm)
        if isinstance(input_map, Sums):
            first = assembly.sums(
                self.input_problem(), input_map, [*_X, *products], [*forms, *bits], _temporary()
            )
        else:
            form_sums, norm_sums = input_map
            problem = self.forms_problem(99)
            first = assembly.sums(problem, form_sums, _X, forms, _numbered("t"))
            problem = self.norm_problem(99)
            first += assembly.sums(problem, norm_sums, products, bits, _numbered("m"))
        first += _norm_products(self.norm)
        before, after = _split(assembly.ordered(first, [name for name, _ in _X]), self.norm)
        outputs = [(f"y[{i}]", 0 if self.inverse else _CONSTANT >> i & 1) for i in range(8)]
        last = assembly.sums(
            self.output_problem(), output_map, _product_outputs(gate), outputs, _numbered("s")
        )
        direction = "inverse" if self.inverse else "forward"
        middle = _inversion(self.structure, self.task, inversion)
        return _program(
            name, direction, source, self.structure, (before, after, middle, gate, last)
        )


@dataclass(frozen=True)
class Merged:
    """How an S-box for both directions is built; `basis` are the eight forms that are selected."""

    structure: Structure
    task: Inversion
    norm: Norm
    basis: tuple[int, ...]

    @property
    def _chosen(self) -> list[int]:
        return [self.structure.forms[i] for i in self.basis]

    @property
    def inverse_masks(self) -> list[tuple[int, int]]:
        """The selected sums of the inverse S-box, as masks with constants."""
        return norm.input_masks(self._chosen, True)

    @property
    def same(self) -> list[bool]:
        """Which selected sums are the same in both directions, and need no selector."""
        return [
            (mask, 0) == other for mask, other in zip(self._chosen, self.inverse_masks, strict=True)
        ]

    def input_problem(self) -> Problem:
        """Return eight sums of x for each direction."""
        return Problem(8, (*self._chosen, *(mask for mask, _ in self.inverse_masks)))

    def shared_problem(self) -> Problem:
        """Return forms and norm as sums of the eight selected bits and of products."""
        coordinates = _coordinates(self._chosen)
        forms = [coordinates(mask) for mask in self.structure.forms]
        return _with_products(forms, [coordinates(m) for m in self.norm.squares], self.norm)

    def output_problem(self) -> Problem:
        """Return the sums of the products for both directions, forward first."""
        columns = self.structure.columns
        return Problem(18, _rows(norm.output_columns(columns, False)) + _rows(columns))

    def program(
        self,
        name: str,
        source: str,
        input_map: Sums,
        shared: Sums,
        inversion: Circuit,
        output_map: Sums,
        *,
        gate: Kind = Kind.AND,
    ) -> Program:
        """Return the S-box. ValueError when the parts wait for each other."""
        constants = [constant for _, constant in self.inverse_masks]
        into = [(f"forward[{i}]", 0) for i in range(8)]
        into += [(f"backward[{i}]", c) for i, c in enumerate(constants)]
        first = assembly.sums(self.input_problem(), input_map, _X, into, _numbered("t"))
        for i, same in enumerate(self.same):
            if same:
                first.append(Operation(f"z[{i}]", Kind.ALIAS, (f"forward[{i}]",)))
            else:
                operands = ("inverse", f"backward[{i}]", f"forward[{i}]")
                first.append(Operation(f"z[{i}]", Kind.MUX, operands))
        first = _without_dead(assembly.ordered(first, [*(n for n, _ in _X), "inverse"]), _Z)
        forms = [(name, 0) for name in (*_FORMS, *_NORM)]
        second = assembly.sums(
            self.shared_problem(), shared, [*_Z, *_product_names(self.norm)], forms, _temporary("u")
        )
        second += _norm_products(self.norm)
        before, after = _split(assembly.ordered(second, [name for name, _ in _Z]), self.norm)
        outputs = [(f"sub[{i}]", _CONSTANT >> i & 1) for i in range(8)]
        outputs += [(f"unsub[{i}]", 0) for i in range(8)]
        last = assembly.sums(
            self.output_problem(), output_map, _product_outputs(gate), outputs, _numbered("s")
        )
        last += [
            Operation(f"y[{i}]", Kind.MUX, ("inverse", f"unsub[{i}]", f"sub[{i}]"))
            for i in range(8)
        ]
        middle = _inversion(self.structure, self.task, inversion)
        parts = (first + before, after, middle, gate, last)
        return _program(name, "both", source, self.structure, parts)


@dataclass(frozen=True)
class Shallow:
    """An S-box for both directions of little depth: all eighteen forms are selected at once."""

    structure: Structure
    task: Inversion
    norm: Norm

    def input_problem(self, depth: int) -> Problem:
        """Return the eighteen sums of x for each direction, with a bound on their depth."""
        forms = self.structure.forms
        backward = [mask for mask, _ in norm.input_masks(forms, True)]
        return Problem(8, (*forms, *backward), depth=depth)

    def norm_problem(self, depth: int) -> Problem:
        """Return the sums of products, for a norm without squares, with a bound on depth."""
        return Problem(len(self.norm.products), self.norm.sums, depth=depth)

    def output_problem(self, arrivals: Sequence[int] = (), depth: int | None = None) -> Problem:
        """Return the sums of the products for both directions, forward first."""
        columns = self.structure.columns
        rows = _rows(norm.output_columns(columns, False)) + _rows(columns)
        return Problem(18, rows, tuple(arrivals), depth)

    def program(
        self,
        name: str,
        source: str,
        input_map: Sums,
        norm_sums: Sums,
        inversion: Circuit,
        output_map: Sums,
    ) -> Program:
        """Return the S-box."""
        constants = [c for _, c in norm.input_masks(self.structure.forms, True)]
        into = [(f"forward[{i}]", 0) for i in range(18)]
        into += [(f"backward[{i}]", c) for i, c in enumerate(constants)]
        before = assembly.sums(self.input_problem(99), input_map, _X, into, _numbered("t"))
        before += [
            Operation(form, Kind.MUX, ("inverse", f"backward[{i}]", f"forward[{i}]"))
            for i, form in enumerate(_FORMS)
        ]
        bits = [(bit, 0) for bit in _NORM]
        products = _product_names(self.norm)
        problem = self.norm_problem(99)
        after = assembly.sums(problem, norm_sums, products, bits, _numbered("m"))
        after = assembly.ordered([*_norm_products(self.norm), *after], _FORMS)
        outputs = [(f"sub[{i}]", _CONSTANT >> i & 1) for i in range(8)]
        outputs += [(f"unsub[{i}]", 0) for i in range(8)]
        last = assembly.sums(
            self.output_problem(), output_map, _product_outputs(Kind.AND), outputs, _numbered("s")
        )
        last += [
            Operation(f"y[{i}]", Kind.MUX, ("inverse", f"unsub[{i}]", f"sub[{i}]"))
            for i in range(8)
        ]
        middle = _inversion(self.structure, self.task, inversion)
        parts = (before, after, middle, Kind.AND, last)
        return _program(name, "both", source, self.structure, parts)


def _with_products(forms: Sequence[int], squares: Sequence[int], parts: Norm) -> Problem:
    bits = [square | sum_ << 8 for square, sum_ in zip(squares, parts.sums, strict=True)]
    return Problem(8 + len(parts.products), (*forms, *bits))


def _product_names(parts: Norm) -> list[Target]:
    return [(f"n[{i}]", 0) for i in range(len(parts.products))]


def _norm_products(parts: Norm) -> list[Operation]:
    return [
        Operation(f"n[{i}]", kind, (_FORMS[a], _FORMS[b]))
        for i, (kind, a, b) in enumerate(parts.products)
    ]


def _product_outputs(gate: Kind) -> list[Target]:
    """Return the names of the last products; NAND gates give their complements."""
    return [(name, int(gate is Kind.NAND)) for name in _PRODUCTS]


def _numbered(base: str) -> Callable[[int], str]:
    names = assembly.counter(base)
    return lambda _: names()


def _temporary(base: str = "t") -> Callable[[int], str]:
    """Name sums of the input `base`, and sums with products m."""
    inputs, mixed = assembly.counter(base), assembly.counter("m")
    return lambda vector: mixed() if vector >> 8 else inputs()


def _split(operations: Sequence[Operation], parts: Norm) -> tuple[list[Operation], list[Operation]]:
    """Return what does not depend on the norm's products, and what does."""
    late = {name for name, _ in _product_names(parts)}
    before, after = [], []
    for operation in operations:
        if operation.target in late or late.intersection(operation.operands):
            late.add(operation.target)
            after.append(operation)
        else:
            before.append(operation)
    return before, after


def _without_dead(operations: Sequence[Operation], outputs: Sequence[Target]) -> list[Operation]:
    """Return the operations that some output needs."""
    needed = {name for name, _ in outputs}
    kept = []
    for operation in reversed(operations):
        if operation.target in needed:
            needed.update(operation.operands)
            kept.append(operation)
    return _renumbered(kept[::-1])


def _renumbered(operations: Sequence[Operation]) -> list[Operation]:
    """Return the operations with the indices of every vector dense again."""
    names: dict[str, str] = {}
    sizes: dict[str, int] = {}
    for operation in operations:
        base, bracket, _ = operation.target.partition("[")
        if bracket and base not in ("z", "y"):
            names[operation.target] = f"{base}[{sizes.setdefault(base, 0)}]"
            sizes[base] += 1
    return assembly.renamed(operations, names)


def _inversion(structure: Structure, task: Inversion, circuit: Circuit) -> list[Operation]:
    """Return the inversion of the norm, its outputs named as the structure counts them."""
    tables = circuit.tables()
    wanted = task.tables_of(structure.inverse_labels)
    outputs = {table: f"d[{i}]" for i, table in enumerate(wanted)}
    temporary = assembly.counter("q")
    names = list(_NORM)
    operations = []
    for step, table in zip(circuit.steps, tables[4:], strict=True):
        name = outputs.pop(table, None) or temporary()
        operations.append(Operation(name, step.kind, tuple(names[k] for k in step.operands)))
        names.append(name)
    for table, name in outputs.items():
        operations.append(Operation(name, Kind.ALIAS, (names[tables.index(table)],)))
    return operations


def _program(
    name: str,
    direction: str,
    source: str,
    structure: Structure,
    parts: tuple[
        Sequence[Operation], Sequence[Operation], Sequence[Operation], Kind, Sequence[Operation]
    ],
) -> Program:
    before, after, middle, gate, last = parts
    products = [
        Operation(name, gate, (f"d[{i % 9}]", _FORMS[i])) for i, name in enumerate(_PRODUCTS)
    ]
    stages = (before, after, middle, products, last)
    return Program(
        name=name,
        kind="sbox",
        direction=direction,
        origin="search",
        source=source,
        stages=tuple(
            Stage(title, tuple(operations))
            for title, operations in zip(_TITLES, stages, strict=True)
        ),
        field=_field(structure),
    )


def _field(structure: Structure) -> str:
    points = ", ".join(f"{norm.POINTS[k]:02x}" for k in structure.triple)
    first, second = structure.w
    v1, v2 = structure.v
    return (
        f"the inverse of x is z * D, z = x^16, D = N^-1, N = x^17 in GF(2^4); over the AES field "
        f"z = {v1:02x} * f1 + {v2:02x} * f2 (hexadecimal), f1 = Tr({first:02x} * z) and f2 = "
        f"Tr({second:02x} * z), Tr the trace to GF(2^4). f1, f2 and D are needed at the points "
        f"{points}: as traces to GF(2^2) of their multiples, three sums of bits each."
    )


def _coordinates(basis: Sequence[int]) -> Callable[[int], int]:
    """Return the map from masks to their coordinates in `basis`."""
    echelon: list[tuple[int, int]] = []
    for i, vector in enumerate(basis):
        reduced, mask = _reduce(echelon, vector, 1 << i)
        if not reduced:
            raise ValueError("the selected sums are dependent")
        echelon.append((reduced, mask))
        echelon.sort(reverse=True)
    return lambda vector: _reduce(echelon, vector, 0)[1]


def _reduce(echelon: Sequence[tuple[int, int]], vector: int, mask: int) -> tuple[int, int]:
    for row, rows in echelon:
        if vector ^ row < vector:
            vector, mask = vector ^ row, mask ^ rows
    return vector, mask
