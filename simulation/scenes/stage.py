"""The stage: a story puts entities on it, names them, and makes captions about them."""

import re
from collections.abc import Sequence
from random import Random

from annotation.rules.box import Box
from exchange.dataset import DatasetBox, DatasetChain, DatasetImage, DatasetMention
from simulation.scenes.people import DrawnPerson, Look, Pose, draw_person
from simulation.scenes.shapes import HEIGHT, WIDTH, Shape, above, extent
from simulation.scenes.words import Noun, Sentence, compose, garment_phrases, hair_phrases, pair_phrases, person_phrases

CAPTIONS = 5
Boxed = str | tuple[str, frozenset[str]]
"""A drawn thing, or some parts of one."""
GARMENTS = {"top": "top", "bottom": "bottom", "hat": "hat", "scarf": "scarf", "apron": "apron"}

ATTIRE = re.compile(r" (?:in|wearing|with) \[[\w-]+\.[a-z]+\](?: and \[[\w-]+\.[a-z]+\])?")
"""A phrase about a person's clothes or hair that a caption may leave out."""
SILENT = 0.6
"""The share of captions that leave it out."""
MENTION = re.compile(r"\[([^]!]+)!?\]")
DRAWS = 10


class SceneStage:
    """One scene while a story makes it."""

    def __init__(self, rng: Random, *, mirror: bool = False) -> None:
        self.rng = rng
        self.mirror = mirror
        self.shapes: list[Shape] = []
        """Shapes in the order in which they are painted."""
        self.things: dict[str, list[Shape]] = {}
        self.hidden_below: dict[str, int] = {}
        """The height in pixels below which something in front hides a thing."""
        self.nouns: dict[str, Noun] = {}
        self.boxed: dict[str, tuple[Boxed, ...]] = {}
        self.scenes: set[str] = set()
        self.sentences: list[Sentence] = []

    def put(self, thing: str, shapes: Sequence[Shape]) -> None:
        """Draw the shapes in front of everything so far. A thing can be put in several calls."""
        self.shapes += shapes
        self.things.setdefault(thing, []).extend(shapes)

    def name(self, key: str, kind: str, phrases: Sequence[str], *boxed: Boxed) -> None:
        """Set the names of a chain in captions, its types ("scene,other"), and the drawn things that it means."""
        self.nouns[key] = Noun(tuple(phrases), tuple(kind.split(",")))
        self.boxed[key] = boxed

    def name_scene(self, key: str, *phrases: str) -> None:
        """Add a chain that means the whole scene."""
        self.name(key, "scene", phrases)
        self.scenes.add(key)

    def person(
        self, key: str, look: Look, pose: Pose, x: float, y: float, height: float, *, flip: bool = False
    ) -> DrawnPerson:
        """Draw a person without arms, and name all clothes. Put the arms after the things that they hold."""
        figure = draw_person(look, pose, x, y, height, flip=flip)
        self.put(key, figure.body)
        self.name(key, "people", person_phrases(look), key)
        for part in GARMENTS:
            garment = getattr(look, part)
            if garment and not (part == "bottom" and look.top[0] == "dress"):
                self.name(f"{key}.{part}", "clothing", garment_phrases(garment), (key, frozenset({part})))
        if look.hat is None and look.style != "bald":
            self.name(f"{key}.hair", "body parts", hair_phrases(look), (key, frozenset({"hair"})))
        self.name(
            f"{key}.hand", "body parts", ("her hand" if look.female else "his hand",), (key, frozenset({"far hand"}))
        )
        return figure

    def whole_person(
        self, key: str, look: Look, pose: Pose, x: float, y: float, height: float, *, flip: bool = False
    ) -> DrawnPerson:
        """Draw a person who holds nothing in front of the body."""
        figure = self.person(key, look, pose, x, y, height, flip=flip)
        self.put(key, figure.arms)
        return figure

    def name_pair(self, key: str, first: tuple[str, Look], second: tuple[str, Look], *more: str) -> None:
        """Add a chain of two people with the boxes of both."""
        self.name(key, "people", (*pair_phrases(first[1], second[1]), *more), first[0], second[0])

    def speak(self, must: Sequence[str], may: Sequence[str]) -> None:
        """Make five captions: one of every pattern in `must`, the rest of the other patterns, in random order."""
        core, others = ([self._trimmed(pattern) for pattern in patterns] for patterns in (must, may))
        # People agree more than chance would on what is worth a word: of several draws, that about the fewest entities.
        draws = [[*core, *self.rng.sample(others, CAPTIONS - len(core))] for _ in range(DRAWS)]
        patterns = min(draws, key=_entities)
        self.rng.shuffle(patterns)
        self.sentences = [compose(pattern, self.nouns, self.rng) for pattern in patterns]

    def _trimmed(self, pattern: str) -> str:
        return ATTIRE.sub("", pattern) if self.rng.random() < SILENT else pattern

    def image(self, name: str) -> DatasetImage:
        """Return the scene. Chains are numbered in reading order; things that are not mentioned have no box."""
        numbers = self._numbers()
        mentions = [
            DatasetMention(caption, start, end, types, numbers[key])
            for caption, sentence in enumerate(self.sentences)
            for start, end, key, types in sentence.mentions
        ]
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

    def boxed_by_number(self) -> dict[str, tuple[Boxed, ...]]:
        """Return the drawn things of each mentioned chain, by its name."""
        return {number: self.boxed[key] for key, number in self._numbers().items()}

    def _numbers(self) -> dict[str, str]:
        keys = dict.fromkeys(key for sentence in self.sentences for _, _, key, _ in sentence.mentions)
        return {key: str(number) for number, key in enumerate(keys, 1)}

    def _chain(self, key: str, number: str) -> DatasetChain:
        return DatasetChain(number, scene=key in self.scenes, no_box=not self.boxed[key] and key not in self.scenes)

    def _boxes(self, numbers: dict[str, str]) -> tuple[DatasetBox, ...]:
        owners: dict[Boxed, list[str]] = {}
        for key, number in numbers.items():
            for boxed in self.boxed[key]:
                owners.setdefault(boxed, []).append(number)
        return tuple(DatasetBox(self.box(boxed), tuple(chains)) for boxed, chains in owners.items())

    def shows(self, key: str) -> bool:
        """Return whether everything that a chain means was drawn and can be seen: not trousers behind a counter."""
        for boxed in self.boxed[key]:
            try:
                self.box(boxed)
            except ValueError:
                return False
        return True

    def box(self, boxed: Boxed) -> Box:
        """Return the tight box of a drawn thing or of some of its parts, without parts hidden behind a counter."""
        thing, parts = (boxed, None) if isinstance(boxed, str) else boxed
        shapes, hidden_below = self.things[thing], self.hidden_below.get(thing)
        if hidden_below is not None:
            shapes = [left for shape in shapes for left in above(shape, hidden_below)]
        box = extent(shapes, parts)
        if self.mirror:
            box = box._replace(x0=WIDTH - box.x1, x1=WIDTH - box.x0)
        return box._replace(y1=min(box.y1, hidden_below or HEIGHT))


def _entities(patterns: Sequence[str]) -> tuple[int, int]:
    """Rank patterns by the number of chains that they mention, then by the number of mentions."""
    keys = MENTION.findall(" ".join(patterns))
    return len(set(keys)), len(keys)
