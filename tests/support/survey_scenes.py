"""Surveys about drawn scenes: captions with a wrong word each, and atoms, with pictures that a browser can show."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

from django.core.management import call_command

from annotation.models import Project
from annotation.rules.states import ProjectState
from pipeline.rules.tasks.task import Task
from scenes.write import write_source

SEED, SCENES = 3, 5
FOILS = (
    (0, "A lady is walking her dog in front of a bench in a sunny park .", 5, "cat"),
    (1, "A young man sings while he plays an electric guitar .", 9, "piano"),
    (3, "A woman on a bicycle goes for a ride through heavy traffic .", 4, "motorcycle"),
    (4, "A cow stands behind his horse , and sheep graze in a field .", 1, "dog"),
)
"""The number of a scene, a caption of it, and the place and the wrong word of the foil."""
ATOMS = (
    ("dog", "entity", "yes", (0, 2, 2)),
    ("love", "entity", "no", (1, 0, 2)),
    ("ride", "action", "yes", (3, 3, 4)),
)
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


def lines_of(task: Task) -> list[dict[str, Any]]:
    """Return the lines of the file that survey_import reads."""
    if task is Task.CAPTION_CHECK:
        return [
            {"image": picture(scene), "caption": said, "foil": replaced(said, place, word), "place": place}
            for scene, said, place, word in FOILS
        ]
    return [
        {
            "atom": word,
            "category": category,
            "visual": visual,
            "examples": [
                {"image": picture(scene), "caption": said} for scene, said in zip(scenes, USAGES[word], strict=True)
            ],
        }
        for word, category, visual, scenes in ATOMS
    ]


def scene_survey(folder: Path, task: Task, **options: Any) -> Project:
    """Import the survey under the name of its task, and start it. `options`: of survey_import."""
    source = folder / "scenes"
    if not source.exists():
        write_source(source, seed=SEED, count=SCENES)
    items = folder / f"{task.value}.jsonl"
    items.write_text("".join(json.dumps(line) + "\n" for line in lines_of(task)))
    call_command(
        "survey_import",
        task.value,
        kind=task.value,
        items=items,
        pictures=source / "images",
        stdout=StringIO(),
        **options,
    )
    project = Project.objects.get(name=task.value)
    project.state = ProjectState.RUNNING
    project.save()
    return project
