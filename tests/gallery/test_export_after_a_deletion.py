"""Archives of a project that was deleted: nobody finds them who made another project of its name."""

from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from annotation.models import Project
from exchange.publish_export import record_state
from members.add_member import add_member
from members.models import Role
from tests.support.members import maker
from tests.support.projects import phrases, project_of


@pytest.mark.django_db
def test_the_archive_of_a_deleted_project_is_not_given_to_another_of_its_name(
    client: Client, settings: Any, tmp_path: Path
) -> None:
    settings.GALLERY_PUBLIC, settings.MEDIA_ROOT = False, tmp_path
    rita = maker("rita")
    client.force_login(rita)

    def export(state: str = "") -> Any:
        answer = client.get("/projects/parks/export/jsonl/" + (f"{state}/" if state else ""))
        return answer, b"".join(answer) if answer.streaming else b""

    first = project_of(phrases("people: a secret"), name="parks")
    add_member(rita, first, Role.REQUESTER)
    state = record_state(first)
    assert export()[1] == export(state)[1] and export(state)[1].startswith(b"PK")
    Project.objects.get(pk=first.pk).delete()
    add_member(rita, project_of(phrases("people: a man"), name="parks"), Role.REQUESTER)
    answer, sent = export(state)
    assert (answer.status_code, answer["Location"], sent) == (302, "/projects/parks/export/jsonl/", b"")
