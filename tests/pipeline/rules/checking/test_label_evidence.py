"""Evidence of each label of a checked data set: doubts, and what people's answers say."""

from dataclasses import replace

import pytest

from annotation.rules.box import Box
from annotation.rules.states import BoxState, ChainState
from pipeline.rules.checking.label import Label, labels_of_source
from pipeline.rules.checking.label_evidence import LabelEvidence, NewLabel, evidence_of, same_boxes
from pipeline.rules.entries.image_machine import EntryKind
from pipeline.rules.tasks.task import Task
from tests.pipeline.rules.image.test_checked import (
    CHECK,
    JUDGED,
    JUROR,
    LEFT,
    MEN,
    PERSON,
    RIGHT,
    SOURCE,
    checking,
    good_men,
    shown,
)
from tests.support.images import Story

TWO = [("people", "a man")], [("people", "a worker")]
PARTED = replace(CHECK, link_stop=0.05, checked_trust=0.6)


def known(story: Story) -> tuple[list[LabelEvidence], list[NewLabel]]:
    return evidence_of(story.progress, said_first(story), story.settings)


def said_first(story: Story) -> list[Label]:
    said = next(entry.data for entry, _ in story.record if entry.kind is EntryKind.PROPOSE)
    return labels_of_source(said["boxes"], said["chains"], said["flags"], story.progress.mentions)


def test_boxes_are_the_same_if_each_has_one_of_the_others():
    left, right, near = Box(*LEFT), Box(*RIGHT), Box(2, 0, 42, 40)
    assert same_boxes([left, right], [right, near])
    assert not same_boxes([left, near], [left, right]), "two for one"
    assert not same_boxes([left], [left, right])
    assert same_boxes([], [])


def test_another_program_with_the_same_box_takes_doubt_away_and_one_with_another_box_adds_some():
    alone, agrees, differs = (
        known(checking(*MEN, chains=[[0, 1]], boxes=[[0, *LEFT], [1, *LEFT]], beside=other))[0][0].boxes
        for other in ([], [[0, *LEFT]], [[0, *RIGHT]])
    )
    assert agrees.doubt < alone.doubt < differs.doubt
    assert {one.said for one in (alone, agrees, differs)} == {0.0}, "programs are no people"


def test_mentions_of_two_labels_with_equal_boxes_are_doubted():
    equal, apart = (
        known(checking(*MEN, chains=[[0], [1]], boxes=[[0, *LEFT], [1, *box]]))[0][0] for box in (LEFT, RIGHT)
    )
    assert equal.mentions.doubt > apart.mentions.doubt


def test_a_label_that_nobody_was_asked_about_has_a_doubt_and_no_answer():
    [label], new = known(good_men())
    assert 0 < label.mentions.doubt < 0.3 and 0 < label.boxes.doubt < 0.3
    assert not label.boxes.asked and label.boxes.said == 0
    assert (label.now, label.parted, new) == (None, False, [])
    assert label.types == {"people"}


def test_a_program_that_judges_moves_the_doubt_and_a_person_says_something_beside_it():
    story = good_men(JUDGED)
    before = known(story)[0][0].boxes
    story.judge(Task.BOX_QUALITY, "bad", JUROR)
    [label], _ = known(story)
    assert label.boxes.doubt > 2 * before.doubt and not label.boxes.asked
    while story.asked()[0][0] is not Task.BOX_QUALITY:
        story.judge(story.asked()[0][0], "more needed", JUROR)
    doubt = known(story)[0][0].boxes.doubt
    story.judge(Task.BOX_QUALITY, "bad", PERSON)
    [label], _ = known(story)
    assert label.boxes.asked and label.boxes.said > 1.5
    assert label.boxes.doubt == pytest.approx(doubt)
    assert label.boxes.wrong > label.boxes.doubt


def test_answers_that_part_a_label_say_that_its_mentions_are_wrong():
    story = checking(*TWO, chains=[[0, 1]], boxes=[[0, *LEFT], [1, *LEFT]], settings=PARTED)
    for worker in range(1, 9):
        if (Task.COREFERENCE_LINK, [0, 1]) in story.asked():
            story.judge(Task.COREFERENCE_LINK, "different", worker, [0, 1])
    [label], new = known(story)
    assert story.chains() == [[0], [1]]
    assert label.parted and label.mentions.asked and label.mentions.wrong > 0.9
    assert [one.types for one in new] == [{"people"}] * 2
    assert all(0 < one.doubt < 1 for one in new)


def test_boxes_that_people_dropped_and_drew_again_were_right():
    story = good_men(replace(CHECK, checked_trust=0.6, box_sure=0.95))
    for worker in range(1, 30):
        if not story.asked():
            break
        task, subject = story.asked()[0]
        good = task is Task.BOX_QUALITY and story.progress.boxes[subject[-1]].worker != SOURCE
        answers = {
            Task.COREFERENCE_LINK: "same",
            Task.BOX_QUALITY: "good" if good else "bad",
            Task.BOX_DRAWING: {"box": LEFT},
            Task.BOX_COVERAGE: "all there" if shown(story) == [LEFT] else "more needed",
            Task.BOX_REQUIREMENT: 1,
        }
        story.judge(task, answers[task], worker, subject)
    assert story.state() is ChainState.COMPLETE and len(story.boxes(BoxState.DISCARDED)) == 1
    [label], _ = known(story)
    assert label.now is None and label.boxes.wrong < 0.1


def test_boxes_that_people_changed_were_wrong_as_surely_as_the_new_ones_are_right():
    story = good_men(replace(CHECK, juror_lot=0.0, box_sure=0.9))
    story = _changed(story)
    [label], _ = known(story)
    assert label.now is not None and not label.parted
    assert label.boxes.wrong >= 1 - label.now - 1e-6


def _changed(story: Story) -> Story:
    """Let the source's box be judged bad, and another be drawn and judged good."""
    story = good_men(replace(JUDGED, jurors=(JUROR,)))
    story.judge(Task.BOX_QUALITY, "bad", JUROR)
    worker = PERSON
    while story.asked():
        task, subject = story.asked()[0]
        answers = {
            Task.BOX_QUALITY: "good" if story.progress.boxes[subject[-1]].worker != 50 else "bad",
            Task.BOX_DRAWING: {"box": RIGHT},
            Task.BOX_COVERAGE: "all there" if shown_right(story) else "more needed",
            Task.BOX_REQUIREMENT: 1,
        }
        story.judge(task, answers[task], worker)
        worker += 1 if worker + 1 != JUROR else 2
    return story


def shown_right(story: Story) -> bool:
    return [list(box.box) for box in story.progress.accepted(0)] == [RIGHT]
