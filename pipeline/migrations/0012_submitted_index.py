from django.db import migrations, models

from annotation.online_index import AddIndexOnline


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("pipeline", "0011_question_values")]
    operations = [
        AddIndexOnline(
            model_name="assignment",
            index=models.Index(
                condition=models.Q(("ended_at__isnull", False), ("state", "submitted")),
                fields=["ended_at", "project"],
                name="assignment_done",
            ),
        ),
        migrations.RemoveIndex(model_name="assignment", name="assignment_submitted"),
    ]
