"""WHO answers."""

from django.conf import settings
from django.db import models
from django.db.models import Q


class Worker(models.Model):
    """Somebody, or some program, that answers questions."""

    class Kind(models.TextChoices):
        PERSON = "person"
        PROGRAM = "program"
        VIRTUAL = "virtual"

    name = models.CharField(max_length=100, unique=True)
    kind = models.CharField(max_length=7, choices=Kind.choices, default=Kind.PERSON)
    user = models.OneToOneField(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("id",)
        constraints = (
            models.CheckConstraint(condition=Q(kind__in=["person", "program", "virtual"]), name="worker_kind_known"),
        )

    def __str__(self) -> str:
        return self.name


class Access(models.Model):
    """A worker's right to be asked questions of one task in one project."""

    worker = models.ForeignKey(Worker, on_delete=models.CASCADE, related_name="accesses")
    project_id = models.BigIntegerField(db_index=True, help_text="By id: this part knows no other part's models.")
    task = models.CharField(max_length=20)
    granted_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = "accesses"
        constraints = (models.UniqueConstraint(fields=["project_id", "task", "worker"], name="access_once"),)

    def __str__(self) -> str:
        return f"{self.worker}: {self.task}"
