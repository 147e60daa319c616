"""A core behind AXI4-Stream, driven by sources and sinks that are not ours.

Run inside the simulator by tests/rtl/bus/test_bus.py; the environment says what the core is.
"""

import os
import random
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge
from cocotbext.axi import AxiStreamBus, AxiStreamFrame, AxiStreamSink, AxiStreamSource
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

RANDOM = random.Random(int(os.environ["RSM_SEED"]))
IDS = int(os.environ["RSM_IDS"])
WIDTH = int(os.environ["RSM_BITS"]) // 8
SELF_TEST = os.environ["RSM_SELF_TEST"] == "1"
TEXT, HEADER = 1, 4


def pauses(chance: float) -> Any:
    while True:
        yield RANDOM.random() < chance


async def watch(dut: Any, prefix: str, names: tuple[str, ...]) -> None:
    """Once valid is high it stays, and nothing changes, until ready."""
    signals = [getattr(dut, f"{prefix}_{name}") for name in names]
    valid, ready = getattr(dut, f"{prefix}_tvalid"), getattr(dut, f"{prefix}_tready")
    before = None
    while True:
        await RisingEdge(dut.clk_i)
        await ReadOnly()
        now = [int(signal.value) for signal in signals] if valid.value == 1 else None
        if before is not None:
            assert now == before, f"{prefix}: {before} became {now}"
        held = now is not None and ready.value == 0 and dut.rst_ni.value == 1
        before = now if held and dut.clear_i.value == 0 else None


class Core:
    def __init__(self, dut: Any) -> None:
        self.dut = dut
        bus = AxiStreamBus.from_prefix
        reset = {"reset": dut.rst_ni, "reset_active_level": False}
        self.source = AxiStreamSource(bus(dut, "s_axis"), dut.clk_i, **reset)
        self.keys = AxiStreamSource(bus(dut, "s_axis_key"), dut.clk_i, **reset)
        self.sink = AxiStreamSink(bus(dut, "m_axis"), dut.clk_i, **reset)

    async def start(self, chance: float = 0.3) -> None:
        self.dut.clear_i.value = 0
        self.dut.rst_ni.value = 0
        cocotb.start_soon(Clock(self.dut.clk_i, 10, "ns").start())
        await ClockCycles(self.dut.clk_i, 4)
        self.dut.rst_ni.value = 1
        names = ("tdata", "tkeep", "tlast", "tuser", *(("tid",) if IDS else ()))
        cocotb.start_soon(watch(self.dut, "m_axis", names))
        for stream in (self.source, self.keys, self.sink):
            stream.set_pause_generator(pauses(chance))
        if SELF_TEST:
            assert self.dut.self_test_o.value == 1
            while self.dut.self_test_o.value == 1:
                await RisingEdge(self.dut.clk_i)
            assert self.dut.self_test_o.value == 2

    async def load_key(self, key: bytes) -> None:
        await self.keys.send(AxiStreamFrame(key))
        await self.keys.wait()

    async def send(self, iv: bytes, text: bytes, name: int = 0, *, decrypt: bool = False) -> None:
        header = bytes([decrypt, 0, len(iv), 0]) + bytes(4) + len(text).to_bytes(4, "little")
        header += bytes(4) + iv.ljust(16, b"\0")
        await self.parts([(HEADER, header), (TEXT, text)], name)

    async def parts(self, parts: list[tuple[int, bytes]], name: int = 0) -> None:
        """Send a packet; no transfer has bytes of two parts, so null bytes fill up the last one."""
        data, keep, user = b"", [], []
        for what, part in parts:
            null = -len(part) % WIDTH
            data += part + RANDOM.randbytes(null)
            keep += [1] * len(part) + [0] * null
            user += [what] * (len(part) + null)
        ids = {"tid": name} if IDS else {}
        await self.source.send(AxiStreamFrame(data, tkeep=keep, tuser=user, **ids))

    async def receive(self) -> tuple[bytes, int, bool]:
        """Return the text, the TID, and whether the message was refused."""
        frame = await self.sink.recv(compact=False)
        pairs = zip(frame.tdata, frame.tkeep, strict=True)
        text = bytes(byte for byte, keep in pairs if keep)
        assert all(user & 3 == TEXT for user in frame.tuser)
        (name,) = set(frame.tid) if IDS else {0}
        return text, name, bool(frame.tuser[-1] & 8)


