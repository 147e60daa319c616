"""Parts of specs of narrow cores that their tests have in common."""

from roundsmith.spec import Spec
from tests.support.spec_parts import BOTH, HELD, Data

LONG: Data = BOTH | {"key_bits": [256]}

FOLDED: Data = {
    "architecture": "folded",
    "data_bits": 32,
    "sbox": "cells",
    "linear": "minimal",
    "state_storage": "shift_registers",
}
SATOH: Data = FOLDED | {
    "key_sboxes": "borrowed",
    "inverse_rounds": "reordered",
    "key_start": "walked",
}
STORED: Data = {
    "architecture": "folded",
    "data_bits": 32,
    "sbox": "block_ram",
    "key_sboxes": "borrowed",
    "key_schedule": "stored",
    "inverse_rounds": "reordered",
    "state_storage": "shift_registers",
}
LOADED: Data = {
    "architecture": "folded",
    "data_bits": 32,
    "sbox": "block_ram",
    "key_schedule": "loaded",
    "state_storage": "registers",
}
BYTE: Data = {"architecture": "serial", "data_bits": 8, "state_storage": "shift_registers"}
BIT: Data = BYTE | {"data_bits": 1, "key_sboxes": "borrowed"}
MEMORY: Data = BYTE | {"key_sboxes": "borrowed", "state_storage": "dual_port_ram"}


def data(how: Data, what: Data | None = None, port: Data | None = None) -> Data:
    width = how.get("data_bits") or 128
    return {"name": "x", "what": what or {}, "how": how, "port": {"width": width} | (port or {})}


def core(how: Data, what: Data | None = None, port: Data | None = None, name: str = "x") -> Spec:
    return Spec.from_data(data(how, what, port) | {"name": name})


def satoh(port: Data | None = None, **how: object) -> Spec:
    return core(SATOH | how, BOTH, HELD | (port or {}))
