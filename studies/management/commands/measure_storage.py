"""python -m studies measure_storage SOURCE ...: the memory to import sources and to fetch every picture once."""

import time
from typing import Any
from urllib.request import urlopen

from django.core.management.base import CommandParser
from django.http import HttpRequest, StreamingHttpResponse
from django.test import RequestFactory

from annotation.models import Image
from annotation.picture_response import picture_response
from exchange.import_dataset import import_dataset
from studies.command import StudyCommand, peak_kilobytes


class Command(StudyCommand):
    help = "Import sources into new projects of this service, fetch every picture once, and tell the peak memory."

    def add_options(self, parser: CommandParser) -> None:
        parser.add_argument("sources", nargs="+", help="sources as for import_dataset, each into a project of its own")

    def study(self, options: dict[str, Any]) -> Any:
        figures = [measured(source, f"measured-{place}") for place, source in enumerate(options["sources"])]
        for figure in figures:
            self.say(str(figure))
        return figures


def measured(source: str, project: str) -> dict[str, Any]:
    """Import a source and fetch its pictures. The peak is that of the process: of all sources so far."""
    begun = time.monotonic()
    report = import_dataset(project_name=project, path=source)
    imported = time.monotonic()
    request = RequestFactory().get("/")
    names = Image.objects.filter(project__name=project).values_list("picture", flat=True)
    # A list, because the end of each response closes the connection that a running query needs.
    sent = [received(request, name) for name in list(names)]
    return {
        "images": report.images,
        "problems": len(report.problems),
        "bytes_sent": sum(sent),
        "seconds_import": round(imported - begun, 1),
        "seconds_serve": round(time.monotonic() - imported, 1),
        "peak_mb": round(peak_kilobytes() / 1024, 1),
    }


def received(request: HttpRequest, name: str) -> int:
    """Fetch a picture as a browser does, following a redirect. Returns the number of bytes."""
    answer = picture_response(request, name, "screen")
    try:
        if answer.status_code == 302:
            with urlopen(answer["Location"]) as file:
                return sum(len(piece) for piece in iter(lambda: file.read(1 << 16), b""))
        assert isinstance(answer, StreamingHttpResponse), f"{name}: {answer.status_code}"
        return sum(len(piece) for piece in answer)
    finally:
        answer.close()
