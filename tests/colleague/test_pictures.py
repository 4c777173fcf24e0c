"""Pictures as a model gets them."""

import base64
from io import BytesIO
from typing import Any

import pytest
from PIL import Image

from colleague.coordinates import Frame
from colleague.errors import NoPicture
from colleague.pictures import DONE, NEW, Pictures

GREY = (120, 120, 120)


def jpeg(width: int, height: int, turned: int = 1) -> bytes:
    out, exif = BytesIO(), Image.Exif()
    exif[0x0112] = turned
    Image.new("RGB", (width, height), GREY).save(out, "JPEG", exif=exif)
    return out.getvalue()


def image(width: int, height: int) -> dict[str, Any]:
    return {"url": "/screen", "full_url": "/full", "width": width, "height": height}


def near(pixel: Any, colour: tuple[int, int, int]) -> bool:
    return all(abs(one - other) < 60 for one, other in zip(pixel, colour, strict=True))


def test_a_picture_is_scaled_down_and_never_up() -> None:
    pictures = Pictures(lambda address: jpeg(800, 600), longest=400)
    assert pictures.sent(image(1600, 1200)).frame == Frame((1600, 1200), (400, 300))
    assert Pictures(lambda address: jpeg(80, 60), longest=400).sent(image(80, 60)).frame.sent == (80, 60)


def test_sides_are_multiples_where_a_model_works_on_these() -> None:
    pictures = Pictures(lambda address: jpeg(800, 600), longest=400, multiple=28)
    assert pictures.sent(image(800, 600)).frame.sent == (392, 308)


def test_the_larger_file_is_loaded_only_where_it_is_needed() -> None:
    for longest, address in ((1600, "/screen"), (2000, "/full")):
        asked: list[str] = []
        Pictures(lambda one, asked=asked: asked.append(one) or jpeg(20, 20), longest=longest).sent(image(20, 20))  # type: ignore[misc, func-returns-value]
        assert asked == [address]


def test_a_picture_is_loaded_once_for_many_questions() -> None:
    asked: list[str] = []
    pictures = Pictures(lambda one: asked.append(one) or jpeg(20, 20), longest=64)  # type: ignore[func-returns-value]
    assert pictures.sent(image(20, 20)) == pictures.sent(image(20, 20)) and len(asked) == 1


def test_boxes_are_drawn_around_their_insides() -> None:
    sent = Pictures(lambda address: jpeg(400, 300), longest=400).sent(
        image(800, 600), [[200, 200, 400, 400]], [600, 400, 700, 500]
    )
    with Image.open(BytesIO(sent.jpeg)) as seen:
        assert near(seen.getpixel((99, 150)), DONE) and near(seen.getpixel((201, 150)), DONE)
        assert near(seen.getpixel((299, 225)), NEW)
        assert near(seen.getpixel((170, 170)), GREY) and near(seen.getpixel((325, 225)), GREY)


def test_a_turned_picture_is_sent_upright() -> None:
    assert Pictures(lambda address: jpeg(60, 40, turned=6), longest=64).sent(image(40, 60)).frame.sent == (40, 60)


def test_the_data_url_holds_the_picture() -> None:
    sent = Pictures(lambda address: jpeg(60, 40), longest=64).sent(image(60, 40))
    kind, _, data = sent.data_url.partition(",")
    assert kind == "data:image/jpeg;base64" and base64.b64decode(data) == sent.jpeg


def test_a_file_that_is_no_picture_is_no_answer() -> None:
    with pytest.raises(NoPicture, match="cannot be read"):
        Pictures(lambda address: b"<html>", longest=64).sent(image(60, 40))
