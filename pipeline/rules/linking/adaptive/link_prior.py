"""Link prior [beyond paper 3.1.1]: how likely each way in which a group can fall into chains is, before any answer.

The logarithm of a partition's probability is a sum over its blocks, up to a constant. A block adds a weight for its
size; and for each text feature a weight times the mean of the feature over the block's pairs, times the links that a
block of its size needs (its size less 1).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import AfterValidator, ConfigDict, Field, Strict, TypeAdapter, ValidationError
from pydantic_core import PydanticCustomError

from annotation.rules.mention_type import MentionType
from pipeline.rules.linking.adaptive.partitions import SIZES, Scores
from pipeline.rules.linking.adaptive.text_features import FEATURES, pair_features
from pipeline.rules.linking.transitivity import LinkMention, reading_order
from pipeline.rules.plain_errors import one_of, plain_errors, should_be

ANY_TYPE = ""
LARGEST = 100
"""The largest weight, up or down: far beyond any that was ever fitted, and no sum of such weights overflows."""


def _with_any_type(sizes: dict[str, tuple[float, ...]]) -> dict[str, tuple[float, ...]]:
    if ANY_TYPE not in sizes:
        raise ValueError('weights under "" are missing, for all other types')
    return sizes


def _one_for_each_size(weights: tuple[float, ...]) -> tuple[float, ...]:
    if len(weights) != SIZES:
        raise PydanticCustomError("sizes", "should be {count} numbers", {"count": SIZES})
    return weights


Weight = Annotated[float, Strict(), Field(ge=-LARGEST, le=LARGEST), should_be(f"a number from -{LARGEST} to {LARGEST}")]
TypeOrAny = Annotated[str, one_of((ANY_TYPE, *MentionType))]
SizeWeights = Annotated[tuple[Weight, ...], AfterValidator(_one_for_each_size)]
Feature = Annotated[str, one_of(FEATURES)]
Groups = Annotated[int, Strict(), Field(ge=0), should_be("a whole number from 0")]


@dataclass(frozen=True)
class LinkPrior:
    """The weights of a prior; a version of a project's settings holds one."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    sizes: Annotated[dict[TypeOrAny, SizeWeights], AfterValidator(_with_any_type)]
    """The weights, for each type, of blocks of 1, 2, 3, 4, and 5 or more mentions; under "" those of all others."""
    pairs: dict[Feature, Weight] = field(default_factory=dict)
    """The weight of each text feature; a feature that is left out weighs 0."""
    fitted_on: Groups = 0
    """The number of groups with known chains that the weights were fitted on; 0 for the default prior."""

    def scores(self, mentions: Sequence[LinkMention]) -> tuple[Scores, Scores]:
        """Return the weights of a group's pairs [mentions, mentions] and of its blocks [mentions, SIZES].

        The second holds, for each mention, the weights by size of a block that begins with the mention. `mentions`: one
        group, in reading order.
        """
        weights = np.array([self.pairs.get(name, 0.0) for name in FEATURES])
        sizes = [self.sizes.get(block_type([mention]), self.sizes[ANY_TYPE]) for mention in mentions]
        return pair_features(mentions) @ weights, np.array(sizes, dtype=np.float64).reshape(-1, SIZES)

    def to_json(self) -> dict[str, Any]:
        """Return the prior as `from_json` reads it."""
        sizes = {kind: list(weights) for kind, weights in self.sizes.items()}
        return {"sizes": sizes, "pairs": dict(self.pairs), "fitted_on": self.fitted_on}

    @classmethod
    def from_json(cls, values: object) -> "LinkPrior":
        """Read a prior. Raises ValueError that names each wrong value and what it should be."""
        try:
            return READER.validate_python(values)
        except ValidationError as error:
            raise ValueError(plain_errors(error, "a link prior")) from error


READER = TypeAdapter(LinkPrior)


def block_type(mentions: Iterable[LinkMention]) -> str:
    """Return the type whose weights count for a block: the alphabetically first type of its first mention."""
    return min(min(mentions, key=reading_order).types, default=ANY_TYPE)


DEFAULT = LinkPrior(
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
"""The prior of a project without gold: text says nothing, and sizes follow table 4 of the paper.

The number of a type's chains in an image that has the type is taken for a Poisson variable above 0, and their sizes, 1
to 5, for geometric; both have the means that table 4 and its section give. A chain may be mentioned in any of the five
captions. So a block of s mentions weighs rate * P(s) / (5 choose s), and the weights are the logarithms of that. Type
"other" has the weights of all other types.
"""
