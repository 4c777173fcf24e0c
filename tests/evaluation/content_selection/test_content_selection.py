"""Scenes that are easy to follow by hand.
Scenes of exports and of plain files, and the concepts of their boxes.
The baselines on real chains.
Sentences of a baseline, scored again from their file; and bad files.
The score of a selection: the paper's Figure 2, worked by hand, and the fast form of it.
The baselines: orders by position, size and words, their combinations, and chance.
Orders use counts of concepts from other images: images are never scored with counts from themselves.
Sentences whose words name their boxes, read and generated.
"""

import csv
import itertools
import shutil
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evaluation.content_selection import scenes
from evaluation.content_selection.run import run_baselines
from evaluation.content_selection.scenes import (
    FUNCTION_WORDS,
    DescribedScene,
    Labelled,
    concept,
    crosswise,
    fitted_on,
    head,
    read_correspondence,
    read_scenes_file,
    scene_of,
    scores_by_k,
    selection_score,
    sentence_of,
    term,
    upper_bound,
    word_of,
)
from evaluation.errors import InputError
from evaluation.reading.picture import Picture
from evaluation.reading.pictures import read_pictures
from evaluation.work import StepWork
from tests.support.table import case, row

Refused = Callable[..., str]
Lines = Callable[..., Path]


def scene(concepts: dict[str, str], *references: str, image: str = "image") -> DescribedScene:
    """Return a scene with boxes of these concepts, and descriptions that refer to boxes of one-letter ids."""
    boxes = tuple(Labelled(name, (0, 0, 10, 10), concept) for name, concept in concepts.items())
    return DescribedScene(image, 100, 50, boxes, tuple(tuple(own) for own in references))


GOOD: dict[str, Any] = {
    "image": "a", "width": 100, "height": 50,
    "boxes": [{"id": 3, "box": [0, 0, 9, 9], "concept": "Car"}, {"id": 2, "box": [5, 0, 9, 9], "concept": "woman"}],
    "descriptions": ["A [woman]2 by a [car]3 .", [3, "2"], "Nothing ."],
}  # fmt: skip


@pytest.mark.parametrize(
    ("words", "expected"), [("a red Hat", "hat"), ("the hat .", "hat"), ("...", "..."), ("size 10", "10")]
)
def test_the_head_is_the_last_word_with_a_letter_or_digit(words: str, expected: str) -> None:
    assert head(words.split()) == expected


@case("men are a man", [["men"]], "man")
@case("children are a child", [["children"]], "child")
@case("dogs are a dog", [["dogs"]], "dog")
@case("a dress stays a dress", [["dress"]], "dress")
@case("bikes are a bike", [["bikes"]], "bike")
@case("the most frequent lemma wins", [["two", "dogs"], ["pets"], ["the", "dog"]], "dog")
@case("ties go to the first", [["animals"], ["dogs"]], "animal")
def test_the_concept_of_phrases(phrases: list[list[str]], expected: str) -> None:
    assert concept(phrases) == expected


def test_boxes_are_chains_with_a_box_to_which_descriptions_refer_in_order_and_loose_ones_distract(export: Path) -> None:
    _, man = read_pictures(export)
    scene = scene_of(man)
    assert [(one.id, one.concept) for one in scene.boxes] == [("1", "man"), ("2", "hat"), ("3", "dog")]
    assert scene.references == (("1", "2", "3"), ("1",))
    assert scene.members.tolist() == [[True, True, True], [True, False, False]]
    loose = Picture("man", 120, 100, man.captions, man.boxes, (("umbrella", (0, 0, 5, 5)),))
    assert [(one.id, one.concept) for one in scene_of(loose).boxes][3:] == [("box 1", "umbrella")]


def test_ids_are_sorted_by_their_number(export: Path) -> None:
    text = (export / "Sentences" / "cat.txt").read_text()
    (export / "Sentences" / "cat.txt").write_text(text.replace("[", "[/EN#10/other Fur] of [", 1))
    file = export / "Annotations" / "cat.xml"
    file.write_text(file.read_text().replace("</name>", "</name><name>10</name>"))
    assert [one.id for one in scene_of(read_pictures(export)[0]).boxes] == ["9", "10"]


