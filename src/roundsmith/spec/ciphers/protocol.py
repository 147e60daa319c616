"""What the tool knows of a cipher.

Each cipher is one module of this package with a `CIPHER`. What belongs to an upper room stands in
the package `ciphers` of that room, in a module of the same kind. A field that a cipher leaves out
has the value that is usual.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from roundsmith.reference.golden import Model
from roundsmith.spec.narrow import Module

if TYPE_CHECKING:
    from roundsmith.spec.model import Spec


@dataclass(frozen=True)
class ByteOrder:
    """The order of bytes in a block, in words.

    The `standard` that defines it, the `first` byte as a comment of the RTL names it, and where
    that byte is `printed`.
    """

    standard: str
    first: str
    printed: str


@dataclass(frozen=True)
class Batch:
    """The core of a cipher in which all blocks share key and direction until it is empty.

    A key or another direction takes it `key_cycles`, and `clear_i` overwrites it in
    `clear_cycles`.
    """

    key_cycles: int
    clear_cycles: int


def _no_check(spec: "Spec") -> None:
    pass


def _no_more_cycles(spec: "Spec", cycles: int) -> int:
    return cycles


def _one_cycle(spec: "Spec") -> int:
    return 1


@dataclass(frozen=True, kw_only=True)
class BlockCipher:
    """One cipher: its words, its model, the choices that suit it, and the cycles of its parts.

    What it is:

    - `word` is its name in specs, in its RTL `rsm_WORD_…` and in the files of S-boxes; `name` is
      its name in sentences.
    - `number` is that of the register `FEATURES`, which never changes. Number 0 is the cipher of a
      spec that names none.
    - `rounds` are its rounds by the key lengths that it has, in bits.
    - `byte_order` is that of its standard.

    How it is checked:

    - `golden` loads its golden model, and `source` says where the answers of the model come from.
      Checks of a `slow_model` ask for less.
    - OpenSSL answers for it in modes of operation where it is `in_openssl`.
    - `acvp` is its name in NIST's vector sets, if they have it.

    Its choices:

    - `check` and `check_tile` raise ValueError with the reason where a choice means nothing for it:
      of the core, and of each tile with whole rounds.
    - `cuts` are the points of a round where a register may stand, in the order in which data passes
      them; `round` names the round they are in, for the sentence that lists them.
    - `plain_sboxes` have no cuts, no memory, and no circuit for both directions.
    - `narrow` are its modules with less than a round. Of two whose kind a core is, the first one
      counts.
    - `batch` is its core for `entry = "batch"`, if that is a module beside the ring.
    - With `key_slots`, a core with whole rounds stores the round keys of several keys.

    The cycles of its parts:

    - `key_store_cycles` are those from a key to the first block that can use it, where the core
      stores round keys: of a direction, and a key length.
    - `key_store_clears` are those until stored round keys are overwritten as well, where the rest
      takes so many cycles.
    - `resets` are those of `clear = "reset"`.
    """

    word: str
    name: str
    number: int
    rounds: Mapping[int, int]
    byte_order: ByteOrder

    golden: Callable[[], Model]
    source: str
    slow_model: bool = False
    in_openssl: bool = False
    acvp: str = ""

    cuts: "Callable[[Spec], list[str]]"
    round: "Callable[[Spec], str]"
    check: "Callable[[Spec], None]" = _no_check
    check_tile: "Callable[[Spec], None]" = _no_check
    plain_sboxes: bool = False
    narrow: tuple[Module, ...] = ()
    batch: Batch | None = None
    key_slots: bool = False

    key_store_cycles: "Callable[[Spec, bool, int | None], int]"
    key_store_clears: "Callable[[Spec, int], int]" = _no_more_cycles
    resets: "Callable[[Spec], int]" = _one_cycle

    @property
    def model(self) -> Model:
        """Its golden model."""
        return self.golden()
