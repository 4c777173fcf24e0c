"""Files of items are read as they were written, and a bad line is named.
Accuracy of the three tasks, and chance by definition.
A model without the image: chance on items drawn by frequency, well above on uniform ones.
The three tasks: chance, models and people on the same items, and other people's files.
The blind model learns which words betray a foil, and nothing else.
The box-aware model: a noun without a box is wrong; detections are read by image.
Predictions of another model are read by caption; those of other captions are left out.
Agreement: captions that the majority, and all, judged rightly; people's rows worked out by hand.
Majority is more than half of the votes, unanimity all of them; typed words are compared but for form.
Votes are read as surveys export them, and a bad line is named.
"""

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

from evaluation.errors import InputError
from evaluation.foil.human import MAJORITY, UNANIMITY, is_foil_word, is_right, read_caption_votes
from evaluation.foil.item import (
    CONTENT_WORDS,
    CORRECT,
    FOIL,
    NOUNS,
    TASK_1,
    FoilItem,
    chance_t2,
    chance_t3,
    items_text,
    percent,
    places_of,
    read_items,
    task_1,
)
from evaluation.foil.making.lexicon import Lexicon
from evaluation.foil.models import (
    BlindModel,
    BoxAware,
    FromFile,
    ShownCaption,
    n_grams,
    read_detections,
    read_foil_predictions,
    shown_captions,
)
from evaluation.foil.tasks import GROUPS, folds_of
from tests.support.table import row

ITEM = FoilItem("a#0", "a", "A dog sits .", "A cat sits .", 1, "dog", "cat", "animal", "test")


def test_items_read_as_they_were_written(coco_words: Lexicon, tmp_path: Path) -> None:
    path = tmp_path / "items.jsonl"
    path.write_text(items_text([ITEM]))
    assert read_items(path, coco_words) == [ITEM]
    assert {"image", "caption", "foil", "place", "target", "foil_word", "super_category"} <= set(
        json.loads(path.read_text())
    )


@row({"super_category": "plants"}, "line 2: the super-category 'plants' is unknown; the lexicon has accessory,")
@row({"foil_word": "bus"}, "line 2: the lexicon has no word 'bus' in animal")
@row({"target": "wolf"}, "line 2: the lexicon has no word 'wolf' in animal")
@row({"place": 2}, "line 2: caption and foil must differ in the word at place 2 alone")
@row({"foil": "A cat lies ."}, "must differ in the word at place 1 alone")
@row({"foil": "A cat sits here ."}, "must differ in the word at place 1 alone")
@row({"part": "dev"}, "line 2: the part is 'dev', not 'train' or 'test'")
@row({"item": "a#0"}, "line 2: the item 'a#0' stands twice")
@row({"caption": 3}, "line 2: the field 'caption' is not text")
def test_a_bad_line_is_named(changes: Any, told: str, coco_words: Lexicon, lines: Callable[..., Path]) -> None:
    path = lines(asdict(ITEM), {**asdict(ITEM), "item": "a#1", **changes})
    with pytest.raises(InputError, match=told):
        read_items(path, coco_words)


TAGS = ("DT", "JJ", "NN", "VBZ", "RB", "IN", "NNS", ".")


def test_overall_is_the_mean_of_right_captions_and_foils_and_no_answer_is_wrong_in_both() -> None:
    assert task_1([False, False, False, True], [True, None]) == (62.5, 75.0, 50.0)
    assert task_1([None], [None]) == (0, 0, 0)
    assert percent([]) == 0


@pytest.mark.parametrize("row", TASK_1)
def test_the_papers_rows_obey_it_to_a_hundredth(row: str) -> None:
    overall, correct, foil = TASK_1[row]
    assert overall == pytest.approx((correct + foil) / 2, abs=0.0151)


def test_chance_of_task_2_is_the_mean_of_one_in_the_places_and_that_of_task_3_one_in_72(coco_words: Lexicon) -> None:
    assert chance_t2([[1, 4], [2], [0, 1, 2, 3]]) == pytest.approx(100 * (1 / 2 + 1 + 1 / 4) / 3)
    assert round(chance_t3(len(coco_words.words)), 2) == 1.39


