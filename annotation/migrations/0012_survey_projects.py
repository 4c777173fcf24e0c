from django.db import migrations, models


class Migration(migrations.Migration):
    # while running: the check reads the table of projects under a lock, and it has few rows.
    dependencies = [("annotation", "0011_dry_run")]
    operations = [
        migrations.AddField(
            model_name="project",
            name="survey",
            field=models.CharField(
                blank=True,
                choices=[("caption_check", "caption_check"), ("atom_visual", "atom_visual")],
                db_default="",
                default="",
                editable=False,
                help_text="The one question that a survey asks; empty: the paper's six tasks.",
                max_length=20,
            ),
        ),
        migrations.AddConstraint(
            model_name="project",
            constraint=models.CheckConstraint(
                condition=models.Q(("survey__in", ["caption_check", "atom_visual", ""])), name="project_survey_known"
            ),
        ),
    ]
