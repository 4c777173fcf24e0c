"""Text features [beyond paper 3.1.1]: yes-or-no facts about the words of two mentions, and those before them.

Each hints at coreference or against it. "In a red shirt" and "wearing a shirt" differ in the word before, "a man riding
a horse" and "a boy rides a pony" share the verb.

Which head nouns name one thing is read from a project's captions before anybody is asked. Where one caption says "guy"
another often says "man", and seldom "woman". Each mention of a caption is taken to name what one mention of another
caption names that shares a type, or else something of its own. Expectation maximisation (Dempster, Laird, Rubin 1977),
as for translating single words (Brown et al. 1993, model 1), finds how often two heads are paired, from how often they
could be.
"""

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotation.rules.dictionaries import COLORS, DETERMINERS, load_dictionaries, plain_words, singulars
from annotation.rules.mention_type import MentionType
from annotation.rules.transitivity import PLANNED_WHOLE, LinkMention
from belief.links.partitions import Scores


def word_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


FUNCTION_WORDS = DETERMINERS | {"and", "at", "by", "for", "from", "in", "of", "on", "or", "with", "'s"}
"""Words that say nothing about the thing itself."""
GRAMMAR_WORDS = FUNCTION_WORDS | word_set(
    """about above across after against along alongside another are around as atop away be behind being below beside
    between down during front inside into is it its near next off onto other out outside over past that there through to
    toward towards under up upon was were which while who"""
)
"""Words of the context that do not tell what happens in the picture."""
ENDINGS = ("ing", "ed", "es", "s")


class WordsBefore(NamedTuple):
    """The words before one mention."""

    last: str
    """The word right before it; empty if there is none."""
    stems: frozenset[str]
    """The stems of the words that tell what happens."""


@lru_cache(maxsize=4096)
def context(before: tuple[str, ...]) -> WordsBefore:
    """Return the context of a mention by the words before it, lower-cased."""
    telling = (word for word in before if word not in GRAMMAR_WORDS and any(character.isalnum() for character in word))
    return WordsBefore(before[-1] if before else "", frozenset(map(stem, telling)))


def stem(word: str) -> str:
    """Return the word without a common ending: "riding" and "rides" are "rid", "running" and "runs" are "run"."""
    ending = next((end for end in ENDINGS if word.endswith(end) and len(word) - len(end) >= 3), "")
    word = word.removesuffix(ending)
    if len(word) > 3 and word[-1] == word[-2]:
        return word[:-1]
    return word[:-1] if len(word) > 3 and word.endswith("e") else word


FEATURES = (
    "any pair",
    "same content words",
    "same head",
    "other word shared",
    "number agrees",
    "number differs",
    "colour agrees",
    "colour differs",
    "gender or age agrees",
    "gender or age differs",
    "same rank",
    "both first",
    "people of one number",
    "head in other words",
    "related heads",
    "same word before",
    "context shared",
)
"""The names under which a fitted prior keeps its weights.

"same head": the same head noun, singular or plural. "same rank": both are, say, the second mention of a type in their
captions. "both first": both begin their captions. "head in other words": one's head stands elsewhere in the other, as
in "a video game" and "a game console". "related heads": "skateboarder" and "boarder", "climber" and "climbing".
"context shared": the words before both tell the same (`context`).
"""

Flags = NDArray[np.bool_]
Features = NDArray[np.bool_]
CACHED_GROUPS = 128
"""The number of groups whose features are kept: of sixty mentions, 61 kB each. Larger ones are seldom asked for."""

RELATED_LETTERS = 4
"""So many letters at the beginning make two heads related; and one may end with the other if both have as many."""


MALE = word_set(
    """man male boy guy gentleman bloke dude father dad daddy grandfather grandpa son brother husband groom uncle king
    prince cowboy fisherman policeman fireman businessman workman salesman mailman waiter actor monk priest bearded"""
)
FEMALE = word_set(
    """woman female girl lady gal mother mom mommy grandmother grandma daughter sister wife bride bridesmaid aunt queen
    princess cowgirl policewoman businesswoman saleswoman waitress actress nun ballerina"""
)
CHILD = word_set("child kid baby toddler infant newborn schoolboy schoolgirl preschooler")
""""boy" and "girl" are left out: captions use them for young adults, too."""
ADULT = word_set(
    """adult man woman lady gentleman guy bloke dude gal father dad mother mom parent grandfather grandpa grandmother
    grandma husband wife groom bride businessman businesswoman policeman policewoman officer worker elderly bearded"""
)

