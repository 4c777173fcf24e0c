"""Use what an import holds besides captions: as annotations, gold or pre-annotations, or to check it."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from pathlib import PurePosixPath
from random import Random
from typing import NamedTuple

from django.db import transaction

from annotation.models import Gold, Image, KnownBox, Project
from annotation.rules.box import Box
from annotation.rules.dictionaries import singulars
from annotation.rules.head_noun import head_noun
from belief.boxes.box_prior import DEFAULT as DEFAULT_BOXES
from belief.links.link_prior import DEFAULT as DEFAULT_LINKS
from evaluation.reading.predictions.read_file import BoxFormUse, place
from evaluation.reading.predictions.rows import CategoryBox
from exchange.dataset import DatasetImage
from exchange.import_dataset import ImportReport, Propose
from exchange.import_image import flags_of, members_of
from pipeline.checking.begin_check import LabelledImage, box_prior_of, link_prior_of, to_check, usual_audit_rate
from pipeline.checking.label_evidence import labels_of_source
from pipeline.learning.fit_prior import heads_of_captions
from pipeline.models import Origin, Progress
from pipeline.project.settings_versions import change_settings, current_settings
from pipeline.protocol.state.progress_json import from_json
from projects.models import KnownUse, ModelPrediction
from projects.predictions.import_predictions import (
    LONGEST_NAME,
    MOST_BOXES,
    NamedImages,
    ProgramError,
    ProjectImage,
    Resolved,
    check_program,
    images_by_name,
    keep_predictions,
    program_named,
    resolved,
)
from runtime.words import counted
from workers.models import Worker

IMAGES_PER_BATCH = 500


class Used(NamedTuple):
    """The use that the known boxes of some images have found."""

    use: KnownUse
    boxes: int
    used: int
    """Boxes that are used in this way."""
    phrases: int
    """Phrases that are given pre-annotations, or whose answer is known."""

    def __str__(self) -> str:
        if not self.boxes:
            return ""
        boxes = f"{self.boxes:,} box{'' if self.boxes == 1 else 'es'} with categories"
        if self.use is KnownUse.ANNOTATIONS:
            return f"{boxes}: exported as categories."
        phrases = counted(self.phrases, "phrase")
        if self.use is KnownUse.PRE_ANNOTATIONS:
            return f"{boxes}: {self.used:,} proposed for {phrases}, {self.boxes - self.used:,} that fit no phrase."
        rest = f"{self.boxes - self.used:,} not certain or beside chains"
        return f"{boxes}: {self.used:,} as right answers about {phrases}, {rest}."


def use_known_boxes(project: Project, ids: Collection[int], use: KnownUse, *, program: str = "", by: str = "") -> Used:
    """Use the known boxes of these images of the project. Pre-annotations are due afterwards; gold is there at once.

    Boxes are exported as categories if that is their use, and never besides another one. Gold is made of what is
    certain: a phrase of one thing whose category has one box in the image. Images with gold keep it. Pre-annotations of
    the program stand behind those that it has of the same image: boxes of chains came first.
    """
    wanted = sorted(set(ids))
    total = Used(use, 0, 0, 0)
    for start in range(0, len(wanted), IMAGES_PER_BATCH):
        part = _use_some(project, wanted[start : start + IMAGES_PER_BATCH], use, program, by)
        total = Used(use, *(a + b for a, b in zip(total[1:], part, strict=True)))
    return total


@transaction.atomic
def _use_some(project: Project, ids: list[int], use: KnownUse, program: str, by: str) -> tuple[int, int, int]:
    rows = KnownBox.objects.filter(image__project=project, image_id__in=ids).order_by("id")
    rows.update(exported=use is KnownUse.ANNOTATIONS)
    count = rows.count()
    if use is KnownUse.GOLD:
        rows.filter(image__gold__complete=True).update(exported=True)  # chains are the gold there
        rows = rows.exclude(image__gold__complete=True)
    boxes: dict[str | int, list[CategoryBox]] = defaultdict(list)
    for name, category, x0, y0, x1, y1 in rows.values_list("image__name", "category", "x0", "y0", "x1", "y1"):
        boxes[name].append(CategoryBox("", name, category, (x0, y0, x1 - x0, y1 - y0), None))
    if use is KnownUse.ANNOTATIONS:
        return count, count, 0
    if use is KnownUse.GOLD:
        return count, *_as_gold(project, boxes)
    listed = [box for chain_boxes in boxes.values() for box in chain_boxes]
    found = resolved(place(listed, images_by_name(project, boxes), BoxFormUse("xywh")))
    phrases = sum(len({row[0] for row in image.boxes}) for image in found.images)
    worker = program_named(program)
    _put_behind(worker, found)
    keep_predictions(project, worker, found, by=by)
    return count, count - found.unused, phrases


def _put_behind(program: Worker, predictions: NamedImages) -> None:
    """Put the boxes behind those that the program has predicted for the images, whose chains stay."""
    there = ModelPrediction.objects.filter(
        program=program, image_id__in=[image.image.id for image in predictions.images]
    )
    before = {image: (boxes, chains) for image, boxes, chains in there.values_list("image_id", "boxes", "chains")}
    for image in predictions.images:
        boxes, image.chains = before.get(image.image.id, ([], []))
        image.boxes = boxes + [row for row in image.boxes if row not in boxes]


def _as_gold(project: Project, boxes: dict[str | int, list[CategoryBox]]) -> tuple[int, int]:
    """Write gold of images that have none. Returns the number of boxes that are in it, and of phrases."""
    used = phrases = 0
    images = images_by_name(project, boxes)
    there = set(
        Gold.objects.filter(image_id__in=[image.id for image in images.values()]).values_list("image_id", flat=True)
    )
    rows = []
    for name, image in images.items():
        chains = _certain_chains(image, boxes[name])
        used += len(chains)
        phrases += sum(len(mentions) for mentions in chains.values())
        if chains and image.id not in there:
            rows.append(Gold(image_id=image.id, chains=_rows(chains), complete=False))
    Gold.objects.bulk_create(rows)
    return used, phrases


def _certain_chains(image: ProjectImage, boxes: Iterable[CategoryBox]) -> dict[CategoryBox, list[int]]:
    """Return the phrases by their box: those of one thing, where only one box of the image can be meant."""
    fitting: dict[int, list[CategoryBox]] = defaultdict(list)
    for box in boxes:
        for phrase in image.of_category(box.category):
            if phrase.number is not None and _is_one(phrase.words):
                fitting[phrase.number].append(box)
    chains: dict[CategoryBox, list[int]] = defaultdict(list)
    for number, found in sorted(fitting.items()):
        if len(found) == 1:
            chains[found[0]].append(number)
    return chains


def _is_one(words: str) -> bool:
    """Tell whether a phrase is about one thing, as far as its head noun tells."""
    head = head_noun(words.split())
    return singulars(head) == (head,)


def _rows(chains: dict[CategoryBox, list[int]]) -> list[dict[str, object]]:
    return [
        {
            "name": str(place),
            "mentions": mentions,
            "scene": False,
            "open": False,
            "boxes": [[x, y, x + width, y + height]],
        }
        for place, ((x, y, width, height), mentions) in enumerate(
            ((box.bbox, mentions) for box, mentions in chains.items()), start=1
        )
    ]


MAX_IMAGES = 500
"""The labels of this many images teach at most: some seconds of work."""
MIN_IMAGES = 30
"""With fewer images, the priors of a new project know more."""


def learn_labels(project: Project, *, by: str = "") -> None:
    """Add a version of the settings with priors of the labels, unless there are too few, or priors are chosen."""
    settings = current_settings(project.pk)[1]
    if not settings.reference_set or settings.learned.links != DEFAULT_LINKS or settings.learned.boxes != DEFAULT_BOXES:
        return
    rows = ModelPrediction.objects.filter(project=project, program=settings.reference_set)
    images = list(rows.order_by("image").values_list("image", flat=True))
    if len(images) < MIN_IMAGES:
        return
    drawn = sorted(Random(f"labels of {project.pk}").sample(images, min(MAX_IMAGES, len(images))))
    labelled = _read(project, settings.reference_set, drawn)
    learned = replace(settings.learned, boxes=box_prior_of(labelled))
    with suppress(ValueError):  # no two phrases of its captions can be one thing
        learned = replace(learned, links=link_prior_of(labelled, heads_of_captions([project.pk])))
    reason = f"priors of the labels of {len(labelled)} images"
    changed = replace(settings, learned=learned)
    change_settings(project_id=project.pk, settings=changed, reason=reason, made_by=by, origin=Origin.FITTED)


def _read(project: Project, program: int, images: list[int]) -> list[LabelledImage]:
    states = dict(Progress.objects.filter(image__in=images).values_list("image", "state"))
    found: list[LabelledImage] = []
    rows = ModelPrediction.objects.filter(project=project, program=program, image__in=images).order_by("image")
    for image, boxes, chains, flags in rows.values_list("image", "boxes", "chains", "flags"):
        mentions = from_json(states[image]).mentions
        found.append((list(mentions.values()), labels_of_source(boxes, chains, flags, mentions)))
    return found


NOTHING = {KnownUse.GOLD: "gold", KnownUse.PRE_ANNOTATIONS: "proposed", KnownUse.CHECK: "checked"}
SWITCHED_OFF = "Nobody is shown pre-annotations until “Boxes and links of programs” is switched on in the settings."


def program_of(source: str, project: str) -> str:
    """Return the name of a source as a program; that of the project for uploaded files, whose source is empty."""
    name = PurePosixPath(source.rstrip("/")).name.removesuffix(".zip") or project
    return "".join(sign if sign.isprintable() else "?" for sign in f"import of {name}")[:LONGEST_NAME]


class UseOfImport:
    """The use of what is known in one import. `finish` is called when its images are there.

    Raises ProgramError for a program's name that cannot be used.
    """

    def __init__(self, use: KnownUse, program: str, *, by: str = "") -> None:
        if use.by_program:
            check_program(program)
        self.use, self.program, self.by = use, program, by
        self._flags = self._beyond = 0

    @property
    def gold(self) -> bool:
        return self.use is KnownUse.GOLD

    @property
    def labelled(self) -> bool:
        """Whether a source without any chain is of no use."""
        return self.use is KnownUse.CHECK

    @property
    def propose(self) -> Propose | None:
        return self._propose if self.use.by_program else None

    def _propose(self, row: Image, image: DatasetImage) -> None:
        """Keep the chains and boxes that came with an image as predictions. They are due until they are entered."""
        boxes: dict[str, list[Box]] = defaultdict(list)
        for image_box in image.boxes:
            for name in image_box.chains:
                boxes[name].append(image_box.box)
        members, flags = members_of(image), flags_of(image)
        most = (
            MOST_BOXES if self.use is KnownUse.PRE_ANNOTATIONS else None
        )  # a label that is checked keeps all its boxes
        self._flags += len(flags)
        self._beyond += sum(len(numbers) * len(boxes[name][most:]) for name, numbers in members.items() if most)
        ranked = [
            (rank, [number, *box])
            for name, numbers in members.items()
            for number in numbers
            for rank, box in enumerate(boxes[name][:most])
        ]
        rows = [row for _, row in sorted(ranked, key=lambda one: one[0])]
        place = ProjectImage(row.name, row.width, row.height, id=row.pk)
        found = NamedImages([Resolved(place, rows, list(members.values()))])
        program = program_named(self.program)
        if self.use is KnownUse.CHECK:
            found.images[0].flags = {
                str(mention): flags[name] for name in members.keys() & flags for mention in members[name]
            }
            begin_check(row.project, program, by=self.by)
        keep_predictions(row.project, program, found, by=self.by)

    def finish(self, project: Project, report: ImportReport) -> str:
        """Use boxes with a category in the same way, and return sentences that tell what became of everything.

        Pre-annotations are due afterwards: the caller enters them.
        """
        if self.use is KnownUse.CHECK:
            learn_labels(project, by=self.by)
        if self.use is KnownUse.CHECK and report.chains:
            draw_check_audit(project, report.chains, by=self.by)
        use = KnownUse.ANNOTATIONS if self.use is KnownUse.CHECK else self.use  # what has no chain is not checked
        known = use_known_boxes(project, report.ids, use, program=self.program, by=self.by)
        unchecked = f"Not checked: {known}" if known.boxes and self.use is KnownUse.CHECK else str(known)
        return " ".join(filter(None, chain(self._of_chains(project, report, boxes=known.boxes), [unchecked])))

    def _of_chains(self, project: Project, report: ImportReport, *, boxes: int) -> Iterator[str]:
        boxed = f"{report.chain_boxes:,} box{'' if report.chain_boxes == 1 else 'es'}"
        what = f"{counted(report.chains, 'chain')} with {boxed}"
        images = counted(report.with_chains, "image")
        pre_annotated, checked = self.use is KnownUse.PRE_ANNOTATIONS, self.use is KnownUse.CHECK
        if not report.chains and self.use is not KnownUse.ANNOTATIONS and report.images and not boxes:
            yield f"The source has neither chains nor boxes: nothing is {NOTHING[self.use]}."
        elif report.chains and self.use is KnownUse.ANNOTATIONS:
            yield f"{what} are annotations: {images} came with them."
        elif report.chains and self.use is KnownUse.GOLD:
            yield f"{what} are right answers about {images}."
        elif report.chains:
            done = f"are checked in {images}, as" if checked else f"are proposed for {images} by"
            yield f"{what} {done} the program “{self.program}”."
            if self._flags and pre_annotated:
                yield f"Flags (scene, no box) of {counted(self._flags, 'chain')} are not: programs propose none."
            if checked and (rest := report.images - report.with_chains):
                yield f"{counted(rest, 'image')} without chains: not checked, people are asked everything there."
            if self._beyond:
                yield f"Boxes left out behind the {MOST_BOXES} first ones of their phrase: {self._beyond:,}."
        if pre_annotated and (report.chains or boxes) and not current_settings(project.pk)[1].pre_annotations:
            yield SWITCHED_OFF


def let_check(project: Project | None, program: str) -> None:
    """Raise ProgramError if the project checks another data set already. `program`: stands for the new one."""
    checked = current_settings(project.pk)[1].reference_set if project else 0
    other = Worker.objects.filter(pk=checked).exclude(name=program).first() if checked else None
    if other:
        raise ProgramError(f"The project checks “{other.name}” already: import “{program}” into a project of its own.")


def begin_check(project: Project, source: Worker, *, by: str = "") -> None:
    """Let the project's settings check what `source` says, unless they do. Raises ProgramError as `let_check`."""
    settings = current_settings(project.pk)[1]
    if settings.reference_set == source.pk:
        return
    let_check(project, source.name)
    changed = to_check(settings, source.pk)
    change_settings(project_id=project.pk, settings=changed, reason="a data set is checked", made_by=by)


def draw_check_audit(project: Project, chains: int, *, by: str = "") -> None:
    """Let people judge so many of the data set's chains at random that the share of wrong ones will be known.

    Nothing is changed where the settings draw an audit of a check already, or none at all.
    """
    settings = current_settings(project.pk)[1]
    if settings.reference_set and settings.audit_rate and not settings.check_audit_rate:
        changed = replace(settings, check_audit_rate=usual_audit_rate(chains))
        reason = "the share of wrong labels is estimated at random"
        change_settings(project_id=project.pk, settings=changed, reason=reason, made_by=by)
