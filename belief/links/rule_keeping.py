"""Rule keeping [beyond paper 3.1.1]: how likely a chain is right, when some chains break the rules of links.

No link joins two mentions of one caption, or mentions without a common type. A chain that has such mentions all the
same comes out in parts, however good the answers are, and no part is right. Two things tell: the chain's type, and
whether its head noun is a word of a mention outside it, or the other way round, as "candy" is of "his candy cane". Once
these are known, the size of the chain tells nothing more.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from annotation.rules.transitivity import LinkMention
from belief.values import PositiveShare
from workers.rules.share import logit, sigmoid

TEMPER_APART, TEMPER_SHARING = 0.9, 0.75
"""The share of the logit that the chance of right links keeps before boxes are drawn: the model is a little too sure.

Chosen on five times 400 images with simulated workers, to the next 0.05: every time 0.85 or 0.9, and 0.7 or 0.75. Where
a mention outside the chain shares its head noun, the model overlooks more. In the released data set nothing is to be
tempered: most chains with wrong links share their boxes with others then, and boxes join them.
"""

SAME_APART, SAME_SHARING = 0.03, 0.19
"""The shares of pairs in different chains, as links make them, that are one thing in a chain which breaks a rule.

Of 6,188 and 573 pairs of 500 images of Flickr30k Entities; the second where both have the same head noun.
"""


class RuleKeeping(NamedTuple):
    """Shares of chains, 0 to 1, that are not parts of a chain which breaks a rule of links."""

    apart: PositiveShare
    """Of chains that share no head noun with a mention outside them."""
    sharing: PositiveShare
    """Of chains that do."""


ALL_WHOLE: Mapping[str, RuleKeeping] = {"": RuleKeeping(1.0, 1.0)}
KEEPS_RULES = {
    "people": RuleKeeping(0.96, 0.85),
    "clothing": RuleKeeping(0.97, 0.89),
    "body parts": RuleKeeping(0.97, 0.89),
    "animals": RuleKeeping(0.94, 0.77),
    "vehicles": RuleKeeping(0.91, 0.7),
    "instruments": RuleKeeping(0.94, 0.79),
    "scene": RuleKeeping(0.92, 0.72),
    "other": RuleKeeping(0.91, 0.7),
    "": RuleKeeping(0.95, 0.8),
}
"""The default for chains of the data set: round numbers from the 3,021 chains of 500 images of Flickr30k Entities.

4.2 % of these chains hold two mentions of one caption, 3.7 % mentions without a common type. Each comes out in two
parts or more, so they are 15 % of what links make; boxes join nearly half of the parts afterwards.
"""
KEEPS_CAPTIONS = {
    "people": RuleKeeping(0.97, 0.83),
    "clothing": RuleKeeping(0.99, 0.93),
    "body parts": RuleKeeping(0.99, 0.93),
    "animals": RuleKeeping(0.97, 0.83),
    "vehicles": RuleKeeping(0.97, 0.82),
    "instruments": RuleKeeping(0.98, 0.86),
    "scene": RuleKeeping(0.96, 0.78),
    "other": RuleKeeping(0.96, 0.75),
    "": RuleKeeping(0.98, 0.85),
}
"""The default for what links make of a group, from the same images: only two mentions of one caption count."""


def shares_a_head(chain: Sequence[LinkMention], others: Iterable[LinkMention]) -> bool:
    """Return whether a head noun of the chain is a word of a mention outside it, or the other way round."""
    numbers = {mention.number for mention in chain}
    heads, words = {mention.head for mention in chain}, {word for mention in chain for word in mention.words}
    outside = (other for other in others if other.number not in numbers)
    return any(other.head in words or not heads.isdisjoint(other.words) for other in outside)


def tempered(chance: float, *, sharing: bool) -> float:
    """Return the chance, 0 to 1, that links are right, less sure than the model says."""
    return sigmoid((TEMPER_SHARING if sharing else TEMPER_APART) * logit(chance))


def chance_of_link(links: float, first: LinkMention, second: LinkMention) -> float:
    """Return the chance, 0 to 1, that a pair corefers. `links`: that chance if no chain breaks the rules of links."""
    return links + (1 - links) * (SAME_SHARING if first.head == second.head else SAME_APART)
