"""The study of the adaptive strategy, on real mentions and with simulated workers."""

import json
from collections.abc import Sequence
from io import StringIO
from itertools import islice
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from exchange.dataset import DatasetImage
from exchange.flickr30k.read import read_flickr30k
from pipeline.learning import vectors_of_phrases
from pipeline.rules.linking.prior.phrase_vectors import phrases_alike
from pipeline.rules.linking.transitivity import LinkMention
from simulation.bed_image import BedImage, Gold, admissible_pairs, bed_image
from studies.linking.adaptive_frontier import Fold, Point, cost_of, frontier, reliability_table, table
from studies.linking.known import with_vectors
from studies.linking.planner import BEYOND_RULES, BY_RULES
from tests.support.flows import first_images

STOPS = (0.3, 0.12)
SMALL: dict[str, Any] = {"images": 15, "stops": STOPS, "seed": 3}
"""Few images, among them no group that takes long to plan."""


@pytest.fixture(scope="session")
def bed(data_folder: Path) -> list[BedImage]:
    """Read all images once for all studies."""
    images = read_flickr30k(data_folder / "flickr30k-entities")
    return [bed_image(image) for image in images if isinstance(image, DatasetImage)]


@pytest.fixture(scope="module")
def folds(bed: list[BedImage]) -> list[Fold]:
    return list(frontier(bed, folds=2, fitted_on=60, **SMALL))


@pytest.mark.slow
def test_it_needs_half_of_the_judgments_of_greedy_plus_for_more_chains(folds: list[Fold]) -> None:
    for fold in folds:
        (cost, chains), (dearer, better) = (fold.points[stop] for stop in STOPS)
        plus, its_chains = fold.greedy_plus
        assert cost < dearer < 0.75 * plus and cost < 0.5 * plus
        assert chains > its_chains - 4 and better > its_chains


def test_the_tables_say_what_was_found(folds: list[Fold]) -> None:
    text = table(folds)
    assert "greedy plus" in text and "adaptive, stop 0.12" in text and "86.07 % of chains" in text
    *tenths, last = reliability_table(folds, STOPS[1]).splitlines()[1:]
    chains = sum(len(fold.tallies[STOPS[1]].chains) for fold in folds)
    assert sum(int(line.split()[3]) for line in tenths) == chains == int(last.split()[1]) > 100


def test_the_confidence_counts_every_chain_and_every_link_that_can_be(bed: list[BedImage], folds: list[Fold]) -> None:
    of_bed = {image.key: image for image in bed}
    for fold in folds:
        tally, images = fold.tallies[STOPS[1]], {case.image for case in fold.tallies[STOPS[1]].chains}
        assert len(tally.links) == sum(admissible_pairs(of_bed[image]) for image in images)
        said, right = (sum(getattr(case, what) for case in tally.chains) for what in ("chance", "right"))
        assert abs(said - right) < 0.06 * len(tally.chains)


def test_a_cost_between_two_points_is_on_the_line_between_them() -> None:
    points = [Point(40.0, 95.0), Point(20.0, 85.0)]
    assert cost_of(points, 90.0) == 30.0
    assert cost_of(points, 80.0) == 20.0
    assert cost_of(points, 96.0) is None


def test_a_cost_by_the_means_counts_the_folds_that_miss_the_goal() -> None:
    better, worse = ({0.1: Point(40.0, high), 0.3: Point(20.0, low)} for high, low in ((96.0, 88.0), (94.0, 86.0)))
    text = table([Fold(Point(60.0, 90.0), points, {}) for points in (better, worse)])
    assert "90.67 % of chains: cost 29.2 ±3.5, in 2 of 2 folds; by their means 29.2" in text
    assert "95 % of chains: cost 37.5 ±0.0, in 1 of 2 folds; by their means 40.0" in text


@pytest.mark.slow
def test_a_project_that_refits_begins_with_the_default_prior_and_ends_each_stop_in_turn(bed: list[BedImage]) -> None:
    told: list[int] = []
    given: dict[str, Any] = {**SMALL, "folds": 1, "images": 24, "fitted_on": 0, "stops": (0.5, 0.3)}
    fixed, refitted = (list(frontier(bed, refits=refits, done=told.append, **given)) for refits in (False, True))
    assert told == [1] * 24 + [24] * 2
    assert refitted[0].greedy_plus == fixed[0].greedy_plus and refitted[0].points != fixed[0].points


