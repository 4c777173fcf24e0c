"""A user's first two requests at once: one makes the worker, and both get it."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import transaction

from workers.grant_access import worker_for
from workers.models import Worker

pytestmark = [pytest.mark.both_engines, pytest.mark.django_db]


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


def test_the_worker_that_another_request_made_in_this_moment_is_the_users(just_before: Callable[..., None]) -> None:
    ada = User.objects.create_user("ada")
    just_before(name="ada", kind="person", user=ada)
    with transaction.atomic():  # as requests have it: it must not be broken by the second writing
        assert worker_for(ada) == Worker.objects.get()


def test_a_name_that_another_worker_took_in_this_moment_gets_a_number(just_before: Callable[..., None]) -> None:
    ada = User.objects.create_user("ada")
    just_before(name="ada", kind="person")
    assert worker_for(ada).name == "ada 2"
