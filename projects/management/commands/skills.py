"""manage.py skills PROJECT: estimate how often each worker is right."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from pipeline.management.find_project import find_project
from pipeline.protocol.tasks.task import Task
from projects.quality.estimate_skills import estimate_skills
from runtime.words import interval, percent
from workers.models import SkillEstimate


class Command(BaseCommand):
    help = (
        "Estimate how often each worker of a project is right, keep the estimates for the admin pages, and print them."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", help="name of the project")

    def handle(self, *args: Any, **options: Any) -> None:
        project = find_project(options["project"])
        if not estimate_skills(project_id=project.id):
            self.stdout.write("No worker has answered yet.")
        rows = SkillEstimate.objects.filter(project_id=project.id).select_related("worker").order_by("worker__name")
        for task in Task:
            for row in rows.filter(task=task.value):
                self.stdout.write(
                    f"{task.label}: {row.worker} {percent(row.accuracy)} ({interval(row.low, row.high)}), "
                    f"{row.answers} checked answers, {row.known_answers} of them to verification questions"
                )
