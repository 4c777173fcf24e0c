"""manage.py signals PROJECT: find signals of bad work."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from pipeline.management.find_project import find_project
from projects.quality.detect_signals import find_signals
from workers.models import Worker, WorkerSignal


class Command(BaseCommand):
    help = "Find signals of bad work in a project's answers, keep them for the admin pages, and print them."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", help="name of the project")

    def handle(self, *args: Any, **options: Any) -> None:
        project = find_project(options["project"])
        find_signals(project_id=project.id)
        rows = WorkerSignal.objects.filter(project_id=project.id, gone_at=None).order_by("chance")
        names = dict(Worker.objects.filter(id__in={id for row in rows for id in row.workers}).values_list("id", "name"))
        for row in rows:
            dismissed = f" (dismissed by {row.dismissed_by}: {row.note})" if row.dismissed_at else ""
            who = " and ".join(names[id] for id in row.workers)
            self.stdout.write(f"{who}: {row}{dismissed}. {row.words} So look {row.rarity}.")
        if not rows:
            self.stdout.write("No signals. This does not prove good work.")
