"""manage.py import_dataset PROJECT SOURCE: import images with captions into a project."""

from argparse import ArgumentParser
from collections.abc import Iterable
from typing import Any

from django.conf import settings as service
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from accounts.find_owner import find_owner
from annotation.models import Project
from annotation.rules.states import ProjectState
from annotation.storage_error import StorageError
from exchange.dataset import DatasetImage, Problem
from exchange.details import BoxUnit
from exchange.import_dataset import StrictImportError
from exchange.import_report import ImportReport, source_in_words
from exchange.registry import import_formats
from pipeline.project.settings_versions import NameTakenError
from pipeline.settings.policy_names import LinkStrategy
from pipeline.settings.settings import Settings
from projects.data.import_by_command import ImportByCommand
from projects.long_work import BusyError, CannotBeDone, Stopped
from projects.models import KnownUse
from projects.predictions.import_predictions import ProgramError


class Command(BaseCommand):
    help = "Import images with captions into a project; a missing project is made. Run again to continue."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", help="name of the project: letters, digits, - and _")
        parser.add_argument(
            "source", help="a folder or a .zip of one; also as s3://BUCKET/PREFIX/ or s3://BUCKET/FILE.zip"
        )
        parser.add_argument("--format", choices=import_formats(), help="format of the source (detected)")
        parser.add_argument(
            "--as",
            dest="use",
            choices=KnownUse.values,
            default=KnownUse.ANNOTATIONS.value,
            help="use of known chains and boxes: annotations (default), gold, pre_annotations, or check",
        )
        parser.add_argument(
            "--program", default="", help="program that stands for the source (default: named after it)"
        )
        parser.add_argument(
            "--boxes",
            choices=[one.value for one in BoxUnit],
            default="",
            help="pixels, or shares of the picture from 0 to 1",
        )
        parser.add_argument("--strict", action="store_true", help="refuse the whole import if there is any problem")
        parser.add_argument(
            "--strategy", choices=[one.value for one in LinkStrategy], help="link strategy of a new project"
        )
        parser.add_argument(
            "--draft", action="store_true", help="make a new project as a draft: nobody works until it is started"
        )
        parser.add_argument("--owner", help="user who becomes requester of the project (without: administrators only)")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            Project._meta.get_field("name").clean(options["project"], None)
        except ValidationError as error:
            raise CommandError(
                f"{options['project'][:80]!r} is not a project name: use up to 100 letters, digits, - and _."
            ) from error
        settings = Settings(strategy=LinkStrategy(options["strategy"])) if options["strategy"] else None
        owner = find_owner(options["owner"]) if options["owner"] else None
        if options["program"] and not KnownUse(options["use"]).by_program:
            raise CommandError(
                "--program names the program that stands for the source: add --as pre_annotations or check."
            )
        use = KnownUse(options["use"])
        try:
            work = ImportByCommand(options["project"], options["source"], use, options["program"], owner)
            work.work(
                self._progress,
                source_format=options["format"],
                strict=options["strict"],
                settings=settings,
                owner=owner,
                state=ProjectState.DRAFT if options["draft"] else ProjectState.RUNNING,
                boxes=options["boxes"],
            )
        except CannotBeDone as error:
            cause = error.__cause__
            self._print_problems(cause.problems if isinstance(cause, StrictImportError) else work.report.problems)
            raise CommandError(str(error)) from error
        except (BusyError, NameTakenError, ProgramError) as error:
            raise CommandError(str(error)) from error
        except StorageError as error:
            raise CommandError(f"{error}. Imported images stay; run the same command again to continue.") from error
        except Stopped:
            raise CommandError("Stopped. Imported images stay; run the same command again to continue.") from None
        self._print(options["project"], work.report)
        if work.told:
            self.stdout.write(f"  {work.told}")

    def _progress(self, images: Iterable[DatasetImage | Problem], total: int) -> Iterable[DatasetImage | Problem]:
        return tqdm(images, total=total, unit="image", desc="import", disable=None)

    def _print_problems(self, problems: list[Problem]) -> None:
        for problem in problems:
            self.stderr.write(f"  {problem}")

    def _print(self, project: str, report: ImportReport) -> None:
        if report.columns:
            self.stdout.write(report.columns)
        self._print_problems(report.problems)
        vectors = ", with vectors of their phrases" if service.PHRASE_VECTORS else ""
        self.stdout.write(f"{project}: {report.images} images with {report.mentions} mentions imported{vectors}.")
        if report.already_there:
            self.stdout.write(f"  {report.already_there} images were in the project already and were skipped.")
        if report.left_out:
            self.stdout.write(f"  {report.left_out} images were left out for the reasons above.")
        if report.already_there or report.left_out:
            self.stdout.write(f"  That makes {report.in_source} images in the source.")
        if pictures := source_in_words(report):
            self.stdout.write(f"  {pictures}")
        if report.waiting_for_phrases:
            self.stdout.write(
                f"  {report.waiting_for_phrases} images wait for their phrases. Run `make setup`, which installs the "
                "extra “nlp”, and then `manage.py chunk_captions`. Or mark the phrases in the source: [a man]."
            )
