"""The numbers here are counted by hand on the two images of tests.support.dataset_images."""

import json
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Project
from annotation.rules.box import Box
from exchange.dataset import DatasetBox, DatasetImage
from exchange.formats.flickr30k.read import read_flickr30k
from exchange.import_image import import_image
from exchange.statistics.statistics import (
    ADJECTIVES,
    COLORS,
    FILLERS,
    Statistics,
    adjectives_of,
    closest,
    enclosed,
    measure,
    noun_of,
    object_category,
)
from exchange.statistics.tables import BarChart, Bars, bar_chart, charts, statistics_text, table, ticks, write_charts
from pipeline.project.settings_versions import current_settings
from simulation.simulate import simulate
from tests.support.dataset_images import beach, dog
from tests.support.projects import project_of
from tests.support.table import case, row


@pytest.fixture
def statistics() -> Statistics:
    return measure([beach(), dog()], {"asked no": 3, "asked yes": 1})


@case("a chain of two types counts in the first", "clothing", 1, 2.0, 1.0)
@case("a chain of two types counts in the second", "other", 1, 2.0, 1.0)
@case("a chain of two types counts once in the total", "total", 5, 1.4, 0.8)
@case("a box of two chains counts once in their type", "people", 2, 1.5, 1.0)
@case("types that are never used have a row", "vehicles", 0, None, None)
def test_table_4(kind: str, chains: int, mentions: float | None, boxes: float | None, statistics: Statistics):
    assert statistics.table_4()[kind] == {"chains": chains, "mentions_per_chain": mentions, "boxes_per_chain": boxes}


@case("a box of two chains counts once in their type", "people", 2, 3, 2)
@case("a mention counts in its own types only", "other", 1, 1, 1)
@case("a mention does not count in the types of its chain", "scene", 1, 1, 0)
def test_figure_5(kind: str, chains: int, mentions: int, boxes: int, statistics: Statistics):
    assert statistics.figure_5()[kind] == {"chains": chains, "mentions": mentions, "boxes": boxes}


SECTION_3_4 = {
    "mentions_per_caption": 1.75, "chains_per_image": 2.5, "boxes_per_image": 2.0, "chains_without_box": 0.2,
    "chains_with_several_mentions": 0.4, "chains_with_one_box": 0.6, "chains_with_several_boxes": 0.2,
    "images_with_a_chain_of_several_boxes": 0.5, "boxes_enclosed_by_another": 0.25,
    "mean_highest_iou": 0.05,  # the hat has 400 of the man's 4,000 pixels, twice 0.1, over four boxes
}  # fmt: skip


def test_it_finds_the_averages_and_shares_of_section_3_4(statistics: Statistics):
    values = statistics.section_3_4()
    mentioning = values.pop("images_mentioning")
    assert values == SECTION_3_4 and isinstance(mentioning, dict)
    assert mentioning["people"] == mentioning["animals"] == mentioning["other"] == 0.5
    assert mentioning["vehicles"] == 0.0


def test_it_fills_our_row_of_table_1(statistics: Statistics):
    # men, hat, beach, man, dog; "red" alone is not a noun
    assert statistics.categories == {"men", "hat", "beach", "man", "dog"}
    of_categories = {"object_categories": 5, "objects_per_category": 0.8}
    of_images = {"objects_per_image": 2.0, "sentences_per_image": 2.0, "expressions_per_image": 3.5}
    assert statistics.table_1() == {"images": 2, **of_categories, **of_images}


def ranked(word: str, occurrences: int, share: float, boxes: int, boxes_share: float) -> dict[str, str | float]:
    of_word: dict[str, str | float] = {"word": word, "occurrences": occurrences, "occurrences_share": share}
    return of_word | {"boxes": boxes, "boxes_share": boxes_share}


def test_it_ranks_nouns_and_adjectives(statistics: Statistics):
    words = statistics.figure_6(top=2)
    assert words["nouns"] == [ranked("men", 2, 0.285714, 2, 0.5), ranked("dog", 1, 0.142857, 1, 0.25)]
    assert words["adjectives"][0] == ranked("red", 3, 0.428571, 2, 0.5)


