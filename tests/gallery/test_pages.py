"""The pages show what stands where, to those who may see it."""

from html import unescape
from io import BytesIO
from zipfile import ZipFile

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import Chain, Image, Project
from gallery.image_page import image_page
from members.models import Role
from pipeline.models import Transition
from pipeline.rules.progress.progress import Cause
from tests.support.members import sign_in
from tests.support.projects import phrases, project_of, worker
from workers.models import Access

pytestmark = pytest.mark.django_db


def image_url(image: Image, page: str = "image") -> str:
    return reverse(f"gallery:{page}", args=[image.project.name, image.id])


@pytest.mark.slow
def test_a_stranger_is_sent_to_sign_in_where_the_gallery_is_not_public(
    client: Client, first_image: Image, settings: object
) -> None:
    settings.GALLERY_PUBLIC = False  # type: ignore[attr-defined]
    pages = ["/", image_url(first_image), reverse("gallery:picture", args=[first_image.id, "screen"])]
    for page in pages:
        response = client.get(page)
        assert (response.status_code, response["Location"].split("?")[0]) == (302, reverse("labelling:sign_in"))


def test_a_service_with_one_project_shows_it_at_once(client: Client, drawn: Project) -> None:
    page = client.get("/").content.decode()
    assert page.count('class="card"') == 2
    assert "2 of" not in page
    assert "<b>2</b> merged" in page


def test_several_projects_are_listed(client: Client, drawn: Project) -> None:
    project_of(phrases("people: a man"), name="other")
    page = client.get("/").content.decode()
    assert reverse("gallery:project", args=["other"]) in page
    assert reverse("gallery:project", args=["drawn"]) in page


def test_images_are_found_by_state_and_by_words(client: Client, drawn: Project) -> None:
    url = reverse("gallery:project", args=["drawn"])
    assert client.get(url, {"state": "linking"}).content.decode().count('class="card"') == 0
    assert client.get(url, {"state": "merged"}).content.decode().count('class="card"') == 2
    word = drawn.images.get(position=1).captions.get(number=0).text
    assert client.get(url, {"words": word}).content.decode().count('class="card"') == 1


def test_an_image_shows_every_phrase_and_box_in_the_colour_of_its_chain(client: Client, first_image: Image) -> None:
    page = client.get(image_url(first_image)).content.decode()
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
    project = project_of(phrases("people: a man"), pictures=False)
    page = client.get(image_url(project.images.get())).content.decode()
    assert "came without a picture" in page
    assert "linking" in page


def test_a_picture_is_served_upright_in_two_sizes_and_not_sent_twice(client: Client, first_image: Image) -> None:
    url = reverse("gallery:picture", args=[first_image.id, "thumbnail"])
    first = client.get(url)
    assert first["Content-Type"] == "image/jpeg"
    thumbnail = b"".join(first)
    assert b"".join(client.get(url)) == thumbnail
    assert client.get(url, headers={"If-None-Match": first["ETag"]}).status_code == 304
    assert len(b"".join(client.get(reverse("gallery:picture", args=[first_image.id, "screen"])))) > len(thumbnail)
    assert client.get(reverse("gallery:picture", args=[first_image.id, "huge"])).status_code == 404


@pytest.mark.parametrize("export_format", ["flickr30k-entities", "coco", "jsonl"])
def test_the_export_button_gives_a_zip_of_the_finished_images(
    client: Client, drawn: Project, export_format: str
) -> None:
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


def test_a_viewer_gets_neither_the_workbench_nor_the_export_that_holds_each_workers_answers(
    client: Client, drawn: Project, first_image: Image
) -> None:
    sign_in(client, drawn, Role.VIEWER, "vera")
    bench = reverse("campaign:bench", args=["drawn", first_image.id])
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
    assert reverse("campaign:bench", args=["drawn", first_image.id]) in page


def test_a_requester_with_four_workers_reads_how_many_chains_will_wait(client: Client, drawn: Project) -> None:
    url = reverse("gallery:project", args=["drawn"])
    Access.objects.all().delete()
    for name in ("ada", "bob", "cleo", "dan"):
        worker(drawn, name)
    said = "4 workers have access. About 2 % of chains will wait for a further worker; 6 workers are enough."
    assert said in client.get(url).content.decode()
    for name in ("eve", "fay"):
        worker(drawn, name)
    assert "will wait for a further worker" not in client.get(url).content.decode()
