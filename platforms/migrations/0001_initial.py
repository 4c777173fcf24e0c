import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('annotation', '0001_initial'),
        ('workers', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='Identity',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('worker', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='identities', to='workers.worker')),
                ('platform', models.CharField(max_length=20)),
                ('external_id', models.CharField(help_text="The platform's id of the worker.", max_length=100)),
            ],
            options={
                'verbose_name_plural': 'identities',
                'ordering': ('id',),
                'constraints': [models.UniqueConstraint(fields=('platform', 'external_id'), name='identity_once')],
                'indexes': [],
            },
        ),
        migrations.CreateModel(
            name='Offer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('platform', models.CharField(max_length=20)),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='offers', to='annotation.project')),
                ('task', models.CharField(max_length=20)),
                ('kind', models.CharField(choices=[('entry', 'for newcomers: starts with the qualification test'), ('work', 'for workers who passed the test'), ('test', 'for test participants: a trial, in which nobody is paid and no answer counts')], max_length=5)),
                ('state', models.CharField(choices=[('planned', 'not known to exist on the platform'), ('open', 'Open'), ('ending', 'to be withdrawn'), ('ended', 'Ended')], default='planned', max_length=7)),
                ('key', models.CharField(help_text='Our name for it, which keeps the platform from making it twice.', max_length=40, unique=True)),
                ('external_id', models.CharField(blank=True, help_text="The platform's id of the offer.", max_length=100)),
                ('places', models.PositiveIntegerField(help_text='How many sessions it allows.')),
                ('taken', models.PositiveIntegerField(default=0, help_text='Places that are taken, as last read.')),
                ('least', models.PositiveIntegerField(default=1, help_text='Assignments that a session needs.')),
                ('quota', models.PositiveIntegerField(default=1, help_text='Assignments that a session may have.')),
                ('reward_cents', models.PositiveIntegerField(help_text='What the platform pays for an accepted session.')),
                ('pays_tests', models.BooleanField(default=False, help_text='A failed test is paid, too.')),
                ('seconds', models.PositiveIntegerField(help_text='Time for a session, from taking a place.')),
                ('terms', models.JSONField(default=dict, help_text='Title, description and whatever else the platform shows.')),
                ('tries', models.PositiveIntegerField(default=0, help_text='How often the platform was asked to make it.')),
                ('sent_at', models.DateTimeField(blank=True, help_text='When the platform was last asked to make it.', null=True)),
                ('last_error', models.CharField(blank=True, help_text="The platform's last error message, if any.", max_length=500)),
                ('looked_at', models.DateTimeField(blank=True, help_text='When its sessions were last read from the platform.', null=True)),
                ('recruited_in', models.CharField(blank=True, help_text='Time until all places are taken, as the platform predicted.', max_length=100)),
                ('created_at', models.DateTimeField()),
                ('expires_at', models.DateTimeField()),
            ],
            options={
                'ordering': ('-id',),
                'indexes': [models.Index(fields=['platform', 'project', 'state'], name='offer_by_state')],
                'constraints': [models.CheckConstraint(condition=models.Q(('kind__in', ['entry', 'work', 'test'])), name='offer_kind_known'), models.CheckConstraint(condition=models.Q(('state__in', ['planned', 'open', 'ending', 'ended'])), name='offer_state_known'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'open'), _negated=True), models.Q(('external_id', ''), _negated=True), _connector='OR'), name='offer_open_is_named')],
            },
        ),
        migrations.CreateModel(
            name='Session',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('offer', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='sessions', to='platforms.offer')),
                ('worker', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='sessions', to='workers.worker')),
                ('external_id', models.CharField(help_text="The platform's id of the assignment or submission.", max_length=100)),
                ('state', models.CharField(choices=[('open', 'Open'), ('finished', 'handed in on our page'), ('left', 'given back, or its time ran out')], default='open', max_length=8)),
                ('platform_state', models.CharField(blank=True, choices=[('', 'not submitted on the platform, as far as we know'), ('submitted', 'waits for our decision'), ('approved', 'approved and paid'), ('rejected', 'Rejected'), ('returned', 'given back, or its time ran out')], default='', max_length=9)),
                ('opened_at', models.DateTimeField()),
                ('ends_at', models.DateTimeField(help_text="The platform's deadline, as far as we know.")),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('nothing_open', models.BooleanField(default=False, help_text='There was nothing to do for the worker when they last asked.')),
                ('visitor', models.CharField(blank=True, db_default='', default='', help_text='Digest of the address and browser that opened it first, where only those tell.', max_length=64)),
                ('strangers', models.PositiveIntegerField(db_default=0, default=0, help_text='Visits from elsewhere, which were refused.')),
                ('stranger_at', models.DateTimeField(blank=True, help_text='When the last of them came.', null=True)),
                ('return_asked_at', models.DateTimeField(blank=True, help_text='When the worker was asked to give it back instead of a rejection.', null=True)),
            ],
            options={
                'ordering': ('-id',),
                'indexes': [models.Index(condition=models.Q(('platform_state', 'submitted')), fields=['platform_state'], name='session_to_settle')],
                'constraints': [models.UniqueConstraint(fields=('offer', 'external_id', 'worker'), name='session_once'), models.CheckConstraint(condition=models.Q(('state__in', ['open', 'finished', 'left'])), name='session_state_known'), models.CheckConstraint(condition=models.Q(('platform_state__in', ['', 'submitted', 'approved', 'rejected', 'returned'])), name='session_platform_state_known')],
            },
        ),
        migrations.CreateModel(
            name='Payment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('session', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='payments', to='platforms.session')),
                ('kind', models.CharField(choices=[('approve', 'Approve'), ('part', 'approve, and pay a part of the reward'), ('reject', 'Reject'), ('override', 'approve after all'), ('bonus', 'Bonus')], max_length=8)),
                ('state', models.CharField(choices=[('planned', 'Planned'), ('sent', 'sent, and it is not known whether it took effect'), ('done', 'Done'), ('refused', 'refused by the platform')], default='planned', max_length=7)),
                ('cents', models.PositiveIntegerField(default=0, help_text="In hundredths of the project's currency.")),
                ('reason', models.CharField(blank=True, help_text='Shown to the worker.', max_length=1000)),
                ('external_id', models.CharField(blank=True, help_text="The platform's id of the payment, if it has one.", max_length=100)),
                ('tries', models.PositiveIntegerField(default=0)),
                ('sent_at', models.DateTimeField(blank=True, help_text='When it was last sent.', null=True)),
                ('last_error', models.CharField(blank=True, help_text='The last error message, if any.', max_length=500)),
                ('created_at', models.DateTimeField()),
            ],
            options={
                'ordering': ('-id',),
                'indexes': [models.Index(condition=models.Q(('state__in', ['planned', 'sent'])), fields=['state'], name='payment_to_carry_out')],
                'constraints': [models.CheckConstraint(condition=models.Q(('kind__in', ['approve', 'part', 'reject', 'override', 'bonus'])), name='payment_kind_known'), models.CheckConstraint(condition=models.Q(('state__in', ['planned', 'sent', 'done', 'refused'])), name='payment_state_known'), models.CheckConstraint(condition=models.Q(models.Q(('kind', 'bonus'), _negated=True), ('cents__gt', 0), _connector='OR'), name='payment_bonus_is_money'), models.UniqueConstraint(condition=models.Q(('state__in', ['planned', 'sent'])), fields=('session', 'kind'), name='payment_one_at_a_time')],
            },
        ),
        migrations.CreateModel(
            name='Recruitment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('platform', models.CharField(max_length=20)),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='recruitments', to='annotation.project')),
                ('active', models.BooleanField(default=True)),
                ('tasks', models.JSONField(default=list, help_text='Tasks that are offered.')),
                ('terms', models.JSONField(default=dict, help_text='The fields of platforms/contract.py.')),
                ('started_by', models.CharField(blank=True, max_length=150)),
                ('created_at', models.DateTimeField()),
                ('looked_at', models.DateTimeField(blank=True, help_text='When the platform was last read completely.', null=True)),
            ],
            options={
                'ordering': ('-id',),
                'constraints': [models.UniqueConstraint(fields=('platform', 'project'), name='recruitment_once')],
                'indexes': [],
            },
        ),
        migrations.CreateModel(
            name='Screening',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('identity', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='screenings', to='platforms.identity')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='screenings', to='annotation.project')),
                ('task', models.CharField(max_length=20)),
                ('passed', models.BooleanField(help_text='Empty: a newcomer.', null=True)),
            ],
            options={
                'ordering': ('id',),
                'constraints': [models.UniqueConstraint(fields=('identity', 'project', 'task'), name='screening_once')],
                'indexes': [],
            },
        ),
        migrations.CreateModel(
            name='Counterpart',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('platform', models.CharField(max_length=20)),
                ('name', models.CharField(help_text='Our name for it.', max_length=200)),
                ('external_id', models.CharField(max_length=100)),
            ],
            options={
                'ordering': ('id',),
                'constraints': [models.UniqueConstraint(fields=('platform', 'name'), name='counterpart_once')],
                'indexes': [],
            },
        ),
    ]
