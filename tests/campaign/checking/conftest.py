"""A data set that is being checked."""

from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from annotation.models import Project
from members.models import Role
from pipeline.project.settings_versions import open_project
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.tick import tick
from scenes.write import write_source
from tests.support.members import sign_in


@pytest.fixture
def project(tmp_path: Path, settings: Any, client: Client) -> Project:
    """Four drawn scenes that are checked, before any answer; `client` is a reviewer."""
    settings.MEDIA_ROOT = tmp_path / "media"
    made = open_project(name="parks", settings=ProtocolSettings(test_questions=0))
    write_source(tmp_path / "parks", 0, 4)
    call_command("import_dataset", "parks", str(tmp_path / "parks"), use="check")
    tick(project_id=made.pk)
    sign_in(client, made, Role.REVIEWER, "eve")
    return made
