"""Settings in range [paper 3]: whether each of a project's protocol settings has a value that makes sense."""

from math import inf
from typing import TYPE_CHECKING, Any

from annotation.rules.mention_type import MentionType
from pipeline.rules.tasks.task import Task
from workers.rules.score import Rule
from workers.rules.trust import TrustModel

if TYPE_CHECKING:
    from pipeline.rules.settings.protocol import ProtocolSettings

LONGEST_HOURS = 24 * 365
MOST_CENTS = 100_000
TYPES = tuple(MentionType)


def is_of_kind(value: Any, kind: Any) -> bool:
    """Whether the value is what its field holds: true is no number, and a number is finite."""
    kind = getattr(kind, "__origin__", kind)  # dict[str, int] is a dict
    if kind is float:
        return type(value) in (int, float) and abs(value) < inf
    return type(value) is kind


def in_range(settings: "ProtocolSettings") -> dict[str, bool]:
    """By name; every value is of its kind already."""
    return {**_links(settings), **_boxes(settings), **_work(settings), **_quality(settings)}


def _links(settings: "ProtocolSettings") -> dict[str, bool]:
    return {
        "consensus_lead": settings.consensus_lead >= 1,
        "consensus_most": settings.consensus_most >= settings.consensus_lead,
        "link_stop": 0 < settings.link_stop < 1,
        "link_most": settings.link_most >= 1,
        "verify_below": 0 < settings.verify_below <= 1,
        "dictionaries": set(settings.dictionaries) <= {"add", "remove"}
        and all(isinstance(edits, dict) for edits in settings.dictionaries.values()),
    }


def _boxes(settings: "ProtocolSettings") -> dict[str, bool]:
    return {
        "drawn_at_once": all(one in TYPES for one in settings.drawn_at_once),
        "no_box_votes": settings.no_box_votes >= 1,
        "coverage_votes": settings.coverage_votes >= 1,
        "fruitless_drawings": settings.fruitless_drawings >= 1,
        "merge_iou": 0.0 < settings.merge_iou <= 1.0,
        "merge_iou_other": 0.0 < settings.merge_iou_other <= 1.0,
        "mergeable_types": all(_is_pair_of_types(pair) for pair in settings.mergeable_types),
    }


def _work(settings: "ProtocolSettings") -> dict[str, bool]:
    return {
        "reports_to_review": settings.reports_to_review >= 1,
        "starved_hours": 0 < settings.starved_hours <= LONGEST_HOURS,
        "lease_minutes": 0 < settings.lease_minutes <= 60 * LONGEST_HOURS,
        "lease_most_minutes": 0 < settings.lease_most_minutes <= 60 * LONGEST_HOURS,
        "batch": set(settings.batch) == set(Task) and all(_is_from(1, size, 100) for size in settings.batch.values()),
        "reward_cents": set(settings.reward_cents) == set(Task)
        and all(_is_from(0, cents, MOST_CENTS) for cents in settings.reward_cents.values()),
        "currency": len(settings.currency) == 3 and settings.currency.isascii() and settings.currency.isupper(),
        "spend_cap_cents": settings.spend_cap_cents >= 0,
    }


def _quality(settings: "ProtocolSettings") -> dict[str, bool]:
    return {
        "trust": set(settings.trust) == set(Task) and all(one in tuple(TrustModel) for one in settings.trust.values()),
        "minimum": set(settings.minimum) == set(Task)
        and all(is_of_kind(share, float) and 0 < share < 1 for share in settings.minimum.values()),
        "below_minimum": settings.below_minimum in tuple(Rule),
        "probation": settings.probation >= 1,
        "probation_most": settings.probation_most >= settings.probation,
        "trusted_rate": 0 <= settings.trusted_rate <= 1,
        "verification_rate": 0 <= settings.verification_rate <= 1,
        "test_questions": 0 <= settings.test_questions <= 100,
        "tests": settings.tests >= 1,
        "test_wait_hours": 0 <= settings.test_wait_hours <= LONGEST_HOURS,
    }


def _is_from(least: int, value: Any, most: int) -> bool:
    return is_of_kind(value, int) and least <= value <= most


def _is_pair_of_types(pair: Any) -> bool:
    return isinstance(pair, tuple) and len(pair) == 2 and all(one in TYPES for one in pair)
