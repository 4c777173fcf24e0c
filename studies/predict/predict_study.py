"""Predict a project, let a simulated crowd carry it out through the service's own functions, and compare.

Images and phrases are real. The campaign answers from gold, which the prediction does not see: before the start it
draws truths, and at half it knows what the finished half of the images came out as.
"""

import random
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import Sum

from annotation.models import Gold, Project
from campaign.models import CampaignPrediction
from campaign.predict.work import present
from exchange.dataset import DatasetImage
from exchange.import_image import import_image
from pipeline.models import Assignment, Judgment
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import PROTOCOL_TASKS
from pipeline.settings_versions import current_settings, open_project
from pipeline.stock.known_questions import Purpose
from pipeline.stock.stock_from_gold import fill_from_gold
from simulation.crowd import CROWDS
from simulation.mixed_crowd import MixedCrowd, kinds_of
from simulation.mixed_run import MixedRun
from simulation.predict.belief import PAPER_RATES, type_of
from simulation.predict.draw_truth import boxed
from simulation.predict.forecast import Forecast
from simulation.predict.read_project import read_subjects
from simulation.predict.subject import Subject
from simulation.score import score
from simulation.simulate import Run, link_images, load_gold, virtual_workers
from simulation.view import GoldChain
from studies.predict.compared import FIGURES, Compared
from workers.grant_access import grant_access
from workers.models import Worker

WORKERS, STOCK = 20, 70
REWARDS = {task.value: cents for task, cents in zip(PROTOCOL_TASKS, (20, 25, 22, 36, 30, 24), strict=True)}
"""Rewards of an assignment in cents: about ten dollars an hour at the paper's times."""


@dataclass(frozen=True, slots=True)
class CrowdPlan:
    """One of the crowds of the study."""

    name: str
    crowd: str
    bad_percent: int = 0
    qualify: bool = False


PLANS = (
    CrowdPlan("without errors", "perfect"),
    CrowdPlan("as in the paper", "paper"),
    CrowdPlan("twice the errors in links", "table_3"),
    CrowdPlan("30 % bad, with test and probation", "paper", 30, True),
)


def study(
    images: Sequence[DatasetImage],
    *,
    runs: int,
    size: int,
    sample: int,
    plans: Sequence[CrowdPlan] = PLANS,
    settings: ProtocolSettings | None = None,
    first: int = 0,
    restore: bool = True,
    there: Collection[tuple[str, int]] = (),
) -> Iterator[list[Compared]]:
    """Yield the figures of each of `runs` campaigns of each crowd, on `size` of the images, predicted from `sample`.

    `first`: the number of the first run, which is its seed. `restore`: a released data set has one box around all boxes
    of a chain, and no chain without a box; the campaign's chains get as many as table 4 says. `there`: crowds and
    numbers of the runs that are passed over.

    Raises ValueError for fewer images than `size`, or a size below 4.
    """
    if not 4 <= size <= len(images):
        raise ValueError(f"A campaign of {size} images: give a size from 4 to {len(images)}.")
    base = replace(settings or ProtocolSettings(), reward_cents=REWARDS)
    for number in range(first, first + runs):
        for plan in plans:
            if (plan.name, number) not in there:
                drawn = random.Random(f"predict {plan.name} {number}").sample(list(images), size)
                name = f"predict-{plan.crowd}-{plan.bad_percent}-{number}"
                yield list(_compare(name, drawn, plan, base, sample, number, restore=restore))


def _compare(
    name: str,
    images: Sequence[DatasetImage],
    plan: CrowdPlan,
    base: ProtocolSettings,
    sample: int,
    seed: int,
    *,
    restore: bool,
) -> Iterator[Compared]:
    whole = _project(f"{name}-before", base)
    half = len(images) // 2
    _add(whole, images[:half], restore=restore)
    _prepare_workers(whole, plan, seed)
    _add(whole, images[half:], restore=restore)
    predicted = {"before": _predicted(whole, plan, sample, seed)}
    project = _project(name, base)
    _add(project, images[:half], restore=restore)
    _prepare_workers(project, plan, seed)
    _work(project, plan, seed)
    _add(project, images[half:], restore=restore)
    predicted["at half"] = _predicted(project, plan, sample, seed)
    _work(project, plan, seed)
    reached = _reached(project)
    for when, forecast in predicted.items():
        for figure in FIGURES:
            yield Compared(plan.name, seed, when, figure, getattr(forecast, figure), reached[figure])


