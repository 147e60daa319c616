"""From a spec to the RTL of a core: which files it needs, and the top module around them.

The tool knows the RTL through module names, parameters and enum values; all of them are here.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import jinja2

from roundsmith import catalogue
from roundsmith import spec as formulas
from roundsmith.paths import RTL, TEMPLATES
from roundsmith.spec import COLUMN_CIRCUITS, Architecture, Clear, How, KeyAdd, Linear, Sbox, Spec

#: Enum values of rsm_aes_pkg by choice of the spec.
ARCHITECTURES = {Architecture.LOOP: "ArchLoop"}
SBOXES = {
    Sbox.TABLE: "SboxTable",
    Sbox.MUX_TREE: "SboxMuxTree",
    Sbox.BLOCK_RAM: "SboxBlockRam",
    Sbox.GF16: "SboxGf16",
    Sbox.GF4: "SboxGf4",
    Sbox.SHARED_INVERSE: "SboxSharedInverse",
    Sbox.MINIMAL: "SboxMinimal",
    Sbox.FAST: "SboxFast",
    Sbox.LUT4: "SboxLut4",
    Sbox.CELLS: "SboxCells",
}
LINEARS = {
    Linear.DIRECT: "LinearDirect",
    Linear.GATED: "LinearGated",
    Linear.IN_MEMORY: "LinearInMemory",
    Linear.FACTORED: "LinearFactored",
    Linear.SQUARED: "LinearSquared",
    Linear.MIX_ADD: "LinearMixAdd",
    Linear.MINIMAL: "LinearMinimal",
    Linear.FAST: "LinearFast",
}
KEY_ADDS = {KeyAdd.LAST: "KeyAddLast", KeyAdd.FIRST: "KeyAddFirst"}
CLEARS = {Clear.FLUSH: "ClearFlush", Clear.RESET: "ClearReset"}

#: Width of the S-box part of a cut mask (SboxCuts of rsm_aes_pkg).
SBOX_CUT_BITS = 7


@dataclass(frozen=True)
class PortSignal:
    """One port of a generated top: name, direction (`input` or `output`), width and meaning."""

    name: str
    direction: str
    width: int
    meaning: str


@dataclass(frozen=True)
class Design:
    """A core as text: its spec, its library files in reading order, and its top module."""

    spec: Spec
    library: tuple[Path, ...]
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

    def text_hash(self) -> str:
        """SHA-256 over the expanded RTL: every library file and the top."""
        digest = hashlib.sha256()
        for path in self.library:
            digest.update(path.read_bytes())
        digest.update(self.top.encode())
        return digest.hexdigest()


def design(spec: Spec) -> Design:
    """Return the design of `spec`."""
    library = tuple(RTL / name for name in library_files(spec))
    return Design(spec=spec, library=library, top=top_text(spec))


def library_files(spec: Spec) -> list[str]:
    """Return the library files that the core instantiates, packages first, bottom up."""
    how = spec.how
    files = ["aes/pkg/rsm_aes_pkg.sv", "common/rsm_cut.sv", "common/rsm_delay.sv"]
    files.append(f"aes/sbox/rsm_aes_sbox_{how.sbox}.sv")
    if how.sbox is not Sbox.BLOCK_RAM:
        files.append("aes/sbox/rsm_aes_sbox.sv")
    files.append("aes/sbox/rsm_aes_sub_bytes.sv")
    if how.linear is Linear.IN_MEMORY:
        files.append("aes/sbox/rsm_aes_sbox_mix_ram.sv")
        files.append("aes/round/rsm_aes_round_encrypt_in_memory.sv")
    else:
        files += ["aes/key/rsm_aes_key_step.sv", "aes/key/rsm_aes_key_forward.sv"]
        files += _round_files(how)
    files += ["aes/arch/rsm_aes_loop.sv", "aes/rsm_aes.sv"]
    if spec.is_full:
        files += ["common/rsm_fifo.sv", "port/rsm_flow.sv"]
    return files


def _round_files(how: How) -> list[str]:
    files = []
    if how.linear in COLUMN_CIRCUITS:
        only_both = how.linear in {Linear.FACTORED, Linear.SQUARED}
        suffix = "_both" if only_both else ""
        files.append(f"aes/linear/rsm_aes_mix_{how.linear}{suffix}.sv")
        files.append("aes/linear/rsm_aes_mix_columns.sv")
    if how.key_add is KeyAdd.FIRST:
        return [*files, "aes/round/rsm_aes_round_encrypt_key_first.sv"]
    variant = "columns" if how.linear in COLUMN_CIRCUITS else how.linear
    files.append(f"aes/linear/rsm_aes_linear_{variant}.sv")
    files.append("aes/linear/rsm_aes_linear.sv")
    return [*files, "aes/round/rsm_aes_round_encrypt.sv"]


def ports(spec: Spec) -> list[PortSignal]:
    """Return the ports of the generated top, in order: what the spec needs and no more."""
    tag = spec.port.tag_bits
    key = max(spec.what.key_bits)
    signals = [
        PortSignal("clk_i", "input", 1, "clock, rising edge"),
        PortSignal("rst_ni", "input", 1, "synchronous reset of the control bits, active low"),
        PortSignal("clear_i", "input", 1, "drop the blocks in flight and overwrite all data"),
        PortSignal("idle_o", "output", 1, "no block inside, and clearing is done"),
    ]
    if spec.is_full:
        signals += [
            PortSignal("key_valid_i", "input", 1, "a key is offered"),
            PortSignal("key_ready_o", "output", 1, "the key is accepted at this edge"),
            PortSignal("key_i", "input", key, "the key for the blocks that follow"),
        ]
    signals += [
        PortSignal("in_valid_i", "input", 1, "a block is offered"),
        PortSignal("in_ready_o", "output", 1, "the block is accepted at this edge"),
        PortSignal("in_block_i", "input", 128, "plaintext"),
    ]
    if not spec.is_full:
        signals.append(PortSignal("in_key_i", "input", key, "the key of this block"))
    if tag:
        signals.append(PortSignal("in_tag_i", "input", tag, "any bits; they leave with the result"))
    signals.append(PortSignal("out_valid_o", "output", 1, "a result is here"))
    if spec.is_full:
        signals.append(PortSignal("out_ready_i", "input", 1, "the result is taken at this edge"))
    signals.append(PortSignal("out_block_o", "output", 128, "ciphertext"))
    if tag:
        signals.append(PortSignal("out_tag_o", "output", tag, "the tag of this block"))
    return signals


def core_parameters(spec: Spec) -> dict[str, str]:
    """Return the parameters of rsm_aes as SystemVerilog expressions."""
    how = spec.how
    mask = sum(1 << int(cut.removeprefix("sbox.")) for cut in how.cuts if cut.startswith("sbox."))
    cut = {name: f"1'b{int(name in how.cuts)}" for name in ("sub", "mix", "round")}
    cuts = ", ".join(f"{name}: {bit}" for name, bit in cut.items())
    return {
        "Arch": f"rsm_aes_pkg::{ARCHITECTURES[how.architecture]}",
        "Sbox": f"rsm_aes_pkg::{SBOXES[how.sbox]}",
        "Linear": f"rsm_aes_pkg::{LINEARS[how.linear]}",
        "KeyAdd": f"rsm_aes_pkg::{KEY_ADDS[how.key_add]}",
        "Clear": f"rsm_aes_pkg::{CLEARS[how.clear]}",
        "Cuts": f"'{{sbox: {SBOX_CUT_BITS}'b{mask:0{SBOX_CUT_BITS}b}, {cuts}}}",
        "Edges": f"'{{out: 1'b{int('out' in how.edges)}}}",
        "TagWidth": str(max(1, spec.port.tag_bits)),
    }


def top_text(spec: Spec) -> str:
    """Return the SystemVerilog of the top module: exactly the port that the spec names."""
    template = "full.sv.j2" if spec.is_full else "native.sv.j2"
    return render(
        template,
        spec=spec,
        ports=ports(spec),
        parameters=core_parameters(spec),
        latency=formulas.latency_cycles(spec),
        interval=f"{formulas.cycles_per_block(spec):g}",
        clear=formulas.clear_cycles(spec),
        depth=formulas.fifo_depth(spec),
        key_bits=max(spec.what.key_bits),
        command=catalogue.command(spec),
    )


def render(template: str, **values: object) -> str:
    """Fill in one of the templates of this package."""
    loader = jinja2.FileSystemLoader(TEMPLATES)
    environment = jinja2.Environment(
        loader=loader,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.get_template(template).render(**values)


def relative_sources(files: Sequence[Path]) -> list[str]:
    """Return library paths as they stand in a written folder: `rtl/aes/…`."""
    return [f"rtl/{path.relative_to(RTL)}" for path in files]
