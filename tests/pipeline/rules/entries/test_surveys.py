"""Survey questions in the record of an image: asked, answered, voided, given up."""

from dataclasses import replace
from typing import Any

import pytest

from annotation.rules.states import ImageState
from pipeline.rules.entries.image_machine import EntryKind, RecordEntry, begin
from pipeline.rules.entries.interventions import CannotVoidError
from pipeline.rules.entries.surveys import NoSurveyError
from pipeline.rules.entries.undo import fold_record
from pipeline.rules.progress.rows import rows_of
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import Task
from tests.support.images import BOX, MAN, Story, started

CHECK, ATOM = Task.CAPTION_CHECK, Task.ATOM_VISUAL
CORRECT, WRONG = {"verdict": "correct"}, {"verdict": "wrong", "word": 1}


def picture(settings: ProtocolSettings | None = None) -> Story:
    """Make an annotated image without phrases, as surveys import it."""
    entry = RecordEntry(0, EntryKind.IMPORT, {"mentions": [], "chains": [], "boxes": []})
    protocol = settings or ProtocolSettings()
    return Story(begin(entry), protocol, [(entry, protocol)])


def ask(story: Story, item: str = "1:foil", task: Task = CHECK, **more: Any) -> int:
    """Ask a question, and return its number."""
    story.add(EntryKind.ASK, {"task": task.value, "item": item, "shown": {"caption": "a dog rides"}, **more})
    return max(story.progress.open)


def vote(story: Story, *answers: Any, first: int = 1, number: int = 0) -> list[int]:
    """Let workers answer a question, from number `first` on. Returns the entries."""
    data = [{"question": number, "worker": worker, "answer": answer} for worker, answer in enumerate(answers, first)]
    return [story.add(EntryKind.JUDGMENT, one) for one in data]


def test_a_question_shows_what_was_asked_and_nothing_of_the_image() -> None:
    story = picture()
    ask(story, truth=WRONG)
    row = rows_of(story.progress).questions[0]
    assert row.subject == [0]
    assert row.shown == {"mentions": [], "boxes": [], "new_box": None, "survey": {"caption": "a dog rides"}}


@pytest.mark.parametrize(("answers", "verdict"), [((CORRECT, WRONG, CORRECT), "correct"), ((WRONG, WRONG), None)])
def test_the_majority_of_three_closes_it(answers: Any, verdict: str | None) -> None:
    story = picture()
    ask(story)
    vote(story, *answers)
    assert (0 in story.progress.open) is (verdict is None)
    assert story.reasons("question") == ([verdict] if verdict else [])
    assert [one.answer for one in story.progress.surveys[0].votes] == list(answers)


def test_the_image_stays_merged() -> None:
    story = picture()
    ask(story)
    vote(story, CORRECT, CORRECT, CORRECT)
    assert story.progress.state is ImageState.MERGED
    assert not story.reasons("image")


def test_nobody_votes_twice() -> None:
    story = picture()
    ask(story)
    vote(story, CORRECT, WRONG)
    assert story.question(CHECK).barred == [1, 2]


def test_questions_of_one_image_are_counted_apart() -> None:
    story = picture()
    first, second = ask(story, "a", ATOM), ask(story, "b", ATOM)
    vote(story, "yes", "yes", "no", number=second)
    assert list(story.progress.open) == [first]
    assert (len(story.progress.surveys[first].votes), len(story.progress.surveys[second].votes)) == (0, 3)


def test_a_voided_vote_is_asked_again_of_another_worker() -> None:
    story = picture()
    ask(story)
    entries = vote(story, CORRECT, CORRECT, WRONG)
    story.void(entries[1])
    assert story.question(CHECK).barred == [1, 2, 3]
    assert story.reasons("question") == ["vote voided"]
    vote(story, WRONG, first=4)
    assert story.reasons("question") == ["wrong"]


def test_two_votes_of_one_question_can_be_voided_at_once() -> None:
    story = picture()
    ask(story)
    entries = vote(story, CORRECT, CORRECT, CORRECT)
    story.void(*entries[:2])
    assert [one.worker for one in story.progress.surveys[0].votes] == [3]
    assert len(story.reasons("question")) == 1


def test_a_vote_is_voided_once() -> None:
    story = picture()
    ask(story)
    [entry] = vote(story, CORRECT)
    story.void(entry)
    with pytest.raises(CannotVoidError):
        story.void(entry)


def test_a_question_that_nobody_may_answer_is_given_up_with_its_votes() -> None:
    story = picture()
    ask(story)
    vote(story, CORRECT)
    story.add(EntryKind.STARVE, {"question": 0})
    assert not story.progress.open
    assert story.reasons("question") == ["starved"]
    assert len(story.progress.surveys[0].votes) == 1


def test_more_votes_are_asked_for_once_the_setting_says_so() -> None:
    story = picture()
    ask(story)
    vote(story, CORRECT, WRONG)
    story.settings = replace(story.settings, survey_votes=5)
    vote(story, CORRECT, CORRECT, first=3)
    assert 0 in story.progress.open
    vote(story, WRONG, first=5)
    assert story.reasons("question") == ["correct"]


def test_with_fewer_votes_the_next_one_closes_it_unless_it_ties() -> None:
    story = picture(ProtocolSettings(survey_votes=5))
    ask(story)
    vote(story, CORRECT, WRONG, CORRECT)
    story.settings = replace(story.settings, survey_votes=3)
    vote(story, WRONG, first=4)
    assert 0 in story.progress.open
    vote(story, WRONG, first=5)
    assert story.reasons("question") == ["wrong"]


def test_only_surveys_are_asked() -> None:
    with pytest.raises(NoSurveyError, match="box quality is not a survey"):
        ask(picture(), task=Task.BOX_QUALITY)


def test_an_experts_act_beside_a_survey_can_be_undone() -> None:
    story = started([MAN])
    number = ask(story)
    act = story.expert("review", chain=0)
    vote(story, CORRECT, number=number)
    story.undo(act)
    assert {one.task for one in story.progress.open.values()} == {Task.BOX_DRAWING, CHECK}
    assert [one.worker for one in story.progress.surveys[number].votes] == [1]


def test_a_chain_in_review_leaves_a_survey_of_the_same_number_open() -> None:
    story = started([MAN])
    story.judge(Task.BOX_DRAWING, BOX, worker=1)
    number = ask(story)
    story.report("image", 0, worker=None, expert=True)
    assert list(story.progress.open) == [number]


def test_the_record_gives_the_same_state_again() -> None:
    story = picture()
    ask(story)
    story.void(vote(story, CORRECT, WRONG, WRONG)[0])
    ask(story, "2", ATOM)
    vote(story, CORRECT, first=8)
    again = fold_record(story.record)
    again.moves = story.progress.moves
    assert again == story.progress
