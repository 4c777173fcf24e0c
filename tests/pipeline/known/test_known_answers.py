"""Right and wrong answers to verification questions.
Verification questions from gold: right, balanced, and no different from real ones.
The truth of a closed question: sure only where its chain came to rest as the answers said.
Explanations of examples: each is about its own phrases and boxes, and sure of them.
"""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import permutations, product
from random import Random
from typing import Any

import pytest

from annotation.rules.box import Box, iou
from pipeline.known.explanation import explain
from pipeline.known.known_answer import (
    RIGHT_IOU,
    Mistake,
    fits_task,
    is_right_answer,
    is_sweep,
    mistake_in,
    mistakes_shown,
)
from pipeline.known.known_from_gold import (
    BAD_IOU,
    GoldQuestion,
    KnownChain,
    NotSureError,
    known_questions,
    questions_with_right_answers,
    settled_truth,
)
from pipeline.policies.compose import compose
from pipeline.protocol.state.mention_progress import MentionProgress
from pipeline.protocol.state.rows import question_view
from pipeline.protocol.tasks.answers import CHOICES, candidates_in
from pipeline.protocol.tasks.task import SURVEY_TASKS, Task
from pipeline.settings.settings import Settings
from tests.support.images import DOG, MAN, Story, imported, started
from tests.support.places import ROOT
from tests.support.sweep_policy import Sweeps
from tests.support.table import row

LINK, VERIFY, NEED = Task.COREFERENCE_LINK, Task.CHAIN_VERIFICATION, Task.BOX_REQUIREMENT
DRAW, JUDGE, COVER = Task.BOX_DRAWING, Task.BOX_QUALITY, Task.BOX_COVERAGE
MISSING = [[0, 0, 10, 10], [50, 50, 60, 60]]


def test_only_the_known_answer_is_right() -> None:
    truths = [(task, truth) for task, choices in CHOICES.items() for truth in choices]
    assert truths
    for task, truth in truths:
        assert [answer for answer in CHOICES[task] if is_right_answer(task, truth, answer)] == [truth], task


@row([0, 0, 10, 10], True)
@row([50, 50, 60, 60], True)
@row([0, 0, 10, 5], True)  # an IOU of exactly a half
@row([0, 0, 10, 4], False)
@row([20, 20, 30, 30], False)
@row([0, 0, 60, 60], False)
@row(None, False)
def test_a_box_is_right_if_it_overlaps_a_missing_one_by_half_and_none_missing_just_when_none_is(drawn: Any, right):
    answer = {"none_missing": True} if drawn is None else {"box": drawn}
    assert is_right_answer(DRAW, MISSING, answer) is right
    assert is_right_answer(DRAW, [], answer) is (drawn is None)


def test_a_truth_must_fit_its_task() -> None:
    truths: list[tuple[Task, object, bool]] = [
        (Task.COREFERENCE_LINK, "same", True),
        (Task.COREFERENCE_LINK, "good", False),
        (Task.BOX_REQUIREMENT, 1, True),
        (Task.BOX_REQUIREMENT, True, False),
        (Task.BOX_REQUIREMENT, 0, False),  # a drawer's vote, which nobody is asked for
        (DRAW, [], True),
        (DRAW, MISSING, True),
        (DRAW, [[0, 0, 0, 10]], False),
        (DRAW, [[0, 0, 1.5, 10]], False),
        (DRAW, "none", False),
    ]
    for task, truth, fits in truths:
        assert fits_task(task, truth) is fits, f"{task}: {truth!r}"


CASES = json.loads((ROOT / "frontend" / "tests" / "support" / "mistakes.json").read_text(encoding="utf-8"))
"""The cases by which the page's own rule for examples is tested, too."""


def test_an_answer_has_a_kind_of_mistake_by_task_and_direction_exactly_if_it_is_wrong_and_cases_have_all() -> None:
    for case in CASES:
        of = Task(case["task"]), case["truth"], case["answer"]
        assert mistake_in(*of, candidates=case.get("candidates", 0)) == case["mistake"], case
    assert {case["mistake"] for case in CASES} == {None, *Mistake} - {Mistake.left_out}
    for task, choices in CHOICES.items():
        for truth, answer in product(choices, repeat=2):
            of = (task, truth, answer)
            assert (mistake_in(*of) is None) == is_right_answer(*of), of


