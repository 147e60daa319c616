"""AES (FIPS 197): its rounds, which choices a round of it has, and how it stores round keys."""

from typing import TYPE_CHECKING

from roundsmith.reference.golden import Model
from roundsmith.spec.choices import (
    COLUMN_CIRCUITS,
    Clear,
    Direction,
    Entry,
    KeyAdd,
    KeySchedule,
    Linear,
)
from roundsmith.spec.ciphers import aes_narrow
from roundsmith.spec.ciphers.protocol import BlockCipher, ByteOrder
from roundsmith.spec.cuts import sbox_cuts
from roundsmith.spec.formulas import (
    cipher_rounds,
    hardware_rounds,
    round_latency,
    sbox_latency,
)
from roundsmith.spec.wording import words

if TYPE_CHECKING:
    from roundsmith.spec.model import Spec

#: Cycles from a key to the first block where the first round keys are still being written.
_KEY_STORE_CYCLES = 3

#: In a pipeline, the places of two round keys are four registers apart. A round key has four words.
_KEY_WAY_STRIDE = 4
_KEY_WORDS = 4

#: Addresses of the memory of a key slot, of which all are cleared side by side.
_KEY_ADDRESSES = 16


def _model() -> Model:
    # It loads OpenSSL, which nobody needs to read a spec.
    from roundsmith.reference import aes

    return aes


# --- The round ----------------------------------------------------------------------------------


def _cuts(spec: "Spec") -> list[str]:
    if spec.how.linear is Linear.IN_MEMORY:
        return ["round"] if spec.is_pipe else ["sub"]
    names = ["head", *(f"sbox.{i}" for i in range(sbox_cuts(spec))), "sub"]
    if spec.how.key_add is KeyAdd.LAST:
        names.append("mix")
    names.append("round")
    return names


def _round_name(spec: "Spec") -> str:
    how, both = spec.how, " for both directions" if spec.is_both else ""
    return (
        f"a round of aes with sbox '{how.sbox}'{both}, linear '{how.linear}' and key_add "
        f"'{how.key_add}'"
    )


def _check_linear(spec: "Spec") -> None:
    what, how = spec.what, spec.how
    if how.key_add is KeyAdd.FIRST:
        if how.linear not in COLUMN_CIRCUITS:
            raise ValueError(
                f"key_add 'first' takes the key addition out of the linear layer, so linear "
                f"'{how.linear}' has nothing to merge; use {words(sorted(COLUMN_CIRCUITS))}."
            )
        if spec.is_stored:
            raise ValueError(
                "key_add 'first' adds two round keys in the last round, and a store hands out "
                "one: key_schedule must be "
                f"'{KeySchedule.TRAVELLING if spec.is_pipe else KeySchedule.ON_THE_FLY}'."
            )
    if how.linear is not Linear.IN_MEMORY:
        return
    if not spec.sbox.memory:
        raise ValueError(
            "linear 'in_memory' keeps the multiples of MixColumns beside the S-box in a block "
            f"RAM, so sbox must be 'block_ram', not '{how.sbox}'."
        )
    if how.clear is Clear.FLUSH:
        raise ValueError(
            "linear 'in_memory' has no gate at the entry that could flush it; "
            "clear must be 'reset'."
        )
    plain = (
        what.directions == (Direction.ENCRYPT,)
        and what.key_bits == (128,)
        and (spec.is_pipe or how.rounds == 1)
        and not spec.is_stored
        and how.entry is Entry.OVERLAP
        and not how.extra
    )
    if not plain:
        where = (
            "a line of memories with a key step beside each: encryption with 128-bit keys "
            "'travelling'"
            if spec.is_pipe
            else "one round with the entry of the ring inside it: encryption with 128-bit keys in "
            "a loop of one round, keys on_the_fly, entry 'overlap'"
        )
        raise ValueError(
            f"linear 'in_memory' is {where}, nothing extra; any other core takes another linear "
            "layer."
        )


# --- Stored round keys --------------------------------------------------------------------------


def _key_store_cycles(spec: "Spec", encrypts: bool, key_bits: int | None) -> int:
    step = max(_key_step_cycles(t) for t in spec.tiles())
    expand = cipher_rounds(spec, key_bits) * step
    early = encrypts and all(_encrypts_early(t) for t in spec.tiles())
    way = max(_key_way_cycles(t) for t in spec.tiles())
    far = spec.is_pipe * (way + (step > 1))
    return _KEY_STORE_CYCLES + far + (0 if early else expand)


def _encrypts_early(spec: "Spec") -> bool:
    """Whether a block can be encrypted while its key is still being expanded.

    A round must take as long as a key step then.
    """
    return round_latency(spec) >= _key_step_cycles(spec)


def _key_step_cycles(spec: "Spec") -> int:
    """Cycles of a step of the expander: S-boxes, window, and `sub` where `mix` follows."""
    return sbox_latency(spec) + 1 + _cuts_around_key_step(spec)


def _cuts_around_key_step(spec: "Spec") -> bool:
    return {"sub", "mix"} <= set(spec.how.cuts)


def _key_way_cycles(spec: "Spec") -> int:
    """Cycles that a round key takes to registers: along a line of short wires to the last one.

    Its words go along there one after the other, where a step takes long enough, and each of them
    one register farther.
    """
    if not _cuts_around_key_step(spec):
        return 2
    beats = _KEY_WORDS if _key_step_cycles(spec) >= _KEY_WORDS else 1
    return _KEY_WAY_STRIDE * hardware_rounds(spec) + 2 * beats


def _key_store_clears(spec: "Spec", cycles: int) -> int:
    return cycles if spec.is_pipe else max(cycles, _KEY_ADDRESSES)


def _resets(spec: "Spec") -> int:
    """Cycles of reset: key windows in front of a key step have none and run empty behind it."""
    held = {"sub", "mix", "round"} & set(spec.how.cuts)
    if spec.is_stored or spec.how.linear is Linear.IN_MEMORY or not held:
        return 1
    return 1 + sbox_latency(spec) + ("head" in spec.how.cuts)


CIPHER = BlockCipher(
    word="aes",
    name="AES",
    number=0,
    rounds=aes_narrow.ROUNDS,
    byte_order=ByteOrder(
        standard="FIPS 197",
        first="byte 0 of FIPS 197",
        printed="leftmost one in the standard's hexadecimal strings",
    ),
    golden=_model,
    source="OpenSSL",
    in_openssl=True,
    acvp="AES",
    cuts=_cuts,
    round_name=_round_name,
    check_tile=_check_linear,
    narrow=aes_narrow.MODULES,
    key_slots=True,
    key_store_cycles=_key_store_cycles,
    key_store_clears=_key_store_clears,
    resets=_resets,
)
