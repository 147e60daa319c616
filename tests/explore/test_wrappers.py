"""What a mode and a bus add to a core: learnt from records, right in cycles, known to `choose`."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from roundsmith import catalogue
from roundsmith import spec as formulas
from roundsmith.base.errors import RoundsmithError
from roundsmith.cli import cli
from roundsmith.cli.mode_bus_options import with_mode_and_bus
from roundsmith.explore import choose, estimator, explain_cost, prices, space, wrappers
from roundsmith.explore.needs import Needs, figures
from roundsmith.explore.space import BOTH, ENCRYPT
from roundsmith.flows import synthesize, targets
from roundsmith.records import records
from roundsmith.records.records import Measurement
from roundsmith.simulate import messages
from roundsmith.simulate.messages import Message
from roundsmith.spec import Bus, Cipher, Direction, Mode, Spec, buses, modes, streams
from roundsmith.spec.mode_bus_rules import of_blocks

ECP5, XCVE = targets.parse("ecp5-85k:6"), targets.parse("mapped:xcve")
BASES = ("iterative-lut4", "saggese-iterative-5")
#: The prices that the invented records follow, by column; others are free.
LUTS = {
    **dict.fromkeys([mode.word for mode in modes.MODES], 90.0),
    "gcm": 300.0,
    "axi4_stream": 40.0,
    "blocks": 0.25,
    "ghash": 80.0,
}
SLOWEST = 10.0


@pytest.fixture
def invented(own_records: Path) -> Iterator[list[Spec]]:
    """Put records of cores in modes in place of the real ones there, and tell which."""
    made = []
    there = [r for r in records.measurements() if r.target == ECP5.name]
    real = {r.name: r for r in there}
    in_modes = {name for name in real if wrappers._in_mode(name)}
    kept = [r for r in records.measurements() if r.target != ECP5.name or r.name not in in_modes]
    file = records.folder() / "measurements.jsonl"
    file.write_text("".join(record.model_dump_json() + "\n" for record in kept))
    for name in BASES:
        base = catalogue.find(name)
        cores = [
            core
            for mode in [mode.word for mode in modes.MODES]
            for core in space.wrapped([base], mode)
        ]
        cores += space.wrapped([base], Mode.CTR, Bus.AXI4_STREAM)
        for spec in cores:
            more = sum(LUTS.get(c, 0.0) * value for c, value in wrappers.terms(spec).items())
            is_chosen = spec.what.mode is Mode.CTR
            period = max(1000 / real[name].fmax_mhz, SLOWEST)  # type: ignore[operator]
            record = real[name].model_copy(
                update={
                    "name": spec.name,
                    "lut": round(real[name].lut + more),  # type: ignore[operator]
                    "fmax_mhz": 1000 / period,
                    "design_hash": records.design_hash(spec, ECP5) if is_chosen else "old",
                }
            )
            records.append(record)
            made.append(spec)
    records._read.cache_clear()
    yield made


def test_prices_are_found_again(invented: list[Spec]) -> None:
    known = prices.learn(ECP5, "")
    assert {known.prices["lut"][name].source for name in LUTS if name != "xts"} == {ECP5.name}
    other = catalogue.find("standaert-loop-ram-gcm")
    wanted = LUTS["gcm"] + sum(
        LUTS[name] * wrappers.terms(other)[name] for name in ("blocks", "ghash")
    )
    assert known.more(other, "lut") == pytest.approx(wanted, rel=0.05)
    behind = catalogue.find("iterative-lut4-ctr-axi4-stream")
    alone = catalogue.find("iterative-lut4-ctr")
    more = known.more(behind, "lut") - known.more(alone, "lut")
    assert more == pytest.approx(LUTS["axi4_stream"], abs=2)
    assert known.errors["lut"].median < 0.02
    # The fastest core in this mode is slower in it than by itself; a slow one is not.
    assert known.period(alone) == known.fastest["ctr"] == pytest.approx(SLOWEST)


def test_an_estimate_is_that_of_the_core_and_what_is_around_it(invented: list[Spec]) -> None:
    spec = catalogue.find("fastest-ecp5-ctr")
    (whole,), (core,) = (estimator.estimate([s], ECP5) for s in (spec, spec.bare()))
    known = estimator.wrapping(ECP5, "")
    assert whole.lut and core.lut and whole.fmax_mhz
    assert whole.lut == pytest.approx(core.lut + known.more(spec, "lut"))
    # A line is faster by itself than any core in this mode was.
    assert whole.fmax_mhz == pytest.approx(1000 / SLOWEST)
    slow = catalogue.find("iterative-lut4-ctr")
    (late,), (itself,) = (estimator.estimate([s], ECP5) for s in (slow, slow.bare()))
    assert late.fmax_mhz == itself.fmax_mhz


def test_records_of_modes_teach_nothing_of_cores(invented: list[Spec]) -> None:
    names = {example.spec.name for example in estimator.examples(ECP5.name, "")}
    assert set(BASES) <= names
    assert not names & {spec.name for spec in invented}


# --- The real records ---------------------------------------------------------------------------

TARGETS = ("ecp5-85k:6", "asic:osu018", "mapped:xcve", "ice40-hx8k", "nexus-17k")
#: How far an estimate may be from the record of the same core here, or on another target.
NEAR, FAR = 1.4, 2.0
REAL = [
    f"iterative-lut4-{mode}".replace("_", "-")
    for mode in [mode.word for mode in modes.MODES]
    if mode != "xts"
]
REAL += [f"iterative-lut4-ctr-{bus.word}".replace("_", "-") for bus in buses.MESSAGES]
REAL += ["satoh-1-xts-axi4-stream", "saggese-iterative-5-cbc", "satoh-1-cbc"]


def area_of(record: Measurement) -> float:
    return float(record.area_ge if record.area_ge is not None else record.lut or 0)


def records_of(name: str, target: str, aim: str) -> Measurement | None:
    return wrappers.last(target, aim).get(name)


def nearest(name: str, target: str, aim: str) -> tuple[float, float]:
    """Return the area of a core by the nearest record, and how far from it an estimate may be.

    What a core alone has in gate equivalents for a LUT tells about what it has in a mode.
    """
    own = records_of(name, target, aim)
    if own is not None:
        return area_of(own), NEAR
    base = catalogue.find(name).bare().name
    other = next(
        record
        for there in ("mapped:xcve", "ecp5-85k:6", "asic:osu018")
        if (record := records_of(name, there, "area" if there.startswith("asic") else ""))
    )
    alone = records_of(base, other.target, "area" if other.area_ge else "")
    here = records_of(base, target, aim)
    assert alone is not None
    return area_of(other) * (area_of(here) / area_of(alone) if here else 1.0), FAR


def anywhere(word: str) -> bool:
    """Whether a core in that mode, or behind that bus, was measured on some target."""
    places = {m.target for m in records.measurements()}
    found = (e for place in places for e in wrappers.examples(place, ""))
    return any(word in wrappers.words(e.spec) for e in found)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", REAL)
def test_every_mode_and_bus_has_a_price_or_a_sentence(name: str, target: str) -> None:
    spec, goal = catalogue.find(name), targets.parse(target)
    if not space.stands_on(spec, goal):
        pytest.skip("standard cells have no block RAM")
    unknown = [word for word in wrappers.words(spec) if not anywhere(word)]
    if unknown:
        with pytest.raises(
            RoundsmithError, match=r"was measured on any target.*roundsmith measure"
        ):
            estimator.estimate([spec], goal)
        return
    for one in estimator.estimate([spec], goal):
        known = estimator.wrapping(goal, one.aim)
        area = "area_ge" if one.area_ge is not None else "lut"
        for word in wrappers.words(spec):
            assert known.prices[area][word].value > 0 and known.prices["ff"][word].value > 0
        found, (wanted, factor) = getattr(one, area), nearest(name, target, one.aim)
        assert wanted / factor < found < wanted * factor
        (core,) = (c for c in estimator.estimate([spec.bare()], goal) if c.aim == one.aim)
        assert found > getattr(core, area)
        if core.fmax_mhz or core.cycle_ns:
            fastest = max(known.period(spec), core.cycle_ns or 1000 / (core.fmax_mhz or 1))
            assert (one.cycle_ns or 1000 / (one.fmax_mhz or 1)) == pytest.approx(fastest)


def keep(wanted: Callable[[Measurement], bool]) -> None:
    """Keep those of the records alone that are wanted."""
    some = [record for record in records.measurements() if wanted(record)]
    file = records.folder() / "measurements.jsonl"
    file.write_text("".join(record.model_dump_json() + "\n" for record in some))
    records._read.cache_clear()


def test_a_price_that_is_not_known_here_is_borrowed(own_records: Path) -> None:
    spec = catalogue.find("iterative-lut4-cfb")
    record = records_of(spec.name, ECP5.name, "")
    assert record is not None and record.lut
    keep(lambda r: r.target != ECP5.name or "-cfb" not in r.name)
    known = estimator.wrapping(ECP5, "")
    price = known.prices["lut"]["cfb"]
    assert price.source == XCVE.name and price.in_mode >= 5 and price.alone >= 20
    assert known.sources(spec, "lut") == {"cfb": price}
    base = records_of("iterative-lut4", ECP5.name, "")
    assert base is not None and base.lut
    assert base.lut + known.more(spec, "lut") == pytest.approx(record.lut, rel=0.25)
    text = " ".join(explain_cost.explain_cost(known, [spec]))
    assert f"cfb adds is that of {XCVE.name}, times the ratio in" in text
    assert f"{price.in_mode} in a mode, {price.alone} by themselves" in text
    assert f"LUT4 {known.borrowed['lut'].median:.1%}" in text
    # What the columns that were learnt here are off by is another figure, and is told of those.
    other = " ".join(explain_cost.explain_cost(known, [catalogue.find("iterative-lut4-ctr")]))
    assert XCVE.name not in other and f"LUT4 {known.errors['lut'].median:.1%}" in other


def test_the_error_of_a_borrowed_price_is_that_of_records_left_out(own_records: Path) -> None:
    names = ("iterative-lut4-cfb", "iterative-lut4-cfb-axi4-stream")
    there = {n: r for n in names if (r := records_of(n, ECP5.name, "")) is not None}
    base = records_of("iterative-lut4", ECP5.name, "")
    own = wrappers.examples(ECP5.name, "")
    others = prices._others(ECP5.name, "")
    made = prices._place(ECP5.name, wrappers.last(ECP5.name, ""), own, others)
    part = [one for one in own if one.spec.name in names]
    errors = prices._errors(made, others, [part])
    keep(lambda r: r.target != ECP5.name or r.name not in names)
    known = prices.learn(ECP5, "")
    assert base is not None and base.lut and len(there) == 2
    wrong = [
        abs((base.lut + known.more(catalogue.find(n), "lut")) / (r.lut or 0) - 1)
        for n, r in there.items()
    ]
    assert errors["lut"].cores == 2 and errors["lut"].median == pytest.approx(sum(wrong) / 2)


def test_luts_and_registers_tell_gate_equivalents(own_records: Path) -> None:
    osu = targets.parse("asic:osu018")
    record = records_of("iterative-lut4-gcm", osu.name, "area")
    assert record is not None and record.area_ge
    keep(lambda r: r.target != osu.name or "-gcm" not in r.name)
    base = records_of("iterative-lut4", osu.name, "area")
    assert base is not None and base.area_ge
    more = prices.learn(osu, "area").more(catalogue.find("iterative-lut4-gcm"), "area_ge")
    assert base.area_ge + more == pytest.approx(record.area_ge, rel=0.4)


def test_cells_without_records_borrow_by_way_of_others(own_records: Path) -> None:
    keep(lambda r: not r.target.startswith("asic:") or "-apb" not in r.name)
    known = prices.learn(targets.parse("asic:osu050"), "delay")
    apb = known.prices["area_ge"]["apb"]
    assert apb.source == f"{XCVE.name} by way of asic:osu018" and apb.value > 0
    assert not known.errors and known.doubt("area_ge") == wrappers.UNKNOWN_ERROR
    text = explain_cost.explain_cost(known, [catalogue.find("iterative-lut4-ctr-apb")])[0]
    assert "nobody knows how far off" in text


def test_what_was_measured_nowhere_is_refused(own_records: Path) -> None:
    keep(lambda r: "-gcm" not in r.name)
    for target in TARGETS:
        with pytest.raises(RoundsmithError) as told_:
            estimator.estimate([catalogue.find("fastest-ecp5-gcm")], targets.parse(target))
        wanted = f"`roundsmith measure fastest-ecp5-gcm fastest-ecp5 --target {target}"
        assert wanted in str(told_.value)
        # The small form says what the small form costs.
        with pytest.raises(RoundsmithError, match="measure iterative-lut4-gcm iterative-lut4"):
            estimator.estimate([catalogue.find("iterative-table-gcm")], targets.parse(target))
    with pytest.raises(RoundsmithError, match="No core in mode gcm"):
        choose.choose(Needs(target=ECP5, mode=Mode.GCM), tries=0)
    keep(lambda r: False)
    with pytest.raises(RoundsmithError, match="No core in mode ctr"):
        prices.learn(ECP5, "").check(catalogue.find("iterative-lut4-ctr"))


def test_a_mode_limits_the_clock_only_where_records_say_so(own_records: Path) -> None:
    osu = targets.parse("asic:osu018")
    ring, loop = "best-per-ge-interleaved", "iterative-lut4"
    keep(lambda r: r.name.startswith((ring, loop)) or not wrappers._in_mode(r.name))
    known = prices.learn(osu, "delay")
    slow, alone = (records_of(f"{ring}{m}", osu.name, "delay") for m in ("-gcm", ""))
    assert slow is not None and alone is not None and slow.cycle_ns and alone.cycle_ns
    gcm, ccm = catalogue.find(f"{ring}-gcm"), catalogue.find(f"{loop}-ccm")
    assert slow.cycle_ns > 1.2 * alone.cycle_ns
    assert known.period(gcm) == known.fastest["gcm"] <= slow.cycle_ns
    # The core was as fast in this mode as by itself, so nothing tells that a faster one is not.
    assert known.period(ccm) == 0 < known.fastest["ccm"]
    # Nothing was timed here: the limit comes with the ratio of the periods of the same cores.
    keep(lambda r: r.target != ECP5.name or "-gcm" not in r.name)
    there = prices.learn(ECP5, "")
    limit = there.limits["gcm"]
    assert limit.source == osu.name and limit.alone >= 20
    assert limit.value > 2 * known.period(gcm)
    text = " ".join(explain_cost.explain_cost(there, [gcm]))
    assert f"the clock is what gcm allows at most, as on {osu.name}, times the ratio in" in text
    # An area-driven netlist in cells, and a mapping, have no clock to tell of.
    assert not prices.learn(osu, "area").limits and not prices.learn(XCVE, "").limits


@pytest.mark.parametrize(
    ("alone", "in_mode", "limit"),
    [
        (2.0, 5.2, 5.0),  # nearly as fast in the mode as the loop, and slowed down by it
        (2.0, 4.9, 4.9),  # the fastest in the mode
        (2.0, 5.4, 0.0),  # too slow in the mode to tell its limit
        (4.9, 5.2, 0.0),  # not slowed down
    ],
)
def test_a_core_about_as_fast_as_any_tells_the_limit(
    alone: float, in_mode: float, limit: float
) -> None:
    """The other core is a loop with a period of 5 ns, in the mode and without it."""
    record = records_of("iterative-lut4", "asic:osu018", "delay")
    assert record is not None
    own = [
        wrappers.Example(
            catalogue.find(f"{name}-gcm"),
            record.model_copy(update={"cycle_ns": there}),
            record.model_copy(update={"cycle_ns": before}),
        )
        for name, before, there in (
            ("iterative-lut4", 5.0, 5.0),
            ("best-per-ge-interleaved", alone, in_mode),
        )
    ]
    for order in (own, own[::-1]):
        found, known = prices._limits(prices._Place("here", {}, order, {}, {}, frozenset()), [])
        assert known == {"gcm"}
        assert (found["gcm"].value if found else 0.0) == limit


def test_block_rams_of_a_mode_count() -> None:
    spec = catalogue.find("best-per-ge-interleaved-gcm")
    record = records_of(spec.name, XCVE.name, "")
    assert record is not None and record.block_ram
    (found,) = estimator.estimate([spec], XCVE)
    assert found.block_ram == pytest.approx(record.block_ram, abs=2)
    # A queue of many blocks takes no more memories than one of a few.
    known = estimator.wrapping(XCVE, "")
    deep = catalogue.find("fastest-ecp5-ccm")
    assert known.more(deep, "block_ram") < 10


@pytest.mark.parametrize("mode", [Mode.XTS, Mode.CTR])
def test_names_that_grow_too_long_are_left_out(mode: Mode) -> None:
    """A core whose name has no room for a mode is no candidate, and no traceback."""
    assert choose.candidates(Needs(target=ECP5, mode=mode))


def test_what_the_sum_leaves_out_is_said() -> None:
    spec = catalogue.find("iterative-lut4-ctr-axi4-stream")
    port = spec.port.model_copy(update={"stream_bits": 32})
    known = estimator.wrapping(ECP5, "")
    assert not known.uncounted(spec)
    (left,) = known.uncounted(spec.model_copy(update={"port": port}))
    assert left == "a TDATA of 32 bits in place of 128"


def test_doubt_is_wider_with_a_mode() -> None:
    plain, wrapped = (
        estimator.doubts(ECP5, "", Cipher.AES, in_mode=in_mode) for in_mode in (False, True)
    )
    assert wrapped["lut"] > plain["lut"] and wrapped["period"] == plain["period"]


def test_a_sweep_of_modes_is_estimated() -> None:
    options = ["--architecture", "loop", "--rounds", "1", "--mode", "gcm", "--estimate"]
    shown = CliRunner().invoke(cli.app, ["explore", "--target", "asic:osu018", *options])
    assert shown.exit_code == 0 and "-gcm" in shown.output


# --- Cores for a mode ---------------------------------------------------------------------------


def test_a_core_is_found_for_a_mode(invented: list[Spec]) -> None:
    asked = Needs(target=ECP5, mode=Mode.CTR, bus=Bus.AXI4_STREAM, min_throughput=500.0)
    choice = choose.choose(asked, tries=0)
    assert choice.winner.spec.what.mode is Mode.CTR
    assert choice.winner.spec.what.bus is Bus.AXI4_STREAM
    assert choice.winner.measured and (choice.winner.throughput_mbps or 0) >= 500
    assert "in mode ctr behind axi4-stream" in choose.explanation(choice)
    # A mode that chains its blocks gets the time of one block after the other.
    for mode, cycles in ((Mode.CTR, 10), (Mode.CBC, 51)):
        chained = catalogue.find(f"saggese-iterative-5-{mode!s}")
        there = [r for r in records.measurements() if r.target == ECP5.name]
        record = next(r for r in there if r.name == chained.name)
        found = figures(chained, record, ECP5, Needs(target=ECP5, mode=mode), measured=True)
        clock = found.clock_mhz or 0.0
        assert found.throughput_mbps == pytest.approx(128 * clock / cycles)


def test_a_core_without_a_mode_is_asked_for_without_one(invented: list[Spec]) -> None:
    plain = Needs(target=ECP5)
    assert not any(plain.does(spec) for spec in invented)
    in_ctr = Needs(target=ECP5, mode=Mode.CTR)
    assert [s.name for s in invented if in_ctr.does(s)] == [f"{name}-ctr" for name in BASES]


def test_several_messages_at_a_time_fill_a_pipeline(own_records: Path) -> None:
    asked = {
        n: Needs(target=ECP5, mode=Mode.CBC, streams=n, min_throughput=1_500.0)
        for n in (1, 4, 5, 9)
    }
    names = {n: {spec.name for spec in choose.candidates(needs)} for n, needs in asked.items()}
    five = catalogue.find("saggese-iterative-5-cbc5")
    assert not any("cbc2" in name for name in names[1])
    assert five.name not in names[4] and "saggese-iterative-5-cbc4" in names[4]
    # Five streams fill its five slots: a sixth one makes it no faster.
    assert five.name in names[5] and "saggese-iterative-5-cbc6" not in names[9]
    assert names[1] < names[4] < names[5] < names[9]

    loop = "iterative-lut4-cbc"
    keep(lambda r: r.target != ECP5.name or "-cbc" not in r.name or r.name == loop)
    alone = records_of("saggese-iterative-5", ECP5.name, "")
    assert alone is not None and alone.lut and alone.fmax_mhz
    made = {"name": five.name, "lut": 5 * alone.lut, "design_hash": records.design_hash(five, ECP5)}
    records.append(alone.model_copy(update=made))
    choice = choose.choose(asked[5], tries=0)
    assert choice.winner.spec == five and choice.winner.measured
    assert choice.winner.throughput_mbps == pytest.approx(128 * alone.fmax_mhz / 10)
    assert "in mode cbc for 5 messages at a time on" in choose.explanation(choice)
    with pytest.raises(RoundsmithError, match=r"--min-throughput 1,500 Mbit/s: the nearest"):
        choose.choose(asked[1], tries=0)
    # Now that such a core was measured, what joins the streams has a price.
    assert not estimator.wrapping(ECP5, "").uncounted(five)


def test_what_joins_streams_is_left_out_where_no_core_has_them(own_records: Path) -> None:
    keep(lambda r: (spec := wrappers._in_mode(r.name)) is None or spec.how.streams == 1)
    (left,) = estimator.wrapping(ECP5, "").uncounted(catalogue.find("saggese-iterative-5-cbc5"))
    assert left == "what lets 5 streams share the core"


@pytest.mark.parametrize(
    ("name", "most"),
    [
        ("saggese-iterative-5-cbc", 5),
        ("saggese-iterative-5-cmac", 6),
        ("saggese-iterative-5-ctr", 1),
        ("iterative-lut4-cbc", 2),
        ("cbc-fastest-cbc", 2),
    ],
)
def test_more_streams_than_fill_a_core_are_of_no_use(name: str, most: int) -> None:
    """The counts of docs/modes.md, which every simulation of such a core checks."""
    spec = catalogue.find(name)
    assert streams.most(spec) == most


@pytest.mark.parametrize("mode", [Mode(mode.word) for mode in modes.MODES if mode.chain])
@pytest.mark.parametrize("count", [2, 8, 16])
def test_streams_are_part_of_a_name(mode: Mode, count: int) -> None:
    base = catalogue.find("saggese-iterative-5")
    spec = base.with_mode(mode, count)
    assert catalogue.find(spec.name) == spec and spec.how.streams == count
    assert spec.bare().name == base.name
    assert with_mode_and_bus(base, str(mode), None, False, count) == spec
    # A name of one stream means what it always did.
    one = base.with_mode(mode)
    assert catalogue.find(one.name) == one and one.how.streams == 1


@pytest.mark.parametrize(
    ("mode", "directions", "wanted"),
    [
        (Mode.NONE, BOTH, BOTH),
        (Mode.CTR, BOTH, ENCRYPT),
        (Mode.GCM, (Direction.DECRYPT,), ENCRYPT),
        (Mode.CBC, (Direction.DECRYPT,), (Direction.DECRYPT,)),
        (Mode.OCB, (Direction.DECRYPT,), BOTH),
        (Mode.XTS, ENCRYPT, ENCRYPT),
    ],
)
def test_what_a_mode_needs_of_the_cipher(
    mode: Mode, directions: tuple[Direction, ...], wanted: tuple[Direction, ...]
) -> None:
    assert of_blocks(modes.of(mode), directions) == wanted


def test_xts_takes_cores_with_two_key_slots() -> None:
    some = space.specs(space.Space(), ECP5)
    cores = [s for s in some if s.is_stored][:5] + [s for s in some if not s.is_stored][:5]
    found = space.wrapped(cores, Mode.XTS)
    assert len(found) == 10 and all(spec.port.key_slots == 2 for spec in found)
    assert all(catalogue.find(spec.name).hash() == spec.hash() for spec in found)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--bus", "apb"], "add --mode"),
        (["--mode", "cbc", "--feedback"], "leave --feedback out"),
        (["--mode", "ctr2"], "--mode is one of"),
        (["--mode", "ctr", "--bus", "pci"], "--bus is one of"),
        (["--streams", "5"], "blocks never wait for each other"),
        (["--mode", "ctr", "--streams", "5"], "the blocks of mode ctr never wait"),
        (["--mode", "cbc", "--bus", "apb", "--streams", "5"], "one message after the other"),
    ],
)
def test_what_makes_no_sense_is_refused(options: list[str], sentence: str) -> None:
    answer = CliRunner().invoke(cli.app, ["choose", "--target", ECP5.name, *options])
    assert isinstance(answer.exception, RoundsmithError) and sentence in str(answer.exception)


def test_streams_of_a_named_core_belong_to_its_mode() -> None:
    answer = CliRunner().invoke(cli.app, ["build", "saggese-iterative-5", "--streams", "5"])
    assert isinstance(answer.exception, RoundsmithError)
    assert "--streams belongs to --mode" in str(answer.exception)


# --- Cycles -------------------------------------------------------------------------------------


def cycles_per_block(spec: Spec) -> float:
    """Return the cycles a block of text that long messages take, one after the other.

    The difference of two lengths: what a message costs besides its blocks does not count.
    """
    program = messages.build(spec, synthesize.sources(spec))
    key = bytes(min(spec.what.key_bits) // 8 * spec.mode.slots)
    size = {Mode.GCM: 12, Mode.OCB: 12, Mode.CCM: 12}.get(spec.what.mode, 16)
    iv = b"" if spec.what.mode in {Mode.ECB, Mode.CBC_MAC, Mode.CMAC} else bytes(size)
    took = []
    for blocks in (40, 80):  # whole turns of a ring with five slots
        run = messages.run(program, spec, [Message(key, bytes(16 * blocks), iv=iv)] * 4)
        first, last = run.answers[1], run.answers[-1]
        assert first is not None and last is not None
        took.append((last.last - first.last) / 2)
    return (took[1] - took[0]) / 40


@pytest.mark.parametrize(
    "name", ["iterative-lut4-cbc", pytest.param("chodowiec-gaj-ctr", marks=pytest.mark.long)]
)
def test_cycles_are_as_the_formula_says(name: str) -> None:
    spec = catalogue.find(name)
    assert cycles_per_block(spec) == formulas.cycles_per_block(spec)


@pytest.mark.long
@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize(
    "mode", [m for m in [mode.word for mode in modes.MODES] if m is not Mode.XTS]
)
def test_cycles_in_every_mode(base: str, mode: Mode) -> None:
    spec = catalogue.find(base).with_mode(mode)
    # OCB computes what it masks later blocks with while the message runs.
    most = 1.02 if mode is Mode.OCB else 1.0
    assert 1 <= cycles_per_block(spec) / formulas.cycles_per_block(spec) <= most
