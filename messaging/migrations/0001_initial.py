import django.db.models.deletion
import upkeep.clock
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('annotation', '0001_initial'),
        ('pipeline', '0001_initial'),
        ('workers', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='Conversation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('worker', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='conversations', to='workers.worker')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='conversations', to='annotation.project')),
                ('assignment', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='conversations', to='pipeline.assignment')),
                ('subject', models.CharField(choices=[('receipt', 'an assignment'), ('refusal', 'refused pay'), ('test', 'a qualification test'), ('standing', 'the status in a task'), ('other', 'something else')], max_length=8)),
                ('task', models.CharField(blank=True, help_text='Empty: it is about no single task.', max_length=20)),
                ('created_at', models.DateTimeField(default=upkeep.clock.now, editable=False)),
                ('waits_since', models.DateTimeField(blank=True, editable=False, help_text='When the worker wrote; empty: the requester has answered.', null=True)),
            ],
            options={
                'ordering': ('-id',),
                'constraints': [models.CheckConstraint(condition=models.Q(('subject__in', ['receipt', 'refusal', 'test', 'standing', 'other'])), name='conversation_subject_known')],
                'indexes': [],
            },
        ),
        migrations.CreateModel(
            name='Post',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('conversation', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='posts', to='messaging.conversation')),
                ('actor', models.CharField(blank=True, help_text='Who answered; empty: the worker wrote it.', max_length=150)),
                ('text', models.CharField(max_length=2000)),
                ('created_at', models.DateTimeField(default=upkeep.clock.now, editable=False)),
                ('read_at', models.DateTimeField(blank=True, help_text='When the worker read the answer.', null=True)),
                ('mail', models.CharField(blank=True, choices=[('', 'none'), ('due', 'Due'), ('sent', 'Sent'), ('failed', 'Failed')], help_text='The mail to the worker.', max_length=6)),
                ('mail_at', models.DateTimeField(blank=True, help_text='When the mail is due, or was sent.', null=True)),
                ('mail_tries', models.PositiveSmallIntegerField(default=0)),
            ],
            options={
                'ordering': ('id',),
                'indexes': [models.Index(condition=models.Q(('mail', 'due')), fields=['mail_at'], name='post_mail_due')],
                'constraints': [models.CheckConstraint(condition=models.Q(('mail__in', ['', 'due', 'sent', 'failed'])), name='post_mail_known'), models.CheckConstraint(condition=models.Q(models.Q(('mail', 'due'), _negated=True), ('mail_at__isnull', False), _connector='OR'), name='post_mail_due_at')],
            },
        ),
    ]
