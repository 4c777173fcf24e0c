"""Starts the service: its folder, the log of slow statements, and Sentry if it is configured."""

import logging
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from config.logs import request_id, watch_every_connection
from config.private_files import keep_private
from runtime.installed import not_installed

logger = logging.getLogger(__name__)
MISSING = f"SENTRY_DSN is set, but sentry-sdk is {not_installed('sentry')}. Or remove SENTRY_DSN."


class ConfigConfig(AppConfig):
    name = "config"

    def ready(self) -> None:
        if warning := keep_private(settings.DATA, settings.FILES_GROUP):
            logger.warning(warning)
        watch_every_connection()
        if settings.SENTRY_DSN:
            start_sentry(settings.SENTRY_DSN)


def start_sentry(address: str, **options: Any) -> None:
    """Report errors to Sentry: without bodies, variables or people. Raises ImproperlyConfigured without sentry-sdk."""
    try:
        import sentry_sdk
    except ImportError:
        raise ImproperlyConfigured(MISSING) from None

    def add_request_id(event: Any, hint: Any) -> Any:
        event.setdefault("tags", {})["request_id"] = request_id.get()
        return event

    try:
        sentry_sdk.init(
            dsn=address,
            before_send=add_request_id,
            send_default_pii=False,
            include_local_variables=False,
            max_request_body_size="never",
            **options,
        )
    except sentry_sdk.utils.BadDsn as error:
        raise ImproperlyConfigured(f"SENTRY_DSN is not an address of Sentry: {error}.") from None
