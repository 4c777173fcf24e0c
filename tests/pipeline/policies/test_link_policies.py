"""The rules of a version of the settings: who decides about links and boxes.
The number of workers that always suffices follows from the settings, and a small crew is warned.
Link policies that go beyond the paper: what they ask and place of an image, and the chains that answers make.
Images of projects that go beyond the two rules of links.
Chances of links by what the other links say.
"""

from collections.abc import Callable
from dataclasses import replace
from itertools import count
from typing import Any

import pytest

from annotation.rules.states import ChainState
from annotation.rules.transitivity import Pair
from belief.boxes.box_prior import DEFAULT as DEFAULT_BOXES
from belief.learned import LearnedState
from belief.links.answer_model import CrowdErrors, LinkAnswer
from belief.links.link_prior import DEFAULT
from belief.links.link_seconds import LinkSeconds
from belief.models.reference import Reference
from pipeline.policies import adaptive_links as adaptive
from pipeline.policies.adaptive_links import GroupPlan, PlanInput
from pipeline.policies.compose import adaptive_links, compose, engine_of
from pipeline.policies.engine import Engine
from pipeline.policies.reference_set import ReferencePaperLinks
from pipeline.policies.workers_needed import few_workers, workers_needed
from pipeline.protocol.boxes.policy import BoxPolicy
from pipeline.protocol.image.machine import EntryKind
from pipeline.protocol.links.policy import Ask, LinkPlan, LinkPolicy, PlacedChain
from pipeline.protocol.links.strategies import QUESTIONS, PaperLinks, Strategy
from pipeline.protocol.rules import Rules
from pipeline.protocol.state.progress import ImageProgress, LinkSource, TallyVote
from pipeline.protocol.tasks.task import BOX_TASKS, Task
from pipeline.settings.of_belief import BoxPolicyName, LinkStrategy
from pipeline.settings.settings import Settings
from tests.support.images import DOG, MAN, Story, imported, started
from tests.support.settings_with import settings_with
from tests.support.table import case, row
from tests.support.tasks import LINK


def test_the_same_settings_share_their_rules_and_each_has_two_policies_and_other_settings_another_digest():
    settings = Settings()
    rules = compose(settings)
    assert isinstance(rules, Rules) and rules is compose(settings) and rules.settings is settings
    assert isinstance(rules.links, LinkPolicy) and isinstance(rules.boxes, BoxPolicy)
    assert compose(replace(settings, consensus_lead=3)).links.digest != rules.links.digest


ADAPTIVE, BELIEF = {"strategy": LinkStrategy.ADAPTIVE}, {"box_policy": BoxPolicyName.BELIEF}


@row({}, (), False, ())
@row({"strategy": LinkStrategy.GREEDY_PLUS, "pre_annotations": True}, (), False, ())
@row(ADAPTIVE, (LINK,), False, ())
@row(BELIEF, BOX_TASKS, False, ())
@row(ADAPTIVE | BELIEF | {"model_annotators": (7, 8)}, (LINK, *BOX_TASKS), True, (7, 8))
@row(ADAPTIVE | BELIEF | {"reference_set": 4, "pre_annotations": True}, (LINK, *BOX_TASKS), True, ())
def test_the_policies_of_a_version_say_which_answers_count_and_who_must_be_known(
    values: dict[str, Any], weighed: tuple[Task, ...], seed, inactive: tuple[int, ...]
) -> None:
    settings = Settings(**{"strategy": LinkStrategy.EXHAUSTIVE} | values)
    engine, needs = engine_of(settings), compose(settings).needs
    assert isinstance(engine, Engine) and engine.weighed == {*weighed}
    assert ({*needs.skill}, needs.seed, needs.inactive) == ({*weighed}, seed, inactive)


def test_the_workers_that_always_suffice():
    assert workers_needed(Settings()) == dict(zip(Task, (5, 1, 9, 10, 2, 13, 3, 3), strict=True))
    assert workers_needed(Settings(strategy=LinkStrategy.GREEDY))[Task.COREFERENCE_LINK] == 1
    assert workers_needed(Settings(strategy=LinkStrategy.ADAPTIVE, link_most=7))[Task.COREFERENCE_LINK] == 7


def crew(number: int) -> dict[str, int]:
    return {task.value: number for task in Task}


