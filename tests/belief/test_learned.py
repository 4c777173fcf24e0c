"""A learned state is read as it was written, and wrong values are named."""

from dataclasses import replace
from typing import Any

import pytest

from belief.boxes.box_prior import BoxPrior
from belief.learned import LearnedState
from belief.links.answer_model import CrowdErrors
from belief.links.link_prior import DEFAULT

LEARNED = LearnedState(
    links=replace(DEFAULT, refitted_on=15),
    crowd=CrowdErrors(0.2, 0.1),
    programs={"7": (0.1, 0.2)},
    boxes=BoxPrior(refitted_on=9),
)


def test_what_was_learned_is_read_as_it_was_written() -> None:
    assert LearnedState.from_json(LEARNED.to_json()) == LEARNED
    assert LearnedState().to_json() == {} and LearnedState.from_json({}) == LearnedState()


WRONG: dict[str, dict[str, Any]] = {
    "errors of links should be": {"link_errors": {"odd": 1}},
    "should be two shares": {"program_errors": {"7": [0.1]}},
    "sizes=3 should be an object": {"link_prior": {"sizes": 3}},
}


@pytest.mark.parametrize("said", WRONG)
def test_wrong_values_are_named(said: str) -> None:
    with pytest.raises(ValueError, match=said):
        LearnedState.from_json(WRONG[said])
