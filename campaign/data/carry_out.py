"""The work of each kind of run, from where it stands to its end, or to where the requester stops it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from campaign.data.apply_types import apply_types
from campaign.data.ask_given import ask_given
from campaign.data.right_of_run import source_of_run
from campaign.data.sources import allowed_folders, check_source, plain_problem, uploaded_source
from campaign.data.uploads import remove
from campaign.data.watch import RunWatch
from campaign.lifecycle.copy_project import copy_images
from campaign.lifecycle.dry_run import play
from campaign.long_work import CannotBeDone
from campaign.models import ImportProblem, ImportRun, KnownBoxUse
from campaign.predictions.jobs import enter_soon
from campaign.predictions.use_known_boxes import use_known_boxes
from exchange.import_dataset import import_dataset
from exchange.pictures_in_words import pictures_in_words
from exchange.problems import SourceError
from simulation.simulate import SimulationError


def _import(run: ImportRun, watch: RunWatch) -> None:
    ImportProblem.objects.filter(run=run).delete()  # found again: what was left out is looked at in every try
    project = run.project
    path: Path | str = run.source
    try:
        path = check_source(run.source) if run.source else uploaded_source(project)
        import_dataset(
            project=project,
            path=path,
            gold=run.gold,
            within=allowed_folders() if run.source else None,
            progress=watch.through,
            report=watch.report,
        )
    except SourceError as error:
        raise CannotBeDone(plain_problem(error, path)) from error
    _finish_import(run, watch)
    if not run.source and not watch.report.problems:
        remove(project)


def _finish_import(run: ImportRun, watch: RunWatch) -> None:
    """Use the boxes that came without chains as the requester chose, and note what else there is to tell."""
    use = KnownBoxUse(run.boxes)
    told = use_known_boxes(run.project, watch.report.ids, use, by=run.user.get_username() if run.user else "")
    if use is KnownBoxUse.PROPOSALS and told.used:
        enter_soon(run.project.pk)
    note = " ".join(filter(None, (pictures_in_words(watch.report), str(told))))
    ImportRun.objects.filter(pk=run.pk).update(note=note)


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
