"""The schema of the API: the pages are built from the current one, and every response follows it."""

import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from hypothesis import HealthCheck, Phase, given, settings

from annotation.models import Project
from campaign.models import AlertChannel, CampaignPrediction, ImportRun, ModelMeasurement
from config.wsgi import application
from members.models import Role, Scope
from members.requester_tokens import make_requester_token
from messaging.models import Conversation
from pipeline.rules.tasks.task import Task
from tests.support.kept import Kept
from tests.support.members import member
from tests.support.projects import lease, phrases, project_of, worker
from workers.models import Worker
from workers.page_token import make_page_token

ROOT = Path(__file__).resolve().parents[3]
EXAMPLES, FEW = 10, 3
"""Requests of each operation, and of one with neither body nor query, whose requests hardly differ."""
SCHEMA = ROOT / "frontend" / "schema.yml"
CALLS = [
    f"{method.upper()} {path}"
    for path, body in re.findall(r"^  (/.*):\n((?:    .*\n)+)", SCHEMA.read_text(), re.MULTILINE)
    for method in re.findall(r"^    (\w+):$", body, re.MULTILINE)
]
"""The method and path of each operation. To read the whole takes seconds, which only those spend who use it."""


@cache
def operations() -> dict[str, Any]:
    """Return the operations of the schema by method and path."""
    import schemathesis

    found = schemathesis.openapi.from_path(SCHEMA).get_all_operations()
    return {one.label: one for one in (result.ok() for result in found)}  # type: ignore[union-attr]


@cache
def checks() -> list[Any]:
    """Return the checks that each response must pass."""
    from schemathesis.checks import not_a_server_error
    from schemathesis.specs.openapi import checks as of_schema

    conforming = (of_schema.status_code_conformance, of_schema.content_type_conformance)
    return [not_a_server_error, *conforming, of_schema.response_schema_conformance]


@pytest.mark.slow
def test_the_schema_that_the_pages_are_built_from_is_current_each_time_it_is_made(tmp_path: Path) -> None:
    made = tmp_path / "schema.yml"
    kept = SCHEMA.read_text()
    for first in (True, False):  # the generator writes into what it is given
        call_command("spectacular", file=str(made), validate=first, fail_on_warn=first)
        assert kept == made.read_text(), "run: .venv/bin/python manage.py spectacular --file frontend/schema.yml"


def test_the_schema_names_every_call() -> None:
    names = {operation.definition.raw["operationId"] for operation in operations().values()}
    assert list(operations()) == CALLS
    answering = {"tasks", "examples", "ask", "look", "keep", "save", "submit", "give_back", "report", "finish"}
    messages = {"messages", "write", "read_answers", "requester_messages", "answer"}
    requesting = {"projects", "make_project", "progress", "move_project", "settings", "change_settings"}
    requesting |= {"known_questions", "annotate_image", "data_card", "change_data_card"}
    reading = {"phrases", "judgments", "votes", "changes", "ledger", "make_export", "export", "export_file"}
    filling = {"files", "upload_piece", "remove_files", "imports", "begin_import", "import", "steer_import", "left_out"}
    alerting = {
        "alert_channels",
        "make_webhook",
        "change_alert_channel",
        "delete_alert_channel",
        "try_webhook",
        "tried_webhook",
    }
    alerting |= {"deliveries", "programs", "predict", "doubts"}
    filling |= {"forecasts", "begin_forecast", "forecast", "steer_forecast"}
    filling |= {"measurements", "begin_measurement", "measurement", "steer_measurement"}
    assert names == answering | messages | requesting | reading | filling | alerting | {"preferences", "prefer"}


def make() -> None:
    """Make a project with all that the calls are about."""
    project = project_of(*[phrases("animals: a dog", "animals: a cat", name=str(n)) for n in range(15)])
    ada = worker(project, "ada")
    Conversation.objects.create(worker=ada, project=project, subject="other")
    ImportRun.objects.create(project=project, state=ImportRun.State.DONE)
    CampaignPrediction.objects.create(project=project, settings_version=1)
    net = Worker.objects.create(name="net-1", kind="program")
    ModelMeasurement.objects.create(project=project, program=net, settings_version=1)
    place = {"url": "https://example.invalid/", "secret": "a key", "kinds": []}
    AlertChannel.objects.create(project=project, kind="hook", **place)


@pytest.fixture(scope="module")
def kept(django_db_setup: None, django_db_blocker: Any) -> Kept:
    return Kept(django_db_blocker, make)


@pytest.fixture
def _one_connection(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the connection after each request: to open another one takes as long as a request."""
    connection.close()
    monkeypatch.setitem(connection.settings_dict, "CONN_MAX_AGE", None)


@pytest.mark.slow
@pytest.mark.usefixtures("_one_connection")
@pytest.mark.parametrize("call", CALLS)
def test_no_request_breaks_the_service_and_every_answer_is_as_described(kept: Kept, call: str) -> None:
    kept.write()
    operation = operations()[call]
    project, ada, asked = Project.objects.get(), Worker.objects.get(name="ada"), Conversation.objects.get()
    run, made, hook = ImportRun.objects.get(), CampaignPrediction.objects.get(), AlertChannel.objects.get()
    headers = {"Authorization": f"Bearer {make_page_token(ada.id)}"}
    if "/requester/" in operation.path:
        boss = member(project, Role.REQUESTER, "boss")
        headers = {"Authorization": f"Token {make_requester_token(boss, name='all', scopes=list(Scope))}"}

    # Whatever is found is shown as it is: making it smaller would take longer than all the rest.
    @settings(
        max_examples=EXAMPLES if operation.body or operation.query else FEW,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy())
    def requests(case: Any) -> None:
        held = lease(project, ada, Task.COREFERENCE_LINK)
        known = {"token": str(held.token), "project": project.name, "conversation": asked.pk}
        known |= {
            "export_format": "coco",
            "record": "0-1",
            "run_id": run.pk,
            "channel_id": hook.pk,
            "forecast_id": made.pk,
            "measurement_id": ModelMeasurement.objects.get().pk,
        }
        case.path_parameters = {name: known[name] for name in case.path_parameters or {}}
        answer = case.call(app=application, headers=headers)
        case.validate_response(answer, checks=checks())

    requests()
