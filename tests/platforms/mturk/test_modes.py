"""Mechanical Turk is off by default, and never live by accident."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured

from platforms.contract.errors import PlatformOffError
from platforms.mturk.modes import ENDPOINTS, endpoint, origin, sites
from platforms.mturk.platform import MTurkPlatform, from_settings
from tests.platforms.mturk.samples import an_offer
from tests.twins.mturk import MTurkTwin

ROOT = Path(__file__).resolve().parents[3]
SANDBOX, LIVE = ENDPOINTS["sandbox"], ENDPOINTS["live"]


@pytest.mark.slow
def test_mechanical_turk_is_off_by_default(tmp_path: Path) -> None:
    env = {"PATH": os.environ["PATH"], "DJANGO_SETTINGS_MODULE": "config.settings", "CHAINBOX_DATA": str(tmp_path)}
    code = "from django.conf import settings as s; print(s.MTURK, s.MTURK_ENDPOINT_URL or '-', s.MTURK_SITES)"
    shown = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=env, capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "off - []"


@pytest.mark.parametrize(
    ("mode", "chosen", "url"),
    [
        ("off", "", ""),
        ("off", LIVE, ""),
        ("sandbox", "", SANDBOX),
        ("sandbox", SANDBOX + "/", SANDBOX),
        ("sandbox", "http://127.0.0.1:5000", "http://127.0.0.1:5000"),
        ("live", "", LIVE),
        ("live", LIVE, LIVE),
    ],
)
def test_calls_go_where_the_mode_says(mode: str, chosen: str, url: str) -> None:
    assert endpoint(mode, chosen) == url


@pytest.mark.parametrize(
    ("mode", "chosen"),
    [
        ("live", "http://127.0.0.1:5000"),
        ("live", SANDBOX),
        ("live", LIVE.replace("https", "http")),
        ("sandbox", LIVE),
        ("sandbox", LIVE.upper()),
        ("sandbox", LIVE + ":443"),
    ],
)
def test_an_address_of_another_mode_stops_the_start(mode: str, chosen: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="MTURK_ENDPOINT_URL"):
        endpoint(mode, chosen)


def test_sites_are_origins() -> None:
    assert sites("sandbox", []) == ["https://workersandbox.mturk.com"]
    assert sites("live", []) == ["https://www.mturk.com"]
    assert sites("off", []) == []
    assert sites("live", ["https://a.example/", "http://b.example:81"]) == ["https://a.example", "http://b.example:81"]
    for wrong in ("https://a.example/x", "a.example", "https://*.mturk.com/", "https://A.example"):
        with pytest.raises(ImproperlyConfigured, match="MTURK_SITES"):
            sites("live", [wrong])


@pytest.mark.parametrize(
    ("url", "compared"),
    [
        ("https://www.mturk.com/x?y", "https://www.mturk.com"),
        ("HTTPS://WWW.mturk.com:443", "https://www.mturk.com"),
        ("http://[::1]:80/", "http://[::1]"),
        ("https://www.mturk.com:444", "https://www.mturk.com:444"),
        ("https://www.mturk.com@evil.example/", ""),
        ("https://www.mturk.com:port", ""),
        ("javascript:alert(1)", ""),
        ("//www.mturk.com", ""),
        ("https://[", ""),
    ],
)
def test_an_origin_is_scheme_host_and_port(url: str, compared: str) -> None:
    assert origin(url) == compared


@pytest.mark.django_db
def test_there_is_no_platform_while_it_is_switched_off(settings: Any) -> None:
    settings.MTURK = "off"
    with pytest.raises(PlatformOffError, match="MTURK is off"):
        from_settings()


@pytest.mark.django_db
def test_the_real_site_shows_https_pages_only(settings: Any) -> None:
    settings.MTURK, settings.MTURK_ENDPOINT_URL, settings.ADDRESS = "sandbox", SANDBOX, "http://boxes.example"
    with pytest.raises(PlatformOffError, match="https"):
        from_settings()


@pytest.mark.django_db
def test_a_database_of_the_sandbox_never_goes_live(settings: Any, twin: MTurkTwin, mturk: MTurkPlatform) -> None:
    settings.ADDRESS = "https://boxes.example"
    assert from_settings().marketplace().live is False
    mturk.publish(an_offer())
    settings.MTURK, settings.MTURK_ENDPOINT_URL = "live", LIVE
    with pytest.raises(PlatformOffError, match="MTURK=sandbox"):
        from_settings()


@pytest.mark.django_db
def test_live_is_called_live(settings: Any) -> None:
    settings.MTURK, settings.MTURK_ENDPOINT_URL, settings.ADDRESS = "live", LIVE, "https://boxes.example"
    place = from_settings().marketplace()
    assert (place.live, place.currency, place.fee_percent) == (True, "USD", 20)
