"""The headers of every page."""

import pytest
from django.test import Client


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
