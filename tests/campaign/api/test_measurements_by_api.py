"""A program begins a measurement of itself, reads its figures with their intervals, and stops one."""

import pytest

from annotation.models import Project
from campaign.models import ModelMeasurement, ModelPrediction
from client.chainbox_client import Chainbox, Refused
from tests.campaign.conftest import Later
from tests.campaign.predictions.measure.test_measure_page import VALUES
from workers.models import Worker

pytestmark = pytest.mark.both_engines


def test_a_measurement_is_begun_stopped_and_read_with_its_intervals(service: Chainbox, later: Later) -> None:
    small = service.project("small")
    with pytest.raises(Refused, match="has predicted nothing in this project") as refused:
        small.measure("net-1")
    assert refused.value.status == 400
    project = Project.objects.get(name="small")
    net = Worker.objects.create(name="net-1", kind="program")
    ModelPrediction.objects.create(project=project, program=net, image=project.images.all()[0], due=False)
    first = small.measure("net-1")
    now = first.standing()
    assert (now["state"], now["result"], now["program"], now["doing"]) == ("waiting", None, "net-1", "")
    with pytest.raises(Refused, match="being made already") as refused:
        small.measure("net-1")
    assert (refused.value.status, refused.value.code) == (409, "busy_measuring")
    first.stop()
    assert first.wait()["state"] == "cancelled"
    second = small.measure("net-1")
    while later:  # the second stands in line behind the first, which was stopped
        later.pop(0)()
    with pytest.raises(Refused, match="A measurement needs 5 images with known right answers"):
        second.wait()
    ModelMeasurement.objects.filter(pk=second.number).update(state="done", problem="", values=VALUES)
    result = second.wait()["result"]
    assert result["words"].startswith("Simulated: with net-1 the same 6 images take 20% fewer answers")
    change = {"value": -0.2, "low": -0.3, "high": -0.1}
    assert result["figures"]["answers"] == {"without": 100, "with_program": 80, "change": change}
    assert result["figures"]["boxes_right"]["with_program"] == 0.9 and result["with_gold"] == 5
    assert [one.number for one in small.measurements()] == [second.number, first.number]
