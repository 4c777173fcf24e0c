"""Imports of files in which one image has a name that no database keeps: each must end, and leave out this one."""

import json
import traceback
from collections.abc import Callable
from functools import partial
from pathlib import Path
from shutil import rmtree

from PIL import Image as Picture

from annotation.models import Project
from campaign.data.carry_out import do_run
from campaign.data.watch import RunWatch
from campaign.long_work import carry_out
from campaign.models import ImportRun, Upload
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.settings_versions import make_project
from studies.fuzz.attack import Findings, rolled_back

SPOILT = ("\0", "\x1b", "\ud800", "\udfff")
SIZE = {"width": 20, "height": 10}


def _coco(name: str) -> str:
    images = [{"id": number, "file_name": one, **SIZE} for number, one in enumerate(("a.jpg", name, "b.jpg"))]
    rows = [{"id": number, "image_id": number, "caption": "[a man] rides"} for number in range(3)]
    return json.dumps({"images": images, "annotations": rows})


def _coco_ids(name: str) -> str:
    ids = ("a", name, "b")
    images = [{"id": one, "file_name": f"{number}.jpg", **SIZE} for number, one in enumerate(ids)]
    rows = [{"id": number, "image_id": one, "caption": "[a man] rides"} for number, one in enumerate(ids)]
    return json.dumps({"images": images, "annotations": rows})


def _lines(name: str) -> str:
    return "".join(json.dumps({"image": one, "captions": ["[a man]"]}) + "\n" for one in ("a.jpg", name, "b.jpg"))


def _table(name: str) -> str:
    return f"image,caption\na.jpg,[a man]\n{name},[a man]\nb.jpg,[a man]\n"


def _turned(name: str) -> str:
    return f"caption,image\n[a man],a.jpg\n[a man],{name}\n[a man],b.jpg\n"


FILES: dict[str, tuple[str, Callable[[str], str]]] = {
    "COCO": ("captions.json", _coco),
    "COCO's ids": ("captions.json", _coco_ids),
    "JSON Lines": ("captions.jsonl", _lines),
    "CSV": ("captions.csv", _table),
    "CSV with captions first": ("captions.csv", _turned),
}


def import_odd_names(step: Callable[[int], object] = lambda n: None) -> Findings:
    """Import each file with each character, and note the imports that fail or do not add up."""
    findings = Findings()
    for what, (file, write) in FILES.items():
        for character in SPOILT:
            with rolled_back():
                wrong = _imported(file, write(f"{character}odd.jpg"))
            findings.statuses[500 if wrong else 200] += 1
            findings.addresses.add(f"import of {what}")
            if wrong:
                findings.faults.setdefault(f"import of {what}: {wrong}", f"a name with {character!r}")
            step(1)
    return findings


def _imported(file: str, text: str) -> str:
    """Return what went wrong when the file was imported; empty if nothing did."""
    project = make_project(
        name="odd-names", settings=ProtocolSettings(caption_language="de")
    )  # no phrases are looked for
    files = Upload.folder_of(project.pk) / "files"
    files.mkdir(parents=True)
    (files / file).write_bytes(text.encode("utf-8", "surrogatepass"))
    if file != "captions.json":
        _write_pictures(files)
    run = ImportRun.objects.create(project=project, kind=ImportRun.Kind.IMPORT)
    try:
        carry_out(RunWatch(run, by_command=True), partial(do_run, run))
    except Exception as error:
        return traceback.format_exception_only(error)[-1].strip()[:200]
    finally:
        rmtree(Upload.folder_of(project.pk))
    return _wrong(project, ImportRun.objects.get(pk=run.pk))


def _write_pictures(files: Path) -> None:
    for name in ("a.jpg", "b.jpg"):
        Picture.new("RGB", (SIZE["width"], SIZE["height"])).save(files / name)


def _wrong(project: Project, run: ImportRun) -> str:
    if run.state != ImportRun.State.DONE:
        return run.problem
    told = run.problems.exclude(image="").count()
    if (run.images, run.left_out, told, project.images.count()) != (2, 1, 1, 2):
        return f"{run.images} imported, {run.left_out} left out, {told} told"
    return ""
