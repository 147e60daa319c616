"""What stands around a core: what holds for every mode and every bus, and the RTL of a mode."""

from typing import TYPE_CHECKING

from roundsmith.spec import buses, formulas
from roundsmith.spec.choices import Direction, Flow
from roundsmith.spec.modes import MODES, OPTIONS, ModeOfOperation

if TYPE_CHECKING:
    from roundsmith.spec.model import Spec

#: The places for beats of each stream in a mode that serves all of them.
SHARED_PLACES = 2


def check_mode(spec: "Spec") -> None:
    """Raise ValueError with the reason when the mode of `spec` makes no sense."""
    mode, how, port = spec.mode, spec.how, spec.port
    for option in OPTIONS:
        if getattr(how, option) is not None and option not in mode.options:
            owners = " and ".join(f"'{one.word}'" for one in MODES if option in one.options)
            raise ValueError(f"{option} belongs to mode {owners}, so it must be left out.")
    if not spec.has_mode:
        return
    if port.flow is not Flow.HELD:
        raise ValueError(
            f"mode '{mode.word}' stands on the full port of the core: flow must be 'held'."
        )
    if port.lanes > 1:
        raise ValueError(
            f"mode '{mode.word}' sends its blocks one by one, so lanes must be 1, not {port.lanes}."
        )
    if port.tag_bits > 0:
        raise ValueError(
            f"mode '{mode.word}' has messages in place of single blocks: tag_bits must be 0."
        )
    if spec.bus.has_words:
        raise ValueError(
            f"bus '{spec.bus.word}' stands on the native port, and mode '{mode.word}' on the full "
            "one; take another bus, or none."
        )
    if mode.forward and not spec.encrypts:
        raise ValueError(
            f"mode '{mode.word}' encrypts blocks even to decrypt a message, so directions must "
            "have 'encrypt'."
        )
    if port.key_slots < mode.slots:
        raise ValueError(
            f"mode '{mode.word}' has {mode.slots} keys for a message, so key_slots must be "
            f"{mode.slots} at least."
        )


def check_bus(spec: "Spec") -> None:
    """Raise ValueError with the reason when the bus of `spec` makes no sense."""
    for option in buses.OPTIONS:
        if getattr(spec.port, option) is not None and option not in spec.bus.options:
            owners = " and ".join(f"'{one.word}'" for one in buses.BUSES if option in one.options)
            raise ValueError(f"{option} belongs to bus {owners}, so it must be left out.")
    if spec.what.self_test and not spec.bus.carries_messages:
        names = ", ".join(f"'{bus.word}'" for bus in buses.MESSAGES)
        raise ValueError(f"self_test belongs to one of the buses {names}.")
    if spec.bus.carries_messages and not spec.has_mode:
        raise ValueError(
            f"bus '{spec.bus.word}' carries messages, so mode names a mode of operation: 'ecb' for "
            "blocks by themselves."
        )


def of_blocks(mode: ModeOfOperation, directions: tuple[Direction, ...]) -> tuple[Direction, ...]:
    """Return the directions of the cipher that a mode needs for some directions of messages."""
    needed = {*(directions if mode.both_ways else ()), *((Direction.ENCRYPT,) * mode.forward)}
    return tuple(way for way in Direction if way in needed)


def depth(spec: "Spec") -> int:
    """Return how many blocks a mode keeps account of: those in the core, and one that waits."""
    return formulas.fifo_depth(spec) + 1


def clear_cycles(spec: "Spec") -> int:
    """Cycles after the edge that sees `clear_i` until everything is overwritten."""
    cycles = [formulas.clear_cycles(spec)]
    if spec.has_mode and not formulas.is_oneblock(spec):
        shared = formulas.is_shared(spec)
        cycles.append(SHARED_PLACES * spec.how.streams if shared else depth(spec))
    cycles += spec.mode.clears(spec)
    cycles.append(spec.bus.clears(spec))
    # Registers hand the clear on a cycle later.
    return max(cycles) + int(spec.bus.has_registers)


def mode_module(spec: "Spec") -> str:
    """Return the module of the mode."""
    form = "_oneblock" if formulas.is_oneblock(spec) else ""
    return f"rsm_mode_{spec.mode.word}{'_streams' if formulas.is_shared(spec) else form}"


def mode_parameters(spec: "Spec") -> dict[str, str]:
    """Return the parameters of the module of the mode, as SystemVerilog expressions."""
    found: dict[str, str] = {}
    if formulas.is_shared(spec):
        found = {"Streams": str(spec.how.streams), "KeySlots": str(spec.port.key_slots)}
        found["Latency"] = str(formulas.core_latency_cycles(spec))
        return found
    if not formulas.is_oneblock(spec):
        found = {"Depth": str(depth(spec))}
        found["Slots"] = str(spec.port.key_slots // spec.mode.slots)
    if spec.mode.both_ways:
        found |= {"Encrypts": f"1'b{int(spec.encrypts)}", "Decrypts": f"1'b{int(spec.decrypts)}"}
    return found | spec.mode.parameters(spec)
