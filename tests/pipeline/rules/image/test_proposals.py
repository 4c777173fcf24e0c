"""Boxes that programs predict are judged instead of being drawn."""

import pytest

from annotation.rules.states import BoxState, ChainState
from pipeline.rules.boxing.prior.box_prior import BoxPrior, ProgramRecord
from pipeline.rules.entries.image_machine import EntryKind
from pipeline.rules.image.proposals import keep_proposals, most_trusted, proposed_numbers, trust_in
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import Task
from tests.support.images import BOX, DOG, MAN, NONE_MISSING, Story, imported, started

ON = ProtocolSettings(proposals=True)
MODEL, OTHER_MODEL = 50, 51
FIRST, SECOND, THIRD = [0, 0, 20, 20], [40, 40, 60, 60], [70, 0, 90, 20]


def propose(story: Story, *boxes: list[int], mention: int = 0, worker: int = MODEL, lent: tuple[int, ...] = ()) -> None:
    rows = [[mention, *box] for box in boxes]
    story.add(EntryKind.PROPOSE, {"worker": worker, "boxes": rows, "lent": list(lent)})


def proposed(*boxes: list[int], settings: ProtocolSettings = ON) -> Story:
    """A man, whom nobody has drawn yet, with these proposals from before linking began."""
    story = imported([MAN], settings=settings)
    propose(story, *boxes)
    story.add(EntryKind.START)
    return story


def judged_now(story: Story) -> list[int]:
    return list(story.progress.boxes[story.question(Task.BOX_QUALITY).subject[1]].box)


def test_a_proposed_box_is_judged_and_nobody_is_asked_to_draw_it():
    story = proposed(FIRST)
    assert story.state() is ChainState.QUALITY
    assert story.asked() == [(Task.BOX_QUALITY, [0, 0])]
    assert story.progress.boxes[0].proposed
    assert story.reasons("box") == ["proposed"]


def test_the_program_does_not_judge_its_own_box():
    assert proposed(FIRST).question(Task.BOX_QUALITY).barred == [MODEL]


def test_a_good_proposal_is_accepted_and_coverage_follows_without_the_program():
    story = proposed(FIRST)
    story.judge(Task.BOX_QUALITY, "good", worker=1)
    assert story.state() is ChainState.COVERAGE
    assert story.boxes(BoxState.ACCEPTED) == [0]
    assert story.question(Task.BOX_COVERAGE).barred == [MODEL]


def test_after_a_bad_proposal_a_worker_draws_as_usual():
    story = proposed(FIRST, SECOND)
    story.judge(Task.BOX_QUALITY, "bad", worker=1)
    assert story.asked() == [(Task.BOX_DRAWING, [0])]
    assert story.boxes(BoxState.DISCARDED) == [0]
    assert story.progress.proposals[0].box == (*SECOND,)


def test_a_bad_proposal_is_no_fruitless_drawing():
    story = proposed(FIRST, settings=ProtocolSettings(proposals=True, fruitless_drawings=1))
    story.judge(Task.BOX_QUALITY, "bad", worker=1)
    assert story.state() is ChainState.DRAWING


def test_the_next_proposal_is_taken_when_more_boxes_are_needed():
    story = proposed(FIRST, SECOND)
    story.judge(Task.BOX_QUALITY, "good", worker=1)
    story.judge(Task.BOX_COVERAGE, "more needed", worker=2)
    assert judged_now(story) == SECOND


def test_the_next_proposal_is_taken_after_a_worker_has_drawn_a_bad_box():
    story = proposed(FIRST, SECOND)
    story.judge(Task.BOX_QUALITY, "bad", worker=1)
    story.judge(Task.BOX_DRAWING, BOX, worker=2)
    story.judge(Task.BOX_QUALITY, "bad", worker=1)
    assert judged_now(story) == SECOND


def test_a_proposal_that_shows_what_an_accepted_box_shows_is_passed_over():
    story = proposed(FIRST, [0, 0, 20, 19], THIRD)
    story.judge(Task.BOX_QUALITY, "good", worker=1)
    story.judge(Task.BOX_COVERAGE, "more needed", worker=2)
    assert judged_now(story) == THIRD


def test_no_box_is_proposed_twice():
    story = proposed(FIRST)
    story.judge(Task.BOX_QUALITY, "bad", worker=1)
    propose(story, FIRST, worker=OTHER_MODEL)
    story.judge(Task.BOX_DRAWING, BOX, worker=2)
    story.judge(Task.BOX_QUALITY, "bad", worker=1)
    assert story.state() is ChainState.DRAWING


def test_without_the_setting_workers_draw():
    story = proposed(FIRST, settings=ProtocolSettings())
    assert story.asked() == [(Task.BOX_DRAWING, [0])]


def test_a_chain_that_waits_to_be_drawn_takes_a_proposal_that_comes_later():
    story = started([MAN], settings=ON)
    propose(story, FIRST)
    assert story.asked() == [(Task.BOX_QUALITY, [0, 0])]
    assert story.reasons("question") == ["proposed"]


def test_a_drawing_that_a_worker_has_begun_stays():
    story = started([MAN], settings=ON)
    propose(story, FIRST, lent=(story.question(Task.BOX_DRAWING).number,))
    assert story.asked() == [(Task.BOX_DRAWING, [0])]
    story.judge(Task.BOX_DRAWING, BOX, worker=2)
    assert not story.progress.boxes[0].proposed


