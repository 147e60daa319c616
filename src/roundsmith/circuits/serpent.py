"""The S-boxes of Serpent and their inverses: short circuits, their proof, and their RTL.

A circuit is a straight-line program on four bits x[0] to x[3], x[0] the least significant, that
assigns y[0] to y[3]. Those of `serpent_sboxes.toml` have two goals: `gates`, as few as the search
found, and `depth`, the fewest of those of least depth. `python -m roundsmith.circuits.serpent
search gates 60` goes on from what is there for 60 seconds an S-box; `write` makes the RTL again.
`serpent_osvik.toml` has the circuits that Osvik published, to compare with.
"""

import sys
import textwrap
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from roundsmith.base.paths import RTL
from roundsmith.circuits import boolean
from roundsmith.circuits.program import Kind, Operation, counts, levels, operation
from roundsmith.circuits.proof import ProofFailed
from roundsmith.reference import serpent

DATA = Path(__file__).with_name("serpent_sboxes.toml")
PUBLISHED = Path(__file__).with_name("serpent_osvik.toml")
GOALS = ("gates", "depth")
#: Depths that the search tries, from the least that it could be.
DEPTHS = range(2, 8)

_WIDTH = 100


@dataclass(frozen=True)
class Sbox:
    """Which function: the number of the S-box, and whether it is the inverse."""

    number: int
    inverse: bool = False

    @property
    def table(self) -> tuple[int, ...]:
        """The output for every input, by the submission."""
        return (serpent.INVERSE_SBOXES if self.inverse else serpent.SBOXES)[self.number]

    @property
    def task(self) -> tuple[int, ...]:
        """The truth table of every output bit."""
        return tuple(sum((y >> i & 1) << x for x, y in enumerate(self.table)) for i in range(4))

    @property
    def name(self) -> str:
        """Its name in the data file."""
        return f"{'inverse' if self.inverse else 'forward'}-{self.number}"


SBOXES = tuple(Sbox(number, inverse) for inverse in (False, True) for number in range(8))


@dataclass(frozen=True)
class Circuit:
    """A circuit of one S-box as its operations, in order."""

    sbox: Sbox
    goal: str
    operations: tuple[Operation, ...]

    @property
    def gates(self) -> int:
        """The number of gates; wires are none."""
        return counts(self.operations).total()

    @property
    def depth(self) -> int:
        """The most gates on a path from an input to an output."""
        level = levels(self.operations)
        return max(level[f"y[{i}]"] for i in range(4))


def circuits() -> list[Circuit]:
    """Return all circuits that the search found, by goal."""
    return [circuit for goal in GOALS for circuit in _read(DATA, goal)]


def published() -> list[Circuit]:
    """Return Osvik's circuits."""
    return _read(PUBLISHED, "osvik")


def _read(file: Path, goal: str) -> list[Circuit]:
    found = tomllib.loads(file.read_text())[goal]
    return [
        Circuit(sbox, goal, tuple(map(operation, found[sbox.name].strip().splitlines())))
        for sbox in SBOXES
    ]


def prove(circuit: Circuit) -> None:
    """Return when `circuit` is right for every input; else raise ProofFailed."""
    ones = (1 << 16) - 1
    values = {f"x[{i}]": sum(1 << x for x in range(16) if x >> i & 1) for i in range(4)}
    for o in circuit.operations:
        if o.target in values or not values.keys() >= set(o.operands):
            raise ProofFailed(f"{circuit.sbox.name} is no program: '{o}' is out of order.")
        values[o.target] = o.apply(values, ones) & ones
    for i, wanted in enumerate(circuit.sbox.task):
        if values.get(f"y[{i}]") != wanted:
            raise ProofFailed(f"{circuit.sbox.name} ({circuit.goal}) is wrong in bit {i}.")


# --- The search -----------------------------------------------------------------------------


def search(
    goal: str,
    seconds: float,
    seed: int = 1,
    *,
    sboxes: Sequence[Sbox] = SBOXES,
    fresh: bool = False,
    progress: Callable[[Circuit], None] | None = None,
) -> list[Circuit]:
    """Search for `seconds` for each S-box and return the best circuits, proved.

    The search goes on from the circuit that is there, if one is, unless `fresh`. `progress` is
    called with each improvement. ValueError when nothing was found in time.
    """
    known = {} if fresh or not DATA.exists() else {(c.goal, c.sbox): c for c in circuits()}
    return [_found(sbox, goal, seconds, seed, known.get((goal, sbox)), progress) for sbox in sboxes]


