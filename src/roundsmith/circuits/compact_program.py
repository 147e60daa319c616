"""The program of rsm_aes_compact_micro, and the contents of its memories.

`make docs` writes the two files that hold them.

An operation reads a byte of the state and one of the key, looks their sum up in a table, and adds
that to a register or replaces it; so a round needs nothing but operations.

Fields of a word, from the most significant bit: state place to read (6 bits), key place to read
(4), page of the table for the read before (2), whether the look-up before that replaces the
register (1), then, for the value that is in the register: place to write (5), write the state,
write the key (1 each), it is the first byte of a result (1), this is the last word (1).
"""

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from roundsmith.base.paths import RTL
from roundsmith.circuits import sbox_table
from roundsmith.circuits.sbox_table import multiply

#: Pages of the table.
SUB, SUB2, SUB3, SAME = range(4)

#: Places of the state memory behind the two banks of the state: zero, then the round constants.
ZERO = 32
#: Words of the two tables, and where the program starts that wipes.
WORDS, WIPE = 1024, 960


@dataclass(frozen=True)
class Operation:
    """One look-up, and what is to be done with the sum when it is there."""

    state: int
    key: int
    page: int
    replace: bool
    to_state: int | None = None
    to_key: int | None = None
    leave: bool = False


def table() -> list[int]:
    """Return the four pages of 256 bytes."""
    sbox = sbox_table.sbox()
    times = [[multiply(factor, sbox[x]) for x in range(256)] for factor in (1, 2, 3)]
    return [*times[0], *times[1], *times[2], *range(256)]


def constants() -> list[int]:
    """Return what the state memory starts with behind the banks: zero and the round constants."""
    values, constant = [0], 1
    for _ in range(10):
        values.append(constant)
        constant = multiply(2, constant)
    return values


def operations() -> list[Operation]:
    """Return the look-ups of one block, from the first round to the last byte that leaves."""
    found = []
    for number in range(1, 11):
        old, new = 16 * (1 - number % 2), 16 * (number % 2)
        for column in range(4):
            read = [old + 4 * ((column + row) % 4) + row for row in range(4)]
            for row in range(4):
                to = new + 4 * column + row
                if number == 10:
                    found.append(Operation(read[row], read[row] % 16, SUB, True, to))
                    continue
                for step, page in enumerate((SUB2, SUB3, SUB, SUB)):
                    place = read[(row + step) % 4]
                    last = to if step == 3 else None
                    found.append(Operation(place, place % 16, page, step == 0, last))
        for byte in range(16):
            first = ZERO + number if byte == 0 else ZERO
            found.append(Operation(first, byte, SAME, True))
            if byte < 4:
                found.append(Operation(ZERO, 12 + (byte + 1) % 4, SUB, False, to_key=byte))
            else:
                found.append(Operation(ZERO, byte - 4, SAME, False, to_key=byte))
    # The number of rounds is even, so the last of them wrote to bank 0.
    for byte in range(16):
        found.append(Operation(byte, byte, SAME, True, leave=byte == 0))
    return found


#: Cycles from the word that reads to those with the page, with the register, and with the sum.
PAGE_AFTER, REPLACE_AFTER, SUM_AFTER = 1, 2, 3


def words() -> list[int]:
    """Return the program: 16 words that write a block and its key, the block, and the wiping."""
    fields: defaultdict[int, dict[str, int]] = defaultdict(dict)
    for byte in range(16):
        fields[byte] |= {"place": byte, "to_state": 1, "to_key": 1}
    start = 16
    for number, operation in enumerate(operations(), start=start):
        fields[number] |= {"state": operation.state, "key": operation.key}
        fields[number + PAGE_AFTER]["page"] = operation.page
        fields[number + REPLACE_AFTER]["replace"] = int(operation.replace)
        then = fields[number + SUM_AFTER]
        for name, place in (("to_state", operation.to_state), ("to_key", operation.to_key)):
            if place is not None:
                then |= {"place": place, name: 1}
        then["leave"] = int(operation.leave)
    fields[max(fields)]["last"] = 1
    assert max(fields) < WIPE
    for place in range(32):
        fields[WIPE + place] |= {"place": place, "to_state": 1, "to_key": 1}
    fields[WIPE + 31]["last"] = 1
    return [_joined(fields[number]) for number in range(WORDS)]


def _joined(field: dict[str, int]) -> int:
    word = 0
    widths = [("state", 6), ("key", 4), ("page", 2), ("replace", 1), ("place", 5)]
    widths += [(name, 1) for name in ("to_state", "to_key", "leave", "last")]
    for name, width in widths:
        value = field.get(name, 0)
        assert value < 1 << width
        word = word << width | value
    return word


def literals(values: list[int], width: int) -> list[str]:
    """Return the lines of a SystemVerilog array of `values`."""
    digits = -(-width // 4)
    words = [f"{width}'h{value:0{digits}x}" for value in values]
    per_line = 8 if width <= 8 else 4
    rows = [words[at : at + per_line] for at in range(0, len(words), per_line)]
    return ["      " + ", ".join(row) + ("" if row is rows[-1] else ",") for row in rows]


def rom(name: str, text: str, width: int, values: list[int]) -> str:
    """Return the file of a memory of 1,024 words; `text` says what it holds."""
    comment = "".join(f"// {line}\n" for line in text.splitlines())
    port = f"output logic [{width - 1}:0]"
    return f"""// SPDX-License-Identifier: Apache-2.0
//
{comment}//
// Latency: 1 cycle.
//
// Generated by: make docs (roundsmith.circuits.compact_program)
module {name} (
  input  logic        clk_i,
  input  logic [9:0]  address_i,
  {port:19} data_o
);

  // Without the attributes, synthesis may build the memory from LUTs.
  (* rom_style = "block", ram_style = "block" *)
  logic [{width - 1}:0] rom [{len(values)}];

  logic [{width - 1}:0] data_q;

  initial begin
    rom = '{{
{chr(10).join(literals(values, width))}
    }};
  end

  always_ff @(posedge clk_i) begin
    data_q <= rom[address_i];
  end

  assign data_o = data_q;

endmodule
"""


def modules() -> dict[Path, str]:
    """Return both files, and where they stand."""
    pages, program = "rsm_aes_compact_pages", "rsm_aes_compact_program"
    found = {
        pages: rom(
            pages,
            "The table of rsm_aes_compact_micro, four pages of 256 bytes in block RAM: the S-box\n"
            "(FIPS 197, 5.1.1), its product with 02, with 03, and the byte itself.",
            8,
            table(),
        ),
        program: rom(
            program,
            "The program of rsm_aes_compact_micro in block RAM, one word a cycle. From the most\n"
            "significant bit: place of the state to read (6 bits), place of the key to read\n"
            "(4), page of the table (2), whether a look-up replaces the sum (1), place to write\n"
            "(5), write the state, write the key, a result begins, the program ends (1 each).\n"
            "Words 0 to 15 write a block that enters and its key, words 960 to 991 wipe the\n"
            "memories.",
            22,
            words(),
        ),
    }
    return {RTL / "aes" / "compact" / f"{name}.sv": text for name, text in found.items()}
