"""Scores of a model on the three tasks, overall and by super-category."""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.foil.item import CORRECT, FOIL, Item
from evaluation.foil.models.model import Model, Shown, shown_captions
from evaluation.foil.tasks.accuracy import PLACES, Classes, percent, places_of, task_1


@dataclass(frozen=True)
class Asked:
    """Items as models are asked about them."""

    items: Sequence[Item]
    correct: Sequence[Shown]
    foils: Sequence[Shown]

    def places(self, kind: str) -> list[list[int]]:
        """Return the places of task 2 of each foil."""
        return [places_of(foil.tags, item.place, kind) for foil, item in zip(self.foils, self.items, strict=True)]


@dataclass(frozen=True)
class Scored:
    """The accuracy of a model, in percent; None for tasks that it does not do."""

    name: str
    t1: Classes | None
    t1_of: dict[str, Classes]
    """Task 1 by super-category."""
    t2: dict[str, float] | None
    """Task 2 by kind of places."""
    t3: float | None


def ask(items: Sequence[Item]) -> Asked:
    """Return the items with both versions of their captions. Raises MissingExtra without the tagger."""
    return Asked(items, shown_captions(items, CORRECT), shown_captions(items, FOIL))


def score_model(model: Model, asked: Asked) -> Scored:
    """Let the model do the tasks."""
    t1, t1_of = _t1(model, asked)
    t2: dict[str, float] | None = {}
    for kind in PLACES:
        found = model.predict_t2(asked.foils, asked.places(kind))
        if found is None or t2 is None:
            t2 = None
        else:
            t2[kind] = percent([place == item.place for place, item in zip(found, asked.items, strict=True)])
    words = model.predict_t3(asked.foils, [item.place for item in asked.items])
    t3 = (
        None if words is None else percent([word == item.target for word, item in zip(words, asked.items, strict=True)])
    )
    return Scored(model.name, t1, t1_of, t2, t3)


def _t1(model: Model, asked: Asked) -> tuple[Classes | None, dict[str, Classes]]:
    correct, foils = model.predict_t1(asked.correct), model.predict_t1(asked.foils)
    if correct is None or foils is None:
        return None, {}
    kinds = sorted({item.super_category for item in asked.items})
    own = {kind: [i for i, item in enumerate(asked.items) if item.super_category == kind] for kind in kinds}
    return task_1(correct, foils), {
        kind: task_1([correct[i] for i in places], [foils[i] for i in places]) for kind, places in own.items()
    }
