"""Which component of a core each cell of an FPGA netlist belongs to.

Logic optimisation dissolves the hierarchy; what survives are the names of registers, memories
and ports. Every LUT is therefore named after the registers that it reaches: logic in front of a
single byte of the state is that byte's S-box, logic that reaches many bytes is the linear layer,
and so on. In the same way it belongs to the hardware round and the tile of the registers that it
drives. Where optimisation has merged two components or rounds, a LUT counts to one of them.
"""

import json
import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
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

# Instance names of the library, in the order in which they are tried.
_INSIDE_SBOX = re.compile(r"(u_sub_bytes|u_sub_word)\..*gen_byte\[(\d+)\]\..*u_sbox\.")
_CONTROL_NAME = re.compile(r"_control\b|u_delay_tag|u_cut_\w*tag\b|(valid|more|closed|clearing)_q")
_OUTPUT = re.compile(r"(^|\.)(out_block_o|u_cut_out)\b")
_COLUMN = re.compile(r"u_linear\..*gen_column\[(\d)\]")
_LINEAR_NAME = re.compile(r"u_linear\b|u_mix_columns\b")
_KEY_NAME = re.compile(
    r"u_key_(travel|forward|store|ends|hold|expander)\b|gen_on_the_fly\.u_cut_|(^|\.)key_q\b"
)
_STATE_NAME = re.compile(r"u_cut_(in|extra|head|sub|mix|round|key)\b")
_TILE = re.compile(r"gen_tile\[(\d+)\]")
_STAGE = re.compile(r"u_(?:loop|pipe)\.gen_stage\[(\d+)\]")


@dataclass(frozen=True)
class Role:
    """What a cell is for: its component and a name that a designer knows.

    `stage` is its hardware round, if it belongs to one, and `tile` its copy of the core, from 0.
    """

    component: str
    name: str
    stage: int | None = None
    tile: int = 0


@dataclass
class _Netlist:
    """The netlist as a graph: who drives a bit; name, index and width of what a register holds."""

    cells: dict[str, Any]
    driver: dict[int, str] = field(default_factory=dict)
    names: dict[int, tuple[str, int, int]] = field(default_factory=dict)
    outputs: dict[int, int] = field(default_factory=dict)


def roles(netlist: Path) -> dict[str, Role]:
    """Return the role of every cell of a flat ECP5 netlist (Yosys JSON)."""
    net = _read(netlist)
    found: dict[str, Role] = {}
    marks: dict[str, int] = {}
    for name, cell in net.cells.items():
        if cell["type"] == "TRELLIS_FF":
            own = net.names.get(cell["connections"]["Q"][0], ("control", 0, 1))
            role, mark = _register(*own)
            found[name], marks[name] = _placed(role, mark, own[0])
        elif cell["type"] == "DP16KD":
            found[name], marks[name] = _placed(*_memory(name), name)
        elif cell["type"].startswith("TRELLIS_DPR"):
            found[name], marks[name] = Role(CONTROL, "result FIFO"), _CONTROL_MARK
    reach = _reach(net, marks)
    in_memory = any(cell["type"] == "DP16KD" for cell in net.cells.values())
    edge = _edge_cells(net, found)
    for name in net.cells:
        if name not in marks:
            role = _logic(reach[name], in_memory or name in edge)
            place = reach[name] >> _PLACE
            if place and role.component != CONTROL:
                role = _at(role, (place & -place).bit_length() - 1)
            found[name] = role
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
# register, the control registers and ports, and from _PLACE on the hardware rounds by tile.

_OUTPUT_MARK = 1 << 256
_CONTROL_MARK = 1 << 257
_PLACE = 258
_STAGES = 16
_STATE_MASK = (1 << 128) - 1


def _read(netlist: Path) -> _Netlist:
    modules = json.loads(netlist.read_text())["modules"].values()
    module = next(m for m in modules if "top" in m["attributes"])
    net = _Netlist(cells=module["cells"])
    registers = set()
    for name, cell in net.cells.items():
        for port, bits in cell["connections"].items():
            if cell["port_directions"][port] == "output":
                for bit in bits:
                    net.driver[bit] = name
        if cell["type"] == "TRELLIS_FF":
            registers.add(cell["connections"]["Q"][0])
    ranks: dict[int, int] = {}
    for name, value in module["netnames"].items():
        rank = _rank(name)
        for index, bit in enumerate(value["bits"]):
            if bit in registers and rank > ranks.get(bit, -1):
                ranks[bit] = rank
                net.names[bit] = (name, index, len(value["bits"]))
    for port in module["ports"].values():
        if port["direction"] == "output":
            net.outputs.update((bit, len(port["bits"])) for bit in port["bits"])
    return net


