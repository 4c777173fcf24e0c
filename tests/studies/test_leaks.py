"""The study of leaks finds each planted leak, and none in the service as it is.
Nothing that a browser receives tells verification questions from real ones, and the study would notice.
"""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from pytest_django.plugin import DjangoDbBlocker

from pipeline.gold_questions.known_questions import forget
from pipeline.protocol.tasks.task import Task
from studies.question_leak import watch
from studies.question_leak.evidence import NOTHING, Evidence, strongest, strongest_part
from studies.question_leak.plants import BY_NAME, PLANTS
from studies.question_leak.study import BEFORE, LOOKS_AT, VIEWS, Effort, look_through
from studies.question_leak.watch import OFFERS
from studies.question_leak.world import World, admit, make_world
from tests.support.flows import made_once
from tests.support.table import row

# Draws depend on ids: `made_once` lets these begin with 1.
pytestmark = pytest.mark.django_db

EFFORT = Effort(rounds=2, returns=2, left_out=3, ahead=3)
LONGER = Effort(rounds=6, returns=6, left_out=9, ahead=9)
TOGETHER = {
    "exact-counts": ("counters", "size less drop of open"),
    "first-places": ("order", "place"),
    "real-only": ("receipts", "stored less answered"),
    "longer-links": ("pages", "link lengths"),
}
"""Plants that do not disturb one another: each is found by a view of its own, by a sign."""
UNPAID = {"earned less its share", "rise on /work/{project}/earned/ less earned"}
"""Two signs of the plant `unpaid`, of which either may be the stronger one."""
OF_DRAWS = {
    "drawn-anew": ("returns", "other places after a return"),
    "left-out-again": ("left out", "comes back when left out"),
}
"""The same of views that compare draws, of which half of the tasks give enough."""


