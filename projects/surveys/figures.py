"""Figures of a survey: how far it is, how fast it goes, and what it costs."""

from collections.abc import Mapping
from typing import Any

from accounts.may import Action, may
from annotation.models import Project
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.settings import SurveySettings
from pipeline.protocol.tasks.task import Task
from pipeline.settings.settings import Settings
from projects.dashboard.end import days_or_hours
from projects.dashboard.figures import FigureGroup, read_figures
from projects.dashboard.needs import needs_of
from projects.dashboard.operations import LiveFigures
from projects.dashboard.summary import Tile, spent_tiles
from projects.operation import Caller, NoInput, operation
from projects.surveys.results import SurveyResults, results_of
from runtime.database import cached_read
from runtime.words import counted, money, percent

HOURS = 24


@operation(name="results", surveys=True, only_surveys=True, path="results/", method="get", action=Action.REVIEW)
def read_results(project: Project, inputs: NoInput, caller: Caller) -> LiveFigures:
    """Return how far a survey is; to those who manage it also what it costs, and what needs a person."""
    figures, settings = read_figures(project.pk), current_settings(project.pk)[1]
    found = results_now(project, settings)
    if not (caller.user is None or may(caller.user, Action.MANAGE, project)):
        return LiveFigures.of(progress_tiles(found, figures), [])
    tiles = progress_tiles(found, figures) + money_tiles(project, found, figures, settings)
    return LiveFigures.of(tiles, needs_of(project, settings, figures))


def results_now(project: Project, settings: SurveySettings) -> SurveyResults:
    """Return the findings, which are computed anew once in a while."""
    return cached_read(f"survey:{project.pk}", lambda: results_of(project, settings.survey_votes))


def progress_tiles(results: SurveyResults, figures: Mapping[str, FigureGroup]) -> list[Tile]:
    """Return how far the survey is, and how fast it goes."""
    share = percent(results.decided / results.questions if results.questions else None, 1)
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
    project: Project, results: SurveyResults, figures: Mapping[str, FigureGroup], settings: Settings
) -> list[Tile]:
    """Return what the survey costs; nothing before it was first computed."""
    if "money" not in figures:
        return []
    spent: Mapping[str, Any] = figures["money"].values
    task = Task(project.survey).value
    rest = results.lacking * settings.reward_cents[task] / settings.batch[task]
    about = f"an estimate: {counted(results.lacking, 'vote')} at the present reward"
    return [*spent_tiles(spent, settings), Tile("to_come", "To come", money(round(rest), settings.currency), about)]
