"""A core as one file of Verilog-2005, for tools that do not read SystemVerilog.

Yosys elaborates the design and writes it back with its hierarchy. Two things it cannot do are
done on the text: every instance has a module of its own there, so equal modules are merged, and
module names get the core's name in front, so that two exported cores fit in one project.
"""

import json
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

from roundsmith.design.generate import Design
from roundsmith.export.ready_paths import Paths, ready_paths
from roundsmith.spec import Cipher
from roundsmith.tools import yosys

# Registers and delay lines are dissolved into the modules that hold them: a cut that is off
# would otherwise be a module of wires.
_DISSOLVED = ("rsm_cut", "rsm_delay")

# An escaped name ends with a space, which is not needed in front of a bracket or a comma.
_IDENTIFIER = re.compile(r"\\(\S+)\s+(?=([\[;,)])?)")
_DECLARED_TWICE = re.compile(
    r"^  (input|output) (\[\d+:\d+\] )?(\S+);\n  (wire|reg) (?:\[\d+:\d+\] )?\3;\n", re.MULTILINE
)
# A memory without attributes that is set once, and one of its entries.
_TABLE = re.compile(
    r"(?<!\*\)\n)^  reg (?P<width>\[\d+:0\]) (?P<name>\S+) \[(?P<last>\d+):0\];\n"
    r"  initial begin\n(?P<entries>(?:    \S+\[\d+\] = \S+;\n)+)  end\n",
    re.MULTILINE,
)
_ENTRY = re.compile(r"\[(\d+)\] = (\S+);")


@dataclass(frozen=True)
class Converted:
    """A core as Verilog-2005 without a heading, and the paths from its inputs to its outputs."""

    text: str
    paths: Paths


def convert(design: Design) -> Converted:
    """Return `design` as self-contained Verilog-2005.

    Memories with attributes stay memories, contents and attributes included; constant tables
    without become functions. Raises ToolError when Yosys
    refuses the design.
    """
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        yosys.run(
            _script(design, design.write(folder / "rtl")),
            what=f"Writing {design.module} as Verilog-2005",
            folder=folder,
        )
        modules = json.loads((folder / "out.json").read_text())["modules"]
        return Converted(
            text=_tidy((folder / "out.v").read_text(), design.module),
            paths=ready_paths(modules, design.module),
        )


def path_name(path: str) -> str:
    """Return the path of an instance in the file, of its `path` in the SystemVerilog sources."""
    return "/".join(_plain(part, set()) for part in path.split("/"))


def _script(design: Design, files: list[Path]) -> list[str]:
    dissolved = " ".join(f"={name}$*" for name in _DISSOLVED)
    unwanted = " ".join(
        f"-unset {name}"
        for name in ("src", "hdlname", "full_case", "parallel_case", "keep_hierarchy", "top")
    )
    return [
        yosys.read_slang(files, design.module).replace(
            "read_slang", "read_slang --keep-hierarchy", 1
        ),
        f"hierarchy -check -top {design.module}",
        "proc",
        "setattr -mod -set keep_hierarchy 1 =*",
        f"setattr -mod -unset keep_hierarchy {dissolved}",
        "flatten -separator __",
        "setattr -mod -unset keep_hierarchy =*",
        # Enough to turn resets and enables back into `if` and `else`; no logic is optimised.
        "opt_expr",
        "opt_clean",
        "opt_merge",
        "opt_muxtree",
        "opt_reduce",
        "opt_dff",
        "opt_expr -mux_bool",
        # A selection from constants is a table, not a tree of multiplexers.
        "memory_bmux2rom",
        "memory_collect",
        # Verilog has no operator for a choice bit by bit, and Yosys would write an unknown module.
        "bwmuxmap",
        # Where every bit is a formula of its own, simulators are much faster on single wires.
        f"splitnets {' '.join(f'=rsm_{word}_sbox_* =rsm_{word}_mix_*' for word in Cipher)}",
        "opt_clean -purge",
        f"setattr -mod {unwanted}",
        f"setattr {unwanted}",
        "write_verilog -noparallelcase out.v",
        "write_json out.json",
    ]


