"""The pages show what stands where, to those who may see it.
Numbers of chains and boxes: one for each, whatever was merged.
Exports: packed once for each state of the record, kept for a week, delivered in parts.
Archives of a project that was deleted: nobody finds them who made another project of its name.
Pictures of a survey that are another project's: seen by who may look at that project.
Every door to a picture or an archive, with a bucket: the bucket sends the bytes, and only to who may have them.
"""

import json
from datetime import timedelta
from html import unescape
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit
from urllib.request import urlopen
from zipfile import ZipFile

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from PIL import Image as Picture

from accounts.members import add_member
from accounts.models import Membership, Role
from accounts.rights import borrow_pictures
from annotation.bucket_storage import BucketStorage
from annotation.models import Chain, Image, MergedBox, Project
from annotation.pictures import store_picture
from annotation.rules.states import Survey
from annotation.storage import FolderStorage, store
from exchange import export_parts
from exchange import publish_export as publishing
from exchange.jobs import forget_exports_job
from exchange.publish_export import PublishedExport, forget_exports, record_state
from labelling.pictures import picture_link
from pipeline.models import Transition
from pipeline.project.settings_versions import open_project
from pipeline.protocol.state.progress import Cause
from pipeline.record.intervene import act_as_expert
from pipeline.settings.settings import Settings
from projects.evaluation.sides import delete_evaluation, keep_report
from projects.gallery.image_page import box_names, chain_numbers, image_page
from projects.models import Run
from projects.surveys.pages import ItemsForm
from runtime.disk_errors import StorageError
from tests.support.members import maker, sign_in
from tests.support.pictures import plain_jpeg
from tests.support.projects import phrases, project_of, worker
from tests.support.runs import some_run
from tests.support.s3 import BUCKET, S3Twin
from workers.models import Access

pytestmark = pytest.mark.django_db
ADDRESS = "/projects/parks/export/coco/"
NOTE = "of which you are not a member"


def image_url(image: Image, page: str = "image") -> str:
    return reverse(f"gallery:{page}", args=[image.project.name, image.id])


def test_a_service_with_one_project_shows_it_at_once(client: Client, drawn: Project) -> None:
    page = client.get("/").text
    assert page.count('class="card"') == 2 and "2 of" not in page and "<b>2</b> merged" in page


def test_finished_images_are_shown_with_their_boxes(client: Client, drawn: Project) -> None:
    page = client.get("/projects/drawn/").text
    boxes = MergedBox.objects.filter(image__project=drawn)
    assert page.count("<rect ") == boxes.count() > 0
    x0, y0, x1, y1 = boxes[0].box
    assert f' x="{x0}" y="{y0}" width="{x1 - x0}" height="{y1 - y0}"/>' in page


def test_several_projects_are_listed(client: Client, drawn: Project) -> None:
    project_of(phrases("people: a man"), name="other")
    page = client.get("/").text
    assert reverse("gallery:project", args=["other"]) in page and reverse("gallery:project", args=["drawn"]) in page


def test_the_first_page_says_what_the_service_is_and_leads_to_questions_results_and_the_documentation(
    client: Client, drawn: Project, settings: Any
) -> None:
    project_of(phrases("people: a man"), name="trusting", settings=Settings(guests_trusted=True))
    page = client.get("/").content.decode()
    assert "Which words mean which part of the picture?" in page and "Answer a few questions" not in page
    assert f'href="/projects/drawn/images/{drawn.images.get(position=0).pk}/">See what comes out' in page
    assert 'href="/help/start/">Run a campaign' in page
    settings.TRY_AS_WORKER = True

    def leads_to() -> str:
        before, button, _ = client.get("/").text.partition('<button class="main" name="mixed" value="on">Answer a few')
        return before.rpartition('/try/"')[0].rpartition("/")[2] if button else ""

    assert leads_to() == "trusting"
    project_of(
        phrases("people: a man"),
        phrases("people: a man", name="2"),
        name="larger",
        settings=Settings(guests_trusted=True),
    )
    assert leads_to() == "larger"
    sign_in(client, drawn, Role.REVIEWER, "ada")
    assert "Run a campaign" not in client.get("/?all=yes").content.decode()