LINKED, MISSED = Mistake.LINKED_OTHERS, Mistake.MISSED_LINK


@row(5, [1, 2], [1, 2], None)
@row(5, [1, 2], [1], MISSED)
@row(6, [1, 2], [1], None)
@row(6, [1, 2], [1, 2, 3], None)
@row(6, [1, 2], [2, 3], MISSED)  # as many wrong touches as misses
@row(6, [1, 2], [2, 3, 4], LINKED)
@row(12, [1, 2, 3], [1], None)
@row(12, [1, 2, 3], [1, 2, 3, 4, 5, 6], LINKED)
@row(12, [], [1, 2], None)
@row(12, [1], [], MISSED)  # within what is forgiven, but nobody would have to look
@row(2, [], [], None)
def test_an_answer_to_a_sweep_may_be_wrong_about_one_candidate_in_six(
    candidates: int, same: list[int], touched: list[int], mistake: Mistake | None
) -> None:
    of = (Task.COREFERENCE_LINK, {"same": same}, {"same": touched})
    assert mistake_in(*of, candidates=candidates) is mistake
    assert is_right_answer(*of, candidates=candidates) is (mistake is None)


def test_the_truth_of_a_sweep_names_some_of_its_candidates_in_their_order() -> None:
    fitting = [{"same": []}, {"same": [4, 7]}, {"same": [7, 4]}, {"same": [5]}, "same"]
    of = Task.COREFERENCE_LINK
    assert [fits_task(of, truth, candidates=(4, 2, 7)) for truth in fitting] == [True, True, False, False, False]
    assert not fits_task(of, {"same": []})


def test_a_failed_test_names_no_kind_that_occurred_once_and_tells_neither_where_nor_how_often_one_occurred() -> None:
    assert mistakes_shown([Mistake.LINKED_OTHERS, Mistake.MISSED_LINK]) == () and mistakes_shown([]) == ()
    made = [Mistake.MISSED_LINK, Mistake.LINKED_OTHERS, Mistake.MISSED_LINK, Mistake.LINKED_OTHERS]
    told = (Mistake.LINKED_OTHERS, Mistake.MISSED_LINK)
    assert {mistakes_shown(some) for some in permutations(made)} == {told}
    assert mistakes_shown([*made, *[Mistake.MISSED_LINK] * 5]) == told


WIDTH, HEIGHT = 200, 100
GOLD_MAN, DOGS = Box(10, 10, 60, 90), (Box(80, 50, 110, 90), Box(120, 50, 150, 90))


def rows(*mentions: str) -> dict[int, MentionProgress]:
    """Mentions as "caption, first word, types, words", with blanks between them."""
    made = {}
    for number, text in enumerate(mentions):
        caption, start, types, words = text.split(" ", 3)
        end, named = int(start) + len(words.split()), types.replace("_", " ").split("/")
        made[number] = MentionProgress(number, int(caption), int(start), end, named, words)
    return made


FIRST_CAPTION = "0 0 people a man", "0 3 animals two dogs", "0 6 scene a park"
MENTIONS = rows(*FIRST_CAPTION, "1 0 people a tall man", "1 4 animals the dogs", "2 0 people a boy", "2 3 other fun")
CHAINS = [
    KnownChain((0, 3), False, (GOLD_MAN,)), KnownChain((1, 4), False, DOGS), KnownChain((2,), True, ()),
    KnownChain((5,), False, (Box(160, 20, 190, 90),)), KnownChain((6,), False, ()),
]  # fmt: skip


@cache
def questions(seed: int = 0) -> dict[Task, list[GoldQuestion]]:
    return questions_of(CHAINS, seed)


def questions_of(chains: list[KnownChain], seed: int = 0) -> dict[Task, list[GoldQuestion]]:
    by_task = defaultdict(list)
    rng = Random(seed)
    right = questions_with_right_answers(MENTIONS, chains, rng, compose(Settings()))
    for known in known_questions(MENTIONS, chains, WIDTH, HEIGHT, rng, right):
        by_task[known.task].append(known)
    return by_task


def truths(task: Task) -> Counter:
    return Counter(str(known.truth) for known in questions()[task])


def numbers(known: GoldQuestion) -> list[int]:
    return [mention[0] for mention in known.shown["mentions"]]


def chain_of(known: GoldQuestion) -> KnownChain:
    return next(chain for chain in CHAINS if numbers(known)[0] in chain.mentions)


