"""Sources in a bucket: what is imported from there is what is imported from the same folder on disk.
The memory of an import from a bucket does not grow with the number of pictures.
Made narrations are imported like any data set, with the sentence of each phrase.
Each image of a source is read whole, or left out by name, and the counts add up; whatever the source looks like.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from io import BytesIO
from pathlib import Path
from random import Random
from typing import Any, BinaryIO, cast

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import transaction
from PIL import Image as Picture

from annotation.bucket_storage import BucketStorage
from annotation.decode_picture import verify_picture
from annotation.models import Gold, Image, Project
from annotation.storage import FolderStorage
from exchange.bucket import READ_SIZE, bucket_at, fetch_texts
from exchange.checks import SourceError
from exchange.dataset import DatasetImage, Problem, shown_text
from exchange.formats import detect
from exchange.formats.pictures import FolderPictures
from exchange.import_dataset import ImportReport, import_dataset
from exchange.names import same_name
from exchange.registry import import_format
from exchange.source import opened
from pipeline.protocol.state.progress_json import from_json
from pipeline.record.read_record import replay
from pipeline.settings.of_belief import LinkStrategy
from pipeline.settings.settings import Settings
from pipeline.tick import tick
from runtime.disk_errors import StorageError
from simulation.scenes.scene import make_scene, write_source
from tests.exchange.test_import import contents, stop_at
from tests.support.bad_details import (
    BAD,
    BEGIN,
    END,
    FILE,
    IMAGES,
    IN_JSON,
    SAID,
    SOURCES,
    broken,
    fates,
    outcome,
    table,
)
from tests.support.odd_sources import OddSource, odd_source
from tests.support.pictures import encoded
from tests.support.s3 import BUCKET, KEYS, SOURCE, S3Twin, asked_of
from tests.support.table import row

Kept = FolderStorage | BucketStorage
CAPTION = "[/people A man] and [/animals a dog].\n"


def noisy(width: int, height: int, picture_format: str, seed: int = 80) -> bytes:
    return encoded(Picture.effect_noise((width, height), seed).convert("RGB"), picture_format)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two images with captions, and what the formats do not know."""
    folder = tmp_path / "source"
    (folder / "images" / "b").mkdir(parents=True)
    (folder / "captions.csv").write_text(f"image,caption\na.jpg,{CAPTION}b/2.png,{CAPTION}")
    (folder / "notes.tar").write_bytes(b"nothing for us")
    (folder / "images" / "a.jpg").write_bytes(noisy(300, 200, "JPEG"))
    (folder / "images" / "b" / "2.png").write_bytes(noisy(200, 100, "PNG"))
    return folder


@pytest.mark.django_db
class TestAnImport:
    def test_from_a_prefix_gives_what_the_same_folder_gives(self, any_store: Kept, s3: S3Twin, folder: Path) -> None:
        with transaction.atomic():
            report = import_dataset(project_name="parks", path=s3.upload(folder, "crowds/parks/"))
            from_bucket = contents()
            transaction.set_rollback(True)
        assert (report.images, report.problems) == (2, [])
        import_dataset(project_name="parks", path=folder)
        assert contents() == from_bucket
        for image in Image.objects.all():
            with any_store.open(image.picture) as file:
                assert verify_picture(cast(BinaryIO, file)).width == image.width

    def test_takes_an_address_without_the_last_slash_and_no_neighbour(self, s3: S3Twin, folder: Path) -> None:
        for prefix in ("parks/", "parks-old/"):
            s3.upload(folder, prefix)
        assert import_dataset(project_name="parks", path=f"s3://{SOURCE}/parks").images == 2

    def test_takes_a_whole_bucket(self, s3: S3Twin, folder: Path) -> None:
        s3.upload(folder)
        assert import_dataset(project_name="parks", path=f"s3://{SOURCE}").images == 2

    def test_takes_a_zip_file_in_a_bucket(self, s3: S3Twin, folder: Path) -> None:
        zipped = shutil.make_archive(str(folder), "zip", folder.parent, folder.name)
        s3.client.upload_file(zipped, SOURCE, "parks.zip")
        report = import_dataset(project_name="parks", path=f"s3://{SOURCE}/parks.zip")
        assert (report.images, report.problems) == (2, [])

    def test_that_was_stopped_goes_on_where_it_was(self, s3: S3Twin, folder: Path) -> None:
        address = s3.upload(folder, "parks/")
        with pytest.raises(KeyboardInterrupt):
            import_dataset(project_name="parks", path=address, progress=stop_at(1))
        assert Image.objects.count() == 1
        report = import_dataset(project_name="parks", path=address)
        assert (report.images, report.already_there) == (1, 1)

    def test_reports_what_is_missing_and_what_nobody_names(self, s3: S3Twin, folder: Path) -> None:
        (folder / "images" / "a.jpg").rename(folder / "images" / "c.jpg")
        report = import_dataset(project_name="parks", path=s3.upload(folder, "parks/"))
        assert [str(problem) for problem in report.problems] == [
            "captions.csv:2: the picture a.jpg is missing (image a.jpg left out)",
            "images/c.jpg: has no captions in captions.csv (image images/c.jpg left out)",
        ]

    def test_leaves_out_a_picture_that_goes_meanwhile(self, s3: S3Twin, folder: Path) -> None:
        def gone(images: Any, total: int) -> Any:
            for image in images:
                s3.client.delete_object(Bucket=SOURCE, Key=f"parks/{image.picture}")
                yield image

        report = import_dataset(project_name="parks", path=s3.upload(folder, "parks/"), progress=gone)
        assert "the picture has gone from the bucket" in str(report.problems[0])

    @pytest.mark.parametrize("step", ["head", "open"])
    def test_stops_plainly_where_the_store_does(
        self, s3: S3Twin, folder: Path, monkeypatch: pytest.MonkeyPatch, step: str
    ) -> None:
        def refused(*_: object) -> None:
            raise StorageError("the bucket does not answer")

        method = {"head": "exchange.bucket.RangedFile._fetched", "open": "exchange.bucket.BucketPictures.open"}
        monkeypatch.setattr(method[step], refused)
        with pytest.raises(CommandError, match=r"does not answer\. What is done stays; run the same"):
            call_command("import_dataset", "parks", s3.upload(folder, "parks/"))


