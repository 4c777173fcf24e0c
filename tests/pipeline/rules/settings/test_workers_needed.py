"""The number of workers that always suffices follows from the settings."""

from pipeline.rules.linking.link_strategy import Strategy
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.settings.workers_needed import few_workers, workers_needed
from pipeline.rules.tasks.task import Task


def test_the_workers_that_always_suffice():
    assert workers_needed(ProtocolSettings()) == {
        Task.COREFERENCE_LINK: 5,
        Task.CHAIN_VERIFICATION: 1,
        Task.BOX_REQUIREMENT: 9,
        Task.BOX_DRAWING: 10,
        Task.BOX_QUALITY: 2,
        Task.BOX_COVERAGE: 13,
        Task.CAPTION_CHECK: 3,
        Task.ATOM_VISUAL: 3,
    }
    assert workers_needed(ProtocolSettings(strategy=Strategy.GREEDY))[Task.COREFERENCE_LINK] == 1
    assert workers_needed(ProtocolSettings(strategy=Strategy.ADAPTIVE, link_most=7))[Task.COREFERENCE_LINK] == 7


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