def test_links_are_pairs_that_may_be_asked_as_many_of_each_answer():
    links = questions()[Task.COREFERENCE_LINK]
    assert truths(Task.COREFERENCE_LINK) == {"same": 2, "different": 2}
    for known in links:
        a, b = (MENTIONS[number] for number in numbers(known))
        assert a.caption < b.caption and set(a.types) & set(b.types)
        together = any({a.number, b.number} <= set(chain.mentions) for chain in CHAINS)
        assert known.truth == ("same" if together else "different")


def test_a_chain_to_verify_is_whole_or_holds_a_stranger_of_its_type():
    for known in questions()[Task.CHAIN_VERIFICATION]:
        inside = [chain for chain in CHAINS if set(numbers(known)) <= set(chain.mentions)]
        assert (known.truth == "true") == bool(inside)
        captions = [MENTIONS[number].caption for number in numbers(known)]
        assert len(set(captions)) == len(captions)
    assert truths(Task.CHAIN_VERIFICATION) == {"true": 2, "false": 1}


def test_drawing_knows_the_boxes_that_are_not_shown_for_the_longest_phrase_and_requirement_has_each_answer():
    for known in questions()[Task.BOX_DRAWING]:
        shown = {tuple(box) for box in known.shown["boxes"]}
        missing = {tuple(box) for box in known.truth}
        assert shown | missing == set(chain_of(known).boxes) and not shown & missing
    assert len([known for known in questions()[Task.BOX_DRAWING] if not known.truth]) == 3
    assert {tuple(numbers(known)) for known in questions()[Task.BOX_DRAWING]} == {(3,), (1,), (5,)}
    assert truths(Task.BOX_REQUIREMENT) == {"1": 1, "2": 1, "3": 1}


def test_a_good_box_is_one_of_gold_that_is_not_shown_yet_and_a_bad_one_covers_none():
    seen: Counter[str] = Counter()
    for seed in range(20):
        for known in questions(seed)[Task.BOX_QUALITY]:
            new, chain = Box(*known.shown["new_box"]), chain_of(known)
            assert new.fits(WIDTH, HEIGHT) and list(new) not in known.shown["boxes"]
            best = max(iou(new, box) for box in chain.boxes)
            assert best == 1.0 if known.truth == "good" else best < BAD_IOU < RIGHT_IOU
            seen[known.truth] += 1
    assert seen["good"] == seen["bad"] == 80


def test_coverage_has_all_boxes_or_lacks_one_and_where_gold_has_one_box_a_chain_coverage_still_has_both_answers():
    for known in questions()[Task.BOX_COVERAGE]:
        chain = chain_of(known)
        missing = set(chain.boxes) - {tuple(box) for box in known.shown["boxes"]}
        assert len(missing) == (0 if known.truth == "all there" else 1)
        assert known.shown["boxes"]
        if len(chain.boxes) == 1 and known.truth == "more needed":
            (around,) = known.shown["boxes"]
            assert max(iou(Box(*around), box) for box in chain.boxes) < 0.1
            assert any(Box(*around) in other.boxes for other in CHAINS)
    assert truths(Task.BOX_COVERAGE) == {"all there": 3, "more needed": 3}


def test_every_truth_fits_its_task_every_question_looks_like_any_other_and_the_same_seed_gives_the_same():
    for task, some in questions().items():
        for known in some:
            assert fits_task(task, known.truth)
            assert set(known.shown) == {"mentions", "boxes", "new_box"}
    assert questions_of(CHAINS, 1) == questions_of(CHAINS, 1)
    assert questions(1) != questions(2)
    gone = [KnownChain((0, 99), False, (GOLD_MAN,)), KnownChain((98,), False, ())]
    assert all(numbers(known) == [0] for some in questions_of(gone).values() for known in some), (
        "what is gone is left out"
    )


def asked(mentions: dict[int, MentionProgress], chains: list[KnownChain]) -> dict[Task, list[GoldQuestion]]:
    """Return what ten draws make. Right answers lead to the same questions in each if no chain has several boxes."""
    assert all(len(chain.boxes) < 2 for chain in chains)
    right = questions_with_right_answers(mentions, chains, Random(0), compose(Settings()))
    by_task = defaultdict(list)
    for seed in range(10):
        for known in known_questions(mentions, chains, WIDTH, HEIGHT, Random(seed), right):
            by_task[known.task].append(known)
    return by_task


