"""A project as large as the paper's data set, or smaller: scenes that a crowd annotated, many times over."""

import time
from collections.abc import Callable

from django.db import connection

from annotation.models import Project
from pipeline.models import Spending
from pipeline.money import spend_cap
from studies.large_project.multiply import multiply
from studies.large_project.template import make_template


def make_large_project(
    name: str, images: int, *, copies: int, crowd: str = "paper", say: Callable[[str], object] = lambda line: None
) -> Project:
    """Make a project of about this number of images, and report what each table got. `copies`: of each image.

    Raises ValueError on a database other than PostgreSQL.
    """
    if connection.vendor != "postgresql":
        raise ValueError("large_project fills PostgreSQL only: set DATABASE_URL, or use scripts/with_services.py.")
    begun = time.monotonic()
    project = make_template(name, -(-images // copies), crowd)
    multiply(project, copies, say)
    Spending.objects.filter(project=project).update(committed_cents=spend_cap.committed(project.pk))
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
    say(f"{project.images.count():,} images made in {time.monotonic() - begun:.0f} s")
    return project
