"""Labels of an image: as a data set has them, and as they are now.
Labels of an image that a check has changed.
Kinds of error, by what labels were and what they became.
Experts on changes: they confirm them, make them, or take them back.
Evidence of each label of a checked data set: doubts, and what people's answers say.
Priors that a data set teaches of its own labels.
Answers and predictions that speak for a change.
The settings that begin a check.
"""

from collections import defaultdict
from dataclasses import replace

import pytest

from annotation.rules.box import Box
from annotation.rules.states import BoxState, ChainState
from belief.boxes.box_prior import DEFAULT
from pipeline.checking.begin_check import USUAL, LabelledImage, box_prior_of, link_prior_of, to_check
from pipeline.checking.changed_labels import (
    ChangeDecision,
    ChangeSupport,
    Decided,
    ExpertAct,
    LabelChange,
    TypeChange,
    changed_pairs,
    compare_labels,
    decided,
    found_by,
    label_rows,
    taken_back,
)
from pipeline.checking.kinds_of_error import ERRORS, ErrorKind, box_changes, flag_kinds, phrase_kinds
from pipeline.checking.label_evidence import (
    ChainLabel,
    LabelEvidence,
    NewLabel,
    label_evidence_of,
    labels_now,
    labels_of_source,
    same_boxes,
)
from pipeline.protocol.image.machine import EntryKind
from pipeline.protocol.image.undo import skipped_entries
from pipeline.protocol.state.progress import TallyVote
from pipeline.protocol.tasks.task import Task
from pipeline.settings.settings import Settings
from tests.pipeline.policies.test_reference_set import (
    ANNOTATOR,
    CHECK,
    JUDGED,
    LEFT,
    MEN,
    PERSON,
    RIGHT,
    SOURCE,
    checking,
    good_men,
    shown,
)
from tests.support.images import Story, started
from tests.support.table import row

MAN = ChainLabel((0, 1), (Box(*LEFT),))


def test_labels_that_nobody_changed_are_those_of_the_source_where_removed_mentions_are_passed_over():
    labels = labels_of_source([[0, *LEFT], [1, *LEFT], [2, *RIGHT]], [[2], [1, 0], [3]], {"3": "scene"}, range(4))
    assert labels == [MAN, ChainLabel((2,), (Box(*RIGHT),)), ChainLabel((3,), (), "scene")]
    assert labels_of_source([[0, *LEFT], [1, *LEFT]], [[0, 1], [2]], {}, [1]) == [ChainLabel((1,), (Box(*LEFT),))]
    boxes = [[0, *LEFT], [1, *LEFT]]
    story = checking(*MEN, chains=[[0, 1]], boxes=boxes)
    assert labels_now(story.progress) == labels_of_source(boxes, [[0, 1]], {}, [0, 1]) == [MAN]
    story = checking(*MEN, chains=[[0, 1]], boxes=[], flags={"0": "scene", "1": "scene"})
    assert labels_now(story.progress) == [ChainLabel((0, 1), (), "scene")]


BOXES = [[0, *LEFT], [1, *RIGHT]]
CHANGED_SOURCE = labels_of_source(BOXES, [[0], [1]], {}, range(2))


def two() -> Story:
    """An image with a man and his dog, both in a label of their own that stands."""
    return checking([("people", "a man")], [("animals", "a dog")], chains=[[0], [1]], boxes=BOXES)


def test_labels_that_stand_are_no_change_and_an_image_that_has_not_begun_is_in_question():
    assert compare_labels(CHANGED_SOURCE, two().progress, {0: ["people"]}) == ([], 2, 0)
    story = two()
    story.progress.started = False
    assert compare_labels(CHANGED_SOURCE, story.progress, {}) == ([], 0, 2)


