"""Settings of language and time. The interface's languages: docs/how-to/translate.md."""

from runtime.installed import ROOT

__all__ = [
    "LANGUAGES",
    "LANGUAGE_CODE",
    "LANGUAGE_COOKIE_AGE",
    "LANGUAGE_COOKIE_HTTPONLY",
    "LANGUAGE_COOKIE_SAMESITE",
    "LOCALE_PATHS",
    "TIME_ZONE",
    "USE_I18N",
    "USE_TZ",
]

LANGUAGE_CODE = "en"
USE_I18N = True
LANGUAGES = [("en", "English"), ("de", "Deutsch")]
"""The languages in their own words: the choice shows them so to everybody."""
LOCALE_PATHS = [ROOT / "config" / "locale"]
LANGUAGE_COOKIE_AGE = 365 * 24 * 3600
LANGUAGE_COOKIE_HTTPONLY = True
LANGUAGE_COOKIE_SAMESITE = "Lax"

TIME_ZONE = "UTC"
USE_TZ = True
