"""Link questions and chains of an image, kept in step with the plan of its link policy."""

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import pytest

from annotation.rules.states import ChainState, ImageState
from annotation.rules.transitivity import Pair
from pipeline.policies.compose import compose
from pipeline.protocol.image.chain_steps import ImageUpdate
from pipeline.protocol.image.interventions import CannotVoidError
from pipeline.protocol.image.linking import linking_groups
from pipeline.protocol.image.machine import EntryKind
from pipeline.protocol.image.merging import final_chance, sources_of_pairs
from pipeline.protocol.image.undo import CannotUndoError
from pipeline.protocol.links.policy import Ask, Group, LinkPlan, LinkPolicy, PlacedChain
from pipeline.protocol.links.strategies import PaperLinks, Strategy
from pipeline.protocol.rules import EntryContext
from pipeline.protocol.state.progress import Cause, ImageProgress, LinkSource, TallyVote
from pipeline.protocol.state.progress_json import from_json, to_json
from pipeline.protocol.state.rows import question_view
from pipeline.settings.of_belief import LinkStrategy
from pipeline.settings.settings import Settings
from tests.support.images import ANYBODY, DOG, MAN, PARK, Story, imported, started
from tests.support.sweep_policy import Sweeps
from tests.support.table import case, row
from tests.support.tasks import ASK, LINK, VERIFY

EXHAUSTIVE = Settings(strategy=LinkStrategy.EXHAUSTIVE)
EXHAUSTIVE_PLUS, GREEDY = Settings(strategy=LinkStrategy.EXHAUSTIVE_PLUS), Settings(strategy=LinkStrategy.GREEDY)


def three(settings: Settings) -> Story:
    return started([MAN], [("people", "the man")], [("people", "that man")], settings=settings)


def test_groups_go_in_parallel_and_a_mention_alone_goes_on_at_once():
    story = started([MAN, DOG, PARK], [("people", "the man"), ("animals", "it all")])
    assert story.asked() == [(LINK, [0, 3]), (LINK, [1, 4]), (ASK, [2])]
    story.judge(LINK, "different", subject=[1, 4])
    assert story.asked() == [(LINK, [0, 3]), *((ASK, [name]) for name in (2, 1, 4))]
    assert story.progress.state is ImageState.LINKING


def test_chains_are_what_yes_links_connect_before_the_group_is_placed_too():
    story = three(EXHAUSTIVE).judged((LINK, "same", ANYBODY, [1, 2]))
    assert {name: chain.mentions for name, chain in story.progress.chains.items()} == {0: [0], 1: [1, 2]}
    story.judge(LINK, "same", subject=[0, 1])
    assert story.chains() == [[0, 1, 2]]
    assert story.state() is ChainState.LINKING, "0 and 2 are still to be compared"


def contradicted(**changes: Any) -> Story:
    """Three workers have said that two pairs of three mentions are the same, and the third is not."""
    story = three(replace(EXHAUSTIVE_PLUS, **changes))
    return story.judged((LINK, "same", 7, [0, 1]), (LINK, "same", 8, [1, 2]), (LINK, "different", 9, [0, 2]))


def test_a_contradiction_is_asked_again_of_others_and_stays_the_same_question_until_it_is_decided():
    story = contradicted()
    asked = {tuple(one.subject): (one.number, one.barred) for one in story.progress.open.values()}
    assert {pair: barred for pair, (_, barred) in asked.items()} == {(0, 1): [7], (1, 2): [8], (0, 2): [9]}
    story.judge(LINK, "same", worker=2, subject=[0, 2])
    assert (story.question(LINK, [0, 2]).number, story.question(LINK, [0, 2]).barred) == (asked[0, 2][0], [2, 9])


def test_a_link_without_consensus_sends_its_chains_to_review():
    story = contradicted(consensus_lead=2, consensus_most=2)
    story.judged(*((LINK, "same", 2, pair) for pair in ([0, 1], [1, 2], [0, 2])))
    assert (story.state(), story.chain().review) == (ChainState.REVIEW, "a link left without consensus")
    assert story.chains() == [[0, 1, 2]] and story.progress.state is ImageState.REVIEW


