"""The stage: where a story puts its entities, says what they are called, and speaks about them."""

import re
from collections.abc import Sequence
from random import Random

from annotation.rules.box import Box
from exchange.dataset import DatasetBox, DatasetChain, DatasetImage, DatasetMention
from scenes.grammar import Noun, Sentence, compose
from scenes.look import Look
from scenes.people import Figure, Pose, draw_person
from scenes.shapes import HEIGHT, WIDTH, Shape, extent
from scenes.words import garment_phrases, hair_phrases, pair_phrases, person_phrases

CAPTIONS = 5
Boxed = str | tuple[str, frozenset[str]]
"""A drawn thing, or some parts of one."""
GARMENTS = {"top": "top", "bottom": "bottom", "hat": "hat", "scarf": "scarf", "apron": "apron"}

ATTIRE = re.compile(r" (?:in|wearing|with) \[[\w-]+\.[a-z]+\](?: and \[[\w-]+\.[a-z]+\])?")
"""What a caption says of somebody's clothes or hair, and could as well not say."""
SILENT = 0.6
"""The share of the captions that say nothing of it."""
MENTION = re.compile(r"\[([^]!]+)!?\]")
DRAWS = 4


class Stage:
    """One scene while it is being made up."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.shapes: list[Shape] = []
        """Everything in the order in which it is painted."""
        self.things: dict[str, list[Shape]] = {}
        self.nouns: dict[str, Noun] = {}
        self.boxed: dict[str, tuple[Boxed, ...]] = {}
        self.scenes: set[str] = set()
        self.sentences: list[Sentence] = []

    def put(self, thing: str, shapes: Sequence[Shape]) -> None:
        """Draw the shapes before everything so far; a thing can be put in several goes."""
        self.shapes += shapes
        self.things.setdefault(thing, []).extend(shapes)

    def name(self, key: str, kind: str, phrases: Sequence[str], *boxed: Boxed) -> None:
        """Settle how captions can call a chain, its types ("scene,other"), and which drawn things it means, if any."""
        self.nouns[key] = Noun(tuple(phrases), tuple(kind.split(",")))
        self.boxed[key] = boxed

    def name_scene(self, key: str, *phrases: str) -> None:
        """A chain that means the whole scene."""
        self.name(key, "scene", phrases)
        self.scenes.add(key)

    def person(
        self, key: str, look: Look, pose: Pose, x: float, y: float, height: float, *, flip: bool = False
    ) -> Figure:
        """Draw a person all but the arms (put those when what they hold is drawn) and name all that is worn."""
        figure = draw_person(look, pose, x, y, height, flip=flip)
        self.put(key, figure.body)
        self.name(key, "people", person_phrases(look), key)
        for part in GARMENTS:
            garment = getattr(look, part)
            if garment and not (part == "bottom" and look.top[0] == "dress"):
                self.name(f"{key}.{part}", "clothing", garment_phrases(garment), (key, frozenset({part})))
        if look.hat is None and look.style != "bald":
            self.name(f"{key}.hair", "body parts", hair_phrases(look), (key, frozenset({"hair"})))
        self.name(f"{key}.hand", "body parts", ("her hand" if look.female else "his hand",), (key, frozenset({"far hand"})))
        return figure

    def whole_person(
        self, key: str, look: Look, pose: Pose, x: float, y: float, height: float, *, flip: bool = False
    ) -> Figure:
        """A person who holds nothing before the body."""
        figure = self.person(key, look, pose, x, y, height, flip=flip)
        self.put(key, figure.arms)
        return figure

    def name_pair(self, key: str, first: tuple[str, Look], second: tuple[str, Look], *more: str) -> None:
        """A chain of two people: its boxes are theirs."""
        self.name(key, "people", (*pair_phrases(first[1], second[1]), *more), first[0], second[0])

    def speak(self, must: Sequence[str], may: Sequence[str]) -> None:
        """Five captions: of every pattern in `must` and of as many of the others as are wanted, in any order."""
        others = [ATTIRE.sub("", p) if self.rng.random() < SILENT else p for p in may]
        # People agree more than chance would on what is worth a word: of several draws, that about the fewest entities.
        draws = [[*must, *self.rng.sample(others, CAPTIONS - len(must))] for _ in range(DRAWS)]
        patterns = min(draws, key=lambda draw: len(set(MENTION.findall(" ".join(draw)))))
        self.rng.shuffle(patterns)
        self.sentences = [compose(pattern, self.nouns, self.rng) for pattern in patterns]

    def image(self, name: str) -> DatasetImage:
        """What has been said and drawn: chains are numbered in reading order, unmentioned things have no box."""
        numbers: dict[str, str] = {}
        mentions = []
        for caption, sentence in enumerate(self.sentences):
            for start, end, key, types in sentence.mentions:
                number = numbers.setdefault(key, str(len(numbers) + 1))
                mentions.append(DatasetMention(caption, start, end, types, number))
        return DatasetImage(
            name=name,
            width=WIDTH,
            height=HEIGHT,
            captions=tuple(sentence.caption for sentence in self.sentences),
            mentions=tuple(mentions),
            chains=tuple(self._chain(key, number) for key, number in numbers.items()),
            boxes=self._boxes(numbers),
            source="drawn",
        )

    def _chain(self, key: str, number: str) -> DatasetChain:
        return DatasetChain(number, scene=key in self.scenes, no_box=not self.boxed[key] and key not in self.scenes)

    def _boxes(self, numbers: dict[str, str]) -> tuple[DatasetBox, ...]:
        owners: dict[Boxed, list[str]] = {}
        for key, number in numbers.items():
            for boxed in self.boxed[key]:
                owners.setdefault(boxed, []).append(number)
        return tuple(DatasetBox(self.box(boxed), tuple(chains)) for boxed, chains in owners.items())

    def box(self, boxed: Boxed) -> Box:
        """The tight box of a drawn thing or of some of its parts."""
        if isinstance(boxed, str):
            return extent(self.things[boxed])
        return extent(self.things[boxed[0]], boxed[1])
