"""Locks of progress rows."""

import pytest
from django.db import transaction

from pipeline.record import append_entries
from pipeline.record.append_entries import lock_progress
from tests.support.projects import phrases, project_of


@pytest.mark.both_engines
@pytest.mark.django_db
def test_more_rows_than_one_statement_takes_are_all_locked_in_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(append_entries, "LOCKED_AT_ONCE", 2)
    project = project_of(*(phrases("animals: a dog", name=str(number)) for number in range(5)))
    ids = sorted(project.images.values_list("id", flat=True))
    with transaction.atomic():
        assert [row.image_id for row in lock_progress([*ids[3:], *ids[:3]])] == ids