def test_a_label_is_changed_once_it_is_settled_and_in_question_before():
    story = two()
    story.expert("delete box", box=next(iter(story.progress.boxes)))
    assert compare_labels(CHANGED_SOURCE, story.progress, {}) == ([], 1, 1)
    story.expert("send", chain=0, to="non-visual", kind="no box")
    (change,), same, left = compare_labels(CHANGED_SOURCE, story.progress, {})
    assert (change.before, change.after) == ((CHANGED_SOURCE[0],), (ChainLabel((0,), (), "no box"),))
    assert (change.kinds, same, left) == ((ErrorKind.NEEDLESS,), 1, 0)


def test_labels_that_shared_phrases_connect_are_one_change_without_errors_of_their_boxes():
    (change,), *_ = compare_labels([ChainLabel((0, 1), (Box(*LEFT), Box(*RIGHT)))], two().progress, {})
    assert (change.after, change.kinds, change.mentions) == (tuple(CHANGED_SOURCE), (ErrorKind.MERGED,), {0, 1})


def test_types_and_phrases_change_by_experts_alone_and_a_question_about_a_label_leaves_the_others_settled():
    story = two().by_expert("ask others", chain=1, to="coverage")
    assert [task for task, _ in story.asked()] == [Task.BOX_COVERAGE]
    assert compare_labels(CHANGED_SOURCE, story.progress, {}) == ([], 1, 1)
    story = two().by_expert("retype", mention=0, types=["other"]).by_expert("rechunk", remove=[1], add=[])
    retyped, removed = compare_labels(CHANGED_SOURCE, story.progress, {0: ["people"], 1: ["animals"]}).changes
    assert (retyped.kinds, retyped.types) == ((ErrorKind.TYPE,), (TypeChange(0, ("people",), ("other",)),))
    assert (removed.kinds, removed.after) == ((ErrorKind.PHRASE_EXTRA,), ())


A, THIRD, GROWN, FAR = Box(0, 0, 60, 60), Box(20, 20, 80, 80), Box(0, 0, 75, 75), Box(200, 0, 260, 60)


def of(*chains: tuple[int, ...], flag: str = "") -> list[ChainLabel]:
    return [ChainLabel(chain, (), flag) for chain in chains]


Chains = list[tuple[int, ...]]


@row([(0, 1, 2)], [(0, 2), (1,)], [ErrorKind.MERGED])
@row([(0,), (1, 2)], [(0, 1, 2)], [ErrorKind.SPLIT])
@row([(0, 1, 2), (3, 4)], [(0, 1), (2, 3, 4)], [ErrorKind.MISPLACED])
@row([(0, 1)], [(0, 1, 7)], [ErrorKind.PHRASE_MISSING])
@row([(0, 1)], [(0,)], [ErrorKind.PHRASE_EXTRA])
@row([(0, 1)], [(0, 1)], [])
def test_phrases(before: Chains, after: Chains, kinds: list[ErrorKind]):
    assert phrase_kinds(of(*before), of(*after)) == kinds


@row([A], [THIRD], [(ErrorKind.MOVED, A, THIRD)])
@row([GROWN], [A], [(ErrorKind.LARGE, GROWN, A)])
@row([A], [GROWN], [(ErrorKind.SMALL, A, GROWN)])
@row([FAR], [A], [(ErrorKind.ELSEWHERE, FAR, A)])
@row([A], [A, FAR], [(ErrorKind.MISSING, None, FAR)])
@row([A, FAR], [FAR], [(ErrorKind.EXTRA, A, None)])
@row([A], [], [(ErrorKind.NEEDLESS, A, None)])
@row([], [A], [(ErrorKind.FORGOTTEN, None, A)])
@row([FAR, GROWN], [A, FAR], [(ErrorKind.LARGE, GROWN, A)])
def test_boxes(before: list[Box], after: list[Box], changes: list[tuple[ErrorKind, Box | None, Box | None]]):
    found = box_changes(before, after)
    assert [tuple(one) for one in found] == changes
    assert [one.iou is None for one in found] == [None in one for one in changes]


