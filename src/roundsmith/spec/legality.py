"""Legality: which specs make sense, which of them have hardware, and why the others do not."""

from typing import TYPE_CHECKING, Any

from roundsmith.spec import cuts, keys, mode_bus_rules, narrow, streams
from roundsmith.spec.choices import (
    BUILT,
    Architecture,
    Entry,
    Flow,
    InverseRounds,
    KeyAdd,
    KeyChannel,
    KeySboxes,
    KeySchedule,
    KeyStart,
    SboxSwitch,
)
from roundsmith.spec.ciphers import CIPHERS
from roundsmith.spec.formulas import (
    cipher_rounds,
    hardware_rounds,
    initiation_interval,
    round_latency,
    slots,
)
from roundsmith.spec.sboxes import SBOXES
from roundsmith.spec.wording import plain, words

if TYPE_CHECKING:
    from roundsmith.spec.model import Spec


def check(spec: "Spec") -> None:
    """Raise ValueError with the reason when `spec` makes no sense or has no hardware."""
    _check_sense(spec)
    _check_built(spec)


def _check_sboxes(spec: "Spec") -> None:
    """Refuse S-boxes of another cipher, and those without an inverse in a core that decrypts."""
    cipher = spec.what.cipher
    known = SBOXES[cipher]
    for sbox in (spec.how.sbox, *(variant.sbox for variant in spec.how.variants)):
        if sbox is None:
            continue
        if sbox not in known:
            others = " and ".join(name for name, built in SBOXES.items() if sbox in built)
            raise ValueError(f"sbox '{sbox}' is built for {others}; {cipher} takes {words(known)}.")
        if spec.decrypts and not sbox.of(cipher).has_inverse:
            able = words(name for name in known if name.of(cipher).has_inverse)
            raise ValueError(
                f"sbox '{sbox}' has no inverse, so the core cannot decrypt: directions must be "
                f"'encrypt', or sbox one of {able}."
            )


def _check_sense(spec: "Spec") -> None:
    what, how = spec.what, spec.how
    _no_repeats("key_bits", what.key_bits)
    _no_repeats("directions", what.directions)
    _no_repeats("extra", how.extra)
    _no_repeats("edges", how.edges)
    if how.variants and len(how.variants) != how.tiles:
        raise ValueError(
            f"variants has {len(how.variants)} tables for {how.tiles} tiles; it has one for each, "
            "empty where a tile is as the rest of how says."
        )
    for bits in what.key_bits:
        if bits not in spec.cipher.rounds:
            lengths = words(map(str, spec.cipher.rounds))
            raise ValueError(f"{what.cipher} has no keys of {bits} bits; key_bits are {lengths}.")
    _check_sboxes(spec)
    spec.cipher.check(spec)
    if how.sbox_switch is SboxSwitch.THREE_STATE and not (
        how.architecture is Architecture.FOLDED and spec.is_stored
    ):
        raise ValueError(
            "sbox_switch 'three_state' is for S-boxes that architecture 'folded' lends to a "
            "key_schedule 'stored'; any other core has sbox_switch 'multiplexer'."
        )
    mode_bus_rules.check_mode(spec)
    mode_bus_rules.check_bus(spec)
    if spec.is_narrow:
        _check_narrow(spec)
        return
    _check_whole_state(spec)
    _check_rounds(spec)
    _check_keys(spec)
    _check_port(spec)
    _check_variants(spec)
    for tile in [spec, *spec.tiles()]:
        _check_directions(tile)
        spec.cipher.check_tile(tile)
        cuts.check(tile)
    cuts.check_edges(spec)
    _check_tiles(spec)
    streams.check(spec)
    _check_rate(spec)


def _check_whole_state(spec: "Spec") -> None:
    how, port = spec.how, spec.port
    if how.state_storage is not None:
        raise ValueError(
            f"architecture '{how.architecture}' keeps its state in the registers of the round, "
            "so state_storage must be left out; it belongs to 'serial' and 'folded'."
        )
    if how.data_bits is not None:
        raise ValueError(
            f"architecture '{how.architecture}' takes a whole block a cycle, so data_bits must be "
            "left out; it belongs to 'serial' and 'folded'."
        )
    if how.key_start is not None:
        raise ValueError(
            f"architecture '{how.architecture}' has the key of the next block at hand, so "
            "key_start must be left out; it belongs to 'folded'."
        )
    if how.key_schedule is KeySchedule.LOADED:
        raise ValueError(
            f"architecture '{how.architecture}' has a key schedule of its own, so key_schedule "
            "'loaded' belongs to 'folded'."
        )
    if port.width != 128:
        raise ValueError(
            f"architecture '{how.architecture}' takes a whole block a cycle, so its port has "
            f"width 128, not {port.width}."
        )
    if how.key_sboxes is KeySboxes.BORROWED:
        raise ValueError(
            f"architecture '{how.architecture}' uses every S-box in every cycle, so the key "
            "schedule cannot borrow them: key_sboxes must be 'own'."
        )


