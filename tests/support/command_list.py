"""Writes the commands of the service into docs/reference/commands.md, from their options and their help.

Run `python -m tests.support.command_list` to write them again.
"""

import os
import re
from collections.abc import Collection

import django
from django.core.management import BaseCommand, get_commands, load_command_class

from tests.support.declared import section

SECTION = section("reference/commands.md", "commands", "command_list")
SECTIONS = {
    "config": "The service ([operations.md](../how-to/operations.md))",
    "labelling": "People ([find_workers.md](../how-to/find_workers.md), [workers_data.md](../how-to/workers_data.md))",
    "exchange": "Files ([formats.md](formats.md))",
    "projects": "Projects ([new_project.md](../how-to/new_project.md))",
    "pipeline": "Questions and the record ([verification_questions.md](../how-to/verification_questions.md))",
    "platforms": "Platforms: `links`, `mturk` or `prolific` ([find_workers.md](../how-to/find_workers.md))",
    "simulation": "Simulation ([results.md](../why/results.md))",
    "surveys": "Surveys ([survey.md](../how-to/survey.md))",
}
"""The app of the commands, and the heading above them."""
OF_DJANGO = re.compile(
    r" \[(?:-h|--version|-v \S+|--settings \S+|--pythonpath \S+|--traceback|--(?:no|force)-color|--skip-checks)\]"
)
MANY_CHOICES = re.compile(r"\{[^}]{40,}\}")


def row(app: str, name: str) -> str:
    """Return a command with its options, and what it does."""
    command = load_command_class(app, name)
    assert isinstance(command, BaseCommand)
    usage = " ".join(command.create_parser("manage.py", name).format_usage().split())
    words = MANY_CHOICES.sub("…", OF_DJANGO.sub("", usage)).removeprefix("usage: manage.py ")
    return f"- `{words}`: {command.help}\n"


def sections(elsewhere: Collection[str]) -> str:
    """Return the commands of each app, without those that have a row elsewhere on the page."""
    names = {name: app for name, app in sorted(get_commands().items()) if name not in elsewhere}
    return "".join(
        f"\n### {title}\n\n{''.join(row(app, name) for name, its in names.items() if its == app)}"
        for app, title in SECTIONS.items()
    )


def page() -> str:
    """Return the page with the commands that have no row elsewhere on it."""
    elsewhere = re.findall(r"^- `(\w+)", SECTION.filled(""), re.M)
    return SECTION.filled(f"{sections(elsewhere)}\n")


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    SECTION.page.write_text(page())
