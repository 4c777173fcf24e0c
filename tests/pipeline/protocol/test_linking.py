"""Link questions of an image, kept in step with the plan.
Images of projects that go beyond the two rules of links.
The votes of an image reach the strategy that its project has.
Values of links, and links asked by lot, kept with the open questions of an image.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from annotation.rules.states import ChainState, ImageState
from annotation.rules.transitivity import LinkMention, Pair
from belief.links.answer_model import CrowdErrors, Heard
from belief.links.link_prior import DEFAULT
from pipeline.policies import adaptive_links as adaptive
from pipeline.policies.adaptive_links import GroupPlan
from pipeline.policies.compose import adaptive_links, compose
from pipeline.protocol.image.chain_steps import Act
from pipeline.protocol.image.linking import linking_groups
from pipeline.protocol.image.machine import EntryKind
from pipeline.protocol.image.merging import final_chance, link_sources
from pipeline.protocol.image.undo import fold_record
from pipeline.protocol.links.policy import Ask
from pipeline.protocol.links.strategies import QUESTIONS
from pipeline.protocol.state.link_source import LinkSource
from pipeline.protocol.state.progress import ImageProgress, Vote
from pipeline.protocol.state.progress_json import to_json
from pipeline.settings.policy_names import LinkStrategy
from pipeline.settings.settings import Settings
from tests.support.images import ANYBODY, DOG, MAN, PARK, Story, started
from tests.support.table import case, row
from tests.support.tasks import ASK, LINK, VERIFY

EXHAUSTIVE = Settings(strategy=LinkStrategy.EXHAUSTIVE)
EXHAUSTIVE_PLUS = Settings(strategy=LinkStrategy.EXHAUSTIVE_PLUS)


def three(settings: Settings) -> Story:
    return started([MAN], [("people", "the man")], [("people", "that man")], settings=settings)


def test_groups_go_in_parallel_and_a_mention_alone_goes_on_at_once():
    story = started([MAN, DOG, PARK], [("people", "the man"), ("animals", "it all")])
    assert story.asked() == [(LINK, [0, 3]), (LINK, [1, 4]), (ASK, [2])]
    story.judge(LINK, "different", subject=[1, 4])
    assert story.asked() == [(LINK, [0, 3]), *((ASK, [name]) for name in (2, 1, 4))]
    assert story.progress.state is ImageState.LINKING


def test_a_group_reaches_through_mentions_of_several_types():
    story = started([MAN], [("people/other", "a figure")], [("other", "a statue")], settings=EXHAUSTIVE)
    assert story.asked() == [(LINK, [0, 1]), (LINK, [1, 2])]


def test_chains_are_what_yes_links_connect_before_the_group_is_placed_too():
    story = three(EXHAUSTIVE).judged((LINK, "same", ANYBODY, [1, 2]))
    assert {name: chain.mentions for name, chain in story.progress.chains.items()} == {0: [0], 1: [1, 2]}
    story.judge(LINK, "same", subject=[0, 1])
    assert story.chains() == [[0, 1, 2]]
    assert story.state() is ChainState.LINKING, "0 and 2 are still to be compared"


def test_a_contradiction_is_asked_again_of_other_workers():
    story = three(EXHAUSTIVE_PLUS)
    for pair, answer in (([0, 1], "same"), ([1, 2], "same"), ([0, 2], "different")):
        story.judge(LINK, answer, worker=sum(pair), subject=pair)
    assert sorted(story.asked()) == [(LINK, [0, 1]), (LINK, [0, 2]), (LINK, [1, 2])]
    assert [story.question(LINK, [a, b]).barred for a, b in ((0, 1), (1, 2), (0, 2))] == [[1], [3], [2]]


def test_a_round_that_is_not_decided_stays_the_same_question():
    story = three(EXHAUSTIVE_PLUS)
    for pair, answer in (([0, 1], "same"), ([1, 2], "same"), ([0, 2], "different")):
        story.judge(LINK, answer, worker=1, subject=pair)
    number = story.question(LINK, [0, 2]).number
    story.judge(LINK, "same", worker=2, subject=[0, 2])
    assert (story.question(LINK, [0, 2]).number, story.question(LINK, [0, 2]).barred) == (number, [1, 2])


def test_a_link_without_consensus_sends_its_chains_to_review():
    story = three(Settings(strategy=LinkStrategy.EXHAUSTIVE_PLUS, consensus_lead=2, consensus_most=2))
    for pair, answer in (([0, 1], "same"), ([1, 2], "same"), ([0, 2], "different")):
        story.judge(LINK, answer, worker=1, subject=pair)
    for pair, answer in (([0, 1], "same"), ([1, 2], "same"), ([0, 2], "same")):
        story.judge(LINK, answer, worker=2, subject=pair)
    assert (story.state(), story.chain().review) == (ChainState.REVIEW, "a link left without consensus")
    assert story.chains() == [[0, 1, 2]] and story.progress.state is ImageState.REVIEW


def test_an_overruled_link_marks_its_chains_and_keeps_them_going():
    story = three(EXHAUSTIVE_PLUS)
    for pair, answer in (([0, 1], "same"), ([1, 2], "same"), ([0, 2], "different")):
        story.judge(LINK, answer, worker=1, subject=pair)
    for link, answers in (((0, 1), ["same"]), ((0, 2), ["different"]), ((1, 2), ["different", "same", "same", "same"])):
        for worker, answer in enumerate(answers, 2):
            if (LINK, list(link)) in story.asked():
                story.judge(LINK, answer, worker=worker, subject=list(link))
    assert story.chains() == [[0, 1], [2]] and story.progress.sources[1, 2] is LinkSource.OVERRULED
    assert [story.chain(n).doubted for n in (0, 2)] == ["a link was overruled"] * 2
    assert story.state(0) is ChainState.VERIFICATION and story.state(2) is ChainState.DRAWING


def test_placed_mentions_are_out():
    story = started([MAN, DOG], [("people", "the man"), DOG]).judged((LINK, "same", ANYBODY, [0, 2]))
    groups = linking_groups(Act(story.progress, compose(Settings()), 0))
    assert [[m.number for m in group] for group in groups] == [[1, 3]]


def test_reading_order_is_by_caption_and_word_whatever_the_numbers():
    story = started([MAN], [MAN])
    story.progress.mentions[0].caption, story.progress.mentions[1].caption = 1, 0
    assert story.progress.reading_order([0, 1]) == [1, 0]


def test_a_kept_link_that_nobody_may_answer_is_given_up_without_review() -> None:
    story = three(EXHAUSTIVE)
    story.settings = Settings(strategy=LinkStrategy.GREEDY)
    first, _, third = (q.number for q in story.progress.open.values())
    story.add(EntryKind.JUDGMENT, {"question": first, "worker": 1, "answer": "same", "out": [first, third]})
    assert list(story.progress.open) == [third]
    story.add(EntryKind.STARVE, {"question": third})
    assert third not in story.progress.open and story.asked() == [(LINK, [0, 2])]
    assert not story.progress.skipped and not story.progress.flagged


def test_a_kept_link_that_an_expert_sets_is_closed() -> None:
    story = three(EXHAUSTIVE)
    story.settings = Settings(strategy=LinkStrategy.GREEDY)
    numbers = [q.number for q in story.progress.open.values()]
    story.add(EntryKind.EXPERT, {"action": "link", "first": 0, "second": 1, "same": True, "out": numbers})
    assert [pair for _, pair in story.asked()] == [[0, 2], [1, 2]]


KEEPS = {"": [1.0, 1.0], "people": [0.75, 0.5]}
PRIOR = DEFAULT.to_json() | {"keeps_rules": KEEPS}
ADAPTIVE = Settings(strategy=LinkStrategy.ADAPTIVE, link_prior=PRIOR)
"""A quarter of the chains of people are parts of one that breaks a rule of links; half, if they share a head."""


def placed_adaptively(
    *chains: tuple[int, ...], sure: float = 0.75, doubted: frozenset[int] = frozenset()
) -> Callable[..., GroupPlan]:
    """A strategy that asks whether 0 and 1 are the same, and then is so sure of these chains."""

    def plan(group: Any, heard: dict[Any, Any], **more: Any) -> GroupPlan:
        if not heard:
            return GroupPlan((Ask((0, 1)),), tuple((mention.number,) for mention in group))
        links_right = {chain[0]: sure for chain in chains}
        sources, together = {(0, 1): LinkSource.ASKED_YES}, {(0, 1): 0.9}
        return GroupPlan((), chains, doubted, sources=sources, links_right=links_right, together=together)

    return plan


@pytest.fixture
def placed(monkeypatch: pytest.MonkeyPatch) -> Story:
    monkeypatch.setattr(adaptive, "plan_adaptively", placed_adaptively((0, 1, 2)))
    return three(ADAPTIVE).judged((LINK, "same", 4))


def test_a_chain_that_is_placed_adaptively_says_how_sure_it_is(placed: Story):
    assert (placed.chains(), placed.chain().confidence) == ([[0, 1, 2]], 0.75 * 0.75)
    assert placed.state() is ChainState.VERIFICATION and placed.chain().doubted == ""


def test_a_chain_whose_head_noun_is_a_word_of_another_mention_is_likelier_to_be_a_part_of_one(monkeypatch: Any):
    monkeypatch.setattr(adaptive, "plan_adaptively", placed_adaptively((0, 1), (2,)))
    story = three(ADAPTIVE).judged((LINK, "same", 4))
    assert [chain.confidence for chain in story.progress.chains.values()] == [0.75 * 0.5, 0.75 * 0.5]


def test_the_chance_that_a_pair_corefers_is_kept_until_one_of_the_two_goes(placed: Story):
    assert placed.progress.together == {(0, 1): 0.9}
    assert final_chance(placed.progress, 0, 1, LinkSource.ASKED_YES) == 0.9
    assert final_chance(placed.progress, 0, 1, LinkSource.EXPERT) is None
    placed.expert("rechunk", remove=[1], add=[])
    assert placed.progress.together == {}


def test_the_paper_s_strategies_verify_every_chain_of_several_mentions_whatever_the_limit() -> None:
    for strategy in QUESTIONS:
        story = started(
            [MAN], [("people", "the man")], settings=Settings(strategy=LinkStrategy(strategy), verify_below=0.01)
        )
        story.judge(LINK, "same")
        assert (story.chain().confidence, story.state()) == (None, ChainState.VERIFICATION)
    assert Settings().verify_below == 0.95


@case("unless a requester says otherwise, not if as sure as nineteen in twenty", {}, {"sure": 0.95}, ChainState.DRAWING)
@case("but if less sure", {}, {"sure": 0.94}, ChainState.VERIFICATION)
@case("not if it is sure enough", {"verify_below": 0.75}, {}, ChainState.DRAWING)
@case("else it is", {"verify_below": 0.76}, {}, ChainState.VERIFICATION)
@case("at a limit of one however sure", {"verify_below": 1.0}, {"sure": 1.0}, ChainState.VERIFICATION)
@case("if doubted, however sure", {"verify_below": 0.5}, {"doubted": frozenset({0})}, ChainState.VERIFICATION)
def test_a_chain_is_verified(limit: dict[str, float], placed: dict[str, Any], state: ChainState, monkeypatch: Any):
    monkeypatch.setattr(adaptive, "plan_adaptively", placed_adaptively((0, 1, 2), **placed))
    assert three(replace(ADAPTIVE, **limit)).judged((LINK, "same", 4)).state() is state  # type: ignore[arg-type]


def test_a_chain_that_is_more_likely_wrong_than_right_is_marked_doubted(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(adaptive, "plan_adaptively", placed_adaptively((0, 1, 2), sure=0.43))
    story = three(ADAPTIVE).judged((LINK, "same", 4))
    assert story.chain().doubted == "the answers make it 32% likely"
    assert story.chain().confidence == pytest.approx(0.43 * 0.75), "exports have this chance"


def test_a_link_that_does_not_follow_from_those_asked_is_inferred_from_the_posterior(placed: Story):
    inferred = dict.fromkeys([(0, 2), (1, 2)], LinkSource.POSTERIOR)
    assert link_sources(placed.progress) == {(0, 1): LinkSource.ASKED_YES, **inferred}


def test_a_shift_is_kept_with_the_vote_and_an_average_worker_has_none(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(adaptive, "plan_adaptively", placed_adaptively((0, 1, 2)))
    story = three(ADAPTIVE)
    judgment = {"question": story.question(LINK).number, "worker": 4, "answer": "same"}
    story.add(EntryKind.JUDGMENT, {**judgment, "shift": -0.5})
    assert story.progress.votes == {(0, 1): [Vote(2, 4, True, -0.5)]}
    assert three(ADAPTIVE).judged((LINK, "same", 4)).progress.votes == {(0, 1): [Vote(2, 4, True)]}


def test_a_verification_that_breaks_a_chain_takes_its_confidence(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(adaptive, "plan_adaptively", placed_adaptively((0, 1)))
    story = started([MAN], [("people", "a boy")], settings=ADAPTIVE).judged((LINK, "same"))
    assert story.chain().confidence == 0.75 * 0.75
    story.judge(VERIFY, "false")
    assert [chain.confidence for chain in story.progress.chains.values()] == [None, None]


def test_a_verification_that_keeps_a_chain_keeps_its_confidence(placed: Story):
    placed.judge(VERIFY, "true")
    assert placed.chain().confidence == 0.75 * 0.75


@row("split", {"chain": 0, "parts": [[0, 1], [2]]})
@row("rechunk", {"remove": [2], "add": []})
@row("rechunk", {"remove": [0], "add": []})
def test_an_experts_change_of_mentions_takes_their_confidence(action: str, arguments: dict[str, Any], placed: Story):
    placed.expert(action, **arguments)
    assert {chain.confidence for chain in placed.progress.chains.values()} == {None}


def test_a_chain_that_an_expert_joined_to_another_has_no_confidence(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(adaptive, "plan_adaptively", placed_adaptively((0, 1), (2,)))
    story = three(ADAPTIVE).judged((LINK, "same")).by_expert("join", chains=[0, 2])
    assert (story.chains(), story.chain().confidence) == ([[0, 1, 2]], None)


BEYOND_RULES = Settings(strategy=LinkStrategy.ADAPTIVE, link_stop=0.05, reask_share=0.0)
BEYOND = replace(BEYOND_RULES, beyond_rules=True)
TABLE, AGAIN = ("other", "a table"), ("other", "the table")


def answered(story: Story, answer: str) -> Story:
    """Give this answer, each by another worker, until no link is open."""
    worker = 1
    while links := [one for one in story.progress.open.values() if one.task is LINK]:
        story.judge(LINK, answer, worker=worker, subject=links[0].subject)
        worker += 1
    return story


def test_two_phrases_of_one_caption_are_asked_about_and_can_become_one_chain() -> None:
    story = started([TABLE, AGAIN], settings=BEYOND)
    assert story.asked() == [(LINK, [0, 1])]
    answered(story, "same")
    assert story.chains() == [[0, 1]]
    assert 0.5 < (story.chain().confidence or 0) < 1


def test_without_the_setting_they_are_never_asked_about() -> None:
    story = started([TABLE, AGAIN], settings=BEYOND_RULES)
    assert LINK not in {task for task, _ in story.asked()}
    assert story.chains() == [[0], [1]]


def test_boxes_wait_until_it_is_known_which_chains_are_one() -> None:
    story = started([TABLE, AGAIN, ("people", "a man")], settings=BEYOND)
    assert {task for task, _ in story.asked()} == {LINK}
    answered(story, "different")
    assert story.state(2) is not ChainState.LINKING and story.asked()


def test_the_source_of_a_link_says_whether_it_was_asked() -> None:
    story = answered(started([TABLE, AGAIN, ("scene", "a park")], settings=BEYOND), "different")
    sources = link_sources(story.progress)
    assert sources[0, 1] in (LinkSource.ASKED_NO, LinkSource.REASKED) and sources[0, 2] is LinkSource.CAPTION


def test_an_expert_can_join_two_phrases_of_one_caption_while_they_are_linked() -> None:
    story = started([TABLE, AGAIN], settings=BEYOND).by_expert("link", first=0, second=1, same=True)
    assert story.chains() == [[0, 1]] and story.progress.sources[0, 1] is LinkSource.EXPERT


def test_a_replay_comes_to_the_same_chains() -> None:
    story = answered(started([TABLE, AGAIN], [("scene", "table outside")], settings=BEYOND), "same")
    assert to_json(fold_record(story.record)) == to_json(story.progress)


def test_images_that_are_being_linked_follow_when_the_setting_is_switched() -> None:
    story = started([TABLE, AGAIN], [("other", "a table"), ("other", "a board")], settings=BEYOND_RULES)
    story.settings = BEYOND
    assert answered(story, "same").chains() == [[0, 1, 2, 3]]


def test_a_link_that_nobody_can_answer_any_more_after_its_only_answer_was_voided_goes_to_review() -> None:
    story = started([TABLE, AGAIN], settings=BEYOND)
    story.void(story.judge(LINK, "same"))
    story.add(EntryKind.STARVE, {"question": story.question(LINK).number})
    assert story.chains() == [[0], [1]]
    assert [story.chain(name).review for name in (0, 1)] == ["starved", "starved"]


def test_strategies_of_the_paper_keep_the_rules() -> None:
    story = started([TABLE, AGAIN], settings=replace(BEYOND, strategy=LinkStrategy.GREEDY_PLUS))
    assert LINK not in {task for task, _ in story.asked()}


GROUP = [LinkMention(number, number, 0, frozenset({"people"}), "man") for number in range(3)]
ERRORS = {"false_negative": 0.06, "false_positive": 0.04}
PLANNED = Settings(strategy=LinkStrategy.ADAPTIVE, link_stop=0.05, link_most=9, link_errors=ERRORS, reask_share=0.05)


def image() -> ImageProgress:
    votes: dict[Pair, list[Vote]] = {(0, 1): [Vote(3, 7, True, -0.25), Vote(4, 8, False)], (1, 2): [Vote(5, 7, True)]}
    return ImageProgress(votes=votes, given={(0, 2): False}, skipped=[(1, 2)])


def test_the_adaptive_strategy_hears_each_worker_with_the_shift_and_is_given_the_settings(monkeypatch: Any):
    seen: list[Any] = []

    def planned(*given: Any, **more: Any) -> GroupPlan:
        seen.extend((*given, more))
        return GroupPlan((), ())

    monkeypatch.setattr(adaptive, "plan_adaptively", planned)
    adaptive_links(PLANNED).believed(image(), GROUP, None)
    group, heard, more = seen
    assert (group, heard) == (GROUP, {(0, 1): [Heard(True, -0.25), Heard(False)], (1, 2): [Heard(True, 0.0)]})
    settings = {"prior": DEFAULT, "stop": 0.05, "most": 9, "errors": CrowdErrors(0.06, 0.04), "reask_share": 0.05}
    assert more == {**settings, "given": {(0, 2): False}, "skipped": [(1, 2)], "programs": (), "jurors": {}}


def test_the_strategies_of_the_paper_hear_everybody_alike():
    other = image()
    other.votes[0, 1][0] = other.votes[0, 1][0]._replace(shift=0.0)
    greedy = compose(Settings()).links
    assert greedy.plan(image(), GROUP) == greedy.plan(other, GROUP)


LINKED = Settings(strategy=LinkStrategy.ADAPTIVE, link_stop=0.001)


def men(**votes: list[bool]) -> Story:
    """Return an image of three men and a dog with these votes, by the two numbers of a pair."""
    story = started([MAN, DOG], [("people", "him")], [("people", "someone")], settings=LINKED)
    for name, cast in votes.items():
        pair = int(name[1]), int(name[2])
        story.progress.votes[pair] = [Vote(1, worker, same) for worker, same in enumerate(cast)]
    return story


def told(story: Story) -> dict[tuple[int, int], float]:
    return adaptive_links(story.settings).by_other_links(story.progress)


def test_two_links_tell_the_third() -> None:
    for said in (True, False):
        assert told(men(p02=[True] * 3, p23=[True] * 3, p03=[said]))[0, 3] > 0.9
        assert told(men(p02=[True] * 3, p23=[False] * 3, p03=[said]))[0, 3] < 0.1


def test_the_answers_to_the_link_itself_do_not_tell() -> None:
    alone = told(men(p03=[True]))[0, 3]
    assert told(men(p03=[False] * 4))[0, 3] == pytest.approx(alone, abs=1e-6)


def test_only_links_that_were_judged_and_that_no_expert_set_are_told() -> None:
    story = men(p02=[True], p03=[True])
    assert sorted(told(story)) == [(0, 2), (0, 3)]
    story.progress.given[0, 2] = True
    assert sorted(told(story)) == [(0, 3)]


def test_placed_links_are_told_too() -> None:
    story = started([MAN], [("people", "him")], settings=replace(LINKED, link_stop=0.9))
    assert not story.progress.open or told(story) == {}
    story.progress.votes[0, 1] = [Vote(1, 1, True)]
    assert 0 < told(story)[0, 1] < 1


BY_LOT = Settings(strategy=LinkStrategy.ADAPTIVE)


def telling(value: float, predicted: float | None = None) -> Callable[..., GroupPlan]:
    """A strategy that always asks whether 0 and 1 are the same, of this value."""

    def plan(group: Any, heard: dict[Any, Any], **more: Any) -> GroupPlan:
        chains = tuple((mention.number,) for mention in group)
        return GroupPlan((Ask((0, 1), value, predicted),), chains)

    return plan


def test_a_link_asked_adaptively_keeps_its_value_in_step_with_the_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adaptive, "plan_adaptively", telling(0.75))
    story = three(BY_LOT)
    question = story.question(LINK)
    assert (question.value, question.predicted) == (0.75, None)
    monkeypatch.setattr(adaptive, "plan_adaptively", telling(0.25))
    story.judge(LINK, "same", worker=1)
    assert (story.question(LINK).number, story.question(LINK).value) == (question.number, 0.25)


def test_other_questions_have_no_value() -> None:
    asked = [*three(EXHAUSTIVE_PLUS).progress.open.values(), *started([PARK]).progress.open.values()]
    assert len(asked) == 4 and {one.value for one in asked} == {0.0}


def test_a_project_can_ask_adaptive_links_by_age(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adaptive, "plan_adaptively", telling(0.75))
    assert three(replace(BY_LOT, telling_first=False)).question(LINK).value == 0.0


def test_a_link_asked_by_lot_is_a_question_of_its_own_with_one_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adaptive, "plan_adaptively", telling(0.75))
    story = three(BY_LOT)
    planned = story.question(LINK).number
    monkeypatch.setattr(adaptive, "plan_adaptively", telling(1.0, predicted=0.9))
    story.judge(LINK, "same", worker=1)
    drawn = story.question(LINK)
    assert (drawn.number, drawn.value, drawn.predicted, drawn.barred) == (planned + 1, 1.0, 0.9, [1])
    monkeypatch.setattr(adaptive, "plan_adaptively", telling(0.5))
    story.judge(LINK, "different", worker=2)
    again = story.question(LINK)
    assert (again.number, again.value, again.predicted, again.barred) == (planned + 2, 0.5, None, [1, 2])
    assert [vote.answer for vote in story.progress.votes[0, 1]] == [True, False], "both count"


def test_a_link_asked_by_lot_that_is_asked_by_lot_again_is_another_question(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adaptive, "plan_adaptively", telling(1.0, predicted=0.9))
    story = three(BY_LOT)
    first = story.question(LINK).number
    story.judge(LINK, "same", worker=1)
    assert story.question(LINK).number == first + 1


def test_switching_values_on_plans_open_links_anew_with_the_next_entry() -> None:
    old = replace(BY_LOT, link_stop=0.001, telling_first=False)
    story = started([MAN, DOG], [("people", "he"), ("animals", "it")], settings=old)
    assert [one.value for one in story.progress.open.values()] == [0.0, 0.0]
    story.settings = replace(old, telling_first=True)
    story.judge(LINK, "same", worker=1, subject=[0])
    assert story.question(LINK, [1]).value > 0
