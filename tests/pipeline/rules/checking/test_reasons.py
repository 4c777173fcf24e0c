"""Reasons of doubt, each where it holds and nowhere else."""

from dataclasses import replace
from typing import Any

import pytest

from annotation.rules.dictionaries import load_dictionaries
from pipeline.rules.checking.doubt import Part
from pipeline.rules.checking.reasons import Reason, Why, reasons_of
from pipeline.rules.entries.image_machine import EntryKind, begin
from pipeline.rules.tasks.task import Task
from tests.pipeline.rules.image.test_checked import CHECK, JUDGED, JUROR, LEFT, MEN, PERSON, RIGHT, SOURCE, checking
from tests.support.images import Story, started

OTHER = 70
"""Another program."""
MAN_AND_DOG = [("people", "a man"), ("animals", "a dog")], [("people", "the man"), ("animals", "the dog")]
CHAINS = [[0, 2], [1, 3]]


def reasons(story: Story, chain: int = 0, settings: Any = CHECK) -> dict[Why, Reason]:
    found = reasons_of(story.progress, settings, chain, load_dictionaries())
    assert [one.part for one in found] == sorted((one.part for one in found), key=list(Part).index)
    return {one.why: one for one in found}


def of_boxes(man: list[list[int]], dog: list[list[int]], settings: Any = CHECK, **said: Any) -> Story:
    """Check a man and a dog with these boxes. `said`: chains and boxes of another program."""
    boxes = [[number, *box] for own, numbers in ((man, (0, 2)), (dog, (1, 3))) for box in own for number in numbers]
    first = started(*MAN_AND_DOG).record[0][0]
    story = Story(begin(first), settings, [(first, settings)])
    story.add(EntryKind.PROPOSE, {"worker": SOURCE, "boxes": boxes, "chains": CHAINS, "lent": []})
    if said:
        story.add(EntryKind.PROPOSE, {"worker": OTHER, "boxes": [], "lent": [], **said})
    story.add(EntryKind.START, {"lot": 0})
    return story


def test_nothing_speaks_against_a_label_that_looks_fine():
    assert reasons(of_boxes([LEFT], [RIGHT])) == {}


@pytest.mark.parametrize(
    ("man", "dog", "found"),
    [
        ([LEFT], [LEFT], {Why.SAME_BOX: Reason(Why.SAME_BOX, Part.BOXES, 1.0, other=1)}),
        ([[10, 10, 20, 20]], [LEFT], {}),  # a dog is no part of a man
        ([LEFT, RIGHT], [[0, 50, 40, 90]], {Why.NUMBER: Reason(Why.NUMBER, Part.BOXES, 0.0147, number=2)}),
        ([], [RIGHT], {Why.NUMBER: Reason(Why.NUMBER, Part.FLAG, 0.02, number=0)}),
    ],
)
def test_boxes_are_held_against_those_of_other_chains_and_the_usual_number(man: Any, dog: Any, found: Any):
    assert reasons(of_boxes(man, dog)) == found


def test_a_box_inside_one_of_the_same_type_is_named():
    story = checking(*MEN, chains=[[0], [1]], boxes=[[0, 10, 10, 20, 20], [1, *LEFT]], settings=CHECK)
    story.judge(Task.COREFERENCE_LINK, "different", PERSON)
    while any(task is Task.COREFERENCE_LINK for task, _ in story.asked()):
        story.judge(Task.COREFERENCE_LINK, "different", len(story.record))
    assert reasons(story)[Why.INSIDE] == Reason(Why.INSIDE, Part.BOXES, 1.0, other=1)


def test_other_programs_are_held_against_the_label():
    said = {"chains": [[0], [1, 3], [2]], "boxes": [[0, *RIGHT], [0, 0, 50, 40, 90]]}
    found = reasons(of_boxes([LEFT], [[50, 50, 90, 90]], **said))
    assert found[Why.PROGRAM_LINKS].programs == 1
    assert (found[Why.PROGRAM_NUMBER].number, found[Why.PROGRAM_NUMBER].programs) == (1, 2)
    assert (found[Why.PROGRAM_BOX].number, found[Why.PROGRAM_BOX].programs) == (1, 2)


def test_pairs_that_may_be_two_things_are_named_with_the_answers_and_the_source_that_say_so():
    unsure = replace(CHECK, checked_trust=0.8)
    story = checking(*MEN, chains=[[0], [1]], boxes=[[0, *LEFT], [1, *RIGHT]], settings=unsure)
    assert Why.SOURCE in reasons(story, settings=unsure)
    story.judge(Task.COREFERENCE_LINK, "different", PERSON)
    found = reasons(story, settings=unsure)
    assert list(found)[:3] == [Why.APART, Why.PEOPLE_LINKS, Why.SOURCE]
    assert (found[Why.APART].mention, found[Why.APART].other) == (0, 1)
    assert found[Why.PEOPLE_LINKS] == Reason(Why.PEOPLE_LINKS, Part.MENTIONS, number=1, programs=0)
    story.judge(Task.COREFERENCE_LINK, "different", PERSON + 1)
    assert story.chains() == [[0], [1]]
    assert reasons(story, 1, settings=unsure)[Why.ALIKE][3:] == (None, None, 1, 0, ())


def test_answers_of_people_and_jurors_are_counted_apart():
    story = of_boxes([LEFT], [RIGHT], JUDGED)
    story.judge(Task.BOX_QUALITY, "bad", JUROR, [0])
    assert reasons(story, settings=JUDGED)[Why.BAD] == Reason(Why.BAD, Part.BOXES, number=0, programs=1)


def test_a_type_is_doubted_where_the_dictionaries_have_another():
    story = checking([("clothing", "a dog")], [("animals", "a fluffy thing")], chains=[[0], [1]], boxes=[[0, *LEFT]])
    assert reasons(story)[Why.TYPE].types == ("animals",)
    assert Why.TYPE not in reasons(story, 1), "the dictionaries do not know the word"