@row(1, "1 worker has access. More than 18 % of chains will wait for a further worker; 6 workers are enough.")
@row(3, "3 workers have access. About 18 % of chains will wait for a further worker; 6 workers are enough.")
@row(4, "4 workers have access. About 2 % of chains will wait for a further worker; 6 workers are enough.")
@row(5, "5 workers have access. About 0.2 % of chains will wait for a further worker; 6 workers are enough.")
@row(6, "")
@row(60, "")
def test_a_crew_of_fewer_than_six_is_told_the_share_of_chains_that_will_wait(number: int, words: str) -> None:
    assert few_workers(crew(number)) == words


def test_the_task_with_the_fewest_workers_is_named_and_neither_links_nor_a_project_without_workers_are_warned() -> None:
    said = few_workers(crew(8) | {Task.BOX_COVERAGE.value: 4})
    assert said.startswith(f"4 workers have access to {Task.BOX_COVERAGE.label}.")
    assert few_workers({Task.BOX_DRAWING.value: 2}).startswith("No workers have access to ")
    assert few_workers(crew(6) | {Task.COREFERENCE_LINK.value: 1}) == "" and few_workers({}) == ""


KEEPS = {"": [1.0, 1.0], "people": [0.75, 0.5]}
PRIOR = DEFAULT.to_json() | {"keeps_rules": KEEPS}
LINKS_BY_PRIOR = settings_with(strategy=LinkStrategy.ADAPTIVE, link_prior=PRIOR)
"""A quarter of the chains of people are parts of one that breaks a rule of links; half, if they share a head."""
MEN = imported([MAN], [("people", "the man")], [("people", "that man")]).progress
VOTES: dict[Pair, list[TallyVote]] = {
    (0, 1): [TallyVote(3, 7, True, -0.25), TallyVote(4, 8, False), TallyVote(6, 70, True, by_model=True)],
    (1, 2): [TallyVote(5, 7, True)],
}
ALL = (0, 1, 2)


@pytest.fixture
def planning(monkeypatch: pytest.MonkeyPatch) -> Callable[..., LinkPlan]:
    """Return the plan of three men that follows from what is believed of them, under ADAPTIVE with these changes."""

    def plan(believed: GroupPlan, **changes: Any) -> LinkPlan:
        monkeypatch.setattr(adaptive, "plan_adaptively", lambda *_, **__: believed)
        policy = adaptive_links(settings_with(LINKS_BY_PRIOR, **changes))
        (group,) = policy.groups(mention.for_links() for mention in MEN.mentions.values())
        return policy.plan(MEN, group)

    return plan


def believed(*chains: tuple[int, ...], sure: float = 0.75, **more: Any) -> GroupPlan:
    return GroupPlan((), chains, links_right={chain[0]: sure for chain in chains}, **more)


OVERRULED = {"doubted": frozenset({0})}
NO_CONSENSUS = {"unsettled": frozenset({(0, 1)})}
LIKELY, OWN_LIMIT = "the answers make it 32% likely", {"verify_below": 0.75}


@case("as sure as nineteen in twenty needs no verification", {}, 0.95, {}, PlacedChain(ALL, "", 0.7125, verify=False))
@case("less sure needs it", {}, 0.94, {}, PlacedChain(ALL, "", 0.705))
@case("sure enough for the project does not", OWN_LIMIT, 0.75, {}, PlacedChain(ALL, "", 0.5625, verify=False))
@case("not sure enough for the project does", {"verify_below": 0.76}, 0.75, {}, PlacedChain(ALL, "", 0.5625))
@case("at a limit of one every chain does", {"verify_below": 1.0}, 1.0, {}, PlacedChain(ALL, "", 0.75))
@case("an overruled one does", {"verify_below": 0.5}, 0.8, OVERRULED, PlacedChain(ALL, "a link was overruled", 0.6))
@case("one more likely wrong than right is doubted", {"verify_below": 0.4}, 0.43, {}, PlacedChain(ALL, LIKELY, 0.3225))
@case("an expert decides without consensus", {}, 0.8, NO_CONSENSUS, PlacedChain(ALL, "", 0.6, unsettled=True))
def test_a_placed_chain(changes: Any, sure: float, more: Any, placed: PlacedChain, planning: Callable[..., LinkPlan]):
    (found,) = planning(believed(ALL, sure=sure, **more), **changes).placed
    assert found == placed._replace(confidence=found.confidence)
    assert found.confidence == pytest.approx(placed.confidence)


