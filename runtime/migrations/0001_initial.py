import runtime.clock
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='JobRun',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(max_length=200, unique=True)),
                ('job', models.CharField(max_length=100)),
                ('arguments', models.JSONField(default=list)),
                ('share', models.CharField(blank=True, db_default='', default='', max_length=50)),
                ('state', models.CharField(choices=[('waiting', 'Waiting'), ('running', 'Running'), ('failed', 'Failed'), ('done', 'Done')], default='waiting', max_length=8)),
                ('asked_at', models.DateTimeField(default=runtime.clock.now)),
                ('sent_at', models.DateTimeField(null=True)),
                ('holder', models.CharField(blank=True, default='', max_length=200)),
                ('held_until', models.DateTimeField(null=True)),
                ('tries', models.PositiveSmallIntegerField(default=0)),
                ('finished_at', models.DateTimeField(null=True)),
                ('problem', models.TextField(blank=True, default='')),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('state__in', ('waiting', 'running'))), fields=['state'], name='job_run_open')],
                'constraints': [models.CheckConstraint(condition=models.Q(('state__in', ('waiting', 'running', 'failed', 'done'))), name='job_run_state_known'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'running'), _negated=True), ('held_until__isnull', False), _connector='OR'), name='job_run_held')],
            },
        ),
    ]
