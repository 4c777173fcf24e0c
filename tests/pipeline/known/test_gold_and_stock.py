"""The number of images that are still to be annotated follows from what the annotated ones gave.
A sheet from outside is read only if it is one whole annotation of the image.
The mix of a stock: each answer about equally often, and no button that is a good guess.
The score of a program: what became of its boxes, and its predictions held against known chains.
"""

from collections import Counter
from typing import Any

import pytest

from annotation.rules.box import Box
from annotation.rules.transitivity import LinkMention
from pipeline.known.gold_annotation import (
    USUAL,
    AnnotatedChain,
    AnnotationError,
    DisputeSubject,
    blank_annotation,
    compare,
    images_needed,
    least_questions,
    read_annotation,
    recommended_questions,
    renewed,
    to_gold,
    undecided,
    usable,
)
from pipeline.known.known_from_gold import GoldQuestion, QuestionLook
from pipeline.known.prediction_score import (
    LEAST_TRIED,
    Basis,
    PredictionQuality,
    ScoreStatus,
    Truth,
    box_quality,
    quality_of,
    right_boxes,
    right_links,
    score_status,
)
from pipeline.known.prediction_score import MIN_OUTCOMES as LEAST
from pipeline.known.question_mix import (
    MIN_FOR_LEAN,
    MISSING,
    NONE_MISSING,
    Candidate,
    Usual,
    answer_name,
    answer_names,
    choose,
    lean,
    mix_faults,
    one_button,
)
from pipeline.protocol.tasks.answers import LinkShape
from pipeline.protocol.tasks.task import PROTOCOL_TASKS, Task
from pipeline.settings.settings import Settings
from tests.support.table import case
from workers.rules.score import Score, ScoreRule

LINK, NEED, DRAW = Task.COREFERENCE_LINK, Task.BOX_REQUIREMENT, Task.BOX_DRAWING
NOTHING = Counter[str]()
EACH = {"same": 20, "different": 20}


@case("nothing is needed when there is enough", LINK, EACH, 5, {}, 0)
@case("nothing is needed when there is enough of others", LINK, {}, 0, EACH, 0)
@case("before the first image the usual numbers count", LINK, {}, 0, {}, 2)
@case("before the first image the usual numbers count: drawings", DRAW, {}, 0, {}, 5)
# About 4.5 of each answer and image.
@case("images that give little make the number grow", LINK, {"same": 4, "different": 4}, 4, {}, 4)
@case("images that give nothing make the number grow", LINK, {"same": 0, "different": 0}, 20, {}, 20)
@case("a number beyond all measure is not told", NEED, {"box": 2_000}, 1_000, {}, None)
def test_the_images_that_are_needed_for_40_questions(task: Task, found: Any, images: int, others: Any, needed: object):
    assert images_needed(task, 40, counts=Counter(found), images=images, others=Counter(others)) == needed


def test_the_numbers_of_the_default_settings_and_the_usual_ones_name_every_answer_of_every_task() -> None:
    assert {task: set(of) for task, of in USUAL.items()} == {task: set(answer_names(task)) for task in PROTOCOL_TASKS}
    settings = Settings()
    assert (least_questions(settings), recommended_questions(settings)) == (40, 70)


def test_a_stock_of_one_answer_does_not_grow_beyond_thirty() -> None:
    assert usable(LINK, Counter({"same": 100})) == 30
    assert usable(LINK, Counter({"same": 100, "different": 20})) == 50
    assert usable(DRAW, Counter({"none missing": 50, "a box is missing": 14})) == 20
    assert usable(LINK, NOTHING) == 0


def test_sweeps_without_a_touch_are_three_of_ten_at_most_and_pairs_are_mixed_for_themselves() -> None:
    sweeps = {"some the same": 70, "none the same": 50}
    assert usable(LINK, Counter(sweeps)) == 100 and usable(LINK, Counter(sweeps | {"same": 100})) == 130
    mix = Counter({"same": 9, "different": 9, "some the same": 60, "none the same": 40})
    assert mix_faults(LINK, mix, 0.8) == "“none the same” is right in 40 %; it should be at most 30 %"
    assert one_button(LinkShape.SWEEP, mix) == ("none the same", 0.4) and one_button(LINK, mix)[1] == 0.5
    truths: list[Any] = [{"same": []}] * 9 + [{"same": [1]}] * 7
    candidates = [Candidate(GoldQuestion(LINK, {}, truth), image) for image, truth in enumerate(truths)]
    chosen = [answer_name(LINK, one.known.truth) for one in choose(LinkShape.SWEEP, candidates, most=16, mix=mix)]
    assert Counter(chosen) == {"some the same": 7}, "there are too many without a touch already"


