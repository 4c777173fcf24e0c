"""Link prior [beyond paper 3.1.1]: how likely each way in which a group can fall into chains is, before any answer.

The logarithm of a partition's probability is a sum over its blocks, up to a constant. A block adds a weight for its
size; and for each text feature a weight times the mean of the feature over the block's pairs, times the links that a
block of its size needs (its size less 1). What the two head nouns of a pair weigh counts like such a feature.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Annotated, Any, NamedTuple, TypeVar

import numpy as np
from pydantic import AfterValidator, Field, Strict, TypeAdapter, ValidationError
from pydantic_core import PydanticCustomError

from annotation.rules.link_group import SameObject, link_group
from annotation.rules.mention_type import NOUN_TYPES
from annotation.rules.plain_errors import one_of, plain_errors, should_be
from annotation.rules.transitivity import PLANNED_WHOLE, LinkMention, reading_order
from belief.links.antecedents import (
    ANTECEDENT_FEATURES,
    DEFAULT_ANTECEDENTS,
    antecedent_facts,
    antecedents_of,
    has_sentences,
)
from belief.links.join_features import DEFAULT_JOINS, JOIN_FEATURES
from belief.links.link_seconds import LinkSeconds
from belief.links.partitions import SIZES, PartitionWeights, Scores, ruled_out_matrix
from belief.links.text_features import FEATURES, MAX_PAIRS, head_values, pair_features, phrases_alike
from belief.models.calibration import Calibration, ForecastSource
from belief.models.error_correlation import ErrorCorrelation, PairOfPrograms
from belief.models.records import LinkRecord
from belief.values import PositiveShare, ProgramNumber, Stored, Whole
from workers.rules.score import logit, sigmoid

TEMPER_APART, TEMPER_SHARING = 0.9, 0.75
"""The share of the logit that the chance of right links keeps before boxes are drawn: the model is a little too sure.

Chosen on five times 400 images with simulated workers, to the next 0.05: every time 0.85 or 0.9, and 0.7 or 0.75. Where
a mention outside the chain shares its head noun, the model overlooks more. In the released data set nothing is to be
tempered: most chains with wrong links share their boxes with others then, and boxes join them.
"""

SAME_APART, SAME_SHARING = 0.03, 0.19
"""The shares of pairs in different chains, as links make them, that are one thing in a chain which breaks a rule.

Of 6,188 and 573 pairs of 500 images of Flickr30k Entities; the second where both have the same head noun.
"""


class RuleKeeping(NamedTuple):
    """Shares of chains, 0 to 1, that are not parts of a chain which breaks a rule of links."""

    apart: PositiveShare
    """Of chains that share no head noun with a mention outside them."""
    sharing: PositiveShare
    """Of chains that do."""


ALL_WHOLE: Mapping[str, RuleKeeping] = {"": RuleKeeping(1.0, 1.0)}
KEEPS_RULES = {
    "people": RuleKeeping(0.96, 0.85),
    "clothing": RuleKeeping(0.97, 0.89),
    "body parts": RuleKeeping(0.97, 0.89),
    "animals": RuleKeeping(0.94, 0.77),
    "vehicles": RuleKeeping(0.91, 0.7),
    "instruments": RuleKeeping(0.94, 0.79),
    "scene": RuleKeeping(0.92, 0.72),
    "other": RuleKeeping(0.91, 0.7),
    "": RuleKeeping(0.95, 0.8),
}
"""The default for chains of the data set: round numbers from the 3,021 chains of 500 images of Flickr30k Entities.

4.2 % of these chains hold two mentions of one caption, 3.7 % mentions without a common type. Each comes out in two
parts or more, so they are 15 % of what links make; boxes join nearly half of the parts afterwards.
"""
KEEPS_CAPTIONS = {
    "people": RuleKeeping(0.97, 0.83),
    "clothing": RuleKeeping(0.99, 0.93),
    "body parts": RuleKeeping(0.99, 0.93),
    "animals": RuleKeeping(0.97, 0.83),
    "vehicles": RuleKeeping(0.97, 0.82),
    "instruments": RuleKeeping(0.98, 0.86),
    "scene": RuleKeeping(0.96, 0.78),
    "other": RuleKeeping(0.96, 0.75),
    "": RuleKeeping(0.98, 0.85),
}
"""The default for what links make of a group, from the same images: only two mentions of one caption count."""


def shares_a_head(chain: Sequence[LinkMention], others: Iterable[LinkMention]) -> bool:
    """Return whether a head noun of the chain is a word of a mention outside it, or the other way round."""
    numbers = {mention.number for mention in chain}
    heads, words = {mention.head for mention in chain}, {word for mention in chain for word in mention.words}
    outside = (other for other in others if other.number not in numbers)
    return any(other.head in words or not heads.isdisjoint(other.words) for other in outside)


def tempered(chance: float, *, sharing: bool) -> float:
    """Return the chance, 0 to 1, that links are right, less sure than the model says."""
    return sigmoid((TEMPER_SHARING if sharing else TEMPER_APART) * logit(chance))


def chance_of_link(links: float, first: LinkMention, second: LinkMention) -> float:
    """Return the chance, 0 to 1, that a pair corefers. `links`: that chance if no chain breaks the rules of links."""
    return links + (1 - links) * (SAME_SHARING if first.head == second.head else SAME_APART)


ANY_TYPE = ""
ALIKE = "heads alike"
PHRASES_ALIKE = "phrases alike"
PAIR_FEATURES = (*FEATURES, ALIKE, PHRASES_ALIKE)
"""The names of everything that is weighed for a pair.