def _tidy(text: str, top: str) -> str:
    """Return the modules that Yosys wrote, merged, named for people, the top first."""
    bodies: dict[str, str] = {}
    for module in re.findall(r"^module .*?^endmodule\n", text, re.MULTILINE | re.DOTALL):
        name = re.match(r"module \\?(\S+?)\s?\(", module)
        assert name is not None
        bodies[name[1]] = module
    names: dict[str, str] = {}
    merged: dict[tuple[str, str], str] = {}
    texts: dict[str, str] = {}

    def visit(old: str) -> str:
        """Name `old` and the modules below it; equal ones get one name."""
        if old in names:
            return names[old]
        base = top if old == top else f"{top}_{_short(old)}"
        # The module's own name comes last: only then is it known which number it gets.
        body = "module @" + bodies[old][bodies[old].index("(") :]
        escaped = list(dict.fromkeys(match[1] for match in _IDENTIFIER.finditer(body)))
        plain = {child: visit(child) for child in escaped if child in bodies}
        taken = set(re.findall(r"\w+", _IDENTIFIER.sub(" ", body))) | set(plain.values())
        for name in escaped:
            if name not in plain:
                plain[name] = _plain(name, taken)
                taken.add(plain[name])
        body = _IDENTIFIER.sub(lambda m: plain[m[1]] + ("" if m[2] else " "), body)
        body = _pretty(_TABLE.sub(_function, body))
        if (base, body) not in merged:
            number = sum(1 for known, _ in merged if known == base)
            merged[base, body] = f"{base}_{number + 1}" if number else base
            texts[merged[base, body]] = body.replace("@", merged[base, body], 1)
        names[old] = merged[base, body]
        return names[old]

    visit(top)
    return "\n".join(texts[name] for name in _top_down(texts, top))


def _top_down(texts: dict[str, str], top: str) -> list[str]:
    order: list[str] = []
    waiting = [top]
    while waiting:
        name = waiting.pop(0)
        if name in order:
            continue
        order.append(name)
        called = re.findall(r"^  (\w+) \w+ \($", texts[name], re.MULTILINE)
        waiting += [child for child in called if child in texts]
    return order


def _short(module: str) -> str:
    """Return `sbox_lut4` for `rsm_aes_sbox_lut4$top.u_core…`."""
    return re.sub(rf"^rsm_(({'|'.join(Cipher)})_)?", "", module.split("$")[0])


def _plain(identifier: str, taken: set[str]) -> str:
    """Return a free name that needs no escape: `gen_pair_0_u_sbox` for `gen_pair[0].u_sbox`."""
    name = re.sub(r"\W+", "_", identifier).strip("_")
    while name in taken:
        name += "_"
    return name


def _function(match: re.Match[str]) -> str:
    """Write a constant memory as a function: standard cells have no memory to load it into."""
    name = match["name"]
    bits = int(match["last"]).bit_length()
    digits = (bits + 3) // 4
    cases = "".join(
        f"      {bits}'h{int(index):0{digits}x}: {name} = {value};\n"
        for index, value in _ENTRY.findall(match["entries"])
    )
    # Without it, an unknown index would give the value of the call before.
    cases += f"      default: {name} = {int(match['width'][1:-3]) + 1}'bx;\n"
    return (
        f"  function {match['width']} {name};\n"
        f"    input [{bits - 1}:0] index;\n"
        f"    case (index)\n{cases}    endcase\n"
        f"  endfunction\n"
    )


def _pretty(module: str) -> str:
    def declare(match: re.Match[str]) -> str:
        direction, width, name, kind = match.groups()
        register = "reg " if kind == "reg" else ""
        return f"  {direction} {register}{width or ''}{name};\n"

    module = _DECLARED_TWICE.sub(declare, module)
    for name in re.findall(r"^  function \[\d+:0\] (\S+);", module, re.MULTILINE):
        module = re.sub(rf"= {name}\[(.*)\];$", rf"= {name}(\1);", module, flags=re.MULTILINE)
        module = re.sub(rf"\b{name}\b", f"table{name.rstrip('_')}", module)
    module = re.sub(r"(?<=\S)  +", " ", module)
    return re.sub(r"(?<=\S) +(?=[;,)]|$)", "", module, flags=re.MULTILINE)