def test_a_flag_is_wrong_only_where_the_source_gives_one_and_every_kind_has_its_place_among_the_errors_of_the_paper():
    assert flag_kinds(of((0,), flag="scene"), of((0,), flag="no box")) == [ErrorKind.FLAG]
    assert flag_kinds(of((0,)), of((0,), flag="no box")) == []
    assert flag_kinds(of((0,), flag="scene"), [ChainLabel((0,), (A,))]) == []
    assert ERRORS.keys() == {*ErrorKind}


FOUND_BOXES = [[0, *LEFT], [1, *LEFT]]
EXPERT_SOURCE = labels_of_source(FOUND_BOXES, [[0, 1]], {}, [0, 1])


def moved() -> Story:
    return good_men().by_expert("move box", box=0, to=RIGHT).by_expert("send", chain=0, to="complete")


def said(story: Story, *, by_answers: bool = False) -> Decided:
    """Return what experts have said of the only change. `by_answers`: as if its first acts had been answers."""
    entries = [entry for entry, _ in story.record]
    skipped = skipped_entries(entries)
    every = [one for one in entries if one.kind is EntryKind.EXPERT and one.sequence not in skipped]
    acts = [ExpertAct(one.sequence, "ada", one.data) for one in every[2 if by_answers else 0 :]]
    found = compare_labels(EXPERT_SOURCE, story.progress, {}).changes
    told = taken_back(labels_now(story.progress), acts)
    told += [decided(change, story.progress, acts) for change in found]
    assert len(told) == 1
    return told[0]


def test_a_change_stands_by_answers_until_an_expert_confirms_it_and_again_after_undo():
    story = moved().by_expert("confirm", labels=label_rows(EXPERT_SOURCE))
    assert said(story, by_answers=True).decision is ChangeDecision.BY_ANSWERS, "of other labels it says nothing"
    entry = story.expert("confirm", labels=label_rows(labels_now(story.progress)))
    confirmed = said(story, by_answers=True)
    assert (confirmed.decision, [act.entry for act in confirmed.acts]) == (ChangeDecision.CONFIRMED, [entry])
    story.undo(entry)
    assert said(story, by_answers=True).decision is ChangeDecision.BY_ANSWERS


def test_a_change_that_an_expert_made_is_confirmed_and_one_that_was_taken_back_is_told_as_long_as_that_holds():
    story = moved()
    made, was = said(story), labels_now(story.progress)
    assert made.decision is ChangeDecision.CONFIRMED
    assert [act.data["action"] for act in made.acts] == ["move box", "send"]
    entry = story.expert("take back", labels=label_rows(EXPERT_SOURCE), was=label_rows(was))
    back = said(story)
    assert (back.change.before, back.change.after) == (tuple(EXPERT_SOURCE), tuple(was))
    assert back.decision is ChangeDecision.TAKEN_BACK
    story.undo(entry)
    assert said(story, by_answers=True).decision is ChangeDecision.BY_ANSWERS


TWO = [("people", "a man")], [("people", "a worker")]
PARTED = replace(CHECK, link_stop=0.05, reference_trust=0.6)


def next_answer(story: Story, box: list[int]) -> tuple[Task, list[int], object]:
    """Return what is asked first, and the answer of one to whom `box` is right, and every box of the source wrong."""
    task, subject = story.asked()[0]
    of_source = task is Task.BOX_QUALITY and story.progress.boxes[subject[-1]].worker == SOURCE
    answers: dict[Task, object] = {
        Task.COREFERENCE_LINK: "same",
        Task.BOX_QUALITY: "bad" if of_source else "good",
        Task.BOX_DRAWING: {"box": box},
        Task.BOX_COVERAGE: "all there" if shown(story) == [box] else "more needed",
        Task.BOX_REQUIREMENT: 1,
    }
    return task, subject, answers[task]


