"""Intervene in an image: expert actions, reports and voidings become entries of its record, like any judgment."""

from collections.abc import Iterable
from typing import Any

from django.db import transaction

from annotation.models import Image
from annotation.rules.box import Box
from pipeline.errors import StateMovedError
from pipeline.models import Entry
from pipeline.record.append_entries import NewEntry, append_entries, lock_progress
from pipeline.record.fold_judgments import waiting_judgments
from pipeline.rules.image.expert import ExpertError
from pipeline.rules.image.image_machine import EntryKind
from pipeline.rules.image.interventions import CannotVoidError

TRIES = 5
"""An answer may come between reading and writing. Each try folds the answers that have come."""


def act_as_expert(*, image_id: int, action: dict[str, Any], actor: str, reason: str = "") -> None:
    """Take one of the ACTIONS of `rules.image.expert`. Raises ExpertError if it does not fit the image."""
    _check_place(Image.objects.get(id=image_id), action)
    _append(image_id, NewEntry(EntryKind.EXPERT, action, actor=actor, reason=reason))


def report_problem(
    *,
    image_id: int,
    what: str,
    number: int,
    worker_id: int | None,
    actor: str = "",
    expert: bool = False,
    reason: str = "",
) -> None:
    """Report that a mention, a caption or the image is wrong.

    `what` is "mention", "caption" or "image", whose `number` is 0. Reports of two workers, or of one expert, send the
    chains to review; the number of workers is a setting of the project.
    """
    data = {"what": what, "number": number, "worker": worker_id, "expert": expert}
    _append(image_id, NewEntry(EntryKind.REPORT, data, actor=actor, reason=reason))


def void_judgments(*, image_id: int, judgment_ids: Iterable[int], actor: str = "", reason: str) -> None:
    """Take unresolved judgments back, and ask again.

    Raises CannotVoidError if something has followed from one of them, or if one is not of this image; then none is
    voided.
    """
    _append(image_id)  # Folds judgments that wait: only a folded judgment has an entry, by which it is voided.
    wanted = set(judgment_ids)
    found = dict(Entry.objects.filter(image_id=image_id, judgment_id__in=wanted).values_list("judgment_id", "sequence"))
    if len(found) < len(wanted):
        raise CannotVoidError(f"Judgments {sorted(wanted - found.keys())} do not belong to this image.")
    _append(image_id, NewEntry(EntryKind.VOID, {"entries": sorted(found.values())}, actor=actor, reason=reason))


def _check_place(image: Image, action: dict[str, Any]) -> None:
    """Check that a box lies in the picture and a new mention in its caption. The rules know neither."""
    if "box" in action and action.get("action") == "draw":
        edges = action["box"]
        whole = isinstance(edges, list) and len(edges) == 4 and all(type(edge) is int for edge in edges)
        if not whole or not Box(*edges).fits(image.width, image.height):
            size = f"{image.width} x {image.height} pixels"
            raise ExpertError(f"{edges!r} is no box [x0, y0, x1, y1] inside the image of {size}.")
    words = dict(image.captions.values_list("number", "words")) if action.get("add") else {}
    for _, caption, start, end, _, text in action.get("add", ()):
        if caption not in words or not 0 <= start < end <= len(words[caption]):
            raise ExpertError(f"Caption {caption} has no words [{start}, {end}).")
        if text != " ".join(words[caption][start:end]):
            raise ExpertError(f"Words [{start}, {end}) of caption {caption} are not {text!r}.")


def _append(image_id: int, *entries: NewEntry) -> None:
    """Append entries to the image's record, after the judgments that wait, for these came first."""
    for tries_left in reversed(range(TRIES)):
        try:
            with transaction.atomic():
                locked = lock_progress([image_id])
                append_entries(locked, {image_id: [*waiting_judgments(locked)[image_id], *entries]})
                return
        except StateMovedError:
            if not tries_left:
                raise
