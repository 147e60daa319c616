"""The components of cores with whole rounds, and the rule that finds them in a core of a cipher."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

SBOX = "S-boxes of the state"
LINEAR = "linear layer"
ROUND = "key addition and choice"
REGISTERS = "registers of the round"
#: A pipe with stored keys has the choice and the entry in one instance; nearly all of it is choice.
CHOICE = "choice of stored keys, entry"
PORT = "port"
REST = "entry and control"


@dataclass(frozen=True)
class Rule:
    """How the instances of a cipher's cores with whole rounds belong to components.

    Raise `number` when an instance of a measured core moves to another component. `components` sums
    the GE of all instance paths by component.
    """

    word: str
    number: int
    components: Callable[[Mapping[str, float]], dict[str, float]]
