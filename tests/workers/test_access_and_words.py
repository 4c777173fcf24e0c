"""Workers made by two requests at once, and texts in the reader's language."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import translation
from django.utils.translation import gettext

from pipeline import errors
from pipeline.protocol.tasks.task import Task
from runtime import faults
from workers.invitations import worker_for
from workers.models import Worker
from workers.rules.texts import WorkerText
from workers.task_words import TASK_NAMES, in_english, text_in_language


@pytest.fixture
def just_before(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Let another request write a worker after this one has looked, and before it writes its own."""

    def write(**other: Any) -> None:
        create = Worker.objects.create

        def create_later(**values: Any) -> Worker:
            monkeypatch.undo()
            create(**other)
            return create(**values)

        monkeypatch.setattr(Worker.objects, "create", create_later)

    return write


@pytest.mark.both_engines
@pytest.mark.django_db
def test_the_worker_that_another_request_made_in_this_moment_is_the_users(just_before: Callable[..., None]) -> None:
    ada = User.objects.create_user("ada")
    just_before(name="ada", kind="person", user=ada)
    with transaction.atomic():  # as requests have it: it must not be broken by the second writing
        assert worker_for(ada) == Worker.objects.get()


@pytest.mark.both_engines
@pytest.mark.django_db
def test_a_name_that_another_worker_took_in_this_moment_gets_a_number(just_before: Callable[..., None]) -> None:
    ada = User.objects.create_user("ada")
    just_before(name="ada", kind="person")
    assert worker_for(ada).name == "ada 2"


AT = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
REASON = "The boxes {are} too\nlarge."
REFUSED = WorkerText.PAY_REFUSED.coded(amount="$1.00", task="box_drawing", time=AT.isoformat(), reason=REASON)
ENGLISH = f"$1.00 for your assignment “draw a box” of 2 Jan 2026, 03:04 UTC is refused: {REASON}"


@pytest.fixture
def german() -> Iterator[None]:
    with translation.override("de"):
        yield


def test_a_text_is_made_in_the_readers_language_with_a_persons_words_as_they_are(german: None) -> None:
    assert in_english(REFUSED) == ENGLISH
    assert "Rahmen zeichnen" in text_in_language(REFUSED) and "2 Jan 2026, 03:04 UTC" in text_in_language(REFUSED)
    assert text_in_language(REFUSED).endswith(f"werden nicht bezahlt: {REASON}") and text_in_language(None) == ""


def test_every_text_that_workers_read_from_below_is_translated(german: None) -> None:
    assert {task.value for task in Task} == TASK_NAMES.keys()
    kinds = [one.message for one in errors.PipelineError.__subclasses__() if one.__module__ == errors.__name__]
    found = [one.message for one in vars(faults).values() if isinstance(one, faults.Fault)]
    for words in (*kinds, *found, *TASK_NAMES.values(), *(text.value for text in WorkerText)):
        assert gettext(words) != words
