"""An expert's actions, and what each refuses.
An expert sends any chain to review, and asks others than those who have answered.
An expert's changes of mentions, types and spans, and their effect on links and chains.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from annotation.rules.box import Box
from annotation.rules.states import BoxState, ChainState, ImageState
from pipeline.protocol.boxes import tallies
from pipeline.protocol.image.expert import ACTIONS, DESTINATIONS, ExpertError
from pipeline.protocol.image.machine import EntryKind, RecordEntry, begin
from pipeline.protocol.image.merging import sources_of_pairs
from pipeline.protocol.state.progress import Cause, LinkSource, StateMachine
from pipeline.settings.of_belief import LinkStrategy
from pipeline.settings.settings import Settings
from tests.support.images import ANYBODY, BOX, DOG, MAN, NONE_MISSING, PARK, Story, imported, started
from tests.support.table import row
from tests.support.tasks import ASK, COVER, DRAW, JUDGE, LINK, VERIFY

S = ChainState
GUY = ("people", "a guy")


@cache
def made_once() -> Story:
    return started([DOG, MAN], [("animals", "the dog")]).link((0, 2)).judged((VERIFY, "true"))


def two_dogs() -> Story:
    """One chain of two dogs, and a man; all three in a task."""
    return replace(made_once(), record=[*made_once().record])  # a story puts new progress in the place of the old


def refusal(story: Story, action: Any, **arguments: Any) -> str:
    """Return why the expert's action is refused, or nothing if it is not."""
    try:
        story.expert(action, **arguments)
    except ExpertError as error:
        return str(error) or "refused without a word"
    return ""


@row("verification", {}, S.VERIFICATION, [VERIFY])
@row("requirement", {}, S.REQUIREMENT, [ASK])
@row("drawing", {}, S.DRAWING, [DRAW])
@row("non-visual", {"kind": "scene"}, S.NON_VISUAL, [])
def test_a_chain_without_a_box_is_sent_on(to: str, arguments: dict[str, str], state: S, tasks: list[Any]):
    story = two_dogs().by_expert("send", chain=0, to=to, **arguments)
    assert story.state() is state
    assert [asked for asked, subject in story.asked() if subject == [0]] == tasks
    assert story.chain().non_visual == arguments.get("kind", "")


@row("coverage", S.COVERAGE)
@row("complete", S.COMPLETE)
@row("drawing", S.DRAWING)
def test_a_chain_with_a_box_is_sent_on(to: str, state: S):
    story = two_dogs().by_expert("draw", chain=0, box=[1, 2, 3, 4])
    assert story.state() is S.REVIEW and story.by_expert("send", chain=0, to=to).state() is state


def test_tallies_start_anew_when_a_chain_is_sent_on_and_judges_of_earlier_visits_may_judge_again():
    story = started([MAN]).judged((DRAW, NONE_MISSING, 3), (ASK, 1, 4), (ASK, 1, 5))
    assert tallies.fruitless(story.chain(), ()) == 1
    story.expert("send", chain=0, to="requirement")
    assert (story.chain().answers, story.question(ASK).barred) == ([], [])
    story = boxed().judged((COVER, "more needed", 3)).by_expert("send", chain=0, to="coverage")
    assert story.question(COVER).barred == []


def linking() -> Story:
    return started([DOG], [DOG])


def not_begun() -> Story:
    return imported([DOG], [DOG])


def boxed() -> Story:
    return started([MAN]).draw_accepted()


def completed() -> Story:
    return started([MAN]).complete()


