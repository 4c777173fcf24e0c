"""Forms that are sent several times at once: what fails then is found, with the form that does it."""

import threading
from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.urls import clear_url_caches, path

from config import urls
from members.models import Role
from studies.fuzz.at_once import TIMES, attack_at_once, forms_of
from tests.support.members import sign_in
from tests.support.projects import phrases, project_of
from tests.support.services import PATIENCE

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
