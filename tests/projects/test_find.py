"""Ctrl-K finds a requester's projects, their pages and settings, and the documentation; nothing that is not theirs."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from accounts.models import Role
from annotation.models import Project
from tests.support.members import sign_in
from tests.support.rows import make_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def dogs() -> Project:
    make_project("cats")
    return make_project("dogs")


def found(client: Client, words: str) -> list[str]:
    page = client.get("/find/", {"q": words, "project": "dogs"}).content.decode()
    return re.findall(r'href="([^"]+)"', page)


def test_finds_projects_pages_settings_and_help(client: Client, dogs: Project) -> None:
    client.force_login(User.objects.create_superuser("ada"))
    assert reverse("gallery:project", args=["cats"]) in found(client, "cats")
    assert any(address.endswith("/dogs/dashboard/") for address in found(client, "dashboard"))
    assert any("/settings/#s-" in address for address in found(client, "test questions"))
    assert any(address.startswith("/help/how-to/") for address in found(client, "review"))


def test_without_words_lists_the_pages_of_the_project(client: Client, dogs: Project) -> None:
    client.force_login(User.objects.create_superuser("ada"))
    assert any(address.endswith("/dogs/dashboard/") for address in found(client, ""))


def test_shows_a_reviewer_only_their_project_and_their_pages(client: Client, dogs: Project) -> None:
    sign_in(client, dogs, Role.REVIEWER)
    addresses = found(client, "")
    assert not any("cats" in address or "settings" in address for address in addresses)
    assert any("dogs" in address for address in addresses)