NUMBERS = {word: number for number, word in enumerate(("one", "two", "three", "four", "five", "six", "seven"), start=1)}
NUMBERS |= {"eight": 8, "nine": 9, "ten": 10, "both": 2, "couple": 2, "duo": 2, "twins": 2, "trio": 3}
COLLECTIVES = word_set("audience band crew crowd family group line lot orchestra police public team")
"""Singular nouns that stand for several beings."""


class WordFacts(NamedTuple):
    """The facts that the words of one mention give."""

    content: frozenset[str]
    others: frozenset[str]
    """The content words without the head."""
    heads: frozenset[str]
    """The head, and the words that it may be the plural of."""
    number: int | None
    """The number of beings or things that the mention names; None: several, but unknown."""
    colours: frozenset[str]
    traits: tuple[frozenset[str], frozenset[str]]
    """The genders and the ages that the words name."""


def pair_features(mentions: Sequence[LinkMention]) -> Features:
    """Return the features of every pair as an array [mentions, mentions, FEATURES] of 0 and 1; the diagonal is 0.

    `mentions`: one group, in reading order. The array is shared and cannot be changed.
    """
    of = _pair_features if len(mentions) <= PLANNED_WHOLE else _pair_features.__wrapped__
    return of(tuple(mentions))


@lru_cache(maxsize=CACHED_GROUPS)
def _pair_features(mentions: tuple[LinkMention, ...]) -> Features:
    readings = [_read(mention.words or (mention.head,), mention.head) for mention in mentions]
    first = np.array([mention.start == 0 for mention in mentions], dtype=bool)
    facts = (
        np.ones((len(mentions), len(mentions)), dtype=bool),
        *_words_alike(readings),
        *_agreement([_numbers_agree(readings)]),
        *_agreement([_overlap([reading.colours for reading in readings])]),
        *_agreement([_overlap([reading.traits[trait] for reading in readings]) for trait in range(2)]),
        _share_a_member(_ranks(mentions)),
        first[:, None] & first,
        _people_of_one_number(mentions, readings),
        *_other_heads(mentions, readings),
        *_contexts(mentions),
    )
    features: Features = np.stack(facts, axis=2)
    features[np.arange(len(mentions)), np.arange(len(mentions))] = False
    features.setflags(write=False)
    return features


def _words_alike(readings: Sequence[WordFacts]) -> tuple[Flags, Flags, Flags]:
    """Return which pairs have the same content words, the same head, and another word in common."""
    numbers: dict[frozenset[str], int] = {}
    content = np.array([numbers.setdefault(reading.content, len(numbers)) for reading in readings])
    some = np.array([bool(reading.content) for reading in readings], dtype=bool)
    same_content = (content[:, None] == content) & some[:, None]
    heads, others = ([facts.heads for facts in readings], [facts.others for facts in readings])
    return same_content, _share_a_member(heads), _share_a_member(others)


def _people_of_one_number(mentions: Sequence[LinkMention], readings: Sequence[WordFacts]) -> Flags:
    """Return which pairs are people of the same number, or of unknown numbers above one."""
    people = [MentionType.PEOPLE in mention.types for mention in mentions]
    numbers = [{facts.number} if is_people else () for facts, is_people in zip(readings, people, strict=True)]
    return _share_a_member(numbers)


def _other_heads(mentions: Sequence[LinkMention], readings: Sequence[WordFacts]) -> tuple[Flags, Flags]:
    """Return which pairs with different heads have one's head among the other's words, and which have related heads."""
    different = ~_share_a_member([reading.heads for reading in readings])
    inside = _matrix([[not first.heads.isdisjoint(second.others) for second in readings] for first in readings])
    numbers: dict[str, int] = {}
    place = np.array([numbers.setdefault(mention.head, len(numbers)) for mention in mentions], dtype=np.intp)
    ends = _matrix([[_are_related(first, second) for second in numbers] for first in numbers])
    return different & (inside | inside.T), different & ends[place[:, None], place]


