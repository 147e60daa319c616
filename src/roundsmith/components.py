"""Which component of a core each cell of an FPGA netlist belongs to.

Logic optimisation dissolves the hierarchy; what survives are the names of registers, memories
and ports. Every LUT is therefore named after the registers that it reaches: logic in front of a
single byte of the state is that byte's S-box, logic that reaches many bytes is the linear layer,
and so on. Where optimisation has merged two components, a LUT counts to one of them.
"""

import json
import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SBOX = "S-boxes of the state"
KEY_SBOX = "S-boxes of the key schedule"
LINEAR = "linear layer, key addition, state"
KEY = "key schedule and key registers"
CONTROL = "control and port"

_BLOCK_BITS = 128
_ROUND_BITS = 4

# Inputs of a cell that say when, not what.
_CLOCKS = {"CLK", "CLKA", "CLKB", "WCK"}

# Register names of the library, in the order in which they are tried.
_OUTPUT = re.compile(r"(^|\.)(out_block_o|u_cut_out)\b")
_KEY_NAME = re.compile(r"u_key_forward|u_key_step|(^|\.)key_q\b|mix_key")
_ROUND_CUT = re.compile(r"u_cut_(sub|mix|round)\b")
_INSIDE_SBOX = re.compile(r"(u_sub_bytes|u_sub_word)\..*gen_byte\[(\d+)\]\.u_sbox\.")
_MIXED = re.compile(r"gen_column\[(\d)\]\.a\b")


@dataclass(frozen=True)
class Role:
    """What a cell is for: its component and a name that a designer knows."""

    component: str
    name: str


@dataclass
class _Netlist:
    """The netlist as a graph: who drives a bit, which aliases it has."""

    cells: dict[str, Any]
    driver: dict[int, str] = field(default_factory=dict)
    aliases: dict[int, list[tuple[str, int, int]]] = field(default_factory=dict)
    outputs: set[int] = field(default_factory=set)


def roles(netlist: Path) -> dict[str, Role]:
    """Return the role of every cell of a flat ECP5 netlist (Yosys JSON)."""
    net = _read(netlist)
    found: dict[str, Role] = {}
    marks: dict[str, int] = {}
    for name, cell in net.cells.items():
        if cell["type"] == "TRELLIS_FF":
            found[name], marks[name] = _register(net, cell)
        elif cell["type"] == "DP16KD":
            found[name], marks[name] = _memory(name)
        elif cell["type"].startswith("TRELLIS_DPR"):
            found[name], marks[name] = Role(CONTROL, "result FIFO"), _CONTROL_MARK
    reach = _reach(net, marks)
    in_memory = any(cell["type"] == "DP16KD" for cell in net.cells.values())
    edge = _edge_cells(net, found)
    for name in net.cells:
        if name not in marks:
            found[name] = _logic(reach[name], in_memory or name in edge)
    return found


def role_of(cell: str, role: Mapping[str, Role]) -> Role:
    """Return the role of a placed cell; nextpnr appends to the names of cells that it packs."""
    name = cell
    while name:
        if name in role:
            return role[name]
        name = name.rpartition("$")[0]
    return Role(CONTROL, "constants")


# --- What a cell reaches --------------------------------------------------------------------
#
# A set of sinks is one integer: bits 0..127 the state, 128..255 the key, then the output
# register, the control registers and ports.

_OUTPUT_MARK = 1 << 256
_CONTROL_MARK = 1 << 257
_STATE_MASK = (1 << 128) - 1


def _read(netlist: Path) -> _Netlist:
    modules = json.loads(netlist.read_text())["modules"].values()
    module = next(m for m in modules if "top" in m["attributes"])
    net = _Netlist(cells=module["cells"])
    for name, value in module["netnames"].items():
        for index, bit in enumerate(value["bits"]):
            net.aliases.setdefault(bit, []).append((name, index, len(value["bits"])))
    for name, cell in net.cells.items():
        for port, bits in cell["connections"].items():
            if cell["port_directions"][port] == "output":
                for bit in bits:
                    net.driver[bit] = name
    for port in module["ports"].values():
        if port["direction"] == "output":
            net.outputs.update(port["bits"])
    return net


