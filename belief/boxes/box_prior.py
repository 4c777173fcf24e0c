"""Box prior [beyond paper 3.2]: what is expected of chains, crowds and programs before a chain's first answer."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from statistics import fmean
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import AfterValidator, Field, Strict, TypeAdapter, ValidationError
from pydantic_core import PydanticCustomError

from annotation.rules.dictionaries import plain_words, singulars
from annotation.rules.mention_type import NOUN_TYPES
from annotation.rules.plain_errors import one_of, plain_errors, should_be
from belief.boxes.box_answers import BoxTask
from belief.habits import Habit
from belief.links.text_features import COLLECTIVES, number_named, word_set
from belief.models.calibration import Calibration, ForecastSource
from belief.models.error_correlation import ErrorCorrelation, PairOfPrograms
from belief.models.records import BoxRecord
from belief.values import Amount, Chance, ProgramNumber, Share, Stored, Whole


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


MAX_BOXES = 12
"""The largest number of boxes that is told apart; a chain with more is taken to have this many."""
COUNT_CLASSES = 6
"""The weights of each phrase class: for 1, 2, 3, 4 and 5 boxes, and for 6 or more."""
NUMBER_CLASSES = 4
"""Numbers of boxes that programs propose are kept as none, one, two, and three or more."""
AGREEMENT_COUNTS = 4
"""Counts of `ProgramRecord.agreed`."""

Unseen = Annotated[float, Strict(), Field(ge=0, lt=1), should_be("a number from 0 to below 1")]
TypeName = Annotated[str, one_of(NOUN_TYPES)]
ClassName = Annotated[str, one_of(PhraseClass)]
ErrorName = Annotated[str, one_of(BoxTask)]
WorkerName = Annotated[str, Field(pattern=r"^(0|[1-9][0-9]{0,17})$"), should_be("the number of a worker")]


def _shares(weights: tuple[float, ...]) -> tuple[float, ...]:
    if len(weights) != COUNT_CLASSES or not sum(weights):
        raise PydanticCustomError("counts", "should be {count} numbers, not all 0", {"count": COUNT_CLASSES})
    return weights


def _table(rows: tuple[tuple[float, ...], ...]) -> tuple[tuple[float, ...], ...]:
    if rows and [len(row) for row in rows] != [NUMBER_CLASSES] * NUMBER_CLASSES:
        raise PydanticCustomError("numbers", "should be {size} rows of {size} numbers", {"size": NUMBER_CLASSES})
    return rows


def _agreed(counts: tuple[float, ...]) -> tuple[float, ...]:
    if counts and len(counts) != AGREEMENT_COUNTS:
        raise PydanticCustomError("agreed", "should be {size} numbers", {"size": AGREEMENT_COUNTS})
    return counts


Agreements = Annotated[tuple[Amount, ...], AfterValidator(_agreed)]
NumberRows = Annotated[tuple[tuple[Amount, ...], ...], AfterValidator(_table)]


@dataclass(frozen=True)
class ProgramRecord(Stored):
    """The good and the bad boxes of a program among those that were judged, by score."""

    good: tuple[Amount, ...]
    """For each bin of the score from 0 to 1, the boxes that are likely good, in parts; the last bin has no score."""
    bad: tuple[Amount, ...]
    numbers: NumberRows = ()
    """Chains [their boxes, the program's], for no, one, two, and three or more; empty: nobody counted."""
    agreed: Agreements = ()
    """Of other programs' boxes that chains ended with, those that it proposed and did not; of dropped ones the same."""


@dataclass(frozen=True)
class BoxPrior(Stored):
    """The weights of the belief policy; a version of a project's settings holds one."""

    none: Mapping[TypeName, Chance] = field(default_factory=dict)
    """For each type, the share of its chains without a box; a type that is left out has the default."""
    counts: Mapping[ClassName, Annotated[tuple[Amount, ...], AfterValidator(_shares)]] = field(default_factory=dict)
    """For each phrase class, weights of 1, 2, 3, 4, 5, and 6 or more boxes of chains that have one.

    For a phrase with a number the weights are of: that number, one box, one fewer, one more, two more, all others.
    """
    errors: Mapping[ErrorName, Chance] = field(default_factory=dict)
    """For each box task, the share of wrong answers of the crowd."""
    programs: Mapping[str, ProgramRecord] = field(default_factory=dict)
    """By the number of the program, how good its boxes were."""
    fitted_on: Whole = 0
    """The finished chains that the weights were fitted on; 0 for the default."""
    refitted_on: Whole = 0
    """The project's own finished images that the weights were fitted anew on as it ran; 0: they never were."""
    unseen: Unseen = 0.0
    """The share of questions about boxes on which people are wrong together."""
    model_annotators: Mapping[ProgramNumber, BoxRecord] = field(default_factory=dict)
    """By the number of a model annotator, how often it was right."""
    calibrations: Mapping[ForecastSource, Calibration] = field(default_factory=dict)
    """Claims about audited chains, and how many were right, by the answers that made them."""
    habits: Mapping[WorkerName, Habit] = field(default_factory=dict)
    """By the number of a worker, how they draw; "0" stands for all others."""
    pairs: Mapping[PairOfPrograms, ErrorCorrelation] = field(default_factory=dict)
    """By the numbers of two model annotators, how often they were wrong together."""
    wrong: Mapping[TypeName | Literal[""], tuple[Share, Share]] = field(default_factory=dict)
    """Of the data set that is checked: the shares of labels with wrong mentions, and with wrong boxes, for each type.

    "" stands for all. Empty: nothing is checked, or nothing was learned yet.
    """

    def none_of(self, kind: str) -> float:
        return self.none.get(kind, DEFAULT.none[kind])

    def counts_of(self, kind: str) -> tuple[float, ...]:
        return self.counts.get(kind, DEFAULT.counts[kind])

    def error_of(self, task: str) -> float:
        return self.errors.get(task, DEFAULT.errors[task])

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> "BoxPrior":
        """Read a prior; an empty object is the default. Raises ValueError that names each wrong value."""
        if not values:
            return DEFAULT
        return _read(json.dumps(values, sort_keys=True))


READER = TypeAdapter(BoxPrior)


@lru_cache(maxsize=64)
def _read(text: str) -> BoxPrior:
    try:
        return READER.validate_python(json.loads(text))
    except ValidationError as error:
        raise ValueError(plain_errors(error, "a box prior")) from error


DEFAULT = BoxPrior(
    none={
        "people": 0.02,
        "clothing": 0.03,
        "body parts": 0.05,
        "animals": 0.02,
        "vehicles": 0.06,
        "instruments": 0.08,
        "scene": 0.5,
        "other": 0.28,
    },
    counts={
        "one": (0.97, 0.015, 0.005, 0.004, 0.003, 0.003),
        "number": (0.85, 0.06, 0.04, 0.02, 0.01, 0.02),
        "plural": (0.25, 0.3, 0.2, 0.1, 0.06, 0.09),
        "pair": (0.8, 0.12, 0.04, 0.02, 0.01, 0.01),
        "group": (0.4, 0.15, 0.15, 0.1, 0.07, 0.13),
        "mass": (0.85, 0.08, 0.03, 0.02, 0.01, 0.01),
    },
    errors={"requirement": 0.116, "drawing": 0.176, "quality": 0.12, "coverage": 0.108},
)
"""The prior of a new project, in round numbers.

Shares without a box are chosen so that the mean boxes of each type and the shares of all chains with no, one and
several boxes are near those of the paper's table 4 and section 3.4 (20.9, 59.1 and 20.0 %). In the captions of the
public test split 65 % of the representative phrases are singular, 7 % name a number, 15 % are other plurals, 4 % groups
and 5 % masses: phrases of the third kind and of groups must share the chains with several boxes. How sharply a phrase
tells the number is a guess. The errors are the paper's table 3.
"""


TAIL = 0.7
"""The share of each number of boxes above the listed ones in the one before."""


def counts_of(types: frozenset[str], words: tuple[str, ...], head: str, prior: BoxPrior) -> tuple[float, ...]:
    """Return the chances that a chain truly has 0, 1, ..., MAX_BOXES boxes; they add up to 1.

    `types`: of all mentions of the chain. `words`, `head`: of its representative mention, in lower case. The share
    without a box is the mean over the types.
    """
    none = fmean(prior.none_of(kind) for kind in types) if types else prior.none_of("other")
    reading = read_phrase(words, head)
    some = _count_chances(reading, prior.counts_of(reading.kind.value))
    return (none, *((1 - none) * share for share in some))


@lru_cache(maxsize=1024)
def _count_chances(reading: PhraseReading, weights: tuple[float, ...]) -> tuple[float, ...]:
    """Return the chances of 1, ..., MAX_BOXES boxes of a chain that has a box."""
    weights_of = [0.0] * (MAX_BOXES + 1)
    places = listed_counts(reading)
    for place, weight in zip(places, weights, strict=False):
        weights_of[place] += weight
    others = [place for place in range(1, MAX_BOXES + 1) if place not in places]
    shape = [TAIL ** abs(place - max(places[0], COUNT_CLASSES)) for place in others]
    for place, part in zip(others, shape, strict=True):
        weights_of[place] += weights[-1] * part / sum(shape)
    total = sum(weights_of)
    return tuple(share / total for share in weights_of[1:])


def listed_counts(reading: PhraseReading) -> list[int]:
    """Return the numbers of boxes that the weights but the last stand for, in their order."""
    if reading.kind is not PhraseClass.NUMBER:
        return list(range(1, COUNT_CLASSES))
    named = min(reading.number, MAX_BOXES)
    return [min(max(place, 1), MAX_BOXES) for place in (named, 1, named - 1, named + 1, named + 2)]