@row(two_dogs, "send", {"chain": 9, "to": "drawing"}, "no chain 9")
@row(two_dogs, "send", {"chain": 1, "to": "verification"}, "nothing to verify")
@row(two_dogs, "send", {"chain": 1, "to": "quality"}, "cannot be sent to 'quality'")
@row(two_dogs, "send", {"chain": 1, "to": "the moon"}, "cannot be sent to 'the moon'")
@row(two_dogs, "send", {"chain": 1, "to": "complete"}, "no accepted box")
@row(two_dogs, "send", {"chain": 1, "to": "coverage"}, "no accepted box")
@row(two_dogs, "send", {"chain": 1, "to": "non-visual"}, "one of scene, no box")
@row(two_dogs, "send", {"chain": 1, "to": "non-visual", "kind": "invisible"}, "one of scene, no box")
@row(two_dogs, "link", {"first": 0, "second": 2, "same": False}, "join or split")
@row(linking, "send", {"chain": 0, "to": "drawing"}, "still linking")
@row(linking, "join", {"chains": [0, 1]}, "still linking")
@row(linking, "split", {"chain": 0, "parts": [[0], [1]]}, "still linking")
@row(linking, "draw", {"chain": 0, "box": [1, 2, 3, 4]}, "still linking")
@row(not_begun, "join", {"chains": [0, 1]}, "not begun")
@row(not_begun, "draw", {"chain": 0, "box": [0, 0, 5, 5]}, "not begun")
@row(not_begun, "link", {"first": 0, "second": 1, "same": True}, "not begun")
@row(not_begun, "send", {"chain": 0, "to": "drawing"}, "not begun")
@row(two_dogs, "dance", {}, "")
@row(two_dogs, None, {}, "")
@row(two_dogs, "send", {}, "")
@row(two_dogs, "send", {"chain": 0, "to": "drawing", "colour": "red"}, "")
@row(two_dogs, "draw", {"chain": 0}, "")
@row(completed, "ask others", {"chain": 0, "to": "complete"}, "choose a task")
@row(completed, "ask others", {"chain": 0, "to": "non-visual"}, "choose a task")
@row(completed, "ask others", {"chain": 0, "to": "the moon"}, "cannot be sent")
@row(boxed, "move box", {"box": 0, "to": [10, 10, 50, 50]}, "lies there already")
@row(boxed, "move box", {"box": 0, "to": [5, 5, 5, 9]}, "A box is")
@row(boxed, "move box", {"box": 0, "to": [1, 2, 3]}, "A box is")
@row(boxed, "move box", {"box": 0, "to": "there"}, "A box is")
@row(lambda: boxed().by_expert("delete box", box=0), "move box", {"box": 0, "to": [1, 2, 30, 40]}, "no box 0 to move")
@row(boxed, "accept box", {"box": 0}, "was discarded or waits")
@row(boxed, "accept box", {"box": 5}, "was discarded or waits")
def test_the_impossible_is_refused(story: Callable[[], Story], action: Any, arguments: dict[str, Any], complaint: str):
    refused = refusal(story(), action, **arguments)
    assert refused and complaint in refused


def test_a_chain_with_boxes_is_neither_non_visual_nor_asked_whether_it_has_any_but_drawn_once_verified():
    for to in ("non-visual", "requirement"):
        story = two_dogs().by_expert("draw", chain=0, box=[1, 2, 3, 4])
        assert re.search(r"1 accepted box.* delete", refusal(story, "send", chain=0, to=to, kind="scene")), to
    story = two_dogs().by_expert("draw", chain=0, box=[1, 2, 3, 4]).by_expert("send", chain=0, to="verification")
    assert story.judged((VERIFY, "true")).state() is S.DRAWING
    story = started([DOG], [("animals", "a puppy")]).link((0, 1)).by_expert("draw", chain=0, box=[1, 2, 3, 4])
    story.by_expert("send", chain=0, to="verification").judged((VERIFY, "false"))
    assert [story.state(n) for n in (0, 1)] == [S.DRAWING, S.REQUIREMENT]


def test_every_destination_is_a_state_at_work_or_at_rest_and_every_action_is_named_when_one_is_not_there():
    assert set(DESTINATIONS) == set(S) - {S.LINKING, S.QUALITY, S.REVIEW}
    named = refusal(two_dogs(), "dance")
    assert all(name in named for name in ACTIONS)
    with pytest.raises(ExpertError):
        two_dogs().add(EntryKind.EXPERT, {})


def test_a_link_set_while_linking_is_never_asked():
    story = started([DOG], [DOG], [DOG]).by_expert("link", first=1, second=0, same=True)
    assert story.asked() == [(LINK, [0, 2])]
    story.judge(LINK, "different")
    assert sources_of_pairs(story.progress)[0, 1] is LinkSource.EXPERT
    assert story.chains() == [[0, 1], [2]]
    assert started([DOG], [DOG]).by_expert("link", first=0, second=1, same=True).chains() == [[0, 1]]


