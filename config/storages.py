"""Storages of pictures and of the pages' own files, as Django's setting STORAGES names them."""

from typing import Any


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
