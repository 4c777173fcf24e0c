"""A change of the box policy reaches a chain in each state that it can be in.
The effect of other settings on one image; record/test_changed_settings.py compares it with what happens.
Workers who are barred from a question, by what they answered before.
"""

from dataclasses import replace
from itertools import permutations
from typing import Any

from annotation.rules.states import BoxState, ChainState
from pipeline.policies.compose import compose
from pipeline.protocol.boxes import tallies
from pipeline.protocol.boxes.tallies import drawer_judged
from pipeline.protocol.image.machine import EntryKind, RecordEntry, apply, begin
from pipeline.protocol.image.settings_effect import SettingsEffect, settings_effect
from pipeline.protocol.state.progress import ChainAnswer, ImageProgress
from pipeline.protocol.tasks.task import Task
from pipeline.settings.of_belief import BoxPolicyName, LinkStrategy
from pipeline.settings.settings import Settings
from tests.support.images import BOX, DOG, MAN, NONE_MISSING, PARK, Story, started
from tests.support.legal import assert_legal
from tests.support.table import case
from tests.support.tasks import ASK, COVER, DRAW, JUDGE, LINK, VERIFY

OTHER_BOX = {"box": [60, 60, 90, 90]}
DOGS = ("animals", "some dogs")


def begun(mention: tuple[str, str], policy: BoxPolicyName, **changes: Any) -> Story:
    return started([mention], settings=Settings(box_policy=policy, **changes))


def changed(story: Story, policy: BoxPolicyName) -> Story:
    story.settings = replace(story.settings, box_policy=policy)
    return story


def heard(story: Story) -> list[tuple[Task, Any, int | None, list[int]]]:
    return [(one.task, one.value, one.worker, one.boxes) for one in story.chain().answers]


def finished(story: Story) -> Story:
    """Answer as if every box were good and none missing once there is one, each time as another worker."""
    answers: dict[Task, Any] = {ASK: 1, JUDGE: "good", COVER: "all there"}
    for worker in range(50, 70):
        for question in list(story.progress.open.values()):
            drawing = NONE_MISSING if story.progress.accepted(0) else OTHER_BOX
            story.judge(question.task, answers.get(question.task, drawing), worker)
            assert_legal(story.progress)
    assert not story.progress.open
    return story


def test_until_the_next_answer_nothing_changes():
    story = begun(DOG, BoxPolicyName.PAPER).judged((ASK, 3, 1))
    before = story.asked()
    changed(story, BoxPolicyName.BELIEF)
    story.report("mention", 0, worker=2)
    assert story.asked() == before and heard(story) == [(ASK, 3, 1, [])]


def test_in_coverage_the_drawing_the_judgment_and_the_votes_of_the_visit_count():
    story = begun(MAN, BoxPolicyName.PAPER).draw_accepted(worker=1, judge=2).judged((COVER, "all there", 3))
    changed(story, BoxPolicyName.BELIEF).judge(COVER, "all there", worker=4)
    votes = [(COVER, "all there", worker, [0]) for worker in (3, 4)]
    assert heard(story) == [(DRAW, 0, 1, []), (JUDGE, "good", 2, [0]), *votes]
    assert story.state() is ChainState.COMPLETE


def test_in_drawing_again_judges_of_all_visits_stay_barred_and_their_votes_count():
    story = begun(DOGS, BoxPolicyName.PAPER, drawn_at_once=("animals",), box_sure=0.999).draw_accepted(
        worker=1, judge=2
    )
    story.judged((COVER, "more needed", 3), (DRAW, NONE_MISSING, 4), (COVER, "more needed", 5))
    changed(story, BoxPolicyName.BELIEF).judge(DRAW, NONE_MISSING, worker=6)
    assert (COVER, "more needed", 5, [0]) in heard(story)
    assert (COVER, "more needed", 3, [0]) in heard(story), "of an earlier visit"
    assert {3, 4, 5, 6} <= compose(story.settings).boxes.barred(story.progress, COVER, [0])


def test_in_drawing_the_boxes_that_are_shown_stay_accepted():
    story = begun(DOGS, BoxPolicyName.BELIEF).judged((DRAW, BOX, 1))
    assert story.state() is ChainState.DRAWING
    changed(story, BoxPolicyName.PAPER).judge(DRAW, OTHER_BOX, worker=2)
    assert (story.boxes(BoxState.ACCEPTED), story.boxes(BoxState.PENDING)) == ([0], [1])
    assert story.state() is ChainState.QUALITY
    finished(story)


def test_in_quality_the_answer_settles_a_box_that_was_shown_before():
    story, worker = begun(DOGS, BoxPolicyName.BELIEF, box_sure=0.97), 0
    while story.state() is not ChainState.QUALITY:
        worker += 1
        (question,) = story.progress.open.values()
        story.judge(question.task, {ASK: 1, DRAW: BOX, COVER: "all there"}[question.task], worker)
    number = story.question(JUDGE).subject[1]
    changed(story, BoxPolicyName.PAPER).judge(JUDGE, "bad", worker=30)
    assert number in story.boxes(BoxState.DISCARDED)
    assert story.state() is ChainState.DRAWING
    assert_legal(story.progress)


