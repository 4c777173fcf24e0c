"""What the page of one image shows: captions with their phrases, chains, boxes, and how they came about."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby
from typing import Any

from annotation.models import Chain, Image
from annotation.rules.states import BoxState, ChainState
from exchange.dataset import DatasetImage
from exchange.load_project import load_image
from gallery.colours import colour_class
from pipeline.models import Progress, Transition
from pipeline.rules.image.progress_json import from_json

STORY_LENGTH = 200


@dataclass(slots=True)
class Piece:
    """A run of words of a caption: plain, a phrase of a chain, or a chunk that is no mention."""

    text: str
    after: str = " "
    """What stands between this run and the next."""
    chain: int | None = None
    mention: int | None = None
    colour: str = ""
    hidden: bool = False
    types: str = ""


@dataclass(slots=True)
class ShownBox:
    x: int
    y: int
    width: int
    height: int
    chains: list[int]
    colour: str
    pending: bool = False

    @property
    def label(self) -> str:
        return ", ".join(map(str, self.chains))

    @property
    def key(self) -> str:
        return " ".join(map(str, self.chains))


@dataclass(slots=True)
class ShownChain:
    number: int
    colour: str
    row: Chain | None
    """None: the image has not been begun."""
    phrases: list[str] = field(default_factory=list)
    mentions: list[int] = field(default_factory=list)
    boxes: int = 0
    members: list[Chain] = field(default_factory=list)
    """Chains that were merged into it."""

    @property
    def state(self) -> str:
        return self.row.state if self.row else ChainState.LINKING.value

    @property
    def note(self) -> str:
        """What a reader must know of it, in words."""
        if self.row is None:
            return ""
        parts = {
            "scene": "refers to the whole scene: no box" if self.row.non_visual == "scene" else "",
            "no box": "nothing to draw a box around" if self.row.non_visual == "no box" else "",
            "doubt": f"doubted: {self.row.doubted}" if self.row.doubted else "",
            "review": f"waits for an expert: {self.row.review}" if self.row.review else "",
        }
        return "; ".join(part for part in parts.values() if part)


@dataclass(slots=True)
class Happening:
    """One move, in words: what moved, where to, why, and who did it."""

    at: datetime
    what: str
    move: str
    why: str
    who: str


@dataclass(slots=True)
class ImagePage:
    image: Image
    captions: list[list[Piece]]
    boxes: list[ShownBox]
    chains: list[ShownChain]
    story: list["Happening"]
    waiting: bool
    """Its phrases are still to be found."""
    previous: Image | None
    next: Image | None


def image_page(image: Image) -> ImagePage:
    loaded, names = load_image(image)
    rows = {chain.name: chain for chain in Chain.objects.filter(image=image)}
    numbers = {mention.number: mention for mention in image.mentions.all()}
    by_span = {(m.caption_id, m.start): n for n, m in numbers.items()}
    ids = {caption.number: caption.id for caption in image.captions.all()}
    siblings = image.project.images.order_by("position")
    return ImagePage(
        image=image,
        captions=[list(_pieces(loaded, number, ids[number], by_span)) for number in range(len(loaded.captions))],
        boxes=[*_boxes(loaded), *_pending(image, names)],
        chains=_chains(loaded, names, rows, ids, by_span),
        story=_story(image),
        waiting=any(not caption.chunked for caption in loaded.captions),
        previous=siblings.filter(position__lt=image.position).last(),
        next=siblings.filter(position__gt=image.position).first(),
    )


def _pieces(image: DatasetImage, number: int, caption_id: int, by_span: dict[tuple[int, int], int]) -> Iterator[Piece]:
    caption = image.captions[number]
    spans: dict[int, tuple[int, Piece]] = {}
    for mention in image.mentions:
        if mention.caption == number and mention.chain is not None:
            chain = int(mention.chain)
            piece = Piece("", chain=chain, mention=by_span[caption_id, mention.start], colour=colour_class(chain))
            piece.types = ", ".join(mention.types)
            spans[mention.start] = (mention.end, piece)
    for start, end in caption.non_visual:
        spans[start] = (end, Piece("", hidden=True))
    at = 0
    while at < len(caption.words):
        end, piece = spans.get(at, (at + 1, Piece("")))
        last = caption.offsets[end - 1] + len(caption.words[end - 1])
        piece.text = caption.text[caption.offsets[at] : last]
        piece.after = caption.text[last : caption.offsets[end]] if end < len(caption.words) else ""
        yield piece
        at = end


def _boxes(image: DatasetImage) -> Iterator[ShownBox]:
    # Large ones first, so that a small box inside a large one can be pointed at.
    for box in sorted(image.boxes, key=lambda one: -one.box.area):
        chains = [int(chain) for chain in box.chains]
        x0, y0, x1, y1 = box.box
        yield ShownBox(x0, y0, x1 - x0, y1 - y0, chains, colour_class(chains[0]))


def _pending(image: Image, names: dict[str, int]) -> Iterator[ShownBox]:
    """Boxes whose quality nobody has judged yet."""
    numbers = {name: int(number) for number, name in names.items()}
    for row in image.boxes.filter(state=BoxState.PENDING.value):
        if row.chain in numbers:
            chain = numbers[row.chain]
            size = (row.x1 - row.x0, row.y1 - row.y0)
            yield ShownBox(row.x0, row.y0, *size, [chain], colour_class(chain), pending=True)


def _chains(
    image: DatasetImage,
    names: dict[str, int],
    rows: dict[int, Chain],
    ids: dict[int, int],
    by_span: dict[tuple[int, int], int],
) -> list[ShownChain]:
    shown = {
        number: ShownChain(int(number), colour_class(int(number)), rows.get(name)) for number, name in names.items()
    }
    for mention in image.mentions:
        if mention.chain is not None:
            chain = shown[mention.chain]
            words = image.captions[mention.caption].words[mention.start : mention.end]
            chain.phrases.append(" ".join(words))
            chain.mentions.append(by_span[ids[mention.caption], mention.start])
    for box in image.boxes:
        for number in box.chains:
            shown[number].boxes += 1
    for name, row in rows.items():
        if row.merged_into is not None:
            owner = next(number for number, into in names.items() if into == row.merged_into)
            shown[owner].members.append(rows[name])
    return list(shown.values())


def _story(image: Image) -> list[Happening]:
    """The moves of the image, its chains and boxes, oldest first; only the last ones of a long story."""
    phrases = dict(image.mentions.values_list("number", "text"))
    experts = image.entries.exclude(actor="").values_list("sequence", "actor", "reason")
    acted = {sequence: (actor, reason) for sequence, actor, reason in experts}
    rows = Transition.objects.filter(image=image).exclude(machine="question").order_by("-id")[:STORY_LENGTH]
    return [_happening(row, phrases, acted) for row in reversed(rows)]


def _happening(row: Transition, phrases: dict[int, str], acted: dict[int, tuple[str, str]]) -> Happening:
    what = {"image": "the image", "box": f"box {row.subject}"}.get(row.machine, "")
    if row.machine == "chain":
        what = f"“{phrases.get(int(row.subject), row.subject)}”"
    why = row.reason
    if why.startswith("same boxes as chain "):
        why = f"same boxes as “{phrases.get(int(why.rsplit(' ', 1)[1]), '?')}”"
    who, said = acted.get(row.sequence, ("", ""))
    new = row.new or "gone"
    return Happening(
        row.created_at, what, f"{row.old} → {new}" if row.old else new, "; ".join(filter(None, [why, said])), who
    )


def open_questions(image: Image) -> list[tuple[str, int]]:
    """Per task, how many questions are open for this image."""
    kept = Progress.objects.filter(image=image).first()
    tasks: list[Any] = sorted(q.task.label for q in from_json(kept.state).open.values()) if kept else []
    return [(task, len(list(own))) for task, own in groupby(tasks)]
