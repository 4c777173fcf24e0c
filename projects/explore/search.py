"""A search in a project's images, as its address says it, and the rows that fit."""

from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from django.db.models import Count, Exists, IntegerField, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from annotation.models import Box, Caption, Chain, Image, Mention, Project
from annotation.rules.mention_type import MentionType
from annotation.rules.states import BoxState, ChainState, ImageState
from annotation.word_search import HasWords, Reads, of_type, words_in
from pipeline.models import Judgment
from projects.quality.disagreement import disagrees

PLACES = {"phrases": "phrases", "captions": "captions", "names": "image names"}
BOXES = {"0": "none", "1": "1", "2": "2", "3": "3", "4": "4 or more"}
MAX_ROWS_READ_AT_ONCE = 20_000
"""Phrases, captions or chains with boxes that are read at once."""
MAX_ROWS_COUNTED = 1000
"""The most that is counted: a count of everything would take longer than the search."""


@dataclass(frozen=True, slots=True)
class Search:
    """The fields of the form. A value that the form does not offer counts as none."""

    words: str = ""
    where: str = "phrases"
    type: str = ""
    image: str = ""
    chain: str = ""
    boxes: str = ""
    worker: str = ""
    disagree: bool = False
    read_once: dict[str, set[int] | None] = field(default_factory=dict, compare=False, repr=False)
    """Ids of images that several statements of this search begin with."""

    @classmethod
    def read(cls, query: Any, *, of_record: bool) -> "Search":
        """Read the search from an address. Without `of_record`, who answered what is not a part of it."""

        def one(name: str, offered: Any) -> str:
            value = query.get(name, "")
            return value if value in offered else ""

        return cls(
            words=query.get("words", "").replace("\0", "").strip()[:200],
            where=one("where", PLACES) or "phrases",
            type=one("type", set(MentionType)),
            image=one("image", set(ImageState)),
            chain=one("chain", set(ChainState)),
            boxes=one("boxes", BOXES),
            worker=query.get("worker", "").replace("\0", "").strip()[:100] if of_record else "",
            disagree=of_record and query.get("disagree") == "1",
        )

    @property
    def address(self) -> str:
        """Return the search as the query of an address, without what is not set."""
        fields = ("words", "where", "type", "image", "chain", "boxes", "worker")
        values = {name: getattr(self, name) for name in fields if getattr(self, name)}
        if self.where == "phrases" or not self.words:
            values.pop("where")
        return urlencode({**values, **({"disagree": "1"} if self.disagree else {})})

    @property
    def of_chains(self) -> bool:
        """Tell whether the search is for chains: then the results show these chains, and no others."""
        return bool(self.says_more_of_chains or self.boxes)

    @property
    def says_more_of_chains(self) -> bool:
        """Tell whether the search says of chains more than their number of boxes."""
        return bool(_of_words(self) or self.type or self.chain)

    @property
    def in_words(self) -> str:
        """Return the search in words; empty: everything."""
        named = {"type": self.type, "image": self.image, "chain": self.chain, "worker": self.worker}
        parts = [f"“{self.words}” in {PLACES[self.where]}"] if self.words else []
        parts += [f"{name} {value}" for name, value in named.items() if value]
        parts += [f"boxes: {BOXES[self.boxes]}"] if self.boxes else []
        return ", ".join(parts + (["with disagreement"] if self.disagree else []))


def images_of(
    project: Project, search: Search, worker_id: int | None, among: list[int] | None = None
) -> QuerySet[Image]:
    """Select the images that fit the search, in no order. `worker_id`: the worker that the search names.

    `among`: ids of the only images to look at; None: all of the project.
    """
    if search.worker and worker_id is None:
        return project.images.none()
    images = _whole_images(project, search, worker_id, among)
    if search.of_chains:
        if search.boxes not in ("", "0") and not _of_words(search):
            images = images.filter(id__in=_counted(search).values("image_id"))
        if search.boxes in ("", "0") or search.says_more_of_chains:
            images = images.filter(id__in=found_mentions(search).values("image_id"))
    return images


