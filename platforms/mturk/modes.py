"""Off, the sandbox, or the real thing: where the service is, and from where workers may come. Read by the settings."""

from collections.abc import Iterable
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

OFF, SANDBOX, LIVE = "off", "sandbox", "live"
ENDPOINTS = {
    SANDBOX: "https://mturk-requester-sandbox.us-east-1.amazonaws.com",
    LIVE: "https://mturk-requester.us-east-1.amazonaws.com",
}
SITES = {SANDBOX: "https://workersandbox.mturk.com", LIVE: "https://www.mturk.com"}
THEIRS = "https://*.mturk.com"
"""Whatever name the service's own site has today."""


def endpoint(mode: str, chosen: str) -> str:
    """Where calls go. ImproperlyConfigured: what was chosen would move real money by accident, or none at all."""
    if mode == OFF:
        return ""
    url = chosen.rstrip("/") or ENDPOINTS[mode]
    if mode == LIVE and url != ENDPOINTS[LIVE]:
        raise ImproperlyConfigured(f"MTURK_ENDPOINT_URL is {url!r}: with MTURK=live leave it empty.")
    if mode == SANDBOX and is_aws(url) and url != ENDPOINTS[SANDBOX]:
        raise ImproperlyConfigured(f"MTURK_ENDPOINT_URL is {url!r}: with MTURK=sandbox real money may not move.")
    return url


def is_aws(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    return host.endswith((".amazonaws.com", ".api.aws"))


def sites(mode: str, chosen: Iterable[str]) -> list[str]:
    """Origins of the site on which workers are. The first is taken for who comes without naming theirs."""
    found = [*chosen] or ([SITES[mode]] if mode != OFF else [])
    wrong = [site for site in found if "*" in site or origin(site) != site.rstrip("/")]
    if wrong:
        raise ImproperlyConfigured(f"MTURK_SITES holds {wrong[0]!r}: write origins, like {SITES[SANDBOX]}.")
    return [site.rstrip("/") for site in found]


def origin(url: str) -> str:
    """Scheme, host and port as a browser compares them; empty: there is none."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return ""
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username is not None:
        return ""
    standard = {"http": 80, "https": 443}[parts.scheme]
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{parts.scheme}://{host}" + ("" if port in (None, standard) else f":{port}")
