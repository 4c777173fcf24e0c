"""Keys of programs: made once, shown once, good until they are revoked."""

from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from pipeline.rules.tasks.task import PROTOCOL_TASKS
from tests.support.rows import make_project, make_worker
from workers.api_keys import find_worker, make_api_key, revoke_api_key
from workers.change_trust import BY_HAND, change_trust, trust_of
from workers.models import Access, ApiKey, Worker
from workers.rules.trust_states import Trust, TrustEvent, TrustState

pytestmark = pytest.mark.django_db


def test_a_key_finds_its_worker() -> None:
    one, other = make_worker(), make_worker()
    keys = {make_api_key(one): one, make_api_key(one): one, make_api_key(other): other}
    assert {key: find_worker(key) for key in keys} == keys
    assert len(keys) == 3


def test_the_key_itself_is_not_stored() -> None:
    key = make_api_key(make_worker())
    row = ApiKey.objects.get()
    assert len(key) >= 40
    assert key.startswith(row.prefix)
    assert key[8:] not in f"{row.prefix}{row.digest}"


@pytest.mark.parametrize("wrong", ["", "x", "{prefix}", "{key}x", "{key}\0", "\0", "\ud800", "{other}"], ids=ascii)
def test_anything_else_finds_nobody(wrong: str) -> None:
    key = make_api_key(make_worker())
    assert find_worker(wrong.format(key=key, prefix=key[:8], other=key[:8] + key[:7:-1])) is None


def test_looking_a_key_up_takes_one_query(django_assert_num_queries: Any) -> None:
    worker = make_worker()
    key = make_api_key(worker)
    with django_assert_num_queries(1):
        found = find_worker(key)
        assert found is not None
        assert found.name == worker.name


def test_a_revoked_key_is_good_for_nothing_and_the_others_stay() -> None:
    worker = make_worker()
    first, second = make_api_key(worker), make_api_key(worker)
    row = ApiKey.objects.get(prefix=first[:8])
    assert revoke_api_key(row.pk)
    assert not revoke_api_key(row.pk)
    assert (find_worker(first), find_worker(second)) == (None, worker)


def test_the_command_makes_a_program_and_prints_its_key_once(capsys: Any) -> None:
    project = make_project()
    for tasks in (["box_quality"], ["box_quality", "box_coverage"]):
        call_command("make_api_key", "model-1", project="parks", tasks=tasks)
    keys = capsys.readouterr().out.split()
    worker = Worker.objects.get()
    assert (worker.name, worker.kind) == ("model-1", "program")
    assert [find_worker(key) for key in keys] == [worker, worker]
    accesses = Access.objects.filter(worker=worker, project_id=project.id).order_by("task")
    assert list(accesses.values_list("task", flat=True)) == ["box_coverage", "box_quality"]


def test_a_program_starts_with_the_qualification_test_and_the_command_tells_what_is_missing(capsys: Any) -> None:
    project = make_project()
    call_command("make_api_key", "model-1", project="parks", tasks=["box_quality"])
    assert trust_of(Worker.objects.get().id, project.id, "box_quality") == Trust(TrustState.INVITED)
    told = capsys.readouterr().err
    assert "The program has to qualify first." in told and "no verification questions" in told


@pytest.mark.both_engines
def test_a_program_that_is_trusted_by_name_works_at_once(capsys: Any) -> None:
    project = make_project()
    call_command("make_api_key", "model-1", project="parks", trusted=True)
    worker = Worker.objects.get()
    assert {trust_of(worker.id, project.id, task.value) for task in PROTOCOL_TASKS} == {BY_HAND}
    assert "qualify" not in capsys.readouterr().err


def test_a_program_that_was_invited_is_trusted_later_and_a_barred_one_is_not() -> None:
    project = make_project()
    call_command("make_api_key", "model-1", project="parks", tasks=["box_quality", "box_coverage"])
    worker = Worker.objects.get()
    change_trust(
        worker_id=worker.id,
        project_id=project.id,
        task="box_coverage",
        event=TrustEvent.BAR,
        because="wrong answers",
    )
    call_command("make_api_key", "model-1", project="parks", trusted=True)
    states = [trust_of(worker.id, project.id, task).state for task in ("box_quality", "box_coverage", "box_drawing")]
    assert states == [TrustState.TRUSTED, TrustState.BARRED, TrustState.TRUSTED]


def test_the_command_does_not_turn_a_person_into_a_program() -> None:
    make_project()
    make_worker(name="ada")
    with pytest.raises(CommandError, match="'ada' is the name of a person worker"):
        call_command("make_api_key", "ada", project="parks")
    assert not ApiKey.objects.exists()


@pytest.mark.both_engines
def test_the_admin_revokes_a_key_and_changes_nothing_else(admin_client: Client) -> None:
    key = make_api_key(make_worker())
    row = ApiKey.objects.get()
    assert admin_client.get(reverse("admin:workers_apikey_add")).status_code == 403
    page = reverse("admin:workers_apikey_changelist")
    assert row.prefix in admin_client.get(page).text
    admin_client.post(page, {"action": "revoke", "_selected_action": [row.pk]})
    assert find_worker(key) is None