SWEPT = [
    *("0 0 people a man", "0 3 people a boy", "1 0 people the man", "1 3 people the boy"),
    *("2 0 people he", "3 0 people a guy", "3 3 people a kid"),
]
SWEPT_CHAINS = [KnownChain((0, 2, 4, 5), False, (GOLD_MAN,)), KnownChain((1, 3, 6), False, (DOGS[0],))]


def test_where_the_policy_sweeps_known_sweeps_come_up_by_themselves_with_their_right_answers_and_no_presets():
    mentions, rules = rows(*SWEPT), replace(compose(Settings()), links=Sweeps(preset=True))
    asked = questions_with_right_answers(mentions, SWEPT_CHAINS, Random(0), rules)
    sweeps = [known for known in asked if is_sweep(known.task, known.truth)]
    assert [(numbers(known), known.truth) for known in sweeps[:2]] == [
        ([4, 0, 1, 2, 3, 5, 6], {"same": [0, 2, 5]}),
        ([0, 2, 3, 5, 6], {"same": [2, 5]}),
    ]
    every = list(known_questions(mentions, SWEPT_CHAINS, WIDTH, HEIGHT, Random(0), asked))
    assert all(known in every for known in sweeps)
    assert all(set(known.shown) == {"mentions", "boxes", "new_box"} for known in every)
    for known in every:
        assert fits_task(known.task, known.truth, candidates=candidates_in(known.task, known.shown))


def test_nobody_is_asked_whether_people_clothing_or_body_parts_need_a_box():
    types = ("people", "clothing", "body_parts", "animals")
    mentions = rows(*(f"0 {3 * number} {one} a thing" for number, one in enumerate(types)))
    for gone in ((), (GOLD_MAN,)):
        found = asked(mentions, [KnownChain((n,), False, gone) for n in mentions])
        assert {numbers(known)[0] for known in found[Task.BOX_REQUIREMENT]} == {3}


def test_nobody_verifies_a_chain_with_two_phrases_of_one_caption():
    man = "0 0 people a man", "0 3 people a father", "1 0 people a dad"
    mentions = rows(*man, "1 3 people a boy", "2 0 people a son")
    found = asked(mentions, [KnownChain((0, 1, 2), False, (GOLD_MAN,)), KnownChain((3, 4), False, (DOGS[0],))])
    for known in found[Task.CHAIN_VERIFICATION]:
        captions = [mentions[number].caption for number in numbers(known)]
        assert len(set(captions)) == len(captions)
    assert {known.truth for known in found[Task.CHAIN_VERIFICATION]} == {"true", "false"}


def test_nobody_verifies_phrases_without_a_common_type_and_a_stranger_comes_from_the_caption_it_replaces():
    mentions = rows("0 0 people a man", "1 0 people/other a figure", "2 0 other a shape", "3 0 animals a bear")
    found = asked(mentions, [KnownChain((0, 1, 2, 3), False, (GOLD_MAN,))])
    assert found[Task.CHAIN_VERIFICATION]
    for known in found[Task.CHAIN_VERIFICATION]:
        assert not {0, 2} <= set(numbers(known)) and 3 not in numbers(known)
    mentions = rows("0 0 people a man", "1 0 people a guy", "1 3 people a boy", "2 0 people a kid")
    found = asked(mentions, [KnownChain((0, 1), False, (GOLD_MAN,)), KnownChain((2, 3), False, (DOGS[0],))])
    wrong = {tuple(numbers(known)) for known in found[Task.CHAIN_VERIFICATION] if known.truth == "false"}
    assert wrong == {(0, 2), (1, 3)}


def test_a_chain_with_neither_box_nor_flag_gives_questions_about_its_phrases_only():
    opened = [KnownChain((1, 4), False, (), True) if chain.boxes == DOGS else chain for chain in CHAINS]
    about = {task for task, some in questions_of(opened).items() for one in some if {1, 4} & set(numbers(one))}
    assert about == {Task.COREFERENCE_LINK, Task.CHAIN_VERIFICATION}
    flagged = [KnownChain((1, 4), False, ()) if chain.boxes == DOGS else chain for chain in CHAINS]
    about = {task for task, some in questions_of(flagged).items() for one in some if {1, 4} & set(numbers(one))}
    assert Task.BOX_REQUIREMENT in about


