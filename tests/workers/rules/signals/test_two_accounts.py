"""One signal from shared errors, shared boxes and hours of work."""

import pytest

from workers.rules.signals.interlock import Spell
from workers.rules.signals.shared_errors import Shared
from workers.rules.signals.two_accounts import two_accounts


def days(offset: float) -> list[Spell]:
    """Return twenty minutes of work, on twenty days."""
    return [Spell(86400 * day + offset, 86400 * day + offset + 1200) for day in range(20)]


IN_STEP = {1: days(0), 2: days(1220)}


def test_errors_and_activity_together_are_stronger_than_errors_alone():
    errors = Shared(1e-4, 9, 40, (3, 5))
    alone, both = two_accounts((1, 2), errors), two_accounts((1, 2), errors, spells=IN_STEP)
    assert alone is not None
    assert both is not None
    assert both.chance < 1e-9 < alone.chance
    assert both.workers == (1, 2)
    assert both.judgments == (3, 5)
    assert both.evidence == (
        "9 equal wrong answers on 40 questions that both answered. Of 20 spells of work 0 overlap with the other's; "
        "0 times both began within a minute, 20 times one began as the other ended."
    )


@pytest.mark.parametrize("chance", [1.0, 0.002])
def test_activity_alone_makes_no_signal(chance: float):
    assert two_accounts((1, 2), Shared(chance, 3, 40, ()), spells=IN_STEP) is None


def test_boxes_can_speak_instead_of_errors():
    signal = two_accounts((1, 2), boxes=Shared(1e-9, 6, 7, (1, 2)))
    assert signal is not None
    assert signal.evidence == "6 nearly equal boxes on 7 questions for which both drew."
