from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("upkeep", "0001_initial")]
    operations = [
        migrations.AddField(
            model_name="jobrun",
            name="share",
            field=models.CharField(blank=True, db_default="", default="", max_length=50),
        ),
    ]
