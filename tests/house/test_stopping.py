"""The web process stops without a traceback, whenever the signal comes; what is one reader's stays with them."""

import signal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from waitress import create_server

from config.web_worker import Channel, WebWorker
from members.models import Role
from tests.support.members import sign_in
from tests.support.surveys import foil, survey


def stopping() -> Any:
    """A worker of the web server whose loop has ended."""
    worker: Any = WebWorker.__new__(WebWorker)
    worker.map, worker.alive, worker.booted = {}, True, True
    worker.cfg, worker.notify = SimpleNamespace(graceful_timeout=1), lambda: None
    worker.servers = [create_server(lambda environ, start: [], map=worker.map, host="127.0.0.1", port=0)]
    worker.servers[0].channel_class = Channel
    return worker


def test_a_second_signal_while_the_process_ends_leaves_no_traceback() -> None:
    worker = stopping()
    worker._finish()
    worker.handle_exit(signal.SIGTERM, None)
    worker.servers[0].pull_trigger()  # as a thread does that has just finished a request
    assert not worker.alive
    worker.servers[0].trigger.close()


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