class TestASource:
    def test_is_listed_page_by_page_and_only_its_texts_are_fetched(self, s3: S3Twin, tmp_path: Path) -> None:
        for number in range(5):
            s3.client.put_object(Bucket=SOURCE, Key=f"many/images/{number}.jpg", Body=b"")
        s3.client.put_object(Bucket=SOURCE, Key="many/captions.csv", Body=b"image,caption\n")
        bucket = bucket_at(f"s3://{SOURCE}/many/")
        pages = "provide-client-params.s3.ListObjectsV2"
        bucket.client.meta.events.register(pages, lambda params, **_: {**params, "MaxKeys": 2})
        asked = asked_of(bucket.client)
        pictures = fetch_texts(bucket, tmp_path)
        bucket.client.close()
        assert sorted(pictures) == [f"images/{number}.jpg" for number in range(5)]
        assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["captions.csv"]
        assert (asked.count("ListObjectsV2"), asked.count("GetObject")) == (3, 1)

    def test_tells_the_size_of_a_picture_from_its_head(self, s3: S3Twin, folder: Path) -> None:
        (folder / "images" / "a.jpg").write_bytes(noisy(1500, 1000, "JPEG"))
        bucket = bucket_at(s3.upload(folder, "parks/"))
        with opened(bucket.address) as source:
            asked = asked_of(source.pictures._bucket.client)  # type: ignore[attr-defined]
            with source.pictures.head("images/a.jpg") as file:
                assert Picture.open(file).size == (1500, 1000)
        bucket.client.close()
        assert asked == ["GetObject"]
        assert (folder / "images" / "a.jpg").stat().st_size > 2 * READ_SIZE

    @pytest.mark.parametrize("picture_format", ["JPEG", "PNG", "WEBP", "GIF", "BMP"])
    def test_can_be_read_from_anywhere(self, s3: S3Twin, picture_format: str) -> None:
        data = noisy(700, 500, picture_format)
        s3.client.put_object(Bucket=SOURCE, Key="x/a.jpg", Body=data)
        with opened(f"s3://{SOURCE}/x/") as source, source.pictures.head("a.jpg") as file:
            whole = Picture.open(BytesIO(data)).convert("RGB").tobytes()
            assert Picture.open(file).convert("RGB").tobytes() == whole
            assert file.seek(-4, 2) == len(data) - 4
            assert file.read() == data[-4:]
            assert file.read() == b""

    @row("x/../../escape.txt", "has a path that leaves the folder")
    @row("x//a.txt", "has an absolute path")
    @row("x/b/./a.txt", "has a path that leaves the folder")
    def test_with_a_name_that_leaves_the_folder_is_refused(self, key: str, reason: str, s3: S3Twin) -> None:
        paths = {"Contents": [{"Key": key, "Size": 1}]}
        bucket = bucket_at(f"s3://{SOURCE}/x/")
        bucket.client.get_paginator = lambda _: type("Pages", (), {"paginate": lambda self, **_: [paths]})()
        with pytest.raises(SourceError, match=reason):
            fetch_texts(bucket, Path("/nowhere").parent)
        bucket.client.close()

    def test_with_too_much_text_is_refused(self, s3: S3Twin, tmp_path: Path) -> None:
        s3.client.put_object(Bucket=SOURCE, Key="x/captions.csv", Body=b"x" * 100)
        bucket = bucket_at(f"s3://{SOURCE}/x/")
        with pytest.raises(SourceError, match="more than 99 bytes of texts"):
            fetch_texts(bucket, tmp_path, max_bytes=99)
        bucket.client.close()

    @row("s3://sources/empty/", "s3://sources/empty/: holds no files")
    @row("s3://nowhere/x/", "s3://nowhere/x/: cannot be listed: the bucket refuses")
    @row("s3://sources/none.zip", "none.zip cannot be fetched: there is no such file in the bucket")
    @row("s3://sources/text.zip", "s3://sources/text.zip: is neither a folder nor a .zip file")
    @row("s3://sources/plain/", "s3://sources/plain/: is in no known format")
    @row("s3://sources/pictures/", "is in no known format. If photos.csv has the captions, call it captions.csv.")
    @row("s3://sources/alone/", "is in no known format. Add captions.csv with the columns image and caption.")
    @row("s3://UPPER/x/", "is not an address in a bucket: write s3://BUCKET/PREFIX/")
    @row("s3://", "is not an address in a bucket")
    @pytest.mark.django_db
    def test_that_cannot_be_read_is_named_as_the_user_named_it(self, address: str, sentence: str, s3: S3Twin) -> None:
        s3.client.put_object(Bucket=SOURCE, Key="text.zip", Body=b"text")
        for key in ("plain/readme.txt", "pictures/a.jpg", "pictures/photos.csv", "alone/in/a.jpg"):
            s3.client.put_object(Bucket=SOURCE, Key=key, Body=b"text")
        with pytest.raises(SourceError) as raised:
            import_dataset(project_name="parks", path=address)
        assert sentence in str(raised.value)


