"""Queues of jobs. Each has runners of its own (config/runners.py), so that no job waits for one that takes longer."""

from kombu import Exchange, Queue

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
