"""manage.py dataset_statistics PROJECT: the paper's statistics and charts for a project's merged images."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from annotation.rules.states import ImageState
from exchange.load_project import stream_images
from exchange.statistics.statistics import Statistics, measure, part_agreement
from exchange.statistics.tables import statistics_text, write_charts
from pipeline.management.find_project import find_project
from pipeline.project.queries import link_sources


class Command(BaseCommand):
    help = "Print the statistics of a project's merged images: tables 1 and 4, the shares, figures 3, 5 and 6."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", help="name of the project")
        parser.add_argument("--json", type=Path, metavar="FILE", help="also write all figures to this file")
        parser.add_argument("--charts", type=Path, metavar="DIR", help="also draw the figures as SVG into this folder")

    def handle(self, *args: Any, **options: Any) -> None:
        project = find_project(options["project"])
        merged = project.images.filter(state=ImageState.MERGED.value).count()
        images = stream_images(project, include_unmerged=False)
        progress = tqdm(images, total=merged, unit="image", desc="statistics", disable=None)
        statistics = measure(progress, link_sources(project), part_agreement(project.pk))
        self.stdout.write(statistics_text(statistics))
        left_out = project.images.count() - merged
        if left_out:
            self.stderr.write(f"Images left out that are not merged yet: {left_out:,}.")
        try:
            self._write(statistics, options["json"], options["charts"])
        except OSError as error:
            raise CommandError(f"The statistics could not be written: {error}") from error

    def _write(self, statistics: Statistics, json_file: Path | None, charts: Path | None) -> None:
        if json_file:
            text = json.dumps(statistics.as_json(), indent=2, ensure_ascii=False) + "\n"
            json_file.write_text(text, encoding="utf-8")
            self.stdout.write(f"Figures written to {json_file}.")
        if charts:
            files = write_charts(statistics, charts)
            self.stdout.write(f"{len(files)} charts written to {charts}.")
