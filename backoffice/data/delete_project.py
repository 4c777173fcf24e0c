"""Lines of the admin's page that asks before a project is deleted."""

from django.utils.html import format_html
from django.utils.safestring import SafeString

from annotation.models import Project
from backoffice.links import list_of
from campaign.lifecycle.plan_deletion import Related


def line(related: Related, project: Project) -> SafeString:
    """Return a line such as "judgments: 1,234", linked to the list of these rows where one filter finds them."""
    one_path = len(related.paths) == 1
    shown = (
        list_of(related.model, related.label, {f"{related.paths[0]}__id__exact": project.pk})
        if one_path
        else related.label
    )
    return format_html("{} ({})", shown, related.why) if related.why else format_html("{}", shown)
