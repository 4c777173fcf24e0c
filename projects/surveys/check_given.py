"""Check a file of items before anything of it is written."""

from pathlib import Path
from typing import NamedTuple

from django.core.files.uploadedfile import UploadedFile

from annotation.models import Project
from exchange.leftovers import workspace
from pipeline.protocol.tasks.task import Task
from pipeline.settings.of_work import TrustSettings
from surveys.ask_items import plan_items
from surveys.errors import SurveyError
from surveys.pictures import PicturesOfProject
from surveys.read_items import ItemFault, faults_in, read_items


class ItemsCheck(NamedTuple):
    """The findings of the check. The items can be imported if there are neither faults nor a problem."""

    text: str = ""
    items: int = 0
    faults: tuple[ItemFault, ...] = ()
    problem: str = ""
    """The fault of the file as a whole, or of the pictures."""

    @property
    def is_good(self) -> bool:
        return not self.faults and not self.problem


def check_given(
    file: UploadedFile,
    task: Task,
    settings: TrustSettings,
    *,
    project: Project | None,
    source: Project | None,
    known: int,
    seed: int,
) -> ItemsCheck:
    """Look at every line, at the number of known items, and for the pictures in `source`, if it is given.

    `project`: the survey that gets the items; None: one that is still to be made.
    """
    with workspace() as folder:
        path = folder / "items.jsonl"
        with path.open("wb") as copy:
            copy.writelines(file.chunks())
        try:
            if faults := faults_in(path, task):
                return ItemsCheck(faults=tuple(faults))
            items = read_items(path, task)
            tests = {"test_questions": settings.test_questions, "tests": settings.tests}
            plan = plan_items(project, items, known=known, seed=seed, **tests)
            if source is not None:
                PicturesOfProject(source).check(plan.images, lambda: None)
        except SurveyError as error:
            return ItemsCheck(problem=_plain(str(error), path, str(file.name)))
        return ItemsCheck(path.read_bytes().decode(), len(items))


def _plain(text: str, path: Path, name: str) -> str:
    """Return the error with the name of the file that its owner knows."""
    return text.replace(str(path), name)
