"""Links of which workers said that one mention is part of the other."""

import json

import pytest

from pipeline.rules.image.linking import said_by
from pipeline.rules.known.known_from_finished import settled_truth
from pipeline.rules.linking.link_strategy import Strategy
from pipeline.rules.progress.progress import Vote
from pipeline.rules.progress.progress_json import from_json, to_json
from pipeline.rules.progress.question_view import question_view
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import Task
from tests.support.images import MAN, Story, started

L = Task.COREFERENCE_LINK
A_OF_B, B_OF_A = "a is part of b", "b is part of a"


def three_men(**settings: object) -> Story:
    chosen = ProtocolSettings.from_json({"part_answers": True, **settings})
    return started([("people", "three men")], [("people", "one of them")], settings=chosen)


@pytest.mark.parametrize("strategy", Strategy)
def test_a_part_keeps_mentions_apart_as_different_does_under_every_strategy(strategy: Strategy) -> None:
    told, part = (three_men(strategy=strategy, verify_below=1.0) for _ in range(2))
    for worker in range(1, 16):
        for story, answer in ((told, "different"), (part, B_OF_A)):
            if story.asked()[0][0] is L:
                story.judge(L, answer, worker)
    assert part.chains() == told.chains() == [[0], [1]]
    assert (part.progress.sources, part.asked()) == (told.progress.sources, told.asked())


def test_a_vote_remembers_the_part_and_closes_its_link_by_it() -> None:
    story = three_men()
    story.judge(L, B_OF_A, worker=4)
    assert story.progress.votes == {(0, 1): [Vote(2, 4, False, part=B_OF_A)]}
    assert story.reasons("question")[0] == B_OF_A
    assert from_json(json.loads(json.dumps(to_json(story.progress)))).votes == story.progress.votes


def test_votes_on_no_part_are_stored_as_before_there_were_any() -> None:
    story = three_men()
    story.judge(L, "different", worker=4)
    assert to_json(story.progress)["votes"] == [[0, 1, [[2, 4, False]]]]


def test_the_vote_of_a_program_that_judges_remembers_the_part_too() -> None:
    story = three_men(strategy="adaptive", jurors=[9])
    story.judge(L, A_OF_B, worker=9)
    assert [said_by(vote) for vote in story.progress.juror_votes[0, 1]] == [A_OF_B]


def test_a_link_that_ended_as_a_part_becomes_a_known_question_whose_truth_is_different() -> None:
    story = started([MAN], [("people", "his arm")], settings=ProtocolSettings(part_answers=True))
    shown = question_view(story.progress, story.question(L))
    story.judge(L, B_OF_A)
    story.complete(0).complete(1, {"box": [90, 10, 99, 20]})
    assert settled_truth(story.progress, L, shown, B_OF_A) == "different"
