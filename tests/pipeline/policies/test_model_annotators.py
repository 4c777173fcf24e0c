"""Chains that programs judge before people, from their first question on.
Model annotators links are asked before people, and count as much as they were right.
Model annotators boxes are asked first, count as evidence, and decide nothing alone.
Programs of one family count as one opinion about boxes, until answers show that they err apart.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from annotation.rules.states import BoxState, ChainState
from annotation.rules.transitivity import Pair
from belief.boxes.box_answers import BoxTask
from belief.links.link_prior import DEFAULT
from belief.models.records import LinkAudit
from pipeline.policies.adaptive_links import AUDIT, evidence_of_models, link_audit_of
from pipeline.policies.box_evidence import box_evidence, shown_boxes
from pipeline.policies.box_policy import BoxVerdict
from pipeline.policies.compose import compose, engine_of
from pipeline.policies.models import draw_audit, in_audit, next_for_models
from pipeline.protocol.boxes.pre_annotations import next_pre_annotations
from pipeline.protocol.image.machine import EntryKind
from pipeline.protocol.rules import EntryContext
from pipeline.protocol.state.progress import Cause, ChainAnswer, ChainProgress, LinkSource, TallyVote
from pipeline.protocol.tasks.task import JUDGING, Task
from pipeline.settings.of_belief import BoxPolicyName, LinkStrategy
from pipeline.settings.settings import Settings
from tests.support.images import BOX, PARK, Story, imported, started
from tests.support.settings_with import settings_with
from tests.support.table import case
from tests.support.tasks import ASK, COVER, DRAW, JUDGE, LINK

GUY = ("people", "a man")
MODEL, OTHER_MODEL, PROPOSER = 70, 71, 40
OF_PEOPLE = {"person": [95.0, 5.0]}
RIGHT = [95.0, 5.0]
SURE = {"missing": RIGHT, "there": RIGHT, "needed": RIGHT, "absent": RIGHT, "good": RIGHT, "bad": OF_PEOPLE}
ONE_FAMILY = {str(MODEL): "llava", str(OTHER_MODEL): "llava"}
BOTH: dict[str, Any] = {"model_annotators": (MODEL, OTHER_MODEL), "model_families": ONE_FAMILY}
KNOWN = {"model_annotators": {str(model_annotator): SURE for model_annotator in (MODEL, OTHER_MODEL)}}
WITH_MODEL = settings_with(box_policy=BoxPolicyName.BELIEF, model_annotators=(MODEL,), audit_rate=0.0, box_prior=KNOWN)


def begun(*mentions: tuple[str, str], **changes: Any) -> Story:
    return started(list(mentions), settings=settings_with(WITH_MODEL, **changes))


def drawn(story: Story) -> Story:
    """The model annotator wants a box, and a person draws one."""
    return story.judged((ASK, 1, MODEL), (DRAW, BOX, 1))


MAN, LINKED_GUY = ("people", "a man"), ("people", "a tall guy")
SURE_LINKS = {"same": [195.0, 5.0], "different": [195.0, 5.0]}
KNOWN_LINKS = DEFAULT.to_json() | {"model_annotators": dict.fromkeys((str(MODEL), str(OTHER_MODEL)), SURE_LINKS)}
OF_LINKS = {"strategy": LinkStrategy.ADAPTIVE, "reask_rate": 0.0, "link_prior": KNOWN_LINKS}
WITH_LINK_MODEL = settings_with(model_annotators=(MODEL,), audit_rate=0.0, **OF_LINKS)


def begun_links(**changes: Any) -> Story:
    return started([MAN], [LINKED_GUY], settings=settings_with(WITH_LINK_MODEL, **changes))


def told(story: Story, **changes: Any) -> dict[Pair, float]:
    """Return what models tell of pairs, under the settings of the story with these changes."""
    engine = engine_of(settings_with(story.settings, **changes))
    return evidence_of_models(story.progress, engine, link_audit_of(story.progress))


def asked(story: Story, settings: Settings) -> tuple[BoxVerdict, int | None] | None:
    image, chain = story.progress, story.chain()
    return next_for_models(image, chain, shown_boxes(image, chain), engine_of(settings))


def test_a_model_that_is_often_right_leaves_nothing_to_ask_people():
    story = begun_links()
    assert told(story) == {}
    story.judge(LINK, "same", MODEL)
    assert told(story)[0, 1] > 3
    assert story.chains() == [[0, 1]] and story.state() is not ChainState.LINKING
    assert story.progress.sources[0, 1] is LinkSource.PROGRAM and not story.progress.votes_by(model=False)


def test_a_model_in_doubt_leaves_the_same_question_to_people():
    doubtful = DEFAULT.to_json() | {"model_annotators": {str(MODEL): {"same": [60.0, 40.0], "different": [60.0, 40.0]}}}
    story = begun_links(link_prior=doubtful, link_stop=0.01)
    number = story.question(LINK).number
    story.judge(LINK, "same", MODEL)
    assert (story.question(LINK).number, story.question(LINK).barred) == (number, [MODEL])
    story.link((0, 1))
    assert story.progress.sources[0, 1] in (LinkSource.ASKED_YES, LinkSource.REASKED)


def test_while_a_model_is_new_its_answers_are_kept_and_people_answer_and_each_of_its_family():
    new: dict[str, Any] = {"link_prior": DEFAULT.to_json()}
    story = begun_links(**new).judged((LINK, "same", MODEL))
    assert link_audit_of(story.progress) is LinkAudit.PEOPLE
    assert story.progress.votes[0, 1] == [TallyVote(2, MODEL, answer=True, by_model=True)]
    assert told(story) == {} and story.asked() == [(LINK, [0, 1])]
    story = begun_links(**BOTH, **new).judged((LINK, "same", MODEL))
    assert link_audit_of(story.progress) is LinkAudit.PEOPLE and story.question(LINK).barred == [MODEL]


def test_in_an_image_of_the_audit_people_are_asked_as_if_there_were_no_model():
    alone, with_model = begun_links(model_annotators=()), begun_links(audit_rate=0.2)
    with_model.progress.notes[AUDIT] = LinkAudit.PEOPLE.value
    with_model.judge(LINK, "different", MODEL)
    sure = [
        [chain.confidence for chain in story.link((0, 1)).progress.chains.values()] for story in (alone, with_model)
    ]
    assert alone.progress.votes.keys() == with_model.progress.votes_by(model=False).keys()
    assert sure[0] == sure[1]


def test_what_a_model_that_is_set_aside_said_counts_no_longer_and_an_answer_that_it_gives_later_changes_nothing():
    story = begun_links(model_annotators=(MODEL, OTHER_MODEL), link_stop=0.0001).judged((LINK, "same", MODEL))
    assert (0, 1) in told(story)
    assert told(story, model_annotators=(OTHER_MODEL,))[0, 1] == 0
    assert told(story, model_annotators=()) == {}
    story = begun_links()
    number = story.question(LINK).number
    story.settings = replace(WITH_LINK_MODEL, model_annotators=())
    story.add(EntryKind.JUDGMENT, {"question": number, "worker": MODEL, "answer": "same"}, EntryContext(by_model=True))
    assert not story.progress.votes
    assert MODEL in story.question(LINK).barred and story.reasons("question") == [Cause.SET_ASIDE]


def test_two_models_of_one_family_say_no_more_than_the_first_and_the_second_is_not_asked():
    story = begun_links(**BOTH, link_stop=0.0001).judged((LINK, "same", OTHER_MODEL))
    assert story.question(LINK).barred == [MODEL, OTHER_MODEL]
    one, had_it_before = told(story)[0, 1], TallyVote(9, MODEL, answer=True, by_model=True)
    story.progress.votes[0, 1].append(had_it_before)
    assert told(story)[0, 1] == one
    assert told(story, model_annotators=(MODEL,))[0, 1] == one, "the first one's answer, once it is set aside"
    assert told(story, model_families={})[0, 1] == 2 * one
    digests = {compose(replace(WITH_LINK_MODEL, model_families=kin)).links.digest for kin in ({}, ONE_FAMILY)}
    assert len(digests) == 2, "other families are other rules"


def test_two_of_a_family_whose_answers_show_them_apart_are_asked_and_count_each():
    apart = KNOWN_LINKS | {"pairs_of_models": {f"{MODEL} {OTHER_MODEL}": {"apart": 5.0}}}
    story = begun_links(**BOTH, link_stop=0.0001, link_prior=apart)
    for model_annotator in (MODEL, OTHER_MODEL):
        assert model_annotator not in story.question(LINK).barred
        story.judge(LINK, "same", model_annotator)
    assert told(story)[0, 1] == 2 * told(story, model_annotators=(MODEL,))[0, 1]


def test_a_model_is_asked_what_it_may_answer_and_a_person_what_is_left():
    story = begun(GUY)
    assert story.asked() == [(ASK, [0])]
    assert story.judged((ASK, 1, MODEL)).asked() == [(DRAW, [0])], "no program draws"
    assert story.judged((DRAW, BOX, 1)).asked() == [(JUDGE, [0, 0])]
    assert story.judged((JUDGE, "good", MODEL)).asked() == [(COVER, [0])]
    story.judge(COVER, "all there", MODEL)
    assert story.state() is ChainState.COMPLETE, "a person drew, and the model annotator says the rest"
    assert (story.chain().box_confidence or 0) > 0.95
    story = begun(GUY, model_annotators=())
    assert story.asked() == [(DRAW, [0])] and in_audit(story.chain()) is None, "without models people are asked"


def test_a_model_is_asked_the_same_about_the_same_boxes_once_each_model_for_itself():
    story = begun(GUY, model_annotators=(MODEL, OTHER_MODEL))
    question = story.question(ASK).number
    story.judge(ASK, 1, MODEL)
    assert story.question(ASK).number == question and MODEL in story.question(ASK).barred
    assert story.judged((ASK, 1, OTHER_MODEL)).asked() == [(DRAW, [0])]
    assert asked(story, story.settings) is None


def test_people_go_on_without_a_model_that_is_silent_or_not_at_work():
    story = begun(GUY).judged((ASK, 1, 1))
    assert story.asked() == [(DRAW, [0])], "nobody else is asked what the model annotator has let lie"
    assert story.judged((DRAW, BOX, 2)).asked() == [(JUDGE, [0, 0])], "it is asked about what is new"
    assert story.judged((JUDGE, "good", 3)).asked() == [(COVER, [0])]
    story = imported([GUY], settings=WITH_MODEL)
    story.add(EntryKind.START, context=EntryContext(inactive=(MODEL,)))
    assert story.asked() == [(DRAW, [0])]
    assert story.judged((DRAW, BOX, 1)).asked() == [(JUDGE, [0, 0])], "it is at work again"


def test_after_a_box_that_models_alone_called_bad_the_next_pre_annotation_follows_but_not_after_a_person_did():
    bad = {**OF_PEOPLE, str(PROPOSER): [95.0, 5.0]}
    prior = {"model_annotators": {str(MODEL): {**SURE, "bad": bad}}, "programs": {str(PROPOSER): _good_boxes()}}
    for judges, left in (((MODEL,), 1), ((1,), 0), ((MODEL, 1), 0)):
        story = begun(GUY, pre_annotations=True, box_prior=prior).judged((ASK, 1, MODEL))
        boxes = [[0, 10, 10, 50, 50], [0, 60, 60, 90, 90]]
        story.add(EntryKind.PROPOSE, {"worker": PROPOSER, "boxes": boxes})
        story.progress.boxes[0].state = BoxState.DISCARDED
        story.chain().answers += [ChainAnswer(9, one, JUDGE, "bad", [0], by_model=one == MODEL) for one in judges]
        assert len(next_pre_annotations(story.progress, story.chain())) == left, judges


ALLOWED = {"chains": 200, "forecasts": 90, "mean_chance": 0.95, "right": 0.95, "low": 0.9, "high": 0.98}


@case("allowed", True, ALLOWED, True)
@case("not allowed", False, ALLOWED, False)
@case("too few chains of the audit", True, ALLOWED | {"chains": 199}, False)
@case("too sure", True, ALLOWED | {"mean_chance": 0.99}, False)
def test_programs_alone_finish_a_chain_where_setting_and_lot_allow(*, alone: bool, held: dict[str, Any], ends: bool):
    bad = {**OF_PEOPLE, str(PROPOSER): [95.0, 5.0]}
    records = {str(model_annotator): {**SURE, "bad": bad} for model_annotator in (MODEL, OTHER_MODEL)}
    prior = {"model_annotators": records, "programs": {str(PROPOSER): _good_boxes()}, "calibrations": {"alone": held}}
    both: dict[str, Any] = {"model_annotators": (MODEL, OTHER_MODEL), "programs_alone": alone, "box_prior": prior}
    boxed, none = begun(GUY, pre_annotations=True, **both), begun(PARK, **both)
    for model_annotator in both["model_annotators"]:
        none.judge(ASK, 2, model_annotator)
        boxed.judge(ASK, 1, model_annotator)
    boxed.add(EntryKind.PROPOSE, {"worker": PROPOSER, "boxes": [[0, 10, 10, 50, 50]]})
    for model_annotator in 2 * both["model_annotators"]:
        _find_nothing_wrong(boxed, model_annotator)
    assert (none.state() is ChainState.NON_VISUAL) == (boxed.state() is ChainState.COMPLETE) == ends
    assert bool(none.asked() and boxed.asked()) != ends, "else a person is asked"


def _good_boxes() -> dict[str, Any]:
    return {"good": [0.0] * 5 + [98.0], "bad": [0.0] * 5 + [2.0]}


def _find_nothing_wrong(story: Story, model_annotator: int) -> None:
    while (asked := _question_for(story, model_annotator)) is not None:
        story.judge(asked, {JUDGE: "good", COVER: "all there"}[asked], model_annotator)


def _question_for(story: Story, worker: int) -> Task | None:
    free = (one.task for one in story.progress.open.values() if one.task in JUDGING and worker not in one.barred)
    return next(free, None)


def test_no_chain_is_non_visual_without_a_persons_vote_and_a_model_that_overlooks_much_has_no_vote_for_no_box():
    story = begun(PARK).judged((ASK, 2, MODEL))
    assert story.asked() == [(ASK, [0])]
    story.judge(ASK, 2, 1)
    assert (story.state(), story.chain().non_visual) == (ChainState.NON_VISUAL, "scene")
    guesses = {**SURE, "needed": [60.0, 40.0]}
    story = begun(PARK, box_prior={"model_annotators": {str(MODEL): guesses}}).judged((ASK, 2, MODEL), (ASK, 2, 1))
    assert story.asked() == [(ASK, [0])], "two people's votes are needed"


@pytest.mark.parametrize("known", [False, True], ids=["while nobody knows the model annotator", "at random"])
def test_people_answer_about_chains_of_the_audit_whatever_a_model_says(*, known: bool):
    changes: dict[str, Any] = {"audit_rate": 0.2} if known else {"box_prior": {}}
    story = next(one for one in _stories(changes) if in_audit(one.chain()))
    drawn(story)
    story.judge(JUDGE, "bad", MODEL)
    assert story.progress.boxes[0].state.value != "discarded", "what the model annotator says is kept for later"
    assert [one.by_model for one in story.chain().answers] == [True, False, True]


def _stories(changes: dict[str, Any]) -> Iterator[Story]:
    settings = settings_with(WITH_MODEL, **changes)
    for number in range(60):
        yield started([("people", f"a man {number}")], settings=settings)


def test_no_chain_of_the_audit_is_finished_by_programs_alone():
    prior = {"programs": {str(PROPOSER): _good_boxes()}, "calibrations": {"alone": ALLOWED}}
    story = begun(GUY, pre_annotations=True, programs_alone=True, box_prior=prior).judged((ASK, 1, MODEL))
    story.add(EntryKind.PROPOSE, {"worker": PROPOSER, "boxes": [[0, 10, 10, 50, 50]]})
    _find_nothing_wrong(story, MODEL)
    assert in_audit(story.chain()) and story.asked()


SUSPECT = {"model_annotators": {str(MODEL): {**SURE, "weight": 0.5}}}


@case("grows while a model annotator makes the belief too sure", {"audit_rate": 0.0, "box_prior": SUSPECT})
@case("is about as large as it should be", {"audit_rate": 0.2})
def test_the_audit(changes: dict[str, Any]):
    settings, found = settings_with(WITH_MODEL, **changes), 0
    for number in range(60):
        progress, chain = imported([("people", f"a man {number}")]).progress, ChainProgress(0, [0])
        draw_audit(progress, chain, engine_of(settings))
        found += bool(in_audit(chain))
    assert 4 <= found <= 22


def test_answers_of_a_program_count_while_it_is_at_work_whenever_they_were_given():
    story = drawn(begun(GUY)).judged((JUDGE, "good", MODEL))
    prior = engine_of(story.settings).box_rules.prior
    for model_annotators, counted in (((MODEL,), 2), ((), 0), ((OTHER_MODEL,), 0), ((OTHER_MODEL, MODEL), 2)):
        evidence = box_evidence(story.progress, story.chain(), prior, {}, model_annotators)
        assert sum(one.model is not None for one in evidence.answers) == counted


def test_of_two_of_a_family_one_is_asked_and_only_its_answer_counts():
    story = begun(GUY, **BOTH).judged((ASK, 1, OTHER_MODEL))
    assert story.asked() == [(DRAW, [0])], "its kin is not asked the same"
    assert begun(PARK, **BOTH).judged((ASK, 2, MODEL)).question(ASK).barred == [MODEL, OTHER_MODEL]
    story.judged((DRAW, BOX, 1), (JUDGE, "good", MODEL))
    heard = ChainAnswer(story.progress.sequence, OTHER_MODEL, JUDGE, "bad", [0], by_model=True)
    story.chain().answers.append(heard)  # it had the question when the two were said to be kin
    prior = engine_of(story.settings).box_rules.prior
    cases: list[tuple[dict[str, str], list[int]]] = [(ONE_FAMILY, []), ({}, [OTHER_MODEL])]
    for families, counted in cases:
        settings = replace(story.settings, model_families=families)
        in_force = settings.model_annotators, engine_of(settings).families_in(JUDGE)
        evidence = box_evidence(story.progress, story.chain(), prior, {}, *in_force)
        assert [one.model and int(one.model) for one in evidence.answers] == [OTHER_MODEL, None, MODEL, *counted]


def test_two_of_a_family_are_asked_each_in_the_audit_and_where_answers_show_them_apart():
    apart = KNOWN | {"pairs": {f"{MODEL} {OTHER_MODEL}": {"apart": 5.0}}}
    known, audited = (begun(GUY, **BOTH, box_prior=prior).judged((ASK, 1, MODEL)) for prior in (apart, {}))
    for story in (known, audited):
        assert story.asked() == [(ASK, [0])] and story.question(ASK).barred == [MODEL]
    assert in_audit(audited.chain())


def test_a_family_has_one_vote_for_no_box():
    """The second had the question on loan when the requester said that they are kin."""
    for families, state in ((ONE_FAMILY, ChainState.REQUIREMENT), ({}, ChainState.NON_VISUAL)):
        story = begun(PARK, model_annotators=(MODEL, OTHER_MODEL), no_box_votes=3, box_sure=0.5).judged((ASK, 2, MODEL))
        number = story.question(ASK).number
        story.settings = replace(story.settings, model_families=families)
        story.add(EntryKind.JUDGMENT, {"question": number, "worker": OTHER_MODEL, "answer": 2})
        story.judge(ASK, 2, 1)
        assert story.state() is state


def test_once_the_first_of_a_family_is_set_aside_the_other_is_asked():
    story = drawn(begun(GUY, **BOTH, box_sure=0.99)).judged((JUDGE, "good", MODEL))
    assert asked(story, story.settings) == (BoxVerdict.COVER, None)
    alone = replace(story.settings, model_annotators=(OTHER_MODEL,))
    assert asked(story, alone) == (BoxVerdict.JUDGE, 0)


def pre_annotated(**changes: Any) -> Story:
    """A box that a program proposed, which judges, too."""
    known = {str(model_annotator): SURE for model_annotator in (PROPOSER, MODEL)}
    of_both: dict[str, Any] = {"pre_annotations": True, "box_prior": {"model_annotators": known}}
    story = begun(GUY, box_sure=0.5, **of_both, **changes).judged((ASK, 1, MODEL))
    if story.asked() == [(ASK, [0])]:
        story.judge(ASK, 1, PROPOSER)
    story.add(EntryKind.PROPOSE, {"worker": PROPOSER, "boxes": [[0, 10, 10, 50, 50]]})
    return story


def test_no_program_judges_a_box_of_its_family_unless_the_settings_let_it():
    relatives: dict[str, Any] = {"model_families": {str(PROPOSER): "llava", str(MODEL): "llava"}}
    assert pre_annotated(model_annotators=(MODEL,)).question(JUDGE).barred == [PROPOSER]
    for model_annotators in ((MODEL,), (MODEL, PROPOSER)):
        story = pre_annotated(model_annotators=model_annotators, **relatives)
        assert story.question(JUDGE).barred == [PROPOSER, MODEL], "people judge it"
        assert asked(story, story.settings) is None
        let = pre_annotated(model_annotators=model_annotators, **relatives, own_pre_annotations_judged=True)
        assert let.question(JUDGE).barred == []
        let.judge(JUDGE, "good", MODEL)
        assert PROPOSER not in let.question(COVER).barred and MODEL not in let.question(COVER).barred
    assert pre_annotated(model_annotators=(PROPOSER,), own_pre_annotations_judged=True).question(JUDGE).barred == []


def test_a_program_that_judges_its_own_box_is_taken_to_be_blind_to_its_faults():
    story = pre_annotated(model_annotators=(PROPOSER,), own_pre_annotations_judged=True)
    story.judge(JUDGE, "good", PROPOSER)
    evidence = box_evidence(story.progress, story.chain(), engine_of(story.settings).box_rules.prior, {}, (PROPOSER,))
    said = [one for one in evidence.answers if one.task is BoxTask.QUALITY]
    assert [(one.model, one.maker, one.same_family) for one in said] == [(str(PROPOSER), str(PROPOSER), True)]