def _project(name: str, base: ProtocolSettings) -> Project:
    return open_project(name=name, settings=base)


def _add(project: Project, images: Sequence[DatasetImage], *, restore: bool) -> None:
    """Import the images with their gold, from which the crowd answers."""
    first, version = project.images.count(), current_settings(project.pk)[0]
    for place, image in enumerate(images):
        row = import_image(project, first + place, image, picture="", gold=True, settings_version=version)
        if restore:
            (subject,) = read_subjects([row.pk])
            assert subject.known is not None
            Gold.objects.filter(image=row).update(chains=[_restored(one, subject) for one in subject.known.chains])


def _restored(chain: GoldChain, image: Subject) -> dict[str, Any]:
    """Return a chain with boxes as in table 4 of the paper, in place of the one box around all of them."""
    rate, draw = PAPER_RATES[type_of(image, chain.mentions)], random.Random(f"boxes {image.key} {chain.name}")
    made = boxed(image, chain.name, chain.mentions, rate, draw)
    boxes = [list(box) for box in made.boxes]
    return {"name": chain.name, "mentions": list(chain.mentions), "scene": made.scene, "open": False, "boxes": boxes}


def _predicted(project: Project, plan: CrowdPlan, sample: int, seed: int) -> Forecast:
    wanted = CampaignPrediction(
        project=project,
        crowd=plan.crowd,
        workers=WORKERS,
        bad_percent=plan.bad_percent,
        qualify=plan.qualify,
        sample=sample,
        repetitions=3,
        seed=100 + seed,
        settings_version=current_settings(project.pk)[0],
    )
    return present(wanted, use_gold=False)


def _prepare_workers(project: Project, plan: CrowdPlan, seed: int) -> None:
    """Fill the stock from gold if workers must qualify, as a requester does before the start."""
    if plan.qualify:
        settings = current_settings(project.pk)[1]
        wanted = {Purpose.TEST: settings.test_questions * settings.tests, Purpose.VERIFICATION: STOCK}
        for purpose, most in wanted.items():
            fill_from_gold(project=project, most=dict.fromkeys(PROTOCOL_TASKS, most), purpose=purpose, seed=seed)


def _invited(project: Project) -> list[Worker]:
    """Return workers who are invited and not trusted yet; missing ones are made."""
    names = [f"virtual-{project.name}-{number:03}" for number in range(WORKERS)]
    Worker.objects.bulk_create((Worker(name=name, kind=Worker.Kind.VIRTUAL) for name in names), ignore_conflicts=True)
    workers = list(Worker.objects.filter(name__in=names).order_by("name"))
    for worker in workers:
        if not worker.accesses.filter(project=project).exists():
            grant_access(worker, project.pk, list(PROTOCOL_TASKS), trusted=False)
    return workers


def _work(project: Project, plan: CrowdPlan, seed: int) -> None:
    """Let the crowd answer until nothing is open."""
    gold = load_gold(project)
    honest = CROWDS[plan.crowd](list(link_images(project, gold)), seed)
    crowd = MixedCrowd(honest, kinds_of(WORKERS, plan.bad_percent / 100), seed)
    if plan.qualify:
        run: Run = MixedRun(project, gold, crowd, _invited(project), seed)
    else:
        run = Run(project, gold, crowd, virtual_workers(project, project.name, WORKERS), seed)
    run.until_nothing_is_open(None, lambda answers: None)


def _reached(project: Project) -> dict[str, float]:
    found = score(project, load_gold(project)).merged_chains
    earned = Assignment.objects.filter(project=project).aggregate(all=Sum("earned_cents"))["all"] or 0
    answers = Judgment.objects.filter(assignment__project=project).count()
    return {"judgments": answers, "cents": earned, "exact": found.matched / found.gold if found.gold else 0.0}
