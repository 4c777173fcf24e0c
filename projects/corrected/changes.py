"""Changes of a project that checks a data set: read from its images, a part of them at a time."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from annotation.models import Project
from exchange.load_project import column_text
from pipeline.checking.changed_labels import compare_labels
from pipeline.checking.found_by import ChangeSupport, found_by
from pipeline.checking.label import ChainLabel, labels_now, labels_of_source
from pipeline.checking.word_of_expert import ChangeDecision, Decided, ExpertAct, decided, taken_back
from pipeline.models import Entry, Progress
from pipeline.project.settings_versions import checked_source
from pipeline.protocol.image.machine import EntryKind, RecordEntry
from pipeline.protocol.image.merging import final_confidence
from pipeline.protocol.image.undo import skipped_entries
from pipeline.protocol.state.progress import ImageProgress
from pipeline.protocol.state.progress_json import from_text
from projects.models import ModelPrediction

IMAGES_AT_ONCE = 100
PARTS = ("started", "mentions", "chains", "boxes", "votes", "program_chains", "merged")
"""The parts of an image's progress that are read."""
OF_PHRASES = frozenset({"retype", "rechunk", "chunk"})
"""Acts after which phrases and types may be others than at import."""


class NothingCheckedError(Exception):
    """The project checks no data set; the message says how to begin."""

    def __init__(self, project: Project) -> None:
        super().__init__(
            f"{project.name} checks no data set, so there are no changes of one. Import one with "
            "`import_dataset PROJECT SOURCE --as check`."
        )


class SupportedChange(NamedTuple):
    """A change, and all that is known of it."""

    decided: Decided
    found: ChangeSupport
    mentions: float | None
    """The chance, 0 to 1, that its chains have the right phrases: that of the least sure one. None: unknown."""
    boxes: float | None
    """The same of their boxes."""

    @property
    def is_open(self) -> bool:
        """Whether no expert has confirmed it or taken it back."""
        return self.decided.decision is ChangeDecision.BY_ANSWERS


class CheckedImage(NamedTuple):
    """The labels of an image, as the check has made them."""

    image: int
    name: str
    position: int
    """Its place in import order."""
    changes: list[SupportedChange]
    same: int
    """The labels that are settled and as they were."""
    in_question: int
    phrases: dict[int, str]
    """The words of each mention, those of removed ones included."""
    progress: ImageProgress
    acts: Sequence[ExpertAct]
    """Acts of experts that are in force, the oldest first."""


def corrected_source(project: Project) -> int:
    """Return the number of the program that stands for the data set. Raises NothingCheckedError."""
    if not (source := checked_source(project.pk)):
        raise NothingCheckedError(project)
    return source


def image_ids(project: Project, *, after: int = -1, most: int | None = None) -> list[int]:
    """Return the images that the data set has labels of, in import order.

    `after`: the place of an image, behind which they begin. `most`: of them; None: all.
    """
    rows = ModelPrediction.objects.filter(project=project, program=corrected_source(project))
    ordered = rows.filter(image__position__gt=after).order_by("image__position")
    return list(ordered.values_list("image_id", flat=True)[:most])


def changes_of(project: Project, ids: Sequence[int]) -> Iterator[CheckedImage]:
    """Yield what the check has made of these images, in their order, with five statements for each part of them."""
    source = corrected_source(project)
    for start in range(0, len(ids), IMAGES_AT_ONCE):
        yield from _part(project, source, ids[start : start + IMAGES_AT_ONCE])


def _part(project: Project, source: int, ids: Sequence[int]) -> Iterator[CheckedImage]:
    rows = ModelPrediction.objects.filter(project=project, program=source, image__in=ids).order_by()
    said = {image: row for image, *row in rows.values_list(*SAID)}
    states = dict(Progress.objects.filter(image_id__in=ids).values_list("image_id", column_text("state")))
    acts = _acts(ids)
    imported = _imported([image for image in ids if any(act.data["action"] in OF_PHRASES for act in acts[image])])
    for image in ids:
        if image in said and image in states:
            yield _image(image, said[image], from_text(states[image], *PARTS), acts[image], imported[image], source)


SAID = ("image_id", "image__name", "image__position", "boxes", "chains", "flags")


def _image(
    image: int,
    columns: Sequence[Any],
    progress: ImageProgress,
    acts: Sequence[ExpertAct],
    imported: dict[int, tuple[list[str], str]],
    source: int,
) -> CheckedImage:
    name, position, boxes, chains, flags = columns
    labels = labels_of_source(boxes, chains, flags, progress.mentions.keys() | imported.keys())
    types = {number: types for number, (types, _) in imported.items()}
    now = compare_labels(labels, progress, types)
    every = [decided(change, progress, acts) for change in now.changes]
    if acts:
        every = sorted([*every, *taken_back(labels_now(progress), acts)], key=_first)
    told = [
        SupportedChange(change, found_by(progress, change.change, source), *_chances(progress, change.change.after))
        for change in every
    ]
    phrases = {number: text for number, (_, text) in imported.items()}
    phrases |= {number: mention.text for number, mention in progress.mentions.items()}
    return CheckedImage(image, name, position, told, now.same, now.in_question, phrases, progress, acts)


def _first(one: Decided) -> int:
    return min(one.change.mentions)


def _chances(progress: ImageProgress, labels: Sequence[ChainLabel]) -> tuple[float | None, float | None]:
    """Return the lowest chances of these labels' chains that they are right: of phrases, and of boxes."""
    wanted = {number for label in labels for number in label.mentions}
    chains = [chain for chain in progress.chains.values() if wanted.intersection(chain.mentions)]
    phrases = [chance for chain in chains if (chance := final_confidence(progress, chain.name)) is not None]
    boxes = [chain.box_confidence for chain in chains if chain.box_confidence is not None]
    return min(phrases, default=None), min(boxes, default=None)


def _acts(ids: Sequence[int]) -> dict[int, list[ExpertAct]]:
    """Return the acts of experts that are in force, by image, the oldest first."""
    kinds = (EntryKind.EXPERT.value, EntryKind.UNDO.value)
    rows = Entry.objects.filter(image_id__in=ids, kind__in=kinds).order_by("image_id", "sequence")
    records: dict[int, list[tuple[RecordEntry, str]]] = defaultdict(list)
    for image, sequence, kind, data, actor in rows.values_list("image_id", "sequence", "kind", "data", "actor"):
        records[image].append((RecordEntry(sequence, EntryKind(kind), data), actor))
    found: dict[int, list[ExpertAct]] = defaultdict(list)
    for image, record in records.items():
        undone = skipped_entries(entry for entry, _ in record)
        found[image] = [
            ExpertAct(entry.sequence, actor, entry.data)
            for entry, actor in record
            if entry.kind is EntryKind.EXPERT and entry.sequence not in undone
        ]
    return found


def _imported(ids: Sequence[int]) -> dict[int, dict[int, tuple[list[str], str]]]:
    """Return the types and words of the mentions of these images at import, by image and number."""
    rows = Entry.objects.filter(image_id__in=ids, sequence=0).values_list("image_id", "data") if ids else ()
    found: dict[int, dict[int, tuple[list[str], str]]] = defaultdict(dict)
    for image, data in rows:
        found[image] = {number: (types, text) for number, _, _, _, types, text, *_ in data["mentions"]}
    return found