def test_a_link_is_of_two_mentions_of_one_group_that_is_linking():
    for first, second in [(0, 0), (0, 9), (0, 1)]:
        story = started([DOG, MAN], [DOG, GUY])
        assert refusal(story, "link", first=first, second=second, same=True), f"{first} and {second}"


def test_joined_chains_are_one_that_waits_with_all_boxes():
    story = started([MAN], [GUY], [PARK]).link()
    for chain in (0, 1):
        story.draw_accepted(chain=chain, box={"box": [chain, 0, 9, 9]})
    story.expert("join", chains=[1, 0])
    assert story.chains() == [[0, 1], [2]]
    assert (story.state(0), story.chain(0).review) == (S.REVIEW, Cause.EXPERT)
    assert [box.box for box in story.progress.accepted(0)] == [Box(0, 0, 9, 9), Box(1, 0, 9, 9)]
    assert story.asked() == [(ASK, [2])]
    assert sources_of_pairs(story.progress)[0, 1] is LinkSource.EXPERT


def test_a_non_visual_chain_can_be_joined_and_joining_needs_two_chains_that_are_there():
    story = started([PARK, DOG]).no_box(0).by_expert("join", chains=[0, 1])
    assert (story.chain(0).non_visual, story.state(0)) == ("", S.REVIEW)
    for chains in [[], [0], [0, 0], [0, 7]]:
        assert refusal(two_dogs(), "join", chains=chains), chains
    assert two_dogs().by_expert("join", chains=[0, 1, 1, 0]).chains() == [[0, 1, 2]]


def test_the_expert_is_the_source_of_every_link_between_joined_chains_and_of_no_other():
    story = two_dogs().by_expert("join", chains=[1, 0])
    assert {pair for pair, source in story.progress.sources.items() if source is LinkSource.EXPERT} == {(0, 1), (1, 2)}
    assert all(first < second for first, second in story.progress.sources)


def test_parts_of_a_split_chain_wait_and_the_boxes_stay_with_the_first():
    story = started([DOG], [DOG], [DOG]).link((0, 1), (0, 2), (1, 2)).by_expert("draw", chain=0, box=[1, 2, 3, 4])
    story.expert("split", chain=0, parts=[[2], [1, 0]])
    assert story.chains() == [[0, 1], [2]]
    assert [story.state(n) for n in (0, 2)] == [S.REVIEW, S.REVIEW]
    assert (len(story.progress.accepted(0)), len(story.progress.accepted(2))) == (1, 0)
    sources = sources_of_pairs(story.progress)
    assert (sources[0, 2], sources[0, 1]) == (LinkSource.EXPERT, LinkSource.ASKED_YES)


def test_the_parts_must_share_out_the_mentions():
    for parts in [[], [[0, 2]], [[0], []], [[0]], [[0], [2], [2]], [[0], [1]], [[0], [2], []]]:
        assert "exactly one of" in refusal(two_dogs(), "split", chain=0, parts=parts), parts


def test_a_drawn_box_of_four_whole_numbers_around_a_pixel_at_least_is_accepted_and_the_chain_waits():
    story = two_dogs()
    entry = story.expert("draw", chain=0, box=[1, 2, 3, 4])
    (box,) = story.progress.accepted(0)
    assert (box.box, box.worker, box.accepted, story.state()) == (Box(1, 2, 3, 4), None, entry, S.REVIEW)
    assert two_dogs().by_expert("draw", chain=0, box=[0, 0, 1, 1]).boxes(BoxState.ACCEPTED) == [0]
    empty, outside = ([1, 1, 1, 5], [5, 5, 1, 9], [1, 5, 9, 5]), ([-1, 0, 5, 5], [0, -1, 5, 5])
    for wrong in (*empty, *outside, [1, 2, 3], [1, 2, 3, "4"], [0, 0, 1.5, 2]):
        assert "box" in refusal(two_dogs(), "draw", chain=0, box=wrong), wrong


def test_a_box_that_is_being_judged_or_was_accepted_is_deleted_once_and_kept_as_discarded():
    story = started([MAN]).judged((DRAW, BOX)).by_expert("delete box", box=0)
    assert (story.boxes(BoxState.DISCARDED), story.asked(), story.state()) == ([0], [], S.REVIEW)
    story = two_dogs().by_expert("draw", chain=0, box=[1, 2, 3, 4]).by_expert("delete box", box=0)
    assert (story.boxes(BoxState.DISCARDED), story.state()) == ([0], S.REVIEW)
    with pytest.raises(ExpertError, match="no box 0"):
        story.expert("delete box", box=0)


