"""A crowd with bad workers that annotates a project under quality control, and without it for comparison."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from django.db import transaction

from annotation.models import Project
from pipeline.models import KnownQuestion
from pipeline.project.settings_versions import change_settings, current_settings
from pipeline.protocol.tasks.task import PROTOCOL_TASKS
from pipeline.stock.known_questions import Purpose
from pipeline.stock.stock_from_gold import fill_from_gold
from runtime import clock
from simulation.crowd import CROWDS
from simulation.mixed_crowd import MixedCrowd, kinds_of
from simulation.mixed_run import MixedRun
from simulation.quality_report import quality_figures
from simulation.report import as_json
from simulation.score import score
from simulation.simulate import link_images, load_gold, named_workers, virtual_workers
from workers.grant_access import grant_access
from workers.models import Worker

Step = Callable[[int], object]


@dataclass(frozen=True, slots=True)
class QualityPlan:
    """The crowd and the stock of a run. The same plan on the same database gives the same run."""

    crowd: str = "paper"
    """The crowd of the honest workers."""
    seed: int = 0
    workers: int = 50
    """Workers who are invited and begin."""
    bad: float = 0.0
    """The share of bad workers, 0 to 1."""
    stock: int = 230
    """Verification questions of each task, as far as gold provides them."""
    most: int | None = None
    """Stop after about this many real judgments."""


def simulate_quality(project: Project, plan: QualityPlan, step: Step = lambda judgments: None) -> dict[str, Any]:
    """Let invited workers take the test, pass probation, and answer real questions with verification questions.

    First the stock is filled from the project's gold, so its questions are about the same images. Returns the results
    of `as_json`, with `quality`. Raises SimulationError if there is no gold, or if no worker can go on.
    """
    workers = _join(project, plan)
    _add_known_questions(project, plan)
    return _run(project, plan, workers, step)


def simulate_trusting(project: Project, plan: QualityPlan, step: Step = lambda judgments: None) -> dict[str, Any]:
    """Run the same workers, trusted from the start and never verified. The run is rolled back; only figures remain."""
    with transaction.atomic():
        KnownQuestion.objects.filter(project=project).update(retired_at=clock.now())
        workers = virtual_workers(project, f"{plan.crowd}-trusted", plan.workers)
        figures = _run(project, plan, workers, step)
        transaction.set_rollback(True)
    return figures


def set_model(project: Project, model: str) -> None:
    """Set the trust model of all six tasks."""
    _, settings = current_settings(project.id)
    wanted = replace(settings, trust={task.value: model for task in PROTOCOL_TASKS})
    if wanted != settings:
        change_settings(project_id=project.id, settings=wanted, reason=f"Simulated with the model “{model}”.")


def _run(project: Project, plan: QualityPlan, workers: list[Worker], step: Step) -> dict[str, Any]:
    gold = load_gold(project)
    honest = CROWDS[plan.crowd](list(link_images(project, gold)), plan.seed)
    crowd = MixedCrowd(honest, kinds_of(plan.workers, plan.bad), plan.seed)
    run = MixedRun(project, gold, crowd, workers, plan.seed)
    run.until_nothing_is_open(plan.most, step)
    return as_json(project, run.outcome, score(project, gold)) | {"quality": quality_figures(run)}


def _join(project: Project, plan: QualityPlan) -> list[Worker]:
    workers = named_workers(f"{plan.crowd}-invited", plan.workers)
    for worker in workers:
        grant_access(worker, project.id, list(PROTOCOL_TASKS), trusted=False)
    return workers


def _add_known_questions(project: Project, plan: QualityPlan) -> None:
    _, settings = current_settings(project.id)
    tests = settings.test_questions * settings.tests
    for purpose, most in ((Purpose.TEST, tests), (Purpose.VERIFICATION, plan.stock)):
        fill_from_gold(project=project, most=dict.fromkeys(PROTOCOL_TASKS, most), purpose=purpose, seed=plan.seed)
