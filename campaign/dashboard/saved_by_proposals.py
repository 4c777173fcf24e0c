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
    drawing, drawn_as = _seconds(Task.BOX_DRAWING, workers, settings)
    quality, judged_as = _seconds(Task.BOX_QUALITY, workers, settings)
    won = saved(by_state, drawing, quality)
    times = f"{drawing:.1f} s a drawing ({drawn_as}), {quality:.1f} s a judgment ({judged_as}); bad boxes taken off"
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


def _seconds(task: Task, workers: Mapping[str, Any], settings: ProtocolSettings) -> tuple[float, str]:
    """Return the seconds of a question, and where they are from."""
    measured = workers["tasks"][task.value]["seconds"] if workers else None
    if measured:
        return measured / settings.batch[task.value], "measured"
    return paper_seconds(task), "the paper's"


def _time(seconds: float) -> str:
    if abs(seconds) >= 7200:
        return f"{seconds / 3600:,.1f} hours"
    return f"{seconds / 60:,.1f} minutes"
