"""The contents of an image's page: captions with their phrases, chains, boxes with their colours, and their history."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby
from string import ascii_lowercase

from annotation.models import Box, Chain, Image
from annotation.rules.states import BoxState, ChainState, NonVisual
from exchange.dataset import DatasetImage
from exchange.load_project import ImageRows, load_rows
from pipeline.models import Progress, Transition
from pipeline.protocol.image.merging import final_confidence
from pipeline.protocol.state.progress import Cause, ImageProgress, StateMachine
from pipeline.protocol.state.progress_json import from_json
from pipeline.record.read_record import BY_EXPERT, expert_reasons
from runtime.words import percent

COLOURS = 8
"""The classes c0 to c7 of the style sheet. People with any kind of colour vision can tell them apart."""


def chain_numbers(finals: Iterable[int]) -> dict[int, int]:
    """Number the chains in reading order, from 1. `finals`: the final chain of each phrase, in reading order.

    A chain that was merged into another one has the number of that one: look it up by its final name.
    """
    return {name: number for number, name in enumerate(dict.fromkeys(finals), start=1)}


def box_names(
    boxes: Iterable[tuple[int, int]], numbers: Mapping[int, int], joined: Iterable[Iterable[int]] = ()
) -> dict[int, str]:
    """Name each box by its chain, as in "3", or "3a" and "3b" where a chain has several, discarded ones too.

    `boxes`: the number of each box and the final name of its chain. `numbers`: of the chains. `joined`: boxes that
    merging made one; those of one chain share a name.
    """
    one_of = {number: min(members) for members in map(list, joined) for number in members}
    places: dict[int, dict[int, int]] = {}
    found: dict[int, tuple[int, int]] = {}
    for number, chain in sorted(boxes):
        own = places.setdefault(chain, {})
        found[number] = chain, own.setdefault(one_of.get(number, number), len(own))
    return {
        number: f"{numbers.get(chain, '?')}{_letters(place) if len(places[chain]) > 1 else ''}"
        for number, (chain, place) in found.items()
    }


def _letters(place: int) -> str:
    """Return a to z, then aa, ab, and so on."""
    before, own = divmod(place, len(ascii_lowercase))
    return (_letters(before - 1) if before else "") + ascii_lowercase[own]


@dataclass(slots=True)
class ShownBox:
    x: int
    y: int
    width: int
    height: int
    chains: list[int]
    colour: str
    pending: bool = False
    name: str = ""
    """The name by which the history and the workbench speak of it; empty: where boxes are not spoken of."""

    @property
    def label(self) -> str:
        return self.name or ", ".join(map(str, self.chains))

    @property
    def key(self) -> str:
        return " ".join(map(str, self.chains))


def shown_boxes(loaded: DatasetImage, stored: ImageRows, drawn: list[Box], named: dict[int, str]) -> list[ShownBox]:
    """Return the boxes of an image's page. `drawn`: all that there ever were. `named`: their names."""
    return [*_named(final_boxes(loaded), drawn, stored, named), *_pending(drawn, stored.names, named)]


def names_of_boxes(drawn: list[Box], stored: ImageRows) -> dict[int, str]:
    """Return the name of each box, by its number."""
    boxes = [(row.number, stored.final_name(row.chain)) for row in drawn]
    numbers = {name: int(number) for number, name in stored.names.items()}
    return box_names(boxes, numbers, [merged.members for merged in stored.merged])


def final_boxes(image: DatasetImage) -> Iterator[ShownBox]:
    """Yield the image's boxes, without those whose quality nobody has judged yet."""
    # Large boxes first, so that a small box inside a large one lies on top and can be pointed at.
    for box in sorted(image.boxes, key=lambda one: -one.box.area):
        chains = [int(chain) for chain in box.chains]
        x0, y0, x1, y1 = box.box
        yield ShownBox(x0, y0, x1 - x0, y1 - y0, chains, colour_class(chains[0]))


def _named(shown: Iterable[ShownBox], drawn: list[Box], stored: ImageRows, named: dict[int, str]) -> Iterator[ShownBox]:
    """Name final boxes after those that they were made of."""
    made_of: dict[tuple[int, ...], list[int]] = {merged.box: [*merged.members] for merged in stored.merged}
    if not made_of:
        for row in drawn:
            if row.state == BoxState.ACCEPTED.value:
                made_of.setdefault(row.box, []).append(row.number)
    for box in shown:
        members = made_of[box.x, box.y, box.x + box.width, box.y + box.height]
        box.name = ", ".join(sorted({named[number] for number in members}))
        yield box