@pytest.mark.django_db
def test_phrases_keep_their_sentences_and_gold_its_chains(tmp_path: Path) -> None:
    write_source(tmp_path / "told", 5, 1, pictures=False, narrated=True)
    report = import_dataset(project_name="narrations", path=tmp_path / "told", gold=True)
    made = make_scene(5, 0, narrated=True).image
    assert (report.images, report.mentions) == (1, len(made.mentions))
    mentions = from_json(Image.objects.get().progress.state).mentions
    last = made.mentions[-1]
    before = made.captions[last.caption].words[: last.start]
    assert mentions[len(made.mentions) - 1].sentence == before.count(".") > 5
    assert {one.is_pronoun for one in mentions.values()} == {True, False}
    assert len(Gold.objects.get().chains) == len(made.chains)


@pytest.mark.django_db
def test_beyond_the_rules_a_narration_is_linked_and_its_record_replayed(tmp_path: Path) -> None:
    write_source(tmp_path / "told", 5, 1, pictures=False, narrated=True)
    beyond = Settings(strategy=LinkStrategy.ADAPTIVE, beyond_rules=True)
    import_dataset(project_name="narrations", path=tmp_path / "told", gold=True, settings=beyond)
    tick()
    project = Project.objects.get()
    pairs = project.questions.values_list("subject", flat=True)
    caption_of = dict(project.images.get().mentions.values_list("number", "caption__number"))
    assert any(caption_of[one] == caption_of[other] for one, other in pairs)
    assert list(replay(project)) == []
    call_command("export_dataset", "narrations", str(tmp_path / "out"), "--format", "jsonl", "--include-unmerged")
    call_command("validate", str(tmp_path / "out"))


def wrong_in(source: OddSource) -> list[str]:
    """Return what is not as it must be; nothing if all is well."""
    read = import_format(detect(source.folder).name).images(source.folder, FolderPictures(source.folder))
    items = list(read)
    images = [item for item in items if isinstance(item, DatasetImage)]
    problems = [item for item in items if isinstance(item, Problem)]
    told = {image.path or image.name: image for image in images}
    if source.kind == "entities":
        told = {image.source.removeprefix("Sentences/").removesuffix(".txt"): image for image in images}
    wrong = [f"{path}: not read: {problems}" for path in source.whole.keys() - told.keys()]
    wrong += [f"{path}: read, although {source.images}" for path in told.keys() - source.whole.keys()]
    for path, one in source.whole.items():
        if path in told:
            wrong += [f"{path}: {what}" for what in _not_whole(source, told[path], one.width, one.read)]
    report = ImportReport(problems=problems)
    # A picture whose captions or image are missing is named for itself in a plain folder.
    if len(images) + report.left_out != source.in_file:
        wrong.append(f"{len(images)} read, {report.left_out} left out, {source.in_file} in the file: {problems}")
    stored = [text for one in problems for text in (one.file, one.image, one.message)]
    stored += [str(text) for image in images for text in (image.name, image.path, image.source, image.coco_id)]
    wrong += [f"{text!r} cannot be stored" for text in stored if text != shown_text(text)]
    names = Counter(same_name(image.name) for image in images)
    wrong += [f"{name}: the name of {often} images" for name, often in names.items() if often > 1]
    return wrong


