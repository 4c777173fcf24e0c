"""Operations that are declared once: the same input by page, API and command does the same and is refused alike."""

import json
from collections import Counter
from collections.abc import Iterator
from html import unescape
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, get_args

import pytest
from django.contrib.auth.models import User
from django.contrib.messages import ERROR
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command, get_commands
from django.test import Client
from django.urls import reverse
from pydantic import BaseModel
from rest_framework.serializers import Serializer

from accounts.may import Action
from accounts.members import add_member
from accounts.models import MemberInvitation, Membership, Role
from annotation.models import Image, Project
from exchange.jobs import ask_for
from exchange.publish_export import archive_now, record_state
from pipeline.models import Assignment, KnownQuestion, Question
from platforms.models import Payment, Session
from platforms.registry import PLATFORMS
from platforms.settling.plan_payments import digest_of, payments_to_make
from projects.forecast.pages import ForecastForm
from projects.models import AlertChannel, Delivery, Run
from projects.operation import Operation
from projects.operation_fields import input_fields, names_in_path
from projects.operations import OPERATIONS
from runtime import clock
from simulation.crowd import CROWDS
from tests.platforms.paper import Paper
from tests.projects.conftest import Later
from tests.projects.operation_cases import CASES as GENERAL_CASES
from tests.projects.operation_cases import (
    Case,
    Values,
    begin_another,
    check_uploaded,
    give_up_a_delivery,
    import_another,
    measure_another,
    sample_an_image,
)
from tests.projects.people_cases import PEOPLE_CASES
from tests.projects.question_cases import QUESTION_CASES
from tests.projects.recruiting_cases import RECRUITING_CASES, pays_for_work, recruit
from tests.support.members import member
from tests.support.projects import phrases, project_of
from tests.support.table import row
from workers.models import Invitation, Worker, WorkerSignal

pytestmark = pytest.mark.django_db
AnyOperation = Operation[Any, Any, Any]
CASES = {**GENERAL_CASES, **PEOPLE_CASES, **QUESTION_CASES, **RECRUITING_CASES}
ACTS = [operation for operation in OPERATIONS if not operation.is_reading]
READS = [operation for operation in OPERATIONS if operation.is_reading]
READ_VALUES: dict[str, Values] = {
    "preview_act": {"action": {"action": "review", "chain": 0}},
    "offer_cost": {"entry_places": 0},
}
"""Inputs of readings that need one."""
WAYS = ("page", "API", "command")
FORMS = ("form", "card", "hook", "mail", "access_form", "payment", "bonus")
"""Names of the forms of pages in their contexts."""


@pytest.fixture(autouse=True)
def _no_jobs(later: Later) -> None:
    """Requested work waits for ever."""


@pytest.fixture(autouse=True)
def _paper(monkeypatch: pytest.MonkeyPatch) -> None:
    """Mechanical Turk is a platform without a network."""
    monkeypatch.setitem(PLATFORMS, "mturk", Paper)


@pytest.fixture
def project(rita: User) -> Project:
    made = project_of(phrases("animals: a dog", "animals: a cat", name="1"), name="ours")
    add_member(rita, made, Role.REQUESTER)
    return made


def ways_of(operation: AnyOperation, case: Case) -> list[str]:
    """Return the ways by which the operation can be tried."""
    there = {"page": case.page, "API": operation.path is not None, "command": not case.by_command}
    return [way for way in WAYS if there[way]]


def each_way() -> list[Any]:
    return [
        pytest.param(operation, way, id=f"{operation.name} by {way}")
        for operation in ACTS
        for way in ways_of(operation, CASES[operation.name])
    ]


def send(operation: AnyOperation, way: str, project: Project, values: Values, user: User | None) -> tuple[bool, str]:
    """Do the operation, and return whether it was done, and what was said."""
    values = {**values, **_newest(operation, project)}
    return {"page": _by_page, "API": _by_api, "command": _by_command}[way](operation, project, values, user)


def rows_of(operation: AnyOperation) -> set[str]:
    """Return the names by which the operation is given rows."""
    return names_in_path(operation) | set(CASES[operation.name].rows if operation.name in CASES else ())


