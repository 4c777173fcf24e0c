"""Intervene in an image: what experts, reporters and programs say becomes an entry of its record, like any judgment."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from django.db import transaction

from annotation.models import Image
from annotation.rules.box import Box
from pipeline.errors import PipelineError, StateMovedError
from pipeline.models import Entry, Progress
from pipeline.policies.compose import compose
from pipeline.project.settings_versions import all_settings
from pipeline.protocol.image.expert import ExpertError
from pipeline.protocol.image.interventions import CannotVoidError
from pipeline.protocol.image.machine import EntryKind, RecordEntry, apply
from pipeline.protocol.image.undo import apply_record
from pipeline.protocol.state.progress import ImageProgress
from pipeline.protocol.state.progress_json import from_json
from pipeline.record.append_entries import NewEntry, append_entries, lock_progress
from pipeline.record.apply_judgments import waiting_judgments
from pipeline.record.mention_rows import mention_rows
from pipeline.record.read_record import read_records, settings_of_image

TRIES = 5
"""An answer may come between reading and writing. Each try folds the answers that have come."""


class ImageMovedError(PipelineError):
    """The image changed while you were reading, and nothing was done. Look at it again."""


class ImagePreview(NamedTuple):
    """The progress of an image before an expert's action, and as it would be after."""

    before: ImageProgress
    after: ImageProgress


def preview_expert(*, image_id: int, action: dict[str, Any]) -> ImagePreview:
    """Return what an action would change, without taking it. Raises ExpertError if it does not fit the image."""
    image = Image.objects.get(id=image_id)
    action = _placed(image, action)
    state = Progress.objects.get(image_id=image_id).state
    before, after = from_json(state), from_json(state)
    settings = settings_of_image(image.project_id, image_id)
    apply(after, RecordEntry(after.sequence + 1, EntryKind.EXPERT, action), compose(settings))
    return ImagePreview(before, after)


def act_as_expert(
    *, image_id: int, action: dict[str, Any], actor: str, reason: str = "", seen: int | None = None
) -> None:
    """Take one of the ACTIONS of `protocol.image.expert`. `seen`: number of the last entry that the expert has seen.

    Raises ExpertError if the action does not fit the image, and ImageMovedError if the record went on after `seen`.
    """
    action = _placed(Image.objects.get(id=image_id), action)
    _append(image_id, NewEntry(EntryKind.EXPERT, action, actor=actor, reason=reason), seen=seen)


def undo_entry(*, image_id: int, entry: int, actor: str, reason: str = "", seen: int | None = None) -> None:
    """Take back an act of an expert, or an undo, by the number of its entry. `seen` is as in `act_as_expert`.

    Raises CannotUndoError if something depends on it, and ImageMovedError; answers that wait are folded first.
    """
    _append(image_id, NewEntry(EntryKind.UNDO, {"undo": entry}, actor=actor, reason=reason), seen=seen)


def preview_undo(*, image_id: int, entry: int) -> ImagePreview:
    """Return what an undo would change, without taking it. Raises CannotUndoError if something depends on the entry."""
    project = Image.objects.values_list("project_id", flat=True).get(id=image_id)
    settings = all_settings(project)
    lines = [(line, compose(settings[version])) for line, version in read_records([image_id])[image_id]]
    before = from_json(Progress.objects.get(image_id=image_id).state)
    new = RecordEntry(before.sequence + 1, EntryKind.UNDO, {"undo": entry})
    return ImagePreview(before, apply_record([*lines, (new, compose(settings_of_image(project, image_id)))]))


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


def _placed(image: Image, action: dict[str, Any]) -> dict[str, Any]:
    """Check that a box lies in the picture and a new mention in its caption. The rules know neither.

    Returns the action with all that a record holds of each new mention.
    """
    edges = {"draw": action.get("box"), "move box": action.get("to")}.get(str(action.get("action")))
    if edges is not None:
        whole = isinstance(edges, list) and len(edges) == 4 and all(type(edge) is int for edge in edges)
        if not whole or not Box(*edges).fits(image.width, image.height):
            size = f"{image.width} x {image.height} pixels"
            raise ExpertError(f"{edges!r} is not a box [x0, y0, x1, y1] inside the image of {size}.")
    for box in (box for row in action.get("labels") or () for box in row[1]):
        if not Box(*box).fits(image.width, image.height):
            raise ExpertError(f"{box!r} is not inside the image of {image.width} x {image.height} pixels.")
    if not action.get("add"):
        return action
    captions = {caption.number: caption for caption in image.captions.only("number", "text", "words", "offsets")}
    for _, caption, start, end, _, text in action["add"]:
        if caption not in captions or not 0 <= start < end <= len(captions[caption].words):
            raise ExpertError(f"Caption {caption} has no words [{start}, {end}).")
        if text != " ".join(captions[caption].words[start:end]):
            raise ExpertError(f"Words [{start}, {end}) of caption {caption} are not {text!r}.")
    return {**action, "add": mention_rows(action["add"], captions)}


def propose_boxes(
    *,
    image_id: int,
    worker_id: int,
    boxes: Sequence[Sequence[int]],
    chains: Sequence[Sequence[int]] | None = None,
    flags: Mapping[str, str] | None = None,
    actor: str = "",
) -> None:
    """Put a program's boxes in place of those of it that nobody has judged.

    `boxes`: rows of [mention, x0, y0, x1, y1], with the program's score in percent behind if it gives one. They are
    tried in this order. `chains`: lists of mentions that the program holds to be one thing, in place of those it gave
    before; None: those stay. `flags`: by the number of a mention, why its chain has no box, of a data set that is
    being checked. Whether boxes and chains are used is a setting of the project.
    """
    data = {"worker": worker_id, "boxes": [list(row) for row in boxes]}
    data |= {} if chains is None else {"chains": [list(chain) for chain in chains]}
    data |= {"flags": dict(flags)} if flags else {}
    _append(image_id, NewEntry(EntryKind.PROPOSE, data, actor=actor))


def _append(image_id: int, *entries: NewEntry, seen: int | None = None) -> None:
    """Append entries to the image's record, after the judgments that wait, for these came first."""
    for tries_left in reversed(range(TRIES)):
        try:
            with transaction.atomic():
                locked = lock_progress([image_id])
                if seen is not None and any(from_json(row.state).sequence != seen for row in locked):
                    raise ImageMovedError
                append_entries(locked, {image_id: [*waiting_judgments(locked)[image_id], *entries]})
                return
        except StateMovedError:
            if not tries_left:
                raise
