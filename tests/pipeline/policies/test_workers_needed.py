"""The number of workers that always suffices follows from the settings, and a small crew is warned."""

from pipeline.policies.workers_needed import few_workers, workers_needed
from pipeline.protocol.tasks.task import Task
from pipeline.settings.policy_names import LinkStrategy
from pipeline.settings.settings import Settings


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
