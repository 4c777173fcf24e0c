"""Imports sources into projects of their own, fetches every picture once, and prints figures of each source as JSON.

Run as `python -m tests.support.peak_of_import SOURCE ...`: the peak of memory is that of a process of its own.
"""

import json
import sys
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import django


def measured(source: str, project: str) -> dict[str, Any]:
    """Import a source and fetch its pictures. `peak_kb`: of the process since it began."""
    from django.test import RequestFactory

    from annotation.models import Image
    from exchange.import_dataset import import_dataset

    report = import_dataset(project_name=project, path=source)
    names = list(Image.objects.filter(project__name=project).values_list("picture", flat=True))
    sent = sum(_received(RequestFactory().get("/"), name) for name in names)
    lines = Path("/proc/self/status").read_text().splitlines()
    peak = next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
    return {"images": report.images, "problems": len(report.problems), "bytes_sent": sent, "peak_kb": peak}


def _received(request: Any, name: str) -> int:
    """Return the bytes of a picture as a browser gets it, following a redirect."""
    from annotation.pictures import picture_response

    answer: Any = picture_response(request, name, "screen")
    try:
        if answer.status_code == 302:
            with urlopen(answer["Location"]) as file:
                return sum(len(piece) for piece in iter(lambda: file.read(1 << 16), b""))
        return sum(len(piece) for piece in answer)
    finally:
        answer.close()


if __name__ == "__main__":
    django.setup()
    print(json.dumps([measured(source, f"measured-{place}") for place, source in enumerate(sys.argv[1:])]))
