"""fit_link_prior PROJECT [--from PROJECT ... | --captions-only]: link adaptively, with a prior of known chains."""

from argparse import ArgumentParser
from collections.abc import Sequence
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from annotation.models import Project
from pipeline.learning.fit_prior import fit_prior, read_captions
from pipeline.management.find_project import find_project
from pipeline.project.open_questions import links_on_their_way
from pipeline.project.settings_versions import current_settings
from pipeline.settings.settings import Settings

MIN_GROUPS = 100
"""With fewer groups, the weights say as much about these images as about words."""


class Command(BaseCommand):
    help = (
        "Fit the prior of the adaptive link strategy on images with gold, or on finished ones, and switch the project "
        "to that strategy and prior by a new version of its settings."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project")
        learned_from = parser.add_mutually_exclusive_group()
        learned_from.add_argument(
            "--from", dest="sources", nargs="+", metavar="PROJECT", help="(default: the project itself)"
        )
        learned_from.add_argument(
            "--captions-only",
            action="store_true",
            help="keep the weights, and only learn from the captions which head nouns name one thing",
        )
        parser.add_argument("--stop", type=float, metavar="BITS", help="least expected information of a question")

    def handle(self, *args: Any, **options: Any) -> None:
        project = find_project(options["project"])
        sources = [find_project(name) for name in options["sources"] or [options["project"]]]
        if waiting := links_on_their_way(project.id):
            self.stdout.write(f"{waiting:,} link questions are answered or with workers: their answers will count.")
        try:
            if options["captions_only"]:
                read_captions(project.id, stop=options["stop"])
            else:
                self._fit(project, sources, options["stop"])
        except ValueError as error:
            raise CommandError(str(error)) from error
        version, settings = current_settings(project.id)
        self.stdout.write(_text(settings))
        fitted_on = settings.learned.links.fitted_on
        if not options["captions_only"] and fitted_on < MIN_GROUPS:
            self.stderr.write(f"! {fitted_on} groups are few. Fit the prior again when more images are finished.")
        self.stdout.write(f"{project.name} links adaptively from now on (settings version {version}).")

    def _fit(self, project: Project, sources: Sequence[Project], stop: float | None) -> None:
        with tqdm(unit="group", disable=None) as bar:
            fit_prior(project.pk, sources, stop=stop, done=lambda number: bar.update(number - bar.n))


def _text(settings: Settings) -> str:
    prior = settings.learned.links
    lines = [f"{len(prior.alike):,} pairs of head nouns read from captions, {len(prior.heads):,} from known chains."]
    lines += [f"Fitted on {prior.fitted_on} groups. Weights of a pair, added to the logit of being one chain:"]
    lines += [f"  {weight:+.2f}  {name}" for name, weight in sorted(prior.pairs.items(), key=lambda one: -one[1])]
    return "\n".join(lines)
