"""The workbench's data: one image as the rules see it, and all that was said about it."""

from __future__ import annotations

from urllib.parse import urlencode

from django.urls import reverse

from annotation.models import Image, Project
from annotation.rules.mention_type import MentionType
from annotation.rules.states import BoxState, ChainState
from pipeline.models import Progress
from pipeline.project.settings_versions import is_checking
from pipeline.protocol.image.expert import DESTINATIONS
from pipeline.protocol.state.progress import ChainProgress, ImageProgress
from pipeline.protocol.state.progress_json import from_json
from projects.corrected.confirm import CheckedLabels, checks_of, next_open
from projects.gallery.shown_boxes import box_names, chain_numbers, colour_class
from projects.operation import Corners, Output
from projects.review import image_history as history
from projects.review.image_history import ActsOfImage, JudgmentOfImage, ReportOfImage, SkipOfImage
from projects.review.queue import QueueFilters, waiting_places


class PictureOfImage(Output):
    width: int
    height: int
    has_picture: bool
    url: str
    """Of the rendition for screens; empty without a picture."""
    full_url: str

    @classmethod
    def of(cls, image: Image) -> PictureOfImage:
        """Return the picture and its addresses, as the canvas takes them."""
        names = {"url": "screen", "full_url": "full"}
        urls = {key: reverse("gallery:picture", args=[image.id, size]) for key, size in names.items()}
        there = bool(image.picture)
        shown = urls if there else dict.fromkeys(urls, "")
        return cls(width=image.width, height=image.height, has_picture=there, **shown)


class WordedCaption(Output):
    number: int
    text: str
    words: list[str]
    offsets: list[int]
    """Places in the text where the words begin."""

    @classmethod
    def of(cls, image: Image) -> list[WordedCaption]:
        """Return the captions of an image."""
        return [cls.model_validate(caption) for caption in image.captions.order_by("number")]


class MentionOfImage(Output):
    number: int
    caption: int
    start: int
    end: int
    types: list[str]
    text: str

    @classmethod
    def of(cls, progress: ImageProgress) -> list[MentionOfImage]:
        """Return the mentions of an image in reading order."""
        rows = sorted(progress.mentions.values(), key=lambda mention: mention.order)
        return [cls.model_validate(mention) for mention in rows]


class ChainOfImage(Output):
    name: int
    number: int
    """The number by which people know it, as they do by the colour."""
    colour: str
    state: ChainState
    mentions: list[int]
    review: str
    """The reason why it waits in review."""
    doubted: str
    non_visual: str
    merged_into: int | None


class BoxOfImage(Output):
    number: int
    name: str
    """The name by which people know it: "3", or "3a" of several."""
    chain: int
    box: Corners
    state: BoxState


class Workbench(ActsOfImage):
    """An image as the rules see it, and all that was said about it."""

    sequence: int
    state: str
    started: bool
    numbered: int
    """The number of the next mention."""
    image: PictureOfImage
    captions: list[WordedCaption]
    mentions: list[MentionOfImage]
    chains: list[ChainOfImage]
    boxes: list[BoxOfImage]
    chosen: int | None
    """The name of a chain."""
    judgments: list[JudgmentOfImage]
    skips: list[SkipOfImage]
    reports: list[ReportOfImage]
    checks: list[CheckedLabels] | None
    """Null: the project checks no data set."""
    next: str | None
    """The address of the next chain of the queue."""
    types: list[str]
    destinations: list[str]


def workbench_data(image: Image, filters: QueueFilters, chain: int | None = None) -> Workbench:
    """Return the data of the workbench. `chain`: the one in question; else the first that waits in review."""
    progress = from_json(Progress.objects.get(image_id=image.id).state)
    numbers = _numbers(progress)
    named = _box_names(progress, numbers)
    waiting = [name for name in numbers if progress.chains[name].state is ChainState.REVIEW]
    chosen = chain if chain in numbers else next(iter(waiting or numbers), None)
    return Workbench(
        sequence=progress.sequence,
        state=progress.state.value,
        started=progress.started,
        numbered=progress.next_mention,
        image=PictureOfImage.of(image),
        captions=WordedCaption.of(image),
        mentions=MentionOfImage.of(progress),
        chains=[_chain(progress.chains[name], number) for name, number in numbers.items()],
        boxes=[
            BoxOfImage(number=box.number, name=named[box.number], chain=box.chain, box=list(box.box), state=box.state)
            for box in progress.boxes.values()
            if box.state is not BoxState.DISCARDED or box.worker is not None
        ],
        chosen=chosen,
        judgments=history.judgments(image, progress, named),
        skips=history.skips(image, progress),
        reports=history.reports(image, progress),
        checks=checks_of(image),
        next=_next(image, filters, chosen),
        types=list(MentionType),
        destinations=list(DESTINATIONS),
        **history.acts(image).model_dump(),
    )


def _next(image: Image, filters: QueueFilters, chain: int | None) -> str | None:
    if filters.changes:
        return next_open(image.project, image, chain) if is_checking(image.project) else None
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
    return box_names(boxes, numbers, [box.members for box in progress.merged])


def _chain(chain: ChainProgress, number: int) -> ChainOfImage:
    return ChainOfImage(
        name=chain.name,
        number=number,
        colour=colour_class(number),
        state=chain.state,
        mentions=chain.mentions,
        review=chain.review.value if chain.review else "",
        doubted=chain.doubted,
        non_visual=chain.non_visual,
        merged_into=chain.merged_into,
    )


def next_in_queue(project: Project, filters: QueueFilters, image: int, chain: int | None) -> str | None:
    """Return the address of the chain after this one in the queue; from the end it goes on at the beginning."""
    places = waiting_places(project, filters)
    others = [place for place in places if place != (image, chain)]
    if not others:
        return None
    here = next((at for at, place in enumerate(places) if place == (image, chain)), -1)
    after = places[here + 1 :] if here >= 0 else [place for place in others if place[0] != image] or others
    return address(project, *(after[0] if after else others[0]), filters)


def address(project: Project, image: int, chain: int, filters: QueueFilters) -> str:
    """Return the address of the workbench with this chain chosen, in the queue of these filters."""
    query = urlencode({"chain": chain, **filters.query})
    return f"{reverse('projects:bench', args=[project.name, image])}?{query}"
