"""Summary: the figures of a project in a line each, grouped, with what they mean, and the hours to its end."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Any, NamedTuple

from annotation.rules.states import BoxState, ImageState
from pipeline.project.queries import JudgmentCounts
from pipeline.settings.of_work import MoneySettings, WorkSettings
from pipeline.settings.settings import Settings
from pipeline.settings.table_3 import BATCH, USUAL_SECONDS
from projects.dashboard.figures import DRAWN, TASKS, TRIED, Chains, FigureGroup, Saved, pre_annotations_saved
from runtime.intervals import OF_PROGRAMS, z
from runtime.words import hours, money, percent

FEW_DAYS, UNSURE = 3, 0.4
"""With fewer days of work than this, the pace is taken to be so much off: a relative standard deviation."""
WIDEST = 10
"""The longest time over the shortest of an interval that is still worth showing."""
LEAST_LEFT = 0.1
"""The share of an unfinished image's work that is taken to be left, however much was done on it."""


class About(NamedTuple):
    """A quantity with its relative standard deviation."""

    value: float
    off: float

    @property
    def interval(self) -> tuple[float, float]:
        """The 90 % interval."""
        reach = z(OF_PROGRAMS) * self.off
        return self.value * math.exp(-reach), self.value * math.exp(reach)


def time_to_the_end(pace: Mapping[str, Any], images_left: int, predicted: Sequence[float] | None) -> tuple[str, str]:
    """Return the 90 % interval of the time to the end, or that nobody can tell yet, and what this rests on.

    `pace`: the figures of that name. `predicted`: judgments in all as [value, low, high], if there is a prediction.
    """
    if not images_left:
        return "done", "every image is finished"
    left, a_day = hours_left(pace, images_left, predicted), _hours_a_day(pace)
    if left and a_day:
        days = left.value / a_day.value
        about = f"about {days_or_hours(24 * days)}: {left.value:,.1f} hours of work are left, {a_day.value:,.1f} a day"
        return _interval(24 * days, math.hypot(left.off, a_day.off)), f"{about} were worked in the last 7 days"
    lately = pace["finished_lately"]
    if not lately:
        return "unknown", "no image was finished in the last 7 days"
    # A day at least: nobody works day and night at the pace of a first hour.
    rate = lately / max(pace["finished_in_days"], 1)
    return _interval(24 * images_left / rate, 1 / math.sqrt(lately)), f"at {rate:,.1f} images a day"


def _interval(hours: float, off: float) -> str:
    low, high = About(hours, off).interval
    return from_to(low, high) if high <= WIDEST * low else "not yet known"


def hours_left(pace: Mapping[str, Any], images_left: int, predicted: Sequence[float] | None) -> About | None:
    """Return the hours of work that are left: by the prediction, or else by what finished images took."""
    seconds, finished = pace.get("seconds"), pace.get("finished", 0)
    if not seconds:
        return None
    if predicted and predicted[0] > pace["judgments"]:
        value, low, high = predicted
        left = value - pace["judgments"]
        return About(left * seconds / 3600, min((high - low) / 2 / z(OF_PROGRAMS) / left, 1.0))
    if not finished or not pace.get("on_finished"):
        return None
    whole = pace["on_finished"] / 3600 / finished * images_left
    left = max(whole - pace["on_others"] / 3600, LEAST_LEFT * whole)
    return About(left, min(whole / left / math.sqrt(finished), 1.0))


def _hours_a_day(pace: Mapping[str, Any]) -> About | None:
    """Return the hours worked on a day of the last week, or since its first answer, which counts as a day at least."""
    hours = [number for _, number in pace.get("worked", [])]
    if not any(hours):
        return None
    days = max(pace["worked_in_days"], 1)
    begun = hours[next(place for place, number in enumerate(hours) if number) :]
    if len(begun) < FEW_DAYS:
        return About(sum(hours) / days, UNSURE)
    return About(sum(hours) / days, stdev(begun) / fmean(begun) / math.sqrt(len(begun)))


def from_to(low: float, high: float) -> str:
    """Return an interval of hours in whole days, or in hours if it ends within two days; at least one hour."""
    size, unit = (24, "day") if high >= 48 else (1, "hour")
    least, most = math.floor(max(low, 1) / size), math.ceil(max(high, 1) / size)
    if least == most:
        return f"about {days_or_hours(size * most)}"
    return f"{least:,} to {most:,} {unit}s" if least else f"{days_or_hours(low)} to {days_or_hours(size * most)}"