def test_nouns_or_all_content_words_are_places_and_the_wrong_word_is_one_whatever_its_tag_is() -> None:
    assert places_of(TAGS, 2, NOUNS) == [2, 6] and places_of(TAGS, 2, CONTENT_WORDS) == [1, 2, 3, 4, 6]
    assert places_of(TAGS, 5, NOUNS) == [2, 5, 6]


Run = Callable[..., dict[str, Any]]
RUN_BLIND_WORDS = ("dog", "cat", "cow", "bear")
ITEMS = [
    FoilItem(f"{i}#0", f"image{i % 7}", "a x", "a y", 1, target, foil, "animal", "train")
    for i, (target, foil) in enumerate([(a, b) for a in RUN_BLIND_WORDS for b in RUN_BLIND_WORDS if a != b] * 4)
]


@pytest.mark.slow
def test_on_real_captions_frequency_leaves_the_blind_model_at_chance_and_uniform_does_not(
    run: Run, data_folder: Path, tmp_path: Path
) -> None:
    captions = data_folder / "captions" / "flickr30k-train.token.gz"
    for sampling in ("frequency", "uniform"):
        run("foil", "generate", *("--captions", captions, "--images", "600", "--sampling", sampling), out=sampling)
    frequency, uniform = (tmp_path / sampling / "items.jsonl" for sampling in ("frequency", "uniform"))
    sets = ("--items", frequency, "--against", uniform, "--folds", "3")
    figures = run("foil", "blind", *sets, charts=True)["figures"]
    assert (tmp_path / "report" / "blind.svg").exists()
    assert figures["pair.overall"] <= 55 and figures["difference.pair"] >= 10
    assert figures["against.image.overall"] > figures["against.pair.overall"]
    for name in ("pair", "unordered_pair", "image", "against.pair"):
        classes = figures[f"{name}.correct"], figures[f"{name}.foil"]
        assert figures[f"{name}.overall"] == pytest.approx(sum(classes) / 2)


def test_too_few_items_and_an_empty_part_are_refused(lines: Callable[..., Path], refused: Callable[..., str]) -> None:
    few = lines(asdict(RUN_SCORE_ITEMS[0]), name="items.jsonl")
    assert "too few groups by ordered pair for 5 folds" in refused("foil", "blind", "--items", few)
    assert "--folds is 1: give a whole number from 2" in refused("foil", "blind", "--items", few, "--folds", "1")
    told = refused(*STEP, "--items", few)
    assert "items.jsonl has no items of the part 'test': choose another one as --part" in told


@row("pair", 12)
@row("unordered_pair", 6)
@row("image", 7)
def test_items_of_a_group_are_in_one_fold_and_a_pair_and_its_reverse_are_one_pair(group: str, groups: int) -> None:
    folds = folds_of(ITEMS, group, 3, np.random.default_rng(0))
    assert set(folds.tolist()) == {0, 1, 2} and len(set(map(GROUPS[group], ITEMS))) == groups
    for item, fold in zip(ITEMS, folds, strict=True):
        assert set(folds[[GROUPS[group](other) == GROUPS[group](item) for other in ITEMS]].tolist()) == {fold}


STEP = ("foil", "score")
PAIRS = (("dog", "cat"), ("cat", "dog"), ("cow", "bear"), ("bear", "cow"))


def item(number: int, part: Literal["train", "test"]) -> FoilItem:
    target, foil = PAIRS[number % 4]
    first, second = (f"A {word} sleeps on the floor ." for word in (target, foil))
    return FoilItem(f"{part}{number}#0", f"{part}{number}", first, second, 1, target, foil, "animal", part)


RUN_SCORE_ITEMS = [item(number, part) for part in ("train", "test") for number in range(8)]


@pytest.fixture
def items(lines: Callable[..., Path]) -> Path:
    return lines(*map(asdict, RUN_SCORE_ITEMS), name="items.jsonl")


def test_chance_stands_beside_models_and_the_paper(run: Run, items: Path, tmp_path: Path) -> None:
    report = run(*STEP, "--items", items)
    figures = report["figures"]
    assert report["n"] == 8
    assert figures["chance.t2.nouns"] == pytest.approx(50)
    assert figures["chance.t2.words"] == pytest.approx(100 / 3)
    assert figures["chance.t3"] == pytest.approx(100 / 72)
    classes = figures["blind.t1.correct"], figures["blind.t1.foil"]
    assert figures["blind.t1.overall"] == pytest.approx(sum(classes) / 2)
    page = (tmp_path / "report" / "report.md").read_text()
    assert "human_majority (paper)" in page and "IC-Wang: not reproduced: needs predictions" in page


