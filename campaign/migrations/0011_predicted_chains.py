from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("campaign", "0010_survey_items")]
    operations = [
        migrations.AlterField(
            model_name="modelprediction",
            name="chains",
            field=models.JSONField(
                default=list, help_text="Lists of mentions that refer to the same, as the program says."
            ),
        )
    ]