def test_a_chain_whose_head_noun_is_a_word_of_another_mention_is_likelier_to_be_a_part_of_one(planning: Any) -> None:
    placed = planning(believed((0, 1), (2,))).placed
    assert [one.confidence for one in placed] == [0.75 * 0.5, 0.75 * 0.5]


def test_what_does_not_follow_from_links_that_were_asked_is_inferred_from_the_posterior(planning: Any) -> None:
    plan = planning(believed(ALL, sources={(0, 1): LinkSource.ASKED_YES}, together={(0, 1): 0.9}))
    inferred = dict.fromkeys([(0, 2), (1, 2)], LinkSource.POSTERIOR)
    assert plan.sources == {(0, 1): LinkSource.ASKED_YES, **inferred} and plan.together == {(0, 1): 0.9}


@case("a value puts telling links first", Ask((0, 1), 0.75), {}, Ask((0, 1), 0.75))
@case("links are asked by age", Ask((0, 1), 0.75), {"most_informative_first": False}, Ask((0, 1), 0.0))
@case("people alone answer an audit", Ask((0, 1), 1.0, 0.9), {"model_annotators": [70]}, Ask((0, 1), 1.0, 0.9, (70,)))
def test_a_link_that_is_asked(ask: Ask, changes: dict[str, Any], asked: Ask, planning: Any) -> None:
    assert planning(GroupPlan((ask,), ((0,), (1,), (2,))), **changes).asks == (asked,)


def test_the_planner_hears_each_person_with_the_skill_and_is_given_the_settings(monkeypatch: Any) -> None:
    seen: list[PlanInput] = []

    def planned(known: PlanInput) -> GroupPlan:
        seen.append(known)
        return GroupPlan((), ())

    monkeypatch.setattr(adaptive, "plan_adaptively", planned)
    errors = {"false_negative": 0.06, "false_positive": 0.04}
    values = {"link_stop": 0.05, "link_most": 9, "link_errors": errors, "reask_rate": 0.05}
    settings = settings_with(strategy=LinkStrategy.ADAPTIVE, **values)
    image = ImageProgress(votes=VOTES, expert_links={(0, 2): False}, skipped=[(1, 2)], unswept=[2])
    adaptive_links(settings).believed(image, [], None)
    answers = {(0, 1): [LinkAnswer(True, -0.25), LinkAnswer(False)], (1, 2): [LinkAnswer(True, 0.0)]}
    crowd = CrowdErrors(0.06, 0.04)
    assert seen == [PlanInput([], answers, DEFAULT, 0.05, 9, crowd, {(0, 2): False}, [(1, 2)], 0.05, unswept=[2])]


@pytest.mark.parametrize("strategy", QUESTIONS)
def test_a_strategy_of_the_paper_hears_people_alike_and_no_model_and_spares_no_verification(strategy: Strategy):
    policy = compose(Settings(strategy=LinkStrategy(strategy), verify_below=0.01)).links
    (group,) = policy.groups(mention.for_links() for mention in MEN.mentions.values())
    people = {pair: [vote._replace(skill=0.0) for vote in cast if not vote.by_model] for pair, cast in VOTES.items()}
    heard, alike = (policy.plan(replace(MEN, votes=votes), group) for votes in (VOTES, people))
    assert heard == alike and heard.chains == ((0, 1, 2),)
    given = {(0, 1): True, (0, 2): True, (1, 2): True}
    assert policy.plan(replace(MEN, expert_links=given), group).placed == (PlacedChain(ALL),)


def test_a_strategy_of_the_paper_leaves_chains_of_a_checked_data_set_as_they_are() -> None:
    policy = compose(Settings(reference_set=7, pre_annotations=True)).links
    assert isinstance(policy, ReferencePaperLinks) and policy.source == Reference(7, 0.95)
    image = replace(MEN, expert_links={(0, 1): True, (0, 2): True}, program_chains={7: [[0], [1, 2]]})
    (group,) = policy.groups(mention.for_links() for mention in MEN.mentions.values())
    assert policy.plan(image, group).placed == (PlacedChain(ALL, verify=False),)
    story = started([MAN], [DOG])
    story.progress.program_chains = {7: [[0], [1]]}
    assert not policy.may_join(story.progress, 0, 1) and PaperLinks(Strategy.GREEDY).may_join(story.progress, 0, 1)


