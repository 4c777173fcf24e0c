import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0012_survey_projects'),
        ('campaign', '0011_predicted_chains'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name='importrun',
            name='source_project',
            field=models.ForeignKey(db_index=False, help_text='The project that is copied or tried: its name may belong to another one by now.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='annotation.project'),
        ),
        migrations.AlterField(
            model_name='importrun',
            name='user',
            field=models.ForeignKey(help_text="Who began it, or resumed it last: it goes on by this account's right.", null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
    ]
