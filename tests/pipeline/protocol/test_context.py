"""The context of an entry: as much of what was so then as the rules need, stored without the usual values."""

import json
from typing import Any

import pytest

from pipeline.protocol.rules import NO_CONTEXT, NO_NEEDS, EntryContext, Needs, context_of
from pipeline.protocol.tasks.task import Task

LINK, JUDGE = Task.COREFERENCE_LINK, Task.BOX_QUALITY
EVERYTHING = Needs({LINK: lambda accuracy, answers: (accuracy - 0.5) * answers / 3}, seed=True, inactive=(8, 7))
FACTS: dict[str, Any] = {"task": LINK, "by_model": True, "checked": (0.6, 10), "seed": 3, "inactive": [9, 8, 7]}


@pytest.mark.parametrize(
    ("facts", "context"),
    [
        (FACTS, EntryContext(0.333, by_model=True, seed=3, inactive=(7, 8))),
        (FACTS | {"task": JUDGE}, EntryContext(seed=3, inactive=(7, 8))),
        (FACTS | {"task": None}, EntryContext(seed=3, inactive=(7, 8))),
        (FACTS | {"checked": None}, EntryContext(by_model=True, seed=3, inactive=(7, 8))),
        ({"on_loan": [4, 2]}, EntryContext(on_loan=(4, 2))),
        ({}, NO_CONTEXT),
    ],
)
def test_of_the_facts_those_are_kept_that_are_needed(facts: dict[str, Any], context: EntryContext) -> None:
    assert context_of(EVERYTHING, **facts) == context
    assert context_of(NO_NEEDS, **facts) == EntryContext(on_loan=context.on_loan)


def test_a_skill_that_rounds_to_nothing_is_the_usual_one() -> None:
    context = context_of(EVERYTHING, task=LINK, checked=(0.49999, 1))
    assert context.to_json() is None and str(context.skill) == "0.0"


@pytest.mark.parametrize(
    ("context", "stored"),
    [
        (NO_CONTEXT, None),
        (EntryContext(skill=-0.5), {"skill": -0.5}),
        (EntryContext(by_model=True, inactive=(1,)), {"by_model": True, "inactive": [1]}),
        (EntryContext(seed=5, on_loan=(0, 2)), {"seed": 5, "on_loan": [0, 2]}),
    ],
)
def test_a_stored_context_is_read_back(context: EntryContext, stored: dict[str, Any] | None) -> None:
    assert json.loads(json.dumps(context.to_json())) == stored and EntryContext.from_json(stored) == context
