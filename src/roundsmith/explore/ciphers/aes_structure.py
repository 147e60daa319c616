"""What a core of AES is made of, in the words of `parts`.

The widths at the cuts and the depths of the stages come from the circuits themselves.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from roundsmith import spec as formulas
from roundsmith.circuits import listing
from roundsmith.circuits.program import Operation, Program, levels
from roundsmith.explore.parts import Link, Parts
from roundsmith.spec import (
    Architecture,
    Direction,
    InverseRounds,
    KeyAdd,
    KeySboxes,
    KeyStart,
    Linear,
    Sbox,
    Spec,
    StateStorage,
)

#: Bits that a cut inside Mixadd holds: term, parity and carry of four columns.
_MIX_ADD_BITS = 176


@dataclass(frozen=True)
class _Shape:
    """An S-box as a chain: the bits at each cut, and the share of the depth of each stage."""

    bits: tuple[int, ...]
    shares: tuple[float, ...]


@cache
def _shape(sbox: Sbox, cipher: str, way: str) -> _Shape:
    """Return the shape of an S-box; `way` is forward, inverse or both."""
    program = _programs().get(_circuit(_kind(sbox), way))
    if program is None:
        built = sbox.of(cipher)
        # Without estimates in the TOML: 16 bits at each cut, and cuts at equal distances.
        bits, levels = built.bits or (16,) * built.cuts, built.levels or (1,) * (built.cuts + 1)
        # The direction goes beside the data, where the circuit does not have it in its bits.
        carried = int(way == "both" and built.has_both and not built.shares_inverse)
        return _Shape(tuple(b + carried for b in bits), tuple(n / sum(levels) for n in levels))
    depths = [_depth(stage.operations) for stage in program.stages]
    return _Shape(_live(program), tuple(d / sum(depths) for d in depths))


_SUFFIX = {"forward": "", "inverse": "-inverse", "both": "-both"}


@cache
def _programs() -> Mapping[str, Program]:
    return {c.name: c.program for c in listing.everything() if c.program is not None}


def _depth(operations: Sequence[Operation]) -> int:
    return max(1, *levels(operations).values())


def _live(program: Program) -> tuple[int, ...]:
    """Return how many bits pass each place between two stages."""
    needed, found = set(program.outputs), []
    for stage in reversed(program.stages[1:]):
        for op in reversed(stage.operations):
            if op.target in needed:
                needed.discard(op.target)
                needed |= set(op.operands)
        found.append(len(needed))
    return tuple(reversed(found))


def _kind(sbox: Sbox) -> str:
    return f"sbox-{sbox}".replace("_", "-")


def _circuit(kind: str, way: str) -> str:
    """Return the name of an S-box or mix circuit for a direction, as the records have it."""
    return f"{kind}{_SUFFIX[way]}"


def parts(spec: Spec) -> Parts:
    """Return what one copy of `spec` is made of."""
    return _narrow(spec) if spec.is_narrow else _whole(spec)


def _ways(spec: Spec) -> list[str]:
    """Return the directions of the S-boxes and linear layers that stand in a round."""
    if spec.is_both:
        separate = spec.how.inverse_rounds is InverseRounds.SEPARATE
        return ["forward", "inverse"] if separate else ["both"]
    return ["forward"] if spec.encrypts else ["inverse"]


def _sbox(spec: Spec, way: str) -> str:
    if spec.sbox.shares_inverse:
        way = "both"
    if way == "both" and spec.sbox.side_by_side:
        way = "forward"
    return _circuit(_kind(spec.how.sbox), way)


#: The circuit of a column for each linear layer whose name differs from that of its circuit.
_COLUMNS = {
    (Linear.DIRECT, "both"): "mix-squared-both",
    (Linear.GATED, "forward"): "mix-direct",
    (Linear.GATED, "inverse"): "mix-direct-inverse",
    (Linear.GATED, "both"): "mix-squared-both",
    (Linear.FACTORED, "forward"): "mix-direct",
    (Linear.FACTORED, "inverse"): "mix-direct-inverse",
    (Linear.SQUARED, "forward"): "mix-direct",
    (Linear.SQUARED, "inverse"): "mix-direct-inverse",
}


def _columns(found: Parts, spec: Spec, way: str, columns: float) -> str:
    """Add the linear layer of some columns; return the circuit that is its depth."""
    linear = spec.how.linear
    if linear is Linear.IN_MEMORY:
        found.xor += 4 * 32 * columns
        return "mix-direct"
    if linear is Linear.MIX_ADD:
        found.circuits["mix-add"] += columns / 4
        if way != "forward":
            found.circuits["mix-direct-inverse"] += columns
        return "mix-add"
    name = _COLUMNS.get((linear, way), _circuit(f"mix-{linear}", way))
    found.circuits[name] += columns
    return name


def _whole(spec: Spec) -> Parts:
    how = spec.how
    found = Parts()
    rounds = formulas.hardware_rounds(spec)
    longest = max(spec.what.key_bits)
    ways = _ways(spec)
    for way in ways:
        _add_sboxes(found, spec, _sbox(spec, way), 16 * rounds)
        if way == "both" and spec.sbox.side_by_side:
            _add_sboxes(found, spec, _circuit(_sbox(spec, "forward"), "inverse"), 16 * rounds)
        mix = _columns(found, spec, way, 4 * rounds)
    chain = _chain(spec, ways[-1], mix)
    found.chain = chain
    widths = {link.cut: link.bits for link in chain if link.cut}
    ring = sum(widths[cut] for cut in how.cuts) * (2 if len(ways) == 2 else 1)
    found.data = rounds * ring + 128 * (len(how.extra) + len(how.edges))
    if spec.sbox.memory:
        found.data += 9 * rounds  # what passes beside the memory
    latency = sum(formulas.stage_latencies(spec))
    found.control = (6 + spec.port.tag_bits + 2 * spec.is_both) * (latency + 1)
    # The key is added in every round; the last one goes around the linear layer.
    found.xor = 128.0 * rounds * (how.linear is not Linear.MIX_ADD or how.key_add is KeyAdd.FIRST)
    found.select = 128.0 * (rounds if spec.is_both else 0)
    if not spec.is_pipe:
        late = len({formulas.entry_stage(spec, bits) for bits in spec.what.key_bits} - {0})
        found.select += 128 * (2 + late)
    _add_keys(found, spec, rounds, latency, longest)
    return found


def _add_sboxes(found: Parts, spec: Spec, name: str, count: float) -> None:
    if spec.sbox.memory:
        found.memories += count / 2
    else:
        found.circuits[name] += count


def _add_keys(found: Parts, spec: Spec, rounds: int, latency: int, longest: int) -> None:
    """Add the key schedule of a core that has whole rounds."""
    forward = _circuit(_sbox(spec, "forward").removesuffix("-both"), "forward")
    if spec.sbox.shares_inverse:
        forward = _sbox(spec, "both")
    if spec.is_stored:
        kept = 128 * (spec.cipher.rounds[longest] + 1) * spec.port.key_slots
        if spec.is_pipe:
            found.key += kept + longest
        else:
            found.ram += 16 * 128 * spec.port.key_slots
            found.key += 2 * longest + 128
        steps: float = 1
    else:
        found.key += longest * max(1, latency)
        if spec.decrypts:
            found.key += 2 * longest
            found.select += 2 * longest * rounds
        steps = rounds
    _add_sboxes(found, spec, forward, 4 * steps)
    found.xor += longest * steps
    found.select += longest * (len(spec.what.key_bits) - 1) * steps
    if spec.how.inverse_rounds is InverseRounds.EQUIVALENT:
        found.circuits["mix-direct-inverse"] += 4 * steps


def _chain(spec: Spec, way: str, mix: str) -> tuple[Link, ...]:
    """Return the links of a round in the order in which data passes them."""
    how = spec.how
    form = _shape(how.sbox, spec.what.cipher, "both" if spec.sbox.shares_inverse else way)
    sbox = _sbox(spec, way)
    first = how.key_add is KeyAdd.FIRST
    # In front: the entry of a ring, and the key where it comes first.
    links = [Link("levels", (not spec.is_pipe) + first, "head", 128)]
    links += [
        Link(sbox, share, f"sbox.{i}", 16 * bits)
        for i, (share, bits) in enumerate(zip(form.shares, form.bits, strict=False))
    ]
    links.append(Link(sbox, form.shares[-1], "sub", 128))
    if how.linear is Linear.MIX_ADD:
        links += [Link(mix, 0.5, "mix", _MIX_ADD_BITS), Link(mix, 0.5, "round", 128)]
    elif first:
        links.append(Link(mix, 1.0, "round", 128))
    else:
        links.append(Link(mix, 1.0, "mix", 128))
        links.append(Link("levels", 1 + (spec.is_both), "round", 128))
    if spec.sbox.memory:
        at = next(i for i, link in enumerate(links) if link.cut == "sub")
        # The memory has its register at the input.
        links[at:at] = [Link("levels", 0.0, "memory", 0)]
    return tuple(links)


def _narrow(spec: Spec) -> Parts:
    how = spec.how
    found = Parts()
    bits = how.data_bits or 8
    longest_key = max(spec.what.key_bits)
    serial = how.architecture is Architecture.SERIAL
    way = "both" if spec.is_both else "forward" if spec.encrypts else "inverse"
    _add_sboxes(found, spec, _sbox(spec, way), max(1, bits // 8))
    if how.key_sboxes is KeySboxes.OWN and not spec.is_loaded:
        _add_sboxes(found, spec, _sbox(spec, "forward"), 1 if serial else 4)
    mix = _columns(found, spec, way, bits / 32)
    if how.inverse_rounds is InverseRounds.EQUIVALENT:
        found.circuits["mix-direct-inverse"] += bits / 32
    if how.state_storage is StateStorage.DUAL_PORT_RAM:
        found.ram += 256
    else:
        found.data += 128
    stored = spec.is_stored or spec.is_loaded
    found.memories += stored
    found.key = longest_key * (2 if how.key_start is KeyStart.KEPT else 1) * (not stored)
    found.control = 24 + spec.port.tag_bits
    found.xor = bits + (32 if not serial else bits)
    found.select = (2 if spec.is_both else 1) * bits * 4
    if how.state_storage is StateStorage.REGISTERS:
        found.select += 128  # rows that turn, each bit with a selector
    if Direction.DECRYPT in spec.what.directions:
        found.select += longest_key
    found.select += longest_key * (len(spec.what.key_bits) - 1)
    form = _shape(how.sbox, spec.what.cipher, "both" if spec.sbox.shares_inverse else way)
    memory = [Link("levels", 0.0, "memory", 0)] * spec.sbox.memory
    found.chain = (
        Link("levels", 3.0),
        *memory,
        *(Link(_sbox(spec, way), share) for share in form.shares),
        Link(mix, 1.0),
        Link("levels", 1.0, "round", bits),
    )
    return found
