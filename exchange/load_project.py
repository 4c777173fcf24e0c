"""A project's images, streamed from the database as the values that writers and reports take, with who answered."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from django.db.models import Func, Min, Q, QuerySet, TextField
from django.db.models.functions import Cast
from pydantic_core import from_json as read_new

from annotation.models import Box, Caption, Chain, Image, KnownBox, Mention, MergedBox, Project
from annotation.rules.box import Box as BoxValue
from annotation.rules.mention_type import NOUN_TYPES
from annotation.rules.states import BoxState, ImageState, NonVisual
from annotation.rules.transitivity import Pair
from exchange.dataset import (
    AnswerTally,
    DatasetBox,
    DatasetCaption,
    DatasetChain,
    DatasetImage,
    DatasetMention,
    DatasetPart,
)
from exchange.formats.format import RowNeed
from exchange.json_text import read_json
from pipeline.models import Entry, Judgment, Progress, SettingsVersion, Transition
from pipeline.protocol.boxes.tallies import drawer_judged
from pipeline.protocol.image.linking import answer_of_vote
from pipeline.protocol.image.machine import EntryKind
from pipeline.protocol.image.merging import final_confidence
from pipeline.protocol.state.progress import CHANGED_NOTHING, ImageProgress, StateMachine
from pipeline.protocol.state.progress_json import from_json, from_text
from pipeline.protocol.tasks.answers import link_replies
from pipeline.protocol.tasks.coreference_link import CoreferenceAnswer, PartAnswer, link_outcome
from pipeline.protocol.tasks.task import SURVEY_TASKS, Task
from pipeline.settings.of_belief import BoxPolicyName, LinkStrategy
from workers.models import Worker


def column_text(column: str) -> Cast:
    """Return the JSON of the column as it is stored, for the functions of `exchange.json_text`."""
    return Cast(column, TextField())


class IsoTime(Func):
    """A time of the database as text, as `datetime.isoformat` writes it in UTC: objects take longer to make."""

    output_field = TextField()

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        return self.as_sql(compiler, connection, template="REPLACE(%(expressions)s, ' ', 'T') || '+00:00'", **context)

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> Any:
        shape = 'YYYY-MM-DD"T"HH24:MI:SS.US'
        template = f"REPLACE(to_char(%(expressions)s AT TIME ZONE 'UTC', '{shape}'), '.000000', '') || '+00:00'"
        return self.as_sql(compiler, connection, template=template, **context)


LINK, QUALITY = Task.COREFERENCE_LINK.value, Task.BOX_QUALITY.value
SURVEYS = frozenset(task.value for task in SURVEY_TASKS)
SAME = CoreferenceAnswer.SAME.value
WITHOUT_EFFECT = [cause.value for cause in CHANGED_NOTHING]


class ImageAnswers:
    """The answers about one image's links ("yes", "no"), boxes ("drawn", "good", "bad") and chains (by task)."""

    def __init__(self) -> None:
        self._links: dict[Pair, AnswerTally] = defaultdict(AnswerTally)
        self._of_links: list[tuple[Sequence[int], str | None]] = []
        """The subject of each answer about links, with the program that gave it."""
        self._boxes: dict[int, AnswerTally] = defaultdict(AnswerTally)
        self._chains: dict[int, AnswerTally] = defaultdict(AnswerTally)

    def add(self, task: str, subject: Sequence[int], answer: Any, program: str | None) -> None:
        """Count an answer to a question about this subject. `program`: as in `Answers.add`."""
        if task == LINK:
            self._of_links.append((subject, program))
            for pair, reply in link_replies(subject, answer).items():
                self._links[pair].add("yes" if reply == SAME else "no", program)
        elif task not in SURVEYS:
            self._chains[subject[0]].add(task, program)
            if task == QUALITY:
                self._boxes[subject[1]].add(answer, program)

    def drawn(self, box: int, program: str | None) -> None:
        """Count who drew or proposed a box. `program`: as in `Answers.add`."""
        self._boxes[box].add("drawn", program)

    def of_link(self, a: int, b: int) -> AnswerTally | None:
        """Return the answers about a link; None: nobody answered."""
        return self._links.get((min(a, b), max(a, b)))

    def of_boxes(self, *numbers: int) -> AnswerTally:
        """Return the answers about these boxes together."""
        found = AnswerTally()
        for number in numbers:
            if number in self._boxes:
                found.add_all(self._boxes[number])
        return found

    def of_chain(self, mentions: Collection[int], *, links: bool = False) -> AnswerTally:
        """Return the answers about every chain that one of these mentions gave its name.

        `links`: with those about the links between the mentions; that to a sweep is one answer.
        """
        found = AnswerTally()
        for mention in mentions:
            if mention in self._chains:
                found.add_all(self._chains[mention])
        for (about, *others), program in self._of_links if links else ():
            if about in mentions and not set(others).isdisjoint(mentions):
                found.add(LINK, program)
        return found


