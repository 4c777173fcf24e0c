"""Numbers that a range of images uses up, counted without making its images: so each range knows where it begins."""

from collections import Counter, defaultdict
from collections.abc import Sequence

from annotation.models import Box, Caption, Chain, KnownBox, Mention, MergedBox
from annotation.rules.states import BoxState
from exchange.dataset import Numbers
from exchange.json_columns import column_text
from exchange.json_text import read_json

IMAGES_AT_ONCE = 500
EDGES = ("x0", "y0", "x1", "y1")


def used_numbers(ids: Sequence[int], *, own_fields: bool) -> Numbers:
    """Return the numbers that an export of these images without options uses up, in a few statements.

    `own_fields`: whether it has boxes of the import that have a category and no chain.
    """
    found = Numbers(images=len(ids))
    for start in range(0, len(ids), IMAGES_AT_ONCE):
        found = found.plus(_used(ids[start : start + IMAGES_AT_ONCE], own_fields=own_fields))
    return found


def _used(ids: Sequence[int], *, own_fields: bool) -> Numbers:
    of = {"image_id__in": ids}
    joined = Chain.objects.filter(**of, merged_into__isnull=False).order_by()
    rows = joined.values_list("image_id", "name", "merged_into")
    into = {(image, name): final for image, name, final in rows if final is not None}
    phrases: dict[int, Counter[int]] = defaultdict(Counter)
    for image, chain, number in Mention.objects.filter(**of).order_by().values_list("image_id", "chain", "number"):
        phrases[image][number if chain is None else into.get((image, chain), chain)] += 1
    boxes = _chains_of_boxes(ids, into)
    shown = KnownBox.objects.filter(**of, exported=True).count() if own_fields else 0
    return Numbers(
        chains=sum(map(len, phrases.values())),
        grounded=sum(len(set().union(*box)) for box in boxes.values()),
        captions=Caption.objects.filter(**of).count(),
        boxes=shown + sum(map(len, boxes.values())),
        annotations=sum(phrases[image][chain] for image, own in boxes.items() for box in own for chain in box),
    )


def _chains_of_boxes(ids: Sequence[int], into: dict[tuple[int, int], int]) -> dict[int, list[set[int]]]:
    """Return for each image the chains of each of its boxes, as `ImageRows` has them."""
    accepted = Box.objects.filter(image_id__in=ids, state=BoxState.ACCEPTED.value).order_by()
    chain_of: dict[tuple[int, int], int] = {}
    same: dict[int, dict[tuple[int, ...], set[int]]] = defaultdict(lambda: defaultdict(set))
    for image, number, chain, *edges in accepted.values_list("image_id", "number", "chain", *EDGES):
        chain_of[image, number] = final = into.get((image, chain), chain)
        same[image][tuple(edges)].add(final)
    merged: dict[int, dict[tuple[int, ...], set[int]]] = defaultdict(lambda: defaultdict(set))
    rows = MergedBox.objects.filter(image_id__in=ids).order_by()
    for image, members, *edges in rows.values_list("image_id", column_text("members"), *EDGES):
        merged[image][tuple(edges)] |= {chain_of[image, number] for number in read_json(members)}
    return {image: list(boxes.values()) for image, boxes in (same | merged).items()}
