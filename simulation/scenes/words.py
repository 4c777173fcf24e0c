"""Words and grammar of the captions of scenes."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

from exchange.dataset import DatasetCaption
from simulation.scenes.people import Garment, Look

CHOICE = re.compile(r"\(([^()]*)\)")
MAX_CAPTION_WORDS = 26
"""Words of a caption, its punctuation among them."""
PLURAL = "+"
"""The prefix of a phrase whose verbs take the plural: "+two dogs"."""


@dataclass(frozen=True, slots=True)
class Noun:
    """Phrases for the entities of one chain; a phrase may end in its own types: "a ship|vehicles,other"."""

    phrases: tuple[str, ...]
    types: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sentence:
    """A caption and what its phrases are about: (start, end, key of the noun, types) for each mention."""

    caption: DatasetCaption
    mentions: tuple[tuple[int, int, str, tuple[str, ...]], ...]


def compose(pattern: str, nouns: Mapping[str, Noun], rng: Random) -> Sentence:
    """One sentence of the pattern, begun with a capital and ended by a full stop; one that is too long is made anew.

    Raises KeyError for a mention of which there is no noun.
    """
    while len((sentence := _once(pattern, nouns, rng)).caption.words) > MAX_CAPTION_WORDS:
        pass
    return sentence


def _once(pattern: str, nouns: Mapping[str, Noun], rng: Random) -> Sentence:
    while "(" in pattern:
        pattern = CHOICE.sub(lambda found: rng.choice(found[1].split("|")), pattern)
    words: list[str] = []
    mentions: list[tuple[int, int, str, tuple[str, ...]]] = []
    aside: list[tuple[int, int]] = []
    plural: bool | None = None
    for token in pattern.split():
        start = len(words)
        if token[0] == "[":
            key = token[1:-1].removesuffix("!")
            phrase, types = _phrase(nouns[key], rng)
            if plural is None or token.endswith("!]"):
                plural = phrase.startswith(PLURAL)
            words += phrase.removeprefix(PLURAL).split()
            mentions.append((start, len(words), key, types))
        elif token[0] == "<":
            words += token[1:-1].split("_")
            aside.append((start, len(words)))
        elif "/" in token:
            words.append(token.split("/")[1 if plural else 0])
        else:
            words.append(token)
    return Sentence(_caption([*words, "."], tuple(aside)), tuple(mentions))


def _phrase(noun: Noun, rng: Random) -> tuple[str, tuple[str, ...]]:
    phrase, _, types = rng.choice(noun.phrases).partition("|")
    return phrase, tuple(types.split(",")) if types else noun.types


def _caption(words: list[str], non_visual: tuple[tuple[int, int], ...]) -> DatasetCaption:
    words[0] = words[0][0].upper() + words[0][1:]
    offsets, place = [], 0
    for word in words:
        offsets.append(place)
        place += len(word) + 1
    return DatasetCaption(" ".join(words), tuple(words), tuple(offsets), non_visual)


PEOPLE = {
    "man": ("man", "man", "guy", "young man", "gentleman"),
    "woman": ("woman", "woman", "lady", "young woman"),
    "boy": ("boy", "young boy", "little boy", "child", "kid"),
    "girl": ("girl", "young girl", "little girl", "child", "kid"),
}
GROUPS = {
    "man": ("two men", "two guys", "two people"),
    "woman": ("two women", "two ladies", "two people"),
    "boy": ("two boys", "two young boys", "two kids", "two children"),
    "girl": ("two girls", "two little girls", "two kids", "two children"),
}
GARMENTS = {
    "shirt": ("{} shirt", "{} button-up shirt", "shirt"),
    "t-shirt": ("{} t-shirt", "{} shirt", "t-shirt"),
    "sweater": ("striped {} sweater", "{} sweater", "sweater"),
    "jacket": ("{} jacket", "{} suit", "jacket"),
    "coat": ("{} coat", "long {} coat", "coat"),
    "dress": ("{} dress", "long {} dress", "dress"),
    "hat": ("{} hat", "hat", "wide {} hat"),
    "cap": ("{} cap", "{} baseball cap", "cap"),
    "beanie": ("{} beanie", "woolly {} hat", "{} knit cap"),
    "helmet": ("{} helmet", "helmet", "bright {} helmet"),
    "headscarf": ("{} headscarf", "headscarf"),
    "veil": ("{} veil", "long {} veil", "veil"),
    "scarf": ("{} scarf", "scarf"),
    "apron": ("{} apron", "apron"),
    "trousers": ("+{} trousers", "+{} pants"),
    "jeans": ("+blue jeans", "+jeans"),
    "shorts": ("+{} shorts", "+shorts"),
    "skirt": ("{} skirt", "skirt"),
}


def a(words: str) -> str:
    """Return the words with the right indefinite article; plurals (`+`) have none."""
    if words.startswith("+"):
        return words
    return f"{'an' if words[0] in 'aeiou' else 'a'} {words}"


def person_phrases(look: Look) -> tuple[str, ...]:
    """Return the words for the person in captions."""
    plain = PEOPLE[look.kind]
    if look.old:
        traits: tuple[str, ...] = (f"old {look.kind}", f"elderly {look.kind}", look.kind)
    elif look.beard:
        traits = (*plain[:3], f"bearded {look.kind}")
    elif look.hat is None and look.style != "bald" and not look.child:
        traits = (*plain, f"{'blond' if look.hair == 'blond' else look.hair + '-haired'} {look.kind}")
    else:
        traits = plain
    return tuple(a(words) for words in traits)


def pair_phrases(first: Look, second: Look) -> tuple[str, ...]:
    """Return the words for two people together."""
    if first.kind == second.kind:
        return tuple(f"+{words}" for words in GROUPS[first.kind])
    if first.child and second.child:
        return ("+two children", "+two kids", "+two young children", "+children")
    if first.child or second.child:
        return ("+two people", "a family")
    return ("+two people", "+two people", "+people")


def garment_phrases(garment: Garment) -> tuple[str, ...]:
    """Return the words for a piece of clothing."""
    kind, colour = garment
    return tuple(a(words.format(colour)) for words in GARMENTS[kind])


def hair_phrases(look: Look) -> tuple[str, ...]:
    """Return the words for the person's hair."""
    long = {"long": "long ", "curly": "curly ", "short": "short "}.get(look.style, "")
    return f"{long}{look.hair} hair", f"{look.hair} hair"


def pronouns(look: Look) -> tuple[str, str]:
    """Return "he" and "his", or "she" and "her"."""
    return ("she", "her") if look.female else ("he", "his")
