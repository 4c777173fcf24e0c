"""Programs that judge links are asked before people, and count as much as they were right."""

from dataclasses import replace
from typing import Any

from annotation.rules.states import ChainState
from pipeline.rules.entries.image_machine import EntryKind
from pipeline.rules.image.juror_links import told_by_jurors
from pipeline.rules.jurors.lot import LinkLot
from pipeline.rules.linking.link_plan import LinkSource
from pipeline.rules.linking.link_strategy import Strategy
from pipeline.rules.linking.prior.link_prior import DEFAULT
from pipeline.rules.progress.progress import Cause, Vote
from pipeline.rules.progress.progress_json import from_json, to_json
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import Task
from tests.support.images import Story, started

LINK = Task.COREFERENCE_LINK
MAN, GUY = ("people", "a man"), ("people", "a tall guy")
JUROR, OTHER_JUROR = 70, 71
ONE_FAMILY = {str(JUROR): "llava", str(OTHER_JUROR): "llava"}
SURE = {"same": [195.0, 5.0], "different": [195.0, 5.0]}
KNOWN = DEFAULT.to_json() | {"jurors": {str(juror): SURE for juror in (JUROR, OTHER_JUROR)}}
WITH_JUROR = ProtocolSettings(
    strategy=Strategy.ADAPTIVE, reask_share=0.0, jurors=(JUROR,), juror_lot=0.0, link_prior=KNOWN
)


def begun(**changes: Any) -> Story:
    return started([MAN], [GUY], settings=replace(WITH_JUROR, **changes))


def test_a_juror_that_is_often_right_leaves_nothing_to_ask_people():
    story = begun()
    assert told_by_jurors(story.progress, story.settings) == {}
    story.judge(LINK, "same", JUROR)
    assert told_by_jurors(story.progress, story.settings)[0, 1] > 3
    assert story.chains() == [[0, 1]] and story.state() is not ChainState.LINKING
    assert story.progress.sources[0, 1] is LinkSource.PROGRAM and not story.progress.votes


def test_a_juror_in_doubt_leaves_the_same_question_to_people():
    doubtful = DEFAULT.to_json() | {"jurors": {str(JUROR): {"same": [60.0, 40.0], "different": [60.0, 40.0]}}}
    story = begun(link_prior=doubtful, link_stop=0.01)
    number = story.question(LINK).number
    story.judge(LINK, "same", JUROR)
    assert (story.question(LINK).number, story.question(LINK).barred) == (number, [JUROR])
    story.link((0, 1))
    assert story.progress.sources[0, 1] in (LinkSource.ASKED_YES, LinkSource.REASKED)


def test_while_a_juror_is_new_its_answers_are_kept_and_people_answer():
    story = begun(link_prior=DEFAULT.to_json())
    story.judge(LINK, "same", JUROR)
    assert story.progress.link_lot is LinkLot.PEOPLE
    assert [vote.worker for vote in story.progress.juror_votes[0, 1]] == [JUROR]
    assert told_by_jurors(story.progress, story.settings) == {} and story.asked() == [(LINK, [0, 1])]


def test_in_an_image_of_the_lot_people_are_asked_as_if_there_were_no_juror():
    alone, with_juror = begun(jurors=()), begun(juror_lot=0.2)
    with_juror.progress.link_lot = LinkLot.PEOPLE
    with_juror.judge(LINK, "different", JUROR)
    for story in (alone, with_juror):
        story.link((0, 1))
    assert alone.progress.votes.keys() == with_juror.progress.votes.keys()
    assert [chain.confidence for chain in alone.progress.chains.values()] == [
        chain.confidence for chain in with_juror.progress.chains.values()
    ]


