from django.db import migrations, models

from annotation.online_index import AddIndexOnline


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("pipeline", "0007_figures_indexes")]
    operations = [
        AddIndexOnline(
            model_name="entry",
            index=models.Index(
                condition=models.Q(("reason", ""), _negated=True), fields=["image"], name="entry_with_reason"
            ),
        ),
        AddIndexOnline(
            model_name="entry",
            index=models.Index(
                condition=models.Q(("actor", ""), _negated=True), fields=["image"], name="entry_by_somebody"
            ),
        ),
    ]