def known(story: Story) -> tuple[list[LabelEvidence], list[NewLabel]]:
    said = next(entry.data for entry, _ in story.record if entry.kind is EntryKind.PROPOSE)
    source = labels_of_source(said["boxes"], said["chains"], said["flags"], story.progress.mentions)
    return label_evidence_of(story.progress, source, story.settings)


def test_boxes_are_the_same_if_each_has_one_of_the_others():
    left, right, near = Box(*LEFT), Box(*RIGHT), Box(2, 0, 42, 40)
    assert same_boxes([left, right], [right, near])
    assert not same_boxes([left, near], [left, right]), "two for one"
    assert not same_boxes([left], [left, right]) and same_boxes([], [])


def test_another_program_with_the_same_box_takes_doubt_away_and_one_with_another_or_an_equal_box_beside_adds_some():
    alone, agrees, differs = (
        known(checking(*MEN, chains=[[0, 1]], boxes=FOUND_BOXES, beside=other))[0][0].boxes
        for other in ([], [[0, *LEFT]], [[0, *RIGHT]])
    )
    assert agrees.doubt < alone.doubt < differs.doubt
    assert {one.ratio for one in (alone, agrees, differs)} == {0.0}, "programs are no people"
    beside = (checking(*MEN, chains=[[0], [1]], boxes=[[0, *LEFT], [1, *box]]) for box in (LEFT, RIGHT))
    equal, apart = (known(story)[0][0] for story in beside)
    assert equal.mentions.doubt > apart.mentions.doubt


def test_a_label_that_nobody_was_asked_about_has_a_doubt_and_no_answer():
    [label], new = known(good_men())
    assert 0 < label.mentions.doubt < 0.3 and 0 < label.boxes.doubt < 0.3
    assert not label.boxes.answered and label.boxes.ratio == 0
    assert (label.now, label.parted, new, label.types) == (None, False, [], {"people"})


def test_a_program_that_judges_moves_the_doubt_and_a_person_says_something_beside_it():
    story = good_men(JUDGED)
    before = known(story)[0][0].boxes
    story.judge(Task.BOX_QUALITY, "bad", ANNOTATOR)
    [label], _ = known(story)
    assert label.boxes.doubt > 2 * before.doubt and not label.boxes.answered
    while story.asked()[0][0] is not Task.BOX_QUALITY:
        story.judge(story.asked()[0][0], "more needed", ANNOTATOR)
    doubt = known(story)[0][0].boxes.doubt
    story.judge(Task.BOX_QUALITY, "bad", PERSON)
    [label], _ = known(story)
    assert label.boxes.answered and label.boxes.ratio > 1.5
    assert label.boxes.doubt == pytest.approx(doubt) and label.boxes.wrong > label.boxes.doubt


def test_answers_that_part_a_label_say_that_its_mentions_are_wrong():
    story = checking(*TWO, chains=[[0, 1]], boxes=[[0, *LEFT], [1, *LEFT]], settings=PARTED)
    for worker in range(1, 9):
        if (Task.COREFERENCE_LINK, [0, 1]) in story.asked():
            story.judge(Task.COREFERENCE_LINK, "different", worker, [0, 1])
    [label], new = known(story)
    assert story.chains() == [[0], [1]] and label.parted and label.mentions.answered and label.mentions.wrong > 0.9
    assert [one.types for one in new] == [{"people"}] * 2
    assert all(0 < one.doubt < 1 for one in new)


def test_boxes_that_people_dropped_and_drew_again_were_right():
    story = good_men(replace(CHECK, reference_trust=0.6, box_sure=0.95))
    for worker in range(1, 30):
        if not story.asked():
            break
        task, subject, answer = next_answer(story, LEFT)
        story.judge(task, answer, worker, subject)
    assert story.state() is ChainState.COMPLETE and len(story.boxes(BoxState.DISCARDED)) == 1
    [label], _ = known(story)
    assert label.now is None and label.boxes.wrong < 0.1


