"""The fault campaign finds what is planted, and nothing is lost in a short one. The long one is run by hand."""

import random
import signal
from pathlib import Path

import pytest

from studies import servers
from studies.faults import crew, faults
from studies.faults.campaign import Outcome, choose, run_campaign, table
from studies.faults.faults import Fault
from studies.faults.mutations import MUTATIONS, Mutation
from studies.servers import Server, supervised
from tests.support.services import wait_until
from upkeep.marked_points import POINTS

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]


def nothing(*_: object) -> None:
    pass


def test_each_fault_happens_once_before_one_happens_twice() -> None:
    three = [Fault("process", name, nothing) for name in "abc"]
    chosen = [one.name for one in choose(three, 7, [], random.Random(1))]
    assert sorted(chosen[:3]) == sorted(chosen[3:6]) == ["a", "b", "c"] and len(chosen) == 7


def test_faults_are_chosen_by_a_word_of_their_name_or_kind() -> None:
    two = [Fault("Redis", "Redis: killed", nothing), Fault("clock", "beat: an hour back", nothing)]
    assert {one.kind for one in choose(two, 4, ["killed"], random.Random(1))} == {"Redis"}
    with pytest.raises(ValueError, match="no fault is called xyz"):
        choose(two, 4, ["xyz"], random.Random(1))


def test_the_code_reaches_every_marked_point() -> None:
    apps = ("pipeline", "exchange")
    source = "".join(path.read_text() for app in apps for path in (ROOT / app).rglob("*.py"))
    assert [point for point in POINTS if f'reach("{point}")' not in source] == []


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda one: one.name)
def test_a_mutation_changes_code_that_is_there(mutation: Mutation, tmp_path: Path) -> None:
    copy = tmp_path / mutation.file
    copy.parent.mkdir(parents=True)
    copy.write_text((ROOT / mutation.file).read_text())
    mutation.apply(tmp_path)
    assert copy.read_text() != (ROOT / mutation.file).read_text()


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


def test_nothing_is_lost_when_the_embedded_service_is_killed_while_workers_answer(
    empty_service: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Workers of a campaign ask often, to meet each fault in the middle of something. This fault waits for them.
    monkeypatch.setattr(crew, "PAUSE", 2.5)
    monkeypatch.setattr(crew, "DAWDLE", (7.0, 8.0))
    monkeypatch.setattr(faults, "WAIT_FOR_MARK", 300.0)
    found = run_campaign(
        ROOT,
        seed=5,
        faults=1,
        images=1,
        workers=5,
        embedded=True,
        empty=empty_service,
        lease_minutes=4 / 60,
        only=["fold: entries written"],
    )
    assert found.problems and not any(found.problems.values()), found.problems
    # Whether a worker asks in that moment is luck; that the service is killed amid a fold, and comes back, is not.
    assert found.ended and found.acknowledged > 20 and found.faults == {"killed at «fold: entries written»": 1}
