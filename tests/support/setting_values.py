"""The settings that folding a record reads, with the values that make a difference, and rows that pair all values."""

from collections.abc import Container, Mapping, Sequence
from functools import partial
from itertools import combinations, product
from random import Random
from types import FunctionType, MethodType
from typing import Any, cast

from belief.learned import LearnedState
from belief.links.link_prior import DEFAULT
from belief.models.error_correlation import pair_of
from pipeline.protocol.settings import MERGEABLE
from pipeline.settings.of_belief import BoxPolicyName, LinkStrategy
from pipeline.settings.settings import Settings

Pair = frozenset[tuple[str, int]]
"""Two settings, each with the place of its value."""
MODELS, PROPOSERS = (70, 71, 72), (40, 41)
PROGRAMS = (*MODELS, *PROPOSERS)
SURE = {"missing": [95.0, 5.0], "there": [95.0, 5.0], "good": [95.0, 5.0], "bad": {"person": [95.0, 5.0]}}
SURE_OF_LINKS = {"same": [195.0, 5.0], "different": [195.0, 5.0]}
GOOD_BOXES = {"good": [0.0] * 5 + [98.0], "bad": [0.0] * 5 + [2.0]}
ALONE = {"chains": 400, "forecasts": 300, "mean_chance": 0.95, "right": 0.95, "low": 0.9, "high": 1.0}


def values_of_programs(programs: Sequence[int] = PROGRAMS) -> dict[str, list[Any]]:
    """Return values of the settings about programs, of which the last two propose."""
    *_, proposer, other = names = [str(one) for one in programs]
    pairs = pair_of(*programs[:2]), pair_of(programs[0], programs[-1])
    apart, alike = ({pair: {"apart": by} for pair in pairs} for by in (5.0, -5.0))
    known = {"model_annotators": dict.fromkeys(names, SURE), "programs": dict.fromkeys((proposer, other), GOOD_BOXES)}
    links = DEFAULT.to_json() | {"model_annotators": dict.fromkeys(names, SURE_OF_LINKS)}
    return {
        "model_annotators": [(), tuple(programs[:2]), tuple(programs)],
        "model_families": [{}, dict.fromkeys(names, "llava"), {names[0]: "llava", names[1]: "llava", other: "qwen"}],
        "audit_rate": [0.0, 0.2],
        "own_pre_annotations_judged": [False, True],
        "programs_alone": [False, True],
        "program_errors": [{}, {proposer: [0.1, 0.2], other: [0.01, 0.02]}],
        "reference_set": [0, 0, programs[-1]],
        "reference_trust": [0.6, 0.95],
        "check_audit_rate": [0.0, 0.05],
        "box_prior": [
            {},
            known | {"pairs": apart, "calibrations": {"alone": ALONE}},
            {
                "model_annotators": dict.fromkeys(names[1:], SURE),
                "pairs": alike,
                "wrong": {"": [0.3, 0.2], "people": [0.0, 0.1]},
            },
            known | {"habits": {"1": {"edges": [0.1, 0.0, -0.1, 0.0], "spread": 0.03}}},
        ],
        "link_prior": [{}, links | {"pairs_of_models": apart}, links | {"pairs_of_models": alike}],
    }


VALUES: dict[str, list[Any]] = {
    "strategy": [*(one.value for one in LinkStrategy), LinkStrategy.ADAPTIVE.value, LinkStrategy.ADAPTIVE.value],
    "consensus_lead": [1, 2, 3],
    "consensus_most": [3, 5],
    "link_stop": [0.02, 0.1, 0.5],
    "link_most": [2, 5, 15],
    "sweeps": [False, True, True],
    "sweep_presets": [False, True],
    "link_errors": [{}, {"false_negative": 0.2, "false_positive": 0.1}],
    "most_informative_first": [False, True],
    "part_answers": [False, False, True],
    "reask_rate": [0.0, 0.2],
    "beyond_rules": [False, True],
    "verify_below": [0.3, 0.95, 1.0],
    "drawn_at_once": [("people",), (), ("scene", "animals")],
    "no_box_votes": [1, 2, 3],
    "coverage_votes": [1, 2, 3],
    "drawer_judges_coverage": [False, True],
    "fruitless_drawings": [1, 2, 4],
    "box_policy": [one.value for one in BoxPolicyName],
    "box_sure": [0.6, 0.9, 0.97],
    "fuse_boxes": [False, True],
    "redraw_below": [0.0, 0.99],
    "pre_annotations": [False, True],
    "merge_iou": [0.3, 0.8],
    "merge_iou_other": [0.3, 0.9],
    "mergeable_types": [MERGEABLE, ()],
    "reports_to_review": [1, 2],
    "survey_votes": [1, 3],
    **values_of_programs(),
}
"""By the name of each setting. A value that is there twice is drawn more often."""


def paired(values: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """Return settings in which each two values of two names come together at least once."""
    rng, names = Random(1), sorted(values, key=lambda name: -len(values[name]))
    places = {name: range(len(values[name])) for name in names}
    missing = {
        frozenset([(one, a), (other, b)])
        for one, other in combinations(names, 2)
        for a, b in product(places[one], places[other])
    }
    rows = []
    while missing:
        # The set is sorted, as its order differs between processes.
        row = dict(rng.choice(sorted(map(sorted, missing))))
        for name in names:
            if name not in row:
                shuffled = rng.sample(places[name], len(places[name]))
                row[name] = max(shuffled, key=partial(_new_pairs, missing, row, name))
        missing -= {frozenset(pair) for pair in combinations(row.items(), 2)}
        rows.append({name: values[name][place] for name, place in row.items()})
    return rows


def _new_pairs(missing: Container[Pair], row: Mapping[str, int], name: str, place: int) -> int:
    return sum(frozenset([(name, place), chosen]) in missing for chosen in row.items())


LEARNED = {"links": "link_prior", "crowd": "link_errors", "programs": "program_errors", "boxes": "box_prior"}
"""The name in settings of each part of what was learned."""


class Watched:
    """Settings, or what was learned, that note which of their values are read."""

    def __init__(self, values: Settings | LearnedState, read: set[str]) -> None:
        self._values, self._read = values, read

    def __getattr__(self, name: str) -> Any:
        found = getattr(type(self._values), name, None)
        if isinstance(found, FunctionType):
            return MethodType(found, self)
        value = getattr(self._values, name)
        if isinstance(value, LearnedState):
            return Watched(value, self._read)
        self._read.add(LEARNED.get(name, name) if isinstance(self._values, LearnedState) else name)
        return value


def watched(settings: Settings, read: set[str]) -> Settings:
    return cast(Settings, Watched(settings, read))
