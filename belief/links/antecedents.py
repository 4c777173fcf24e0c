"""Antecedents [beyond paper 3.1.1]: how likely a mention of a long caption names what an earlier mention names.

In a caption of several sentences things are mentioned again and again: "a dog ... the dog ... it". Mentions are taken
in reading order. Each one either begins a chain or takes an earlier mention as its antecedent, by chances that are
log-linear in facts about the two (mention ranking: Denis and Baldridge 2008; Durrett and Klein 2013). So

    p(partition) = prod over mentions m of ( begin(m) if m begins its chain, else sum over earlier a of its chain of
                   join(a, m) ),      begin(m) + sum over all earlier a of join(a, m) = 1.

A chain of many mentions needs a good antecedent for each of them, however far its first mention is.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from annotation.rules.transitivity import WHOLE, LinkMention
from belief.links.partitions import Flags, Scores
from belief.links.text_features import FEATURES, NUMBERS, pair_features, traits_of

OF_TEXT = (
    "same content words",
    "same head",
    "other word shared",
    "number differs",
    "colour differs",
    "gender or age agrees",
    "gender or age differs",
    "people of one number",
    "head in other words",
    "related heads",
)
"""Facts of `text_features`."""
OF_TWO = (
    *OF_TEXT,
    "another caption",
    "same words",
    "named again",
    "named anew",
    "pronoun agrees",
    "pronoun differs",
    "noun after pronoun",
    "pronouns",
    "pronoun close by",
    "nouns of one sentence",
    "mentions between",
    "mentions between one head",
)
"""The facts about a mention and an earlier one.

"named again": two of one head, of which the later one begins with "the", "this" or the like; "named anew": the later
one begins with "a", "an" or a number. A pronoun "agrees" in gender and number, or it "differs"; it is "close by" in the
same sentence and the one after. "mentions between": the logarithm of their number and 1, in one caption.
"""
OF_BEGINNING = (
    "begins",
    "pronoun begins",
    "definite begins",
    "indefinite begins",
    "single word begins",
    "long phrase begins",
    "mentions before",
)
"""The facts about a mention that begins a chain. "mentions before": the logarithm of their number and 1."""
ANTECEDENT_FEATURES = (*OF_TWO, *OF_BEGINNING)
DEFAULT_ANTECEDENTS = {
    "same content words": 1.0,
    "same head": 1.0,
    "other word shared": 0.5,
    "number differs": -1.0,
    "colour differs": -0.5,
    "gender or age differs": -1.5,
    "people of one number": 1.0,
    "head in other words": 1.5,
    "related heads": 1.0,
    "another caption": 0.5,
    "same words": 0.5,
    "named again": 1.5,
    "named anew": -1.0,
    "pronoun agrees": 1.5,
    "pronoun differs": -1.5,
    "noun after pronoun": -1.0,
    "pronoun close by": 1.5,
    "nouns of one sentence": -1.5,
    "mentions between": -0.5,
    "mentions between one head": 0.5,
    "begins": 1.5,
    "pronoun begins": -1.5,
    "definite begins": -1.0,
    "indefinite begins": 1.0,
    "mentions before": 0.2,
}
"""The weights of a project's first day, round numbers between three fits.

On made narrations, on made captions, and on every second passage that people marked (`python -m studies real_links`).
"""
LONG = 4
"""A phrase of so many words is long."""

DEFINITE = frozenset(("the", "this", "that", "these", "those", "both"))
INDEFINITE = frozenset(("a", "an", "some", "another", "several", *NUMBERS)) - DEFINITE
"""First words of what is new; figures are, too."""
FEMALE, MALE, ONE_THING, SEVERAL = "female", "male", "one thing", "several"
ALL_KINDS = frozenset((FEMALE, MALE, ONE_THING, SEVERAL))
PRONOUN_KINDS = (
    dict.fromkeys(("she", "her", "hers", "herself"), (FEMALE,))
    | dict.fromkeys(("he", "him", "his", "himself"), (MALE,))
    | dict.fromkeys(("it", "its", "itself"), (ONE_THING,))
    | dict.fromkeys(("they", "them", "their", "themselves"), (SEVERAL,))
)


class AntecedentFacts(NamedTuple):
    """Facts of a group that the weights of antecedents count."""

    of_two: Scores
    """[mentions, mentions, OF_TWO]: of the earlier and the later mention; 0 on and below the diagonal."""
    of_beginning: Scores
    """[mentions, OF_BEGINNING]"""


class Antecedents(NamedTuple):
    """The chances of a group's antecedents."""

    join: Scores
    """[mentions, mentions]: of the earlier one to be the antecedent of the later one; 0 on and below the diagonal."""
    begin: Scores
    """[mentions]: of each mention to begin a chain."""


