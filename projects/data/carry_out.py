"""The work of each kind of run, from where it stands to its end, or to where the requester stops it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.conf import settings

from accounts.borrow_pictures import borrow_pictures
from annotation.models import Project
from exchange.formats.pictures import is_picture
from exchange.import_dataset import import_dataset
from exchange.import_report import source_in_words
from exchange.jobs import ask_for_import_help
from exchange.leftovers import workspace
from exchange.problems import SourceError, source_error
from exchange.read_ahead import ReadAhead
from exchange.source import unpacked
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.tasks.task import Task
from projects.data.phrase_types import apply_types
from projects.data.sources import UPLOADED, allowed_folders, check_source, plain_problem, uploaded_source
from projects.data.watch import RunWatch, source_of_run
from projects.lifecycle.copy_project import copy_images
from projects.lifecycle.dry_run import play
from projects.long_work import CannotBeDone, long_job
from projects.models import ImportProblem, ImportRun, ItemsFile, KnownUse
from projects.predictions.enter_predictions import enter_soon
from projects.predictions.import_predictions import ProgramError
from projects.predictions.use_import import UseOfImport, program_of
from projects.uploads.files import place_of, remove
from simulation.simulate import SimulationError
from surveys.ask_items import ask_items, plan_items
from surveys.errors import SurveyError
from surveys.pictures import FolderOfPictures, Pictures, PicturesOfProject
from surveys.read_items import read_items


def _import(run: ImportRun, watch: RunWatch) -> None:
    ImportProblem.objects.filter(run=run).delete()  # found again: what was left out is looked at in every try
    project = run.project
    path: Path | str = run.source
    use = _use_of(run)
    ahead = None if settings.CELERY_TASK_ALWAYS_EAGER else ReadAhead(project, run.key, ask_for_import_help, watch.look)
    try:
        path = check_source(run.source) if run.source else uploaded_source(project)
        if not run.source:
            place_of(project.pk).bring(step=watch.look)
        import_dataset(
            project=project,
            path=path,
            gold=use.gold,
            propose=use.propose,
            labelled=use.labelled,
            within=allowed_folders() if run.source else None,
            progress=watch.through,
            report=watch.report,
            ahead=ahead,
            boxes=run.boxes,
        )
        if watch.report.why_nothing:
            raise CannotBeDone(watch.report.why_nothing)
        told = use.finish(project, watch.report)
    except SourceError as error:
        raise CannotBeDone(plain_problem(error, path)) from error
    finally:
        if ahead:
            ahead.forget()
        if use.propose:
            enter_soon(project.pk)  # also of an import that is stopped: its images stay
    note = " ".join(filter(None, (source_in_words(watch.report), told)))
    ImportRun.objects.filter(pk=run.pk).update(note=note)
    if not run.source and not watch.report.problems:
        remove(project)


def _use_of(run: ImportRun) -> UseOfImport:
    try:
        by = run.user.get_username() if run.user else ""
        return UseOfImport(KnownUse(run.use), run.program or program_of(run.source, run.project.name), by=by)
    except ProgramError as error:
        raise CannotBeDone(str(error)) from error


def _types(run: ImportRun, watch: RunWatch) -> None:
    actor = run.user.get_username() if run.user else "new types"
    left = apply_types(run.project, actor=actor, begin=watch.begin, step=lambda changed: watch.step(changed=changed))
    ImportRun.objects.filter(pk=run.pk).update(without_phrases=left)


def _copy(run: ImportRun, watch: RunWatch) -> None:
    copy_images(source_of_run(run), run.project, begin=watch.begin, step=lambda: watch.step())


def _dry_run(run: ImportRun, watch: RunWatch) -> None:
    try:
        play(source_of_run(run), run.project, begin=watch.begin, step=lambda: watch.step(), look=watch.look)
    except SimulationError as error:
        raise CannotBeDone(str(error)) from error


def ask_given(run: ImportRun, watch: RunWatch) -> None:
    """Check the pictures, and write what the waiting file asks. Raises CannotBeDone."""
    given = ItemsFile.objects.select_related("source").filter(project=run.project).first()
    if given is None:
        raise CannotBeDone("The file of items is gone: give it again.")
    with workspace() as folder:
        path = folder / "items.jsonl"
        path.write_bytes(given.text.encode())
        try:
            _ask(run, given, path, watch)
        except SurveyError as error:
            raise CannotBeDone(str(error).replace(str(path), given.name)) from error
        except SourceError as error:
            raise CannotBeDone(plain_problem(error, "")) from error
    given.delete()
    if given.source is None:
        remove(run.project)


def _ask(run: ImportRun, given: ItemsFile, path: Path, watch: RunWatch) -> None:
    project, task = run.project, Task(run.project.survey)
    settings = current_settings(project.pk)[1]
    tests = {"test_questions": settings.test_questions, "tests": settings.tests}
    plan = plan_items(project, read_items(path, task), known=given.known, seed=given.seed, **tests)
    if given.source is not None:
        borrow_pictures(project, given.source)
    with pictures_of(project, given.source, step=watch.look) as pictures:
        watch.begin(len(plan.images) + plan.steps)
        pictures.check(plan.images, lambda: watch.step(changed=False))
        asked = ask_items(project, task, plan, pictures, lambda: watch.step(changed=False))
    watch.images, watch.report.already_there = asked.questions, asked.there


@contextmanager
def pictures_of(
    project: Project, source: Project | None, *, step: Callable[[], object] = lambda: None
) -> Iterator[Pictures]:
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


WORK: dict[ImportRun.Kind, Callable[[ImportRun, RunWatch], None]] = {
    ImportRun.Kind.IMPORT: _import,
    ImportRun.Kind.TYPES: _types,
    ImportRun.Kind.COPY: _copy,
    ImportRun.Kind.DRY_RUN: _dry_run,
    ImportRun.Kind.ITEMS: ask_given,
}


def do_run(run: ImportRun, watch: RunWatch) -> dict[str, Any]:
    """Do the work of the run."""
    WORK[ImportRun.Kind(run.kind)](run, watch)
    watch.write()
    return {}


run_job = long_job("projects.run", ImportRun, do_run, RunWatch)