def test_an_overruled_link_marks_its_chains_and_keeps_them_going():
    story = contradicted()
    for link, answers in (((0, 1), ["same"]), ((0, 2), ["different"]), ((1, 2), ["different", "same", "same", "same"])):
        for worker, answer in enumerate(answers, 2):
            if (LINK, list(link)) in story.asked():
                story.judge(LINK, answer, worker=worker, subject=list(link))
    assert story.chains() == [[0, 1], [2]] and story.progress.sources[1, 2] is LinkSource.OVERRULED
    assert [story.chain(n).doubted for n in (0, 2)] == ["a link was overruled"] * 2
    assert story.state(0) is ChainState.VERIFICATION and story.state(2) is ChainState.DRAWING


def test_placed_mentions_are_out():
    story = started([MAN, DOG], [("people", "the man"), DOG]).judged((LINK, "same", ANYBODY, [0, 2]))
    groups = linking_groups(ImageUpdate(story.progress, compose(Settings()), 0))
    assert [[m.number for m in group] for group in groups] == [[1, 3]]


def test_a_kept_link_that_nobody_may_answer_is_given_up_without_review() -> None:
    story = three(EXHAUSTIVE)
    story.settings = GREEDY
    first, _, third = (q.number for q in story.progress.open.values())
    judgment = {"question": first, "worker": 1, "answer": "same"}
    story.add(EntryKind.JUDGMENT, judgment, EntryContext(on_loan=(first, third)))
    assert list(story.progress.open) == [third]
    story.add(EntryKind.STARVE, {"question": third})
    assert third not in story.progress.open and story.asked() == [(LINK, [0, 2])]
    assert not story.progress.skipped and not story.progress.review_when_placed


CENTAUR, TO_ANIMALS = ("people/animals", "the centaur"), {"action": "retype", "mention": 2, "types": ["animals"]}
SET = {"action": "link", "first": 0, "second": 1, "same": True}


@case("that an expert sets", ("people", "the man"), SET, [[0, 2], [1, 2]])
@case("that may no longer be asked", CENTAUR, TO_ANIMALS, [[0, 1], [1, 2]])
def test_a_kept_link_is_closed(second: tuple[str, str], act: dict[str, Any], left: list[list[int]]) -> None:
    story = started([MAN], [second], [("people", "that man")], settings=EXHAUSTIVE)
    story.settings = GREEDY
    story.add(EntryKind.EXPERT, act, EntryContext(on_loan=tuple(story.progress.open)))
    assert [pair for _, pair in story.asked()] == left


def test_an_answer_that_was_waited_for_counts_with_the_majority_and_closes_its_link_with_what_was_answered() -> None:
    for answer in ("same", "different"):
        assert started([MAN], [MAN]).judged((LINK, answer)).reasons("question") == [answer]
    story = contradicted().judged((LINK, "same", 2, [0, 2]))
    story.settings = EXHAUSTIVE
    kept = story.question(LINK, [0, 2]).number
    judgment = {"question": kept, "worker": 3, "answer": "same"}
    story.add(EntryKind.JUDGMENT, judgment, EntryContext(on_loan=(kept,)))
    assert [vote.worker for vote in story.progress.votes[0, 2]] == [2, 3, 9]


MODEL, RELATIVES = 70, 71


@dataclass(frozen=True)
class Scripted(PaperLinks):
    """A policy that gives these plans, one after the other, and the last one from then on."""

    strategy: Strategy = Strategy.GREEDY_PLUS
    plans: list[LinkPlan] = field(default_factory=list)
    models: ClassVar[tuple[int, ...]] = (MODEL, RELATIVES)

    def barred(self, image: ImageProgress, pair: Pair) -> tuple[int, ...]:
        return (RELATIVES,) if any(vote.by_model for vote in image.votes.get(pair, ())) else ()

    def plan(self, image: ImageProgress, group: Group) -> LinkPlan:
        return self.plans.pop(0) if self.plans[1:] else self.plans[0]


def following(*plans: LinkPlan) -> Story:
    """Return an image of two men and a boy whose policy gives these plans."""
    story = imported([MAN], [("people", "a boy")], [("people", "that man")])
    story.links = Scripted(plans=list(plans))
    return story.start()


def asking(value: float = 0.0, predicted: float | None = None, barred: tuple[int, ...] = ()) -> LinkPlan:
    return LinkPlan((Ask((0, 1), value, predicted, barred),), ((0,), (1,), (2,)))


def placing(*placed: PlacedChain, **more: Any) -> LinkPlan:
    return LinkPlan((), tuple(one.mentions for one in placed), placed, **more)


Y, N = "same", "different"


