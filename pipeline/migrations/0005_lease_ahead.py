from django.db import migrations, models

from annotation.online_index import AddUniqueOnline


class Migration(migrations.Migration):
    atomic = False
    dependencies = [
        ("annotation", "0003_database_time"),
        ("pipeline", "0004_database_time"),
        ("platforms", "0002_session_visitor"),
        ("workers", "0003_database_time"),
    ]
    operations = [
        migrations.AddField(
            model_name="assignment",
            name="ahead",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="Leased while the worker still answers the assignment before it, and not begun yet.",
            ),
        ),
        migrations.AddField(
            model_name="assignment",
            name="left_next",
            field=models.PositiveBigIntegerField(
                blank=True, help_text="Id of the assignment after it that ended without answers as well.", null=True
            ),
        ),
        # The new constraint first, so that there always is one.
        AddUniqueOnline(
            model_name="assignment",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state", "active")),
                fields=("worker", "project", "task", "ahead"),
                name="assignment_one_and_next",
            ),
        ),
        migrations.RemoveConstraint(model_name="assignment", name="assignment_one_at_a_time"),
    ]
