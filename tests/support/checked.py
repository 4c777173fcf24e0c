"""Projects that check a data set: drawn scenes, and a small one, in which people find that a man's box is off."""

from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.test import override_settings

from annotation.models import Box, Project
from exchange.import_image import import_image
from pipeline.models import Question
from pipeline.project.settings_versions import current_settings, open_project
from pipeline.protocol.tasks.task import Task
from pipeline.settings.settings import Settings
from pipeline.tick import tick
from projects.models import ModelPrediction
from projects.predictions.import_predictions import enter_predictions, program_named
from projects.predictions.use_import import begin_check
from simulation.scenes.scene import write_source
from tests.support.kept import Kept
from tests.support.projects import lease, phrases, submit, worker

UNASKED = Settings(audit_rate=0.0, reask_rate=0.0, link_stop=0.95, box_sure=0.5, test_questions=0)
"""Settings under which nobody is asked about a set of drawn scenes that is checked."""
SURE = replace(UNASKED, box_sure=0.99)
OFF, PLACE, DOG = [0, 0, 60, 60], [20, 20, 80, 80], [100, 0, 140, 40]
MAN = 0
"""The chain whose box is off."""


class KeptCheck:
    """Drawn scenes that the project `parks` checks, before any answer. They are imported once for many tests."""

    def __init__(self, blocker: Any, folder: Path, scenes: int, settings: Settings) -> None:
        self._media = folder / "media"

        def check() -> None:
            write_source(folder / "parks", 0, scenes)
            made = open_project(name="parks", settings=settings)
            with override_settings(MEDIA_ROOT=self._media):
                call_command("import_dataset", "parks", str(folder / "parks"), use="check", verbosity=0)
            tick(project_id=made.pk)

        self._kept = Kept(blocker, check)

    def write(self, settings: Any) -> Project:
        """Write the rows for a test, whose settings then name the folder of the pictures."""
        settings.MEDIA_ROOT = self._media
        self._kept.write()
        return Project.objects.get(name="parks")


def checked_project(*found: int, images: int = 3, name: str = "checked") -> Project:
    """Make a project in which nothing is asked any more. Each image shows a man, whose box is off, and a dog.

    `found`: the places of the images in which people find that, and draw the box where it should be.
    """
    project = open_project(name=name, settings=SURE)
    program = program_named(f"import of {name}")
    version, _ = current_settings(project.pk)
    for position in range(images):
        said = phrases("people: a man", "animals: a dog", "people: the man", name=f"park {position}")
        image = import_image(project, position, said, picture=f"{position}.jpg", gold=False, settings_version=version)
        boxes = [[0, *OFF], [2, *OFF], [1, *DOG]]
        rows = {"boxes": boxes, "chains": [[0, 2], [1]], "flags": {}}
        ModelPrediction.objects.create(project=project, program=program, image=image, **rows)
    begin_check(project, program)
    enter_predictions(project.pk)
    tick(project_id=project.pk)
    asked = Question.objects.filter(project=project, state="open").order_by("id")
    for number in count(1):
        if not (task := asked.values_list("task", flat=True).first()):
            return project
        lent = lease(project, worker(project, f"{name} {number}"), Task(task), size=1)
        question = Question.objects.select_related("image").get(pk=lent.questions[0])
        chain = question.subject[0] == MAN and question.image.position in found
        submit(lent, _said(question, is_off=chain))
        tick(project_id=project.pk)
    raise AssertionError


def _said(question: Question, *, is_off: bool) -> Any:
    boxes = Box.objects.filter(image=question.image_id, chain=question.subject[0], state="accepted")
    right = not is_off or [list(one.box) for one in boxes] == [PLACE]
    match Task(question.task):
        case Task.BOX_COVERAGE:
            return "all there" if right else "more needed"
        case Task.BOX_QUALITY:
            return "bad" if is_off and question.shown["new_box"] == OFF else "good"
        case Task.BOX_DRAWING:
            return {"box": PLACE}
        case _:
            return 1
