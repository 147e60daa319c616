"""A core as a bitstream for its user's board: the files that join its folder."""

from pathlib import Path

from roundsmith.base.errors import RoundsmithError
from roundsmith.catalogue import command
from roundsmith.flows import targets
from roundsmith.flows.flow import Bitstream, Target
from roundsmith.spec import Spec


def bitstream(spec: Spec, target: Target, pcf: Path) -> dict[str, bytes]:
    """Return the files that place and route of `spec` on `target` gives, by their path.

    `pcf` says which port is at which pin. Raises RoundsmithError when no bitstream can be made
    for `target` and when the pins do not fit the core, ToolError when a program is missing or
    fails, and when the core does not fit the device.
    """
    if target.name not in target.flow.bitstreams:
        able = " and ".join(name for flow in targets.members() for name in flow.bitstreams)
        raise RoundsmithError(f"No bitstream is made for {target.name}; it is for {able}.")
    made = target.flow.bitstream(spec, target, pcf)
    title = f"`{command(spec)} --target {target.name} --pcf {pcf.name}`"
    return {
        f"{spec.module}.bin": made.packed,
        f"{spec.module}.asc": made.placed,
        f"{spec.module}.pcf": pcf.read_bytes(),
        f"{spec.module}_bitstream.md": report(spec.module, title, made).encode(),
    }


def report(module: str, made_by: str, made: Bitstream) -> str:
    """Return what became of a design, as Markdown."""
    lines = [
        f"# {module} on an {made.device}",
        "",
        f"Made by {made_by}.",
        "",
        f"- `{module}.bin`: the bitstream; `iceprog {module}.bin` writes it to the board's flash,",
        f"  `iceprog -S {module}.bin` to the device alone.",
        f"- `{module}.asc`: the same before packing, for the programs of Project IceStorm.",
        f"- `{module}.pcf`: the pins.",
    ]
    clock = "none, no register follows another" if made.fmax_mhz is None else ""
    clock = clock or f"{made.fmax_mhz:.1f} MHz"
    tools = ", ".join(f"{name} {version}" for name, version in made.tools.items())
    lines += ["", f"Highest clock after routing: {clock} ({tools}).", ""]
    lines += ["| cells | used | of |", "|---|---:|---:|"]
    lines += [f"| {kind} | {n:,} | {made.available[kind]:,} |" for kind, n in made.used.items()]
    lines += ["", "| port | pin |", "|---|---:|"]
    lines += [f"| `{wire}` | {pin} |" for wire, pin in made.pins.items()]
    return "\n".join(lines) + "\n"
