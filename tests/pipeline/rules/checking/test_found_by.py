"""Answers and predictions that speak for a change."""

from collections import defaultdict

from pipeline.rules.checking.changed_labels import Change, compared
from pipeline.rules.checking.found_by import Found, changed_pairs, found_by
from pipeline.rules.checking.label import Label, labels_of_source
from pipeline.rules.progress.progress import Vote
from pipeline.rules.tasks.task import Task
from tests.pipeline.rules.image.test_checked import JUDGED, JUROR, LEFT, MEN, RIGHT, SOURCE, checking
from tests.support.images import Story

OTHER = 70
BOXES = [[0, *LEFT], [1, *LEFT]]


def only_change(story: Story) -> Change:
    found = compared(labels_of_source(BOXES, [[0, 1]], {}, [0, 1]), story.progress, {})
    (change,) = found.changes
    return change


def test_those_speak_for_a_box_who_judged_the_old_one_bad_and_drew_the_new_one():
    story = checking(*MEN, chains=[[0, 1]], boxes=BOXES, settings=JUDGED)
    answers: dict[Task, list[int]] = defaultdict(list)
    while asked := story.asked():
        task, subject = asked[0]
        worker = JUROR if JUROR not in answers[task] and task is not Task.BOX_DRAWING else len(story.record)
        old = task is Task.BOX_QUALITY and list(story.progress.boxes[subject[1]].box) == LEFT
        there = [list(box.box) for box in story.progress.accepted(0)] == [RIGHT]
        said = {
            Task.BOX_DRAWING: {"box": RIGHT},
            Task.BOX_QUALITY: "bad" if old else "good",
            Task.BOX_COVERAGE: "all there" if there else "more needed",
            Task.BOX_REQUIREMENT: 1,
        }
        story.judge(task, said[task], worker)
        answers[task].append(worker)
    found = found_by(story.progress, only_change(story), SOURCE)
    assert {*found.answers} == {*answers[Task.BOX_QUALITY], *answers[Task.BOX_DRAWING]}
    assert not found.predictions


def test_those_speak_for_phrases_who_answered_otherwise_than_the_source():
    story = checking(*MEN, chains=[[0, 1]], boxes=BOXES)
    story.expert("split", chain=0, parts=[[0], [1]])
    story.progress.votes[0, 1] = [Vote(7, 1, answer=False), Vote(8, 2, answer=True), Vote(9, 1, answer=False)]
    story.progress.juror_votes[0, 1] = [Vote(6, 60, answer=False)]
    story.progress.program_chains |= {OTHER: [[0], [1]], 71: [[0, 1]]}
    change = Change((Label((0, 1), ()),), (Label((0,), ()), Label((1,), ())), ())
    assert changed_pairs(change) == {(0, 1): False}
    assert found_by(story.progress, change, SOURCE) == Found({1: 2, 60: 1}, {OTHER: 1})