def test_a_chain_ends_whenever_the_policy_changes():
    given: dict[Task, Any] = {ASK: 1, DRAW: BOX, JUDGE: "good", COVER: "more needed"}
    for policy, other in permutations(BoxPolicyName):
        story = begun(DOGS, policy)
        for answers in range(8):
            ended = finished(changed(replace(story, record=[*story.record]), other)).state()
            assert ended in (ChainState.COMPLETE, ChainState.REVIEW), f"{policy}, {answers} answers"
            for question in list(story.progress.open.values()):
                story.judge(question.task, given[question.task], answers + 1)


def test_a_finished_chain_stays_finished_under_the_other_policy():
    story = finished(begun(MAN, BoxPolicyName.BELIEF))
    sure = story.chain().box_confidence
    changed(story, BoxPolicyName.PAPER).report("mention", 0, worker=2)
    assert (story.state(), story.chain().box_confidence) == (ChainState.COMPLETE, sure)


def test_whatever_the_policies_are_every_answer_is_kept_and_belief_weighs_a_box_that_was_judged_bad():
    story = begun(MAN, BoxPolicyName.PAPER).judged((DRAW, BOX, 1), (JUDGE, "bad", 2), (DRAW, OTHER_BOX, 3))
    changed(story, BoxPolicyName.BELIEF).judge(JUDGE, "good", worker=4)
    bad = [(DRAW, 0, 1, []), (JUDGE, "bad", 2, [0])]
    assert heard(story) == [*bad, (DRAW, 1, 3, []), (JUDGE, "good", 4, [1])]


def test_an_expert_s_word_is_that_of_a_drawer_and_a_judge_of_each_accepted_box():
    for policy in BoxPolicyName:
        story = begun(MAN, policy).by_expert("draw", chain=0, box=[10, 10, 50, 50])
        story.by_expert("draw", chain=0, box=[60, 60, 90, 90]).expert("send", chain=0, to="coverage")
        entry = story.progress.sequence
        assert story.chain().answers == [
            ChainAnswer(entry, None, DRAW, 0, []),
            ChainAnswer(entry, None, JUDGE, "good", [0]),
            ChainAnswer(entry, None, DRAW, 1, [0]),
            ChainAnswer(entry, None, JUDGE, "good", [1]),
        ]


def test_a_model_has_no_vote_in_the_tallies_of_the_papers_loop():
    story = begun(DOG, BoxPolicyName.BELIEF, model_annotators=(70,)).judged(
        (ASK, 1, 70), (DRAW, BOX, 1), (JUDGE, "good", 70)
    )
    story.judge(COVER, "all there", 70)
    assert story.chain().answers[-1].is_judged_by_model
    assert (tallies.requirement(story.chain()), tallies.visit(story.chain())) == ([], [])


EXHAUSTIVE = Settings(strategy=LinkStrategy.EXHAUSTIVE)
GREEDY = Settings(strategy=LinkStrategy.GREEDY)


def started_image(settings: Settings = EXHAUSTIVE) -> ImageProgress:
    """Three phrases of three captions: three links under the exhaustive strategy."""
    mentions = [[number, number, 0, 1, ["people"], f"man{number}"] for number in range(3)]
    progress = begin(RecordEntry(0, EntryKind.IMPORT, {"mentions": mentions}))
    apply(progress, RecordEntry(1, EntryKind.START, {}), compose(settings))
    return progress


def test_greedy_withdraws_the_links_that_exhaustive_had_opened_and_those_that_workers_have_stay_open():
    effect = settings_effect(started_image(), compose(EXHAUSTIVE), compose(GREEDY), ())
    assert (effect.open_links, effect.closed_links, effect.opened_links) == (3, 2, 0)
    on_loan = settings_effect(started_image(), compose(EXHAUSTIVE), compose(GREEDY), (1, 2))
    assert (on_loan.closed_links, on_loan.links_on_loan) == (1, 2)


def test_the_same_settings_of_links_do_nothing_and_effects_add_up():
    same = replace(EXHAUSTIVE, merge_iou=0.7)
    assert settings_effect(started_image(), compose(EXHAUSTIVE), compose(same), ()) == SettingsEffect(open_links=3)
    one = SettingsEffect(3, 2, 1, 1, 5, 2, 0, 1)
    assert one.plus(one) == SettingsEffect(6, 4, 2, 2, 10, 4, 0, 2)
    assert one.plus(SettingsEffect()) == one


def busy() -> Story:
    """Three men whose links contradict, two dogs that were told apart, and a park that one worker finds non-visual."""
    plus = Settings(strategy=LinkStrategy.EXHAUSTIVE_PLUS)
    story = started([MAN, PARK, DOG], [MAN, DOG], [MAN], settings=plus)
    story.judged((LINK, "different", 1, [2, 4]), (ASK, 3, 1, [1]), (ASK, 1, 1, [2]))
    links = {(0, 3): "same", (3, 5): "same", (0, 5): "different"}
    return story.judged(*((LINK, answer, 1, [*pair]) for pair, answer in links.items()), (LINK, "same", 2, [0, 5]))