@case("the majority's come first", [(1, N), (2, Y), (3, Y)], [2, 3, 1])
@case("of a majority that says no, too", [(1, Y), (2, N), (3, N)], [2, 3, 1])
@case("a tie changes nothing", [(1, N), (2, Y)], [1, 2])
@case("a model's vote stays where it is", [(MODEL, N), (1, N), (2, Y), (3, Y)], [MODEL, 2, 3, 1])
@case("a model's vote makes no majority", [(1, N), (2, Y), (MODEL, Y)], [1, 2, MODEL])
def test_the_votes_on_a_link_once_settings_have_changed(cast: list[tuple[int, str]], workers: list[int]) -> None:
    story = following(asking()).judged(*((LINK, answer, worker) for worker, answer in cast))
    story.links = Scripted(strategy=Strategy.GREEDY, plans=[asking()])
    assert [vote.worker for vote in story.report("image", 0, worker=1).progress.votes[0, 1]] == workers


ALL = (0, 1, 2)
SURE = PlacedChain(ALL, confidence=0.75)
NO_CONSENSUS = (ChainState.REVIEW, "", Cause.NO_CONSENSUS)


@case("is verified unless the plan spares that", PlacedChain(ALL), (ChainState.VERIFICATION, "", None))
@case("goes to its boxes where the plan is sure", PlacedChain(ALL, verify=False), (ChainState.DRAWING, "", None))
@case("is marked with its doubt", PlacedChain(ALL, "why"), (ChainState.VERIFICATION, "why", None))
@case("is verified if it is doubted", PlacedChain(ALL, "why", verify=False), (ChainState.VERIFICATION, "why", None))
@case("waits for an expert without consensus", PlacedChain(ALL, unsettled=True, verify=False), NO_CONSENSUS)
def test_a_placed_chain(placed: PlacedChain, becomes: tuple[ChainState, str, Cause | None]) -> None:
    chain = following(placing(placed)).chain()
    assert (chain.mentions, chain.confidence) == ([0, 1, 2], None)
    assert (chain.state, chain.doubted, chain.review) == becomes


def test_sources_and_chances_of_a_plan_are_kept_until_a_mention_goes() -> None:
    story = following(placing(SURE, sources={(0, 1): LinkSource.ASKED_YES}, together={(0, 1): 0.9}))
    assert sources_of_pairs(story.progress)[0, 1] is LinkSource.ASKED_YES
    assert final_chance(story.progress, 0, 1, LinkSource.ASKED_YES) == 0.9
    assert final_chance(story.progress, 0, 1, LinkSource.EXPERT) is None
    story.expert("rechunk", remove=[1], add=[])
    assert story.progress.together == {}


def test_what_a_policy_notes_stays_with_the_image() -> None:
    story = following(LinkPlan((Ask((0, 1)),), ((0,), (1,), (2,)), notes={"seed": "both"}), asking())
    assert from_json(to_json(story.judged((LINK, "same", 1)).progress)).notes == {"seed": "both"}


@row("split", {"chain": 0, "parts": [[0, 1], [2]]})
@row("rechunk", {"remove": [2], "add": []})
@row("rechunk", {"remove": [0], "add": []})
def test_an_experts_change_of_mentions_takes_their_confidence(action: str, more: dict[str, Any]) -> None:
    story = following(placing(SURE)).by_expert(action, **more)
    assert {chain.confidence for chain in story.progress.chains.values()} == {None}


def test_a_verification_that_breaks_a_chain_and_an_expert_who_joins_two_take_their_confidence() -> None:
    assert following(placing(SURE)).judged((VERIFY, "true")).chain().confidence == 0.75
    broken = following(placing(SURE)).judged((VERIFY, "false"))
    joined = following(placing(PlacedChain((0, 1), confidence=0.75), PlacedChain((2,), confidence=0.5)))
    joined.expert("join", chains=[0, 2])
    for story in (broken, joined):
        assert {chain.confidence for chain in story.progress.chains.values()} == {None}


def test_a_vote_is_kept_with_its_worker_s_skill_or_as_a_model_s_which_bars_whom_the_policy_names() -> None:
    story = following(asking()).judged((LINK, "same", 3))
    judgment = {"question": story.question(LINK).number, "worker": 4, "answer": "same"}
    story.add(EntryKind.JUDGMENT, judgment, EntryContext(skill=-1.0))
    assert story.progress.votes == {(0, 1): [TallyVote(2, 3, True), TallyVote(3, 4, True, -1)]}
    story = following(asking()).judged((LINK, "same", MODEL))
    assert story.progress.votes == {(0, 1): [TallyVote(2, MODEL, True, by_model=True)]}
    assert story.question(LINK).barred == [MODEL, RELATIVES]
    assert story.progress.votes_by(model=False) == {} != story.progress.votes_by(model=True)


