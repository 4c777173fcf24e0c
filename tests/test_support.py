"""After a test that commits, the database is as the migrations left it.
A function of the program whose statements ran on SQLite alone is named.
"""

from pathlib import Path

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection

from accounts.may import tasks_open_to
from tests.support import statement_places
from tests.support.emptied import tables
from tests.support.rows import make_project, make_story
from tests.support.statement_places import covering, note, only_on_sqlite


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


def written(folder: Path, *, sqlite: str, postgresql: str) -> Path:
    (folder / "sqlite-1").write_text(sqlite)
    (folder / "postgresql-1").write_text(postgresql)
    return folder


def test_a_function_is_named_by_its_file_where_its_statements_begin(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    noted: dict[str, set[tuple[str, str]]] = {connection.vendor: set()}
    monkeypatch.setattr(statement_places, "_test", ["some_test"])
    monkeypatch.setattr(statement_places, "_noted", noted)
    with connection.execute_wrapper(note):
        tasks_open_to(1, 1)
        connection.cursor().execute("SELECT 1")  # of a test
    assert noted == {connection.vendor: {("accounts/may.py:tasks_open_to", "some_test")}}


def test_what_ran_on_sqlite_alone_is_named_and_an_engine_that_did_not_run_is_no_agreement(tmp_path: Path) -> None:
    (tmp_path / "sqlite-2").write_text("a.py:one\ttest_1\nruntime/apps.py:prepare")
    with pytest.raises(ValueError, match="No statements on postgresql"):
        only_on_sqlite(tmp_path)
    folder = written(tmp_path, sqlite="a.py:two\nb.py:three", postgresql="a.py:two\nc.py:four")
    assert only_on_sqlite(folder) == ["a.py:one", "b.py:three"]


def test_few_tests_are_enough_beside_those_that_run_on_postgresql_alone(tmp_path: Path) -> None:
    ran = {"a": ("test_1", "test_2", "test_3*"), "b": ("test_1", "test_2"), "c": ("test_2",), "d": ("test_4",)}
    lines = [f"{place}\t{test}" for place, tests in ran.items() for test in tests]
    folder = written(tmp_path, sqlite="", postgresql="\n".join(lines))
    assert covering(folder) == ["test_3*", "test_2", "test_4"]
