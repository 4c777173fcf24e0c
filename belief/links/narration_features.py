"""Narration features [beyond paper 3.1.1]: facts about two mentions of long captions, and about pronouns.

In a caption of several sentences things are mentioned again and again: "a dog ... the dog ... it". All of these facts
are no for mentions that are no pronouns and whose captions the rules of links keep whole.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np

from annotation.rules.transitivity import WHOLE, LinkMention
from belief.links.partitions import Flags, Scores
from belief.links.text_features import FEATURES, NUMBERS, pair_features, traits_of

MAX_SENTENCES = 1
"""So many sentences may lie between a pronoun and what it most likely stands for."""
CACHED_GROUPS = 32
"""The number of groups whose last mentions are kept: of sixty mentions, 29 kB each."""
WEIGHTS = {
    "one caption": -1.5,
    "same words": 1.5,
    "named again": 1.5,
    "named anew": -3.5,
    "pronoun agrees": 4.0,
    "pronoun differs": -1.5,
    "pronoun of another caption": -2.0,
    "one pronoun twice": -2.0,
}
"""The weights of the facts in every project, round and chosen by hand on made narrations.

"named again": two of one head in a caption, of which the later one begins with "the", "this" or the like; "named anew":
the later one of a caption begins with "a", "an" or a number. A pronoun "agrees" in gender and number, or it "differs".
Equal pronouns are no equal words.

The words of a chain count by the mean over its pairs. So a pronoun that agrees has about half the weight of two good
nouns: what it adds to a chain of nouns is then neither for nor against it.
"""
PRONOUN_FIRST = -3.0
"""The weight of a chain that begins with a pronoun."""
LAST_MENTION = 2.5
"""The weight of a pronoun and the last mention before it that agrees with it, at most MAX_SENTENCES before."""

DEFINITE = frozenset(("the", "this", "that", "these", "those", "both"))
INDEFINITE = frozenset(("a", "an", "some", "another", "several", *NUMBERS)) - DEFINITE
"""First words of what is new; figures are, too."""
FEMALE, MALE, ONE_THING, SEVERAL = "female", "male", "one thing", "several"
ALL_KINDS = frozenset((FEMALE, MALE, ONE_THING, SEVERAL))
PRONOUN_KINDS = (
    dict.fromkeys(("she", "her", "herself"), (FEMALE,))
    | dict.fromkeys(("he", "him", "himself"), (MALE,))
    | dict.fromkeys(("it", "itself"), (ONE_THING,))
    | dict.fromkeys(("they", "them", "themselves"), (SEVERAL,))
)


def narration_scores(mentions: Sequence[LinkMention]) -> Scores | None:
    """Return what these facts weigh for every pair [mentions, mentions]; None if there are none.

    `mentions`: one group, in reading order.
    """
    if not has_facts(mentions):
        return None
    scores: Scores = narration_features(tuple(mentions)) @ np.array(list(WEIGHTS.values()))
    return scores


def has_facts(mentions: Iterable[LinkMention]) -> bool:
    """Return whether any of these facts can hold for these mentions."""
    return any(mention.part != WHOLE or mention.pronoun for mention in mentions)


def narration_features(mentions: tuple[LinkMention, ...]) -> Scores:
    """Return the facts of every pair [mentions, mentions, WEIGHTS] as 0 and 1; the diagonal is 0."""
    known = dict(zip(FEATURES, np.moveaxis(pair_features(mentions), 2, 0), strict=True))
    caption = np.array([mention.caption for mention in mentions])
    parts = {part: number for number, part in enumerate(dict.fromkeys(mention.part for mention in mentions))}
    apart = np.array([parts[mention.part] for mention in mentions])
    begins = [mention.words[0] if mention.words else "" for mention in mentions]
    again = np.array([word in DEFINITE for word in begins], dtype=bool)
    anew = np.array([word in INDEFINITE or word.isdecimal() for word in begins], dtype=bool)
    pronoun = np.array([mention.pronoun for mention in mentions], dtype=bool)
    one_caption = (caption[:, None] == caption) & (apart[:, None] != apart)
    nouns = ~pronoun[:, None] & ~pronoun
    either = ~nouns
    agrees, differs = _agreement(mentions)
    later = np.triu(np.ones_like(one_caption), 1)
    same_head = known["same head"] & one_caption & nouns
    facts = (
        one_caption,
        known["same content words"] & one_caption & nouns,
        _either_way(same_head & again & later),
        _either_way(one_caption & nouns & anew & later),
        either & agrees,
        either & differs,
        either & (caption[:, None] != caption),
        pronoun[:, None] & pronoun & known["same head"],
    )
    features: Scores = np.stack(facts, axis=2).astype(np.float64)
    features[np.arange(len(mentions)), np.arange(len(mentions))] = 0.0
    return features


def _either_way(flags: Flags) -> Flags:
    return flags | flags.T


def _agreement(mentions: Sequence[LinkMention]) -> tuple[Flags, Flags]:
    """Return which pairs agree as a pronoun and what it stands for do, and which differ."""
    kinds = [_kinds(mention) for mention in mentions]
    agrees = np.array([[not first.isdisjoint(second) for second in kinds] for first in kinds], dtype=bool)
    typed = np.array([[not a.types.isdisjoint(b.types) for b in mentions] for a in mentions], dtype=bool)
    return agrees & typed, ~agrees


def _kinds(mention: LinkMention) -> frozenset[str]:
    """Return the kinds of the pronouns that may stand for it; of a pronoun its own."""
    if mention.pronoun:
        return frozenset(PRONOUN_KINDS.get(" ".join(mention.words), ALL_KINDS))
    gender, several = traits_of(mention)
    if several:
        return frozenset((SEVERAL,))
    return gender or ALL_KINDS - {SEVERAL}


@lru_cache(maxsize=CACHED_GROUPS)
def last_links(mentions: tuple[LinkMention, ...]) -> Scores:
    """Return what weighs for pairs of a pronoun and what it most likely stands for [mentions, mentions].

    This is evidence like an answer: the words of a chain count by the mean over its pairs, and a pronoun stands for the
    last mention, however far the first ones are. The array is shared and cannot be changed.
    """
    links = np.zeros((len(mentions), len(mentions)))
    agrees, _ = _agreement(mentions)
    for place, pronoun in enumerate(mentions):
        if not pronoun.pronoun:
            continue
        for before in range(place - 1, -1, -1):
            earlier = mentions[before]
            if earlier.caption != pronoun.caption or pronoun.part[0] - earlier.part[0] > MAX_SENTENCES:
                break
            if agrees[before, place]:
                links[before, place] = links[place, before] = LAST_MENTION
                break
    links.setflags(write=False)
    return links
