"""Link questions of an image, kept in step with the plan."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from annotation.rules.states import ChainState, ImageState
from pipeline.rules.entries.image_machine import EntryKind
from pipeline.rules.image import plan_group
from pipeline.rules.image.chain_steps import Act
from pipeline.rules.image.linking import linking_groups
from pipeline.rules.image.merging import final_chance, link_sources
from pipeline.rules.linking.link_plan import LinkPlan, LinkSource
from pipeline.rules.linking.link_strategy import QUESTIONS, Strategy
from pipeline.rules.linking.prior.link_prior import DEFAULT
from pipeline.rules.progress.progress import Vote
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import Task
from tests.support.images import DOG, MAN, PARK, Story, started

L = Task.COREFERENCE_LINK
EXHAUSTIVE = ProtocolSettings(strategy=Strategy.EXHAUSTIVE)
EXHAUSTIVE_PLUS = ProtocolSettings(strategy=Strategy.EXHAUSTIVE_PLUS)


def three(settings: ProtocolSettings) -> Story:
    return started([MAN], [("people", "the man")], [("people", "that man")], settings=settings)


def test_groups_go_in_parallel_and_a_mention_alone_goes_on_at_once():
    story = started([MAN, DOG, PARK], [("people", "the man"), ("animals", "it all")])
    assert story.asked() == [(L, [0, 3]), (L, [1, 4]), (Task.BOX_REQUIREMENT, [2])]
    story.judge(L, "different", subject=[1, 4])
    assert story.asked() == [(L, [0, 3]), *((Task.BOX_REQUIREMENT, [name]) for name in (2, 1, 4))]
    assert story.progress.state is ImageState.LINKING


def test_a_group_reaches_through_mentions_of_several_types():
    story = started([MAN], [("people/other", "a figure")], [("other", "a statue")], settings=EXHAUSTIVE)
    assert story.asked() == [(L, [0, 1]), (L, [1, 2])]


def test_chains_are_what_yes_links_connect_before_the_group_is_placed_too():
    story = three(EXHAUSTIVE)
    story.judge(L, "same", subject=[1, 2])
    assert {name: chain.mentions for name, chain in story.progress.chains.items()} == {0: [0], 1: [1, 2]}
    story.judge(L, "same", subject=[0, 1])
    assert story.chains() == [[0, 1, 2]]
    assert story.state() is ChainState.LINKING, "0 and 2 are still to be compared"


def test_a_contradiction_is_asked_again_of_other_workers():
    story = three(EXHAUSTIVE_PLUS)
    for pair, answer in (([0, 1], "same"), ([1, 2], "same"), ([0, 2], "different")):
        story.judge(L, answer, worker=sum(pair), subject=pair)
    assert sorted(story.asked()) == [(L, [0, 1]), (L, [0, 2]), (L, [1, 2])]
    assert [story.question(L, [a, b]).barred for a, b in ((0, 1), (1, 2), (0, 2))] == [[1], [3], [2]]


def test_a_round_that_is_not_decided_stays_the_same_question():
    story = three(EXHAUSTIVE_PLUS)
    for pair, answer in (([0, 1], "same"), ([1, 2], "same"), ([0, 2], "different")):
        story.judge(L, answer, worker=1, subject=pair)
    number = story.question(L, [0, 2]).number
    story.judge(L, "same", worker=2, subject=[0, 2])
    assert (story.question(L, [0, 2]).number, story.question(L, [0, 2]).barred) == (number, [1, 2])


def test_a_link_without_consensus_sends_its_chains_to_review():
    story = three(ProtocolSettings(strategy=Strategy.EXHAUSTIVE_PLUS, consensus_lead=2, consensus_most=2))
    for pair, answer in (([0, 1], "same"), ([1, 2], "same"), ([0, 2], "different")):
        story.judge(L, answer, worker=1, subject=pair)
    for pair, answer in (([0, 1], "same"), ([1, 2], "same"), ([0, 2], "same")):
        story.judge(L, answer, worker=2, subject=pair)
    assert (story.state(), story.chain().review) == (ChainState.REVIEW, "a link left without consensus")
    assert story.chains() == [[0, 1, 2]]
    assert story.progress.state is ImageState.REVIEW


def test_an_overruled_link_marks_its_chains_and_keeps_them_going():
    story = three(EXHAUSTIVE_PLUS)
    for pair, answer in (([0, 1], "same"), ([1, 2], "same"), ([0, 2], "different")):
        story.judge(L, answer, worker=1, subject=pair)
    for link, answers in (((0, 1), ["same"]), ((0, 2), ["different"]), ((1, 2), ["different", "same", "same", "same"])):
        for worker, answer in enumerate(answers, 2):
            if (L, list(link)) in story.asked():
                story.judge(L, answer, worker=worker, subject=list(link))
    assert story.chains() == [[0, 1], [2]]
    assert story.progress.sources[1, 2] is LinkSource.OVERRULED
    assert [story.chain(n).doubted for n in (0, 2)] == ["a link was overruled"] * 2
    assert story.state(0) is ChainState.VERIFICATION
    assert story.state(2) is ChainState.DRAWING


def test_placed_mentions_are_out():
    story = started([MAN, DOG], [("people", "the man"), DOG])
    story.judge(L, "same", subject=[0, 2])
    groups = linking_groups(Act(story.progress, ProtocolSettings(), 0))
    assert [[m.number for m in group] for group in groups] == [[1, 3]]


def test_reading_order_is_by_caption_and_word_whatever_the_numbers():
    story = started([MAN], [MAN])
    story.progress.mentions[0].caption, story.progress.mentions[1].caption = 1, 0
    assert story.progress.reading_order([0, 1]) == [1, 0]


# --- Changed settings ---


def test_a_kept_link_that_nobody_may_answer_is_given_up_without_review() -> None:
    story = three(EXHAUSTIVE)
    story.settings = ProtocolSettings(strategy=Strategy.GREEDY)
    first, _, third = (q.number for q in story.progress.open.values())
    story.add(EntryKind.JUDGMENT, {"question": first, "worker": 1, "answer": "same", "out": [first, third]})
    assert list(story.progress.open) == [third]
    story.add(EntryKind.STARVE, {"question": third})
    assert third not in story.progress.open and story.asked() == [(Task.COREFERENCE_LINK, [0, 2])]
    assert not story.progress.skipped and not story.progress.flagged


def test_a_kept_link_that_an_expert_sets_is_closed() -> None:
    story = three(EXHAUSTIVE)
    story.settings = ProtocolSettings(strategy=Strategy.GREEDY)
    numbers = [q.number for q in story.progress.open.values()]
    story.add(EntryKind.EXPERT, {"action": "link", "first": 0, "second": 1, "same": True, "out": numbers})
    assert [pair for _, pair in story.asked()] == [[0, 2], [1, 2]]


# --- The adaptive strategy ---

KEEPS = {"": [1.0, 1.0], "people": [0.75, 0.5]}
PRIOR = DEFAULT.to_json() | {"keeps_rules": KEEPS}
ADAPTIVE = ProtocolSettings(strategy=Strategy.ADAPTIVE, link_prior=PRIOR)
"""A quarter of the chains of people are parts of one that breaks a rule of links; half, if they share a head."""


def placed_adaptively(
    *chains: tuple[int, ...], sure: float = 0.75, doubted: frozenset[int] = frozenset()
) -> Callable[..., LinkPlan]:
    """A strategy that asks whether 0 and 1 are the same, and then is so sure of these chains."""

    def plan(group: Any, heard: dict[Any, Any], **more: Any) -> LinkPlan:
        if not heard:
            return LinkPlan(((0, 1),), tuple((mention.number,) for mention in group))
        links_right = {chain[0]: sure for chain in chains}
        sources, together = {(0, 1): LinkSource.ASKED_YES}, {(0, 1): 0.9}
        return LinkPlan((), chains, doubted, sources=sources, links_right=links_right, together=together)

    return plan


@pytest.fixture
def placed(monkeypatch: pytest.MonkeyPatch) -> Story:
    monkeypatch.setattr(plan_group, "plan_adaptively", placed_adaptively((0, 1, 2)))
    story = three(ADAPTIVE)
    story.judge(L, "same", worker=4)
    return story


def test_a_chain_that_is_placed_adaptively_says_how_sure_it_is(placed: Story):
    assert (placed.chains(), placed.chain().confidence) == ([[0, 1, 2]], 0.75 * 0.75)
    assert placed.state() is ChainState.VERIFICATION
    assert placed.chain().doubted == ""


def test_a_chain_whose_head_noun_is_a_word_of_another_mention_is_likelier_to_be_a_part_of_one(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(plan_group, "plan_adaptively", placed_adaptively((0, 1), (2,)))
    story = three(ADAPTIVE)
    story.judge(L, "same", worker=4)
    assert [chain.confidence for chain in story.progress.chains.values()] == [0.75 * 0.5, 0.75 * 0.5]


def test_the_chance_that_a_pair_corefers_is_kept_until_one_of_the_two_goes(placed: Story):
    assert placed.progress.together == {(0, 1): 0.9}
    assert final_chance(placed.progress, 0, 1, LinkSource.ASKED_YES) == 0.9
    assert final_chance(placed.progress, 0, 1, LinkSource.EXPERT) is None
    placed.expert("rechunk", remove=[1], add=[])
    assert placed.progress.together == {}


def test_the_paper_s_strategies_verify_every_chain_of_several_mentions_whatever_the_limit() -> None:
    for strategy in QUESTIONS:
        story = started([MAN], [("people", "the man")], settings=ProtocolSettings(strategy=strategy, verify_below=0.01))
        story.judge(L, "same")
        assert (story.chain().confidence, story.state()) == (None, ChainState.VERIFICATION)
    assert ProtocolSettings().verify_below == 0.95


@pytest.mark.parametrize(("sure", "state"), [(0.95, ChainState.DRAWING), (0.94, ChainState.VERIFICATION)])
def test_unless_a_requester_says_otherwise_chains_less_sure_than_nineteen_in_twenty_are_verified(
    sure: float, state: ChainState, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan_group, "plan_adaptively", placed_adaptively((0, 1, 2), sure=sure))
    story = three(ADAPTIVE)
    story.judge(L, "same", worker=4)
    assert story.state() is state


@pytest.mark.parametrize(("below", "state"), [(0.75, ChainState.DRAWING), (0.76, ChainState.VERIFICATION)])
def test_a_chain_that_is_sure_enough_is_not_verified(below: float, state: ChainState, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(plan_group, "plan_adaptively", placed_adaptively((0, 1, 2)))
    story = three(replace(ADAPTIVE, verify_below=below))
    story.judge(L, "same", worker=4)
    assert story.state() is state


def test_at_a_limit_of_one_every_chain_is_verified_however_sure(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(plan_group, "plan_adaptively", placed_adaptively((0, 1, 2), sure=1.0))
    story = three(replace(ADAPTIVE, verify_below=1.0))
    story.judge(L, "same", worker=4)
    assert story.state() is ChainState.VERIFICATION


def test_a_doubted_chain_is_verified_however_sure(monkeypatch: pytest.MonkeyPatch):
    overruled = placed_adaptively((0, 1, 2), doubted=frozenset({0}))
    monkeypatch.setattr(plan_group, "plan_adaptively", overruled)
    story = three(replace(ADAPTIVE, verify_below=0.5))
    story.judge(L, "same", worker=4)
    assert story.state() is ChainState.VERIFICATION


def test_a_chain_that_is_more_likely_wrong_than_right_is_marked_doubted(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(plan_group, "plan_adaptively", placed_adaptively((0, 1, 2), sure=0.43))
    story = three(ADAPTIVE)
    story.judge(L, "same", worker=4)
    assert story.chain().doubted == "the answers make it 32% likely"
    assert story.chain().confidence == pytest.approx(0.43 * 0.75), "exports have this chance"


def test_a_link_that_does_not_follow_from_those_asked_is_inferred_from_the_posterior(placed: Story):
    sources = link_sources(placed.progress)
    assert sources == {
        (0, 1): LinkSource.ASKED_YES,
        (0, 2): LinkSource.POSTERIOR,
        (1, 2): LinkSource.POSTERIOR,
    }


def test_a_shift_is_kept_with_the_vote_and_an_average_worker_has_none(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(plan_group, "plan_adaptively", placed_adaptively((0, 1, 2)))
    story = three(ADAPTIVE)
    judgment = {"question": story.question(L).number, "worker": 4, "answer": "same"}
    story.add(EntryKind.JUDGMENT, {**judgment, "shift": -0.5})
    assert story.progress.votes == {(0, 1): [Vote(2, 4, True, -0.5)]}
    other = three(ADAPTIVE)
    other.add(EntryKind.JUDGMENT, judgment)
    assert other.progress.votes == {(0, 1): [Vote(2, 4, True)]}


def test_a_verification_that_breaks_a_chain_takes_its_confidence(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(plan_group, "plan_adaptively", placed_adaptively((0, 1)))
    story = started([MAN], [("people", "a boy")], settings=ADAPTIVE)
    story.judge(L, "same")
    assert story.chain().confidence == 0.75 * 0.75
    story.judge(Task.CHAIN_VERIFICATION, "false")
    assert [chain.confidence for chain in story.progress.chains.values()] == [None, None]


def test_a_verification_that_keeps_a_chain_keeps_its_confidence(placed: Story):
    placed.judge(Task.CHAIN_VERIFICATION, "true")
    assert placed.chain().confidence == 0.75 * 0.75


@pytest.mark.parametrize(
    ("action", "arguments"),
    [
        ("split", {"chain": 0, "parts": [[0, 1], [2]]}),
        ("rechunk", {"remove": [2], "add": []}),
        ("rechunk", {"remove": [0], "add": []}),
    ],
)
def test_an_expert_who_changes_the_mentions_of_a_chain_takes_its_confidence(
    placed: Story, action: str, arguments: dict[str, Any]
):
    placed.expert(action, **arguments)
    assert {chain.confidence for chain in placed.progress.chains.values()} == {None}


def test_a_chain_that_an_expert_joined_to_another_has_no_confidence(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(plan_group, "plan_adaptively", placed_adaptively((0, 1), (2,)))
    story = three(ADAPTIVE)
    story.judge(L, "same")
    story.expert("join", chains=[0, 2])
    assert (story.chains(), story.chain().confidence) == ([[0, 1, 2]], None)