def programs_of_service() -> dict[int, str]:
    """Return the names of all programs by their ids."""
    return dict(Worker.objects.filter(kind=Worker.Kind.PROGRAM).values_list("id", "name"))


def programs_at_work(project: Project) -> dict[int, str]:
    """Return the names of all programs by their ids; none if no program has drawn or answered in the project."""
    found = programs_of_service()
    drawn = Box.objects.filter(image__project=project, drawn_by__in=found)
    answered = Judgment.objects.filter(question__project=project, worker__in=found)
    return found if found and (drawn.exists() or answered.exists()) else {}


def load_answers(ids: Sequence[int], programs: Mapping[int, str]) -> dict[int, ImageAnswers]:
    """Return, by image, the answers that acted and were not voided, and who drew each box. `programs`: their names."""
    found: dict[int, ImageAnswers] = defaultdict(ImageAnswers)
    dropped = without_effect(ids)
    for image, data in Entry.objects.filter(image_id__in=ids, kind=EntryKind.VOID.value).values_list("image", "data"):
        dropped.update((image, entry) for entry in data["entries"])
    rows = Judgment.objects.filter(question__image_id__in=ids, entry__isnull=False).order_by("id")
    told = column_text("question__subject"), column_text("answer")
    for image, entry, task, subject, answer, worker in rows.values_list(
        "question__image", "entry__sequence", "question__task", *told, "worker"
    ):
        if (image, entry) not in dropped:
            found[image].add(task, read_json(subject), read_json(answer), programs.get(worker))
    boxes = Box.objects.filter(image_id__in=ids, drawn_by__isnull=False).order_by("image", "number")
    for image, number, worker in boxes.values_list("image", "number", "drawn_by"):
        found[image].drawn(number, programs.get(worker))
    return found


def without_effect(ids: Sequence[int]) -> set[tuple[int, int]]:
    """Return the image and number of the entries of judgments that came too late, or of a program set aside."""
    moves = Transition.objects.filter(image_id__in=ids, machine=StateMachine.QUESTION.value, reason__in=WITHOUT_EFFECT)
    return set(moves.order_by().values_list("image", "sequence"))


class ImageRow(NamedTuple):
    """An image's row, without what exports have no use for."""

    id: int
    name: str
    width: int
    height: int
    picture: str
    source: str
    path: str
    coco_id: int | str | None
    position: int


class StoredCaption(NamedTuple):
    """A caption's row."""

    id: int
    number: int
    text: str
    words: Sequence[str]
    offsets: Sequence[int]
    non_visual: Sequence[Sequence[int]]
    chunked: bool


class StoredMention(NamedTuple):
    """A mention's row, with the number of its caption in front: rows sort into reading order."""

    caption: int
    start: int
    end: int
    number: int
    types: tuple[str, ...]
    text: str
    chain: int | None
    caption_id: int


class StoredChain(NamedTuple):
    """A chain's row, without its state."""

    name: int
    non_visual: str
    doubted: str
    merged_into: int | None


class StoredBox(NamedTuple):
    """The row of an accepted box."""

    number: int
    chain: int
    box: BoxValue


class MergedRow(NamedTuple):
    """A merged box's row."""

    box: BoxValue
    members: Sequence[int]


