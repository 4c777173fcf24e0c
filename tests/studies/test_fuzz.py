"""Hostile requests to every address: no error of the service, and nothing written by a refused request.
Forms that are sent several times at once: what fails then is found, with the form that does it.
The study of several hosts tells what is wrong, and nothing is wrong in a short one. The long one is run by hand.
"""

import json
import random
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import httpx
import pytest
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.test import Client, override_settings
from django.urls import clear_url_caches, path
from pytest_django.plugin import DjangoDbBlocker

from accounts.models import Role
from annotation.models import Image
from config import urls
from projects.review import acts_api
from studies.faults.crew import REST_SECONDS, Services, code_of
from studies.fuzz import hostile
from studies.fuzz.at_once import TIMES, attack_at_once, forms_of
from studies.fuzz.attack import Address, all_addresses, attack
from studies.fuzz.kinds import attack_by_kind
from studies.fuzz.world import World, make_world
from studies.hosts import study
from studies.hosts.bucket import with_clock
from studies.hosts.faults import all_faults
from studies.hosts.network import why_no_network
from studies.hosts.study import Happened, Outcome, run_study, table
from studies.management.commands.fuzz import OWN
from tests.support.flows import made_once
from tests.support.members import sign_in
from tests.support.projects import phrases, project_of
from tests.support.services import PATIENCE
from tests.support.table import row
from workers.models import Message

REQUESTS = 160
FEW = {"odd rows": 12, "odd choices": 6}
"""Requests of a kind that are enough to find what is broken again; of deep JSON, one field of a form shows it."""
KEYS = "backoffice.of_members.OfMembers"
Before = Callable[[Any], Any]


def unchecked(now: Callable[..., Any]) -> Callable[..., Any]:
    """Return how acts were looked at when their rows were counted before they were checked."""

    def previewed(image: Image, body: dict[str, Any]) -> Any:
        acts_api._check_bounds(image, body.get("action", {}))
        return now(image, body)

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
    expected = {
        "/", "/readyz", "/work/sign-in/", "/join/{code}/", "/platforms/mturk/{key}/", "/admin/login/",
        "/api/v1/assignments/{token}/submit/", "/projects/{name}/review/{image_id}/act/",
        "/admin/workers/worker/{object_id}/change/", "/projects/{name}/workers/money/",
    }  # fmt: skip
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
    addresses = named("bench_preview", "gold_sheet", "types", "workers_worker_changelist")
    found = attack_by_kind(world, addresses=addresses, most=4)
    assert found.faults == {} and found.requests == 20


@pytest.mark.slow
@pytest.mark.django_db
@row("deep JSON", "types", "projects.data.preview_page.parse_json", lambda now: json.loads, "RecursionError")
@row("deep JSON", "settings", "projects.settings.pages.parse_json", lambda now: json.loads, "RecursionError")
@row("odd rows", "bench_preview", "projects.review.acts_api._previewed", unchecked, "TypeError")
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


PAGE = """<form method="post" action="/twice/"><input name="a" value="1"><input type="checkbox" name="b">
<select name="c"><option value=""><option value="x" selected><option value="y"></select><textarea name="d"></textarea>
<button name="do" value="this"></button><button name="do" value="that"></button></form><form method="get"></form>"""


def test_a_form_is_filled_as_it_stands_for_each_of_its_buttons() -> None:
    (form,) = forms_of("/here/", PAGE)
    assert form.action == "/twice/"
    assert form.bodies() == [{"a": "1", "c": "x", "d": "", "do": do} for do in ("this", "that")]


