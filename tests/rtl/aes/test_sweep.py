"""Cores all over the plane of `loop` and `pipe` answer right, in the cycles that the spec says.

Every core here differs from the others in several choices at once, so that each value of a choice
meets many of the others: architecture, rounds in hardware (those that do not divide the rounds of
the cipher too), cuts, key schedule, directions, inverse rounds, key lengths, tiles, lanes, edges,
entry, key slots. `verify.check` holds latency, interval and key set-up of each to the formulas.
"""

from typing import Any

import pytest

from roundsmith.spec import Spec
from roundsmith.verify import verify

SEED = 31417

#: Random blocks a check.
BLOCKS = 1_500

ENC, DEC, BOTH = ("encrypt",), ("decrypt",), ("encrypt", "decrypt")


def core(
    name: str,
    directions: tuple[str, ...] = ENC,
    keys: tuple[int, ...] = (128,),
    *,
    slots: int = 1,
    lanes: int = 1,
    tag: int = 3,
    full: bool = False,
    **how: Any,
) -> Spec:
    """Return one core of the sweep, natively or behind its full port; the name tells most."""
    way = {ENC: "enc", DEC: "dec", BOTH: "both"}[directions]
    name = "-".join([name, way, *map(str, keys)])
    how = {"sbox": "lut4", **how}
    schedule = how.get("key_schedule", "on_the_fly")
    held = "decrypt" in directions or schedule == "stored"
    spec = Spec.from_data(
        {
            "name": name,
            "what": {"directions": directions, "key_bits": keys},
            "how": how,
            "port": {
                "key_channel": "held" if held else "with_block",
                "key_slots": slots,
                "lanes": lanes,
                "tag_bits": tag,
            },
        }
    )
    return spec.full() if full else spec


def loop(name: str, *what: Any, rounds: int = 1, **how: Any) -> Spec:
    """Return a ring of `rounds`."""
    return core(f"loop{rounds}-{name}", *what, rounds=rounds, **how)


def pipe(name: str, *what: Any, **how: Any) -> Spec:
    """Return a straight line of all rounds; keys travel unless it says otherwise."""
    how = {"key_schedule": "travelling", **how}
    return core(f"pipe-{name}", *what, architecture="pipe", **how)


ONE = ["round"]
TWO = ["sbox.1", "round"]
FOUR = ["head", "sbox.0", "sub", "mix"]
WORDS = ["sbox.0", "sbox.1", "sub", "mix"]
SIX = ["sbox.0", "sbox.1", "sbox.2", "sbox.3", "sub", "round"]
ELEVEN = ["head", *(f"sbox.{i}" for i in range(7)), "sub", "mix", "round"]
STORED = {"key_schedule": "stored"}
SEPARATE = {"inverse_rounds": "separate"}
REORDERED = {"inverse_rounds": "reordered"}
MIRRORED = {"inverse_rounds": "mirrored", "key_add": "first"}
EQUIVALENT = {"inverse_rounds": "equivalent"}
IN_MEMORY = {"sbox": "block_ram", "linear": "in_memory", "clear": "reset"}
#: Two pipes side by side, one with its S-boxes in block RAM and one in LUTs, of one latency.
TWO_SBOXES = {
    "tiles": 2,
    "lanes": 2,
    "sbox": "block_ram",
    "cuts": ["mix"],
    "variants": [{}, {"sbox": "lut4", "cuts": ["sbox.1", "mix"]}],
}
MIXED = (128, 192, 256)

#: A few of every kind, small enough for the default run.
FEW = [
    loop("several-blocks", rounds=1, cuts=["sbox.1", "sub", "mix", "round"], full=True),
    loop("undivided", rounds=3, cuts=ONE, sbox="table"),
    loop("stored", BOTH, cuts=TWO, **STORED, **SEPARATE, slots=2),
    loop("mixed", BOTH, MIXED, cuts=["sub"], **EQUIVALENT),
    loop("batch", cuts=["head", "sub"], edges=["in", "ring"], entry="batch", tag=0),
    loop("mirrored", BOTH, (192,), cuts=["sub"], **MIRRORED),
    loop("one-way", DEC, (256,), rounds=2, cuts=ONE, clear="reset"),
]

