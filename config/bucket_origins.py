"""Where browsers are sent for pictures, in the words of a content policy. The policy covers where a redirect leads."""

from urllib.parse import urlsplit


def bucket_origins(bucket: str, public_url: str, region: str) -> list[str]:
    """The origin of the addresses that are signed for this bucket; none without a bucket.

    With Amazon (no `public_url`) the bucket is part of the host, unless its name has dots, which no certificate covers.
    """
    if not bucket:
        return []
    if public_url:
        address = urlsplit(public_url)
        return [f"{address.scheme}://{address.netloc}"]
    host = "s3.amazonaws.com" if region == "us-east-1" else f"s3.{region}.amazonaws.com"
    return [f"https://{host}" if "." in bucket else f"https://{bucket}.{host}"]
