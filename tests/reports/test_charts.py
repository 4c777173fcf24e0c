from pathlib import Path
from xml.etree import ElementTree

import pytest

from reports.charts import charts, write_charts
from reports.measure import measure
from reports.svg import BarChart, Bars, bar_chart, ticks
from tests.support.small_data_set import beach, dog

SVG = "{http://www.w3.org/2000/svg}"


def bars(svg: str) -> dict[str, float]:
    """Width of every bar by what it says of itself."""
    found = {}
    for rect in ElementTree.fromstring(svg).iter(f"{SVG}rect"):
        title = rect.find(f"{SVG}title")
        if title is not None and title.text:
            found[title.text] = float(rect.attrib["width"])
    return found


def test_bars_are_as_long_as_their_values():
    widths = bars(bar_chart(BarChart("T", "D", ("a", "b"), (Bars("one", (10, 5)), Bars("two", (0, 20))))))
    assert widths["two: 20 b"] == pytest.approx(2 * widths["one: 10 a"], abs=0.2)
    assert widths["one: 10 a"] == pytest.approx(2 * widths["one: 5 b"], abs=0.2)
    assert widths["two: 0 a"] == 0


def test_a_chart_says_what_it_shows():
    root = ElementTree.fromstring(bar_chart(BarChart("A < B", 'he said "&"', ("a",), ())))
    ids = root.attrib["aria-labelledby"].split()
    assert root.attrib["role"] == "img"
    assert [root.find(f"*[@id='{name}']").text for name in ids] == ["A < B", 'he said "&"']  # type: ignore[union-attr]


def test_nothing_stands_outside_the_chart():
    rows = tuple(Bars(name, (value, value / 3)) for name, value in (("a very long label here", 123456.0), ("b", 1.0)))
    root = ElementTree.fromstring(bar_chart(BarChart("T", "D", ("chains", "boxes"), rows)))
    for rect in root.iter(f"{SVG}rect"):
        left = float(rect.attrib["x"])
        assert left >= 0 and left + float(rect.attrib["width"]) <= 760


@pytest.mark.parametrize("largest", [0.03, 0.5, 1, 7, 19, 20, 21, 99, 1000, 123456])
def test_ticks_are_few_and_reach_the_largest_value(largest: float):
    values = ticks(largest)
    assert values[0] == 0 and values[-1] >= largest > values[-2]
    assert 5 <= len(values) <= 11


def test_every_figure_is_drawn(tmp_path: Path):
    files = write_charts(measure([beach(), dog()], {"asked yes": 2}), tmp_path / "new" / "charts")
    assert [file.name for file in files] == [
        "figure_3_link_sources.svg",
        "figure_5_totals_per_type.svg",
        "figure_6a_nouns.svg",
        "figure_6b_adjectives.svg",
    ]
    assert "people: 3 mentions" in bars((tmp_path / "new/charts/figure_5_totals_per_type.svg").read_text())


def test_an_empty_data_set_can_be_drawn():
    for svg in charts(measure([])).values():
        ElementTree.fromstring(svg)
