"""The project against its prediction: how much of it is done, what is to come, and when and for how much it ends."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from annotation.models import Project
from campaign.chart import Cell, Chart
from campaign.dashboard.figures.refresh import Group
from campaign.dashboard.tile import Tile, days_or_hours
from campaign.models import CampaignPrediction
from pipeline.money.amounts import in_words
from pipeline.rules.settings.protocol import ProtocolSettings

COLUMNS = ("figure", "so far", "predicted in all", "low", "high", "to come")
NAME = "prediction"


@dataclass(frozen=True, slots=True)
class Against:
    """The project beside its newest prediction, as the page shows both."""

    prediction: CampaignPrediction
    tiles: list[Tile]
    chart: Chart
    above_cap: str
    """A sentence if the prediction does not fit under the spend cap; else empty."""


def against(project: Project, figures: Mapping[str, Group], settings: ProtocolSettings) -> Against | None:
    """Compare the figures with the newest complete prediction; None without one, or before figures were computed."""
    done = project.campaign_predictions.filter(state=CampaignPrediction.State.DONE).order_by("-id").first()
    if done is None or "pace" not in figures or "money" not in figures:
        return None
    pace, money, now = figures["pace"].values, figures["money"].values, done.values["now"]
    judgments, granted = pace["judgments"], money["granted"]
    left = max(now["judgments"][0] - judgments, 0)
    rows: list[list[Cell]] = [["judgments", judgments, *map(round, now["judgments"]), round(left)]]
    paid = bool(done.values["paid"])
    if paid:
        cents = [granted, *now["cents"], max(now["cents"][0] - granted, 0)]
        rows.append([f"money, {done.values['currency']}", *(round(each / 100, 2) for each in cents)])
    note = "Predicted: simulated, with its 90 % interval. To come: the prediction less what there is."
    return Against(
        done,
        [*_tiles(judgments, now, left, pace), *(_money_tiles(granted, now, settings) if paid else [])],
        Chart(NAME, "Predicted and actual", note, COLUMNS, rows),
        _above_cap(now, settings) if paid else "",
    )


def _tiles(judgments: int, now: Mapping[str, Any], left: float, pace: Mapping[str, Any]) -> list[Tile]:
    value, low, high = now["judgments"]
    rate = sum(number for _, number in pace["hours"][-24:]) / 24
    share = judgments / value if value else 0.0
    end = "done" if not left else f"about {days_or_hours(left / rate)}" if rate else "unknown"
    about = f"at {rate:,.1f} judgments an hour" if rate else "no judgment in the last 24 hours"
    return [
        Tile(
            "share",
            "Of the predicted judgments",
            f"{share:.1%}",
            f"{judgments:,} of {value:,.0f} ({low:,.0f} to {high:,.0f})",
        ),
        Tile("predicted_end", "Predicted end", end, about if left else "more than predicted may still be open"),
    ]


def _money_tiles(granted: int, now: Mapping[str, Any], settings: ProtocolSettings) -> list[Tile]:
    value, low, high = (in_words(round(cents), settings.currency) for cents in now["cents"])
    rest = in_words(round(max(now["cents"][0] - granted, 0)), settings.currency)
    return [Tile("predicted_money", "Money to come", rest, f"of {value} predicted in all ({low} to {high})")]


def _above_cap(now: Mapping[str, Any], settings: ProtocolSettings) -> str:
    cap = settings.spend_cap_cents
    if not cap or now["cents"][2] <= cap:
        return ""
    sure = "is" if now["cents"][1] > cap else "may be"
    return (
        f"The spend cap of {in_words(cap, settings.currency)} {sure} too low for what is predicted: raise it in time."
    )
