"""The parameters of AES cores."""

from roundsmith.design.ciphers import aes_sboxes, values
from roundsmith.design.ciphers.protocol import CipherRtl
from roundsmith.design.pins import lengths_mask
from roundsmith.spec import (
    Architecture,
    Entry,
    InverseRounds,
    KeyAdd,
    KeySboxes,
    KeyStart,
    Linear,
    SboxSwitch,
    Spec,
    StateStorage,
    narrow,
)
from roundsmith.spec.sboxes import MOST_CUTS

#: Enum values of rsm_aes_pkg by choice of the spec.
ARCHITECTURES = {Architecture.LOOP: "ArchLoop", Architecture.PIPE: "ArchPipe"}
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
INVERSES = {
    InverseRounds.SEPARATE: "InverseSeparate",
    InverseRounds.REORDERED: "InverseReordered",
    InverseRounds.MIRRORED: "InverseMirrored",
    InverseRounds.EQUIVALENT: "InverseEquivalent",
}
ENTRIES = {Entry.OVERLAP: "EntryOverlap", Entry.BATCH: "EntryBatch"}

#: Enum values of rsm_aes_folded_pkg by choice of the spec.
KEY_SBOXES = {KeySboxes.BORROWED: "KeySboxesBorrowed", KeySboxes.OWN: "KeySboxesOwn"}
ROWS = {
    StateStorage.REGISTERS: "RowsTurned",
    StateStorage.SHIFT_REGISTERS: "RowsTapped",
}
KEY_STARTS = {KeyStart.WALKED: "StartWalked", KeyStart.KEPT: "StartKept"}

#: The stores of rsm_aes_compact_folded.
STORES = {
    StateStorage.SHIFT_REGISTERS: "0",
    StateStorage.DUAL_PORT_RAM: "1",
    StateStorage.REGISTERS: "2",
}

#: The most rounds: MaxRounds of rsm_aes_pkg.
MAX_ROUNDS = 14


def _parameters(spec: Spec) -> dict[str, str]:
    if spec.is_narrow:
        return _narrow_parameters(spec)
    how = spec.how
    mask = sum(1 << int(cut.removeprefix("sbox.")) for cut in how.cuts if cut.startswith("sbox."))
    sbox = f"{MOST_CUTS}'b{mask:0{MOST_CUTS}b}"
    cuts = {n: f"1'b{int(n in how.cuts)}" for n in ("head", "sbox", "sub", "mix", "round")}
    edges = {n: f"1'b{int(n in how.edges)}" for n in ("in", "out", "ring")}
    extra = (int(number in how.extra) for number in range(MAX_ROUNDS, 0, -1))
    choices = {
        "Arch": ARCHITECTURES[how.architecture],
        "Rounds": str(how.rounds),
        "Sbox": spec.sbox.value,
        "Linear": LINEARS[how.linear],
        "KeyAdd": KEY_ADDS[how.key_add],
        "Inverse": INVERSES[how.inverse_rounds or InverseRounds.REORDERED],
        "Direction": values.direction(spec),
        "Schedule": "ScheduleStored" if spec.is_stored else "ScheduleOnTheFly",
        "Channel": values.CHANNELS[spec.native_channel],
        "Lengths": lengths_mask(spec),
        "KeySlots": str(spec.port.key_slots),
        "Cuts": values.struct(cuts | {"sbox": sbox}),
        "Extra": f"{MAX_ROUNDS}'b{values.digits(extra)}",
        "Edges": values.struct(edges),
        "Entry": ENTRIES[how.entry],
        "Clear": values.CLEARS[how.clear],
    }
    named = {k: f"rsm_aes_pkg::{v}" if v[0].isalpha() else v for k, v in choices.items()}
    return named | values.tag(spec)


def _narrow_parameters(spec: Spec) -> dict[str, str]:
    """Return the parameters of a folded or serial core."""
    how = spec.how
    tag = values.tag(spec)
    sbox = {"Sbox": f"rsm_aes_pkg::{spec.sbox.value}"}
    module = narrow.module(spec).name
    if module in {"rsm_aes_folded", "rsm_aes_folded_long"}:
        assert how.data_bits is not None and how.state_storage is not None
        choices = {
            "KeySboxes": f"folded_pkg::{KEY_SBOXES[how.key_sboxes]}",
            "Direction": f"pkg::{values.direction(spec)}",
            "Sbox": f"pkg::{spec.sbox.value}",
            "Linear": f"pkg::{LINEARS[how.linear]}",
            "Inverse": f"pkg::{INVERSES[how.inverse_rounds or InverseRounds.REORDERED]}",
            "Rows": f"folded_pkg::{ROWS[how.state_storage]}",
            "KeyStart": f"folded_pkg::{KEY_STARTS[how.key_start or KeyStart.WALKED]}",
            "Channel": f"pkg::{values.CHANNELS[spec.native_channel]}",
        }
        parameters = {name: f"rsm_aes_{value}" for name, value in choices.items()}
        if module == "rsm_aes_folded_long":
            parameters["Lengths"] = lengths_mask(spec)
        return {"Columns": str(how.data_bits // 32)} | parameters | tag
    if module == "rsm_aes_compact_folded":
        assert how.state_storage is not None
        three_state = how.sbox_switch is SboxSwitch.THREE_STATE
        own = {"Store": STORES[how.state_storage], "ThreeState": f"1'b{int(three_state)}"}
        return own | tag
    if module == "rsm_aes_serial_both":
        return {"Width": str(how.data_bits), **sbox, **tag}
    return tag if spec.sbox.memory else sbox | tag


def _byte_luts(spec: Spec) -> int:
    return spec.sbox.luts


RTL = CipherRtl("aes", _parameters, aes_sboxes.files, _byte_luts)
