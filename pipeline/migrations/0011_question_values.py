from django.db import migrations, models

from annotation.online_index import AddIndexOnline


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("annotation", "0012_survey_projects"), ("pipeline", "0010_survey_tasks")]
    operations = [
        migrations.AddField(
            model_name="question",
            name="value",
            field=models.FloatField(
                db_default=0.0,
                default=0.0,
                help_text="Bits that the answer is expected to tell, of links asked adaptively; large values are asked first.",
            ),
        ),
        migrations.AddField(
            model_name="question",
            name="foretold",
            field=models.FloatField(
                blank=True,
                help_text="Of a link asked by lot to check the adaptive strategy: the chance foretold for the answer “same”.",
                null=True,
            ),
        ),
        AddIndexOnline(
            model_name="question",
            index=models.Index(
                condition=models.Q(("assignment", None), ("state", "open")),
                fields=["project", "task", "-value", "id"],
                name="question_to_ask",
            ),
        ),
        AddIndexOnline(
            model_name="question",
            index=models.Index(
                condition=models.Q(("foretold__isnull", False), ("state", "closed")),
                fields=["project"],
                name="question_asked_by_lot",
            ),
        ),
        # The version before sorts free questions by id without it, which takes longer while it still runs.
        migrations.RemoveIndex(model_name="question", name="question_to_lease"),
    ]
