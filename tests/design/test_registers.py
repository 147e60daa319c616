"""One register map: all that is made of it says the same."""

import re
import subprocess
import sys
import tomllib
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from systemrdl import RDLCompiler
from systemrdl.node import FieldNode, RegNode

from roundsmith.base.errors import RoundsmithError
from roundsmith.design.registers import model, writer
from roundsmith.design.registers.model import Access, Kind
from roundsmith.spec import Mode, modes

MAP = model.load()


def data() -> dict[str, Any]:
    return tomllib.loads(model.SOURCE.read_text())


def test_the_files_are_those_of_the_map() -> None:
    for path, text in writer.files().items():
        assert path.read_text() == text, f"{path.name} is stale: {writer.COMMAND} makes it again"


def test_the_command_in_the_files_makes_them() -> None:
    argv = [sys.executable, "-m", "roundsmith.design.registers", "--check"]
    assert writer.COMMAND.split()[1:] == argv[1:3]
    assert subprocess.run(argv).returncode == 0


def test_keys_cannot_be_read() -> None:
    for register in MAP.registers:
        if "key" in register.name and register.name != "key_control":
            assert register.access is Access.WRITE and register.wiped
            assert not re.search(rf"access_data_o.*\b{register.name}_o", writer.rtl())


def test_the_c_header_is_the_map(tmp_path: Path) -> None:
    """A C compiler reads the addresses, shifts and masks that the map has."""
    wanted: dict[str, int] = {"RSM_BYTES": MAP.bytes}
    for register in MAP.registers:
        name = f"RSM_{register.name.upper()}"
        wanted[name] = register.offset
        if register.string:
            wanted[f"{name}_WORDS"] = register.count
            continue
        for field in register.fields:
            wanted[f"{name}_{field.name.upper()}_SHIFT"] = field.low
            wanted[f"{name}_{field.name.upper()}_MASK"] = field.mask
            if register.kind is Kind.CONSTANT:
                wanted[f"{name}_{field.name.upper()}_VALUE"] = field.value
    wanted |= {f"RSM_MODE_{mode.upper()}": number for mode, number in modes.NUMBERS.items()}
    source = tmp_path / "names.c"
    printed = "".join(f'    printf("{n} %lu\\n", (unsigned long){n});\n' for n in wanted)
    source.write_text(
        '#include <stdio.h>\n#include "rsm_registers.h"\n#include "rsm_registers.h"\n'
        f"int main(void)\n{{\n{printed}    return 0;\n}}\n"
    )
    program = tmp_path / "names"
    flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", f"-I{writer.DRIVER}"]
    subprocess.run(["gcc", *flags, "-o", program, source], check=True)
    said = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    assert {n: int(v) for n, v in map(str.split, said.splitlines())} == wanted
    defined = re.findall(r"#define (\w+) ", writer.c_header())
    assert sorted(defined) == sorted(wanted)


def test_a_systemrdl_compiler_finds_the_map() -> None:
    compiler = RDLCompiler()
    compiler.compile_file(str(writer.DRIVER / "rsm_registers.rdl"))
    root = compiler.elaborate()
    registers = [n for n in root.descendants(unroll=True) if isinstance(n, RegNode)]
    wanted = {
        f"{r.name}[{i}]" if r.string else r.name: (address, r)
        for r in MAP.registers
        for i, address in enumerate(r.addresses)
    }
    assert len(registers) == len(wanted)
    for node in registers:
        name = node.get_path_segment()
        address, register = wanted[name]
        assert node.absolute_address == address
        fields = {f.inst_name: f for f in node.children() if isinstance(f, FieldNode)}
        assert list(fields) == [field.name for field in register.fields]
        for field in register.fields:
            found = fields[field.name]
            assert (found.high, found.low) == (field.high, field.low)
            assert found.is_sw_readable == register.readable
            assert found.is_sw_writable == register.writable
            if register.kind is Kind.CONSTANT:
                assert found.get_property("reset") == field.value


def test_the_table_has_every_register_and_field() -> None:
    rows = [line.strip("|").split("|") for line in writer.table().splitlines()[2:]]
    for register in MAP.registers:
        (row,) = [r for r in rows if r[1].strip() == f"`{register.name.upper()}`"]
        assert row[0].strip().startswith(f"`0x{register.offset:02x}`")
    fields = sum(len(r.fields) for r in MAP.registers if not r.string)
    assert len(rows) == len(MAP.registers) + fields


def test_every_mode_has_a_number_of_its_own() -> None:
    assert set(modes.NUMBERS) == set(Mode) - {Mode.NONE}
    assert len(set(modes.NUMBERS.values())) == len(modes.NUMBERS)
    assert max(modes.NUMBERS.values()) < 32


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"offset": 0x02}, "does not begin at a word"),
        ({"offset": 0x00}, "lies on or before another one"),
        ({"name": "id"}, "two registers have one name"),
        ({"access": "read"}, "has no such access"),
        ({"access": "sometimes"}, "Input should be"),
        ({"wiped": True}, "stores nothing that could be wiped"),
        ({"count": 2}, "several words are a string"),
        ({"colour": "red"}, "Extra inputs are not permitted"),
        ({"fields": [{"name": "a", "bits": "32", "text": ""}]}, "no room for field 'a'"),
        ({"fields": [{"name": "a", "bits": "0:3", "text": ""}]}, "no room for field 'a'"),
        ({"fields": []}, "at least 1 item"),
        (
            {"fields": [{"name": n, "bits": "3:0", "text": ""} for n in "ab"]},
            "no room for field 'b'",
        ),
        ({"fields": [{"name": "a", "bits": "1:0", "value": 4, "text": ""}]}, "too narrow"),
    ],
)
def test_a_map_that_makes_no_sense_is_refused(change: dict[str, Any], sentence: str) -> None:
    given = deepcopy(data())
    (index,) = (i for i, r in enumerate(given["register"]) if r["name"] == "out_control")
    given["register"][index] |= change
    with pytest.raises(RoundsmithError, match=re.escape(sentence)):
        model.parse(given)


@pytest.mark.parametrize("size", [128, 200])
def test_a_map_without_room_is_refused(size: int) -> None:
    with pytest.raises(RoundsmithError, match="a power of two of bytes, with room"):
        model.parse(data() | {"bytes": size})
