"""The platforms on which a project's work can be offered, and the addresses of the lists of their rows."""

from urllib.parse import urlencode

from django.http import Http404
from django.shortcuts import get_object_or_404
from django.urls import reverse

from annotation.models import Project
from platforms.errors import PlatformOffError
from platforms.models import Recruitment
from platforms.registry import PLATFORMS, find_platform

NAMES = {"mturk": "Mechanical Turk", "prolific": "Prolific", "links": "Invitation links"}
ABOUT = {
    "mturk": "Newcomers find the work among the HITs, and are paid there.",
    "prolific": "Newcomers find the work among the studies, and are paid there.",
    "links": "Each open task gets a link of its own. Its workers are paid by hand.",
}


def name_of(platform: str) -> str:
    return NAMES.get(platform, platform)


def why_off(platform: str) -> str:
    """Return why the platform cannot be used, and the page of the docs that helps; empty if it is set up."""
    try:
        find_platform(platform)
    except PlatformOffError as error:
        return f"{error} See {docs_of(platform)}."
    return ""


def docs_of(platform: str) -> str:
    """Return the page of the docs that explains how to set up the platform."""
    return f"docs/how-to/{platform}.md"


def platform_here(platform: str) -> str:
    """Return the name of the platform. Raises Http404 if there is none of this name."""
    if platform not in PLATFORMS:
        raise Http404("There is no such platform.")
    return platform


def recruitment_here(project: Project, platform: str) -> Recruitment:
    """Return the project's recruitment on the platform. Raises Http404 if its work was never offered there."""
    return get_object_or_404(Recruitment, project=project, platform=platform)


def platform_address(project: Project, platform: str) -> str:
    return f"{reverse('projects:recruit', args=[project.name])}#{platform}"


def rows_at(page: str, project: Project, platform: str, show: str = "") -> str:
    """Return the address of the sessions or payments (`page`) on the platform, of those that `show` selects."""
    found = reverse(f"projects:{page}", args=[project.name, platform])
    return f"{found}?{urlencode({'show': show})}" if show else found
