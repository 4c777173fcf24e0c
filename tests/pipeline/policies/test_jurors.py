"""Chains that programs judge before people, from their first question on.
Programs that judge links are asked before people, and count as much as they were right.
Programs that judge boxes are asked first, count as evidence, and decide nothing alone.
Programs of one family count as one opinion about boxes, until answers show that they err apart.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from annotation.rules.states import BoxState, ChainState
from annotation.rules.transitivity import Pair
from belief.boxes.tasks import BoxTask
from belief.links.link_prior import DEFAULT
from belief.models.audit import LinkAudit
from pipeline.policies.box_evidence import box_evidence, shown_boxes
from pipeline.policies.box_policy import Verdict
from pipeline.policies.compose import compose
from pipeline.policies.engine import engine_of
from pipeline.policies.link_models import LOT, lot_of, told_by_models
from pipeline.policies.models import asked_of_models, draw_lot, in_lot
from pipeline.protocol.boxes.proposals import next_proposals
from pipeline.protocol.context import Context
from pipeline.protocol.image.machine import EntryKind
from pipeline.protocol.image.undo import fold_record
from pipeline.protocol.state.answer import Answer
from pipeline.protocol.state.link_source import LinkSource
from pipeline.protocol.state.progress import Cause, ChainProgress, Vote
from pipeline.protocol.state.progress_json import from_json, to_json
from pipeline.protocol.tasks.task import JUDGING, Task
from pipeline.settings.policy_names import BoxPolicy, LinkStrategy
from pipeline.settings.settings import Settings
from tests.support.images import BOX, NONE_MISSING, PARK, Story, imported, started
from tests.support.settings_with import settings_with
from tests.support.table import case
from tests.support.tasks import ASK, COVER, DRAW, JUDGE, LINK

GUY = ("people", "a man")
JUROR, OTHER_JUROR, PROPOSER = 70, 71, 40
OF_PEOPLE = {"person": [95.0, 5.0]}
SURE = {"missing": [95.0, 5.0], "there": [95.0, 5.0], "good": [95.0, 5.0], "bad": OF_PEOPLE}
ONE_FAMILY = {str(JUROR): "llava", str(OTHER_JUROR): "llava"}
BOTH: dict[str, Any] = {"jurors": (JUROR, OTHER_JUROR), "families": ONE_FAMILY}
KNOWN = {"jurors": {str(juror): SURE for juror in (JUROR, OTHER_JUROR)}}
WITH_JUROR = settings_with(box_policy=BoxPolicy.BELIEF, jurors=(JUROR,), juror_lot=0.0, box_prior=KNOWN)


def begun(*mentions: tuple[str, str], **changes: Any) -> Story:
    return started(list(mentions), settings=settings_with(WITH_JUROR, **changes))


def drawn(story: Story) -> Story:
    """The juror wants a box, and a person draws one."""
    story.judged((ASK, 1, JUROR), (DRAW, BOX, 1))
    return story


MAN, LINKED_GUY = ("people", "a man"), ("people", "a tall guy")
SURE_LINKS = {"same": [195.0, 5.0], "different": [195.0, 5.0]}
KNOWN_LINKS = DEFAULT.to_json() | {"jurors": {str(juror): SURE_LINKS for juror in (JUROR, OTHER_JUROR)}}
WITH_LINK_JUROR = settings_with(
    strategy=LinkStrategy.ADAPTIVE, reask_share=0.0, jurors=(JUROR,), juror_lot=0.0, link_prior=KNOWN_LINKS
)


def begun_links(**changes: Any) -> Story:
    return started([MAN], [LINKED_GUY], settings=settings_with(WITH_LINK_JUROR, **changes))


def told(story: Story, **changes: Any) -> dict[Pair, float]:
    """Return what models tell of pairs, under the settings of the story with these changes."""
    return told_by_models(story.progress, settings_with(story.settings, **changes), lot_of(story.progress))


def asked(story: Story, settings: Settings) -> tuple[Verdict, int | None] | None:
    return asked_of_models(story.progress, story.chain(), shown_boxes(story.progress, story.chain()), settings)


def test_a_juror_that_is_often_right_leaves_nothing_to_ask_people():
    story = begun_links()
    assert told(story) == {}
    story.judge(LINK, "same", JUROR)
    assert told(story)[0, 1] > 3
    assert story.chains() == [[0, 1]] and story.state() is not ChainState.LINKING
    assert story.progress.sources[0, 1] is LinkSource.PROGRAM and not story.progress.votes_by(model=False)


def test_a_juror_in_doubt_leaves_the_same_question_to_people():
    doubtful = DEFAULT.to_json() | {"jurors": {str(JUROR): {"same": [60.0, 40.0], "different": [60.0, 40.0]}}}
    story = begun_links(link_prior=doubtful, link_stop=0.01)
    number = story.question(LINK).number
    story.judge(LINK, "same", JUROR)
    assert (story.question(LINK).number, story.question(LINK).barred) == (number, [JUROR])
    story.link((0, 1))
    assert story.progress.sources[0, 1] in (LinkSource.ASKED_YES, LinkSource.REASKED)


def test_while_a_juror_is_new_its_answers_are_kept_and_people_answer():
    story = begun_links(link_prior=DEFAULT.to_json()).judged((LINK, "same", JUROR))
    assert lot_of(story.progress) is LinkAudit.PEOPLE
    assert story.progress.votes[0, 1] == [Vote(2, JUROR, answer=True, by_model=True)]
    assert told(story) == {} and story.asked() == [(LINK, [0, 1])]


def test_in_an_image_of_the_lot_people_are_asked_as_if_there_were_no_juror():
    alone, with_juror = begun_links(jurors=()), begun_links(juror_lot=0.2)
    with_juror.progress.notes[LOT] = LinkAudit.PEOPLE.value
    with_juror.judge(LINK, "different", JUROR)
    for story in (alone, with_juror):
        story.link((0, 1))
    assert alone.progress.votes.keys() == with_juror.progress.votes_by(model=False).keys()
    assert [chain.confidence for chain in alone.progress.chains.values()] == [
        chain.confidence for chain in with_juror.progress.chains.values()
    ]


def test_what_a_juror_that_is_set_aside_said_counts_no_longer():
    story = begun_links(jurors=(JUROR, OTHER_JUROR), link_stop=0.0001).judged((LINK, "same", JUROR))
    assert (0, 1) in told(story)
    assert told(story, jurors=(OTHER_JUROR,))[0, 1] == 0
    assert told(story, jurors=()) == {}


def test_an_answer_of_a_program_that_was_set_aside_meanwhile_changes_nothing():
    story = begun_links()
    number = story.question(LINK).number
    story.settings = replace(WITH_LINK_JUROR, jurors=())
    story.add(EntryKind.JUDGMENT, {"question": number, "worker": JUROR, "answer": "same"}, Context(by_model=True))
    assert not story.progress.votes
    assert JUROR in story.question(LINK).barred and story.reasons("question") == [Cause.SET_ASIDE]


def test_no_juror_is_asked_what_is_asked_by_lot():
    for question in begun_links(reask_share=0.2, link_stop=0.9).progress.open.values():
        assert question.predicted is None or JUROR in question.barred


def test_what_jurors_said_is_stored_with_the_image():
    story = begun_links().judged((LINK, "same", JUROR))
    again = from_json(to_json(story.progress))
    assert (again.votes, lot_of(again)) == (story.progress.votes, LinkAudit.BOTH)


def test_two_jurors_of_one_family_say_no_more_than_the_first_and_the_second_is_not_asked():
    story = begun_links(jurors=(JUROR, OTHER_JUROR), link_stop=0.0001, families=ONE_FAMILY)
    story.judge(LINK, "same", OTHER_JUROR)
    assert story.question(LINK).barred == [JUROR, OTHER_JUROR]
    one = told(story)[0, 1]
    story.progress.votes[0, 1].append(
        Vote(9, JUROR, answer=True, by_model=True)
    )  # it had the question when they became kin
    assert told(story)[0, 1] == one
    assert told(story, jurors=(JUROR,))[0, 1] == one, "the first one's answer, once it is set aside"
    assert told(story, families={})[0, 1] == 2 * one


def test_two_of_a_family_whose_answers_show_them_apart_are_asked_and_count_each():
    apart = KNOWN_LINKS | {"pairs_of_jurors": {f"{JUROR} {OTHER_JUROR}": {"apart": 5.0}}}
    story = begun_links(jurors=(JUROR, OTHER_JUROR), link_stop=0.0001, families=ONE_FAMILY, link_prior=apart)
    for juror in (JUROR, OTHER_JUROR):
        assert juror not in story.question(LINK).barred
        story.judge(LINK, "same", juror)
    one = told(story, jurors=(JUROR,))[0, 1]
    assert told(story)[0, 1] == 2 * one


def test_in_the_lot_each_of_a_family_is_asked_so_that_their_errors_can_be_compared():
    story = begun_links(jurors=(JUROR, OTHER_JUROR), link_prior=DEFAULT.to_json(), families=ONE_FAMILY)
    story.judge(LINK, "same", JUROR)
    assert lot_of(story.progress) is LinkAudit.PEOPLE and story.question(LINK).barred == [JUROR]


def test_other_families_are_other_rules_of_links():
    assert compose(replace(WITH_LINK_JUROR, families=ONE_FAMILY)).links.digest != compose(WITH_LINK_JUROR).links.digest


def test_a_juror_is_asked_what_it_may_answer_and_a_person_what_is_left():
    story = begun(GUY)
    assert story.asked() == [(ASK, [0])]
    story.judge(ASK, 1, JUROR)
    assert story.asked() == [(DRAW, [0])], "no program draws"
    story.judge(DRAW, BOX, 1)
    assert story.asked() == [(JUDGE, [0, 0])]
    story.judge(JUDGE, "good", JUROR)
    assert story.asked() == [(COVER, [0])]
    story.judge(COVER, "all there", JUROR)
    assert story.state() is ChainState.COMPLETE, "a person drew, and the juror says the rest"
    assert (story.chain().box_confidence or 0) > 0.95


def test_without_jurors_the_same_chain_asks_people():
    story = begun(GUY, jurors=())
    assert story.asked() == [(DRAW, [0])] and in_lot(story.chain()) is None


def test_a_juror_is_asked_the_same_about_the_same_boxes_once_each_juror_for_itself():
    story = begun(GUY, jurors=(JUROR, OTHER_JUROR))
    question = story.question(ASK).number
    story.judge(ASK, 1, JUROR)
    assert story.question(ASK).number == question and JUROR in story.question(ASK).barred
    story.judge(ASK, 1, OTHER_JUROR)
    assert story.asked() == [(DRAW, [0])]
    assert asked(story, story.settings) is None


def test_people_go_on_without_a_juror_that_is_silent():
    story = begun(GUY).judged((ASK, 1, 1))
    assert story.asked() == [(DRAW, [0])], "nobody else is asked what the juror has let lie"
    story.judge(DRAW, BOX, 2)
    assert story.asked() == [(JUDGE, [0, 0])], "it is asked about what is new"
    story.judge(JUDGE, "good", 3)
    assert story.asked() == [(COVER, [0])]


def test_nothing_is_asked_for_the_sake_of_a_juror_that_is_not_at_work():
    story = imported([GUY], settings=WITH_JUROR)
    story.add(EntryKind.START, context=Context(silent=(JUROR,)))
    assert story.asked() == [(DRAW, [0])]
    question = story.question(DRAW).number
    story.add(EntryKind.JUDGMENT, {"question": question, "worker": 1, "answer": BOX})
    assert story.asked() == [(JUDGE, [0, 0])], "it is at work again"


def test_after_a_box_that_jurors_alone_called_bad_the_next_proposal_follows_but_not_after_a_person_did():
    bad = {**OF_PEOPLE, str(PROPOSER): [95.0, 5.0]}
    prior = {"jurors": {str(JUROR): {**SURE, "bad": bad}}, "programs": {str(PROPOSER): _good_boxes()}}
    for judges, left in (((JUROR,), 1), ((1,), 0), ((JUROR, 1), 0)):
        story = begun(GUY, proposals=True, box_prior=prior).judged((ASK, 1, JUROR))
        boxes = [[0, 10, 10, 50, 50], [0, 60, 60, 90, 90]]
        story.add(EntryKind.PROPOSE, {"worker": PROPOSER, "boxes": boxes})
        story.progress.boxes[0].state = BoxState.DISCARDED
        story.chain().answers += [Answer(9, one, JUDGE, "bad", [0], by_model=one == JUROR) for one in judges]
        assert len(next_proposals(story.progress, story.chain())) == left, judges


def test_no_juror_judges_a_box_that_it_proposed_itself():
    story = begun(GUY, proposals=True, jurors=(PROPOSER, JUROR), box_sure=0.5)
    for juror in (PROPOSER, JUROR):
        story.judge(ASK, 1, juror)
    story.add(EntryKind.PROPOSE, {"worker": PROPOSER, "boxes": [[0, 10, 10, 50, 50]]})
    assert (story.asked(), story.question(JUDGE).barred) == ([(JUDGE, [0, 0])], [PROPOSER])


ALLOWED = {"chains": 200, "claims": 90, "said": 0.95, "right": 0.95, "least": 0.9, "most": 0.98}


@case("allowed", True, ALLOWED, True)
@case("not allowed", False, ALLOWED, False)
@case("too few chains of the lot", True, ALLOWED | {"chains": 199}, False)
@case("too sure", True, ALLOWED | {"said": 0.99}, False)
def test_programs_alone_finish_a_chain_where_setting_and_lot_allow(*, alone: bool, held: dict[str, Any], ends: bool):
    bad = {**OF_PEOPLE, str(PROPOSER): [95.0, 5.0]}
    records = {str(juror): {**SURE, "bad": bad} for juror in (JUROR, OTHER_JUROR)}
    prior = {"jurors": records, "programs": {str(PROPOSER): _good_boxes()}, "held": {"alone": held}}
    both: dict[str, Any] = {"jurors": (JUROR, OTHER_JUROR), "programs_alone": alone, "box_prior": prior}
    boxed, none = begun(GUY, proposals=True, **both), begun(PARK, **both)
    for juror in both["jurors"]:
        none.judge(ASK, 2, juror)
        boxed.judge(ASK, 1, juror)
    boxed.add(EntryKind.PROPOSE, {"worker": PROPOSER, "boxes": [[0, 10, 10, 50, 50]]})
    for juror in 2 * both["jurors"]:
        _find_nothing_wrong(boxed, juror)
    assert (none.state() is ChainState.NON_VISUAL) == (boxed.state() is ChainState.COMPLETE) == ends
    assert bool(none.asked() and boxed.asked()) != ends, "else a person is asked"


def _good_boxes() -> dict[str, Any]:
    return {"good": [0.0] * 5 + [98.0], "bad": [0.0] * 5 + [2.0]}


def _find_nothing_wrong(story: Story, juror: int) -> None:
    while (asked := _question_for(story, juror)) is not None:
        story.judge(asked, {JUDGE: "good", COVER: "all there"}[asked], juror)


def _question_for(story: Story, worker: int) -> Task | None:
    free = (one.task for one in story.progress.open.values() if one.task in JUDGING and worker not in one.barred)
    return next(free, None)


def test_no_chain_is_non_visual_without_a_persons_vote():
    story = begun(PARK).judged((ASK, 2, JUROR))
    assert story.asked() == [(ASK, [0])]
    story.judge(ASK, 2, 1)
    assert (story.state(), story.chain().non_visual) == (ChainState.NON_VISUAL, "scene")


def test_a_juror_that_overlooks_much_has_no_vote_for_no_box():
    guesses = {**SURE, "missing": [60.0, 40.0]}
    story = begun(PARK, box_prior={"jurors": {str(JUROR): guesses}}).judged((ASK, 2, JUROR), (ASK, 2, 1))
    assert story.asked() == [(ASK, [0])], "two people's votes are needed"


@pytest.mark.parametrize("known", [False, True], ids=["while nobody knows the juror", "by lot"])
def test_people_answer_about_chains_of_the_lot_whatever_a_juror_says(*, known: bool):
    changes: dict[str, Any] = {"juror_lot": 0.2} if known else {"box_prior": {}}
    story = next(one for one in _stories(changes) if in_lot(one.chain()))
    drawn(story)
    story.judge(JUDGE, "bad", JUROR)
    assert story.progress.boxes[0].state.value != "discarded", "what the juror says is kept for later"
    assert [one.by_model for one in story.chain().answers] == [True, False, True]


def _stories(changes: dict[str, Any]) -> Iterator[Story]:
    settings = settings_with(WITH_JUROR, **changes)
    for number in range(60):
        yield started([("people", f"a man {number}")], settings=settings)


def test_no_chain_of_the_lot_is_finished_by_programs_alone():
    prior = {"programs": {str(PROPOSER): _good_boxes()}, "held": {"alone": ALLOWED}}
    story = begun(GUY, proposals=True, programs_alone=True, box_prior=prior).judged((ASK, 1, JUROR))
    story.add(EntryKind.PROPOSE, {"worker": PROPOSER, "boxes": [[0, 10, 10, 50, 50]]})
    _find_nothing_wrong(story, JUROR)
    assert in_lot(story.chain()) and story.asked()


SUSPECT = {"jurors": {str(JUROR): {**SURE, "weight": 0.5}}}


@case("grows while a juror makes the belief too sure", {"juror_lot": 0.0, "box_prior": SUSPECT})
@case("is about as large as it should be", {"juror_lot": 0.2})
def test_the_lot(changes: dict[str, Any]):
    settings, found = settings_with(WITH_JUROR, **changes), 0
    for number in range(60):
        progress, chain = imported([("people", f"a man {number}")]).progress, ChainProgress(0, [0])
        draw_lot(progress, chain, settings)
        found += bool(in_lot(chain))
    assert 4 <= found <= 22


def test_answers_of_a_program_count_while_it_is_at_work_whenever_they_were_given():
    story = drawn(begun(GUY)).judged((JUDGE, "good", JUROR))
    prior = engine_of(story.settings).box_rules.prior
    for jurors, counted in (((JUROR,), 2), ((), 0), ((OTHER_JUROR,), 0), ((OTHER_JUROR, JUROR), 2)):
        evidence = box_evidence(story.progress, story.chain(), prior, {}, jurors)
        assert sum(one.model is not None for one in evidence.answers) == counted


def test_the_record_tells_the_same_state_with_programs_coming_and_going():
    story = drawn(begun(GUY, box_sure=0.99))
    for jurors in ((), (JUROR, OTHER_JUROR), (OTHER_JUROR,)):
        story.settings = replace(story.settings, jurors=jurors)
        if not story.asked():
            story.expert("send", chain=0, to="coverage")
        (task, _), *_ = story.asked()
        story.judge(task, {JUDGE: "good", COVER: "all there", DRAW: NONE_MISSING}[task], 10 + len(jurors))
    assert to_json(fold_record(story.record)) == to_json(story.progress)


def test_of_two_of_a_family_one_is_asked_and_only_its_answer_counts():
    story = begun(GUY, **BOTH).judged((ASK, 1, OTHER_JUROR))
    assert story.asked() == [(DRAW, [0])], "its kin is not asked the same"
    story.judged((DRAW, BOX, 1), (JUDGE, "good", JUROR))
    heard = Answer(story.progress.sequence, OTHER_JUROR, JUDGE, "bad", [0], by_model=True)
    story.chain().answers.append(heard)  # it had the question when the two were said to be kin
    prior = engine_of(story.settings).box_rules.prior
    cases: list[tuple[dict[str, str], list[int]]] = [(ONE_FAMILY, []), ({}, [OTHER_JUROR])]
    for families, counted in cases:
        settings = replace(story.settings, families=families)
        in_force = settings.jurors, engine_of(settings).families_in(JUDGE)
        evidence = box_evidence(story.progress, story.chain(), prior, {}, *in_force)
        assert [one.model and int(one.model) for one in evidence.answers] == [OTHER_JUROR, None, JUROR, *counted]


def test_two_of_a_family_whose_answers_show_them_apart_are_asked_each():
    apart = KNOWN | {"pairs": {f"{JUROR} {OTHER_JUROR}": {"apart": 5.0}}}
    story = begun(GUY, **BOTH, box_prior=apart).judged((ASK, 1, JUROR))
    assert story.asked() == [(ASK, [0])] and story.question(ASK).barred == [JUROR]


def test_in_the_lot_each_of_a_family_is_asked():
    story = begun(GUY, **BOTH, box_prior={}).judged((ASK, 1, JUROR))
    assert in_lot(story.chain()) and story.asked() == [(ASK, [0])] and story.question(ASK).barred == [JUROR]


def test_a_family_has_one_vote_for_no_box():
    """The second had the question on loan when the requester said that they are kin."""
    for families, state in ((ONE_FAMILY, ChainState.REQUIREMENT), ({}, ChainState.NON_VISUAL)):
        story = begun(PARK, jurors=(JUROR, OTHER_JUROR), no_box_votes=3, box_sure=0.5).judged((ASK, 2, JUROR))
        number = story.question(ASK).number
        story.settings = replace(story.settings, families=families)
        story.add(EntryKind.JUDGMENT, {"question": number, "worker": OTHER_JUROR, "answer": 2})
        story.judge(ASK, 2, 1)
        assert story.state() is state


def test_once_the_first_of_a_family_is_set_aside_the_other_is_asked():
    story = drawn(begun(GUY, **BOTH, box_sure=0.99)).judged((JUDGE, "good", JUROR))
    assert asked(story, story.settings) == (Verdict.COVER, None)
    alone = replace(story.settings, jurors=(OTHER_JUROR,))
    assert asked(story, alone) == (Verdict.JUDGE, 0)


def proposed(**changes: Any) -> Story:
    """A box that a program proposed, which judges, too."""
    known = {str(juror): SURE for juror in (PROPOSER, JUROR)}
    story = begun(GUY, proposals=True, box_sure=0.5, box_prior={"jurors": known}, **changes).judged((ASK, 1, JUROR))
    if story.asked() == [(ASK, [0])]:
        story.judge(ASK, 1, PROPOSER)
    story.add(EntryKind.PROPOSE, {"worker": PROPOSER, "boxes": [[0, 10, 10, 50, 50]]})
    return story


def test_no_program_judges_a_box_of_its_family_unless_the_settings_let_it():
    kin: dict[str, Any] = {"families": {str(PROPOSER): "llava", str(JUROR): "llava"}}
    assert proposed(jurors=(JUROR,)).question(JUDGE).barred == [PROPOSER]
    for jurors in ((JUROR,), (JUROR, PROPOSER)):
        story = proposed(jurors=jurors, **kin)
        assert story.question(JUDGE).barred == [PROPOSER, JUROR], "people judge it"
        assert asked(story, story.settings) is None
        let = proposed(jurors=jurors, **kin, own_proposals_judged=True)
        assert let.question(JUDGE).barred == []
        let.judge(JUDGE, "good", JUROR)
        assert PROPOSER not in let.question(COVER).barred and JUROR not in let.question(COVER).barred
    assert proposed(jurors=(PROPOSER,), own_proposals_judged=True).question(JUDGE).barred == []


def test_a_program_that_judges_its_own_box_is_taken_to_be_blind_to_its_faults():
    story = proposed(jurors=(PROPOSER,), own_proposals_judged=True).judged((JUDGE, "good", PROPOSER))
    evidence = box_evidence(story.progress, story.chain(), engine_of(story.settings).box_rules.prior, {}, (PROPOSER,))
    said = [one for one in evidence.answers if one.task is BoxTask.QUALITY]
    assert [(one.model, one.maker, one.akin) for one in said] == [(str(PROPOSER), str(PROPOSER), True)]
