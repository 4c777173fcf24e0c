"""A password may not hold the name of the service or of a project: whoever guesses tries these first."""

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.core.exceptions import ValidationError
from django.utils.translation import gettext

from annotation.models import Project

SERVICE = "chainbox"
MIN_LENGTH = 4
"""Shorter names are in too many words."""


class NameInPasswordValidator:
    """Refuses a password that holds such a name, in capitals or with other characters between, too."""

    def validate(self, password: str, user: AbstractBaseUser | None = None) -> None:
        plain = _plain(password)
        if any(name in plain for name in _names()):
            raise ValidationError(
                gettext("This password holds the name of this service or of a project: choose another."),
                code="password_holds_a_name",
            )

    def get_help_text(self) -> str:
        return gettext("Your password can’t hold the name of this service or of a project.")


def _names() -> Iterator[str]:
    """Yield the names of the service, of its host, and of projects, without what separates words."""
    host = urlsplit(settings.ADDRESS).hostname or ""
    labels = [] if host == "localhost" or host.replace(".", "").isdigit() else host.split(".")
    names = (name for pair in Project.objects.values_list("name", "title").iterator() for name in pair)
    for name in (SERVICE, *labels, *names):
        if len(plain := _plain(name)) >= MIN_LENGTH:
            yield plain


def _plain(text: str) -> str:
    return re.sub(r"[\W_]+", "", text.casefold())
