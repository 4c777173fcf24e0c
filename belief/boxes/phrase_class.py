"""Phrase classes [beyond paper 3.2.2]: what the words of a phrase say about how many boxes it needs."""

from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from annotation.rules.dictionaries import plain_words
from annotation.rules.singular import singulars
from belief.links.text_features import COLLECTIVES, number_named, word_set


class PhraseClass(StrEnum):
    """The kinds of phrase that differ in how many boxes they need."""

    ONE = "one"
    """A singular: "a dog"."""
    NUMBER = "number"
    """A number from two up: "two dogs"."""
    PLURAL = "plural"
    """Several, without saying how many: "some dogs"."""
    PAIR = "pair"
    """A plural that names one thing: "blue jeans"."""
    GROUP = "group"
    """A singular that stands for several: "a crowd"."""
    MASS = "mass"
    """A noun that is not counted: "grass"."""


class PhraseReading(NamedTuple):
    """The meaning of one phrase for the number of its boxes."""

    kind: PhraseClass
    number: int = 1
    """The number that the phrase names; 1 where it names none."""


PAIRS = word_set(
    """pants jeans shorts trousers slacks khakis sweatpants leggings tights overalls pajamas underwear clothes glasses
    sunglasses eyeglasses goggles binoculars scissors headphones stairs steps bleachers suspenders trunks"""
)
"""Plurals of one thing, or of what is drawn as one."""
MASSES = word_set(
    """water grass snow sand dirt mud ice smoke fire rain sky air hay gravel concrete pavement asphalt foliage scenery
    equipment gear food fruit bread meat rice hair fur attire clothing graffiti luggage furniture merchandise art music
    traffic trash garbage debris wood metal paint foam dust steam fabric cloth paper makeup jewelry produce wine beer
    coffee"""
)
"""Nouns that are rarely counted."""
GROUPS = COLLECTIVES | word_set("bunch choir class couples flock gathering herd pack pile row set trio duo")
"""Singular nouns that stand for several."""


@lru_cache(maxsize=4096)
def read_phrase(words: tuple[str, ...], head: str) -> PhraseReading:
    """Return what a phrase says about how many boxes it needs.

    `words`: of the whole phrase, in lower case. `head`: its last noun. Words of a language without a list here read as
    a singular or, if they end as an English plural does, as a plural.
    """
    plain = plain_words(words)
    number = number_named(plain)
    if number is not None and number > 1:
        return PhraseReading(PhraseClass.NUMBER, number)
    if not GROUPS.isdisjoint(plain):
        return PhraseReading(PhraseClass.GROUP)
    if head in PAIRS:
        return PhraseReading(PhraseClass.PAIR)
    if head in MASSES:
        return PhraseReading(PhraseClass.MASS)
    return PhraseReading(PhraseClass.PLURAL if len(singulars(head)) > 1 and number is None else PhraseClass.ONE)
