"""The study of planted errors: what it plants, and what a check of it counts."""

import json
from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from annotation.rules.box import Box, iou
from exchange.dataset import DatasetBox, DatasetImage
from pipeline.rules.linking.transitivity import can_corefer
from scenes.write import write_source
from simulation.plant import OF_BOXES, OF_PHRASES, plant
from simulation.spoiled_image import Kind, Wronged
from simulation.view import COVERED
from studies.planted.check import check, from_nothing, settings_of
from studies.planted.made_gold import made_gold
from studies.whole_campaign.campaign_cost import campaign_images
from studies.whole_campaign.colleagues import NO_PROGRAMS, Programs
from tests.support.projects import phrases


def image(name: str) -> DatasetImage:
    """A man and a girl, each called twice, and a hat."""
    boxes = [
        DatasetBox(Box(10, 10, 60, 90), ("one",)),
        DatasetBox(Box(120, 10, 160, 90), ("two",)),
        DatasetBox(Box(70, 60, 100, 90), ("hat",)),
    ]
    texts = ("people: a man", "people: the man", "people: a girl", "people: the girl", "clothing: a hat")
    return phrases(*texts, name=name, chains=["one", "one", "two", "two", "hat"], boxes=boxes)


BED = campaign_images(image(str(number)) for number in range(60))
GOLD = [(made_gold(one.gold, 0), one.subject.mentions) for one in BED]


@pytest.fixture(scope="module")
def planted() -> list[Wronged]:
    return plant(GOLD, 0, 0.6)


def test_made_gold_divides_boxes_and_takes_some_away():
    numbers = Counter(min(len(chain.boxes), 2) for gold, _ in GOLD for chain in gold.chains)
    assert numbers[0] > 10 and numbers[2] > 10 and numbers[1] > numbers[2]
    for gold, _ in GOLD:
        for chain in gold.chains:
            assert all(iou(one, other) == 0 for one, other in combinations(chain.boxes, 2))
            assert not (chain.scene and chain.boxes)


def test_errors_of_every_kind_touch_the_stated_share_of_chains_and_none_twice(planted: list[Wronged]):
    touched = [(one.gold.key, name) for one in planted for error in one.errors for name in error.chains]
    assert len(touched) == len(set(touched))
    assert len(touched) == pytest.approx(0.6 * sum(len(one.gold.chains) for one in planted), abs=2)
    assert {error.kind for one in planted for error in one.errors} == set(Kind)


def test_untouched_labels_are_gold_and_every_phrase_has_one(planted: list[Wronged]):
    for one in planted:
        touched = {name for error in one.errors for name in error.chains}
        labels = {label.mentions: label.boxes for label in one.labels}
        for chain in one.gold.chains:
            assert chain.name in touched or labels[chain.mentions] == chain.boxes
        placed = sorted(number for label in one.labels for number in label.mentions)
        assert placed == sorted(mention.number for mention in one.mentions)


def test_errors_of_phrases_keep_the_rules_and_those_of_boxes_miss_gold(planted: list[Wronged]):
    for one in planted:
        links = {mention.number: mention.for_links() for mention in one.mentions}
        gold = {chain.name: chain for chain in one.gold.chains}
        kinds = {error.kind for error in one.errors}
        if kinds and kinds <= set(OF_PHRASES):
            for label in one.labels:
                assert all(can_corefer(links[a], links[b]) for a, b in combinations(label.mentions, 2))
        for error in one.errors:
            if error.kind in OF_BOXES:
                chain = gold[error.chains[0]]
                boxes = next(label.boxes for label in one.labels if label.mentions == chain.mentions)
                found = [any(iou(box, own) >= COVERED for box in boxes) for own in chain.boxes]
                assert not all(found) or len(boxes) != len(chain.boxes)


def test_the_same_seed_plants_the_same(planted: list[Wronged]):
    assert plant(GOLD, 0, 0.6) == planted
    assert plant(GOLD, 1, 0.6) != planted


def test_nothing_is_changed_where_nothing_is_wrong_and_nothing_is_in_the_lot():
    settings = settings_of({"juror_lot": 0.0, "link_stop": 0.9, "reask_share": 0.0}, NO_PROGRAMS)
    found = check(plant(GOLD[:20], 0, 0.0), settings, NO_PROGRAMS, 0)
    assert (found.made_wrong, sum(found.planted.values())) == (0, 0)
    assert found.right == sum(len(gold.chains) for gold, _ in GOLD[:20])
    for told in (found.before, found.after):
        assert (told.wrong, told.expected.labels) == (0, found.right)
        assert 0 < told.expected.wrong < 0.2 * found.right


@pytest.mark.slow
def test_a_right_program_that_judges_finds_wrong_boxes_for_less_than_annotating_anew(planted: list[Wronged]):
    programs = Programs(wrong=lambda place: 0.0)
    settings = settings_of({"link_stop": 0.3}, programs)
    figures = check(planted[:24], settings, programs, 0).figures()
    assert figures["found of boxes"] > 0.7
    assert figures["chains asked"] < 0.7
    assert figures["seconds an image"] < from_nothing(planted[:24], settings, programs, 0)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("planted") / "source"
    write_source(folder, 0, 4, pictures=False)
    return folder


@pytest.mark.slow
def test_the_command_says_shares_by_kind_and_writes_them(source: Path, tmp_path: Path, capsys: pytest.CaptureFixture):
    out = tmp_path / "figures.json"
    call_command("planted", str(source), wrong=0.5, seeds=2, juror=0.08, json=out)
    said = capsys.readouterr().out
    assert "workers simulated" in said and "of annotating from nothing" in said
    rows = json.loads(out.read_text())
    assert [(row["seed"], row["of"]) for row in rows] == [(seed, of) for seed in (0, 1) for of in ("links", "boxes")]
    assert all(row[name] >= 0 for row in rows for name in ("found", "asked", "made_wrong", "seconds_share"))
    shares = ("wrong_before", "expected_before", "wrong_after", "expected_after")
    assert all(0 <= row[name] < 1 for row in rows for name in shares)
    assert all(row["wrong_before"] > row["wrong_after"] for row in rows)
    estimated = [one for row in rows for one in row["estimates"]]
    assert {one["of"] for one in estimated} == {"wrong before", "wrong after"}
    assert all(one["least"] <= one["estimate"] <= one["most"] and one["truth"] < 1 for one in estimated)
    assert "labels wrong before" in said and "of 2 runs inside the interval" in said


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"juror": 2.0}, "--juror 2: give a share from 0 to 1"),
        ({"set": "[1]"}, "give an object"),
        ({"set": "{"}, "this is not JSON"),
        ({"images": 0}, "give at least 1"),
    ],
)
def test_options_that_mean_nothing_are_named(source: Path, options: dict[str, object], said: str):
    with pytest.raises(CommandError, match=said):
        call_command("planted", str(source), **options)
