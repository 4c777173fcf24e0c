"""Small surveys for tests: items in a file, their pictures, and the project that they make."""

import json
from collections.abc import Iterable, Mapping
from io import StringIO
from pathlib import Path
from typing import Any

from django.core.management import call_command

from annotation.models import Project
from annotation.rules.states import ProjectState
from pipeline.models import Assignment, KnownQuestion, Question
from pipeline.rules.tasks.task import Task
from tests.support.pictures import plain_jpeg

CHECK, ATOM = Task.CAPTION_CHECK, Task.ATOM_VISUAL
Line = dict[str, Any]


def foil(number: int = 0, image: str = "", **more: Any) -> Line:
    """One item of FOIL: "man" and "dog" are exchanged. Each has a picture of its own, if none is named."""
    said = f"a man rides past number {number}"
    said_of = {"image": image or f"{number}.jpg", "caption": said, "foil": said.replace("man", "dog")}
    words = {"place": 1, "target": "man", "foil_word": "dog", "super_category": "person"}
    return {**said_of, **words, **more}


def atom(
    word: str = "dog", category: str = "entity", images: Iterable[str] = ("0.jpg", "1.jpg", "2.jpg"), **more: Any
) -> Line:
    """One atom with three examples."""
    examples = [{"image": image, "caption": f"{word} in {image}"} for image in images]
    return {"atom": word, "category": category, "examples": examples, **more}


def write_items(folder: Path, lines: Iterable[Mapping[str, Any]], name: str = "items.jsonl") -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def write_pictures(folder: Path, lines: Iterable[Mapping[str, Any]]) -> Path:
    """Write a JPEG for each name in the lines, be it with its ending or without."""
    pictures = folder / "pictures"
    pictures.mkdir(exist_ok=True)
    for line in lines:
        for name in [line["image"]] if "image" in line else [one["image"] for one in line["examples"]]:
            (pictures / name).with_suffix(".jpg").write_bytes(plain_jpeg())
    return pictures


def import_survey(folder: Path, lines: Iterable[Mapping[str, Any]], task: Task = CHECK, **options: Any) -> str:
    """Run survey_import on these lines, and return what it says. `options`: of the command."""
    rows = list(lines)
    given = {"kind": task.value, "items": write_items(folder, rows), "pictures": write_pictures(folder, rows)}
    out = StringIO()
    call_command("survey_import", options.pop("project", "survey"), **given, stdout=out, **options)
    return out.getvalue()


def survey(folder: Path, lines: Iterable[Mapping[str, Any]], task: Task = CHECK, **options: Any) -> Project:
    """Import these lines and start the project."""
    import_survey(folder, lines, task, **options)
    project = Project.objects.get(name=options.get("project", "survey"))
    project.state = ProjectState.RUNNING
    project.save()
    return project


def export(project: Project, folder: Path, name: str = "votes.jsonl") -> list[dict[str, Any]]:
    """Run survey_export, and return the lines."""
    path = folder / name
    call_command("survey_export", project.name, out=path, stdout=StringIO())
    return [json.loads(line) for line in path.read_text().splitlines()]


def pictures_with_two_captions(project: Project) -> list[tuple[str, str]]:
    """Return each worker and picture of which the worker was given two captions, in whatever assignments."""
    met: dict[tuple[str, str], set[str]] = {}
    for assignment in Assignment.objects.filter(project=project).select_related("worker"):
        rows: list[Any] = [
            *Question.objects.filter(id__in=assignment.questions).select_related("image"),
            *KnownQuestion.objects.filter(id__in=assignment.known.values()).select_related("image"),
        ]
        for row in rows:
            met.setdefault((assignment.worker.name, row.image.name), set()).add(row.shown["survey"]["caption"])
    return sorted(place for place, captions in met.items() if len(captions) > 1)
