"""Requests that no page sends and anybody can: they are refused, and are not an error of the service."""

import json
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.auth.models import User
from django.test import Client, RequestFactory
from django.urls import reverse

from annotation.models import Project
from campaign.models import GoldImage
from members.models import Role
from tests.support.members import sign_in
from tests.support.projects import phrases, project_of

pytestmark = pytest.mark.django_db
NESTED = "[" * 100_000


@pytest.fixture
def project(client: Client) -> Project:
    made = project_of(phrases("people: a man", "people: the guy"))
    sign_in(client, made, Role.REQUESTER, "rita")
    return made


@pytest.mark.parametrize("name", ["bench_preview", "bench_act", "gold_sheet", "types"])
def test_json_that_is_nested_a_hundred_thousand_times_is_refused(client: Client, project: Project, name: str) -> None:
    image = project.images.get()
    if name == "gold_sheet":
        GoldImage.objects.create(image=image, place=0, annotators=1)
    args = [project.name] if name == "types" else [project.name, image.pk]
    answer = client.post(reverse(f"campaign:{name}", args=args), NESTED, content_type="application/json")
    assert answer.status_code == 400


def test_settings_whose_terms_are_nested_are_refused(client: Client, project: Project) -> None:
    address = reverse("campaign:settings", args=[project.name])
    for field in ("terms_before", "draft"):
        assert client.post(address, {field: NESTED, "step": "save"}).status_code < 500


@pytest.mark.parametrize(
    "action",
    [
        {"action": "rechunk", "remove": [], "add": [[0, [1], 2]]},
        {"action": "rechunk", "remove": [[1]], "add": [[0, 1, 2]]},
        {"action": "rechunk", "remove": "x", "add": [1, None]},
    ],
)
def test_phrases_in_odd_rows_are_refused(client: Client, project: Project, action: dict[str, Any]) -> None:
    address = reverse("campaign:bench_preview", args=[project.name, project.images.get().pk])
    answer = client.post(address, json.dumps({"action": action}), content_type="application/json")
    assert answer.status_code == 400 and answer.json()["problem"]


def test_no_action_of_the_admin_fails_for_a_row_that_cannot_be(rf: RequestFactory, admin_client: Client) -> None:
    request = rf.get("/")
    request.user = User.objects.get(username="admin")
    tried = 0
    for model, of_model in admin.site._registry.items():
        for action in of_model.get_actions(request):
            address = reverse(f"admin:{model._meta.label_lower.replace('.', '_')}_changelist")
            answer = admin_client.post(address, {"action": action, ACTION_CHECKBOX_NAME: "NaN", "index": "0"})
            assert answer.status_code < 500, (model, action)
            tried += 1
    assert tried > 9