class ImageRows:
    def __init__(self, image: ImageRow) -> None:
        self.image = image
        self.captions: list[StoredCaption] = []
        self.mentions: list[StoredMention] = []
        """In reading order."""
        self.chains: dict[int, StoredChain] = {}
        self.boxes: list[StoredBox] = []
        self.merged: list[MergedRow] = []
        self.drawer_judged: set[int] = set()
        self.answers: ImageAnswers | None = None
        """Only exports of projects with programs have them."""
        self.progress: ImageProgress | None = None
        """Only exports with confidences or parts have it, with its chains, boxes and votes alone."""

    def loaded(self, first: int) -> DatasetImage:
        """Return the image; its first chain gets the number `first`."""
        row = self.image
        numbers = {name: str(first + place) for place, name in enumerate(self._final_names())}
        spans: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for mention in self.mentions:
            spans[mention.caption].append((mention.start, mention.end))
        return DatasetImage(
            name=row.name,
            width=row.width,
            height=row.height,
            captions=tuple(loaded_caption(caption, spans[caption.number]) for caption in self.captions),
            mentions=tuple(
                DatasetMention(mention.caption, mention.start, mention.end, mention.types, numbers[self.final(mention)])
                for mention in self.mentions
            ),
            chains=tuple(self._chains(numbers)),
            boxes=tuple(self._boxes(numbers)),
            parts=tuple(self._parts()),
            picture=row.picture or None,
            source=row.source,
            path=row.path,
            coco_id=row.position + 1 if row.coco_id is None else row.coco_id,
        )

    @property
    def names(self) -> dict[str, int]:
        """The name of each number's chain, where the first has the number 1."""
        return {str(number): name for number, name in enumerate(self._final_names(), start=1)}

    def _final_names(self) -> Collection[int]:
        return dict.fromkeys(map(self.final, self.mentions))

    def final(self, mention: StoredMention) -> int:
        """Return the name of the mention's final chain. A mention without a chain is a chain of its own."""
        return mention.number if mention.chain is None else self.final_name(mention.chain)

    def final_name(self, chain: int) -> int:
        """Return the name of the chain that this one was merged into, or its own."""
        into = self.chains[chain].merged_into
        return chain if into is None else into

    def _chains(self, numbers: dict[int, str]) -> Iterator[DatasetChain]:
        members: dict[int, list[StoredChain]] = defaultdict(list)
        for chain in self.chains.values():
            if chain.merged_into is not None:
                members[chain.merged_into].append(chain)
        for name, number in numbers.items():
            row = self.chains.get(name)
            yield DatasetChain(number) if row is None else self._chain(row, number, members.get(name, ()))

    def _chain(self, row: StoredChain, number: str, members: Sequence[StoredChain]) -> DatasetChain:
        """Return the chain. `members`: those that were merged into it."""
        own = {row.name, *(chain.name for chain in members)}
        doubts = dict.fromkeys(chain.doubted for chain in (row, *members) if chain.doubted)
        return DatasetChain(
            number,
            scene=row.non_visual == NonVisual.SCENE.value,
            no_box=row.non_visual == NonVisual.NO_BOX.value,
            doubted="; ".join(doubts),
            drawer_judged=not own.isdisjoint(self.drawer_judged),
            answers=None if self.answers is None else self.answers.of_chain(self._mentions_of(own), links=True),
            confidence=None if self.progress is None else final_confidence(self.progress, row.name),
            box_confidence=None if self.progress is None else self.progress.chains[row.name].box_confidence,
        )

    def _parts(self) -> Iterator[DatasetPart]:
        """Yield a part for each link of which most answers name it, unless both ended in one chain."""
        place = {mention.number: place for place, mention in enumerate(self.mentions)}
        for pair, votes in self.progress.votes_by(model=False).items() if self.progress else ():
            if not any(vote.part_answer for vote in votes) or not place.keys() >= set(pair):
                continue
            answers = [answer_of_vote(vote) for vote in votes]
            said, ends = link_outcome(answers), [place[number] for number in pair]
            if said not in tuple(PartAnswer) or len({self.final(self.mentions[end]) for end in ends}) == 1:
                continue
            part, whole = ends if said is PartAnswer.A_OF_B else reversed(ends)
            yield DatasetPart(part, whole, answers.count(said), len(answers))

    def _mentions_of(self, chains: Collection[int]) -> list[int]:
        return [mention.number for mention in self.mentions if mention.chain in chains]

    def _least_sure(self, members: Collection[int]) -> float | None:
        """Return the confidence of the least sure of these boxes; None: none is known."""
        if self.progress is None:
            return None
        chances = [self.progress.boxes[member].confidence for member in members]
        return min((chance for chance in chances if chance is not None), default=None)

    def _boxes(self, numbers: dict[int, str]) -> Iterator[DatasetBox]:
        """Yield each box once, with all its chains: nothing tells two equal boxes of a picture apart."""
        chain_of = {box.number: numbers[self.final_name(box.chain)] for box in self.boxes}
        made = [(box.box, box.members) for box in self.merged] or [(box.box, [box.number]) for box in self.boxes]
        same: dict[BoxValue, list[int]] = defaultdict(list)
        for edges, members in made:
            same[edges] += members
        for edges, members in same.items():
            chains = {chain_of[member] for member in members}
            said = None if self.answers is None else self.answers.of_boxes(*members)
            yield DatasetBox(edges, tuple(sorted(chains, key=int)), answers=said, confidence=self._least_sure(members))


