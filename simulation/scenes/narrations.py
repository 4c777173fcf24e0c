"""Narrations: long captions of a scene, told by several people, whose chains, pronouns and parts are known."""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import NamedTuple

from exchange.split_captions import joined_caption
from simulation.scenes.stage import SceneStage
from simulation.scenes.words import PLURAL, Noun, Sentence

PRONOUN = ("pronoun",)
ARTICLES = ("a ", "an ", "the ", "some ")
POSSESSIVES = ("his ", "her ")
PRONOUNS = {"she": "her", "he": "him", "it": "it", "they": "them"}
"""Pronouns as subjects, and as objects."""
PRONOUN_SHARE = 0.55
"""The share of mentions that are pronouns where a pronoun is clear."""
RECENT = 4
"""A pronoun is clear only for what is among so many last mentions."""
RENAMED = 0.2
"""The share of later mentions that use other words than the first."""
POINTING = 0.15
"""The share of later mentions with "this" or "that" in place of "the"."""

Mention = tuple[int, int, str, tuple[str, ...]]
"""The first word, the one behind the last, the key of the noun, and types."""


class SpokenMention(NamedTuple):
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

    def name(self, key: str, *, subject: bool = False) -> SpokenMention:
        """Mention it: as something new, by a pronoun, or again."""
        if key not in self._named:
            phrase, types = self._phrase(key)
            self._named[key] = phrase
            return self._mention(key, phrase, types)
        pronoun = self.pronoun_of(key)
        if self._is_clear(key, pronoun) and self.rng.random() < PRONOUN_SHARE:
            return self.refer(key, subject=subject)
        if self.rng.random() < RENAMED:
            phrase, types = self._phrase(key)
        else:
            phrase, types = self._named[key], self.nouns[key].types
        return self._mention(key, self._again(phrase), types)

    def refer(self, key: str, *, subject: bool = False) -> SpokenMention:
        """Mention it by its pronoun."""
        pronoun = self.pronoun_of(key)
        self._mention(key, pronoun if subject else PRONOUNS[pronoun], PRONOUN)
        return SpokenMention(pronoun == "they")

    def call(self, key: str, words: str) -> SpokenMention:
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

    def caption(self) -> Sentence:
        """Return the caption with its mentions."""
        return Sentence(joined_caption(tuple(self.words)), tuple(self.mentions))

    def _is_clear(self, key: str, pronoun: str) -> bool:
        """Return whether the last mention that the pronoun may stand for is this one, and not long ago."""
        fitting = [noun for noun in self._heard[-RECENT:] if self.pronoun_of(noun) == pronoun]
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

    def _mention(self, key: str, phrase: str, types: tuple[str, ...]) -> SpokenMention:
        start = len(self.words)
        for word in phrase.removeprefix(PLURAL).split():
            self._add(word)
        self.mentions.append((start, len(self.words), key, types))
        self._heard.append(key)
        return SpokenMention(phrase.startswith(PLURAL))

    def _add(self, word: str) -> None:
        self.words.append(word[0].upper() + word[1:] if self._begins else word)
        self._begins = False


MIN_WORDS, MIN_MENTIONS = 158, 36
"""A narration ends with the sentence that makes it as long, in words and full stops, or that has mentioned as much."""
BEINGS = {"people", "animals"}
WORN = ("wears/wear", "is/are wearing")
NEAR = ("next to", "behind", "in front of", "near", "close to", "to the left of", "to the right of")
LOOKS = ("looks/look at", "watches/watch", "is/are looking at", "faces/face", "seems/seem to like")
LIKE = ("quite large", "rather small", "easy to see", "a bit blurred", "partly hidden", "very bright", "well lit")
BEGIN = ("in this picture I can see", "this picture shows", "we can see", "I see", "here we have")
TOGETHER = ("is/are together", "is/are having fun")
SECOND_GARMENT, BESIDE, BOTH = 0.5, 0.6, 0.4
"""Shares of sentences: about clothes, with a second garment; about looks, with what is beside; of two things alike."""

