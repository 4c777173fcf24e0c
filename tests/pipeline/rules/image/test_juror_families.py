"""Programs of one family count as one opinion about boxes, until answers show that they err apart."""

from dataclasses import replace
from typing import Any

from annotation.rules.states import ChainState
from pipeline.rules.entries.image_machine import EntryKind
from pipeline.rules.image.box_evidence import box_evidence
from pipeline.rules.image.juror_questions import asked_of_jurors
from pipeline.rules.progress.heard_answer import HeardAnswer
from pipeline.rules.tasks.box_policy import Verdict
from tests.support.images import BOX, PARK, Story
from tests.support.judging_programs import (
    ASK,
    BOTH,
    COVER,
    DRAW,
    GUY,
    JUDGE,
    JUROR,
    KNOWN,
    ONE_FAMILY,
    OTHER_JUROR,
    PROPOSER,
    SURE,
    begun,
    drawn,
)


def test_of_two_of_a_family_one_is_asked_and_only_its_answer_counts():
    story = begun(GUY, **BOTH)
    story.judge(ASK, 1, OTHER_JUROR)
    assert story.asked() == [(DRAW, [0])], "its kin is not asked the same"
    story.judge(DRAW, BOX, 1)
    story.judge(JUDGE, "good", JUROR)
    heard = HeardAnswer(story.progress.sequence, OTHER_JUROR, JUDGE, "bad", [0], juror=True)
    story.chain().heard.append(heard)  # it had the question when the two were said to be kin
    prior = story.settings.box_rules().prior
    cases: list[tuple[dict[str, str], list[int]]] = [(ONE_FAMILY, []), ({}, [OTHER_JUROR])]
    for families, counted in cases:
        settings = replace(story.settings, families=families)
        in_force = settings.jurors, settings.families_in(JUDGE)
        evidence = box_evidence(story.progress, story.chain(), prior, {}, *in_force)
        said = [one.juror and int(one.juror) for one in evidence.answers]
        assert said == [OTHER_JUROR, None, JUROR, *counted]


def test_two_of_a_family_whose_answers_show_them_apart_are_asked_each():
    apart = KNOWN | {"pairs": {f"{JUROR} {OTHER_JUROR}": {"apart": 5.0}}}
    story = begun(GUY, **BOTH, box_prior=apart)
    story.judge(ASK, 1, JUROR)
    assert story.asked() == [(ASK, [0])] and story.question(ASK).barred == [JUROR]


def test_in_the_lot_each_of_a_family_is_asked():
    story = begun(GUY, **BOTH, box_prior={})
    story.judge(ASK, 1, JUROR)
    assert story.chain().in_lot and story.asked() == [(ASK, [0])] and story.question(ASK).barred == [JUROR]


def test_a_family_has_one_vote_for_no_box():
    """The second had the question on loan when the requester said that they are kin."""
    for families, state in ((ONE_FAMILY, ChainState.REQUIREMENT), ({}, ChainState.NON_VISUAL)):
        story = begun(PARK, jurors=(JUROR, OTHER_JUROR), no_box_votes=3, box_sure=0.5)
        story.judge(ASK, 2, JUROR)
        number = story.question(ASK).number
        story.settings = replace(story.settings, families=families)
        story.add(EntryKind.JUDGMENT, {"question": number, "worker": OTHER_JUROR, "answer": 2})
        story.judge(ASK, 2, 1)
        assert story.state() is state


def test_once_the_first_of_a_family_is_set_aside_the_other_is_asked():
    story = drawn(begun(GUY, **BOTH, box_sure=0.99))
    story.judge(JUDGE, "good", JUROR)
    assert asked_of_jurors(story.progress, story.chain(), story.settings) == (Verdict.COVER, None)
    alone = replace(story.settings, jurors=(OTHER_JUROR,))
    assert asked_of_jurors(story.progress, story.chain(), alone) == (Verdict.JUDGE, 0)


def proposed(**changes: Any) -> Story:
    """A box that a program proposed, which judges, too."""
    known = {str(juror): SURE for juror in (PROPOSER, JUROR)}
    story = begun(GUY, proposals=True, box_sure=0.5, box_prior={"jurors": known}, **changes)
    story.judge(ASK, 1, JUROR)
    if story.asked() == [(ASK, [0])]:
        story.judge(ASK, 1, PROPOSER)
    story.add(EntryKind.PROPOSE, {"worker": PROPOSER, "boxes": [[0, 10, 10, 50, 50]], "lent": []})
    return story


def test_no_program_judges_a_box_of_its_family_unless_the_settings_let_it():
    kin: dict[str, Any] = {"families": {str(PROPOSER): "llava", str(JUROR): "llava"}}
    assert proposed(jurors=(JUROR,)).question(JUDGE).barred == [PROPOSER]
    for jurors in ((JUROR,), (JUROR, PROPOSER)):
        story = proposed(jurors=jurors, **kin)
        assert story.question(JUDGE).barred == [PROPOSER, JUROR], "people judge it"
        assert asked_of_jurors(story.progress, story.chain(), story.settings) is None
        let = proposed(jurors=jurors, **kin, own_proposals_judged=True)
        assert let.question(JUDGE).barred == []
        let.judge(JUDGE, "good", JUROR)
        assert PROPOSER not in let.question(COVER).barred and JUROR not in let.question(COVER).barred
    assert proposed(jurors=(PROPOSER,), own_proposals_judged=True).question(JUDGE).barred == []


def test_a_program_that_judges_its_own_box_is_taken_to_be_blind_to_its_faults():
    story = proposed(jurors=(PROPOSER,), own_proposals_judged=True)
    story.judge(JUDGE, "good", PROPOSER)
    evidence = box_evidence(story.progress, story.chain(), story.settings.box_rules().prior, {}, (PROPOSER,))
    said = [one for one in evidence.answers if one.task is JUDGE]
    assert [(one.juror, one.source, one.akin) for one in said] == [(str(PROPOSER), str(PROPOSER), True)]
