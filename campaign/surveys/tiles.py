"""The figures of a survey in a line each: progress, pace and money."""

from collections.abc import Mapping
from typing import Any

from annotation.models import Project
from campaign.dashboard.figures.refresh import Group
from campaign.dashboard.summary import spent_tiles
from campaign.dashboard.tile import Tile, days_or_hours
from campaign.surveys.results import Results
from pipeline.money.amounts import in_words
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import Task
from upkeep.counted import counted

HOURS = 24


def progress_tiles(results: Results, figures: Mapping[str, Group]) -> list[Tile]:
    """Return how far the survey is, and how fast it goes."""
    share = f"{results.decided / results.questions:.1%}" if results.questions else "–"
    open_ones = results.questions - results.decided - results.given_up
    tiles = [
        Tile("decided", "Questions decided", share, f"{results.decided:,} of {results.questions:,}"),
        Tile(
            "open",
            "Open questions",
            f"{open_ones:,}",
            f"they need {counted(results.lacking, 'vote')} more" if open_ones else "",
        ),
    ]
    if results.given_up:
        tiles.append(Tile("given_up", "Given up", f"{results.given_up:,}", "nobody was left who could answer"))
    hours = figures["pace"].values["hours"][-HOURS:] if "pace" in figures else []
    day = sum(number for _, number in hours)
    tiles.append(Tile("votes", "Votes", f"{results.votes:,}", "that count"))
    if hours:
        about = "answers in the last 24 hours, verification questions included"
        tiles.append(Tile("rate", "Answers per hour", f"{day / HOURS:,.1f}", about))
        tiles.append(Tile("end", "Time to the end", *_end(results.lacking, day)))
    return tiles


def _end(lacking: int, day: int) -> tuple[str, str]:
    if not lacking:
        return "done", "every question is decided"
    if not day:
        return "unknown", "nobody answered in the last 24 hours"
    return f"about {days_or_hours(lacking * HOURS / day)}", "at the pace of the last 24 hours"


def money_tiles(
    project: Project, results: Results, figures: Mapping[str, Group], settings: ProtocolSettings
) -> list[Tile]:
    """Return what the survey costs; nothing before it was first computed."""
    if "money" not in figures:
        return []
    money: Mapping[str, Any] = figures["money"].values
    task = Task(project.survey).value
    rest = results.lacking * settings.reward_cents[task] / settings.batch[task]
    about = f"an estimate: {counted(results.lacking, 'vote')} at the present reward"
    return [*spent_tiles(money, settings), Tile("to_come", "To come", in_words(round(rest), settings.currency), about)]
