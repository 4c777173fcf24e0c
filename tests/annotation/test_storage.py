"""A folder and a bucket keep the same promises for files, and send parts of them as RFC 9110 has them."""

import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit
from urllib.request import Request, urlopen

import pytest
from botocore.config import Config
from botocore.exceptions import IncompleteReadError
from django.core.files.base import ContentFile
from django.http import HttpResponse
from django.test import RequestFactory
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from annotation.bucket_storage import BucketStorage
from annotation.pictures import rendition, store_picture
from annotation.s3 import IN_MEMORY, bucket_client, bucket_config, fetch
from annotation.storage import FolderStorage, OutOfRange, byte_range, file_response, storage_answers, store
from config.settings import bucket_origins
from runtime import clock
from runtime.disk_errors import StorageError
from tests.support.pictures import encoded, plain_jpeg
from tests.support.s3 import BUCKET, KEYS, S3Twin, asked_of, keep_in_bucket
from tests.support.table import row

Kept = FolderStorage | BucketStorage
GET = RequestFactory().get("/")


def names(kept: Kept, folder: str) -> list[str]:
    return kept.listdir(folder)[1]


def test_what_is_saved_twice_is_one_file(any_store: Kept) -> None:
    assert any_store.save("originals/ab/abc.jpg", ContentFile(b"one")) == "originals/ab/abc.jpg"
    assert any_store.save("originals/ab/abc.jpg", ContentFile(b"one")) == "originals/ab/abc.jpg"
    assert names(any_store, "originals/ab") == ["abc.jpg"]
    with any_store.open("originals/ab/abc.jpg") as file:
        assert file.read() == b"one"
    assert any_store.size("originals/ab/abc.jpg") == 3


def test_what_is_not_there_is_said_so(any_store: Kept) -> None:
    assert not any_store.exists("none") and not any_store.keeps("none")
    for look in (any_store.open, any_store.size):
        with pytest.raises(FileNotFoundError):
            look("none")
    any_store.delete("none")


def test_what_was_deleted_is_gone(any_store: Kept) -> None:
    any_store.save("a.zip", ContentFile(b"a"))
    any_store.delete("a.zip")
    assert not any_store.exists("a.zip")


def test_an_original_is_stored_once_and_mended_where_it_was_cut_short(any_store: Kept) -> None:
    name = store_picture(BytesIO(plain_jpeg()), picture_format="JPEG")
    any_store.save(name, ContentFile(plain_jpeg()[:50]))
    assert store_picture(BytesIO(plain_jpeg()), picture_format="JPEG") == name
    with any_store.open(name) as file:
        assert file.read() == plain_jpeg()


def test_eight_who_want_a_rendition_at_once_leave_one(any_store: Kept) -> None:
    name = store_picture(BytesIO(plain_jpeg(400, 300)), picture_format="JPEG")
    with ThreadPoolExecutor(8) as threads:
        made = set(threads.map(lambda _: rendition(name, "screen"), range(8)))
    (kept,) = made
    assert names(any_store, "renditions/screen") == [Path(kept).name]
    with any_store.open(kept) as file:
        assert Image.open(file).size == (400, 300)


def test_a_picture_larger_than_what_is_held_in_memory_comes_back_whole(any_store: Kept) -> None:
    data = encoded(Image.effect_noise((2000, 1500), 90), "BMP")
    assert len(data) > IN_MEMORY
    name = store_picture(BytesIO(data), picture_format="BMP")
    with any_store.open(name) as file:
        assert file.read() == data


def test_in_a_folder_nobody_sees_half_a_file(settings: Any, tmp_path: Path) -> None:
    settings.MEDIA_ROOT = tmp_path
    kept = store()
    kept.save("a.jpg", ContentFile(b"old"))
    seen = []

    class Slow(ContentFile):
        def chunks(self, chunk_size: int | None = None) -> Any:
            for piece in (b"n", b"e", b"w"):
                with kept.open("a.jpg") as file:
                    seen.append(file.read())
                yield piece

    kept.save("a.jpg", Slow(b""))
    assert seen == [b"old"] * 3
    assert (tmp_path / "a.jpg").read_bytes() == b"new"


def test_in_a_folder_nothing_is_left_of_what_could_not_be_written(settings: Any, tmp_path: Path) -> None:
    settings.MEDIA_ROOT = tmp_path

    class Broken(ContentFile):
        def chunks(self, chunk_size: int | None = None) -> Any:
            yield b"half"
            raise OSError("the disk is full")

    with pytest.raises(OSError, match="the disk is full"):
        store().save("a.jpg", Broken(b""))
    assert list(tmp_path.iterdir()) == []


