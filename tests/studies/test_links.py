"""Chances that were said, against what was right, tenth by tenth.
The cost of links in made narrations.
The study of the adaptive strategy, on real mentions and with simulated workers.
The replay of real people's coreference answers to link questions.
"""

import json
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.rules.transitivity import LinkMention
from belief.links.text_features import phrases_alike
from exchange.dataset import DatasetImage
from exchange.formats.flickr30k.read import read_flickr30k
from pipeline.learning import vectors_of_phrases
from pipeline.protocol.state.progress import TallyVote
from simulation.compare_strategies import BedImage, GoldForm, admissible_pairs, bed_image
from studies.linking import narrations, sweeps
from studies.linking.adaptive_frontier import Fold, Point, cost_of, frontier, table, with_vectors
from studies.linking.calibration import Said, calibration, calibration_table
from studies.linking.narrations import Measured, measure
from studies.linking.real_links import Outcome, RealAnswers, baselines, fit_on_answers, read_passages
from studies.linking.sweeps import real_samples
from tests.support.table import case


def cases(chance: float, right: int, wrong: int, *, images: int = 20) -> list[Said]:
    return [Said(str(number % images), chance, number < right) for number in range(right + wrong)]


def test_a_tenth_says_what_was_said_and_what_was_right_and_certainty_belongs_to_the_last() -> None:
    (one,) = calibration(cases(0.75, 60, 40))
    assert (one.first, one.cases, one.share) == (0.7, 100, 100)
    assert (one.said, one.right, one.gap) == pytest.approx((75, 60, -15))
    assert [one.first for one in calibration([*cases(1.0, 5, 0), *cases(0.0, 0, 5)])] == [0.0, 0.9]


@case("a large gap that chance does not explain is off", 1200, 800, False, True)
@case("a gap within three points is not off however sure", 77_000, 23_000, False, False)
@case("a gap that chance explains is not off", 13, 7, True, False)
def test_a_gap(right: int, wrong: int, *, chance: bool, off: bool) -> None:
    (one,) = calibration(cases(0.75, right, wrong))
    assert (one.low <= 0 <= one.high, one.is_off) == (chance, off)
    assert ("off" in calibration_table(cases(0.75, right, wrong))) is off


