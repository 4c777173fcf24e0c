"""python -m studies storage_growth [COUNT ...]: does the memory of an import grow with the number of pictures?"""

import tempfile
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from studies.storage.growth import fill, make_database, measured, twin_process


class Command(BaseCommand):
    help = "Import pictures from a local twin of S3 and fetch each once; compare the peak memory of several counts."
    requires_system_checks = ()
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("counts", type=int, nargs="*", default=[1_000, 10_000], help="pictures (1000 10000)")
        parser.add_argument("--folder", action="store_true", help="keep the pictures in a folder, not in a bucket")

    def handle(self, *args: Any, counts: list[int], folder: bool, **options: Any) -> None:
        try:
            with tempfile.TemporaryDirectory(prefix="chainbox-") as name, twin_process(Path(name)) as url:
                make_database(Path(name))
                first = 0.0
                for count in counts:
                    source = fill(url, f"source{count}", count)
                    figures = measured(url, Path(name), source, f"p{count}", in_bucket=not folder)
                    first = first or figures["peak_mb"]
                    self.stdout.write(f"{count}: {figures}; {figures['peak_mb'] / first:.3f} times the first")
                    self.stdout.flush()
        except (OSError, RuntimeError) as error:
            raise CommandError(str(error)) from error
        except KeyboardInterrupt:
            raise CommandError("Stopped. The temporary folder was deleted.") from None
