"""Statements prepared once, transactions that run again after a deadlock, and slow reads that are kept for a while.

Django makes the SQL of a query anew each time, which takes longer than PostgreSQL needs to run a statement by key.

    OLDEST = PreparedQuery(lambda: Question.objects.filter(project=Slot("project")).order_by("id")[:10])
    OLDEST.run(project=3)
"""

import random
import time
from collections.abc import Callable, Hashable, Iterator
from functools import wraps
from typing import Any, Generic, ParamSpec, TypeVar

from django.core.cache import cache
from django.db import DEFAULT_DB_ALIAS, OperationalError, connection, connections, transaction
from django.db.models import Expression, Field, IntegerField, Model, QuerySet

from runtime.inside_django import Compiled, read_anew, update_query

Row = TypeVar("Row")
NUMBER: "Field[Any, Any]" = IntegerField()
AS_GIVEN: "Field[Any, Any]" = Field()
"""For values that need no conversion for this database."""


class Slot(Expression):
    """The place of a value that is given when the query runs. `field`: the kind of value, numbers if not given."""

    def __init__(self, name: str, field: "Field[Any, Any]" = NUMBER) -> None:
        super().__init__(output_field=field)
        self.name = name

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, Any]:
        return "%s", [self]

    def written(self, value: Any) -> Any:
        """Return the value as this database stores it."""
        return self.output_field.get_db_prep_save(value, connection)


def slots(name: str, count: int, field: "Field[Any, Any]" = NUMBER) -> Any:
    """Return places for this number of values, as for `id__in`. They are given as a list."""
    return [Slot(f"{name}.{place}", field) for place in range(count)]


def slot_for(model: type[Model], name: str) -> Any:
    """Return the place of a value of this field, under the field's name."""
    field: Any = model._meta.get_field(name)
    return Slot(name, field)


def _fill(statement: Compiled, values: dict[str, Any]) -> None:
    """Give values to all places. Raises KeyError if one is missing."""
    given = dict(_named(values))
    statement.fill(
        tuple(
            parameter.written(given[parameter.name]) if isinstance(parameter, Slot) else parameter
            for parameter in statement.parameters
        )
    )


def _named(values: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the values by the names of their slots."""
    for name, value in values.items():
        if isinstance(value, list):
            yield from ((f"{name}.{place}", item) for place, item in enumerate(value))
        else:
            yield name, value


class PreparedQuery(Generic[Row]):
    """A query of the rows that `build` returns, called with the query's shape: whatever changes its SQL."""

    def __init__(self, build: "Callable[..., QuerySet[Any, Row]]") -> None:
        self.build = build

    def run(self, *shape: Hashable, **values: Any) -> list[Row]:
        """Return the rows. `values`: by the names of the slots; the values of `slots` are a list."""
        made = _made()
        if (self, shape) not in made:
            rows = self.build(*shape)
            made[self, shape] = rows, Compiled(rows.query, _connection())
        rows, statement = made[self, shape]
        _fill(statement, values)
        return read_anew(rows)


class PreparedUpdate:
    """An update of the rows, and to the values by field, that `build` returns, called with the statement's shape."""

    def __init__(self, build: "Callable[..., tuple[QuerySet[Any], dict[str, Any]]]") -> None:
        self.build = build

    def run(self, *shape: Hashable, **values: Any) -> int:
        """Update the rows, and return their number. `values`: by the names of the slots."""
        made = _made()
        if (self, shape) not in made:
            made[self, shape] = Compiled(update_query(*self.build(*shape)), _connection())
        statement = made[self, shape]
        _fill(statement, values)
        return int(statement.update())


def _made() -> dict[Any, Any]:
    """Return the statements of this thread's connection: a compiled one is bound to it."""
    made: dict[Any, Any] = _connection().__dict__.setdefault("chainbox_prepared", {})
    return made


def _connection() -> Any:
    """Return this thread's connection itself: `django.db.connection` stands for those of all threads."""
    return connections[DEFAULT_DB_ALIAS]


# Transactions that run again after a deadlock: PostgreSQL ends one of two that wait for each other, and undoes it.
#
# Questions are locked in the order of their ids where one statement can do that. A transaction with several statements
# that lock cannot always keep the order.

Given = ParamSpec("Given")
Result = TypeVar("Result")
TRIES = 4
PAUSE = 0.05
"""Seconds before the second try; twice as long before each further one."""
DEADLOCK = "40P01"


def atomic_again(work: Callable[Given, Result]) -> Callable[Given, Result]:
    """Run `work` in a transaction, and again if that was ended by a deadlock; raises OperationalError after four.

    `work` may change nothing but the database. Within another transaction it runs once: only the whole can begin anew.
    A pause before each further try lets the other transaction end; without one both can take their first locks again.
    """

    @wraps(work)
    def run(*args: Given.args, **named: Given.kwargs) -> Result:
        tries_left = 1 if connection.in_atomic_block else TRIES
        while True:
            tries_left -= 1
            try:
                with transaction.atomic():
                    return work(*args, **named)
            except OperationalError as error:
                if not tries_left or getattr(error.__cause__, "pgcode", None) != DEADLOCK:
                    raise
            time.sleep(PAUSE * 2 ** (TRIES - 1 - tries_left) * random.uniform(0.5, 1.5))

    return run


T = TypeVar("T")
SLOW_SECONDS = 0.25
SHARE = 60
"""A read that took a second is kept for a minute."""


def cached_read(key: str, read: Callable[[], T], *, slow: float = SLOW_SECONDS) -> T:
    """Return what `read` returns, or what it returned a moment ago if that took longer than `slow`, in seconds."""
    found: T | None = cache.get(key)
    if found is None:
        begun = time.monotonic()
        found = read()
        took = time.monotonic() - begun
        if took > slow:
            cache.set(key, found, SHARE * took)
    return found
