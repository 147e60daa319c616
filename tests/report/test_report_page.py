"""The report: one page that stands alone, and does what it says in a browser."""

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from roundsmith import catalogue
from roundsmith.base.errors import RoundsmithError
from roundsmith.cli import cli
from roundsmith.flows import targets
from roundsmith.records import records
from roundsmith.report import page

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
ECP5, OSU = "ecp5-85k:6", "asic:osu018"


pytestmark = pytest.mark.usefixtures("still_records")


@pytest.fixture(scope="module")
def text(still_records: Path) -> str:
    return page.html([ECP5, OSU])


@pytest.fixture(scope="module")
def data(text: str) -> dict[str, Any]:
    match = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert match is not None
    found: dict[str, Any] = json.loads(match[1])
    return found


def test_the_page_needs_no_network(text: str) -> None:
    shell = re.sub(r'<script type="application/json".*?</script>', "", text, flags=re.DOTALL)
    shell = shell.replace("http://www.w3.org/2000/svg", "")  # a name, not an address
    assert not re.search(r"https?://|<link[^>]*stylesheet|<script[^>]*src|@import|url\(", shell)


def test_every_point_is_a_record_of_the_core_as_it_is(data: dict[str, Any]) -> None:
    assert set(data["targets"]) == {ECP5, OSU}
    assert len(data["points"]) > 20
    for point in data["points"][::7]:
        spec, target = catalogue.find(point["name"]), targets.parse(point["target"])
        there = records.current(spec, target)
        assert any(
            (r.design_hash[:16], r.lut, r.area_ge, r.throughput_mbps)
            == (point["hash"], point["lut"], point["area_ge"], point["throughput_mbps"])
            for r in there
        )
        assert point["command"].startswith("roundsmith build ")
        assert set(data["choices"]) <= set(point["choices"])
        assert point["picture"] in {"", *data["pictures"]}


def test_published_designs_have_a_citation_and_figures(data: dict[str, Any]) -> None:
    assert len(data["published"]) > 20
    for one in data["published"]:
        assert one["label"] and one["citation"]
        assert one["throughput_mbps"] > 0
        assert any(one[unit] for unit in ("area_ge", "lut", "slices"))
    satoh = [one for one in data["published"] if one["area_ge"] == 5398]
    assert satoh[0]["throughput_mbps"] == 311.09 and "Satoh 2001" in satoh[0]["citation"]


def test_a_target_without_records_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROUNDSMITH_RECORDS", str(tmp_path))
    records.forget()
    found = CliRunner().invoke(cli.app, ["report", "-o", str(tmp_path / "page.html")])
    records.forget()
    assert isinstance(found.exception, RoundsmithError)
    assert "There are no records" in str(found.exception)


# --- In the browser -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip("the page is tried in Debian's chromium, which is not installed")
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as started:
        found = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture
def shown(browser: Any, text: str, tmp_path: Path) -> Iterator[Any]:
    """Open the page from a file, without a network; nothing may go wrong in it."""
    file = tmp_path / "report.html"
    file.write_text(text)
    context = browser.new_context(offline=True, viewport={"width": 1300, "height": 900})
    opened = context.new_page()
    opened.set_default_timeout(30_000)
    problems: list[str] = []
    opened.on("console", lambda message: problems.append(message.text))
    opened.on("pageerror", lambda error: problems.append(str(error)))
    opened.on("request", lambda request: problems.extend(_foreign(request.url)))
    opened.goto(file.as_uri())
    yield opened
    assert problems == []
    context.close()


def _foreign(url: str) -> list[str]:
    return [] if url.startswith(("file:", "data:")) else [url]


def _points(shown: Any) -> int:
    return int(shown.locator("#plane .point").count())


def test_all_points_of_a_target_are_drawn(shown: Any, data: dict[str, Any]) -> None:
    for target, unit in ((ECP5, "lut"), (OSU, "area_ge")):
        shown.select_option("#target", target)
        points = [p for p in data["points"] if p["target"] == target]
        drawn = [p for p in points if p[unit] and p["throughput_mbps"]]
        assert shown.locator("#unit").input_value() == unit
        assert _points(shown) == len(drawn)
        assert shown.locator("#records tbody tr").count() == len(points)
        published = [p for p in data["published"] if p.get(unit)]
        assert shown.locator("#plane .lit").count() == len(published) > 0
    shown.locator("#published").uncheck()
    assert shown.locator("#plane .lit").count() == 0


