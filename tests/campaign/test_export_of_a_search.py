"""Exports of what a search found: exactly these images, in every format, once for each selection."""

import io
import json
from datetime import timedelta
from typing import Any
from zipfile import ZipFile

import pytest
from django.test import Client

from annotation.models import Box, Chain, Image, Mention, Project
from annotation.storage import store
from exchange.models import Selection
from exchange.publish_export import forget_exports
from members.models import Role
from tests.campaign.test_explore import scenes
from tests.support.members import sign_in
from upkeep import clock

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(client: Client, settings: Any, tmp_path: Any) -> Project:
    settings.MEDIA_ROOT = tmp_path
    made = scenes()
    Box.objects.all().delete()  # the record, which JSON Lines hold, knows nothing of them
    Chain.objects.all().delete()
    Mention.objects.update(chain=None)
    sign_in(client, made, Role.REQUESTER)
    return made


def take(client: Client, project: Project, **asked: str) -> ZipFile:
    response = client.post(f"/projects/{project.name}/explore/export/", asked, follow=True)
    assert response.status_code == 200, response.text
    return ZipFile(io.BytesIO(b"".join(response)))  # type: ignore[arg-type]


def images_in(packed: ZipFile) -> list[str]:
    (name,) = (one for one in packed.namelist() if ".card/" not in one)
    return [line["name"] for line in map(json.loads, packed.read(name).splitlines()) if line["kind"] == "image"]


def test_exactly_the_found_images_are_exported(client: Client, project: Project) -> None:
    assert images_in(take(client, project, format="jsonl", words="dog", unfinished="1")) == ["dog 0", "dogs 0"]
    assert images_in(take(client, project, format="jsonl", words="hotdog", unfinished="1")) == ["hotdog 0"]


def test_unfinished_images_are_left_out_unless_they_are_wanted(client: Client, project: Project) -> None:
    Image.objects.filter(name="dogs 0").update(state="merged")
    assert images_in(take(client, project, format="jsonl", words="dog")) == ["dogs 0"]
    page = client.post(f"/projects/{project.name}/explore/export/", {"format": "coco", "words": "hotdog"}, follow=True)
    assert "Nothing to export" in page.text


@pytest.mark.parametrize("wanted", ["coco", "flickr30k-entities"])
def test_the_other_formats_hold_the_same_images(client: Client, project: Project, wanted: str) -> None:
    packed = take(client, project, format=wanted, words="dog", unfinished="1")
    text = b"".join(packed.read(name) for name in packed.namelist()).decode()
    said = " ".join(packed.namelist()) + text
    assert "dogs 0" in said and "hotdog 0" not in said


def test_the_same_search_is_packed_once_and_another_one_again(client: Client, project: Project) -> None:
    for words in ("dog", "dog", "hotdog"):
        take(client, project, format="coco", words=words, unfinished="1")
    assert Selection.objects.count() == 2 and len(store().listdir(f"exports/project.{project.pk}")[1]) == 2


def test_a_selection_of_another_project_is_not_found(client: Client, project: Project) -> None:
    other = Project.objects.create(name="other")
    row = Selection.objects.create(project=other, digest="0" * 16, images=[], include_unmerged=True)
    assert client.get(f"/projects/{project.name}/export/coco/?selection={row.digest}").status_code == 404


def test_a_viewer_gets_no_judgments_this_way(client: Client, project: Project) -> None:
    viewer = Client()
    sign_in(viewer, project, Role.VIEWER, "viewer")
    asked = {"format": "jsonl", "unfinished": "1"}
    assert viewer.post(f"/projects/{project.name}/explore/export/", asked).status_code == 403


@pytest.mark.both_engines
def test_selections_are_forgotten_with_their_archives(client: Client, project: Project) -> None:
    take(client, project, format="coco", words="dog", unfinished="1")
    forget_exports(clock.now() + timedelta(days=6))
    assert Selection.objects.exists()
    forget_exports(clock.now() + timedelta(days=8))
    assert not Selection.objects.exists()
