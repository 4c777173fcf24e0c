"""Beam [beyond paper 3.1.1]: some partitions of a group that has too many to weigh them all.

Mentions are added one by one, in reading order, and after each the likeliest partitions so far are kept; with
antecedents, some others are drawn, which stand for all that are not kept. The partitions of a beam share most of their
blocks. So a block is weighed once for all partitions that hold it: what a mention adds to a block, how likely the block
is, and which pairs it holds.
"""

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from annotation.rules.transitivity import LinkMention
from belief.links.partitions import SIZES, BestPartition, Flags, Labels, PartitionWeights, Scores

Numbers = NDArray[np.int32]
Places = NDArray[np.intp]

NO_BLOCK, EMPTY = 0, 1
"""The first two blocks of every table: no block at all, and the block that the next mention may begin."""
SCORE_DIGITS = 9
"""The decimals by which partitions are compared, so that every machine keeps the same ones."""
LOWEST_TOTAL = -1e200
"""No total is as low, but minus infinity, for what is ruled out."""
NEGLIGIBLE = 35.0
"""Partitions whose logarithm lies so far below the likeliest are left out: rounding moves more."""
MAX_BLOCKS = 500
"""Blocks that no partition holds any more are dropped when a table is longer."""
CHECKPOINT_STEP = 2
"""After this many mentions each, a search keeps its beam, so that the next one can begin there."""
SAMPLE_STEP = 8
"""A sample of values holds so few of them."""
CACHED_GROUPS = 8
"""The number of groups whose beams are kept: of sixty mentions, 4 MB each."""


@dataclass(frozen=True, slots=True)
class Beam:
    """The partitions of the first mentions of a group that are kept."""

    slots: Numbers
    """[partitions, blocks]: the numbers of each partition's blocks, by first mention; then EMPTY, then NO_BLOCK."""
    reached: Scores
    """[partitions]: logarithms of their chances, up to a constant."""
    members: Flags
    """[blocks, mentions of the group]."""
    words_inside: Scores
    """[blocks]: the sum of the weights of words over the block's pairs."""

    def labels(self) -> Labels:
        """Return the label of each mention's block [partitions, mentions], as in `partitions`."""
        labels: Labels = np.zeros((len(self.slots), self.members.shape[1]), dtype=np.int16)
        for slot in range(self.slots.shape[1]):
            rows, mentions = np.nonzero(self.members[self.slots[:, slot]])
            labels[rows, mentions] = slot
        return labels

    @property
    def chances(self) -> Scores:
        """Return the chance of each partition; the sum is 1."""
        chances: Scores = np.exp(self.reached - self.reached.max())
        chances /= chances.sum()
        return chances

    def labels_and_chances(self) -> tuple[Labels, Scores]:
        return self.labels(), self.chances

    def with_blocks(self, added: Scores) -> "Beam":
        """Return the beam after each block [blocks] has added this to the logarithms of the chances."""
        return replace(self, reached=self.reached + added.take(self.slots).sum(axis=1))

    def blocks(self) -> tuple[Flags, Scores]:
        """Return the mentions of each block [blocks, mentions], and its chance. A block may be of no mention."""
        return self.members, self._of_blocks()

    def same(self) -> Scores:
        """Return the chance of each pair to be together [mentions, mentions]."""
        return self._same(self._of_blocks())

    def same_and_best(self) -> tuple[Scores, BestPartition]:
        """Return the chance of each pair to be together [mentions, mentions], and the best partition.

        The best has the most right chains in expectation; of equal ones it is the first.
        """
        of_block = self._of_blocks()
        winner = int(np.argmax(of_block.take(self.slots).sum(axis=1).round(SCORE_DIGITS)))
        labels = np.zeros(self.members.shape[1], dtype=np.int16)
        confidence = np.zeros(len(labels))
        for slot, block in enumerate(self.slots[winner].tolist()):
            labels[self.members[block]] = slot
            confidence[self.members[block]] = of_block[block]
        return self._same(of_block), BestPartition(labels, confidence)

    def begin(self) -> Scores:
        """Return the chance of each mention to begin a chain [mentions]."""
        of_block = self._of_blocks()
        first = self.members.argmax(axis=1)
        begin: Scores = np.bincount(first, of_block, self.members.shape[1]).astype(np.float64, copy=False)
        return begin

    def _same(self, of_block: Scores) -> Scores:
        together = self.members.astype(np.float64)
        same: Scores = together.T @ (of_block[:, None] * together)
        return same

    def _of_blocks(self) -> Scores:
        spread = np.broadcast_to(self.chances[:, None], self.slots.shape)
        found = np.bincount(self.slots.ravel(), weights=spread.ravel(), minlength=len(self.members))
        found[[NO_BLOCK, EMPTY]] = 0
        of_block: Scores = found.astype(np.float64, copy=False)
        return of_block