def test_an_open_question_follows_the_value_of_its_plan_and_others_have_none() -> None:
    story = following(asking(0.75), asking(0.25))
    number = story.question(LINK).number
    assert (story.question(LINK).value, story.question(LINK).predicted) == (0.75, None)
    story.judge(LINK, "same", 1)
    assert (story.question(LINK).number, story.question(LINK).value) == (number, 0.25)
    others = [*three(EXHAUSTIVE_PLUS).progress.open.values(), *started([PARK]).progress.open.values()]
    assert len(others) == 4 and {one.value for one in others} == {0.0}


def test_an_audit_is_a_question_of_its_own_with_one_answer_and_bars_whom_its_plan_names() -> None:
    story = following(asking(0.75), asking(1.0, 0.9), asking(1.0, 0.8), asking(0.5))
    seen = []
    for worker, answer in ((1, "same"), (2, "different"), (3, "same")):
        question = story.judged((LINK, answer, worker)).question(LINK)
        seen.append((question.number, question.predicted, question.barred))
    assert seen == [(1, 0.9, [1]), (2, 0.8, [1, 2]), (3, None, [1, 2, 3])]
    assert [vote.answer for vote in story.progress.votes[0, 1]] == [True, False, True], "each counts"
    assert following(asking(1.0, 0.9, (MODEL,))).question(LINK).barred == [MODEL]


# --- Sweeps ---


def swept(policy: LinkPolicy | None = None) -> Story:
    """Return an image of four people whose policy asks sweeps."""
    story = imported([MAN], [("people", "a boy")], [("people", "that man")], [("people", "the boy")])
    story.links = policy or Sweeps()
    return story.start()


def votes_of(story: Story) -> dict[Pair, list[tuple[int, int, bool]]]:
    return {pair: [tuple(vote[:3]) for vote in votes] for pair, votes in story.progress.votes.items()}


def test_a_sweep_shows_the_mention_and_then_its_candidates_and_an_answer_is_a_vote_on_each_pair() -> None:
    story = swept(Scripted(plans=[LinkPlan((Ask((2, 0, 1, 3), preset=(1,)),), ((0,), (1,), (2,), (3,)))]))
    shown = question_view(story.progress, story.question(LINK))
    assert [mention[0] for mention in shown["mentions"]] == [2, 0, 1, 3] and shown["preset"] == [1]
    entry = story.judge(LINK, {"same": [0, 3]}, worker=4)
    assert votes_of(story) == {(0, 2): [(entry, 4, True)], (1, 2): [(entry, 4, False)], (2, 3): [(entry, 4, True)]}
    assert story.question(LINK).barred == [4]


def test_sweeps_place_the_chains_of_an_image() -> None:
    story = swept()
    assert story.asked() == [(LINK, [0, 1, 2, 3])]
    story.judge(LINK, {"same": [2]}, worker=4)
    assert story.asked() == [(LINK, [1, 2, 3])] and story.reasons("question") == [Cause.SWEPT]
    assert story.question(LINK).barred == [], "of none of these pairs anything was said"
    story.judge(LINK, {"same": [3]}, worker=4)
    assert story.asked() == [(LINK, [2, 3])], "a sweep of one candidate is a pair"
    story.judge(LINK, "different", worker=5)
    assert story.chains() == [[0, 2], [1, 3]] and story.state() is ChainState.VERIFICATION


def test_whoever_has_swept_a_mention_answers_none_of_its_pairs_again() -> None:
    asks = [Ask((0, 1, 2)), Ask((0, 2)), Ask((2, 1, 3)), Ask((2, 0, 3))]
    story = swept(Scripted(plans=[LinkPlan((ask,), ((0,), (1,), (2,), (3,))) for ask in asks]))
    answers: list[tuple[Any, int]] = [({"same": []}, 4), ("same", 5), ({"same": []}, 6)]
    barred = [story.judged((LINK, *answer)).question(LINK).barred for answer in answers]
    assert barred == [[4], [], [4, 5, 6]]