def _pending(drawn: list[Box], names: dict[str, int], named: dict[int, str]) -> Iterator[ShownBox]:
    """Return the boxes whose quality nobody has judged yet."""
    numbers = {name: int(number) for number, name in names.items()}
    for row in drawn:
        if row.state == BoxState.PENDING.value and row.chain in numbers:
            chain = numbers[row.chain]
            size = (row.x1 - row.x0, row.y1 - row.y0)
            name = named[row.number]
            yield ShownBox(row.x0, row.y0, *size, [chain], colour_class(chain), pending=True, name=name)


def colour_class(number: int) -> str:
    """Return the colour class of a chain's phrases and boxes. `number`: of the chain on this page, from 1.

    From the ninth chain on the colours repeat, with broken lines.
    """
    round_, colour = divmod(number - 1, COLOURS)
    return f"c{colour} again" if round_ else f"c{colour}"


STORY_LENGTH = 200
"""The most moves that the history shows."""
NON_VISUAL = {
    NonVisual.SCENE.value: "refers to the whole scene: no box",
    NonVisual.NO_BOX.value: "nothing to draw a box around",
}


@dataclass(slots=True)
class WordRun:
    """A run of words of a caption: plain text, a phrase of a chain, or a chunk that is not a mention."""

    text: str
    after: str = " "
    """The text between this run and the next."""
    chain: int | None = None
    mention: int | None = None
    colour: str = ""
    hidden: bool = False
    types: str = ""


@dataclass(slots=True)
class ShownChain:
    number: int
    colour: str
    row: Chain | None
    """None: linking of the image has not started."""
    phrases: list[str] = field(default_factory=list)
    mentions: list[int] = field(default_factory=list)
    boxes: int = 0
    box_names: list[str] = field(default_factory=list)
    """The names of its boxes, if they are not simply the chain's number."""
    members: list[Chain] = field(default_factory=list)
    """Chains that were merged into this one."""
    confidence: float | None = None
    """The chance that it has exactly the right phrases, as exports have it; None: unknown."""
    expert_reason: str = ""
    """The reason that an expert typed who sent it to review."""
    box_confidence: float | None = None
    """The chance that its boxes are all right and none is missing, as exports have it; None: unknown."""

    @property
    def state(self) -> str:
        return self.row.state if self.row else ChainState.LINKING.value

    @property
    def sure(self) -> str:
        """The chances that the chain is right, in words; empty if nobody knows."""
        chances = (("phrases", self.confidence), ("boxes", self.box_confidence))
        return ", ".join(
            f"{what} {percent(chance, chance=True)} likely right" for what, chance in chances if chance is not None
        )

    @property
    def note(self) -> str:
        """The chain's review, doubts and merging in words; empty if there is nothing to note."""
        if self.row is None:
            return ""
        typed = f", “{self.expert_reason}”" if self.expert_reason else ""
        parts = (
            NON_VISUAL.get(self.row.non_visual, ""),
            f"doubted: {self.row.doubted}" if self.row.doubted else "",
            f"waits for an expert: {self.row.review}{typed}" if self.row.review else "",
        )
        return "; ".join(filter(None, parts))


@dataclass(slots=True)
class Event:
    """One move in words: what moved, from where to where, why, and who caused it."""

    at: datetime
    what: str
    move: str
    why: str
    who: str


@dataclass(slots=True)
class ImagePage:
    image: Image
    captions: list[list[WordRun]]
    boxes: list[ShownBox]
    chains: list[ShownChain]
    story: list[Event]
    waiting: bool
    """Whether phrases still have to be found in a caption."""
    previous: Image | None
    next: Image | None


def image_page(image: Image, *, with_chances: bool = True) -> ImagePage:
    """Return what the page of an image shows. `with_chances`: also how likely each chain is right."""
    stored = load_rows(image)
    loaded, names = stored.loaded(1), stored.names
    rows = {chain.name: chain for chain in image.chains.all()}
    by_span = {(mention.caption_id, mention.start): mention.number for mention in stored.mentions}
    phrases = {mention.number: mention.text for mention in stored.mentions}
    ids = {caption.number: caption.id for caption in stored.captions}
    drawn = list(image.boxes.order_by("number"))
    named = names_of_boxes(drawn, stored)
    siblings = Image.objects.filter(project=image.project_id).order_by("position")
    chains = _chains(loaded, names, rows, ids, by_span)
    _add_box_names(chains, drawn, stored, named)
    _add_reasons(image, chains)
    if with_chances:
        _add_chances(image, names, chains)
    return ImagePage(
        image=image,
        captions=[list(pieces(loaded, number, ids[number], by_span)) for number in range(len(loaded.captions))],
        boxes=shown_boxes(loaded, stored, drawn, named),
        chains=chains,
        story=_story(image, rows, phrases, named),
        waiting=any(not caption.chunked for caption in loaded.captions),
        previous=siblings.filter(position__lt=image.position).last(),
        next=siblings.filter(position__gt=image.position).first(),
    )


