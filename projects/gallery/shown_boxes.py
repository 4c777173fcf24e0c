"""Boxes as pages of an image show them, with the colours and the names of their chains, the same on every page."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from string import ascii_lowercase

from annotation.models import Box
from annotation.rules.states import BoxState
from exchange.dataset import DatasetImage
from exchange.load_project import ImageRows

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
