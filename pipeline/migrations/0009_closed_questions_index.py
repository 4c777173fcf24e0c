from django.db import migrations, models

from annotation.online_index import AddIndexOnline


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("pipeline", "0008_search_indexes")]
    operations = [
        AddIndexOnline(
            model_name="question",
            index=models.Index(
                condition=models.Q(("state", "closed")), fields=["project", "task", "id"], name="question_closed"
            ),
        )
    ]