def test_descriptions_are_sentences_or_lists_of_ids(lines: Lines) -> None:
    (scene,) = read_scenes_file(lines(GOOD))
    assert scene.references == (("2", "3"), ("3", "2"), ())
    assert [(one.id, one.concept) for one in scene.boxes] == [("2", "woman"), ("3", "car")]
    assert scene.gold == [{"2", "3"}, {"2", "3"}]


@row(GOOD, "line 2: the image 'a' stands twice")
@row({**GOOD, "image": "b", "descriptions": [[4]]}, "line 2, description 1: there is no box '4'")
@row({**GOOD, "image": "b", "descriptions": ["A [car] ."]}, "line 2, description 1: '[car]' is no [word]")
@row({**GOOD, "image": "b", "boxes": GOOD["boxes"] * 2}, "line 2, box 3: the id '3' stands twice")
@row({**GOOD, "image": "b", "boxes": [{"id": 1, "box": [0, 0, 0, 1], "concept": "x"}]}, "line 2, box 1: the box")
@row({**GOOD, "image": "b", "width": "wide"}, "line 2: the field 'width' is 'wide'")
def test_a_bad_line_is_named(row: Any, told: str, lines: Lines) -> None:
    with pytest.raises(InputError) as refused:
        read_scenes_file(lines(GOOD, row))
    assert told in str(refused.value)


Run = Callable[..., dict[str, Any]]
STEP = ("content_selection", "baselines", "--data")
SINGLE = ("position", "size", "unigram", "bigram")
USES = ("scored", "fitted")
COMBINED = ("unigram+position", "unigram+size", "bigram+position", "bigram+size")


