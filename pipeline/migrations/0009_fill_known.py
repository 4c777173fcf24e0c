"""Fill what older rows lack: what assignments earned, and who drew which box. The ledger cannot be edited."""

from importlib import import_module

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.utils import timezone

TABLE = "workers_ledgerentry"
first = import_module("pipeline.migrations.0002_append_only")


def fill(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    assignment = apps.get_model("pipeline", "Assignment")
    for row in assignment.objects.filter(state="submitted").only("receipt").iterator():
        assignment.objects.filter(pk=row.pk).update(earned_cents=(row.receipt or {}).get("earned_cents", 0))
    box = apps.get_model("annotation", "Box")
    for progress in apps.get_model("pipeline", "Progress").objects.iterator():
        for number, _, _, state, worker, *_ in progress.state.get("boxes", ()):
            if worker is not None:
                judged = None if state == "pending" else timezone.now()
                box.objects.filter(image_id=progress.pk, number=number).update(drawn_by=worker, judged_at=judged)


def guard(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    trigger = first.SQLITE if editor.connection.vendor == "sqlite" else first.POSTGRESQL
    editor.execute(trigger.format(table=TABLE, message=first.MESSAGE.format(table=TABLE)))


def unguard(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    on = "" if editor.connection.vendor == "sqlite" else f" ON {TABLE}"
    editor.execute(f"DROP TRIGGER {TABLE}_append_only{on}")


class Migration(migrations.Migration):
    dependencies = [
        ("pipeline", "0008_known_judgments"),
        ("annotation", "0002_drawn_by"),
        ("workers", "0004_scores_and_ledger"),
    ]
    operations = [
        migrations.RunPython(fill, migrations.RunPython.noop),
        migrations.RunPython(guard, unguard),
    ]
