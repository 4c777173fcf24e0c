import django.db.models.deletion
import runtime.clock
import workers.models
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('annotation', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Worker',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=100, unique=True)),
                ('kind', models.CharField(choices=[('person', 'Person'), ('program', 'Program'), ('virtual', 'Virtual')], default='person', max_length=7)),
                ('user', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL)),
                ('created_at', models.DateTimeField(default=runtime.clock.now, editable=False)),
                ('closed_at', models.DateTimeField(blank=True, editable=False, help_text="When the worker's person was forgotten; nobody works as them.", null=True)),
                ('preferences', models.JSONField(blank=True, db_default={}, default=dict, editable=False)),
            ],
            options={
                'ordering': ('id',),
                'constraints': [models.CheckConstraint(condition=models.Q(('kind__in', ['person', 'program', 'virtual'])), name='worker_kind_known')],
                'indexes': [],
            },
        ),
        migrations.CreateModel(
            name='Access',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('worker', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='accesses', to='workers.worker')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='accesses', to='annotation.project')),
                ('task', models.CharField(max_length=20)),
                ('granted_at', models.DateTimeField(default=runtime.clock.now, editable=False)),
                ('asked_at', models.DateTimeField(blank=True, editable=False, help_text='When a model annotator last asked for questions.', null=True)),
            ],
            options={
                'verbose_name_plural': 'accesses',
                'constraints': [models.UniqueConstraint(fields=('project', 'task', 'worker'), name='access_once')],
                'indexes': [],
            },
        ),
        migrations.CreateModel(
            name='Invitation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('code', models.CharField(default=workers.models.new_code, editable=False, max_length=40, unique=True)),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='invitations', to='annotation.project')),
                ('tasks', models.JSONField(blank=True, default=list, help_text='Tasks that people who join may work on; empty: all six.')),
                ('note', models.CharField(blank=True, help_text='Whom it is for; only requesters see this.', max_length=200)),
                ('trusted', models.BooleanField(default=False, help_text='People who join are trusted at once, without a test and without probation.')),
                ('most', models.PositiveIntegerField(blank=True, help_text='How many people may join; empty: no limit.', null=True)),
                ('joined', models.PositiveIntegerField(default=0, editable=False)),
                ('expires_at', models.DateTimeField(blank=True, null=True)),
                ('created_at', models.DateTimeField(default=runtime.clock.now, editable=False)),
            ],
            options={
                'ordering': ('-id',),
                'constraints': [models.CheckConstraint(condition=models.Q(('most', None), ('joined__lte', models.F('most')), _connector='OR'), name='invitation_not_overdrawn')],
                'indexes': [],
            },
        ),
        migrations.CreateModel(
            name='ApiKey',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('worker', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='api_keys', to='workers.worker')),
                ('prefix', models.CharField(help_text="The key's first characters, to tell keys apart.", max_length=8, unique=True)),
                ('digest', models.CharField(help_text='SHA-256 of the whole key, in hexadecimal.', max_length=64)),
                ('created_at', models.DateTimeField(default=runtime.clock.now, editable=False)),
                ('revoked_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'ordering': ('-id',),
                'indexes': [],
                'constraints': [],
            },
        ),
        migrations.CreateModel(
            name='Message',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('worker', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='messages', to='workers.worker')),
                ('project', models.ForeignKey(blank=True, help_text='The project that the message is about; empty: none in particular.', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='messages', to='annotation.project')),
                ('text', models.CharField(max_length=2000)),
                ('coded', models.JSONField(editable=False, help_text="The service's own message, for `workers.task_words`; empty: a person's.", null=True)),
                ('created_at', models.DateTimeField(default=runtime.clock.now, editable=False)),
                ('read_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'ordering': ('-id',),
                'indexes': [],
                'constraints': [],
            },
        ),
        migrations.CreateModel(
            name='TrustStatus',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('worker', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='trust_statuses', to='workers.worker')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='trust_statuses', to='annotation.project')),
                ('task', models.CharField(max_length=20)),
                ('state', models.CharField(choices=[('invited', 'invited'), ('testing', 'testing'), ('probation', 'probation'), ('trusted', 'trusted'), ('suspended', 'suspended'), ('barred', 'barred')], max_length=9)),
                ('passed_test', models.BooleanField(default=False)),
                ('tests_failed', models.PositiveIntegerField(default=0)),
                ('test_from', models.DateTimeField(blank=True, null=True)),
                ('had_second_probation', models.BooleanField(default=False)),
                ('probation_since', models.DateTimeField(blank=True, null=True)),
                ('trusted_since', models.DateTimeField(blank=True, null=True)),
                ('score_since', models.DateTimeField(blank=True, null=True)),
                ('resumes', models.CharField(blank=True, choices=[('invited', 'invited'), ('testing', 'testing'), ('probation', 'probation'), ('trusted', 'trusted'), ('suspended', 'suspended'), ('barred', 'barred')], max_length=9)),
                ('suspended_until', models.DateTimeField(blank=True, null=True)),
                ('appealed', models.BooleanField(default=False)),
                ('seen', models.JSONField(default=list, help_text='Ids of the verification questions that the worker was shown.')),
                ('images', models.JSONField(default=list, help_text='Ids of the last 100 images that the worker was shown.')),
                ('asked', models.PositiveIntegerField(default=0, help_text='Questions since the present share of verification questions applies ...')),
                ('verified', models.PositiveIntegerField(default=0, help_text='... and the verification questions among them.')),
                ('rounds', models.PositiveIntegerField(default=0, help_text='How often that count started anew.')),
                ('left_assignment', models.PositiveBigIntegerField(blank=True, help_text='Id of the last assignment, if it ended without answers.', null=True)),
                ('reviewed_at', models.DateTimeField(blank=True, help_text='When the scores were last reviewed.', null=True)),
                ('take_back', models.BooleanField(default=False, help_text='The worker lost trust, and their unresolved judgments are still to be voided.')),
            ],
            options={
                'verbose_name_plural': 'workers by task',
                'ordering': ('-id',),
                'constraints': [models.UniqueConstraint(fields=('worker', 'project', 'task'), name='trust_status_once'), models.CheckConstraint(condition=models.Q(('state__in', ['invited', 'testing', 'probation', 'trusted', 'suspended', 'barred'])), name='trust_status_known'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'suspended'), _negated=True), ('suspended_until__isnull', False), _connector='OR'), name='trust_status_suspended_for_a_time')],
                'indexes': [],
            },
        ),
        migrations.CreateModel(
            name='TrustChange',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('worker', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='trust_changes', to='workers.worker')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='trust_changes', to='annotation.project')),
                ('task', models.CharField(max_length=20)),
                ('event', models.CharField(max_length=60)),
                ('old', models.CharField(blank=True, help_text="Empty: the worker's trust on the task began.", max_length=9)),
                ('new', models.CharField(max_length=9)),
                ('reason', models.CharField(max_length=1000)),
                ('figures', models.JSONField(default=dict)),
                ('actor', models.CharField(blank=True, help_text='Empty: it followed from figures or time.', max_length=150)),
                ('created_at', models.DateTimeField()),
            ],
            options={
                'ordering': ('-id',),
                'indexes': [],
                'constraints': [],
            },
        ),
        migrations.CreateModel(
            name='WorkerSignal',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='signals', to='annotation.project')),
                ('kind', models.CharField(max_length=30)),
                ('task', models.CharField(blank=True, help_text='Empty: found in several tasks taken together.', max_length=20)),
                ('workers', models.JSONField(help_text='Ids of the worker or the two workers, in ascending order.')),
                ('chance', models.FloatField(help_text='The largest share of honest workers who look like this by chance, 0 to 1.')),
                ('words', models.CharField(max_length=1000)),
                ('evidence', models.JSONField(help_text='judgments: the newest ids; count: all of them; tests: workers or pairs looked at.')),
                ('found_at', models.DateTimeField(help_text='When it was first found.')),
                ('gone_at', models.DateTimeField(blank=True, help_text='From when on it was no longer found.', null=True)),
                ('dismissed_at', models.DateTimeField(blank=True, null=True)),
                ('dismissed_by', models.CharField(blank=True, max_length=150)),
                ('note', models.CharField(blank=True, help_text='Why it was dismissed.', max_length=500)),
            ],
            options={
                'ordering': ('-id',),
                'constraints': [models.UniqueConstraint(fields=('project', 'kind', 'task', 'workers'), name='worker_signal_once'), models.CheckConstraint(condition=models.Q(('dismissed_at', None), models.Q(('dismissed_by', ''), _negated=True), _connector='XOR'), name='worker_signal_dismissed_by_somebody')],
                'indexes': [],
            },
        ),
        migrations.CreateModel(
            name='SkillEstimate',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('worker', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='skills', to='workers.worker')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='skills', to='annotation.project')),
                ('task', models.CharField(max_length=20)),
                ('accuracy', models.FloatField(help_text='Share of right answers, 0 to 1.')),
                ('low', models.FloatField(help_text='Its 95 % interval, from here ...')),
                ('high', models.FloatField(help_text='... to here. 0 to 1 if no answer could be checked.')),
                ('answers', models.PositiveIntegerField(help_text='Checked answers: the truth is known, or another worker answered, too.')),
                ('known_answers', models.PositiveIntegerField(help_text='The answers among them to verification questions.')),
                ('computed_at', models.DateTimeField()),
            ],
            options={
                'ordering': ('project', 'task', 'worker'),
                'constraints': [models.UniqueConstraint(fields=('project', 'task', 'worker'), name='skill_estimate_once')],
                'indexes': [],
            },
        ),
    ]
