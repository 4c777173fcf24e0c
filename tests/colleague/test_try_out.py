"""A try shows why a task is refused, and goes on with the next one."""

from pathlib import Path
from typing import Any, cast

import pytest

from colleague.asker import Asker
from colleague.errors import ServiceError
from colleague.service import Service
from colleague.try_out import try_out

REFUSED = ServiceError("The requester has not set this program to work.", status=403)
BROKEN = ServiceError("The service answers 500.", status=500)


class Refusing:
    """A service without examples that refuses every task."""

    def __init__(self, error: ServiceError) -> None:
        self.error = error

    def examples(self, task: str) -> list[dict[str, Any]]:
        return []

    def ask(self, task: str) -> tuple[dict[str, Any] | None, str]:
        raise self.error


class Idle:
    """An asker that is never asked."""

    class model:
        spending = "nothing"


def tried(error: ServiceError, folder: Path) -> list[str]:
    service, asker = cast(Service, Refusing(error)), cast(Asker, Idle())
    return list(try_out(service, asker, ["box_quality", "coreference_link"], 2, folder))


def test_a_refusal_is_shown_for_each_task(tmp_path: Path):
    first, second, *_ = tried(REFUSED, tmp_path)
    assert (first, second) == (f"=== box quality\n{REFUSED}", f"=== coreference link\n{REFUSED}")


def test_any_other_error_ends_the_try(tmp_path: Path):
    with pytest.raises(ServiceError, match="500"):
        tried(BROKEN, tmp_path)
