"""Hostile requests to every address: no error of the service, and nothing written by a refused request."""

import json
import random
from collections.abc import Callable, Iterator
from pkgutil import resolve_name
from typing import Any

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import override_settings
from django.urls import clear_url_caches, path
from pytest_django.plugin import DjangoDbBlocker

from annotation.models import Image
from config import urls
from projects.review import operations
from studies.fuzz import hostile
from studies.fuzz.attack import Address, all_addresses, attack, attack_by_kind
from studies.fuzz.world import World, make_world
from studies.management.commands.fuzz import OWN
from tests.support.flows import made_once
from tests.support.table import row
from workers.models import Message

REQUESTS = 160
FEW = {"odd rows": 12, "odd choices": 6}
"""Requests of a kind that are enough to find what is broken again; of deep JSON, one field of a form shows it."""
KEYS = "backoffice.bases.OfMembers"
Before = Callable[[Any], Any]


def unchecked(now: Callable[..., Any]) -> Callable[..., Any]:
    """Return how acts were looked at when their rows were counted before they were checked."""

    def previewed(image: Image, inputs: operations.ActOnImage) -> Any:
        operations._check_bounds(image, inputs.action or {})
        return now(image, inputs)

    return previewed


def always(now: Any) -> Callable[..., bool]:
    return lambda *given: True


@pytest.fixture(scope="module")
def world(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[World]:
    """Make the service that is attacked once: what a request writes is rolled back."""
    folder = tmp_path_factory.mktemp("pictures")
    with override_settings(**OWN, MEDIA_ROOT=str(folder), DATA=folder), made_once(django_db_blocker):
        yield make_world()


def test_every_address_of_pages_api_and_admin_is_attacked() -> None:
    routes = {address.route for address in all_addresses()}
    expected = {"/", "/readyz", "/account/login/", "/join/{code}/", "/platforms/mturk/{key}/", "/admin/"}
    expected |= {"/api/v1/assignments/{token}/submit/", "/api/v1/requester/projects/{project}/review/{image}/"}
    expected |= {"/admin/workers/worker/{object_id}/change/", "/projects/{name}/workers/money/"}
    assert expected <= routes and len(routes) > 150


@pytest.mark.slow
@pytest.mark.django_db
def test_no_hostile_request_breaks_the_service_or_writes_when_it_is_refused(world: World) -> None:
    found = attack(world, REQUESTS)
    assert found.faults == {}
    assert found.requests == REQUESTS and found.statuses[200] > 10


@pytest.mark.django_db
def test_a_page_that_breaks_and_one_that_writes_before_it_refuses_are_found(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaks(request: HttpRequest) -> HttpResponse:
        raise ValueError("broken")

    def writes(request: HttpRequest) -> HttpResponse:
        Message.objects.update(text="written")
        return HttpResponse(status=400)

    planted = [path("breaks/", breaks), path("writes/", writes)]
    monkeypatch.setattr("config.urls.urlpatterns", [*urls.urlpatterns, *planted])
    clear_url_caches()
    try:
        faults = attack(world, 6, addresses=[Address("/breaks/", ""), Address("/writes/", "")]).faults
    finally:
        monkeypatch.undo()
        clear_url_caches()
    assert any(one.startswith("500 at /breaks/: ValueError in") for one in faults)
    assert "400 at /writes/, and the database changed" in faults
    assert len(faults) == 2


def named(*names: str) -> list[Address]:
    return [one for one in all_addresses() if one.name in names]


@pytest.mark.slow
@pytest.mark.django_db
def test_no_request_of_an_odd_kind_breaks_the_service(world: World) -> None:
    addresses = named("preview_act", "gold_annotation", "change_type", "workers_worker_changelist")
    found = attack_by_kind(world, addresses=addresses, most=4)
    assert found.faults == {} and found.requests == 26


@pytest.mark.slow
@pytest.mark.django_db
@row("deep JSON", "settings", "projects.settings.pages.parse_json", lambda now: json.loads, "RecursionError")
@row("odd rows", "workbench", "projects.review.operations._previewed", unchecked, "TypeError")
@row("odd choices", "workers_worker_changelist", f"{KEYS}._may_be_key", always, "ValueError")
def test_what_was_mended_is_found_where_it_is_broken_again(
    kind: str, address: str, mended: str, before: Before, error: str, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner, _, name = mended.rpartition(".")
    monkeypatch.setattr(mended, before(getattr(resolve_name(owner), name)))
    faults = attack_by_kind(world, [kind], addresses=named(address), most=FEW.get(kind, 0)).faults
    assert any(one.startswith("500 at") and error in one for one in faults), faults


def test_a_request_is_the_same_for_the_same_seed() -> None:
    made = [[hostile.body(random.Random(seed), {"a": [1, {"b": 2}]}) for seed in range(50)] for _ in range(2)]
    assert made[0] == made[1]
