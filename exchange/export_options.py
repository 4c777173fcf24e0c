"""Options of exports: what goes in, with which pictures, and in which parts, such as train or test."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from hashlib import blake2b

from annotation.rules.dictionaries import compared_words
from annotation.rules.mention import PRONOUNS
from exchange.checks import Defect, decode
from exchange.dataset import AnswerTally, DatasetBox, DatasetChain, DatasetImage, NegativePhrase
from exchange.formats.format import ExportOption
from exchange.formats.phrases import ExportNote, chance_of_all

PART = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")
"""Names of parts: they become names of files."""
HEADS = (",part", ",split", "\tpart", "\tsplit")
"""Endings of a first line that names columns."""


def read_splits(name: str, data: bytes) -> Iterator[tuple[str, str, str]]:
    """Yield the image and the part of each line IMAGE, comma or tab, PART of a file, after its place in words.

    Raises ValueError unless it is UTF-8.
    """
    try:
        text = decode(data)
    except Defect as defect:
        raise ValueError(f"{name} {defect.message}.") from defect
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip() and not (number == 1 and line.strip().endswith(HEADS)):
            image, _, part = (piece.strip() for piece in line.replace("\t", ",").rpartition(","))
            yield f"{name}, line {number}", image, part


def parts_by_image(rows: Iterable[tuple[str, str, str]], known: Mapping[str, str]) -> dict[str, str]:
    """Return the part of each image by its name. `rows`: where each stands, the image, and its part.

    `known`: the names of the project's images, by everything that may stand for them. Raises ValueError, which says
    where, for a name that no part can have, and for an image that is not there or stands twice; and for no rows.
    """
    found: dict[str, str] = {}
    for where, image, part in rows:
        if not image or not PART.fullmatch(part):
            raise ValueError(f"{where}: write IMAGE,PART, such as 0001.jpg,train.")
        if image not in known:
            raise ValueError(f"{where}: the project has no image {image[:60]!r}.")
        if found.setdefault(known[image], part) != part:
            raise ValueError(f"{where}: the image {image[:60]!r} is in {found[known[image]]!r} already.")
    if not found:
        raise ValueError("The file of parts holds no lines IMAGE,PART.")
    return found


def read_shares(text: str) -> dict[str, float]:
    """Return the shares of a text such as "train=0.8,val=0.1,test=0.1". Raises ValueError unless they add up to 1."""
    shares: dict[str, float] = {}
    for word in text.split(","):
        part, _, share = (piece.strip() for piece in word.partition("="))
        try:
            value = float(share)
        except ValueError:
            value = -1
        if not PART.fullmatch(part) or not 0 < value <= 1 or part in shares:
            raise ValueError(f"{word.strip()!r} is not a share: write PART=SHARE, as in train=0.8,val=0.1,test=0.1.")
        shares[part] = value
    if abs(sum(shares.values()) - 1) > 1e-6:
        raise ValueError(f"The shares add up to {sum(shares.values()):g}, not to 1: {text}.")
    return shares


def draw_splits(shares: Mapping[str, float], seed: int, names: Iterable[str]) -> dict[str, str]:
    """Return the part of each image, drawn by the seed and its name: it stays when images are added."""
    return {name: _drawn(shares, seed, name) for name in names}


def _drawn(shares: Mapping[str, float], seed: int, name: str) -> str:
    place = int.from_bytes(blake2b(f"{seed} {name}".encode(), digest_size=8).digest()) / 2**64
    reached = 0.0
    for part, share in shares.items():
        reached += share
        if place < reached:
            return part
    return [*shares][-1]


def parts_of(splits: Mapping[str, str]) -> Collection[str]:
    """Return the names of the parts, in the order in which they came first."""
    return dict.fromkeys(splits.values()).keys()


AS_THEY_CAME = 0
"""As the longest side of pictures: the files as they were imported."""


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """The choices of whoever exports. Without any, exports are as they always were."""

    pictures: int | None = None
    """The longest side of pictures that go with the export, in pixels, or AS_THEY_CAME; None: no pictures."""
    splits: Mapping[str, str] = field(default_factory=dict)
    """The part of each image, by its name; empty: the export has no parts."""
    min_confidence: float = 0.0
    """Boxes with a lower chance of being right, or of a chain with a lower one, are left out."""
    people_only: bool = False
    """Whether boxes are left out that no person drew or judged."""
    negatives: bool = False
    """Whether phrases of which nothing in the picture can be boxed go in, marked as negatives."""

    @property
    def filters(self) -> bool:
        """Whether something that is finished may be left out."""
        return self.people_only or self.min_confidence > 0

    @property
    def chosen(self) -> set[ExportOption]:
        """The options that only some formats take and that were chosen."""
        chosen = {
            ExportOption.PICTURES: self.pictures == AS_THEY_CAME,
            ExportOption.LONGEST_SIDE: bool(self.pictures),
            ExportOption.MIN_CONFIDENCE: self.min_confidence > 0,
            ExportOption.PEOPLE_ONLY: self.people_only,
            ExportOption.NEGATIVES: self.negatives,
        }
        return {option for option, is_chosen in chosen.items() if is_chosen}


NO_OPTIONS = ExportOptions()


def filtered(
    images: Iterable[DatasetImage], options: ExportOptions, counts: Counter[ExportNote]
) -> Iterator[DatasetImage]:
    """Yield the images with what the options let in, and count the rest."""
    for image in images:
        kept = _filtered(image, options, counts) if options.filters else image
        yield _with_negatives(kept, options, counts) if options.negatives else kept


def _filtered(image: DatasetImage, options: ExportOptions, counts: Counter[ExportNote]) -> DatasetImage:
    sure = {chain.name: chain.confidence for chain in image.chains}
    boxes = [box for box in image.boxes if _goes_in(box, sure, options, counts)]
    chains = image.chains
    if options.people_only:
        chains = tuple(_without_flags(chain, counts) for chain in chains)
    return replace(image, boxes=tuple(boxes), chains=chains)


def _goes_in(
    box: DatasetBox, sure: Mapping[str, float | None], options: ExportOptions, counts: Counter[ExportNote]
) -> bool:
    if options.people_only and _by_programs_alone(box.answers):
        counts[ExportNote.PROGRAMS] += 1
        return False
    known = [chance for chance in (box.confidence, *(sure.get(chain) for chain in box.chains)) if chance is not None]
    if options.min_confidence > 0 and not known:
        counts[ExportNote.UNKNOWN] += 1
    if known and min(known) < options.min_confidence:
        counts[ExportNote.UNSURE] += 1
        return False
    return True


def _without_flags(chain: DatasetChain, counts: Counter[ExportNote]) -> DatasetChain:
    if not (chain.scene or chain.no_box) or not _by_programs_alone(chain.answers):
        return chain
    counts[ExportNote.FLAGS] += 1
    return replace(chain, scene=False, no_box=False)


def _with_negatives(image: DatasetImage, options: ExportOptions, counts: Counter[ExportNote]) -> DatasetImage:
    every = negatives_of(image)
    sure = [phrase for phrase in every if phrase.confidence is None or phrase.confidence >= options.min_confidence]
    counts[ExportNote.UNSURE_NEGATIVES] += len(every) - len(sure)
    return replace(image, negatives=tuple(sure))


def negatives_of(image: DatasetImage) -> list[NegativePhrase]:
    """Return the negative phrases in reading order: of chains without a box, and of chain 0.

    Scenes are no negatives, nor are pronouns of chain 0: they stand for things that are there.
    """
    boxed = {name for box in image.boxes for name in box.chains}
    absent = {chain.name: chain for chain in image.chains if chain.no_box and chain.name not in boxed}
    found = []
    for mention in image.mentions:
        if mention.chain in absent:
            chain = absent[mention.chain]
            chance = chance_of_all((chain.confidence, chain.box_confidence))
            found.append(NegativePhrase(mention.caption, mention.start, mention.end, chance))
    for number, caption in enumerate(image.captions):
        for start, end in caption.non_visual:
            if " ".join(compared_words(caption.words[start:end])) not in PRONOUNS:
                found.append(NegativePhrase(number, start, end))
    return sorted(found, key=lambda phrase: (phrase.caption, phrase.start))


def _by_programs_alone(answers: AnswerTally | None) -> bool:
    """Tell whether programs answered and no person did. Imports and experts leave no answers."""
    return answers is not None and bool(answers.programs) and not answers.people
