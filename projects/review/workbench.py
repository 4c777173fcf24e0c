"""The queue of chains that wait for an expert, each with its reason, and the workbench's data of one image."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import Annotated
from urllib.parse import urlencode

from annotated_types import MaxLen
from django.db.models import Case, Exists, F, Max, Min, OuterRef, QuerySet, TextField, Value, When
from django.db.models.functions import Cast
from django.http import QueryDict
from django.urls import reverse

from annotation.models import Chain, Image, Mention, Project
from annotation.rules.mention_type import MentionType
from annotation.rules.states import BoxState, ChainState
from annotation.word_search import of_type
from pipeline.models import Judgment, Progress
from pipeline.project.settings_versions import is_checking
from pipeline.protocol.image.expert import DESTINATIONS
from pipeline.protocol.state.progress import ChainProgress, ImageProgress
from pipeline.protocol.state.progress_json import from_json
from pipeline.protocol.tasks.answers import link_replies
from pipeline.protocol.tasks.coreference_link import PARTS, CoreferenceAnswer, in_chains
from pipeline.protocol.tasks.task import SURVEY_TASKS, Task
from pipeline.record.read_record import BY_EXPERT, expert_reasons
from projects.corrected.changes_page import CheckedLabels, checks_of, next_open
from projects.gallery.image_page import box_names, chain_numbers, colour_class
from projects.operation import Choice, Corners, Input, Output
from projects.review import image_history as history
from projects.review.image_history import ActsOfImage, JudgmentOfImage, ReportOfImage, SkipOfImage
from runtime.database import cached_read

Place = tuple[int, int]
"""An image's id and the name of a chain."""
SAID = Case(
    When(answer__in=sorted(PARTS), then=Value(json.dumps(CoreferenceAnswer.DIFFERENT))),
    default=Cast("answer", TextField()),
    output_field=TextField(),
)
"""A judgment's answer as text. For chains a part is "different", as in `in_chains`."""
ORDERS = {"reason": ("review", "image__position", "name"), "image": ("image__name", "name")}
"""Fields by which the queue is sorted, by the name of the sort."""
SORTS = tuple(f"{sign}{name}" for name in ORDERS for sign in ("", "-"))
TYPE_NAMES = tuple(kind.value for kind in MentionType)


class QueueFilters(Input):
    """The choice of chains; what is empty chooses nothing."""

    reason: Annotated[str, MaxLen(200)] = ""
    """The reason why a chain waits."""
    type: Annotated[str, Choice(("", *TYPE_NAMES))] = ""
    worker: Annotated[str, MaxLen(150)] = ""
    """The name of a worker who has answered."""
    disputed: bool = False
    """Workers gave different answers."""
    sort: Annotated[str, Choice(SORTS)] = "reason"
    """The order; with a minus the other way round."""
    changes: bool = False
    """Instead of chains in review: changes of a check that no expert has confirmed."""

    @classmethod
    def of(cls, query: QueryDict) -> QueueFilters:
        wanted, sort = query.get("type", ""), query.get("sort", "")
        return cls(
            reason=query.get("reason", "")[:200],
            type=wanted if wanted in TYPE_NAMES else "",
            worker=query.get("worker", "").strip()[:150],
            disputed=query.get("disputed", "") == "yes",
            sort=sort if sort in SORTS else "reason",
            changes=query.get("changes", "") == "yes",
        )

    @property
    def query(self) -> dict[str, str]:
        """Return the filters as the parameters of an address."""
        sort = "" if self.sort == "reason" else self.sort
        given = {"reason": self.reason, "type": self.type, "worker": self.worker, "sort": sort}
        ticked = {"disputed": self.disputed, "changes": self.changes}
        return {name: value for name, value in given.items() if value} | {
            name: "yes" for name, is_ticked in ticked.items() if is_ticked
        }


@dataclass(slots=True)
class WaitingChain:
    """One line of the queue."""

    image: int
    name: int
    image_name: str
    picture: bool
    reason: str
    doubted: str
    phrases: list[str] = field(default_factory=list)
    types: list[str] = field(default_factory=list)
    expert_reason: str = ""
    """The reason that an expert typed who sent it to review."""
    disputes: int = 0
    """Questions about the chain on which workers gave different answers. For chains a part is "different"."""

    @property
    def place(self) -> Place:
        return self.image, self.name


def waiting_places(project: Project, filters: QueueFilters) -> list[Place]:
    """Return the chains in review that pass the filters, sorted as they ask: at first by reason, in import order."""
    rows = Chain.objects.filter(image__project=project, state=ChainState.REVIEW.value)
    if filters.reason:
        rows = rows.filter(review=filters.reason)
    if filters.type:
        own = Mention.objects.order_by().filter(image=OuterRef("image_id"), chain=OuterRef("name"))
        rows = rows.filter(Exists(of_type(own, filters.type)))
    by = filters.sort.removeprefix("-")
    places = list(rows.order_by(*ORDERS[by]).values_list("image_id", "name"))
    if by != filters.sort:
        places.reverse()
    if filters.worker:
        answered = answered_by(project, filters.worker)
        places = [place for place in places if place in answered]
    if filters.disputed:
        disputed = cached_read(f"disputed:{project.pk}", lambda: _disputed(project))
        places = [place for place in places if place in disputed]
    return places


