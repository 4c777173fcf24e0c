"""Texts of the service in the reader's language."""

from collections.abc import Iterator
from datetime import UTC, datetime
from importlib import import_module

import pytest
from django.apps import apps
from django.utils import translation
from django.utils.translation import gettext

from pipeline import errors
from pipeline.models import Assignment
from pipeline.rules.tasks.task import Task
from tests.support.rows import make_project, make_worker
from upkeep import faults
from workers.messages import send_message
from workers.models import Message
from workers.rules.texts import Text
from workers.said import in_english, said

AT = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
REASON = "The boxes {are} too\nlarge."
REFUSED = Text.PAY_REFUSED.coded(amount="$1.00", task="box_drawing", time=AT.isoformat(), reason=REASON)
ENGLISH = f"$1.00 for your assignment box drawing of 2 Jan 2026, 03:04 UTC is refused: {REASON}"


@pytest.fixture
def german() -> Iterator[None]:
    with translation.override("de"):
        yield


def test_a_text_is_made_in_the_readers_language_with_a_persons_words_as_they_are(german: None) -> None:
    assert in_english(REFUSED) == ENGLISH
    assert "Rahmen zeichnen" in said(REFUSED) and "2 Jan 2026, 03:04 UTC" in said(REFUSED)
    assert said(REFUSED).endswith(f"werden nicht bezahlt: {REASON}") and said(None) == ""


def test_every_text_that_workers_read_from_below_is_translated(german: None) -> None:
    kinds = [one.message for one in errors.PipelineError.__subclasses__() if one.__module__ == errors.__name__]
    found = [one.message for one in vars(faults).values() if isinstance(one, faults.Fault)]
    for words in (*kinds, *found, *(task.label for task in Task), *(text.value for text in Text)):
        assert gettext(words) != words


@pytest.mark.django_db
def test_old_messages_and_receipts_get_their_codes_and_a_persons_words_stay(german: None) -> None:
    ada, project = make_worker(), make_project()
    not_used = Text.NOT_USED.coded(task="box_quality", reason=REASON)
    own = "Your box of the dog is refused: too large. Others are paid, but not used."
    for text in (ENGLISH, in_english(not_used), own):
        send_message(text=text, worker_ids=[ada.pk])
    test = {"worker": ada, "project": project, "task": "box_quality", "kind": "test", "state": "submitted"}
    times = {"created_at": AT, "expires_at": AT, "ended_at": AT, "questions": []}
    again = Text.TRIES_LEFT.coded(left="2", hours="24")
    row = Assignment.objects.create(**test, **times, receipt={"message": in_english(again)})
    import_module("pipeline.migrations.0014_codes_of_stored_texts").find_codes(apps, None)
    row.refresh_from_db()
    assert [one.coded for one in Message.objects.order_by("id")] == [REFUSED, not_used, None]
    assert [one.words for one in Message.objects.order_by("id")] == [said(REFUSED), said(not_used), own]
    assert row.receipt == {"message": in_english(again), "sequel": again}