def test_it_counts_the_whole_data_set_and_gives_the_sources_of_links_with_their_shares(statistics: Statistics):
    assert statistics.as_json()["totals"] == {"images": 2, "captions": 4, "mentions": 7, "chains": 5, "boxes": 4}
    assert statistics.figure_3() == [
        {"source": "asked no", "links": 3, "share": 0.75},
        {"source": "asked yes", "links": 1, "share": 0.25},
    ]


def test_boxes_that_no_chain_points_to_count_in_the_totals_only():
    image = replace(dog(), mentions=(), chains=(), boxes=(DatasetBox(Box(0, 0, 5, 5), category="dog"),))
    statistics = measure([image])
    assert (statistics.boxes, statistics.chains) == (1, 0)
    assert statistics.figure_5()["animals"] == {"chains": 0, "mentions": 0, "boxes": 0}


def test_an_empty_data_set_has_no_shares_but_a_text_and_charts():
    nothing = measure([])
    assert nothing.table_1()["objects_per_image"] is None and nothing.section_3_4()["mean_highest_iou"] is None
    text = statistics_text(nothing)
    assert text.startswith("0 images, 0 captions") and "not known for this data set" in text
    for svg in charts(nothing).values():
        ElementTree.fromstring(svg)


def test_it_agrees_with_what_is_known_of_the_real_data(data_folder: Path):
    images = [image for image in read_flickr30k(data_folder / "flickr30k-entities") if isinstance(image, DatasetImage)]
    statistics = measure(images)
    assert (statistics.images, statistics.captions, statistics.mentions, statistics.chains) == (500, 2500, 7292, 3021)
    # That data set has exactly one box per chain.
    assert statistics.section_3_4()["chains_with_one_box"] == 1.0
    assert {"man", "woman", "shirt"} < set([row["word"] for row in statistics.figure_6()["nouns"]][:6])
    assert "white" in [row["word"] for row in statistics.figure_6()["adjectives"]][:4]


def test_it_finds_the_closest_other_box():
    assert closest([Box(0, 0, 10, 10), Box(0, 0, 10, 5), Box(50, 0, 60, 10)]) == [0.5, 0.5, 0.0]
    assert closest([Box(0, 0, 10, 10)]) == [0.0]


def test_it_counts_boxes_inside_another_and_two_equal_ones_enclose_each_other():
    outer, touching, crossing = Box(0, 0, 10, 10), Box(0, 5, 5, 10), Box(8, 8, 12, 12)
    assert [enclosed(boxes) for boxes in ([outer, touching, crossing], [outer], [outer, outer])] == [1, 0, 2]


def test_columns_are_aligned():
    line, rows = "-" * 13, ["people  1,000", "all         2"]
    found = table("T", ["type", "n"], [["people", "1,000"], ["all", "2"]])
    assert found.splitlines() == ["T", line, "type        n", line, *rows]


def test_the_text_has_every_table_and_figure():
    text = statistics_text(measure([beach(), dog()], {"asked yes": 2}))
    for part in ("Table 1.", "Table 4.", "Section 3.4.", "Figure 3.", "Figure 5.", "Figure 6 (a).", "Figure 6 (b)."):
        assert part in text
    lines = [line.split() for line in text.splitlines()]
    assert ["people", "2", "1.50", "1.00"] in lines and ["chains", "without", "a", "box", "20.0", "%"] in lines
    assert ["vehicles", "0", "–", "–"] in lines and ["asked", "yes", "2", "100.0", "%"] in lines


@row("A young man", "man", {"young"}, "man")
@row("the big brown Dogs", "dogs", {"big", "brown"}, "dogs")
@row("a dark blue", None, {"dark", "blue"}, "")
@row("a young male", "male", {"young"}, "male")
@row("two", None, set(), "")
@row("a baseball player", "player", set(), "baseball player")
@row("a group of older women", "women", {"older"}, "group women")
@row("an orange hat .", "hat", {"orange"}, "hat")
@row("a white dog 's white tail", "tail", {"white"}, "dog tail")
@row("42", None, set(), "")
def test_it_takes_phrases_apart(phrase: str, noun: str | None, adjectives: set[str], category: str):
    words = phrase.split()
    assert (noun_of(words), adjectives_of(words), object_category(words)) == (noun, adjectives, category)


