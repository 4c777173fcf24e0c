"""Functions of the program that run SQL statements, noted on each engine and compared.

Most tests run on SQLite alone. As a plugin of pytest this module notes the functions whose statements ran, if
CHAINBOX_STATEMENT_PLACES names a folder. `python -m tests.support.statement_places FOLDER` then fails if a function ran
statements on SQLite and on no PostgreSQL: some test of it needs the mark `both_engines`. With `--cover` it prints tests
that suffice for that.
"""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import CodeType
from typing import Any

import pytest

from tests.support.places import ROOT

NOT_THE_PROGRAM = ("tests", ".venv", "scripts", "manage.py", "studies")
AROUND_ALL = "config/logs.py"
"""Watches every statement, so that it tells nothing of where one comes from."""
ENGINES = ("sqlite", "postgresql")
OF_TRANSACTIONS = ("BEGIN", "SAVEPOINT", "RELEASE", "ROLLBACK")
"""Statements that Django itself sends, and to one engine more than to the other."""
ONE_ENGINE = {"runtime/apps.py": "settings of SQLite", "config/start.py": "on PostgreSQL in processes of its own"}
"""Files whose statements are for SQLite alone, with the reason."""

_places: dict[CodeType, str] = {}
"""The place of each code object that was met; empty where it is not of the program."""
_noted: dict[str, set[tuple[str, str]]] = {engine: set() for engine in ENGINES}
"""By engine, places with the tests that ran their statements."""
_test = [""]
"""The test that runs, or for which something is made; with a star if it runs on PostgreSQL alone."""


def place_of(code: CodeType) -> str:
    """Return the file and function of the program that the code is; empty if it is another's."""
    path = Path(code.co_filename)
    if not path.is_relative_to(ROOT):
        return ""
    inside = path.relative_to(ROOT)
    return "" if inside.parts[0] in NOT_THE_PROGRAM or str(inside) == AROUND_ALL else f"{inside}:{code.co_qualname}"


def note(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
    """Note the innermost function of the program that the statement comes from, and execute the statement."""
    frame = None if sql.startswith(OF_TRANSACTIONS) else sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        place = _places.get(code)
        if place is None:
            place = _places[code] = place_of(code)
        if place:
            context = rest[-1]
            _noted[context["connection"].vendor].add((place, _test[0]))
            break
        frame = frame.f_back  # type: ignore[assignment]
    return execute(sql, *rest)


def _watch(connection: Any, **_: Any) -> None:
    if note not in connection.execute_wrappers:
        connection.execute_wrappers.append(note)


def pytest_configure() -> None:
    if os.environ.get("CHAINBOX_STATEMENT_PLACES"):
        from django.db.backends.signals import connection_created

        connection_created.connect(_watch, dispatch_uid="statement_places")


def pytest_runtest_logstart(nodeid: str) -> None:
    _test[0] = nodeid


def pytest_runtest_setup(item: pytest.Item) -> None:
    _test[0] = item.nodeid + "*" * bool(item.get_closest_marker("services"))


def pytest_sessionfinish(session: pytest.Session) -> None:
    folder = os.environ.get("CHAINBOX_STATEMENT_PLACES")
    for engine, places in _noted.items():
        if folder and places:
            (Path(folder) / f"{engine}-{os.getpid()}").write_text("\n".join(map("\t".join, sorted(places))))


def only_on_sqlite(folder: Path) -> list[str]:
    """Return the places that ran statements on SQLite alone. Raises ValueError if an engine noted none."""
    noted = {engine: {place for place, _ in _read(folder, engine)} for engine in ENGINES}
    if missing := [engine for engine, places in noted.items() if not places]:
        raise ValueError(f"No statements on {missing[0]} were noted in {folder}.")
    alone = noted["sqlite"] - noted["postgresql"]
    return sorted(place for place in alone if place.partition(":")[0] not in ONE_ENGINE)


def covering(folder: Path) -> list[str]:
    """Return tests that together run the statements of every place that ran on PostgreSQL: few, and those that must."""
    ran: dict[str, set[str]] = {}
    for place, test in _read(folder, "postgresql"):
        ran.setdefault(test, set()).add(place)
    chosen = sorted(test for test in ran if test.endswith("*"))
    left = set[str]().union(*ran.values()).difference(*(ran[test] for test in chosen))
    while left:
        chosen.append(min(ran, key=lambda test: (-len(ran[test] & left), test)))
        left -= ran[chosen[-1]]
    return chosen


def _read(folder: Path, engine: str) -> set[tuple[str, str]]:
    lines = {line for file in folder.glob(f"{engine}-*") for line in file.read_text().split("\n")}
    return {(place, test) for place, _, test in (line.partition("\t") for line in lines)}


if __name__ == "__main__":
    if "--cover" in sys.argv:
        sys.exit("\n".join(covering(Path(sys.argv[1]))))
    found = only_on_sqlite(Path(sys.argv[1]))
    print("\n".join(f"only on SQLite: {place}" for place in found))
    if found:
        sys.exit("A test that runs each of these needs the mark both_engines.")
