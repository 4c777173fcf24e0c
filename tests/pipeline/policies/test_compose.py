"""The rules of a version of the settings: who decides about links and boxes."""

from dataclasses import replace
from typing import Any

import pytest

from pipeline.policies.compose import compose, engine_of
from pipeline.policies.engine import Engine
from pipeline.protocol.boxes.policy import BoxPolicy
from pipeline.protocol.links.policy import LinkPolicy
from pipeline.protocol.rules import Rules
from pipeline.protocol.tasks.task import BOX_TASKS, Task
from pipeline.settings.policy_names import BoxPolicyName, LinkStrategy
from pipeline.settings.settings import Settings


def test_the_same_settings_share_their_rules_and_each_has_two_policies():
    settings = Settings()
    rules = compose(settings)
    assert isinstance(rules, Rules) and rules is compose(settings) and rules.settings is settings
    assert isinstance(rules.links, LinkPolicy) and isinstance(rules.boxes, BoxPolicy)


def test_other_settings_of_links_have_another_digest():
    assert compose(replace(Settings(), consensus_lead=3)).links.digest != compose(Settings()).links.digest


LINK = Task.COREFERENCE_LINK
ADAPTIVE, BELIEF = {"strategy": LinkStrategy.ADAPTIVE}, {"box_policy": BoxPolicyName.BELIEF}


@pytest.mark.parametrize(
    ("values", "weighed", "seed", "inactive"),
    [
        ({}, (), False, ()),
        ({"strategy": LinkStrategy.GREEDY_PLUS, "pre_annotations": True}, (), False, ()),
        (ADAPTIVE, (LINK,), False, ()),
        (BELIEF, BOX_TASKS, False, ()),
        (ADAPTIVE | BELIEF | {"model_annotators": (7, 8)}, (LINK, *BOX_TASKS), True, (7, 8)),
        (
            ADAPTIVE | BELIEF | {"reference_set": 4, "pre_annotations": True},
            (LINK, *BOX_TASKS),
            True,
            (),
        ),
    ],
)
def test_the_policies_of_a_version_say_which_answers_count_and_who_must_be_known(
    values: dict[str, Any], weighed: tuple[Task, ...], inactive: tuple[int, ...], *, seed: bool
) -> None:
    settings = Settings(**{"strategy": LinkStrategy.EXHAUSTIVE} | values)
    engine, needs = engine_of(settings), compose(settings).needs
    assert isinstance(engine, Engine) and {task for task in Task if engine.weighs(task)} == {*weighed}
    assert ({*needs.skill}, needs.seed, needs.inactive) == ({*weighed}, seed, inactive)
