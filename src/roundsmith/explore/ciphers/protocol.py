"""What an exploration knows of a cipher."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from roundsmith.explore.choices import Space
from roundsmith.explore.parts import Parts
from roundsmith.flows.flow import Target
from roundsmith.spec import Spec


def _no_means() -> Mapping[str, Sequence[str]]:
    return {}


@dataclass(frozen=True)
class Exploration:
    """How cores of one cipher are explored.

    - `word` is the word of the cipher.
    - `parts` are those of one copy of a core.
    - `means` are the parts that are the mean of several circuits, with the names of these.
    - `suited` are the values of `how` that suit a target, of the choices `data_bits`, `rounds`,
      `linear` and `inverse_rounds`.
    - `sweep` are the spaces of the sweep whose measurements are shipped.
    """

    word: str
    parts: Callable[[Spec], Parts]
    suited: Callable[[Target], Mapping[str, tuple[Any, ...]]]
    sweep: Callable[[Target], Iterable[Space]]
    means: Callable[[], Mapping[str, Sequence[str]]] = _no_means