BEYOND_RULES = Settings(strategy=LinkStrategy.ADAPTIVE, link_stop=0.05, reask_rate=0.0)
BEYOND = replace(BEYOND_RULES, beyond_rules=True)
TABLE, AGAIN = ("other", "a table"), ("other", "the table")


def answered(story: Story, answer: str) -> Story:
    """Give this answer, each by another worker, until no link is open."""
    worker = 1
    while links := [one for one in story.progress.open.values() if one.task is LINK]:
        story.judge(LINK, answer, worker=worker, subject=links[0].subject)
        worker += 1
    return story


def test_two_phrases_of_one_caption_are_asked_about_and_can_become_one_chain_and_boxes_wait_for_that() -> None:
    story = started([TABLE, AGAIN], settings=BEYOND)
    assert story.asked() == [(LINK, [0, 1])]
    assert answered(story, "same").chains() == [[0, 1]]
    assert 0.5 < (story.chain().confidence or 0) < 1
    story = started([TABLE, AGAIN, ("people", "a man")], settings=BEYOND)
    assert {task for task, _ in story.asked()} == {LINK}
    answered(story, "different")
    assert story.state(2) is not ChainState.LINKING and story.asked()


@pytest.mark.parametrize("settings", [BEYOND_RULES, replace(BEYOND, strategy=LinkStrategy.GREEDY_PLUS)])
def test_without_the_setting_and_by_a_strategy_of_the_paper_they_are_never_asked_about(settings: Settings) -> None:
    story = started([TABLE, AGAIN], settings=settings)
    assert LINK not in {task for task, _ in story.asked()} and story.chains() == [[0], [1]]


def test_images_being_linked_follow_a_switched_setting_and_a_link_left_without_answers_goes_to_review() -> None:
    story = started([TABLE, AGAIN], [("other", "a table"), ("other", "a board")], settings=BEYOND_RULES)
    story.settings = BEYOND
    assert answered(story, "same").chains() == [[0, 1, 2, 3]]
    story = started([TABLE, AGAIN], settings=BEYOND)
    story.void(story.judge(LINK, "same"))
    story.add(EntryKind.STARVE, {"question": story.question(LINK).number})
    assert story.chains() == [[0], [1]]
    assert [story.chain(name).review for name in (0, 1)] == ["starved", "starved"]


LINKED = Settings(strategy=LinkStrategy.ADAPTIVE, link_stop=0.001)


def men(**votes: list[bool]) -> Story:
    """Return an image of three men and a dog with these votes, by the two numbers of a pair."""
    story = started([MAN, DOG], [("people", "him")], [("people", "someone")], settings=LINKED)
    entries = count()
    for name, cast in votes.items():
        pair = int(name[1]), int(name[2])
        story.progress.votes[pair] = [TallyVote(next(entries), worker, same) for worker, same in enumerate(cast)]
    return story


def told(story: Story) -> dict[tuple[int, int], float]:
    return adaptive_links(story.settings).by_other_links(story.progress)


def test_two_links_tell_the_third_whatever_is_said_of_it_itself() -> None:
    for said in (True, False):
        assert told(men(p02=[True] * 3, p23=[True] * 3, p03=[said]))[0, 3] > 0.9
        assert told(men(p02=[True] * 3, p23=[False] * 3, p03=[said]))[0, 3] < 0.1
    assert told(men(p03=[False] * 4))[0, 3] == pytest.approx(told(men(p03=[True]))[0, 3], abs=1e-6)


def test_links_that_were_judged_and_that_no_expert_set_are_told_placed_ones_too() -> None:
    story = men(p02=[True], p03=[True])
    assert sorted(told(story)) == [(0, 2), (0, 3)]
    story.progress.expert_links[0, 2] = True
    assert sorted(told(story)) == [(0, 3)]
    story = started([MAN], [("people", "him")], settings=replace(LINKED, link_stop=0.9))
    assert not story.progress.open or told(story) == {}
    story.progress.votes[0, 1] = [TallyVote(1, 1, True)]
    assert 0 < told(story)[0, 1] < 1


