"""Link prior [beyond paper 3.1.1]: how likely a group falls into which chains, before anybody is asked.

The log of a partition's probability is, but for a constant, the sum over its blocks of a weight for their size, and of
the mean over their pairs of a weight for each text feature, as often as a block of the size needs links.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from annotation.rules.mention_type import MentionType
from pipeline.rules.linking.adaptive.partitions import SIZES, Scores
from pipeline.rules.linking.adaptive.text_features import FEATURES, pair_features
from pipeline.rules.linking.transitivity import LinkMention, reading_order

ANY_TYPE = ""
FIELDS = ("sizes", "pairs", "fitted_on")
LARGEST = 100.0
"""Of a weight: far beyond any that was ever fitted, and no sum of such overflows."""


@dataclass(frozen=True)
class LinkPrior:
    """Weights; versioned with the project's settings."""

    sizes: Mapping[str, tuple[float, ...]]
    """For each type the weights of blocks of 1, 2, 3, 4 and more mentions; under "" those of all other types."""
    pairs: Mapping[str, float] = field(default_factory=dict)
    """For each text feature its weight; none: 0."""
    fitted_on: int = 0
    """How many groups with known chains the weights come from."""

    def scores(self, mentions: Sequence[LinkMention]) -> tuple[Scores, Scores]:
        """For the mentions of one group, in reading order: the weight of each pair that is together, and for each
        mention those of a block that it begins, by its size."""
        weights = np.array([self.pairs.get(name, 0.0) for name in FEATURES])
        sizes = [self.sizes.get(block_type([mention]), self.sizes[ANY_TYPE]) for mention in mentions]
        return pair_features(mentions) @ weights, np.array(sizes, dtype=np.float64).reshape(-1, SIZES)

    def to_json(self) -> dict[str, Any]:
        """What from_json reads."""
        sizes = {kind: list(weights) for kind, weights in self.sizes.items()}
        return {"sizes": sizes, "pairs": dict(self.pairs), "fitted_on": self.fitted_on}

    @classmethod
    def from_json(cls, values: object) -> "LinkPrior":
        """The inverse of to_json. Raises ValueError that says which value is wrong."""
        known = _object(values, "A link prior")
        for name in known:
            if name not in FIELDS:
                raise ValueError(f'A link prior has no "{name}". It has: {", ".join(FIELDS)}.')
        sizes = _object(known.get("sizes"), '"sizes"')
        for kind in sizes:
            if kind not in (ANY_TYPE, *MentionType):
                raise ValueError(f'There is no type "{kind}". The types are: {", ".join(MentionType)}.')
        if ANY_TYPE not in sizes:
            raise ValueError('"sizes" needs weights under "" for all other types.')
        pairs = _object(known.get("pairs", {}), '"pairs"')
        return cls(
            sizes={kind: _size_weights(kind, weights) for kind, weights in sizes.items()},
            pairs={name: _pair_weight(name, weight) for name, weight in pairs.items()},
            fitted_on=_count(known.get("fitted_on", 0)),
        )


def block_type(mentions: Iterable[LinkMention]) -> str:
    """The type whose sizes count for a block: of its first mention in reading order the alphabetically first."""
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
"""Without gold: no text, and sizes from table 4 of the paper; type "other" is that of all others.

The number of chains in an image that has the type is taken for a Poisson variable above 0, their sizes 1 to 5 for
geometric, both with the mean that table 4 and its section give; the captions that mention a chain are any of the five.
So a block of s mentions weighs rate * P(s) / (5 choose s), and the weights are its logs.
"""


def _object(value: object, name: str) -> dict[str, object]:
    if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
        raise ValueError(f"{name} must be an object with named values, not {value!r}.")
    return value


def _size_weights(kind: str, weights: object) -> tuple[float, ...]:
    if not isinstance(weights, list | tuple) or len(weights) != SIZES:
        raise ValueError(f'The sizes of "{kind}" must be {SIZES} numbers, not {weights!r}.')
    return tuple(_number(weight, f'A size weight of "{kind}"') for weight in weights)


def _pair_weight(name: str, weight: object) -> float:
    if name not in FEATURES:
        raise ValueError(f'There is no pair feature "{name}". The features are: {", ".join(FEATURES)}.')
    return _number(weight, f'The weight of "{name}"')


def _number(value: object, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= LARGEST:
        raise ValueError(f"{name} must be a number from {-LARGEST:g} to {LARGEST:g}, not {value!r}.")
    return float(value)


def _count(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError(f'"fitted_on" must be a whole number from 0, not {value!r}.')
    return value
