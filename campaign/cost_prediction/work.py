"""Work on a prediction: simulate the sample under every way to ask, and keep the forecasts."""

from dataclasses import replace
from typing import Any

from campaign.cost_prediction.prepare import prepare
from campaign.long_work import Watch
from campaign.models import CampaignPrediction
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import PROTOCOL_TASKS
from simulation.predict.estimate import Estimate
from simulation.predict.forecast import Forecast, forecast
from simulation.predict.options import Option, options

NOW = Option({}, ("as it is now",))


class Counter:
    """The images simulated so far, told to the row of the prediction."""

    def __init__(self, watch: Watch, total: int) -> None:
        self._watch, self._total, self._done = watch, total, 0

    def step(self) -> None:
        """Count one image. Raises Stopped if the requester wants it."""
        self._done += 1
        self._watch.tell(self._done, self._total)


def predict(prediction: CampaignPrediction, watch: Watch) -> dict[str, Any]:
    """Return the forecasts of every way to ask: values of the row.

    Raises Stopped, and CannotBeDone for a project without phrases.
    """
    made = prepare(prediction)
    base, stage, ways = made.base, made.stage, options(made.base)
    counter = Counter(watch, len(stage.sample) + len(ways) * len(stage.todo))
    behind = made.look_back(counter.step)
    present = forecast(stage, NOW, base, made.todo, behind, counter.step)
    found = []
    for one in ways:
        same = one.settings(base) == base
        found.append(
            replace(present, option=one) if same else forecast(stage, one, base, made.todo, behind, counter.step)
        )
    values = {
        "now": _row(present, base),
        "options": [_row(one, base) for one in found],
        "images": made.images,
        "finished": made.done.images,
        "sample": len(stage.sample),
        "known": sum(one.known is not None for one in stage.sample),
        "learned_from": made.belief.learned_from,
        "fitted": made.belief.fitted,
        "scale": behind.scale.factor if behind.scale else 1.0,
        "currency": base.currency,
        "paid": any(base.reward_cents.values()),
    }
    return {"values": values}


def present(prediction: CampaignPrediction, *, use_gold: bool = True) -> Forecast:
    """Return the forecast of the present settings alone. `use_gold`: gold counts as a known truth."""
    made = prepare(prediction, use_gold=use_gold)
    return forecast(made.stage, NOW, made.base, made.todo, made.look_back())


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
        "by_task": {task.value: round(found.by_task[task], 1) for task in PROTOCOL_TASKS},
        "known": round(found.known, 1),
        "review": round(found.review, 1),
        "parts": {name: [round(each, 2) for each in part] for name, part in found.parts.items()},
        "admitted": {task.value: round(found.admitted[task], 3) for task in PROTOCOL_TASKS},
    }


def _figures(estimate: Estimate) -> list[float]:
    return [round(each, 2) for each in estimate]