class BeamSearch:
    """Searches for the likeliest partitions of one group, again and again as answers come.

    An answer changes the weights of one pair. So a search goes on from what the last one had kept before it came to the
    later mention of that pair; what it finds is the same as if it began anew.
    """

    def __init__(self) -> None:
        self._last: tuple[Flags, PartitionWeights, int, tuple[Beam, ...]] | None = None

    def find(self, ruled_out: Flags, weights: PartitionWeights, width: int) -> Beam:
        """Return the best partitions, about the `width` likeliest. `ruled_out`: [mentions, mentions]."""
        beams = self._reusable(ruled_out, weights, width) or [_empty(len(ruled_out))]
        beam = beams[-1]
        grown = _with_ends(weights)
        for mention in range(CHECKPOINT_STEP * (len(beams) - 1), len(ruled_out)):
            beam = with_mention(beam, mention, ruled_out, grown, width)
            if (mention + 1) % CHECKPOINT_STEP == 0:
                beams.append(beam)
        self._last = ruled_out, weights, width, tuple(beams)
        return beam

    def _reusable(self, ruled_out: Flags, weights: PartitionWeights, width: int) -> list[Beam]:
        """Return the beams of the last search, up to the first mention that is new."""
        if self._last is None or self._last[2] != width or len(self._last[0]) != len(ruled_out):
            return []
        before, weighed, _, beams = self._last
        changed = weights.sizes != weighed.sizes
        new = np.tril((ruled_out != before) | (weights.pairs != weighed.pairs) | (weights.words != weighed.words))
        if weights.antecedents is not None and weighed.antecedents is not None:
            new |= (weights.antecedents != weighed.antecedents).T
        elif weights.antecedents is not weighed.antecedents:
            return []
        mentions = np.flatnonzero(changed.any(axis=1) | new.any(axis=1))
        return list(beams[: mentions[0] // CHECKPOINT_STEP + 1] if len(mentions) else beams)


@lru_cache(maxsize=CACHED_GROUPS)
def beam_search(mentions: tuple[LinkMention, ...]) -> BeamSearch:
    """Return the search of these mentions. Cached, as a group is planned again after each of its judgments."""
    return BeamSearch()


def _empty(mentions: int) -> Beam:
    slots: Numbers = np.array([[EMPTY]], dtype=np.int32)
    return Beam(slots, np.zeros(1), np.zeros((2, mentions), dtype=bool), np.zeros(2))


def with_mention(beam: Beam, mention: int, ruled_out: Flags, weights: PartitionWeights, width: int) -> Beam:
    """Return the best partitions, at most `width`, after the next mention has joined a block or begun one.

    `ruled_out`: [mentions, mentions]. `weights`: see `_with_ends`.
    """
    gains, words_inside = _gains(beam, mention, ruled_out[mention], weights)
    totals = beam.reached[:, None] + gains.take(beam.slots)
    if weights.antecedents is None:
        kept = _best(totals, width)
        reached = totals.take(kept)
    else:
        kept, reached = _likely_and_drawn(totals, width)
    rows, joined = np.divmod(kept, totals.shape[1])
    return _joined(beam, mention, rows, joined, reached, words_inside)


def _with_ends(weights: PartitionWeights) -> PartitionWeights:
    """Return the weights with those of blocks of no mention, and of one more than SIZES [mentions, SIZES + 2]."""
    nothing = np.zeros((len(weights.sizes), 1))
    return weights._replace(sizes=np.concatenate([nothing, weights.sizes, weights.sizes[:, -1:]], axis=1))


def _gains(beam: Beam, mention: int, ruled_out: Flags, weights: PartitionWeights) -> tuple[Scores, Scores]:
    """Return for each block what the score gains if the mention joins it, and the weight of words inside it then."""
    members = beam.members[:, :mention].astype(np.float64)
    of_mention = (weights.words[mention], weights.pairs[mention], ruled_out, np.ones_like(ruled_out))
    words, pairs, apart, sizes = (members @ np.column_stack(of_mention)[:mention]).T
    first = beam.members.argmax(axis=1)
    first[EMPTY] = mention
    inside = beam.words_inside
    more = inside + words
    capped = np.minimum(sizes, SIZES).astype(np.intp)
    grown = 2 * more / (sizes + 1) - 2 * inside / np.maximum(sizes, 1)
    gains: Scores = pairs + grown + weights.sizes[first, capped + 1] - weights.sizes[first, capped]
    if weights.antecedents is not None:
        with np.errstate(divide="ignore"):
            joined = np.log(members @ weights.antecedents[:mention, mention])
        joined[EMPTY] = 0.0
        gains += joined
    gains[apart > 0] = -np.inf
    gains[NO_BLOCK] = -np.inf
    return gains, more


def _best(totals: Scores, width: int) -> Places:
    """Return the places of the `width` largest totals above minus infinity, ascending; of equal ones the first.

    `totals`: [partitions, blocks]; the places count through the rows.
    """
    flat = totals.ravel()
    bound = _low_bound(totals, width)
    possible = np.flatnonzero(flat >= bound - 2 * 10.0**-SCORE_DIGITS)
    if len(possible) < width:
        bound, possible = LOWEST_TOTAL, np.flatnonzero(flat > LOWEST_TOTAL)
    if len(possible) <= width:
        return possible
    rounded = flat.take(possible).round(SCORE_DIGITS)
    last = np.round(bound, SCORE_DIGITS)
    above = rounded > last
    # Often many are equal to the last, so that only what is above it needs sorting.
    if np.count_nonzero(above) >= width or np.count_nonzero(rounded >= last) < width:
        last = _nth_largest(rounded, width)
        above = rounded > last
    above[np.flatnonzero(rounded == last)[: width - np.count_nonzero(above)]] = True
    chosen: Places = possible[above]
    return chosen


def _likely_and_drawn(totals: Scores, width: int) -> tuple[Places, Scores]:
    """Return the places of about `width` totals, ascending, and the logarithm of the chance that each stands for.

    A group of thirty doubtful mentions has far more partitions than are kept, and the likeliest alone would make every
    chain look too sure. So the likely ones keep their chances, and of all others every one is drawn as often as it is
    likely, evenly through the places, and stands for as much as each other (Fearnhead and Clifford 2003).
    """
    flat = totals.ravel()
    top = flat.max()
    possible = np.flatnonzero(flat > top - NEGLIGIBLE)
    chances = np.exp(flat.take(possible) - top)
    if len(possible) <= width:
        return possible, flat.take(possible)
    least = _threshold(chances, width)
    # Rounded, so that every machine draws the same ones where many are equally likely.
    share = (chances / least).round(SCORE_DIGITS)
    likely = share >= 1
    steps = np.floor(np.cumsum(np.where(likely, 0.0, share)).round(SCORE_DIGITS) + 0.5)
    chosen = likely | (np.diff(steps, prepend=0.0) > 0)
    return possible[chosen], top + np.log(np.maximum(chances[chosen], least))


def _threshold(chances: Scores, width: int) -> float:
    """Return the chance from which on all are kept, so that `width` are: of the rest, each that is drawn has it."""
    falling = np.sort(chances)[::-1]
    rest = np.cumsum(falling[::-1])[::-1][:width]  # of this one and all after it
    step = rest / (width - np.arange(width))
    return float(step[np.argmax(falling[:width] < step)])


def _nth_largest(values: Scores, place: int) -> float:
    """Return the value that this many reach. Only those below a sample's guess are sorted."""
    sample = np.sort(values[::SAMPLE_STEP])
    high = values > sample[-1 - place * 4 // (5 * SAMPLE_STEP)]
    left = place - np.count_nonzero(high)
    return float(np.sort(values[~high])[-left] if left > 0 else np.sort(values)[-place])


def _low_bound(totals: Scores, width: int) -> float:
    """Return what a little more than `width` of the totals reach, by a sample; with few totals, all do."""
    step = 2 * totals.shape[1] + 1  # through the columns in turn
    sample = np.sort(totals.ravel()[::step])
    in_sample = width * 5 // (4 * step)
    return max(float(sample[-1 - in_sample]), LOWEST_TOTAL) if in_sample < len(sample) else LOWEST_TOTAL


def _joined(beam: Beam, mention: int, rows: Places, joined: Places, reached: Scores, words_inside: Scores) -> Beam:
    """Return the beam of these rows, each with the mention in the block of that slot."""
    slots = beam.slots.take(rows, axis=0)
    if (slots[:, -1] == EMPTY).any():
        slots = np.concatenate([slots, np.zeros((len(slots), 1), dtype=slots.dtype)], axis=1)
    lines = np.arange(len(rows))
    grown = slots[lines, joined]
    new = np.flatnonzero(grown == EMPTY)
    slots[new, joined[new] + 1] = EMPTY
    # A block that the mention joins stays as it is for other partitions; the larger one is added.
    larger = np.flatnonzero(np.bincount(grown))
    number = np.zeros(len(beam.members), dtype=slots.dtype)
    number[larger] = np.arange(len(beam.members), len(beam.members) + len(larger))
    slots[lines, joined] = number[grown]
    members = beam.members[larger]
    members[:, mention] = True
    beam_after = Beam(
        slots,
        reached,
        np.concatenate([beam.members, members]),
        np.concatenate([beam.words_inside, words_inside[larger]]),
    )
    return _without_unused(beam_after) if len(beam_after.members) > MAX_BLOCKS else beam_after


def _without_unused(beam: Beam) -> Beam:
    used = np.zeros(len(beam.members), dtype=bool)
    used[beam.slots] = True
    used[[NO_BLOCK, EMPTY]] = True
    number = (np.cumsum(used) - 1).astype(beam.slots.dtype)
    return Beam(number.take(beam.slots), beam.reached, beam.members[used], beam.words_inside[used])