def _matrix(rows: Sequence[Sequence[bool]]) -> Flags:
    return np.array(rows, dtype=bool).reshape(len(rows), len(rows))


def _are_related(first: str, second: str) -> bool:
    if min(len(first), len(second)) < RELATED_LETTERS:
        return False
    return first[:RELATED_LETTERS] == second[:RELATED_LETTERS] or first.endswith(second) or second.endswith(first)


def _contexts(mentions: Sequence[LinkMention]) -> tuple[Flags, Flags]:
    """Return which pairs have the same word before them, and which share what the words before them tell."""
    contexts = [context(mention.before) for mention in mentions]
    last, stems = [{before.last} - {""} for before in contexts], [before.stems for before in contexts]
    return _share_a_member(last), _share_a_member(stems)


def _share_a_member(sets: Sequence[Collection[Hashable]]) -> Flags:
    holders: dict[Hashable, list[int]] = {}
    for place, members in enumerate(sets):
        for member in members:
            holders.setdefault(member, []).append(place)
    shared = np.zeros((len(sets), len(sets)), dtype=bool)
    for places in holders.values():
        shared[np.ix_(places, places)] = True
    return shared


def _agreement(known: Sequence[tuple[Flags, Flags]]) -> tuple[Flags, Flags]:
    """Return which pairs agree in all that can be compared, if anything, and which differ in something.

    `known`: for each comparison which pairs agree and which differ; a pair that cannot be compared does neither.
    """
    agrees, differs = (np.logical_or.reduce(flags) for flags in zip(*known, strict=True))
    return agrees & ~differs, differs


def _overlap(sets: Sequence[frozenset[str]]) -> tuple[Flags, Flags]:
    some = np.array([bool(members) for members in sets], dtype=bool)
    shared = _share_a_member(sets)
    return shared, some[:, None] & some & ~shared


def _numbers_agree(readings: Sequence[WordFacts]) -> tuple[Flags, Flags]:
    """Return which pairs name the same number, or several; and which do not."""
    several = -1
    number = np.array([several if facts.number is None else facts.number for facts in readings])
    unknown = number == several
    agrees = (number[:, None] == number) | ((unknown[:, None] | unknown) & (number[:, None] != 1) & (number != 1))
    return agrees, ~agrees


@lru_cache(maxsize=4096)
def _read(words: tuple[str, ...], head: str) -> WordFacts:
    plain = plain_words(words)
    content = frozenset(plain) - FUNCTION_WORDS
    singular = {form for word in plain for form in singulars(word)}
    return WordFacts(
        content=content,
        others=content - {head},
        heads=frozenset(singulars(head)),
        number=_number(plain, head),
        colours=frozenset(_colours(plain)),
        traits=(
            _lists_with({"male": MALE, "female": FEMALE}, singular),
            _lists_with({"child": CHILD, "adult": ADULT}, singular),
        ),
    )


def traits_of(mention: LinkMention) -> tuple[frozenset[str], bool]:
    """Return the genders that the words of a mention name, and whether they name several beings or things."""
    reading = _read(mention.words or (mention.head,), mention.head)
    return reading.traits[0], reading.number != 1 or mention.head in COLLECTIVES


def number_named(plain: Iterable[str]) -> int | None:
    """Return the first number among the words. Figures of three and more digits are years and names of cars."""
    numbers = (
        NUMBERS.get(word) or int(word) for word in plain if word in NUMBERS or (word.isdecimal() and len(word) < 3)
    )
    return next(numbers, None)


def _number(plain: Sequence[str], head: str) -> int | None:
    if (named := number_named(plain)) is not None:
        return named
    several = head in COLLECTIVES or len(singulars(head)) > 1
    return None if several else 1


def _colours(plain: Iterable[str]) -> Iterator[str]:
    colours = load_dictionaries().words[COLORS]
    for word in plain:
        for part in word.replace("grey", "gray").split("-"):
            if part in colours:
                yield part


def _lists_with(lists: Mapping[str, frozenset[str]], words: set[str]) -> frozenset[str]:
    return frozenset(name for name, members in lists.items() if not members.isdisjoint(words))


