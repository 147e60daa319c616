"""The formulas: latency, interval and cycles of a spec; every simulation checks them.

`key_bits` picks one of several key lengths; left out, it is the longest one built in.
"""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from roundsmith.spec import keys, narrow
from roundsmith.spec.choices import (
    Clear,
    Direction,
    Entry,
    KeyChannel,
)

if TYPE_CHECKING:
    from roundsmith.spec.model import Spec

#: Cycles from the edge that accepts a key to the first edge at which a block can use it: of a
#: register. A walk, which looks for the last round key, enters after it and is done a cycle after
#: the second of two more.
KEY_HOLD_CYCLES = 1
KEY_WALK_CYCLES = 2

#: The fewest cycles of a block in the smaller form of a mode.
ONEBLOCK_CYCLES = 4

#: One mode for all streams: the fewest cycles to a result, and how long beside them a block of a
#: stream has one of its two places, from the choice until the place can be used again.
SHARED_LATENCY = 2
SHARED_RETURN = 5


def sbox_latency(spec: "Spec") -> int:
    """Cycles that SubBytes takes."""
    inner = sum(cut.startswith("sbox.") for cut in spec.how.cuts)
    return inner + spec.sbox.latency


def round_latency(spec: "Spec") -> int:
    """Cycles that one round takes without extra registers: the number of cuts in it."""
    outer = sum(not cut.startswith("sbox.") for cut in spec.how.cuts)
    return sbox_latency(spec) + outer


def cipher_rounds(spec: "Spec", key_bits: int | None = None) -> int:
    """Return the rounds of the cipher with a key of `key_bits`."""
    return spec.cipher.rounds[key_bits or max(spec.what.key_bits)]


def hardware_rounds(spec: "Spec") -> int:
    """Return how many rounds stand in hardware: a pipe has those of its longest key."""
    return cipher_rounds(spec) if spec.is_pipe else spec.how.rounds


def stage_latencies(spec: "Spec") -> list[int]:
    """Cycles that each round in hardware takes, the first one first."""
    plain = round_latency(spec)
    return [plain + (r in spec.how.extra) for r in range(1, hardware_rounds(spec) + 1)]


def slots(spec: "Spec") -> int:
    """Return how many times a core accepts in one `initiation_interval`.

    A ring has as many slots as registers, and so has each of its tiles. Less than a round has one.
    """
    return 1 if spec.is_pipe or spec.is_narrow else sum(stage_latencies(spec)) * spec.how.tiles


def entry_stage(spec: "Spec", key_bits: int | None = None) -> int:
    """Return the round in hardware, counted from 0, at which a block enters.

    Where the rounds in hardware do not divide those of the cipher, blocks enter late, so that
    all of them leave at the end.
    """
    return -cipher_rounds(spec, key_bits) % hardware_rounds(spec)


def round_trip_cycles(spec: "Spec", key_bits: int | None = None) -> int:
    """Cycles that a block spends in the rounds: the core latency without the edges."""
    stages = stage_latencies(spec)
    whole, rest = divmod(cipher_rounds(spec, key_bits), len(stages))
    late = sum(stages[entry_stage(spec, key_bits) :]) if rest else 0
    return late + whole * sum(stages)


def core_latency_cycles(
    spec: "Spec", key_bits: int | None = None, direction: Direction | None = None
) -> int:
    """Cycles from the edge that accepts a block to the edge that shows it, native port.

    Of a narrow core it is from beat 0 to beat 0. Without a direction it is that of the slowest
    one built in.
    """
    if spec.is_narrow:
        latency = narrow.cycles(spec, key_bits).latency
        return max(latency[way] for way in _ways(spec, direction))
    return round_trip_cycles(spec, key_bits) + len(spec.how.edges)


def _ways(spec: "Spec", direction: Direction | None) -> tuple[Direction, ...]:
    return spec.what.directions if direction is None else (direction,)


def latency_cycles(
    spec: "Spec",
    key_bits: int | None = None,
    direction: Direction | None = None,
    batch: int | None = None,
) -> int:
    """Return the same for the port that the spec names.

    The full port adds its FIFO, and to a narrow core the beats that follow the first one; several
    streams have no FIFO in their way. A bus on the native port adds what it says, and around a core
    with batches that depends on how many blocks a `batch` has, all if left out.
    """
    if spec.is_narrow:
        wide = 128 // spec.native_width if spec.is_full else 0
        return core_latency_cycles(spec, key_bits, direction) + wide
    fifo = int(spec.is_full and spec.how.streams == 1)
    return core_latency_cycles(spec, key_bits) + spec.bus.latency(spec, batch) + fifo


def whole_latency_cycles(spec: "Spec", key_bits: int | None = None) -> int:
    """Return the same up to the last word of the result; a wide port has but one."""
    return latency_cycles(spec, key_bits) + spec.bus.beats(spec) - 1


def bus_wait_cycles(spec: "Spec") -> int:
    """Return the most cycles that a block waits in the bus for the one in its slot."""
    return spec.bus.waits(spec)


