"""The numbers here are counted by hand on the two images of tests.support.small_data_set."""

from dataclasses import replace
from pathlib import Path

import pytest

from annotation.rules.box import Box
from exchange.dataset import DatasetBox, DatasetImage
from exchange.flickr30k.read import read_flickr30k
from reports.measure import closest, enclosed, measure
from reports.statistics import Statistics
from tests.support.small_data_set import beach, dog


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
