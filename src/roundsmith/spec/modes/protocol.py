"""What the tool knows of a mode of operation.

Each mode is one module of this package with a `MODE`: what a mode says there is all that the tool
knows of it. A field that a mode leaves out has the value that is usual.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from roundsmith.reference.messages import Keyed, Question, Reply
from roundsmith.spec.modes import common
from roundsmith.spec.modes.acvp import NOT_ASKED, Acvp

if TYPE_CHECKING:
    import numpy as np

    from roundsmith.spec.model import Spec


@dataclass(frozen=True)
class Iv:
    """The IV of a message: its least and its most bytes, and the `usual` ones.

    Where it goes `in_beats`, only the usual length fits the first transfer of a message, and any
    other one comes before the text. `draw` returns a random length for a check.
    """

    least: int = 16
    most: int = 16
    usual: int = 16
    in_beats: bool = False
    draw: "Callable[[np.random.Generator], int] | None" = None

    def comes_in_beats(self, iv: bytes) -> bool:
        """Whether this IV comes in beats of its own."""
        return self.in_beats and len(iv) != self.usual

    def length(self, random: "np.random.Generator") -> int:
        """Return a random length."""
        if self.draw is not None:
            return self.draw(random)
        if self.least == self.most:
            return self.least
        return int(random.integers(self.least, self.most + 1))


NO_IV = Iv(least=0, most=0, usual=0)


@dataclass(frozen=True)
class Chain:
    """A block waits for the result of the one before it.

    It does so so many `times` for a block of text, and the mode takes `more` cycles between a
    result and the next block. A block of text takes `blocks` of the core. Where only encryption
    chains, `decrypts` is false.
    """

    times: int = 1
    more: int = 0
    blocks: int = 1
    decrypts: bool = True


def _always(spec: "Spec") -> bool:
    return True


@dataclass(frozen=True)
class OneBlock:
    """The smaller form of a mode, for cores with one block at a time.

    It takes `more` cycles for a block beside those of the core, and `fits` some cores only.
    """

    more: int = 0
    fits: "Callable[[Spec], bool]" = _always


@dataclass(frozen=True)
class Term:
    """What a mode adds to a core beside itself, as a term of the sum that estimates an area.

    `count` says how much of it a core has, if any: in bits, or in memories. A term that `grows`
    with the core comes with its mode always, and `expected` are its prices where no record tells
    them apart.
    """

    name: str
    text: str
    count: "Callable[[Spec, bool], float | None]"
    grows: bool = False
    expected: Mapping[str, float] = field(default_factory=dict)


def _nothing(spec: "Spec") -> dict[str, str]:
    return {}


def _no_cycles(spec: "Spec") -> Iterable[int]:
    return ()


def _two_cycles(spec: "Spec") -> int:
    return 2


def _no_rows(spec: "Spec") -> Sequence[tuple[str, str]]:
    return ()


def _always_asked(question: Question) -> bool:
    return True


@dataclass(frozen=True)
class ModeOfOperation:
    """One mode: its word, what it needs of the core, its cycles, its RTL, and how it is checked.

    What it is:

    - `word` is its name in specs and the end of the name of its RTL, `rsm_mode_WORD`, with
      `_oneblock` and `_streams` behind it for its other forms; `number` is that of the register
      `FEATURES`, which never changes.
    - `dashed` names have a dash between the word and a number of streams.

    What it needs of the core:

    - A `both_ways` mode uses the inverse cipher to decrypt, so it does the directions that the
      core has. A `forward` mode encrypts blocks even to decrypt a message.
    - `slots` are the key slots that one message uses.
    - `options` are fields of `how` that belong to it.

    Its messages:

    - `tags` are the lengths of its tags in bytes, none if it has no tag; a `mac` gives the tag and
      no text; `aad` says whether it has associated data.
    - Texts have `whole_blocks`, or any bytes from `least_text` on; `refusal` says why the core
      refuses one that the bus can carry.

    Its hardware:

    - `chain`, `oneblock` and `shared` are its forms: blocks that wait for each other, the smaller
      one for cores with one block at a time, and one that serves all streams.
    - `cycles` are those of a block of text in the long run, `clears` those of what it overwrites a
      word a cycle, `settles` those from the last beat of an answer until it is idle.
    - `parameters` are those of its module beside the ones that every mode has.

    How it is checked and told:

    - `answer` is the mode as its standard writes it, over any block cipher; `openssl` answers
      with AES where it `openssl_has` the message.
    - `acvp` says how NIST's vector sets ask about it.
    - `rows` are those of its datasheet, `terms` what an estimate counts, and `priced_on` the cores
      in the table of what a mode costs.
    """

    word: str
    number: int
    answer: Callable[[Question, Keyed], Reply]
    dashed: bool = False

    both_ways: bool = False
    forward: bool = True
    slots: int = 1
    options: tuple[str, ...] = ()

    iv: Iv = Iv()
    tags: tuple[int, ...] = ()
    mac: bool = False
    aad: bool = False
    whole_blocks: bool = False
    least_text: int = 0
    refusal: str = "over its limits"

    chain: Chain | None = None
    oneblock: OneBlock | None = None
    shared: bool = False
    cycles: "Callable[[Spec, int | None], float]" = common.cycles_per_block
    clears: "Callable[[Spec], Iterable[int]]" = _no_cycles
    settles: "Callable[[Spec], int]" = _two_cycles
    parameters: "Callable[[Spec], dict[str, str]]" = _nothing

    openssl: Callable[[Question], Reply] | None = None
    openssl_has: Callable[[Question], bool] = _always_asked
    acvp: Acvp = NOT_ASKED

    rows: "Callable[[Spec], Sequence[tuple[str, str]]]" = _no_rows
    terms: tuple[Term, ...] = ()
    priced_on: tuple[str, ...] = ()

    @property
    def is_padded(self) -> bool:
        """Whether a file is padded to whole blocks, as `openssl enc` does it."""
        return self.whole_blocks and not self.mac

    @property
    def is_larger(self) -> bool:
        """Whether it keeps keys, tags or tweaks beside the core, which costs more."""
        return bool(self.tags) or self.slots > 1