def _found(
    sbox: Sbox,
    goal: str,
    seconds: float,
    seed: int,
    known: Circuit | None,
    progress: Callable[[Circuit], None] | None = None,
) -> Circuit:
    def told(best: boolean.Circuit) -> None:
        if progress is not None:
            progress(Circuit(sbox, goal, _as_operations(best)))

    start = None if known is None else _as_steps(known)
    for depth in [None] if goal == "gates" else DEPTHS:
        task = boolean.Task(sbox.task, depth=depth)
        fits = start is not None and (depth is None or start.depth() <= depth)
        try:
            best = boolean.minimise(
                task, seconds=seconds, seed=seed, start=start if fits else None, progress=told
            )
        except ValueError:
            continue
        circuit = Circuit(sbox, goal, _as_operations(best))
        prove(circuit)
        return circuit
    raise ValueError(f"no circuit of {sbox.name} was found in time")


def _as_operations(found: boolean.Circuit) -> tuple[Operation, ...]:
    """Return the steps as operations; a step that is an output is called y, the others t."""
    names = [f"x[{i}]" for i in range(4)]
    outputs = {signal: i for i, signal in reversed(list(enumerate(found.outputs)))}
    made = []
    for i, step in enumerate(found.steps):
        bit = outputs.get(4 + i)
        name = f"t[{sum(n[0] == 't' for n in names)}]" if bit is None else f"y[{bit}]"
        made.append(Operation(name, step.kind, tuple(names[k] for k in step.operands)))
        names.append(name)
    for bit, signal in enumerate(found.outputs):
        if f"y[{bit}]" not in names:
            made.append(Operation(f"y[{bit}]", Kind.ALIAS, (names[signal],)))
    return tuple(made)


def _as_steps(circuit: Circuit) -> boolean.Circuit:
    signals = {f"x[{i}]": i for i in range(4)}
    steps: list[boolean.Step] = []
    for o in circuit.operations:
        if o.kind is Kind.ALIAS:
            signals[o.target] = signals[o.operands[0]]
        else:
            signals[o.target] = 4 + len(steps)
            steps.append(boolean.Step(o.kind, tuple(signals[k] for k in o.operands)))
    return boolean.Circuit(tuple(steps), tuple(signals[f"y[{i}]"] for i in range(4)))


_COMMAND = "python -m roundsmith.circuits.serpent search GOAL SECONDS"


def dumps(found: Sequence[Circuit], *, command: str = _COMMAND) -> str:
    """Return circuits as the text of the data file, with the `command` that made them."""
    lines = [f"# Generated by: {command}"]
    for goal in dict.fromkeys(circuit.goal for circuit in found):
        lines += ["", f"[{goal}]"]
        for circuit in (c for c in found if c.goal == goal):
            lines += [f"{circuit.sbox.name} = '''", *map(str, circuit.operations), "'''"]
    return "\n".join(lines) + "\n"


# --- The RTL --------------------------------------------------------------------------------

_TITLES = {
    "table": "as tables of constants.",
    "circuit": "as the circuits of fewest gates that the project's search found.",
    "fast": "as the smallest circuits of least depth that the project's search found.",
    "osvik": 'as the circuits of Osvik, "Speeding up Serpent", AES3, 2000.',
}
#: The goals of the circuits in a module, by its word.
CONSTRUCTIONS = {"circuit": "gates", "fast": "depth", "osvik": "osvik"}


def modules() -> dict[Path, str]:
    """Return the file of every module, with its right contents."""
    found = [*circuits(), *published()]
    made = {}
    for construction in _TITLES:
        for inverse in (False, True):
            name = f"rsm_serpent_sbox_{construction}{'_inverse' if inverse else ''}"
            goal = CONSTRUCTIONS.get(construction, "")
            chosen = [c for c in found if c.goal == goal and c.sbox.inverse is inverse]
            made[RTL / "serpent" / "sbox" / f"{name}.sv"] = _module(
                name, construction, inverse, chosen
            )
    return made