def test_phrases_are_changed_before_linking_begins_and_are_then_linked_like_all_others():
    story = imported([DOG], [DOG]).by_expert("retype", mention=1, types=["people"])
    story.expert("rechunk", remove=[0], add=[[2, 0, 0, 1, ["people"], "somebody"]])
    assert {number: one.types for number, one in story.progress.mentions.items()} == {1: ["people"], 2: ["people"]}
    assert not story.progress.started and not story.progress.chains


def test_an_image_in_review_is_at_rest_until_its_last_chain_is_sent_on():
    story = started([DOG]).by_expert("draw", chain=0, box=[1, 2, 3, 4])
    assert story.progress.state is ImageState.REVIEW
    story.expert("send", chain=0, to="complete")
    assert story.progress.state is ImageState.BOXING


def test_any_settled_chain_is_sent_to_review_once_and_one_that_is_being_linked_when_it_is_placed() -> None:
    story = started([MAN]).complete().by_expert("review", chain=0)
    assert (story.state(), story.chain().review) == (ChainState.REVIEW, "changed by an expert")
    with pytest.raises(ExpertError, match="waits in review already"):
        story.expert("review", chain=0)
    story = started([MAN], [MAN]).by_expert("review", chain=0)
    assert story.state() is ChainState.LINKING
    story.link((0, 1))
    assert story.state() is ChainState.REVIEW


def test_others_are_asked_and_none_of_those_who_drew_or_voted_for_this_chain() -> None:
    story = started([MAN]).draw_accepted(worker=1, judge=2)
    story.judged((COVER, "more needed", 7)).by_expert("ask others", chain=0, to="coverage")
    assert story.question(COVER).barred == [1, 7] and tallies.visit(story.chain()) == []
    assert [answer.worker for answer in story.chain().answers if answer.counts] == [None, None], "an expert's word"
    story = started([MAN, GUY]).complete(0).judged((DRAW, BOX, 3, [1]))
    assert story.by_expert("ask others", chain=0, to="coverage").question(COVER).barred == [1, 7, 8]
    story = started([PARK]).judged((ASK, 3, 5)).by_expert("ask others", chain=0, to="requirement")
    assert story.question(ASK).barred == [5] and tallies.requirement(story.chain()) == []


def test_a_moved_box_is_a_new_one_whether_a_worker_judges_it_or_not_and_the_old_one_is_kept_as_discarded() -> None:
    story = boxed().by_expert("move box", box=0, to=[1, 2, 30, 40])
    assert story.progress.boxes[0].state is BoxState.DISCARDED
    assert [box.box for box in story.progress.accepted(0)] == [Box(1, 2, 30, 40)]
    assert story.progress.boxes[1].worker is None, "nobody is paid or scored for it"
    assert story.state() is ChainState.REVIEW
    story = started([MAN]).judged((DRAW, BOX)).by_expert("move box", box=0, to=[1, 2, 30, 40])
    assert (story.boxes(BoxState.ACCEPTED), story.boxes(BoxState.DISCARDED), story.asked()) == ([1], [0], [])


def test_a_box_judged_bad_counts_once_an_expert_accepts_it_unless_its_chain_is_gone() -> None:
    story = started([MAN]).judged((DRAW, BOX), (JUDGE, "bad"))
    entry = story.expert("accept box", box=0)
    assert story.boxes(BoxState.ACCEPTED) == [0] and story.progress.boxes[0].accepted == entry
    assert story.state() is ChainState.REVIEW
    story.expert("send", chain=0, to="complete")
    gone = started([MAN]).judged((DRAW, BOX)).by_expert("rechunk", remove=[0], add=[])
    assert "chain of box 0 is gone" in refusal(gone, "accept box", box=0)


