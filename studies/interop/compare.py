"""Counts, one by one, of what a reader found and what it had to find."""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace

from exchange.formats.format import Loss
from exchange.registry import FORMATS
from studies.interop.found import Found, Phrase

SHOWN = 3


@dataclass(frozen=True, slots=True)
class Compared:
    """The number of things of a kind that a reader had to find, and of those that it lacked or had too many."""

    kind: str
    number: int
    differences: int
    examples: tuple[str, ...] = ()


def in_format(truth: Found, export_format: str) -> Found:
    """Return the part of the truth that the format holds."""
    loses = FORMATS[export_format].loses
    if Loss.OTHER_PHRASES not in loses:
        return truth
    phrases = [phrase for phrase in truth.phrases if phrase.boxes]
    if Loss.CAPTIONS not in loses:
        return replace(truth, phrases=phrases)
    with_phrases = {(phrase.file_name, phrase.caption) for phrase in phrases}
    captions = [caption for caption in truth.captions if caption in with_phrases]
    names = {name for name, _ in captions}
    sizes = {name: size for name, size in truth.sizes.items() if name in names}
    return replace(truth, phrases=phrases, captions=captions, sizes=sizes)


def compare(truth: Found, found: Found, export_format: str) -> list[Compared]:
    """Return a row for each kind of thing that the reader hands on."""
    told = in_format(truth, export_format)
    kinds: list[tuple[str, Iterable[Hashable], Iterable[Hashable]]] = [
        ("spans", (phrase[:4] for phrase in told.phrases), (phrase[:4] for phrase in found.phrases)),
        ("equal phrases", equal_phrases(told.phrases), equal_phrases(found.phrases)),
        ("boxes", _boxes(told.phrases), _boxes(found.phrases)),
    ]
    if all(phrase.chain is not None for phrase in found.phrases):
        kinds.append(("chains", _chains(told.phrases), _chains(found.phrases)))
    if "captions" in found.told:
        kinds.append(("captions", told.captions, found.captions))
    if "sizes" in found.told:
        kinds.append(("sizes", told.sizes.items(), found.sizes.items()))
    if "loose" in found.told:
        kinds.append(("other boxes", told.loose, found.loose))
    if "pictures" in found.told:
        kinds.append(("pictures", told.pictures.items(), found.pictures.items()))
    if "ids" in found.told:  # a column of one kind has numbers as texts
        told_ids, found_ids = ({name: str(id_) for name, id_ in ids.items()} for ids in (told.ids, found.ids))
        kinds.append(("ids", told_ids.items(), found_ids.items()))
    return [_compared(*one) for one in kinds]


def equal_phrases(phrases: Iterable[Phrase]) -> list[tuple[Hashable, ...]]:
    """Return the phrases whose text stands several times in their caption, each with its place and boxes."""
    places: dict[tuple[str, str, str], set[tuple[int, int]]] = defaultdict(set)
    every = [
        (phrase, (phrase.file_name, phrase.caption, phrase.caption[phrase.start : phrase.end])) for phrase in phrases
    ]
    for one, key in every:
        places[key].add((one.start, one.end))
    return [(*one[:4], tuple(sorted(one.boxes))) for one, key in every if len(places[key]) > 1]


def _boxes(phrases: Iterable[Phrase]) -> list[tuple[Hashable, ...]]:
    return [(*phrase[:4], box) for phrase in phrases for box in phrase.boxes]


def _chains(phrases: Iterable[Phrase]) -> list[tuple[Hashable, ...]]:
    """Return a row for each chain of an image, with its phrases: names differ from export to export."""
    members: dict[tuple[str, str | None], list[tuple[str, int, int]]] = defaultdict(list)
    for phrase in phrases:
        members[phrase.file_name, phrase.chain].append((phrase.caption, phrase.start, phrase.end))
    return [(name, *sorted(member)) for (name, _), member in members.items()]


def _compared(kind: str, told: Iterable[Hashable], found: Iterable[Hashable]) -> Compared:
    expected, own = Counter(told), Counter(found)
    lacking, too_many = expected - own, own - expected
    examples = [f"lacks {one}" for one in lacking] + [f"has {one}" for one in too_many]
    return Compared(kind, expected.total(), lacking.total() + too_many.total(), tuple(examples[:SHOWN]))
