"""A program begins a forecast of its project, reads its figures with their intervals, and stops one.
A program begins a measurement of itself, reads its figures with their intervals, and stops one.
"""

from typing import Any

import pytest
from django.contrib.auth.models import User

from accounts.models import Scope
from accounts.requester_tokens import make_requester_token
from annotation.models import Project
from clients.chainbox_client import Chainbox, Refused
from pipeline.models import Judgment
from pipeline.settings.of_belief import LinkStrategy
from projects.models import ModelPrediction, Run
from tests.projects.conftest import Later
from tests.projects.predictions.measure.test_measure import VALUES
from tests.support.table import row
from workers.models import Worker

SMALL: dict[str, Any] = {"sample": 2, "workers": 8, "trusted": 8}


@pytest.mark.slow
def test_a_forecast_is_begun_and_read_with_its_intervals(service: Chainbox, later: Later) -> None:
    small = service.project("small")
    run = small.begin_forecast(**SMALL, bad_percent=10)
    now = run.state()
    assert (now["state"], now["result"], now["input"]["workers"], now["input"]["bad_percent"]) == (
        "waiting",
        None,
        8,
        10,
    )
    (work,) = later
    work()
    found = run.wait()
    assert (found["state"], found["result"]["images"], found["result"]["finished"]) == ("done", 3, 0)
    ways = found["result"]["ways"]
    assert {way["words"][0] for way in ways} == set(LinkStrategy)
    for way in [found["result"]["now"], *ways]:
        for name in ("judgments", "hours", "cents", "exact"):
            assert way[name]["low"] <= way[name]["value"] <= way[name]["high"]
        assert 0 < way["exact"]["value"] <= 1 and way["judgments"]["value"] > 0
    assert [one.number for one in small.runs("begin_forecast")] == [run.number] and not Judgment.objects.exists()


@pytest.mark.slow
def test_a_way_to_ask_that_was_forecast_is_taken_by_the_settings(service: Chainbox, later: Later) -> None:
    small = service.project("small")
    run = small.begin_forecast(**SMALL)
    later.pop()()
    other = next(way for way in run.wait()["result"]["ways"] if "adaptive" in way["words"])
    small.change_settings("cheaper", **other["changes"])
    assert small.settings()[1]["strategy"] == "adaptive"


@pytest.mark.both_engines
def test_one_is_made_at_a_time_and_can_be_stopped(service: Chainbox, later: Later) -> None:
    small = service.project("small")
    run = small.begin_forecast(**SMALL)
    with pytest.raises(Refused, match="being made already") as refused:
        small.begin_forecast()
    assert (refused.value.status, refused.value.code) == (409, "busy")
    run.steer("cancel")
    assert run.wait()["state"] == "cancelled"
    later.pop()()
    assert run.state()["state"] == "cancelled"  # the job comes too late
    assert small.begin_forecast(**SMALL).number != run.number


def test_a_forecast_that_failed_says_why(service: Chainbox, later: Later, project: Project) -> None:
    run = service.create_project("empty").begin_forecast()
    later.pop()()
    with pytest.raises(Refused, match="No image has phrases yet"):
        run.wait()


@row({"workers": 0}, "workers")
@row({"sample": 1}, "sample")
@row({"crowd": "saints"}, "crowd")
@row({"bad_percent": 95}, "bad")
def test_assumptions_out_of_range_are_refused(wrong: dict[str, Any], words: str, service: Chainbox) -> None:
    with pytest.raises(Refused, match=words) as refused:
        service.project("small").begin_forecast(**wrong)
    assert refused.value.status == 400 and not Run.objects.exists()


@pytest.mark.both_engines
def test_reading_needs_another_scope(service: Chainbox, requester: User) -> None:
    reader = Chainbox(service.address, make_requester_token(requester, name="few", scopes=(Scope.READ,)))
    assert reader.project("small").runs() == []
    with pytest.raises(Refused, match="this call needs"):
        reader.project("small").begin_forecast()
    with pytest.raises(Refused, match="no such run"):
        service.call("GET", "projects/small/runs/99999999999999999999/")


@pytest.mark.both_engines
def test_a_measurement_is_begun_stopped_and_read_with_its_intervals(service: Chainbox, later: Later) -> None:
    small = service.project("small")
    with pytest.raises(Refused, match="has predicted nothing in this project") as refused:
        small.measure("net-1")
    assert refused.value.status == 400
    project = Project.objects.get(name="small")
    net = Worker.objects.create(name="net-1", kind="program")
    ModelPrediction.objects.create(project=project, program=net, image=project.images.all()[0], due=False)
    first = small.measure("net-1")
    now = first.state()
    assert (now["state"], now["result"], now["input"]["program"]) == ("waiting", None, "net-1")
    with pytest.raises(Refused, match="being made already") as refused:
        small.measure("net-1")
    assert (refused.value.status, refused.value.code) == (409, "busy")
    first.steer("cancel")
    assert first.wait()["state"] == "cancelled"
    second = small.measure("net-1")
    while later:  # the second stands in line behind the first, which was stopped
        later.pop(0)()
    with pytest.raises(Refused, match="A measurement needs 5 images with known right answers"):
        second.wait()
    Run.objects.filter(pk=second.number).update(state="done", problem="", result=VALUES)
    ended = second.wait()
    result = ended["result"]
    assert ended["words"][0].startswith("Simulated: with net-1 the same 6 images take 20 % fewer answers")
    change = {"value": -0.2, "low": -0.3, "high": -0.1}
    assert result["figures"]["answers"] == {"without": 100, "with_program": 80, "change": change}
    assert result["figures"]["boxes_right"]["with_program"] == [9, 10] and result["with_gold"] == 5
    assert [one.number for one in small.runs("begin_measurement")] == [second.number, first.number]