def days_or_hours(hours: float) -> str:
    """Return a long time in whole days or hours, at least one hour."""
    number, unit = (hours / 24, "day") if hours >= 48 else (max(hours, 1), "hour")
    return f"{number:,.0f} {unit}{'' if round(number) == 1 else 's'}"


PAPER_BOXES, PAPER_CHAINS, PAPER_BROKEN = 0.198, 0.059, 0.098
"""The shares that merging removed, and of chains that verification broke [paper 3.1.2, 3.3.2]."""


class Tile(NamedTuple):
    """One figure."""

    name: str
    label: str
    value: str
    about: str = ""


@dataclass(frozen=True, slots=True)
class Summary:
    pace: list[Tile]
    money: list[Tile]
    quality: list[Tile]
    pre_annotations: list[Tile]

    @property
    def tiles(self) -> list[Tile]:
        return [*self.pace, *self.money, *self.quality, *self.pre_annotations]


def summary(
    figures: Mapping[str, FigureGroup],
    settings: Settings,
    live: Mapping[str, int],
    predicted: Sequence[float] | None = None,
) -> Summary:
    """Return the tiles. `live`: the counts of `live_counts`; `predicted`: judgments in all, [value, low, high]."""
    values: dict[str, Mapping[str, Any]] = {name: group.values for name, group in figures.items()}
    pace = values.get("pace", {})
    return Summary(
        pace=_pace(pace, live, predicted),
        money=_money(values["money"], pace, settings, live, predicted) if "money" in values else [],
        quality=_quality(values),
        pre_annotations=pre_annotation_tiles(values.get("pre_annotations", {}), values.get("workers", {}), settings),
    )


def _pace(pace: Mapping[str, Any], live: Mapping[str, int], predicted: Sequence[float] | None) -> list[Tile]:
    done, total = _done(live)
    tiles = [Tile("finished", "Images finished", percent(done / total if total else None, 1), f"{done:,} of {total:,}")]
    if not pace:
        return tiles
    day = sum(number for _, number in pace["hours"][-24:])
    counts = JudgmentCounts(**pace["of"])
    known = f"{counts.known:,} of known questions" if counts.known else ""
    others = (counts.of_programs, known, f"{day:,} in all in the last 24 hours")
    tiles += [
        Tile("judgments", "Judgments of people", f"{counts.people:,}", "; ".join(filter(None, others))),
        Tile("rate", "Judgments per hour", f"{day / 24:,.1f}", "average of the last 24 hours"),
        Tile("end", "Time to the end", *time_to_the_end(pace, total - done, predicted)),
    ]
    return tiles


def _money(
    spent: Mapping[str, Any],
    pace: Mapping[str, Any],
    settings: Settings,
    live: Mapping[str, int],
    predicted: Sequence[float] | None,
) -> list[Tile]:
    currency = settings.currency
    done, total = _done(live)
    tiles = [
        *spent_tiles(spent, settings),
        Tile("open_cost", "Open questions", money(spent["open_cents"], currency), "an estimate: at their rewards"),
    ]
    left = hours_left(pace, total - done, predicted) if pace and total > done else None
    worked = pace["judgments"] * (pace["seconds"] or 0) / 3600 if pace else 0
    if left and worked and spent["granted"]:
        low, high = (round(hours * spent["granted"] / worked) for hours in left.interval)
        about = f"90 % interval: {left.value:,.1f} hours of work are left, at what the {worked:,.1f} worked have cost"
        tiles.append(Tile("to_come", "To come", f"{money(low, currency)} to {money(high, currency)}", about))
    return tiles


def spent_tiles(spent: Mapping[str, Any], settings: MoneySettings) -> list[Tile]:
    """Return what was paid, is owed and reserved, and the cap. `spent`: the figures of that name."""
    currency, cap = settings.currency, settings.spend_cap_cents
    return [
        Tile("paid", "Paid", money(spent["paid"], currency)),
        Tile("owed", "Owed", money(spent["owed"], currency), "for work and bonuses, without refusals"),
        Tile("reserved", "Reserved", money(spent["reserved"], currency), "for assignments at work"),
        Tile("cap", "Spend cap", money(cap, currency) if cap else "none", _left(cap, spent, currency)),
    ]


