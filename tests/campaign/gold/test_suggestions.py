"""Questions of finished images are suggested, and confirmed, refused, skipped and taken back one after another."""

import re

import pytest
from django.test import Client

from annotation.models import Project
from campaign.gold.suggestions import DECIDED_BY_ONE, find_suggestions
from members.models import Role
from pipeline.models import KnownQuestion, Question
from pipeline.record.intervene import act_as_expert
from pipeline.rules.tasks.task import Task
from tests.support.members import sign_in

PAGE = "/projects/drawn/gold/suggestions/"


@pytest.fixture
def boss(client: Client, drawn: Project) -> Client:
    sign_in(client, drawn, Role.REQUESTER, "rita")
    return client


def suggested(boss: Client) -> int:
    """Return the id of the question that the page shows."""
    found = re.search(r'name="question" value="(\d+)"', boss.get(PAGE).text)
    assert found, "no suggestion is shown"
    return int(found[1])


def say(boss: Client, word: str, question: int | None = None) -> str:
    body = {"say": word, "question": suggested(boss) if question is None and word not in ("find", "undo") else question}
    given = {name: value for name, value in body.items() if value is not None}
    return boss.post(PAGE, given, follow=True).text


def stock() -> dict[str, bool]:
    """Return whether each question of the stock is asked, by key."""
    return {one.key: one.retired_at is None for one in KnownQuestion.objects.all()}


def test_every_task_has_suggestions_with_picture_phrase_and_answer(boss: Client, drawn: Project) -> None:
    found = Question.objects.in_bulk(find_suggestions(drawn))
    tasks = {one.task for one in found.values()}
    assert {task.value for task in DECIDED_BY_ONE} <= tasks and Task.BOX_COVERAGE.value in tasks
    page = say(boss, "find")
    assert "The right answer would be" in page and 'class="phrase c0"' in page and "<img" in page
    assert not KnownQuestion.objects.exists(), "looking adds nothing"


def test_yes_adds_the_question_and_no_keeps_it_away_for_good(boss: Client, drawn: Project) -> None:
    say(boss, "find")
    first = suggested(boss)
    say(boss, "yes")
    added = KnownQuestion.objects.get()
    assert (added.source, added.added_by, added.retired_at) == ("agreed", "rita", None)
    second = suggested(boss)
    assert second != first
    page = say(boss, "no")
    assert sorted(stock().values()) == [False, True] and "1 confirmed, 1 refused" in page
    assert not {first, second} & set(find_suggestions(drawn))


@pytest.mark.both_engines
def test_skip_changes_nothing_and_undo_takes_each_word_back(boss: Client) -> None:
    say(boss, "find")
    shown = [suggested(boss)]
    for word in ("yes", "skip", "no"):
        say(boss, word)
        shown.append(suggested(boss))
    for question in reversed(shown[:3]):
        say(boss, "undo")
        assert suggested(boss) == question
    assert not any(stock().values())
    say(boss, "yes")
    assert sorted(stock().values()) == [False, True], "what was taken back can be confirmed again"


def test_a_button_that_is_pressed_twice_acts_once(boss: Client) -> None:
    say(boss, "find")
    first = suggested(boss)
    say(boss, "yes", first)
    assert "Nothing was done" in say(boss, "yes", first)
    assert len(stock()) == 1


def test_a_suggestion_whose_image_has_moved_on_is_passed_over(boss: Client) -> None:
    say(boss, "find")
    question = Question.objects.get(pk=suggested(boss))
    chain = question.image.mentions.get(number=question.shown["mentions"][0][0]).chain
    action = {"action": "review", "chain": chain}
    act_as_expert(image_id=question.image_id, action=action, actor="rita", reason="in doubt")
    assert suggested(boss) != question.pk
    assert "Nothing was done" in say(boss, "yes", question.pk) and not stock()


def test_without_finished_questions_nothing_is_suggested(boss: Client) -> None:
    Question.objects.update(state="open", outcome="")
    assert "No finished question qualifies yet" in say(boss, "find")
    assert "No suggestion waits" in boss.get(PAGE).text
