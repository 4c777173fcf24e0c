"""manage.py settings_reference: write the part about a project's settings of docs/reference/settings.md."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from pipeline.protocol.settings import SettingKind
from pipeline.settings.guide import GUIDE, Section, Setting, in_section, paper_says, value_text

BEGIN, END = "<!-- settings: written by manage.py settings_reference -->\n", "<!-- settings: end -->\n"
PAGE = "docs/reference/settings.md"


class Command(BaseCommand):
    help = "Write the tables of a project's settings in docs/reference/settings.md from their descriptions."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--check", action="store_true", help="change nothing; fail if the page is not current")

    def handle(self, *args: Any, **options: Any) -> None:
        path = Path(settings.BASE_DIR) / PAGE
        if not path.exists():
            raise CommandError(f"There is no {PAGE} here: run this in a checkout.")
        text = path.read_text(encoding="utf-8")
        if BEGIN not in text or END not in text:
            raise CommandError(f"{PAGE} has no place for the tables: add the lines {BEGIN.strip()} and {END.strip()}.")
        before, rest = text.split(BEGIN, 1)
        wanted = before + BEGIN + tables() + END + rest.split(END, 1)[1]
        if options["check"] and wanted != text:
            raise CommandError(f"{PAGE} is not current: run manage.py settings_reference.")
        path.write_text(wanted, encoding="utf-8")
        self.stdout.write(f"{PAGE}: {len(GUIDE)} settings.")


def tables() -> str:
    """Return a table for each section of the form."""
    return "".join(_table(section) for section in Section) + "\n"


def _table(section: Section) -> str:
    rows = [
        f"| `{setting.name}` | {_default(setting)} | {_paper(setting)} | {_range(setting)} | {_meaning(setting)} |\n"
        for setting in in_section(section)
    ]
    head = "| setting | default | paper | values | effect |\n|---|---|---|---|---|\n"
    return f"\n### {section.value}\n\n{head}{''.join(rows)}"


def _default(setting: Setting) -> str:
    if setting.kind is SettingKind.PAIRS:
        return "*other* with all, scene with vehicles"
    if setting.per_task:
        values = [value_text(setting, value) for value in setting.default.values()]
        return values[0] if len(set(values)) == 1 else ", ".join(values)
    return value_text(setting, setting.default)


def _paper(setting: Setting) -> str:
    return "the same" if paper_says(setting) == _default(setting) else paper_says(setting)


def _range(setting: Setting) -> str:
    match setting.kind:
        case SettingKind.NUMBER | SettingKind.PERCENT:
            percent = setting.kind is SettingKind.PERCENT
            words = setting.limits.words(100 if percent else 1)
            return f"{words} {'%' if percent else setting.unit}{', for each task' if setting.per_task else ''}"
        case SettingKind.CHOICE:
            return ", ".join(f"`{choice.value}`" for choice in setting.choices)
        case SettingKind.FLAG:
            return "`true`, `false`"
    return setting.unit or {
        SettingKind.TYPES: "types",
        SettingKind.PAIRS: "pairs of types",
        SettingKind.EDITS: "words to add or remove",
        SettingKind.ERRORS: "two rates from 0.005 to 0.3, and perhaps `misjoined`, `overlooked` and `lapse`, or none",
        SettingKind.WORKERS: "numbers of programs",
        SettingKind.COSTS: "cents by the number of each program",
        SettingKind.FAMILIES: "a name of up to 40 characters by the number of each program, or none",
        SettingKind.PROGRAMS: "two rates from 0 to 1 by the number of each program, or none",
    }.get(setting.kind, "a fitted prior, or none")


def _meaning(setting: Setting) -> str:
    choices = "; ".join(
        f"*{choice.value}*: {choice.sentence[:1].lower()}{choice.sentence[1:-1]}" for choice in setting.choices
    )
    return f"{setting.changes}{f' {choices[:1]}{choices[1:]}.' if choices else ''}"
