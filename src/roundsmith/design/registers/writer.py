"""What is made of the register map: RTL decode, C header, Markdown table, SystemRDL."""

from pathlib import Path

from roundsmith.base.paths import DRIVER, RTL
from roundsmith.base.render import render
from roundsmith.design.registers.model import Access, Kind, RegisterMap, load
from roundsmith.spec import modes

COMMAND = "python -m roundsmith.design.registers"

_MODES = {
    Access.READ: "R",
    Access.WRITE: "W",
    Access.READ_WRITE: "R/W",
    Access.WRITE_ONE_CLEARS: "R/W1C",
}


def rtl(given: RegisterMap | None = None) -> str:
    """Return the SystemVerilog decode."""
    the_map = given or load()
    ports: list[tuple[str, str, str]] = []
    for turn in the_map.turns:
        ports.append(("input", "", f"{turn}_busy_i"))
    for register in the_map.registers:
        name = register.name
        if register.kind is Kind.ACTION:
            ports.append(("output", "", f"{name}_write_o"))
        if register.wiped:
            ports.append(("input", "", f"{name}_wipe_i"))
        if register.kind is Kind.CONSTANT:
            continue
        if register.string:
            direction, end = ("input", "i") if register.kind is Kind.STATUS else ("output", "o")
            ports.append((direction, _range(32 * register.count), f"{name}_{end}"))
            continue
        for field in register.fields:
            port, width = f"{name}_{field.name}", _range(field.width)
            if register.kind is Kind.STATUS:
                ports.append(("input", width, f"{port}_i"))
            elif register.kind is Kind.EVENT:
                ports.append(("input", width, f"{port}_set_i"))
                ports.append(("output", width, f"{port}_o"))
            else:
                ports.append(("output", width, f"{port}_o"))
    return render("rsm_registers.sv.j2", map=the_map, ports=ports, command=COMMAND)


def _range(width: int) -> str:
    return f"[{width - 1}:0]" if width > 1 else ""


def c_header() -> str:
    """Return the C header."""
    return render("rsm_registers.h.j2", map=load(), modes=modes.NUMBERS, command=COMMAND)


def system_rdl() -> str:
    """Return the SystemRDL 2.0 description."""
    return render("rsm_registers.rdl.j2", map=load(), command=COMMAND)


def table() -> str:
    """Return the registers as a Markdown table, one row a field."""
    lines = ["| address | register | access | bits | field | meaning |"]
    lines.append("|---|---|---|---:|---|---|")
    for register in load().registers:
        addresses = register.addresses
        where = f"`0x{addresses[0]:02x}`" + (f"–`0x{addresses[-1]:02x}`" if register.string else "")
        row = [where, f"`{register.name.upper()}`", _MODES[register.access], "", "", register.text]
        lines.append(f"| {' | '.join(row)} |")
        if register.string:
            continue
        for field in register.fields:
            value = f" (`0x{field.value:x}`)" if register.kind is Kind.CONSTANT else ""
            row = ["", "", "", field.bits, f"`{field.name.upper()}`", field.text + value]
            lines.append(f"| {' | '.join(row)} |")
    return "\n".join(lines) + "\n"


def files() -> dict[Path, str]:
    """Return every file that is made of the map, with its right contents."""
    return {
        RTL / "bus" / "rsm_registers.sv": rtl(),
        DRIVER / "rsm_registers.h": c_header(),
        DRIVER / "rsm_registers.rdl": system_rdl(),
    }
