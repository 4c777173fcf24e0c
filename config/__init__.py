"""Settings, addresses and processes of the service: wiring only. It may import every app except `studies`."""

from config.celery import app as celery_app

__all__ = ["celery_app"]
