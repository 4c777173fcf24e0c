"""manage.py chunk_captions PROJECT: find the phrases of captions that were imported without."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from exchange.chunk_project import NoChunkerError, chunk_project, waiting_images
from pipeline.management.find_project import find_project
from runtime.words import counted


class Command(BaseCommand):
    help = "Find the phrases of captions that were imported without (needs the extra “nlp”). Run again to continue."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", help="name of the project")

    def handle(self, *args: Any, **options: Any) -> None:
        project = find_project(options["project"])
        with tqdm(total=len(waiting_images(project)), unit="image", desc="chunk", disable=None) as bar:
            try:
                count = chunk_project(project, actor="chunk_captions", step=bar.update)
            except NoChunkerError as error:
                raise CommandError(str(error)) from error
        self.stdout.write(f"{project.name}: found phrases in {counted(count, 'image')}.")
        if left := len(waiting_images(project)):
            self.stdout.write(
                f"  Images with more phrases than are allowed (docs/reference/formats.md), which keep waiting: {left}. "
                "Give them some by “Change the phrases of a caption”, or import them again with phrases marked."
            )