LEFT, RIGHT, NEAR_LEFT = [10, 10, 50, 50], [100, 10, 140, 50], [12, 12, 52, 52]


class Asked:
    """Keeps what each question showed while it was open, as its row does."""

    def __init__(self, story: Story) -> None:
        self.story = story
        self.shown: dict[str, Any] = {}

    def keep(self, name: str, task: Task, subject: list[int] | None = None) -> None:
        self.shown[name] = question_view(self.story.progress, self.story.question(task, subject))

    def truth(self, name: str, task: Task, outcome: str = "") -> Any:
        found = settled_truth(self.story.progress, task, self.shown[name], outcome)
        assert fits_task(task, found, candidates=candidates_in(task, self.shown[name]))
        return found

    def draw(self, name: str, box: list[int], verdict: str = "good") -> None:
        """A box is asked for, drawn and judged; both questions are kept."""
        self.keep(f"draw {name}", DRAW)
        self.story.judge(DRAW, {"box": box}, 1)
        self.keep(f"judge {name}", JUDGE)
        self.story.judge(JUDGE, verdict, 2)


def two_boxes() -> Asked:
    """A man, drawn twice, with everything that was asked."""
    asked = Asked(started([MAN]))
    asked.draw("left", LEFT)
    asked.keep("one there", COVER)
    asked.story.judge(COVER, "more needed", 3)
    asked.draw("right", RIGHT)
    asked.keep("all there", COVER)
    return asked


def finish(asked: Asked) -> Asked:
    for worker in (4, 5):
        asked.story.judge(COVER, "all there", worker)
    return asked


def test_nothing_is_sure_before_the_chain_is_at_rest_that_tells_what_was_missing_and_what_was_good() -> None:
    asked = two_boxes()
    with pytest.raises(NotSureError, match="coverage"):
        asked.truth("draw left", DRAW)
    finish(asked)
    assert asked.truth("draw left", DRAW) == [LEFT, RIGHT] and asked.truth("draw right", DRAW) == [RIGHT]
    assert asked.truth("judge left", JUDGE) == asked.truth("judge right", JUDGE) == "good"
    assert (asked.truth("one there", COVER), asked.truth("all there", COVER)) == ("more needed", "all there")


def test_a_refused_box_is_bad_unless_it_is_much_like_one_that_was_accepted() -> None:
    asked = Asked(started([MAN]))
    asked.draw("far", [100, 60, 120, 80], "bad")
    asked.draw("near", NEAR_LEFT, "bad")
    asked.draw("left", LEFT)
    asked.keep("all", COVER)
    finish(asked)
    assert asked.truth("judge far", JUDGE) == "bad"
    with pytest.raises(NotSureError, match="much like"):
        asked.truth("judge near", JUDGE)


def test_a_second_box_around_the_same_is_bad() -> None:
    asked = two_boxes()
    asked.story.judge(COVER, "more needed", 6)
    asked.draw("again", NEAR_LEFT, "bad")
    asked.story.judge(DRAW, {"none_missing": True}, 7)
    for worker in (8, 9):
        asked.story.judge(COVER, "all there", worker)
    assert asked.truth("judge again", JUDGE) == "bad"


def test_what_was_removed_or_changed_since_makes_its_questions_unsure() -> None:
    asked = finish(two_boxes())
    asked.story.expert("delete box", box=0)
    asked.story.expert("send", chain=0, to="complete")
    with pytest.raises(NotSureError, match="removed since"):
        asked.truth("draw right", DRAW)
    assert asked.truth("draw left", DRAW) == [RIGHT]
    asked.story.expert("rechunk", remove=[0], add=[[1, 0, 0, 1, ["people"], "a"]])
    with pytest.raises(NotSureError, match="phrase"):
        asked.truth("draw left", DRAW)


def test_a_chain_without_boxes_tells_why_and_one_with_boxes_needed_one() -> None:
    for votes in ((3, 3), (2, 2), ()):
        asked = Asked(started([DOG]))
        asked.keep("need", NEED)
        if votes:
            asked.story.no_box(answers=votes)
        else:
            asked.story.judged((NEED, 1)).complete()
        assert asked.truth("need", NEED) == (votes or (1,))[0]