def test_one_press_signs_in_as_the_requester_of_the_demo_on_its_own_machine(
    client: Client, drawn: Project, settings: Any
) -> None:
    project_of(phrases("people: a man"), name="campaign")
    press = reverse("projects:demo_requester")
    assert client.post(press).status_code == 404 and f'action="{press}"' not in client.get("/").text
    settings.DEMO = True
    elsewhere: tuple[dict[str, Any], ...] = (
        {"REMOTE_ADDR": "192.0.2.7"},
        {"HTTP_X_FORWARDED_FOR": "127.0.0.1"},
        {"HTTP_HOST": "evil.example"},
    )
    for where in elsewhere:
        assert client.post(press, **where).status_code in (400, 404)
    assert not User.objects.exists() and client.get(press).status_code == 405
    assert f'action="{press}"' in client.get("/").text
    assert Client(enforce_csrf_checks=True).post(press).status_code == 403
    for _ in range(2):  # the account is made once
        page = client.post(press, follow=True)
        assert page.redirect_chain == [("/projects/campaign/dashboard/", 302)] and page.status_code == 200
    user = User.objects.get()
    assert not user.is_superuser and not user.has_usable_password()
    assert client.get("/projects/new/").status_code == 200 and client.get("/admin/auth/user/").status_code != 200


def test_a_project_is_shown_by_a_finished_image_with_its_boxes_and_a_caption_in_as_many_statements_as_any(
    client: Client, drawn: Project, django_assert_max_num_queries: Any
) -> None:
    project_of(phrases("people: a man"), name="empty", pictures=False)
    with django_assert_max_num_queries(16):
        page = client.get("/").content.decode()
    card = page.partition('<ul class="projects">')[2].partition("</li>")[0]
    shown = image_page(drawn.images.get(position=0))
    assert card.count("<rect ") == sum(not box.pending for box in shown.boxes) > 0
    assert f"/pictures/{drawn.images.get(position=0).pk}/thumbnail/" in card and '<span class="phrase c' in card
    assert "No pictures yet" in page.partition("</li>")[2]


def test_images_are_found_by_state_and_by_words(client: Client, drawn: Project) -> None:
    url = reverse("gallery:project", args=["drawn"])
    assert client.get(url, {"state": "linking"}).text.count('class="card"') == 0
    assert client.get(url, {"state": "merged"}).text.count('class="card"') == 2
    word = drawn.images.get(position=1).captions.get(number=0).text
    assert client.get(url, {"words": word}).text.count('class="card"') == 1


def test_an_image_shows_every_phrase_and_box_in_the_colour_of_its_chain(client: Client, first_image: Image) -> None:
    page = client.get(image_url(first_image)).text
    assert page.count('class="phrase ') == first_image.mentions.count()
    assert page.count('class="box ') == first_image.merged_boxes.count() > 0
    assert f'viewBox="0 0 {first_image.width} {first_image.height}"' in page


def test_the_history_names_a_merged_chain_and_its_owner_by_their_phrases(client: Client, first_image: Image) -> None:
    chain, owner = Chain.objects.filter(image=first_image, merged_into=None)[:2]
    Chain.objects.filter(id=chain.id).update(merged_into=owner.name)
    place = {"project": first_image.project, "image": first_image, "created_at": timezone.now()}
    move = {"machine": "chain", "subject": str(chain.name), "old": "complete", "new": "complete", "sequence": 1}
    Transition.objects.create(**place, **move, reason=Cause.SAME_BOXES.format(chain=owner.name))
    phrases = dict(first_image.mentions.values_list("number", "text"))
    event = image_page(first_image).story[-1]
    assert (event.what, event.move) == (f"“{phrases[chain.name]}”", "complete")
    assert event.why == f"merged into “{phrases[owner.name]}”, same boxes"


def test_an_image_without_a_picture_says_so(client: Client, settings: object) -> None:
    settings.GALLERY_PUBLIC = True  # type: ignore[attr-defined]
    page = client.get(image_url(project_of(phrases("people: a man"), pictures=False).images.get())).content.decode()
    assert "came without a picture" in page and "linking" in page


