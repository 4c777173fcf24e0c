"""Make a project without images, as a draft."""

from django.contrib.auth.models import User
from django.db import transaction

from annotation.models import Project
from annotation.rules.states import ProjectState
from members.add_member import add_member
from members.models import Role
from pipeline.project.settings_versions import make_project
from pipeline.rules.settings.protocol import ProtocolSettings


@transaction.atomic
def make_draft(user: User, *, name: str, title: str = "", settings: ProtocolSettings | None = None) -> Project:
    """Make the draft, with these settings or the paper's; the user becomes its requester.

    Raises NameTakenError, and ValidationError for a name or a title that does not fit.
    """
    project = make_project(name=name, title=title, settings=settings, state=ProjectState.DRAFT)
    add_member(user, project, Role.REQUESTER)
    return project