def test_what_a_juror_that_is_set_aside_said_counts_no_longer():
    story = begun(jurors=(JUROR, OTHER_JUROR), link_stop=0.0001)
    story.judge(LINK, "same", JUROR)
    assert (0, 1) in told_by_jurors(story.progress, story.settings)
    alone = replace(story.settings, jurors=(OTHER_JUROR,))
    assert told_by_jurors(story.progress, alone)[0, 1] == 0
    assert told_by_jurors(story.progress, replace(alone, jurors=())) == {}


def test_an_answer_of_a_program_that_was_set_aside_meanwhile_changes_nothing():
    story = begun()
    number = story.question(LINK).number
    story.settings = replace(WITH_JUROR, jurors=())
    story.add(EntryKind.JUDGMENT, {"question": number, "worker": JUROR, "answer": "same", "program": True})
    assert not story.progress.votes and not story.progress.juror_votes
    assert JUROR in story.question(LINK).barred and story.reasons("question") == [Cause.SET_ASIDE]


def test_no_juror_is_asked_what_is_asked_by_lot():
    story = begun(reask_share=0.2, link_stop=0.9)
    for question in story.progress.open.values():
        assert question.foretold is None or JUROR in question.barred


def test_two_jurors_say_more_than_one():
    story = begun(jurors=(JUROR, OTHER_JUROR), link_stop=0.0001)
    story.judge(LINK, "same", JUROR)
    one = told_by_jurors(story.progress, story.settings)[0, 1]
    story.judge(LINK, "same", OTHER_JUROR)
    assert told_by_jurors(story.progress, story.settings)[0, 1] == 2 * one


def test_what_jurors_said_is_stored_with_the_image():
    story = begun()
    story.judge(LINK, "same", JUROR)
    again = from_json(to_json(story.progress))
    assert (again.juror_votes, again.link_lot) == (story.progress.juror_votes, LinkLot.BOTH)


def test_two_jurors_of_one_family_say_no_more_than_the_first_and_the_second_is_not_asked():
    story = begun(jurors=(JUROR, OTHER_JUROR), link_stop=0.0001, families=ONE_FAMILY)
    story.judge(LINK, "same", OTHER_JUROR)
    assert story.question(LINK).barred == [JUROR, OTHER_JUROR]
    one = told_by_jurors(story.progress, story.settings)[0, 1]
    story.progress.juror_votes[0, 1].append(Vote(9, JUROR, answer=True))  # it had the question when they became kin
    assert told_by_jurors(story.progress, story.settings)[0, 1] == one
    alone = replace(story.settings, jurors=(JUROR,))
    assert told_by_jurors(story.progress, alone)[0, 1] == one, "the first one's answer, once it is set aside"
    assert told_by_jurors(story.progress, replace(story.settings, families={}))[0, 1] == 2 * one


def test_two_of_a_family_whose_answers_show_them_apart_are_asked_and_count_each():
    apart = KNOWN | {"pairs_of_jurors": {f"{JUROR} {OTHER_JUROR}": {"apart": 5.0}}}
    story = begun(jurors=(JUROR, OTHER_JUROR), link_stop=0.0001, families=ONE_FAMILY, link_prior=apart)
    for juror in (JUROR, OTHER_JUROR):
        assert juror not in story.question(LINK).barred
        story.judge(LINK, "same", juror)
    one = told_by_jurors(story.progress, replace(story.settings, jurors=(JUROR,)))[0, 1]
    assert told_by_jurors(story.progress, story.settings)[0, 1] == 2 * one


def test_in_the_lot_each_of_a_family_is_asked_so_that_their_errors_can_be_compared():
    story = begun(jurors=(JUROR, OTHER_JUROR), link_prior=DEFAULT.to_json(), families=ONE_FAMILY)
    story.judge(LINK, "same", JUROR)
    assert story.progress.link_lot is LinkLot.PEOPLE and story.question(LINK).barred == [JUROR]


def test_other_families_are_other_rules_of_links():
    assert replace(WITH_JUROR, families=ONE_FAMILY).link_rules() != WITH_JUROR.link_rules()
