import io
import struct
import zlib
from contextlib import suppress
from pathlib import Path

import pytest
from django.core.files.storage import InMemoryStorage
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from annotation.decode_picture import PictureError, PictureInfo, read_size, render_for_screen, verify_picture
from annotation.pictures import store_picture
from annotation.storage import FolderStorage
from tests.support.pictures import encoded, plain_jpeg

RED, GREEN, BLUE, WHITE = (255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255)


def upright_corners() -> Image.Image:
    """60 x 40 pixels: red top left, green top right, blue bottom left, white bottom right."""
    picture = Image.new("RGB", (60, 40), WHITE)
    picture.paste(RED, (0, 0, 30, 20))
    picture.paste(GREEN, (30, 0, 60, 20))
    picture.paste(BLUE, (0, 20, 30, 40))
    return picture


# How a camera held in each way stores an upright scene: the inverse of what a viewer must do.
TURNS = "FLIP_LEFT_RIGHT ROTATE_180 FLIP_TOP_BOTTOM TRANSPOSE ROTATE_90 TRANSVERSE ROTATE_270"
STORED = dict(enumerate([None, *(Image.Transpose[turn] for turn in TURNS.split())], 1))


def oriented(orientation: int, picture_format: str = "JPEG") -> bytes:
    turn = STORED[orientation]
    picture = upright_corners() if turn is None else upright_corners().transpose(turn)
    exif = Image.Exif()
    exif[0x0112] = orientation
    exif[0x010E] = "a secret description"
    options = {"quality": 95} if picture_format == "JPEG" else {}
    return encoded(picture, picture_format, exif=exif, **options)


def png(width: int, height: int, bits: int, rows: bytes) -> bytes:
    """A PNG in colours that declares this size, and so many bits, which Pillow may read and not write."""
    found, header = b"\x89PNG\r\n\x1a\n", struct.pack(">IIBBBBB", width, height, bits, 2, 0, 0, 0)
    for kind, data in ((b"IHDR", header), (b"IDAT", zlib.compress(rows)), (b"IEND", b"")):
        found += struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    return found


def shown(data: bytes) -> Image.Image:
    return Image.open(io.BytesIO(rendered(data)))


def rendered(data: bytes) -> bytes:
    with render_for_screen(io.BytesIO(data)) as file:
        return file.read()


def close(a: object, b: tuple[int, int, int]) -> bool:
    assert isinstance(a, tuple)
    return all(abs(x - y) < 40 for x, y in zip(a, b, strict=True))


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("picture_format", ["JPEG", "PNG", "WEBP"])
def test_it_turns_every_orientation_upright(orientation: int, picture_format: str) -> None:
    data = oriented(orientation, picture_format)
    assert verify_picture(io.BytesIO(data)) == PictureInfo(60, 40, picture_format, orientation)
    assert read_size(io.BytesIO(data)) == (60, 40)
    picture = shown(data)
    assert picture.size == (60, 40)
    corners = [picture.getpixel(place) for place in ((8, 8), (52, 8), (8, 32), (52, 32))]
    assert all(close(*pair) for pair in zip(corners, (RED, GREEN, BLUE, WHITE), strict=True))


def test_it_strips_metadata_from_the_rendition() -> None:
    rendition = rendered(oriented(6))
    assert b"secret" in oriented(6)
    assert b"secret" not in rendition
    assert not Image.open(io.BytesIO(rendition)).getexif()
    commented = encoded(upright_corners(), "JPEG", comment=b"a secret comment")
    assert b"secret" in commented
    assert b"secret" not in rendered(commented)


@pytest.mark.parametrize("orientation", [0, 9, 77])
def test_it_takes_an_orientation_that_does_not_exist_for_upright(orientation: int) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    assert verify_picture(io.BytesIO(encoded(upright_corners(), "JPEG", exif=exif))).orientation == 1


def test_it_does_not_mind_a_wrong_ending(tmp_path: Path) -> None:
    path = tmp_path / "picture.png"
    path.write_bytes(plain_jpeg())
    assert verify_picture(path) == PictureInfo(40, 30, "JPEG", 1)


@pytest.mark.parametrize("share", [0.5, 0.9, 0.99])
@pytest.mark.parametrize("picture_format", ["JPEG", "PNG", "WEBP"])
def test_it_finds_truncated_files(picture_format: str, share: float) -> None:
    data = encoded(Image.effect_noise((200, 200), 80).convert("RGB"), picture_format)
    cut = data[: int(len(data) * share)]
    with pytest.raises(PictureError, match=r"truncated|damaged"):
        verify_picture(io.BytesIO(cut))
    with pytest.raises(PictureError, match=r"truncated|damaged"):
        render_for_screen(io.BytesIO(cut))


def test_it_says_that_a_truncated_jpeg_is_truncated() -> None:
    data = encoded(Image.effect_noise((200, 200), 80), "JPEG")
    with pytest.raises(PictureError, match="is truncated: its end is missing"):
        verify_picture(io.BytesIO(data[:-500]))


@pytest.mark.parametrize(
    "data", [b"", b"hello", b"<svg xmlns='http://www.w3.org/2000/svg'/>", b"%PDF-1.4", b"\xff\xd8\xff"]
)
def test_it_refuses_what_is_no_picture(data: bytes) -> None:
    with pytest.raises(PictureError, match=r"is not a picture|is damaged|is truncated"):
        verify_picture(io.BytesIO(data))


