"""Settings of django-allauth, by which everybody with a password signs in: docs/how-to/accounts.md."""

from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

from config.environment import Environment

LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "gallery:start"
ACCOUNT_LOGOUT_REDIRECT_URL = LOGIN_URL
ACCOUNT_ADAPTER = "labelling.joining.account_adapter.AccountAdapter"
ACCOUNT_LOGIN_METHODS = {"username"}
ACCOUNT_SESSION_REMEMBER = True
# A timedelta, and no number: a session ends two weeks after the sign-in, whatever is written to it meanwhile.
ACCOUNT_SESSION_COOKIE_AGE = timedelta(days=14)
# Somebody who is signed in may sign in as somebody else: the page says whose session ends.
ACCOUNT_AUTHENTICATED_LOGIN_REDIRECTS = False

# Accounts are made by invitations alone (labelling/joining/join.py, projects/people/members_page.py).
ACCOUNT_SIGNUP_ENABLED = False
ACCOUNT_SIGNUP_FIELDS = ["username*", "email", "password1*", "password2*"]
# Two accounts may have one address, so that no form tells which addresses have an account.
ACCOUNT_UNIQUE_EMAIL = False
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_CHANGE_EMAIL = True
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""

ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_REAUTHENTICATION_METHODS = ("password", "mfa")
ACCOUNT_REAUTHENTICATION_TIMEOUT = 15 * 60

# Tries in a time, counted for a network address (ip), an account (user), or what the code names (key).
ACCOUNT_RATE_LIMITS = {
    "login": "60/m/ip",
    "login_failed": "50/15m/ip,5/15m/key",
    "reauthenticate": "10/15m/user",
    "change_password": "5/15m/user",  # pragma: allowlist secret
    "reset_password": "10/15m/ip,3/15m/key",  # pragma: allowlist secret
    "reset_password_from_key": "20/15m/ip",  # pragma: allowlist secret
    "manage_email": "10/15m/user",
    "signup": "60/15m/ip",  # a whole school class may join from one address
    "guest": "10/15m/ip",
    "own_data": "5/15m/key",
}

MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_ALLOW_UNVERIFIED_EMAIL = True  # no account needs an address
MFA_TOTP_ISSUER = "Chainbox"
MFA_TOTP_TOLERANCE = 1  # clocks of telephones are off by some seconds

SOCIALACCOUNT_ADAPTER = "labelling.joining.account_adapter.ProviderAdapter"


def providers(environment: Environment) -> dict[str, Any]:
    """Return allauth's setting for the OpenID Connect provider of the environment; empty: there is none."""
    if not environment.OIDC_ISSUER:
        return {}
    app = {
        "provider_id": "provider",
        "name": environment.OIDC_NAME,
        "client_id": environment.OIDC_CLIENT_ID,
        "secret": environment.OIDC_CLIENT_SECRET,
        # The claims of the ID token alone count: its issuer and its reader are checked.
        "settings": {"server_url": environment.OIDC_ISSUER, "fetch_userinfo": False, "oauth_pkce_enabled": True},
    }
    return {"openid_connect": {"APPS": [app]}}


def origins(environment: Environment) -> list[str]:
    """Return the origin to which the form of the sign-in leads on; empty: there is no provider."""
    parts = urlsplit(environment.OIDC_ISSUER)
    return [f"{parts.scheme}://{parts.netloc}"] if environment.OIDC_ISSUER else []