Way = Callable[[Narrator, SceneStage, str, Sequence[str]], bool]
"""A sentence about one thing. It returns False, and says nothing, if there is nothing to say."""


def tell(stage: SceneStage, rng: Random) -> Sentence:
    """Return one narration of what the stage shows."""
    narrator = Narrator(stage.nouns, of_whom(stage), rng)
    heroes = _heroes(stage, rng)
    _open(narrator, stage, heroes)
    turns = [key for key in heroes for _ in range(rng.choice((1, 1, 2)))]
    while not _is_long(narrator):
        for key in turns or heroes:
            _about(narrator, stage, key, heroes)
        turns = []
    return narrator.caption()


def of_whom(stage: SceneStage) -> dict[str, str]:
    """Return "she" or "he" for everybody whose hand has a name."""
    hands = {key.removesuffix(".hand"): noun.phrases[0] for key, noun in stage.nouns.items() if key.endswith(".hand")}
    return {key: "she" if hand.startswith("her") else "he" for key, hand in hands.items()}


def _heroes(stage: SceneStage, rng: Random) -> list[str]:
    """Return what is told about, in turn: beings first, then some things; sets come before what they consist of."""
    plain = [key for key in stage.nouns if "." not in key and stage.boxed[key]]
    sets = [key for key in plain if len(stage.boxed[key]) > 1]
    beings = [key for key in plain if key not in sets and _is_being(stage, key)]
    things = [key for key in plain if key not in sets and key not in beings]
    chosen = [
        *rng.sample(sets, min(len(sets), rng.choice((1, 1, 2)))),
        *rng.sample(beings, min(len(beings), rng.choice((2, 3, 3)))),
        *rng.sample(things, min(len(things), rng.choice((2, 3, 4)))),
    ]
    rng.shuffle(chosen)
    return chosen


def _open(narrator: Narrator, stage: SceneStage, heroes: Sequence[str]) -> None:
    scenes = sorted(key for key in stage.scenes if not stage.boxed[key])
    narrator.say(narrator.rng.choice(BEGIN))
    narrator.name(heroes[0])
    if scenes:
        narrator.say("and")
        narrator.name(narrator.rng.choice(scenes))
    narrator.stop()


def _about(narrator: Narrator, stage: SceneStage, key: str, heroes: Sequence[str]) -> None:
    """Say one or two sentences about it."""
    looks: list[Way] = [_look] if _is_being(stage, key) else []
    ways = [_place, _likeness, *looks, *looks]
    if f"{key}.hand" in stage.nouns and stage.shows(f"{key}.hand"):
        ways += [_wear, _wear, _hold]
    if _members(stage, key):
        ways = [_split, _split, _place, *(looks or [_likeness])]
    for way in narrator.rng.sample(ways, narrator.rng.choice((1, 2, 2))):
        if not _is_long(narrator) and way(narrator, stage, key, heroes):
            narrator.stop()


def _is_being(stage: SceneStage, key: str) -> bool:
    return not BEINGS.isdisjoint(stage.nouns[key].types)


def _is_long(narrator: Narrator) -> bool:
    return len(narrator.words) >= MIN_WORDS or len(narrator.mentions) >= MIN_MENTIONS


def _members(stage: SceneStage, key: str) -> list[str]:
    """Return the chains that mean one thing each and together all that this one means."""
    alone = {stage.boxed[noun][0]: noun for noun in stage.nouns if len(stage.boxed[noun]) == 1}
    members = [alone[thing] for thing in stage.boxed[key] if thing in alone]
    return members if len(members) == len(stage.boxed[key]) > 1 else []


