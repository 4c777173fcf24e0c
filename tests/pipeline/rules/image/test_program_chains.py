"""Chains that programs predict act on the open links of an image."""

import json

import pytest

from pipeline.rules.entries.image_machine import EntryKind, apply, begin
from pipeline.rules.entries.undo import fold_record
from pipeline.rules.linking.link_strategy import Strategy
from pipeline.rules.progress.progress_json import from_json, to_json
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import Task
from tests.support.images import Story, started

GOOD, BAD = {"50": [0.05, 0.02]}, {"50": [0.6, 0.5]}
ON = ProtocolSettings(strategy=Strategy.ADAPTIVE, proposals=True, program_errors=GOOD, link_stop=0.3)
MODEL, OTHER_MODEL = 50, 51
LINK = Task.COREFERENCE_LINK
SURFER = [("people", "a man")], [("people", "the surfer")], [("people", "a lady")]
APART = [[0], [1], [2]]
RIGHT = [[0, 1], [2]]


def surfers(settings: ProtocolSettings = ON) -> Story:
    return started(*SURFER, settings=settings)


def predict(story: Story, chains: list[list[int]] | None, *, worker: int = MODEL, lent: tuple[int, ...] = ()) -> int:
    more = {} if chains is None else {"chains": chains}
    return story.add(EntryKind.PROPOSE, {"worker": worker, "boxes": [], "lent": list(lent), **more})


def assert_replays(story: Story) -> None:
    assert to_json(fold_record(story.record)) == to_json(story.progress)


def links(story: Story) -> list[list[int]]:
    return [question.subject for question in story.progress.open.values() if question.task is LINK]


def test_a_good_program_places_what_workers_would_have_been_asked():
    story = surfers()
    assert len(links(story)) == 1
    predict(story, RIGHT)
    assert links(story) == []
    assert story.chains() == RIGHT
    assert_replays(story)


def test_chains_from_before_linking_began_count_when_it_begins():
    entry = surfers().record[0][0]
    story = Story(begin(entry), ON, [(entry, ON)])
    predict(story, RIGHT)
    story.add(EntryKind.START)
    assert (links(story), story.chains()) == ([], RIGHT)
    assert_replays(story)


@pytest.mark.parametrize(
    "settings",
    [
        ProtocolSettings(strategy=Strategy.ADAPTIVE, proposals=False, program_errors=GOOD, link_stop=0.3),
        ProtocolSettings(strategy=Strategy.ADAPTIVE, proposals=True, program_errors=BAD, link_stop=0.3),
        ProtocolSettings(strategy=Strategy.GREEDY_PLUS, proposals=True, program_errors=GOOD),
    ],
    ids=["with proposals off", "of a bad program", "where the strategy is the paper's"],
)
def test_predicted_chains_are_kept_and_count_for_nothing(settings: ProtocolSettings):
    story, silent = surfers(settings), surfers(settings)
    for chains in (APART, RIGHT):
        predict(story, chains)
        assert links(story) == links(silent)
    assert story.progress.program_chains == {MODEL: RIGHT}
    for one in (story, silent):
        one.judge(LINK, "same")
    assert links(story) == links(silent)


def test_a_link_that_a_worker_has_stays_open_until_the_answer_counts():
    story = surfers()
    question = story.question(LINK)
    predict(story, RIGHT, lent=(question.number,))
    assert story.question(LINK).number == question.number
    story.judge(LINK, "different", worker=3)
    assert [vote.worker for vote in story.progress.votes[question.subject[0], question.subject[1]]] == [3]
    assert_replays(story)


def test_a_voided_answer_is_asked_for_again_with_what_the_program_says():
    story = surfers()
    question = story.question(LINK)
    predict(story, RIGHT, lent=(question.number,))
    answer = story.judge(LINK, "different" if question.subject == [0, 1] else "same", worker=3)
    assert links(story), "the answer is against the program, so more is asked"
    story.void(answer)
    assert links(story) == [], "without it the program is believed"
    assert story.chains() == RIGHT
    assert_replays(story)


def test_new_chains_take_the_place_of_those_of_the_same_program():
    story = surfers()
    predict(story, RIGHT)
    predict(story, [[0, 2]], worker=OTHER_MODEL)
    predict(story, [[99, 1], [98]])
    assert story.progress.program_chains == {OTHER_MODEL: [[0, 2]], MODEL: [[1]]}
    predict(story, None)
    assert story.progress.program_chains[MODEL] == [[1]], "an entry without chains leaves them"
    predict(story, [])
    assert MODEL not in story.progress.program_chains
    assert_replays(story)


def test_an_act_from_before_the_chains_is_undone_only_if_they_do_the_same_without_it():
    story = surfers()
    act = story.expert("link", first=0, second=1, same=False)
    predict(story, RIGHT)
    with pytest.raises(Exception, match="A program's predictions came since"):
        story.undo(act)
    story = surfers()
    predict(story, [[0], [2]], worker=OTHER_MODEL)
    act = story.expert("link", first=0, second=1, same=True)
    before = to_json(story.progress)
    story.undo(story.undo(act))
    assert {**to_json(story.progress), "sequence": 0, "open": 0, "asked": 0} == {
        **before,
        "sequence": 0,
        "open": 0,
        "asked": 0,
    }
    assert_replays(story)


def test_other_errors_of_the_program_plan_the_open_links_anew():
    unknown = ProtocolSettings(strategy=Strategy.ADAPTIVE, proposals=True, program_errors=BAD, link_stop=0.3)
    story = surfers(unknown)
    predict(story, RIGHT)
    assert links(story)
    story.settings = ON
    story.report("caption", 0, worker=9)
    assert links(story) == []
    assert_replays(story)


def test_progress_that_was_kept_before_there_were_predicted_chains_still_loads():
    story = surfers()
    kept = json.loads(json.dumps(to_json(story.progress)))
    assert "program_chains" not in kept
    predict(story, RIGHT)
    entry, settings = story.record[-1]
    back = from_json(kept)
    apply(back, entry, settings)
    assert to_json(back) == to_json(story.progress)
