"""Changes that a check has made of a data set, a part of its images at a time, and the lines of changes.jsonl."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Annotated, Any, NamedTuple

from typing_extensions import TypedDict

from annotation.models import Project
from annotation.rules.states import NonVisual
from exchange.declared import Chance, Corners, Count, OneOf, TypeName
from exchange.jsonl.write import pseudonym, pseudonym_of_expert
from exchange.load_project import column_text, programs_of_service
from pipeline.checking.changed_labels import (
    ChangeDecision,
    ChangeSupport,
    Decided,
    ExpertAct,
    LabelChange,
    compare_labels,
    decided,
    found_by,
    taken_back,
)
from pipeline.checking.kinds_of_error import ERRORS, Error, ErrorKind
from pipeline.checking.label_evidence import ChainLabel, labels_now, labels_of_source
from pipeline.models import Entry, Progress
from pipeline.project.settings_versions import checked_source
from pipeline.protocol.image.machine import EntryKind, RecordEntry
from pipeline.protocol.image.merging import final_confidence
from pipeline.protocol.image.undo import skipped_entries
from pipeline.protocol.state.progress import ImageProgress
from pipeline.protocol.state.progress_json import from_text
from projects.models import ModelPrediction
from workers.models import Worker

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
        every = sorted([*every, *taken_back(labels_now(progress), acts)], key=lambda one: min(one.change.mentions))
    told = [
        SupportedChange(change, found_by(progress, change.change, source), *_chances(progress, change.change.after))
        for change in every
    ]
    phrases = {number: text for number, (_, text) in imported.items()}
    phrases |= {number: mention.text for number, mention in progress.mentions.items()}
    return CheckedImage(image, name, position, told, now.same, now.in_question, phrases, progress, acts)


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


def found_in_words(change: SupportedChange) -> list[str]:
    """Return who speaks for a change, with one statement."""
    return list(found_by_names(change, names_of([change])))


def names_of(changes: Iterable[SupportedChange]) -> dict[int, str]:
    """Return the names of those whose answers and predictions speak for changes, by number."""
    numbers = {number for change in changes for number in (*change.found.answers, *change.found.predictions)}
    return dict(Worker.objects.filter(pk__in=numbers).values_list("id", "name")) if numbers else {}


def found_by_names(change: SupportedChange, names: Mapping[int, str]) -> Iterator[str]:
    """Yield the people and programs that speak for a change. `names`: of workers, by number."""
    for number, count in change.found.answers.items():
        if number in names:
            yield names[number] if count == 1 else f"{names[number]} ({count} answers)"
    for number in change.found.predictions:
        if number in names:
            yield f"{names[number]} (predicted it)"


def decision_in_words(change: SupportedChange) -> str:
    """Return the last word on a change, and whose it is."""
    experts = ", ".join(dict.fromkeys(act.actor or "unknown" for act in change.decided.acts))
    return f"{change.decided.decision}: {experts}" if experts else change.decided.decision.value


class LabelRow(TypedDict):
    """A chain with all that is said of it."""

    mentions: Sequence[Count]
    """The numbers of its mentions, as in an export of the project's record."""
    phrases: Sequence[str]
    """Their words, in the same order."""
    boxes: Sequence[Corners]
    """Its boxes, [x0, y0, x1, y1] in pixels, end exclusive."""
    flag: Annotated[str, OneOf(["", *NonVisual])]
    """The reason for having no box; empty: it has boxes, or nothing is said."""


class BoxRow(TypedDict):
    """A box that changed."""

    kind: Annotated[str, OneOf(ErrorKind)]
    """The error in the box before, or in its absence."""
    before: Corners | None
    """The box of the source; null: there was none."""
    after: Corners | None
    """The box now; null: there is none."""
    iou: Chance | None
    """The overlap of the two; null: there is one box only."""


class TypesRow(TypedDict):
    """A phrase whose types changed."""

    mention: Count
    """The number of the mention."""
    before: Sequence[TypeName]
    """Its types at import."""
    after: Sequence[TypeName]
    """Its types now."""


class PersonRow(TypedDict):
    """A worker whose answers speak for the change."""

    worker: str
    """A pseudonym, the same as in other exports of the project."""
    votes: Count
    """The number of these answers."""


class ProgramRow(TypedDict):
    """A program that speaks for the change."""

    program: str
    """Its name."""
    votes: Count
    """The number of its answers for the change, as a model annotator."""
    predictions: Count
    """The number of its boxes and pairs of phrases that are as after the change."""


