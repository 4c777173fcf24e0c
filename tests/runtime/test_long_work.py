"""Long work stops neither the tick nor what people wait for, and no project has more than its share of it."""

import threading
from typing import Any

import pytest
from django.conf import settings

from config.celery import ASKED, LONG, app
from config.runners import commands
from projects import runs as asides
from projects.runs import THREADS, in_background
from runtime import runs
from runtime.models import JobRun
from runtime.runs import claimed, request, send_waiting
from tests.support.services import PATIENCE

FORECAST, IMPORT = "projects.run_long", "projects.run"


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """The jobs that were given to the runners, which do nothing."""
    found: list[tuple[str, int]] = []
    monkeypatch.setattr(runs, "start", lambda job, number: found.append((job.name, number)) or True)  # type: ignore[func-returns-value]
    app.loader.import_default_modules()
    return found


def ask(job: str, number: int, project: int) -> JobRun:
    return request(app.tasks[job], number, key=f"{job} {number}", share=f"{job} of {project}")


@pytest.mark.django_db
def test_of_six_forecasts_of_a_project_one_is_done_at_a_time_and_others_stand_right_behind_it(sent: Any) -> None:
    for number in range(6):
        ask(FORECAST, number, 1)
    ask(FORECAST, 6, 2)
    ask(IMPORT, 7, 1)
    first = [(FORECAST, 0), (FORECAST, 6), (IMPORT, 7)]
    assert sent == first
    send_waiting()
    assert sent == first, "nothing is sent twice"
    with claimed(f"{FORECAST} 0") as mine:
        assert mine
        send_waiting()
        assert sent == first
    assert sent == [*first, (FORECAST, 1)], "the next one follows at once"
    with pytest.raises(ValueError, match="on purpose"), claimed(f"{FORECAST} 1"):
        raise ValueError("on purpose")
    assert sent[-1] == (FORECAST, 2), "after one that failed, too"


@pytest.mark.django_db
def test_long_work_that_redis_did_not_take_keeps_its_turn(sent: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as away:
        away.setattr(runs, "start", lambda *_: False)
        assert [ask(FORECAST, number, 1).sent_at for number in range(2)] == [None, None]
    send_waiting()
    assert sent == [(FORECAST, 0)]


def test_what_people_wait_for_and_the_tick_have_queues_without_long_work() -> None:
    app.loader.import_default_modules()
    ours = [name for name in app.tasks if name.partition(".")[0] != "celery"]
    queue = {name: app.amqp.router.route({}, name)["queue"].name for name in ours}
    soon = {name for name, where in queue.items() if where == "soon"}
    assert soon == {name for name in queue if name.startswith("pipeline.")} and "pipeline.tick" in soon
    assert set(ASKED) == {name for name, where in queue.items() if where == "asked"}
    assert set(LONG) == {name for name, where in queue.items() if where == "long"}


@pytest.mark.parametrize("processes", [1, 2, 3, 8, 20])
def test_each_queue_has_runners_of_its_own_with_two_processes_as_with_twenty(processes: int) -> None:
    found = commands(processes, clock=True)
    queues = [command[command.index("-Q") + 1] for command in found if command[0] == "worker"]
    assert {queues.count(queue) for queue in settings.QUEUES} == {max(1, processes // 4)}
    assert [command[0] for command in found].count("beat") == 1
    assert not [command for command in commands(processes, clock=False) if command[0] == "beat"]


def test_where_jobs_run_in_place_two_threads_do_the_long_work_in_turn() -> None:
    begun, go = [threading.Event() for _ in range(THREADS + 1)], threading.Event()

    def work(number: int) -> None:
        begun[number].set()
        assert go.wait(PATIENCE)

    for number in range(THREADS + 1):
        in_background(lambda number=number: work(number))  # type: ignore[misc]
    assert all(one.wait(PATIENCE) for one in begun[:THREADS])
    assert not begun[THREADS].is_set() and len(asides._waiting) == 1
    go.set()
    assert begun[THREADS].wait(PATIENCE)
