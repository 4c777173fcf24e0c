"""Open a survey: find its project, or make one as a draft."""

from django.contrib.auth.models import User
from django.db import transaction

from accounts.members import add_member
from accounts.models import Role
from annotation.models import Project
from annotation.rules.states import ProjectState, Survey
from pipeline.project.settings_versions import current_settings, make_project, open_project
from pipeline.protocol.tasks.task import Task
from pipeline.settings.settings import Settings
from surveys.errors import SurveyError


def check_survey(name: str, task: Task, votes: int | None) -> Settings:
    """Return the settings of the survey project of this name, or those that a new one gets. Writes nothing.

    `votes`: asked for on each question; None: as the project has it, 3 in a new one. Raises SurveyError if there is a
    project of this name that does not ask the task, or asks for another number of votes.
    """
    project = Project.objects.filter(name=name).first()
    if project is None:
        try:
            return Settings() if votes is None else Settings(survey_votes=votes)
        except ValueError as error:
            raise SurveyError(str(error)) from error
    if project.survey != task.value:
        what = f"a survey of {Task(project.survey).label}" if project.survey else "an ordinary project"
        raise SurveyError(f"{name} is {what}, and these are items of {task.label}. Choose another name for a project.")
    settings = current_settings(project.pk)[1]
    if votes is not None and votes != settings.survey_votes:
        raise SurveyError(
            f"{name} asks for {settings.survey_votes} votes on each question, not {votes}. Leave out --votes, or "
            "change the setting on the project's page."
        )
    return settings


@transaction.atomic
def make_survey(*, name: str, title: str, task: Task, settings: Settings, owner: User) -> Project:
    """Make a survey, as a draft with `owner` as requester. Raises NameTakenError."""
    survey = Survey(task.value)
    project = make_project(name=name, title=title, settings=settings, state=ProjectState.DRAFT, survey=survey)
    add_member(owner, project, Role.REQUESTER)
    return project


@transaction.atomic
def open_survey(*, name: str, task: Task, settings: Settings, owner: User | None = None) -> Project:
    """Return the survey project of this name; make it, as a draft, if it does not exist. `owner`: its requester."""
    project = open_project(name=name, settings=settings, state=ProjectState.DRAFT, survey=Survey(task.value))
    if owner is not None:
        add_member(owner, project, Role.REQUESTER)
    return project
