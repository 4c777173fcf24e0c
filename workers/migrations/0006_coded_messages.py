from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("workers", "0005_preferences")]
    operations = [
        migrations.AddField(
            model_name="message",
            name="coded",
            field=models.JSONField(
                editable=False,
                help_text="The service's own message, as `workers.said` reads it; empty: a person's.",
                null=True,
            ),
        ),
    ]
