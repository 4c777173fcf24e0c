"""Prepared queries, transactions that run again after a deadlock, slow reads, and undocumented parts of Django."""

import inspect
import itertools
import re
import threading
from collections.abc import Callable
from functools import partial
from threading import Barrier, Thread
from types import SimpleNamespace
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import OperationalError, connection, connections, transaction
from django.db.backends.postgresql.client import DatabaseClient
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.models.sql import UpdateQuery
from django.utils.log import log_response

from annotation.models import Project
from runtime import database
from runtime.database import TRIES, PreparedQuery, PreparedUpdate, Slot, atomic_again, cached_read, slot_for, slots
from runtime.inside_django import Compiled
from tests.house.test_docs_and_source import NOT_THE_PRODUCT, sources
from tests.support.services import PATIENCE

NAMED: PreparedQuery[Project] = PreparedQuery(lambda: Project.objects.filter(name=slot_for(Project, "name")))
AMONG: PreparedQuery[tuple[int, str]] = PreparedQuery(
    lambda count: Project.objects.filter(id__in=slots("id", count)).order_by("id").values_list("id", "name")
)
RENAME = PreparedUpdate(lambda: (Project.objects.filter(id=Slot("id")), {"title": slot_for(Project, "title")}))


@pytest.fixture
def projects(db: None) -> list[Project]:
    return [Project.objects.create(name=name, title=f"About {name}") for name in ("parks", "streets", "kitchens")]


@pytest.mark.both_engines
def test_each_call_gets_the_rows_of_its_own_values_even_of_text_that_looks_like_sql(projects: list[Project]) -> None:
    for project in [*projects, *projects]:
        (found,) = NAMED.run(name=project.name)
        assert (found, found.title) == (project, project.title)
    for nobody in ("gardens", "parks' OR '1'='1", "%s"):
        assert NAMED.run(name=nobody) == []


@pytest.mark.both_engines
def test_lists_of_each_length_are_taken_and_a_value_that_was_forgotten_is_an_error(projects: list[Project]) -> None:
    for count in (1, 3, 2, 3, 1):
        some = projects[:count]
        assert AMONG.run(count, id=[one.pk for one in some]) == [(one.pk, one.name) for one in some]
    NAMED.run(name="parks")
    with pytest.raises(KeyError, match="name"):
        NAMED.run()


@pytest.mark.both_engines
def test_rows_are_read_anew_in_each_call(projects: list[Project]) -> None:
    assert NAMED.run(name="parks")[0].title == "About parks"
    assert RENAME.run(id=projects[0].pk, title="Trees") == 1
    assert NAMED.run(name="parks")[0].title == "Trees" and NAMED.run(name="streets")[0].title == "About streets"
    assert RENAME.run(id=0, title="Nothing") == 0


