"""Use boxes that came with a category and without a chain, as in COCO's instances, in the way that was chosen."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import NamedTuple

from django.db import transaction

from annotation.models import Gold, KnownBox, Project
from annotation.rules.dictionaries import singulars
from annotation.rules.head_noun import head_noun
from evaluation.reading.predictions.read_file import BoxFormUse, place
from evaluation.reading.predictions.rows import CategoryBox
from projects.models import KnownUse, ModelPrediction
from projects.predictions.import_predictions import keep_predictions, program_named
from projects.predictions.phrases import NamedImages, ProjectImage, images_by_name, resolved
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


def _put_behind(program: Worker, found: NamedImages) -> None:
    """Put the boxes behind those that the program has predicted for the images, whose chains stay."""
    there = ModelPrediction.objects.filter(program=program, image_id__in=[image.image.id for image in found.images])
    before = {image: (boxes, chains) for image, boxes, chains in there.values_list("image_id", "boxes", "chains")}
    for image in found.images:
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
