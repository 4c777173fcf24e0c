"""A checked data set comes out in its own format, with the labels that its check has settled."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Project
from annotation.rules.box import Box
from exchange.dataset import DatasetImage
from exchange.export_dataset import export_dataset
from exchange.flickr30k.read import read_flickr30k
from pipeline.models import Progress
from pipeline.project.settings_versions import open_project
from pipeline.record.intervene import act_as_expert
from pipeline.rules.progress.progress import ImageProgress
from pipeline.rules.progress.progress_json import from_json
from pipeline.tick import tick
from scenes.write import write_source
from tests.support.checked import UNASKED, KeptCheck

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def kept(django_db_setup: None, django_db_blocker: Any, tmp_path_factory: pytest.TempPathFactory) -> KeptCheck:
    return KeptCheck(django_db_blocker, tmp_path_factory.mktemp("check"), 3, UNASKED)


@pytest.fixture
def parks(kept: KeptCheck, db: None, settings: Any) -> Project:
    """The scenes of `source`, checked without a question."""
    return kept.write(settings)


def act(project: Project, **action: Any) -> None:
    """Let an expert act on the second image, and the project go on."""
    image = project.images.order_by("position")[1]
    act_as_expert(image_id=image.pk, action=action, actor="expert", reason="seen")
    tick(project_id=project.pk)


def progress_of(project: Project) -> ImageProgress:
    """Return the progress of the second image."""
    return from_json(Progress.objects.get(image=project.images.order_by("position")[1]).state)


def labels(folder: Path) -> dict[str, list[Any]]:
    found = {}
    for image in read_flickr30k(folder):
        assert isinstance(image, DatasetImage)
        found[image.name] = sorted(
            (
                sorted((one.caption, one.start) for one in image.mentions if one.chain == chain.name),
                sorted(box.box for box in image.boxes if chain.name in box.chains),
                (chain.scene, chain.no_box),
            )
            for chain in image.chains
        )
    return found


def texts(folder: Path) -> dict[str, bytes]:
    return {
        one.relative_to(folder).as_posix(): one.read_bytes()
        for one in folder.rglob("*")
        if one.suffix in (".txt", ".xml")
    }


def changed(source: Path, out: Path) -> set[str]:
    """Return the files of which a byte changed."""
    before, after = texts(source), texts(out)
    assert before.keys() == after.keys()
    return {name for name in before if before[name] != after[name]}


@pytest.mark.slow
def test_what_the_check_settled_is_written_and_all_else_keeps_its_bytes(
    parks: Project, source: Path, tmp_path: Path, capsys: Any
) -> None:
    name = parks.images.order_by("position")[1].name
    progress = progress_of(parks)
    box = next(iter(progress.boxes.values()))
    to = Box(box.box.x0, box.box.y0, box.box.x1 - 3, box.box.y1 - 1)
    one, other, third = [number for number in progress.chains if number != box.chain][:3]
    act(parks, action="move box", box=box.number, to=list(to))
    act(parks, action="send", chain=box.chain, to="complete")
    act(parks, action="join", chains=[one, other])
    for needless in progress_of(parks).accepted(third):
        act(parks, action="delete box", box=needless.number)
    act(parks, action="send", chain=third, to="non-visual", kind="scene")

    call_command("export_corrected", "parks", str(source), str(tmp_path / "first"))
    told = capsys.readouterr().out
    assert "2 labels are still in question and stay as in the source." in told
    was, now = labels(source)[name], labels(tmp_path / "first")[name]
    new = [(boxes, flags) for _, boxes, flags in (one for one in now if one not in was)]
    (scene, flags), (boxes, _) = sorted(new)
    assert (scene, flags, to in boxes) == ([], (True, False), True)

    act(parks, action="send", chain=one, to="complete")
    call_command("export_corrected", "parks", str(source), str(tmp_path / "out"))
    assert changed(source, tmp_path / "out") == {f"Sentences/{name}.txt", f"Annotations/{name}.xml"}
    assert len(labels(tmp_path / "out")[name]) == len(was) - 1
    told = capsys.readouterr().out
    assert "4 of" in told
    assert "in 1 image of 3. All else is as in the source." in told

    call_command("import_dataset", "again", str(tmp_path / "out"))
    again = Project.objects.get(name="again")
    export_dataset(project=again, target=tmp_path / "again", export_format="flickr30k-entities")
    assert labels(tmp_path / "again") == labels(tmp_path / "out")


def test_phrases_that_experts_remove_mark_and_type_are_tags_of_the_corrected_set(
    parks: Project, source: Path, tmp_path: Path
) -> None:
    progress = progress_of(parks)
    gone = progress.mentions[1]
    kept = next(one for one in progress.mentions.values() if one.caption != gone.caption)
    act(parks, action="retype", mention=kept.number, types=["vehicles"])
    act(parks, action="rechunk", remove=[gone.number], add=[])
    call_command("export_corrected", "parks", str(source), str(tmp_path / "out"))
    name = parks.images.order_by("position")[1].name
    lines = (tmp_path / f"out/Sentences/{name}.txt").read_text().splitlines()
    before = (source / f"Sentences/{name}.txt").read_text().splitlines()
    assert lines[gone.caption].count("[") == before[gone.caption].count("[") - 1
    assert f"/vehicles {kept.text}]" in lines[kept.caption]
    assert re.sub(r"\[/\S+ |\]", "", "\n".join(lines)) == re.sub(r"\[/\S+ |\]", "", "\n".join(before))


@pytest.mark.both_engines
def test_another_source_is_refused_by_the_name_of_what_differs(parks: Project, source: Path, tmp_path: Path) -> None:
    name = parks.images.order_by("position")[1].name
    faults: dict[str, tuple[str, Callable[[Path], object]]] = {
        "caption 1 of .* is .* in the source, and": (
            "caption", lambda at: edit(at / f"Sentences/{name}.txt", r"\]", "] also")
        ),
        "the boxes of .* are others than those that were imported": (
            "box", lambda at: edit(at / f"Annotations/{name}.xml", r"<xmin>\d+", "<xmin>7")
        ),
        "the chains of .* are others": (
            "chain", lambda at: edit(at / f"Sentences/{name}.txt", r"EN#\d+", "EN#999")
        ),
        "lacks 1 image that parks checks": (
            "missing", lambda at: remove(at / f"Sentences/{name}.txt", at / f"Annotations/{name}.xml")
        ),
    }  # fmt: skip
    for message, (folder, fault) in faults.items():
        shutil.copytree(source, tmp_path / folder, ignore=shutil.ignore_patterns("*.jpg"))
        fault(tmp_path / folder)
        with pytest.raises(CommandError, match=message):
            call_command("export_corrected", "parks", str(tmp_path / folder), str(tmp_path / "out"))
        assert not (tmp_path / "out").exists()
    call_command("export_corrected", "parks", str(tmp_path / "missing"), str(tmp_path / "out"), part=True)
    write_source(tmp_path / "beaches", 9, 1)
    with pytest.raises(CommandError, match="has no image that parks checks"):
        call_command("export_corrected", "parks", str(tmp_path / "beaches"), str(tmp_path / "new"))


def edit(file: Path, pattern: str, text: str) -> None:
    file.write_text(re.sub(pattern, text, file.read_text(), count=1))


def remove(*files: Path) -> None:
    for one in files:
        one.unlink()


def test_a_project_that_checks_nothing_is_told_how_to(source: Path, tmp_path: Path) -> None:
    open_project(name="plain")
    with pytest.raises(CommandError, match=r"plain checks no data set.*--as check"):
        call_command("export_corrected", "plain", str(source), str(tmp_path / "out"))
