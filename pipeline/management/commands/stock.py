"""manage.py stock PROJECT: report a project's verification questions, and add more."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from annotation.models import Gold, Project
from pipeline.known.question_mix import answer_name, answer_names
from pipeline.management.find_project import find_project
from pipeline.models import KnownQuestion
from pipeline.project.settings_versions import current_settings
from pipeline.project.tasks import NotAskedError, chosen_tasks
from pipeline.protocol.tasks.task import Task
from pipeline.stock.known_questions import Purpose
from pipeline.stock.stock_forecast import warnings
from pipeline.stock.stock_from_gold import fill_from_gold
from pipeline.stock.stock_report import TaskReport, known_reports
from pipeline.stock.suggest_known import AGREE, suggest_known

MAX_QUESTIONS = 1_000_000
"""Questions that one call may ask for."""
FILL = {"examples": Purpose.EXAMPLE, "tests": Purpose.TEST, "from_gold": Purpose.VERIFICATION}
"""The purpose that each option fills, in the order of filling."""
PURPOSES = {Purpose.VERIFICATION: "verification questions", Purpose.TEST: "test questions", Purpose.EXAMPLE: "examples"}


class Command(BaseCommand):
    help = "Report a project's verification questions, task by task. With --from-gold, add some first."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project")
        for name, what in (
            ("--from-gold", "add up to N verification questions of each task from its gold, and tests and examples"),
            ("--tests", "add up to N test questions from its gold (default: enough for every try)"),
            ("--examples", "add up to N examples from its gold (default: one of each answer)"),
            ("--suggest", "list up to N finished questions that trusted workers agreed on"),
        ):
            parser.add_argument(name, type=int, metavar="N", help=what)
        parser.add_argument("--task", "--tasks", nargs="+", choices=list(Task), default=[], metavar="TASK")
        parser.add_argument("--seed", type=int, default=0, help="seed of the draw of images (default 0)")

    def handle(self, *args: Any, **options: Any) -> None:
        project = find_project(options["project"])
        try:
            tasks = list(chosen_tasks(project, options["task"]))
        except NotAskedError as error:
            raise CommandError(str(error)) from error
        for name, least in (("from_gold", 1), ("tests", 0), ("examples", 0), ("suggest", 1)):
            if options[name] is not None and not least <= options[name] <= MAX_QUESTIONS:
                raise CommandError(
                    f"--{name.replace('_', '-')} takes a number of questions from {least} to {MAX_QUESTIONS:,}."
                )
        self._fill(project, tasks, options)
        for report in known_reports(project.id, tasks):
            self._tell(report)
            if options["suggest"]:
                self._suggest(project, report.task, options["suggest"])
        for text in warnings(project.id):
            self.stderr.write(f"! {text}")

    def _fill(self, project: Project, tasks: list[Task], options: dict[str, Any]) -> None:
        wanted = {name: options[name] for name in FILL if options["from_gold"] or options[name]}
        if not wanted:
            return
        images = Gold.objects.filter(image__project=project).count()
        if not images:
            raise CommandError(f"{project} has no gold. Import images with their annotation by --as gold first.")
        settings = current_settings(project.id)[1]
        usual = {"tests": settings.tests * settings.test_questions}
        for name, most in wanted.items():
            goal = {task: most if most is not None else usual.get(name, len(answer_names(task))) for task in tasks}
            with tqdm(total=images, unit="image", desc=name, disable=None, leave=False) as bar:
                added = fill_from_gold(
                    project=project, most=goal, purpose=FILL[name], seed=options["seed"], step=bar.update
                )
            self.stdout.write(f"{sum(added.values())} {PURPOSES[FILL[name]]} added")

    def _tell(self, report: TaskReport) -> None:
        self.stdout.write(f"\n{report.task.label}")
        for purpose, words in PURPOSES.items():
            mix = f" ({report.mix})" if purpose == Purpose.VERIFICATION and report.count(purpose) else ""
            self.stdout.write(f"  {report.count(purpose):>5} {words}{mix}")
        if report.count(Purpose.VERIFICATION):
            self.stdout.write(f"  score by one button: {report.one_button}")
            self.stdout.write(f"  right by trusted workers: {report.share_right}")
            self.stdout.write(f"  assignments a new worker can have: {report.new_worker}")
            self.stdout.write(f"  assignments until the first worker has seen all: {report.at_work}")
        for known in report.suspects:
            self.stdout.write(f"  suspect: {_name(known)}: most trusted workers answer otherwise")

    def _suggest(self, project: Project, task: Task, most: int) -> None:
        found = suggest_known(project.id, {task: AGREE}, most)[task]
        for forecast in found:
            answer = answer_name(task, forecast.truth)
            where = f"question {forecast.question.id} of {forecast.question.image.name}"
            self.stdout.write(f"  agreed: {where}: “{answer}”, by {forecast.agreed} trusted workers")
        if not found:
            self.stdout.write("  agreed: no question that the stock needs")


def _name(known: KnownQuestion) -> str:
    return f"{known} of {known.image.name} (“{answer_name(Task(known.task), known.truth)}”)"
