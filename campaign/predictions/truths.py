"""The known chains of images: their gold, and where there is none, what workers made of a finished image."""

from collections import defaultdict
from collections.abc import Collection
from typing import Any

from annotation.models import Box as BoxRow
from annotation.models import Chain, Gold, Image, Mention
from annotation.rules.box import Box
from annotation.rules.states import BoxState, ImageState
from pipeline.rules.known.prediction_score import Truth
from pipeline.rules.linking.transitivity import LinkMention


def truths(ids: Collection[int]) -> dict[int, Truth]:
    """Return the truth of each of these images that has one, in a fixed number of statements."""
    gold = dict(Gold.objects.filter(image_id__in=ids).values_list("image_id", "chains"))
    rest = Image.objects.filter(id__in=set(ids).difference(gold), state=ImageState.MERGED.value)
    finished = list(rest.order_by().values_list("id", flat=True))
    mentions: dict[int, list[LinkMention]] = defaultdict(list)
    chain_of: dict[int, dict[int, Any]] = defaultdict(dict)
    rows = Mention.objects.filter(image_id__in=[*gold, *finished]).order_by("image", "number")
    for image, number, caption, start, types, chain in rows.values_list(
        "image_id", "number", "caption__number", "start", "types", "chain"
    ):
        mentions[image].append(LinkMention(number, caption, start, frozenset(types), ""))
        if chain is not None:
            chain_of[image][number] = chain
    found = {image: _of_gold(chains, mentions[image]) for image, chains in gold.items()}
    boxes = _boxes(finished)
    merged = _merged(finished)
    for image in finished:
        final = {number: merged.get((image, chain), chain) for number, chain in chain_of[image].items()}
        own: dict[Any, list[Box]] = defaultdict(list)
        for chain, box in boxes[image]:
            own[merged.get((image, chain), chain)].append(box)
        found[image] = Truth(final, own, mentions[image])
    return found


def _of_gold(chains: list[dict[str, Any]], mentions: list[LinkMention]) -> Truth:
    chain_of = {number: place for place, chain in enumerate(chains) for number in chain["mentions"]}
    boxes = {place: [Box(*box) for box in chain["boxes"]] for place, chain in enumerate(chains)}
    return Truth(chain_of, boxes, mentions)


def _boxes(ids: list[int]) -> dict[int, list[tuple[int, Box]]]:
    found: dict[int, list[tuple[int, Box]]] = defaultdict(list)
    rows = BoxRow.objects.filter(image_id__in=ids, state=BoxState.ACCEPTED.value).order_by()
    for image, chain, *edges in rows.values_list("image_id", "chain", "x0", "y0", "x1", "y1"):
        found[image].append((chain, Box(*edges)))
    return found


def _merged(ids: list[int]) -> dict[tuple[int, int], int]:
    """Return the chain that each merged chain ended in."""
    rows = Chain.objects.filter(image_id__in=ids, merged_into__isnull=False).order_by()
    places = rows.values_list("image_id", "name", "merged_into")
    return {(image, name): into for image, name, into in places if into is not None}
