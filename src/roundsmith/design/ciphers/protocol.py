"""What the tool knows of the RTL of a cipher, beside the names of its modules.

The public core of a cipher is the module `rsm_WORD`, and the core with batches `rsm_WORD_batch`.
A narrow core is a module that the spec room lists.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from roundsmith.spec import Spec


@dataclass(frozen=True)
class CipherRtl:
    """The RTL of one cipher.

    - `word` is the word of the cipher.
    - `parameters` are those of the module of a core, for one tile, as SystemVerilog expressions.
    - `sbox_files` are the generated files that select an S-box, with their right contents.
    - `byte_luts` are the LUTs of a byte of SubBytes, for a floorplan without a netlist.
    """

    word: str
    parameters: Callable[[Spec], dict[str, str]]
    sbox_files: Callable[[], Mapping[Path, str]]
    byte_luts: Callable[[Spec], int]