@pytest.fixture(scope="module")
def world(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[World]:
    """Make one project for all tests of this file: each puts back what it changes."""
    forget()
    with made_once(django_db_blocker):
        yield make_world(finished=10, begun=20, workers=3, stock=60)
    forget()


@pytest.fixture
def two_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Watch half of the tasks; `make leak-study` watches all. Each assignment is compared with others of its task."""
    monkeypatch.setattr(watch, "WATCHED", (Task.BOX_DRAWING, Task.BOX_QUALITY))


@pytest.fixture
def all_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let workers leave nothing out, in tasks whose assignments are all full: few of them show a leak."""
    monkeypatch.setattr(watch, "LEFT_OUT", 0.0)
    monkeypatch.setattr(watch, "WATCHED", (Task.COREFERENCE_LINK, Task.BOX_DRAWING))


@pytest.mark.slow
def test_nothing_that_a_worker_sees_gives_verification_questions_away(world: World, two_tasks: None) -> None:
    found = look_through(world, effort=EFFORT)
    assert list(found) == list(VIEWS)
    # Chance alone looks like a leak in one view of two hundred; after three times as many assignments it has faded.
    suspected = [view for view, one in found.items() if one.is_leak]
    again = look_through(world, suspected, effort=LONGER) if suspected else {}
    assert [f"{view}: {one}" for view, one in again.items() if one.is_leak] == []


@pytest.mark.long
def test_nothing_gives_verification_questions_of_any_task_away(world: World) -> None:
    test_nothing_that_a_worker_sees_gives_verification_questions_away(world, None)


def signs(world: World, plants: dict[str, tuple[str, str]]) -> dict[str, str]:
    """Return the sign of each view that finds a leak, of those for which the plants are."""
    views = [view for view, _ in plants.values()]
    found = look_through(world, views, plants=[*plants], effort=replace(EFFORT, rounds=3))
    return {view: one.sign for view, one in found.items() if one.is_leak}


@pytest.mark.slow
def test_each_view_of_an_assignment_finds_the_leak_that_is_planted_for_it(
    world: World, all_answered: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for view in LOOKS_AT:  # what is planted is in the list of tasks, the assignment and its receipt, on no page
        monkeypatch.setitem(LOOKS_AT, view, (OFFERS,))
        monkeypatch.setitem(BEFORE, view, (OFFERS,))
    found = signs(world, TOGETHER | {"unpaid": ("pay", "")})
    assert found.pop("pay") in UNPAID
    assert found == dict(TOGETHER.values())


@pytest.mark.slow
def test_each_view_of_draws_finds_the_leak_that_is_planted_for_it(world: World, two_tasks: None) -> None:
    assert signs(world, OF_DRAWS) == dict(OF_DRAWS.values())


@pytest.mark.slow
def test_verification_questions_that_outlast_a_return_are_found(world: World, two_tasks: None) -> None:
    found = look_through(world, ["kept"], plants=["outlasting"], effort=Effort(0, 4, 0, 0))["kept"]
    assert found.is_leak


@pytest.mark.slow
def test_a_score_that_is_shown_at_once_is_found(world: World, all_answered: None) -> None:
    found = look_through(world, ["receipts"], plants=["score-at-once"], effort=Effort(2, 0, 0, 0))["receipts"]
    assert found.is_leak and found.sign == "checked on the page"


@pytest.mark.slow
@row("graded-first", "begun statements", 9)
@row("real-ahead", "given ahead of time", 6)
def test_a_batch_given_ahead_that_tells_of_answers_or_holds_fewer_verification_questions_is_found(
    plant: str, sign: str, turns: int, world: World, two_tasks: None
) -> None:
    found = look_through(world, ["ahead"], plants=[plant], effort=Effort(0, 0, 0, turns))["ahead"]
    assert found.is_leak and found.sign == sign


@row("people-requirement", "box requirement: people")
@row("same-caption", "chain verification: two phrases of one caption")
@row("no-common-type", "chain verification: phrases without a common type")
@row("boxes-shown", "box coverage: boxes")
def test_questions_that_the_pipeline_never_asks_are_found(plant: str, sign: str, world: World) -> None:
    found = look_through(world, ["content"], plants=[plant], effort=EFFORT)["content"]
    assert found.is_leak and found.sign == sign


@pytest.mark.slow
def test_a_first_question_that_is_always_real_after_a_short_batch_is_found_and_the_service_has_none(world: World):
    more = [admit(world.project, name) for name in map(str, range(3))]
    many, effort, view = replace(world, workers=[*world.workers, *more]), Effort(0, 0, 0, 0, short=2), "after short"
    planted = look_through(many, [view], plants=["short-then-real"], effort=effort)[view]
    assert planted.is_leak and planted.sign == "first after a short batch", planted
    as_it_is = look_through(many, [view], effort=effort)[view]
    assert not as_it_is.is_leak, as_it_is


def test_every_plant_is_looked_for() -> None:
    elsewhere = [*PLANTS["content"], *PLANTS["after short"], *PLANTS["ahead"]]
    assert set(BY_NAME) == {*TOGETHER, "unpaid", *OF_DRAWS, "score-at-once", "outlasting", *elsewhere}


def test_what_goes_along_with_nothing_is_no_leak() -> None:
    rows = [{"a": float(number % 3), "b": float(number % 7)} for number in range(210)]
    assert not strongest(rows, [float(number % 5 == 0) for number in range(210)], ["one"] * 210).is_leak
    assert strongest([], [], []) == strongest([{"a": 1.0}] * 9, [0.0, 1.0, 2.0] * 3, ["one"] * 9) == NOTHING


def test_a_number_that_only_differs_between_groups_is_no_leak() -> None:
    groups = ["few"] * 100 + ["many"] * 100
    rows = [{"a": float(group == "many")} for group in groups]
    known = [float(place % 10 == 0) for place in range(100)] + [float(place % 2) for place in range(100)]
    assert strongest(rows, known, groups) == NOTHING


def test_of_several_parts_the_clearest_counts_as_chosen_among_them() -> None:
    parts = [Evidence("a", 0.1, 0.5, 0.2, 9), Evidence("b", 0.4, 0.001, 0.2, 9)]
    assert strongest_part(parts) == Evidence("b", 0.4, 0.002, 0.2, 9)
