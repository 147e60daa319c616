"""Simulate a core with a mode of operation through its message port."""

import struct
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import Self

import numpy as np

from roundsmith import spec as formulas
from roundsmith.base.paths import DRIVER
from roundsmith.simulate import simulate
from roundsmith.simulate.simulate import KEY_ROOM, LENGTHS, SimulationFailed
from roundsmith.spec import Spec, buses

HARNESS = Path(__file__).parent / "harness" / "message_harness.cpp"

#: What it includes; the registers are those of the driver in C.
HEADERS = (*sorted(HARNESS.parent.rglob("*.h")), DRIVER / "rsm_registers.h")

_NONE = 0xFFFFFFFF


class Part(IntEnum):
    """The parts of a message on the port."""

    AAD = 0
    TEXT = 1
    TAG = 2
    IV = 3


@dataclass(frozen=True)
class Message:
    """One message: its key (two for XTS, one after the other), and what stands beside it.

    `tag` is what a verification compares; a generation says `tag_bytes` only. `tag_said` is how
    many bytes a verification says that its tag has, where that is not true. A message without a key
    takes the one that its slot has. Of several streams it goes to `stream`.
    """

    key: bytes
    text: bytes = b""
    iv: bytes = b""
    aad: bytes = b""
    decrypt: bool = False
    tag: bytes = b""
    tag_bytes: int = 16
    slot: int = 0
    stream: int = 0
    tag_said: int | None = None


def _said(message: Message) -> int:
    if message.tag_said is not None:
        return message.tag_said
    return len(message.tag) if message.decrypt else message.tag_bytes


@dataclass(frozen=True)
class Answer:
    """What came of a message; `last` is the cycle in which its last beat left."""

    text: bytes
    tag: bytes
    wrong_tag: bool
    refused: bool
    first: int
    last: int


@dataclass(frozen=True)
class Traffic:
    """How the port is driven: chances in 256 (clear and reset in 65536) for each cycle."""

    p_msg: int = 256
    p_in: int = 256
    p_key: int = 256
    p_out: int = 256
    p_clear: int = 0
    p_reset: int = 0
    seed: int = 1


@dataclass(frozen=True)
class MessageRun:
    """The answers, `None` for messages that a clear or reset dropped, and the cycles of it all."""

    answers: list[Answer | None]
    cycles: int


_BEAT = np.dtype([("data", "u1", 16), ("bytes", "u1"), ("part", "u1"), ("last", "u1")])
_HEAD = np.dtype(
    [
        ("stream", "u1"),
        ("decrypt", "u1"),
        ("slot", "u1"),
        ("iv", "u1", 16),
        ("iv_bytes", "u1"),
        ("tag_bytes", "u1"),
        ("aad_bytes", "<u4"),
        ("text_bytes", "<u4"),
        ("keys", "<u4", 2),
        ("first", "<u4"),
        ("beats", "<u4"),
    ]
)
_RESULT = np.dtype(
    [
        ("data", "u1", 16),
        ("bytes", "u1"),
        ("part", "u1"),
        ("last", "u1"),
        ("status", "u1"),
        ("message", "<u4"),
        ("cycle", "<u8"),
    ]
)
WRONG_TAG, REFUSED = 1, 2


def build(
    spec: Spec, files: Sequence[Path], *, flags: Sequence[str] = (), savable: bool = False
) -> Path:
    """Compile `files` (with the top of `spec` in them) and the harness; return the program."""
    master = spec.bus.master
    return simulate.build(
        spec,
        files,
        flags=flags,
        savable=savable,
        harness=HARNESS,
        headers=(*HEADERS, *([master] if master else [])),
        defines=[
            f"RSM_TID_BITS={buses.stream_id_bits(spec)}",
            f"RSM_STREAMS={spec.how.streams}",
            f"RSM_KEY_SLOTS={spec.port.key_slots}",
            *(["RSM_MASTER=1"] if master else []),
        ],
    )


