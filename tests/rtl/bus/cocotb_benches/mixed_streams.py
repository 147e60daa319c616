"""Several streams behind one AXI4-Stream, whose transfers come between each other.

Run inside the simulator by tests/rtl/bus/test_bus.py; the environment says what the core is.
"""

import os
import random
from collections import defaultdict
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge
from cocotbext.axi import AxiStreamBus, AxiStreamFrame, AxiStreamSink, AxiStreamSource
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from .stream import HEADER, TEXT, pauses, watch

RANDOM = random.Random(int(os.environ["RSM_SEED"]))
STREAMS = int(os.environ["RSM_STREAMS"])
WIDTH = int(os.environ["RSM_BITS"]) // 8

#: A transfer: its stream, what it has, its bytes, and whether it is the last one of its packet.
Transfer = tuple[int, int, bytes, bool]


def packet(stream: int, iv: bytes, text: bytes) -> list[Transfer]:
    """Return the transfers of a message to encrypt."""
    header = bytes([0, 0, len(iv), 0]) + bytes(4) + len(text).to_bytes(4, "little")
    parts = [(HEADER, header + bytes(4) + iv), (TEXT, text)]
    pieces = [
        (what, part[i : i + WIDTH]) for what, part in parts for i in range(0, len(part), WIDTH)
    ]
    return [(stream, *piece, n == len(pieces)) for n, piece in enumerate(pieces, start=1)]


def mixed(packets: list[list[Transfer]]) -> list[Transfer]:
    """Return all transfers in any order that keeps that of each stream."""
    left = defaultdict(list)
    for one in packets:
        left[one[0][0]] += one
    order = [stream for stream, transfers in left.items() for _ in transfers]
    RANDOM.shuffle(order)
    return [left[stream].pop(0) for stream in order]


class Core:
    def __init__(self, dut: Any) -> None:
        self.dut = dut
        bus = AxiStreamBus.from_prefix
        reset = {"reset": dut.rst_ni, "reset_active_level": False}
        self.source = AxiStreamSource(bus(dut, "s_axis"), dut.clk_i, **reset)
        self.keys = AxiStreamSource(bus(dut, "s_axis_key"), dut.clk_i, **reset)
        self.sink = AxiStreamSink(bus(dut, "m_axis"), dut.clk_i, **reset)
        self.refused = 0

    async def start(self, chance: float) -> None:
        self.dut.clear_i.value = 0
        self.dut.rst_ni.value = 0
        cocotb.start_soon(Clock(self.dut.clk_i, 10, "ns").start())
        await ClockCycles(self.dut.clk_i, 4)
        self.dut.rst_ni.value = 1
        names = ("tdata", "tkeep", "tlast", "tuser", "tid")
        cocotb.start_soon(watch(self.dut, "m_axis", names))
        cocotb.start_soon(self._count())
        for stream in (self.source, self.keys, self.sink):
            stream.set_pause_generator(pauses(chance))

    async def _count(self) -> None:
        while True:
            await RisingEdge(self.dut.clk_i)
            self.refused += int(self.dut.key_refused_o.value)

    async def load_key(self, stream: int, key: bytes) -> None:
        await self.keys.send(AxiStreamFrame(key, tid=stream))
        await self.keys.wait()

    async def send(self, transfers: list[Transfer]) -> None:
        """Send transfers as they stand: what the source calls a frame ends with TLAST."""
        data, keep, user, tid = b"", [], [], []
        for stream, what, part, last in transfers:
            null = WIDTH - len(part)
            data += part + RANDOM.randbytes(null)
            keep += [1] * len(part) + [0] * null
            user += [what] * WIDTH
            tid += [stream] * WIDTH
            if last:
                await self.source.send(AxiStreamFrame(data, tkeep=keep, tuser=user, tid=tid))
                data, keep, user, tid = b"", [], [], []
        assert not data

    async def receive(self, count: int) -> dict[int, list[bytes]]:
        """Return the texts of so many packets, by the stream that they came from."""
        texts = defaultdict(list)
        now: dict[int, bytes] = defaultdict(bytes)
        for _ in range(count):
            frame = await self.sink.recv(compact=False)
            for i in range(0, len(frame.tdata), WIDTH):
                (stream,) = set(frame.tid[i : i + WIDTH])
                assert set(frame.tuser[i : i + WIDTH]) == {TEXT}
                pairs = zip(frame.tdata[i : i + WIDTH], frame.tkeep[i : i + WIDTH], strict=True)
                now[stream] += bytes(byte for byte, keep in pairs if keep)
            texts[stream].append(now.pop(stream))
        assert not now
        return texts


def expected(key: bytes, iv: bytes, text: bytes) -> bytes:
    return Cipher(algorithms.AES(key), modes.CBC(iv)).encryptor().update(text)


async def exchange(core: Core, extra: list[list[Transfer]]) -> None:
    """Give each stream a key and messages, and transfers of others between them."""
    keys = [RANDOM.randbytes(16) for _ in range(STREAMS)]
    for stream, key in enumerate(keys):
        await core.load_key(stream, key)
    wanted = defaultdict(list)
    packets = list(extra)
    for _ in range(4 * STREAMS):
        stream = RANDOM.randrange(STREAMS)
        iv, text = RANDOM.randbytes(16), RANDOM.randbytes(16 * RANDOM.randrange(6))
        packets.append(packet(stream, iv, text))
        wanted[stream].append(expected(keys[stream], iv, text))
    await core.send(mixed(packets))
    assert await core.receive(4 * STREAMS) == wanted


@cocotb.test()
async def mixed_messages(dut: Any) -> None:
    """All streams at once with random pauses, each under its own key, and then under another."""
    core = Core(dut)
    await core.start(0.3)
    for _ in range(2):
        await exchange(core, [])
    await ClockCycles(dut.clk_i, 4)
    assert dut.idle_o.value == 1 and core.sink.empty() and core.refused == 0


@cocotb.test()
async def numbers_of_no_stream(dut: Any) -> None:
    """Nobody waits, and what is sent to no stream is dropped: packets, and keys with a sign."""
    core = Core(dut)
    await core.start(0.0)
    strangers = range(STREAMS, 1 << (STREAMS - 1).bit_length())
    for number, stream in enumerate(strangers, start=1):
        await core.load_key(stream, RANDOM.randbytes(16))
        await ClockCycles(dut.clk_i, 3)
        assert core.refused == number
    await exchange(core, [packet(stream, bytes(16), bytes(80)) for stream in strangers])
    await ClockCycles(dut.clk_i, 4)
    assert dut.idle_o.value == 1 and core.sink.empty()
