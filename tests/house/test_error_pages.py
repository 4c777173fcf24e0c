"""Pages of errors look like the others and lead on."""

from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied, SuspiciousOperation
from django.http import HttpRequest
from django.test import Client
from django.urls import include, path, reverse

from config.urls import handler500 as handler500  # an address file names it
from tests.support.members import maker


def forbidden(request: HttpRequest) -> Any:
    raise PermissionDenied


def suspicious(request: HttpRequest) -> Any:
    raise SuspiciousOperation


def broken(request: HttpRequest) -> Any:
    raise RuntimeError("a secret of the database")


urlpatterns = [
    path("forbidden/", forbidden),
    path("suspicious/", suspicious),
    path("broken/", broken),
    path("", include("config.urls")),
]
here = pytest.mark.urls(__name__)
STYLED = 'class="sheet"'


@pytest.fixture
def client() -> Client:
    return Client(raise_request_exception=False)


@pytest.mark.django_db
def test_a_page_that_does_not_exist_leads_to_the_start_page(client: Client) -> None:
    answer = client.get("/nowhere/")
    assert answer.status_code == 404
    assert STYLED in answer.text and "This page does not exist" in answer.text
    assert f'href="{reverse("labelling:home")}">Go to the start page' in answer.text
    assert reverse("labelling:sign_in") in answer.text


@pytest.mark.django_db
def test_a_page_that_does_not_exist_leads_staff_to_projects_and_admin(client: Client) -> None:
    client.force_login(maker("eve"))
    said = client.get("/projects/nobody/").text
    assert f'href="{reverse("gallery:start")}">Go to the projects' in said
    assert f'href="{reverse("admin:index")}">the admin pages' in said


@here
@pytest.mark.django_db
def test_a_forbidden_page_names_the_account_and_leads_to_the_work(client: Client) -> None:
    client.force_login(User.objects.create_user("bob"))
    answer = client.get("/forbidden/")
    assert answer.status_code == 403
    assert STYLED in answer.text and "You are signed in as bob" in answer.text
    assert f'href="{reverse("labelling:home")}">Go to my work' in answer.text


@pytest.mark.django_db
def test_a_form_that_was_open_for_too_long_is_explained() -> None:
    answer = Client(enforce_csrf_checks=True).post(reverse("labelling:sign_in"), {"username": "ada"})
    assert answer.status_code == 403
    assert STYLED in answer.text and "Your form was not sent" in answer.text


@here
def test_a_request_that_cannot_be_read_is_explained(client: Client) -> None:
    answer = client.get("/suspicious/")
    assert answer.status_code == 400
    assert STYLED in answer.text and "This request cannot be read" in answer.text


@here
def test_an_unforeseen_error_is_explained_without_the_database(client: Client) -> None:
    answer = client.get("/broken/")  # pytest fails a test that reads the database without its mark
    assert answer.status_code == 500
    assert STYLED in answer.text and "Something went wrong here" in answer.text
    assert "secret" not in answer.text


@here
def test_an_unforeseen_error_is_explained_even_if_the_pages_were_not_built(
    client: Client, settings: Any, tmp_path: Path
) -> None:
    settings.FRONTEND = tmp_path
    answer = client.get("/broken/")
    assert answer.status_code == 500
    assert answer["Content-Type"] == "text/plain"
    assert "Something went wrong here" in answer.text