def part_beats(data: bytes, part: Part) -> np.ndarray:
    """Return the beats of one part of a message: none if it is empty."""
    count = -(-len(data) // 16)
    beats = np.zeros(count, _BEAT)
    if count:
        padded = np.frombuffer(data.ljust(16 * count, b"\0"), "u1")
        beats["data"] = padded.reshape(count, 16)
        beats["bytes"] = 16
        beats["bytes"][-1] = len(data) - 16 * (count - 1)
        beats["part"] = part
    return beats


def beats_of(message: Message, *, long_iv: bool = False) -> np.ndarray:
    """Return all beats of a message; with `long_iv` the IV comes as beats."""
    parts = [
        part_beats(message.iv if long_iv else b"", Part.IV),
        part_beats(message.aad, Part.AAD),
        part_beats(message.text, Part.TEXT),
        part_beats(message.tag if message.decrypt else b"", Part.TAG),
    ]
    beats = np.concatenate(parts)
    if not len(beats):
        beats = np.zeros(1, _BEAT)
        beats["part"] = Part.TEXT
    beats["last"][-1] = 1
    return beats


def keys_of(spec: Spec, message: Message) -> list[tuple[int, bytes]]:
    """Return the keys of a message and the slots that they lie in: two for XTS."""
    count = spec.mode.slots if message.key else 0
    size = len(message.key) // max(1, count)
    first = spec.port.key_slots * message.stream + count * message.slot
    return [(first + i, message.key[size * i : size * (i + 1)]) for i in range(count)]


def stimulus(spec: Spec, messages: Sequence[Message]) -> bytes:
    """Return `messages` as the harness reads them."""
    numbers: dict[tuple[bytes, int], int] = {}
    heads = np.zeros(len(messages), _HEAD)
    beats = []
    first = 0
    for head, message in zip(heads, messages, strict=True):
        long_iv = spec.mode.iv.comes_in_beats(message.iv)
        own = beats_of(message, long_iv=long_iv)
        head["keys"] = _NONE
        for i, (slot, key) in enumerate(keys_of(spec, message)):
            head["keys"][i] = numbers.setdefault((key, slot), len(numbers))
        head["stream"], head["slot"] = message.stream, message.slot
        head["decrypt"] = message.decrypt
        if not long_iv:
            head["iv"][: len(message.iv)] = np.frombuffer(message.iv, "u1")
            head["iv_bytes"] = len(message.iv)
        head["tag_bytes"] = _said(message)
        head["aad_bytes"], head["text_bytes"] = len(message.aad), len(message.text)
        head["first"], head["beats"] = first, len(own)
        first += len(own)
        beats.append(own)
    kind = np.dtype([("bytes", f"V{KEY_ROOM}"), ("length", "u1"), ("slot", "u1")])
    keys = np.zeros(len(numbers), kind)
    for (key, slot), number in numbers.items():
        keys[number] = (key.ljust(KEY_ROOM, b"\0"), LENGTHS.index(8 * len(key)), slot)
    counts = struct.pack("<III", len(keys), len(messages), first)
    return counts + keys.tobytes() + heads.tobytes() + np.concatenate(beats).tobytes()


def run(
    program: Path,
    spec: Spec,
    messages: Sequence[Message],
    traffic: Traffic = Traffic(),
    *,
    progress: Callable[[int], None] | None = None,
    save: Path | None = None,
    end_clear: bool = False,
) -> MessageRun:
    """Drive `program`, a simulation of `spec`, with `messages`.

    `progress` is called with the number of beats that came out so far. Raises SimulationFailed when
    the core breaks a rule of the port.
    """
    with tempfile.TemporaryDirectory(prefix="roundsmith-") as name:
        folder = Path(name)
        (folder / "stimulus").write_bytes(stimulus(spec, messages))
        arguments = {
            "stimulus": folder / "stimulus",
            "results": folder / "results",
            "max_cycles": _patience(spec, traffic),
            "clear_cycles": formulas.clear_cycles(spec),
            "settle_cycles": formulas.key_setup_cycles(spec) + spec.mode.settles(spec) + 2,
            "end_clear": int(end_clear),
            "save": save or "",
        } | vars(traffic)
        process = subprocess.Popen(
            [str(program), *(f"{k}={v}" for k, v in arguments.items())],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        cycles = 0
        try:
            assert process.stdout is not None and process.stderr is not None
            for line in process.stdout:
                word, value = line.split()
                if word == "cycles":
                    cycles = int(value)
                elif progress is not None:
                    progress(int(value))
            message = process.stderr.read().strip()
        finally:
            process.kill()
            process.wait()
        if message or cycles == 0:
            raise SimulationFailed(message or "the simulation ended before its time")
        beats = np.fromfile(folder / "results", dtype=_RESULT)
    return MessageRun(_answers(beats, len(messages)), cycles)


class Session:
    """A simulation that answers messages as they are asked, for those that hang on each other."""

    def __init__(self, program: Path, spec: Spec) -> None:
        self._spec = spec
        self._process = subprocess.Popen(
            [str(program), "serve=1", f"max_cycles={_patience(spec, Traffic())}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._process.kill()
        self._process.communicate()

    def ask(self, messages: Sequence[Message]) -> list[Answer]:
        """Return the answers to `messages`; SimulationFailed when the core breaks a rule."""
        pipe = self._process
        assert pipe.stdin is not None and pipe.stdout is not None and pipe.stderr is not None
        given = stimulus(self._spec, messages)
        try:
            pipe.stdin.write(given)
            pipe.stdin.flush()
            (count,) = struct.unpack("<I", pipe.stdout.read(4))
            beats = np.frombuffer(pipe.stdout.read(count * _RESULT.itemsize), _RESULT)
        except (OSError, struct.error):
            raise SimulationFailed(pipe.stderr.read().decode().strip() or "it ended") from None
        return [answer for answer in _answers(beats, len(messages)) if answer is not None]


def _patience(spec: Spec, traffic: Traffic) -> int:
    """Return how many cycles may pass without a sign of life."""
    setup, latency = formulas.key_setup_cycles(spec), formulas.latency_cycles(spec)
    # A block may wait for others, and 16 bytes of CFB-8 are 16 blocks. Every transfer of a bus may
    # be stalled, and a self-test comes first.
    pace = 256 // max(1, min(traffic.p_in, traffic.p_out))
    return 4096 + 64 * (17 * (latency + spec.bus.beat_cycles(spec)) + setup) * pace


def _answers(beats: np.ndarray, count: int) -> list[Answer | None]:
    """Return the answers to `count` messages; only those count that ended.

    Those of several streams come between each other, and those of each in their order.
    """
    found: list[Answer | None] = [None] * count
    beats = beats[np.argsort(beats["message"], kind="stable")]
    starts = np.flatnonzero(np.diff(beats["message"], prepend=-1))
    for own in np.split(beats, starts[1:]):
        if not len(own) or not own["last"][-1]:
            continue
        status = int(own["status"][-1])
        found[int(own["message"][0])] = Answer(
            text=_joined(own, Part.TEXT),
            tag=_joined(own, Part.TAG),
            wrong_tag=bool(status & WRONG_TAG),
            refused=bool(status & REFUSED),
            first=int(own["cycle"][0]),
            last=int(own["cycle"][-1]),
        )
    return found


def _joined(beats: np.ndarray, part: Part) -> bytes:
    own = beats[beats["part"] == part]
    if len(own) and (own["bytes"][:-1] == 16).all():
        return bytes(own["data"].tobytes()[: 16 * (len(own) - 1) + int(own["bytes"][-1])])
    return b"".join(bytes(beat["data"][: beat["bytes"]]) for beat in own)
