"""The page Explore: a search as its address says it, results as pictures, and the export of what was found."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.db.models import Count, Exists, IntegerField, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from accounts.may import Action, may
from annotation.models import Box, Caption, Chain, Image, Mention, Project
from annotation.rules.mention_type import MentionType
from annotation.rules.states import BoxState, ChainState, ImageState
from annotation.word_search import HasWords, Reads, forms, of_type, words_in
from exchange.dataset import DatasetImage
from exchange.jsonl.write import pseudonym
from exchange.load_project import load_images
from exchange.publish_export import archive_now
from exchange.registry import export_formats, installed_formats
from pipeline.models import Assignment, Judgment
from projects.access import lookers_only
from projects.gallery.access import archive_address, needed_for, refusal
from projects.gallery.image_page import ShownBox, WordRun, colour_class, final_boxes, pieces
from projects.quality.answers import disagrees
from runtime.words import counted
from workers.models import Worker

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
        mentions = mentions.alias(drawn=counted).filter(**_box_count("drawn", search))
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
    return accepted.annotate(number=Count("pk")).filter(**_box_count("number", search))


def _box_count(name: str, search: Search) -> dict[str, int]:
    wanted = int(search.boxes)
    return {f"{name}__gte" if wanted == max(map(int, BOXES)) else name: wanted}


CAPTIONS = 2
"""The most captions that a result shows."""
PER_PAGE = 24
WINDOWS = (150, 1500, None)
"""Images in which disagreement is looked for, until a page is full: there are too many judgments to read them all."""


@dataclass(slots=True)
class ImageCard:
    """One image: its boxes and captions, of the found chains only if the search is for chains."""

    image: Image
    boxes: list[ShownBox]
    captions: list[list[WordRun]]
    left_out: int
    """Captions that hold a found phrase, too, and are not shown."""
    chains: int
    """Chains that were found; all if the search is not for chains."""

    @property
    def alternative(self) -> str:
        """Return the picture in words for who does not see it."""
        boxes = f"{len(self.boxes)} box{'' if len(self.boxes) == 1 else 'es'}"
        return f"{self.image.name}, {boxes}"


def cards(images: Sequence[Image], search: Search) -> list[ImageCard]:
    """Return the results for these images, which are in import order, in a fixed number of statements."""
    ids = [image.id for image in images]
    pending = defaultdict(list)
    for box in Box.objects.filter(image_id__in=ids, state=BoxState.PENDING.value).order_by("number"):
        pending[box.image_id].append(box)
    found: dict[int, set[tuple[int, int]]] = defaultdict(set)
    if search.of_chains:
        spans = found_mentions(search).filter(image_id__in=ids).values_list("image_id", "caption__number", "start")
        for image, caption, start in spans:
            found[image].add((caption, start))
    return [
        _card(image, *loaded, search, pending=pending[image.id], mentions=found[image.id] if search.of_chains else None)
        for image, loaded in zip(images, load_images(ids), strict=True)
    ]


def _card(
    image: Image,
    loaded: DatasetImage,
    names: dict[str, int],
    search: Search,
    *,
    pending: list[Box],
    mentions: set[tuple[int, int]] | None,
) -> ImageCard:
    spans = {(mention.caption, mention.start): mention.chain for mention in loaded.mentions}
    chains = {int(chain or 0) for span, chain in spans.items() if mentions is None or span in mentions}
    boxes = [*final_boxes(loaded), *_pending(pending, names)]
    holding = _captions(loaded, mentions, search)
    captions = [list(pieces(loaded, number, 0, {})) for number in holding[:CAPTIONS]]
    for piece in (piece for caption in captions for piece in caption if piece.chain not in chains):
        piece.chain, piece.colour = None, ""  # a phrase of another chain is plain text here
    return ImageCard(
        image=image,
        boxes=[box for box in boxes if not chains.isdisjoint(box.chains)],
        captions=captions,
        left_out=max(0, len(holding) - CAPTIONS) if holding != list(range(len(loaded.captions))) else 0,
        chains=len(chains),
    )


def _captions(loaded: DatasetImage, mentions: set[tuple[int, int]] | None, search: Search) -> list[int]:
    """Return the captions to show: those with a found phrase or word, or the first."""
    if mentions is not None:
        return sorted({caption for caption, _ in mentions})
    if search.where == "captions" and search.words:
        wanted = [set(forms(word)) for word in words_in(search.words)]
        said = [set(words_in(caption.text)) for caption in loaded.captions]
        return [number for number, words in enumerate(said) if all(words & word_forms for word_forms in wanted)]
    return [0] if loaded.captions else []


def _pending(rows: list[Box], names: dict[str, int]) -> list[ShownBox]:
    numbers = {name: int(number) for number, name in names.items()}
    return [
        ShownBox(
            *(row.x0, row.y0, row.x1 - row.x0, row.y1 - row.y0),
            chains=[numbers[row.chain]],
            colour=colour_class(numbers[row.chain]),
            pending=True,
        )
        for row in rows
        if row.chain in numbers
    ]


@dataclass(frozen=True, slots=True)
class ResultPage:
    """Some results, and the positions from which the pages before and after them begin."""

    images: list[Image]
    before: int | None
    after: int | None


@require_safe
@lookers_only(surveys=False)
def explore(request: HttpRequest, project: Project) -> HttpResponse:
    """Show the images that fit the search."""
    of_record = may(request.user, Action.READ_RECORD, project)
    search = Search.read(request.GET, of_record=of_record)
    worker_id, unknown = _worker(project, search)
    page = _page(project, search, worker_id, request.GET)
    images, chains = _counts(page, project, search, worker_id)
    context = {
        "project": project,
        "search": search,
        "unknown_worker": unknown,
        "cards": cards(page.images, search),
        "page": page,
        "images": images,
        "chains": chains,
        "fields": _fields(),
        "of_record": of_record,
        "formats": [format_ for format_ in installed_formats() if may(request.user, needed_for(format_), project)],
        "manages": may(request.user, Action.MANAGE, project),
    }
    return render(request, "projects/explore.html", context)


@require_POST
@lookers_only(surveys=False)
def export_selection(request: HttpRequest, project: Project) -> HttpResponse:
    """Keep what the search finds as a selection, and lead to its archive."""
    wanted = request.POST.get("format", "")
    if wanted not in export_formats():
        raise Http404(f"There is no format {wanted[:40]!r}: choose one of {', '.join(export_formats())}.")
    if not may(request.user, needed_for(wanted), project):
        raise refusal(project.name, needed_for(wanted), "download this export, which holds each worker's answers")
    search = Search.read(request.POST, of_record=may(request.user, Action.READ_RECORD, project))
    found = images_of(project, search, _worker(project, search)[0])
    unfinished = request.POST.get("unfinished") == "1"
    if not unfinished:
        found = found.filter(state=ImageState.MERGED.value)
    ids = list(found.values_list("id", flat=True))
    if not ids:
        messages.error(request, "Nothing to export: no finished image was found. Tick “unfinished ones too”.")
        return redirect(f"{reverse('projects:explore', args=[project.name])}?{search.address}")
    archive = archive_now(project, wanted, images=ids, include_unmerged=unfinished, words=search.in_words)
    return redirect(archive_address(archive, anew=True))


def _worker(project: Project, search: Search) -> tuple[int | None, str]:
    """Return the id of the worker that the search names, by name or pseudonym, and what is wrong with the name."""
    if not search.worker:
        return None, ""
    here = Exists(Assignment.objects.filter(project=project, worker=OuterRef("pk")))
    for number, name in Worker.objects.filter(here).order_by().values_list("id", "name"):
        if search.worker in (name, pseudonym(project.pk, number)):
            return number, ""
    return None, f"Nobody called {search.worker!r} worked here. Give the worker's whole name or pseudonym."


def _page(project: Project, search: Search, worker_id: int | None, query: Any) -> ResultPage:
    """Return a page by the position where it begins: the hundredth page takes no longer than the first."""
    after, before = _number(query.get("after")), _number(query.get("before"))
    where = {"position__lt": before} if before is not None else {"position__gt": -1 if after is None else after}
    order = "-position" if before is not None else "position"
    rows: list[Image] = []
    for width in WINDOWS if search.disagree else (None,):
        some = project.images.filter(**where).order_by(order).values_list("id", flat=True)
        among = None if width is None else list(some[:width])
        found = images_of(project, search, worker_id, among).filter(**where).order_by(order)
        rows = list(found[: PER_PAGE + 1])
        if len(rows) > PER_PAGE or (width and among is not None and len(among) < width):
            break
    shown, more = rows[:PER_PAGE], len(rows) > PER_PAGE
    if before is not None:
        shown.reverse()
        return ResultPage(shown, shown[0].position if more else None, shown[-1].position if shown else None)
    return ResultPage(
        shown, None if after is None or not shown else shown[0].position, shown[-1].position if more else None
    )


def _counts(page: ResultPage, project: Project, search: Search, worker_id: int | None) -> tuple[str, str]:
    """Return the numbers of images and of chains found, in words; chains only where these are searched for."""
    whole = page.before is None and page.after is None
    if search.disagree and not whole:  # to count would be to read every judgment; each image has a chain at least
        return f"more than {PER_PAGE} images", f"more than {PER_PAGE} chains" if search.of_chains else ""
    images = len(page.images) if whole else images_of(project, search, worker_id)[: MAX_ROWS_COUNTED + 1].count()
    if not search.of_chains:
        return _words(images, "image"), ""
    return _words(images, "image"), _words(
        found_chains(project, search, worker_id)[: MAX_ROWS_COUNTED + 1].count(), "chain"
    )


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 10 else None


def _words(number: int, of: str) -> str:
    return f"more than {MAX_ROWS_COUNTED:,} {of}s" if number > MAX_ROWS_COUNTED else counted(number, of)


def _fields() -> dict[str, Any]:
    return {
        "where": PLACES.items(),
        "type": [(type_.value, type_.value) for type_ in MentionType],
        "image": [(state.value, state.value) for state in ImageState],
        "chain": [(state.value, state.value) for state in ChainState],
        "boxes": BOXES.items(),
    }
