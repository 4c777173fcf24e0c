"""Surveys by a requester's program: they are listed with what they ask, and their votes come as a file."""

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client

from annotation.models import Project
from client.chainbox_client import Chainbox, Refused
from members.add_member import add_member
from members.models import Role
from pipeline.record.fold_judgments import fold_judgments
from surveys.votes import lines_of
from tests.support.api import ApiWorker
from tests.support.projects import worker
from tests.support.surveys import CHECK, foil, survey


@pytest.fixture
def checked(requester: User, own_folders: None, at_once: None, tmp_path: Path) -> Project:
    """A survey with one vote."""
    made = survey(tmp_path, [foil(0)])
    add_member(requester, made, Role.REQUESTER)
    api = ApiWorker(Client(), worker(made, "ada", CHECK), project=made.name)
    api.submit(api.ask(CHECK), {"verdict": "correct"})
    fold_judgments(project_id=made.pk)
    return made


def test_a_program_lists_surveys_and_downloads_their_votes(service: Chainbox, checked: Project, tmp_path: Path) -> None:
    assert {one["name"]: one["survey"] for one in service.call("GET", "projects/")} == {
        "small": "",
        "survey": "caption_check",
    }
    service.project("survey").votes(tmp_path / "votes.jsonl")
    assert (tmp_path / "votes.jsonl").read_text() == "".join(lines_of(checked)) != ""
    assert [one["task"] for one in service.project("survey").progress()["tasks"]] == ["caption_check"]


def test_calls_about_chains_are_refused_for_a_survey_and_votes_for_an_ordinary_project(
    service: Chainbox, checked: Project, tmp_path: Path
) -> None:
    for method, path in (("POST", "forecasts/"), ("POST", "imports/"), ("GET", "predictions/"), ("GET", "gold/")):
        with pytest.raises(Refused, match="is a survey"):
            service.call(method, f"projects/survey/{path}", {} if method == "POST" else None)
    with pytest.raises(Refused, match="is not a survey"):
        service.project("small").votes(tmp_path / "votes.jsonl")
