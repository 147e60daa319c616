"""The parameters of Serpent cores, and the module that selects their S-boxes."""

from collections.abc import Mapping
from pathlib import Path

from roundsmith.base import paths
from roundsmith.base.render import render
from roundsmith.design.ciphers import values
from roundsmith.design.ciphers.protocol import CipherRtl
from roundsmith.design.pins import lengths_mask
from roundsmith.spec import Architecture, Spec, hardware_rounds
from roundsmith.spec.ciphers.serpent import CUTS, ROUNDS
from roundsmith.spec.sboxes import COMMAND, constructions

#: LUTs of an S-box, which has four bits; two of them stand for a byte.
_SBOX_LUTS = 4


def _parameters(spec: Spec) -> dict[str, str]:
    how = spec.how
    sbox = {"Sbox": f"rsm_serpent_pkg::{spec.sbox.value}"}
    tag = values.tag(spec)
    if spec.is_narrow:
        way = {"Direction": f"rsm_serpent_pkg::{values.direction(spec)}"}
        folded = how.architecture is Architecture.FOLDED
        return sbox | (way if folded else {}) | {"Lengths": lengths_mask(spec)} | tag
    if spec.batch:
        return sbox | tag
    extra = (int(number in how.extra) for number in range(ROUNDS, 0, -1))
    choices = {
        "Direction": values.direction(spec),
        "Schedule": "ScheduleStored" if spec.is_stored else "ScheduleOnTheFly",
        "Channel": values.CHANNELS[spec.native_channel],
        "Clear": values.CLEARS[how.clear],
    }
    named = {name: f"rsm_serpent_pkg::{value}" for name, value in choices.items()}
    return {
        "Rounds": str(hardware_rounds(spec)),
        **sbox,
        "Direction": named["Direction"],
        "Schedule": named["Schedule"],
        "Channel": named["Channel"],
        "Lengths": lengths_mask(spec),
        "Cuts": values.struct({n: f"1'b{int(n in how.cuts)}" for n in CUTS}),
        "Extra": f"{ROUNDS}'b{values.digits(extra)}",
        "Edges": values.struct({n: f"1'b{int(n in how.edges)}" for n in ("in", "out")}),
        "Clear": named["Clear"],
        **tag,
    }


def _sbox_files() -> Mapping[Path, str]:
    path = paths.RTL / "serpent" / "sbox" / "rsm_serpent_sbox.sv"
    made = render("rsm_serpent_sbox.sv.j2", sboxes=constructions("serpent"), command=COMMAND)
    return {path: made}


def _byte_luts(spec: Spec) -> int:
    # A round in a ring of less than eight has several S-boxes to choose from.
    return 2 * _SBOX_LUTS * max(1, 8 // hardware_rounds(spec))


RTL = CipherRtl("serpent", _parameters, _sbox_files, _byte_luts)
