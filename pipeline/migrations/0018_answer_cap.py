from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("pipeline", "0017_label_doubts")]
    operations = [
        migrations.AddField(
            model_name="spending",
            name="committed_answers",
            field=models.BigIntegerField(
                db_default=0, default=0, help_text="Answers that people gave or are being asked for, but for tests."
            ),
        ),
    ]
