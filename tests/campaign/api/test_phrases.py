"""Images with their captions and phrases, as a requester's program gets them."""

from typing import Any

import pytest
from django.contrib.auth.models import User

from annotation.models import Project
from client.chainbox_client import Chainbox, Refused
from members.models import Role, Scope
from members.requester_tokens import make_requester_token
from tests.support.members import member


def test_every_image_comes_with_its_captions_phrases_types_and_picture(service: Chainbox, project: Project) -> None:
    images = list(service.project(project.name).phrases())
    assert [one["name"] for one in images] == ["0", "1", "2"]
    first = images[0]
    assert first["captions"] == ["a dog", "a cat"]
    assert first["phrases"] == [
        {"caption": 0, "words": [0, 2], "text": "a dog", "types": ["animals"]},
        {"caption": 1, "words": [0, 2], "text": "a cat", "types": ["animals"]},
    ]
    assert (first["width"], first["height"], first["state"]) == (200, 100, "linking")
    assert first["url"].endswith("0.jpg") and first["full_url"] != first["url"]


def test_pages_hold_each_image_once(service: Chainbox, project: Project) -> None:
    names, after = [], 0
    while after is not None:
        page = service.call("GET", f"projects/{project.name}/phrases/", after=after, most=1)
        names += [one["name"] for one in page["images"]]
        after = page["after"]
    assert names == ["0", "1", "2"]


def test_who_may_not_send_predictions_may_not_read_phrases(service: Chainbox, project: Project) -> None:
    viewer = member(project, Role.VIEWER, "viewer")
    chainbox = Chainbox(service.address, make_requester_token(viewer, name="all", scopes=tuple(Scope.values)))
    with pytest.raises(Refused, match="You need the role requester"):
        list(chainbox.project(project.name).phrases())


def test_a_page_costs_as_many_statements_for_many_images_as_for_one(
    requester: User, project: Project, client: Any, django_assert_max_num_queries: Any
) -> None:
    client.force_login(requester)
    costs = []
    for most in (1, 3):
        with django_assert_max_num_queries(20) as seen:
            assert client.get(f"/api/v1/requester/projects/{project.name}/phrases/?most={most}").status_code == 200
        costs.append(len(seen))
    assert costs[0] == costs[1]