def test_a_sweep_stays_open_as_long_as_the_same_is_asked_and_ends_without_an_answer_as_not_needed() -> None:
    plans = [LinkPlan((Ask(subject),), ((0,), (1,), (2,), (3,))) for subject in ((0, 1, 2), (0, 1, 2), (0, 1, 2, 3))]
    story = swept(Scripted(plans=plans))
    number = story.question(LINK).number
    assert story.judged((LINK, {"same": []}, 4)).question(LINK).number == number
    story.expert("link", first=0, second=1, same=True)
    assert (story.asked(), story.reasons("question")) == ([(LINK, [0, 1, 2, 3])], [Cause.SWEPT])
    story.links = Scripted(plans=[asking()])
    assert story.by_expert("link", first=0, second=2, same=True).reasons("question") == [Cause.NOT_NEEDED]


def test_voiding_a_sweep_takes_all_its_votes_back_and_asks_others() -> None:
    story = swept().judged((LINK, {"same": [1, 2]}, 4))
    before = story.judge(LINK, {"same": [2]}, worker=5)
    story.void(before)
    assert votes_of(story).keys() == {(0, 1), (0, 2), (0, 3)}
    assert story.progress.voided == {(1, 2): [5], (1, 3): [5]}
    assert (story.asked(), story.question(LINK).barred) == ([(LINK, [1, 2, 3])], [5])


def test_two_sweeps_are_voided_at_once_but_none_of_placed_mentions() -> None:
    story = swept()
    story.void(story.judge(LINK, {"same": []}, worker=4), story.judge(LINK, {"same": []}, worker=5))
    assert (story.progress.votes, story.asked()) == ({}, [(LINK, [0, 1, 2, 3])])
    assert story.question(LINK).barred == [4], "the second was about other pairs"
    story = swept(Sweeps(Strategy.EXHAUSTIVE))
    entry = story.judge(LINK, {"same": []}, worker=4)
    story.judged((LINK, {"same": []}, 5), (LINK, "same", 6))
    with pytest.raises(CannotVoidError):
        story.void(entry)


def test_pairs_are_asked_in_place_of_a_sweep_that_nobody_may_answer_and_a_removed_mention_closes_its_sweep() -> None:
    story = swept()
    story.add(EntryKind.STARVE, {"question": story.question(LINK).number})
    assert from_json(to_json(story.progress)).unswept == [0]
    assert (story.asked(), story.progress.skipped, story.progress.review_when_placed) == ([(LINK, [0, 1])], [], {})
    story = swept().by_expert("rechunk", remove=[2], add=[])
    assert story.asked() == [(LINK, [0, 1, 3])] and Cause.MENTION_REMOVED in story.reasons("question")


def test_an_expert_takes_a_link_out_of_a_sweep_and_that_is_undone() -> None:
    story = swept()
    before = story.question(LINK).number
    act = story.expert("link", first=0, second=3, same=True)
    assert story.asked() == [(LINK, [1, 0, 2, 3])]
    story.undo(act)
    assert (story.asked(), story.question(LINK).number) == ([(LINK, [0, 1, 2, 3])], before)
    act = story.expert("link", first=0, second=3, same=True)
    story.judge(LINK, {"same": []}, worker=4)
    with pytest.raises(CannotUndoError):
        story.undo(act)


@case("counts on each of its pairs", [], [(LINK, [1, 2])])
@case("counts where an expert has set one of its links", [(0, 3)], [(LINK, [1, 2])])
@case("is late where an expert has set all", [(0, 1), (0, 2), (0, 3)], [])
def test_a_sweep_on_loan_whose_rules_change(links: list[Pair], then: list[tuple[Any, list[int]]]) -> None:
    story = swept()
    number = story.question(LINK).number
    story.links, on_loan = None, EntryContext(on_loan=(number,))
    story.settings = EXHAUSTIVE
    story.add(EntryKind.REPORT, {"what": "image", "number": 0, "worker": 1}, on_loan)
    assert story.question(LINK).pinned
    for first, second in links:
        story.add(EntryKind.EXPERT, {"action": "link", "first": first, "second": second, "same": True}, on_loan)
    story.add(EntryKind.JUDGMENT, {"question": number, "worker": 4, "answer": {"same": [1]}})
    assert [(task, subject) for task, subject in story.asked() if subject == [1, 2]] == [(LINK, [1, 2])]
    assert (number in story.progress.open, bool(story.progress.votes)) == (False, bool(then))
