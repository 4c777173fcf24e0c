"""An image machine as its goldens see it: settings and entries go in; moves, rows and open questions come out.

All that the goldens know of the product is in this module. Nothing here reads how an image's state is stored.
"""

import json
from collections.abc import Iterable, Mapping
from copy import deepcopy
from functools import cache
from typing import Any, NamedTuple

from annotation.rules.states import ImageState
from belief.links.link_prior import DEFAULT
from pipeline.policies.compose import compose
from pipeline.protocol.image.expert import ExpertError
from pipeline.protocol.image.interventions import CannotVoidError
from pipeline.protocol.image.machine import EntryKind, RecordEntry, apply, begin
from pipeline.protocol.image.merging import can_merge
from pipeline.protocol.image.undo import CannotUndoError, apply_record
from pipeline.protocol.state.progress import ImageProgress
from pipeline.protocol.state.rows import TRANSITIONS, image_rows
from pipeline.settings.settings import Settings
from tests.support.exported_record import entry_of

DIGITS = 9
"""Floats are compared to this many decimals."""
REFUSALS = (ExpertError, CannotVoidError, CannotUndoError)
"""An act that does not fit raises one of these, and changes nothing."""
DONE, REFUSED, FAILS = "", "refused", "fails"
"""The outcome of an entry. FAILS: with any other error, so that the image has no state that can be read."""
MAY_BE_REFUSED = ("expert", "void")
MOVE = ("machine", "subject", "old", "new", "sequence")
COLUMNS = {
    "mentions": ("caption__number", "start", "end", "types", "text", "chain"),
    "chains": ("state", "representative", "non_visual", "doubted", "review", "merged_into"),
    "boxes": ("chain", "x0", "y0", "x1", "y1", "state", "drawn_by_id", "pre_annotated"),
    "merged": ("x0", "y0", "x1", "y1", "members"),
}
"""The columns of each table that are compared, in this order."""
QUESTION = ("task", "subject", "barred", "value", "predicted", "shown")
"""The columns of an open question. They are compared in this order, so a renamed column keeps its place."""


class Asked(NamedTuple):
    """One open question."""

    number: int
    task: str
    subject: list[int]
    barred: list[int]


class Seen(NamedTuple):
    """The moves of an entry, and what the tables show after it, each as plain lists."""

    moves: Any
    """The lines for the table of transitions, with their reasons."""
    rows: Any
    """The image's state, mentions, chains, boxes, merged boxes, sources of links and surveys."""
    questions: Any
    """The open questions, with the workers barred, the value, and the chance that was predicted."""


@cache
def settings_of(text: str) -> Settings:
    """Return the settings of a JSON object that names those which are not the usual ones."""
    return Settings.from_json(json.loads(text))


def usual_links() -> dict[str, Any]:
    """Return the usual prior of adaptive links, as settings hold it."""
    return DEFAULT.to_json()


class GoldenMachine:
    """One image and its record. `values`: the settings that are not the usual ones, for this entry and those after."""

    def __init__(self, imported: dict[str, Any], values: Mapping[str, Any]) -> None:
        entry = RecordEntry(0, EntryKind.IMPORT, deepcopy(imported))
        self._progress = begin(entry)
        self._record = [(entry, compose(self._settings(values)))]

    def add(self, kind: str, data: dict[str, Any], values: Mapping[str, Any]) -> str:
        """Append an entry, and return what comes of it: DONE, REFUSED, or FAILS, after which nothing may be added."""
        try:
            self._add(kind, data, values)
        except REFUSALS:
            return REFUSED
        except Exception:  # a golden notes any error, and that a later version makes none there
            return FAILS
        return DONE

    def _add(self, kind: str, data: dict[str, Any], values: Mapping[str, Any]) -> None:
        entry = entry_of(len(self._record), kind, deepcopy(data))
        rules, progress = compose(self._settings(values)), self._progress
        if entry.kind is EntryKind.UNDO:
            progress = apply_record([*self._record, (entry, rules)])
        else:
            progress.moves = []
            if kind in MAY_BE_REFUSED:
                progress = deepcopy(progress)
            apply(progress, entry, rules)
        self._progress = progress
        self._record.append((entry, rules))

    def is_waiting(self) -> bool:
        return self._progress.waiting

    def has_started(self) -> bool:
        return self._progress.started

    def may_merge(self) -> bool:
        return self._progress.state is not ImageState.MERGED and can_merge(self._progress)

    def open_questions(self) -> list[Asked]:
        """Return the open questions by their numbers."""
        rows = (self._progress.open[number] for number in sorted(self._progress.open))
        return [Asked(one.number, str(one.task), list(one.subject), sorted(one.barred)) for one in rows]

    def mentions(self) -> list[int]:
        return sorted(self._progress.mentions)

    def chains(self) -> dict[int, list[int]]:
        """Return the mentions of each chain by its name."""
        return {name: list(self._progress.chains[name].mentions) for name in sorted(self._progress.chains)}

    def next_box(self) -> int:
        return self._progress.next_box

    def next_question(self) -> int:
        return self._progress.next_question

    def seen(self) -> Seen:
        """Return what the last entry did, and what the tables show now."""
        progress, last = self._progress, len(self._record) - 1
        rows = image_rows(progress)
        moves = [(*_cells(TRANSITIONS.row(one), MOVE), one.reason) for one in progress.moves if one.entry == last]
        tables = [_table(getattr(rows, name), columns) for name, columns in COLUMNS.items()]
        questions = [
            [number, row.task, row.subject, sorted(row.barred), *_cells(row, QUESTION[3:])]
            for number, row in sorted(rows.questions.items())
        ]
        return Seen(plain(moves), plain([rows.state, *tables, *_beside_the_tables(progress)]), plain(questions))

    @staticmethod
    def _settings(values: Mapping[str, Any]) -> Settings:
        return settings_of(json.dumps(values, sort_keys=True))


def _cells(row: Any, columns: Iterable[str]) -> list[Any]:
    return [getattr(row, name) for name in columns]


def _table(rows: Mapping[int, Any], columns: Iterable[str]) -> list[Any]:
    return [[number, *_cells(row, columns)] for number, row in sorted(rows.items())]


def _beside_the_tables(progress: ImageProgress) -> list[Any]:
    """Return the confidences, the sources of links, and the votes of surveys, which exports show."""
    chances = [[name, one.confidence, one.box_confidence] for name, one in sorted(progress.chains.items())]
    good = [[number, one.confidence] for number, one in sorted(progress.boxes.items())]
    sources = [[*pair, source] for pair, source in sorted(progress.sources.items())]
    together = [[*pair, chance] for pair, chance in sorted(progress.together.items())]
    surveys = [
        [number, one.task, one.item, [[vote.entry, vote.worker, vote.answer] for vote in one.votes], one.voided]
        for number, one in sorted(progress.surveys.items())
    ]
    return [chances, good, sources, together, surveys]


def plain(value: Any) -> Any:
    """Return the value as lists, texts and numbers; floats are rounded."""
    if isinstance(value, float):
        return round(float(value), DIGITS) + 0.0
    if isinstance(value, Mapping):
        return {str(name): plain(one) for name, one in sorted(value.items())}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    return str(value) if isinstance(value, str) else value
