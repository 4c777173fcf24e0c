"""Use what an import holds besides captions: as annotations, gold or pre-annotations, or to check it."""

from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from pathlib import PurePosixPath
from random import Random

from annotation.models import Image, Project
from annotation.rules.box import Box
from belief.boxes.box_prior import DEFAULT as DEFAULT_BOXES
from belief.links.link_prior import DEFAULT as DEFAULT_LINKS
from exchange.dataset import DatasetImage
from exchange.import_dataset import ImportReport, Propose
from exchange.import_image import flags_of, members_of
from pipeline.checking.begin_check import LabelledImage, box_prior_of, link_prior_of, to_check, usual_audit_rate
from pipeline.checking.label import labels_of_source
from pipeline.learning.fit_prior import heads_of_captions
from pipeline.models import Origin, Progress
from pipeline.project.settings_versions import change_settings, current_settings
from pipeline.protocol.state.progress_json import from_json
from projects.models import KnownUse, ModelPrediction
from projects.predictions.import_predictions import (
    LONGEST_NAME,
    ProgramError,
    check_program,
    keep_predictions,
    program_named,
)
from projects.predictions.phrases import MOST_BOXES, NamedImages, ProjectImage, Resolved
from projects.predictions.use_known_boxes import use_known_boxes
from runtime.words import counted
from workers.models import Worker

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
