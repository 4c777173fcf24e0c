"""Reports, starved questions and voided judgments."""

import pytest

from annotation.rules.states import BoxState, ChainState, ImageState
from pipeline.rules.entries.image_machine import EntryKind
from pipeline.rules.entries.interventions import CannotVoidError
from pipeline.rules.image import plan_group
from pipeline.rules.linking.link_plan import LinkPlan
from pipeline.rules.linking.link_strategy import Strategy
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import Task
from tests.support.images import BOX, DOG, MAN, NONE_MISSING, PARK, Story, imported, started

L, R, D, C = Task.COREFERENCE_LINK, Task.BOX_REQUIREMENT, Task.BOX_DRAWING, Task.BOX_COVERAGE

# --- Reports ---


def test_reports_of_two_different_workers_send_the_chain_to_review():
    story = started([MAN, DOG])
    story.report("mention", 0, worker=1)
    story.report("mention", 1, worker=2)
    assert len(story.asked()) == 2, "of different mentions"
    story.report("mention", 0, worker=2)
    assert (story.state(0), story.chain(0).review) == (ChainState.REVIEW, "mention reported as wrong")
    assert story.asked() == [(R, [1])]


def test_a_wrong_caption_sends_the_chains_of_all_its_mentions():
    story = started([MAN, DOG], [PARK])
    story.report("caption", 0, worker=None, expert=True)
    assert [story.state(n) for n in (0, 1, 2)] == [ChainState.REVIEW, ChainState.REVIEW, ChainState.REQUIREMENT]


def test_a_mention_that_is_still_linking_goes_to_review_once_it_is_placed():
    story = started([DOG], [DOG])
    story.report("mention", 1, worker=None, expert=True)
    assert story.state(1) is ChainState.LINKING
    story.judge(L, "different")
    assert (story.state(0), story.state(1)) == (ChainState.REQUIREMENT, ChainState.REVIEW)


def test_the_count_begins_anew_once_reports_have_acted():
    story = started([DOG])
    for worker in (1, 2):
        story.report("mention", 0, worker)
    story.expert("send", chain=0, to="requirement")
    story.report("mention", 0, worker=3)
    assert story.state() is ChainState.REQUIREMENT
    story.report("mention", 0, worker=4)
    assert story.state() is ChainState.REVIEW


def test_a_report_before_the_first_question_waits_for_the_placement():
    story = imported([DOG])
    story.report("mention", 0, worker=None, expert=True)
    story.add(EntryKind.START)
    assert story.state() is ChainState.REVIEW


# --- Starved questions ---


def starve(story: Story, task: Task, subject: list[int] | None = None) -> None:
    story.add(EntryKind.STARVE, {"question": story.question(task, subject).number})


def test_a_starved_box_question_sends_its_chain_to_review():
    story = started([MAN])
    story.judge(D, BOX)
    starve(story, Task.BOX_QUALITY)
    assert (story.state(), story.chain().review, story.asked()) == (ChainState.REVIEW, "starved", [])
    assert story.boxes(BoxState.DISCARDED) == [0]
    assert story.progress.state is ImageState.REVIEW


def test_a_starved_link_goes_on_as_a_no_and_its_chains_go_to_review_when_placed():
    story = started([DOG], [DOG], [DOG])
    starve(story, L)
    assert story.asked() == [(L, [0, 2]), (L, [1, 2])]
    story.judge(L, "same", subject=[0, 2])
    story.judge(L, "different", subject=[1, 2])
    assert story.chains() == [[0, 2], [1]]
    assert [story.chain(n).review for n in (0, 1)] == ["starved", "starved"]


def test_starving_a_question_that_closed_meanwhile_changes_nothing():
    story = started([MAN])
    number = story.question(D).number
    story.judge(D, BOX)
    story.add(EntryKind.STARVE, {"question": number})
    assert story.asked() == [(Task.BOX_QUALITY, [0, 0])]


# --- Voided judgments ---


def test_a_link_is_asked_again_of_others():
    story = started([DOG], [DOG], [DOG])
    entry = story.judge(L, "same", worker=4)
    assert story.chains() == [[0, 1], [2]]
    story.void(entry)
    assert (story.chains(), story.asked()) == ([[0], [1], [2]], [(L, [0, 1])])
    assert story.question(L).barred == [4]
    assert story.progress.votes == {}


def test_a_link_that_is_asked_again_only_later_is_asked_of_others_too(monkeypatch: pytest.MonkeyPatch):
    asked = iter([(0, 1), (0, 2), (0, 2), (0, 1)])
    monkeypatch.setattr(plan_group, "plan_adaptively", lambda *_, **__: LinkPlan((next(asked),), ((0,), (1,), (2,))))
    story = started([MAN], [MAN], [MAN], settings=ProtocolSettings(strategy=Strategy.ADAPTIVE))
    entry = story.judge(L, "same", worker=4)
    story.void(entry)
    story.judge(L, "same", worker=5, subject=[0, 2])
    assert (story.question(L).subject, story.question(L).barred) == ([0, 1], [4])