def _newest(operation: AnyOperation, project: Project) -> Values:
    """Return the number of the newest row that the address names."""
    rows: dict[str, Any] = {"run": Run, "assignment": Assignment, "worker": Worker, "signal": WorkerSignal}
    rows |= {"channel": AlertChannel, "delivery": Delivery, "image": Image, "member": Membership}
    rows |= {"session": Session, "payment": Payment}
    rows["question"] = KnownQuestion if operation.name == "retire_question" else Question
    rows["invitation"] = Invitation if operation.name == "close_link" else MemberInvitation
    names = rows_of(operation) | ({"digest"} & operation.input.model_fields.keys())
    texts = {"export_format": "coco", "record": record_state(project), "platform": "mturk"}
    texts["digest"] = digest_of(payments_to_make("mturk", project.pk))
    return {
        name: texts[name] if name in texts else getattr(rows[name].objects.order_by("pk").last(), "pk", 1)
        for name in names
    }


def _browser(user: User | None) -> Client:
    client = Client()
    if user is not None:
        client.force_login(user)
    return client


def _by_page(operation: AnyOperation, project: Project, values: Values, user: User | None) -> tuple[bool, str]:
    case = CASES[operation.name]
    form: Values = {
        "row" if name == case.as_row else f"{case.prefix}{name}": value if isinstance(value, list) else str(value)
        for name, value in values.items()
        if name != case.as_file
    }
    form |= case.more
    if case.as_file:
        form["file"] = SimpleUploadedFile("rows.jsonl", _lines(values[case.as_file]))
    args = [project.name, *case.at, *(values[name] for name in case.in_address)] if operation.of_project else []
    answer = _browser(user).post(reverse(case.page, args=args), form, follow=True)
    if answer.streaming:
        return bool(b"".join(answer)), "a file"  # type: ignore[arg-type]  # it is not asynchronous
    said = [] if answer.context is None else [one for one in answer.context.get("messages", ())]
    forms = [] if answer.context is None else [answer.context.get(name) for name in FORMS]
    is_wrong = any(form.errors for form in forms if form is not None)
    done = answer.status_code == 200 and not is_wrong and all(one.level < ERROR for one in said)
    return done, unescape(answer.text)


def _by_api(operation: AnyOperation, project: Project, values: Values, user: User | None) -> tuple[bool, str]:
    path = operation.path or ""
    for name in names_in_path(operation):
        path = path.replace(f"<int:{name}>", str(values[name])).replace(f"<str:{name}>", str(values[name]))
    body = json.dumps({name: value for name, value in values.items() if name not in names_in_path(operation)})
    base = f"/api/v1/requester/{f'projects/{project.name}/' if operation.of_project else ''}"
    call = getattr(_browser(user), operation.method)
    answer = call(f"{base}{path}", *([] if operation.method == "get" else [body, "application/json"]))
    said = answer.json()
    return answer.status_code < 300, said.get("message", "") if isinstance(said, dict) else ""


def _by_command(operation: AnyOperation, project: Project, values: Values, user: User | None) -> tuple[bool, str]:
    fields = {one.name: one for one in input_fields(operation)}
    positional = [project.name] if operation.of_project else []
    positional += [str(values[name]) for name, one in fields.items() if not one.as_option and name in values]
    options = [text for name, value in values.items() if name in fields and fields[name].as_option
               for text in (fields[name].option, *map(str, value if isinstance(value, list) else [value]))]  # fmt: skip
    case = CASES[operation.name]
    with TemporaryDirectory() as folder:
        file = Path(folder) / "rows.jsonl"
        if case.as_file:
            file.write_bytes(_lines(values[case.as_file]))
            positional.append(str(file))
        command = [operation.command] if operation.command else ["operation", operation.name]
        return _called(command[0], [*command[1:], *positional, *options])


def _lines(rows: list[Values] | Values) -> bytes:
    if isinstance(rows, dict):
        return json.dumps(rows).encode()
    return "".join(f"{json.dumps(row)}\n" for row in rows).encode()


def _called(command: str, arguments: list[str]) -> tuple[bool, str]:
    out = StringIO()
    try:
        call_command(command, *arguments, stdout=out)
    except CommandError as error:
        return False, str(error)
    return True, out.getvalue()


# --- Every operation ---


def test_every_operation_that_changes_something_is_tried_here() -> None:
    assert {operation.name for operation in ACTS} == set(CASES)
    ways = {name: len(ways_of(operation, CASES[operation.name])) for operation in ACTS for name in [operation.name]}
    assert [name for name, count in ways.items() if count + bool(CASES[name].by_command) < 2] == []


