"""Reads settings from environment variables; a bad value stops the start with a sentence that names the variable."""

import os
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import environ
from django.core.exceptions import ImproperlyConfigured

TRUE = {"1", "true", "yes", "on"}
FALSE = {"0", "false", "no", "off"}
DATABASE_SCHEMES = {"postgres", "postgresql", "sqlite"}
REDIS_SCHEMES = {"redis", "rediss", "unix"}


def text(values: Mapping[str, str], name: str, default: str = "") -> str:
    """The variable without surrounding blanks; an empty one counts as not set."""
    return values.get(name, "").strip() or default


def flag(values: Mapping[str, str], name: str, default: bool) -> bool:
    """A yes or no variable."""
    value = text(values, name).lower()
    if not value:
        return default
    if value not in TRUE | FALSE:
        raise ImproperlyConfigured(f"{name} is {value!r}: write 'on' or 'off'.")
    return value in TRUE


def choice(values: Mapping[str, str], name: str, options: tuple[str, ...]) -> str:
    """One of the options, in capitals; the first when none is set."""
    value = text(values, name, options[0]).upper()
    if value not in options:
        raise ImproperlyConfigured(f"{name} is {value.lower()!r}: write one of {', '.join(options)}.")
    return value


def words(values: Mapping[str, str], name: str, default: list[str]) -> list[str]:
    """A list written with commas."""
    return [word.strip() for word in text(values, name).split(",") if word.strip()] or default


def database(values: Mapping[str, str], name: str) -> dict[str, Any]:
    """Django's description of the database that the URL names."""
    url = text(values, name)
    form = f"{name} must look like postgres://USER:PASSWORD@HOST:5432/DATABASE or sqlite:////folder/file.sqlite3"
    try:
        scheme = urlsplit(url).scheme
        config = dict(environ.Env.db_url_config(url))
    except (ValueError, ImproperlyConfigured) as error:
        raise ImproperlyConfigured(f"{form}.") from error
    if scheme not in DATABASE_SCHEMES:
        raise ImproperlyConfigured(f"{form}; it begins with {scheme or 'no scheme'!r}.")
    if not config.get("NAME"):
        raise ImproperlyConfigured(f"{form}; the database's name is missing.")
    return config


def redis(values: Mapping[str, str], name: str) -> str:
    """The Redis URL, or '' when none is set."""
    url = text(values, name)
    if url and urlsplit(url).scheme not in REDIS_SCHEMES:
        raise ImproperlyConfigured(f"{name} must look like redis://HOST:6379/0; it begins with {url.split(':')[0]!r}.")
    return url


def data_folder(values: Mapping[str, str], name: str, default: Path) -> Path:
    """The folder for everything the service writes; made when it is missing."""
    folder = Path(text(values, name, str(default))).expanduser().resolve()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ImproperlyConfigured(f"{name}: the folder {folder} cannot be made ({error.strerror}).") from error
    return folder


def kept_secret(file: Path) -> str:
    """The random key in the file; made on first use, readable by its owner alone."""
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