def linked(*same: tuple[int, int]) -> Asked:
    asked = Asked(started([MAN], [MAN]))
    asked.keep("link", Task.COREFERENCE_LINK)
    asked.story.link(*same)
    return asked


def test_phrases_that_ended_in_one_chain_are_the_same_unless_it_is_doubted() -> None:
    asked = linked((0, 1))
    asked.keep("chain", VERIFY)
    asked.story.judged((VERIFY, "true")).complete()
    assert asked.truth("link", LINK, "same") == "same"
    assert asked.truth("chain", VERIFY, "true") == "true"
    with pytest.raises(NotSureError, match="closed as “different”"):
        asked.truth("link", LINK, "different")
    doubted = linked((0, 1))
    doubted.keep("chain", VERIFY)
    doubted.story.judged((VERIFY, "false")).complete()  # the same head noun: it stays whole
    with pytest.raises(NotSureError, match="doubted"):
        doubted.truth("chain", VERIFY, "false")


def test_phrases_that_ended_in_two_chains_are_different_until_their_boxes_merge() -> None:
    asked = linked()
    asked.story.complete(0).complete(1, {"box": RIGHT})
    assert asked.truth("link", LINK, "different") == "different"
    asked.story.progress.chains[1].merged_into = 0
    with pytest.raises(NotSureError, match="it would be “same”"):
        asked.truth("link", LINK, "different")


def test_the_truth_of_a_sweep_is_which_candidates_ended_in_the_chain_of_its_mention() -> None:
    story = imported([MAN], [MAN], [MAN])
    story.links = Sweeps()
    asked = Asked(story.start())
    asked.keep("sweep", LINK)
    story.judged((LINK, {"same": [2]}, 1), (LINK, "different", 2))
    with pytest.raises(NotSureError, match="still in"):
        asked.truth("sweep", LINK, "swept")
    story.judged((VERIFY, "true")).complete(0).complete(1, {"box": RIGHT})
    assert asked.truth("sweep", LINK, "swept") == {"same": [2]}
    with pytest.raises(NotSureError, match="without an answer"):
        asked.truth("sweep", LINK, "not needed")


LEFT_BOX, RIGHT_BOX, HAT = Box(0, 0, 40, 40), Box(50, 0, 90, 40), Box(10, 0, 20, 8)
TWO_DOGS = KnownChain((0, 1), False, (LEFT_BOX, RIGHT_BOX))
BROWN = KnownChain((2, 5), False, (LEFT_BOX,))
CAP = KnownChain((3,), False, (HAT,))
THE_PARK = KnownChain((4,), True, ())
EXPLAINED_CHAINS = (TWO_DOGS, BROWN, CAP, THE_PARK)
PHRASES = {0: "Two dogs", 1: "the pets", 2: "a brown dog", 3: "a cap", 4: "a park", 5: "the dog"}


def why(task: Task, truth: Any, mentions: Sequence[int], boxes: Any, new: Any, chains: Any = EXPLAINED_CHAINS) -> str:
    places = [[number, number, 0, 2] for number in mentions]
    shown = {"mentions": places, "boxes": [list(box) for box in boxes], "new_box": list(new) if new else None}
    return explain(GoldQuestion(task, shown, truth), PHRASES, chains)


EACH_ELSE = "Each of the other phrases means something else than “a park” in this picture."
BROWN_SAME = "“a brown dog” and “the dog” mean the same"
ALL_SAME = "“a brown dog”, “Two dogs” and “the dog” all mean the same in this picture."
OFF = "The new box is off “a brown dog”: it cuts a part off and holds what does not belong to it."
TWO_MISSING = "2 boxes are missing for “Two dogs”. Each of them is right: tight, around the whole of one thing."
ONE_NEEDED = "One box is needed for “a brown dog”: tight, around the whole."


