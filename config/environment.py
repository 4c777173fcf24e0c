"""The environment variables of the service, checked when it starts: a bad value is refused by the variable's name.

pydantic checks the values, and django-environ reads the database's URL. django-environ does not read the rest: it takes
any unknown word for "off", and a value that begins with $ for the name of another variable.
"""

import os
import secrets
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

import environ
from django.core.exceptions import ImproperlyConfigured
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from runtime.installed import IS_CHECKOUT, ROOT, not_installed

OLD_ROWS: dict[str, tuple[int, str]] = {
    "sessions": (7, "sign-ins, after they expired"),
    "drafts": (30, "a page's last draft of an assignment, after the assignment ended"),
    "jobs": (7, "finished and failed work of job runners"),
    "invitations": (30, "invitations to members, after they expired"),
    "deliveries": (90, "alerts' mails and webhooks, sent or given up, after the alert was settled"),
    "problems": (180, "lists of what an import left out"),
    "alerts": (365, "settled alerts"),
    "notices": (365, "the service's messages that their worker has read"),
    "moves": (
        365,
        "moves of chains and boxes in finished projects; an image's page then shows its own history",
    ),
    "mail": (30, "mail, sent or given up"),
    "events": (180, "the event log"),
    "log": (730, "the admin pages' history of staff's acts"),
}
"""The days of each name, and a description of its rows."""
DAYS: dict[str, int | None] = {name: days for name, (days, _) in OLD_ROWS.items()}
"""None: for ever."""
MAX_DAYS = 36_500


def read_retention(text: str) -> dict[str, int | None]:
    """Read `sessions=30,moves=off`. Returns the days of every name. Raises ValueError with a sentence."""
    given: dict[str, int | None] = {}
    for part in filter(None, (item.strip() for item in text.split(","))):
        name, _, days = (side.strip() for side in part.partition("="))
        if name not in DAYS:
            raise ValueError(f"has the name {name[:40]!r}: choose from {', '.join(DAYS)}.")
        if days == "off":
            given[name] = None
        elif days.isdecimal() and 1 <= int(days) <= MAX_DAYS:
            given[name] = int(days)
        else:
            raise ValueError(f"has {part[:40]!r}: write days, as in {name}=90, or {name}=off to keep all.")
    return DAYS | given


DATABASE_SCHEMES = {"postgres", "postgresql", "sqlite"}
REDIS_SCHEMES = {"redis", "rediss", "unix"}
DATABASE_FORM = "must look like postgres://USER:PASSWORD@HOST:5432/DATABASE or sqlite:////folder/file.sqlite3"
SERVED = "served_address"
"""The file in CHAINBOX_DATA that holds the address while `manage.py serve` runs."""
PROCESSES = ("WEB_PROCESSES", "WORKER_PROCESSES")
RANGES = {
    "PORT": "1 to 65535",
    "EMAIL_PORT": "1 to 65535",
    "PROXIES": "0 to 9",
    **dict.fromkeys(PROCESSES, "1 to 1000"),
}
KEY_LENGTH = 32
"""The fewest characters of SECRET_KEY, and of each key of before."""


def data_folder() -> Path:
    """Return the folder for what the service writes: of the checkout, or of the platform, never in site-packages."""
    if IS_CHECKOUT:
        return ROOT / "var"
    from platformdirs import user_data_path

    return user_data_path("chainbox")


def _database(url: str) -> dict[str, Any]:
    """Return Django's description of the database. Errors never repeat the URL, which may hold a password."""
    scheme = urlsplit(url).scheme
    try:
        config = dict(environ.Env.db_url_config(url))
    except (ValueError, ImproperlyConfigured):
        raise ValueError(f"{DATABASE_FORM}.") from None
    if scheme not in DATABASE_SCHEMES:
        raise ValueError(f"{DATABASE_FORM}; it begins with {scheme or 'no scheme'!r}.")
    if not config.get("NAME"):
        raise ValueError(f"{DATABASE_FORM}; the database's name is missing.")
    return config


def _redis(url: str) -> str:
    if urlsplit(url).scheme not in REDIS_SCHEMES:
        raise ValueError(f"must look like redis://HOST:6379/0; it begins with {url.split(':')[0]!r}.")
    return url


def _vectors(on: bool) -> bool:  # noqa: FBT001 - pydantic passes it by place
    if on and find_spec("wordllama") is None:
        raise ValueError(f"needs a package that is {not_installed('vectors')}. Or remove PHRASE_VECTORS.")
    return on


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def _address(text: str) -> str:
    return text.rstrip("/")


def _old_keys(text: str) -> list[str]:
    keys = _words(text)
    for key in keys:
        if len(key) < KEY_LENGTH:
            raise ValueError(f"has a key of {len(key)} characters: each has at least {KEY_LENGTH}.")
    return keys