def _rank(name: str) -> int:
    """Tell how well a name says which register it is: the register's own, then the deepest."""
    if "$" in name or "TRELLIS" in name or "LUT4" in name:
        return 0
    own = name.endswith("_q") + 2 * name.endswith(".data_q")
    return 1 + 1000 * own + name.count(".")


def _placed(role: Role, mark: int, name: str) -> tuple[Role, int]:
    """Add the hardware round and the tile that the name of a register or memory tells."""
    stage, tile = _STAGE.search(name), _TILE.search(name)
    if role.component == CONTROL or (stage is None and tile is None):
        return role, mark
    place = (int(tile[1]) if tile else 0) * _STAGES + (int(stage[1]) if stage else 0)
    return _at(role, place), mark | 1 << (_PLACE + place)


def _register(name: str, index: int, width: int) -> tuple[Role, int]:
    """Name a flip-flop by its hierarchical name; return its mark as a sink as well."""
    inside = _INSIDE_SBOX.search(name)
    if inside is not None:
        byte = int(inside[2])
        if inside[1] == "u_sub_word":
            row = Role(KEY_SBOX, f"register in key S-box row {3 - byte}")
            return row, sum(0xFF << (32 * w) for w in range(4)) << (_BLOCK_BITS + 8 * byte)
        return Role(SBOX, f"register in S-box byte {15 - byte}"), 0xFF << (8 * byte)
    # Everything that lies side by side in a register begins at its top bit.
    top = width - 1 - index
    if _CONTROL_NAME.search(name):
        return _control_register(name)
    if _OUTPUT.search(name):
        return Role(LINEAR, f"output register {_byte(_BLOCK_BITS - 1 - top)}"), _OUTPUT_MARK
    column = _COLUMN.search(name)
    if column is not None:
        mask = 0xFFFFFFFF << (96 - 32 * int(column[1]))
        return Role(LINEAR, f"register in the linear layer, column {column[1]}"), mask
    if _LINEAR_NAME.search(name) and width == _BLOCK_BITS:
        return _state_register(index)
    if _KEY_NAME.search(name):
        # A window of the key schedule may be longer than a round key.
        if width >= _BLOCK_BITS and top < width // 64 * 64:
            return _key_register(top)
        return _control_register(name)
    if _STATE_NAME.search(name) and width >= _BLOCK_BITS:
        if top < _BLOCK_BITS:
            return _state_register(_BLOCK_BITS - 1 - top)
        if width >= 2 * _BLOCK_BITS and top < width // 64 * 64:
            return _key_register(top - _BLOCK_BITS)
    return _control_register(name)


def _control_register(name: str) -> tuple[Role, int]:
    short = re.sub(r"\.gen_register\.data_q|\.[qd]_[io]$", "", name).rsplit(".", 1)[-1]
    words = re.sub(r"\[\d+\]|^u_(cut_|delay_)?|_[qdio]\b", "", short).replace("_", " ")
    return Role(CONTROL, f"{words or 'control'} register"), _CONTROL_MARK


def _state_register(index: int) -> tuple[Role, int]:
    return Role(LINEAR, f"state register {_byte(index)}"), 1 << index


def _key_register(top: int) -> tuple[Role, int]:
    """Name a bit of a window by its place from the top; a long one is folded into 128 bits."""
    role = Role(KEY, f"key register byte {top // 8} bit {7 - top % 8}")
    return role, 1 << (2 * _BLOCK_BITS - 1 - top % _BLOCK_BITS)


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
    for bit, width in net.outputs.items():
        source = net.driver.get(bit)
        if source is not None and source not in marks:
            reach[source] |= _CONTROL_MARK if width % _BLOCK_BITS else _OUTPUT_MARK
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
    bits = mark & ((1 << _PLACE) - 1)
    if half is None or bits.bit_count() != 16:
        return mark
    low = bits & -bits
    return mark ^ bits | (low * 0xFF if half[1] == "A" else (low * 0xFF) << 8)


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


def _at(role: Role, place: int) -> Role:
    tile, stage = divmod(place, _STAGES)
    return replace(role, stage=stage, tile=tile)


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
