"""What a spec knows of a cipher.

Each cipher is one module of this package with a `CIPHER`. The rooms `design`, `explore` and
`attribution` know more: each has a package `ciphers` with one module a cipher. An optional field
has the usual value.
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

    `standard` defines the order. A comment of the RTL calls byte 0 `first`. The datasheet says
    where byte 0 is `printed`.
    """

    standard: str
    first: str
    printed: str


@dataclass(frozen=True)
class Batch:
    """A core whose blocks share key and direction until the core is empty.

    The core loads a key or turns its direction in `key_cycles`. `clear_i` overwrites the core in
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
    """One cipher: its name, its golden model, its legal choices and the cycles of its parts.

    Name and standard:

    - `word` names the cipher in specs, in the RTL `rsm_WORD_…` and in the files of S-boxes; `name`
      names it in sentences.
    - `number` is its code in the register `FEATURES` and never changes. A spec without a cipher has
      number 0.
    - `rounds` maps each key length in bits to the number of rounds.
    - `byte_order` is the byte order of the standard.

    Verification:

    - `golden` loads the golden model; `source` names the origin of the model's answers. Checks ask
      a `slow_model` fewer questions.
    - `in_openssl` says that OpenSSL has the cipher in modes of operation.
    - `acvp` is its name in NIST's vector sets, empty if they do not have it.

    Legal choices:

    - `check` raises ValueError with the reason where a choice means nothing for the cipher;
      `check_tile` does the same for one tile with whole rounds.
    - `cuts` lists the points of a round where a register may stand, in the order of the data;
      `round_name` names this round in a message.
    - `plain_sboxes` says that its S-boxes have no cuts, no memory and no circuit for both
      directions.
    - `narrow` lists its modules with less than a round. The first module that fits a spec counts.
    - `batch` is its module for `entry = "batch"`, if there is one beside the ring.
    - `key_slots` says that a core with whole rounds stores the round keys of several keys.

    Cycles:

    - `key_store_cycles` counts from a key to the first block that can use it, where the core stores
      round keys. It depends on encryption or decryption, and on the key length.
    - `key_store_clears` counts until stored round keys are overwritten too; its argument is the
      time for the rest of the core.
    - `resets` counts the cycles of `clear = "reset"`.
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
    round_name: "Callable[[Spec], str]"
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
