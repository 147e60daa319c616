"""From a spec to the RTL of a core: which files it needs, and the top module around them.

The tool knows the RTL by the names of modules, parameters and enum values. `ciphers` has those of
the cores, `wiring` those of the wrappers.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from roundsmith import catalogue
from roundsmith import spec as formulas
from roundsmith.base.errors import RoundsmithError
from roundsmith.base.paths import RTL
from roundsmith.base.render import render
from roundsmith.design import buses, elaborate, tech, wiring
from roundsmith.spec import KeyChannel, Spec, streams


@dataclass(frozen=True)
class PortSignal:
    """One port of a generated top: name, direction (`input` or `output`), width and meaning.

    The width is that of all `streams`, the first of which has the lowest bits.
    """

    name: str
    direction: str
    width: int
    meaning: str
    streams: int = 1

    @property
    def bits(self) -> str:
        """Its bits in words: those of a stream, where there are several."""
        each = self.width // self.streams
        return str(each) if self.streams == 1 else f"{self.streams} × {each}"

    @property
    def packed_range(self) -> str:
        """Its range as SystemVerilog writes it, an element for each stream."""
        each = self.width // self.streams
        if self.streams == 1 or each == 1:
            return self.range
        return f"[{self.streams - 1}:0][{each - 1}:0]"

    @property
    def range(self) -> str:
        """Its range as Verilog writes it; a tag or a slot of one bit has one too."""
        is_vector = self.width > 1 or self.name.endswith(("_tag_i", "_tag_o", "_slot_i", "_tid"))
        return f"[{self.width - 1}:0]" if is_vector else ""


@dataclass(frozen=True)
class Design:
    """A core as text: its spec, its library files in reading order, and its top module.

    `digest` covers what the elaborated core reaches (see roundsmith.design.elaborate).
    """

    spec: Spec
    library: tuple[Path, ...]
    digest: str
    top: str

    @property
    def module(self) -> str:
        """Name of the top module."""
        return self.spec.module

    def write(self, folder: Path) -> list[Path]:
        """Write the top into `folder`; return all files in reading order."""
        folder.mkdir(parents=True, exist_ok=True)
        top = folder / f"{self.module}.sv"
        if not top.exists() or top.read_text() != self.top:
            top.write_text(self.top)
        return [*self.library, top]


def design(spec: Spec, rooms: tech.Rooms = tech.GENERIC) -> Design:
    """Return the design of `spec`, its technology cells from `rooms`.

    RoundsmithError where the core has the name of one of its ports: an architecture in VHDL cannot
    have both.
    """
    if any(port.name == spec.module for port in ports(spec)):
        raise RoundsmithError(f"'{spec.name}' is the name of one of its ports; choose another.")
    top = top_text(spec)
    used = elaborate.library(spec.module, top, rooms)
    return Design(spec=spec, library=used.files, digest=used.digest, top=top)


def relative_sources(files: Sequence[Path]) -> list[str]:
    """Return library paths as they stand in a written folder: `rtl/aes/…`."""
    return [f"rtl/{path.relative_to(RTL)}" for path in files]


# --- The port -------------------------------------------------------------------------------


def ports(spec: Spec) -> list[PortSignal]:
    """Return the ports of the generated top, in order: what the spec needs and no more."""
    return list(_ports(spec))


#: The message port of a mode: name, width, meaning.
_MESSAGE = (
    ("msg_valid_i", 1, "a message begins"),
    ("msg_ready_o", 1, "it is accepted at this edge"),
    ("msg_decrypt_i", 1, "high to decrypt or verify, low to encrypt or generate"),
    ("msg_slot_i", 4, "the slot of its key"),
    ("msg_iv_i", 128, "its IV, first counter block, nonce or tweak, left-aligned"),
    ("msg_iv_bytes_i", 5, "how many bytes of that count"),
    ("msg_aad_bytes_i", 32, "the bytes of its associated data; CCM reads them"),
    ("msg_text_bytes_i", 32, "the bytes of its text; CCM reads them"),
    ("msg_tag_bytes_i", 5, "the bytes of its tag"),
    ("in_valid_i", 1, "a beat of the message is offered"),
    ("in_ready_o", 1, "it is accepted at this edge"),
    ("in_data_i", 128, "16 bytes, the first one most significant"),
    ("in_bytes_i", 5, "how many of them count; fewer only at the end of a part"),
    ("in_part_i", 2, "0 associated data, 1 text, 2 the tag to verify, 3 a long IV"),
    ("in_last_i", 1, "the last beat of the message"),
    ("out_valid_o", 1, "a beat of the answer is here"),
    ("out_ready_i", 1, "it is taken at this edge"),
    ("out_data_o", 128, "16 bytes, the first one most significant"),
    ("out_bytes_o", 5, "how many of them count"),
    ("out_part_o", 2, "1 text, 2 the tag"),
    ("out_last_o", 1, "the last beat of the answer"),
    ("out_status_o", 3, "with the last beat: bit 0 wrong tag, bit 1 refused"),
)


def _ports(spec: Spec) -> Iterator[PortSignal]:
    port = spec.port
    words = spec.bus.has_words
    beats = spec.is_narrow and not spec.is_full
    unit = "word 0 of " if words else "beat 0 of " if beats else ""
    key = 32 if words else port.width if beats else max(spec.what.key_bits)
    block = 32 if words else port.width if beats else 128 * port.lanes
    tag = 0 if words else port.tag_bits
    several = len(spec.what.key_bits) > 1
    slot = (streams.key_slots(spec) - 1).bit_length()
    lengths = "its length: 0, 1, 2 for 128, 192, 256 bits"
    text, result = _meanings(spec)

    def signal(name: str, width: int, meaning: str) -> PortSignal:
        return PortSignal(name, "output" if name.endswith("_o") else "input", width, meaning)

    yield signal("clk_i", 1, "clock, rising edge")
    yield signal("rst_ni", 1, "synchronous reset of the control bits, active low")
    yield signal("clear_i", 1, "drop the blocks in flight and overwrite all data")
    yield signal("idle_o", 1, "no block inside, and clearing is done")
    if spec.has_message_bus:
        for s in buses.signals(spec):
            yield PortSignal(s.name, s.direction, s.width, s.meaning)
        return
    if port.key_channel is KeyChannel.HELD:
        yield signal("key_valid_i", 1, f"{unit}a key is offered")
        yield signal("key_ready_o", 1, f"{unit}the key is accepted at this edge")
        what = "all round keys" if spec.is_loaded else "the key"
        yield signal("key_i", key, f"{what} for the blocks that follow")
        if several:
            yield signal("key_len_i", 2, lengths)
        if slot:
            yield signal("key_slot_i", slot, "the slot that it goes to")
    if spec.has_mode:
        for name, width, meaning in _MESSAGE:
            own = signal(name, width * spec.how.streams, meaning)
            yield replace(own, streams=spec.how.streams)
        return
    yield signal("in_valid_i", 1, f"{unit}a block is offered")
    yield signal("in_ready_o", 1, f"{unit}the block is accepted at this edge")
    yield signal("in_block_i", block, text)
    if port.key_channel is KeyChannel.WITH_BLOCK:
        yield signal("in_key_i", key, "the key of this block")
        if several:
            yield signal("in_len_i", 2, lengths)
    if spec.is_both:
        yield signal("in_decrypt_i", 1, "high to decrypt, low to encrypt")
    if slot:
        yield signal("in_slot_i", slot, "the slot of its key")
    if tag:
        yield signal("in_tag_i", tag, "any bits; they leave with the result")
    yield signal("out_valid_o", 1, f"{unit}a result is here")
    if spec.is_full:
        yield signal("out_ready_i", 1, "the result is taken at this edge")
    yield signal("out_block_o", block, result)
    if tag:
        yield signal("out_tag_o", tag, "the tag of this block")


def _meanings(spec: Spec) -> tuple[str, str]:
    """Return what `in_block_i` and `out_block_o` are."""
    names = ("ciphertext", "plaintext") if not spec.encrypts else ("plaintext", "ciphertext")
    if spec.is_both:
        names = ("plaintext, or ciphertext to decrypt", "ciphertext, or plaintext")
    if spec.bus.has_words:
        names = (f"{names[0]}, a word a cycle", f"{names[1]}, a word a cycle")
    if spec.port.width < 128:
        beat = "a bit" if spec.port.width == 1 else f"{spec.port.width} bits"
        names = (f"{names[0]}, {beat} a cycle", f"{names[1]}, {beat} a cycle")
    if spec.port.lanes > 1:
        lanes = f"{spec.port.lanes} blocks, the first one most significant"
        names = (f"{names[0]}: {lanes}", f"{names[1]}: {lanes}")
    return names


# --- The top --------------------------------------------------------------------------------


def top_text(spec: Spec) -> str:
    """Return the SystemVerilog of the top module: exactly the port that the spec names."""
    return render(
        "top.sv.j2",
        spec=spec,
        ports=ports(spec),
        wiring=wiring.wire(spec, [p.name for p in ports(spec)]),
        latency=formulas.latency_cycles(spec),
        interval=f"{formulas.cycles_per_block(spec):.4g}",
        clear=formulas.clear_cycles(spec),
        command=catalogue.command(spec),
    )