def test_it_refuses_a_folder_and_a_missing_file(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none.jpg"):
        with pytest.raises(PictureError, match="cannot be read"):
            verify_picture(path)


@pytest.mark.parametrize("size", [(60_000, 60_000), (12_000, 9_000), (2_000_000_000, 2_000_000_000)])
def test_it_refuses_size_bombs_before_decoding(size: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("PIL.ImageFile.ImageFile.load", lambda self: pytest.fail("decoded"))
    for check in (verify_picture, read_size, render_for_screen):
        with pytest.raises(PictureError, match=r"declares a size|at most 80,000,000 pixels"):
            check(io.BytesIO(png(*size, 8, b"\0" * 100)))


def test_it_keeps_to_the_limit_it_is_given() -> None:
    assert verify_picture(io.BytesIO(plain_jpeg(40, 30)), max_pixels=1200).width == 40
    with pytest.raises(PictureError, match="is 40 x 30 pixels, and at most 1,199 pixels"):
        verify_picture(io.BytesIO(plain_jpeg(40, 30)), max_pixels=1199)


def test_it_makes_pillows_own_warning_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 1000)
    with pytest.raises(PictureError, match="declares a size"):
        verify_picture(io.BytesIO(plain_jpeg(40, 30)))


def test_it_shows_cmyk_in_its_colours() -> None:
    data = encoded(Image.new("CMYK", (20, 20), (0, 255, 255, 0)), "JPEG")
    assert verify_picture(io.BytesIO(data)).format == "JPEG"
    assert close(shown(data).getpixel((10, 10)), RED)


def test_it_scales_sixteen_bits_to_eight() -> None:
    assert close(shown(encoded(Image.new("I;16", (20, 20), 128 << 8), "PNG")).getpixel((10, 10)), (128, 128, 128))


def test_twelve_bits_in_sixteen_are_not_shown_nearly_black() -> None:
    grey = Image.new("I;16", (20, 20), 2048)
    grey.putpixel((0, 0), 4095)
    assert close(shown(encoded(grey, "PNG")).getpixel((10, 10)), (128, 128, 128))
    rows = b"".join(b"\0" + (b"\x0f\xff\x08\x00\x00\x00") * 20 for _ in range(20))
    assert close(shown(png(20, 20, 16, rows)).getpixel((10, 10)), (240, 128, 0))
    assert close(shown(encoded(Image.new("I;16", (20, 20), 0), "PNG")).getpixel((10, 10)), (0, 0, 0))


def test_it_puts_transparency_on_white() -> None:
    palette = Image.new("P", (20, 20), 0)
    palette.putpalette([0, 0, 0, 255, 0, 0])
    palette.paste(1, (10, 0, 20, 20))
    picture = shown(encoded(palette, "PNG", transparency=0))
    assert close(picture.getpixel((3, 10)), WHITE) and close(picture.getpixel((17, 10)), RED)


def test_it_takes_the_first_frame_of_a_gif() -> None:
    frames = [Image.new("RGB", (20, 20), color) for color in (GREEN, RED)]
    data = encoded(frames[0], "GIF", save_all=True, append_images=frames[1:])
    assert verify_picture(io.BytesIO(data)) == PictureInfo(20, 20, "GIF", 1)
    assert close(shown(data).getpixel((10, 10)), GREEN)


@pytest.mark.parametrize("mode", ["1", "L", "LA", "RGBA"])
def test_it_renders_every_mode(mode: str) -> None:
    assert shown(encoded(Image.new(mode, (20, 10)), "PNG")).size == (20, 10)


def test_it_shrinks_to_the_screen_and_never_enlarges() -> None:
    assert shown(encoded(Image.new("RGB", (3200, 1000)), "JPEG")).size == (1600, 500)
    assert shown(plain_jpeg(40, 30)).size == (40, 30)


def test_it_stores_the_original_byte_for_byte_and_once() -> None:
    storage, data = InMemoryStorage(), oriented(6)
    name = store_picture(io.BytesIO(data), picture_format="JPEG", storage=storage)
    assert storage.open(name).read() == data
    assert store_picture(io.BytesIO(data), picture_format="JPEG", storage=storage) == name
    assert store_picture(io.BytesIO(plain_jpeg()), picture_format="JPEG", storage=storage) != name


def test_it_completes_what_an_interrupted_run_left_half_written(tmp_path: Path) -> None:
    storage, path = FolderStorage(location=tmp_path / "media"), tmp_path / "picture.jpg"
    path.write_bytes(plain_jpeg())
    name = store_picture(path, picture_format="JPEG", storage=storage)
    Path(storage.path(name)).write_bytes(b"half")
    assert store_picture(path, picture_format="JPEG", storage=storage) == name
    assert Path(storage.path(name)).read_bytes() == plain_jpeg()


@pytest.mark.slow
@settings(max_examples=40)
@given(st.sampled_from(["JPEG", "PNG", "WEBP", "GIF", "BMP"]), st.data())
def test_damage_anywhere_is_a_picture_error_or_no_error(picture_format: str, data: st.DataObject) -> None:
    file = bytearray(encoded(upright_corners(), picture_format))
    for _ in range(data.draw(st.integers(1, 4))):
        file[data.draw(st.integers(0, len(file) - 1))] = data.draw(st.integers(0, 255))
    for use in (verify_picture, read_size):
        with suppress(PictureError):
            use(io.BytesIO(bytes(file)), max_pixels=1_000_000)
    with suppress(PictureError), render_for_screen(io.BytesIO(bytes(file)), max_pixels=1_000_000):
        pass
