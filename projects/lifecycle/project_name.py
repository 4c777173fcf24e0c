"""The name of a new project, as it was given or made from its title."""

from django.core.exceptions import ValidationError
from django.utils.text import slugify

from annotation.models import Project
from pipeline.project.settings_versions import NameTakenError
from projects.operation import Refused


def new_project_name(name: str, title: str) -> str:
    """Return the name, or one made from the title if it is empty. Raises Refused for one without the right letters."""
    chosen = name or slugify(title)[:100].strip("-")
    try:
        Project._meta.get_field("name").clean(chosen, None)
    except ValidationError:
        subject = (
            f"{chosen[:40]!r} is not a name" if chosen else "The title has no letters that a name could be made of"
        )
        message = f"{subject}: write letters a to z, digits, - and _."
        raise Refused("invalid", message, 400, field="name") from None
    return chosen


def name_taken(error: NameTakenError) -> Refused:
    """Return the refusal of a name that another project has, or that is an address of the service."""
    return Refused("taken", str(error), field="name")
