"""The work of an import, and of new types for the phrases of all images."""

from pathlib import Path

from django.conf import settings
from django.contrib.auth.models import User

from accounts.may import may_read_folders
from annotation.archived import describe_archived_to_operators
from annotation.models import Project
from exchange.checks import SourceError
from exchange.import_dataset import StrictImportError, import_dataset, source_in_words
from exchange.jobs import ask_for_import_help
from exchange.read_ahead import ReadAhead
from projects.data.image_runs import CLOSED, ImageCounter
from projects.data.phrase_types import retype_images
from projects.data.sources import allowed_folders, check_source, plain_problem, uploaded_source
from projects.models import ImportProblem, KnownUse, Run
from projects.operation import Refused
from projects.predictions.enter_predictions import enter_predictions, enter_soon
from projects.predictions.import_predictions import ProgramError, check_program
from projects.predictions.use_import import UseOfImport, let_check, program_of
from projects.progress import CannotBeDone
from projects.uploads.files import place_of, remove

SURVEY = "is a survey: it has no phrases, chains and boxes. Its items come on its page Items, or with survey_import."


def let_import(project: Project, use: KnownUse, program: str, source: str) -> str:
    """Return the name of the program that stands for the source; empty if none does.

    Raises Refused for a project that takes no images, and for a program that cannot stand for the source.
    """
    if project.survey:
        raise Refused("not_possible", f"{project.name} {SURVEY}")
    if project.away is not None:
        raise Refused("not_possible", describe_archived_to_operators(project))
    if project.state in CLOSED:
        raise Refused("not_possible", "The project is finished: reopen it before more images come in.")
    if not use.by_program:
        return ""
    program = program.strip() or program_of(source, project.name)
    try:
        check_program(program)
        if use is KnownUse.CHECK:
            let_check(project, program)
    except ProgramError as error:
        raise Refused("invalid", str(error), 400, field="program") from error
    return program


def check_import(run: Run, user: User) -> None:
    """Raise CannotBeDone if the import reads a folder, and this account may read none."""
    if run.input["source"] and not may_read_folders(user):
        raise CannotBeDone(f"{user} may not read folders and buckets of the server: an administrator gives the right.")


def import_images(run: Run, counter: ImageCounter) -> None:
    """Import the source of the run. Images that were imported stay, whatever happens.

    A command reads every folder; the runs of pages and programs those that an administrator allowed.
    """
    ImportProblem.objects.filter(run=run).delete()  # found again: what was left out is looked at in every try
    project, source, progress = run.project, run.input["source"], counter.progress
    path: Path | str = source
    use = _use_of(run)
    in_place = settings.CELERY_TASK_ALWAYS_EAGER or progress.by_command
    ahead = None if in_place else ReadAhead(project, run.key, ask_for_import_help, progress.look)
    try:
        path = source if progress.by_command else check_source(source) if source else uploaded_source(project)
        if not source:
            place_of(project.pk).bring(step=progress.look)
        import_dataset(
            project=project,
            path=path,
            source_format=run.input["format"] or None,
            strict=run.input["strict"],
            gold=use.gold,
            propose=use.propose,
            labelled=use.labelled,
            within=allowed_folders() if source and not progress.by_command else None,
            progress=progress.through,
            report=counter.report,
            ahead=ahead,
            boxes=run.input["boxes"],
        )
        if counter.report.why_nothing:
            raise CannotBeDone(counter.report.why_nothing)
        used = use.finish(project, counter.report)
    except SourceError as error:
        raise CannotBeDone(str(error) if progress.by_command else plain_problem(error, path)) from error
    except StrictImportError as error:
        raise CannotBeDone(str(error)) from error
    finally:
        if ahead:
            ahead.forget()
        if use.propose:
            # Also of an import that is stopped: its images stay.
            (enter_predictions if progress.by_command else enter_soon)(project.pk)
    counter.note = " ".join(filter(None, (source_in_words(counter.report), used)))
    if not source and not counter.report.problems:
        remove(project)


def _use_of(run: Run) -> UseOfImport:
    try:
        by = run.user.get_username() if run.user else ""
        return UseOfImport(KnownUse(run.input["use"]), run.input["program"], by=by)
    except ProgramError as error:
        raise CannotBeDone(str(error)) from error


def retype_phrases(run: Run, counter: ImageCounter) -> None:
    """Give the phrases of images that are not begun the types of the present word lists."""
    actor = run.user.get_username() if run.user else "new types"
    counter.without_phrases = retype_images(
        run.project, actor=actor, begin=counter.progress.begin, step=lambda changed: counter.step(changed=changed)
    )
