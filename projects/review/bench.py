"""The workbench's data: one image as the rules see it, and all that was said about it."""

from typing import Any
from urllib.parse import urlencode

from django.urls import reverse

from annotation.models import Image, Project
from annotation.rules.mention_type import MentionType
from annotation.rules.states import BoxState, ChainState
from pipeline.models import Progress
from pipeline.protocol.image.expert import DESTINATIONS
from pipeline.protocol.state.progress import ImageProgress
from pipeline.protocol.state.progress_json import from_json
from projects.corrected.confirm import checks_of, next_open
from projects.gallery.shown_boxes import box_names, chain_numbers, colour_class
from projects.review import image_history as told
from projects.review.queue import Filters, waiting_places


def bench(image: Image, filters: Filters, chain: int | None = None) -> dict[str, Any]:
    """Return the data of the workbench. `chain`: the one in question; else the first that waits in review."""
    progress = from_json(Progress.objects.get(image_id=image.id).state)
    numbers = _numbers(progress)
    named = _box_names(progress, numbers)
    waiting = [name for name in numbers if progress.chains[name].state is ChainState.REVIEW]
    chosen = chain if chain in numbers else next(iter(waiting or numbers), None)
    return {
        "sequence": progress.sequence,
        "state": progress.state.value,
        "started": progress.started,
        "numbered": progress.next_mention,
        "image": picture(image),
        "captions": [
            {"number": caption.number, "text": caption.text, "words": caption.words, "offsets": caption.offsets}
            for caption in image.captions.order_by("number")
        ],
        "mentions": [
            {
                "number": mention.number,
                "caption": mention.caption,
                "start": mention.start,
                "end": mention.end,
                "types": mention.types,
                "text": mention.text,
            }
            for mention in sorted(progress.mentions.values(), key=lambda one: one.order)
        ],
        "chains": [_chain(progress, name, number) for name, number in numbers.items()],
        "boxes": [
            {
                "number": box.number,
                "name": named[box.number],
                "chain": box.chain,
                "box": list(box.box),
                "state": box.state.value,
            }
            for box in progress.boxes.values()
            if box.state is not BoxState.DISCARDED or box.worker is not None
        ],
        "chosen": chosen,
        "judgments": told.judgments(image, progress, named),
        "skips": told.skips(image, progress),
        "reports": told.reports(image, progress),
        **told.acts(image),
        "checks": checks_of(image),
        "next": _next(image, filters, chosen),
        "types": [one.value for one in MentionType],
        "destinations": [state.value for state in DESTINATIONS],
    }


def _next(image: Image, filters: Filters, chain: int | None) -> str | None:
    if filters.changes:
        return next_open(image.project, image, chain)
    return next_in_queue(image.project, filters, image.id, chain)


def _numbers(progress: ImageProgress) -> dict[int, int]:
    """Return the number of each chain, by its name, in reading order, a merged one behind the chain that has it."""
    of = {mention: chain for chain in progress.chains.values() for mention in chain.mentions}
    phrases = progress.reading_order(list(progress.mentions))
    numbers = chain_numbers(_final(progress, of[phrase].name) if phrase in of else phrase for phrase in phrases)
    finals = {name: _final(progress, name) for name in progress.reading_order(list(progress.chains))}
    order = sorted(finals, key=lambda name: (numbers[finals[name]], name != finals[name]))
    return {name: numbers[finals[name]] for name in order}


def _final(progress: ImageProgress, name: int) -> int:
    chain = progress.chains.get(name)
    return name if chain is None or chain.merged_into is None else chain.merged_into


def _box_names(progress: ImageProgress, numbers: dict[int, int]) -> dict[int, str]:
    boxes = [(box.number, _final(progress, box.chain)) for box in progress.boxes.values()]
    return box_names(boxes, numbers, [one.members for one in progress.merged])


def picture(image: Image) -> dict[str, Any]:
    """Return the picture and its addresses, as the canvas takes them."""
    sizes = {"url": "screen", "full_url": "full"}
    addresses = {key: reverse("gallery:picture", args=[image.id, size]) for key, size in sizes.items()}
    return {
        "width": image.width,
        "height": image.height,
        "has_picture": bool(image.picture),
        **(addresses if image.picture else dict.fromkeys(addresses, "")),
    }


def _chain(progress: ImageProgress, name: int, number: int) -> dict[str, Any]:
    chain = progress.chains[name]
    return {
        "name": name,
        "number": number,
        "colour": colour_class(number),
        "state": chain.state.value,
        "mentions": chain.mentions,
        "review": chain.review.value if chain.review else "",
        "doubted": chain.doubted,
        "non_visual": chain.non_visual,
        "merged_into": chain.merged_into,
    }


def next_in_queue(project: Project, filters: Filters, image: int, chain: int | None) -> str | None:
    """Return the address of the chain after this one in the queue; from the end it goes on at the beginning."""
    places = waiting_places(project, filters)
    others = [place for place in places if place != (image, chain)]
    if not others:
        return None
    here = next((at for at, place in enumerate(places) if place == (image, chain)), -1)
    after = places[here + 1 :] if here >= 0 else [place for place in others if place[0] != image] or others
    return address(project, *(after[0] if after else others[0]), filters)


def address(project: Project, image: int, chain: int, filters: Filters) -> str:
    """Return the address of the workbench with this chain chosen, in the queue of these filters."""
    query = urlencode({"chain": chain, **filters.query})
    return f"{reverse('projects:bench', args=[project.name, image])}?{query}"
