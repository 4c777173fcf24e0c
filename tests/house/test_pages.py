"""The headers and cookies of pages."""

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client

from members.models import Role
from tests.support.members import sign_in
from tests.support.surveys import foil, survey


@pytest.mark.django_db
def test_the_admin_login_forbids_frames_and_foreign_scripts(client: Client) -> None:
    answer = client.get("/admin/login/")
    policy = answer["Content-Security-Policy"]
    assert answer.status_code == 200
    assert "frame-ancestors 'none'" in policy
    assert "default-src 'self'" in policy
    assert answer["X-Content-Type-Options"] == "nosniff"


@pytest.mark.django_db
def test_only_the_admin_has_scripts_of_its_own_in_a_page_and_none_are_evaluated(client: Client) -> None:
    policy = client.get("/admin/login/")["Content-Security-Policy"]
    assert "script-src 'self' 'unsafe-inline'" in policy and "unsafe-eval" not in policy
    assert "unsafe" not in client.get("/api/schema/")["Content-Security-Policy"]


def test_static_files_are_served_without_a_collecting_step(client: Client) -> None:
    answer = client.get("/static/admin/css/base.css")
    assert answer.status_code == 200
    assert b"".join(answer.streaming_content)  # type: ignore[attr-defined]


@pytest.mark.django_db
def test_no_script_reads_a_cookie(client: Client) -> None:
    client.post("/work/language/", {"language": "de"})
    client.get("/work/sign-in/")
    User.objects.create_user("ada", password="a long password")
    client.post("/work/sign-in/", {"username": "ada", "password": "a long password"})
    assert {"csrftoken", "sessionid"} <= set(client.cookies)
    assert [name for name, one in client.cookies.items() if not one["httponly"]] == []


@pytest.mark.django_db
def test_votes_stay_in_no_cache_on_the_way(client: Client, tmp_path: Path) -> None:
    project = survey(tmp_path, [foil(0)])
    sign_in(client, project, Role.REQUESTER)
    assert client.get(f"/projects/{project.name}/results/votes.jsonl")["Cache-Control"] == "private, no-store"