def _issuer(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme != "https" and parts.hostname not in ("localhost", "127.0.0.1"):
        raise ValueError("must begin with https://.")
    return text.rstrip("/")


def _claims(text: str) -> list[tuple[str, str]]:
    found = [tuple(side.strip() for side in pair.split("=", 1)) for pair in _words(text)]
    if any(len(pair) != 2 or not all(pair) for pair in found):
        raise ValueError("must hold pairs of a claim and a value, as in groups=annotators.")
    return found  # type: ignore[return-value]  # pairs


def _token(text: str) -> str:
    if len(text) < 20:
        raise ValueError(f"has {len(text)} characters: give it at least 20 random ones.")
    return text


Words = Annotated[list[str], BeforeValidator(_words)]
"""A list written with commas."""
Address = Annotated[str, BeforeValidator(_address)]
"""The beginning of addresses, without / at the end."""
Security = Annotated[Literal["starttls", "tls", "off"], BeforeValidator(str.lower)]
LogLevel = Annotated[Literal["WARNING", "INFO", "DEBUG", "ERROR"], BeforeValidator(str.upper)]


def variable(group: str, default: Any, *, secret: bool = False, tests_only: bool = False) -> Any:
    """Return a field. `group`: what it is about; `secret`: no error shows it; `tests_only`: no service sets it."""
    about: dict[str, Any] = {"group": group, "secret": secret, "tests_only": tests_only}
    return Field(default, repr=not secret, json_schema_extra=about)


class Environment(BaseModel):
    """Every variable that the service reads, with its default. An empty variable counts as not set."""

    model_config = ConfigDict(frozen=True, extra="ignore", hide_input_in_errors=True)

    CHAINBOX_DATA: Path = variable("service", data_folder())
    """The folder for everything that the service writes. Only the service's user can read it.

    Empty: var in a checkout; of a wheel, the platform's folder for a user's data, such as ~/.local/share/chainbox.
    The command demo takes the folder demo in it.
    """
    FILES_GROUP: str = variable("service", "")
    """The group of a proxy that reads pictures and page files itself (docs/how-to/storage.md). Empty: none."""
    DATABASE_URL: Annotated[dict[str, Any] | None, BeforeValidator(_database)] = variable("service", None, secret=True)
    """The database: postgres://USER:PASSWORD@HOST:5432/DATABASE, percent-encoded. With it the service is a server.

    Empty: the service runs embedded, on SQLite in CHAINBOX_DATA.
    """
    MIGRATE: bool = variable("service", True)
    """`web` applies migrations before it serves. Off: it waits until `scripts/process.sh migrate` has."""
    REDIS_URL: Annotated[str, BeforeValidator(_redis)] = variable("service", "", secret=True)
    """The queue of jobs, redis://HOST:6379/0; needs processes `worker` and `beat`. Empty: jobs run in place."""
    DEBUG: bool = variable("service", False)
    """Error pages show details."""
    HTTPS: bool | None = variable("web", None)
    """Cookies are secure, pages redirect, transport is strict, unencrypted programs are refused.

    Not set: on with DATABASE_URL, unless DEBUG is on.
    """
    HSTS_SUBDOMAINS: bool = variable("web", True)
    """With HTTPS, strict transport holds for the hosts below this one, too. Off where one of them has no TLS."""
    SECRET_KEY: str = variable("service", "", secret=True)
    """The key that signs: 32 characters or more, required with DATABASE_URL. Empty: random, in var/secret_key."""
    SECRET_KEY_FALLBACKS: Annotated[list[str], BeforeValidator(_old_keys)] = variable("service", [], secret=True)
    """Keys of before, with commas, which still open what they signed (docs/how-to/operations.md)."""
    ALLOWED_HOSTS: Words = variable("web", ["localhost", "127.0.0.1", "[::1]"])
    """Host names of the service, with commas."""
    CSRF_TRUSTED_ORIGINS: Words = variable("web", [])
    """Origins that may send forms, with commas, if the proxy changes the host name."""
    GALLERY_PUBLIC: bool = variable("access", False)
    """Anybody may look at projects and export their annotation (docs/how-to/members.md). The demo sets it."""
    TRY_AS_WORKER: bool = variable("access", False)
    """Visitors of a project may try it as a guest worker. The demo sets it."""
    OIDC_ISSUER: Annotated[str, BeforeValidator(_issuer)] = variable("access", "")
    """The OpenID Connect provider by which people sign in, too (docs/how-to/accounts.md). Empty: none."""
    OIDC_CLIENT_ID: str = variable("access", "")
    """The name of this service at the provider."""
    OIDC_CLIENT_SECRET: str = variable("access", "", secret=True)
    """The secret of this service at the provider."""
    OIDC_NAME: str = variable("access", "your organisation")
    """The provider's name, as on the button that leads to it."""
    OIDC_ALLOW: Annotated[list[tuple[str, str]], BeforeValidator(_claims)] = variable("access", [])
    """Claims that let in, with commas, as in `groups=annotators,email=*@lab.example`. Empty: everybody comes in."""
    OIDC_ADMINISTRATORS: Annotated[list[tuple[str, str]], BeforeValidator(_claims)] = variable("access", [])
    """Claims that make an administrator while they hold, as in `groups=admins`. Empty: none does."""
    SECOND_FACTOR: bool = variable("access", False)
    """Whoever manages a project or has a right needs a second factor (docs/how-to/accounts.md). Workers do not."""
    PORT: Annotated[int, Field(ge=1, le=65_535)] = variable("web", 8000)
    """The first port that `make run`, `make demo` and `manage.py serve` try; with Compose, the open port."""
    BIND: str = variable("processes", "0.0.0.0:8000")
    """The address and port at which `scripts/process.sh web` listens."""
    WEB_PROCESSES: Annotated[int, Field(ge=1, le=1000)] = variable("processes", 2)
    """The processes of `scripts/process.sh web`."""
    WORKER_PROCESSES: Annotated[int, Field(ge=1, le=1000)] = variable("processes", 2)
    """The job runners of one `worker` or `jobs`: a quarter for each queue, at least one (docs/how-to/operations.md)."""
    PROXIES: Annotated[int, Field(ge=0, le=9)] = variable("web", 0)
    """Proxies in front that add their caller's address to X-Forwarded-For (docs/how-to/operations.md)."""
    ADDRESS: Address = variable("web", "")
    """The address at which people reach the service: the beginning of links that are printed or sent.

    Empty: the port of this machine that is served, or PORT while nothing is (config/serve.py).
    """
    ACCEL_REDIRECT: str = variable("web", "")
    """The proxy's internal address of CHAINBOX_DATA/media: the proxy sends the files. Empty: the service does."""
    S3_ENDPOINT_URL: Address = variable("files", "")
    """The store to keep files in and to import from. Empty: Amazon's."""
    S3_PUBLIC_URL: Address = variable("files", "")
    """The store's address for browsers. Empty: S3_ENDPOINT_URL."""
    S3_REGION: str = variable("files", "")
    """The bucket's region. Empty: AWS_DEFAULT_REGION."""
    AWS_DEFAULT_REGION: str = variable("files", "us-east-1")
    """The region for all services of Amazon."""
    S3_BUCKET: str = variable("files", "")
    """The bucket for pictures and exports (docs/how-to/storage.md). Empty: CHAINBOX_DATA/media."""
    S3_PREFIX: str = variable("files", "")
    """The place in the bucket."""
    IMPORT_SOURCES: Words = variable("files", [])
    """Folders and s3:// addresses, with commas, below which requesters may import (docs/how-to/members.md)."""
    MTURK: Annotated[Literal["off", "sandbox", "live"], BeforeValidator(str.lower)] = variable("mturk", "off")
    """Off, the sandbox, or live: real money (docs/how-to/mturk.md). boto3 finds the keys."""
    MTURK_ENDPOINT_URL: str = variable("mturk", "", tests_only=True)
    """For tests: another address than Amazon's, refused with `live`."""
    MTURK_SITES: Words = variable("mturk", [])
    """Sites that may frame workers' pages and receive their forms, with commas. Empty: the mode's own site."""
    MTURK_QUEUE_URL: str = variable("mturk", "")
    """The SQS queue of notifications. Empty: Mechanical Turk is only read every few minutes."""
    MTURK_NOTIFICATION_VERSION: str = variable("mturk", "2014-08-15")
    """Amazon's documentation names two versions (docs/how-to/mturk.md)."""
    PROLIFIC_TOKEN: str = variable("prolific", "", secret=True)
    """The API token, which moves real money. Empty: off (docs/how-to/prolific.md)."""
    PROLIFIC_WORKSPACE: str = variable("prolific", "")
    """The workspace whose balance and groups are used."""
    PROLIFIC_PROJECT: str = variable("prolific", "")
    """The project for new studies. Empty: the one that Prolific chooses."""
    PROLIFIC_SIGNS_ADDRESSES: bool = variable("prolific", False)
    """Prolific signs the address of each participant, for workspaces that have this (docs/how-to/prolific.md)."""
    PROLIFIC_PAYS_PARTS: bool = variable("prolific", False)
    """Sessions can be approved for a part of their reward, for workspaces that have this (docs/how-to/prolific.md)."""
    PROLIFIC_API_URL: Address = variable("prolific", "https://api.prolific.com/api/v1", tests_only=True)
    """For tests: another address of the API."""
    PROLIFIC_SITE: Address = variable("prolific", "https://app.prolific.com", tests_only=True)
    """For tests: another address of the site."""
    PROLIFIC_HOOK_SECRET: str = variable("prolific", "", secret=True)
    """The secret that signs events. Empty: the one that Prolific gave to the service."""
    EMAIL_HOST: str = variable("mail", "")
    """The mail server (docs/how-to/operations.md). Empty: no mail is sent; with DEBUG mail is printed."""
    EMAIL_PORT: Annotated[int, Field(ge=1, le=65_535)] = variable("mail", 587)
    """The mail server's port."""
    EMAIL_SECURITY: Security = variable("mail", "starttls")
    """STARTTLS, TLS from the first byte (port 465), or neither."""
    EMAIL_HOST_USER: str = variable("mail", "")
    """The account at the mail server."""
    EMAIL_HOST_PASSWORD: str = variable("mail", "", secret=True)
    """The account's password."""
    EMAIL_FROM: str = variable("mail", "Chainbox <chainbox@localhost>")
    """The sender of the service's mail."""
    HOOKS_TO_PRIVATE: bool = variable("service", False, tests_only=True)
    """For tests: webhooks may go to this machine and to private addresses, and without TLS."""
    TICK_SECONDS: Annotated[int, Field(ge=1, le=3600)] = variable("service", 30)
    """Seconds between two ticks, which do everything that is due."""
    RETENTION: Annotated[dict[str, int | None], BeforeValidator(read_retention)] = variable("service", DAYS)
    """Days for which old rows are kept, as in `sessions=30,moves=off` (docs/how-to/operations.md)."""
    PHRASE_VECTORS: Annotated[bool, AfterValidator(_vectors)] = variable("service", False)
    """Imports keep vectors of phrases (docs/how-to/adaptive_links.md)."""
    CHAINBOX_FAULTS: Path | None = variable("service", None, tests_only=True)
    """For the fault campaign: a folder in which a file ends the process that reaches the point of its name."""
    CLOCK_MAY_MOVE: bool = variable("service", False, tests_only=True)
    """For tests: they may move the clock by which everything is due (runtime/clock.py). Refused where HTTPS is on."""
    LOG_LEVEL: LogLevel = variable("watching", "WARNING")
    """The least severe lines that are logged."""
    LOG_FORMAT: Annotated[Literal["plain", "json"], BeforeValidator(str.lower)] = variable("watching", "plain")
    """Readable lines, or one JSON object a line."""
    SLOW_STATEMENT_SECONDS: Annotated[float, Field(ge=0, le=3600, allow_inf_nan=False)] = variable("watching", 1.0)
    """Statements that take so long are logged, without their values; 0: none."""
    METRICS_TOKEN: Annotated[str, BeforeValidator(_token)] = variable("watching", "", secret=True)
    """Bearer token of 20 characters or more that opens /metrics. Empty: only this machine reads them."""
    SENTRY_DSN: str = variable("watching", "", secret=True)
    """Errors are reported to this address; needs the package sentry-sdk. Empty: to nobody."""


def read_environment(values: Mapping[str, str]) -> Environment:
    """Check the variables. Raises ImproperlyConfigured with a sentence for each bad one."""
    given = {name: value.strip() for name, value in values.items() if value.strip()}
    try:
        return Environment.model_validate(given)
    except ValidationError as error:
        bad = {str(error["loc"][0]): _sentence(given, error) for error in error.errors()}
    # Raised outside of the block: a traceback would show pydantic's error, too.
    raise ImproperlyConfigured(" ".join(bad.values()))


def _sentence(values: Mapping[str, str], error: Any) -> str:
    name = str(error["loc"][0])
    if error["type"].startswith("bool"):
        return f"{name} is {values[name]!r}: write 'on' or 'off'."
    if name == "SLOW_STATEMENT_SECONDS":
        return f"{name} is {values[name]!r}: write a number of seconds from 0 to 3600."
    if error["type"].startswith(("int", "greater", "less")):
        return f"{name} is {values[name]!r}: write a whole number from {RANGES[name]}."
    if error["type"] == "literal_error":
        return f"{name} is {values[name]!r}: write {error['ctx']['expected']}."
    return f"{name} {error['msg'].removeprefix('Value error, ')}"


def served_address(folder: Path) -> str:
    """Return the address that `manage.py serve` wrote into the folder; empty if it serves nothing now."""
    try:
        return (folder / SERVED).read_text(encoding="utf-8").strip()
    except OSError:
        return ""


def stored_secret(file: Path) -> str:
    """Return the random key in the file; made on first use, readable by its owner alone."""
    if not file.exists():
        # Written aside and linked: a second process that starts now reads a whole key or makes the link first.
        aside = file.with_name(f"{file.name}.{secrets.token_hex(4)}")
        with open(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as out:
            out.write(secrets.token_urlsafe(64))
        try:
            os.link(aside, file)
        except FileExistsError:
            pass
        finally:
            aside.unlink()
    return file.read_text()
