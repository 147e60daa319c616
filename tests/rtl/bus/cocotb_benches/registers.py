"""A core behind AXI4-Lite, Wishbone or APB, driven by bus masters that are not ours.

Run inside the simulator by tests/rtl/bus/test_bus.py; the environment says which bus.
"""

import os
import random
from collections.abc import Callable
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge
from cocotbext.axi import ApbBus, ApbMaster, AxiLiteBus, AxiLiteMaster, AxiResp
from cocotbext.wishbone.driver import WBOp, WishboneMaster
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from roundsmith.design.registers import model

MAP = model.load()
RANDOM = random.Random(int(os.environ["RSM_SEED"]))
SELF_TEST = os.environ["RSM_SELF_TEST"] == "1"


def pauses() -> Any:
    while True:
        yield RANDOM.random() < 0.4


class Lite:
    def __init__(self, dut: Any) -> None:
        bus = AxiLiteBus.from_prefix(dut, "s_axi")
        self.master = AxiLiteMaster(bus, dut.clk_i, dut.rst_ni, reset_active_level=False)
        writer, reader = self.master.write_if, self.master.read_if
        for channel in (writer.aw_channel, writer.w_channel, writer.b_channel):
            channel.set_pause_generator(pauses())
        for channel in (reader.ar_channel, reader.r_channel):
            channel.set_pause_generator(pauses())

    async def write(self, address: int, data: bytes) -> bool:
        return (await self.master.write(address, data)).resp == AxiResp.OKAY

    async def read(self, address: int) -> tuple[bytes, bool]:
        answer = await self.master.read(address, 4)
        return answer.data, answer.resp == AxiResp.OKAY


class Apb:
    def __init__(self, dut: Any) -> None:
        bus = ApbBus.from_prefix(dut, "s_apb")
        self.master = ApbMaster(bus, dut.clk_i, dut.rst_ni, reset_active_level=False)
        self.master.set_pause_generator(pauses())

    async def write(self, address: int, data: bytes) -> bool:
        return not int((await self.master.write(address, data)).resp)

    async def read(self, address: int) -> tuple[bytes, bool]:
        answer = await self.master.read(address, 4)
        return answer.data, not int(answer.resp)


class Wishbone:
    """The master in pipelined dress, since it looks at `stall`; or classic, which does not."""

    def __init__(self, dut: Any) -> None:
        names = {n: n for n in ("cyc", "stb", "we", "adr", "ack", "err", "sel")}
        names |= {"datwr": "dat_w", "datrd": "dat_r"}
        if os.environ["RSM_CLASSIC"] == "0":
            names["stall"] = "stall"
        self.master = WishboneMaster(dut, "wb", dut.clk_i, timeout=50, signals_dict=names)

    async def _one(self, operation: WBOp) -> Any:
        (answer,) = await self.master.send_cycle([operation])
        return answer

    async def write(self, address: int, data: bytes) -> bool:
        strobes, word = (1 << len(data)) - 1, int.from_bytes(data, "little")
        idle = RANDOM.randrange(3)
        return (await self._one(WBOp(address, word, idle=idle, sel=strobes))).ack == 1

    async def read(self, address: int) -> tuple[bytes, bool]:
        answer = await self._one(WBOp(address, idle=RANDOM.randrange(3)))
        return int(answer.datrd).to_bytes(4, "little"), answer.ack == 1


BUSES: dict[str, Callable[[Any], Any]] = {"axi4_lite": Lite, "apb": Apb, "wishbone": Wishbone}