def test_a_picture_is_served_upright_in_two_sizes_and_not_sent_twice(client: Client, first_image: Image) -> None:
    url = reverse("gallery:picture", args=[first_image.id, "thumbnail"])
    first = client.get(url)
    thumbnail = b"".join(first)
    assert first["Content-Type"] == "image/webp" and Picture.open(BytesIO(thumbnail)).format == "WEBP"
    assert b"".join(client.get(url)) == thumbnail
    assert client.get(url, headers={"If-None-Match": first["ETag"]}).status_code == 304
    assert len(b"".join(client.get(reverse("gallery:picture", args=[first_image.id, "screen"])))) > len(thumbnail)
    assert client.get(reverse("gallery:picture", args=[first_image.id, "huge"])).status_code == 404


@pytest.mark.parametrize("export_format", ["flickr30k-entities", "coco", "jsonl"])
def test_the_export_button_gives_a_zip_of_the_finished_images(client: Client, drawn: Project, export_format: str):
    if export_format == "jsonl":  # it holds each worker's answers
        address = reverse("gallery:export", args=["drawn", "jsonl"])
        assert address not in client.get(reverse("gallery:project", args=["drawn"])).text
        assert client.get(address).status_code == 403
        sign_in(client, drawn, Role.REVIEWER)
        assert address in client.get(reverse("gallery:project", args=["drawn"])).text
    response = client.get(reverse("gallery:export", args=["drawn", export_format]))
    with ZipFile(BytesIO(b"".join(response))) as archive:
        assert archive.testzip() is None
        text = "".join(archive.read(name).decode() for name in archive.namelist())
    assert drawn.images.get(position=0).name in text


def test_an_unknown_export_format_or_project_is_not_found(client: Client, drawn: Project) -> None:
    assert client.get(reverse("gallery:export", args=["drawn", "word"])).status_code == 404
    assert client.get(reverse("gallery:project", args=["nobody"])).status_code == 404


def test_viewers_get_no_workbench_and_no_workers_answers(client: Client, drawn: Project, first_image: Image) -> None:
    sign_in(client, drawn, Role.VIEWER, "vera")
    bench = reverse("projects:bench", args=["drawn", first_image.id])
    page = client.get(image_url(first_image)).text
    assert bench not in page and "Send to review" not in page
    refused = client.get(reverse("gallery:export", args=["drawn", "jsonl"]))
    assert refused.status_code == 403
    assert "which holds each worker's answers, you need the role requester or reviewer" in unescape(refused.text)
    said = " ".join(unescape(client.get(bench).text).split())
    assert 'class="sheet"' in said and "You may not open this page" in said
    assert "To review its images, you need the role requester or reviewer in the project “drawn”." in said
    assert "Ask an administrator, or a requester of the project, for it. You are signed in as vera." in said


def test_a_reviewer_is_led_to_the_workbench(expert: Client, first_image: Image) -> None:
    page = expert.get(image_url(first_image)).text
    assert reverse("projects:bench", args=["drawn", first_image.id]) in page


def test_a_requester_with_four_workers_reads_how_many_chains_will_wait(client: Client, drawn: Project) -> None:
    url = reverse("gallery:project", args=["drawn"])
    Access.objects.all().delete()
    for name in ("ada", "bob", "cleo", "dan"):
        worker(drawn, name)
    said = "4 workers have access. About 2 % of chains will wait for a further worker; 6 workers are enough."
    assert said in client.get(url).text
    for name in ("eve", "fay"):
        worker(drawn, name)
    assert "will wait for a further worker" not in client.get(url).text


def test_a_merged_chain_has_the_number_of_the_chain_that_it_was_merged_into() -> None:
    assert chain_numbers([7, 3, 7, 9]) == {7: 1, 3: 2, 9: 3}


def test_boxes_are_named_by_their_chain_and_joined_ones_alike() -> None:
    numbers, one_each = {7: 1, 3: 2}, [(0, 7), (1, 3)]
    several = [(2, 7), (0, 7), (1, 3), (5, 3), (4, 9), *((number, 7) for number in range(10, 36))]
    assert box_names(one_each, numbers) == {0: "1", 1: "2"}
    named = box_names(several, numbers, joined=[[0, 1, 2]])
    assert [named[number] for number in (0, 2, 1, 5, 4)] == ["1a", "1a", "2a", "2b", "?"]
    assert (named[10], named[34], named[35]) == ("1b", "1z", "1aa")