def test_a_chain_of_several_mentions_takes_the_proposals_of_all():
    story = imported([DOG], [DOG], settings=ON)
    propose(story, FIRST, mention=1)
    story.add(EntryKind.START)
    story.link((0, 1))
    story.judge(Task.CHAIN_VERIFICATION, "true")
    story.judge(Task.BOX_REQUIREMENT, 1)
    assert judged_now(story) == FIRST


def test_new_proposals_of_a_program_replace_those_that_are_left():
    story = proposed(FIRST, SECOND)
    propose(story, THIRD)
    propose(story, FIRST, mention=7)
    propose(story, SECOND, worker=OTHER_MODEL)
    assert [(one.worker, list(one.box)) for one in story.progress.proposals] == [(OTHER_MODEL, SECOND)]


def test_a_voided_vote_does_not_take_a_proposal_back():
    story = proposed(FIRST, SECOND)
    story.judge(Task.BOX_QUALITY, "good", worker=1)
    vote = story.judge(Task.BOX_COVERAGE, "more needed", worker=2)
    with pytest.raises(Exception, match="not an unresolved judgment"):
        story.void(vote)


def test_none_missing_after_a_bad_proposal_asks_whether_a_box_is_needed():
    story = proposed(FIRST)
    story.judge(Task.BOX_QUALITY, "bad", worker=1)
    story.judge(Task.BOX_DRAWING, NONE_MISSING, worker=2)
    assert story.state() is ChainState.REQUIREMENT


def test_what_an_expert_did_before_a_proposal_acted_on_it_is_not_undone():
    story = started([MAN], settings=ON)
    act = story.expert("retype", mention=0, types=["people", "other"])
    propose(story, FIRST)
    story.undo(act)
    assert story.state() is ChainState.QUALITY
    story = started([DOG], settings=ON)
    act = story.expert("send", chain=0, to="drawing")
    propose(story, FIRST)
    with pytest.raises(Exception, match=r"A program's predictions came since"):
        story.undo(act)


def test_a_row_of_a_phrase_that_is_gone_is_passed_over() -> None:
    progress = imported([MAN], settings=ON).progress
    keep_proposals(progress, MODEL, [[0, *FIRST], [9, *SECOND]])
    assert [list(one.box) for one in progress.proposals] == [FIRST]


RECORD = ProgramRecord((0.0, 0.0, 0.0, 0.0, 8.0, 0.0), (8.0, 0.0, 0.0, 0.0, 0.0, 0.0))
"""Boxes with scores up to 20 % were bad, those from 80 % on good."""
BY_SCORE = BoxPrior(programs={str(MODEL): RECORD})


def test_a_row_has_a_score_behind_the_box_or_none() -> None:
    story = imported([MAN], settings=ON)
    keep_proposals(story.progress, MODEL, [[0, *FIRST, 85], [0, *SECOND], [0, *THIRD, 0]])
    assert [(list(one.box), one.score) for one in story.progress.proposals] == [(FIRST, 85), (SECOND, None), (THIRD, 0)]


def test_a_box_is_trusted_as_boxes_of_about_its_score_were_good() -> None:
    trust = [trust_in(MODEL, score, BY_SCORE) for score in (10, 50, 90)]
    assert trust == [pytest.approx(2 / 12), 0.5, pytest.approx(10 / 12)]
    assert trust_in(MODEL, 19, BY_SCORE) == trust[0] and trust_in(MODEL, 80, BY_SCORE) == trust[2]
    assert trust_in(MODEL, None, BY_SCORE) == trust_in(OTHER_MODEL, 90, BY_SCORE) == 0.5


def test_the_most_trusted_box_comes_first_and_of_equal_ones_the_first_that_came() -> None:
    story = imported([MAN], settings=ON)
    chain = started([MAN]).chain()
    keep_proposals(story.progress, MODEL, [[0, *FIRST, 10], [0, *SECOND, 50], [0, *THIRD, 90]])
    taken = most_trusted(story.progress, chain, BY_SCORE)
    assert taken is not None and list(taken.box) == THIRD
    first = most_trusted(story.progress, chain, BoxPrior())
    assert first is not None and list(first.box) == FIRST


def test_a_box_that_is_taken_keeps_its_score() -> None:
    story = started([MAN], settings=ON)
    story.add(EntryKind.PROPOSE, {"worker": MODEL, "boxes": [[0, *FIRST, 85]], "lent": []})
    assert (story.progress.boxes[0].proposed, story.progress.boxes[0].score) == (True, 85)


def test_different_boxes_count_for_the_chain_of_their_mention_whether_taken_or_left():
    story = imported([MAN, DOG], settings=ON)
    propose(story, FIRST, SECOND, [1, 0, 20, 20])
    propose(story, THIRD, mention=1, worker=OTHER_MODEL)
    story.add(EntryKind.START)
    man, dog = (proposed_numbers(story.progress, chain) for chain in story.progress.chains.values())
    assert man == {"50": 2, "51": 0}
    assert dog == {"50": 0, "51": 1}


def test_a_program_without_a_box_in_the_image_has_not_looked():
    story = started([MAN], settings=ON)
    assert proposed_numbers(story.progress, story.chain()) == {}