def _register(net: _Netlist, cell: dict[str, Any]) -> tuple[Role, int]:
    """Name a flip-flop by its hierarchical names; return its mark as a sink as well."""
    names = net.aliases.get(cell["connections"]["Q"][0], [])
    for name, index, width in names:
        inside = _INSIDE_SBOX.search(name)
        if inside is not None:
            byte = int(inside[2])
            if inside[1] == "u_sub_word":
                row = Role(KEY_SBOX, f"register in key S-box row {3 - byte}")
                return row, sum(0xFF << (32 * w) for w in range(4)) << (_BLOCK_BITS + 8 * byte)
            return Role(SBOX, f"register in S-box byte {15 - byte}"), 0xFF << (8 * byte)
        cut = _ROUND_CUT.search(name)
        if cut is not None and width >= _BLOCK_BITS + _ROUND_BITS:
            return _round_register(cut[1], index, width)
        mixed = _MIXED.search(name)
        if mixed is not None:
            return _state_register(_BLOCK_BITS - 1 - (32 * int(mixed[1]) + index))
    for name, index, width in names:
        if _KEY_NAME.search(name) and width in {32, _BLOCK_BITS, _BLOCK_BITS + _ROUND_BITS}:
            if width == _BLOCK_BITS + _ROUND_BITS:
                if index < _ROUND_BITS:
                    return Role(CONTROL, f"round counter bit {index}"), _CONTROL_MARK
                index -= _ROUND_BITS
            word = re.search(r"\bw(\d)\b", name)
            if word is not None:
                index += 96 - 32 * int(word[1])
            return _key_register(index)
        if _OUTPUT.search(name) and width == _BLOCK_BITS:
            return Role(LINEAR, f"output register {_byte(index)}"), _OUTPUT_MARK
    label = next((n for n, _, _ in names if "TRELLIS" not in n and "LUT4" not in n), "control")
    words = re.sub(r"\[\d+\]|_[qdio]\b", "", label.rsplit(".", 1)[-1]).replace("_", " ")
    return Role(CONTROL, f"{words} register"), _CONTROL_MARK


def _round_register(cut: str, index: int, width: int) -> tuple[Role, int]:
    """Name a bit of a cut of the round: state, key and round number side by side."""
    result = width - (2 * _BLOCK_BITS + _ROUND_BITS)
    if result == _BLOCK_BITS:
        # The round that adds the key first keeps its result below the round number.
        if index < result:
            return Role(LINEAR, f"result register {_byte(index)}"), _OUTPUT_MARK
        index -= result
    if index < _ROUND_BITS:
        return Role(CONTROL, f"round counter bit {index}"), _CONTROL_MARK
    index -= _ROUND_BITS
    if index < _BLOCK_BITS:
        return _key_register(index)
    return _state_register(index - _BLOCK_BITS)


def _state_register(index: int) -> tuple[Role, int]:
    return Role(LINEAR, f"state register {_byte(index)}"), 1 << index


def _key_register(index: int) -> tuple[Role, int]:
    return Role(KEY, f"key register {_byte(index)}"), 1 << (_BLOCK_BITS + index)


def _byte(index: int) -> str:
    """Return `byte 3 bit 6` for a bit of a block; byte 0 is its top byte."""
    return f"byte {15 - index // 8} bit {index % 8}"


def _memory(name: str) -> tuple[Role, int]:
    pair = re.search(r"gen_pair\[(\d+)\]", name)
    index = int(pair[1]) if pair is not None else 0
    if "u_sub_word" in name or "u_key" in name:
        mark = 0xFFFF << (_BLOCK_BITS + 16 * index)
        return Role(KEY_SBOX, f"key S-box block RAM {index}"), mark
    first = 14 - 2 * index
    return Role(SBOX, f"S-box block RAM of bytes {first} and {first + 1}"), 0xFFFF << (16 * index)