def test_the_front_is_what_nothing_beats(shown: Any, data: dict[str, Any]) -> None:
    shown.select_option("#target", OSU)
    shown.locator("#only-front").check()
    points = [
        (p["area_ge"], -p["throughput_mbps"], p["name"])
        for p in data["points"]
        if p["target"] == OSU and p["throughput_mbps"]
    ]
    best = {
        (area, speed)
        for area, speed, _ in points
        if not any(a <= area and s <= speed and (a, s) != (area, speed) for a, s, _ in points)
    }
    assert _points(shown) == len(best)
    assert shown.locator("#records tr.front").count() == len(best)


def test_a_filter_takes_its_cores_out(shown: Any, data: dict[str, Any]) -> None:
    shown.select_option("#target", OSU)
    before = _points(shown)
    serial = [
        p
        for p in data["points"]
        if p["target"] == OSU and p["choices"]["architecture"] == "serial" and p["throughput_mbps"]
    ]
    tick = shown.locator('fieldset[data-choice="architecture"] input[value="serial"]')
    tick.uncheck()
    assert _points(shown) == before - len(serial) < before
    tick.check()
    assert _points(shown) == before
    # Every choice that differs among the cores has a filter: ciphers among them, in order.
    lengths = shown.locator('fieldset[data-choice="data_bits"] label').all_inner_texts()
    assert [int(word) for word in lengths] == sorted(int(word) for word in lengths)
    assert shown.locator('fieldset[data-choice="cipher"] input').count() == 2
    assert "" not in [label.strip() for label in shown.locator("#filters label").all_inner_texts()]
    for choice in data["choices"]:
        values = {p["choices"][choice] for p in data["points"] if p["target"] == OSU}
        boxes = shown.locator(f'fieldset[data-choice="{choice}"] input').count()
        assert boxes == (len(values) if len(values) > 1 else 0)


def test_nothing_left_is_said(shown: Any) -> None:
    for tick in shown.locator('fieldset[data-choice="sbox"] input').all():
        tick.uncheck()
    assert _points(shown) == 0
    assert "nothing is left" in shown.locator("#plane").text_content()


def test_a_click_opens_datasheet_command_and_placement(shown: Any, data: dict[str, Any]) -> None:
    shown.select_option("#target", ECP5)
    placed = next(p for p in data["points"] if p["target"] == ECP5 and p["picture"])
    shown.locator(f'#plane .point[data-name="{placed["name"]}"]').first.dispatch_event("click")
    sheet = shown.locator("#sheet")
    assert sheet.is_visible()
    assert sheet.locator("h2").first.inner_text() == placed["name"]
    assert sheet.locator(".command").inner_text() == placed["command"]
    assert shown.evaluate("document.querySelector('#sheet img').naturalWidth") > 100
    assert placed["hash"] in sheet.inner_text()
    assert f"{placed['lut']:,}" in sheet.inner_text()
    assert placed["spec"].strip() in sheet.locator("pre").text_content()
    # The keyboard does the same.
    other = shown.locator("#plane .point").last
    other.focus()
    other.press("Enter")
    assert sheet.locator("h2").first.inner_text() == other.get_attribute("data-name")


def test_light_and_dark(shown: Any) -> None:
    def paper() -> str:
        return str(shown.evaluate("getComputedStyle(document.body).backgroundColor"))

    before = paper()
    shown.locator("#theme").click()
    assert paper() != before
    shown.locator("#theme").click()
    assert paper() == before


def test_tables_sort_and_print(shown: Any) -> None:
    shown.select_option("#target", OSU)
    shown.locator("#records").get_by_role("columnheader", name="GE", exact=True).click()
    cells = shown.locator("#records tbody tr td:nth-child(4)").all_inner_texts()
    values = [float(cell.replace(",", "")) for cell in cells]
    assert values == sorted(values) and len(values) > 10
    shown.emulate_media(media="print")
    assert not shown.locator("#controls").is_visible()
    assert shown.locator("#records").is_visible()
