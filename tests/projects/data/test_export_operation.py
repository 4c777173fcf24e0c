"""Exports by page, API and command: the same options give the same bytes and the same refusals."""

import json
from collections.abc import Mapping
from html import unescape
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client

from accounts.models import Role
from annotation.models import Project
from exchange.formats.format import ExportOption
from exchange.import_dataset import import_dataset
from exchange.models import Selection
from exchange.registry import FORMATS, installed_formats
from projects.data.export_operations import make_export
from projects.operation_fields import input_fields
from runtime.models import JobRun
from simulation.scenes.scene import write_source
from tests.support.members import sign_in
from tests.support.table import row

pytestmark = pytest.mark.django_db
CALL = "/api/v1/requester/projects/parks/exports/"
INSTALLED = installed_formats()
Values = Mapping[str, Any]
Files = dict[str, bytes]


@pytest.fixture
def parks(tmp_path: Path, client: Client) -> Project:
    """Three finished scenes with pictures, of which the client is a reviewer."""
    write_source(tmp_path / "source", 5, 3)
    import_dataset(project_name="parks", path=tmp_path / "source")
    project = Project.objects.get()
    project.images.filter(pk=project.images.order_by("pk")[2].pk).update(state="linking")
    sign_in(client, project, Role.REVIEWER)
    return project


def left_out(export_format: str) -> frozenset[str]:
    """Return the options that the format does not take."""
    return frozenset(map(str, ExportOption)) - FORMATS[export_format].options


def inside(archive: bytes) -> Files:
    with ZipFile(BytesIO(archive)) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def by_page(client: Client, values: Values) -> Files | str:
    sent = {name: value for name, value in values.items() if name not in ("format", "splits")}
    if "splits" in values:
        sent["splits"] = SimpleUploadedFile("parts.csv", values["splits"])
    answer = client.post(f"/projects/parks/export/?format={values['format']}", sent, follow=True)
    return inside(b"".join(answer)) if answer.streaming else unescape(answer.text)  # type: ignore[arg-type]


def by_api(client: Client, values: Values) -> Files | str:
    body = dict(values)
    if "splits" in values:
        del body["splits"]
        body["parts"] = dict(line.split(",") for line in values["splits"].decode().splitlines()[1:])
    answer = client.post(CALL, json.dumps(body), "application/json").json()
    if "file" not in answer:
        return str(answer)
    assert client.get(f"{CALL}{answer['format']}/{answer['record']}/").json() == answer
    return inside(b"".join(client.get(answer["file"])))  # type: ignore[arg-type]


def by_command(values: Values, out: Path) -> Files | str:
    """Write the export to `out`, and return its files by their paths beside it."""
    options = []
    for field in input_fields(make_export):
        if field.name == "splits" and field.name in values:
            (file := out.parent / "parts.csv").write_bytes(values["splits"])
            options += [field.option, str(file)]
        elif field.name in values:
            value = values[field.name]
            options += [field.option] if value is True else [field.option, str(value)]
    folder = out.parent / "by_command"
    folder.mkdir()
    try:
        call_command("export_dataset", "parks", str(folder / out.name), *options)
    except CommandError as error:
        return str(error)
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def assert_same_by_every_door(client: Client, values: Values, folder: Path) -> Files:
    page, api = by_page(client, values), by_api(client, values)
    assert isinstance(page, dict) and page == api, page
    name = min({path.partition("/")[0] for path in page})
    command = by_command(values, folder / name)
    assert isinstance(command, dict), command
    assert {path: page[path] == command.get(path) for path in page} == dict.fromkeys(command, True)
    return page


@pytest.mark.parametrize("export_format", INSTALLED)
def test_the_plain_export_has_the_same_bytes_by_every_door(
    export_format: str, parks: Project, client: Client, tmp_path: Path
) -> None:
    assert_same_by_every_door(client, {"format": export_format}, tmp_path)
    assert not Selection.objects.exists()


@pytest.mark.slow
@pytest.mark.parametrize("export_format", INSTALLED)
@row({"include_unmerged": True})
@row({"shares": "train=0.5,test=0.5", "seed": 7})
@row({"pictures": True})
@row({"longest_side": 64})
@row({"min_confidence": 0.5, "people_only": True, "negatives": True})
def test_an_export_with_options_has_the_same_bytes_by_every_door(
    options: Values, export_format: str, parks: Project, client: Client, tmp_path: Path
) -> None:
    taken = {name: value for name, value in options.items() if name not in left_out(export_format)}
    assert_same_by_every_door(client, {"format": export_format, **taken}, tmp_path)


