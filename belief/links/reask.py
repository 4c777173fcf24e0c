"""Random re-asks [beyond paper 3.1.1]: random links, whose answers are held against what the strategy believed.

The strategy chooses its pairs, so their answers say little about the pairs that it leaves alone. A re-ask is drawn when
a group has nothing more worth asking, among all its pairs, asked before or not. Its answer counts like any other.
"""

from collections.abc import Sequence
from hashlib import blake2b

from annotation.rules.link_group import Link, LinkGroup

REASK_VALUE = 1.0
"""A re-ask has the value of one whole bit: its group waits for it, so it is asked first."""
MAX_REASK_CHANCE = 0.5
"""The largest chance of a re-ask, so that one is not followed by another for long."""


def reask(group: LinkGroup, judgments: int, pairs: Sequence[Link], share: float) -> Link | None:
    """Return the pair to audit after these judgments of the group, or, mostly, None.

    `pairs`: those that can be asked, in reading order. `share`: re-asks for each judgment, 0 to 1; a group without
    judgments counts as one with one. The draw depends on the words of the group and the number of its judgments alone,
    so that a replay draws it again.
    """
    if not pairs or not share:
        return None
    words = [(mention.caption, mention.start, mention.words or mention.head) for mention in group.mentions]
    digest = blake2b(repr((words, judgments)).encode(), digest_size=16).digest()
    drawn, place = int.from_bytes(digest[:8]) / 2**64, int.from_bytes(digest[8:])
    return pairs[place % len(pairs)] if drawn < min(share * max(judgments, 1), MAX_REASK_CHANCE) else None
