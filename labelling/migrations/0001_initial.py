import django.db.models.deletion
import runtime.clock
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('annotation', '0001_initial'),
        ('pipeline', '0001_initial'),
        ('workers', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='SignIn',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('session_key', models.CharField(help_text='The key of the Django session.', max_length=40, unique=True)),
                ('password_end', models.CharField(help_text='The end of the hash of the password at that time.', max_length=12)),
            ],
            options={
                'indexes': [],
                'constraints': [],
            },
        ),
        migrations.CreateModel(
            name='Conversation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('worker', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='conversations', to='workers.worker')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='conversations', to='annotation.project')),
                ('assignment', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='conversations', to='pipeline.assignment')),
                ('subject', models.CharField(choices=[('receipt', 'an assignment'), ('refusal', 'refused pay'), ('test', 'a qualification test'), ('standing', 'the status in a task'), ('other', 'something else')], max_length=8)),
                ('task', models.CharField(blank=True, help_text='Empty: it is about no single task.', max_length=20)),
                ('created_at', models.DateTimeField(default=runtime.clock.now, editable=False)),
                ('waits_since', models.DateTimeField(blank=True, editable=False, help_text='When the worker wrote; empty: the requester has answered.', null=True)),
            ],
            options={
                'ordering': ('-id',),
                'constraints': [models.CheckConstraint(condition=models.Q(('subject__in', ['receipt', 'refusal', 'test', 'standing', 'other'])), name='conversation_subject_known')],
                'indexes': [],
            },
        ),
        migrations.CreateModel(
            name='OutgoingMail',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('to', models.CharField(help_text="The address; an account's own when the mail goes out.", max_length=254)),
                ('user', models.ForeignKey(blank=True, help_text='The account that the mail is for; empty: an address alone.', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('subject', models.CharField(max_length=200)),
                ('text', models.TextField(blank=True, help_text='Emptied once it is sent: it may hold a link that opens an account.')),
                ('state', models.CharField(choices=[('due', 'to be sent'), ('sent', 'Sent'), ('failed', 'given up')], default='due', max_length=6)),
                ('made_at', models.DateTimeField(default=runtime.clock.now, editable=False)),
                ('due_at', models.DateTimeField(default=runtime.clock.now, help_text='The time of the next try.')),
                ('tries', models.PositiveSmallIntegerField(default=0)),
                ('sent_at', models.DateTimeField(blank=True, null=True)),
                ('problem', models.CharField(blank=True, help_text='Why the last try failed.', max_length=500)),
            ],
            options={
                'verbose_name_plural': 'outgoing mail',
                'ordering': ('-id',),
                'indexes': [models.Index(condition=models.Q(('state', 'due')), fields=['due_at'], name='mail_due')],
                'constraints': [models.CheckConstraint(condition=models.Q(('state__in', ['due', 'sent', 'failed'])), name='mail_state_known')],
            },
        ),
        migrations.CreateModel(
            name='Post',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('conversation', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='posts', to='labelling.conversation')),
                ('actor', models.CharField(blank=True, help_text='Who answered; empty: the worker wrote it.', max_length=150)),
                ('text', models.CharField(max_length=2000)),
                ('created_at', models.DateTimeField(default=runtime.clock.now, editable=False)),
                ('read_at', models.DateTimeField(blank=True, help_text='When the worker read the answer.', null=True)),
                ('mail', models.OneToOneField(blank=True, help_text='To the worker.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='labelling.outgoingmail')),
            ],
            options={
                'ordering': ('id',),
                'indexes': [],
                'constraints': [],
            },
        ),
    ]
