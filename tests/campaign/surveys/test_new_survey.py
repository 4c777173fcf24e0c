"""A requester makes a survey: the file is checked, the pictures come, the items are asked, the draft is started."""

import io
import json
import zipfile
from collections.abc import Iterable, Mapping
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from annotation.models import Project
from annotation.pictures import store_picture
from campaign.models import ImportRun, ItemsFile
from members.add_member import add_member
from members.models import Role
from pipeline.models import KnownQuestion, Question
from pipeline.project.settings_versions import current_settings, open_project
from tests.support.pictures import plain_jpeg
from tests.support.projects import phrases, project_of
from tests.support.surveys import ATOM, atom, foil

pytestmark = pytest.mark.django_db
NEW, PAGE = "/projects/new/survey/", "/projects/my-check/items/"
TERMS = {"title": "My check", "kind": "caption_check", "votes": "3", "known": "0", "seed": ""}


def file_of(lines: Iterable[Mapping[str, Any] | str], name: str = "items.jsonl") -> SimpleUploadedFile:
    texts = (line if isinstance(line, str) else json.dumps(line) for line in lines)
    return SimpleUploadedFile(name, "".join(f"{text}\n" for text in texts).encode())


def make(client: Client, *lines: Mapping[str, Any] | str, **terms: Any) -> Any:
    return client.post(NEW, {**TERMS, "items": file_of(lines), **terms})


def upload(client: Client, path: str, data: bytes, name: str = "my-check") -> None:
    address = f"/projects/{name}/data/upload/?path={path}&offset=0&size={len(data)}"
    assert client.post(address, data, content_type="application/octet-stream").status_code == 200


def words(response: Any) -> str:
    return " ".join(response.text.split())


def pictured(user: User | None, name: str, images: Iterable[str]) -> Project:
    """A project with pictures; the user is its viewer."""
    project = project_of(*(phrases("people: a man", name=one) for one in images), name=name)
    stored = store_picture(io.BytesIO(plain_jpeg()), picture_format="JPEG")
    project.images.update(picture=stored)
    if user is not None:
        add_member(user, project, Role.VIEWER)
    return project


def test_every_faulty_line_is_named_with_its_remedy_and_nothing_is_written(requester: Client) -> None:
    found = make(requester, foil(0), "not json", {**foil(1), "place": 3}, {"image": "a.jpg"})
    said = words(found)
    assert found.status_code == 400
    assert "3 lines of the file are not items" in said
    assert "<td>2</td><td>No JSON" in said and "<td>3</td><td>Place is 3" in said and "<td>4</td><td>" in said
    assert "A line is an item of FOIL" in said
    assert not Project.objects.exists() and not ItemsFile.objects.exists()


@pytest.mark.parametrize(
    ("terms", "sentence"),
    [
        ({"votes": "2"}, "2 is even"),
        ({"known": "5"}, "5 verification questions"),
        ({"title": ""}, "This field is required"),
        ({"kind": "box_quality"}, "Select a valid choice"),
        ({"items": ""}, "This field is required"),
        ({"items": SimpleUploadedFile("items.jsonl", b"\xff\xfe\n")}, "items.jsonl is not text in UTF-8"),
    ],
)
def test_a_wrong_field_makes_no_survey(requester: Client, terms: dict[str, Any], sentence: str) -> None:
    found = make(requester, foil(0), **terms)
    assert found.status_code == 400 and sentence in words(found)
    assert not Project.objects.exists()


def test_items_are_asked_about_the_pictures_of_a_project_of_ones_own(requester: Client, rita: User) -> None:
    source = pictured(rita, "photos", ["0", "1"])
    assert make(requester, foil(0), foil(1), source=str(source.pk), votes="5").status_code == 302
    project = Project.objects.get(name="my-check")
    assert (project.title, project.survey, project.state) == ("My check", "caption_check", "draft")
    assert current_settings(project.pk)[1].survey_votes == 5
    assert Question.objects.filter(project=project).count() == 4
    assert ImportRun.objects.get().state == ImportRun.State.DONE and not ItemsFile.objects.exists()
    assert "4 questions on 2 pictures" in words(requester.get(PAGE))


