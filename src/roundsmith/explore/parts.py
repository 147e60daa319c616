"""The words in which the structure of a core is told: its parts, and the links of a round."""

from collections import defaultdict
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Link:
    """A stretch of the round: a share of a circuit's depth or so many plain levels.

    `cut` names the point behind it where a register may stand and `bits` what it would hold.
    """

    name: str
    share: float
    cut: str | None = None
    bits: int = 0


@dataclass
class Parts:
    """What one core is made of, over all its tiles.

    Bits are registers but for `ram`, which are those of distributed memory, and `select` and
    `xor`, which count two-input functions of the data path beside the named circuits; `chain` is
    what a block passes in a round.
    """

    circuits: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    data: float = 0
    key: float = 0
    control: float = 0
    ram: float = 0
    select: float = 0
    xor: float = 0
    memories: float = 0
    chain: tuple[Link, ...] = ()
