from django.db import migrations, models

from annotation.online_index import AddIndexOnline


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("annotation", "0008_box_proposed")]
    operations = [
        AddIndexOnline(
            model_name="box",
            index=models.Index(condition=models.Q(("proposed", True)), fields=["image"], name="box_proposed"),
        ),
    ]