def _ranks(mentions: Sequence[LinkMention]) -> list[set[tuple[str, int]]]:
    """Return, per mention and for each of its types, how many mentions of the type precede it in its caption."""
    seen: dict[tuple[int, str], int] = {}
    ranks = []
    for mention in mentions:
        ranks.append({(kind, seen.get((mention.caption, kind), 0)) for kind in mention.types})
        for kind in mention.types:
            seen[mention.caption, kind] = seen.get((mention.caption, kind), 0) + 1
    return ranks


VECTOR_SIZE = 64
"""The numbers of a vector. With all 256 of the package, gold chains are no likelier."""
VECTOR_STEPS = 7
"""A number is kept as one of -7 to 7 parts of the largest: a hexadecimal digit."""
NO_RIVAL = 0.2
"""The likeness of a usual phrase, where a caption has no other phrase in the group."""


def packed(vectors: NDArray[np.floating]) -> list[str]:
    """Return each vector [phrases, VECTOR_SIZE] as hexadecimal digits; "" for one of zeros, which says nothing."""
    largest = np.abs(vectors).max(axis=1, initial=0, keepdims=True)
    digits = np.rint(vectors / np.where(largest, largest, 1) * VECTOR_STEPS).astype(int) + VECTOR_STEPS
    some = largest[:, 0] > 0
    return ["".join(f"{digit:x}" for digit in row) if says else "" for row, says in zip(digits, some, strict=True)]


def phrases_alike(mentions: Sequence[LinkMention]) -> Scores:
    """Return how much more alike two phrases are than rivals [mentions, mentions]: about -2 to 2, 0 where unknown.

    Twice the cosine of their vectors, less the largest cosine of the first with any other phrase of the second's
    caption, and of the second with any other phrase of the first's. So "a man" and "a boy" are rather one thing where
    no caption has both. Unknown are phrases without a vector, and two of one caption. `mentions`: one group.
    """
    if not any(mention.vector for mention in mentions):
        return np.zeros((len(mentions), len(mentions)))
    vectors = np.array([_unpacked(mention.vector) for mention in mentions])
    dots = vectors @ vectors.T
    lengths = np.sqrt(dots.diagonal())
    known = lengths > 0
    cosines = dots / np.maximum(np.outer(lengths, lengths), 1)
    caption = np.array([mention.caption for mention in mentions])
    one_caption = caption[:, None] == caption
    rivals = np.full(cosines.shape, NO_RIVAL)
    for place, others in enumerate(one_caption & known):
        others[place] = False
        if others.any():
            rivals[:, place] = cosines[:, others].max(axis=1)
    values: Scores = 2 * cosines - rivals - rivals.T
    return np.where(one_caption | ~known | ~known[:, None], 0.0, values)


def _unpacked(vector: str) -> list[int]:
    return [int(digit, 16) - VECTOR_STEPS for digit in vector] if vector else [0] * VECTOR_SIZE


MAX_PAIRS = 5_000
"""Pairs of heads that are kept: about 90 kB of a version of the settings."""
UNPAIRED_SHARE = 0.3
"""The assumed share of mentions that name nothing of another caption."""
ROUNDS = 6
IMAGINED_MEETINGS = 3.0
"""Imagined meetings of each two heads, paired as often as any others: few meetings say little."""
ODDS_DIGITS = 1

Numbers = NDArray[np.int64]


class Meetings(NamedTuple):
    """Every way to pair a mention with one of another caption, as rows."""

    heads: list[str]
    explained: Numbers
    """[mentions times other captions]: the number of the head that is to be explained."""
    place: Numbers
    """[rows]: the place in `explained`."""
    pair: Numbers
    """[rows]: the number of the other head times the number of heads, plus the number of the head."""


