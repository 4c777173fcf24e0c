"""python -m studies label_accuracy FOLDER: how accurate skill estimates are on labels of real and made-up crowds."""

import csv
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from studies.skills.label_accuracy import label_accuracy_text, made_accuracy_text, measure_labels
from studies.skills.label_set import LabelSet, read_label_sets
from studies.skills.leave_one_out import CHOICES, leave_one_out, leave_one_out_text
from studies.skills.made_labels import MADE, made_sets


class Command(BaseCommand):
    help = "Compare the skill estimate with the gold of crowd labels, beside majority vote and Dawid-Skene."
    requires_system_checks = ()
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path, help="holds one folder per set, with label.csv and truth.csv")
        parser.add_argument(
            "--made", type=int, default=0, metavar="DRAWS", help="also made-up sets, drawn so often, or more if small"
        )
        parser.add_argument(
            "--leave-one-out", action="store_true", help="also choose the pulls on all sets but one, and score that one"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["made"] < 0:
            raise CommandError("--made: give 0 or more draws.")
        try:
            sets = list(read_label_sets(options["folder"]))
        except (OSError, ValueError, csv.Error) as error:
            raise CommandError(f"The labels could not be read: {error}") from error
        if not sets:
            raise CommandError(f"{options['folder']} has no folder with a label.csv.")
        rows = [measure_labels(labels) for labels in tqdm(sets, unit="set", desc="labels", disable=None)]
        self.stdout.write(label_accuracy_text(rows))
        if all(row.crowd_kit is None for row in rows):
            self.stderr.write("Crowd-Kit is not installed; its column is empty.")
        made = {name: made_sets(name, options["made"]) for name in MADE if options["made"]}
        if made:
            drawn = tqdm(made.values(), unit="set", desc="made-up labels", disable=None)
            self.stdout.write(made_accuracy_text([[measure_labels(one) for one in seeds] for seeds in drawn]))
        if options["leave_one_out"]:
            self._leave_one_out({**{labels.name: [labels] for labels in sets}, **made})

    def _leave_one_out(self, sets: dict[str, Sequence[LabelSet]]) -> None:
        if len(sets) < 2:
            raise CommandError("--leave-one-out needs two sets at least.")
        with tqdm(total=len(CHOICES), unit="choice", desc="leave one out", disable=None) as bar:
            self.stdout.write(leave_one_out_text(leave_one_out(sets, done=bar.update)))
