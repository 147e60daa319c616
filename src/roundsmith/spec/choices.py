"""The choices of a spec, and what is known of each."""

from enum import StrEnum
from typing import Any

from roundsmith.spec.sboxes import Sbox


class Direction(StrEnum):
    """Which way a block goes."""

    ENCRYPT = "encrypt"
    DECRYPT = "decrypt"


class Architecture(StrEnum):
    """How much of the cipher stands in hardware."""

    SERIAL = "serial"
    FOLDED = "folded"
    LOOP = "loop"
    PIPE = "pipe"


class Linear(StrEnum):
    """How ShiftRows, MixColumns and the key addition are built."""

    DIRECT = "direct"
    GATED = "gated"
    IN_MEMORY = "in_memory"
    FACTORED = "factored"
    SQUARED = "squared"
    MIX_ADD = "mix_add"
    MINIMAL = "minimal"
    FAST = "fast"


class KeyAdd(StrEnum):
    """Where the round key is added: after the linear layer, or before SubBytes."""

    LAST = "last"
    FIRST = "first"


class KeySchedule(StrEnum):
    """Where round keys come from; `loaded` are those that the key channel brings ready made."""

    STORED = "stored"
    ON_THE_FLY = "on_the_fly"
    TRAVELLING = "travelling"
    LOADED = "loaded"


class KeyStart(StrEnum):
    """How a key register that went on with a block is back at the key of the next one.

    It goes back through the key schedule, or a second register has kept the key.
    """

    WALKED = "walked"
    KEPT = "kept"


class KeySboxes(StrEnum):
    """Whether the key schedule has S-boxes of its own."""

    OWN = "own"
    BORROWED = "borrowed"


class SboxSwitch(StrEnum):
    """What switches borrowed S-boxes over to the key schedule.

    3-state buffers are a technology cell, and a multiplexer again in a family that has none.
    """

    MULTIPLEXER = "multiplexer"
    THREE_STATE = "three_state"


class InverseRounds(StrEnum):
    """How decryption rounds are built.

    Two paths side by side; one path with the key before InvMixColumns (Lutz 2002, Fig. 6); one
    with the key first both ways (his Fig. 4); or one that adds transformed keys after
    InvMixColumns (FIPS 197, 5.3.5).
    """

    SEPARATE = "separate"
    REORDERED = "reordered"
    MIRRORED = "mirrored"
    EQUIVALENT = "equivalent"


class Entry(StrEnum):
    """When blocks enter a ring: as slots fall free, or in batches that leave before the next."""

    OVERLAP = "overlap"
    BATCH = "batch"


class StateStorage(StrEnum):
    """Where a folded or serial core keeps its state."""

    REGISTERS = "registers"
    SHIFT_REGISTERS = "shift_registers"
    DUAL_PORT_RAM = "dual_port_ram"


class Clear(StrEnum):
    """How `clear_i` overwrites the data registers."""

    FLUSH = "flush"
    RESET = "reset"


class Flow(StrEnum):
    """Whether a result waits for its consumer."""

    FREE = "free"
    HELD = "held"


class KeyChannel(StrEnum):
    """Whether the key comes with every block or through a channel of its own."""

    WITH_BLOCK = "with_block"
    HELD = "held"


#: The linear layers that are a circuit of one column, so that any round may take them.
COLUMN_CIRCUITS = frozenset(
    {Linear.DIRECT, Linear.FACTORED, Linear.SQUARED, Linear.MINIMAL, Linear.FAST}
)

#: The architectures with less than a round in hardware.
NARROW = frozenset({Architecture.FOLDED, Architecture.SERIAL})

#: The edges of a core, in the order in which data passes them.
EDGES = ("in", "ring", "out")

#: What has hardware today, field by field. Everything else is refused by name. What each narrow
#: core is built with stands beside its module, in `narrow`.
BUILT: dict[str, frozenset[Any]] = {
    "architecture": frozenset(Architecture),
    "sbox": frozenset(Sbox),
    "linear": frozenset(Linear),
}