@pytest.mark.slow
def test_beyond_the_rules_whole_chains_are_found_that_the_rules_keep_apart(data_folder: Path) -> None:
    images = islice(read_flickr30k(data_folder / "flickr30k-entities"), 60)
    whole = [bed_image(image, Gold.WHOLE) for image in images if isinstance(image, DatasetImage)]
    given: dict[str, Any] = {**SMALL, "folds": 2, "fitted_on": 0, "stops": (0.05,), "error": 0.005}
    found = [
        [fold.points[0.05].chains for fold in frontier(whole, refits=True, planner=planner, **given)]
        for planner in (BY_RULES, BEYOND_RULES)
    ]
    assert fmean(found[0]) < 95 < 98 < fmean(found[1]), found


def test_too_few_images_are_refused(bed: list[BedImage]) -> None:
    with pytest.raises(ValueError, match="too few"):
        list(frontier(bed[:10], folds=2, images=6, fitted_on=0))


@pytest.mark.parametrize("wrong", [{"folds": 0}, {"images": 0}, {"fitted_on": -1}, {"stops": [0.2, 0]}], ids=str)
def test_what_measures_nothing_is_refused(wrong: dict[str, Any], bed: list[BedImage]) -> None:
    with pytest.raises(ValueError, match="at least"):
        list(frontier(bed, **{"folds": 1, "images": 1, "fitted_on": 0, **wrong}))


@pytest.mark.parametrize(("error", "said"), [("0.6", "--error"), ("0", "--error")])
def test_the_command_refuses_an_error_that_nobody_has(error: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=said):
        call_command("adaptive_frontier", tmp_path, "--error", error)


def test_the_command_adds_the_folds_of_other_seeds(data_folder: Path, tmp_path: Path) -> None:
    options = {"folds": 1, "images": 5, "fitted_on": 0, "stops": [0.5]}
    source = first_images(data_folder / "flickr30k-entities", tmp_path / "part", 12)
    told = []
    for seed, seeds in ((3, 2), (3, 1), (4, 1)):
        file = tmp_path / f"{seed} {seeds}.json"
        said = StringIO()
        call_command("adaptive_frontier", source, seed=seed, seeds=seeds, json=file, stdout=said, **options)
        told.append((json.loads(file.read_text()), said.getvalue()))
    both, first, second = (folds for folds, _ in told)
    assert both == first + second and first != second
    assert "2 times with other samples and crowds" in told[0][1] and "times with" not in told[1][1]


def test_the_command_refuses_to_run_no_seed(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="--seeds 0: give at least 1"):
        call_command("adaptive_frontier", tmp_path, seeds=0)


def test_the_command_names_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="no such folder"):
        call_command("adaptive_frontier", tmp_path / "nowhere")


def bed_of(*captions: Sequence[str]) -> BedImage:
    mentions = [
        LinkMention(10 * number + start, number, start, frozenset({"people"}), text.split()[-1], tuple(text.split()))
        for number, texts in enumerate(captions)
        for start, text in enumerate(texts)
    ]
    return BedImage("1", tuple(mentions), {mention.number: str(mention.number) for mention in mentions})


def test_words_of_one_meaning_are_more_alike_than_words_that_captions_use_side_by_side() -> None:
    (image,) = with_vectors([bed_of(["a man", "a woman"], ["a guy", "a lady"])])
    values = phrases_alike(image.mentions)
    man, woman, guy, lady = range(4)
    assert values[man, guy] > 0 > values[man, lady] and values[woman, lady] > 0 > values[woman, guy]


def test_without_the_package_a_study_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors_of_phrases, "PACKAGE", "no_such_package")
    vectors_of_phrases._model.cache_clear()
    with pytest.raises(ValueError, match="the extra “vectors”"):
        with_vectors([bed_of(["a man"])])


@pytest.mark.slow
def test_the_command_says_that_phrases_have_vectors(data_folder: Path) -> None:
    said = StringIO()
    options = {"folds": 1, "images": 5, "fitted_on": 0, "vectors": True, "stops": [0.5], "alike": True}
    call_command("adaptive_frontier", data_folder / "flickr30k-entities", stdout=said, **options)
    assert "the default prior with vectors of phrases and heads of all captions here" in said.getvalue()