@pytest.mark.both_engines
@pytest.mark.django_db(transaction=True)
def test_threads_do_not_get_the_values_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ["parks", "streets"]
    with transaction.atomic():
        Project.objects.bulk_create(Project(name=name) for name in names)
    filled, fill = Barrier(len(names)), Compiled.fill

    def fill_together(statement: Compiled, parameters: tuple[Any, ...]) -> None:
        fill(statement, parameters)
        filled.wait(PATIENCE)

    monkeypatch.setattr(Compiled, "fill", fill_together)
    found: dict[str, list[str]] = {}

    def read(name: str) -> None:
        try:
            found[name] = [project.name for project in NAMED.run(name=name)]
        finally:
            connection.close()

    threads = [Thread(target=read, args=(name,)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {"parks": ["parks"], "streets": ["streets"]}


class Ended(Exception):
    """An error of PostgreSQL's driver."""

    def __init__(self, pgcode: str) -> None:
        super().__init__(pgcode)
        self.pgcode = pgcode


def ended_by(pgcode: str, tries: list[int]) -> Callable[[], None]:
    @atomic_again
    def work() -> None:
        tries.append(1)
        raise OperationalError from Ended(pgcode)

    return work


@pytest.mark.services
def test_two_transactions_that_wait_for_each_other_both_end(real_services: None, transactional_db: None) -> None:
    users = [User.objects.create_user(name) for name in "ab"]
    tries: list[str] = []
    both_hold_one = threading.Barrier(2, timeout=PATIENCE)

    @atomic_again
    def lock(names: str) -> None:
        tries.append(names)
        User.objects.select_for_update().get(username=names[0])
        if tries.count(names) == 1:
            both_hold_one.wait()
        User.objects.filter(username=names[1]).update(first_name=names)

    def body(names: str) -> None:
        try:
            lock(names)
        finally:
            connection.close()

    threads = [threading.Thread(target=body, args=(names,)) for names in ("ab", "ba")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert len(tries) >= 3
    assert [User.objects.get(pk=user.pk).first_name for user in users] == ["ba", "ab"]


@pytest.mark.django_db(transaction=True)
def test_it_gives_way_longer_each_time_and_gives_up_after_four_deadlocks(monkeypatch: pytest.MonkeyPatch) -> None:
    tries: list[int] = []
    pauses: list[float] = []
    monkeypatch.setattr("random.uniform", lambda least, most: least)
    monkeypatch.setattr("time.sleep", pauses.append)
    with pytest.raises(OperationalError):
        ended_by("40P01", tries)()
    assert len(tries) == TRIES
    assert pauses == [0.025, 0.05, 0.1]


@pytest.mark.django_db(transaction=True)
def test_other_faults_and_inner_transactions_are_tried_once() -> None:
    tries: list[int] = []
    with pytest.raises(OperationalError):
        ended_by("57014", tries)()
    with pytest.raises(OperationalError), transaction.atomic():
        ended_by("40P01", tries)()
    assert len(tries) == 2


def test_a_read_that_took_long_is_kept_and_a_quick_one_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "SHARE", 60)
    numbers = itertools.count()
    for seconds, found in ((0.1, [0, 1]), (0.3, [2, 2])):
        moments = itertools.count(0.0, seconds)
        monkeypatch.setattr(database, "time", SimpleNamespace(monotonic=partial(next, moments)))
        assert [cached_read(f"{seconds}", lambda: next(numbers)) for _ in range(2)] == found


PRIVATE = re.compile(r"\.(_[a-z]\w+)")
OWN = re.compile(r"(?:(?:def|class) |(?:self\.|cls\.|^ *)(?=\w+(?::| =|,)))(_[a-z]\w+)", re.MULTILINE)
DOCUMENTED = {"_asdict", "_default_manager", "_exit", "_field_defaults", "_fields", "_make", "_meta", "_replace"}
"""By Python and by Django."""
UNDERSTOOD = re.compile(
    r"models\.sql\b|migrations\.(?:executor|loader|recorder)|postgresql\.client|get_compiler|add_update_values"
    r"|execute_wrappers|wrap_database_errors|connection\.connection\b"
)
"""Names without an underscore that Django's documentation does not have either."""
ALLOWED = {
    "annotation/bucket_storage.py": {"_create_session", "_normalize_name"},  # of django-storages, for its subclasses
    "exchange/export_parts.py": {"_didModify"},  # of zipfile, which has no way to add what is compressed already
    "accounts/may.py": {"_may_read"},  # set there, too
}


def test_django_has_what_its_documentation_does_not_promise(db: None) -> None:
    rows, executor = Project.objects.all(), MigrationExecutor(connection)
    update = rows.query.chain(UpdateQuery)
    needed = [
        (rows, "_iterable_class"),
        (update, "add_update_values get_compiler"),
        (update.get_compiler(connection=connections["default"]), "as_sql execute_sql"),
        (connection, "connection execute_wrappers wrap_database_errors"),
        (rows, "_raw_delete"),
        (executor, "migration_plan"),
        (executor.loader.graph, "leaf_nodes"),
        (MigrationLoader(None), "disk_migrations"),
        (DatabaseClient, "settings_to_cmd_args_env"),
    ]
    assert [f"{part}: {name}" for part, names in needed for name in names.split() if not hasattr(part, name)] == []
    assert "_has_been_logged" in inspect.getsource(log_response)


def test_no_other_module_uses_them() -> None:
    product = {path: text for path, text in sources().items() if not path.startswith((*NOT_THE_PRODUCT, "clients/"))}
    ours = {name for text in product.values() for name in OWN.findall(text)} | DOCUMENTED
    found = {path: {*PRIVATE.findall(text), *UNDERSTOOD.findall(text)} - ours for path, text in product.items()}
    assert len(found.pop("runtime/inside_django.py")) >= 10
    assert {path: names for path, names in found.items() if names} == ALLOWED
