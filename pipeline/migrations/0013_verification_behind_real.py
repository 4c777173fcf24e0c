from django.db import migrations, models

TAKEN_BACK = "Whether the worker is taken not to have seen it; empty: it ended before that was noted."


class Migration(migrations.Migration):
    dependencies = [("pipeline", "0012_submitted_index")]
    operations = [
        migrations.AddField(
            model_name="assignment",
            name="spare",
            field=models.JSONField(
                db_default=models.Value([], models.JSONField()),
                default=list,
                help_text="Ids of the real questions behind its verification questions, in the order of their places.",
            ),
        ),
        # Empty for the assignments that are there, and only then with the default of new ones.
        migrations.AddField(
            model_name="assignment",
            name="taken_back",
            field=models.BooleanField(help_text=TAKEN_BACK, null=True),
        ),
        migrations.AlterField(
            model_name="assignment",
            name="taken_back",
            field=models.BooleanField(default=False, help_text=TAKEN_BACK, null=True),
        ),
    ]