class ConfidenceRow(TypedDict):
    """The chance that the labels are right, of the least sure one of them."""

    mentions: Chance | None
    """The chance that a chain has exactly the right phrases; null: unknown."""
    boxes: Chance | None
    """The chance that its boxes are right and all there; null: unknown."""


class ChangeLine(TypedDict):
    """Labels that share phrases, and are others than the data set has. Labels still in question have no line."""

    image: str
    """The name of the image."""
    kinds: Sequence[Annotated[str, OneOf(ErrorKind)]]
    """The ways in which the labels were wrong."""
    errors: Sequence[Annotated[str, OneOf(Error)]]
    """The same as an error analysis counts them; none for flags and types."""
    before: Sequence[LabelRow]
    """The labels of the data set; none: its phrases are new."""
    after: Sequence[LabelRow]
    """The labels now, or, if they were taken back, those that took their place for a while."""
    boxes: Sequence[BoxRow]
    """Boxes that changed; if phrases changed their chains, those of all labels together."""
    types: Sequence[TypesRow]
    """Phrases whose types an expert changed."""
    people: Sequence[PersonRow]
    """The workers who found it; none once an expert has sent the chain on, which empties its answers."""
    programs: Sequence[ProgramRow]
    """The programs that found it."""
    experts: Sequence[str]
    """Pseudonyms of the members who confirmed it, made it, or took it back."""
    votes: Count
    """The number of people's answers that speak for it."""
    confidence: ConfidenceRow
    """The chance that the labels after it are right."""
    state: Annotated[str, OneOf(ChangeDecision)]
    """The decision about it. A label that was taken back is as in the data set again."""


def lines_of(project: Project) -> Iterator[str]:
    """Yield the lines of the file, each with its end. Raises NothingCheckedError."""
    for row in changed_rows(project, image_ids(project)):
        yield json.dumps(row, ensure_ascii=False, sort_keys=True) + "\n"


def changed_rows(project: Project, ids: Sequence[int]) -> Iterator[ChangeLine]:
    """Yield the changes of these images, in their order and by first mention."""
    who = SpeakerNames(project)
    for image in changes_of(project, ids):
        for told in image.changes:
            yield who.row(image, told)


class SpeakerNames:
    """Names of those who speak for changes; each is read once."""

    def __init__(self, project: Project) -> None:
        self.worker = cache(lambda number: pseudonym(project.pk, number))
        self.expert = cache(lambda name: pseudonym_of_expert(project.pk, name))
        self.programs = programs_of_service()

    def row(self, image: CheckedImage, supported: SupportedChange) -> ChangeLine:
        """Return the line of a change."""
        change, found = supported.decided.change, supported.found
        people = [(number, count) for number, count in found.answers.items() if number not in self.programs]
        programs = sorted((found.answers.keys() | found.predictions.keys()) & self.programs.keys())
        return {
            "image": image.name,
            "kinds": [kind.value for kind in change.kinds],
            "errors": [error.value for error in errors_of(change)],
            "before": [_label(chain, image) for chain in change.before],
            "after": [_label(chain, image) for chain in change.after],
            "boxes": [
                {
                    "kind": box.kind.value,
                    "before": list(box.before) if box.before else None,
                    "after": list(box.after) if box.after else None,
                    "iou": None if box.iou is None else round(box.iou, 4),
                }
                for box in change.boxes
            ],
            "types": [
                {"mention": type_.mention, "before": list(type_.before), "after": list(type_.after)}
                for type_ in change.types
            ],
            "people": [{"worker": self.worker(number), "votes": count} for number, count in people],
            "programs": [
                {
                    "program": self.programs[number],
                    "votes": found.answers.get(number, 0),
                    "predictions": found.predictions.get(number, 0),
                }
                for number in programs
            ],
            "experts": list(dict.fromkeys(self.expert(act.actor) for act in supported.decided.acts)),
            "votes": sum(count for _, count in people),
            "confidence": {"mentions": supported.mentions, "boxes": supported.boxes},
            "state": supported.decided.decision.value,
        }


def errors_of(change: LabelChange) -> list[Error]:
    """Return the kinds of error of the paper that a change corrects, in the order of their declaration."""
    found = {error for kind in change.kinds for error in ERRORS[kind]}
    return [error for error in Error if error in found]


def _label(label: ChainLabel, image: CheckedImage) -> LabelRow:
    return {
        "mentions": list(label.mentions),
        "phrases": [image.phrases.get(number, "") for number in label.mentions],
        "boxes": [list(box) for box in label.boxes],
        "flag": label.flag,
    }