def test_pictures_of_projects_of_others_are_not_offered(requester: Client, rita: User) -> None:
    source = pictured(None, "secret", ["0"])
    assert "secret" not in words(requester.get(NEW))
    assert make(requester, foil(0), source=str(source.pk)).status_code == 400
    assert not Project.objects.filter(name="my-check").exists()


@pytest.mark.both_engines
def test_pictures_that_the_project_lacks_are_named(requester: Client, rita: User) -> None:
    source = pictured(rita, "photos", ["0"])
    found = make(requester, foil(0), foil(7), source=str(source.pk))
    assert found.status_code == 400 and "1 picture is missing in the project photos: 7.jpg" in words(found)


def test_the_page_names_missing_pictures_until_they_are_uploaded_and_then_asks_the_items(requester: Client) -> None:
    make(requester, foil(0), foil(1))
    upload(requester, "images/0.jpg", plain_jpeg())
    said = words(requester.get(PAGE))
    assert "1 of 2 pictures are here." in said and "<code>1.jpg</code>" in said and "0.jpg</code>" not in said
    upload(requester, "images/1.jpg", plain_jpeg())
    assert "All 2 pictures are here." in words(requester.get(PAGE))
    requester.post(PAGE, {"action": "import"})
    assert Question.objects.count() == 4 and not ItemsFile.objects.exists()


@pytest.mark.both_engines
def test_pictures_come_in_a_zip(requester: Client) -> None:
    make(requester, foil(0))
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("photos/0.jpg", plain_jpeg())
    upload(requester, "photos.zip", packed.getvalue())
    assert "All 1 picture is here." in words(requester.get(PAGE))
    requester.post(PAGE, {"action": "import"})
    assert Question.objects.count() == 2


def test_an_import_without_its_pictures_fails_and_says_which_are_missing(requester: Client) -> None:
    make(requester, foil(0), foil(1))
    requester.post(PAGE, {"action": "import"})
    assert "The pictures are missing: upload them first." in words(requester.get(PAGE))
    upload(requester, "images/0.jpg", plain_jpeg())
    requester.post(PAGE, {"action": "import"})
    assert "1 picture is missing in the uploaded files: 1.jpg." in words(requester.get(PAGE))
    assert not Question.objects.exists()


@pytest.mark.both_engines
def test_more_items_are_added_and_those_that_are_there_are_passed_over(requester: Client, rita: User) -> None:
    source = pictured(rita, "photos", ["0", "1"])
    make(requester, foil(0), source=str(source.pk))
    lines = file_of([foil(0), foil(1)])
    requester.post(PAGE, {"action": "give", "items": lines, "source": str(source.pk), "known": "0"})
    assert Question.objects.filter(project__name="my-check").count() == 4
    assert ImportRun.objects.latest("pk").already_there == 1


def test_known_items_fill_the_stock(requester: Client, rita: User) -> None:
    source = pictured(rita, "photos", [str(number) for number in range(20)])
    make(requester, *(foil(number) for number in range(20)), source=str(source.pk), known="3")
    assert KnownQuestion.objects.filter(purpose="verification").count() == 3
    said = words(requester.get("/projects/my-check/gold/"))
    assert "Verification questions" in said and "<td>3 <span" in said


def test_a_draft_without_questions_is_not_started_and_its_steps_lead_to_the_items(requester: Client) -> None:
    open_page = make(requester, atom("dog"), kind=ATOM.value)
    assert open_page.url == PAGE
    found = requester.post("/projects/my-check/state/", {"state": "running"}, follow=True)
    assert found.redirect_chain[-1][0] == PAGE
    assert "It asks nothing yet: import items on its page “Items”." in words(found)
    steps = words(found).split('aria-label="Steps to the start"')[1].split("</nav>")[0]
    assert [name in steps for name in ("Items", "Settings", "Invite workers", "Phrases", "Predict")] == [True] * 3 + [
        False
    ] * 2


def test_only_who_may_make_projects_makes_a_survey(client: Client, db: None) -> None:
    client.force_login(User.objects.create_user("visitor"))
    assert client.get(NEW).status_code == 403
    assert open_project(name="plain").survey == ""
