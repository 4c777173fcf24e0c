"""The clock thread of the web process."""

import logging
import threading

import pytest

from config.serve import start_ticker


def test_it_ticks_at_once_and_again() -> None:
    ticks = threading.Semaphore(0)
    stop = start_ticker(ticks.release, every=0.01)
    try:
        assert all(ticks.acquire(timeout=60) for _ in range(3))
    finally:
        stop.set()


def test_a_tick_that_fails_is_logged_and_does_not_end_the_ticking(caplog: pytest.LogCaptureFixture) -> None:
    ticks = threading.Semaphore(0)

    def fail() -> None:
        ticks.release()
        raise ValueError("broken on purpose")

    with caplog.at_level(logging.ERROR, logger="config.serve"):
        stop = start_ticker(fail, every=0.01)
        try:
            assert all(ticks.acquire(timeout=60) for _ in range(2))
        finally:
            stop.set()
    assert "broken on purpose" in caplog.text


def test_it_stops_when_it_is_told() -> None:
    stop = start_ticker(lambda: None, every=0.01)
    stop.set()
    for thread in [one for one in threading.enumerate() if one.name == "ticker"]:
        thread.join(timeout=60)
    assert "ticker" not in [thread.name for thread in threading.enumerate()]