MENTIONS = [0, 1, 5, 3]  # in reading order: an expert added mention 5 to the first caption


def chain(*mentions: int, **more: Any) -> dict[str, Any]:
    return {"mentions": list(mentions), **more}


def read(*chains: Any) -> list[AnnotatedChain]:
    return read_annotation(list(chains), MENTIONS, 100, 50)


def test_chains_and_their_mentions_come_in_reading_order_and_a_box_drawn_twice_counts_once() -> None:
    read_back = read(chain(3, non_visual="scene"), chain(5, 0, boxes=[[0, 0, 9, 9]]), chain(1))
    bare = AnnotatedChain((1,))
    assert read_back == [AnnotatedChain((0, 5), "", (Box(0, 0, 9, 9),)), bare, AnnotatedChain((3,), "scene")]
    assert undecided(read_back) == [bare]
    (first, *_) = read(chain(0, 1, 3, 5, boxes=[[0, 0, 9, 9], [0, 0, 9, 9]]))
    assert first.boxes == (Box(0, 0, 9, 9),)
    blank = blank_annotation(MENTIONS)
    assert read(*(one.to_json() for one in blank)) == blank and undecided(blank) == blank


def test_a_sheet_follows_phrases_that_were_taken_away_or_added() -> None:
    old = [AnnotatedChain((0, 9), "scene"), AnnotatedChain((8,)), AnnotatedChain((3, 1), "", (Box(0, 0, 9, 9),))]
    new = renewed(old, MENTIONS)
    assert [one.mentions for one in new] == [(0,), (5,), (3, 1)]
    assert new[0].non_visual == "scene" and not new[1].is_decided and new[2].boxes


def refusal(chains: Any) -> str:
    """Return why the sheet is refused, or nothing if it is read."""
    try:
        read_annotation(chains, MENTIONS, 100, 50)
    except AnnotationError as error:
        return str(error)
    return ""


