"""Check for `manage.py check --deploy`: the storage's keys, its bucket, and our rights in the bucket."""

from typing import Any

from django.core import checks

from annotation.storage import store
from annotation.storage_error import StorageError

HINT = (
    "See S3_BUCKET, S3_ENDPOINT_URL and S3_REGION, and give the keys s3:ListBucket, too: "
    "without it a missing file cannot be told from a forbidden one."
)


@checks.register(deploy=True)
def storage_answers(**_: Any) -> list[checks.CheckMessage]:
    """Return an error if the storage cannot tell whether a file is missing."""
    try:
        store().exists("originals/none")
    except StorageError as error:
        return [checks.Error(str(error), hint=HINT, id="annotation.E001")]
    return []
