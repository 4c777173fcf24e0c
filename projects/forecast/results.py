"""Results of a prediction as its page shows them: ways to ask, the best of them by cost, and charts."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from pipeline.policies.workers_needed import ENOUGH_WORKERS
from pipeline.protocol.settings import SettingKind
from pipeline.settings.guide import GUIDE
from projects.chart import Cell, Chart
from projects.models import Run
from projects.operation import Estimate, Output
from runtime.words import money
from simulation.programs import AssumedErrors

NAMED = {setting.name: setting for setting in GUIDE}
INTERVAL = "90 % interval"
MOST_SHOWN = 6
"""Ways that the page shows at once, the present settings besides."""


class PartOfForecast(Output):
    judgments: float
    hours: float
    cents: float


class PhraseCost(Output):
    answers: float
    """People's answers about its box, as simulated."""
    seconds: float
    """Their time, as the project measured it; the paper's for tasks without answers."""
    cents: float


class ForecastWay(Output):
    words: list[str]
    changes: dict[str, Any]
    """Settings that this way changes, by name; as PATCH settings/ takes them."""
    current: bool
    """It asks as the project's settings do."""
    judgments: Estimate
    """Answers of every kind, with those to verification questions and tests."""
    hours: Estimate
    """Hours of work."""
    cents: Estimate
    exact: Estimate
    """The share of exactly right chains, 0 to 1."""
    by_task: dict[str, float]
    """Answers to real questions by task."""
    known: float
    """Answers to verification questions and in tests."""
    parts: dict[str, PartOfForecast]
    """The purposes of the answers: real and verification questions, probation, tests."""
    review: float
    """Chains that need an expert."""
    labels: dict[str, Estimate]
    """Of a check: labels that are wrong, found, and spoiled."""
    admitted: dict[str, float]
    """The share of workers who are admitted, by task, 0 to 1."""
    negative: PhraseCost | None
    """The cost of a negative phrase, of which nothing can be boxed; null: none was simulated."""
    positive: PhraseCost | None
    """The cost of a phrase that has boxes."""


class ForecastEnd(Output):
    """One end of the band of errors that are assumed."""

    wrong: float
    """The share of wrong answers, 0 to 1."""
    correlation: float
    """Of errors of models, 0 to 1."""
    way: ForecastWay


class ForecastSaving(Output):
    """The present settings, or the first way under which programs judge all, with the programs and without them."""

    with_programs: ForecastWay
    """In the middle of the band of assumed errors; its intervals hold those at both ends."""
    band: list[ForecastEnd]
    """The ends of the band, the lower errors first; empty if all errors were measured."""
    without: ForecastWay
    done_hours: float
    """The hours of work that is done: part of those of both ways."""
    errors: list[str]
    """The errors of each program, in words."""
    new: float
    """The share of images about which people answer whatever programs say, since these are new."""


class ForecastResult(Output):
    currency: str
    paid: bool
    images: int
    finished: int
    """Images that were done: their answers count as they were."""
    sample: int
    known: int
    """Sampled images with gold."""
    learned_from: int
    """Known images of the project that truths were drawn by."""
    fitted: bool
    """The link prior was fitted on known images."""
    scale: float
    """The answers that the finished images took, as a multiple of their own forecast."""
    wrong_share: float
    """The share of the labels of a data set that is checked that errors were drawn in, 0 to 1."""
    now: ForecastWay
    """The present settings."""
    ways: list[ForecastWay]
    """Every way to ask that is registered."""
    saving: ForecastSaving | None
    """The savings by programs; null: none was simulated."""


@dataclass(frozen=True, slots=True)
class PartOfWork:
    """One kind of answers of a way to ask."""

    words: str
    judgments: float
    hours: float
    money: str


Parts = list[PartOfWork]


