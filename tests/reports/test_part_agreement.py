"""Agreement on parts, and answers of parts in figures that know only same and different."""

import pytest
from django.test import Client

from campaign.dashboard.charts import charts
from campaign.dashboard.figures.refresh import Group, refresh_figures
from campaign.dashboard.figures.workers import workers
from members.models import Role
from pipeline.models import Judgment
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import Task
from reports.answers_of_task import answered
from reports.disagreement import disagrees
from reports.measure import measure
from reports.part_agreement import part_agreement
from reports.tables import statistics_text
from tests.support.links_with_votes import links_with_votes
from tests.support.members import sign_in
from tests.support.projects import project_of
from upkeep import clock

pytestmark = pytest.mark.django_db

LINK = Task.COREFERENCE_LINK
A, B, NO, YES = "a is part of b", "b is part of a", "different", "same"


def test_agreement_on_parts_is_of_links_with_several_answers_of_which_one_is_a_part() -> None:
    project = links_with_votes([(A, A), (A, B), (A, NO), (YES, B), (NO, YES), (A,), (NO, "program"), (B, B, B)])
    found = part_agreement(project.pk)
    assert found == {"links": 5, "part": 3, "direction": 2}
    assert part_agreement(project_of(name="never-asked").pk) is None


def test_the_dashboard_and_the_statistics_show_it_only_where_parts_are_asked_for(client: Client) -> None:
    project = links_with_votes([(A, A), (A, B), (B, NO), (B, B)])
    sign_in(client, project, Role.REQUESTER)
    assert "Agreement on parts" not in client.get("/projects/small/dashboard/").text
    refresh_figures(project.pk)
    assert "Agreement on parts" in client.get("/projects/small/dashboard/").text
    now = Group(workers(project.pk), clock.now())
    (chart,) = (one for one in charts({"workers": now}, ProtocolSettings()) if one.name == "parts")
    assert chart.rows == [["one is part of the other", 0.75, 4], ["which of them is the part", 0.5, 4]]
    statistics = measure([], parts=part_agreement(project.pk))
    assert statistics.as_json()["parts"] == {"links": 4, "part": 3, "direction": 2}
    last = statistics_text(statistics).splitlines()[-1].split()
    assert last == ["4", "75.0%", "50.0%"]
    assert "parts" not in measure([]).as_json() and "on parts" not in statistics_text(measure([]))
    before = Group({**now.values, "parts": None}, now.at)
    assert "parts" not in [one.name for one in charts({"workers": before}, ProtocolSettings())]


def test_a_part_is_different_for_agreement_skills_and_what_is_not_the_outcome() -> None:
    project = links_with_votes([(A, B), (A, NO), (B, YES)])
    task = workers(project.pk)["tasks"][LINK.value]
    assert (task["agreement"], task["judged"]) == (5 / 6, 6)
    assert sorted(one.word for one in answered(project.pk, LINK)) == [*[NO] * 5, YES]
    against = Judgment.objects.filter(disagrees())
    assert [one.answer for one in against] == [YES]
