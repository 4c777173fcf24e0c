"""Counts of ranges of images as JSON, and together: whoever counted a range may be another process than the joiner."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from exchange.data_card.agreement import Overlap
from exchange.data_card.count_answers import AnswerCounts, TaskAnswers
from exchange.data_card.count_rows import RowCounts

MOMENTS = {"answered_from": min, "answered_to": max, "changed_at": max}
BY_WORD = ("by_kind", "by_word")
PROFILES = ("profiles", "without_programs")


def counts_as_json(rows: RowCounts, answers: AnswerCounts) -> dict[str, Any]:
    """Return what `add_counts` adds."""
    moments = {name: moment.isoformat() for name in MOMENTS if (moment := getattr(rows, name))}
    numbers = {name: getattr(rows, name) for name in RowCounts.__slots__ if name not in MOMENTS}
    return {
        "rows": {
            name: list(number.items()) if isinstance(number, Counter) else number for name, number in numbers.items()
        },
        "moments": moments,
        "tasks": {task: _task(one) for task, one in answers.tasks.items()},
        "workers": list(answers.workers.items()),
        "programs": {name: dict(counts) for name, counts in answers.programs.items()},
        "set_aside": answers.set_aside,
    }


def add_counts(rows: RowCounts, answers: AnswerCounts, kept: dict[str, Any]) -> None:
    """Add the counts of other images."""
    for name, value in kept["rows"].items():
        if isinstance(value, list):
            getattr(rows, name).update(dict(value))
        else:
            setattr(rows, name, getattr(rows, name) + value)
    for name, choose in MOMENTS.items():
        known = [getattr(rows, name), *map(datetime.fromisoformat, filter(None, [kept["moments"].get(name)]))]
        moments = [one for one in known if one is not None]
        setattr(rows, name, choose(moments) if moments else None)
    for task, value in kept["tasks"].items():
        _add_task(answers.tasks[task], value)
    answers.workers.update(dict(kept["workers"]))
    for name, counts in kept["programs"].items():
        answers.programs[name].update(counts)
    answers.set_aside += kept["set_aside"]


def _task(counts: TaskAnswers) -> dict[str, Any]:
    return {
        "questions": counts.questions,
        "most": counts.most,
        **{name: dict(getattr(counts, name)) for name in BY_WORD},
        **{name: list(getattr(counts, name).items()) for name in PROFILES},
        "overlap": [counts.overlap.pairs, counts.overlap.total, counts.overlap.alike],
    }


def _add_task(counts: TaskAnswers, kept: dict[str, Any]) -> None:
    counts.questions += kept["questions"]
    counts.most = max(counts.most, kept["most"])
    for name in BY_WORD:
        getattr(counts, name).update(kept[name])
    for name in PROFILES:
        getattr(counts, name).update({_profile(profile): count for profile, count in kept[name]})
    own: Overlap = counts.overlap
    pairs, total, alike = kept["overlap"]
    own.pairs, own.total, own.alike = own.pairs + pairs, own.total + total, own.alike + alike


def _profile(kept: Sequence[Sequence[Any]]) -> tuple[tuple[str, int], ...]:
    return tuple((word, number) for word, number in kept)
