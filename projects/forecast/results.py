"""Results of a prediction as its page shows them: ways to ask, the best of them by cost, and charts."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from pipeline.policies.workers_needed import ENOUGH_WORKERS
from pipeline.protocol.setting_words import SettingKind
from pipeline.settings.guide import GUIDE
from projects.chart import Cell, Chart
from projects.models import CampaignPrediction
from runtime.words import money

NAMED = {setting.name: setting for setting in GUIDE}
INTERVAL = "90 % interval"
MOST_SHOWN = 6
"""Ways that the page shows at once, the present settings besides."""


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
    """The kinds of answers; empty in an old prediction, which did not tell them apart."""
    admitted: float
    """The share of workers who are admitted to the task that admits the fewest, 0 to 1."""
    currency: str
    labels: dict[str, list[float]] = field(default_factory=dict)
    """Of a check: labels that are wrong, found, and spoiled; see `forecast.LABELS`."""

    @property
    def quality(self) -> float:
        """Return what the ways are compared by: exactly right chains; where a data set is checked, labels mended."""
        return self.mended if self.labels else self.exact[0]

    @property
    def mended(self) -> float:
        """Return the wrong labels that are found, less the right ones that are made wrong."""
        return self.labels["found"][0] - self.labels["spoiled"][0]

    @property
    def left(self) -> float:
        """Return the labels that are wrong in the end."""
        return self.labels["wrong"][0] - self.mended

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
        return [(f"{name}.{task}", str(each)) for task, each in value.items()]
    return [(name, f"{100 * value:g}" if NAMED[name].kind is SettingKind.PERCENT else str(value))]


def ways_of(prediction: CampaignPrediction) -> list[Way]:
    """Return the ways to ask, the project's own settings first."""
    values = prediction.values
    rows = [values["now"], *values["options"]] if values else []
    return [_way(row, values) for row in rows]


@dataclass(frozen=True, slots=True)
class Saving:
    """One way to ask with the model annotators, and without them."""

    with_them: Way
    alone: Way
    said: list[str]
    """The errors of each program, in words."""
    new: float
    """The share of images about which people answer whatever programs say, since these are new."""
    done_hours: float
    """The hours of work that is done: part of those of both ways."""

    @property
    def rows(self) -> list[tuple[str, Way]]:
        return [("with them", self.with_them), ("people alone", self.alone)]

    @property
    def spared(self) -> float:
        """The share of the hours to come that programs save people, from below 0 to 1."""
        to_come = self.alone.hours[0] - self.done_hours
        return (self.alone.hours[0] - self.with_them.hours[0]) / to_come if to_come > 0 else 0.0


def saving_of(prediction: CampaignPrediction) -> Saving | None:
    """Return what programs save; None if none was simulated."""
    found = prediction.values.get("programs")
    if not found:
        return None
    with_them, alone = (_way(found[name], prediction.values) for name in ("with", "without"))
    return Saving(with_them, alone, found["said"], found["new"], found["done_hours"])


def _way(row: dict[str, Any], values: dict[str, Any]) -> Way:
    return Way(
        words=", ".join(row["words"]),
        currency=values["currency"],
        admitted=min(row["admitted"].values()),
        parts=[
            PartOfWork(words, judgments, hours, money(round(cents), values["currency"]))
            for words, (judgments, hours, cents) in row.get("parts", {}).items()
        ],
        **{
            name: row[name]
            for name in ("changes", "current", "judgments", "hours", "cents", "exact", "review", "known")
        },
        labels=row.get("labels", {}),
    )


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
