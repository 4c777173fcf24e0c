"""manage.py stock: the verification questions of a project, and filling them up from its gold."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation.models import Gold
from pipeline.known_questions import add_known_from_gold, stock
from pipeline.management.find_project import find_project
from pipeline.rules.task import Task

LEAST = 30
"""With a smaller stock nobody can finish a probation [paper 3.3]."""


class Command(BaseCommand):
    help = "Say how many verification questions a project has, task by task; with --from-gold fill them up first."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project")
        parser.add_argument("--from-gold", type=int, metavar="N", help="up to so many of each task")
        parser.add_argument("--tasks", nargs="+", choices=[task.value for task in Task], default=list(Task))
        parser.add_argument("--seed", type=int, default=0, help="which images they are taken from (default 0)")

    def handle(self, *args: Any, **options: Any) -> None:
        project = find_project(options["project"])
        tasks = [Task(task) for task in options["tasks"]]
        added = dict.fromkeys(tasks, 0)
        if options["from_gold"] is not None:
            if options["from_gold"] < 1:
                raise CommandError("--from-gold takes a number of questions from 1.")
            if not Gold.objects.filter(image__project=project).exists():
                raise CommandError(f"{project} has no gold: import images with their annotation by --gold first.")
            added = add_known_from_gold(project=project, most=options["from_gold"], seed=options["seed"], tasks=tasks)
        for task in tasks:
            there = stock(project.id, task)
            warning = f"; probation takes {LEAST}" if there < LEAST else ""
            self.stdout.write(f"{task.label}: {there} verification questions ({added[task]} new){warning}")