@dataclass(frozen=True, slots=True)
class Way:
    """One way to ask, with its forecast. Figures are [value, low, high]."""

    words: str
    changes: dict[str, Any]
    current: bool
    judgments: list[float]
    hours: list[float]
    cents: list[float]
    exact: list[float]
    review: float
    known: float
    parts: Parts
    """The kinds of answers."""
    admitted: float
    """The share of workers who are admitted to the task that admits the fewest, 0 to 1."""
    currency: str
    negative: str = ""
    """The cost of a negative phrase, and of one with boxes, in words; empty: none was simulated."""
    labels: dict[str, list[float]] = field(default_factory=dict)
    """Of a check: labels that are wrong, found, and spoiled; see `forecast.LABELS`."""

    @property
    def quality(self) -> float:
        """Return what the ways are compared by: exactly right chains; where a data set is checked, labels mended."""
        return self.corrected if self.labels else self.exact[0]

    @property
    def corrected(self) -> float:
        """Return the wrong labels that are found, less the right ones that are made wrong."""
        return self.labels["found"][0] - self.labels["spoiled"][0]

    @property
    def left(self) -> float:
        """Return the labels that are wrong in the end."""
        return self.labels["wrong"][0] - self.corrected

    def cost(self, unit: str) -> float:
        """Return the forecast of what the way takes: judgments, hours or money, in hundredths."""
        return {"judgments": self.judgments, "hours": self.hours, "money": self.cents}[unit][0]

    def cap(self, budget: float, unit: str) -> tuple[str, str]:
        """Return the setting that ends the work at this budget, and its value. Hours are told in answers."""
        if unit == "money":
            return "spend_cap_cents", str(round(budget))
        answers = budget if unit == "judgments" else budget * self.judgments[0] / max(self.hours[0], 1e-9)
        return "answer_cap", str(max(1, round(answers)))

    @property
    def money(self) -> list[str]:
        return [money(round(cents), self.currency) for cents in self.cents]

    @property
    def fields(self) -> list[tuple[str, str]]:
        """The changed settings as fields of the settings form, by name."""
        return [field for name, value in self.changes.items() for field in _fields(name, value)]

    def workers(self, days: float, hours_a_day: float) -> int | None:
        """Return how many workers must begin so that the work is done in these days; None if nobody is admitted.

        Quality control turns some of them away, and a chain needs several different workers.
        """
        if self.admitted <= 0:
            return None
        return math.ceil(max(self.hours[0] / (days * hours_a_day), ENOUGH_WORKERS) / self.admitted)


def _fields(name: str, value: Any) -> list[tuple[str, str]]:
    if NAMED[name].per_task:
        return [(f"{name}.{task}", str(amount)) for task, amount in value.items()]
    return [(name, f"{100 * value:g}" if NAMED[name].kind is SettingKind.PERCENT else str(value))]


def result_of(run: Run) -> ForecastResult | None:
    """Return the result of a forecast; None if it is not done."""
    return ForecastResult.model_validate(run.result) if run.state == Run.State.DONE else None


def ways_of(result: ForecastResult) -> list[Way]:
    """Return the ways to ask, the project's own settings first."""
    return [_way(way, result.currency) for way in (result.now, *result.ways)]


@dataclass(frozen=True, slots=True)
class Saving:
    """One way to ask with the model annotators, and without them."""

    with_them: Way
    ends: list[tuple[str, Way]]
    """The same at either end of the band of assumed errors, with these in words."""
    alone: Way
    errors: list[str]
    """The errors of each program, in words."""
    new: float
    """The share of images about which people answer whatever programs say, since these are new."""
    done_hours: float
    """The hours of work that is done: part of those of both ways."""

    @property
    def rows(self) -> list[tuple[str, Way]]:
        return [("with them", self.with_them), *self.ends, ("people alone", self.alone)]

    @property
    def spared(self) -> float:
        """The share of the hours to come that programs save people, from below 0 to 1."""
        return self._spared(self.with_them)

    @property
    def spared_between(self) -> list[float]:
        """The least and the largest share over the band of assumed errors; empty if all errors were measured."""
        return sorted(self._spared(way) for _, way in self.ends)

    def _spared(self, way: Way) -> float:
        to_come = self.alone.hours[0] - self.done_hours
        return (self.alone.hours[0] - way.hours[0]) / to_come if to_come > 0 else 0.0


def saving_of(result: ForecastResult) -> Saving | None:
    """Return what programs save; None if none was simulated."""
    found = result.saving
    if found is None:
        return None
    with_them, alone = (_way(way, result.currency) for way in (found.with_programs, found.without))
    ends = [
        (f"with errors {AssumedErrors(end.wrong, end.correlation).described}", _way(end.way, result.currency))
        for end in found.band
    ]
    return Saving(with_them, ends, alone, found.errors, found.new, found.done_hours)


def _way(way: ForecastWay, currency: str) -> Way:
    return Way(
        words=", ".join(way.words),
        changes=way.changes,
        current=way.current,
        judgments=list(way.judgments.numbers),
        hours=list(way.hours.numbers),
        cents=list(way.cents.numbers),
        exact=list(way.exact.numbers),
        review=way.review,
        known=way.known,
        parts=[
            PartOfWork(words, part.judgments, part.hours, money(round(part.cents), currency))
            for words, part in way.parts.items()
        ],
        admitted=min(way.admitted.values()),
        currency=currency,
        negative=_negative(way, currency),
        labels={name: list(label.numbers) for name, label in way.labels.items()},
    )