def test_the_lists_are_in_small_letters_and_hold_no_word_twice_over():
    assert all(word == word.lower() for word in ADJECTIVES | FILLERS) and not ADJECTIVES & FILLERS
    assert COLORS < ADJECTIVES


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
    assert widths["one: 10 a"] == pytest.approx(2 * widths["one: 5 b"], abs=0.2) and widths["two: 0 a"] == 0


def test_a_chart_says_what_it_shows():
    root = ElementTree.fromstring(bar_chart(BarChart("A < B", 'he said "&"', ("a",), ())))
    ids = root.attrib["aria-labelledby"].split()
    assert root.attrib["role"] == "img"
    assert [root.find(f"*[@id='{name}']").text for name in ids] == ["A < B", 'he said "&"']  # type: ignore[union-attr]


def test_nothing_stands_outside_the_chart():
    rows = tuple(Bars(name, (value, value / 3)) for name, value in (("a very long label here", 123456.0), ("b", 1.0)))
    for rect in ElementTree.fromstring(bar_chart(BarChart("T", "D", ("chains", "boxes"), rows))).iter(f"{SVG}rect"):
        left = float(rect.attrib["x"])
        assert left >= 0 and left + float(rect.attrib["width"]) <= 760


@pytest.mark.parametrize("largest", [0.03, 0.5, 1, 7, 19, 20, 21, 99, 1000, 123456])
def test_ticks_are_few_and_reach_the_largest_value(largest: float):
    values = ticks(largest)
    assert values[0] == 0 and values[-1] >= largest > values[-2]
    assert 5 <= len(values) <= 11


def test_every_figure_is_drawn(tmp_path: Path):
    files = write_charts(measure([beach(), dog()], {"asked yes": 2}), tmp_path / "new" / "charts")
    names = ["figure_3_link_sources", "figure_5_totals_per_type", "figure_6a_nouns", "figure_6b_adjectives"]
    assert [file.name for file in files] == [f"{name}.svg" for name in names]
    assert "people: 3 mentions" in bars((tmp_path / "new/charts/figure_5_totals_per_type.svg").read_text())


@pytest.fixture
def project(db: None) -> Project:
    """A project of two images that a perfect crowd has finished, and one that it has not begun."""
    found = project_of(beach(), dog(), name="shore", gold=True)
    simulate(project=found, crowd="perfect")
    version, _ = current_settings(found.id)
    import_image(found, 2, replace(dog(), name="later"), picture="later.jpg", gold=True, settings_version=version)
    return found


def test_it_prints_writes_and_draws(project: Project, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    call_command("dataset_statistics", "shore", json=tmp_path / "figures.json", charts=tmp_path / "charts")
    printed = capsys.readouterr()
    assert "2 images, 4 captions, 7 mentions" in printed.out and "4 charts written" in printed.out
    assert "Images left out that are not merged yet: 1." in printed.err
    figures = json.loads((tmp_path / "figures.json").read_text())
    assert figures["table_4"]["total"]["chains"] == 5
    links = {row["source"]: row["links"] for row in figures["figure_3"]}
    not_asked = {"inferred by transitivity": 1, "ruled out by caption": 4, "ruled out by type": 7}
    assert links == {"asked yes": 2, "asked no": 1, **not_asked}
    assert len(list((tmp_path / "charts").glob("*.svg"))) == 4


def test_unknown_projects_are_answered_with_known_ones_and_unwritable_files_in_words(project: Project, tmp_path: Path):
    with pytest.raises(CommandError, match="shore"):
        call_command("dataset_statistics", "sho")
    with pytest.raises(CommandError, match="could not be written"):
        call_command("dataset_statistics", "shore", json=tmp_path / "nowhere" / "figures.json")


@pytest.mark.both_engines
def test_a_project_without_merged_images_has_statistics_of_nothing(db: None, capsys: pytest.CaptureFixture[str]):
    Project.objects.create(name="empty")
    call_command("dataset_statistics", "empty")
    assert "0 images" in capsys.readouterr().out