def loaded_caption(row: Any, mentions: Sequence[tuple[int, int]] = ()) -> DatasetCaption:
    """Return the caption of a row, which may be of Django's model.

    `mentions`: the spans of its mentions; a chunk that an expert made one is no longer none.
    """
    spans = tuple((start, end) for start, end in left_over(row.non_visual, mentions))
    return DatasetCaption(row.text, tuple(row.words), tuple(row.offsets), spans, row.chunked)


def left_over(chunks: Sequence[Sequence[int]], mentions: Sequence[tuple[int, int]]) -> list[Sequence[int]]:
    """Return the chunks [first word, end] that no mention overlaps."""
    return [chunk for chunk in chunks if all(chunk[1] <= start or end <= chunk[0] for start, end in mentions)]


IMAGES_AT_ONCE = 200
NAMED = 1000
"""The most ids that a statement names; of more, those of all images are read."""
CHANCES = ("chains", "boxes")
"""The parts of an image's progress that hold confidences."""
VOTES = "votes"
"""The part that says what is part of what."""
EDGES = BoxValue._fields


def stream_images(
    project: Project,
    needs: Collection[RowNeed] = (),
    *,
    include_unmerged: bool = False,
    only: Collection[int] | None = None,
    first: int = 1,
) -> Iterator[DatasetImage]:
    """Yield the images in import order. Chains are numbered over the whole stream, by image, then name.

    Merged images have their merged boxes and chains. With `include_unmerged`, other images have what exists so far.
    `needs`: rows that only some formats hold; boxes without a chain come behind the others, and who answered only if
    programs are among them. `only`: ids of the images to yield; None: all. `first`: the number of the first chain.
    """
    number = first
    # Only these ways to ask leave confidences or parts; elsewhere the progress of each image would be read for nothing.
    ways = Q(values__strategy=LinkStrategy.ADAPTIVE.value) | Q(values__box_policy=BoxPolicyName.BELIEF.value)
    ways |= Q(values__part_answers=True)
    versions = SettingsVersion.objects.filter(ways, project=project).order_by()
    sure = set(versions.values_list("values__part_answers", flat=True)) if RowNeed.CHANCES in needs else set()
    shown = (*CHANCES, VOTES) if True in sure else CHANCES
    programs = programs_at_work(project) if RowNeed.ANSWERS in needs else {}
    ids = ids_in_order(project, only, include_unmerged=include_unmerged)
    for start in range(0, len(ids), IMAGES_AT_ONCE):
        part = ids[start : start + IMAGES_AT_ONCE]
        known = _known_boxes(part) if RowNeed.OWN_FIELDS in needs else {}
        said = load_answers(part, programs) if programs else {}
        progress = dict(_rows(Progress, part, column_text("state"))) if sure else {}
        for rows in stored_images(part):
            image = rows.image.id
            rows.answers = said.get(image, ImageAnswers()) if programs else None
            rows.progress = from_text(progress[image], *shown) if image in progress else None
            loaded = rows.loaded(number)
            number += len(loaded.chains)
            yield replace(loaded, boxes=(*loaded.boxes, *known[image])) if image in known else loaded


def ids_in_order(project: Project, only: Collection[int] | None, *, include_unmerged: bool) -> list[int]:
    """Return the ids of the images of an export in its order. `only`: ids of the images that it may have; None: all."""
    images = project.images.order_by("position")
    if not include_unmerged:
        images = images.filter(state=ImageState.MERGED.value)
    only = None if only is None else frozenset(only)
    if only is not None and len(only) <= NAMED:
        images = images.filter(id__in=only)
    return [image for image in images.values_list("id", flat=True) if only is None or image in only]