def test_names_are_unique_and_every_command_is_there() -> None:
    assert [name for name, count in Counter(each.name for each in OPERATIONS).items() if count > 1] == []
    assert {each.command for each in OPERATIONS if each.command} <= get_commands().keys()
    assert all(operation.help.endswith(".") for operation in OPERATIONS)


def models_of(kind: Any) -> Iterator[type[BaseModel]]:
    """Yield the models that a type is made of."""
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        yield kind
        for info in kind.model_fields.values():
            yield from models_of(info.annotation)
    for inner in get_args(kind):
        yield from models_of(inner)


def test_no_two_shapes_of_the_api_have_one_name() -> None:
    models = {model for each in OPERATIONS for kind in (each.input, each.output) for model in models_of(kind)}
    doubled = [name for name, count in Counter(model.__name__ for model in models).items() if count > 1]
    assert doubled == []
    assert not {model.__name__ for model in models} & {shape.__name__ for shape in _subclasses(Serializer)}


def _subclasses(cls: type) -> set[type]:
    direct: list[type] = cls.__subclasses__()
    return {inner for each in direct for inner in (each, *_subclasses(each))}


def test_the_reference_pages_list_every_call_and_command() -> None:
    call_command("operations_reference", "--check")


# --- The same result, the same refusals ---


@pytest.mark.parametrize(("operation", "way"), each_way())
def test_it_does_the_same_whichever_way_it_comes(
    operation: AnyOperation, way: str, project: Project, rita: User
) -> None:
    case = CASES[operation.name]
    case.prepare(project)
    done, said = send(operation, way, project, case.values, rita)
    assert done, said
    assert case.after(project) == case.expected


@pytest.mark.parametrize(("operation", "way"), each_way())
def test_wrong_values_are_refused_in_the_same_words_and_nothing_is_done(
    operation: AnyOperation, way: str, project: Project, rita: User
) -> None:
    case = CASES[operation.name]
    case.prepare(project)
    before = case.after(project)
    for wrong, sentence in case.wrong:
        done, said = send(operation, way, project, wrong, rita)
        assert not done and sentence in said, said
        assert case.after(project) == before


@pytest.mark.parametrize(("operation", "way"), each_way())
def test_what_is_not_possible_is_refused_in_the_same_words(
    operation: AnyOperation, way: str, project: Project, rita: User
) -> None:
    case = CASES[operation.name]
    for prepare, sentence in case.refused:
        prepare(project)
        before = case.after(project)
        done, said = send(operation, way, project, case.values, rita)
        assert not done and sentence in said, said
        assert case.after(project) == before


@pytest.mark.parametrize(("operation", "way"), [each for each in each_way() if each.values[1] != "command"])
def test_only_those_with_the_role_do_it(operation: AnyOperation, way: str, project: Project) -> None:
    case = CASES[operation.name]
    case.prepare(project)
    before = case.after(project)
    viewers = [] if operation.action == Action.EXPORT else [member(project, Role.VIEWER, "eye")]
    for user in (*viewers, User.objects.create_user("stranger"), None):
        _, said = send(operation, way, project, case.values, user)
        assert case.after(project) == before, said


@pytest.mark.parametrize(("operation", "way"), [each for each in each_way() if rows_of(each.values[0])])
def test_a_row_of_another_project_is_out_of_reach(
    operation: AnyOperation, way: str, project: Project, rita: User
) -> None:
    case, other = CASES[operation.name], project_of(name="other")
    add_member(rita, other, Role.REQUESTER)
    case.prepare(project)
    before = case.after(project)
    send(operation, way, other, case.values, rita)
    assert case.after(project) == before


@pytest.mark.parametrize("operation", [each for each in OPERATIONS if each.action == Action.REVIEW])
def test_a_reviewer_does_what_needs_a_review(operation: AnyOperation, project: Project) -> None:
    check_uploaded(project)
    Project.objects.update(survey="caption_check" if operation.only_surveys else "")
    sample_an_image(project)
    values = CASES[operation.name].values if operation.name in CASES else READ_VALUES.get(operation.name, {})
    values = values | _newest(operation, project)
    done, said = _by_api(operation, project, values, member(project, Role.REVIEWER, "vic"))
    assert done, said