#: What a narrow core leaves at its default, and why.
_NOT_NARROW = (
    (
        ("rounds", "extra", "entry", "cuts", "edges"),
        "is less than a round, with its registers where its structure has them",
    ),
    (("tiles", "variants", "streams"), "is the small end of the plane"),
    (("lanes",), "takes its blocks one by one"),
    (("key_add",), "adds the round key at the end of a round"),
    (("clear",), "is overwritten by what moves through it"),
)


def _check_narrow(spec: "Spec") -> None:
    how = spec.how
    if not narrow.modules(spec):
        raise ValueError(
            f"architecture '{how.architecture}' is part of the design space but not built yet for "
            f"{spec.what.cipher}."
        )
    widths = {Architecture.FOLDED: (32, 64), Architecture.SERIAL: (1, 8)}[how.architecture]
    if how.data_bits not in widths:
        raise ValueError(
            f"architecture '{how.architecture}' needs data_bits: "
            f"{words(str(width) for width in widths)}."
        )
    if how.state_storage is None:
        raise ValueError(
            f"architecture '{how.architecture}' needs state_storage: 'registers', "
            "'shift_registers' or 'dual_port_ram'."
        )
    for fields, why in _NOT_NARROW:
        for field in fields:
            part = spec.how if field in type(spec.how).model_fields else spec.port
            default = () if field == "cuts" else type(part).model_fields[field].default
            if getattr(part, field) != default:
                raise ValueError(
                    f"architecture '{how.architecture}' {why}, so {field} must be left out."
                )
    if spec.bus.has_words:
        raise ValueError(
            f"bus '{spec.bus.word}' stands on a native port of 128 bits, and that of architecture "
            f"'{how.architecture}' is narrow by itself: bus must be 'none'."
        )
    _check_keys(spec)
    _check_key_start(spec)
    _check_narrow_port(spec)
    _check_directions(spec)


def _check_key_start(spec: "Spec") -> None:
    """Refuse a way back to the first key where the key is not lost, and miss it where it is."""
    how = spec.how
    moves = (
        how.architecture is Architecture.FOLDED
        and how.key_schedule is KeySchedule.ON_THE_FLY
        and spec.native_channel is KeyChannel.HELD
    )
    if moves and how.key_start is None:
        raise ValueError(
            "a folded core computes round keys in the register that has the key, so key_start says "
            f"how the next block finds it: {words(KeyStart)}."
        )
    if not moves and how.key_start is not None:
        raise ValueError(
            "key_start belongs to a folded core that decrypts with keys 'on_the_fly'; any other "
            "has the key of the next block at hand, so it must be left out."
        )


def _check_narrow_port(spec: "Spec") -> None:
    how, port = spec.how, spec.port
    held = port.key_channel is KeyChannel.HELD
    if how.architecture is Architecture.SERIAL and held and port.flow is Flow.FREE:
        raise ValueError(
            "a serial core reads the key beside the block, so the free port takes key_channel "
            "'with_block'; flow 'held' is the full port."
        )
    if spec.is_loaded and not held:
        raise ValueError(
            "key_schedule 'loaded' takes all round keys once for many blocks, so keys have a "
            "channel of their own: key_channel must be 'held'."
        )
    if spec.is_loaded and port.flow is Flow.HELD:
        raise ValueError(
            "flow 'held' is the full port, which takes keys; key_schedule 'loaded' takes round "
            "keys, so flow must be 'free'."
        )
    _check_port(spec)
    wanted = spec.native_width if port.flow is Flow.FREE else 128
    if port.width != wanted:
        why = (
            "the full port takes a block in a cycle"
            if port.flow is Flow.HELD
            else f"the free port of a core with data_bits {how.data_bits} is as wide as they are"
        )
        raise ValueError(f"{why}: width must be {wanted}, not {port.width}.")


