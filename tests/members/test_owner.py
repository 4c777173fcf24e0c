"""The user named by an import becomes a requester of the project."""

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from annotation.models import Project
from members.may import Action, may
from scenes.write import write_source

pytestmark = [pytest.mark.both_engines, pytest.mark.django_db]


def test_the_owner_of_an_import_may_do_everything_in_the_project_and_nothing_elsewhere(tmp_path: Path) -> None:
    write_source(tmp_path / "scenes", seed=1, count=1)
    ada = User.objects.create_user("ada")
    call_command("import_dataset", "drawn", str(tmp_path / "scenes"), owner="ada")
    other = Project.objects.create(name="other")
    assert all(may(ada, action, Project.objects.get(name="drawn")) for action in Action)
    assert not any(may(ada, action, other) for action in Action)


def test_an_unknown_owner_is_refused_before_anything_is_imported(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="no user 'nobody'"):
        call_command("import_dataset", "drawn", str(tmp_path), owner="nobody")
    assert not Project.objects.exists()
