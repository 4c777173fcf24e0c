"""Import of a survey's items: the operation, and its work from the waiting file to the questions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from django.contrib.auth.models import User
from django.core.files.uploadedfile import UploadedFile
from pydantic import BaseModel

from accounts.may import may_borrow_pictures
from accounts.rights import borrow_pictures
from annotation.models import Project
from exchange.checks import SourceError, source_error
from exchange.formats.pictures import is_picture
from exchange.leftovers import workspace
from exchange.source import unpacked
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.tasks.task import Task
from pipeline.settings.of_work import TrustSettings
from projects.data.operations import CLOSED, ImageCounter, ImagesWork, counted_work
from projects.data.sources import UPLOADED, plain_problem, uploaded_source
from projects.models import ItemsFile, Run
from projects.operation import Caller, CannotBeDone, NoInput, Refused, operation
from projects.runs import RunRow, row_of, start
from projects.uploads.files import place_of, remove
from surveys.ask_items import ask_items, plan_items
from surveys.pictures import FolderOfPictures, ItemPictures, PicturesOfProject
from surveys.read_items import ItemFault, faults_in, read_items
from surveys.rules.items import SurveyError


class ItemsSource(BaseModel):
    source: str
    """The name of the project that has the pictures; empty: they were uploaded."""


def check_pictures(run: Run, user: User) -> None:
    """Raise CannotBeDone if the pictures are those of a project at which this account may not look."""
    waiting, name = (
        ItemsFile.objects.select_related("source").filter(project=run.project_id).first(),
        run.input["source"],
    )
    if waiting is None or not name:
        return
    if waiting.source is None:
        raise CannotBeDone(f"The project {name!r}, which has the pictures, was deleted: give the items anew.")
    if not may_borrow_pictures(user, waiting.source):
        raise CannotBeDone(f"{user} may not look at the project any more that has the pictures: {name}.")


def ask_waiting(run: Run, counter: ImageCounter) -> None:
    """Check the pictures, and write what the waiting file asks. Raises CannotBeDone."""
    waiting = ItemsFile.objects.select_related("source").filter(project=run.project).first()
    if waiting is None:
        raise CannotBeDone("The file of items is gone: give it again.")
    with workspace() as folder:
        path = folder / "items.jsonl"
        path.write_bytes(waiting.text.encode())
        try:
            _ask(run.project, waiting, path, counter)
        except SurveyError as error:
            raise CannotBeDone(str(error).replace(str(path), waiting.name)) from error
        except SourceError as error:
            raise CannotBeDone(plain_problem(error, "")) from error
    waiting.delete()
    if waiting.source is None:
        remove(run.project)


def _ask(project: Project, waiting: ItemsFile, path: Path, counter: ImageCounter) -> None:
    task, settings = Task(project.survey), current_settings(project.pk)[1]
    tests = {"test_questions": settings.test_questions, "tests": settings.tests}
    plan = plan_items(project, read_items(path, task), known=waiting.known, seed=waiting.seed, **tests)
    if waiting.source is not None:
        borrow_pictures(project, waiting.source)
    with pictures_of(project, waiting.source, step=counter.progress.look) as pictures:
        counter.progress.begin(len(plan.images) + plan.steps)
        pictures.check(plan.images, lambda: counter.step(changed=False))
        asked = ask_items(project, task, plan, pictures, lambda: counter.step(changed=False))
    counter.images, counter.report.already_there = asked.questions, asked.there


@contextmanager
def pictures_of(project: Project, source: Project | None, *, step: Callable[[], object]) -> Iterator[ItemPictures]:
    """Yield the pictures: of the project `source`, or the uploaded ones. Raises SourceError and SurveyError.

    `step` is called while uploaded ones are brought to this machine.
    """
    if source is not None:
        yield PicturesOfProject(source)
        return
    place = place_of(project.pk)
    if not any(True for _ in place.complete()):
        raise SurveyError("The pictures are missing: upload them first.")
    place.bring(step=step)
    with unpacked(uploaded_source(project)) as root:
        folder = _folder_with_pictures(root)
        try:
            yield FolderOfPictures(folder)
        except SurveyError as error:
            # Whoever uploaded them does not know the folders of the server.
            plain = str(error).replace(f"the folder {folder}", UPLOADED).replace(f"{folder}/", "")
            raise SurveyError(plain) from error


def _folder_with_pictures(root: Path) -> Path:
    """Return the one folder that holds the pictures. Raises SourceError if they lie in several."""
    folders = sorted({path.parent for path in root.rglob("*") if is_picture(path.name)})
    if len(folders) > 1:
        names = ", ".join(str(folder.relative_to(root)) for folder in folders[:3])
        raise source_error(UPLOADED, f"have pictures in several folders ({names}): put them into one")
    return folders[0] if folders else root


def _counts(run: Run) -> str:
    total = max(run.total, run.done)
    return f"{run.done:,} of {total:,} steps: pictures checked, pictures stored, questions asked"


@operation(
    surveys=True,
    only_surveys=True,
    path="items/",
    status=201,
    refusals=(409,),
    say=lambda run: "The import has begun.",
    work=ImagesWork(
        do=counted_work(ask_waiting, "{} asked", "question"),
        title="items of a survey",
        page="projects:items",
        check=check_pictures,
        counts=_counts,
    ),
)
def import_items(project: Project, inputs: NoInput, caller: Caller) -> RunRow:
    """Import the file of items that waits, with its pictures: their questions are asked once the survey runs."""
    if project.state in CLOSED:
        raise Refused("not_possible", "The survey is finished: reopen it before more items come in.")
    waiting = ItemsFile.objects.select_related("source").filter(project=project).first()
    if waiting is None:
        raise Refused("not_possible", "No file of items waits for its import: give one.")
    source = ItemsSource(source=waiting.source.name if waiting.source else "")
    return row_of(start(import_items, project, caller, source))


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
            return ItemsCheck(problem=str(error).replace(str(path), str(file.name)))
        return ItemsCheck(path.read_bytes().decode(), len(items))