@pytest.fixture
def parks(any_store: FolderStorage | BucketStorage, settings: Any) -> Project:
    """A project that anybody may read, its files in each of the two places."""
    settings.GALLERY_PUBLIC = True
    cache.clear()
    return project_of(phrases("people: a man"), name="parks")


@pytest.fixture
def jobs_wait(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Jobs that nobody has begun yet."""
    waiting: list[Any] = []
    monkeypatch.setattr("exchange.jobs.publish_export_job.delay", lambda *values: waiting.append(values))
    return waiting


def kept() -> list[str]:
    return sorted(store().listdir(f"exports/project.{Project.objects.get().pk}")[1])


def received(answer: Any) -> bytes:
    if answer.status_code == 302:
        with urlopen(answer["Location"]) as file:
            assert file.headers["Content-Disposition"] == 'attachment; filename="parks-coco.zip"'
            return bytes(file.read())
    assert answer["Content-Disposition"] == 'attachment; filename="parks-coco.zip"'
    return b"".join(answer)


def moved(project: Project) -> None:
    """Something happens: the record has one entry more."""
    image = Image.objects.get(project=project)
    action = {"action": "retype", "mention": 0, "types": ["animals"]}
    act_as_expert(image_id=image.id, action=action, actor="ada", reason="a dog")


def test_the_archive_is_sent_to_be_kept_and_never_held_by_the_browser(client: Client, parks: Project) -> None:
    answer = client.get(ADDRESS)
    assert answer["Cache-Control"] == "private, max-age=0"
    with ZipFile(BytesIO(received(answer))) as archive:
        assert archive.testzip() is None
        names = ("README.md", "captions.json", "croissant.json", "instances.json")
        assert sorted(archive.namelist()) == [f"parks-coco/{name}" for name in names]


def test_an_unchanged_project_is_packed_once(client: Client, parks: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    first = received(client.get(ADDRESS))
    monkeypatch.setattr(publishing, "join_parts", lambda *_: pytest.fail("packed again"))
    assert received(client.get(ADDRESS)) == first and kept() == [f"coco-{record_state(parks)}.zip"]


def test_a_changed_project_is_packed_anew(client: Client, parks: Project) -> None:
    received(client.get(ADDRESS))
    before = kept()
    moved(parks)
    received(client.get(ADDRESS))
    assert len(kept()) == 2 and set(before) < set(kept())


def test_a_project_with_another_card_is_packed_anew(client: Client, parks: Project) -> None:
    received(client.get(ADDRESS))
    Project.objects.filter(pk=parks.pk).update(data_card={"license": "CC-BY-4.0"})
    with ZipFile(BytesIO(received(client.get(ADDRESS)))) as archive:
        assert "license: cc-by-4.0\n" in archive.read("parks-coco/README.md").decode()


def test_a_download_that_broke_off_goes_on(client: Client, settings: Any, tmp_path: Any, django_user_model: Any):
    settings.GALLERY_PUBLIC, settings.MEDIA_ROOT = True, tmp_path
    project_of(phrases("people: a man"), name="parks")
    whole = client.get(ADDRESS)
    data = received(whole)
    rest = client.get(ADDRESS, headers={"Range": "bytes=100-", "If-Range": whole["ETag"]})
    assert (rest.status_code, received(rest)) == (206, data[100:])


class TestWhileItIsBeingMade:
    @pytest.mark.usefixtures("jobs_wait")
    def test_a_page_waits_for_what_was_asked_for_though_the_record_goes_on(self, client: Client, parks: Project):
        answer = client.get(ADDRESS)
        assert (answer.status_code, answer["Cache-Control"]) == (202, "no-store")
        assert "The export is being made" in answer.text
        after, _, address = answer["Refresh"].partition("; url=")
        assert (after, address) == ("3", f"{ADDRESS}{record_state(parks)}/")
        moved(parks)
        assert client.get(address).status_code == 202
        publishing.publish_export(PublishedExport(parks, "coco", address.strip("/").rpartition("/")[2]))
        assert ZipFile(BytesIO(received(client.get(address)))).testzip() is None

    def test_it_is_asked_for_once(self, client: Client, parks: Project, jobs_wait: list[Any]) -> None:
        for _ in range(3):
            client.get(ADDRESS)
        assert jobs_wait == [(parks.id, "coco", record_state(parks), None)]

    def test_one_that_nobody_is_making_leads_to_the_newest(self, client: Client, parks: Project, jobs_wait: list[Any]):
        answer = client.get(f"{ADDRESS}7-1/")
        assert (answer.status_code, answer["Location"]) == (302, ADDRESS) and jobs_wait == []


def test_archives_are_forgotten_after_a_week(client: Client, parks: Project) -> None:
    received(client.get(ADDRESS))
    forget_exports_job()
    assert forget_exports(timezone.now() + timedelta(days=6)) == 0
    assert forget_exports(timezone.now() + timedelta(days=8)) == 1
    assert forget_exports(timezone.now() + timedelta(days=8)) == 0


def test_where_nothing_was_ever_exported_there_is_nothing_to_forget(any_store: object) -> None:
    assert forget_exports() == 0


def test_a_store_that_fails_is_answered_plainly(client: Client, parks: Project, monkeypatch: Any, caplog: Any):
    def refused(*_: object) -> bool:
        raise StorageError("the bucket does not answer")

    monkeypatch.setattr(type(store()), "exists", refused)
    answer = client.get(ADDRESS)
    assert (answer.status_code, answer["Retry-After"]) == (503, "30")
    assert f"{ADDRESS}: the bucket does not answer" in caplog.text


def test_unfinished_images_are_exported_from_the_page_of_the_project(client: Client, parks: Project) -> None:
    sign_in(client, parks, Role.VIEWER)
    address = reverse("projects:make_export", args=["parks"])
    assert f'href="{address}"' in client.get("/projects/parks/").text
    answer = client.get(client.post(f"{address}?format=coco", {"include_unmerged": "on"})["Location"])
    sent = urlopen(answer["Location"]).read() if answer.status_code == 302 else b"".join(answer)
    with ZipFile(BytesIO(sent)) as archive:
        (captions,) = (name for name in archive.namelist() if name.endswith("captions.json"))
        assert len(json.loads(archive.read(captions))["images"]) == 1


def test_the_page_that_waits_says_how_many_parts_of_a_large_export_are_made(
    client: Client, parks: Project, monkeypatch: pytest.MonkeyPatch, jobs_wait: list[Any]
) -> None:
    archive = PublishedExport(parks, "coco", record_state(parks))
    monkeypatch.setattr(export_parts, "PART_IMAGES", 1)
    archive.parts().plan([image.pk for image in Image.objects.all()] * 2)
    archive.parts().make_one()
    assert "1 of 2 parts are made" in client.get(ADDRESS).text


def test_a_deleted_projects_archive_is_not_given_to_a_namesake(client: Client, settings: Any, tmp_path: Path) -> None:
    settings.GALLERY_PUBLIC, settings.MEDIA_ROOT = False, tmp_path
    rita = maker("rita")
    client.force_login(rita)

    def export(state: str = "") -> Any:
        answer = client.get("/projects/parks/export/jsonl/" + (f"{state}/" if state else ""))
        return answer, b"".join(answer) if answer.streaming else b""

    first = project_of(phrases("people: a secret"), name="parks")
    add_member(rita, first, Role.REQUESTER)
    state = record_state(first)
    assert export()[1] == export(state)[1] and export(state)[1].startswith(b"PK")
    Project.objects.get(pk=first.pk).delete()
    add_member(rita, project_of(phrases("people: a man"), name="parks"), Role.REQUESTER)
    answer, sent = export(state)
    assert (answer.status_code, answer["Location"], sent) == (302, "/projects/parks/export/jsonl/", b"")


@pytest.fixture
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


@pytest.mark.usefixtures("_private")
def test_who_loses_a_project_sees_its_pictures_in_a_survey_no_more(client: Client, eve: User, survey: Project) -> None:
    assert seen(client, survey) == {"1.jpg": True, "own": True} and NOTE not in client.get("/projects/check/").text
    Membership.objects.filter(user=eve, project__name="photos").delete()
    assert seen(client, survey) == {"1.jpg": False, "own": True} and NOTE in client.get("/projects/check/").text


@pytest.mark.usefixtures("_private")
def test_nor_while_the_images_are_in_an_archive_and_nothing_tells_which_they_are(
    client: Client, eve: User, photos: Project, survey: Project
) -> None:
    Membership.objects.filter(user=eve, project=photos).delete()
    photos.images.all().delete()
    Project.objects.filter(pk=photos.pk).update(away={"images": 1})
    assert seen(client, survey) == {"1.jpg": False, "own": False}


@pytest.mark.usefixtures("_private")
def test_surveys_keep_a_deleted_projects_pictures(client: Client, eve: User, survey: Project, photos: Project) -> None:
    Project.objects.get(pk=photos.pk).delete()
    assert seen(client, survey) == {"1.jpg": True, "own": True}


@pytest.mark.usefixtures("_private")
def test_a_survey_of_a_survey_shows_no_more_of_the_project(client: Client, eve: User, survey: Project) -> None:
    Membership.objects.filter(user=eve, project__name="photos").delete()
    source: Any = ItemsForm(eve).fields["source"]
    assert list(source.queryset) == [], "it is not offered as a source of pictures"
    second = open_project(name="second", survey=Survey.CAPTION_CHECK)
    add_member(eve, second, Role.REQUESTER)
    borrow_pictures(second, survey)
    second.images.create(name="1", width=90, height=60, position=0, picture=survey.images.get(name="1.jpg").picture)
    assert seen(client, second) == {"1": False}


@pytest.fixture
def project(in_bucket: S3Twin) -> Project:
    made = project_of(phrases("people: a man"), name="parks")
    file = BytesIO()
    Picture.new("RGB", (40, 30), "teal").save(file, "JPEG")
    Image.objects.update(picture=store_picture(file, picture_format="JPEG"))
    return made


@pytest.fixture
def evaluation(project: Project, tmp_path: Path) -> Run:
    """A finished report with a drawn picture, a chart and a table."""
    (tmp_path / "report").mkdir()
    for name in ("change_01.jpg", "chart.png", "scores.csv"):
        (tmp_path / "report" / name).write_bytes(f"{name} of the report".encode())
    made = some_run(project, "begin_evaluation", state="done")
    keep_report(made, tmp_path / "report", tmp_path)
    return made


@pytest.fixture
def doors(project: Project, evaluation: Run) -> list[str]:
    [image] = Image.objects.all()
    report = f"/projects/parks/evaluate/{evaluation.pk}"
    return [
        *(f"/pictures/{image.pk}/{size}/" for size in ("thumbnail", "screen", "full")),
        *(picture_link(image.picture, size) for size in ("screen", "full")),
        *(f"/projects/parks/export/{name}/" for name in ("coco", "jsonl")),
        *(f"{report}/files/{name}" for name in ("change_01.jpg", "chart.png")),
        f"{report}/archive/",
    ]


def test_the_service_sends_no_bytes_and_the_bucket_all(client: Client, in_bucket: S3Twin, doors: list[str]) -> None:
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


def test_the_pictures_of_a_report_go_with_it(evaluation: Run, project: Project) -> None:
    folder = f"evaluations/{project.pk}"
    assert sorted(store().listdir(folder)[1]) == [
        f"{evaluation.pk}-change_01.jpg",
        f"{evaluation.pk}-chart.png",
        f"{evaluation.pk}.zip",
    ]
    delete_evaluation(evaluation)
    assert store().listdir(folder)[1] == []


@pytest.mark.django_db
def test_who_may_make_projects_begins_with_pictures_on_the_first_page(client: Client) -> None:
    client.force_login(maker("mara"))
    page = client.get("/").text
    assert "Begin with your pictures" in page and 'data-new="/api/v1/requester/projects/"' in page
