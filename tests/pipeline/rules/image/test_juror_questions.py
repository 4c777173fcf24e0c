"""Programs that judge boxes are asked first, count as evidence, and decide nothing alone."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from annotation.rules.states import BoxState, ChainState
from pipeline.rules.entries.image_machine import EntryKind, RecordEntry, apply, begin
from pipeline.rules.image.box_evidence import box_evidence
from pipeline.rules.image.juror_questions import asked_of_jurors, draw_lot
from pipeline.rules.image.proposals import next_proposals
from pipeline.rules.progress.heard_answer import HeardAnswer
from pipeline.rules.progress.progress import ChainProgress
from pipeline.rules.progress.progress_json import to_json
from pipeline.rules.tasks.task import JUDGING, Task
from tests.support.images import BOX, NONE_MISSING, PARK, Story, imported, mention_rows, started
from tests.support.judging_programs import (
    ASK,
    COVER,
    DRAW,
    GUY,
    JUDGE,
    JUROR,
    OF_PEOPLE,
    OTHER_JUROR,
    PROPOSER,
    SURE,
    WITH_JUROR,
    begun,
    drawn,
)


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
    assert story.asked() == [(DRAW, [0])]
    assert story.chain().in_lot is None


def test_a_juror_is_asked_the_same_about_the_same_boxes_once_each_juror_for_itself():
    story = begun(GUY, jurors=(JUROR, OTHER_JUROR))
    question = story.question(ASK).number
    story.judge(ASK, 1, JUROR)
    assert story.question(ASK).number == question and JUROR in story.question(ASK).barred
    story.judge(ASK, 1, OTHER_JUROR)
    assert story.asked() == [(DRAW, [0])]
    assert asked_of_jurors(story.progress, story.chain(), story.settings) is None


def test_people_go_on_without_a_juror_that_is_silent():
    story = begun(GUY)
    story.judge(ASK, 1, 1)
    assert story.asked() == [(DRAW, [0])], "nobody else is asked what the juror has let lie"
    story.judge(DRAW, BOX, 2)
    assert story.asked() == [(JUDGE, [0, 0])], "it is asked about what is new"
    story.judge(JUDGE, "good", 3)
    assert story.asked() == [(COVER, [0])]


def test_nothing_is_asked_for_the_sake_of_a_juror_that_is_not_at_work():
    story = imported([GUY], settings=WITH_JUROR)
    story.add(EntryKind.START, {"asleep": [JUROR]})
    assert story.asked() == [(DRAW, [0])]
    question = story.question(DRAW).number
    story.add(EntryKind.JUDGMENT, {"question": question, "worker": 1, "answer": BOX})
    assert story.asked() == [(JUDGE, [0, 0])], "it is at work again"


def test_after_a_box_that_jurors_alone_called_bad_the_next_proposal_follows_but_not_after_a_person_did():
    bad = {**OF_PEOPLE, str(PROPOSER): [95.0, 5.0]}
    prior = {"jurors": {str(JUROR): {**SURE, "bad": bad}}, "programs": {str(PROPOSER): _good_boxes()}}
    for judges, left in (((JUROR,), 1), ((1,), 0), ((JUROR, 1), 0)):
        story = begun(GUY, proposals=True, box_prior=prior)
        story.judge(ASK, 1, JUROR)
        boxes = [[0, 10, 10, 50, 50], [0, 60, 60, 90, 90]]
        story.add(EntryKind.PROPOSE, {"worker": PROPOSER, "boxes": boxes, "lent": []})
        story.progress.boxes[0].state = BoxState.DISCARDED
        story.chain().heard += [HeardAnswer(9, one, JUDGE, "bad", [0], juror=one == JUROR) for one in judges]
        assert len(next_proposals(story.progress, story.chain())) == left, judges


def test_no_juror_judges_a_box_that_it_proposed_itself():
    story = begun(GUY, proposals=True, jurors=(PROPOSER, JUROR), box_sure=0.5)
    for juror in (PROPOSER, JUROR):
        story.judge(ASK, 1, juror)
    story.add(EntryKind.PROPOSE, {"worker": PROPOSER, "boxes": [[0, 10, 10, 50, 50]], "lent": []})
    assert (story.asked(), story.question(JUDGE).barred) == ([(JUDGE, [0, 0])], [PROPOSER])


def test_no_chain_is_complete_by_programs_alone():
    bad = {**OF_PEOPLE, str(PROPOSER): [95.0, 5.0]}
    prior = {"jurors": {str(JUROR): {**SURE, "bad": bad}}, "programs": {str(PROPOSER): _good_boxes()}}
    story = begun(GUY, proposals=True, box_prior=prior)
    story.judge(ASK, 1, JUROR)
    story.add(EntryKind.PROPOSE, {"worker": PROPOSER, "boxes": [[0, 10, 10, 50, 50]], "lent": []})
    _find_nothing_wrong(story, JUROR)
    assert story.asked() == [(COVER, [0])], "one person looks at all of it"
    story.judge(COVER, "all there", 1)
    assert story.state() is ChainState.COMPLETE


ALLOWED = {"chains": 200, "claims": 90, "said": 0.95, "right": 0.95, "least": 0.9, "most": 0.98}


@pytest.mark.parametrize(
    ("alone", "held", "ends"),
    [
        (True, ALLOWED, True),
        (False, ALLOWED, False),
        (True, ALLOWED | {"chains": 199}, False),
        (True, ALLOWED | {"said": 0.99}, False),
    ],
    ids=["allowed", "not allowed", "too few chains of the lot", "too sure"],
)
def test_programs_alone_finish_a_chain_only_where_the_setting_and_the_lot_allow(
    *, alone: bool, held: dict[str, Any], ends: bool
):
    bad = {**OF_PEOPLE, str(PROPOSER): [95.0, 5.0]}
    records = {str(juror): {**SURE, "bad": bad} for juror in (JUROR, OTHER_JUROR)}
    prior = {"jurors": records, "programs": {str(PROPOSER): _good_boxes()}, "held": {"alone": held}}
    both: dict[str, Any] = {"jurors": (JUROR, OTHER_JUROR), "programs_alone": alone, "box_prior": prior}
    boxed, none = begun(GUY, proposals=True, **both), begun(PARK, **both)
    for juror in both["jurors"]:
        none.judge(ASK, 2, juror)
        boxed.judge(ASK, 1, juror)
    boxed.add(EntryKind.PROPOSE, {"worker": PROPOSER, "boxes": [[0, 10, 10, 50, 50]], "lent": []})
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
    story = begun(PARK)
    story.judge(ASK, 2, JUROR)
    assert story.asked() == [(ASK, [0])]
    story.judge(ASK, 2, 1)
    assert (story.state(), story.chain().non_visual) == (ChainState.NON_VISUAL, "scene")


def test_a_juror_that_overlooks_much_has_no_vote_for_no_box():
    guesses = {**SURE, "missing": [60.0, 40.0]}
    story = begun(PARK, box_prior={"jurors": {str(JUROR): guesses}})
    story.judge(ASK, 2, JUROR)
    story.judge(ASK, 2, 1)
    assert story.asked() == [(ASK, [0])], "two people's votes are needed"


@pytest.mark.parametrize("known", [False, True], ids=["while nobody knows the juror", "by lot"])
def test_people_answer_about_chains_of_the_lot_whatever_a_juror_says(*, known: bool):
    changes: dict[str, Any] = {"juror_lot": 0.2} if known else {"box_prior": {}}
    story = next(one for one in _stories(changes) if one.chain().in_lot)
    drawn(story)
    story.judge(JUDGE, "bad", JUROR)
    assert story.progress.boxes[0].state.value != "discarded", "what the juror says is kept for later"
    assert [one.juror for one in story.chain().heard] == [True, False, True]


def _stories(changes: dict[str, Any]) -> Iterator[Story]:
    settings = replace(WITH_JUROR, **changes)
    for number in range(60):
        yield started([("people", f"a man {number}")], settings=settings)


def test_no_chain_of_the_lot_is_finished_by_programs_alone():
    prior = {"programs": {str(PROPOSER): _good_boxes()}, "held": {"alone": ALLOWED}}
    story = begun(GUY, proposals=True, programs_alone=True, box_prior=prior)
    story.judge(ASK, 1, JUROR)
    story.add(EntryKind.PROPOSE, {"worker": PROPOSER, "boxes": [[0, 10, 10, 50, 50]], "lent": []})
    _find_nothing_wrong(story, JUROR)
    assert story.chain().in_lot and story.asked()


def test_the_lot_grows_while_a_juror_makes_the_belief_too_sure():
    suspect = {"jurors": {str(JUROR): {**SURE, "weight": 0.5}}}
    assert 4 <= _in_lot_of_60({"juror_lot": 0.0, "box_prior": suspect}) <= 22


def test_the_lot_is_about_as_large_as_it_should_be():
    assert 4 <= _in_lot_of_60({"juror_lot": 0.2}) <= 22


def _in_lot_of_60(changes: dict[str, Any]) -> int:
    settings, found = replace(WITH_JUROR, **changes), 0
    for number in range(60):
        progress, chain = imported([("people", f"a man {number}")]).progress, ChainProgress(0, [0])
        draw_lot(progress, chain, settings)
        found += bool(chain.in_lot)
    return found


def test_answers_of_a_program_count_while_it_is_at_work_whenever_they_were_given():
    story = drawn(begun(GUY))
    story.judge(JUDGE, "good", JUROR)
    prior = story.settings.box_rules().prior
    for jurors, counted in (((JUROR,), 2), ((), 0), ((OTHER_JUROR,), 0), ((OTHER_JUROR, JUROR), 2)):
        evidence = box_evidence(story.progress, story.chain(), prior, {}, jurors)
        assert sum(one.juror is not None for one in evidence.answers) == counted


def test_the_record_tells_the_same_state_with_programs_coming_and_going():
    story = drawn(begun(GUY, box_sure=0.99))
    for jurors in ((), (JUROR, OTHER_JUROR), (OTHER_JUROR,)):
        story.settings = replace(story.settings, jurors=jurors)
        if not story.asked():
            story.expert("send", chain=0, to="coverage")
        (task, _), *_ = story.asked()
        story.judge(task, {JUDGE: "good", COVER: "all there", DRAW: NONE_MISSING}[task], 10 + len(jurors))
    first = begin(RecordEntry(0, EntryKind.IMPORT, {"mentions": mention_rows([GUY])}))
    for entry, settings in story.record[1:] if story.record[0][0].sequence == 0 else story.record:
        apply(first, entry, settings)
    assert to_json(first) == to_json(story.progress)
