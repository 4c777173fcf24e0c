import django.db.models.deletion
import runtime.clock
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('annotation', '0001_initial'),
        ('labelling', '0001_initial'),
        ('workers', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='AlertChannel',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='alert_channels', to='annotation.project')),
                ('kind', models.CharField(choices=[('mail', 'e-mail'), ('hook', 'webhook')], max_length=4)),
                ('user', models.ForeignKey(blank=True, help_text='The member who gets the mail; empty for a webhook.', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('url', models.CharField(blank=True, help_text='The address of the webhook.', max_length=500)),
                ('secret', models.CharField(blank=True, help_text='The key that signs what the webhook gets.', max_length=64)),
                ('kinds', models.JSONField(default=list, help_text='The kinds of alerts that are sent.')),
                ('created_at', models.DateTimeField(default=runtime.clock.now, editable=False)),
            ],
            options={
                'ordering': ('project', 'id'),
                'constraints': [models.UniqueConstraint(condition=models.Q(('kind', 'mail')), fields=('project', 'user'), name='alert_mail_once'), models.CheckConstraint(condition=models.Q(models.Q(('kind', 'mail'), ('secret', ''), ('url', ''), ('user__isnull', False)), models.Q(('kind', 'hook'), ('user', None), models.Q(('url', ''), _negated=True), models.Q(('secret', ''), _negated=True)), _connector='OR'), name='alert_channel_has_an_address')],
                'indexes': [],
            },
        ),
        migrations.CreateModel(
            name='Alert',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('project', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='alerts', to='annotation.project')),
                ('kind', models.CharField(max_length=12)),
                ('count', models.PositiveIntegerField(help_text='How many there were when it began.')),
                ('words', models.CharField(max_length=300)),
                ('path', models.CharField(help_text='The page where it is settled.', max_length=300)),
                ('began_at', models.DateTimeField()),
                ('settled_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'ordering': ('-id',),
                'indexes': [models.Index(fields=['project', '-id'], name='alert_of_project')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('settled_at', None)), fields=('project', 'kind'), name='alert_begun_once')],
            },
        ),
        migrations.CreateModel(
            name='Delivery',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('alert', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='deliveries', to='projects.alert')),
                ('channel', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='deliveries', to='projects.alertchannel')),
                ('state', models.CharField(choices=[('due', 'to be sent'), ('sent', 'Sent'), ('failed', 'given up')], default='due', max_length=6)),
                ('due_at', models.DateTimeField()),
                ('tries', models.PositiveSmallIntegerField(default=0)),
                ('sent_at', models.DateTimeField(blank=True, null=True)),
                ('problem', models.CharField(blank=True, help_text='Why the last try failed.', max_length=500)),
                ('mail', models.OneToOneField(blank=True, help_text='That carries it.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='labelling.outgoingmail')),
            ],
            options={
                'verbose_name_plural': 'deliveries',
                'ordering': ('-id',),
                'indexes': [models.Index(condition=models.Q(('state', 'due')), fields=['due_at'], name='delivery_due')],
                'constraints': [models.UniqueConstraint(fields=('alert', 'channel'), name='delivery_once'), models.CheckConstraint(condition=models.Q(('state__in', ['due', 'sent', 'failed'])), name='delivery_state_known')],
            },
        ),
        migrations.CreateModel(
            name='ErrorSample',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='error_samples', to='annotation.project')),
                ('seed', models.PositiveIntegerField(help_text='The same seed chooses the same images out of the same finished ones.')),
                ('images', models.JSONField(help_text='Ids of the sampled images, in the order in which they are looked at.')),
                ('tallies', models.JSONField(default=dict, help_text="What was found, by the image's id: counts of errors and parts.")),
                ('made_by', models.CharField(blank=True, max_length=150)),
                ('created_at', models.DateTimeField(default=runtime.clock.now, editable=False)),
            ],
            options={
                'ordering': ('-id',),
                'indexes': [],
                'constraints': [],
            },
        ),
        migrations.CreateModel(
            name='Figures',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('project', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='figures', to='annotation.project')),
                ('name', models.CharField(max_length=20)),
                ('computed_at', models.DateTimeField()),
                ('seconds', models.FloatField(help_text='The time that computing took: a slow group is computed less often.')),
                ('values', models.JSONField()),
            ],
            options={
                'verbose_name_plural': 'figures',
                'ordering': ('project', 'name'),
                'constraints': [models.UniqueConstraint(fields=('project', 'name'), name='figures_once')],
                'indexes': [],
            },
        ),
        migrations.CreateModel(
            name='Looked',
            fields=[
                ('project', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='looked', serialize=False, to='annotation.project')),
                ('until', models.DateTimeField()),
                ('user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('at', models.DateTimeField(default=runtime.clock.now)),
            ],
            options={
                'verbose_name_plural': 'looked',
                'indexes': [],
                'constraints': [],
            },
        ),
        migrations.CreateModel(
            name='GoldImage',
            fields=[
                ('image', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='gold_image', serialize=False, to='annotation.image')),
                ('place', models.PositiveIntegerField(help_text='Order in which the images are annotated, from 0.')),
                ('annotators', models.PositiveSmallIntegerField(help_text='People who annotate it, independently: one or two.')),
                ('disputes', models.PositiveSmallIntegerField(default=0, help_text='Disagreements that nobody has settled yet.')),
                ('settled_at', models.DateTimeField(blank=True, help_text='Its whole annotation counts since.', null=True)),
                ('gives', models.JSONField(default=dict, help_text='Known questions that can be made of it, by task and answer.')),
                ('added_at', models.DateTimeField(default=runtime.clock.now, editable=False)),
            ],
            options={
                'ordering': ('place',),
                'constraints': [models.CheckConstraint(condition=models.Q(('annotators__in', [1, 2])), name='gold_image_one_or_two_annotators')],
                'indexes': [],
            },
        ),
        migrations.CreateModel(
            name='GoldAnnotation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('gold_image', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='annotations', to='projects.goldimage')),
                ('user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('name', models.CharField(help_text="The user's name at the time.", max_length=150)),
                ('settles', models.BooleanField(default=False, help_text='It settles the disagreements of two others.')),
                ('chains', models.JSONField(help_text='For each chain: mentions, non_visual, boxes [x0, y0, x1, y1].')),
                ('revision', models.PositiveIntegerField(default=0, help_text='How often it was saved.')),
                ('begun_at', models.DateTimeField(default=runtime.clock.now, editable=False)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'ordering': ('gold_image', 'id'),
                'constraints': [models.UniqueConstraint(condition=models.Q(('settles', False)), fields=('gold_image', 'user'), name='gold_annotation_once_each'), models.UniqueConstraint(condition=models.Q(('settles', True)), fields=('gold_image',), name='gold_settled_once')],
                'indexes': [],
            },
        ),
        migrations.CreateModel(
            name='Run',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('operation', models.CharField(help_text='The name of the operation that began it.', max_length=40)),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='runs', to='annotation.project')),
                ('user', models.ForeignKey(help_text="The account that began it, or resumed it last: it goes on by this account's right.", null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('state', models.CharField(choices=[('waiting', 'Waiting'), ('running', 'Running'), ('paused', 'Paused'), ('cancelled', 'Cancelled'), ('failed', 'Failed'), ('done', 'Done')], default='waiting', max_length=9)),
                ('requested', models.CharField(blank=True, choices=[('', 'nothing'), ('pause', 'Pause'), ('cancel', 'Cancel')], default='', max_length=6)),
                ('lane', models.CharField(help_text='Of the runs of a project in one lane, one is open.', max_length=60)),
                ('input', models.JSONField(default=dict, help_text='The values that the work is done with.')),
                ('result', models.JSONField(default=dict, help_text='The result; of images, the counts so far.')),
                ('done', models.PositiveIntegerField(default=0, help_text='Steps done so far.')),
                ('total', models.PositiveIntegerField(default=0, help_text='About as many steps as there are; 0: not known.')),
                ('message', models.CharField(blank=True, help_text='The present step, in words.', max_length=200)),
                ('problem', models.TextField(blank=True, help_text='The reason why it failed.')),
                ('asked_at', models.DateTimeField(default=runtime.clock.now)),
                ('begun_at', models.DateTimeField(null=True)),
                ('ended_at', models.DateTimeField(null=True)),
            ],
            options={
                'ordering': ('project', '-id'),
                'constraints': [models.CheckConstraint(condition=models.Q(('state__in', ['waiting', 'running', 'paused', 'cancelled', 'failed', 'done'])), name='run_state_known'), models.UniqueConstraint(condition=models.Q(('state__in', ['waiting', 'running'])), fields=('project', 'lane'), name='run_one_open_in_lane')],
                'indexes': [],
            },
        ),
        migrations.CreateModel(
            name='Upload',
            fields=[
                ('project', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='upload', serialize=False, to='annotation.project')),
                ('files', models.PositiveIntegerField(default=0, help_text='Files that were begun.')),
                ('bytes', models.PositiveBigIntegerField(default=0, help_text='Their sizes when they are complete, together.')),
                ('touched_at', models.DateTimeField(default=runtime.clock.now)),
            ],
            options={
                'indexes': [],
                'constraints': [],
            },
        ),
        migrations.CreateModel(
            name='UploadedFile',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='uploaded_files', to='annotation.project')),
                ('path', models.CharField(max_length=500)),
                ('size', models.PositiveBigIntegerField(help_text='Bytes of the whole file.')),
                ('received', models.PositiveBigIntegerField(default=0, help_text='Bytes that are here.')),
            ],
            options={
                'constraints': [models.UniqueConstraint(condition=models.Q(('received', models.F('size'))), fields=('project', 'path'), name='uploaded_file_complete'), models.UniqueConstraint(condition=models.Q(('received__lt', models.F('size'))), fields=('project', 'path', 'size'), name='uploaded_file_begun')],
                'indexes': [],
            },
        ),
        migrations.CreateModel(
            name='UploadedPiece',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('file', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='pieces', to='projects.uploadedfile')),
                ('at', models.PositiveBigIntegerField(help_text='Where it begins, in bytes.')),
                ('length', models.PositiveIntegerField()),
                ('name', models.CharField(help_text='The last part of its name in the bucket.', max_length=40)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('file', 'at'), name='uploaded_piece_once')],
                'indexes': [],
            },
        ),
        migrations.CreateModel(
            name='ImportProblem',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('run', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='problems', to='projects.run')),
                ('file', models.CharField(max_length=500)),
                ('line', models.PositiveIntegerField(null=True)),
                ('image', models.CharField(blank=True, max_length=200)),
                ('message', models.CharField(max_length=1000)),
            ],
            options={
                'ordering': ('run', 'id'),
                'indexes': [],
                'constraints': [],
            },
        ),
        migrations.CreateModel(
            name='ItemsFile',
            fields=[
                ('project', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='items_file', serialize=False, to='annotation.project')),
                ('name', models.CharField(help_text="The file's name, as its owner calls it.", max_length=200)),
                ('text', models.TextField(help_text='One JSON object a line.')),
                ('items', models.PositiveIntegerField(help_text='Lines with an item.')),
                ('known', models.PositiveIntegerField(default=0, help_text='Items that become verification questions.')),
                ('seed', models.PositiveIntegerField(default=0)),
                ('source', models.ForeignKey(help_text='The project that has the pictures; empty: the uploaded files.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='annotation.project')),
                ('given_at', models.DateTimeField(default=runtime.clock.now)),
            ],
            options={
                'indexes': [],
                'constraints': [],
            },
        ),
        migrations.CreateModel(
            name='StateChange',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='state_changes', to='annotation.project')),
                ('before', models.CharField(choices=[('draft', 'draft'), ('running', 'running'), ('paused', 'paused'), ('finished', 'finished'), ('archived', 'archived')], max_length=8)),
                ('after', models.CharField(choices=[('draft', 'draft'), ('running', 'running'), ('paused', 'paused'), ('finished', 'finished'), ('archived', 'archived')], max_length=8)),
                ('user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('at', models.DateTimeField(default=runtime.clock.now)),
            ],
            options={
                'ordering': ('project', 'id'),
                'indexes': [],
                'constraints': [],
            },
        ),
        migrations.CreateModel(
            name='ModelPrediction',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('project', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='model_predictions', to='annotation.project')),
                ('program', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='model_predictions', to='workers.worker')),
                ('image', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='model_predictions', to='annotation.image')),
                ('boxes', models.JSONField(default=list, help_text='Rows of [mention, x0, y0, x1, y1], in the order of trying them.')),
                ('chains', models.JSONField(default=list, help_text='Lists of mentions that refer to the same, as the program says.')),
                ('flags', models.JSONField(db_default={}, default=dict, help_text="Of a checked source: by a mention's number, why its chain has no box.")),
                ('due', models.BooleanField(default=True)),
                ('made_by', models.CharField(blank=True, max_length=150)),
                ('created_at', models.DateTimeField(default=runtime.clock.now)),
            ],
            options={
                'ordering': ('project', 'program', 'image'),
                'indexes': [models.Index(condition=models.Q(('due', True)), fields=['project'], name='model_prediction_due')],
                'constraints': [models.UniqueConstraint(fields=('project', 'program', 'image'), name='model_prediction_once_per_image')],
            },
        ),
    ]
