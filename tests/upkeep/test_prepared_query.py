"""Prepared queries give what Django's own queries give, with the values of each call."""

from threading import Barrier, Thread
from typing import Any

import pytest
from django.db import connection, transaction

from annotation.models import Project
from tests.support.services import PATIENCE
from upkeep.inside_django import Compiled
from upkeep.prepared_query import PreparedQuery, PreparedUpdate, Slot, slot_for, slots

pytestmark = pytest.mark.both_engines

NAMED: PreparedQuery[Project] = PreparedQuery(lambda: Project.objects.filter(name=slot_for(Project, "name")))
AMONG: PreparedQuery[tuple[int, str]] = PreparedQuery(
    lambda count: Project.objects.filter(id__in=slots("id", count)).order_by("id").values_list("id", "name")
)
RENAME = PreparedUpdate(
    lambda: (Project.objects.filter(id=Slot("id")), {"title": slot_for(Project, "title")}),
)


@pytest.fixture
def projects(db: None) -> list[Project]:
    return [Project.objects.create(name=name, title=f"About {name}") for name in ("parks", "streets", "kitchens")]


def test_each_call_gets_the_rows_of_its_own_values(projects: list[Project]) -> None:
    for project in [*projects, *projects]:
        (found,) = NAMED.run(name=project.name)
        assert (found, found.title) == (project, project.title)
    assert NAMED.run(name="gardens") == []


def test_lists_of_each_length_are_taken(projects: list[Project]) -> None:
    for count in (1, 3, 2, 3, 1):
        some = projects[:count]
        assert AMONG.run(count, id=[one.pk for one in some]) == [(one.pk, one.name) for one in some]


def test_rows_are_read_anew_in_each_call(projects: list[Project]) -> None:
    assert NAMED.run(name="parks")[0].title == "About parks"
    assert RENAME.run(id=projects[0].pk, title="Trees") == 1
    assert NAMED.run(name="parks")[0].title == "Trees"
    assert NAMED.run(name="streets")[0].title == "About streets"
    assert RENAME.run(id=0, title="Nothing") == 0


def test_text_that_looks_like_sql_is_only_a_value(projects: list[Project]) -> None:
    assert NAMED.run(name="parks' OR '1'='1") == []
    assert NAMED.run(name="%s") == []


def test_a_value_that_was_forgotten_is_an_error(projects: list[Project]) -> None:
    NAMED.run(name="parks")
    with pytest.raises(KeyError, match="name"):
        NAMED.run()


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
