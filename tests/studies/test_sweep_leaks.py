"""The study of leaks finds none in a project that asks sweeps."""

from collections.abc import Iterator

import pytest
from pytest_django.plugin import DjangoDbBlocker

from pipeline.gold_questions.known_questions import forget
from pipeline.protocol.tasks.task import Task
from studies.question_leak import watch
from studies.question_leak.study import Effort, look_through
from studies.question_leak.world import World, make_world
from tests.support.flows import made_once

# Draws depend on ids: `made_once` lets these begin with 1.
pytestmark = [pytest.mark.django_db, pytest.mark.slow]


@pytest.fixture(scope="module")
def sweeping(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[World]:
    """Make a project that asks sweeps."""
    forget()
    with made_once(django_db_blocker):
        yield make_world(finished=12, begun=60, workers=5, stock=60, sweeps=True)
    forget()


def test_neither_shape_nor_place_length_or_pay_gives_known_sweeps_away(
    sweeping: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch, "WATCHED", (Task.COREFERENCE_LINK,))
    views = ("content", "counters", "order", "receipts", "pay")
    found = look_through(sweeping, views, effort=Effort(rounds=9, returns=6, left_out=9, ahead=9))
    assert {view: str(one) for view, one in found.items() if one.is_leak} == {}
    assert found["order"].rows > 100