def _whole_images(
    project: Project, search: Search, worker_id: int | None, among: list[int] | None = None
) -> QuerySet[Image]:
    """Select the images that fit, whatever their chains."""
    images = project.images.order_by()
    if among is not None:
        images = images.filter(id__in=among)
    if search.image:
        images = images.filter(state=search.image)
    if words_in(search.words) and search.where == "captions":
        said = _images_of_rows(Caption.objects.order_by(), search)
        few = _few(search, "captions", said)
        images = images.filter(id__in=said if few is None else few)
    if search.words and search.where == "names":
        images = images.filter(Reads("name", search.words))
    if search.worker or search.disagree:
        judgments = Judgment.objects.order_by().filter(question__project=project)
        if among is not None:
            judgments = judgments.filter(question__image__in=among)
        if search.worker:
            judgments = judgments.filter(worker=worker_id or 0)
        if search.disagree:
            judgments = judgments.filter(disagrees())
        images = images.filter(id__in=judgments.values("question__image_id"))
    return images


def _of_words(search: Search) -> bool:
    return bool(words_in(search.words)) and search.where == "phrases"


def found_mentions(search: Search) -> QuerySet[Mention]:
    """Select the mentions, of all projects, whose chain fits the search: text, type, state and boxes of one chain."""
    mentions = Mention.objects.order_by()
    if _of_words(search):
        if (few := _few(search, "phrases", _images_of_rows(mentions, search))) is not None:
            mentions = mentions.filter(image_id__in=few)
        mentions = mentions.filter(HasWords("text", search.words))
    if search.type:
        mentions = of_type(mentions, search.type)
    if search.chain:
        chains = Chain.objects.order_by().filter(state=search.chain)
        mentions = mentions.filter(Exists(chains.filter(image=OuterRef("image_id"), name=OuterRef("chain"))))
    if search.boxes:
        accepted = Box.objects.order_by().filter(state=BoxState.ACCEPTED.value)
        own = accepted.filter(image=OuterRef("image_id"), chain=OuterRef("chain"))
        if search.boxes == "0":
            return mentions.filter(~Exists(own))
        counted = Subquery(own.values("chain").annotate(number=Count("pk")).values("number"), IntegerField())
        mentions = mentions.alias(drawn=counted).filter(**_number("drawn", search))
    return mentions


def _few(search: Search, name: str, images: QuerySet[Any]) -> set[int] | None:
    """Return ids of images, read once for a search, if they are few; None if they are not.

    PostgreSQL takes looking into a text for cheap, and would rather read all texts than a few thousand by their index.
    """
    if name not in search.read_once:
        ids = list(images[: MAX_ROWS_READ_AT_ONCE + 1])
        search.read_once[name] = None if len(ids) > MAX_ROWS_READ_AT_ONCE else set(ids)
    return search.read_once[name]


def _images_of_rows(rows: QuerySet[Any], search: Search) -> QuerySet[Any]:
    """Select the ids of images with a row that holds the words."""
    return rows.filter(HasWords("text", search.words)).values_list("image_id", flat=True)


def found_chains(project: Project, search: Search, worker_id: int | None) -> QuerySet[Any]:
    """Select the chains that fit the search, each once, as pairs of image and name."""
    whole = _whole_images(project, search, worker_id)
    if search.boxes not in ("", "0") and not search.says_more_of_chains:
        return _counted(search).filter(image__in=whole.values("id")).values_list("image_id", "chain")
    own = found_mentions(search).filter(image__in=whole.values("id"))
    return own.annotate(own=Coalesce("chain", "number")).values_list("image_id", "own").distinct()


def _counted(search: Search) -> QuerySet[Any]:
    """Select the images with a chain of this number of accepted boxes, each counted once, not for each phrase."""
    accepted = Box.objects.order_by().filter(state=BoxState.ACCEPTED.value).values("image_id", "chain")
    return accepted.annotate(number=Count("pk")).filter(**_number("number", search))


def _number(name: str, search: Search) -> dict[str, int]:
    wanted = int(search.boxes)
    return {f"{name}__gte" if wanted == max(map(int, BOXES)) else name: wanted}