def test_boxes_tell_find_and_mend_every_foil(run: Run, items: Path, lines: Callable[..., Path]) -> None:
    rows = [{"image": one.image, "categories": [one.target, "person"]} for one in RUN_SCORE_ITEMS]
    figures = run(*STEP, "--items", items, "--detections", lines(*rows, name="detections.jsonl"))["figures"]
    for name in ("t1.overall", "t1.correct", "t1.foil", "t1.overall.animal", "t2.nouns", "t2.words", "t3"):
        assert figures[f"box_aware.detections.{name}"] == 100


def test_predictions_are_scored_and_missing_ones_are_wrong(run: Run, items: Path, lines: Callable[..., Path]) -> None:
    rows = [
        {"item": "test0#0:correct", "answer": "correct"},
        {"item": "test0#0:foil", "answer": "foil", "place": 1, "word": "dog"},
        {"item": "test1#0:foil", "answer": "correct", "place": 1, "word": "cow"},
    ]
    figures = run(*STEP, "--items", items, "--predictions", lines(*rows), "--name", "mine")["figures"]
    found = {name: figures[f"mine.{name}"] for name in ("t1.overall", "t1.correct", "t1.foil", "t2.words", "t3")}
    assert found == {"t1.overall": 12.5, "t1.correct": 12.5, "t1.foil": 12.5, "t2.words": 25, "t3": 12.5}
    assert figures["missing"] == 13


def test_people_stand_in_the_same_report(run: Run, items: Path, lines: Callable[..., Path]) -> None:
    rows = [
        {"item": f"test{i}#0:{version}", "worker": "a", "answer": answer, "right": version, "word": "cat"}
        for i, version, answer in ((0, "correct", "correct"), (0, "foil", "foil"), (1, "foil", "correct"))
    ]
    figures = run(*STEP, "--items", items, "--votes", lines(*rows, name="votes.jsonl"), "--least", "1")["figures"]
    assert (figures["human_majority.t1.overall"], figures["human_majority.t2.all"]) == (75, 50)


@row("predictions", {"item": "train0#0:foil", "answer": "foil"}, "the part 'test' have no caption 'train0#0:foil'")
@row(
    "votes",
    {"item": "train0#0:foil", "worker": "a", "answer": "foil", "right": "foil"},
    "votes on 'train0#0:foil', which is not a caption of the items",
)
@row(
    "detections", {"image": "train0", "categories": []}, "does not list the image 'test0' of the items (8 are missing)"
)
def test_files_of_another_split_are_refused(
    option: str, row: Any, told: str, items: Path, lines: Callable[..., Path], refused: Callable[..., str]
) -> None:
    assert told in refused(*STEP, "--items", items, f"--{option}", lines(row, name="given.jsonl"), "--least", "1")


BLIND_ITEMS = [
    FoilItem(f"{i}#0", str(i), f"A dog {act} .", f"A cat {act} .", 1, "dog", "cat", "animal", "train")
    for i, act in enumerate(["sits", "runs", "eats", "waits"] * 5)
]


def test_a_word_that_is_always_wrong_is_told_found_and_mended_where_there_is_a_place(coco_words: Lexicon) -> None:
    right, wrong = (shown_captions(BLIND_ITEMS, kind, tagged=False) for kind in (CORRECT, FOIL))
    model = BlindModel(right, wrong, coco_words)
    other = [FoilItem("x#0", "x", "The dog here .", "The cat here .", 1, "dog", "cat", "animal", "test")]
    correct, foils = (shown_captions(other, kind, tagged=False) for kind in (CORRECT, FOIL))
    assert (model.predict_t1(correct), model.predict_t1(foils)) == ([False], [True])
    assert (model.predict_t2(foils, [[0, 1, 2]]), model.predict_t3(foils, [1])) == ([1], ["dog"])
    assert model.predict_t2(shown_captions(BLIND_ITEMS[:1], FOIL, tagged=False), [[]]) == [None]