@pytest.mark.parametrize(("operation", "way"), [each for each in each_way() if each.values[0].of_project])
def test_a_survey_and_a_project_in_an_archive_have_it_as_declared(
    operation: AnyOperation, way: str, project: Project, rita: User
) -> None:
    case = CASES[operation.name]
    case.prepare(project)
    if not operation.surveys:
        Project.objects.update(survey="caption_check")
        done, said = send(operation, way, project, case.values, rita)
        assert not done and "survey" in said.lower(), said
        Project.objects.update(survey="")
    if not operation.archived:
        away = {"archive": "/a", "digest": "0", "since": clock.now().isoformat(), "images": 1, "judgments": 0}
        away |= {"entries": 1, "rows": 1, "pieces": 1, "absent": 1, "moved": False}
        Project.objects.update(away=away)
        done, said = send(operation, way, project, case.values, rita)
        assert not done or "archive" in said, said
        assert case.after(Project.objects.get(pk=project.pk)) != case.expected


@pytest.mark.parametrize("operation", READS, ids=lambda each: each.name)
def test_what_is_read_has_the_declared_shape_and_is_for_the_role_alone(
    operation: AnyOperation, project: Project, rita: User
) -> None:
    measure_another(project)
    begin_another(project)
    import_another(project)
    give_up_a_delivery(project)
    check_uploaded(project)
    sample_an_image(project)
    pays_for_work(project)
    recruit(project)
    ask_for(archive_now(project, "coco"))
    Project.objects.update(survey="caption_check" if operation.only_surveys else "")
    values = READ_VALUES.get(operation.name, {}) | _newest(operation, project)
    done, said = _by_api(operation, project, values, rita)
    assert done, said
    if operation.of_project:
        viewer = member(project, Role.VIEWER, "eye")
        assert _by_api(operation, project, values, viewer)[0] is (operation.action == Action.EXPORT)
        assert not _by_api(operation, project, values, User.objects.create_user("stranger"))[0]


@pytest.mark.parametrize("state", ["finished", "archived"])
def test_an_import_by_command_is_refused_where_page_and_call_refuse(
    state: str, project: Project, tmp_path: Path
) -> None:
    Project.objects.update(state=state)
    with pytest.raises(CommandError, match="The project is finished: reopen it before more images come in"):
        call_command("import_dataset", "ours", str(tmp_path))
    Project.objects.update(state="running", survey="caption_check")
    with pytest.raises(CommandError, match="This project is a survey: it has no phrases, chains and boxes"):
        call_command("import_dataset", "ours", str(tmp_path))
    assert not Run.objects.exists()


def test_a_call_with_a_value_that_the_operation_does_not_know_is_refused(project: Project, rita: User) -> None:
    for operation in (each for each in ACTS if each.path is not None):
        Project.objects.update(survey="caption_check" if operation.only_surveys else "")
        done, said = _by_api(operation, project, {**_newest(operation, project), "qualify": True}, rita)
        assert not done and "qualify: This is unknown" in said, operation.name


@row("workers", "8")
@row("workers", 8.5)
@row("workers", True)
@row("crowd", 1)
def test_a_call_takes_values_of_the_declared_kind_alone(name: str, value: Any, project: Project, rita: User) -> None:
    operation = next(each for each in OPERATIONS if each.name == "begin_forecast")
    done, said = _by_api(operation, project, {name: value}, rita)
    assert not done and f"{name}: " in said and not Run.objects.exists()


# --- Lists that are written down twice, because a type cannot be made of a registry ---


def test_a_forecast_knows_the_registered_crowds() -> None:
    operation = next(each for each in OPERATIONS if each.name == "begin_forecast")
    (crowd,) = (each for each in input_fields(operation) if each.name == "crowd")
    assert set(crowd.choices) == CROWDS.keys()


@row(
    ["project_state", "ours", "bogus"],
    "state: 'bogus' should be 'draft', 'running', 'paused', 'finished' or 'archived'.",
)
@row(["forecast", "ours", "--workers", "some"], "--workers: 'some' should be a whole number.")
def test_a_command_names_a_wrong_argument_as_it_was_written(arguments: list[str], said: str, project: Project) -> None:
    assert _called(arguments[0], arguments[1:]) == (False, said)


def test_a_command_writes_a_share_as_pages_do(project: Project) -> None:
    assert ": 0 % of " in _called("progress", ["ours"])[1]


def test_a_form_has_the_labels_of_the_declaration_and_no_help_that_repeats_them() -> None:
    fields = ForecastForm.base_fields
    assert fields["program_errors"].label == "Errors of a model annotator, in percent"
    assert fields["workers"].label == "Workers who begin"
    assert (fields["bad_percent"].label, fields["bad_percent"].help_text) == ("Bad workers among them, in percent", "")
