"""The RTL of the ciphers: one module a cipher, with an `RTL`, found by its place here."""

from roundsmith.design.ciphers.protocol import CipherRtl
from roundsmith.spec import Spec, ciphers, narrow

__all__ = ["CipherRtl", "core_module", "core_parameters", "of"]

_BY_WORD = ciphers.of_room(__name__, __path__, "RTL", CipherRtl)


def of(word: str) -> CipherRtl:
    """Return the RTL of the cipher with this word."""
    return _BY_WORD[word]


def core_module(spec: Spec) -> str:
    """Return the module of the core itself."""
    if spec.is_narrow:
        return narrow.module(spec).name
    return f"rsm_{spec.what.cipher}{'_batch' if spec.batch else ''}"


def core_parameters(spec: Spec) -> dict[str, str]:
    """Return the parameters of `core_module`, for one tile, as SystemVerilog expressions."""
    return of(spec.what.cipher).parameters(spec)
