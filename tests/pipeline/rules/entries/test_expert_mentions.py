"""An expert's changes of mentions, types and spans, and their effect on links and chains."""

from typing import Any

import pytest

from annotation.rules.states import BoxState
from pipeline.rules.entries.expert import ExpertError
from pipeline.rules.tasks.task import Task
from tests.pipeline.rules.entries.test_expert import GUY, S, two_dogs
from tests.support.images import DOG, MAN, PARK, started


def refusal(action: str, **arguments: Any) -> str:
    """Return why the expert's action is refused, or nothing if it is not."""
    try:
        two_dogs().expert(action, **arguments)
    except ExpertError as error:
        return str(error)
    return ""


def test_retyping_a_mention_that_is_linking_plans_its_links_anew():
    story = started([DOG], [PARK])
    assert [task for task, _ in story.asked()] == [Task.BOX_REQUIREMENT] * 2
    story = started([DOG], [("animals", "the cat")], [DOG])
    story.expert("retype", mention=1, types=["people"])
    assert story.asked() == [(Task.COREFERENCE_LINK, [0, 2]), (Task.BOX_DRAWING, [1])]


def test_retyping_can_part_a_chain_that_was_linked_so_far():
    story = started([DOG], [("animals", "the cat")], [DOG])
    story.judge(Task.COREFERENCE_LINK, "same", subject=[0, 1])
    assert story.chains() == [[0, 1], [2]]
    story.expert("retype", mention=1, types=["people"])
    assert story.chains() == [[0], [1], [2]]
    assert story.asked() == [(Task.COREFERENCE_LINK, [0, 2]), (Task.BOX_DRAWING, [1])]


def test_retyping_can_bring_groups_together():
    story = started([DOG, MAN], [DOG, GUY])
    story.expert("retype", mention=0, types=["animals", "people"])
    assert story.asked() == [(Task.COREFERENCE_LINK, [0, 2])]


def test_retyping_a_placed_mention_changes_where_its_chain_goes_later():
    story = started([("animals", "a centaur")], [("animals", "the centaur")]).link((0, 1))
    story.expert("retype", mention=1, types=["people"])
    story.judge(Task.CHAIN_VERIFICATION, "true")
    assert story.state() is S.DRAWING


def test_types_are_some_of_the_eight_each_once():
    for types in ([], ["ghosts"], ["people", "people"], "people"):
        assert "Types must be" in refusal("retype", mention=0, types=types), types


def test_a_new_mention_is_a_chain_of_its_own_that_waits():
    story = two_dogs()
    story.expert("rechunk", remove=[], add=[[7, 1, 5, 7, ["scene"], "the park"]])
    assert (story.state(7), story.chain(7).mentions) == (S.REVIEW, [7])


def test_a_chain_that_loses_its_first_mention_is_named_by_the_next_and_keeps_its_boxes():
    story = two_dogs()
    story.expert("draw", chain=0, box=[1, 2, 3, 4])
    story.expert("rechunk", remove=[0], add=[[7, 0, 0, 1, ["animals"], "a"]])
    assert {name: chain.mentions for name, chain in story.progress.chains.items()} == {1: [1], 2: [2], 7: [7]}
    assert (story.state(2), len(story.progress.accepted(2))) == (S.REVIEW, 1)


def test_a_chain_that_loses_its_representative_has_none_until_it_is_chosen_anew():
    story = started([DOG], [("animals", "a brown dog")]).link((0, 1))
    story.judge(Task.CHAIN_VERIFICATION, "true")
    assert story.chain().representative == 1
    story.expert("rechunk", remove=[1], add=[])
    story.expert("send", chain=0, to="non-visual", kind="no box")
    assert story.chain().representative in (-1, 0)


def test_a_chain_that_loses_all_its_mentions_goes_with_its_boxes():
    story = started([MAN, DOG])
    story.draw_accepted()
    story.expert("rechunk", remove=[0], add=[])
    assert (list(story.progress.chains), story.boxes(BoxState.DISCARDED)) == ([1], [0])
    assert story.asked() == [(Task.BOX_REQUIREMENT, [1])]


def test_a_mention_that_goes_while_linking_takes_its_links_with_it():
    story = started([DOG], [DOG], [DOG])
    story.judge(Task.COREFERENCE_LINK, "same", subject=[0, 1])
    story.expert("rechunk", remove=[0], add=[])
    assert (story.chains(), story.asked()) == ([[1], [2]], [(Task.COREFERENCE_LINK, [1, 2])])


def test_a_mention_that_held_a_group_together_parts_it():
    story = started([DOG], [("animals/people", "the centaur")], [MAN])
    story.expert("rechunk", remove=[1], add=[])
    assert story.asked() == [(Task.BOX_REQUIREMENT, [0]), (Task.BOX_DRAWING, [2])]


def test_a_new_mention_must_be_a_free_span_with_types_and_a_number_of_its_own():
    rows = [
        [0, 5, 0, 2, ["animals"], "a dog"],  # the number is taken
        [9, 0, 1, 3, ["animals"], "dog a"],  # overlaps
        [9, 5, 2, 2, ["animals"], ""],
        [9, 5, -1, 2, ["animals"], "a dog"],
        [9, 5, 0, 2, ["ghosts"], "a ghost"],
        [9, 5, 0, 2, [], "a dog"],
        [9, 5, 0, 2, ["animals", "animals"], "a dog"],
        [9, 5, 0, 2, ["animals"]],
        ["x", 5, 0, 2, ["animals"], "a dog"],
        [-1, 5, 0, 2, ["animals"], "a dog"],
        "a dog",
    ]
    for row in rows:
        assert refusal("rechunk", remove=[], add=[row]), row


def test_a_mention_that_is_not_there_cannot_go():
    for remove in ([9], [0, 0]):
        assert "no mention" in refusal("rechunk", remove=remove, add=[]), remove


def test_a_removed_mention_can_come_back_as_other_words_of_another_number():
    story = two_dogs()
    story.expert("rechunk", remove=[1], add=[[3, 0, 3, 6, ["people"], "a man and"]])
    story.expert("send", chain=3, to="drawing")
    assert (Task.BOX_DRAWING, [3]) in story.asked()


def test_a_number_that_was_ever_given_is_not_given_again():
    story = two_dogs()
    story.expert("rechunk", remove=[1], add=[[3, 0, 4, 6, ["people"], "a guy"]])
    story.expert("rechunk", remove=[3], add=[])
    for number in (1, 3):
        with pytest.raises(ExpertError, match=f"number {number} was given before: the next one is 4"):
            story.expert("rechunk", remove=[], add=[[number, 0, 8, 9, ["people"], "he"]])
