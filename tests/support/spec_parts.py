"""Parts of specs that the tests of the spec have in common."""

from typing import Any

from roundsmith.spec import Spec

Data = dict[str, Any]


def how(**choices: object) -> Data:
    """Return a spec as data with choices of how it is built."""
    return {"how": choices}


def make(what: Data | None = None, port: Data | None = None, **how: object) -> Spec:
    """Return a spec with choices of any part."""
    return Spec.from_data({"name": "x", "what": what or {}, "how": how, "port": port or {}})


BOTH: Data = {"directions": ["encrypt", "decrypt"]}
DECRYPT: Data = {"directions": ["decrypt"]}
HELD: Data = {"key_channel": "held"}
PIPE: Data = {"architecture": "pipe", "key_schedule": "travelling"}
STORED: Data = {"key_schedule": "stored"}
MEMORY: Data = {"sbox": "block_ram", "linear": "in_memory", "clear": "reset"}
