"""Storages of pictures and of the pages' own files, as Django's setting STORAGES names them, and their origins."""

from typing import Any
from urllib.parse import urlsplit


def picture_storage(bucket: str, prefix: str, endpoint: str, public: str, region: str) -> dict[str, Any]:
    """Return the storage of pictures: the bucket, or the folder MEDIA_ROOT if there is none.

    `public`: the address of the bucket for browsers, where it is not the one that the service uses.
    """
    if not bucket:
        return {"BACKEND": "annotation.storage.FolderStorage"}
    return {
        "BACKEND": "annotation.bucket_storage.BucketStorage",
        "OPTIONS": {
            "bucket_name": bucket,
            "location": prefix.strip("/"),
            "endpoint_url": endpoint or None,
            "public_url": public or None,
            "region_name": region,
        },
    }


def static_storage(*, hashed: bool) -> dict[str, Any]:
    """Return the storage of scripts and styles. `hashed`: collected under names that change with their content."""
    if hashed:
        return {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"}
    return {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}


def bucket_origins(bucket: str, public_url: str, region: str) -> list[str]:
    """Return the origin of the addresses that are signed for this bucket; an empty list without a bucket.

    At Amazon (no `public_url`) the bucket is part of the host name, unless its name has dots: no certificate covers
    those.
    """
    if not bucket:
        return []
    if public_url:
        address = urlsplit(public_url)
        return [f"{address.scheme}://{address.netloc}"]
    host = "s3.amazonaws.com" if region == "us-east-1" else f"s3.{region}.amazonaws.com"
    return [f"https://{host}" if "." in bucket else f"https://{bucket}.{host}"]
