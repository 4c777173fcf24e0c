"""Saved by proposals: the questions and the time that boxes of programs saved, in a line each."""

from collections.abc import Mapping
from typing import Any

from annotation.rules.states import BoxState
from campaign.dashboard.tile import Tile
from campaign.predictions.scores import paper_seconds, saved
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import Task


def proposal_tiles(by_state: Mapping[str, int], workers: Mapping[str, Any], settings: ProtocolSettings) -> list[Tile]:
    """Return the tiles; none before a box was proposed. `workers`: the figures of table 3, with the measured times."""
    total = sum(by_state.values())
    if not total:
        return []
    accepted, waiting = by_state[BoxState.ACCEPTED.value], by_state[BoxState.PENDING.value]
    judged = total - waiting
    drawing, quality, source = _seconds(workers, settings)
    won = saved(by_state, drawing, quality)
    times = f"at {drawing:.1f} s a drawing and {quality:.1f} s a judgment, {source}; judging bad boxes is taken off"
    return [
        Tile("proposed", "Boxes proposed", f"{total:,}", f"{waiting:,} wait for a quality judgment"),
        Tile(
            "proposed_good",
            "Of these accepted",
            f"{accepted / judged:.1%}" if judged else "–",
            f"{accepted:,} of {judged:,} judged",
        ),
        Tile("drawings_saved", "Drawing questions saved", f"{won.drawings:,}", "one for each accepted box"),
        Tile("seconds_saved", "Time of workers saved", _time(won.seconds), times),
    ]


def _seconds(workers: Mapping[str, Any], settings: ProtocolSettings) -> tuple[float, float, str]:
    """Return the seconds of a drawing and of a quality judgment, and where they are from: both from one source."""
    tasks = (Task.BOX_DRAWING, Task.BOX_QUALITY)
    measured: list[Any] = [workers["tasks"][task.value]["seconds"] if workers else None for task in tasks]
    if all(measured):
        drawing, quality = (time / settings.batch[task.value] for time, task in zip(measured, tasks, strict=True))
        return drawing, quality, "as measured here"
    return paper_seconds(tasks[0]), paper_seconds(tasks[1]), "as in the paper"


def _time(seconds: float) -> str:
    if abs(seconds) >= 7200:
        return f"{seconds / 3600:,.1f} hours"
    return f"{seconds / 60:,.1f} minutes"