class Registers:
    """The registers by their names."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.bus = BUSES[os.environ["RSM_BUS"]](dut)

    async def start(self) -> None:
        self.dut.clear_i.value = 0
        self.dut.rst_ni.value = 0
        cocotb.start_soon(Clock(self.dut.clk_i, 10, "ns").start())
        await ClockCycles(self.dut.clk_i, 4)
        self.dut.rst_ni.value = 1
        await ClockCycles(self.dut.clk_i, 4)

    async def write(self, register: str, value: int = 0, word: int = 0, **fields: int) -> bool:
        address = MAP[register].addresses[word]
        for field in MAP[register].fields:
            value |= fields.pop(field.name, 0) << field.low
        assert not fields
        return await self.bus.write(address, value.to_bytes(4, "little"))

    async def must(self, register: str, value: int = 0, word: int = 0, **fields: int) -> None:
        assert await self.write(register, value, word, **fields), register

    async def read(self, register: str, word: int = 0) -> dict[str, int]:
        data, okay = await self.bus.read(MAP[register].addresses[word])
        assert okay, register
        value = int.from_bytes(data, "little")
        fields = MAP[register].fields
        assert not value & ~MAP[register].mask
        return {field.name: (value & field.mask) >> field.low for field in fields}

    async def string(self, register: str, data: bytes) -> None:
        for i in range(0, len(data), 4):
            word = int.from_bytes(data[i : i + 4].ljust(4, b"\0"), "little")
            await self.must(register, word, i // 4)

    async def until(self, **wanted: int) -> dict[str, int]:
        for _ in range(500):
            status = await self.read("status")
            if all(status[name] == value for name, value in wanted.items()):
                return status
        raise AssertionError(f"{wanted} never came: {status}")

    async def load_key(self, key: bytes) -> None:
        await self.until(key_ready=1)
        await self.must("key_control", length={16: 0, 24: 1, 32: 2}[len(key)])
        await self.string("key", key)
        await self.must("command", load_key=1)
        await self.until(key_ready=1)

    async def message(self, iv: bytes, text: bytes, *, decrypt: bool = False) -> bytes:
        await self.until(start_ready=1)
        await self.must("message", decrypt=int(decrypt), iv_bytes=len(iv))
        await self.string("iv", iv)
        await self.must("text_bytes", len(text))
        await self.must("command", start=1)
        out = b""
        beats = [text[i : i + 16] for i in range(0, len(text), 16)] or [b""]
        for number, beat in enumerate(beats):
            await self.until(in_ready=1)
            await self.string("data_in", beat)
            last = number == len(beats) - 1
            await self.must("in_control", bytes=len(beat), part=1, last=int(last))
            status = await self.until(out_valid=1)
            assert status["out_last"] == last and not status["refused"]
            out += await self.beat(status)
        return out

    async def beat(self, status: dict[str, int]) -> bytes:
        words = [(await self.read("data_out", i))["bytes"] for i in range(4)]
        await self.must("out_control", take=1)
        data = b"".join(word.to_bytes(4, "little") for word in words)
        assert not any(data[status["out_bytes"] :])
        return data[: status["out_bytes"]]


def expected(key: bytes, iv: bytes, text: bytes) -> bytes:
    return Cipher(algorithms.AES(key), modes.CTR(iv)).encryptor().update(text)


@cocotb.test()
async def messages(dut: Any) -> None:
    """Messages of many lengths under several keys, both ways."""
    core = Registers(dut)
    await core.start()
    if SELF_TEST:
        await core.until(locked=0)
        assert (await core.read("self_test"))["state"] == 2
    for key in (RANDOM.randbytes(16) for _ in range(2)):
        await core.load_key(key)
        for size in (0, 1, 16, 17, RANDOM.randrange(33, 70)):
            iv, text = RANDOM.randbytes(16), RANDOM.randbytes(size)
            secret = await core.message(iv, text)
            assert secret == expected(key, iv, text)
            assert await core.message(iv, secret, decrypt=True) == text
    await core.until(idle=1)


@cocotb.test()
async def constants(dut: Any) -> None:
    """What can be read without a key, and every access that is an error."""
    core = Registers(dut)
    await core.start()
    await core.until(locked=0)
    assert (await core.read("id"))["id"] == 0x52534D43
    assert await core.read("version") == {"major": 1, "minor": 0}
    features = await core.read("features")
    assert features["encrypts"] and features["decrypts"] and features["key_lengths"] == 1
    assert features["has_self_test"] == SELF_TEST and features["last_slot"] == 0
    words = {address: r for r in MAP.registers for address in r.addresses}
    for address in range(0, MAP.bytes, 4):
        register = words.get(address)
        data, okay = await core.bus.read(address)
        assert okay == (register is not None and register.readable), hex(address)
        assert okay or data == bytes(4)
        if register is None or not register.writable:
            assert not await core.bus.write(address, b"\xff" * 4), hex(address)
    # A part of a word is no write.
    assert not await core.bus.write(MAP["int_enable"].offset, b"\xff")
    assert (await core.read("int_enable"))["events"] == 0
    assert not (await core.read("status"))["error"]


@cocotb.test()
async def keys_stay_inside(dut: Any) -> None:
    """No register ever shows a byte of the key, wherever it is."""
    core = Registers(dut)
    await core.start()
    await core.until(locked=0)
    key = bytes(range(0xA1, 0xB1))

    async def look() -> None:
        for address in range(0, MAP.bytes, 4):
            data, _ = await core.bus.read(address)
            for i in range(0, 16, 4):
                assert data != key[i : i + 4] and data != key[i : i + 4][::-1], hex(address)

    await core.string("key", key)
    await look()
    await core.must("command", load_key=1)
    await look()
    assert await core.message(bytes(16), bytes(5)) == expected(key, bytes(16), bytes(5))
    await look()


async def never_answers(core: Registers) -> None:
    """A message under a key that is gone has no answer."""
    await core.must("message", iv_bytes=16)
    await core.must("command", start=1)
    await core.string("data_in", bytes(16))
    await core.must("in_control", bytes=16, part=1, last=1)
    await ClockCycles(core.dut.clk_i, 200)
    assert not (await core.read("status"))["out_valid"]


@cocotb.test()
async def clear_forgets(dut: Any) -> None:
    """The command and the pin drop messages and keys."""
    core = Registers(dut)
    await core.start()
    for way in ("command", "pin"):
        await core.until(locked=0)
        await core.load_key(RANDOM.randbytes(16))
        await core.must("message", iv_bytes=16)
        await core.must("command", start=1)
        await core.string("data_in", bytes(16))
        await core.must("in_control", bytes=16, part=1)
        await core.until(out_valid=1)
        if way == "command":
            await core.must("command", clear=1)
        else:
            dut.clear_i.value = 1
            await RisingEdge(dut.clk_i)
            dut.clear_i.value = 0
        status = await core.until(idle=1)
        assert not status["out_valid"] and not status["error"]
        assert await core.read("message") == dict.fromkeys(await core.read("message"), 0)
        await never_answers(core)
        await core.must("command", clear=1)
        await core.until(idle=1)


@cocotb.test()
async def out_of_turn(dut: Any) -> None:
    """What comes at the wrong time clears everything, the key too, and says so."""
    core = Registers(dut)
    await core.start()
    await core.until(locked=0)

    async def take_nothing() -> bool:
        return await core.write("out_control", take=1)

    async def wrong_length() -> bool:
        await core.must("key_control", length=2)
        return await core.write("command", load_key=1)

    async def wrong_slot() -> bool:
        await core.must("key_control", slot=1)
        return await core.write("command", load_key=1)

    async def two_beats() -> bool:
        # No message takes the first one.
        await core.must("in_control", bytes=16, part=1)
        return await core.write("in_control", bytes=16, part=1)

    async def two_messages() -> bool:
        # The mode takes one, which is never fed, perhaps a second; then one waits in the register.
        for _ in range(4):
            await core.must("message", iv_bytes=16)
            if not await core.write("command", start=1):
                return False
            if not (await core.read("status"))["start_ready"]:
                return await core.write("iv", 5)
        raise AssertionError("messages without end")

    for fault in (take_nothing, wrong_length, wrong_slot, two_beats, two_messages):
        await core.load_key(RANDOM.randbytes(16))
        await core.must("int_enable", events=0x10)
        await core.must("int_status", 0x1F)
        assert dut.interrupt_o.value == 0
        assert not await fault(), fault.__name__
        status = await core.until(error=1)
        assert not status["key_ready"] and not status["start_ready"] and not status["in_ready"]
        assert dut.interrupt_o.value == 1
        assert not await core.write("command", start=1)
        await core.must("command", clear=1)
        await core.until(error=0, idle=1, start_ready=1)
        await core.must("int_status", 0x1F)
        assert dut.interrupt_o.value == 0
        await never_answers(core)
        await core.must("command", clear=1)
        await core.until(idle=1)


@cocotb.test()
async def interrupts(dut: Any) -> None:
    """Every event raises the interrupt where it is enabled, and until it is cleared."""
    core = Registers(dut)
    await core.start()
    await core.until(locked=0)
    await core.must("int_enable", events=0b01000)
    assert dut.interrupt_o.value == 0
    await core.load_key(bytes(16))
    await ClockCycles(dut.clk_i, 2)
    assert dut.interrupt_o.value == 1
    await core.must("int_status", key=1)
    await ClockCycles(dut.clk_i, 2)
    assert dut.interrupt_o.value == 0
    await core.must("int_enable", events=0b00001)
    await core.must("message", iv_bytes=16)
    await core.must("command", start=1)
    await core.must("in_control", bytes=3, part=1, last=1)
    await core.until(out_valid=1)
    found = await core.read("int_status")
    assert found == {"done": 1, "output": 1, "input": 1, "key": 0, "error": 0}
    assert dut.interrupt_o.value == 1
    # An event that still holds comes back.
    await core.must("int_status", done=1, output=1, input=1)
    assert (await core.read("int_status"))["done"] == 1
    await core.must("out_control", take=1)
    await core.must("int_status", done=1, output=1)
    await ClockCycles(dut.clk_i, 2)
    assert dut.interrupt_o.value == 0


@cocotb.test(skip=not SELF_TEST)
async def self_test_again(dut: Any) -> None:
    """The known answers on request: everything is dropped, then it is ready again."""
    core = Registers(dut)
    await core.start()
    assert (await core.read("self_test"))["state"] == 1
    # Locked: nothing is taken, and nothing is an offence.
    assert not await core.write("command", start=1)
    status = await core.until(locked=0)
    assert not status["error"]
    await core.load_key(bytes(16))
    await core.must("command", self_test=1)
    assert (await core.read("self_test"))["state"] == 1
    await core.until(locked=0, idle=1)
    assert (await core.read("self_test"))["state"] == 2
    await never_answers(core)
