"""The results of a search as pictures: captions with the found phrases, and the boxes of their chains."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from annotation.models import Box, Image
from annotation.rules.states import BoxState
from annotation.word_search import forms, words_in
from campaign.explore.search import Search, mentions_of
from exchange.dataset import DatasetImage
from exchange.load_project import load_images
from gallery.image_page import Piece, pieces
from gallery.shown_boxes import ShownBox, colour_class, final_boxes

CAPTIONS = 2
"""The most captions that a result shows."""


@dataclass(slots=True)
class Card:
    """One image: its boxes and captions, of the found chains only if the search is for chains."""

    image: Image
    boxes: list[ShownBox]
    captions: list[list[Piece]]
    left_out: int
    """Captions that hold a found phrase, too, and are not shown."""
    chains: int
    """Chains that were found; all if the search is not for chains."""

    @property
    def alternative(self) -> str:
        """Return the picture in words for who does not see it."""
        boxes = f"{len(self.boxes)} box{'' if len(self.boxes) == 1 else 'es'}"
        return f"{self.image.name}, {boxes}"


def cards(images: Sequence[Image], search: Search) -> list[Card]:
    """Return the results for these images, which are in import order, in a fixed number of statements."""
    ids = [image.id for image in images]
    pending = defaultdict(list)
    for box in Box.objects.filter(image_id__in=ids, state=BoxState.PENDING.value).order_by("number"):
        pending[box.image_id].append(box)
    found: dict[int, set[tuple[int, int]]] = defaultdict(set)
    if search.of_chains:
        spans = mentions_of(search).filter(image_id__in=ids).values_list("image_id", "caption__number", "start")
        for image, caption, start in spans:
            found[image].add((caption, start))
    return [
        _card(image, *loaded, search, pending=pending[image.id], found=found[image.id] if search.of_chains else None)
        for image, loaded in zip(images, load_images(ids), strict=True)
    ]


def _card(
    image: Image,
    loaded: DatasetImage,
    names: dict[str, int],
    search: Search,
    *,
    pending: list[Box],
    found: set[tuple[int, int]] | None,
) -> Card:
    spans = {(mention.caption, mention.start): mention.chain for mention in loaded.mentions}
    chains = {int(chain or 0) for span, chain in spans.items() if found is None or span in found}
    boxes = [*final_boxes(loaded), *_pending(pending, names)]
    holding = _captions(loaded, found, search)
    captions = [list(pieces(loaded, number, 0, {})) for number in holding[:CAPTIONS]]
    for piece in (piece for caption in captions for piece in caption if piece.chain not in chains):
        piece.chain, piece.colour = None, ""  # a phrase of another chain is plain text here
    return Card(
        image=image,
        boxes=[box for box in boxes if not chains.isdisjoint(box.chains)],
        captions=captions,
        left_out=max(0, len(holding) - CAPTIONS) if holding != list(range(len(loaded.captions))) else 0,
        chains=len(chains),
    )


def _captions(loaded: DatasetImage, found: set[tuple[int, int]] | None, search: Search) -> list[int]:
    """Return the captions to show: those with a found phrase or word, or the first."""
    if found is not None:
        return sorted({caption for caption, _ in found})
    if search.where == "captions" and search.words:
        wanted = [set(forms(word)) for word in words_in(search.words)]
        said = [set(words_in(caption.text)) for caption in loaded.captions]
        return [number for number, words in enumerate(said) if all(words & one for one in wanted)]
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