@pytest.fixture(scope="module")
def halves(entities: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two exports, each with half of the real images."""
    folder = tmp_path_factory.mktemp("halves")
    names = sorted(file.stem for file in (entities / "Sentences").iterdir())
    for half, own in (("first", names[::2]), ("second", names[1::2])):
        for kind, suffix in (("Sentences", ".txt"), ("Annotations", ".xml")):
            (folder / half / kind).mkdir(parents=True)
            for name in own:
                shutil.copy(entities / kind / f"{name}{suffix}", folder / half / kind)
    return folder / "first", folder / "second"


@pytest.mark.slow
def test_all_images_have_the_known_upper_bound_and_chance_meets_its_closed_form(run: Run, entities: Path) -> None:
    report = run(*STEP, entities)
    figures = report["figures"]
    assert report["n"] == 500
    bound = {"P": 0.638, "R": 0.638, "F": 0.616, "P.sd": 0.188, "R.sd": 0.188, "F.sd": 0.189}
    assert {name: figures[f"upper_bound.{name}"] for name in bound} == pytest.approx(bound, abs=0.001)
    for k in range(1, 16):
        for letter in "PR":
            away = abs(figures[f"random.{letter}@{k}"] - figures[f"random.{letter}@{k}.closed"])
            assert away <= 3 * figures[f"random.{letter}@{k}.se"] + 1e-12
    names = {f"{name}.{sign}@{k}" for name in ("random", *SINGLE, *COMBINED) for sign in "PRF" for k in range(1, 16)}
    assert names <= set(figures)


@pytest.mark.slow
def test_the_papers_orders_hold_with_concepts_of_the_other_half(run: Run, halves: tuple[Path, Path]) -> None:
    data, fit = halves
    figures = run(*STEP, data, "--fit", fit, "--draws", "10")["figures"]
    for k in range(1, 6):
        assert figures[f"position.F@{k}"] < figures[f"size.F@{k}"]
    for text in ("unigram", "bigram"):
        assert figures[f"{text}.F@1"] > max(figures["size.F@1"], figures["position.F@1"])
    for k in range(1, 16):
        assert figures[f"bigram.P@{k}"] == max(figures[f"{name}.P@{k}"] for name in SINGLE)
    assert figures["bigram.R@15"] - figures["bigram.R@4"] < 0.05 < figures["size.R@15"] - figures["size.R@4"]
    for name in COMBINED:
        text, visual = name.split("+")
        assert figures[f"{name}.F@3"] > max(figures[f"{text}.F@3"], figures[f"{visual}.F@3"])


def test_no_image_is_both_fitted_and_scored(run: Run, export: Path, tmp_path: Path) -> None:
    run(*STEP, export, "--draws", "5")
    with (tmp_path / "report" / "splits.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 4
    for part in {one["part"] for one in rows}:
        used = {use: {one["image"] for one in rows if (one["part"], one["use"]) == (part, use)} for use in USES}
        assert used["scored"].isdisjoint(used["fitted"])


def test_fitting_on_the_scored_images_and_unlinked_boxes_are_refused(
    export: Path, data_folder: Path, refused: Callable[..., str]
) -> None:
    assert "must be counted on other images" in refused(*STEP, export, "--fit", export)
    assert "Boxes must be linked to phrases first" in refused(*STEP, data_folder / "coco")


def test_random_ties_depend_on_the_seed_alone(export: Path) -> None:
    file = export / "Annotations" / "man.xml"
    file.write_text(file.read_text().replace("<xmax>40</xmax><ymax>30", "<xmax>60</xmax><ymax>100"))
    options = {"draws": 5, "ties": "random", "fit": None}
    found = [run_baselines(StepWork(export, options, seed=seed)).figures["size.P@1"] for seed in (*range(8), 0)]
    assert found[0] == found[-1] and len(set(found)) == 2


GENERATE = ("content_selection", "generate", "--data")
SCORE = ("content_selection", "score", "--data")


@pytest.mark.parametrize("baseline", ["size", "random"])
def test_written_sentences_score_the_same_when_read(run: Run, export: Path, tmp_path: Path, baseline: str) -> None:
    chosen = ("--baseline", baseline, "--k", "2")
    written = run(*GENERATE, export, *chosen, out="written", charts=baseline == "size")["figures"]
    read = run(*SCORE, export, "--predictions", tmp_path / "written" / "sentences.jsonl")["figures"]
    assert {letter: read[letter] for letter in "PRF"} == pytest.approx(written) and read["missing"] == 0
    assert (tmp_path / "written" / "figure_5.svg").exists() == (baseline == "size")


def test_images_without_a_line_score_nothing_and_are_said(run: Run, export: Path, lines: Lines, tmp_path: Path) -> None:
    figures = run(*SCORE, export, "--predictions", lines({"image": "cat", "boxes": [9]}))["figures"]
    assert (figures["P"], figures["missing"]) == (0.5, 1)
    assert "Images without a line in the file, which score 0: 1." in (tmp_path / "report" / "report.md").read_text()


def test_images_not_in_the_data_are_counted(run: Run, export: Path, lines: Lines, refused: Callable[..., str]) -> None:
    other, own = {"image": "x", "sentence": ""}, {"image": "cat", "boxes": [9]}

    assert run(*SCORE, export, "--predictions", lines(other, own))["figures"]["unknown"] == 1
    assert "names no image of the data, only others: x" in refused(*SCORE, export, "--predictions", lines(other))


@row({"image": "cat", "sentence": "A [dog]9"}, "line 2: the image 'cat' stands twice")
@row({"image": "man", "sentence": "A [dog]9"}, "line 2: image man has no box '9'")
@row({"image": "man"}, "line 2: the field 'sentence' is missing")
@row({"image": "man", "sentence": "A [dog"}, "line 2: a bracket is not closed")
def test_a_bad_line_of_sentences_is_named(row: Any, told: str, export: Path, lines: Lines, refused: Refused) -> None:
    assert told in refused(*SCORE, export, "--predictions", lines({"image": "cat", "sentence": "A [cat]9 ."}, row))


# Boxes of the seven descriptions: woman 2, car 3, boots 5, dress or top 0.
FIGURE_2 = [set("2053"), set("23"), set("253"), set("23"), set("23"), set("253"), set("2503")]
WORKED: dict[str, tuple[float | Fraction, ...]] = {
    "23": (1, Fraction(16, 21), Fraction(32, 37)),
    "2": (1, Fraction(8, 21), Fraction(16, 29)),
    "20": (Fraction(9, 14), Fraction(19, 42), 0.5310559006),
    "235": (Fraction(6, 7), Fraction(13, 14), 0.8914285714),
    "0235": (Fraction(5, 7), 1, Fraction(5, 6)),
    "0": (Fraction(2, 7), Fraction(1, 14), Fraction(4, 35)),
}


@pytest.mark.parametrize("selected", WORKED)
def test_the_worked_table(selected: str) -> None:
    assert selection_score(FIGURE_2, selected) == pytest.approx([float(one) for one in WORKED[selected]], abs=1e-9)


def test_the_order_of_a_selection_and_repeats_have_no_effect_and_what_nobody_mentions_scores_nothing() -> None:
    for order in itertools.permutations("2305"):
        assert selection_score(FIGURE_2, order) == selection_score(FIGURE_2, "0235")
    assert selection_score(FIGURE_2, "2322") == selection_score(FIGURE_2, "23")
    assert selection_score(FIGURE_2, "") == selection_score(FIGURE_2, "9") == (0, 0, 0)


def test_scores_for_each_k_equal_those_of_the_first_k_boxes() -> None:
    source = np.random.default_rng(2)
    for _ in range(50):
        boxes = int(source.integers(1, 9))
        members = source.random((4, boxes)) < 0.5
        members[~members.any(axis=1), 0] = True
        gold = [{str(i) for i in np.flatnonzero(row)} for row in members]
        order = source.permutation(boxes)[: int(source.integers(0, boxes + 1))]
        for k, own in zip((1, 2, 3, 15), scores_by_k(members, order, (1, 2, 3, 15)), strict=True):
            assert own == pytest.approx(selection_score(gold, [str(i) for i in order[:k]]), abs=1e-12)


def test_the_worked_example_and_one_description_which_has_nobody_to_agree_with() -> None:
    assert upper_bound(FIGURE_2) == pytest.approx((0.857143, 0.857143, 0.837452), abs=1e-6)
    assert upper_bound([{"1"}]) is None


def test_on_real_chains_precision_and_recall_of_an_image_are_equal(entities: Path) -> None:
    found = [upper_bound(scene_of(picture).gold) for picture in read_pictures(entities)]
    values = np.array([one for one in found if one])
    assert np.abs(values[:, 0] - values[:, 1]).max() < 1e-12
    assert values.mean(axis=0) == pytest.approx((0.638, 0.638, 0.616), abs=0.001)
    assert values.std(axis=0) == pytest.approx((0.188, 0.188, 0.189), abs=0.001)


WOMAN = {"2": "woman", "0": "dress", "5": "boot", "3": "car"}
MEMBERS = np.array([[1, 0, 1, 0], [1, 0, 0, 0], [0, 1, 1, 1]], dtype=bool)
KS = (1, 2, 3, 9)


def test_the_box_nearest_to_the_centre_or_the_largest_comes_first_and_ties_keep_their_order() -> None:
    boxes = np.array([[0, 0, 10, 10], [45, 20, 55, 30], [0, 0, 100, 50]])
    assert scenes.position_order(boxes, 100, 50).tolist() == [1, 2, 0]
    assert scenes.distances_to_centre(boxes, 100, 50).tolist() == [np.hypot(45, 20), 0, 0]
    boxes = np.array([[0, 0, 2, 2], [0, 0, 9, 9], [5, 5, 9, 6], [0, 0, 3, 9]])
    assert scenes.size_order(boxes).tolist() == [1, 3, 0, 2]


def test_every_reference_counts_alone_and_unknown_concepts_come_last_or_with_its_neighbours() -> None:
    counts = scenes.unigram_counts([scene({"1": "man", "2": "dog"}, "121", "2", ""), scene({"7": "man"}, "7")])
    assert counts == {"man": 3, "dog": 2}
    assert scenes.unigram_order(["cat", "dog", "man", "man"], counts).tolist() == [2, 3, 1, 0]
    bigrams = scenes.bigram_counts([scene(WOMAN, "2053", "23")])
    assert bigrams.first == {"woman": 2}
    assert bigrams.after == {"woman": {"dress": 1, "car": 1}, "dress": {"boot": 1}, "boot": {"car": 1}}


@case("it follows the likeliest and stops when none is left", "23 23 20", "dress car woman", [2, 1])
@case("it stops when none is left", "23 23 20", "dress woman", [1, 0])
@case("it may choose nothing", "23", "dress", [])
@case("nothing is chosen of nothing", "", "", [])
@case("ties go to the earlier box", "2 3", "car woman", [0])
def test_the_order_of_bigrams(references: str, concepts: str, order: list[int]) -> None:
    counts = scenes.bigram_counts([scene(WOMAN, *references.split())])
    assert scenes.bigram_order(concepts.split(), counts).tolist() == order


def test_the_ranks_of_an_order_are_its_places_and_boxes_that_were_left_out_share_the_mean_rank() -> None:
    assert scenes.ranks(np.array([1, 0, 2]), 3).tolist() == [2, 1, 3]
    assert scenes.ranks(np.array([4, 2, 0]), 9).tolist() == [3, 6.5, 2, 6.5, 1, 6.5, 6.5, 6.5, 6.5]


def test_the_mean_rank_decides_and_ties_go_by_sight() -> None:
    text, visual = np.array([0, 1, 2]), np.array([2, 1, 0])
    assert scenes.combine(text, visual, 3).tolist() == [2, 1, 0]
    assert scenes.combine(np.array([1]), np.array([0, 1, 2]), 3).tolist() == [1, 0, 2]


def test_the_closed_form_is_the_mean_over_all_orders_and_draws_come_near_it() -> None:
    every = [scores_by_k(MEMBERS, np.array(order), KS) for order in itertools.permutations(range(4))]
    closed = scenes.expected(MEMBERS, KS)
    assert closed == pytest.approx(np.mean(every, axis=0)[:, :2], abs=1e-12)
    drawn = scenes.random_scores(MEMBERS, KS, 4000, np.random.default_rng(1))
    error = drawn.std(axis=0, ddof=1)[:, :2] / np.sqrt(4000)
    assert (np.abs(drawn.mean(axis=0)[:, :2] - closed) <= 3 * error + 1e-12).all()


SCENES = [scene({"1": f"thing{i}"}, "1", image=str(i)) for i in range(5)]


def test_each_half_is_scored_with_the_counts_of_the_other() -> None:
    folds = crosswise(SCENES, np.random.default_rng(0))
    assert sorted(scene.image for fold in folds for scene in fold.scored) == list("01234")
    for fold in folds:
        scored = {scene.image for scene in fold.scored}
        assert scored.isdisjoint(fold.fitted) and scored | set(fold.fitted) == set("01234")
        assert set(fold.unigrams) == {f"thing{image}" for image in fold.fitted}


def test_images_that_are_scored_are_left_out_of_the_fit_which_needs_others() -> None:
    fold, left_out = fitted_on(SCENES[:2], SCENES)
    assert (fold.fitted, left_out) == (("2", "3", "4"), 2)
    with pytest.raises(InputError, match="must be counted on other images"):
        fitted_on(SCENES, SCENES[:3])


BOXES = scene({"2": "woman.n.01", "3": "police_car"}, "23").boxes


@pytest.mark.parametrize("broken", ["A [woman] runs", "A []2", "A [woman2", "woman]2", "[[a]1]2"])
def test_ids_come_in_the_order_of_the_words_with_repeats_and_broken_brackets_are_refused(broken: str) -> None:
    assert read_correspondence("A [woman]2 in a [dress]0 near [woman]2.", "here") == ["2", "0", "2"]
    assert read_correspondence("Nobody .", "here") == []
    with pytest.raises(InputError, match=r"^line 3"):
        read_correspondence(broken, "line 3")


@pytest.mark.parametrize("box", ["2", "box 1", "a/b", "EN#3"])
def test_a_written_term_can_be_read(box: str) -> None:
    (found,) = read_correspondence(f"The {term('dog', box)} .", "here")
    assert found == box.translate(str.maketrans(" /#", "___"))


def test_the_first_lemma_of_a_synset_is_the_word() -> None:
    assert [word_of(one) for one in ("dog.n.01", "traffic_light.n.01", "dog", "u.s.")] == [
        "dog", "traffic light", "dog", "u.s.",
    ]  # fmt: skip


def test_sentences_name_the_boxes_in_order_with_function_words_between() -> None:
    sentences = {sentence_of(BOXES, np.random.default_rng(seed), ("near", "by")) for seed in range(30)}
    joined = {f"[Woman]2 {word}{the} [police car]3 ." for word in ("near", "by") for the in ("", " the")}
    assert sentences == joined and all(read_correspondence(one, "here") == ["2", "3"] for one in sentences)


def test_the_same_seed_writes_the_same_sentence_and_no_boxes_give_none() -> None:
    first, second = (sentence_of(BOXES, np.random.default_rng(4), FUNCTION_WORDS) for _ in range(2))
    assert first == second
    assert sentence_of((), np.random.default_rng(1)) == ""