def test_n_grams_have_up_to_three_words_and_stop_at_punctuation() -> None:
    assert n_grams(["A", "dog", ",", "Cat"]) == ["a", "dog", "cat", "a dog"]
    assert n_grams(["a", "b", "c", "d"])[-2:] == ["a b c", "b c d"]


def shown(caption: str, *nouns: int) -> ShownCaption:
    pieces = tuple(caption.split())
    return ShownCaption("a#0:foil", "a", pieces, tuple("NN" if i in nouns else "DT" for i in range(len(pieces))))


def model(lexicon: Lexicon, *categories: str) -> BoxAware:
    return BoxAware("box_aware", {"a": set(categories)}, lexicon)


def test_objects_without_a_box_make_a_foil(coco_words: Lexicon) -> None:
    right, wrong = shown("the dog with a ball", 1, 4), shown("the cat with a ball", 1, 4)
    own = model(coco_words, "dog", "sports ball", "person")
    assert own.predict_t1([right, wrong]) == [False, True]
    assert own.predict_t2([right, wrong], [[1, 4], [1, 4]]) == [None, 1]
    assert own.predict_t2([wrong], [[4]]) == [None]


def test_the_wrong_word_is_mended_by_a_box_that_the_caption_does_not_name(coco_words: Lexicon) -> None:
    wrong = shown("the cat with a ball", 1, 4)
    assert model(coco_words, "car", "dog", "sports ball").predict_t3([wrong], [1]) == ["dog"]
    assert model(coco_words, "car", "sports ball").predict_t3([wrong], [1]) == ["car"]
    assert model(coco_words, "sports ball").predict_t3([wrong], [1]) == [None]


@row({"image": "a", "categories": []}, "line 2: the image 'a' stands twice")
@row({"image": "b", "categories": "dog"}, "line 2: the field 'categories' is not a list of names")
@row({"image": "b"}, "line 2: the field 'categories' is missing")
def test_images_have_their_categories_and_bad_lines_are_named(row: Any, told: str, lines: Callable[..., Path]) -> None:
    good = {"image": "a", "categories": ["dog", "dog", "cat"]}
    assert read_detections(lines(good, {"image": "b", "categories": []})) == {"a": {"dog", "cat"}, "b": set()}
    with pytest.raises(InputError, match=told):
        read_detections(lines(good, row))


KNOWN = {"a#0:correct", "a#0:foil", "b#1:correct", "b#1:foil"}
FOILS = [
    ShownCaption("a#0:foil", "a", ("the", "cat", "runs"), ("DT", "NN", "VBZ")),
    ShownCaption("b#1:foil", "b", ("a", "bus"), ("DT", "NN")),
]


@pytest.fixture
def of_file(lines: Callable[..., Path]) -> Callable[..., FromFile]:
    """Return a function that makes the model whose predictions are these lines."""
    return lambda *rows: FromFile("mine", read_foil_predictions(lines(*rows), KNOWN, "test")[0])


def test_answers_of_all_tasks_are_given_back_and_missing_ones_are_none(of_file: Callable[..., FromFile]) -> None:
    first = {"item": "a#0:foil", "answer": "foil", "place": 2, "noun": 1, "word": "dog"}
    model = of_file(first, {"item": "b#1:correct", "answer": "correct"})
    assert (model.predict_t1(FOILS), model.predict_t2(FOILS, [[1], [1]])) == ([True, None], [1, None])
    assert model.predict_t2(FOILS, [[1, 2], [1]]) == [2, None]
    assert model.predict_t3(FOILS, [1, 1]) == ["dog", None]


def test_no_right_place_saves_a_wrong_noun_and_unanswered_tasks_are_unscored(
    of_file: Callable[..., FromFile],
) -> None:
    model = of_file({"item": "a#0:foil", "answer": "foil", "place": 1, "noun": 0})
    assert model.predict_t2(FOILS, [[1], [1]]) == [None, None]
    assert model.predict_t2(FOILS, [[1, 2], [1]]) == [1, None]
    silent = of_file({"item": "a#0:foil", "answer": "foil"})
    assert silent.predict_t2(FOILS, [[1], [1]]) is None and silent.predict_t3(FOILS, [1, 1]) is None