def test_a_tenth_with_few_cases_is_not_off_and_cases_of_one_image_count_as_one_when_images_are_resampled() -> None:
    rare, _ = calibration([*cases(0.15, 40, 0), *cases(0.95, 950, 50)])
    assert rare.gap == pytest.approx(85) and not rare.is_off
    alone, together = (calibration(cases(0.75, 120, 80, images=images))[0] for images in (200, 5))
    (apart,) = calibration([Said(str(number // 40), 0.75, number < 120) for number in range(200)])
    assert apart.high - apart.low > 2 * (alone.high - alone.low) > 0
    assert together.cases == alone.cases


def test_a_later_stop_costs_more_the_same_seed_the_same_and_goals_are_read_off_the_means_of_all_sets() -> None:
    found = measure(1, 0, stops=(0.5, 0.2))
    assert found == measure(1, 0, stops=(0.5, 0.2))
    assert 0 < found.points[0.5].cost < found.points[0.2].cost < 100 and found.chains > 5
    runs = [Measured(10, 10, {0.5: Point(10, 80 + more), 0.1: Point(30, 94 + more)}) for more in (0, 4)]
    said = narrations.table(runs)
    assert "90 % of chains: 21.4 % of all pairs" in said and "97 % of chains: not reached" in said


def test_it_writes_its_narrations_as_a_source_and_over_none(tmp_path: Path) -> None:
    call_command("narrations", images=1, write=tmp_path / "told")
    assert {"Sentences", "Annotations", "images", "parts.json"} == {one.name for one in (tmp_path / "told").iterdir()}
    with pytest.raises(CommandError, match="told"):
        call_command("narrations", images=1, write=tmp_path / "told")


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


def test_the_confidence_counts_every_chain_and_every_link_that_can_be(bed: list[BedImage], folds: list[Fold]) -> None:
    of_bed = {image.key: image for image in bed}
    for fold in folds:
        tally, images = fold.tallies[STOPS[1]], {case.image for case in fold.tallies[STOPS[1]].chains}
        assert len(tally.links) == sum(admissible_pairs(of_bed[image]) for image in images)
        said, right = (sum(getattr(case, what) for case in tally.chains) for what in ("chance", "right"))
        assert abs(said - right) < 0.06 * len(tally.chains)


def test_a_cost_between_two_points_is_on_the_line_between_them_and_by_the_means_counts_folds_that_miss_the_goal():
    points = [Point(40.0, 95.0), Point(20.0, 85.0)]
    assert [cost_of(points, goal) for goal in (90.0, 80.0, 96.0)] == [30.0, 20.0, None]
    better, worse = ({0.1: Point(40.0, high), 0.3: Point(20.0, low)} for high, low in ((96.0, 88.0), (94.0, 86.0)))
    text = table([Fold(Point(60.0, 90.0), points, {}) for points in (better, worse)])
    assert "90.67 % of chains: cost 29.2 ±3.5, in 2 of 2 folds; by their means 29.2" in text
    assert "95 % of chains: cost 37.5 ±0.0, in 1 of 2 folds; by their means 40.0" in text


@pytest.mark.slow
def test_a_project_that_refits_begins_with_the_default_prior_and_ends_each_stop_in_turn(bed: list[BedImage]) -> None:
    told: list[int] = []
    given: dict[str, Any] = {**SMALL, "folds": 1, "images": 24, "fitted_on": 0, "stops": (0.5, 0.3)}
    (refitted,) = frontier(bed, done=told.append, **given)
    assert told == [24] * 2 and set(refitted.points) == {0.5, 0.3}


@pytest.mark.slow
def test_beyond_the_rules_whole_chains_are_found_that_the_rules_keep_apart(data_folder: Path) -> None:
    images = islice(read_flickr30k(data_folder / "flickr30k-entities"), 60)
    whole = [bed_image(image, GoldForm.WHOLE) for image in images if isinstance(image, DatasetImage)]
    given: dict[str, Any] = {**SMALL, "folds": 2, "fitted_on": 0, "stops": (0.05,), "error": 0.005}
    found = [[fold.points[0.05].chains for fold in frontier(whole, beyond=beyond, **given)] for beyond in (False, True)]
    assert fmean(found[0]) < 95 < 98 < fmean(found[1]), found


def bed_of(*captions: Sequence[str]) -> BedImage:
    places = [(number, start, text) for number, texts in enumerate(captions) for start, text in enumerate(texts)]
    people = frozenset({"people"})
    mentions = tuple(
        LinkMention(10 * n + at, n, at, people, (w := tuple(text.split()))[-1], w) for n, at, text in places
    )
    return BedImage("1", mentions, {mention.number: str(mention.number) for mention in mentions})


def test_sweeps_find_the_same_chains_in_less_time_unless_a_candidate_is_dear(bed: list[BedImage]) -> None:
    (sample,) = real_samples(bed, [1], 15, 60)
    found = sweeps.measure(sample, [0.5, 30.0], [0.3, 0.1], lambda: None)
    pairs, cheap, dear = (points[0.1] for points in found.values())
    assert cheap.cost < 0.9 * pairs.cost and cheap.chains > pairs.chains - 2
    assert dear == pairs, "thirty seconds for a candidate: pairs alone are asked"
    assert [row[0] for row in sweeps.rows([found])] == ["pairs", "sweeps, 0.5 s", "sweeps, 30 s"]


def test_the_command_of_sweeps_compares_made_narrations_without_a_path(tmp_path: Path) -> None:
    call_command("sweeps", images=1, seeds=1, further=[1.1], stops=[0.5, 0.4], json=tmp_path / "found.json")
    (found,) = json.loads((tmp_path / "found.json").read_text())
    assert [*found] == ["None", "1.1"] and all(len(points) == 2 for points in found.values())


def test_words_of_one_meaning_are_more_alike_than_words_that_captions_use_side_by_side(monkeypatch: Any) -> None:
    (image,) = with_vectors([bed_of(["a man", "a woman"], ["a guy", "a lady"])])
    values = phrases_alike(image.mentions)
    man, woman, guy, lady = range(4)
    assert values[man, guy] > 0 > values[man, lady] and values[woman, lady] > 0 > values[woman, guy]
    monkeypatch.setattr(vectors_of_phrases, "PACKAGE", "no_such_package")
    vectors_of_phrases._model.cache_clear()
    with pytest.raises(ValueError, match="run scripts/setup"):
        with_vectors([bed_of(["a man"])])


SENTENCES = ("A man pets a dog .", "The man likes it .", "The king of France sees the dog .")
SPANS = ((0, 0, 2), (0, 3, 5), (1, 0, 2), (1, 3, 4), (2, 0, 4), (2, 0, 2), (2, 5, 7))
"""A man, a dog, the man, it, the king of France, the king, the dog."""
GOLD = {0: 0, 2: 0, 1: 1, 3: 1, 6: 1, 4: 2}


def entity(worker: int, mention: int) -> int:
    """One worker leaves the pronoun alone, another takes the king for the man."""
    if (worker, mention) in {(1, 3), (2, 5)}:
        return {1: 8, 2: 0}[worker]
    return GOLD.get(mention, 9)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    lines: dict[str, list[str]] = {
        "sentences": ["passage,sentence,tokens"],
        "mentions": ["passage,mention,sentence,start,end"],
        "answers": ["passage,worker,mention,entity"],
        "gold": ["passage,mention,entity"],
    }
    for passage in "pqrs":
        lines["sentences"] += [f"{passage},{number},{text}" for number, text in enumerate(SENTENCES)]
        lines["mentions"] += [f"{passage},{number},{','.join(map(str, span))}" for number, span in enumerate(SPANS)]
        for worker in range(5):
            lines["answers"] += [f"{passage},{worker},{one},{entity(worker, one)}" for one in range(len(SPANS))]
        lines["gold"] += [f"{passage},{mention},{chain}" for mention, chain in GOLD.items()]
    for name, rows in lines.items():
        (tmp_path / f"{name}.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return tmp_path


def test_every_policy_has_a_row(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("real_links", folder, sure=[0.9, 0.6], seeds=1, every=1, json=folder / "rows.json")
    rows: dict[str, dict[str, Any]] = {row["policy"]: row for row in json.loads((folder / "rows.json").read_text())}
    fields = ["policy", "cost", "exact", "exact_multi", "b3", "conll", "lea", "confidence", "correct"]
    assert all([*row][: len(fields)] == fields for row in rows.values())
    paper = ["exhaustive", "greedy", "exhaustive plus", "greedy plus", "greedy, majority of 3"]
    plain = ["all apart", "one whole answer", "majority on every pair"]
    assert [*rows] == [*plain, *paper, "adaptive 0.6", "adaptive 0.9", "sweeps 0.6", "sweeps 0.9"]
    assert rows["sweeps 0.9"]["cost"] < rows["adaptive 0.9"]["cost"], "one answer is about several pairs"
    assert rows["all apart"]["exact"] == pytest.approx(1 / 3) and rows["all apart"]["exact_multi"] == 0
    assert rows["majority on every pair"] | {"cost": 5, "exact": 1, "b3": 1, "lea": 1} == rows["majority on every pair"]
    assert rows["exhaustive"]["cost"] == 1 > rows["greedy"]["cost"] and rows["exhaustive"]["confidence"] is None
    unsure, sure = rows["adaptive 0.6"], rows["adaptive 0.9"]
    assert 0 <= unsure["cost"] < sure["cost"] and 0 < sure["confidence"] <= 1
    assert "| adaptive 0.9 |" in capsys.readouterr().out


def test_nobody_answers_twice_about_a_pair(folder: Path) -> None:
    passage = read_passages(folder)[0]
    pair, votes, answers = (1, 3), list[TallyVote](), RealAnswers(passage, 0)
    for _ in range(5):
        votes.append(answers.about(pair, {pair: votes})[pair])
    assert {vote.worker: vote.answer for vote in votes} == {worker: worker != 1 for worker in range(5)}
    assert answers.about(pair, {pair: []}, together=3)[pair].answer
    assert not answers.about((1, 3, 4), {pair: votes, (1, 4): []}), "of a sweep that all have judged in part"
    assert answers.about((1, 3, 4), {pair: votes[:4], (1, 4): []})[1, 4].worker == votes[4].worker


def test_mentions_stand_in_reading_order_and_have_parts_of_their_own(folder: Path) -> None:
    mentions = read_passages(folder)[0].mentions
    assert [one.number for one in mentions] == [0, 1, 2, 3, 5, 4, 6], "the shorter of two first"
    assert [one.head for one in mentions if one.pronoun] == ["it"]
    assert len({one.part for one in mentions}) == len(mentions)


def test_a_fit_learns_from_answers_and_never_reads_gold_and_only_mentions_with_gold_are_scored(folder: Path) -> None:
    passages = read_passages(folder)
    outcome, with_gold = Outcome("some"), fit_on_answers(passages)
    outcome.add(passages[0], [[0, 2, 5], [1, 3, 6], [4]], 0)
    assert outcome.row()["exact"] == outcome.row()["b3"] == 1
    (folder / "gold.csv").write_text("passage,mention,entity\n")
    assert fit_on_answers(read_passages(folder)) == with_gold
    assert any(with_gold.links.antecedents.values())


@case("no file", "mentions.csv", None, r"mentions\.csv: there is no such file")
@case("no column", "gold.csv", "passage,mention\n", r"gold\.csv: the column 'entity' is missing")
@case("no number", "gold.csv", "passage,mention,entity\np,x,1\n", r"gold\.csv, line 2: write whole numbers")
@case("no token", "sentences.csv", "passage,sentence,tokens\np,0,A\n", r"p, mention 0: sentence 0 has 1 tokens")
@case("no answer", "answers.csv", "passage,worker,mention,entity\np,0,0,1\n", r"answers\.csv: p: an answer lacks")
def test_a_file_that_cannot_be_read_is_named_and_a_chance_of_a_half_is_no_choice(
    file: str, text: str | None, what: str, folder: Path
) -> None:
    with pytest.raises(CommandError, match=r"between 0\.5 and 1"):
        call_command("real_links", folder, sure=[0.5])
    (folder / file).unlink() if text is None else (folder / file).write_text(text, encoding="utf-8")
    with pytest.raises(CommandError, match=what):
        call_command("real_links", folder)


def test_the_majority_of_five_people_misses_much_of_what_experts_join(data_folder: Path) -> None:
    passages = read_passages(data_folder / "crowd-coreference")
    apart, whole, most = (one.row() for one in baselines(passages))
    figures = [round(row[name], 3) for row in (apart, whole, most) for name in ("exact", "exact_multi", "b3")]
    assert figures == [0.8, 0, 0.804, 0.836, 0.452, 0.927, 0.866, 0.489, 0.941]
