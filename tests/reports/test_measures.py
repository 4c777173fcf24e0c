"""The numbers here are counted by hand on the two images of tests.support.small_data_set."""

import json
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Project
from annotation.rules.box import Box
from exchange.dataset import DatasetBox, DatasetImage
from exchange.flickr30k.read import read_flickr30k
from exchange.import_image import import_image
from pipeline.project.settings_versions import current_settings
from reports.charts import charts, write_charts
from reports.measure import closest, enclosed, measure
from reports.statistics import Statistics
from reports.svg import BarChart, Bars, bar_chart, ticks
from reports.tables import percent, statistics_text, table
from reports.words import ADJECTIVES, COLORS, FILLERS, adjectives_of, category_of, noun_of
from simulation.simulate import simulate
from tests.support.projects import project_of
from tests.support.small_data_set import beach, dog
from tests.support.table import row


@pytest.fixture
def statistics() -> Statistics:
    return measure([beach(), dog()], {"asked no": 3, "asked yes": 1})


def test_it_counts_the_whole_data_set(statistics: Statistics):
    assert statistics.as_json()["totals"] == {"images": 2, "captions": 4, "mentions": 7, "chains": 5, "boxes": 4}


def test_a_chain_of_two_types_counts_in_both_but_once_in_the_total(statistics: Statistics):
    table = statistics.table_4()
    assert table["clothing"] == {"chains": 1, "mentions_per_chain": 2.0, "boxes_per_chain": 1.0}
    assert table["other"] == {"chains": 1, "mentions_per_chain": 2.0, "boxes_per_chain": 1.0}
    assert table["total"] == {"chains": 5, "mentions_per_chain": 1.4, "boxes_per_chain": 0.8}


def test_a_box_of_two_chains_counts_once_in_their_type(statistics: Statistics):
    assert statistics.table_4()["people"] == {"chains": 2, "mentions_per_chain": 1.5, "boxes_per_chain": 1.0}
    assert statistics.figure_5()["people"] == {"chains": 2, "mentions": 3, "boxes": 2}


def test_a_mention_counts_in_figure_5_in_its_own_types_only(statistics: Statistics):
    assert statistics.figure_5()["other"] == {"chains": 1, "mentions": 1, "boxes": 1}
    assert statistics.figure_5()["scene"] == {"chains": 1, "mentions": 1, "boxes": 0}


def test_types_that_are_never_used_have_a_row(statistics: Statistics):
    assert statistics.table_4()["vehicles"] == {"chains": 0, "mentions_per_chain": None, "boxes_per_chain": None}


def test_it_finds_the_averages_and_shares_of_section_3_4(statistics: Statistics):
    values = statistics.section_3_4()
    mentioning = values.pop("images_mentioning")
    assert values == {
        "mentions_per_caption": 1.75,
        "chains_per_image": 2.5,
        "boxes_per_image": 2.0,
        "chains_with_several_mentions": 0.4,
        "chains_with_one_box": 0.6,
        "chains_with_several_boxes": 0.2,
        "chains_without_box": 0.2,
        "images_with_a_chain_of_several_boxes": 0.5,
        "mean_highest_iou": 0.05,  # the hat has 400 of the man's 4,000 pixels, twice 0.1, over four boxes
        "boxes_enclosed_by_another": 0.25,
    }
    assert isinstance(mentioning, dict)
    assert mentioning["people"] == mentioning["animals"] == mentioning["other"] == 0.5
    assert mentioning["vehicles"] == 0.0


def test_it_fills_our_row_of_table_1(statistics: Statistics):
    # men, hat, beach, man, dog; "red" alone is not a noun
    assert statistics.categories == {"men", "hat", "beach", "man", "dog"}
    assert statistics.table_1() == {
        "images": 2,
        "objects_per_image": 2.0,
        "object_categories": 5,
        "objects_per_category": 0.8,
        "sentences_per_image": 2.0,
        "expressions_per_image": 3.5,
    }


def test_it_ranks_nouns_and_adjectives(statistics: Statistics):
    words = statistics.figure_6(top=2)
    assert words["nouns"] == [
        {"word": "men", "occurrences": 2, "occurrences_share": 0.285714, "boxes": 2, "boxes_share": 0.5},
        {"word": "dog", "occurrences": 1, "occurrences_share": 0.142857, "boxes": 1, "boxes_share": 0.25},
    ]
    assert words["adjectives"][0] == {
        "word": "red",
        "occurrences": 3,
        "occurrences_share": 0.428571,
        "boxes": 2,
        "boxes_share": 0.5,
    }


def test_it_gives_the_sources_of_links_with_their_shares(statistics: Statistics):
    assert statistics.figure_3() == [
        {"source": "asked no", "links": 3, "share": 0.75},
        {"source": "asked yes", "links": 1, "share": 0.25},
    ]


