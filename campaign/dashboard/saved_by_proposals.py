"""Saved by proposals: the questions and the time that boxes of programs saved, in a line each."""

from collections.abc import Mapping
from typing import Any

from annotation.rules.states import BoxState
from campaign.dashboard.figures.proposals import DRAWN, TRIED
from campaign.dashboard.tile import Tile
from pipeline.rules.boxing.proposals_saved import TASKS, Chains, Saved, proposals_saved
from pipeline.rules.settings.protocol import BATCH, USUAL_SECONDS, ProtocolSettings


def proposal_tiles(values: Mapping[str, Any], workers: Mapping[str, Any], settings: ProtocolSettings) -> list[Tile]:
    """Return the tiles; none before a box was proposed. `workers`: the figures of table 3, with the measured times."""
    counts = {state: values.get(state.value, 0) for state in BoxState}
    total = sum(counts.values())
    if not total:
        return []
    accepted, waiting = counts[BoxState.ACCEPTED], counts[BoxState.PENDING]
    judged = total - waiting
    tiles = [
        Tile("proposed", "Boxes proposed", f"{total:,}", f"{waiting:,} wait for a quality judgment"),
        Tile(
            "proposed_good",
            "Of these accepted",
            f"{accepted / judged:.1%}" if judged else "–",
            f"{accepted:,} of {judged:,} judged",
        ),
        Tile("drawings_saved", "Drawing questions saved", f"{accepted:,}", "one for each accepted box"),
    ]
    chains = values.get("chains")
    return [*tiles, _time_saved(chains, workers, settings)] if chains else tiles


def _time_saved(chains: Mapping[str, Any], workers: Mapping[str, Any], settings: ProtocolSettings) -> Tile:
    tried, drawn = ([Chains(*row) for row in chains[kind]] for kind in (TRIED, DRAWN))
    seconds, source = _seconds(workers, settings)
    won = proposals_saved(tried, drawn, seconds, settings.box_policy)
    value = time_in_words(won.seconds) if won.chains else "–"
    return Tile("seconds_saved", "Time of workers saved", value, _about(won, source))


def _about(won: Saved, source: str) -> str:
    if not won.chains:
        return "no chain with a proposed box has ended yet"
    each = (won.took + won.seconds) / won.chains
    rests = f"{won.drawn:,} drawn here" if won.drawn else "simulated ones, as none was drawn here"
    low, high = (time_in_words(end, like=won.seconds) for end in (won.low, won.high))
    interval, took = f"{low.partition(' ')[0]} to {high}", won.took / won.chains
    return (
        f"{interval} (90 % interval): {won.chains:,} chains with proposals took {took:.0f} s each, judging good and "
        f"bad boxes included; without them {each:.0f} s, by {rests}; seconds {source}"
    )


def _seconds(workers: Mapping[str, Any], settings: ProtocolSettings) -> tuple[list[float], str]:
    """Return the seconds of an answer in each box task, and where they are from: all from one source."""
    measured: list[Any] = [workers["tasks"][task.value]["seconds"] if workers else None for task in TASKS]
    if all(measured):
        own = [time / settings.batch[task.value] for time, task in zip(measured, TASKS, strict=True)]
        return own, "as measured here"
    return [USUAL_SECONDS[task] / BATCH[task] for task in TASKS], "as in the paper"


def time_in_words(seconds: float, *, like: float | None = None) -> str:
    """Return a time in minutes, or in hours where there are many; below 0 with a minus.

    `like`: the time that chooses between the two, if it is another.
    """
    size, unit = (3600, "hours") if abs(seconds if like is None else like) >= 7200 else (60, "minutes")
    return f"{seconds / size:,.1f} {unit}".replace("-", "−")
