"""Carry out a run from where it stands to its end, or to where the requester stops it."""

from collections.abc import Callable
from pathlib import Path

from django.db import DatabaseError

from annotation.models import Project
from annotation.storage_error import StorageError
from campaign.data.apply_types import apply_types
from campaign.data.ask_given import CannotAskError, ask_given
from campaign.data.sources import check_source, plain_problem, uploaded_source
from campaign.data.uploads import remove
from campaign.data.watch import Stopped, Watch
from campaign.lifecycle.copy_project import copy_images
from campaign.lifecycle.dry_run import play
from campaign.models import ImportProblem, ImportRun
from exchange.import_dataset import import_dataset
from exchange.problems import SourceError
from simulation.simulate import SimulationError
from upkeep import clock

State, Wanted = ImportRun.State, ImportRun.Wanted
ENDS = {Wanted.PAUSE.value: State.PAUSED, Wanted.CANCEL.value: State.CANCELLED}


class RunError(Exception):
    """A run cannot go on; the message says why, and what to do."""


def carry_out(run: ImportRun) -> None:
    """Do the work of the run, and write how it ended. Raises only what nobody foresaw, after writing it."""
    mine = ImportRun.objects.filter(pk=run.pk)
    if not mine.filter(state__in=ImportRun.OPEN).update(state=State.RUNNING, begun_at=clock.now(), ended_at=None):
        return
    watch = Watch(run)
    try:
        watch.look()  # a wish that came before the work began
        WORK[ImportRun.Kind(run.kind)](run, watch)
        watch.write()
    except Stopped as stopped:
        _end(run, ENDS[stopped.wanted])
    except (RunError, CannotAskError, StorageError) as error:
        watch.write()
        _end(run, State.FAILED, str(error))
    except DatabaseError:
        raise  # a lock that was waited for too long, or a project that was deleted: the row's time runs out
    except Exception as error:
        _end(run, State.FAILED, f"{type(error).__name__}: {error}")
        raise
    else:
        _end(run, State.DONE)


def _end(run: ImportRun, state: ImportRun.State, problem: str = "") -> None:
    mine = ImportRun.objects.filter(pk=run.pk)
    mine.update(state=state, wanted=Wanted.NOTHING, problem=problem[:2000], ended_at=clock.now())


def _import(run: ImportRun, watch: Watch) -> None:
    ImportProblem.objects.filter(run=run).delete()  # found again: what was left out is looked at in every try
    project = run.project
    path: Path | str = run.source
    try:
        path = check_source(run.source) if run.source else uploaded_source(project)
        import_dataset(project_name=project.name, path=path, gold=run.gold, progress=watch.through, report=watch.report)
    except SourceError as error:
        raise RunError(plain_problem(error, path)) from error
    if not run.source and not watch.report.problems:
        remove(project)


def _types(run: ImportRun, watch: Watch) -> None:
    actor = run.user.get_username() if run.user else "new types"
    left = apply_types(run.project, actor=actor, begin=watch.begin, step=lambda changed: watch.step(changed=changed))
    ImportRun.objects.filter(pk=run.pk).update(without_phrases=left)


def _copy(run: ImportRun, watch: Watch) -> None:
    source = Project.objects.filter(name=run.source).first()
    if source is None:
        raise RunError(f"The project {run.source!r}, which is to be copied, was deleted.")
    copy_images(source, run.project, begin=watch.begin, step=lambda: watch.step())


def _dry_run(run: ImportRun, watch: Watch) -> None:
    source = Project.objects.filter(name=run.source).first()
    if source is None:
        raise RunError(f"The project {run.source!r}, which is to be tried, was deleted.")
    try:
        play(source, run.project, begin=watch.begin, step=lambda: watch.step(), look=watch.look)
    except SimulationError as error:
        raise RunError(str(error)) from error


WORK: dict[ImportRun.Kind, Callable[[ImportRun, Watch], None]] = {
    ImportRun.Kind.IMPORT: _import,
    ImportRun.Kind.TYPES: _types,
    ImportRun.Kind.COPY: _copy,
    ImportRun.Kind.DRY_RUN: _dry_run,
    ImportRun.Kind.ITEMS: ask_given,
}
