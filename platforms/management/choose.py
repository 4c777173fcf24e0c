"""Shared parts of the commands about platforms: platform, project, and a question before money moves."""

import sys
from argparse import ArgumentParser
from collections.abc import Iterable
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation.models import Project
from pipeline.management.find_project import find_project
from platforms.contract.errors import PlatformError
from platforms.contract.platform import Platform
from platforms.models import Recruitment
from platforms.offers.read_offers import Failure
from platforms.registry import PLATFORMS, find_platform
from platforms.status import status_of
from runtime.installed import COMMAND


class PlatformCommand(BaseCommand):
    """A command about the work of one project on one platform."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("platform", choices=sorted(PLATFORMS))
        parser.add_argument("project")

    def tell_failures(self, failures: Iterable[Failure]) -> None:
        for failure in failures:
            self.stderr.write(f"{failure}. The next round tries it again.")

    def tell(self, platform: Platform, project: Project, failures: Iterable[Failure] = ()) -> None:
        """Tell what failed, and how the project now stands on the platform."""
        self.tell_failures(failures)
        self.stdout.write(status_of(platform.name, project.id).text())


def chosen(options: dict[str, Any]) -> tuple[Platform, Project]:
    """Return platform and project. Raises CommandError if the platform is not set up, or the project does not exist."""
    try:
        return find_platform(options["platform"]), find_project(options["project"], archived=True)
    except PlatformError as error:
        raise CommandError(str(error)) from error


def recruitment_of(platform: Platform, project: Project) -> Recruitment:
    """Return the recruitment. Raises CommandError if the project was never offered on the platform."""
    found = Recruitment.objects.filter(platform=platform.name, project_id=project.id).first()
    if found is None:
        raise CommandError(f"{project.name} was never offered on {platform.name}: see `{COMMAND} publish`.")
    return found


def confirm(question: str, *, yes: bool) -> None:
    """Ask for a yes at the terminal, unless `yes` was given. Raises CommandError if the answer is no."""
    if yes:
        return
    if not sys.stdin.isatty():
        raise CommandError("There is no terminal to confirm this: give --yes, or --dry-run to see what would be done.")
    if input(f"{question} [y/N] ").strip().lower() not in ("y", "yes"):
        raise CommandError("Nothing was done.")
