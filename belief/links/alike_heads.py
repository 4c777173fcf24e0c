"""Alike heads [beyond paper 3.1.1]: which head nouns captions of one picture use for one thing, without known chains.

A project's captions tell this before anybody is asked. Where one caption says "guy" another often says "man", and
seldom "woman". Each mention of a caption is taken to name what one mention of another caption names that shares a type,
or else something of its own. Expectation maximisation (Dempster, Laird, Rubin 1977), as for translating single words
(Brown et al. 1993, model 1), finds how often two heads are paired, from how often they could be.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotation.rules.transitivity import LinkMention
from belief.links.partitions import Scores

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


def head_pair(one: str, another: str) -> str:
    """Return the name of two heads in a table: in alphabetical order, with a space between them."""
    return f"{one} {another}" if one <= another else f"{another} {one}"


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
