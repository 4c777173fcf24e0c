"""Write the corrected set of a checked project: its source, with the labels that the check has changed."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from django.db.models import QuerySet

from annotation.models import Caption, Project
from annotation.rules.box import Box
from exchange.checks import Defect, source_error
from exchange.corrected import CorrectedReport, Corrections, write_corrected
from exchange.dataset import DatasetImage, DatasetMention
from exchange.import_dataset import KnownImage, KnownImages
from exchange.import_dataset import Progress as ImportProgress
from exchange.import_image import flags_of, members_of
from exchange.load_project import column_text
from pipeline.checking.changed_labels import compare_labels
from pipeline.checking.label_evidence import labels_of_source
from pipeline.models import Progress
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.state.progress import ImageProgress
from pipeline.protocol.state.progress_json import from_text
from projects.models import ModelPrediction
from projects.predictions.import_predictions import ProgramError
from runtime.installed import COMMAND
from runtime.words import counted

IMAGES_AT_ONCE = 100


@dataclass(slots=True)
class CorrectionCounts:
    """Numbers of a corrected set."""

    images: int = 0
    """Images of the source that are being checked."""
    labels: int = 0
    """Their labels in the source."""
    changed: int = 0
    """Labels of the source that are no longer as they were."""
    in_question: int = 0
    """Labels that are not settled, and stay as the source has them."""
    elsewhere: list[str] = field(default_factory=list)
    """Images of the source that the project does not have, or has not to check."""


class ProjectCorrections:
    """The corrections of a project. Raises ProgramError for a project that checks no data set."""

    def __init__(self, project: Project) -> None:
        self.project, self.counts = project, CorrectionCounts()
        self.program = current_settings(project.pk)[1].reference_set
        if not self.program:
            raise ProgramError(
                f"{project.name} checks no data set. Import one to check: {COMMAND} import_dataset {project.name} "
                "SOURCE --as check."
            )
        self.known = KnownImages(project)
        self.left = set(self._predictions().values_list("image_id", flat=True))
        """Ids of images that are being checked, and that the source has not shown yet."""

    def of(self, images: Iterable[DatasetImage]) -> Iterator[tuple[DatasetImage, Corrections | None]]:
        """Yield the images with their corrections; None: nothing changed.

        Raises Defect, with the image's name, for one that differs from the project's.
        """
        images = iter(images)
        while some := list(islice(images, IMAGES_AT_ONCE)):
            here = [(image, self.known.find(image)) for image in some]
            stored = self._stored([known.id for _, known in here if known])
            for image, known in here:
                own = stored.get(known.id) if known else None
                if known is None or own is None:
                    self.counts.elsewhere.append(image.path or image.name)
                    yield image, None
                else:
                    self.left.discard(known.id)
                    yield image, self._corrections(image, known, own)

    def missing(self) -> list[str]:
        """Return the names of the images that are being checked, and that the source did not have."""
        return sorted(self.project.images.filter(id__in=self.left).values_list("name", flat=True))

    def _predictions(self) -> QuerySet[ModelPrediction]:
        return ModelPrediction.objects.filter(project=self.project, program_id=self.program)

    def _stored(self, ids: Sequence[int]) -> dict[int, "_Stored"]:
        found = {
            prediction.image_id: _Stored(prediction) for prediction in self._predictions().filter(image_id__in=ids)
        }
        texts = Caption.objects.filter(image_id__in=ids).order_by("image_id", "number")
        for image, text in texts.values_list("image_id", "text"):
            if image in found:
                found[image].captions.append(text)
        for image, state in Progress.objects.filter(image_id__in=ids).values_list("image_id", column_text("state")):
            if image in found:
                found[image].progress = from_text(state)
        return found

    def _corrections(self, image: DatasetImage, known: KnownImage, stored: "_Stored") -> Corrections | None:
        progress = stored.progress
        _check_same(image, known, stored)
        source, there = stored.source, progress.mentions.keys()
        given = {number: mention.types for number, mention in enumerate(image.mentions) if mention.types}
        before = labels_of_source(source.boxes, source.chains, source.flags, there)
        found = compare_labels(before, progress, given)
        gone = frozenset(range(len(image.mentions))) - there
        instead = [label for change in found.changes for label in change.after]
        touched = gone.union(
            *(label.mentions for change in found.changes for label in change.before if label not in change.after)
        )
        retyped = {type_.mention for change in found.changes for type_ in change.types}
        self.counts.images += 1
        self.counts.labels += len(source.chains)
        self.counts.changed += sum(not (touched | retyped).isdisjoint(chain) for chain in source.chains)
        self.counts.in_question += found.in_question
        if not instead and not gone:
            return None
        mentions = {
            number: DatasetMention(mention.caption, mention.start, mention.end, _types(image, number, mention.types))
            for number, mention in progress.mentions.items()
        }
        return Corrections(instead, mentions, gone)


@dataclass(slots=True)
class _Stored:
    """The source, the captions and the progress of an image in the project."""

    source: ModelPrediction
    captions: list[str] = field(default_factory=list)
    progress: ImageProgress = field(default_factory=ImageProgress)


def _types(image: DatasetImage, number: int, now: Sequence[str]) -> tuple[str, ...]:
    """Return the types of a mention as the source is to have them: its own, and in its order, unless they changed."""
    own = image.mentions[number].types if number < len(image.mentions) else tuple(now)
    return own if not own or set(own) == set(now) else tuple(now)


def _check_same(image: DatasetImage, known: KnownImage, stored: _Stored) -> None:
    """Raise Defect unless the source's image is the one that was imported."""
    name = image.path or image.name
    if (image.width, image.height) != (known.width, known.height):
        there = f"{image.width} x {image.height} pixels in the source, and {known.width} x {known.height}"
        raise Defect(f"{name} has {there} in the project")
    for number, (caption, text) in enumerate(zip(image.captions, stored.captions, strict=False), start=1):
        if caption.text != text:
            raise Defect(f"caption {number} of {name} is {caption.text[:60]!r} in the source, and {text[:60]!r} here")
    if len(image.captions) != len(stored.captions):
        raise Defect(f"{name} has {len(image.captions)} captions in the source, and {len(stored.captions)} here")
    for number, mention in stored.progress.mentions.items():
        if number < len(image.mentions):
            other = image.mentions[number]
            if (other.caption, other.start, other.end) != (mention.caption, mention.start, mention.end):
                raise Defect(f"phrase {number + 1} of {name} is another one in the project: “{mention.text}”")
    members, boxes = members_of(image), _boxes_of(image)
    if sorted(members.values()) != sorted(stored.source.chains):
        raise Defect(f"the chains of {name} are others than those that were imported")
    rows = {
        (number, *box)
        for chain, chain_boxes in boxes.items()
        for box in chain_boxes
        for number in members.get(chain, ())
    }
    if rows != {tuple(row) for row in stored.source.boxes}:
        raise Defect(f"the boxes of {name} are others than those that were imported")
    flags = flags_of(image)
    if {
        str(mention): flags[chain] for chain in members.keys() & flags for mention in members[chain]
    } != stored.source.flags:
        raise Defect(f"the flags (scene, no box) of {name} are others than those that were imported")


