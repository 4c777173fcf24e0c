"""Check that Prolific signed the address of a participant, for workspaces that have `is_external_study_url_secure`."""

from functools import cache
from urllib.parse import urljoin, urlsplit

import jwt
from django.conf import settings
from django.utils.translation import gettext_noop
from jwt.types import Options

from platforms.contract.errors import UnknownVisitorError, UnsureError

STRANGER = gettext_noop("This page opens from Prolific only: begin there.")
ISSUER = "https://www.prolific.com"
KEYS = "/.well-known/study/jwks.json"
KEYS_LAST = 24 * 3600
"""Seconds; Prolific asks its clients to read its keys anew once a day."""
COOLDOWN = 30
"""Seconds before an unknown key makes us read the keys again: forgers could name a new one with each request."""
NEEDED = ["iss", "exp", "aud", "sub", "prolific"]


def check_signature(token: str, query: dict[str, str], *, is_back: bool) -> None:
    """Check that Prolific signed these parameters for this service and workspace, within the last two minutes.

    `query`: the parameters `pid`, `study` and `session`. `is_back`: the session is open, so the page is only loaded
    again, and the signature may be older. Raises UnknownVisitorError; UnsureError if Prolific's keys cannot be read,
    or not yet.
    """
    try:
        key = _keys(settings.PROLIFIC_API_URL).get_signing_key_from_jwt(token)
        # The audience is the whole address: the domain is compared below.
        options: Options = {"require": NEEDED, "verify_aud": False, "verify_exp": not is_back}
        claims = jwt.decode(token, key, algorithms=["RS256"], issuer=ISSUER, options=options)
    except jwt.PyJWKClientError as error:
        raise UnsureError("Prolific's keys cannot be read.", out_of_reach=True) from error
    except jwt.PyJWTError as error:
        raise UnknownVisitorError(STRANGER) from error
    wanted = query | {"workspace_id": settings.PROLIFIC_WORKSPACE}
    same = all(claims["prolific"].get(name) == value for name, value in wanted.items())
    ours = urlsplit(claims["aud"])[:2] == urlsplit(settings.ADDRESS)[:2]
    if not same or not ours or claims["sub"] != query["session"]:
        raise UnknownVisitorError(STRANGER)


@cache
def _keys(api: str) -> jwt.PyJWKClient:
    return jwt.PyJWKClient(urljoin(api, KEYS), lifespan=KEYS_LAST, timeout=5, cooldown_duration=COOLDOWN)
