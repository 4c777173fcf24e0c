"""The database rows of one image, and the value that writers take, made of them.

Rows are plain tuples: objects of Django's models would take longer to make than all that is done with them.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from typing import Any, NamedTuple

from annotation.rules.box import Box as BoxValue
from annotation.rules.states import NonVisual
from exchange.dataset import DatasetBox, DatasetCaption, DatasetChain, DatasetImage, DatasetMention, DatasetPart
from exchange.who_answered import ImageAnswers
from pipeline.protocol.image.linking import answer_of_vote
from pipeline.protocol.image.merging import final_confidence
from pipeline.protocol.state.progress import ImageProgress
from pipeline.protocol.tasks.coreference_link import PartAnswer, link_outcome


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


class CaptionRow(NamedTuple):
    """A caption's row."""

    id: int
    number: int
    text: str
    words: Sequence[str]
    offsets: Sequence[int]
    non_visual: Sequence[Sequence[int]]
    chunked: bool


class MentionRow(NamedTuple):
    """A mention's row, with the number of its caption in front: rows sort into reading order."""

    caption: int
    start: int
    end: int
    number: int
    types: tuple[str, ...]
    text: str
    chain: int | None
    caption_id: int


class ChainRow(NamedTuple):
    """A chain's row, without its state."""

    name: int
    non_visual: str
    doubted: str
    merged_into: int | None


class BoxRow(NamedTuple):
    """The row of an accepted box."""

    number: int
    chain: int
    box: BoxValue


class MergedRow(NamedTuple):
    """A merged box's row."""

    box: BoxValue
    members: Sequence[int]


class ImageRows:
    """The database rows of one image."""

    def __init__(self, image: ImageRow) -> None:
        self.image = image
        self.captions: list[CaptionRow] = []
        self.mentions: list[MentionRow] = []
        """In reading order."""
        self.chains: dict[int, ChainRow] = {}
        self.boxes: list[BoxRow] = []
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

    def final(self, mention: MentionRow) -> int:
        """Return the name of the mention's final chain. A mention without a chain is a chain of its own."""
        return mention.number if mention.chain is None else self.final_name(mention.chain)

    def final_name(self, chain: int) -> int:
        """Return the name of the chain that this one was merged into, or its own."""
        into = self.chains[chain].merged_into
        return chain if into is None else into

    def _chains(self, numbers: dict[int, str]) -> Iterator[DatasetChain]:
        members: dict[int, list[ChainRow]] = defaultdict(list)
        for chain in self.chains.values():
            if chain.merged_into is not None:
                members[chain.merged_into].append(chain)
        for name, number in numbers.items():
            row = self.chains.get(name)
            yield DatasetChain(number) if row is None else self._chain(row, number, members.get(name, ()))

    def _chain(self, row: ChainRow, number: str, members: Sequence[ChainRow]) -> DatasetChain:
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
        return min((chance for chance in chances if chance is not None), default=None)

    def _boxes(self, numbers: dict[int, str]) -> Iterator[DatasetBox]:
        """Yield each box once, with all its chains: nothing tells two equal boxes of a picture apart."""
        chain_of = {box.number: numbers[self.final_name(box.chain)] for box in self.boxes}
        made = [(one.box, one.members) for one in self.merged] or [(one.box, [one.number]) for one in self.boxes]
        same: dict[BoxValue, list[int]] = defaultdict(list)
        for edges, members in made:
            same[edges] += members
        for edges, members in same.items():
            yield self._box(edges, members, chain_of)


def loaded_caption(row: Any, mentions: Sequence[tuple[int, int]] = ()) -> DatasetCaption:
    """Return the caption of a row, which may be of Django's model.

    `mentions`: the spans of its mentions; a chunk that an expert made one is no longer none.
    """
    spans = tuple((start, end) for start, end in left_over(row.non_visual, mentions))
    return DatasetCaption(row.text, tuple(row.words), tuple(row.offsets), spans, row.chunked)


def left_over(chunks: Sequence[Sequence[int]], mentions: Sequence[tuple[int, int]]) -> list[Sequence[int]]:
    """Return the chunks [first word, end] that no mention overlaps."""
    return [chunk for chunk in chunks if all(chunk[1] <= start or end <= chunk[0] for start, end in mentions)]
