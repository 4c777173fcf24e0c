"""The origin of the bucket that browsers load pictures from, for the content policy, which also covers redirects."""

from urllib.parse import urlsplit


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