PLACES = SettingsEffect(open_links=3, closed_links=3, votes=4, unread_votes=1, placed_chains=1, met_tallies=1)


@case("a strategy that asks each pair once reads first votes alone", LinkStrategy.EXHAUSTIVE, PLACES)
@case("so does greedy", LinkStrategy.GREEDY, PLACES)
@case("greedy plus reads all", LinkStrategy.GREEDY_PLUS, SettingsEffect(open_links=3, votes=4, met_tallies=1))
@case("the same strategy", LinkStrategy.EXHAUSTIVE_PLUS, SettingsEffect(open_links=3, met_tallies=1))
def test_settings_act_on_the_links_and_tallies_that_are_open(strategy: LinkStrategy, effect: SettingsEffect):
    story = busy()
    after = replace(story.settings, strategy=strategy, no_box_votes=1)
    assert settings_effect(story.progress, story.rules(), compose(after), ()) == effect


MORE, ALL = "more needed", "all there"
GOOD, BAD = [(DRAW, BOX, 1), (JUDGE, "good", 2)], [(DRAW, BOX, 7), (JUDGE, "bad", 8)]


def drawn_and_judged() -> Story:
    """A chain in coverage: worker 1 drew its box, and worker 2 judged the box."""
    return started([MAN]).draw_accepted(worker=1, judge=2)


def test_nobody_votes_twice_on_whether_a_chain_needs_a_box() -> None:
    story = started([DOG]).judged((ASK, 3, 5))
    assert story.question(ASK).barred == [5], "while the question stays open"
    story.judged((ASK, 1, 6), (ASK, 1, 7), (DRAW, NONE_MISSING, 8))
    assert story.question(ASK).barred == [5, 6, 7, 8], "in the next one, too; the drawer voted by drawing nothing"


@case("no worker alone makes a chain non-visual", [(DRAW, NONE_MISSING, 1)], ASK, [1])
@case("nobody judges a box of their own", [(DRAW, BOX, 3)], JUDGE, [3])
@case("who drew a good box does not judge the coverage that follows", GOOD, COVER, [1])
@case("nor who found none missing", [*GOOD, (COVER, MORE, 4), (DRAW, NONE_MISSING, 5)], COVER, [4, 5])
@case("a bad box lets no judge back in", [*GOOD, (COVER, MORE, 3), *BAD, (DRAW, NONE_MISSING, 9)], COVER, [3, 9])
def test_who_is_barred_from_a_question(judgments: list[Any], task: Task, barred: list[int]) -> None:
    assert started([MAN]).judged(*judgments).question(task).barred == barred


def test_voters_draw_only_after_the_first_accepted_box_and_no_finder_of_nothing_sends_a_chain_to_review() -> None:
    story = started([DOG]).judged((ASK, 1, 1))
    assert story.question(DRAW).barred == [1]
    story.draw_accepted(worker=2, judge=3).judged((COVER, MORE, 4))
    assert story.question(DRAW).barred == [], "from the first accepted box on everybody may draw"
    story = drawn_and_judged().judged((COVER, MORE, 4), (DRAW, NONE_MISSING, 5), (COVER, MORE, 6))
    assert story.question(DRAW).barred == [5], "until a box is added"
    story.draw_accepted(worker=7, judge=8, box={"box": [60, 60, 90, 90]}).judged((COVER, MORE, 9))
    assert story.question(DRAW).barred == []


def test_in_a_small_crew_the_drawer_may_judge_the_coverage_and_is_marked_then() -> None:
    story = started([MAN], settings=Settings(drawer_judges_coverage=True)).draw_accepted(worker=1, judge=2)
    assert story.question(COVER).barred == []
    story.judge(COVER, ALL, worker=2)
    assert not drawer_judged(story.chain())
    story.judge(COVER, ALL, worker=1)
    assert drawer_judged(story.chain())


def test_judges_of_a_visit_without_a_new_box_are_barred_until_there_is_one() -> None:
    story = drawn_and_judged().judged((COVER, ALL, 3))
    assert story.question(COVER).barred == [1, 3], "nobody votes twice in one visit"
    for worker in (4, 5):
        story.judge(COVER, MORE, worker=worker)
    story.judge(DRAW, NONE_MISSING, worker=6)
    assert story.question(COVER).barred == [3, 4, 5, 6]
    story.judged((COVER, MORE, 7)).draw_accepted(worker=8, judge=9, box={"box": [60, 60, 90, 90]})
    assert story.question(COVER).barred == [8]


def test_a_drawer_may_draw_again_and_anybody_may_verify_but_whom_an_expert_spares() -> None:
    story = started([MAN], [("people", "a guy")]).link((0, 1))
    assert story.question(VERIFY).barred == []
    story.judged((VERIFY, "true", 1)).draw_accepted(worker=1).judged((COVER, MORE, 2))
    assert story.question(DRAW).barred == []
    story = started([MAN], [("people", "a guy")]).link((0, 1)).judged((VERIFY, "true", 1))
    story.draw_accepted(worker=2, judge=3).by_expert("ask others", chain=0, to="verification")
    assert story.question(VERIFY).barred == [2]