def has_sentences(mentions: Iterable[LinkMention]) -> bool:
    """Return whether the mentions are of captions of several sentences, or pronouns: antecedents tell more of these."""
    return any(mention.part != WHOLE or mention.pronoun for mention in mentions)


def antecedents_of(facts: AntecedentFacts, weights: Mapping[str, float], ruled_out: Flags) -> Antecedents:
    """Return the chances of antecedents. `weights`: by ANTECEDENT_FEATURES; one that is left out weighs 0."""
    of_two = np.array([weights.get(name, 0.0) for name in OF_TWO])
    of_beginning = np.array([weights.get(name, 0.0) for name in OF_BEGINNING])
    possible = np.triu(~ruled_out, 1)
    logits = np.where(possible, facts.of_two @ of_two, -np.inf)
    begin = facts.of_beginning @ of_beginning
    top = np.maximum(logits.max(axis=0, initial=-np.inf), begin)
    join, begin = np.exp(logits - top), np.exp(begin - top)
    total = join.sum(axis=0) + begin
    return Antecedents(join / total, begin / total)


def antecedent_facts(mentions: Sequence[LinkMention]) -> AntecedentFacts:
    """Return the facts of a group. `mentions`: in reading order."""
    known = dict(zip(FEATURES, np.moveaxis(pair_features(mentions), 2, 0), strict=True))
    begins = [mention.words[0] if mention.words else "" for mention in mentions]
    again = np.array([word in DEFINITE for word in begins], dtype=bool)
    anew = np.array([word in INDEFINITE or word.isdecimal() for word in begins], dtype=bool)
    length = np.array([len(mention.words) for mention in mentions])
    pronoun = np.array([mention.pronoun for mention in mentions], dtype=bool)
    caption = np.array([mention.caption for mention in mentions])
    sentence = np.array([mention.part[0] for mention in mentions])
    place = np.arange(len(mentions))
    one_caption = caption[:, None] == caption
    sentences = np.where(one_caption, sentence - sentence[:, None], 9)
    between = np.log(np.maximum(place - place[:, None], 1)) * one_caption
    nouns, either, both = ~pronoun[:, None] & ~pronoun, pronoun[:, None] | pronoun, pronoun[:, None] & pronoun
    agrees = _agreement(mentions)
    words = np.array([" ".join(mention.words) for mention in mentions])
    facts = (
        *(known[name] for name in OF_TEXT),
        ~one_caption,
        (words[:, None] == words) & nouns,
        known["same head"] & nouns & again,
        np.broadcast_to(anew, one_caption.shape),
        either & agrees,
        either & ~agrees,
        pronoun[:, None] & ~pronoun,
        both,
        pronoun & (sentences <= 1),
        (sentences == 0) & nouns,
        between,
        between * known["same head"],
    )
    of_two: Scores = np.stack([np.triu(fact, 1) for fact in facts], axis=2).astype(np.float64)
    beginning = (
        np.ones(len(mentions)),
        pronoun,
        again,
        anew,
        length == 1,
        length >= LONG,
        np.log1p(place),
    )
    of_beginning: Scores = np.stack(beginning, axis=1).astype(np.float64)
    return AntecedentFacts(of_two, of_beginning)


def _agreement(mentions: Sequence[LinkMention]) -> Flags:
    """Return which pairs agree as a pronoun and what it stands for do."""
    kinds = [_kinds(mention) for mention in mentions]
    agrees = np.array([[not first.isdisjoint(second) for second in kinds] for first in kinds], dtype=bool)
    typed = np.array([[not a.types.isdisjoint(b.types) for b in mentions] for a in mentions], dtype=bool)
    both: Flags = agrees & typed
    return both


def _kinds(mention: LinkMention) -> frozenset[str]:
    """Return the kinds of the pronouns that may stand for it; of a pronoun its own."""
    if mention.pronoun:
        return frozenset(PRONOUN_KINDS.get(" ".join(mention.words), ALL_KINDS))
    gender, several = traits_of(mention)
    if several:
        return frozenset((SEVERAL,))
    return gender or ALL_KINDS - {SEVERAL}
