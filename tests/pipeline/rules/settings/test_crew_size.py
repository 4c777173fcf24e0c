"""A requester with a small crew learns how many chains will wait for a further worker."""

from pipeline.rules.settings.crew_size import few_workers
from pipeline.rules.tasks.task import Task


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


def test_the_task_with_the_fewest_workers_is_named() -> None:
    said = few_workers(crew(8) | {Task.BOX_COVERAGE.value: 4})
    assert said.startswith(f"4 workers have access to {Task.BOX_COVERAGE.label}.")
    assert few_workers({Task.BOX_DRAWING.value: 2}).startswith("No workers have access to ")


def test_links_need_no_crew_and_a_project_without_workers_is_not_warned() -> None:
    assert few_workers(crew(6) | {Task.COREFERENCE_LINK.value: 1}) == ""
    assert few_workers({}) == ""