@pytest.fixture
def planted(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """A page that fails for all but one who look at the same time. Its messages tell what was sent."""
    gate, lock, seen = threading.Barrier(TIMES, timeout=PATIENCE), threading.Lock(), list[str]()

    def twice(request: HttpRequest) -> HttpResponse:
        if request.method != "POST":
            return HttpResponse(PAGE.replace('<button name="do" value="that"></button>', ""))
        free = not seen
        try:
            gate.wait()  # everybody has looked before anybody writes
        except threading.BrokenBarrierError:
            return HttpResponse("not at once")
        with lock:
            if seen and free:
                raise ValueError("taken")
            seen.append(request.POST["d"])
        return HttpResponse()

    monkeypatch.setattr("config.urls.urlpatterns", [*urls.urlpatterns, path("twice/", twice)])
    clear_url_caches()
    yield seen
    monkeypatch.undo()
    clear_url_caches()


@pytest.mark.django_db(transaction=True)
def test_a_form_that_fails_when_it_is_sent_twice_is_found(client: Client, planted: list[str]) -> None:
    project = project_of(phrases("people: a man"))
    sign_in(client, project, Role.REQUESTER, "rita")
    found = attack_at_once(User.objects.get(username="rita"), ["/twice/"], fill={"d": "filled"})
    assert (found.statuses[200], found.statuses[500], planted) == (1, TIMES - 1, ["filled"])
    (fault,) = found.faults
    assert fault.startswith(f"500 at /twice/, pressed {TIMES} times at once: ValueError in")
    assert attack_at_once(User.objects.get(username="rita"), [f"/projects/{project.name}/alerts/"]).faults == {}


ROOT = Path(__file__).resolve().parents[2]
KILLED, CUT = Happened("web host: killed", "web1", 5.0, 60.0), Happened("web host: cut off", "web2", 5.0, 4.0)


def test_every_kind_of_host_dies_is_cut_off_and_has_a_wrong_clock() -> None:
    names = {fault.name for fault in all_faults()}
    some = {"web host: killed", "host of the clock: cut off from PostgreSQL", "web host: cut off from the bucket"}
    assert some < names
    assert len(names) == len(all_faults()) >= 11


def test_a_study_with_something_lost_or_late_is_not_sound() -> None:
    sound = Outcome(1, ended=True, faults=[KILLED, CUT], problems={"lost": []})
    assert sound.sound, "a killed host may start as long as it likes while the others go on"
    late = (replace(KILLED, went_on=31.0), replace(CUT, back=31.0))
    assert not any(replace(sound, faults=[one]).sound for one in late)
    assert not replace(sound, problems={"carried": ["3 bytes"]}).sound and not replace(sound, ended=False).sound
    assert "| web host: killed | 2 | 31.0 | 60.0 |" in table(replace(sound, faults=[KILLED, late[0]]))


def test_a_host_that_did_not_answer_is_asked_nothing_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    services, rng = Services("a", "b"), random.Random(1)
    services.failed("a")
    assert {services.one(rng) for _ in range(20)} == {"b"}
    now += REST_SECONDS
    assert {services.one(rng) for _ in range(20)} == {"a", "b"}


@row(503, {"code": "no_files"}, {"Retry-After": "30"}, "no_files")
@row(503, {"code": "no_files"}, {}, "")
@row(503, {"code": "oops"}, {"Retry-After": "30"}, "")
@row(500, {"code": "no_files"}, {"Retry-After": "30"}, "")
def test_only_a_documented_503_is_excused(status: int, body: Any, headers: dict[str, str], code: str) -> None:
    assert code_of(httpx.Response(status, json=body, headers=headers)) == code
    assert code_of(httpx.Response(status, text="<html>", headers=headers)) == ""


@pytest.mark.parametrize(("wrong", "status"), [(timedelta(minutes=9), "200"), (timedelta(hours=1), "403")])
def test_the_twin_of_the_bucket_refuses_what_a_wrong_clock_has_signed(wrong: timedelta, status: str) -> None:
    said: list[str] = []

    def application(environ: Any, start_response: Any) -> list[bytes]:
        start_response("200 OK", [])
        return []

    stated = f"{datetime.now(UTC) + wrong:%Y%m%dT%H%M%SZ}"
    for environ in ({"HTTP_X_AMZ_DATE": stated, "QUERY_STRING": ""}, {"QUERY_STRING": f"X-Amz-Date={stated}"}):
        with_clock(application)(environ, lambda line, headers: said.append(line.split()[0]))
    assert said == [status, status]


@pytest.mark.long
@pytest.mark.services
def test_nothing_is_lost_when_the_host_of_the_clock_dies(real_services: None, monkeypatch: pytest.MonkeyPatch) -> None:
    if why := why_no_network():
        pytest.skip(why)
    monkeypatch.setattr(study, "QUIET_SECONDS", 8.0)
    found = run_study(ROOT, seed=7, faults=1, images=2, workers=4, lasts=1, jobs=2, only=("clock: killed",))
    assert found.problems and not any(found.problems.values()), found.problems
    assert found.ended and found.acknowledged > 20 and not found.late, found
    assert found.carried["imports"] and found.carried["exports fetched"] and found.carried["files in pieces"]


@pytest.mark.long
@pytest.mark.services
def test_nothing_is_lost_in_twenty_faults_of_hosts(real_services: None) -> None:
    if why := why_no_network():
        pytest.skip(why)
    found = run_study(ROOT, seed=1, faults=20, images=50)
    assert found.sound, found
