"""The Celery application: worker `celery -A config worker`, clock `celery -A config beat`; its queues.

Each queue has runners of its own (config/runners.py), so that no job waits for one that takes longer.
"""

import os
import sys
from typing import Any

from celery import Celery, signals
from django.db import close_old_connections
from kombu import Exchange, Queue

from config.processes import keep_what_is_loaded

QUEUES = ("soon", "celery", "asked", "long")
"""The tick and what follows an answer; short jobs, and those of the schedule; what people wait for; long work."""
ASKED = (
    "projects.run",
    "projects.enter_predictions",
    "projects.try_channel",
    "exchange.publish_export",
    "exchange.help_export",
)
LONG = (
    "projects.run_long",
    "projects.refresh_figures",
    "config.prune",
    "exchange.help_export_aside",
    "exchange.help_import",
    "projects.look_at_workers",
)
CELERY_TASK_QUEUES = [Queue(name, Exchange(name), routing_key=name) for name in QUEUES]
CELERY_TASK_ROUTES: dict[str, dict[str, str]] = {
    "pipeline.*": {"queue": "soon"},
    **{name: {"queue": "asked"} for name in ASKED},
    **{name: {"queue": "long"} for name in LONG},
}


os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("chainbox")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(related_name="jobs")
# Celery would open a database connection for every job. Keep it, and close it only when it is old or broken.
app.conf.CELERY_DB_REUSE_MAX = sys.maxsize


@signals.worker_init.connect
@signals.worker_before_create_process.connect
def _share_memory(**_: Any) -> None:
    """Keep the garbage collector from copying the memory that this process is about to share with new ones."""
    keep_what_is_loaded()


@signals.task_prerun.connect
def _begin(task: Any, **_: Any) -> None:
    # A job that runs in place uses its caller's connection, perhaps inside a transaction.
    if not task.request.is_eager:
        close_old_connections()
