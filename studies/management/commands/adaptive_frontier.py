"""python -m studies adaptive_frontier PATH: what the adaptive strategy reaches for how many judgments."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from tqdm import tqdm

from pipeline.rules.linking.prior.alike_heads import alike_heads
from pipeline.rules.linking.prior.link_prior import DEFAULT, WORDLESS, LinkPrior
from simulation.compare_strategies import BedImage, bed_image
from studies.linking.adaptive_frontier import STOPS, World, fit_on, frontier
from studies.linking.new_project import Refitting
from studies.linking.program import Predict, right_about, useless
from studies.linking.report import Fold, reliability_table, table
from studies.linking.shuffled_words import shuffle_words
from studies.linking.vectors import with_vectors
from studies.real_images import add_folds, read_images

USELESS = "useless"


class Command(BaseCommand):
    help = "Compare the adaptive link strategy with greedy plus, with simulated workers and a prior from other images."
    requires_system_checks = ()
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        add_folds(parser)
        parser.add_argument("--seeds", type=int, default=1, metavar="N", help="samples and crowds, from --seed on (1)")
        priors = parser.add_mutually_exclusive_group()
        priors.add_argument("--fitted-on", type=int, default=200, metavar="N", help="images for the prior (200)")
        priors.add_argument("--prior-from", type=Path, metavar="PATH", help="fit the prior on this folder's images")
        priors.add_argument("--default-prior", action="store_true", help="take the prior of a project's first day")
        priors.add_argument("--wordless", action="store_true", help="take a prior of chain sizes alone")
        priors.add_argument(
            "--new-project", action="store_true", help="begin with the default prior and refit it, as projects do"
        )
        parser.add_argument("--alike", action="store_true", help="learn from captions which head nouns are alike")
        parser.add_argument("--vectors", action="store_true", help="phrases have vectors (of the package wordllama)")
        parser.add_argument("--refit", choices=("all", "weights", "errors"), help="refit as images are finished")
        parser.add_argument(
            "--stops", type=float, nargs="+", default=STOPS, metavar="BITS", help="where the strategy stops asking"
        )
        parser.add_argument("--error", type=float, metavar="SHARE", help="share of wrong answers (as in table 2)")
        parser.add_argument("--spam", type=float, default=0.0, metavar="SHARE", help="share of workers who guess (0)")
        parser.add_argument("--skills", action="store_true", help="50 verification questions of each worker are known")
        parser.add_argument("--shuffle-words", action="store_true", help="shuffle the words among the phrases")
        parser.add_argument(
            "--program",
            metavar="SHARE",
            help=f"chains of a program that places this share of the phrases right, or {USELESS}",
        )
        parser.add_argument("--json", type=Path, metavar="FILE", help="also write the folds to this file")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            folds = self._folds(options)
        except (ValueError, OSError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(
            f"Simulated workers, real mentions: {options['folds']} disjoint folds of {options['images']} images"
            f"{_seeds_said(options)}, {_prior_said(options)}."
        )
        self.stdout.write(table(folds))
        middle = sorted(folds[0].points)[len(folds[0].points) // 2]
        self.stdout.write(f"\nReliability of the confidence at stop {middle:g}:\n{reliability_table(folds, middle)}")
        if options["json"]:
            rows = [{"greedy plus": fold.greedy_plus, "points": fold.points} for fold in folds]
            options["json"].write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")

    def _folds(self, options: dict[str, Any]) -> list[Fold]:
        error, spam = options["error"], options["spam"]
        if error is not None and not 0 < error < 0.45:
            raise CommandError(f"--error {error}: give a share above 0 and below 0.45.")
        if not 0 <= spam < 1:
            raise CommandError(f"--spam {spam}: give a share from 0 and below 1.")
        if options["seeds"] < 1:
            raise CommandError(f"--seeds {options['seeds']}: give at least 1.")
        bed = _bed(options["path"], options["vectors"])
        first = options["seed"]
        with tqdm(unit="image", disable=None) as bar:

            def done(seed: int) -> Callable[[int, int], None]:
                def tell(number: int, of: int) -> None:
                    bar.total = of * options["seeds"]
                    bar.update((seed - first) * of + number - bar.n)

                return tell

            seeds = range(first, first + options["seeds"])
            return [fold for seed in seeds for fold in _of_seed(bed, options, seed, done(seed))]


def _of_seed(
    bed: list[BedImage], options: dict[str, Any], seed: int, done: Callable[[int, int], None]
) -> Iterator[Fold]:
    shown = shuffle_words(bed, seed) if options["shuffle_words"] else bed
    # Chains are not read: a project has such a table on its first day.
    alike = alike_heads(image.mentions for image in shown) if options["alike"] else {}
    prior = _prior(options, alike)
    program = _program(options, seed)
    return frontier(
        bed,
        folds=options["folds"],
        images=options["images"],
        fitted_on=0 if prior else options["fitted_on"],
        alike=alike,
        prior=prior,
        refitting=_refitting(options),
        stops=options["stops"],
        world=World(options["error"], options["spam"], options["skills"], options["shuffle_words"], program),
        seed=seed,
        done=done,
    )


def _bed(path: Path, vectors: bool) -> list[BedImage]:
    bed = [bed_image(image) for image in read_images(path)]
    return with_vectors(bed) if vectors else bed


def _prior(options: dict[str, Any], alike: dict[str, float]) -> LinkPrior | None:
    """Return the prior of every fold; None: each has one of its own."""
    if options["prior_from"]:
        return fit_on(_bed(options["prior_from"], options["vectors"]), alike)
    if options["wordless"]:
        return WORDLESS
    return replace(DEFAULT, alike=alike) if options["default_prior"] or options["new_project"] else None


def _refitting(options: dict[str, Any]) -> Refitting | None:
    learned = options["refit"] or ("all" if options["new_project"] else None)
    return Refitting(weights=learned != "errors", errors=learned != "weights") if learned else None


def _program(options: dict[str, Any], seed: int) -> Predict | None:
    said = options["program"]
    if said is None or said == USELESS:
        program = None if said is None else useless(seed)
    else:
        try:
            share = float(said)
        except ValueError:
            share = -1.0
        if not 0 <= share <= 1:
            raise CommandError(f"--program {said}: give a share from 0 to 1, or {USELESS}.")
        program = right_about(share, seed)
    if program and not _refitting(options):
        raise CommandError(
            "--program needs --new-project or --refit: only such a project learns what a program is worth."
        )
    return program


def _seeds_said(options: dict[str, Any]) -> str:
    return f", {options['seeds']} times with other samples and crowds" if options["seeds"] > 1 else ""


def _prior_said(options: dict[str, Any]) -> str:
    begun = f"the prior from {options['fitted_on']} others"
    if options["prior_from"]:
        begun = f"the prior from {options['prior_from']}"
    elif options["wordless"]:
        begun = "a prior of chain sizes"
    elif options["default_prior"] or options["new_project"]:
        begun = "the default prior"
    more = ["vectors of phrases"] if options["vectors"] else []
    if options["alike"]:
        more.append("heads of all captions here")
    begun += f" with {' and '.join(more)}" if more else ""
    refitting = _refitting(options)
    program = options["program"] and f", chains of a program ({options['program']})"
    return (
        f"{begun}, refitted on the answers so far ({options['refit'] or 'all'}){program or ''}" if refitting else begun
    )
