"""The fault campaign finds what is planted, and nothing is lost in a short one. The long one is run by hand."""

import random
import signal
from pathlib import Path
from typing import Any

import httpx
import pytest

from annotation.models import Project
from pipeline.project import settings_versions
from projects import runs
from projects.data import copy_operations, operations
from projects.lifecycle import copies
from runtime.marked_points import POINTS
from studies import servers
from studies.faults import campaign, faults
from studies.faults import crew as study
from studies.faults.campaign import Outcome, choose, recover, run_campaign, table
from studies.faults.crew import is_documented
from studies.faults.faults import Fault
from studies.faults.requesters import resume_without_right, take_one_name
from studies.faults.stack import Stack
from studies.servers import Server, supervised
from tests.support.places import ROOT
from tests.support.services import PATIENCE, wait_until
from tests.support.table import case, row


def nothing(*_: object) -> None:
    pass


def test_each_fault_happens_once_before_one_happens_twice_and_is_chosen_by_a_word_of_its_name_or_kind() -> None:
    three = [Fault("process", name, nothing) for name in "abc"]
    chosen = [one.name for one in choose(three, 7, [], random.Random(1))]
    assert sorted(chosen[:3]) == sorted(chosen[3:6]) == ["a", "b", "c"] and len(chosen) == 7
    two = [Fault("Redis", "Redis: killed", nothing), Fault("clock", "beat: an hour back", nothing)]
    assert {one.kind for one in choose(two, 4, ["killed"], random.Random(1))} == {"Redis"}
    with pytest.raises(ValueError, match="no fault is called xyz"):
        choose(two, 4, ["xyz"], random.Random(1))


def test_the_code_reaches_every_marked_point() -> None:
    apps = ("pipeline", "exchange")
    source = "".join(path.read_text() for app in apps for path in (ROOT / app).rglob("*.py"))
    assert [point for point in POINTS if f'reach("{point}")' not in source] == []


def test_a_campaign_with_a_lost_answer_is_not_sound() -> None:
    found = Outcome(1, embedded=True, ended=True, problems={"lost": ["answer 1"], "stuck": []})
    assert not found.sound and "| 1 | embedded | 0 | 0 | 0 | 1 | None | 0 |" in table([found])
    assert Outcome(1, embedded=True, ended=True, problems={"lost": []}).sound
    assert not Outcome(1, embedded=True, ended=False).sound


def test_a_server_that_does_not_end_when_told_is_ended(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(servers, "INSIST_SECONDS", 0.1)
    deaf = 'trap "" INT; echo ready; while :; do sleep 0.1; done'
    log = tmp_path / "deaf.log"
    server = Server("deaf", ["sh", "-c", deaf], log, ready=lambda: "ready" in log.read_text())
    server.start()
    with supervised([server]):
        server.wait_ready()
        server.send(signal.SIGINT)
        assert wait_until(lambda: server.starts == 2)


@pytest.mark.slow
def test_nothing_is_lost_when_the_embedded_service_is_killed_while_workers_answer(
    empty_service: Path, monkeypatch: Any
):
    # Workers of a campaign ask often, to meet each fault in the middle of something. This fault waits for them.
    monkeypatch.setattr(study, "PAUSE", 2.5)
    monkeypatch.setattr(study, "DAWDLE", (7.0, 8.0))
    monkeypatch.setattr(faults, "WAIT_FOR_MARK", PATIENCE)

    def recover_and_see_work(stack: Stack) -> None:
        recover(stack)
        assert stack.crew
        journal = stack.crew.journal
        assert wait_until(lambda: journal.acknowledged > 20), "nobody can answer any more"

    monkeypatch.setattr(campaign, "recover", recover_and_see_work)
    small: dict[str, Any] = {"seed": 5, "faults": 1, "images": 1, "workers": 5, "lease_minutes": 4 / 60}
    found = run_campaign(ROOT, **small, embedded=True, empty=empty_service, only=["fold: entries written"])
    assert found.problems and not any(found.problems.values()), found.problems
    # Whether a worker asks in that moment is luck; that the service is killed amid a fold, and comes back, is not.
    assert found.ended and found.faults == {"killed at «fold: entries written»": 1}


@pytest.fixture
def own_places(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.DATA = tmp_path
    settings.MEDIA_ROOT = tmp_path / "media"
    monkeypatch.setattr(runs, "in_background", lambda work: work())


def by_name(run: Any) -> Project:
    return Project.objects.get(name=run.input["source"])


LOST = ["a copy by somebody who lost the source took 2 images"]


def everybody(*_: object) -> bool:
    return True


@pytest.mark.usefixtures("own_places")
@pytest.mark.django_db
@case("as it is", runs, "nothing", None, [])
@case("by name", copy_operations, "source_of_run", by_name, ["a copy whose source's name was taken took 2 images"])
@case(
    *("no right to the source", operations, "may", lambda *given: True),
    ["a copy by somebody who lost the source took 2 images"],
)
@case("no right", runs, "may", lambda *given: True, ["an import by somebody who lost the project took 1"])
def test_what_is_resumed_without_the_right_is_found(
    room: Any, name: str, broken: Any, found: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, name, broken, raising=False)
    if broken is by_name:
        monkeypatch.setattr(operations, "source_of_run", by_name)
    told = resume_without_right()
    assert len(told) == len(found) and all(one.startswith(words) for one, words in zip(told, found, strict=True)), told


@pytest.mark.slow
@pytest.mark.usefixtures("own_places")
@pytest.mark.django_db(transaction=True)
def test_a_name_that_two_requesters_get_is_found(live_server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    port = live_server.thread.port
    assert take_one_name(port) == []
    make = settings_versions.make_project

    def make_or_share(name: str, **more: Any) -> Project:
        try:
            return make(name=name, **more)
        except settings_versions.NameTakenError:
            return Project.objects.get(name=name)

    monkeypatch.setattr(copies, "make_project", make_or_share)
    told = take_one_name(port)
    assert any("were told that they made birds-" in one for one in told), told
    assert any("has 3 requesters" in one for one in told), told


@row(503, {"code": "no_files"}, {"Retry-After": "30"}, True)
@row(503, {"code": "no_files"}, {}, False)
@row(503, {"code": "oops"}, {"Retry-After": "30"}, False)
@row(500, {"code": "no_files"}, {"Retry-After": "30"}, False)
def test_only_a_documented_503_is_excused(status: int, body: Any, headers: dict[str, str], excused: bool) -> None:  # noqa: FBT001
    assert is_documented(httpx.Response(status, json=body, headers=headers)) is excused
    assert not is_documented(httpx.Response(status, text="<html>", headers=headers))
