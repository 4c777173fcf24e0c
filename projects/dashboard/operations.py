"""Operations that read the figures of a project, and what its prediction says: when and for how much it ends."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from annotation.models import Project
from pipeline.project.settings_versions import current_settings
from pipeline.settings.of_work import MoneySettings
from pipeline.settings.settings import Settings
from projects.chart import Cell, Chart
from projects.dashboard.figures import FigureGroup, read_figures
from projects.dashboard.machine import arrows_of, machine
from projects.dashboard.needs import Need, live_counts, needs_of
from projects.dashboard.summary import Tile, summary
from projects.forecast import operations as forecast
from projects.forecast.results import ForecastResult, Way, above_cap, ways_of
from projects.models import Run
from projects.operation import Caller, NoInput, Output, operation
from runtime.words import money, percent

COLUMNS = ("figure", "so far", "predicted in all", "low", "high", "to come")
NAME = "prediction"


@dataclass(frozen=True, slots=True)
class PredictionComparison:
    """The project beside its newest prediction, as the page shows both."""

    predicted: Way
    """The forecast of the present settings."""
    ended_at: datetime | None
    tiles: list[Tile]
    chart: Chart
    above_cap: str
    """A sentence if the prediction does not fit under the spend cap; else empty."""


def compare_prediction(
    project: Project, figures: Mapping[str, FigureGroup], settings: Settings
) -> PredictionComparison | None:
    """Compare the figures with the newest complete prediction; None without one, or before figures were computed."""
    done = project.runs.filter(operation=forecast.begin_forecast.name, state=Run.State.DONE).first()
    if done is None or "pace" not in figures or "money" not in figures:
        return None
    pace, money, result = figures["pace"].values, figures["money"].values, ForecastResult.model_validate(done.result)
    judgments, granted, now = pace["judgments"], money["granted"], ways_of(result)[0]
    left = max(now.judgments[0] - judgments, 0)
    rows: list[list[Cell]] = [["judgments", judgments, *map(round, now.judgments), round(left)]]
    if result.paid:
        cents = [granted, *now.cents, max(now.cents[0] - granted, 0)]
        rows.append([f"money, {result.currency}", *(round(cent / 100, 2) for cent in cents)])
    note = "Predicted: simulated, with its 90 % interval. To come: the prediction less what there is."
    return PredictionComparison(
        now,
        done.ended_at,
        [*_tiles(judgments, now), *(_money_tiles(granted, now, settings) if result.paid else [])],
        Chart(NAME, "Predicted and actual", note, COLUMNS, rows),
        above_cap(now.cents, settings.spend_cap_cents, settings.currency) if result.paid else "",
    )


def predicted_of(compared: PredictionComparison | None) -> list[float] | None:
    """Return the judgments that were predicted in all, [value, low, high]."""
    return list(compared.predicted.judgments) if compared else None


def _tiles(judgments: int, now: Way) -> list[Tile]:
    value, low, high = now.judgments
    share = judgments / value if value else 0.0
    about = f"{judgments:,} of {value:,.0f} ({low:,.0f} to {high:,.0f})"
    return [Tile("share", "Of the predicted judgments", percent(share, 1), about)]


def _money_tiles(granted: int, now: Way, settings: MoneySettings) -> list[Tile]:
    value, low, high = (money(round(cents), settings.currency) for cents in now.cents)
    rest = money(round(max(now.cents[0] - granted, 0)), settings.currency)
    return [Tile("predicted_money", "Money to come", rest, f"of {value} predicted in all ({low} to {high})")]


class NeedOfProject(Output):
    """A thing that a person has to do."""

    kind: str
    count: int
    label: str
    words: str
    url: str
    """The page where it is settled."""


class LiveFigures(Output):
    """Figures that change while a page is open."""

    texts: dict[str, str]
    """By the names of their places on the page."""
    needs: list[NeedOfProject]

    @classmethod
    def of(cls, tiles: Iterable[Tile], needs: Iterable[Need], texts: dict[str, str] | None = None) -> LiveFigures:
        """Return the figures of tiles and `texts` of other places."""
        shown = (texts or {}) | {f"tile.{tile.name}": tile.value for tile in tiles}
        return cls(texts=shown, needs=[NeedOfProject.model_validate(need) for need in needs])


@operation(name="dashboard", surveys=False, path="dashboard/", method="get")
def read_dashboard(project: Project, inputs: NoInput, caller: Caller) -> LiveFigures:
    """Return the figures of the dashboard, and what needs a person."""
    figures, settings = read_figures(project.pk), current_settings(project.pk)[1]
    counts, drawn = live_counts(project.pk), machine(arrows_of(figures))
    texts = {name: f"{number:,}" for name, number in counts.items()}
    texts |= {f"arrow.{arrow.old}.{arrow.new}": arrow.short for arrow in drawn.arrows}
    texts |= {f"row.{arrow.old}.{arrow.new}": f"{arrow.count:,}" for arrow in (*drawn.arrows, *drawn.others)}
    compared = compare_prediction(project, figures, settings)
    tiles = [*summary(figures, settings, counts, predicted_of(compared)).tiles, *(compared.tiles if compared else [])]
    return LiveFigures.of(tiles, needs_of(project, settings, figures), texts)