MANY = [
    # Rounds in hardware, with keys on the fly.
    loop("two-cuts", cuts=TWO, edges=["out"]),
    loop("two-cuts", rounds=2, cuts=TWO, edges=["out"], full=True),
    loop("two-cuts", ENC, (192,), rounds=3, cuts=TWO),
    loop("two-cuts", rounds=6, cuts=TWO, full=True),
    loop("one-cut", ENC, (256,), rounds=8, cuts=ONE, edges=["out"]),
    loop("one-cut", ENC, (192,), rounds=11, cuts=ONE),
    loop("one-cut", BOTH, (256,), rounds=12, cuts=ONE, **SEPARATE),
    loop("two-cuts", ENC, (256,), rounds=4, cuts=TWO, full=True),
    loop("one-cut", ENC, (256,), rounds=7, cuts=ONE),
    loop("one-cut", rounds=7, cuts=ONE, edges=["out"]),
    loop("six-cuts", rounds=4, cuts=SIX),
    loop("six-cuts", ENC, (256,), rounds=3, cuts=SIX, full=True),
    loop("four-cuts", rounds=5, cuts=FOUR, clear="reset"),
    loop("extra", rounds=3, cuts=["sub"], extra=[2]),
    loop("extra-late", ENC, (192,), rounds=5, cuts=ONE, extra=[1, 4], edges=["out"]),
    loop("key-first", rounds=3, cuts=["sbox.0", "round"], key_add="first"),
    loop("key-first", ENC, (256,), rounds=2, cuts=["sub"], key_add="first", full=True),
    loop("mix-add", rounds=4, cuts=["mix", "round"], linear="mix_add"),
    loop("gated", ENC, (192,), rounds=2, cuts=["sub"], linear="gated", sbox="table"),
    loop("block-ram", rounds=3, cuts=ONE, sbox="block_ram"),
    loop("gf16", rounds=2, cuts=[f"sbox.{i}" for i in range(7)], sbox="gf16", clear="reset"),
    loop("gf16-all-cuts", cuts=ELEVEN, sbox="gf16", full=True),
    # Several key lengths.
    loop("mixed", ENC, MIXED, cuts=TWO),
    loop("mixed", ENC, MIXED, rounds=3, cuts=TWO, full=True),
    loop("mixed", ENC, (128, 256), rounds=4, cuts=ONE, edges=["out"]),
    loop("mixed", ENC, (192, 256), rounds=7, cuts=ONE),
    loop("mixed", BOTH, MIXED, rounds=4, cuts=ONE, **REORDERED),
    loop("mixed", BOTH, (128, 256), rounds=3, cuts=TWO, **SEPARATE, full=True),
    loop("mixed-stored", ENC, MIXED, rounds=3, cuts=TWO, **STORED),
    loop("mixed-stored", BOTH, MIXED, rounds=2, cuts=TWO, **STORED, **REORDERED, slots=3),
    loop("mixed-stored", BOTH, (128, 192), rounds=4, cuts=ONE, **STORED, **EQUIVALENT, full=True),
    loop("mixed", DEC, MIXED, rounds=3, cuts=TWO),
    loop("mixed-equivalent", DEC, MIXED, rounds=2, cuts=TWO, **EQUIVALENT, full=True),
    loop("mixed", ENC, (192, 256), rounds=9, cuts=ONE, full=True),
    # Decryption.
    loop("one-way", DEC, cuts=["sub"]),
    loop("equivalent", DEC, cuts=TWO, **EQUIVALENT, full=True),
    loop("stored", DEC, (192,), rounds=4, cuts=ONE, **STORED),
    loop("equivalent-stored", DEC, (256,), rounds=3, cuts=TWO, **STORED, **EQUIVALENT),
    # Both directions.
    loop("separate", BOTH, cuts=SIX, **SEPARATE),
    loop("separate", BOTH, (192,), rounds=7, cuts=ONE, **SEPARATE),
    loop("reordered", BOTH, rounds=3, cuts=["sub", "mix"], **REORDERED, full=True),
    loop("reordered-shared", BOTH, rounds=2, cuts=TWO, sbox="shared_inverse", **REORDERED),
    loop("reordered-gf4", BOTH, (256,), rounds=4, cuts=TWO, sbox="gf4", **REORDERED),
    loop("mirrored", BOTH, rounds=4, cuts=["sbox.0", "sub", "round"], **MIRRORED),
    loop("mirrored", BOTH, (256,), rounds=3, cuts=ONE, **MIRRORED, full=True),
    loop("equivalent", BOTH, rounds=3, cuts=TWO, **EQUIVALENT),
    loop("equivalent-stored", BOTH, (192,), cuts=TWO, linear="factored", **EQUIVALENT, **STORED),
    loop("batch", BOTH, cuts=["head"], edges=["ring"], entry="batch", **EQUIVALENT),
    loop(
        "batch-in", rounds=2, cuts=["sub", "round"], edges=["in", "out"], entry="batch", full=True
    ),
    loop("batch-several", rounds=5, cuts=TWO, entry="batch"),
    # Stored keys.
    loop("stored", cuts=["sub"], **STORED),
    loop("stored-slots", rounds=3, cuts=FOUR, **STORED, slots=4, full=True),
    loop("stored-block-ram", BOTH, rounds=2, sbox="block_ram", cuts=["mix"], **STORED, **SEPARATE),
    loop("stored", ENC, (256,), rounds=7, cuts=ONE, **STORED, slots=2),
    # Tiles.
    loop("tiled", tiles=3, cuts=["sub"], full=True),
    loop("tiled", tiles=2, cuts=TWO),
    loop("tiled", BOTH, rounds=3, tiles=2, cuts=ONE, **STORED, **REORDERED, full=True),
    loop("tiled", rounds=7, tiles=2, cuts=ONE),
    loop("tiled-variants", tiles=2, cuts=["sub"], variants=[{}, {"sbox": "table"}]),
    loop("tiled", DEC, (256,), tiles=2, full=True, cuts=["sub"]),
    # Pipes.
    pipe("one-cut", cuts=ONE, sbox="table"),
    pipe("two-cuts", cuts=TWO, full=True, clear="reset"),
    pipe("edges-extra", cuts=ONE, extra=[7], edges=["in", "out"]),
    pipe("key-first", cuts=["sub"], key_add="first"),
    pipe("one-cut", ENC, (192,), cuts=["sub"]),
    pipe("mixed", ENC, MIXED, cuts=ONE),
    pipe("mixed", BOTH, (128, 256), cuts=ONE, **REORDERED, full=True),
    pipe("mixed", DEC, MIXED, cuts=["sub"], **EQUIVALENT),
    pipe("mixed-stored", ENC, (128, 256), cuts=ONE, **STORED),
    pipe("stored", cuts=TWO, **STORED, slots=2),
    pipe("stored", BOTH, cuts=ONE, **STORED, **REORDERED, full=True),
    pipe("mixed-stored", BOTH, (128, 192), cuts=ONE, **STORED, **EQUIVALENT),
    pipe("mixed-stored-way", ENC, MIXED, cuts=FOUR, **STORED),
    pipe("stored-words", BOTH, (128, 192), cuts=WORDS, **STORED, **REORDERED, slots=2),
    pipe("one-way", DEC, cuts=["sub"]),
    pipe("stored", DEC, (256,), cuts=ONE, **STORED, **EQUIVALENT),
    pipe("separate", BOTH, cuts=ONE, **SEPARATE),
    pipe("mirrored", BOTH, cuts=ONE, **MIRRORED),
    pipe("lanes", cuts=ONE, tiles=2, lanes=2),
    pipe("two-sboxes", **TWO_SBOXES),
    pipe("two-sboxes", **TWO_SBOXES, **STORED, full=True),
    pipe("lanes-stored", cuts=ONE, tiles=2, lanes=2, **STORED, full=True),
    pipe("mix-add", cuts=["mix"], linear="mix_add", sbox="table"),
    pipe("in-memory", cuts=[], **IN_MEMORY),
    pipe("in-memory-edges", cuts=ONE, edges=["in", "out"], **IN_MEMORY, full=True),
]


def check(spec: Spec) -> None:
    bench = verify.Bench(spec, spec.name, verify.rtl(spec))
    assert verify.check(bench, SEED, BLOCKS).blocks > 2 * BLOCKS


@pytest.mark.parametrize("spec", FEW, ids=lambda s: s.name)
def test_a_few(spec: Spec) -> None:
    check(spec)


@pytest.mark.long
@pytest.mark.parametrize("spec", MANY, ids=lambda s: s.name)
def test_many(spec: Spec) -> None:
    check(spec)


def test_the_sweep_is_wide() -> None:
    assert len(FEW) + len(MANY) >= 60
    assert len({spec.hash() for spec in [*FEW, *MANY]}) == len(FEW) + len(MANY)