def _left(cap: int, spent: Mapping[str, Any], currency: str) -> str:
    if not cap:
        return "nothing limits the cost"
    return f"{money(cap - spent['granted'] - spent['reserved'], currency)} left"


def _quality(values: Mapping[str, Mapping[str, Any]]) -> list[Tile]:
    tiles = []
    if flow := values.get("flow"):
        verified = flow["kept"] + flow["broken"]
        tiles += [
            Tile("kept", "Chains verified", *_share(flow["kept"], verified, 1 - PAPER_BROKEN)),
            Tile("broken", "Chains broken", *_share(flow["broken"], verified, PAPER_BROKEN)),
            Tile("boxes", "Boxes merged away", *_share(flow["boxes"] - flow["boxes_left"], flow["boxes"], PAPER_BOXES)),
            Tile("joined", "Chains merged away", *_share(flow["chains_joined"], flow["chains"], PAPER_CHAINS)),
        ]
    if (paper := values.get("paper")) and paper["iou"] is not None:
        about = f"mean IOU of {paper['iou_boxes']:,} boxes with the merged box that they are part of"
        tiles.append(Tile("iou", "Agreement of drawn boxes", f"{paper['iou']:.2f}", about))
    return tiles


def _share(part: int, whole: int, paper: float) -> tuple[str, str]:
    return percent(part / whole if whole else None, 1), f"{part:,} of {whole:,}; the paper: {percent(paper, 1)}"


def _done(live: Mapping[str, int]) -> tuple[int, int]:
    counts = [live[f"image.{state.value}"] for state in ImageState]
    return live[f"image.{ImageState.MERGED.value}"], sum(counts)


def pre_annotation_tiles(values: Mapping[str, Any], workers: Mapping[str, Any], settings: Settings) -> list[Tile]:
    """Return the tiles; none before a box was proposed. `workers`: the figures of table 3, with the measured times."""
    counts = {state: values.get(state.value, 0) for state in BoxState}
    total = sum(counts.values())
    if not total:
        return []
    accepted, waiting = counts[BoxState.ACCEPTED], counts[BoxState.PENDING]
    judged = total - waiting
    tiles = [
        Tile("pre_annotated", "Boxes proposed", f"{total:,}", f"{waiting:,} wait for a quality judgment"),
        Tile(
            "pre_annotated_good",
            "Of these accepted",
            percent(accepted / judged if judged else None, 1),
            f"{accepted:,} of {judged:,} judged",
        ),
        Tile("drawings_saved", "Drawing questions saved", f"{accepted:,}", "one for each accepted box"),
    ]
    chains = values.get("chains")
    return [*tiles, _time_saved(chains, workers, settings)] if chains else tiles


def _time_saved(chains: Mapping[str, Any], workers: Mapping[str, Any], settings: Settings) -> Tile:
    tried, drawn = ([Chains(*row) for row in chains[kind]] for kind in (TRIED, DRAWN))
    seconds, source = _seconds(workers, settings)
    won = pre_annotations_saved(tried, drawn, seconds, settings.box_policy)
    value = hours(won.seconds) if won.chains else "–"
    return Tile("seconds_saved", "Time of workers saved", value, _about(won, source))


def _about(won: Saved, source: str) -> str:
    if not won.chains:
        return "no chain with a proposed box has ended yet"
    each = (won.took + won.seconds) / won.chains
    rests = f"{won.drawn:,} drawn here" if won.drawn else "simulated ones, as none was drawn here"
    low, high = (hours(end, like=won.seconds) for end in (won.low, won.high))
    interval, took = f"{low.partition(' ')[0]} to {high}", won.took / won.chains
    return (
        f"{interval} (90 % interval): {won.chains:,} chains with pre-annotations took {took:.0f} s each, judging good "
        f"and bad boxes included; without them {each:.0f} s, by {rests}; seconds {source}"
    )


def _seconds(workers: Mapping[str, Any], settings: WorkSettings) -> tuple[list[float], str]:
    """Return the seconds of an answer in each box task, and where they are from: all from one source."""
    measured: list[Any] = [workers["tasks"][task.value]["seconds"] if workers else None for task in TASKS]
    if all(measured):
        own = [time / settings.batch[task.value] for time, task in zip(measured, TASKS, strict=True)]
        return own, "as measured here"
    return [USUAL_SECONDS[task] / BATCH[task] for task in TASKS], "as in the paper"
