"""manage.py survey_import PROJECT --kind KIND --items FILE: fill a survey with questions."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from accounts.rights import borrow_pictures, find_owner
from annotation.models import Project
from pipeline.management.find_project import find_project
from pipeline.project.settings_versions import NameTakenError
from pipeline.protocol.tasks.task import SURVEY_TASKS, Task
from runtime.disk_errors import StorageError
from surveys.ask_items import AskedItems, ask_items, check_survey, open_survey, plan_items
from surveys.pictures import FolderOfPictures, ItemPictures, PicturesOfProject
from surveys.read_items import read_items
from surveys.rules.items import SurveyError


class Command(BaseCommand):
    help = "Fill a survey with questions; a missing project is made as a draft. Run again to continue."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", help="name of the survey: letters, digits, - and _")
        kinds = [task.value for task in SURVEY_TASKS]
        parser.add_argument("--kind", required=True, choices=kinds, help="what is asked")
        parser.add_argument("--items", required=True, type=Path, metavar="FILE", help="a JSON object a line")
        source = parser.add_mutually_exclusive_group(required=True)
        source.add_argument("--pictures", type=Path, metavar="FOLDER", help="the folder with the pictures")
        source.add_argument("--from-project", metavar="OTHER", help="the project that has the pictures")
        parser.add_argument("--votes", type=int, help="workers who answer each question, an odd number (3)")
        parser.add_argument("--seed", type=int, default=0, help="decides the order and which items are known (0)")
        parser.add_argument("--known", type=int, default=0, metavar="N", help="items by which workers are checked")
        parser.add_argument("--owner", help="user who becomes requester of the project (without: administrators only)")

    def handle(self, *args: Any, **options: Any) -> None:
        task, name = Task(options["kind"]), options["project"]
        try:
            Project._meta.get_field("name").clean(name, None)
        except ValidationError as error:
            raise CommandError(
                f"{name[:80]!r} is not a project name: use up to 100 letters, digits, - and _."
            ) from error
        if options["known"] < 0:
            raise CommandError(f"--known is a number from 0, not {options['known']}.")
        owner = find_owner(options["owner"]) if options["owner"] else None
        try:
            asked = self._import(name, task, options, owner)
        except (SurveyError, NameTakenError) as error:
            raise CommandError(str(error)) from error
        except (StorageError, KeyboardInterrupt) as error:
            why = str(error) or "Stopped"
            raise CommandError(f"{why}. What was written stays; run the same command again to continue.") from error
        self._print(name, asked)

    def _import(self, name: str, task: Task, options: dict[str, Any], owner: User | None) -> AskedItems:
        settings = check_survey(name, task, options["votes"])
        items = read_items(options["items"], task)
        pictures: ItemPictures
        if options["from_project"]:
            pictures = PicturesOfProject(find_project(options["from_project"]))
        else:
            pictures = FolderOfPictures(options["pictures"])
        plan = plan_items(
            Project.objects.filter(name=name).first(),
            items,
            known=options["known"],
            test_questions=settings.test_questions,
            tests=settings.tests,
            seed=options["seed"],
        )
        with tqdm(total=len(plan.images), unit="picture", desc="check", disable=None) as bar:
            pictures.check(plan.images, bar.update)
        project = open_survey(name=name, task=task, settings=settings, owner=owner)
        if isinstance(pictures, PicturesOfProject):
            borrow_pictures(project, pictures.project)
        with tqdm(total=plan.steps, unit="step", desc="import", disable=None) as bar:
            return ask_items(project, task, plan, pictures, bar.update)

    def _print(self, project: str, result: AskedItems) -> None:
        known = ", ".join(f"{count} {purpose}" for purpose, count in result.known.items() if count) or "none"
        self.stdout.write(f"{project}: {result.questions} questions on {result.pictures} new pictures; known: {known}.")
        if result.there:
            self.stdout.write(f"  {result.there} items were in the project already and were passed over.")