The text features, how alike captions use the two heads, and how alike the phrases are by their vectors.
"""
CACHED_GROUPS = 2048
"""The number of groups whose scores are kept, above that of groups with a question at a time.

Scores of ten mentions take 1 kB, of sixty 31.
"""
CONFIDENCE_DIGITS = 6
"""The decimals of a confidence, so that every machine has the same."""
TEMPER = 0.85
"""The default for `LinkPrior.temper`.

Chosen among 0.6, 0.7, 0.8, 0.85, 0.9 and 1 with simulated crowds of two seeds, that of the paper and one that errs
twice as often: confidences of the first hold, those of the second are less than half as far off as with 1, and neither
crowd is asked more for as many right chains.
"""
MAX_WEIGHT = 100
"""The largest weight, up or down: far beyond any that was ever fitted, and no sum of such weights overflows."""


LEFT_OUT_IF_EMPTY = ("seconds", "model_annotators", "calibrations", "pairs_of_models")
T = TypeVar("T")


def _with_any_type(by_type: dict[str, T]) -> dict[str, T]:
    if ANY_TYPE not in by_type:
        raise ValueError('weights under "" are missing, for all other types')
    return by_type


def _one_for_each_size(weights: tuple[float, ...]) -> tuple[float, ...]:
    if len(weights) != SIZES:
        raise PydanticCustomError("sizes", "should be {count} numbers", {"count": SIZES})
    return weights


def _two_heads(pair: str) -> str:
    heads = pair.split(" ")
    if len(heads) != 2 or not all(heads) or heads != sorted(heads):
        raise PydanticCustomError("heads", "should be two words in alphabetical order, with a space between them")
    return pair


def _not_too_many(pairs: dict[str, float]) -> dict[str, float]:
    if len(pairs) > MAX_PAIRS:
        raise ValueError(f"{len(pairs):,} pairs of heads are more than the {MAX_PAIRS:,} that a prior may hold")
    return pairs


IN_RANGE = should_be(f"a number from -{MAX_WEIGHT} to {MAX_WEIGHT}")
Weight = Annotated[float, Strict(), Field(ge=-MAX_WEIGHT, le=MAX_WEIGHT), IN_RANGE]
TypeOrAny = Annotated[str, one_of((ANY_TYPE, *NOUN_TYPES))]
SizeWeights = Annotated[tuple[Weight, ...], AfterValidator(_one_for_each_size)]
Feature = Annotated[str, one_of(PAIR_FEATURES)]
Antecedent = Annotated[str, one_of(ANTECEDENT_FEATURES)]
JoinFeature = Annotated[str, one_of(JOIN_FEATURES)]
HeadPairs = Annotated[dict[Annotated[str, AfterValidator(_two_heads)], Weight], AfterValidator(_not_too_many)]


@dataclass(frozen=True)
class LinkPrior(Stored):
    """The weights of a prior; a version of a project's settings holds one."""

    sizes: Annotated[dict[TypeOrAny, SizeWeights], AfterValidator(_with_any_type)]
    """The weights, for each type, of blocks of 1, 2, 3, 4, and 5 or more mentions; under "" those of all others."""
    pairs: dict[Feature, Weight] = field(default_factory=dict)
    """The weight of each text feature, and of `alike`; one that is left out weighs 0."""
    fitted_on: Whole = 0
    """The number of groups with known chains that the weights were fitted on; 0 for the default prior."""
    refitted_on: Whole = 0
    """The images of the project whose links were finished when the weights were last fitted on its own answers."""
    alike: HeadPairs = field(default_factory=dict)
    """The likeness of two heads in captions: see `alike_heads`. The keys are as in `head_pair`; other pairs have 0."""
    heads: HeadPairs = field(default_factory=dict)
    """Weights of pairs of heads besides, where known chains tell them."""
    keeps_rules: Annotated[dict[TypeOrAny, RuleKeeping], AfterValidator(_with_any_type)] = field(
        default_factory=lambda: dict(KEEPS_RULES)
    )
    """The shares, for each type, of chains of the data set that are whole; under "" those of all others."""
    keeps_captions: Annotated[dict[TypeOrAny, RuleKeeping], AfterValidator(_with_any_type)] = field(
        default_factory=lambda: dict(KEEPS_CAPTIONS)
    )
    """The same of the chains that links make of a group, before boxes are drawn."""
    joins: dict[JoinFeature, Weight] = field(default_factory=lambda: dict(DEFAULT_JOINS))
    """The weight of each fact about two chains that a rule of links keeps apart; one that is left out weighs 0."""
    antecedents: dict[Antecedent, Weight] = field(default_factory=lambda: dict(DEFAULT_ANTECEDENTS))
    """The weight of each fact about antecedents, in captions of several sentences; one that is left out weighs 0."""
    temper: PositiveShare = TEMPER
    """The share of a pair's evidence, above 0 and up to 1, that counts in plans beside that of its group's other pairs.

    A vague mention makes all its pairs hard at once, while each pair is weighed as if it were hard by itself.
    """

    seconds: LinkSeconds | None = None
    """Of the project's answers, once it asks sweeps; None: the usual ones."""
    model_annotators: dict[ProgramNumber, LinkRecord] = field(default_factory=dict)
    """By the number of a model annotator, how often it was right."""
    calibrations: dict[ForecastSource, Calibration] = field(default_factory=dict)
    """Claims about audited links, and how many were right, by the answers that made them."""
    pairs_of_models: dict[PairOfPrograms, ErrorCorrelation] = field(default_factory=dict)
    """By the numbers of two model annotators, how often they were wrong together."""

    def weights(self, mentions: Sequence[LinkMention]) -> PartitionWeights:
        """Return the weights of a group's partitions before any answer, when pairs weigh nothing.

        Words and sizes where captions are whole, antecedents where they have sentences. `mentions`: one group, in
        reading order. The arrays are shared and cannot be changed.
        """
        of = _weights if len(mentions) <= PLANNED_WHOLE else _weights.__wrapped__
        return of(SameObject(self), tuple(mentions))

    def words(self, mentions: Sequence[LinkMention]) -> Scores:
        """Return what the words of every pair weigh [mentions, mentions]: the less, the likelier they are apart."""
        weights = np.array([self.pairs.get(name, 0.0) for name in PAIR_FEATURES])
        words: Scores = pair_values(mentions, self.alike) @ weights + head_values(mentions, self.heads)
        return words

    def join_weights(self) -> Scores:
        """Return the weights of JOIN_FEATURES [features]."""
        return np.array([self.joins.get(name, 0.0) for name in JOIN_FEATURES])

    def released(self, links: float, chain: Sequence[LinkMention], image: Iterable[LinkMention]) -> float:
        """Return the chance, 0 to 1, that a chain is right in the data set, if boxes join it to no other.

        `links`: the chance that its links are right. `image`: all mentions of the image.
        """
        sharing = shares_a_head(chain, image)
        return round(links * _share(self.keeps_rules, chain, sharing=sharing), CONFIDENCE_DIGITS)

    def linked(self, links: float, chain: Sequence[LinkMention], group: Iterable[LinkMention]) -> float:
        """Return the chance, 0 to 1, that links made a chain right, as far as its group goes. `group`: its mentions."""
        sharing = shares_a_head(chain, group)
        whole = _share(self.keeps_captions, chain, sharing=sharing)
        return round(tempered(links, sharing=sharing) * whole, CONFIDENCE_DIGITS)

    def to_json(self) -> dict[str, Any]:
        """Return the prior as `from_json` reads it, without seconds and tables of models if there are none."""
        return {name: value for name, value in super().to_json().items() if value or name not in LEFT_OUT_IF_EMPTY}

    @classmethod
    def from_json(cls, values: object) -> "LinkPrior":
        """Read a prior. Raises ValueError that names each wrong value and what it should be.

        A prior that was stored without `keeps_rules`, `keeps_captions` and `temper` counts every chain as whole and all
        evidence in full, as when its chains were placed.
        """
        if isinstance(values, dict):
            values = {"keeps_rules": ALL_WHOLE, "keeps_captions": ALL_WHOLE, "temper": 1.0} | values
        try:
            return READER.validate_python(values)
        except ValidationError as error:
            raise ValueError(plain_errors(error, "a link prior")) from error


