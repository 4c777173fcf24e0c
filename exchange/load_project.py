"""A project's images, streamed from the database as the values that writers and reports take."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from django.db.models import Min

from annotation.models import Box, Caption, Chain, Image, KnownBox, Mention, MergedBox, Project
from annotation.rules.box import Box as BoxValue
from annotation.rules.mention_type import MentionType
from annotation.rules.states import BoxState, ImageState, NonVisual
from exchange.dataset import DatasetBox, DatasetCaption, DatasetChain, DatasetImage, DatasetMention
from exchange.who_answered import ImageAnswers, load_answers, programs_at_work
from pipeline.models import Progress, SettingsVersion
from pipeline.rules.image.merging import final_confidence
from pipeline.rules.image.who_may_answer import drawer_judged
from pipeline.rules.progress.progress import ImageProgress
from pipeline.rules.progress.progress_json import from_json

IMAGES_AT_ONCE = 200


def stream_images(
    project: Project,
    *,
    include_unmerged: bool = False,
    only: Collection[int] | None = None,
    own_fields: bool = False,
    answers: bool = False,
    chances: bool = False,
) -> Iterator[DatasetImage]:
    """Yield the images in import order. Chains are numbered 1, 2, ... over the whole stream, by image, then name.

    Merged images have their merged boxes and chains. With `include_unmerged`, other images have what exists so far.
    `only`: ids of the images to yield; None: all. `own_fields`: behind the others, boxes of the import that have a
    category and no chain. `answers`: with who answered, if programs are among them. `chances`: with confidences.
    """
    images = project.images.order_by("position")
    if not include_unmerged:
        images = images.filter(state=ImageState.MERGED.value)
    number = 1
    programs = programs_at_work(project) if answers else {}
    ids = [one for one in images.values_list("id", flat=True) if only is None or one in only]
    for start in range(0, len(ids), IMAGES_AT_ONCE):
        part = ids[start : start + IMAGES_AT_ONCE]
        known = _known_boxes(part) if own_fields else {}
        said = load_answers(part, programs) if programs else {}
        progress = dict(Progress.objects.filter(image_id__in=part).values_list("image_id", "state")) if chances else {}
        for image in _load(part):
            image.answers = said.get(image.image.pk, ImageAnswers()) if programs else None
            image.progress = from_json(progress[image.image.pk]) if image.image.pk in progress else None
            loaded = image.loaded(number)
            number += len(loaded.chains)
            yield replace(loaded, boxes=(*loaded.boxes, *known.get(image.image.pk, ())))


def categories_of(project: Project) -> list[str]:
    """Return the categories of boxes of imports, in the order in which they came first: later ones are added behind."""
    rows = KnownBox.objects.filter(image__project=project, exported=True).values("category")
    return list(rows.annotate(first=Min("id")).order_by("first").values_list("category", flat=True))


def _known_boxes(ids: Sequence[int]) -> dict[int, list[DatasetBox]]:
    found: dict[int, list[DatasetBox]] = defaultdict(list)
    for one in KnownBox.objects.filter(image_id__in=ids, exported=True).order_by("image_id", "id"):
        found[one.image_id].append(DatasetBox(one.box, category=one.category))
    return found


def load_rows(image: Image) -> "ImageRows":
    """Return the rows of one image. Its `loaded(1)` and `names` are what `load_images` yields."""
    (rows,) = _load([image.id])
    return rows


def load_images(ids: Sequence[int]) -> Iterator[tuple[DatasetImage, dict[str, int]]]:
    """Yield images in their present state, in import order, in a fixed number of statements.

    Each has its chains numbered from 1, and the name of each number's chain.
    """
    for rows in _load(ids):
        loaded = rows.loaded(1)
        yield loaded, rows.names


def _load(ids: Sequence[int]) -> Iterator["ImageRows"]:
    rows = {image.id: ImageRows(image) for image in Image.objects.filter(id__in=ids).order_by("position")}
    for caption in Caption.objects.filter(image_id__in=ids).order_by("image_id", "number"):
        rows[caption.image_id].captions.append(caption)
    for mention in Mention.objects.filter(image_id__in=ids).select_related("caption"):
        rows[mention.image_id].mentions.append(mention)
    for chain in Chain.objects.filter(image_id__in=ids):
        rows[chain.image_id].chains[chain.name] = chain
    for box in Box.objects.filter(image_id__in=ids, state=BoxState.ACCEPTED.value).order_by("number"):
        rows[box.image_id].boxes.append(box)
    for merged in MergedBox.objects.filter(image_id__in=ids).order_by("number"):
        rows[merged.image_id].merged.append(merged)
    # Most projects never let drawers judge, and need not read the progress of every image.
    allowing = SettingsVersion.objects.filter(project__images__in=ids, values__drawer_judges_coverage=True)
    if allowing.exists():
        for number, state in Progress.objects.filter(image_id__in=ids).values_list("image_id", "state"):
            chains = from_json(state).chains.values()
            rows[number].drawer_judged = {chain.name for chain in chains if drawer_judged(chain)}
    yield from rows.values()


class ImageRows:
    """The database rows of one image."""

    def __init__(self, image: Image) -> None:
        self.image = image
        self.captions: list[Caption] = []
        self.mentions: list[Mention] = []
        self.chains: dict[int, Chain] = {}
        self.boxes: list[Box] = []
        self.merged: list[MergedBox] = []
        self.drawer_judged: set[int] = set()
        self.answers: ImageAnswers | None = None
        """Only exports of projects with programs have them."""
        self.progress: ImageProgress | None = None
        """Only exports with confidences have it."""

    def loaded(self, first: int) -> DatasetImage:
        """Return the image; its first chain gets the number `first`."""
        self.mentions.sort(key=lambda mention: (mention.caption.number, mention.start))
        names = dict.fromkeys(self.final(mention) for mention in self.mentions)
        numbers = {name: str(first + place) for place, name in enumerate(names)}
        return DatasetImage(
            name=self.image.name,
            width=self.image.width,
            height=self.image.height,
            captions=tuple(loaded_caption(caption, self._spans(caption)) for caption in self.captions),
            mentions=tuple(self._mention(mention, numbers) for mention in self.mentions),
            chains=tuple(self._chain(name, number) for name, number in numbers.items()),
            boxes=tuple(self._boxes(numbers)),
            picture=self.image.picture or None,
            source=self.image.source,
            path=self.image.path,
            coco_id=self.image.coco_number,
        )

    @property
    def names(self) -> dict[str, int]:
        """The name of each number's chain, where the first has the number 1. Call `loaded` before: it sorts."""
        names = dict.fromkeys(self.final(mention) for mention in self.mentions)
        return {str(number): name for number, name in enumerate(names, start=1)}

    def _spans(self, caption: Caption) -> list[tuple[int, int]]:
        return [(mention.start, mention.end) for mention in self.mentions if mention.caption_id == caption.id]

    def final(self, mention: Mention) -> int:
        """Return the name of the mention's final chain. A mention without a chain is a chain of its own."""
        return mention.number if mention.chain is None else self.final_name(mention.chain)

    def final_name(self, chain: int) -> int:
        """Return the name of the chain that this one was merged into, or its own."""
        into = self.chains[chain].merged_into
        return chain if into is None else into

    def _mention(self, mention: Mention, numbers: dict[int, str]) -> DatasetMention:
        chain = numbers[self.final(mention)]
        return DatasetMention(mention.caption.number, mention.start, mention.end, tuple(mention.types), chain)

    def _chain(self, name: int, number: str) -> DatasetChain:
        row = self.chains.get(name)
        if row is None:
            return DatasetChain(number)
        kind = row.non_visual
        members = [chain for chain in self.chains.values() if chain.merged_into == name]
        own = {name, *(chain.name for chain in members)}
        doubts = dict.fromkeys(chain.doubted for chain in (row, *members) if chain.doubted)
        return DatasetChain(
            number,
            scene=kind == NonVisual.SCENE.value,
            no_box=kind == NonVisual.NO_BOX.value,
            doubted="; ".join(doubts),
            drawer_judged=not own.isdisjoint(self.drawer_judged),
            answers=None if self.answers is None else self.answers.of_chain(self._mentions_of(own), links=True),
            confidence=None if self.progress is None else final_confidence(self.progress, name),
        )

    def _mentions_of(self, chains: Collection[int]) -> list[int]:
        return [mention.number for mention in self.mentions if mention.chain in chains]

    def _box(self, edges: BoxValue, members: Collection[int], chain_of: dict[int, str]) -> DatasetBox:
        """Return the box that was made of these."""
        chains = {chain_of[member] for member in members}
        said = None if self.answers is None else self.answers.of_boxes(*members)
        return DatasetBox(edges, tuple(sorted(chains, key=int)), answers=said, confidence=self._least_sure(members))

    def _least_sure(self, members: Collection[int]) -> float | None:
        """Return the confidence of the least sure of these boxes; None: none is known."""
        if self.progress is None:
            return None
        chances = [self.progress.boxes[member].confidence for member in members]
        return min((one for one in chances if one is not None), default=None)

    def _boxes(self, numbers: dict[int, str]) -> Iterator[DatasetBox]:
        chain_of = {box.number: numbers[self.final_name(box.chain)] for box in self.boxes}
        if self.merged:
            for merged in self.merged:
                yield self._box(merged.box, merged.members, chain_of)
            return
        same: dict[BoxValue, list[int]] = defaultdict(list)
        for box in self.boxes:
            same[box.box].append(box.number)
        for edges, members in same.items():
            yield self._box(edges, members, chain_of)


def loaded_caption(row: Caption, mentions: Sequence[tuple[int, int]] = ()) -> DatasetCaption:
    """Return the caption. `mentions`: the spans of its mentions; a chunk that an expert made one is no longer none."""
    spans = tuple((start, end) for start, end in left_over(row.non_visual, mentions))
    return DatasetCaption(row.text, tuple(row.words), tuple(row.offsets), spans, row.chunked)


def left_over(chunks: Sequence[Sequence[int]], mentions: Sequence[tuple[int, int]]) -> list[Sequence[int]]:
    """Return the chunks [first word, end] that no mention overlaps."""
    return [one for one in chunks if all(one[1] <= start or end <= one[0] for start, end in mentions)]


def category_ids(project: Project) -> dict[int, str]:
    """Return the categories by their ids: the eight types, then categories of imports, which never change theirs."""
    return dict(enumerate(dict.fromkeys([*map(str, MentionType), *categories_of(project)]), start=1))
