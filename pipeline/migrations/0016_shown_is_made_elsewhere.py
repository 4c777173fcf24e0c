from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("pipeline", "0015_learned_from")]
    operations = [
        migrations.AlterField(
            model_name="question",
            name="shown",
            field=models.JSONField(
                default=dict, help_text="What a worker is shown; see rules/progress/question_view.py."
            ),
        ),
    ]