def _check_rounds(spec: "Spec") -> None:
    what, how = spec.what, spec.how
    if spec.is_pipe and how.rounds != 1:
        raise ValueError(
            "a pipe has all rounds of the cipher in hardware, so rounds must be left out; it "
            "belongs to 'loop'."
        )
    rounds = cipher_rounds(spec, min(what.key_bits))
    if not spec.is_pipe and how.rounds >= rounds:
        raise ValueError(
            f"a loop has fewer rounds in hardware than the {rounds} of its shortest key, not "
            f"{how.rounds}; all of them in a line are the architecture 'pipe'."
        )
    if list(how.extra) != sorted(how.extra):
        raise ValueError("extra names rounds in the order in which data passes them.")
    if how.extra and how.extra[-1] > hardware_rounds(spec):
        raise ValueError(
            f"extra names round {how.extra[-1]}, but there are {hardware_rounds(spec)} in "
            "hardware, counted from 1."
        )
    if how.entry is Entry.BATCH and spec.is_pipe:
        raise ValueError(
            "entry 'batch' holds blocks back from a ring, and a pipe takes one in every cycle; "
            "leave entry at 'overlap'."
        )
    if how.entry is Entry.BATCH and len(what.key_bits) > 1:
        raise ValueError(
            "entry 'batch' lets all blocks of a batch go the same number of rounds, so key_bits "
            "must name one length; several take entry 'overlap'."
        )
    if how.entry is Entry.BATCH and cipher_rounds(spec) % how.rounds:
        raise ValueError(
            f"entry 'batch' fills the slots of a ring from its head, so rounds must divide the "
            f"{cipher_rounds(spec)} of the cipher, which {how.rounds} does not; other rings take "
            "entry 'overlap'."
        )


def _check_keys(spec: "Spec") -> None:
    how = spec.how
    if how.key_schedule is KeySchedule.TRAVELLING and not spec.is_pipe:
        raise ValueError(
            "key_schedule 'travelling' sends keys down a pipe beside their blocks; "
            f"architecture '{how.architecture}' takes 'on_the_fly' or 'stored'."
        )
    if how.key_schedule is KeySchedule.ON_THE_FLY and spec.is_pipe:
        raise ValueError(
            "key_schedule 'on_the_fly' computes round keys beside the rounds of a loop; in a "
            "pipe they go from stage to stage: use 'travelling' or 'stored'."
        )
    if not keys.in_front(spec):
        return
    if spec.port.flow is not Flow.HELD:
        able = " or ".join(one.name for one in CIPHERS if one.key_slots)
        raise ValueError(
            f"key_slots '{spec.port.key_slots}' are kept by {able} with whole rounds and "
            "key_schedule 'stored'; any other core has one key at a time, and the full port holds "
            "the others: flow must be 'held'."
        )
    if how.streams > 1:
        raise ValueError(
            "each stream has one key, unless the core stores those of several slots; so key_slots "
            "must be left out."
        )


def _check_port(spec: "Spec") -> None:
    how, port = spec.how, spec.port
    if port.flow is Flow.HELD and port.key_channel is KeyChannel.WITH_BLOCK:
        raise ValueError(
            "flow 'held' is the full port, which has a key channel: key_channel must be 'held'."
        )
    if port.flow is Flow.FREE and port.key_channel is not spec.native_channel:
        if port.key_channel is KeyChannel.HELD:
            raise ValueError(
                "a free port with a key channel needs stored round keys or decryption; "
                f"encryption with keys '{how.key_schedule}' takes key_channel 'with_block', or "
                "flow 'held' for the full port."
            )
        if spec.is_stored:
            raise ValueError(
                "key_schedule 'stored' expands a key once for many blocks, so keys have a "
                "channel of their own: key_channel must be 'held'."
            )
        raise ValueError(
            "decryption starts from the last round key, which is found once for many blocks, so "
            "keys have a channel of their own: key_channel must be 'held'."
        )
    spec.bus.check(spec)


def _check_variants(spec: "Spec") -> None:
    wanted = round_latency(spec)
    for i, tile in enumerate(spec.tiles(), start=1):
        if round_latency(tile) != wanted:
            raise ValueError(
                f"tile {i} takes {round_latency(tile)} cycles a round and the rest of how "
                f"{wanted}; blocks keep their order only among tiles of one latency."
            )


