"""fit_link_prior PROJECT [--from PROJECT ...]: link adaptively, with a prior fitted on known chains."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from pipeline.fit_prior import fit_prior
from pipeline.management.find_project import find_project
from pipeline.open_questions import links_on_their_way
from pipeline.rules.linking.adaptive.link_prior import LinkPrior

FEW = 100
"""With fewer groups, the weights say as much about these images as about words."""


class Command(BaseCommand):
    help = (
        "Fit the prior of the adaptive link strategy on images with gold, or on finished ones, and switch the project "
        "to that strategy and prior by a new version of its settings."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project")
        parser.add_argument(
            "--from", dest="sources", nargs="+", metavar="PROJECT", help="(default: the project itself)"
        )
        parser.add_argument("--stop", type=float, metavar="BITS", help="least expected information of a question")

    def handle(self, *args: Any, **options: Any) -> None:
        project = find_project(options["project"])
        sources = [find_project(name) for name in options["sources"] or [options["project"]]]
        if waiting := links_on_their_way(project.id):
            self.stdout.write(f"{waiting:,} link questions are answered or with workers: their answers will count.")
        try:
            with tqdm(unit="group", disable=None) as bar:
                version, prior = fit_prior(
                    project.id, sources, stop=options["stop"], done=lambda number: bar.update(number - bar.n)
                )
        except ValueError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(_text(prior))
        if prior.fitted_on < FEW:
            self.stderr.write(f"! {prior.fitted_on} groups are few. Fit the prior again when more images are finished.")
        self.stdout.write(f"{project.name} links adaptively from now on (settings version {version}).")


def _text(prior: LinkPrior) -> str:
    lines = [f"Fitted on {prior.fitted_on} groups. Weights of a pair, added to the logit of being one chain:"]
    lines += [f"  {weight:+.2f}  {name}" for name, weight in sorted(prior.pairs.items(), key=lambda one: -one[1])]
    return "\n".join(lines)
