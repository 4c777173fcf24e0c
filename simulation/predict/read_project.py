"""Read a project's images for a prediction: a sample, the images whose truth is known, and what those took."""

import random
from collections.abc import Collection, Iterator, Sequence

from django.db.models import Count

from annotation.models import Gold, Image, Mention
from annotation.rules.box import Box
from annotation.rules.states import ImageState, NonVisual
from pipeline.models import Judgment, Progress
from pipeline.rules.image.merging import final_chain
from pipeline.rules.progress.progress import ImageProgress
from pipeline.rules.progress.progress_json import from_json
from simulation.predict.so_far import OVER
from simulation.predict.subject import Subject
from simulation.view import GoldChain, GoldImage

MOST_KNOWN = 200
"""Images with a known truth that priors are learned from."""
AT_ONCE = 200


def with_phrases(project_id: int) -> list[int]:
    """Return the ids of the images that have phrases, in import order."""
    rows = Mention.objects.filter(image__project=project_id).order_by("image__position").values_list("image")
    return [image for (image,) in rows.distinct()]


def phrases_of(project_id: int) -> dict[int, int]:
    """Count the phrases of each image that has any, by id, in import order."""
    rows = Mention.objects.filter(image__project=project_id).order_by("image__position").values_list("image")
    return dict(rows.annotate(Count("id")))


def finished_of(project_id: int) -> set[int]:
    """Return the ids of the images about which workers are asked no more."""
    return set(Image.objects.filter(project=project_id, state__in=OVER).values_list("id", flat=True))


def draw_images(ids: Sequence[int], count: int, seed: int) -> list[int]:
    """Draw a sample of images; all of them if there are fewer."""
    return random.Random(f"sample {seed}").sample(list(ids), min(count, len(ids)))


def known_images(project_id: int, seed: int, *, use_gold: bool = True) -> list[int]:
    """Return the ids of finished images and of images with gold, at most `MOST_KNOWN` of them."""
    finished = Image.objects.filter(project=project_id, state=ImageState.MERGED.value).values_list("id", flat=True)
    gold = (
        Gold.objects.filter(image__project=project_id, complete=True).values_list("image_id", flat=True)
        if use_gold
        else ()
    )
    return draw_images(sorted({*finished, *gold}), MOST_KNOWN, seed)


def read_subjects(ids: Sequence[int], *, use_gold: bool = True) -> Iterator[Subject]:
    """Yield the images with these ids, in this order. `use_gold`: gold counts as a known truth."""
    for first in range(0, len(ids), AT_ONCE):
        some = ids[first : first + AT_ONCE]
        rows = Progress.objects.filter(image_id__in=some).select_related("image").in_bulk()
        rows_of_gold = Gold.objects.filter(image_id__in=some, complete=True).values_list("image_id", "chains")
        gold = dict(rows_of_gold) if use_gold else {}
        for one in some:
            if one in rows:
                image, progress = rows[one].image, from_json(rows[one].state)
                known = None
                if one in gold:
                    known = GoldImage.make(image.name, image.width, image.height, gold[one])
                elif progress.state is ImageState.MERGED:
                    known = finished_truth(image, progress)
                mentions = tuple(sorted(progress.mentions.values(), key=lambda mention: mention.order))
                yield Subject(image.name, image.width, image.height, mentions, known, one in gold)


def finished_truth(image: Image, progress: ImageProgress) -> GoldImage:
    """Return the chains and boxes of a finished image, as they are in the data set."""
    members: dict[int, list[int]] = {}
    for name, chain in progress.chains.items():
        members.setdefault(final_chain(progress, name), []).extend(chain.mentions)
    boxes: dict[int, list[Box]] = {name: [] for name in members}
    for merged in progress.merged:
        for name in {final_chain(progress, progress.boxes[number].chain) for number in merged.members}:
            boxes[name].append(merged.box)
    made = tuple(
        GoldChain(
            str(name),
            tuple(progress.reading_order(mentions)),
            progress.chains[name].non_visual == NonVisual.SCENE.value,
            tuple(boxes[name]),
        )
        for name, mentions in sorted(members.items())
    )
    chain_of = {number: chain for chain in made for number in chain.mentions}
    return GoldImage(image.name, image.width, image.height, made, chain_of)


def judgments_of(ids: Collection[int]) -> dict[int, int]:
    """Return the answers to real questions that each of these images took so far."""
    rows = Judgment.objects.filter(question__image__in=ids).order_by().values_list("question__image")
    return dict(rows.annotate(Count("id")))
