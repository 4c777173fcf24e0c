"""manage.py predict NAME: predict judgments, hours, money and exactly right chains of a project, by simulation."""

import json
from argparse import ArgumentParser
from functools import partial
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from pipeline.management.find_project import find_project
from pipeline.project.settings_versions import current_settings
from projects.forecast.expected import who_works
from projects.forecast.forms import PredictForm
from projects.forecast.results import Way, ways_of
from projects.forecast.work import predict
from projects.long_work import Watch, carry_out
from projects.models import CampaignPrediction
from runtime.words import interval, percent
from simulation.crowd import CROWDS
from simulation.link_crowd import WORKERS

ASSUMED = ("crowd", "bad_percent", "program_errors", "good_percent", "sample", "repetitions")


class Command(BaseCommand):
    help = "Predict a project under every way to ask, with simulated workers. The project's page shows the result, too."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", help="name of the project")
        parser.add_argument("--crowd", choices=list(CROWDS), default="paper", help="who answers (paper)")
        parser.add_argument(
            "--workers", type=int, help="workers who begin (those who are invited or at work, or else 20)"
        )
        parser.add_argument("--bad-percent", type=int, default=0, help="bad workers among them (0)")
        parser.add_argument(
            "--trusted",
            type=int,
            nargs="?",
            const=WORKERS,
            metavar="N",
            help="number of them who are trusted from the start; without a number, all",
        )
        parser.add_argument(
            "--program-errors",
            type=int,
            metavar="PERCENT",
            help="errors of an imagined model annotator (the programs at work, as measured)",
        )
        words = "good boxes of an imagined program that proposes (as those tried so far)"
        parser.add_argument("--good-percent", type=int, metavar="PERCENT", help=words)
        parser.add_argument("--sample", type=int, default=30, help="images that are simulated (30)")
        parser.add_argument("--repetitions", type=int, default=2, help="times that each is simulated (2)")
        parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures to this file")

    def handle(self, *args: Any, **options: Any) -> None:
        project = find_project(options["project"])
        given = {name: options[name] for name in ASSUMED}
        named = who_works(project, options["workers"], options["trusted"])
        if options["trusted"] == WORKERS:
            named["trusted"] = named["workers"]
        form = PredictForm({**given, **named})
        if not form.is_valid():
            wrong = (f"--{name.replace('_', '-')}: {' '.join(map(str, found))}" for name, found in form.errors.items())
            raise CommandError("; ".join(wrong))
        if project.campaign_predictions.filter(state__in=CampaignPrediction.OPEN).exists():
            raise CommandError("A prediction of this project is being made already: wait for it.")
        version = current_settings(project.pk)[0]
        made = CampaignPrediction.objects.create(project=project, settings_version=version, **form.cleaned_data)
        carry_out(Watch(made, by_command=True), partial(predict, made))
        made.refresh_from_db()
        if made.state != CampaignPrediction.State.DONE:
            raise CommandError(made.problem or "The prediction was stopped.")
        self.stdout.write("Simulated; in brackets the 90 % interval.")
        for way in ways_of(made):
            self.stdout.write(_line(way))
        if options["json"]:
            options["json"].write_text(json.dumps(made.values, indent=2) + "\n", encoding="utf-8")


def _line(way: Way) -> str:
    judgments = "{:.0f} judgments ({:.0f} to {:.0f})".format(*way.judgments)
    hours = "{:.1f} h ({:.1f} to {:.1f})".format(*way.hours)
    exact = f"{percent(way.exact[0], 1)} of chains exact ({interval(way.exact[1], way.exact[2], 1)})"
    if way.labels:
        found = "{:.0f} ({:.0f} to {:.0f})".format(*way.labels["found"])
        exact = f"{found} of {way.labels['wrong'][0]:.0f} wrong labels found, {way.left:.0f} left"
    return f"{way.words}: {judgments}, {hours}, {way.money[0]}, {exact}"
