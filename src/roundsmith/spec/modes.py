"""The modes of operation: what each of them needs of the core, and what may be chosen.

A mode attaches to the full port of a core and never asks which cipher stands behind it.
"""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from roundsmith.spec import buses, formulas
from roundsmith.spec.choices import Bus, Direction, Flow, Mode

if TYPE_CHECKING:
    from roundsmith.spec.model import Spec

#: The bits of a CTR block that count, if the spec does not say.
COUNTER_BITS = 128


#: The places for beats of each stream in a mode that serves all of them.
SHARED_PLACES = 2

#: Cycles of a block in which the counter of a smaller form does not turn.
COUNTER_SPARE = 2

#: Words of the memory in the smaller form of OCB, of which one a cycle is cleared.
OCB_WORDS = 8


@dataclass(frozen=True)
class Traits:
    """One mode: whether the core encrypts for it in both directions, and its options.

    A `both_ways` mode uses the inverse cipher to decrypt, so it does the directions that the core
    has. `slots` are the key slots that one message uses, `tags` the lengths of its tags in bytes
    (none if it has no tag). `options` are fields of `how` that belong to it.
    """

    both_ways: bool = False
    forward: bool = True
    slots: int = 1
    tags: tuple[int, ...] = ()
    options: tuple[str, ...] = ()


TRAITS: dict[Mode, Traits] = {
    Mode.ECB: Traits(both_ways=True, forward=False),
    Mode.CBC: Traits(both_ways=True, forward=False),
    Mode.CFB: Traits(),
    Mode.CFB8: Traits(),
    Mode.OFB: Traits(),
    Mode.CTR: Traits(options=("counter_bits",)),
    Mode.CBC_MAC: Traits(tags=tuple(range(1, 17))),
    Mode.CMAC: Traits(tags=tuple(range(1, 17))),
    Mode.XTS: Traits(both_ways=True, slots=2),
    Mode.CCM: Traits(tags=(4, 6, 8, 10, 12, 14, 16)),
    Mode.OCB: Traits(both_ways=True, tags=tuple(range(1, 17))),
    Mode.GCM: Traits(tags=(4, 8, 12, 13, 14, 15, 16), options=("ghash_bits", "ghash_lanes")),
}

#: Fields of `how` that belong to some modes only.
OPTIONS = ("counter_bits", "ghash_bits", "ghash_lanes")


def check(spec: "Spec") -> None:
    """Raise ValueError with the reason when the mode of `spec` makes no sense."""
    what, how, port = spec.what, spec.how, spec.port
    traits = TRAITS.get(what.mode, Traits())
    for option in OPTIONS:
        if getattr(how, option) is not None and option not in traits.options:
            owners = " and ".join(f"'{m}'" for m, t in TRAITS.items() if option in t.options)
            raise ValueError(f"{option} belongs to mode {owners}, so it must be left out.")
    if what.mode not in TRAITS:
        return
    if port.flow is not Flow.HELD:
        raise ValueError(
            f"mode '{what.mode}' stands on the full port of the core: flow must be 'held'."
        )
    if port.lanes > 1:
        raise ValueError(
            f"mode '{what.mode}' sends its blocks one by one, so lanes must be 1, not {port.lanes}."
        )
    if port.tag_bits > 0:
        raise ValueError(
            f"mode '{what.mode}' has messages in place of single blocks: tag_bits must be 0."
        )
    if what.bus is Bus.CHANNELS32:
        raise ValueError(
            f"bus 'channels32' stands on the native port, and mode '{what.mode}' on the full one; "
            "take another bus, or none."
        )
    if traits.forward and not spec.encrypts:
        raise ValueError(
            f"mode '{what.mode}' encrypts blocks even to decrypt a message, so directions must "
            "have 'encrypt'."
        )
    if port.key_slots < traits.slots:
        raise ValueError(
            f"mode '{what.mode}' has {traits.slots} keys for a message, so key_slots must be "
            f"{traits.slots} at least."
        )


def of_blocks(mode: Mode, directions: tuple[Direction, ...]) -> tuple[Direction, ...]:
    """Return the directions of the cipher that a mode needs for some directions of messages."""
    traits = TRAITS.get(mode)
    if traits is None:
        return directions
    needed = {*(directions if traits.both_ways else ()), *((Direction.ENCRYPT,) * traits.forward)}
    return tuple(way for way in Direction if way in needed)