def test_captions_of_another_part_are_left_out_unless_there_are_no_others(lines: Callable[..., Path]) -> None:
    other, own = ({"item": f"{name}:foil", "answer": "foil"} for name in ("c#0", "a#0"))

    assert read_foil_predictions(lines(other, own), KNOWN, "test")[1] == ["c#0:foil"]
    with pytest.raises(InputError, match="the items of the part 'test' have no caption 'c#0:foil'"):
        read_foil_predictions(lines(other), KNOWN, "test")


@row({"item": 7, "answer": "foil"}, "line 2: the field 'item' is '7', not a text")
@row({"item": "a#0:foil", "answer": "foil"}, "line 2: the caption 'a#0:foil' stands twice")
@row({"item": "b#1:foil", "answer": "yes"}, "line 2: the answer is 'yes', not 'correct' or 'foil'")
@row({"item": "b#1:foil", "answer": "foil", "place": -1}, "line 2: the field 'place' is '-1', not a whole number")
@row({"item": "b#1:foil", "answer": "foil", "word": 4}, "line 2: the field 'word' is not text")
def test_a_bad_line_of_predictions_is_named(row: Any, told: str, lines: Callable[..., Path]) -> None:
    with pytest.raises(InputError, match=told):
        read_foil_predictions(lines({"item": "a#0:foil", "answer": "foil"}, row), KNOWN, "test")


Lines = Callable[..., Path]
AGREEMENT = ("foil", "agreement")
VOTED_ITEMS = [
    FoilItem(f"{image}#0", image, "A dog sits .", "A cat sits .", 1, "dog", "cat", "animal", "test") for image in "abc"
]


def votes(name: str, right: str, *answers: str) -> list[dict[str, str]]:
    """Return a vote for each answer, such as "foil cat": the answer and the typed word."""
    rows = []
    for number, answer in enumerate(answers):
        said, _, word = answer.partition(" ")
        rows.append({"item": name, "worker": f"w{number}", "answer": said, "right": right, "word": word})
    return rows


VOTES = [
    *votes("a#0:correct", "correct", "correct", "correct", "correct"),
    *votes("b#0:correct", "correct", "correct", "foil x", "foil x"),
    *votes("a#0:foil", "foil", "foil cat", "foil Cats.", "foil CAT"),
    *votes("b#0:foil", "foil", "foil cat", "foil cat", "correct"),
    *votes("c#0:foil", "foil", "foil sits", "foil cat", "foil sits"),
    *votes("d#0:foil", "foil", "correct", "correct", "foil cat"),
]


def test_majority_and_unanimity_are_counted(run: Run, lines: Lines, tmp_path: Path) -> None:
    figures = run(*AGREEMENT, "--votes", lines(*VOTES), charts=True)["figures"]
    assert (tmp_path / "report" / "agreement.svg").exists()
    assert (figures["items"], figures["majority"], figures["unanimous"]) == (6, 4, 3)
    assert (figures["votes"], figures["workers"]) == (18, 3)
    assert (figures["human_majority.t1.correct"], figures["human_majority.t1.foil"]) == (50, 75)
    assert (figures["human_majority.t1.overall"], figures["human_unanimity.t1.foil"]) == (62.5, 50)
    assert "human_majority.t2.all" not in figures
    disputed = (tmp_path / "report" / "disputed.csv").read_text().splitlines()
    assert [row.split(",")[0] for row in disputed[1:]] == ["b#0:correct", "d#0:foil", "b#0:foil"]


def test_typed_words_are_counted_over_all_foils_and_over_those_called_wrong(run: Run, lines: Lines) -> None:
    last = FoilItem("d#0", "d", "A dog sits .", "A cat sits .", 1, "dog", "cat", "animal", "test")
    items = lines(*map(asdict, [*VOTED_ITEMS, last]), name="items.jsonl")
    figures = run(*AGREEMENT, "--votes", lines(*VOTES, name="votes.jsonl"), "--items", items)["figures"]
    assert figures["human_majority.t2.all"] == 50
    assert figures["human_majority.t2.called_wrong"] == pytest.approx(200 / 3)
    assert figures["human_unanimity.t2.all"] == 25