def test_retyping_a_mention_that_is_linking_plans_its_links_anew_and_can_part_a_chain_or_bring_groups_together():
    assert [task for task, _ in started([DOG], [PARK]).asked()] == [ASK] * 2
    story = started([DOG], [("animals", "the cat")], [DOG]).by_expert("retype", mention=1, types=["people"])
    assert story.asked() == [(LINK, [0, 2]), (DRAW, [1])]
    story = started([DOG], [("animals", "the cat")], [DOG]).judged((LINK, "same", ANYBODY, [0, 1]))
    assert story.chains() == [[0, 1], [2]]
    story.expert("retype", mention=1, types=["people"])
    assert story.chains() == [[0], [1], [2]] and story.asked() == [(LINK, [0, 2]), (DRAW, [1])]
    story = started([DOG, MAN], [DOG, GUY]).by_expert("retype", mention=0, types=["animals", "people"])
    assert story.asked() == [(LINK, [0, 2])]


def test_retyping_a_placed_mention_changes_where_its_chain_goes_and_takes_some_of_the_eight_types():
    story = started([("animals", "a centaur")], [("animals", "the centaur")]).link((0, 1))
    assert story.by_expert("retype", mention=1, types=["people"]).judged((VERIFY, "true")).state() is S.DRAWING
    for types in ([], ["ghosts"], ["people", "ghosts"], ["people", "people"], "people"):
        assert "Types must be" in refusal(two_dogs(), "retype", mention=0, types=types), types


def test_a_new_mention_is_a_chain_of_its_own_that_waits_and_may_stand_right_between_two_others():
    for new in ([7, 1, 5, 7, ["scene"], "the park"], [7, 0, 2, 3, ["other"], "and"]):
        story = two_dogs().by_expert("rechunk", remove=[], add=[new])
        assert (story.state(7), story.chain(7).mentions) == (S.REVIEW, [7])


LINK_BEYOND = Settings(strategy=LinkStrategy.ADAPTIVE, beyond_rules=True)


def test_a_mention_that_becomes_a_pronoun_may_be_what_its_caption_names_where_the_rules_are_not_law():
    story = started([("animals", "a dog"), ("other", "it")], settings=LINK_BEYOND)
    story.expert("rechunk", remove=[], add=[[2, 0, 5, 6, ["pronoun"], "it"], [3, 0, 9, 10, ["other"], "a hat"]])
    assert [one.by_sentence for one in story.progress.mentions.values()] == [False, False, True, False]
    story.expert("retype", mention=1, types=["pronoun"])
    assert [one.by_sentence for one in story.progress.mentions.values()] == [False, True, True, False]


def moves(story: Story) -> set[tuple[int, str, str, str]]:
    """Return the moves of chains that the last entry made."""
    chains = (move for move in story.progress.moves if move.machine is StateMachine.CHAIN)
    return {(move.subject, move.old, move.new, move.reason) for move in chains}


EXPERT = "changed by an expert"


@row("join", {"chains": [0, 1]}, (1, "review", "", "joined to chain 0"))
@row("rechunk", {"remove": [], "add": [[7, 1, 5, 7, ["scene"], "the park"]]}, (7, "", "review", EXPERT))
@row("rechunk", {"remove": [1], "add": []}, (1, "review", "", EXPERT))
@row("rechunk", {"remove": [0], "add": []}, (0, "review", "", "now chain 2"))
@row("rechunk", {"remove": [0], "add": []}, (2, "", "review", "was chain 0"))
def test_chains_that_come_and_go_are_noted(action: str, arguments: dict[str, Any], move: tuple[int, str, str, str]):
    assert move in moves(two_dogs().by_expert(action, **arguments))


def test_phrases_of_an_image_that_came_annotated_are_chains_that_are_complete():
    for chains, state in (({}, None), ({"chains": [], "boxes": []}, S.COMPLETE)):
        story = Story(begin(RecordEntry(0, EntryKind.IMPORT, {"mentions": [], "waiting": True, **chains})))
        story.expert("chunk", add=[[0, 0, 0, 2, ["people"], "a man"]])
        assert {chain.state for chain in story.progress.chains.values()} == {state} - {None}
        assert moves(story) == ({(0, "", "complete", EXPERT)} if state else set())