def test_the_bucket_is_asked_once_whether_a_rendition_is_there(in_bucket: S3Twin) -> None:
    kept = store()
    assert isinstance(kept, BucketStorage)
    name = store_picture(BytesIO(plain_jpeg()), picture_format="JPEG")
    asked = asked_of(kept.connection.meta.client)
    rendition(name, "screen")
    assert asked == ["HeadObject", "GetObject", "PutObject"]
    rendition(name, "screen")
    rendition(name, "screen")
    assert asked[3:] == ["HeadObject"]


def test_everything_stands_below_the_prefix(s3: S3Twin, settings: Any) -> None:
    kept = keep_in_bucket(settings, location="chainbox/one")
    name = store_picture(BytesIO(plain_jpeg()), picture_format="JPEG")
    assert s3.keys() == [f"chainbox/one/{name}"]
    kept.connection.meta.client.close()


def test_requests_are_signed_by_the_clock_of_the_database(in_bucket: S3Twin, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    kept = store()
    assert isinstance(kept, BucketStorage)
    kept.connection.meta.client.meta.events.register(
        "before-send.s3", lambda request, **_: seen.append(str(request.headers["X-Amz-Date"]))
    )
    right = clock.now_without_asking()
    monkeypatch.setattr(clock, "_last_seconds", lambda: right.timestamp() + 3600)
    with clock.moved(timedelta(days=-9)):  # as the history of a demo is
        kept.save("a.txt", ContentFile(b"a"))
        address = kept.url("a.txt")
    expected = f"{right + timedelta(hours=1):%Y%m%dT%H%M%SZ}"
    assert expected in seen[-1] and parse_qs(urlsplit(address).query)["X-Amz-Date"] == [expected]


class TestAnAddressInTheBucket:
    def address(self, **options: Any) -> str:
        answer = store().delivery(GET, "renditions/screen/a.jpg", content_type="image/jpeg", **options)
        assert answer.status_code == 302
        return answer["Location"]

    def test_is_signed_for_minutes_and_kept_for_fewer(self, in_bucket: S3Twin) -> None:
        signed = parse_qs(urlsplit(self.address()).query)
        assert signed["X-Amz-Expires"] == ["900"] and signed["X-Amz-Algorithm"] == ["AWS4-HMAC-SHA256"]
        assert len(signed["X-Amz-Signature"][0]) == 64
        answer = store().delivery(GET, "a.jpg", content_type="image/jpeg")
        assert answer["Cache-Control"] == "private, max-age=300" and not answer.has_header("ETag")

    def test_gives_the_file_and_any_part_of_it(self, in_bucket: S3Twin) -> None:
        store().save("renditions/screen/a.jpg", ContentFile(b"0123456789"))
        address = self.address(filename="Füße.zip")
        with urlopen(address) as answer:
            assert answer.read() == b"0123456789" and answer.headers["Content-Type"] == "image/jpeg"
            assert answer.headers["Content-Disposition"].startswith("attachment; filename*=")
        with urlopen(Request(address, headers={"Range": "bytes=2-4"})) as answer:
            assert (answer.status, answer.read()) == (206, b"234")
            assert answer.headers["Content-Range"] == "bytes 2-4/10"

    def test_names_the_host_that_browsers_reach(self, s3: S3Twin, settings: Any) -> None:
        keep_in_bucket(settings, public_url="https://files.example.org")
        assert self.address().startswith(f"https://files.example.org/{BUCKET}/renditions/screen/a.jpg?")

    def test_objects_have_no_rights_of_their_own(self, in_bucket: S3Twin) -> None:
        store().save("a.jpg", ContentFile(b"a"))
        grants = in_bucket.client.get_object_acl(Bucket=BUCKET, Key="a.jpg")["Grants"]
        assert [grant["Grantee"]["Type"] for grant in grants] == ["CanonicalUser"]


@pytest.mark.parametrize("bucket", ["pictures", "pictures.example.org"])
@pytest.mark.parametrize("region", ["us-east-1", "eu-central-1"])
@pytest.mark.parametrize("public_url", ["", "http://127.0.0.1:9000", "https://files.example.org/store"])
def test_the_content_policy_names_the_origin_of_the_addresses(
    bucket: str, region: str, public_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)
    kept = BucketStorage(bucket_name=bucket, region_name=region, public_url=public_url or None)
    address = urlsplit(kept.delivery(GET, "a.jpg", content_type="image/jpeg")["Location"])
    assert [f"{address.scheme}://{address.netloc}"] == bucket_origins(bucket, public_url, region)


class TestAStoreThatFails:
    def test_a_bucket_that_is_not_there_is_no_missing_file(self, s3: S3Twin, settings: Any) -> None:
        kept = keep_in_bucket(settings, bucket_name="nowhere")
        acts: list[Callable[[], object]] = [
            lambda: kept.open("a"),
            lambda: kept.save("a", ContentFile(b"a")),
            lambda: kept.listdir("a"),
        ]
        for act in acts:
            with pytest.raises(StorageError, match="the bucket refuses"):
                act()
        kept.connection.meta.client.close()

    def test_a_store_that_nobody_hears_is_said_so(self, s3: S3Twin, settings: Any) -> None:
        kept = keep_in_bucket(settings, endpoint_url="http://127.0.0.1:9", client_config=impatient())
        for act in (kept.open, kept.exists, kept.size, kept.delete):
            with pytest.raises(StorageError, match="the bucket does not answer"):
                act("a")

    def test_a_download_that_breaks_off_is_begun_again(self, in_bucket: S3Twin, monkeypatch: pytest.MonkeyPatch):
        in_bucket.client.put_object(Bucket=BUCKET, Key="a", Body=b"0123456789")
        copy, tries = shutil.copyfileobj, []

        def broken(source: Any, target: Any, size: int) -> None:
            tries.append(source)
            if len(tries) < 3:
                target.write(source.read(4))
                source.close()
                raise IncompleteReadError(actual_bytes=4, expected_bytes=10)
            copy(source, target, size)

        monkeypatch.setattr(shutil, "copyfileobj", broken)
        with fetch(in_bucket.client, BUCKET, "a") as file:
            assert file.read() == b"0123456789"
        assert len(tries) == 3

    def test_a_download_that_always_breaks_off_is_given_up(self, in_bucket: S3Twin, monkeypatch: pytest.MonkeyPatch):
        in_bucket.client.put_object(Bucket=BUCKET, Key="a", Body=b"0123456789")

        def broken(source: Any, target: Any, size: int) -> None:
            source.close()
            raise IncompleteReadError(actual_bytes=4, expected_bytes=10)

        monkeypatch.setattr(shutil, "copyfileobj", broken)
        with pytest.raises(StorageError, match="does not answer"):
            fetch(in_bucket.client, BUCKET, "a")

    def test_without_keys_an_import_says_so(self, s3: S3Twin, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        for name in KEYS:
            monkeypatch.delenv(name)
        monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
        monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
        client = bucket_client(BUCKET, endpoint_url=s3.url, region_name="us-east-1")
        with pytest.raises(StorageError, match="credentials"):
            fetch(client, BUCKET, "a")
        client.close()


def impatient() -> Any:
    return bucket_config(BUCKET, "x").merge(Config(retries={"total_max_attempts": 1}))


def test_the_check_before_deployment_tells_a_bucket_that_cannot_be_used(in_bucket: S3Twin, settings: Any) -> None:
    assert storage_answers() == []
    kept = keep_in_bucket(settings, endpoint_url="http://127.0.0.1:9", client_config=impatient())
    (error,) = storage_answers()
    assert error.msg.startswith("the bucket does not answer")
    assert "s3:ListBucket" in (error.hint or "")
    kept.connection.meta.client.close()


def test_a_proxy_that_is_named_sends_the_file_itself(tmp_path: Path, settings: Any, rf: Any) -> None:
    settings.ACCEL_REDIRECT = "/files/"
    storage = FolderStorage(location=tmp_path)
    storage.save("exports/a b.zip", ContentFile(b"zip"))
    sent = storage.delivery(rf.get("/"), "exports/a b.zip", content_type="application/zip", filename="ä.zip")
    assert sent["X-Accel-Redirect"] == "/files/exports/a%20b.zip"
    assert isinstance(sent, HttpResponse) and not sent.content
    assert sent["Content-Type"] == "application/zip" and sent["Cache-Control"].startswith("private")
    assert "attachment" in sent["Content-Disposition"]
    with pytest.raises(FileNotFoundError):
        storage.delivery(rf.get("/"), "exports/none.zip", content_type="application/zip")


TEN = b"0123456789"


@row("bytes=0-4", (0, 5))
@row("bytes=2-2", (2, 3))
@row("bytes=4-", (4, 10))
@row("bytes=-3", (7, 10))
@row("bytes=-30", (0, 10))
@row("bytes=8-99", (8, 10))
@row(" bytes=0-0 ", (0, 1))
def test_a_range_is_a_part_of_the_file(header: str, part: tuple[int, int]) -> None:
    assert byte_range(header, 10) == part


@pytest.mark.parametrize(
    "header", ["", "bytes=-", "bytes=5-4", "bytes=0-1,4-5", "lines=0-4", "bytes=a-b", "bytes= 0-4", "bytes=" + "9" * 40]
)
def test_what_is_not_understood_means_the_whole_file(header: str) -> None:
    assert byte_range(header, 10) is None


@pytest.mark.parametrize("header", ["bytes=10-", "bytes=10-20", "bytes=-0"])
def test_what_lies_behind_the_end_is_out_of_range(header: str) -> None:
    with pytest.raises(OutOfRange):
        byte_range(header, 10)


def test_nothing_lies_in_an_empty_file() -> None:
    for header in ("bytes=0-", "bytes=0-0", "bytes=-5"):
        with pytest.raises(OutOfRange):
            byte_range(header, 0)


@given(st.integers(1, 10**12), st.integers(0, 10**12), st.integers(0, 10**12))
def test_a_part_holds_what_was_asked_for_and_ends_within_the_file(size: int, first: int, more: int) -> None:
    try:
        part = byte_range(f"bytes={first}-{first + more}", size)
    except OutOfRange:
        assert first >= size
    else:
        assert part == (first, min(first + more + 1, size))


@given(st.text(st.characters(codec="utf-8"), max_size=30), st.integers(0, 100))
def test_any_header_at_all_gives_a_part_of_the_file_or_all_of_it(text: str, size: int) -> None:
    try:
        part = byte_range(f"bytes={text}", size)
    except OutOfRange:
        return
    assert part is None or 0 <= part[0] < part[1] <= size


def answered(method: str = "get", **headers: str) -> Any:
    request = getattr(RequestFactory(), method)("/", headers=headers)
    return file_response(request, BytesIO(TEN), tag='"a"', content_type="image/jpeg")


def body(answer: Any) -> bytes:
    return b"".join(answer)


def test_without_a_range_the_whole_file_comes_and_says_that_it_has_parts() -> None:
    answer = answered()
    assert (answer.status_code, answer["Content-Length"], answer["Accept-Ranges"]) == (200, "10", "bytes")
    assert (answer["Content-Type"], answer["ETag"], body(answer)) == ("image/jpeg", '"a"', TEN)


def test_a_part_says_which_it_is_and_behind_the_end_there_is_only_how_long_the_file_is() -> None:
    part, none = answered(range="bytes=2-4"), answered(range="bytes=10-")
    assert (part.status_code, part["Content-Length"], part["Content-Range"]) == (206, "3", "bytes 2-4/10")
    assert body(part) == b"234"
    assert (none.status_code, none["Content-Range"], none.content) == (416, "bytes */10", b"")


def test_a_browser_with_the_beginning_of_this_file_gets_the_rest_and_one_with_another_gets_all() -> None:
    assert body(answered(range="bytes=5-", **{"if-range": '"a"'})) == b"56789"
    for other in ('"b"', 'W/"a"', "Sat, 21 Nov 2026 08:00:00 GMT"):
        assert body(answered(range="bytes=5-", **{"if-range": other})) == TEN


def test_a_browser_that_has_the_file_is_sent_nothing() -> None:
    for held in ('"a"', 'W/"a"', '"b", "a"', "*"):
        answer = answered(**{"if-none-match": held})
        assert (answer.status_code, answer.content) == (304, b"")
    assert answered(**{"if-none-match": '"b"'}).status_code == 200


def test_asked_for_its_head_alone_a_file_says_how_long_it_is() -> None:
    answer = answered("head", range="bytes=2-4")
    assert (answer.status_code, answer["Content-Length"]) == (200, "10")


def test_the_file_is_closed_whatever_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    # An answer that ends would close the database, which these tests may not touch.
    monkeypatch.setattr("django.core.signals.request_finished.send", lambda **_: None)
    for headers in ({}, {"range": "bytes=2-4"}, {"range": "bytes=99-"}, {"if-none-match": '"a"'}):
        file, request = BytesIO(TEN), RequestFactory().get("/", headers=headers)
        file_response(request, file, tag='"a"', content_type="image/jpeg").close()
        assert file.closed