def _module(name: str, construction: str, inverse: bool, found: Sequence[Circuit]) -> str:
    what = "The inverse S-boxes of Serpent" if inverse else "The S-boxes of Serpent"
    lines = [
        "// SPDX-License-Identifier: Apache-2.0",
        "//",
        *_comment(f"{what}, {_TITLES[construction]} `Box` says which one."),
        "//",
        "// Bit i of the four words of `x_i` is the input of copy i, x_i[0] the least significant.",
    ]
    if found:
        gates = ", ".join(f"{c.gates}" for c in found)
        depths = ", ".join(f"{c.depth}" for c in found)
        lines += ["//", f"// Gates of S-boxes 0 to 7: {gates}; depths: {depths}."]
    lines += [
        "//",
        "// Latency: 0.",
        "//",
        "// Generated by: python -m roundsmith.circuits.serpent write",
        f"module {name} #(",
        "  parameter int unsigned Box   = 0,",
        "  parameter int unsigned Width = 32",
        ") (",
        "  input  logic [3:0][Width-1:0] x_i,",
        "  output logic [3:0][Width-1:0] y_o",
        ");",
        "",
    ]
    lines += _circuit_body(name, found) if found else _table_body(inverse)
    return "\n".join([*lines, "endmodule", ""])


def _comment(text: str) -> list[str]:
    return [f"// {line}" for line in textwrap.wrap(text, _WIDTH - 3)]


def _table_body(inverse: bool) -> list[str]:
    lines = [
        "  // Entry 0 is the last digit; S-box 0 stands last.",
        "  localparam logic [7:0][15:0][3:0] Tables = {",
    ]
    for sbox in (Sbox(number, inverse) for number in reversed(range(8))):
        digits = "".join(f"{y:x}" for y in reversed(sbox.table))
        lines.append(f"    64'h{digits}{',' if sbox.number else ' '}  // {sbox.number}")
    return [
        *lines,
        "  };",
        "",
        "  for (genvar i = 0; i < Width; i++) begin : gen_copy",
        "    assign {y_o[3][i], y_o[2][i], y_o[1][i], y_o[0][i]} =",
        "        Tables[Box][{x_i[3][i], x_i[2][i], x_i[1][i], x_i[0][i]}];",
        "  end",
        "",
    ]


def _circuit_body(name: str, found: Sequence[Circuit]) -> list[str]:
    lines = [
        "  logic [Width-1:0] x0, x1, x2, x3, y0, y1, y2, y3;",
        "",
        "  assign {x3, x2, x1, x0} = x_i;",
        "  assign y_o              = {y3, y2, y1, y0};",
        "",
    ]
    for circuit in found:
        number = circuit.sbox.number
        word = "if" if number == 0 else "end else if"
        signals = [_scalar(o.target) for o in circuit.operations if o.target[0] == "t"]
        lines += [
            f"  {word} (Box == {number}) begin : gen_{number}",
            f"    logic [Width-1:0] {', '.join(signals)};",
            "",
        ]
        lines += [
            f"    assign {_scalar(o.target)} = {_scalar(o.expression)};" for o in circuit.operations
        ]
    return [
        *lines,
        "  end else begin : gen_unknown_box",
        f'    $error("{name}: Box is 0 to 7");',
        "  end",
        "",
    ]


def _scalar(text: str) -> str:
    """Return `text` with t[3] as t3: to Verilator an array that feeds itself is a loop."""
    return text.replace("[", "").replace("]", "")


def main(arguments: Sequence[str]) -> None:
    """Run `search GOAL SECONDS [SEED]` or `write`."""
    if arguments[0] == "search":
        goal, seconds, *seed = arguments[1:]
        others = [c for c in circuits() if c.goal != goal] if DATA.exists() else []
        found = [*others, *search(goal, float(seconds), int((seed or ["1"])[0]))]
        DATA.write_text(dumps(sorted(found, key=lambda c: GOALS.index(c.goal))))
    for path, text in modules().items():
        path.write_text(text)


if __name__ == "__main__":
    main(sys.argv[1:])