def test_images_get_the_parts_that_a_file_or_a_program_names(parks: Project, client: Client, tmp_path: Path) -> None:
    first, second, _ = parks.images.order_by("position").values_list("name", flat=True)
    values = {"format": "odvg", "splits": f"image,part\n{first},train\n{second},val\n".encode()}
    files = assert_same_by_every_door(client, values, tmp_path)
    assert {path.rpartition("/")[2] for path in files} == {"train.jsonl", "val.jsonl", "README.md", "croissant.json"}


def test_the_same_choices_are_exported_once_and_others_anew(parks: Project, client: Client) -> None:
    def ask(**options: Any) -> str:
        answer = client.post(CALL, json.dumps({"format": "odvg", **options}), "application/json").json()
        return str(answer["record"])

    plain = ask()
    assert ask(min_confidence=0.0, seed=3) == plain
    unsure, people, pictures = ask(min_confidence=0.5), ask(people_only=True), ask(pictures=True)
    assert (ask(min_confidence=0.5), ask(people_only=True)) == (unsure, people)
    assert len({plain, unsure, people, pictures}) == JobRun.objects.filter(key__startswith="export:").count() == 4


def test_a_program_exports_the_images_that_it_names(parks: Project, client: Client) -> None:
    first = parks.images.order_by("position").values_list("name", flat=True)[0]
    files = by_api(client, {"format": "odvg", "images": [first]})
    assert isinstance(files, dict)
    (lines,) = (data for path, data in files.items() if path.endswith(".jsonl"))
    assert len({json.loads(line)["filename"] for line in lines.splitlines()}) == 1


@row({"format": "coco", "shares": "train=0.8"}, "The shares add up to 0.8, not to 1: train=0.8.")
@row({"format": "coco", "shares": "train"}, "'train' is not a share: write PART=SHARE")
@row({"format": "coco", "splits": b"image,part\ngone,train"}, "the project has no image 'gone'.")
@row({"format": "coco", "splits": b"image,part\ngone,a b"}, "write IMAGE,PART, such as 0001.jpg,train.")
@row(
    {"format": "coco", "splits": b"image,part\nx,a", "shares": "a=1"}, "Give the parts of the images, or shares to draw"
)
@row({"format": "coco", "min_confidence": 2}, "should be less than or equal to 1.")
@row({"format": "coco", "longest_side": 15}, "should be greater than or equal to 16.")
def test_wrong_options_are_refused_in_the_same_words_by_every_door(
    values: Values, sentence: str, parks: Project, client: Client, tmp_path: Path
) -> None:
    for said in (by_page(client, values), by_api(client, values), by_command(values, tmp_path / "out")):
        assert isinstance(said, str) and sentence in said
    assert not JobRun.objects.filter(key__startswith="export:").exists()
    assert not any((tmp_path / "by_command").iterdir())


def test_the_page_shows_exactly_the_options_that_a_format_takes(parks: Project, client: Client) -> None:
    for export_format in INSTALLED:
        shown = client.get(f"/projects/parks/export/?format={export_format}").context["form"].fields.keys()
        assert set(ExportOption) - set(shown) == left_out(export_format)
    assert left_out("jsonl") == {"longest_side", "min_confidence", "people_only", "negatives"}
    assert left_out("hub") == {"pictures"} and left_out("odvg") == left_out("mdetr") == set()
    assert left_out("coco") == {"negatives"}


def test_an_option_that_the_format_does_not_take_is_refused(parks: Project, client: Client, tmp_path: Path) -> None:
    values = {"format": "jsonl", "min_confidence": 0.5, "longest_side": 99}
    sentence = "The format jsonl takes no longest side and no min confidence."
    assert sentence in by_api(client, values) and sentence in by_command(values, tmp_path / "out")


def test_the_record_is_for_reviewers_alone(parks: Project, client: Client) -> None:
    sign_in(client, parks, Role.VIEWER, "viewer")
    assert "You need the role requester or reviewer" in by_api(client, {"format": "jsonl"})
    assert client.get("/projects/parks/export/?format=jsonl").status_code == 404
    assert isinstance(by_api(client, {"format": "coco", "people_only": True}), dict)
