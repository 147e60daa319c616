"""The components of cores with whole rounds, and the rule that tells those of one cipher."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

SBOX = "S-boxes of the state"
LINEAR = "linear layer"
ROUND = "key addition and choice"
REGISTERS = "registers of the round"
#: A line with stored keys has both in the same instance, and nearly all of it is the choice.
CHOICE = "choice of stored keys, entry"
PORT = "port"
REST = "entry and control"


@dataclass(frozen=True)
class Rule:
    """How the instances of a cipher's cores with whole rounds belong to components.

    `number` is to be raised when an instance of cores that were measured goes to another one.
    `components` sums the GE of every instance path, with all that is below it, by component.
    """

    word: str
    number: int
    components: Callable[[Mapping[str, float]], dict[str, float]]
