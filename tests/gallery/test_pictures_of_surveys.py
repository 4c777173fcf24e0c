"""Pictures of a survey that are another project's: seen by who may look at that project."""

from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from annotation.models import Project
from annotation.pictures import store_picture
from annotation.rules.states import Survey
from campaign.surveys.forms import ItemsForm
from members.add_member import add_member
from members.borrow_pictures import borrow_pictures
from members.models import Membership, Role
from pipeline.project.settings_versions import open_project
from tests.support.pictures import plain_jpeg
from tests.support.projects import phrases, project_of

pytestmark = pytest.mark.django_db
NOTE = "of which you are not a member"


@pytest.fixture(autouse=True)
def _private(settings: Any, tmp_path: Path) -> None:
    settings.GALLERY_PUBLIC, settings.MEDIA_ROOT = False, tmp_path


@pytest.fixture
def photos() -> Project:
    return project_of(phrases("people: a man", name="1"), name="photos")


@pytest.fixture
def survey(photos: Project) -> Project:
    """A survey with a picture of the photos and one of its own."""
    made = open_project(name="check", survey=Survey.CAPTION_CHECK)
    for number, name in enumerate(("1.jpg", "own")):
        stored = store_picture(BytesIO(plain_jpeg(width=90 + number, height=60)), picture_format="JPEG")
        made.images.create(name=name, width=90, height=60, position=number, picture=stored)
    photos.images.update(picture=made.images.get(name="1.jpg").picture)
    borrow_pictures(made, photos)
    return made


@pytest.fixture
def eve(client: Client, photos: Project, survey: Project) -> User:
    user = User.objects.create_user("eve")
    for project in (photos, survey):
        add_member(user, project, Role.REQUESTER)
    client.force_login(user)
    return user


def seen(client: Client, survey: Project) -> dict[str, bool]:
    found = {}
    for image in survey.images.order_by("position"):
        answer = client.get(f"/pictures/{image.pk}/thumbnail/")
        b"".join(answer)  # closes the file
        found[image.name] = answer.status_code == 200
    return found


def test_who_loses_a_project_sees_its_pictures_in_a_survey_no_more(client: Client, eve: User, survey: Project) -> None:
    assert seen(client, survey) == {"1.jpg": True, "own": True}
    assert NOTE not in client.get("/projects/check/").text
    Membership.objects.filter(user=eve, project__name="photos").delete()
    assert seen(client, survey) == {"1.jpg": False, "own": True}
    assert NOTE in client.get("/projects/check/").text


def test_nor_while_the_images_are_in_an_archive_and_nothing_tells_which_they_are(
    client: Client, eve: User, photos: Project, survey: Project
) -> None:
    Membership.objects.filter(user=eve, project=photos).delete()
    photos.images.all().delete()
    Project.objects.filter(pk=photos.pk).update(away={"images": 1})
    assert seen(client, survey) == {"1.jpg": False, "own": False}


def test_the_pictures_stay_in_the_survey_when_their_project_is_deleted(
    client: Client, eve: User, survey: Project, photos: Project
) -> None:
    Project.objects.get(pk=photos.pk).delete()
    assert seen(client, survey) == {"1.jpg": True, "own": True}


def test_a_survey_of_a_survey_shows_no_more_of_the_project(client: Client, eve: User, survey: Project) -> None:
    Membership.objects.filter(user=eve, project__name="photos").delete()
    source: Any = ItemsForm(eve).fields["source"]
    assert list(source.queryset) == [], "it is not offered as a source of pictures"
    second = open_project(name="second", survey=Survey.CAPTION_CHECK)
    add_member(eve, second, Role.REQUESTER)
    borrow_pictures(second, survey)
    second.images.create(name="1", width=90, height=60, position=0, picture=survey.images.get(name="1.jpg").picture)
    assert seen(client, second) == {"1": False}
