"""manage.py measure_storage SOURCE: import a source, ask for every picture once, and say what memory that took."""

import json
import resource
import time
from argparse import ArgumentParser
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from django.core.management.base import BaseCommand
from django.http import HttpRequest, StreamingHttpResponse
from django.test import RequestFactory

from annotation.models import Image
from exchange.import_dataset import import_dataset
from gallery.pictures import picture_response


class Command(BaseCommand):
    help = "Import a source into a new project and ask for every picture once; says how much memory that took at most."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("source", help="as import_dataset takes it")
        parser.add_argument("--project", default="measured", help="name of the new project (measured)")

    def handle(self, *args: Any, **options: Any) -> None:
        begun = time.monotonic()
        report = import_dataset(project_name=options["project"], path=options["source"])
        imported = time.monotonic()
        request = RequestFactory().get("/")
        names = Image.objects.filter(project__name=options["project"]).values_list("picture", flat=True)
        # A list: an answer that ends closes the connection that a running query needs.
        sent = [received(request, name) for name in list(names)]
        figures = {
            "images": report.images,
            "problems": len(report.problems),
            "bytes_sent": sum(sent),
            "seconds_import": round(imported - begun, 1),
            "seconds_serve": round(time.monotonic() - imported, 1),
            "peak_mb": round(peak_kilobytes() / 1024, 1),
            "maxrss_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1),
        }
        self.stdout.write(json.dumps(figures))


def received(request: HttpRequest, name: str) -> int:
    """Fetch a picture as a browser does, from here or from where it is sent; returns the bytes."""
    answer = picture_response(request, name, "screen")
    try:
        if answer.status_code == 302:
            with urlopen(answer["Location"]) as file:
                return sum(len(piece) for piece in iter(lambda: file.read(1 << 16), b""))
        assert isinstance(answer, StreamingHttpResponse), f"{name}: {answer.status_code}"
        return sum(len(piece) for piece in answer)
    finally:
        answer.close()


def peak_kilobytes() -> int:
    """The most memory this process ever had. getrusage would count the process that started it, too."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
