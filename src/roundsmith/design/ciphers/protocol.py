"""What the tool knows of the RTL of a cipher.

The public core of a cipher is the module `rsm_WORD`, the core with batches `rsm_WORD_batch`. The
spec of the cipher lists the modules of narrow cores.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from roundsmith.spec import Spec


@dataclass(frozen=True)
class CipherRtl:
    """The RTL of one cipher.

    - `word` is the word of the cipher.
    - `parameters` are the parameters of one core, as SystemVerilog expressions.
    - `sbox_files` are the generated files that select an S-box, with their right contents.
    - `byte_luts` are the LUTs for one byte of the S-box layer, for a floorplan without a netlist.
    """

    word: str
    parameters: Callable[[Spec], dict[str, str]]
    sbox_files: Callable[[], Mapping[Path, str]]
    byte_luts: Callable[[Spec], int]
