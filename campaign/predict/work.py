"""Work on a prediction: simulate the sample under every way to ask, and keep the forecasts."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any

from django.db import DatabaseError

from annotation.models import Project
from campaign.models import CampaignPrediction
from pipeline.rules.linking.adaptive.link_prior import LinkPrior
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import Task
from pipeline.settings_versions import all_settings
from pipeline.stock.known_questions import stock
from simulation.predict.belief import Belief, belief_of
from simulation.predict.crew import CrewPlan
from simulation.predict.estimate import Estimate, Frame
from simulation.predict.forecast import Forecast, ForecastPlan, Stage, forecast
from simulation.predict.options import Option, options
from simulation.predict.read_project import (
    count_phrases,
    draw_images,
    judgments_of,
    known_images,
    read_subjects,
    with_phrases,
)
from upkeep import clock

State = CampaignPrediction.State
LOOK_SECONDS = 0.5
"""The time between two looks at whether the requester wants it to stop. Progress is written as often."""
STOCK = 70
"""Verification questions of each task: as many as are recommended."""
LEAST_FINISHED = 5
"""Finished images of the sample from which answers per image are compared with the forecast."""
NOW = Option({}, ("as it is now",))


class Stopped(Exception):
    """The requester stopped the prediction, or the project is gone."""


class NothingToPredictError(Exception):
    """The project has no phrases, so nothing can be simulated."""


def carry_out(prediction: CampaignPrediction) -> None:
    """Do the work, and write how it ended. Raises only what nobody foresaw, after writing it."""
    mine = CampaignPrediction.objects.filter(pk=prediction.pk)
    if not mine.filter(state__in=CampaignPrediction.OPEN).update(state=State.RUNNING, begun_at=clock.now(), done=0):
        return
    try:
        values = predict(prediction)
    except Stopped:
        mine.update(state=State.CANCELLED, ended_at=clock.now())
    except NothingToPredictError as error:
        mine.update(state=State.FAILED, problem=str(error), ended_at=clock.now())
    except DatabaseError:
        raise  # a lock that was waited for too long: the row's time runs out, and the sweep begins it again
    except Exception as error:
        mine.update(state=State.FAILED, problem=f"{type(error).__name__}: {error}"[:2000], ended_at=clock.now())
        raise
    else:
        mine.update(state=State.DONE, values=values, ended_at=clock.now())


class Watch:
    """The progress of one prediction."""

    def __init__(self, prediction: CampaignPrediction, total: int) -> None:
        self._mine = CampaignPrediction.objects.filter(pk=prediction.pk)
        self._done, self._looked = 0, time.monotonic()
        self._mine.update(total=total)

    def step(self) -> None:
        """Count one image. Raises Stopped if the requester wants it, but looks no more than twice a second."""
        self._done += 1
        if time.monotonic() - self._looked < LOOK_SECONDS:
            return
        self._looked = time.monotonic()
        self._mine.update(done=self._done)
        if self._mine.values_list("stopped", flat=True).first() is not False:
            raise Stopped


@dataclass(frozen=True, slots=True)
class Prepared:
    """Everything that forecasts of one project share."""

    base: ProtocolSettings
    images: int
    drawn: list[int]
    """Ids of the sampled images."""
    belief: Belief
    frame: Frame
    stage: Stage

    def present(self, step: Callable[[], object] = lambda: None) -> tuple[Forecast, float]:
        """Return the forecast of the present settings, and how many answers finished images took for each forecast."""
        first = forecast(self.stage, NOW, self.base, self.frame, step)
        scale = scale_of(judgments_of(self.drawn), self.drawn, first)
        return (first if scale == 1.0 else forecast(self.stage.scaled(scale), NOW, self.base, self.frame)), scale


def prepare(prediction: CampaignPrediction, *, use_gold: bool = True) -> Prepared:
    """Draw the sample, its truths and its crowd. `use_gold`: gold counts as a known truth.

    Raises NothingToPredictError for a project without phrases.
    """
    project: Project = prediction.project
    base = all_settings(project.pk)[prediction.settings_version]
    ids = with_phrases(project.pk)
    if not ids:
        raise NothingToPredictError("No image has phrases yet: find them on the page “Phrases”, then predict.")
    drawn = draw_images(ids, prediction.sample, prediction.seed)
    sample = list(read_subjects(drawn, use_gold=use_gold))
    known = list(read_subjects(known_images(project.pk, prediction.seed, use_gold=use_gold), use_gold=use_gold))
    belief = belief_of(known, LinkPrior.from_json(base.link_prior) if base.link_prior else None)
    share = fmean(one.known is not None for one in sample)
    frame = Frame([len(one.mentions) for one in sample], count_phrases(project.pk), len(ids), share)
    crew = CrewPlan(prediction.workers, prediction.bad_percent / 100, stocks(project.pk), prediction.qualify)
    plan = ForecastPlan(prediction.crowd, crew, prediction.repetitions, prediction.seed)
    return Prepared(base, len(ids), drawn, belief, frame, Stage(sample, belief, plan))


def stocks(project_id: int) -> dict[Task, int]:
    """Return the verification questions of each task; of a task without any, as many as are recommended."""
    return {task: stock(project_id, task) or STOCK for task in Task}


def predict(prediction: CampaignPrediction) -> dict[str, Any]:
    """Return the forecasts of every way to ask as JSON values.

    Raises Stopped, and NothingToPredictError for a project without phrases.
    """
    made = prepare(prediction)
    base, ways = made.base, options(made.base)
    watch = Watch(prediction, (len(ways) + 1) * len(made.drawn))
    present, scale = made.present(watch.step)
    stage = made.stage.scaled(scale)
    found = []
    for one in ways:
        same = one.settings(base) == base
        found.append(replace(present, option=one) if same else forecast(stage, one, base, made.frame, watch.step))
    return {
        "now": _row(present, base),
        "options": [_row(one, base) for one in found],
        "images": made.images,
        "sample": len(made.drawn),
        "known": round(made.frame.known * len(made.drawn)),
        "learned_from": made.belief.learned_from,
        "fitted": made.belief.fitted,
        "scale": scale,
        "currency": base.currency,
        "paid": any(base.reward_cents.values()),
    }


def scale_of(actual: dict[int, int], drawn: Sequence[int], predicted: Forecast) -> float:
    """Return how many answers finished images of the sample took, as a multiple of the forecast for the same images.

    1 while too few are finished, or if the sample was not finished under the present settings.
    """
    pairs = [(actual[image], predicted.each[place]) for place, image in enumerate(drawn) if image in actual]
    if len(pairs) < LEAST_FINISHED or not sum(each for _, each in pairs):
        return 1.0
    return sum(number for number, _ in pairs) / sum(each for _, each in pairs)


def _row(found: Forecast, base: ProtocolSettings) -> dict[str, Any]:
    settings = found.option.settings(base)
    return {
        "words": list(found.option.words),
        "changes": found.option.changes,
        "current": settings == base,
        "judgments": _figures(found.judgments),
        "hours": _figures(found.hours),
        "cents": _figures(found.cents),
        "exact": [round(each, 4) for each in found.exact],
        "by_task": {task.value: round(found.by_task[task], 1) for task in Task},
        "known": round(found.known, 1),
        "review": round(found.review, 1),
        "admitted": {task.value: round(found.admitted[task], 3) for task in Task},
    }


def _figures(estimate: Estimate) -> list[float]:
    return [round(each, 2) for each in estimate]