def _check_directions(spec: "Spec") -> None:
    how = spec.how
    inverse = how.inverse_rounds
    if inverse is not None and not spec.decrypts:
        raise ValueError(
            "inverse_rounds belongs to a core that decrypts; add 'decrypt' to directions or "
            "leave it out."
        )
    first = how.key_add is KeyAdd.FIRST
    if first and not spec.encrypts:
        raise ValueError(
            "key_add 'first' is an order of encryption rounds, or of both directions mirrored; a "
            "core that decrypts only takes key_add 'last'."
        )
    if not spec.encrypts and inverse not in {None, InverseRounds.EQUIVALENT}:
        raise ValueError(
            f"inverse_rounds '{inverse}' is a way to share a round with encryption; a core that "
            "decrypts only takes 'equivalent', or none for the order of FIPS 197."
        )
    if not spec.is_both:
        return
    if first and inverse is not InverseRounds.MIRRORED:
        raise ValueError(
            "key_add 'first' in both directions is the round of Lutz 2002, Fig. 4: "
            "inverse_rounds must be 'mirrored'."
        )
    if inverse is None:
        raise ValueError(
            "a core of both directions says how its rounds share hardware: inverse_rounds must "
            "be 'separate', 'reordered' or 'equivalent', or 'mirrored' with key_add 'first'."
        )
    if inverse is InverseRounds.MIRRORED and not first:
        raise ValueError(
            "inverse_rounds 'mirrored' adds the key first in both directions: key_add must be "
            "'first'."
        )
    if inverse is InverseRounds.SEPARATE and spec.sbox.shares_inverse:
        raise ValueError(
            f"sbox '{how.sbox}' is one circuit for both directions, and inverse_rounds "
            "'separate' would build it twice; use 'reordered' or 'equivalent', or another sbox."
        )


def _check_tiles(spec: "Spec") -> None:
    how, port = spec.how, spec.port
    if spec.is_pipe and port.lanes != how.tiles:
        raise ValueError(
            f"a pipe takes a block a cycle by itself, so {how.tiles} tiles of it need lanes "
            f"'{how.tiles}', not '{port.lanes}'."
        )
    if not spec.is_pipe and port.lanes != 1:
        raise ValueError(
            "lanes belong to tiles of pipes; tiles of loops take their blocks one by one through "
            "a single lane."
        )
    if spec.is_pipe or how.tiles == 1:
        return
    if how.entry is Entry.BATCH:
        raise ValueError(
            "entry 'batch' fills one ring and then holds blocks back; tiles, which are there for "
            "throughput, take entry 'overlap'."
        )
    if len(spec.what.key_bits) > 1:
        raise ValueError(
            "tiles of loops keep blocks in order by a latency that is the same for all, so "
            "key_bits must name one length; several take one tile, or a pipe."
        )


def _check_rate(spec: "Spec") -> None:
    """Refuse a port that is too slow for the rounds behind it."""
    blocks, cycles = slots(spec), initiation_interval(spec)
    if spec.how.tiles > 1 and not spec.is_pipe and blocks > cycles:
        raise ValueError(
            f"{spec.how.tiles} tiles take {blocks} blocks in {cycles} cycles, more than one port "
            "can bring; use fewer tiles, or a pipe."
        )
    spec.bus.check_rate(spec)


def _check_built(spec: "Spec") -> None:
    for part in (spec.what, spec.how, spec.port):
        for field in type(part).model_fields:
            value = getattr(part, field)
            if field in BUILT and value not in BUILT[field]:
                built = words(plain(v) for v in sorted(BUILT[field], key=str))
                raise ValueError(
                    f"{field} '{plain(value)}' is part of the design space but not built yet; "
                    f"today it is {built}."
                )
    if spec.is_narrow:
        _check_narrow_built(spec)


def _check_narrow_built(spec: "Spec") -> None:
    """Refuse a narrow core that no module is built for."""
    module, choices = narrow.module(spec), narrow.values(spec)
    wanted = {field: frozenset({value}) for field, value in module.kind.items()}
    for field, legal in [*wanted.items(), *module.built.items()]:
        if choices[field] not in legal:
            kind = ", ".join(f"{k} '{plain(v)}'" for k, v in module.kind.items() if k != field)
            raise ValueError(
                f"{field} '{plain(choices[field])}' is part of the design space but not built "
                f"yet with {kind}; there it is {words(plain(v) for v in sorted(legal, key=str))}."
            )


def _no_repeats(field: str, values: tuple[Any, ...]) -> None:
    if len(set(values)) != len(values):
        raise ValueError(f"{field} names the same value twice.")
    if not values and field in {"key_bits", "directions"}:
        raise ValueError(f"{field} is empty; name at least one.")
