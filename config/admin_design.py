"""The design of the admin: the colours and the font of the other pages (frontend/src/tokens.css), for django-unfold."""

from typing import Any

from django.templatetags.static import static

BASE = {
    "50": "#fbfaf8",
    "100": "#f2f1ed",
    "200": "#dcdad4",
    "300": "#c3c4c6",
    "400": "#a3a9b5",
    "500": "#737a88",
    "600": "#5b6270",
    "700": "#434954",
    "800": "#2a2e36",
    "900": "#15171b",
    "950": "#0e1013",
}
PRIMARY = {
    "50": "#f0f6fb",
    "100": "#dceaf6",
    "200": "#bcd7ee",
    "300": "#9cc7ec",
    "400": "#7db8ec",
    "500": "#4a90cc",
    "600": "#1c5d99",
    "700": "#174f83",
    "800": "#143f68",
    "900": "#11324f",
    "950": "#0d1a26",
}


def _stylesheet(_: object) -> str:
    return static("backoffice/admin.css")


def _script(_: object) -> str:
    return static("backoffice/admin.js")


def _icon(_: object) -> str:
    return static("config/icon.svg")


UNFOLD: dict[str, Any] = {
    "SITE_TITLE": "Chainbox",
    "SITE_HEADER": "Chainbox",
    "SITE_URL": "/",
    "SITE_FAVICONS": [{"rel": "icon", "type": "image/svg+xml", "href": _icon}],
    "COLORS": {"base": BASE, "primary": PRIMARY},
    "BORDER_RADIUS": "8px",
    "STYLES": [_stylesheet],
    "SCRIPTS": [_script],
    "SIDEBAR": {"show_search": True, "navigation": "backoffice.admin.navigation"},
}