def test_captions_of_a_running_survey_with_too_few_votes_are_undecided_and_said(
    run: Run, lines: Lines, refused: Callable[..., str], tmp_path: Path
) -> None:
    running = lines(*VOTES, *votes("e#0:foil", "foil", "foil", "foil"))
    figures = run(*AGREEMENT, "--votes", running)["figures"]
    assert (figures["items"], figures["undecided"]) == (6, 1)
    page = (tmp_path / "report" / "report.md").read_text()
    assert "Captions with fewer than 3 votes, undecided and left out (--least): 1." in page
    assert run(*AGREEMENT, "--votes", running, "--least", "2")["figures"]["unanimous"] == 4
    assert "no caption has 4 votes, the most have 3: wait, or give --least 3" in refused(
        *AGREEMENT, "--votes", running, "--least", "4"
    )
    assert "--least is 0: give a whole number from 1" in refused(*AGREEMENT, "--votes", running, "--least", "0")


def test_votes_on_other_items_are_refused(lines: Lines, refused: Callable[..., str]) -> None:
    step = (*AGREEMENT, "--items", lines(*map(asdict, VOTED_ITEMS), name="items.jsonl"), "--votes")
    told = refused(*step, lines(*VOTES, name="votes.jsonl"))
    assert "votes on 'd#0:foil', which is not a caption of the items (1 in all)" in told
    told = refused(*step, lines(*votes("a#0:foil", "correct", "correct"), name="votes.jsonl"), "--least", "1")
    assert "'a#0:foil' is a caption of the version correct; by its name it is foil" in told


@row([True, True, True], True, True)
@row([True, True, False], True, False)
@row([True, False, False], False, False)
@row([True, False], False, False)
@row([True], True, True)
@row([], False, False)
def test_right_votes_are_counted(votes: list[bool], *, majority: bool, unanimity: bool) -> None:
    assert (is_right(votes, MAJORITY), is_right(votes, UNANIMITY)) == (majority, unanimity)


@row("Dog", "dog", True)
@row(" dogs. ", "dog", True)
@row("“KNIVES”", "knife", True)
@row("skis", "skis", True)
@row("dogged", "dog", False)
@row("the dog", "dog", False)
@row("", "dog", False)
@row(None, "dog", False)
def test_case_signs_and_number_do_not_matter(typed: str | None, word: str, *, same: bool, coco_words: Lexicon) -> None:
    assert is_foil_word(typed, word, coco_words) is same


@row("foil", "foil", "foil", True)
@row("Wrong", "foil", "foil", True)
@row("correct", "foil", "foil", False)
@row("wrong", "correct", "correct", False)
@row("wrong", True, "foil", True)
@row("wrong", False, "correct", False)
@row("yes", "yes", None, True)
@row(True, True, None, True)
@row(False, True, None, False)
@row({"answer": "wrong", "word": "dog"}, "wrong", "foil", True)
def test_an_answer_is_held_against_the_right_one(
    answer: Any, right: Any, version: str | None, *, is_right: bool, lines: Lines
) -> None:
    row = {"item": 7, "worker": "w1", "answer": answer, "right": right, "seconds": 3.5, "at": "2026-01-01"}
    ((vote,),) = read_caption_votes(lines(row)).by_item.values()
    assert (vote.item, vote.is_right, vote.version) == ("7", is_right, version)


def test_votes_without_a_right_answer_are_counted_and_left_out_and_a_survey_of_none_is_refused(
    lines: Lines,
) -> None:
    rows = [{"item": 1, "worker": "a", "answer": "x", "right": right} for right in ("x", None)]
    found = read_caption_votes(lines(rows[0], {**rows[1], "item": 2}))
    assert (list(found.by_item), found.unknown) == (["1"], 1)
    with pytest.raises(InputError, match="holds no vote with a right answer"):
        read_caption_votes(lines(rows[1]))


@row([1, "a", "x", "x"], "line 2: the worker 'a' votes twice on the item '1'")
@row([1, "b", "x"], "line 2: the field 'right' is missing")
@row([1, "", "x", "x"], "line 2: the field 'worker' is ''")
@row([1, "b", None, "x"], "line 2: the answer is 'None', not a text")
@row([1, "b", "x", ["x"]], "line 2: the right answer is")
@row([1, "b", "x", "x", 1], "line 2: the field 'word' is not text")
def test_a_bad_vote_is_named(values: list[Any], told: str, lines: Lines) -> None:
    row = dict(zip(("item", "worker", "answer", "right", "word"), values, strict=False))
    with pytest.raises(InputError, match=told):
        read_caption_votes(lines({"item": 1, "worker": "a", "answer": "x", "right": "x"}, row))
