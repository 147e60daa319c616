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
    - `parts` are the parts of one tile.
    - `suited` are the values of `data_bits`, `rounds`, `linear` and `inverse_rounds` that suit a
      target.
    - `sweep` are the spaces of the sweep whose measurements are shipped.
    - `means` are the parts that an estimate counts as the mean of several circuits, with the names
      of the circuits.
    """

    word: str
    parts: Callable[[Spec], Parts]
    suited: Callable[[Target], Mapping[str, tuple[Any, ...]]]
    sweep: Callable[[Target], Iterable[Space]]
    means: Callable[[], Mapping[str, Sequence[str]]] = _no_means
