"""Sources on the server and in buckets: only those below what an administrator allowed."""

from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from campaign.models import ImportRun
from tests.campaign.conftest import Later

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "where", ["/etc", "{sets}/../..", "{sets}-other", "relative/path", "s3://bucket/sets/", "{sets}/link"]
)
def test_a_folder_or_bucket_that_no_administrator_allowed_is_refused(
    requester: Client, source: Path, where: str, later: Later
) -> None:
    sets = source.parent
    (sets / "link").symlink_to("/etc")
    (sets.parent / "sets-other").mkdir()
    page = requester.post("/projects/ours/data/import/", {"source": where.format(sets=sets)}, follow=True)
    assert "is not allowed" in page.text or "is not a source" in page.text
    assert not ImportRun.objects.exists()


def test_a_bucket_is_allowed_by_the_beginning_of_its_address(settings: Any, requester: Client, later: Later) -> None:
    settings.IMPORT_SOURCES = ["s3://sets/photos"]
    for address in ("s3://sets/photos-private/", "s3://sets/", "s3://set"):
        requester.post("/projects/ours/data/import/", {"source": address})
    assert not ImportRun.objects.exists()
    requester.post("/projects/ours/data/import/", {"source": "s3://sets/photos/may/"})
    assert ImportRun.objects.get().source == "s3://sets/photos/may/"