def waiting_chains(places: Sequence[Place]) -> list[WaitingChain]:
    """Return these chains, in this order, with what a line of the queue says."""
    images = {image for image, _ in places}
    rows = Chain.objects.filter(image__in=images).values_list(
        "image_id", "name", "image__name", "image__picture", "review", "doubted"
    )
    lines = {
        (image, chain): WaitingChain(image, chain, name, bool(picture), reason, doubted)
        for image, chain, name, picture, reason, doubted in rows
    }
    found = {place: lines[place] for place in places if place in lines}
    _add_reasons(found)
    _add_phrases(found)
    _add_disputes(found)
    return list(found.values())


def reasons(project: Project) -> list[tuple[str, int]]:
    """Return why chains of the project wait, with their number, the most frequent first."""
    rows = Chain.objects.filter(image__project=project, state=ChainState.REVIEW.value)
    return Counter(rows.order_by().values_list("review", flat=True)).most_common()


def _add_reasons(chains: dict[Place, WaitingChain]) -> None:
    typed = expert_reasons({image for (image, _), chain in chains.items() if chain.reason == BY_EXPERT})
    for place, chain in chains.items():
        chain.expert_reason = typed.get(place, "") if chain.reason == BY_EXPERT else ""


def _add_phrases(chains: dict[Place, WaitingChain]) -> None:
    rows = Mention.objects.filter(image__in={image for image, _ in chains}).order_by(
        "image", "caption__number", "start"
    )
    for image, chain, text, types in rows.values_list("image_id", "chain", "text", "types"):
        one = chains.get((image, chain)) if chain is not None else None
        if one is not None:
            one.phrases.append(text)
            one.types += [name for name in types if name not in one.types]


def answered_by(project: Project, worker: str) -> set[Place]:
    """Return the chains of images with a chain in review on which the worker of this name has answered."""
    rows = _about_waiting(project).filter(worker__name=worker)
    asked = list(rows.values_list("question__image_id", "question__task", "question__subject"))
    chain_of = _chain_of({image for image, *_ in asked})
    return {place for image, task, subject in asked for place in _places(chain_of, image, task, subject)}


def _about_waiting(project: Project) -> QuerySet[Judgment]:
    """Select the judgments about images with a chain in review."""
    waiting = Chain.objects.filter(image__project=project, state=ChainState.REVIEW.value).order_by()
    return Judgment.objects.filter(question__image__in=waiting.values("image")).order_by()


def _disputed(project: Project) -> set[Place]:
    """Return the chains, of images with a chain in review, on which workers gave different answers."""
    rows = _about_waiting(project).values("question")
    differ = rows.annotate(low=Min(SAID), high=Max(SAID)).exclude(low=F("high"))
    return {
        place
        for places in _disputes(Judgment.objects.filter(question__in=differ.values("question")))
        for place in places
    }


def _add_disputes(chains: dict[Place, WaitingChain]) -> None:
    """Count on each chain the questions on which workers gave different answers."""
    rows = Judgment.objects.filter(question__image__in={image for image, _ in chains})
    for place in (place for places in _disputes(rows) for place in places):
        if place in chains:
            chains[place].disputes += 1


def _disputes(judgments: QuerySet[Judgment]) -> Iterator[set[Place]]:
    """Yield for each question on which workers gave different answers the chains that they differ about."""
    columns = ("question_id", "question__image_id", "question__task", "question__subject", "answer")
    rows = list(judgments.order_by("question_id").values_list(*columns))
    chain_of = _chain_of({image for _, image, *_ in rows})
    for (_, image, task, subject), of_question in groupby(rows, key=itemgetter(0, 1, 2, 3)):
        said: dict[tuple[int, ...], set[str]] = defaultdict(set)
        for *_, answer in of_question:
            parts = link_replies(subject, answer) if task == Task.COREFERENCE_LINK else {tuple(subject): answer}
            for about, reply in parts.items():
                said[about].add(json.dumps(in_chains(reply), sort_keys=True))
        differ = [about for about, given in said.items() if len(given) > 1]
        if differ:
            yield {place for about in differ for place in _places(chain_of, image, task, about)}


def _chain_of(images: Collection[int]) -> dict[tuple[int, int], int | None]:
    rows = Mention.objects.filter(image__in=images).order_by()
    return {(image, number): chain for image, number, chain in rows.values_list("image_id", "number", "chain")}


def _places(chain_of: dict[tuple[int, int], int | None], image: int, task: str, subject: Sequence[int]) -> set[Place]:
    """Return the present chains that a question is about. Mentions name chains, and tell where they are now."""
    if task in SURVEY_TASKS:
        return set()
    mentions = subject if task == Task.COREFERENCE_LINK else subject[:1]
    chains = (chain_of.get((image, mention)) for mention in mentions)
    return {(image, chain) for chain in chains if chain is not None}


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