def test_a_chain_that_loses_its_first_mention_is_named_by_the_next_and_its_representative_chosen_anew():
    story = two_dogs().by_expert("draw", chain=0, box=[1, 2, 3, 4])
    story.expert("rechunk", remove=[0], add=[[7, 0, 0, 1, ["animals"], "a"]])
    assert {name: chain.mentions for name, chain in story.progress.chains.items()} == {1: [1], 2: [2], 7: [7]}
    assert (story.state(2), len(story.progress.accepted(2))) == (S.REVIEW, 1)
    story = started([DOG], [("animals", "a brown dog")]).link((0, 1)).judged((VERIFY, "true"))
    assert story.chain().representative == 1
    story.by_expert("rechunk", remove=[1], add=[]).by_expert("send", chain=0, to="non-visual", kind="no box")
    assert story.chain().representative in (-1, 0)


def test_a_chain_that_loses_all_its_mentions_goes_with_its_boxes():
    story = started([MAN, DOG]).draw_accepted().by_expert("rechunk", remove=[0], add=[])
    assert (list(story.progress.chains), story.boxes(BoxState.DISCARDED)) == ([1], [0])
    story = started([MAN, GUY]).complete(0).complete(1).by_expert("rechunk", remove=[0], add=[])
    assert (story.boxes(BoxState.DISCARDED), story.boxes(BoxState.ACCEPTED)) == ([0], [1]), "of no other chain"
    story = started([MAN, DOG]).draw_accepted().by_expert("rechunk", remove=[0], add=[])
    assert story.asked() == [(ASK, [1])]


def test_a_mention_that_goes_while_linking_takes_its_links_with_it_and_may_part_a_group():
    story = started([DOG], [DOG], [DOG]).judged((LINK, "same", 1, [0, 1])).by_expert("rechunk", remove=[0], add=[])
    assert (story.chains(), story.asked()) == ([[1], [2]], [(LINK, [1, 2])])
    story = started([DOG], [("animals/people", "the centaur")], [MAN]).by_expert("rechunk", remove=[1], add=[])
    assert story.asked() == [(ASK, [0]), (DRAW, [2])]


def test_what_nobody_could_answer_about_a_mention_goes_with_it_and_other_groups_keep_their_questions():
    story = started([DOG, MAN], [DOG, GUY], [DOG])
    story.add(EntryKind.STARVE, {"question": story.question(LINK, [0, 2]).number})
    assert (story.progress.skipped, sorted(story.progress.review_when_placed)) == ([(0, 2)], [0, 2])
    kept = story.question(LINK, [1, 3])
    story.expert("rechunk", remove=[2], add=[])
    assert (story.progress.skipped, sorted(story.progress.review_when_placed)) == ([], [0])
    assert story.question(LINK, [1, 3]) == kept


@row([0, 5, 0, 2, ["animals"], "a dog"])  # the number is taken
@row([9, 0, 1, 3, ["animals"], "dog a"])  # overlaps
@row([9, 5, 2, 2, ["animals"], ""])
@row([9, 5, -1, 2, ["animals"], "a dog"])
@row([9, 5, 0, 2, ["ghosts"], "a ghost"])
@row([9, 5, 0, 2, [], "a dog"])
@row([9, 5, 0, 2, ["animals", "animals"], "a dog"])
@row([9, 5, 0, 2, ["animals"]])
@row([9, 5, 0, 2, ["animals"], "a dog", "", "", "", ""])
@row(["x", 5, 0, 2, ["animals"], "a dog"])
@row([-1, 5, 0, 2, ["animals"], "a dog"])
@row("a dog")
def test_a_new_mention_must_be_a_free_span_with_types_and_a_number_of_its_own(added: object):
    assert refusal(two_dogs(), "rechunk", remove=[], add=[added])


def test_a_removed_mention_can_come_back_as_other_words_of_a_number_that_was_never_given():
    for remove in ([9], [0, 0]):
        assert "no mention" in refusal(two_dogs(), "rechunk", remove=remove, add=[]), remove
    story = two_dogs().by_expert("rechunk", remove=[1], add=[[3, 0, 3, 6, ["people"], "a man and"]])
    assert (DRAW, [3]) in story.by_expert("send", chain=3, to="drawing").asked()
    story = two_dogs().by_expert("rechunk", remove=[1], add=[[3, 0, 4, 6, ["people"], "a guy"]])
    story.expert("rechunk", remove=[3], add=[])
    for number in (1, 3):
        with pytest.raises(ExpertError, match=f"number {number} was given before: the next one is 4"):
            story.expert("rechunk", remove=[], add=[[number, 0, 8, 9, ["people"], "he"]])