def expected(key: bytes, iv: bytes, text: bytes) -> bytes:
    return Cipher(algorithms.AES(key), modes.CTR(iv)).encryptor().update(text)


@cocotb.test()
async def messages(dut: Any) -> None:
    """Messages of many lengths back to back, each answer with the TID of its message."""
    core = Core(dut)
    await core.start()
    for key in (RANDOM.randbytes(16) for _ in range(2)):
        await core.load_key(key)
        sizes = [0, 0, 1, 15, 16, 17, 64, 65, *(RANDOM.randrange(200) for _ in range(12))]
        sent = [(RANDOM.randbytes(16), RANDOM.randbytes(size)) for size in sizes]
        names = [RANDOM.randrange(1 << IDS) for _ in sizes]
        for (iv, text), name in zip(sent, names, strict=True):
            await core.send(iv, text, name)
        for (iv, text), name in zip(sent, names, strict=True):
            assert await core.receive() == (expected(key, iv, text), name, False)
    await ClockCycles(dut.clk_i, 4)
    assert dut.idle_o.value == 1
    assert core.sink.empty()


@cocotb.test()
async def without_a_pause(dut: Any) -> None:
    """The same when nobody ever waits."""
    core = Core(dut)
    await core.start(0.0)
    key = RANDOM.randbytes(16)
    await core.load_key(key)
    sent = [(RANDOM.randbytes(16), RANDOM.randbytes(size)) for size in (160, 3, 0, 100, 16)]
    for iv, text in sent:
        await core.send(iv, text)
    for iv, text in sent:
        assert await core.receive() == (expected(key, iv, text), 0, False)


@cocotb.test()
async def packets_without_sense(dut: Any) -> None:
    """A packet without a whole header is dropped, and the next one is not hurt."""
    core = Core(dut)
    await core.start()
    key, iv = RANDOM.randbytes(16), RANDOM.randbytes(16)
    await core.load_key(key)
    text = RANDOM.randbytes(40)
    for parts in ([(TEXT, 40)], [(HEADER, 16)], [(HEADER, 7)], [(HEADER, 16), (TEXT, 40)]):
        await core.parts([(what, bytes(size)) for what, size in parts])
        await core.send(iv, text)
        assert await core.receive() == (expected(key, iv, text), 0, False)
    # A part that the mode does not know: refused at its end.
    await core.parts([(HEADER, bytes(32)), (2, bytes(16))])
    assert await core.receive() == (b"", 0, True)
    assert core.sink.empty()


@cocotb.test()
async def keys(dut: Any) -> None:
    """Keys of another length are dropped and said to be; what a clear has dropped is gone."""
    core = Core(dut)
    await core.start(0.0)
    refused = 0

    async def count() -> None:
        nonlocal refused
        while True:
            await RisingEdge(dut.clk_i)
            refused += int(dut.key_refused_o.value)

    cocotb.start_soon(count())
    key, iv = RANDOM.randbytes(16), RANDOM.randbytes(16)
    await core.load_key(key)
    for number, size in enumerate((4, 12, 20, 24, 32, 64), start=1):
        await core.load_key(RANDOM.randbytes(size))
        await ClockCycles(dut.clk_i, 3)
        assert refused == number, size
        await core.send(iv, b"still the first key")
        assert (await core.receive())[0] == expected(key, iv, b"still the first key")
    dut.clear_i.value = 1
    await RisingEdge(dut.clk_i)
    dut.clear_i.value = 0
    await core.send(iv, b"nobody answers")
    await ClockCycles(dut.clk_i, 200)
    assert core.sink.empty() and dut.m_axis_tvalid.value == 0
