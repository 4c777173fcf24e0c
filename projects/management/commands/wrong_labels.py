"""manage.py wrong_labels PROJECT: estimate how many labels of a checked data set are wrong, before and after."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from exchange.atomic import TargetExists, atomic_file
from pipeline.management.find_project import find_project
from pipeline.policies.compose import engine_of
from pipeline.project.settings_versions import current_settings
from projects.label_errors.wrong_labels import ALL, in_words, read_wrong_labels

MAX_IMAGES = 1_000_000


class Command(BaseCommand):
    help = "Estimate the share of wrong labels of a checked data set, by type, before and after, with 90 % intervals."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", help="name of a project that checks a data set")
        parser.add_argument("--json", type=Path, metavar="FILE", help="also write the shares to this new file")

    def handle(self, *args: Any, **options: Any) -> None:
        project = find_project(options["project"])
        if not engine_of(current_settings(project.pk)[1]).source.program:
            raise CommandError(
                f"The project {project.name} checks no data set. Import one with: "
                f"import_dataset {project.name} SOURCE --as check"
            )
        found = read_wrong_labels(project, MAX_IMAGES)
        if not found.shares:
            raise CommandError(f"No image of {project.name} is finished yet: there is nothing to estimate from.")
        if options["json"]:
            try:
                with atomic_file(options["json"]) as path:
                    path.write_text(json.dumps(found.rows, indent=2) + "\n", encoding="utf-8")
            except (TargetExists, OSError) as error:
                raise CommandError(str(error)) from error
        self.stdout.write(f"Labels of {found.images} finished images, with 90 % intervals:")
        for name, type_shares in found.shares.items():
            before, after = (" (".join(in_words(share)) for share in (type_shares.before, type_shares.after))
            self.stdout.write(f"  {name or ALL}: {type_shares.labels:,}, wrong before {before}), after {after})")