READER = TypeAdapter(LinkPrior)


def _share(shares: Mapping[str, RuleKeeping], chain: Sequence[LinkMention], *, sharing: bool) -> float:
    of_type = shares.get(block_type(chain), shares[ANY_TYPE])
    return of_type.sharing if sharing else of_type.apart


@lru_cache(maxsize=CACHED_GROUPS)
def _weights(prior: SameObject[LinkPrior], mentions: tuple[LinkMention, ...]) -> PartitionWeights:
    """Return what `LinkPrior.weights` does. Cached, as a group is planned again after each of its judgments."""
    none, antecedents = np.zeros((len(mentions), len(mentions))), None
    if has_sentences(mentions):
        ruled_out = ruled_out_matrix(link_group(mentions).ruled_out)
        antecedents, begin = antecedents_of(antecedent_facts(mentions), prior.value.antecedents, ruled_out)
        words, sizes = none, np.repeat(np.log(begin)[:, None], SIZES, axis=1)
    else:
        sizes_of = prior.value.sizes
        words = prior.value.words(mentions)
        sizes = np.array([sizes_of.get(block_type([mention]), sizes_of[ANY_TYPE]) for mention in mentions])
    weights = PartitionWeights(none, words, sizes.reshape(-1, SIZES), antecedents)
    for values in weights:
        if values is not None:
            values.setflags(write=False)
    return weights