@row(LINK, "same", [0, 1], [], None, "In this picture “Two dogs” and “the pets” mean the same.")
@row(LINK, "different", [0, 2], [], None, "“a brown dog” means only a part of what “Two dogs” means: 1 of 2 things.")
@row(LINK, "different", [2, 3], [], None, "“a brown dog” is one thing in this picture, “a cap” is another.")
@row(LINK, {"same": []}, [4, 0, 3], [], None, EACH_ELSE)
@row(LINK, {"same": [5]}, [2, 0, 5], [], None, f"{BROWN_SAME} in this picture; the other means something else.")
@row(LINK, {"same": [5]}, [2, 0, 3, 5], [], None, f"{BROWN_SAME} in this picture; the others mean something else.")
@row(LINK, {"same": [0, 5]}, [2, 0, 5], [], None, ALL_SAME)
@row(VERIFY, "true", [2, 5], [], None, "“a brown dog” and “the dog” mean the same in this picture.")
@row(VERIFY, "false", [2, 5, 3], [], None, "“a cap” means something else than “a brown dog” and “the dog”.")
@row(VERIFY, "false", [2, 3], [], None, "“a brown dog” and “a cap” do not mean the same in this picture.")
@row(NEED, 1, [3], [], None, "You can see “a cap” in the picture, and a box fits around it.")
@row(NEED, 2, [4], [], None, "“a park” is the place as a whole, not a thing in it.")
@row(JUDGE, "good", [3], [], HAT, "The new box is tight around the whole of “a cap”.")
@row(JUDGE, "good", [0], [], LEFT_BOX, "The new box is tight around the whole of one thing of “Two dogs”.")
@row(JUDGE, "bad", [2], [], Box(0, 0, 13, 40), "The new box cuts off a part of “a brown dog”.")
@row(JUDGE, "bad", [2], [], Box(20, 0, 60, 40), OFF)
@row(JUDGE, "bad", [3], [], Box(0, 0, 90, 90), "The new box is much larger than “a cap”.")
@row(JUDGE, "bad", [0], [LEFT_BOX], LEFT_BOX, "This thing of “Two dogs” has a box already.")
@row(COVER, "all there", [2], [LEFT_BOX], None, "Everything that “a brown dog” means has its box.")
@row(COVER, "more needed", [0], [LEFT_BOX], None, "One thing that “Two dogs” means has no box.")
@row(COVER, "more needed", [3], [RIGHT_BOX], None, "The box is around something else: “a cap” has none.")
@row(DRAW, [], [2], [LEFT_BOX], None, "Everything that “a brown dog” means has its box.")
@row(DRAW, [RIGHT_BOX], [0], [LEFT_BOX], None, "One box is missing for “Two dogs”: tight, around the whole.")
@row(DRAW, [LEFT_BOX], [2], [], None, ONE_NEEDED)
@row(DRAW, [LEFT_BOX, RIGHT_BOX], [0], [], None, TWO_MISSING)
def test_an_example_is_explained_by_its_own_phrases_and_boxes(
    task: Task, truth: Any, mentions: list[int], boxes: list[Box], new: Box | None, words: str
) -> None:
    if task is DRAW:
        truth = [list(box) for box in truth]
    assert why(task, truth, mentions, boxes, new) == words


def test_no_explanation_hedges() -> None:
    for chains, (task, truths) in product((EXPLAINED_CHAINS, ()), CHOICES.items()):
        if task in SURVEY_TASKS:
            continue
        mentions = (2, 3) if task in (Task.COREFERENCE_LINK, Task.CHAIN_VERIFICATION) else (2,)
        said = [why(task, truth, mentions, [], Box(0, 0, 13, 40), chains) for truth in truths]
        assert len(set(said)) == len(said)
        assert all(text.endswith(".") and "“" in text for text in said)
        assert not re.search(r"\b(probably|perhaps|may|might|could|seems?|or)\b", " ".join(said))


CAPTION = {"caption": "a dog rides past"}
ATOM = {"atom": "idea", "category": "entity", "examples": []}


@row(Task.CAPTION_CHECK, CAPTION, {"verdict": "correct"}, "Every word of the caption fits the picture.")
@row(Task.CAPTION_CHECK, CAPTION, {"verdict": "wrong", "word": 1}, "“dog” does not fit the picture.")
@row(Task.CAPTION_CHECK, CAPTION, {"verdict": "wrong"}, "A word of the caption does not fit the picture.")
@row(Task.ATOM_VISUAL, ATOM, "yes", "What “idea” means can be seen in a picture.")
@row(Task.ATOM_VISUAL, ATOM, "no", "What “idea” means cannot be seen in a picture.")
def test_a_surveys_example_is_explained_by_its_word(task: Task, asked: Any, truth: Any, words: str) -> None:
    shown = {"mentions": [], "boxes": [], "new_box": None, "survey": asked}
    assert explain(GoldQuestion(task, shown, truth), {}) == words
