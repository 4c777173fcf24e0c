"""Terms of a project for its workers: requester, contact, purpose, and how long data about workers is kept."""

from dataclasses import dataclass

from django.utils.translation import gettext, gettext_noop

from annotation.models import Project
from annotation.rules.states import ProjectState

FINISHED = gettext_noop("This project is finished. Thank you for your work.")
NO_NEW_QUESTIONS = {
    ProjectState.DRAFT: gettext_noop("The requester has not started this project yet. Look again in a while."),
    ProjectState.PAUSED: gettext_noop("The requester has paused this project. Look again in a while."),
    ProjectState.FINISHED: FINISHED,
    ProjectState.ARCHIVED: FINISHED,
}
"""The words for workers in each state in which a project gives no new questions."""


@dataclass(frozen=True, slots=True)
class ProjectTerms:
    """The sentences in the reader's language; empty where the project has none."""

    requester: str
    contact: str
    purpose: str
    retention: str
    missing: tuple[str, ...]
    """The fields that nobody has filled in."""


def terms_of(project: Project) -> ProjectTerms:
    return ProjectTerms(
        project.requester,
        project.contact,
        project.purpose,
        _retention(project.kept_days),
        tuple(name for name in ("requester", "contact", "purpose") if not getattr(project, name)),
    )


def _retention(days: int | None) -> str:
    if days is None:
        return gettext(
            "What identifies you (name, account, platform id) is kept until you delete it. Your answers are kept with "
            "the data set, without you from then on."
        )
    return gettext(
        "What identifies you (name, account, platform id) is deleted once you have done nothing here for {days} days, "
        "unless another project keeps it for longer or you are still owed money. You can delete it sooner. Your "
        "answers are kept with the data set, without you from then on."
    ).format(days=days)
