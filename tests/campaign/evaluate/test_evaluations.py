"""An evaluation and a prediction go on only while whoever began them manages the project."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from campaign import long_work
from campaign.long_work import Watch
from campaign.models import CampaignPrediction, Evaluation
from members.models import Membership, Role
from tests.campaign.conftest import Later

BODY = {"step": "localization baselines", "name": ""}
GIVEN = {"crowd": "paper", "workers": 8, "bad_percent": 0, "sample": 2, "repetitions": 2}


@pytest.mark.parametrize("lost", ["the role", "the account"])
@pytest.mark.parametrize("model", [Evaluation, CampaignPrediction])
def test_work_that_waits_is_not_done_for_who_lost(
    requester: Client, later: Later, model: type[Evaluation] | type[CampaignPrediction], lost: str
) -> None:
    address, body = ("evaluate", BODY) if model is Evaluation else ("predict", GIVEN)
    requester.post(f"/projects/ours/{address}/", body)
    if lost == "the role":
        Membership.objects.update(role=Role.REVIEWER)
    else:
        User.objects.all().delete()
    later.pop()()
    row = model._default_manager.get()
    assert (row.state, row.values) == ("failed", {})
    assert row.problem == "Whoever began this is no longer a requester of the project: begin it anew."


@pytest.mark.usefixtures("project")
def test_work_stops_for_who_loses_the_role_meanwhile(requester: Client, later: Later, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(long_work, "LOOK_SECONDS", 0)
    tell, told = Watch.tell, list[int]()

    def lose(self: Watch, done: int, total: int, **values: object) -> None:
        told.append(done)
        Membership.objects.all().delete()
        tell(self, done, total, **values)

    monkeypatch.setattr(Watch, "tell", lose)
    requester.post("/projects/ours/evaluate/", BODY)
    later.pop()()
    assert (Evaluation.objects.get().state, told) == ("failed", [1]), "at the first of two images"