def counter_bits(spec: "Spec") -> int:
    """Return how many bits of a CTR block count."""
    return COUNTER_BITS if spec.how.counter_bits is None else spec.how.counter_bits


def depth(spec: "Spec") -> int:
    """Return how many blocks a mode keeps account of: those in the core, and one that waits."""
    return formulas.fifo_depth(spec) + 1


def counter_digit(spec: "Spec") -> int:
    """Return how many bits of a counter are counted in a cycle, where it turns once a block."""
    cycles = formulas.shortest_interval(spec) - COUNTER_SPARE
    return next(n for n in (8, 16, 32, 64) if 128 // n <= cycles)


def ghash_lanes(spec: "Spec") -> int:
    """Return how many GHASH multipliers there are: enough to keep up with the core by default."""
    if spec.how.ghash_lanes is not None:
        return spec.how.ghash_lanes
    return math.ceil(formulas.ghash_steps(spec) / max(1.0, formulas.core_cycles_per_block(spec)))


def tag_wait(spec: "Spec") -> int:
    """Return how many beats wait for the tag before them, so that the core does not."""
    latency = ghash_lanes(spec) + formulas.ghash_steps(spec) + 6
    return math.ceil(latency / max(1.0, formulas.core_cycles_per_block(spec))) + 1


def clear_cycles(spec: "Spec") -> int:
    """Cycles after the edge that sees `clear_i` until everything is overwritten."""
    cycles = [formulas.clear_cycles(spec)]
    if spec.has_mode and not formulas.is_single(spec):
        shared = formulas.is_shared(spec)
        cycles.append(SHARED_PLACES * spec.how.streams if shared else depth(spec))
    if spec.what.mode is Mode.CMAC:
        cycles.append(_power_of_two(spec.port.key_slots))
    if spec.what.mode is Mode.OCB:
        words = OCB_WORDS if formulas.is_single(spec) else 32 * _power_of_two(spec.port.key_slots)
        cycles.append(words)
    if spec.what.mode is Mode.GCM and not formulas.is_single(spec):
        powers = _power_of_two(spec.port.key_slots) * _power_of_two(ghash_lanes(spec))
        cycles += [tag_wait(spec), ghash_lanes(spec) + 1, 4, powers]
    cycles.append(buses.clear_cycles(spec))
    # Registers hand the clear on a cycle later.
    return max(cycles) + int(spec.what.bus in buses.REGISTERS)


def _power_of_two(number: int) -> int:
    return int(1 << (number - 1).bit_length())


def settle_cycles(spec: "Spec") -> int:
    """Return the most cycles from the last beat of an answer until the mode is idle."""
    return 2 * tag_wait(spec) if module(spec) == "rsm_mode_gcm" else 2


def module(spec: "Spec") -> str:
    """Return the module of the mode."""
    form = "_single" if formulas.is_single(spec) else ""
    return f"rsm_mode_{spec.what.mode}{'_streams' if formulas.is_shared(spec) else form}"


def parameters(spec: "Spec") -> dict[str, str]:
    """Return the parameters of the module of the mode, as SystemVerilog expressions."""
    traits = TRAITS[spec.what.mode]
    found: dict[str, str] = {}
    if formulas.is_shared(spec):
        found = {"Streams": str(spec.how.streams), "KeySlots": str(spec.port.key_slots)}
        found["Latency"] = str(formulas.core_latency_cycles(spec))
        return found
    if not formulas.is_single(spec):
        found = {"Depth": str(depth(spec)), "TagWidth": "1"}
        found["Slots"] = str(spec.port.key_slots // traits.slots)
    if traits.both_ways:
        found |= {"Encrypts": f"1'b{int(spec.encrypts)}", "Decrypts": f"1'b{int(spec.decrypts)}"}
    if "counter_bits" in traits.options:
        found["CounterWidth"] = str(counter_bits(spec))
        if formulas.is_single(spec):
            found["Digit"] = str(counter_digit(spec))
    if "ghash_bits" in traits.options:
        found["Digit"] = str(formulas.ghash_bits(spec))
        if formulas.is_single(spec):
            found["Interval"] = str(formulas.shortest_interval(spec))
        else:
            found |= {"Lanes": str(ghash_lanes(spec)), "Wait": str(tag_wait(spec))}
    return found