def pieces(image: DatasetImage, number: int, caption_id: int, by_span: dict[tuple[int, int], int]) -> Iterator[WordRun]:
    """Yield the runs of words of a caption. `by_span`: numbers of mentions by caption id and first word, if wanted."""
    caption = image.captions[number]
    spans: dict[int, tuple[int, WordRun]] = {}
    for mention in image.mentions:
        if mention.caption == number and mention.chain is not None:
            chain = int(mention.chain)
            piece = WordRun(
                "", chain=chain, mention=by_span.get((caption_id, mention.start)), colour=colour_class(chain)
            )
            piece.types = ", ".join(mention.types)
            spans[mention.start] = (mention.end, piece)
    for start, end in caption.non_visual:
        spans[start] = (end, WordRun("", hidden=True))
    at = 0
    while at < len(caption.words):
        end, piece = spans.get(at, (at + 1, WordRun("")))
        last = caption.offsets[end - 1] + len(caption.words[end - 1])
        piece.text = caption.text[caption.offsets[at] : last]
        piece.after = caption.text[last : caption.offsets[end]] if end < len(caption.words) else ""
        yield piece
        at = end


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


def _add_box_names(chains: list[ShownChain], drawn: list[Box], stored: ImageRows, named: dict[int, str]) -> None:
    """Add the names of the accepted boxes of each chain, of which several boxes that were joined have one."""
    found: dict[int, set[str]] = {}
    for row in drawn:
        if row.state == BoxState.ACCEPTED.value:
            found.setdefault(stored.final_name(row.chain), set()).add(named[row.number])
    names = stored.names
    for chain in chains:
        own = found.get(names[str(chain.number)], set())
        chain.box_names = sorted(own) if own != {str(chain.number)} else []


def _add_reasons(image: Image, chains: list[ShownChain]) -> None:
    """Add what experts typed who sent chains to review."""
    waiting = [chain for chain in chains if chain.row is not None and chain.row.review == BY_EXPERT]
    typed = expert_reasons([image.pk]) if waiting else {}
    for chain in waiting:
        chain.expert_reason = typed.get((image.pk, chain.row.name), "") if chain.row else ""


def _add_chances(image: Image, names: dict[str, int], chains: list[ShownChain]) -> None:
    """Set how likely each chain is right. Chains that are still linked, and those of imports, have no such chance."""
    progress = _progress(image)
    for chain in chains:
        name = names[str(chain.number)]
        if name in progress.chains:
            chain.confidence = final_confidence(progress, name)
            chain.box_confidence = progress.chains[name].box_confidence


def _story(image: Image, chains: dict[int, Chain], phrases: dict[int, str], named: dict[int, str]) -> list[Event]:
    """Return the last `STORY_LENGTH` moves of the image, its chains and its boxes, the oldest first."""
    experts = image.entries.exclude(actor="").values_list("sequence", "actor", "reason")
    acts = {sequence: (actor, reason) for sequence, actor, reason in experts}
    moves = Transition.objects.filter(image=image).exclude(machine=StateMachine.QUESTION.value)
    rows = moves.order_by("-id")[:STORY_LENGTH]
    return [_event(row, phrases, chains, named, acts) for row in reversed(rows)]


def _event(
    row: Transition,
    phrases: dict[int, str],
    chains: dict[int, Chain],
    named: dict[int, str],
    acts: dict[int, tuple[str, str]],
) -> Event:
    subject = "the image" if row.machine == StateMachine.IMAGE.value else ""
    if row.machine == StateMachine.BOX.value:
        name = named.get(int(row.subject))
        subject = f"box {name}" if name else "a box that is gone"
    cause = row.reason
    if row.machine == StateMachine.CHAIN.value:
        chain = int(row.subject)
        subject = f"“{phrases.get(chain, row.subject)}”"
        owner = chains[chain].merged_into if chain in chains else None
        if owner is not None and cause == Cause.SAME_BOXES.format(chain=owner):
            cause = f"merged into “{phrases.get(owner, '?')}”, same boxes"
    actor, reason = acts.get(row.sequence, ("", ""))
    new = row.new or "gone"
    move = f"{row.old} → {new}" if row.old not in ("", new) else new
    return Event(row.created_at, subject, move, "; ".join(filter(None, [cause, reason])), actor)


def open_questions(image: Image) -> list[tuple[str, int]]:
    """Return the number of open questions of the image, by task."""
    tasks = sorted(question.task.label for question in _progress(image).open.values())
    return [(task, len(list(questions))) for task, questions in groupby(tasks)]


def _progress(image: Image) -> ImageProgress:
    """Return how far the image is. A caller that selects `progress` with the image spares the statement."""
    kept: Progress | None = getattr(image, "progress", None)
    return from_json(kept.state) if kept else ImageProgress()
