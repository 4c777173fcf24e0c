"""Amazon Mechanical Turk as a platform: an offer is a HIT, a session is an assignment of it.

`wire_format.py` holds what goes over the wire. May import the offers, settling, sessions, contract, models and rules of
platforms, and what lies below platforms. The client takes half a second to import: `check_mturk` does without it.
"""

from collections.abc import Iterable
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from platforms.errors import PlatformOffError

NAME = "mturk"
OFF, SANDBOX, LIVE = "off", "sandbox", "live"
"""The modes."""


def check_mturk() -> None:
    """Raise PlatformOffError if the settings leave Mechanical Turk off."""
    if settings.MTURK == OFF:
        raise PlatformOffError("Mechanical Turk is not set up: MTURK is off.")


ENDPOINTS = {
    SANDBOX: "https://mturk-requester-sandbox.us-east-1.amazonaws.com",
    LIVE: "https://mturk-requester.us-east-1.amazonaws.com",
}
SITES = {SANDBOX: "https://workersandbox.mturk.com", LIVE: "https://www.mturk.com"}
THEIRS = "https://*.mturk.com"
"""Any site of Mechanical Turk, because it has used several names."""


def endpoint(mode: str, chosen: str) -> str:
    """Return where calls go. Raises ImproperlyConfigured if the chosen address does not fit the mode."""
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
    """Return the origins of the workers' sites. A worker who arrives without naming theirs comes from the first."""
    found = [*chosen] or ([SITES[mode]] if mode != OFF else [])
    wrong = [site for site in found if "*" in site or origin(site) != site.rstrip("/")]
    if wrong:
        raise ImproperlyConfigured(f"MTURK_SITES holds {wrong[0]!r}: write origins, like {SITES[SANDBOX]}.")
    return [site.rstrip("/") for site in found]


def origin(url: str) -> str:
    """Return scheme, host and port as a browser compares them; empty: the address has no origin."""
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
