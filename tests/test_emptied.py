"""After a test that commits, the database is as the migrations left it."""

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection

from tests.support.emptied import tables
from tests.support.rows import make_project, make_story


def rows() -> dict[str, int]:
    models = apps.get_models(include_auto_created=True)
    return {model._meta.db_table: model._base_manager.count() for model in models if model._meta.managed}


@pytest.mark.django_db
def test_every_row_that_a_test_commits_goes_and_those_of_the_migrations_stay() -> None:
    before = rows()
    make_story(make_project())
    User.objects.create(username="ada").user_permissions.set([1])
    assert sum(rows().values()) > sum(before.values())
    call_command("flush", verbosity=0, interactive=False)  # as Django does after such a test
    assert connection.vendor != "sqlite" or make_project().pk == 1
    call_command("flush", verbosity=0, interactive=False)
    assert rows() == before
    assert {table for table, number in before.items() if number} == {"auth_permission", "django_content_type"}
    assert set(tables()) == {table for table, number in before.items() if not number}
