"""manage.py replay PROJECT: check that the stored state is what the record makes."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from pipeline.management.find_project import find_project
from pipeline.models import Entry
from pipeline.record.read_record import replay
from runtime.words import counted

MAX_DIFFERENCES_SHOWN = 50


class Command(BaseCommand):
    help = "Rebuild every image from its record, and report what is stored otherwise. Changes nothing."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project")

    def handle(self, *args: Any, **options: Any) -> None:
        project = find_project(options["project"])
        images = project.images.count()
        with tqdm(total=images, unit="image", desc="replay", disable=None) as bar:
            differences = list(replay(project, step=bar.update))
        for difference in differences[:MAX_DIFFERENCES_SHOWN]:
            self.stderr.write(f"  {difference}")
        if len(differences) > MAX_DIFFERENCES_SHOWN:
            self.stderr.write(f"  … and {len(differences) - MAX_DIFFERENCES_SHOWN} more")
        if differences:
            raise CommandError(f"{len(differences)} differences between the record and the stored state.")
        entries = Entry.objects.filter(project=project).count()
        made = f"{counted(images, 'image')} replayed from {counted(entries, 'entry', 'entries')}"
        self.stdout.write(f"{project.name}: {made}; nothing differs.")
