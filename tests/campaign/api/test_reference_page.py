"""The API's reference as a page names every call of requesters' programs, and nothing of workers."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client

from annotation.models import Project
from campaign.api.pages import calls
from campaign.api.urls import urlpatterns
from members.models import Role
from tests.support.members import sign_in
from tests.support.rows import make_project

pytestmark = pytest.mark.django_db


def test_every_call_is_there_with_what_is_sent_and_what_comes_back(client: Client) -> None:
    sign_in(client, make_project(), Role.REQUESTER)
    page = client.get("/account/tokens/api/").text
    assert {call.path for call in calls()} >= {f"/api/v1/requester/{_plain(str(one.pattern))}" for one in urlpatterns}
    assert all(f"{call.method} {call.path}" in page for call in calls())
    begin = next(call for call in calls() if call.name == "begin_forecast")
    assert begin.about and {one.name for one in begin.parameters} == {"project"} and begin.sends and begin.answers
    assert all(call.about for call in calls())


def test_it_is_linked_from_the_tokens_and_shown_to_requesters_alone(client: Client) -> None:
    sign_in(client, make_project(), Role.REQUESTER)
    assert 'href="/account/tokens/api/"' in client.get("/account/tokens/").text
    stranger = Client()
    stranger.force_login(User.objects.create_user("ada"))
    assert stranger.get("/account/tokens/api/").status_code == 403
    assert Project.objects.count() == 1


def _plain(pattern: str) -> str:
    return re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", pattern)