def categories_of(project: Project) -> list[str]:
    """Return the categories of boxes of imports, in the order in which they came first: later ones are added behind."""
    rows = KnownBox.objects.filter(image__project=project, exported=True).values("category")
    return list(rows.annotate(first=Min("id")).order_by("first").values_list("category", flat=True))


def _known_boxes(ids: Sequence[int]) -> dict[int, list[DatasetBox]]:
    found: dict[int, list[DatasetBox]] = defaultdict(list)
    for object_ in KnownBox.objects.filter(image_id__in=ids, exported=True).order_by("image_id", "id"):
        found[object_.image_id].append(DatasetBox(object_.box, category=object_.category))
    return found


def load_rows(image: Image) -> ImageRows:
    """Return the rows of one image. Its `loaded(1)` and `names` are what `load_images` yields."""
    (rows,) = stored_images([image.id])
    return rows


def load_images(ids: Sequence[int]) -> Iterator[tuple[DatasetImage, dict[str, int]]]:
    """Yield images in their present state, in import order, in a fixed number of statements.

    Each has its chains numbered from 1, and the name of each number's chain.
    """
    for rows in stored_images(ids):
        loaded = rows.loaded(1)
        yield loaded, rows.names


def stored_images(ids: Sequence[int]) -> Iterator[ImageRows]:
    """Yield the rows of images, in import order, in a fixed number of statements."""
    found = Image.objects.filter(id__in=ids).order_by("position").values_list(*ImageRow._fields)
    rows = {row[0]: ImageRows(ImageRow(*row)) for row in found}
    for image, *caption, words, offsets, non_visual, chunked in _rows(
        Caption, ids, "id", "number", "text", *map(column_text, ("words", "offsets", "non_visual")), "chunked"
    ).order_by("image_id", "number"):
        read = read_new(words), read_new(offsets), read_json(non_visual)
        rows[image].captions.append(StoredCaption._make((*caption, *read, chunked)))
    for image, *mention, types, text, chain, caption in _rows(
        Mention, ids, "caption__number", "start", "end", "number", column_text("types"), "text", "chain", "caption_id"
    ).order_by():
        rows[image].mentions.append(StoredMention._make((*mention, tuple(read_json(types)), text, chain, caption)))
    for image, *chain in _rows(Chain, ids, *StoredChain._fields).order_by("image_id", "name"):
        rows[image].chains[chain[0]] = StoredChain(*chain)
    accepted = _rows(Box, ids, "number", "chain", *EDGES).filter(state=BoxState.ACCEPTED.value)
    for image, number, chain, *edges in accepted.order_by("image_id", "number"):
        rows[image].boxes.append(StoredBox(number, chain, BoxValue(*edges)))
    for image, members, *edges in _rows(MergedBox, ids, column_text("members"), *EDGES).order_by("image_id", "number"):
        rows[image].merged.append(MergedRow(BoxValue(*edges), read_json(members)))
    # Most projects never let drawers judge, and need not read the progress of every image.
    allowing = SettingsVersion.objects.filter(project__images__in=ids, values__drawer_judges_coverage=True)
    if allowing.exists():
        for number, state in Progress.objects.filter(image_id__in=ids).values_list("image_id", "state"):
            chains = from_json(state).chains.values()
            rows[number].drawer_judged = {chain.name for chain in chains if drawer_judged(chain)}
    for row in rows.values():
        row.mentions.sort()
        yield row


def _rows(table: Any, ids: Sequence[int], *columns: Any) -> QuerySet[Any, tuple[Any, ...]]:
    """Return the rows of these images: the image's id, then these columns."""
    rows: QuerySet[Any, tuple[Any, ...]] = table.objects.filter(image_id__in=ids).values_list("image_id", *columns)
    return rows


def category_ids(project: Project) -> dict[int, str]:
    """Return the categories by their ids: the eight types, then categories of imports, which never change theirs."""
    return dict(enumerate(dict.fromkeys([*map(str, NOUN_TYPES), *categories_of(project)]), start=1))
