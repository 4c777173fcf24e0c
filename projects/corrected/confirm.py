"""Labels of a check as the workbench has them: what can be confirmed or taken back, and the next unconfirmed change."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from pydantic import Field

from annotation.models import Image, Project
from pipeline.checking.kinds_of_error import ErrorKind
from pipeline.checking.label import ChainLabel, labels_now
from pipeline.checking.word_of_expert import ChangeDecision, confirms, label_rows
from pipeline.protocol.tasks.flow import SETTLED
from projects.corrected.change_rows import decision_in_words, found_in_words
from projects.corrected.changes import CheckedImage, NothingCheckedError, SupportedChange, changes_of, image_ids
from projects.operation import Corners, Output

MOST_READ = 400
"""Images that are looked through for the next change."""
IRREVERSIBLE = frozenset({ErrorKind.TYPE, ErrorKind.PHRASE_MISSING, ErrorKind.PHRASE_EXTRA})
"""Kinds that experts alone have changed: undo takes them back."""


class CheckedLabels(Output):
    """Labels of a data set that is checked, which an expert can confirm or take back."""

    chains: list[int]
    kinds: list[str] = Field(default=[])
    """The ways in which they were wrong; empty: they are as they were."""
    labels: list[Any]
    """The labels now, in the form of the record."""
    before: list[Any] | None = None
    """The labels of the data set; null: they cannot be taken back."""
    texts: list[str] = Field(default=[])
    """The labels of the data set in words."""
    boxes: list[Corners] = Field(default=[])
    """All boxes that the data set has of them."""
    sources: list[str] = Field(default=[])
    """Those who found that they were wrong."""
    decision: str
    """Those who have decided about them; empty: nobody need."""


def checks_of(image: Image) -> list[CheckedLabels] | None:
    """Return the settled labels of an image, changed ones first in their order; None: nothing is checked in it."""
    try:
        (own,) = changes_of(image.project, [image.pk])
    except (NothingCheckedError, ValueError):
        return None
    return [*_changed(own), *_labels_now(own)]


def next_open(project: Project, image: Image, chain: int | None) -> str | None:
    """Return the address of the next change that no expert has confirmed, after this one; None: there is none.

    After a number of images without any it leads to the last of these, and the search goes on from there.
    """
    own = [name for name in _open(next(iter(changes_of(project, [image.pk])), None)) if name != chain]
    if own:
        return workbench_address(
            project, image.pk, next((number for number in own if chain is None or number > chain), own[0])
        )
    after = image_ids(project, after=image.position, most=MOST_READ)
    before = image_ids(project, most=MOST_READ - len(after)) if len(after) < MOST_READ else []
    others = [image_id for image_id in (*after, *before) if image_id != image.pk]
    for change in changes_of(project, others):
        for name in _open(change):
            return workbench_address(project, change.image, name)
    return workbench_address(project, others[-1], None) if len(after) == MOST_READ else None


def workbench_address(project: Project, image: int, chain: int | None) -> str:
    """Return the address of the workbench at a change, in the queue of changes."""
    query = urlencode({**({} if chain is None else {"chain": chain}), "changes": "yes"})
    return f"{reverse('projects:bench', args=[project.name, image])}?{query}"


def chain_at(image: CheckedImage, change: SupportedChange) -> int | None:
    """Return the first chain of a change; None: none has its phrases any more."""
    return min(_chains(image, change.decided.change.mentions), default=None)


def _open(image: CheckedImage | None) -> list[int]:
    """Return the first chain of each change that no expert has decided."""
    found = [chain_at(image, told) for told in image.changes if told.is_open] if image else []
    return sorted(name for name in found if name is not None)


def _changed(image: CheckedImage) -> Iterator[CheckedLabels]:
    for told in image.changes:
        change, decision = told.decided.change, told.decided.decision
        was = label_rows(change.before)
        now = label_rows(change.after)
        back = decision is not ChangeDecision.TAKEN_BACK and IRREVERSIBLE.isdisjoint(change.kinds)
        yield CheckedLabels(
            chains=sorted(_chains(image, change.mentions)),
            kinds=[kind.value for kind in change.kinds],
            labels=was if decision is ChangeDecision.TAKEN_BACK else now,
            before=was if back else None,
            texts=[_in_words(label, image) for label in change.before],
            boxes=[list(box) for label in change.before for box in label.boxes],
            sources=list(found_in_words(told)),
            decision=decision_in_words(told),
        )


def _labels_now(image: CheckedImage) -> Iterator[CheckedLabels]:
    """Yield the labels that are as they were."""
    changed = {number for told in image.changes for number in told.decided.change.mentions}
    open_ones = {
        number for chain in image.progress.chains.values() if chain.state not in SETTLED for number in chain.mentions
    }
    for label in labels_now(image.progress):
        if (changed | open_ones).isdisjoint(label.mentions):
            confirmed = any(confirms(act, [label]) for act in image.acts)
            yield CheckedLabels(
                chains=sorted(_chains(image, frozenset(label.mentions))),
                labels=label_rows([label]),
                decision=ChangeDecision.CONFIRMED.value if confirmed else "",
            )


def _chains(image: CheckedImage, mentions: frozenset[int]) -> list[int]:
    return [chain.name for chain in image.progress.chains.values() if mentions.intersection(chain.mentions)]


def _in_words(label: ChainLabel, image: CheckedImage) -> str:
    phrases = " · ".join(dict.fromkeys(image.phrases.get(mention, "?") for mention in label.mentions))
    boxes = f"{len(label.boxes)} box{'' if len(label.boxes) == 1 else 'es'}"
    return f"{phrases}: {label.flag or boxes}"