def test_boxes_that_no_chain_points_to_count_in_the_totals_only():
    image = replace(dog(), mentions=(), chains=(), boxes=(DatasetBox(Box(0, 0, 5, 5), category="dog"),))
    statistics = measure([image])
    assert (statistics.boxes, statistics.chains) == (1, 0)
    assert statistics.figure_5()["animals"] == {"chains": 0, "mentions": 0, "boxes": 0}


def test_nothing_at_all_has_no_shares():
    nothing = measure([])
    assert nothing.table_1()["objects_per_image"] is None
    assert nothing.section_3_4()["mean_highest_iou"] is None


def test_it_agrees_with_what_is_known_of_the_real_data(data_folder: Path):
    images = [image for image in read_flickr30k(data_folder / "flickr30k-entities") if isinstance(image, DatasetImage)]
    statistics = measure(images)
    assert (statistics.images, statistics.captions, statistics.mentions, statistics.chains) == (500, 2500, 7292, 3021)
    # That data set has exactly one box per chain.
    assert statistics.section_3_4()["chains_with_one_box"] == 1.0
    nouns = [row["word"] for row in statistics.figure_6()["nouns"]]
    assert {"man", "woman", "shirt"} < set(nouns[:6])
    assert "white" in [row["word"] for row in statistics.figure_6()["adjectives"]][:4]


def test_it_finds_the_closest_other_box():
    assert closest([Box(0, 0, 10, 10), Box(0, 0, 10, 5), Box(50, 0, 60, 10)]) == [0.5, 0.5, 0.0]
    assert closest([Box(0, 0, 10, 10)]) == [0.0]


def test_it_counts_boxes_inside_another():
    outer, touching, crossing = Box(0, 0, 10, 10), Box(0, 5, 5, 10), Box(8, 8, 12, 12)
    assert enclosed([outer, touching, crossing]) == 1
    assert enclosed([outer]) == 0


def test_two_equal_boxes_enclose_each_other():
    assert enclosed([Box(0, 0, 4, 4), Box(0, 0, 4, 4)]) == 2


def test_columns_are_aligned():
    assert table("T", ["type", "n"], [["people", "1,000"], ["all", "2"]]).splitlines() == [
        "T",
        "-------------",
        "type        n",
        "-------------",
        "people  1,000",
        "all         2",
    ]


def test_a_small_share_is_not_written_as_nothing():
    assert [percent(value) for value in (None, 0.0, 0.0004, 0.0006, 1.0)] == ["-", "0.0%", "<0.1%", "0.1%", "100.0%"]


def test_the_text_has_every_table_and_figure():
    text = statistics_text(measure([beach(), dog()], {"asked yes": 2}))
    for part in ("Table 1.", "Table 4.", "Section 3.4.", "Figure 3.", "Figure 5.", "Figure 6 (a).", "Figure 6 (b)."):
        assert part in text
    lines = [line.split() for line in text.splitlines()]
    assert ["people", "2", "1.50", "1.00"] in lines
    assert ["chains", "without", "a", "box", "20.0%"] in lines
    assert ["vehicles", "0", "-", "-"] in lines
    assert ["asked", "yes", "2", "100.0%"] in lines


def test_an_empty_data_set_has_a_text_too():
    text = statistics_text(measure([]))
    assert text.startswith("0 images, 0 captions")
    assert "not known for this data set" in text


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
    assert (noun_of(words), adjectives_of(words), category_of(words)) == (noun, adjectives, category)


def test_the_lists_are_in_small_letters_and_hold_no_word_twice_over():
    assert all(word == word.lower() for word in ADJECTIVES | FILLERS)
    assert not ADJECTIVES & FILLERS
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
    assert "2 images, 4 captions, 7 mentions" in printed.out
    assert "4 charts written" in printed.out
    assert "1 image is not merged yet and was left out" in printed.err
    figures = json.loads((tmp_path / "figures.json").read_text())
    assert figures["table_4"]["total"]["chains"] == 5
    links = {row["source"]: row["links"] for row in figures["figure_3"]}
    assert links == {
        "asked yes": 2,
        "asked no": 1,
        "inferred by transitivity": 1,
        "ruled out by caption": 4,
        "ruled out by type": 7,
    }
    assert len(list((tmp_path / "charts").glob("*.svg"))) == 4


def test_an_unknown_project_is_answered_with_those_there_are(project: Project):
    with pytest.raises(CommandError, match="shore"):
        call_command("dataset_statistics", "sho")


def test_a_file_that_cannot_be_written_is_an_error_in_words(project: Project, tmp_path: Path):
    with pytest.raises(CommandError, match="could not be written"):
        call_command("dataset_statistics", "shore", json=tmp_path / "nowhere" / "figures.json")


@pytest.mark.both_engines
def test_a_project_without_merged_images_has_statistics_of_nothing(db: None, capsys: pytest.CaptureFixture[str]):
    Project.objects.create(name="empty")
    call_command("dataset_statistics", "empty")
    assert "0 images" in capsys.readouterr().out