def _boxes_of(image: DatasetImage) -> dict[str, list[Box]]:
    """Return the boxes of each chain, in the order of the source."""
    found: dict[str, list[Box]] = defaultdict(list)
    for box in image.boxes:
        for chain in box.chains:
            found[chain].append(box.box)
    return found


@dataclass(frozen=True, slots=True)
class CorrectedSet:
    """A corrected set that was written."""

    report: CorrectedReport
    counts: CorrectionCounts

    def sentences(self) -> list[str]:
        """Say what changed, what did not, and what could not be written."""
        counts, report = self.counts, self.report
        said = [
            f"{counts.changed:,} of {counted(counts.labels, 'label')} changed, in {counted(report.changed, 'image')} "
            f"of {counts.images:,}. All else is as in the source."
        ]
        if counts.in_question:
            is_are = "is still in question and stays" if counts.in_question == 1 else "are still in question and stay"
            said.append(f"{counted(counts.in_question, 'label')} {is_are} as in the source.")
        if counts.elsewhere:
            first = f"{counted(len(counts.elsewhere), 'image')} of the source (first: {counts.elsewhere[0]})"
            said.append(f"Not checked, and as in the source: {first}.")
        if report.problems:
            said.append(f"Not readable, and as in the source: {report.problems[0]}")
        said += [f"{often:,} {why} (first: {report.examples[why]})." for why, often in report.unwritten.items()]
        return said


def export_corrected(
    *,
    project: Project,
    source: Path | str,
    target: Path,
    source_format: str | None = None,
    pictures: bool = False,
    part: bool = False,
    within: Collection[Path] | None = None,
    progress: ImportProgress = lambda images, total: images,
) -> CorrectedSet:
    """Write the source that the project checks to `target`, as `write_corrected` does, and return what changed.

    `part`: the project was imported from several sources, of which this is one. `within`: see `exchange.source.opened`.
    Raises ProgramError for a project that checks nothing, SourceError for a source that lacks images of the project or
    differs from what was imported, and TargetExists.
    """
    corrections = ProjectCorrections(project)

    def ended() -> None:
        if not corrections.counts.images:
            raise source_error(source, f"has no image that {project.name} checks: give what was imported")
        if (missing := corrections.missing()) and not part:
            raise source_error(
                source,
                f"lacks {counted(len(missing), 'image')} that {project.name} checks (first: {missing[0]}): give all "
                "that was imported, or --part for one of several sources",
            )

    report = write_corrected(
        path=source,
        target=target,
        corrector=corrections.of,
        source_format=source_format,
        pictures=pictures,
        within=within,
        ended=ended,
        progress=progress,
    )
    return CorrectedSet(report, corrections.counts)