def _negative(way: ForecastWay, currency: str) -> str:
    if way.negative is None:
        return ""
    positive = "" if way.positive is None else f", a phrase with boxes {_takes(way.positive, currency)}"
    return f"Answers about its box: a negative phrase takes {_takes(way.negative, currency)}{positive}."


def _takes(cost: PhraseCost, currency: str) -> str:
    return f"{cost.seconds:.0f} s" + (f" ({money(round(100 * cost.cents), currency)} for 100)" if cost.cents else "")


def best_by_cost(ways: Sequence[Way], *, paid: bool) -> list[Way]:
    """Return the ways that no other one beats in cost and in quality, from cheaper to better.

    The cost is money where rewards are set, and hours of work else.
    """
    found: list[Way] = []
    for way in sorted(ways, key=lambda one: (one.cents[0] if paid else one.hours[0], -one.quality)):
        if not found or way.quality > found[-1].quality:
            found.append(way)
    return found


def few(best: Sequence[Way], now: Way) -> list[Way]:
    """Return the ways that the page shows: the cheapest, the best, and those between them at even distances.

    The cheapest way that is as good as the present settings is always among them.
    """
    if len(best) <= MOST_SHOWN:
        return list(best)
    step = (len(best) - 1) / (MOST_SHOWN - 1)
    places = {round(number * step) for number in range(MOST_SHOWN)}
    wanted = first_choice(best, now)
    if wanted not in places:
        nearest = min(places - {0, len(best) - 1}, key=lambda place: abs(place - wanted))
        places = places - {nearest} | {wanted}
    return [best[place] for place in sorted(places)]


def above_cap(cents: Sequence[float], cap: int, currency: str) -> str:
    """Return a sentence if a forecast of money, [value, low, high], does not fit under the spend cap; else ""."""
    if not cap or cents[2] <= cap:
        return ""
    sure = "is" if cents[1] > cap else "may be"
    words = f"The spend cap of {money(cap, currency)} {sure} too low for what is predicted"
    return f"{words}: raise it, or ask in a cheaper way."


def first_choice(best: Sequence[Way], now: Way) -> int:
    """Return the place of the cheapest way that is as good as the present settings; the last if none is."""
    return next((place for place, way in enumerate(best) if way.quality >= now.quality), max(len(best) - 1, 0))


def best_within(best: Sequence[Way], budget: float, unit: str) -> int:
    """Return the place of the best way that a budget is predicted to pay for; the cheapest if it pays for none."""
    return max((place for place, way in enumerate(best) if way.cost(unit) <= budget), default=0)


def charts_of(ways: Sequence[Way], *, paid: bool) -> list[Chart]:
    """Return the charts: exact chains, work, and money where rewards are set."""
    note = f"Bars: the {INTERVAL}; marks: the forecast. Simulated."
    columns = ("way to ask", "forecast", "low", "high")
    exact = Chart(
        "exact",
        "Exactly right chains",
        note,
        columns,
        [[way.words, *way.exact] for way in ways],
        "ranges-share",
        frozenset({1, 2, 3}),
    )
    if ways[0].labels:
        found: list[list[str | float]] = [[way.words, *_tenths(way.labels["found"])] for way in ways]
        exact = Chart("exact", "Wrong labels found", note, columns, found, "ranges")
    hours = Chart("hours", "Hours of work", note, columns, [[way.words, *_tenths(way.hours)] for way in ways], "ranges")
    money = Chart(
        "money",
        f"Money, {ways[0].currency}",
        note,
        columns,
        [[way.words, *(round(cents / 100, 2) for cents in way.cents)] for way in ways],
        "ranges",
    )
    return [exact, hours, *([money] if paid else [])]


def everything(ways: Sequence[Way]) -> Chart:
    """Return the table of every figure of every way."""
    figures = ("judgments", "hours", "money", "exact chains")
    columns = ("way to ask", *(part for name in figures for part in (name, f"{name}, low", f"{name}, high")))
    rows: list[list[Cell]] = []
    for way in ways:
        money = [round(cents / 100, 2) for cents in way.cents]
        counts = [round(judgment) for judgment in way.judgments]
        rows.append([way.words, *counts, *_tenths(way.hours), *money, *way.exact, round(way.known), round(way.review)])
    columns = (*columns, "answers to verification questions", "chains for experts")
    note = f"Low and high: the {INTERVAL}. Simulated."
    return Chart("ways", "Ways to ask", note, columns, rows, "", frozenset({10, 11, 12}))


def _tenths(figures: Sequence[float]) -> list[float]:
    return [round(figure, 1) for figure in figures]
