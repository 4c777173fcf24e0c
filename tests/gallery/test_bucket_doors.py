"""Every door to a picture or an archive, with a bucket: the bucket sends the bytes, and only to who may have them."""

from io import BytesIO
from pathlib import Path
from urllib.parse import parse_qs, urlsplit
from urllib.request import urlopen

import pytest
from django.test import Client
from PIL import Image as Picture

from annotation.models import Image, Project
from annotation.pictures import store_picture
from annotation.storage import store
from campaign.evaluate.archive import forget, keep_report
from campaign.models import Evaluation
from labelling.pictures import picture_link
from members.models import Role
from tests.support.members import sign_in
from tests.support.projects import phrases, project_of
from tests.support.s3 import BUCKET, S3Twin

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(in_bucket: S3Twin) -> Project:
    made = project_of(phrases("people: a man"), name="parks")
    file = BytesIO()
    Picture.new("RGB", (40, 30), "teal").save(file, "JPEG")
    Image.objects.update(picture=store_picture(file, picture_format="JPEG"))
    return made


@pytest.fixture
def evaluation(project: Project, tmp_path: Path) -> Evaluation:
    """A finished report with a drawn picture, a chart and a table."""
    (tmp_path / "report").mkdir()
    for name in ("change_01.jpg", "chart.png", "scores.csv"):
        (tmp_path / "report" / name).write_bytes(f"{name} of the report".encode())
    made = Evaluation.objects.create(project=project, state="done", step="localization baselines")
    keep_report(made, tmp_path / "report", tmp_path)
    return made


@pytest.fixture
def doors(project: Project, evaluation: Evaluation) -> list[str]:
    [image] = Image.objects.all()
    report = f"/projects/parks/evaluate/{evaluation.pk}"
    return [
        *(f"/pictures/{image.pk}/{size}/" for size in ("thumbnail", "screen", "full")),
        *(picture_link(image.picture, size) for size in ("screen", "full")),
        *(f"/projects/parks/export/{name}/" for name in ("coco", "jsonl")),
        *(f"{report}/files/{name}" for name in ("change_01.jpg", "chart.png")),
        f"{report}/archive/",
    ]


def test_the_service_sends_none_of_the_bytes_and_the_bucket_all_of_them(
    client: Client, in_bucket: S3Twin, doors: list[str]
) -> None:
    sign_in(client, Project.objects.get(), Role.REQUESTER)
    sent_by_service = 0
    for door in doors:
        answer = client.get(door)
        assert answer.status_code == 302, door
        sent_by_service += len(answer.content)
        assert answer["Location"].startswith(f"{in_bucket.url}/{BUCKET}/"), door
        assert int(parse_qs(urlsplit(answer["Location"]).query)["X-Amz-Expires"][0]) <= 900
        assert answer["Cache-Control"].startswith("private, max-age=")
        with urlopen(answer["Location"]) as file:
            assert file.read(), door
    assert sent_by_service == 0


def test_nothing_is_signed_for_who_may_not_see_it(client: Client, doors: list[str]) -> None:
    links = [door for door in doors if door.startswith("/projects/") or door.startswith("/pictures/")]
    assert len(links) == len(doors) - 2  # a worker's link is its own right
    changed = [door.replace("/screen/", "/full/") for door in set(doors) - set(links) if "/screen/" in door]
    for door in (*links, *changed):
        answer = client.get(door)
        assert answer.status_code in (302, 403, 404), door
        assert "X-Amz" not in answer.get("Location", ""), door


def test_the_pictures_of_a_report_go_with_it(evaluation: Evaluation, project: Project) -> None:
    folder = f"evaluations/{project.pk}"
    assert sorted(store().listdir(folder)[1]) == [
        f"{evaluation.pk}-change_01.jpg",
        f"{evaluation.pk}-chart.png",
        f"{evaluation.pk}.zip",
    ]
    forget(evaluation)
    assert store().listdir(folder)[1] == []