def test_a_link_of_a_placed_group_stays():
    story = started([DOG], [DOG])
    entry = story.judge(L, "same", worker=4)
    with pytest.raises(CannotVoidError, match=f"Entry {entry}"):
        story.void(entry)
    assert story.chains() == [[0, 1]]


def test_a_vote_of_an_open_tally_goes_and_its_voter_stays_barred():
    story = started([DOG])
    entry = story.judge(R, 3, worker=4)
    story.void(entry)
    assert (story.chain().requirement, story.question(R).barred) == ([], [4])
    story.judge(R, 3, worker=5)
    assert story.state() is ChainState.REQUIREMENT


def test_what_is_left_of_a_tally_is_read_at_once():
    story = started([DOG])
    entry = story.judge(R, 3, worker=4)
    story.judge(R, 1, worker=5)
    assert story.state() is ChainState.REQUIREMENT
    story.void(entry)
    assert story.asked() == [(D, [0])]


def test_a_coverage_vote_goes_and_the_visit_is_read_as_if_it_had_not_been():
    story = started([MAN])
    story.draw_accepted()
    entry = story.judge(C, "all there", worker=4)
    story.judge(C, "more needed", worker=5)
    story.void(entry)
    assert (story.state(), story.chain().coverage_barred) == (ChainState.DRAWING, [5])


@pytest.mark.parametrize("judged", ["good", "bad"])
def test_a_box_whose_quality_was_judged_stays_what_it_is(judged: str):
    story = started([MAN])
    entry = story.judge(D, BOX, worker=4)
    story.judge(Task.BOX_QUALITY, judged, worker=5)
    with pytest.raises(CannotVoidError):
        story.void(entry)


def test_a_drawing_that_sent_the_chain_on_stays():
    story = started([MAN])
    entry = story.judge(D, NONE_MISSING, worker=4)
    with pytest.raises(CannotVoidError):
        story.void(entry)
    assert story.state() is ChainState.REQUIREMENT


def test_a_vote_that_once_sent_the_chain_to_drawing_stays_when_the_tally_is_open_again():
    story = started([DOG])
    first = story.judge(R, 1, worker=4)
    story.judge(D, NONE_MISSING, worker=5)
    assert story.state() is ChainState.REQUIREMENT
    with pytest.raises(CannotVoidError):
        story.void(first)


def test_votes_of_a_tally_that_is_open_again_go_if_nothing_has_followed_from_them():
    story = started([DOG], settings=ProtocolSettings(no_box_votes=4))
    story.judge(R, 1, worker=4)
    story.judge(D, NONE_MISSING, worker=5)
    entry = story.judge(R, 3, worker=6)
    story.void(entry)
    assert [vote.worker for vote in story.chain().requirement] == [4, 5]


def test_several_are_taken_back_together_before_anything_is_read():
    story = started([DOG])
    entries = [story.judge(R, 3, worker=4), story.judge(R, 1, worker=5)]
    story.void(*entries)
    assert (story.chain().requirement, story.state()) == ([], ChainState.REQUIREMENT)
    assert story.question(R).barred == [4, 5]


def test_several_links_of_a_group_are_taken_back_together():
    settings = ProtocolSettings(strategy=Strategy.EXHAUSTIVE_PLUS)
    story = started([DOG], [DOG], [DOG], settings=settings)
    for pair, answer in (([0, 1], "same"), ([1, 2], "same"), ([0, 2], "different")):
        story.judge(L, answer, worker=1, subject=pair)
    for pair in ([0, 1], [1, 2]):
        story.judge(L, "same", worker=2, subject=pair)
    entries = [story.judge(L, answer, worker, [0, 2]) for worker, answer in ((2, "same"), (3, "different"))]
    story.void(*entries)
    assert story.asked() == [(L, [0, 2])]
    assert story.question(L).barred == [1, 2, 3]


def test_one_that_cannot_be_voided_keeps_all_from_being_voided():
    story = started([DOG, DOG])
    open_one = story.judge(R, 3, worker=4, subject=[0])
    resolved = story.judge(R, 1, worker=4, subject=[1])
    with pytest.raises(CannotVoidError):
        story.void(open_one, resolved)
    assert len(story.chain(0).requirement) == 1


def test_what_is_no_judgment_at_all_cannot_be_voided():
    story = started([DOG])
    with pytest.raises(CannotVoidError):
        story.void(1)


def test_the_same_judgment_is_voided_once():
    story = started([DOG])
    entry = story.judge(R, 3, worker=4)
    story.void(entry)
    with pytest.raises(CannotVoidError):
        story.void(entry)
