from django.db import migrations, models

from annotation.online_index import AddCheckOnline

TASKS = [
    "coreference_link",
    "chain_verification",
    "box_requirement",
    "box_drawing",
    "box_quality",
    "box_coverage",
    "caption_check",
    "atom_visual",
]


def task():
    return models.CharField(choices=[(name, name) for name in TASKS], max_length=20)


def known(name):
    return models.CheckConstraint(condition=models.Q(("task__in", TASKS)), name=name)


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("annotation", "0012_survey_projects"), ("pipeline", "0009_closed_questions_index")]
    operations = [
        migrations.AlterField(model_name="assignment", name="task", field=task()),
        migrations.AlterField(model_name="knownquestion", name="task", field=task()),
        migrations.AlterField(model_name="question", name="task", field=task()),
        migrations.AlterField(
            model_name="question",
            name="chain",
            field=models.PositiveIntegerField(
                help_text="Name of the chain; empty for a coreference link and a survey.", null=True
            ),
        ),
        migrations.AlterField(
            model_name="question",
            name="subject",
            field=models.JSONField(
                help_text="Numbers: two mentions, a chain, a chain and its new box, or the survey's question."
            ),
        ),
        migrations.RemoveConstraint(model_name="knownquestion", name="known_question_task_known"),
        AddCheckOnline(model_name="knownquestion", constraint=known("known_question_task_known")),
        migrations.RemoveConstraint(model_name="question", name="question_task_known"),
        AddCheckOnline(model_name="question", constraint=known("question_task_known")),
    ]