def _reach(net: _Netlist, marks: dict[str, int]) -> dict[str, int]:
    """Return the sinks that each cell of logic reaches without passing a register."""
    reach: dict[str, int] = defaultdict(int)
    users: dict[str, list[str]] = defaultdict(list)
    for name, cell in net.cells.items():
        for port, bits in cell["connections"].items():
            if cell["port_directions"][port] == "input" and port not in _CLOCKS:
                for bit in bits:
                    source = net.driver.get(bit)
                    if source is None or source in marks:
                        continue
                    if name in marks:
                        # Enables and resets are control, whatever register they reach.
                        wide = port in {"CE", "LSR"}
                        reach[source] |= _CONTROL_MARK if wide else _sink(name, port, marks)
                    else:
                        users[source].append(name)
    for bit in net.outputs:
        source = net.driver.get(bit)
        if source is not None and source not in marks:
            names = [name for name, _, width in net.aliases[bit] if width == _BLOCK_BITS]
            reach[source] |= _OUTPUT_MARK if names else _CONTROL_MARK
    done: set[str] = set()
    for start in net.cells:
        stack = [start]
        while stack:
            name = stack[-1]
            waiting = [u for u in users[name] if u not in done and u != name]
            if name in done or not waiting:
                stack.pop()
                if name not in done:
                    done.add(name)
                    for user in users[name]:
                        reach[name] |= reach[user]
            else:
                stack.extend(waiting)
    return reach


def _sink(name: str, port: str, marks: dict[str, int]) -> int:
    """Return the mark of a register or of the half of a memory that `port` belongs to."""
    mark = marks[name]
    half = re.match(r"AD([AB])\d+$", port)
    if half is None or mark.bit_count() != 16:
        return mark
    low = mark & -mark
    return low * 0xFF if half[1] == "A" else (low * 0xFF) << 8


def _edge_cells(net: _Netlist, found: Mapping[str, Role]) -> set[str]:
    """Return the cells that read a port or a register directly, but for those inside S-boxes.

    They cannot be inside an S-box: its input is the sum of the linear layer and the key.
    """
    edge = set()
    for name, cell in net.cells.items():
        for port, bits in cell["connections"].items():
            if cell["port_directions"][port] == "input":
                sources = [net.driver.get(bit) for bit in bits if isinstance(bit, int)]
                if any(s is None or _outside_sbox(found.get(s)) for s in sources):
                    edge.add(name)
    return edge


def _outside_sbox(role: Role | None) -> bool:
    return role is not None and role.component not in {SBOX, KEY_SBOX}


def _logic(reached: int, no_sbox: bool) -> Role:
    """Name a cell of logic by what it reaches; `no_sbox` when it cannot be part of an S-box."""
    state = reached & _STATE_MASK
    key = (reached >> _BLOCK_BITS) & _STATE_MASK
    rest = reached & (_OUTPUT_MARK | _CONTROL_MARK)
    touched = [b for b in range(16) if (state >> (8 * b)) & 0xFF]
    if len(touched) > 12 or (reached & _CONTROL_MARK and not state and not key):
        return Role(CONTROL, "control")
    if state and len(touched) == 1 and not rest and not no_sbox:
        return Role(SBOX, f"S-box byte {15 - touched[0]}")
    if state or rest & _OUTPUT_MARK:
        return Role(LINEAR, "MixColumns, key addition, entry")
    if key:
        # A bit of an S-box of the key schedule enters all four words of the next key.
        places = [b for b in range(16) if (key >> (8 * b)) & 0xFF]
        if len(places) == 4 and len({b % 4 for b in places}) == 1 and not no_sbox:
            return Role(KEY_SBOX, f"key S-box row {3 - places[0] % 4}")
        return Role(KEY, "key step")
    return Role(CONTROL, "control")
