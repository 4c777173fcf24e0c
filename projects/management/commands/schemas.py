"""manage.py schemas: write the JSON Schemas of files, and the page that explains their fields."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from exchange.formats.schema.make_schema import fields_page, schema_of
from projects.schemas import kinds

FOLDER = "docs/reference"


class Command(BaseCommand):
    help = "Write docs/reference/schemas/ and docs/reference/fields.md from the declarations of the files' rows."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--check", action="store_true", help="change nothing; fail if a file is not current")

    def handle(self, *args: Any, **options: Any) -> None:
        folder = Path(settings.BASE_DIR) / FOLDER
        if not folder.is_dir():
            raise CommandError(f"There is no {FOLDER} here: run this in a checkout.")
        wanted = {folder / "schemas" / f"{name}.json": _text(schema_of(kind)) for name, kind in kinds().items()}
        wanted[folder / "fields.md"] = fields_page(kinds().values())
        others = set((folder / "schemas").glob("*")) - wanted.keys()
        stale = [path for path, text in wanted.items() if not path.exists() or path.read_text("utf-8") != text]
        if options["check"] and (stale or others):
            names = ", ".join(sorted(path.name for path in {*stale, *others}))
            raise CommandError(f"Not current: {names}. Run manage.py schemas.")
        (folder / "schemas").mkdir(exist_ok=True)
        for path in others:
            path.unlink()
        for path in stale:
            path.write_text(wanted[path], encoding="utf-8")
        self.stdout.write(f"{FOLDER}: {len(kinds())} schemas.")


def _text(schema: dict[str, Any]) -> str:
    return json.dumps(schema, indent=1, ensure_ascii=False) + "\n"
