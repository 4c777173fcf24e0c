"""Pictures for workers: by signed addresses, without a cookie and without a query."""

import time
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from PIL import Image as Picture

from annotation.pictures import store_picture
from labelling.pictures import WEEK, picture_link


@pytest.fixture
def name(settings: Any, tmp_path: Path) -> str:
    """A stored picture of 40 by 30 upright pixels that lies on its side in its file."""
    settings.MEDIA_ROOT = tmp_path
    exif = Picture.Exif()
    exif[0x0112] = 6
    file = BytesIO()
    Picture.new("RGB", (30, 40), "teal").save(file, "JPEG", exif=exif)
    return store_picture(file, picture_format="JPEG")


@pytest.mark.parametrize("size", ["screen", "full"])
def test_a_link_that_was_given_out_shows_the_picture_upright(client: Client, name: str, size: str) -> None:
    answer = client.get(picture_link(name, size))
    assert (answer.status_code, answer["Content-Type"]) == (200, "image/jpeg")
    assert Picture.open(BytesIO(b"".join(answer))).size == (40, 30)
    assert client.get(picture_link(name, size), headers={"if-none-match": answer["ETag"]}).status_code == 304


def test_a_link_that_was_changed_shows_nothing(client: Client, name: str) -> None:
    link = picture_link(name, "screen")
    for wrong in (link.replace("screen", "full"), link.replace(name, "x" + name), link.replace("/screen/", "/huge/")):
        assert client.get(wrong).status_code == 404


def test_a_link_is_the_same_all_week_and_ends_in_the_week_after_the_next(client: Client, name: str, monkeypatch: Any):
    begin = int(time.time() // WEEK) * WEEK
    link = picture_link(name, "screen", begin)
    assert link == picture_link(name, "screen", begin + WEEK - 1) and link != picture_link(name, "screen", begin + WEEK)
    answer = client.get(link)
    assert answer.status_code == 200
    b"".join(answer)
    later = datetime.fromtimestamp(begin + 2 * WEEK + 1, UTC)
    monkeypatch.setattr("labelling.pictures.clock.now_without_asking", lambda: later)
    assert client.get(link).status_code == 404


def test_a_link_holds_for_one_key_though_links_are_kept(client: Client, name: str, settings: Any) -> None:
    before = picture_link(name, "screen")
    settings.SECRET_KEY = f"not {settings.SECRET_KEY}"
    assert client.get(before).status_code == 404
    answer = client.get(picture_link(name, "screen"))
    assert answer.status_code == 200
    b"".join(answer)


def test_a_picture_that_has_gone_is_answered_plainly(client: Client, name: str, tmp_path: Path) -> None:
    assert client.get(picture_link("originals/no/no.jpg", "screen")).status_code == 404
