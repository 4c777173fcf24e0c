"""Terms of a project for its workers: requester, contact, purpose, and how long data about workers is kept."""

from dataclasses import dataclass

from annotation.models import Project

NO_REQUESTER = "The requester has not given a name here: ask the person who sent you the link."
NO_CONTACT = "No address is given: ask the person who sent you the link."
NO_PURPOSE = "The requester has not said what the answers are for."
UNTIL_DELETED = (
    "What identifies you (name, account, platform id) is kept until you delete it. Your answers are kept with the data "
    "set, without you from then on."
)
FOR_DAYS = (
    "What identifies you (name, account, platform id) is deleted once you have done nothing here for {days} days, "
    "unless another project keeps it for longer or you are still owed money. You can delete it sooner. Your answers "
    "are kept with the data set, without you from then on."
)


@dataclass(frozen=True, slots=True)
class Terms:
    """The sentences, honest ones where the project has none."""

    requester: str
    contact: str
    purpose: str
    kept: str
    missing: tuple[str, ...]
    """The fields that nobody has filled in."""


def terms_of(project: Project) -> Terms:
    return Terms(
        project.requester or NO_REQUESTER,
        project.contact or NO_CONTACT,
        project.purpose or NO_PURPOSE,
        UNTIL_DELETED if project.kept_days is None else FOR_DAYS.format(days=project.kept_days),
        tuple(name for name in ("requester", "contact", "purpose") if not getattr(project, name)),
    )
