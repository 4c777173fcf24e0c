"""python -m studies label_accuracy FOLDER: how accurate the skill estimates are on labels of real crowds."""

import csv
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from studies.skills.label_accuracy import label_accuracy_text, measure_labels, read_label_sets


class Command(BaseCommand):
    help = "Compare the skill estimate with the gold of real crowd labels, beside majority vote and Crowd-Kit."
    requires_system_checks = ()
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path, help="holds one folder per set, with label.csv and truth.csv")

    def handle(self, *args: Any, **options: Any) -> None:
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
