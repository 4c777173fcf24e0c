"""The API: a worker reads and changes how they like to work, and nobody else's."""

from typing import Any

import pytest
from django.test import Client

from pipeline.rules.tasks.task import Task
from tests.support.api import ApiWorker
from workers.models import Worker
from workers.page_token import make_page_token
from workers.preferences import Preferences

pytestmark = pytest.mark.django_db(transaction=True)
DEFAULTS = {"send_by_itself": False, "draw_by": None, "confirm_by_double_click": False, "language": ""}


@pytest.mark.both_engines
def test_a_worker_who_never_changed_anything_has_the_defaults(ada: ApiWorker) -> None:
    assert ada.call("GET", "preferences/") == (200, DEFAULTS)


def test_a_change_stays_and_leaves_the_other_preferences_alone(ada: ApiWorker, bob: ApiWorker) -> None:
    assert ada.call("PATCH", "preferences/", {"draw_by": "extreme points"})[0] == 200
    changed = DEFAULTS | {"draw_by": "extreme points", "send_by_itself": True}
    assert ada.call("PATCH", "preferences/", {"send_by_itself": True}) == (200, changed)
    assert ada.call("GET", "preferences/") == (200, changed)
    assert bob.call("GET", "preferences/") == (200, DEFAULTS)


@pytest.mark.parametrize(
    "changes",
    [{"draw_by": "mind"}, {"draw_by": 1}, {"send_by_itself": None}, {"confirm_by_double_click": "maybe"}, [1]],
)
def test_wrong_values_are_refused_and_change_nothing(ada: ApiWorker, changes: Any) -> None:
    status, answer = ada.call("PATCH", "preferences/", changes)
    assert status == 400 and answer["code"] == "invalid"
    assert ada.call("GET", "preferences/") == (200, DEFAULTS)


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ({"draw_by": "two clicks"}, {"confirm_by_double_click": True}),
        ({"confirm_by_double_click": True}, {"draw_by": "two clicks"}),
        ({}, {"confirm_by_double_click": True, "draw_by": "two clicks"}),
    ],
)
def test_double_clicks_never_confirm_where_two_clicks_draw(ada: ApiWorker, first: Any, then: Any) -> None:
    assert ada.call("PATCH", "preferences/", first)[0] == 200
    status, answer = ada.call("PATCH", "preferences/", then)
    assert (status, answer["message"]) == (400, "A double-click cannot confirm boxes that two clicks draw.")


def test_unknown_names_are_ignored(ada: ApiWorker) -> None:
    assert ada.call("PATCH", "preferences/", {"colour": "red"}) == (200, DEFAULTS)
    assert Preferences.from_json({"colour": "red", "send_by_itself": True}) == Preferences(send_by_itself=True)


def test_a_token_that_is_not_ours_changes_nothing(client: Client, ada: ApiWorker) -> None:
    stranger = ApiWorker(client, ada.worker, authorization=f"Bearer {make_page_token(ada.worker.id)}x")
    assert stranger.call("PATCH", "preferences/", {"send_by_itself": True})[0] == 401
    assert Worker.objects.get(id=ada.worker.id).preferences == {}


def test_what_a_worker_is_asked_does_not_depend_on_them(ada: ApiWorker) -> None:
    before = ada.ask(Task.BOX_REQUIREMENT)
    ada.call("PATCH", "preferences/", {"send_by_itself": True, "draw_by": "two clicks"})
    again = ada.ask(Task.BOX_REQUIREMENT)
    assert again["questions"] == before["questions"]