def test_a_refit_of_boxes_plans_no_link_anew_and_one_of_links_does() -> None:
    told = compose(LINKS_BY_PRIOR).links.digest
    boxes, links = replace(DEFAULT_BOXES, refitted_on=15, unseen=0.1), replace(LINKS_BY_PRIOR.learned.links, temper=0.5)
    assert compose(replace(LINKS_BY_PRIOR, learned=replace(LINKS_BY_PRIOR.learned, boxes=boxes))).links.digest == told
    assert compose(replace(LINKS_BY_PRIOR, learned=replace(LINKS_BY_PRIOR.learned, links=links))).links.digest != told


# --- Sweeps ---


SWEEPS: dict[str, Any] = {"strategy": LinkStrategy.ADAPTIVE, "sweeps": True, "link_stop": 0.02}
FOUR_MEN = [[("people", "a man")], [("people", "a boy")], [("people", "someone")], [("people", "him")]]


@case("where the setting is on", {}, 4)
@case("but not where it is off", {"sweeps": False}, 2)
@case("nor where workers may answer about parts", {"part_answers": True}, 2)
@case("nor where models judge links", {"model_annotators": (7,)}, 2)
@case("nor of a checked data set", {"reference_set": 7, "pre_annotations": True}, 2)
@case("also beyond the rules", {"beyond_rules": True}, 4)
def test_one_mention_and_its_candidates_are_asked_about(changes: dict[str, Any], mentions: int) -> None:
    story = started(*FOUR_MEN, settings=Settings(**SWEEPS | changes))
    assert len(story.question(LINK).subject) == mentions


def test_an_answer_to_a_sweep_counts_as_a_judgment_of_each_of_its_pairs_made_in_a_list() -> None:
    story = started(*FOUR_MEN, settings=Settings(**SWEEPS))
    about, *candidates = story.question(LINK).subject
    story.judge(LINK, {"same": candidates[:1]})
    given = adaptive.people_answers(story.progress)
    assert sorted(given) == sorted(story.progress.pairs_of([about, *candidates]))
    number = story.progress.sequence
    assert sorted(answer for (answer,) in given.values()) == [(same, 0.0, 3, number) for same in (False, False, True)]


def test_of_a_sweep_that_nobody_may_answer_pairs_are_asked() -> None:
    story = started(*FOUR_MEN, settings=Settings(**SWEEPS))
    about = story.question(LINK).subject[0]
    story.add(EntryKind.STARVE, {"question": story.question(LINK).number})
    assert about not in story.question(LINK).subject[:1] or len(story.question(LINK).subject) == 2


@case("nothing without the setting", {}, 0.0, 0)
@case("what is likelier", {"sweep_presets": True}, 0.0, 3)
@case("nothing that is not", {"sweep_presets": True}, 1.0, 0)
def test_what_a_sweep_begins_with(changes: dict[str, Any], above: float, preset: int, monkeypatch: Any) -> None:
    monkeypatch.setattr(adaptive, "PRESET_ABOVE", above)
    question = started(*FOUR_MEN, settings=Settings(**SWEEPS | changes)).question(LINK)
    assert question.preset == question.subject[1:][:preset]


def test_a_sweep_is_worth_the_bits_that_it_tells_in_the_time_of_a_pair() -> None:
    found = []
    for further in (0.0, 2.5, 20.0):
        learned = LearnedState(replace(DEFAULT, seconds=LinkSeconds(7.5, further)))
        found.append(started(*FOUR_MEN, settings=Settings(**SWEEPS, learned=learned)).question(LINK))
    cheap, middling, dear = found
    assert len(cheap.subject) == 4 and cheap.value > middling.value > dear.value
    assert len(dear.subject) == 2, "a list that takes longer than its pairs is not worth while"


def test_only_sweeps_change_the_digest_of_a_project_that_asks_them() -> None:
    digests = {
        adaptive_links(Settings(**SWEEPS | changes)).digest
        for changes in ({}, {"sweeps": False}, {"sweep_presets": True}, {"sweeps": False, "sweep_presets": True})
    }
    assert len(digests) == 3
