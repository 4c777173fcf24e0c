"""The rules of a version of the settings: who decides about links and boxes.
The number of workers that always suffices follows from the settings, and a small crew is warned.
"""

from dataclasses import replace
from typing import Any

import pytest

from pipeline.policies.compose import compose, engine_of
from pipeline.policies.engine import Engine
from pipeline.policies.workers_needed import few_workers, workers_needed
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


def test_the_workers_that_always_suffice():
    assert workers_needed(Settings()) == dict(zip(Task, (5, 1, 9, 10, 2, 13, 3, 3), strict=True))
    assert workers_needed(Settings(strategy=LinkStrategy.GREEDY))[Task.COREFERENCE_LINK] == 1
    assert workers_needed(Settings(strategy=LinkStrategy.ADAPTIVE, link_most=7))[Task.COREFERENCE_LINK] == 7


def crew(number: int) -> dict[str, int]:
    return {task.value: number for task in Task}


def test_a_crew_of_fewer_than_six_is_told_the_share_of_chains_that_will_wait() -> None:
    expected = {
        1: "1 worker has access. More than 18 % of chains will wait for a further worker; 6 workers are enough.",
        3: "3 workers have access. About 18 % of chains will wait for a further worker; 6 workers are enough.",
        4: "4 workers have access. About 2 % of chains will wait for a further worker; 6 workers are enough.",
        5: "5 workers have access. About 0.2 % of chains will wait for a further worker; 6 workers are enough.",
        6: "",
        60: "",
    }
    assert {number: few_workers(crew(number)) for number in expected} == expected


def test_the_task_with_the_fewest_workers_is_named_and_neither_links_nor_a_project_without_workers_are_warned() -> None:
    said = few_workers(crew(8) | {Task.BOX_COVERAGE.value: 4})
    assert said.startswith(f"4 workers have access to {Task.BOX_COVERAGE.label}.")
    assert few_workers({Task.BOX_DRAWING.value: 2}).startswith("No workers have access to ")
    assert few_workers(crew(6) | {Task.COREFERENCE_LINK.value: 1}) == "" and few_workers({}) == ""