def _split(narrator: Narrator, stage: SceneStage, key: str, heroes: Sequence[str]) -> bool:
    """Tell two apart: "The two dogs are together. One of them is next to a ball, and the other is behind a boy"."""
    members = _members(stage, key)
    if len(members) != 2 or any(narrator.knows(member) for member in members):
        return _place(narrator, stage, key, heroes)
    first, second = narrator.rng.sample(members, 2)
    together = narrator.rng.choice(TOGETHER if _is_being(stage, key) else ("is/are close together",))
    _verb(narrator, narrator.name(key, subject=True), together)
    narrator.stop()
    one = narrator.call(first, narrator.rng.choice(("one of them", "one", "the first one")))
    _goes_on(narrator, stage, first, one, heroes)
    narrator.say(narrator.rng.choice((", and", ", while")))
    _goes_on(
        narrator, stage, second, narrator.call(second, narrator.rng.choice(("the other", "the other one"))), heroes
    )
    return True


def _goes_on(narrator: Narrator, stage: SceneStage, key: str, mention: SpokenMention, heroes: Sequence[str]) -> None:
    worn = _worn(narrator, stage, key)
    if worn:
        _verb(narrator, mention, "wears/wear")
        narrator.name(worn)
    else:
        _verb(narrator, mention, f"is/are {narrator.rng.choice(NEAR)}")
        narrator.name(_other(narrator, heroes, key))


def _wear(narrator: Narrator, stage: SceneStage, key: str, heroes: Sequence[str]) -> bool:
    worn = _worn(narrator, stage, key)
    if not worn:
        return False
    _verb(narrator, narrator.name(key, subject=True), narrator.rng.choice(WORN))
    narrator.name(worn)
    more = _worn(narrator, stage, key)
    if more and more != worn and narrator.rng.random() < SECOND_GARMENT:
        narrator.say("and")
        narrator.name(more)
    return True


def _worn(narrator: Narrator, stage: SceneStage, key: str) -> str:
    worn = [f"{key}.{part}" for part in ("top", "bottom", "hat", "scarf", "apron")]
    return narrator.rng.choice([thing for thing in worn if thing in stage.nouns and stage.shows(thing)] or [""])


def _hold(narrator: Narrator, stage: SceneStage, key: str, heroes: Sequence[str]) -> bool:
    _verb(narrator, narrator.name(key, subject=True), "holds/hold something in")
    narrator.name(f"{key}.hand")
    return True


def _place(narrator: Narrator, stage: SceneStage, key: str, heroes: Sequence[str]) -> bool:
    _verb(narrator, narrator.name(key, subject=True), f"is/are {narrator.rng.choice(NEAR)}")
    narrator.name(_other(narrator, heroes, key))
    return True


def _look(narrator: Narrator, stage: SceneStage, key: str, heroes: Sequence[str]) -> bool:
    _verb(narrator, narrator.name(key, subject=True), narrator.rng.choice(LOOKS))
    seen = _other(narrator, heroes, key)
    narrator.name(seen)
    beside = _other(narrator, heroes, key)
    if beside != seen and narrator.rng.random() < BESIDE:
        narrator.say(narrator.rng.choice(NEAR))
        narrator.name(beside)
    return True


def _likeness(narrator: Narrator, stage: SceneStage, key: str, heroes: Sequence[str]) -> bool:
    _verb(narrator, narrator.name(key, subject=True), f"is/are {narrator.rng.choice(LIKE)}")
    if narrator.rng.random() < BOTH:
        other = _other(narrator, heroes, key)
        narrator.say(narrator.rng.choice((", and", "while")))
        _verb(narrator, narrator.name(other, subject=True), "is/are near")
        narrator.refer(key)
    return True


def _other(narrator: Narrator, heroes: Sequence[str], key: str) -> str:
    return narrator.rng.choice([heroe for heroe in heroes if heroe != key])


def _verb(narrator: Narrator, subject: SpokenMention, verb: str) -> None:
    """Say a verb in the number of its subject: "wears/wear a"; the words behind the first are as they stand."""
    first, _, rest = verb.partition(" ")
    narrator.say(f"{first.split('/')[subject.plural]} {rest}")