def turn_cycles(spec: "Spec") -> int:
    """Cycles that an empty core takes to change its direction; 0 where each block has its own."""
    return spec.batch.key_cycles if spec.batch else 0


def blocks_in_flight(spec: "Spec", key_bits: int | None = None) -> int:
    """Blocks inside at one time: independent streams that a feedback mode can interleave.

    Tiles of a ring take one block a cycle among them, and some may have left before all slots had
    their turn: where blocks enter late, they leave before their slot takes another.
    """
    if spec.is_pipe:
        return core_latency_cycles(spec, key_bits) * spec.how.tiles
    return slots(spec) if spec.is_narrow else min(slots(spec), round_trip_cycles(spec, key_bits))


def initiation_interval(
    spec: "Spec",
    key_bits: int | None = None,
    direction: Direction | None = None,
    following: Direction | None = None,
) -> int:
    """Cycles after which the same slot takes its next block.

    In a narrow core that may depend on the direction of a block and of the `following` one, which
    is the same if left out; without any it is the longest of blocks that all go the same way.
    """
    if spec.is_narrow:
        made = narrow.cycles(spec, key_bits)
        return max(
            made.latency[way] + made.rest + (made.again if following in {None, way} else 0)
            for way in _ways(spec, direction)
        )
    if spec.is_pipe:
        return 1
    if spec.how.entry is Entry.BATCH:
        return core_latency_cycles(spec, key_bits)
    laps = math.ceil(cipher_rounds(spec, key_bits) / spec.how.rounds)
    return laps * sum(stage_latencies(spec))


def core_cycles_per_block(spec: "Spec", key_bits: int | None = None) -> float:
    """Cycles a block of the cipher in the long run, blocks always waiting, results always taken."""
    return initiation_interval(spec, key_bits) / slots(spec) / spec.port.lanes


def cycles_per_block(spec: "Spec", key_bits: int | None = None) -> float:
    """Cycles a block of text in the long run: of long messages where the core is in a mode.

    Where a mode does not chain its blocks in decryption, this is encryption, if the core has it;
    where blocks differ, it is their average.
    Streams that chain go on side by side, as far as the core takes their blocks.
    """
    return spec.mode.cycles(spec, key_bits)


def filled_slots(spec: "Spec", cycles: float) -> float:
    """Return the share of its slots that a core fills which takes `cycles` for a block of text."""
    blocks = 1 if spec.mode.chain is None else spec.mode.chain.blocks
    return blocks * core_cycles_per_block(spec) / cycles


def is_oneblock(spec: "Spec") -> bool:
    """Whether the mode is one for a core that has one block at a time, on its native port.

    Such a mode keeps no blocks but the one at hand, a result and an answer. The next block enters
    when the one before it comes out, and there is time to count in digits.
    """
    return (
        spec.mode.oneblock is not None
        and not (spec.is_pipe or spec.is_narrow or spec.batch)
        and slots(spec) == 1
        and _has_oneblock_keys(spec)
        and spec.mode.oneblock.fits(spec)
        and spec.how.streams == 1
        and shortest_interval(spec) >= ONEBLOCK_CYCLES
        and all(
            core_latency_cycles(spec, bits) == initiation_interval(spec, bits)
            for bits in spec.what.key_bits
        )
    )


def _has_oneblock_keys(spec: "Spec") -> bool:
    """Whether a small form knows the keys: those of one message, which take turns in the core."""
    slots = spec.mode.slots
    return spec.port.key_slots == slots and (slots == 1 or keys.are_swapped(spec))


def is_shared(spec: "Spec") -> bool:
    """Whether one mode serves all streams, which knows two cycles before whose turn it is.

    It counts the cycles to each result, so they must be the same for every block. A stream keeps it
    busy for a while with each of its blocks: two places for results are enough where they come back
    before a block after the next one is chosen.
    """
    if (
        not spec.mode.shared
        or spec.how.streams == 1
        or spec.decrypts
        or spec.is_narrow
        or spec.batch is not None
        or len(spec.what.key_bits) > 1
        or spec.how.variants
    ):
        return False
    latency = core_latency_cycles(spec)
    turn = max(latency, spec.how.streams * core_cycles_per_block(spec))
    return latency >= SHARED_LATENCY and 2 * turn >= latency + SHARED_RETURN


def shortest_interval(spec: "Spec") -> int:
    """Return the fewest cycles from a block to the next one."""
    return min(initiation_interval(spec, bits) for bits in spec.what.key_bits)


def is_chained(spec: "Spec") -> bool:
    """Whether a block waits for the result of the one before it, in one direction at least."""
    chain = spec.mode.chain
    return chain is not None and (chain.decrypts or spec.encrypts)


