"""Reports, starved questions and voided judgments.
An expert's act is taken back: the image is as before, unless something depends on the act.
An expert confirms labels as they are, or gives phrases other labels in one act.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from annotation.rules.states import BoxState, ChainState, ImageState
from pipeline.checking.changed_labels import label_rows
from pipeline.checking.label_evidence import labels_now
from pipeline.policies import adaptive_links
from pipeline.policies.adaptive_links import GroupPlan
from pipeline.protocol.boxes import tallies
from pipeline.protocol.image.expert import ACTIONS, CONFIRM, TAKE_BACK, ExpertError
from pipeline.protocol.image.interventions import CannotVoidError
from pipeline.protocol.image.machine import EntryKind, RecordError
from pipeline.protocol.image.undo import CannotUndoError, apply_record
from pipeline.protocol.links.policy import Ask
from pipeline.protocol.state.progress import ImageProgress
from pipeline.protocol.state.progress_json import to_json
from pipeline.protocol.tasks.task import Task
from pipeline.settings.of_belief import LinkStrategy
from pipeline.settings.settings import Settings
from tests.pipeline.policies.test_reference_set import LEFT, RIGHT, checking
from tests.support.images import ANYBODY, BOX, DOG, MAN, NONE_MISSING, PARK, Story, imported, started
from tests.support.table import case, row
from tests.support.tasks import ASK, COVER, DRAW, JUDGE, LINK, VERIFY


def test_reports_of_two_different_workers_send_the_chain_to_review():
    story = started([MAN, DOG]).report("mention", 0, worker=1).report("mention", 1, worker=2)
    assert len(story.asked()) == 2, "of different mentions"
    story.report("mention", 0, worker=2)
    assert (story.state(0), story.chain(0).review) == (ChainState.REVIEW, "mention reported as wrong")
    assert story.asked() == [(ASK, [1])]


def test_a_wrong_caption_sends_the_chains_of_all_its_mentions_those_still_linking_once_they_are_placed():
    story = started([MAN, DOG], [PARK]).report("caption", 0, worker=None, expert=True)
    assert [story.state(n) for n in (0, 1, 2)] == [ChainState.REVIEW, ChainState.REVIEW, ChainState.REQUIREMENT]
    story = started([DOG], [DOG]).report("mention", 1, worker=None, expert=True)
    assert story.state(1) is ChainState.LINKING
    story.judge(LINK, "different")
    assert (story.state(0), story.state(1)) == (ChainState.REQUIREMENT, ChainState.REVIEW)
    assert imported([DOG]).report("mention", 0, worker=None, expert=True).start().state() is ChainState.REVIEW


def test_the_count_begins_anew_once_reports_have_acted():
    story = started([DOG]).report("mention", 0, worker=1).report("mention", 0, worker=2)
    story.by_expert("send", chain=0, to="requirement").report("mention", 0, worker=3)
    assert story.state() is ChainState.REQUIREMENT
    assert story.report("mention", 0, worker=4).state() is ChainState.REVIEW


def starve(story: Story, task: Task, subject: list[int] | None = None) -> None:
    story.add(EntryKind.STARVE, {"question": story.question(task, subject).number})


def test_a_starved_box_question_sends_its_chain_to_review():
    story = started([PARK, MAN]).no_box(0).judged((DRAW, BOX))
    starve(story, JUDGE)
    assert (story.state(1), story.chain(1).review, story.asked()) == (ChainState.REVIEW, "starved", [])
    assert story.boxes(BoxState.DISCARDED) == [0] and story.progress.state is ImageState.REVIEW
    assert story.state(0) is ChainState.NON_VISUAL, "box 0 is not of chain 0"


def test_a_starved_link_goes_on_as_a_no_and_its_chains_go_to_review_when_placed():
    story = started([DOG], [DOG], [DOG])
    starve(story, LINK)
    assert story.asked() == [(LINK, [0, 2]), (LINK, [1, 2])]
    story.judged((LINK, "same", ANYBODY, [0, 2]), (LINK, "different", ANYBODY, [1, 2]))
    assert story.chains() == [[0, 2], [1]]
    assert [story.chain(n).review for n in (0, 1)] == ["starved", "starved"]


def test_starving_a_question_that_closed_meanwhile_changes_nothing():
    story = started([MAN])
    number = story.question(DRAW).number
    story.judge(DRAW, BOX)
    story.add(EntryKind.STARVE, {"question": number})
    assert story.asked() == [(JUDGE, [0, 0])]


def test_a_link_is_asked_again_of_others_in_its_own_group():
    story = started([DOG], [DOG], [DOG])
    entry = story.judge(LINK, "same", worker=4)
    assert story.chains() == [[0, 1], [2]]
    story.void(entry)
    assert (story.chains(), story.asked()) == ([[0], [1], [2]], [(LINK, [0, 1])])
    assert story.question(LINK).barred == [4] and story.progress.votes == {}
    story = started([MAN, DOG], [MAN, DOG], [MAN, DOG])
    story.void(story.judge(LINK, "same", worker=4, subject=[1, 3]))
    assert story.asked() == [(LINK, [0, 2]), (LINK, [1, 3])]


def test_a_link_that_is_asked_again_only_later_is_asked_of_others_too(monkeypatch: pytest.MonkeyPatch):
    plans = [GroupPlan((Ask(pair),), ((0,), (1,), (2,))) for pair in ((0, 1), (0, 2), (0, 2), (0, 1))]
    monkeypatch.setattr(adaptive_links, "plan_adaptively", lambda *_, **__: plans.pop(0))
    story = started([MAN], [MAN], [MAN], settings=Settings(strategy=LinkStrategy.ADAPTIVE))
    story.void(story.judge(LINK, "same", worker=4))
    story.judge(LINK, "same", worker=5, subject=[0, 2])
    assert (story.question(LINK).subject, story.question(LINK).barred) == ([0, 1], [4])


REOPENED = "a vote that once sent the chain to drawing, when the tally is open again"


@case("a link of a placed group", ([DOG], [DOG]), [(LINK, "same", 4)], ChainState.VERIFICATION)
@case("the box that was judged good", ([MAN],), [(DRAW, BOX, 4), (JUDGE, "good", 5)], ChainState.COVERAGE)
@case("the box that was judged bad", ([MAN],), [(DRAW, BOX, 4), (JUDGE, "bad", 5)], ChainState.DRAWING)
@case("a drawing that sent the chain on", ([MAN],), [(DRAW, NONE_MISSING, 4)], ChainState.REQUIREMENT)
@case(REOPENED, ([DOG],), [(ASK, 1, 4), (DRAW, NONE_MISSING, 5)], ChainState.REQUIREMENT)
def test_what_something_has_followed_from_stays(captions: Any, judgments: list[Any], state: ChainState):
    story = started(*captions)
    entry, *_ = [story.judge(*judgment) for judgment in judgments]
    before = to_json(story.progress)
    with pytest.raises(CannotVoidError, match=f"Entry {entry}"):
        story.void(entry)
    assert to_json(story.progress) == before and story.state() is state


def test_votes_of_an_open_tally_go_their_voters_stay_barred_and_what_is_left_is_read_at_once():
    story = started([DOG])
    entry = story.judge(ASK, 3, worker=4)
    story.void(entry)
    assert (tallies.requirement(story.chain()), story.question(ASK).barred) == ([], [4])
    entry = story.judge(ASK, 3, worker=5)
    story.judge(ASK, 1, worker=6)
    assert story.state() is ChainState.REQUIREMENT
    story.void(entry)
    assert story.asked() == [(DRAW, [0])]


def test_a_coverage_vote_goes_and_the_visit_is_read_as_if_it_had_not_been():
    story = started([MAN]).draw_accepted()
    entry = story.judge(COVER, "all there", worker=4)
    story.judge(COVER, "more needed", worker=5)
    story.void(entry)
    assert story.state() is ChainState.DRAWING and tallies.judges(story.chain(), {0}) == {4, 5}


def test_votes_of_a_tally_open_again_go_if_nothing_has_followed_and_several_before_anything_is_read():
    story = started([DOG], settings=Settings(no_box_votes=4)).judged((ASK, 1, 4), (DRAW, NONE_MISSING, 5))
    story.void(story.judge(ASK, 3, worker=6))
    assert [vote.worker for vote in tallies.requirement(story.chain())] == [4, 5]
    story = started([DOG])
    story.void(*[story.judge(ASK, 3, worker=4), story.judge(ASK, 1, worker=5)])
    assert (tallies.requirement(story.chain()), story.state()) == ([], ChainState.REQUIREMENT)
    assert story.question(ASK).barred == [4, 5]


def test_several_links_of_a_group_are_taken_back_together_and_all_stay_if_one_cannot_be_voided():
    story = started([DOG], [DOG], [DOG], settings=Settings(strategy=LinkStrategy.EXHAUSTIVE_PLUS))
    for pair, answer in (([0, 1], "same"), ([1, 2], "same"), ([0, 2], "different")):
        story.judge(LINK, answer, worker=1, subject=pair)
    for pair in ([0, 1], [1, 2]):
        story.judge(LINK, "same", worker=2, subject=pair)
    story.void(*[story.judge(LINK, answer, worker, [0, 2]) for worker, answer in ((2, "same"), (3, "different"))])
    assert story.asked() == [(LINK, [0, 2])] and story.question(LINK).barred == [1, 2, 3]
    story = started([DOG, DOG])
    with pytest.raises(CannotVoidError):
        story.void(story.judge(ASK, 3, worker=4, subject=[0]), story.judge(ASK, 1, worker=4, subject=[1]))
    assert len(tallies.requirement(story.chain(0))) == 1


def test_what_is_no_judgment_at_all_cannot_be_voided_and_no_judgment_is_voided_twice():
    story = started([DOG, MAN], settings=Settings(pre_annotations=True))
    entry = story.judge(ASK, 3, worker=4)
    proposed = story.add(EntryKind.PROPOSE, {"worker": 9, "boxes": [[1, 10, 10, 50, 50]]})
    assert story.state(1) is ChainState.QUALITY
    story.void(entry)
    for number in (1, entry, proposed):
        with pytest.raises(CannotVoidError):
            story.void(number)


COUNTERS = {"sequence", "next_question", "next_box", "next_mention"}


def image(progress: ImageProgress) -> dict[str, Any]:
    """Return all of the progress but its counters: numbers are never used again."""
    return {name: value for name, value in to_json(progress).items() if name not in COUNTERS}


@cache
def made_once() -> Story:
    return started([MAN, PARK], [MAN], [MAN]).link((0, 2), (0, 3)).judged((VERIFY, "true")).draw_accepted()


def boxed() -> Story:
    """An image of a man with a box in coverage, a park in requirement, and two men that wait to be linked."""
    return replace(made_once(), record=[*made_once().record])  # a story puts new progress in the place of the old


def three_men() -> Story:
    return started([MAN], [MAN], [MAN])


def badly_drawn() -> Story:
    return boxed().judged((COVER, "more needed"), (DRAW, {"box": [60, 60, 90, 90]}, 3), (JUDGE, "bad", 4))


PARTS = [[[0, 2], [], "no box"], [[3], [[1, 2, 30, 40]], ""]]
ACTS: dict[str, tuple[Callable[[], Story], dict[str, Any]]] = {
    "review": (boxed, {"chain": 0}),
    "send": (boxed, {"chain": 0, "to": "drawing"}),
    "ask others": (boxed, {"chain": 0, "to": "coverage"}),
    "join": (boxed, {"chains": [0, 1]}),
    "split": (boxed, {"chain": 0, "parts": [[0], [2, 3]]}),
    "draw": (boxed, {"chain": 0, "box": [1, 2, 30, 40]}),
    "move box": (boxed, {"box": 0, "to": [1, 2, 30, 40]}),
    "delete box": (boxed, {"box": 0}),
    "accept box": (badly_drawn, {"box": 1}),
    "retype": (boxed, {"mention": 0, "types": ["other"]}),
    "rechunk": (boxed, {"remove": [0], "add": [[4, 1, 5, 6, ["other"], "hat"]]}),
    "take back": (boxed, {"labels": PARTS, "was": [[[0, 2, 3], [], ""]]}),
    "link": (three_men, {"first": 0, "second": 1, "same": False}),
}


def test_after_an_undo_the_image_is_as_before_and_an_undo_of_that_brings_the_act_back() -> None:
    assert {*ACTS, "chunk", "confirm"} == set(ACTIONS), "tests of their own undo these two"
    for action, (make, arguments) in ACTS.items():
        story = make()
        before, entry = image(story.progress), story.expert(action, **arguments)
        after, given = image(story.progress), story.progress.next_question
        assert after != before, action
        undone = story.undo(entry)
        assert image(story.progress) == before, action
        assert story.progress.next_question >= given, f"{action}: no number is given twice"
        assert image(apply_record(story.record)) == before, action
        story.undo(undone)
        assert image(story.progress) == after, action


def test_found_phrases_are_undone_while_linking_has_not_begun() -> None:
    story = imported([MAN])
    story.progress.waiting = True
    story.record[0][0].data["waiting"] = True
    story.undo(story.expert("chunk", add=[[1, 1, 0, 2, ["people"], "a boy"]]))
    assert story.progress.waiting and list(story.progress.mentions) == [0]


def test_an_act_on_one_chain_is_undone_though_workers_have_answered_about_another() -> None:
    story = boxed()
    entry = story.expert("send", chain=0, to="drawing")
    for worker in (7, 8):
        story.judge(ASK, 2, worker, [1])
    assert story.state(1) is ChainState.NON_VISUAL
    story.undo(entry)
    assert (story.state(0), story.state(1)) == (ChainState.COVERAGE, ChainState.NON_VISUAL)


def test_an_act_stays_once_a_worker_has_answered_a_question_that_it_opened() -> None:
    story = boxed()
    entry = story.expert("send", chain=0, to="drawing")
    answer = story.judge(DRAW, {"box": [60, 60, 90, 90]}, worker=3)
    with pytest.raises(CannotUndoError, match=f"A worker has answered since, in entry {answer}") as refused:
        story.undo(entry)
    assert refused.value.entry == answer and str(refused.value).startswith(f"Entry {entry} can no longer be undone")


def test_an_act_stays_until_a_later_act_on_its_chain_is_undone() -> None:
    story = boxed()
    before, first = image(story.progress), story.expert("draw", chain=0, box=[1, 2, 30, 40])
    second = story.expert("send", chain=0, to="complete")
    with pytest.raises(CannotUndoError, match=f"entry {second}, depends on it: undo that one first"):
        story.undo(first)
    story.undo(second)
    story.undo(first)
    assert image(story.progress) == before


def test_an_act_is_undone_once_and_only_acts_are_and_only_with_the_record() -> None:
    story = boxed()
    entry = story.expert("review", chain=0)
    story.undo(entry)
    with pytest.raises(CannotUndoError, match="was undone already"):
        story.undo(entry)
    for number in (0, 1, entry + 9):
        with pytest.raises(CannotUndoError, match="not an act of an expert"):
            story.undo(number)
    with pytest.raises(RecordError, match="needs the whole record"):
        boxed().add(EntryKind.UNDO, {"undo": 1})


def complete_man() -> Story:
    return started([MAN]).complete().merge()


def test_merging_goes_with_the_act_that_completed_the_image_and_comes_back_with_it() -> None:
    story = complete_man()
    merged = image(story.progress)
    story.undo(story.expert("send", chain=0, to="drawing"))
    assert image(story.progress) == merged
    story.expert("draw", chain=0, box=[60, 60, 90, 90])
    waits, entry = image(story.progress), story.expert("send", chain=0, to="complete")
    story.merge()
    both, undo = image(story.progress), story.undo(entry)
    assert image(story.progress) == waits
    story.undo(undo)
    assert image(story.progress) == both


UNDONE_SEND = {("question", 3, "open", "closed"), ("chain", 0, "drawing", "complete"), ("image", 0, "boxing", "merged")}
UNDONE_DRAW = {("box", 1, "accepted", ""), ("chain", 0, "review", "complete"), ("image", 0, "in review", "merged")}
UNDONE_DELETE = {("box", 0, "discarded", "accepted"), *UNDONE_DRAW - {("box", 1, "accepted", "")}}


@row(complete_man, "send", {"chain": 0, "to": "drawing"}, UNDONE_SEND)
@row(complete_man, "draw", {"chain": 0, "box": [60, 60, 90, 90]}, UNDONE_DRAW)
@row(complete_man, "delete box", {"box": 0}, UNDONE_DELETE)
@row(boxed, "draw", {"chain": 1, "box": [60, 60, 90, 90]}, set())
def test_moves_of_an_undo_say_what_moved_back(make: Any, action: str, more: dict[str, Any], moves: set[Any]) -> None:
    story = make()
    story.undo(story.expert(action, **more))
    last = story.record[-1][0].sequence
    found = [move for move in story.progress.moves if move.entry == last]
    assert {move.reason for move in found} == {"undone"}
    assert moves in (set(), {(move.machine.value, move.subject, move.old, move.new) for move in found})


def answered() -> Story:
    return three_men().judged((LINK, "different", 4))


def four_to_link() -> Story:
    return imported([MAN], [DOG], [("people/other", "a being")], [("people/animals", "the centaur")])


SENT = {"action": "send", "chain": 0, "to": "drawing"}
LINKED = {"action": "link", "first": 0, "second": 2, "same": True}
RETYPED = {"action": "retype", "mention": 2, "types": ["animals", "other"]}
BEGAN, GIVEN_UP = "The linking of the image began", "A question that it opened was given up since"


@case("a report", boxed, SENT, lambda story: story.report("mention", 0, None, expert=True), "A report that came since")
@case("a question that was given up", boxed, SENT, lambda story: starve(story, DRAW, [0]), GIVEN_UP)
@case("a voided answer", answered, LINKED, lambda story: story.void(2), "Answers were voided since")
@case("the beginning of linking, by what it asks", four_to_link, RETYPED, Story.start, BEGAN)
def test_an_act_stays_on_which_something_depends(make: Any, act: dict[str, Any], then: Any, why: str) -> None:
    story = make()
    entry = story.expert(**act)
    then(story)
    with pytest.raises(CannotUndoError, match=f"{why}.*entry {entry + 1}"):
        story.undo(entry)


MAN_BOX, DOG_BOX = [[0, 2], [LEFT], ""], [[1], [RIGHT], ""]
SCENE = [[1], [], "scene"]


def merged() -> Story:
    """A finished image in which nothing has changed."""
    captions = [("people", "a man")], [("animals", "a dog")], [("people", "the man")]
    return checking(*captions, chains=[[0, 2], [1]], boxes=[[0, *LEFT], [2, *LEFT], [1, *RIGHT]]).merge()


def same(story: Story, other: Any) -> bool:
    return {**to_json(story.progress), "sequence": 0} == {**other, "sequence": 0}


def test_a_confirmation_is_kept_and_changes_nothing():
    story = merged()
    before, entry = to_json(story.progress), story.expert(CONFIRM, labels=[MAN_BOX, DOG_BOX])
    assert same(story, before)
    story.undo(entry)
    assert same(story, before)


@pytest.mark.parametrize(
    "changed", [[[[0, 1, 2], [LEFT, RIGHT], ""]], [[[0], [LEFT], ""], [[1, 2], [RIGHT], ""]], [MAN_BOX, SCENE]]
)
def test_labels_are_taken_back_in_one_act_and_that_is_undone_in_one(changed: list[Any]):
    story = merged()
    forth = story.expert(TAKE_BACK, labels=changed, was=[MAN_BOX, DOG_BOX])
    assert label_rows(labels_now(story.progress)) == changed
    story.merge()
    after = to_json(story.progress)
    story.expert(TAKE_BACK, labels=[MAN_BOX, DOG_BOX], was=changed)
    assert label_rows(labels_now(story.progress)) == [MAN_BOX, DOG_BOX]
    assert {chain.state for chain in story.progress.chains.values()} == {ChainState.COMPLETE}
    assert to_json(apply_record(story.record)) == to_json(story.progress)
    assert story.progress.state is not ImageState.MERGED
    story.undo(story.record[-1][0].sequence)
    assert label_rows(labels_now(story.progress)) == changed
    again = to_json(story.progress)
    assert (again["state"], again["merged"]) == (after["state"], after["merged"])
    assert forth


def test_boxes_that_stay_and_boxes_that_come_back_are_no_new_ones():
    story = merged()
    before = {number: box.accepted for number, box in story.progress.boxes.items()}
    story.expert(TAKE_BACK, labels=[DOG_BOX, [[0, 2], [LEFT, RIGHT], ""]], was=[MAN_BOX, DOG_BOX])
    added = max(story.progress.boxes)
    assert {number: story.progress.boxes[number].accepted for number in before} == before
    for boxes in ([LEFT], [LEFT, RIGHT]):
        story.expert(TAKE_BACK, labels=[[[0, 2], boxes, ""]], was=[MAN_BOX])
    assert max(story.progress.boxes) == added


@row(1, "no box")
@row(3, "scene")
def test_a_phrase_that_gets_no_box_and_no_reason_is_a_scene_by_its_type(phrase: int, kind: str):
    rows = [[0, *LEFT], [1, *RIGHT], [2, *LEFT], [3, *RIGHT]]
    captions = [("people", "a man")], [("animals", "a dog")], [("people", "the man")], [("scene", "a park")]
    story = checking(*captions, chains=[[0, 2], [1], [3]], boxes=rows)
    story.expert(TAKE_BACK, labels=[[[phrase], [], ""]], was=[[[phrase], [RIGHT], ""]])
    assert story.chain(phrase).non_visual == kind


@row([[[1], [RIGHT], ""], [[9], [RIGHT], ""], [[8], [RIGHT], ""]], "no mention 8")
@row([MAN_BOX, [[1], [RIGHT], "why"]], "the reason why")
@row([MAN_BOX, [[], [RIGHT], ""]], "have phrases")
@row([[[1], [[-5, 0, 9, 9]], ""]], "have phrases")
def test_labels_that_do_not_fit_are_not_confirmed_but_one_may_be_one_pixel(labels: list[Any], why: str):
    assert merged().expert(CONFIRM, labels=[[[1], [[0, 0, 1, 1]], ""]])
    with pytest.raises(ExpertError, match=why):
        merged().expert(CONFIRM, labels=labels)


@row([MAN_BOX], [MAN_BOX, DOG_BOX], "same phrases")
@row([[[0], [LEFT], ""]], [[[0], [LEFT], ""]], "in these chains, too")
@row([[[9], [LEFT], ""]], [[[9], [], ""]], "no mention 9")
@row([[[1], [[5, 5, 5, 9]], ""]], [DOG_BOX], "the reason why")
@row([[[1], [RIGHT], "scene"]], [DOG_BOX], "the reason why")
@row([MAN_BOX, [[0, 1], [], "scene"]], [MAN_BOX, DOG_BOX], "each in one label")
@row([[1]], [DOG_BOX], "rows of")
def test_labels_that_do_not_fit_are_refused(labels: list[Any], was: list[Any], why: str):
    story = merged()
    with pytest.raises(ExpertError, match=why):
        story.expert(TAKE_BACK, labels=labels, was=was)