def pair_values(mentions: Sequence[LinkMention], alike: Mapping[str, float]) -> Scores:
    """Return the values of every pair that are weighed [mentions, mentions, PAIR_FEATURES]."""
    more = [head_values(mentions, alike), phrases_alike(mentions)]
    values: Scores = np.concatenate([pair_features(mentions), np.stack(more, axis=2)], axis=2)
    return values


def block_type(mentions: Iterable[LinkMention]) -> str:
    """Return the type whose weights count for a block: the alphabetically first type of its first mention.

    A pronoun such as "it", which may stand for nearly any type, has the weights of none.
    """
    first = min(mentions, key=reading_order)
    return ANY_TYPE if first.pronoun and len(first.types) > 1 else min(first.types, default=ANY_TYPE)


WORDLESS = LinkPrior(
    {
        "people": (-2.93, -3.54, -3.46, -2.68, -0.98),
        "clothing": (-1.83, -3.29, -4.05, -4.12, -3.28),
        "body parts": (-2.28, -4.04, -5.10, -5.48, -4.94),
        "animals": (-4.48, -4.85, -4.52, -3.50, -1.56),
        "vehicles": (-3.70, -4.51, -4.63, -4.05, -2.56),
        "instruments": (-3.57, -4.33, -4.41, -3.79, -2.26),
        "scene": (-2.08, -3.32, -3.86, -3.71, -2.65),
        ANY_TYPE: (-1.39, -2.69, -3.30, -3.22, -2.22),
    }
)
"""A prior by which text says nothing: sizes follow table 4 of the paper.

The number of a type's chains in an image that has the type is taken for a Poisson variable above 0, and their sizes, 1
to 5, for geometric; both have the means that table 4 and its section give. A chain may be mentioned in any of the five
captions. So a block of s mentions weighs rate * P(s) / (5 choose s), and the weights are the logarithms of that. Type
"other" has the weights of all other types.
"""

DEFAULT = LinkPrior(
    sizes={kind: tuple(weight / 2 for weight in weights) for kind, weights in WORDLESS.sizes.items()},
    pairs={
        "any pair": -1.5,
        "same content words": 0.7,
        "same head": 1.5,
        "other word shared": 1.0,
        "number agrees": 1.0,
        "number differs": -0.7,
        "colour agrees": 0.3,
        "colour differs": -0.7,
        "gender or age differs": -1.0,
        "same rank": 0.2,
        "both first": 0.7,
        "people of one number": 1.5,
        "head in other words": 1.5,
        "related heads": 1.5,
        "same word before": 0.7,
        "context shared": 0.7,
        ALIKE: 0.4,
        PHRASES_ALIKE: 0.5,
    },
)
"""The prior of a project's first day. Nothing was fitted for it: the weights are round, chosen by hand for English.

The order of the words' weights is that of any fit on captions: the head says most, then other words and numbers; colour
and place in the caption say little. Sizes count half, since text already says much of what they say: with half of them
a fifth fewer judgments gave as many right chains as with all. Of two mentions without a word in common "any pair" takes
1.5. From "people of one number" on, the weights are rounded from fits on the public test images of Flickr30k Entities.
A project refits the weights on its own answers, and pulls them towards these.
"""
