"""People who will work, and the cost of their work: the assumptions of a prediction, and the words of its page."""

import re

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from annotation.models import Project
from campaign.cost_prediction.expected import expected, who_works
from pipeline.project.settings_versions import change_settings, current_settings
from pipeline.rules.settings.protocol import ProtocolSettings
from tests.campaign.cost_prediction.conftest import ADDRESS, GIVEN, made_once
from workers.grant_access import grant_access
from workers.invitations import invite
from workers.models import TrustStatus, Worker
from workers.rules.trust_states import TrustState


@pytest.mark.slow
def test_people_who_are_invited_are_assumed_and_a_prediction_for_others_is_said_to_be_of_others(
    requester: Client, project: Project
) -> None:
    made_once(project)
    assert "Nobody is invited yet" in requester.get(ADDRESS).text
    invite(project_id=project.pk, trusted=True, most=4)
    invite(project_id=project.pk, days=-1, most=70)
    page = requester.get(ADDRESS).text
    assert "Invited or at work: 4 trusted. These figures assume 8 trusted and 0 new workers" in page
    assert re.search(r'name="workers" value="4"', page) and re.search(r'name="trusted" value="4"', page)
    invite(project_id=project.pk)
    barred, new = (Worker.objects.create(name=name) for name in ("barred", "new"))
    for worker, state in ((barred, TrustState.BARRED), (new, TrustState.PROBATION)):
        grant_access(worker, project.pk, ["coreference link"])
        TrustStatus.objects.filter(worker=worker).update(state=state.value)
    assert expected(project) == (4, 1, True)
    assert who_works(project) == {"workers": 5, "trusted": 4}
    assert who_works(project, trusted=9) == {"workers": 5, "trusted": 5}


def test_more_trusted_workers_than_workers_are_refused_by_name(requester: Client, project: Project) -> None:
    answer = requester.post(ADDRESS, {**GIVEN, "workers": 3, "trusted": 4})
    assert answer.status_code == 400 and "Only 3 workers begin" in answer.text
    with pytest.raises(CommandError, match="--trusted: Only 3 workers begin: trust that many at most"):
        call_command("predict", "ours", workers=3, trusted=9)


def test_the_page_holds_the_prediction_against_the_spend_cap_and_says_what_the_answers_are_for(
    requester: Client, project: Project
) -> None:
    row = made_once(project)
    page = requester.get(ADDRESS).text
    assert "too low for what is predicted" not in page
    assert all(words in page for words in ("real questions", "verification questions", "probation", "tests"))
    cap = ProtocolSettings(**{**current_settings(project.pk)[1].to_json(), "spend_cap_cents": 1})
    change_settings(project_id=project.pk, settings=cap)
    page = requester.get(ADDRESS).text
    assert "The spend cap of $0.01" in page and "too low for what is predicted" in page
    for way in (row.values["now"], *row.values["options"]):
        parts = way["parts"].values()
        assert sum(judgments for judgments, _, _ in parts) == pytest.approx(way["judgments"][0], abs=0.05)
        assert sum(cents for _, _, cents in parts) == pytest.approx(way["cents"][0], abs=0.05)
        assert way["parts"]["tests"] == way["parts"]["probation"] == [0, 0, 0]  # all are trusted
