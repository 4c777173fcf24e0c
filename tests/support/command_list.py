"""Writes the commands of the service into docs/reference/commands.md, from their options and their help.

Run `python -m tests.support.command_list` to write them again.
"""

import os
import re
from collections.abc import Collection

import django
from django.core.management import BaseCommand, get_commands, load_command_class

from config.start import COMMANDS, commands_of
from tests.support.declared import section
from tests.support.places import ROOT

SECTION = section("reference/commands.md", "commands", "command_list")
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
    """Return the commands of each group and of developers, but for studies and those with a row elsewhere."""
    apps = {name: app for name, app in sorted(get_commands().items()) if (ROOT / app).is_dir() and app != "studies"}
    groups = {group: commands_of(group) for group in COMMANDS}
    groups["development"] = sorted(apps.keys() - {name for names in groups.values() for name in names})
    return "".join(
        f"\n### {group.capitalize()}\n\n{''.join(row(apps[name], name) for name in names if name in own)}"
        for group, names in groups.items()
        if (own := apps.keys() - {*elsewhere}) & {*names}
    )


def page() -> str:
    """Return the page with the commands that have no row elsewhere on it."""
    elsewhere = re.findall(r"^- `(\w+)", SECTION.filled(""), re.M)
    return SECTION.filled(f"{sections(elsewhere)}\n")


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    SECTION.page.write_text(page())
