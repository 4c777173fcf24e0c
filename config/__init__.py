"""Settings, addresses and processes: wiring only."""

from config.celery import app as celery_app

__all__ = ["celery_app"]
