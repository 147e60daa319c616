"""Verilog models of a library's cells, written from its Liberty functions, to simulate netlists.

Zero delay, two-valued, no user-defined primitives: combinational cells are assignments, and
flip-flops are `always_ff` blocks with their asynchronous clear and preset. A flip-flop starts
at whatever its simulator starts registers at; nothing here resets it.
"""

import tempfile
from pathlib import Path

from roundsmith.base.cache import cache_dir
from roundsmith.tools.boolean import Expression
from roundsmith.tools.liberty import Cell, Flop, Library


def cell_models(liberty: Library) -> Path:
    """Return a Verilog file with one module for every cell of `liberty`, written once.

    Every module has the cell's name and its signal pins; supply pins are left out, as in the
    netlists that synthesis writes.
    """
    text = _text(liberty)
    path = cache_dir() / "cells" / liberty.digest[:16] / f"{liberty.path.stem}.sv"
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False) as scratch:
            scratch.write(text)
        Path(scratch.name).replace(path)
    return path


def _text(liberty: Library) -> str:
    head = [
        f"// Models of the cells of {liberty.name}, written by Roundsmith from their Liberty",
        "// functions: zero delay, for the simulation of mapped netlists.",
        "// verilator lint_off DECLFILENAME",
    ]
    return "\n\n".join(["\n".join(head), *(_module(c) for c in liberty.cells.values())]) + "\n"


def _module(cell: Cell) -> str:
    ports = ",\n".join(
        f"  {'output' if pin.direction == 'output' else 'input '} wire {pin.name}"
        for pin in cell.pins.values()
    )
    unused = _unused(cell)
    lines = [f"module {cell.name} (", ports, ");"]
    if unused:
        lines += [f"  wire unused_ok = &{{1'b0, {', '.join(unused)}}};"]
    if cell.flop is not None:
        lines += _state(cell.flop, cell)
    for name in cell.outputs:
        function = cell.pins[name].function
        assert function is not None  # `liberty.load` keeps no cell without
        lines.append(f"  assign {name} = {function.verilog()};")
    return "\n".join([*lines, "endmodule"])


def _unused(cell: Cell) -> list[str]:
    """Return the inputs that nothing in the cell reads."""
    read = {name for pin in cell.pins.values() if pin.function for name in pin.function.pins}
    if cell.flop is not None:
        flop = cell.flop
        parts = (flop.next_state, flop.clock, flop.clear, flop.preset)
        read |= {name for part in parts if part is not None for name in part.pins}
    return [name for name in cell.inputs if name not in read]


def _state(flop: Flop, cell: Cell) -> list[str]:
    """Return the flip-flop: state, and its inverse where an output reads it."""
    wires, clock, _ = _event("clock", flop.clock)
    events = [clock]
    branches: list[str] = []
    for name, function, value in (("clear", flop.clear, "0"), ("preset", flop.preset, "1")):
        if function is not None:
            extra, event, condition = _event(name, function)
            wires += extra
            events.append(event)
            branches.append(f"if ({condition}) {flop.state} <= 1'b{value};")
    branches.append(f"{flop.state} <= {flop.next_state.verilog()};")
    lines = [
        f"  reg {flop.state};",
        *wires,
        f"  always_ff @({' or '.join(events)})",
        "    " + "\n    else ".join(branches),
    ]
    reads = {n for pin in cell.pins.values() if pin.function for n in pin.function.pins}
    if flop.inverse in reads:
        lines.append(f"  wire {flop.inverse} = ~{flop.state};")
    return lines


def _event(name: str, function: Expression) -> tuple[list[str], str, str]:
    """Return declarations, the event at which `function` rises, and the condition itself.

    A pin, straight or inverted, is used as it is: a clock that passes through a wire of its own
    may be seen later than the others.
    """
    if function.kind == "pin":
        return [], f"posedge {function.pin}", function.pin
    if function.kind == "not" and function.parts[0].kind == "pin":
        pin = function.parts[0].pin
        return [], f"negedge {pin}", f"!{pin}"
    return [f"  wire {name}_now = {function.verilog()};"], f"posedge {name}_now", f"{name}_now"
