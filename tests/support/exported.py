"""Cores whose exported folders tests look at, and a model that is none of ours."""

from collections.abc import Sequence

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from pyserpent import Serpent

from roundsmith import catalogue
from roundsmith.export.sealed import checksum
from roundsmith.spec import Spec

# Cores that show what a folder can hold: every kind of port, architecture and key schedule. The
# whole catalogue takes too long for every day.
CORES = [
    catalogue.find(name)
    for name in (
        "saggese-iterative",
        "saggese-iterative-full",
        "iterative-table",
        "iterative-table-full",
        "iterative-block-ram",
        "saggese-tiled-2",
        "saggese-tiled-2-full",
        "lutz-rijndael-full",
        "lutz-rijndael-chip",
        "saggese-unrolled-1",
        "lutz-serpent-chip",
        "serpent-iterative-full",
    )
]

# For what the catalogue does not have.
DEEP = Spec.from_toml(
    'name = "deep"\n'
    '[how]\nsbox = "lut4"\nlinear = "direct"\ncuts = ["sbox.0", "sbox.2", "sub"]\n'
    'edges = ["out"]\n'
)
KEY_FIRST = Spec.from_toml(
    'name = "key-first"\n'
    '[how]\nsbox = "table"\nkey_add = "first"\ncuts = ["sub", "round"]\n[port]\ntag_bits = 40\n'
)
# All key lengths, both directions, a tag of one bit.
EVERY_KEY = Spec.from_toml(
    'name = "every-key"\n'
    '[what]\nkey_bits = [128, 192, 256]\ndirections = ["encrypt", "decrypt"]\n'
    '[how]\nsbox = "table"\ninverse_rounds = "separate"\ncuts = ["sub", "round"]\n'
    '[port]\nkey_channel = "held"\ntag_bits = 1\n'
)
DECRYPT = Spec.from_toml(
    'name = "decrypt"\n'
    '[what]\nkey_bits = [192]\ndirections = ["decrypt"]\n'
    '[how]\nsbox = "table"\nrounds = 5\n[port]\nkey_channel = "held"\n'
)
# Two pipes side by side, and more keys than one.
LANES = Spec.from_toml(
    'name = "lanes"\n'
    "[what]\nkey_bits = [128, 256]\n"
    '[how]\narchitecture = "pipe"\nkey_schedule = "stored"\nsbox = "block_ram"\ntiles = 2\n'
    'cuts = []\nclear = "reset"\n'
    '[port]\nlanes = 2\nkey_channel = "held"\nkey_slots = 3\ntag_bits = 5\n'
)
MORE = [DEEP, DEEP.full(), KEY_FIRST, KEY_FIRST.full(), EVERY_KEY, DECRYPT.full(), LANES]


def ciphered(spec: Spec, key: bytes, decrypt: bool, data: bytes) -> bytes:
    """Return whole blocks through a model that is none of ours."""
    if spec.what.cipher == "serpent":
        block = Serpent(key).decrypt if decrypt else Serpent(key).encrypt
        return b"".join(block(data[i : i + 16]) for i in range(0, len(data), 16))
    cipher = Cipher(algorithms.AES(key), modes.ECB())
    return (cipher.decryptor() if decrypt else cipher.encryptor()).update(data)


def resealed(lines: Sequence[str]) -> str:
    """Return the lines of a changed file of vectors with the checksum that fits them."""
    *rest, seal = lines
    words = [line for line in rest if not line.startswith("//")]
    assert int(seal.partition("_")[0], 16) == len(words)
    return "\n".join([*rest, f"{len(words):08x}_{checksum(words):08x}"]) + "\n"
