"""Runs of work on a project's images: request and resume them, and say where they stand."""

from collections.abc import Sequence
from typing import Any

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from accounts.may import may_read_folders
from annotation.away import in_words
from annotation.models import Project
from annotation.rules.states import ProjectState
from exchange.problems import source_error
from projects import long_work
from projects.data.carry_out import run_job
from projects.data.sources import check_source, uploaded_source
from projects.long_work import BusyError, catch_up, request_row, works
from projects.models import ImportRun, KnownUse
from projects.models.long_work import Wanted
from projects.predictions.begin_check import let_check
from projects.predictions.import_predictions import check_program
from projects.predictions.use_import import program_of
from runtime import clock
from runtime.models import JobRun
from runtime.words import counted

State = ImportRun.State
WISHES = {"pause": Wanted.PAUSE, "cancel": Wanted.CANCEL}
"""Wishes about a run that has not ended, besides resuming it."""
BUSY = "Another import of this project has not ended yet: wait for it, or cancel it."
CLOSED = (ProjectState.FINISHED.value, ProjectState.ARCHIVED.value)
SURVEY = "is a survey: it has no phrases, chains and boxes. Its items come on its page Items, or with survey_import."
NO_FOLDERS = "is not read: to import from folders and buckets of the server is a right that an administrator gives"


def begin(
    project: Project,
    user: User | None,
    kind: ImportRun.Kind,
    source: str | Project = "",
    *,
    use: str = KnownUse.ANNOTATIONS.value,
    program: str = "",
    boxes: str = "",
    at_once: bool = True,
) -> ImportRun:
    """Request a new run. Raises BusyError while another one of the project has not ended.

    `source`: a project that is read, or a folder or an address. `at_once`: off, the caller calls `request_run` when its
    transaction is committed.
    """
    of = source if isinstance(source, Project) else None
    what: dict[str, Any] = {"kind": kind, "source": of.name if of else source, "source_project": of, "use": use}
    what |= {"project": project, "program": program, "boxes": boxes}
    who = user if user is not None and user.pk else None
    return long_work.begin(ImportRun, run_job, busy=BUSY, at_once=at_once, user=who, **what)


def request_run(run: ImportRun) -> None:
    """Ask the job runners to carry the run out. Its row must be committed: they look for it at once."""
    request_row(run, run_job)


def resume(run: ImportRun, user: User | None) -> None:
    """Go on with a run that was paused or failed, by this user's right; None: by the right of who began it.

    Images that are done are skipped. Raises BusyError.
    """
    anew = {"user": user.pk if user else run.user_id, "state": State.WAITING, "wanted": Wanted.NOTHING}
    try:
        with transaction.atomic():
            mine = ImportRun.objects.filter(pk=run.pk, state__in=ImportRun.RESUMABLE)
            moved = mine.update(**anew, problem="", ended_at=None)
    except IntegrityError as error:
        raise BusyError(BUSY) from error
    if moved:
        request_run(run)


def standings(runs: Sequence[ImportRun]) -> list[dict[str, Any]]:
    """Return where each of the runs stands; their jobs are read in one statement."""
    jobs = {job.key: job for job in JobRun.objects.filter(key__in=[run.key for run in runs])}
    return [_standing(run, jobs.get(run.key)) for run in runs]


def standing(run: ImportRun) -> dict[str, Any]:
    """Return where the run stands, for its page. A run whose process ended too often has failed."""
    return standings([run])[0]


def _standing(run: ImportRun, job: JobRun | None) -> dict[str, Any]:
    if run.state == State.WAITING and job is not None and job.state == JobRun.State.DONE:
        request_run(run)  # resumed in the moment in which the last part of it ended
    catch_up(run, job)
    return {
        "id": run.pk,
        "kind": run.kind,
        "state": run.state,
        "wanted": run.wanted,
        "done": run.done,
        "total": max(run.total, run.done),
        "images": run.images,
        "alreadyThere": run.already_there,
        "leftOut": run.left_out,
        "withoutPhrases": run.without_phrases,
        "note": run.note,
        "problem": run.problem,
        "interrupted": run.state == State.RUNNING and not works(run, job),
        "seconds": _seconds(run),
        "counts": _counts(run),
    }


def _counts(run: ImportRun) -> str:
    """Return how far the run is, in words. Each image of a dry run is counted twice: copied, and annotated."""
    total = max(run.total, run.done)
    if run.kind == ImportRun.Kind.ITEMS:
        return f"{run.done:,} of {total:,} steps: pictures checked, pictures stored, questions asked"
    if run.kind != ImportRun.Kind.DRY_RUN:
        return f"{run.done:,} of {counted(total, 'image')}"
    images = total // 2
    if run.done < images:
        return f"{run.done} of {images} images copied"
    return f"{run.done - images} of {images} images annotated"


def _seconds(run: ImportRun) -> float:
    if run.begun_at is None:
        return 0.0
    return round(((run.ended_at or clock.now()) - run.begun_at).total_seconds(), 1)


def begin_import(
    project: Project,
    user: User | None,
    source: str = "",
    *,
    use: str = KnownUse.ANNOTATIONS.value,
    program: str = "",
    boxes: str = "",
) -> ImportRun:
    """Request the import. `source`: empty for the uploaded files. `use`: of known chains and boxes. `program`: the
    name of the program whose pre-annotations they become; empty: that of the source. `boxes`: their unit; empty: not
    said.

    Raises BusyError while the project takes none, SourceError without something to import, and ProgramError.
    """
    program = let_import(project, KnownUse(use), program, source, project.name)
    if source:
        if user is None or not may_read_folders(user):
            raise source_error(source[:200], NO_FOLDERS)
        source = check_source(source)
    else:
        uploaded_source(project)
    return begin(project, user, ImportRun.Kind.IMPORT, source, use=use, program=program, boxes=boxes)


def let_import(project: Project | None, use: KnownUse, program: str, source: str, name: str) -> str:
    """Return the name of the program that stands for the source; empty if none does.

    `project`: None for a new one, with this name. Raises BusyError for a project that takes no images, and ProgramError
    for a program that cannot stand for the source.
    """
    if project is not None:
        if project.survey:
            raise BusyError(f"{project.name} {SURVEY}")
        if project.away is not None:
            raise BusyError(in_words(project))
        if project.state in CLOSED:
            raise BusyError("The project is finished: reopen it before more images come in.")
    if not use.by_program:
        return ""
    program = program.strip() or program_of(source, name)
    check_program(program)
    if use is KnownUse.CHECK:
        let_check(project, program)
    return program
