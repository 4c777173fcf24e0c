"""Surveys, small ones and about drawn scenes: items in a file, their pictures, and the project that they make."""

import json
from collections.abc import Iterable, Mapping
from io import StringIO
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.test import Client

from annotation.models import Project
from annotation.rules.states import ProjectState
from pipeline.models import Assignment, KnownQuestion, Question
from pipeline.protocol.tasks.task import Task
from pipeline.record.apply_judgments import apply_judgments
from simulation.scenes.scene import write_source
from tests.support.api import ApiWorker
from tests.support.pictures import plain_jpeg
from tests.support.projects import worker

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
    return running(options.get("project", "survey"))


def running(name: str) -> Project:
    """Start the project."""
    project = Project.objects.get(name=name)
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


SEED, SCENES = 3, 5
FOILS = (
    (0, "A lady is walking her dog in front of a bench in a sunny park .", 5, "cat"),
    (1, "A young man sings while he plays an electric guitar .", 9, "piano"),
    (3, "A woman on a bicycle goes for a ride through heavy traffic .", 4, "motorcycle"),
    (4, "A cow stands behind his horse , and sheep graze in a field .", 1, "dog"),
)
"""The number of a scene, a caption of it, and the place and the wrong word of the foil."""
ATOMS = (("dog", "entity", "yes", (0, 2, 2)), ("love", "entity", "no", (1, 0, 2)), ("ride", "action", "yes", (3, 3, 4)))
"""An atom, its category, whether it can be seen, and its scenes."""
USAGES = {
    "dog": (
        "A black dog on a leash leads a woman through the park .",
        "A brown dog and a white dog chase a pink ball .",
        "Two dogs play with a beach ball .",
    ),
    "love": (
        "A gentleman sings a love song into the microphone .",
        "A lady who loves her dog walks it in the park .",
        "Two kids love to build a castle .",
    ),
    "ride": (
        "A woman in an orange helmet rides a bicycle past a city bus .",
        "A woman on a bicycle goes for a ride through heavy traffic .",
        "A man is riding his horse .",
    ),
}
"""A caption in which the atom is used, for each of its scenes."""


def picture(scene: int) -> str:
    """The name of the scene's picture."""
    return f"scene-{SEED}-{scene:05d}.jpg"


def replaced(caption: str, place: int, word: str) -> str:
    words = caption.split()
    return " ".join([*words[:place], word, *words[place + 1 :]])


def lines_of(task: Task) -> list[Line]:
    """Return the lines of the file that survey_import reads."""
    if task is Task.CAPTION_CHECK:
        return [
            {"image": picture(scene), "caption": said, "foil": replaced(said, place, word), "place": place}
            for scene, said, place, word in FOILS
        ]
    lines = []
    for word, category, visual, scenes in ATOMS:
        used = zip(map(picture, scenes), USAGES[word], strict=True)
        examples = [{"image": image, "caption": said} for image, said in used]
        lines.append({"atom": word, "category": category, "visual": visual, "examples": examples})
    return lines


def scene_survey(folder: Path, task: Task, **options: Any) -> Project:
    """Import the survey under the name of its task, and start it. `options`: of survey_import."""
    source = folder / "scenes"
    if not source.exists():
        write_source(source, seed=SEED, count=SCENES)
    items = write_items(folder, lines_of(task), f"{task.value}.jsonl")
    given = {"kind": task.value, "items": items, "pictures": source / "images", "stdout": StringIO()}
    call_command("survey_import", task.value, **given, **options)
    return running(task.value)


def vote(project: Project, client: Client, name: str, task: Task, **answers: Any) -> None:
    """Let a worker answer each question by the first of these words that it shows."""
    api = ApiWorker(client, worker(project, name, task), project=project.name)
    work = api.ask(task)
    said = [one["survey"].get("caption") or one["survey"]["atom"] for one in work["questions"]]
    api.submit(work, *[next(answers[word] for word in answers if word in text.split()) for text in said])
    apply_judgments(project_id=project.pk)
