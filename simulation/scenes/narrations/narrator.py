"""A narrator: puts one narration together word by word, and remembers who was named how and when."""

from collections.abc import Mapping
from random import Random
from typing import NamedTuple

from exchange.words import joined_caption
from simulation.scenes.grammar import PLURAL, Noun, Sentence

PRONOUN = ("pronoun",)
ARTICLES = ("a ", "an ", "the ", "some ")
POSSESSIVES = ("his ", "her ")
PRONOUNS = {"she": "her", "he": "him", "it": "it", "they": "them"}
"""Pronouns as subjects, and as objects."""
AGAIN = 0.55
"""The share of mentions that are pronouns where a pronoun is clear."""
RECENT = 4
"""A pronoun is clear only for what is among so many last mentions."""
RENAMED = 0.2
"""The share of later mentions that use other words than the first."""
POINTING = 0.15
"""The share of later mentions with "this" or "that" in place of "the"."""

Mention = tuple[int, int, str, tuple[str, ...]]
"""The first word, the one behind the last, the key of the noun, and types."""


class Said(NamedTuple):
    """One mention as a sentence goes on behind it."""

    plural: bool


class Narrator:
    """One narration while it is told. `nouns`: by key; `of_whom`: "she" or "he" for people who are told apart."""

    def __init__(self, nouns: Mapping[str, Noun], of_whom: Mapping[str, str], rng: Random) -> None:
        self.nouns, self.of_whom, self.rng = nouns, of_whom, rng
        self.words: list[str] = []
        self.mentions: list[Mention] = []
        self._named: dict[str, str] = {}
        """The words of the first mention of each, with the mark of plurals."""
        self._heard: list[str] = []
        """The keys of all mentions so far."""
        self._begins = True

    def say(self, text: str) -> None:
        """Add words that are no mention."""
        for word in text.split():
            self._add(word)

    def stop(self) -> None:
        """End the sentence."""
        self.words.append(".")
        self._begins = True

    def knows(self, key: str) -> bool:
        """Return whether it was mentioned before."""
        return key in self._named

    def name(self, key: str, *, subject: bool = False) -> Said:
        """Mention it: as something new, by a pronoun, or again."""
        if key not in self._named:
            phrase, types = self._phrase(key)
            self._named[key] = phrase
            return self._mention(key, phrase, types)
        pronoun = self.pronoun_of(key)
        if self._is_clear(key, pronoun) and self.rng.random() < AGAIN:
            return self.refer(key, subject=subject)
        if self.rng.random() < RENAMED:
            phrase, types = self._phrase(key)
        else:
            phrase, types = self._named[key], self.nouns[key].types
        return self._mention(key, self._again(phrase), types)

    def refer(self, key: str, *, subject: bool = False) -> Said:
        """Mention it by its pronoun."""
        pronoun = self.pronoun_of(key)
        self._mention(key, pronoun if subject else PRONOUNS[pronoun], PRONOUN)
        return Said(pronoun == "they")

    def call(self, key: str, words: str) -> Said:
        """Mention it by words that need others to be clear: "one of them", "the other"."""
        self._named.setdefault(key, self._phrase(key)[0])
        return self._mention(key, words, self.nouns[key].types)

    def pronoun_of(self, key: str) -> str:
        """Return the pronoun, as a subject, for what was mentioned before."""
        if key in self.of_whom:
            return self.of_whom[key]
        phrase = self._named.get(key, "")
        several = phrase.startswith(PLURAL) or "people" in self.nouns[key].types
        return "they" if several else "it"

    def told(self) -> Sentence:
        """Return the caption with its mentions."""
        return Sentence(joined_caption(tuple(self.words)), tuple(self.mentions))

    def _is_clear(self, key: str, pronoun: str) -> bool:
        """Return whether the last mention that the pronoun may stand for is this one, and not long ago."""
        fitting = [one for one in self._heard[-RECENT:] if self.pronoun_of(one) == pronoun]
        return bool(fitting) and fitting[-1] == key and self.nouns[key].types != ("scene",)

    def _phrase(self, key: str) -> tuple[str, tuple[str, ...]]:
        """Return words for it, and types. Nobody may have been named yet who "his" or "her" would mean."""
        phrases = self.nouns[key].phrases
        clear = [phrase for phrase in phrases if not phrase.startswith(POSSESSIVES)]
        phrase, _, types = self.rng.choice(clear or phrases).partition("|")
        return phrase, tuple(types.split(",")) if types else self.nouns[key].types

    def _again(self, phrase: str) -> str:
        """Return the phrase for something that was mentioned before."""
        mark, bare = (PLURAL, phrase[1:]) if phrase.startswith(PLURAL) else ("", phrase)
        if bare.startswith(POSSESSIVES):
            return phrase
        bare = next((bare.removeprefix(article) for article in ARTICLES if bare.startswith(article)), bare)
        pointing = ("these", "those") if mark else ("this", "that")
        article = self.rng.choice(pointing) if self.rng.random() < POINTING else "the"
        return f"{mark}{article} {bare}"

    def _mention(self, key: str, phrase: str, types: tuple[str, ...]) -> Said:
        start = len(self.words)
        for word in phrase.removeprefix(PLURAL).split():
            self._add(word)
        self.mentions.append((start, len(self.words), key, types))
        self._heard.append(key)
        return Said(phrase.startswith(PLURAL))

    def _add(self, word: str) -> None:
        self.words.append(word[0].upper() + word[1:] if self._begins else word)
        self._begins = False
