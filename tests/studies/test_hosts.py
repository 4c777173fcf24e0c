"""The study of several hosts tells what is wrong, and nothing is wrong in a short one. The long one is run by hand."""

import random
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from studies.faults.crew import REST_SECONDS, Services, code_of
from studies.hosts import study
from studies.hosts.bucket import with_clock
from studies.hosts.faults import all_faults
from studies.hosts.network import why_no_network
from studies.hosts.study import Happened, Outcome, run_study, table
from tests.support.table import row

ROOT = Path(__file__).resolve().parents[2]
KILLED, CUT = Happened("web host: killed", "web1", 5.0, 60.0), Happened("web host: cut off", "web2", 5.0, 4.0)


def test_every_kind_of_host_dies_is_cut_off_and_has_a_wrong_clock() -> None:
    names = {fault.name for fault in all_faults()}
    some = {"web host: killed", "host of the clock: cut off from PostgreSQL", "web host: cut off from the bucket"}
    assert some < names
    assert len(names) == len(all_faults()) >= 11


def test_a_study_with_something_lost_or_late_is_not_sound() -> None:
    sound = Outcome(1, ended=True, faults=[KILLED, CUT], problems={"lost": []})
    assert sound.sound, "a killed host may start as long as it likes while the others go on"
    late = (replace(KILLED, went_on=31.0), replace(CUT, back=31.0))
    assert not any(replace(sound, faults=[one]).sound for one in late)
    assert not replace(sound, problems={"carried": ["3 bytes"]}).sound and not replace(sound, ended=False).sound
    assert "| web host: killed | 2 | 31.0 | 60.0 |" in table(replace(sound, faults=[KILLED, late[0]]))


def test_a_host_that_did_not_answer_is_asked_nothing_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    services, lot = Services("a", "b"), random.Random(1)
    services.failed("a")
    assert {services.one(lot) for _ in range(20)} == {"b"}
    now += REST_SECONDS
    assert {services.one(lot) for _ in range(20)} == {"a", "b"}


@row(503, {"code": "no_files"}, {"Retry-After": "30"}, "no_files")
@row(503, {"code": "no_files"}, {}, "")
@row(503, {"code": "oops"}, {"Retry-After": "30"}, "")
@row(500, {"code": "no_files"}, {"Retry-After": "30"}, "")
def test_only_a_documented_503_is_excused(status: int, body: Any, headers: dict[str, str], code: str) -> None:
    assert code_of(httpx.Response(status, json=body, headers=headers)) == code
    assert code_of(httpx.Response(status, text="<html>", headers=headers)) == ""


@pytest.mark.parametrize(("wrong", "status"), [(timedelta(minutes=9), "200"), (timedelta(hours=1), "403")])
def test_the_twin_of_the_bucket_refuses_what_a_wrong_clock_has_signed(wrong: timedelta, status: str) -> None:
    said: list[str] = []

    def application(environ: Any, start_response: Any) -> list[bytes]:
        start_response("200 OK", [])
        return []

    stated = f"{datetime.now(UTC) + wrong:%Y%m%dT%H%M%SZ}"
    for environ in ({"HTTP_X_AMZ_DATE": stated, "QUERY_STRING": ""}, {"QUERY_STRING": f"X-Amz-Date={stated}"}):
        with_clock(application)(environ, lambda line, headers: said.append(line.split()[0]))
    assert said == [status, status]


@pytest.mark.long
@pytest.mark.services
def test_nothing_is_lost_when_the_host_of_the_clock_dies(real_services: None, monkeypatch: pytest.MonkeyPatch) -> None:
    if why := why_no_network():
        pytest.skip(why)
    monkeypatch.setattr(study, "QUIET_SECONDS", 8.0)
    found = run_study(ROOT, seed=7, faults=1, images=2, workers=4, lasts=1, jobs=2, only=("clock: killed",))
    assert found.problems and not any(found.problems.values()), found.problems
    assert found.ended and found.acknowledged > 20 and not found.late, found
    assert found.carried["imports"] and found.carried["exports fetched"] and found.carried["files in pieces"]


@pytest.mark.long
@pytest.mark.services
def test_nothing_is_lost_in_twenty_faults_of_hosts(real_services: None) -> None:
    if why := why_no_network():
        pytest.skip(why)
    found = run_study(ROOT, seed=1, faults=20, images=50)
    assert found.sound, found
