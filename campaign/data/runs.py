"""Runs of work on a project's images: request, pause, resume and cancel them, and say where they stand."""

from collections.abc import Sequence
from typing import Any

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from annotation.models import Project
from campaign.data.jobs import run_job
from campaign.models import ImportRun, KnownBoxUse
from upkeep import clock
from upkeep.models import JobRun
from upkeep.runs import request

State, Wanted = ImportRun.State, ImportRun.Wanted
WISHES = {"pause": Wanted.PAUSE, "cancel": Wanted.CANCEL}
"""Wishes about a run that has not ended, besides resuming it."""
RESUMABLE = (State.PAUSED, State.FAILED)


class BusyError(Exception):
    """The project takes no run now; the message says why."""

    def __init__(
        self, why: str = "Another import of this project has not ended yet: wait for it, or cancel it."
    ) -> None:
        super().__init__(why)


def begin(
    project: Project,
    user: User | None,
    kind: ImportRun.Kind,
    source: str | Project = "",
    *,
    gold: bool = False,
    boxes: str = KnownBoxUse.CATEGORIES.value,
    at_once: bool = True,
) -> ImportRun:
    """Request a new run. Raises BusyError while another one of the project has not ended.

    `source`: a project that is read, or a folder or an address. `at_once`: off, the caller calls `request_run` when its
    transaction is committed.
    """
    of = source if isinstance(source, Project) else None
    what: dict[str, Any] = {"kind": kind, "source": of.name if of else source, "source_project": of, "gold": gold}
    try:
        with transaction.atomic():
            who = user if user is not None and user.pk else None
            run = ImportRun.objects.create(project=project, user=who, boxes=boxes, **what)
    except IntegrityError as error:
        raise BusyError from error
    if at_once:
        request_run(run)
    return run


def request_run(run: ImportRun) -> None:
    """Ask the job runners to carry the run out. Its row must be committed: they look for it at once."""
    request(run_job, run.pk, key=run.key, share=f"import of {run.project_id}")


def resume(run: ImportRun, user: User) -> None:
    """Go on with a run that was paused or failed, by this user's right. Images that are done are skipped.

    Raises BusyError.
    """
    try:
        with transaction.atomic():
            mine = ImportRun.objects.filter(pk=run.pk, state__in=RESUMABLE)
            moved = mine.update(user=user.pk, state=State.WAITING, wanted=Wanted.NOTHING, problem="", ended_at=None)
    except IntegrityError as error:
        raise BusyError from error
    if moved:
        request_run(run)


def stop(run: ImportRun, wanted: ImportRun.Wanted) -> None:
    """Pause or cancel a run. One that works reads this between two images; another one stops at once."""
    mine = ImportRun.objects.filter(pk=run.pk)
    mine.filter(state__in=ImportRun.OPEN).update(wanted=wanted)
    ends = State.PAUSED if wanted == Wanted.PAUSE else State.CANCELLED
    idle = [State.WAITING] if wanted == Wanted.PAUSE else [State.WAITING, *RESUMABLE]
    if not _works(run):
        idle.append(State.RUNNING)  # its process has ended
    mine.filter(state__in=idle).update(state=ends, ended_at=clock.now())


def standings(runs: Sequence[ImportRun]) -> list[dict[str, Any]]:
    """Return where each of the runs stands; their jobs are read in one statement."""
    jobs = {job.key: job for job in JobRun.objects.filter(key__in=[run.key for run in runs])}
    return [_standing(run, jobs.get(run.key)) for run in runs]


def standing(run: ImportRun) -> dict[str, Any]:
    """Return where the run stands, for its page. A run whose process ended too often has failed."""
    return standings([run])[0]


def _standing(run: ImportRun, job: JobRun | None) -> dict[str, Any]:
    if run.state in ImportRun.OPEN and job is not None:
        if job.state == JobRun.State.FAILED:
            open_ones = ImportRun.objects.filter(pk=run.pk, state__in=ImportRun.OPEN)
            open_ones.update(state=State.FAILED, problem=job.problem, ended_at=clock.now())
        elif job.state == JobRun.State.DONE and run.state == State.WAITING:
            request_run(run)  # resumed in the moment in which the last part of it ended
        run.refresh_from_db()
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
        "interrupted": run.state == State.RUNNING and not _works(run, job),
        "seconds": _seconds(run),
        "counts": _counts(run),
    }


def _counts(run: ImportRun) -> str:
    """Return how far the run is, in words. Each image of a dry run is counted twice: copied, and annotated."""
    total = max(run.total, run.done)
    if run.kind == ImportRun.Kind.ITEMS:
        return f"{run.done:,} of {total:,} steps: pictures checked, pictures stored, questions asked"
    if run.kind != ImportRun.Kind.DRY_RUN:
        return f"{run.done:,} of {total:,} image{'' if total == 1 else 's'}"
    images = total // 2
    if run.done < images:
        return f"{run.done} of {images} images copied"
    return f"{run.done - images} of {images} images annotated"


def _works(run: ImportRun, job: JobRun | None = None) -> bool:
    """Tell whether a process works on the run, as far as its signs of life say."""
    job = job or JobRun.objects.filter(key=run.key).first()
    alive = job is not None and job.state == JobRun.State.RUNNING and job.held_until is not None
    return alive and job is not None and job.held_until is not None and job.held_until > clock.now()


def _seconds(run: ImportRun) -> float:
    if run.begun_at is None:
        return 0.0
    return round(((run.ended_at or clock.now()) - run.begun_at).total_seconds(), 1)
