"""Runs of jobs, so that a crash shows: a job that stopped no longer says that it runs."""

from typing import ClassVar

from django.db import models

from runtime import clock


class JobRun(models.Model):
    """One piece of work for the job runners. Its row is written before a message is sent, and outlives the message."""

    class State(models.TextChoices):
        WAITING = "waiting"
        RUNNING = "running"
        FAILED = "failed"
        DONE = "done"

    key = models.CharField(max_length=200, unique=True)
    """Names the work. A second request for the same work finds the first one's row."""
    job = models.CharField(max_length=100)
    """The name of the Celery job."""
    arguments = models.JSONField(default=list)
    share = models.CharField(max_length=50, default="", db_default="", blank=True)
    """Names whose work it is, where each has one piece of it done at a time; empty: it is short."""
    state = models.CharField(max_length=8, choices=State, default=State.WAITING)
    asked_at = models.DateTimeField(default=clock.now)
    sent_at = models.DateTimeField(null=True)
    """The time when a message for the row was given to Redis. Redis may lose it."""
    holder = models.CharField(max_length=200, default="", blank=True)
    """The process that runs the job, or ran it last."""
    held_until = models.DateTimeField(null=True)
    """A process that runs moves this time on. After this time the process counts as dead."""
    tries = models.PositiveSmallIntegerField(default=0)
    """The number of times that a process began the work since it was requested."""
    finished_at = models.DateTimeField(null=True)
    problem = models.TextField(default="", blank=True)
    """The reason why the last run failed."""

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=models.Q(state__in=("waiting", "running", "failed", "done")), name="job_run_state_known"
            ),
            models.CheckConstraint(
                condition=~models.Q(state="running") | models.Q(held_until__isnull=False), name="job_run_held"
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["state"], condition=models.Q(state__in=("waiting", "running")), name="job_run_open")
        ]

    def __str__(self) -> str:
        return f"{self.key} ({self.state})"
