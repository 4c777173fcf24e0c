"""The page Check lists the labels of a checked data set, the most doubtful first, in a fixed number of statements."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.models import Project
from members.models import Role
from pipeline.models import LabelDoubt, Progress, Question
from pipeline.project.settings_versions import open_project
from pipeline.record.write_doubts import refill_doubts
from pipeline.rules.progress.progress_json import from_json
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import Task
from pipeline.tick import tick
from tests.support.members import sign_in
from tests.support.projects import answer, worker

pytestmark = pytest.mark.django_db
MOST_STATEMENTS = 16


def test_labels_are_listed_with_their_chances_the_most_doubtful_first(client: Client, project: Project) -> None:
    page = client.get(reverse("campaign:check", args=[project.name]))
    shown = [one.row.doubt for one in page.context["labels"]]
    assert shown == sorted(shown, reverse=True)
    assert len(shown) == min(20, LabelDoubt.objects.filter(project=project).count())
    state = page.context["state"]
    assert state.source == "import of parks"
    assert state.labels == state.count() == LabelDoubt.objects.count()
    assert state.labels == state.in_question + state.count("unchanged") + state.changed
    assert state.expected.low <= state.expected.wrong <= state.expected.high


def test_the_menu_names_the_page_only_where_a_data_set_is_checked(client: Client, project: Project) -> None:
    address = reverse("campaign:check", args=[project.name])
    assert address in client.get(reverse("campaign:review", args=[project.name])).text
    other = open_project(name="other", settings=ProtocolSettings())
    sign_in(client, other, Role.REVIEWER, "ida")
    assert "/check/" not in client.get(reverse("campaign:review", args=["other"])).text
    assert client.get(reverse("campaign:check", args=["other"])).status_code == 404


def test_labels_are_found_by_their_weakest_part_and_their_standing(client: Client, project: Project) -> None:
    row = LabelDoubt.objects.filter(project=project).first()
    assert row is not None
    LabelDoubt.objects.filter(pk=row.pk).update(part="flag", standing="changed")
    page = client.get(reverse("campaign:check", args=[project.name]), {"part": "flag", "standing": "changed"})
    assert [one.row.pk for one in page.context["labels"]] == [row.pk]
    everything = client.get(reverse("campaign:check", args=[project.name]), {"part": "dragons"})
    assert everything.context["page"].paginator.count == LabelDoubt.objects.count()


@pytest.mark.both_engines
def test_a_page_of_labels_takes_a_fixed_number_of_statements(client: Client, project: Project) -> None:
    with CaptureQueriesContext(
        connection,
    ) as statements:
        client.get(reverse("campaign:check", args=[project.name]))
    assert len(statements) <= MOST_STATEMENTS


def test_doubts_that_are_computed_anew_are_those_that_were_written(project: Project) -> None:
    columns = ("image", "chain", "standing", "part", "doubt")
    before = set(LabelDoubt.objects.values_list(*columns))
    LabelDoubt.objects.update(doubt=1.0)
    kept, *lost = LabelDoubt.objects.all()
    LabelDoubt.objects.filter(pk__in=[one.pk for one in lost[:5]]).delete()
    kept.pk, kept.chain = None, 999
    kept.save()
    assert refill_doubts(project) == len(before)
    assert set(LabelDoubt.objects.values_list(*columns)) == before


def test_an_answer_moves_the_doubts_of_its_image_and_of_no_other(project: Project) -> None:
    columns = ("image", "chain", "doubt")
    before = set(LabelDoubt.objects.values_list(*columns))
    asked = Question.objects.filter(state="open", task=Task.COREFERENCE_LINK).order_by("-value", "id").first()
    assert asked is not None
    answer(project, worker(project, "ada", Task.COREFERENCE_LINK), Task.COREFERENCE_LINK, "different")
    tick(project_id=project.pk)
    changed = before ^ set(LabelDoubt.objects.values_list(*columns))
    assert {image for image, _, _ in changed} == {asked.image_id}
    after = from_json(Progress.objects.get(image=asked.image_id).state)
    rows = LabelDoubt.objects.filter(image=asked.image_id).values_list("chain", flat=True)
    assert set(rows) == {name for name, chain in after.chains.items() if chain.merged_into is None}