def test_anything_else_is_refused_in_words() -> None:
    sheets: list[tuple[Any, str]] = [
        ("text", "list of objects"),
        ([1], "list of objects"),
        ([chain(0, 1, 3)], "exactly one chain"),
        ([chain(0, 1, 3, 5, 5)], "exactly one chain"),
        ([chain(0, 1), chain(1, 3, 5)], "exactly one chain"),
        ([chain(0, 1, 3, 4, 5)], "does not have"),
        ([chain(), chain(0, 1, 3, 5)], "numbers of its phrases"),
        ([chain(0, 1, 3, True)], "numbers of its phrases"),
        ([chain(0, 1, 3, 5, boxes={})], "must be a list"),
        ([chain(0, 1, 3, 5, boxes=[[0, 0, 101, 9]])], "inside the image"),
        ([chain(0, 1, 3, 5, boxes=[[0, 0, 0, 9]])], "inside the image"),
        ([chain(0, 1, 3, 5, boxes=[[0, 0, 9.0, 9]])], "whole numbers"),
        ([chain(0, 1, 3, 5, non_visual="odd")], "scene or no box"),
        ([chain(0, 1, 3, 5, non_visual="scene", boxes=[[0, 0, 9, 9]])], "not both"),
        ([chain(0, 1, 3, 5, boxes=[[0, 0, n % 99 + 1, n // 99 + 1] for n in range(201)])], "at most 200"),
    ]
    for chains, why in sheets:
        assert why in refusal(chains), chains


LEFT, RIGHT = Box(0, 0, 50, 90), Box(100, 0, 150, 90)
NEAR = Box(2, 0, 53, 90)


def own(*mentions: int, boxes: tuple[Box, ...] = (), non_visual: str = "") -> AnnotatedChain:
    return AnnotatedChain(mentions, non_visual, boxes)


def test_boxes_that_overlap_enough_are_one_box_in_the_mean_but_not_two_that_are_like_one_of_the_other_side() -> None:
    found = compare([own(0, 1, boxes=(LEFT, RIGHT))], [own(0, 1, boxes=(RIGHT, NEAR))])
    assert found.disputes == () and found.chains == (own(0, 1, boxes=(Box(1, 0, 52, 90), RIGHT)),)
    assert len(compare([own(0, boxes=(LEFT, NEAR))], [own(0, boxes=(LEFT, RIGHT))]).disputes) == 1


def test_a_missing_box_another_box_and_another_reason_are_disputed_and_what_nobody_decided_is_not_agreed_on() -> None:
    for other in (own(0), own(0, boxes=(LEFT, RIGHT)), own(0, boxes=(RIGHT,)), own(0, non_visual="scene")):
        found = compare([own(0, boxes=(LEFT,))], [other])
        assert found.chains == () and [one.about for one in found.disputes] == [DisputeSubject.BOXES], other
    scene, nothing = own(0, non_visual="scene"), own(0, non_visual="no box")
    assert compare([scene], [nothing]).disputes[0].about is DisputeSubject.BOXES
    assert compare([scene], [scene]).chains == (scene,) and compare([own(0)], [own(0)]).chains == ()


def test_phrases_that_were_put_together_differently_are_one_dispute_and_the_rest_stands() -> None:
    mine = [own(0, 1), own(2, 3), own(4), own(5, boxes=(LEFT,))]
    theirs = [own(0), own(1, 2), own(3), own(4), own(5, boxes=(LEFT,))]
    found = compare(mine, theirs)
    assert found.chains == (own(5, boxes=(LEFT,)),)
    tangle, undecided = found.disputes
    assert (tangle.about, tangle.mentions) == (DisputeSubject.PHRASES, (0, 1, 2, 3))
    assert (tangle.first, tangle.second) == (tuple(mine[:2]), tuple(theirs[:3]))
    assert (undecided.about, undecided.mentions) == (DisputeSubject.BOXES, (4,))


def test_gold_has_the_agreed_part_and_leaves_open_what_is_disputed() -> None:
    mine = [own(0, 1, boxes=(LEFT,)), own(2, non_visual="scene"), own(3), own(4, 5)]
    theirs = [own(0, 1, boxes=(LEFT,)), own(2, non_visual="scene"), own(3, boxes=(LEFT,)), own(4), own(5)]
    gold = to_gold(compare(mine, theirs))
    rows = [(one["mentions"], one["scene"], one["open"], one["boxes"]) for one in gold]
    assert rows == [([0, 1], False, False, [list(LEFT)]), ([2], True, False, []), ([3], False, True, [])]
    assert [one["name"] for one in gold] == ["1", "2", "3"]


COVER = Task.BOX_COVERAGE
BOX = [[0, 0, 10, 10]]


def many(task: Task, truth: object, count: int, *, rank: int = 0, images: int = 1000) -> list[Candidate]:
    return [Candidate(GoldQuestion(task, {}, truth), number % images, rank) for number in range(count)]


def mix_of(task: Task, chosen: list[Candidate]) -> Counter[str]:
    return Counter(answer_name(task, one.known.truth) for one in chosen)


LINKS_OF_BOTH = [*many(LINK, "same", 50), *many(LINK, "different", 50)]
NEEDED, DRAWN = [*many(NEED, 1, 100), *many(NEED, 2, 40), *many(NEED, 3, 40)], [*many(DRAW, [], 5), *many(DRAW, BOX, 5)]
ONLY_BOX = {"most": 50, "usual": Usual(Counter(), Counter({"box": 100}))}
EVENLY = "each answer is taken equally often where there are enough"
MADE_UP, SAME_THERE = "what is there already is made up for", {"most": 20, "mix": Counter(same=15)}
NEVER = "an answer that real questions never have is in the stock"


@case(EVENLY, NEED, NEEDED, {"most": 60}, {"box": 20, "scene": 20, "no box": 20})
@case(MADE_UP, LINK, LINKS_OF_BOTH, SAME_THERE, {"same": 3, "different": 17})
@case(NEVER, NEED, NEEDED, ONLY_BOX, {"box": 30, "scene": 10, "no box": 10})
@case("examples need no balance", DRAW, DRAWN, {"most": 2, "balanced": False}, {MISSING: 1, NONE_MISSING: 1})
def test_the_mix_of_what_is_chosen(task: Task, pool: list[Candidate], how: Any, mix: dict[str, int]) -> None:
    assert mix_of(task, choose(task, pool, **how)) == mix


def test_each_answer_has_a_name_and_at_most_three_of_ten_drawings_have_nothing_missing_which_make_no_stock_alone():
    assert answer_names(NEED) == ("box", "scene", "no box") and answer_names(DRAW) == (MISSING, NONE_MISSING)
    assert [answer_name(DRAW, truth) for truth in (BOX, [])] == [MISSING, NONE_MISSING]
    candidates = many(DRAW, [], 500) + many(DRAW, BOX, 500)
    for most in (5, 10, 30, 230):
        mix = mix_of(DRAW, choose(DRAW, candidates, most=most))
        assert (mix.total(), mix[NONE_MISSING]) == (most, most * 3 // 10)
    assert choose(DRAW, many(DRAW, [], 50), most=20) == []


def test_a_large_stock_takes_no_more_of_an_answer_that_leans_it_but_one_too_small_for_probation_is_filled() -> None:
    chosen = choose(COVER, many(COVER, "all there", 300) + many(COVER, "more needed", 20), most=200)
    assert mix_of(COVER, chosen) == {"all there": 30, "more needed": 20}
    assert lean(COVER, mix_of(COVER, chosen), 0.8) == ""
    chosen = choose(COVER, many(COVER, "all there", 300), most=200)
    assert len(chosen) == MIN_FOR_LEAN
    text = lean(COVER, mix_of(COVER, chosen), 0.8)
    assert "“all there” is right in 100 %" in text
    assert "always gives this answer passes" in text and "right answer is “more needed”" in text


def test_a_lean_is_told_from_thirty_questions_on() -> None:
    assert lean(LINK, Counter(same=22, different=7), 0.8) == ""
    assert lean(LINK, Counter(same=18, different=12), 0.8) == ""
    assert "“same” is right in 63 %" in lean(LINK, Counter(same=19, different=11), 0.8)
    assert "at most 30 %" in lean(DRAW, Counter({NONE_MISSING: 10, MISSING: 20}), 0.8)
    assert lean(DRAW, Counter({MISSING: 30}), 0.8) == ""


def test_one_button_that_reaches_the_minimum_is_told_from_ten_questions_on() -> None:
    assert lean(LINK, Counter(same=9), 0.8) == ""
    assert "passes, and no score can correct it" in lean(LINK, Counter(same=10), 0.8)
    assert "passes" in lean(LINK, Counter(same=24, different=6), 0.8)
    assert "passes" not in lean(LINK, Counter(same=23, different=7), 0.8)
    assert "passes" in lean(DRAW, Counter({NONE_MISSING: 7, MISSING: 3}), 0.7)
    assert one_button(LINK, Counter(same=6, different=4)) == ("same", 0.6)
    assert one_button(DRAW, Counter({NONE_MISSING: 3, MISSING: 7})) == (NONE_MISSING, 0.3)


def test_the_images_least_used_come_first_but_a_lower_rank_comes_before_a_fresher_image() -> None:
    chosen = choose(LINK, many(LINK, "same", 40, images=4), most=8, images=Counter({0: 2}))
    assert Counter(one.image for one in chosen) == {0: 1, 1: 3, 2: 2, 3: 2}
    candidates = many(LINK, "same", 9, rank=1) + many(LINK, "same", 3, images=1)
    assert [one.rank for one in choose(LINK, candidates, most=5)] == [0, 0, 0, 1, 1]


def test_at_no_size_a_button_is_right_in_more_than_six_of_ten() -> None:
    candidates = many(LINK, "same", 500) + many(LINK, "different", 500)
    for most in (3, 10, 29, 30, 200):
        mix = mix_of(LINK, choose(LINK, candidates, most=most))
        assert mix.total() == most and 10 * max(mix.values()) <= 6 * most + 4, f"{most}: {mix}"


def of_look(answer: str, look: QuestionLook, count: int) -> list[Candidate]:
    return [Candidate(GoldQuestion(COVER, {}, answer), number, look=look) for number in range(count)]


def test_types_and_boxes_are_shown_and_answers_right_as_often_as_in_real_questions_up_to_six_of_ten() -> None:
    one, two, dogs = QuestionLook(("people",), 1, 1), QuestionLook(("people",), 1, 2), QuestionLook(("animals",), 1, 1)
    real = Usual(Counter({one: 60, two: 10, dogs: 30}), Counter({"all there": 90, "more needed": 10}))
    pool = [*of_look("all there", two, 99), *of_look("all there", one, 99), *of_look("all there", dogs, 99)]
    pool += [*of_look("more needed", dogs, 99), *of_look("more needed", one, 99)]
    assert Counter(one.look for one in choose(COVER, pool, most=100, usual=real)) == real.looks
    pool = [known for answer in ("all there", "more needed") for known in many(COVER, answer, 300)]
    for share, most in ((45, 45), (90, 60)):
        real = Usual(Counter(), Counter({"all there": share, "more needed": 100 - share}))
        assert mix_of(COVER, choose(COVER, pool, most=100, usual=real))["all there"] == most


FIRST, SECOND, ELSEWHERE = [0, 0, 10, 10], [50, 0, 60, 10], [0, 50, 10, 60]


def mention(number: int, caption: int, kind: str = "people") -> LinkMention:
    return LinkMention(number, caption, 0, frozenset({kind}), "")


TRUTH = Truth(
    {0: "A", 1: "A", 2: "B", 3: "park", 4: "dog"},
    {"A": [Box(*FIRST), Box(*SECOND)], "B": [Box(*SECOND)]},
    [mention(0, 0), mention(1, 1), mention(2, 2), mention(3, 0, "scene"), mention(4, 1, "animals"), mention(5, 3)],
)


def test_the_best_box_of_each_phrase_is_right_or_wrong_and_chains_are_about_pairs_that_workers_can_be_asked_about():
    rows = [[0, *SECOND, 90], [0, *ELSEWHERE], [1, *ELSEWHERE], [1, *FIRST], [2, *SECOND], [3, *FIRST], [9, *FIRST]]
    assert right_boxes(rows, TRUTH) == (2, 3), "a phrase without boxes, and one that is unknown, tell nothing"
    cases = {((0, 1), (2,)): (3, 3), ((0, 1, 2),): (1, 3), ((0,), (1,)): (0, 1)}
    cases |= {((0, 3, 4),): (0, 0)}  # of one caption, or of no common type
    cases |= {((0, 5),): (0, 0)}  # nothing is known of one
    assert {chains: right_links(chains, TRUTH) for chains in cases} == cases


def test_of_100_boxes_62_were_kept_and_about_62_percent_is_promised():
    quality = quality_of(Basis.TRIED, [(1, 1)] * 62 + [(0, 1)] * 38)
    assert quality is not None and quality.share.value == pytest.approx(0.62)
    assert (quality.share.low, quality.share.high) == pytest.approx((0.538, 0.696), abs=1e-3)
    assert quality_of(Basis.TRIED, [(0, 0)]) is None


def test_boxes_that_come_and_go_by_images_tell_less_and_the_interval_is_wider():
    alike, together = ([(3, 5)] * 20, [(5, 5)] * 12 + [(0, 5)] * 8)
    narrow, wide = (quality_of(Basis.TRIED, one) for one in (alike, together))
    assert narrow is not None and wide is not None and narrow.share.value == wide.share.value
    assert narrow.share[1:] == pytest.approx((0.517, 0.677), abs=1e-3)
    assert wide.share[1:] == pytest.approx((0.414, 0.760), abs=1e-3)


def test_what_became_of_boxes_counts_as_soon_as_enough_were_tried():
    known = [(9, 10)]
    few, enough = [(1, LEAST_TRIED - 1)], [(1, LEAST_TRIED)]
    found = [box_quality(*one) for one in ((few, known), (enough, known), (few, []), ([], known), ([], []))]
    assert [one and one.basis for one in found] == [Basis.PHRASES, Basis.TRIED, Basis.TRIED, Basis.PHRASES, None]
    assert isinstance(found[0], PredictionQuality) and found[0].score == Score(9, 10)


def test_a_program_stands_where_its_score_is_beyond_chance_and_the_bare_rule_compares_as_the_paper_does():
    expected = {Score(LEAST - 1, LEAST - 1): ScoreStatus.UNKNOWN, Score(LEAST, LEAST): ScoreStatus.ABOVE}
    expected |= {Score(20, LEAST): ScoreStatus.ABOVE, Score(10, LEAST): ScoreStatus.BELOW}
    assert {score: score_status(score, 0.7, ScoreRule.INTERVAL) for score in expected} == expected
    assert score_status(Score(20, LEAST), 0.7, ScoreRule.BARE) is ScoreStatus.BELOW
