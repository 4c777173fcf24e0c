import django.db.models.deletion
import runtime.clock
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('annotation', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='Selection',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='selections', to='annotation.project')),
                ('digest', models.CharField(help_text='Of everything that was chosen.', max_length=16)),
                ('images', models.JSONField(help_text='Ids of the images, in ascending order; empty: all.', null=True)),
                ('include_unmerged', models.BooleanField(help_text='Unfinished images are exported as they are so far.')),
                ('options', models.JSONField(default=dict, help_text='The options, as of ExportOptions.')),
                ('words', models.CharField(blank=True, help_text='The search that found the images, in words.', max_length=500)),
                ('created_at', models.DateTimeField(default=runtime.clock.now, editable=False)),
            ],
            options={
                'ordering': ('-id',),
                'constraints': [models.UniqueConstraint(fields=('project', 'digest'), name='selection_once')],
                'indexes': [],
            },
        ),
    ]