def _not_whole(source: OddSource, image: DatasetImage, width: int, captions: list[str]) -> list[str]:
    faults = {
        f"captions {image.captions}": [caption.text for caption in image.captions] != captions,
        f"the picture of another image: {image.picture}": image.width != width,
        f"picture {image.picture}": (image.picture is not None) != source.pictures,
    }
    return [what for what, is_so in faults.items() if is_so]


@pytest.mark.parametrize("seeds", [range(60), pytest.param(range(500), marks=pytest.mark.long)])
def test_of_odd_sources_every_image_is_read_whole_or_left_out_by_name(tmp_path: Path, seeds: range) -> None:
    wrong = {}
    for seed in seeds:
        source = odd_source(tmp_path / str(seed), seed)
        if found := wrong_in(source):
            wrong[seed, source.kind] = found
    assert not wrong


@pytest.mark.parametrize("name", SOURCES)
def test_no_bad_detail_costs_its_picture_or_a_caption_beside_it(tmp_path: Path, name: str) -> None:
    (tmp_path / "whole").mkdir()
    whole = outcome(tmp_path / "whole", name)
    assert (whole.images, whole.fate) == (IMAGES, "read")
    for kind in (one for one, edits in BAD.items() if name in edits):
        (tmp_path / kind).mkdir()
        found = outcome(tmp_path / kind, name, BAD[kind][name])
        assert found.images == IMAGES, kind
        assert found.captions >= whole.captions - (2 if name == "refcoco" else 1), kind
        files = {str(file.relative_to(tmp_path / kind)) for file in (tmp_path / kind).rglob("*.*")}
        for said in found.said:
            file, _, words = said.partition(":")
            assert file in files and re.search(r"\[\d+\]|^\d+: | row \d+: ", words), f"{said} names its place"
        if found.said:
            assert any(re.search(SAID[kind], one) for one in found.said), found.said


def test_the_table_of_bad_details_in_the_docs_is_what_becomes_of_them() -> None:
    told = FILE.read_text().split(BEGIN)[1].split(END)[0]
    assert told == table(fates()), "write it anew: python -m tests.support.bad_details"


@pytest.mark.parametrize("name", IN_JSON)
def test_of_broken_rows_as_many_are_taken_or_left_out_as_the_file_has(tmp_path: Path, name: str) -> None:
    for seed in range(25):
        (tmp_path / str(seed)).mkdir()
        try:
            in_file, taken, left_out = broken(tmp_path / str(seed), name, Random(seed))
        except SourceError as refused:  # no row names any of the pictures
            assert "no two names agree" in str(refused) or "needs one" in str(refused)
            continue
        assert taken + left_out == in_file, seed


PADDING = 30_000_000
"""Bytes behind the end of a picture, which no decoder reads but storage keeps."""


def fill(s3: S3Twin, prefix: str, count: int, padding: int = 0) -> str:
    """Put different pictures with captions into the bucket of sources, the first padded. Returns their address."""
    lines = ["image,caption"]
    for number in range(count):
        body = noisy(240, 180, "JPEG", 60) + bytes(0 if number else padding)
        s3.client.put_object(Bucket=SOURCE, Key=f"{prefix}/images/{number}.jpg", Body=body)
        lines.append(f"{number}.jpg,[/people A man] and [/animals a dog] stand by [/other a wall].")
    s3.client.put_object(Bucket=SOURCE, Key=f"{prefix}/captions.csv", Body="\n".join(lines).encode())
    return f"s3://{SOURCE}/{prefix}/"


@pytest.mark.slow
def test_ten_times_the_pictures_and_a_huge_file_take_a_tenth_more_memory_at_most(
    s3: S3Twin, empty_service: Path, tmp_path: Path
) -> None:
    shutil.copytree(empty_service, tmp_path, dirs_exist_ok=True)
    sources = [fill(s3, "few", 2), fill(s3, "many", 20, PADDING)]
    where = {"S3_ENDPOINT_URL": s3.url, "S3_BUCKET": BUCKET, "S3_PREFIX": "kept", "CHAINBOX_DATA": str(tmp_path)}
    command = [sys.executable, "-m", "tests.support.peak_of_import", *sources]
    env = {"PATH": os.environ["PATH"], "DJANGO_SETTINGS_MODULE": "config.settings", **KEYS, **where}
    done = subprocess.run(command, cwd=settings.BASE_DIR, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    few, many = json.loads(done.stdout)
    assert (few["images"], many["images"], many["problems"]) == (2, 20, 0)
    assert many["bytes_sent"] > 5 * few["bytes_sent"] > 0
    assert many["peak_kb"] <= 1.1 * few["peak_kb"]
