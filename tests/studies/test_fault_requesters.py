"""The acts of requesters in the fault campaign find each fault that they are there to find."""

from pathlib import Path
from typing import Any

import pytest

from annotation.models import Project
from campaign import threads
from campaign.data import carry_out, watch
from campaign.lifecycle import copy_project
from pipeline.project import settings_versions
from studies.faults.requesters import resume_without_right, take_one_name


@pytest.fixture(autouse=True)
def _own_places(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.DATA = tmp_path
    settings.MEDIA_ROOT = tmp_path / "media"
    monkeypatch.setattr(threads, "in_background", lambda work: work())


def by_name(run: Any) -> Project:
    return Project.objects.get(name=run.source)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("room", "name", "broken", "found"),
    [
        (watch, "nothing", None, []),
        (carry_out, "source_of_run", by_name, ["a copy whose source's name was taken took 2 images"]),
        (
            watch,
            "_check_source",
            lambda user, run: None,
            ["a copy by somebody who lost the source took 2 images"],
        ),
        (watch, "may", lambda *given: True, ["a copy by", "an import by somebody who lost the project took 1"]),
    ],
    ids=["as it is", "by name", "no right to the source", "no right"],
)
def test_what_is_resumed_without_the_right_is_found(
    monkeypatch: pytest.MonkeyPatch, room: Any, name: str, broken: Any, found: list[str]
) -> None:
    monkeypatch.setattr(room, name, broken, raising=False)
    if broken is by_name:
        monkeypatch.setattr(watch, "source_of_run", by_name)
    told = resume_without_right()
    assert len(told) == len(found) and all(one.startswith(words) for one, words in zip(told, found, strict=True)), told


@pytest.mark.django_db(transaction=True)
def test_a_name_that_two_requesters_get_is_found(live_server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    port = live_server.thread.port
    assert take_one_name(port) == []
    make = settings_versions.make_project

    def make_or_share(name: str, **more: Any) -> Project:
        try:
            return make(name=name, **more)
        except settings_versions.NameTakenError:
            return Project.objects.get(name=name)

    monkeypatch.setattr(copy_project, "make_project", make_or_share)
    told = take_one_name(port)
    assert any("were told that they made birds-" in one for one in told), told
    assert any("has 3 requesters" in one for one in told), told
