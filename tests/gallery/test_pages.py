"""The pages show what stands where, to those who may see it."""

from io import BytesIO
from typing import Any
from zipfile import ZipFile

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import Chain, Image, Project
from annotation.rules.states import ChainState
from gallery.image_page import image_page
from pipeline.models import Transition
from pipeline.record.replay import replay
from tests.support.projects import phrases, project_of

pytestmark = pytest.mark.django_db


def image_url(image: Image, page: str = "image") -> str:
    return reverse(f"gallery:{page}", args=[image.project.name, image.id])


def test_a_stranger_is_sent_to_sign_in_where_the_gallery_is_not_public(
    client: Client, first_image: Image, settings: object
) -> None:
    settings.GALLERY_PUBLIC = False  # type: ignore[attr-defined]
    pages = ["/", image_url(first_image), reverse("gallery:picture", args=[first_image.id, "screen"])]
    for page in pages:
        response = client.get(page)
        assert (response.status_code, response["Location"].split("?")[0]) == (302, reverse("admin:login"))


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
    move = {"machine": "chain", "subject": str(chain.name), "new": "merged", "reason": "a cause", "sequence": 1}
    Transition.objects.create(**place, **move)
    phrases = dict(first_image.mentions.values_list("number", "text"))
    event = image_page(first_image).story[-1]
    assert (event.what, event.move) == (f"“{phrases[chain.name]}”", "merged")
    assert event.why == f"same boxes as “{phrases[owner.name]}”"


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
    response = client.get(reverse("gallery:export", args=["drawn", export_format]))
    with ZipFile(BytesIO(b"".join(response))) as archive:
        assert archive.testzip() is None
        text = "".join(archive.read(name).decode() for name in archive.namelist())
    assert drawn.images.get(position=0).name in text


def test_an_unknown_export_format_or_project_is_not_found(client: Client, drawn: Project) -> None:
    assert client.get(reverse("gallery:export", args=["drawn", "word"])).status_code == 404
    assert client.get(reverse("gallery:project", args=["nobody"])).status_code == 404


class TestAnExpert:
    def act(self, client: Client, image: Image, action: str, **values: object) -> Any:
        fields = {f"{action.replace(' ', '-')}-{name}": value for name, value in values.items()}
        return client.post(image_url(image, "expert"), {"action": action, **fields})

    def test_a_reader_may_not_act(self, client: Client, first_image: Image) -> None:
        assert self.act(client, first_image, "send", chain=0, to="drawing").status_code == 403

    def test_sends_a_chain_on_and_the_image_is_open_again(self, expert: Client, first_image: Image) -> None:
        chain = Chain.objects.filter(image=first_image, state=ChainState.COMPLETE.value).first()
        assert chain is not None
        response = self.act(expert, first_image, "send", chain=chain.name, to="drawing", reason="a box is missing")
        assert response.status_code == 302
        chain.refresh_from_db()
        first_image.refresh_from_db()
        assert (chain.state, first_image.state) == ("drawing", "boxing")
        assert list(replay(first_image.project)) == []

    def test_draws_a_box(self, expert: Client, first_image: Image) -> None:
        chain = Chain.objects.filter(image=first_image, state=ChainState.COMPLETE.value).first()
        assert chain is not None
        assert self.act(expert, first_image, "draw", chain=chain.name, box="1, 2, 30, 40").status_code == 302
        assert first_image.boxes.filter(x0=1, y0=2, x1=30, y1=40, state="accepted", chain=chain.name).exists()

    @pytest.mark.parametrize("box", ["1, 2, 3", "1, 2, 1, 4", "0, 0, 9999, 9", "a, b, c, d"])
    def test_is_told_why_a_box_is_refused(self, expert: Client, first_image: Image, box: str) -> None:
        boxes = first_image.boxes.count()
        response = self.act(expert, first_image, "draw", chain=0, box=box)
        assert response.status_code == 400
        assert "A box is" in response.content.decode() or "lies outside" in response.content.decode()
        assert first_image.boxes.count() == boxes

    def test_is_told_why_the_rules_refuse(self, expert: Client, first_image: Image) -> None:
        chain = Chain.objects.filter(image=first_image, state=ChainState.COMPLETE.value).first()
        assert chain is not None
        response = self.act(expert, first_image, "send", chain=chain.name, to="non-visual", kind="scene")
        assert response.status_code == 400
        assert "accepted boxes: delete them first" in response.content.decode()
        chain.refresh_from_db()
        assert chain.state == "complete"

    def test_changes_the_phrases_of_a_caption(self, expert: Client, first_image: Image) -> None:
        mention = first_image.mentions.filter(caption__number=0).order_by("start")[0]
        response = self.act(
            expert, first_image, "rechunk", remove=[mention.number], caption=1, spans="1-1", types=["people", "other"]
        )
        assert response.status_code == 302
        made = first_image.mentions.get(caption__number=0, start=0)
        assert (made.end, made.types, made.number) == (1, ["people", "other"], first_image.mentions.count())
        assert list(replay(first_image.project)) == []

    def test_makes_a_phrase_of_a_chunk_that_was_none(self, expert: Client, first_image: Image) -> None:
        caption = next(one for one in first_image.captions.all() if one.non_visual)
        start, end = caption.non_visual[0]
        response = self.act(
            expert, first_image, "rechunk", caption=caption.number + 1, spans=f"{start + 1}-{end}", types=["scene"]
        )
        assert response.status_code == 302
        caption.refresh_from_db()
        assert [start, end] not in caption.non_visual
        assert first_image.mentions.filter(caption=caption, start=start, end=end).exists()

    def test_finds_what_waits(self, expert: Client, first_image: Image) -> None:
        chain = Chain.objects.filter(image=first_image, state=ChainState.COMPLETE.value).first()
        assert chain is not None
        self.act(expert, first_image, "draw", chain=chain.name, box="1, 2, 30, 40")
        page = expert.get(reverse("gallery:review", args=["drawn"])).content.decode()
        assert first_image.mentions.get(number=chain.name).text in page
        assert "changed by an expert" in page