def key_setup_cycles(
    spec: "Spec", direction: Direction | None = None, key_bits: int | None = None
) -> int:
    """Cycles from the edge that accepts a key to the first that can accept a block with it.

    Without a direction it is that of the slowest one built in.
    """
    if direction is None:
        return max(key_setup_cycles(spec, d, key_bits) for d in spec.what.directions)
    encrypts = direction is Direction.ENCRYPT
    if spec.is_narrow:
        cycles = _narrow_setup_cycles(spec, direction, key_bits)
    elif spec.batch:
        cycles = spec.batch.key_cycles
    elif spec.is_stored:
        cycles = spec.cipher.key_store_cycles(spec, encrypts, key_bits)
    elif spec.decrypts:
        cycles = _walk_setup_cycles(spec, encrypts, key_bits)
    else:
        cycles = KEY_HOLD_CYCLES if spec.port.key_channel is KeyChannel.HELD else 0
    cycles += spec.bus.key_cycles(spec, key_bits)
    if keys.are_swapped(spec):
        cycles += keys.SWAP_CYCLES + frame_wait_cycles(spec)
    return cycles


def _narrow_setup_cycles(spec: "Spec", direction: Direction, key_bits: int | None) -> int:
    """Return `key_setup_cycles` of a narrow core; a block enters in some of its cycles only."""
    if spec.port.key_channel is KeyChannel.WITH_BLOCK:
        return 0
    if spec.native_channel is KeyChannel.WITH_BLOCK:
        return KEY_HOLD_CYCLES + frame_wait_cycles(spec)
    setups = narrow.cycles(spec, key_bits).key_setup
    return setups.get(direction, max(setups.values()))


def idle_wait_cycles(spec: "Spec") -> int:
    """Return the most cycles that an idle core lets a block wait that has its key.

    A core that has to turn for it is busy from the next cycle on, and so is one to which the key of
    the block must go first.
    """
    wait = frame_wait_cycles(spec) if spec.is_narrow else int(turn_cycles(spec) > 0)
    return 2 * wait + keys.SWAP_CYCLES if keys.are_swapped(spec) else wait


def frame_wait_cycles(spec: "Spec") -> int:
    """Return the most cycles that an idle core takes no frame, which begin in some cycles only."""
    return narrow.cycles(spec).wait if spec.is_narrow else 0


def _walk_setup_cycles(spec: "Spec", encrypts: bool, key_bits: int | None) -> int:
    """Return `key_setup_cycles` where a walk goes through the core for the last round key.

    It enters a cycle after the key. A block to be encrypted can follow at once, unless the walk
    has the only slot.
    """
    if not encrypts:
        return round_trip_cycles(spec, key_bits) + ("in" in spec.how.edges) + KEY_WALK_CYCLES
    alone = not spec.is_pipe and slots(spec) == spec.how.tiles
    return KEY_HOLD_CYCLES + (initiation_interval(spec, key_bits) if alone else 1)


def fifo_depth(spec: "Spec") -> int:
    """Return how many results the full port can hold: enough never to slow the core down.

    A block holds its credit from its acceptance until its result is taken, `latency_cycles`
    later at best, and the returned credit can be used one cycle after that. In that time a core
    that is kept busy accepts one block for each slot, back to back, in every interval. With
    several key lengths a slot can fall free a little sooner than for one of them alone, but not
    before its block has left; a narrow core takes its next block sooner in one order of directions
    than in another.

    Of several streams each has its share, and two places at least: a result may wait while the
    block that comes of it is in the core.
    """
    depth = 0
    for latency, interval in _paces(spec):
        whole, rest = divmod(latency + 1, interval)
        depth = max(depth, slots(spec) * whole + min(slots(spec), rest))
    return depth if spec.how.streams == 1 else max(2, math.ceil(depth / spec.how.streams))


def _paces(spec: "Spec") -> Iterator[tuple[int, int]]:
    """Yield latency and interval of every kind of traffic that `fifo_depth` has to bear."""
    if spec.is_narrow:
        # A block holds up the next one, whatever that is; so a second result is all that can wait.
        for way in spec.what.directions:
            for following in spec.what.directions:
                for key_bits in spec.what.key_bits:
                    interval = initiation_interval(spec, key_bits, way, following)
                    yield latency_cycles(spec, None, way), interval
        return
    for key_bits in spec.what.key_bits:
        interval = initiation_interval(spec, key_bits)
        if len(spec.what.key_bits) > 1:
            interval = min(interval, round_trip_cycles(spec, key_bits))
        yield latency_cycles(spec, key_bits), interval


def clear_cycles(spec: "Spec") -> int:
    """Cycles after the edge that sees `clear_i` until everything is overwritten."""
    cycles = max(_core_clear_cycles(spec), keys.held(spec))
    return max(cycles, fifo_depth(spec)) if spec.is_full else cycles


def _core_clear_cycles(spec: "Spec") -> int:
    if spec.is_narrow:
        return narrow.cycles(spec).clear
    flush = sum(stage_latencies(spec)) + ("out" in spec.how.edges)
    cycles = flush if spec.how.clear is Clear.FLUSH else spec.cipher.resets(spec)
    if spec.batch:
        return spec.batch.clear_cycles
    return spec.cipher.key_store_clears(spec, cycles) if spec.is_stored else cycles
