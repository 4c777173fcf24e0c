"""Answers that one phrase is part of the other: taken where the project asks for them, and refused elsewhere."""

from dataclasses import replace

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.models import Chain
from pipeline.errors import NoPartsError
from pipeline.models import Judgment, Question
from pipeline.project.settings_versions import change_settings
from pipeline.record.replay import replay
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import Task
from tests.support.projects import answer, lease, phrases, project_of, submit, worker
from workers.models import Worker

pytestmark = pytest.mark.django_db

LINK = Task.COREFERENCE_LINK
PARTS = ProtocolSettings(part_answers=True)
MEN = phrases("people: three men", "people: one of them")


@pytest.mark.parametrize("kind", [Worker.Kind.PERSON, Worker.Kind.PROGRAM])
def test_a_part_is_refused_in_words_and_nothing_is_stored_where_the_project_does_not_ask(kind: Worker.Kind) -> None:
    project = project_of(MEN)
    assignment = lease(project, worker(project, "ada", kind=kind), LINK)
    with pytest.raises(NoPartsError, match="project does not ask what is part of what"):
        submit(assignment, "b is part of a")
    assert not Judgment.objects.exists()
    submit(assignment, "different")


@pytest.mark.parametrize("kind", [Worker.Kind.PERSON, Worker.Kind.PROGRAM])
def test_a_part_closes_its_link_and_keeps_the_chains_apart_where_it_does(kind: Worker.Kind) -> None:
    project = project_of(MEN, settings=PARTS)
    answer(project, worker(project, "ada", kind=kind), LINK, "b is part of a")
    link = Question.objects.get(task=LINK.value)
    assert (link.state, link.outcome) == ("closed", "b is part of a")
    assert list(Chain.objects.values_list("name", flat=True)) == [0, 1]
    assert list(replay(project)) == []


def test_answers_on_their_way_when_parts_are_no_longer_asked_for_are_refused() -> None:
    project = project_of(MEN, settings=PARTS)
    assignment = lease(project, worker(project, "ada"), LINK)
    change_settings(project_id=project.pk, settings=replace(PARTS, part_answers=False))
    with pytest.raises(NoPartsError):
        submit(assignment, "a is part of b")


def test_a_submission_without_parts_costs_no_statement_more() -> None:
    counts = []
    for name, settings in (("off", ProtocolSettings()), ("on", PARTS)):
        project = project_of(MEN, name=name, settings=settings)
        assignment = lease(project, worker(project, "ada"), LINK)
        with CaptureQueriesContext(connection) as queries:
            submit(assignment, "different")
        counts.append(len(queries))
    assert counts[0] == counts[1]