def test_boxes_that_people_changed_were_wrong_as_surely_as_the_new_ones_are_right():
    """The source's box is judged bad, and another is drawn and judged good."""
    story, worker = good_men(JUDGED).judged((Task.BOX_QUALITY, "bad", ANNOTATOR)), PERSON
    while story.asked():
        task, _, answer = next_answer(story, RIGHT)
        story.judge(task, answer, worker)
        worker += 1 if worker + 1 != ANNOTATOR else 2
    [label], _ = known(story)
    assert label.now is not None and not label.parted
    assert label.boxes.wrong >= 1 - label.now - 1e-6


BOX = Box(0, 0, 9, 9)


def image(*labels: ChainLabel) -> LabelledImage:
    return list(started([("people", "a man")], [("people", "a runner")]).progress.mentions.values()), labels


ONE, TWO_LABELS = image(ChainLabel((0, 1), (BOX,))), image(ChainLabel((0,), (BOX,)), ChainLabel((1,), ()))


def test_phrases_that_are_one_thing_in_the_labels_are_likelier_so_and_chains_without_boxes_teach_nothing_of_links():
    joined, apart = (link_prior_of([labels] * 20) for labels in (ONE, TWO_LABELS))
    assert joined.pairs["any pair"] > apart.pairs["any pair"]
    with pytest.raises(ValueError, match="nothing to learn"):
        link_prior_of([(ONE[0][:1], [ChainLabel((0,), (BOX,))])])
    assert box_prior_of([TWO_LABELS] * 60).none_of("people") > 5 * DEFAULT.none_of("people")
    assert box_prior_of([ONE] * 60).none_of("people") < DEFAULT.none_of("people")


OTHER = 70


def test_those_speak_for_a_box_who_judged_the_old_one_bad_and_drew_the_new_one():
    story = checking(*MEN, chains=[[0, 1]], boxes=FOUND_BOXES, settings=JUDGED)
    answers: dict[Task, list[int]] = defaultdict(list)
    while story.asked():
        task, _, answer = next_answer(story, RIGHT)
        worker = ANNOTATOR if ANNOTATOR not in answers[task] and task is not Task.BOX_DRAWING else len(story.record)
        story.judge(task, answer, worker)
        answers[task].append(worker)
    (change,) = compare_labels(EXPERT_SOURCE, story.progress, {}).changes
    found = found_by(story.progress, change, SOURCE)
    assert {*found.answers} == {*answers[Task.BOX_QUALITY], *answers[Task.BOX_DRAWING]}
    assert not found.predictions


def test_those_speak_for_phrases_who_answered_otherwise_than_the_source():
    story = checking(*MEN, chains=[[0, 1]], boxes=FOUND_BOXES)
    story.expert("split", chain=0, parts=[[0], [1]])
    people = [TallyVote(7, 1, answer=False), TallyVote(8, 2, answer=True), TallyVote(9, 1, answer=False)]
    story.progress.votes[0, 1] = [TallyVote(6, 60, answer=False, by_model=True), *people]
    story.progress.program_chains |= {OTHER: [[0], [1]], 71: [[0, 1]]}
    change = LabelChange((ChainLabel((0, 1), ()),), (ChainLabel((0,), ()), ChainLabel((1,), ())), ())
    assert changed_pairs(change) == {(0, 1): False}
    assert found_by(story.progress, change, SOURCE) == ChangeSupport({1: 2, 60: 1}, {OTHER: 1})


def test_a_check_links_adaptively_and_asks_by_belief_and_what_the_requester_has_chosen_stays():
    settings = to_check(Settings(), 7)
    assert (settings.reference_set, settings.strategy.value, settings.box_policy.value) == (7, "adaptive", "belief")
    assert settings.pre_annotations
    assert {name: getattr(settings, name) for name in USUAL} == dict(USUAL)
    assert to_check(Settings(link_stop=0.2), 7).link_stop == 0.2
