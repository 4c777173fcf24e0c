from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("pipeline", "0014_codes_of_stored_texts")]
    operations = [
        migrations.AddField(
            model_name="settingsversion",
            name="learned_from",
            field=models.PositiveIntegerField(
                blank=True,
                help_text="Answers that a refit learned this version from; empty: people chose it.",
                null=True,
            ),
        ),
    ]