def alike_heads(images: Iterable[Sequence[LinkMention]], *, max_pairs: int = MAX_PAIRS) -> dict[str, float]:
    """Return how much more often than other heads that meet two heads name one thing, as logarithms of odds.

    Two heads meet if mentions of two captions of an image have them and share a type. `images`: the mentions of each
    image. The keys are as in `head_pair`. Of more than `max_pairs` pairs those are kept that say most of most mentions.
    """
    meetings = _meetings(images)
    if not len(meetings.pair):
        return {}
    pairs, row = np.unique(meetings.pair, return_inverse=True)
    met = np.bincount(row).astype(np.float64)
    paired = _expected(meetings, pairs, row, met)
    usual = paired.sum() / met.sum()
    size = len(meetings.heads)
    either, to = np.unique(np.minimum(pairs, pairs % size * size + pairs // size), return_inverse=True)
    paired = np.bincount(to, weights=paired).astype(np.float64)
    met = np.bincount(to, weights=met).astype(np.float64)
    imagined = np.log((paired + IMAGINED_MEETINGS * usual) / (met - paired + IMAGINED_MEETINGS * (1 - usual)))
    odds = imagined - np.log(usual / (1 - usual))
    odds = odds.round(ODDS_DIGITS)
    heads = meetings.heads
    odds_and_counts = {
        head_pair(heads[pair // size], heads[pair % size]): (float(value), float(count))
        for pair, value, count in zip(either.tolist(), odds, met, strict=True)
        if value
    }
    telling = sorted(
        odds_and_counts, key=lambda pair: (-abs(odds_and_counts[pair][0]) * odds_and_counts[pair][1] ** 0.5, pair)
    )
    return {pair: odds_and_counts[pair][0] for pair in sorted(telling[:max_pairs])}


def head_pair(first: str, second: str) -> str:
    """Return the name of two heads in a table: in alphabetical order, with a space between them."""
    return f"{first} {second}" if first <= second else f"{second} {first}"


def head_values(mentions: Sequence[LinkMention], table: Mapping[str, float]) -> Scores:
    """Return what a table holds for each pair [mentions, mentions]: 0 where it holds nothing, and on the diagonal."""
    numbers: dict[str, int] = {}
    place = np.array([numbers.setdefault(mention.head, len(numbers)) for mention in mentions], dtype=np.intp)
    heads = list(numbers)
    known = np.zeros((len(heads), len(heads)))
    for row, head in enumerate(heads):
        for column, other in enumerate(heads[: row + 1]):
            known[row, column] = known[column, row] = table.get(head_pair(head, other), 0.0)
    values: Scores = known[place[:, None], place]
    np.fill_diagonal(values, 0.0)
    return values


def _meetings(images: Iterable[Sequence[LinkMention]]) -> Meetings:
    numbers: dict[str, int] = {}
    explained: list[int] = []
    rows: list[tuple[int, int, int]] = []
    for mentions in images:
        head_numbers = [numbers.setdefault(mention.head, len(numbers)) for mention in mentions]
        captions = sorted({mention.caption for mention in mentions})
        for number, mention in zip(head_numbers, mentions, strict=True):
            other_of: dict[int, list[int]] = {caption: [] for caption in captions if caption != mention.caption}
            for other, candidate in zip(head_numbers, mentions, strict=True):
                if candidate.caption != mention.caption and not candidate.types.isdisjoint(mention.types):
                    other_of[candidate.caption].append(other)
            for others in other_of.values():
                rows += [(len(explained), other, number) for other in others]
                explained.append(number)
    columns: Numbers = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    rows_of = columns[1] * len(numbers) + columns[2]
    return Meetings(list(numbers), np.array(explained, dtype=np.int64), columns[0], rows_of)


def _expected(meetings: Meetings, pairs: Numbers, row: NDArray[np.intp], met: Scores) -> Scores:
    size, count = len(meetings.heads), len(meetings.explained)
    head_of = pairs // size
    often = np.bincount(meetings.explained, minlength=size) / count
    by_itself = UNPAIRED_SHARE * often[meetings.explained]
    share = (1 - UNPAIRED_SHARE) / np.maximum(np.bincount(meetings.place, minlength=count), 1)[meetings.place]
    expected = met
    for _ in range(ROUNDS):
        chance = expected / np.bincount(head_of, weights=expected, minlength=size)[head_of]
        explained = share * chance[row]
        total = by_itself + np.bincount(meetings.place, weights=explained, minlength=count)
        expected = np.bincount(row, weights=explained / total[meetings.place]).astype(np.float64)
    return expected
