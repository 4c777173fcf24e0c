import django.core.validators
import django.db.models.deletion
import runtime.clock
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='Project',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.SlugField(max_length=100, unique=True)),
                ('title', models.CharField(blank=True, max_length=200)),
                ('state', models.CharField(choices=[('draft', 'draft'), ('running', 'running'), ('paused', 'paused'), ('finished', 'finished'), ('archived', 'archived')], db_default='running', default='running', help_text='Only a running project gives workers new questions.', max_length=8)),
                ('requester', models.CharField(blank=True, db_default='', default='', help_text='Who asks: the person or institution, as workers read it.', max_length=200)),
                ('contact', models.CharField(blank=True, db_default='', default='', help_text='How workers reach them: an address or a page.', max_length=200)),
                ('purpose', models.CharField(blank=True, db_default='', default='', help_text='What the answers are for, in a sentence or two.', max_length=1000)),
                ('kept_days', models.PositiveIntegerField(blank=True, help_text='Days after a worker was last active here until their account is deleted, and their answers are kept without a name; empty: accounts are kept until workers delete them.', null=True, validators=[django.core.validators.MinValueValidator(30), django.core.validators.MaxValueValidator(3650)])),
                ('data_card', models.JSONField(blank=True, db_default={}, default=dict, editable=False)),
                ('away', models.JSONField(blank=True, editable=False, null=True)),
                ('dry_run', models.BooleanField(db_default=False, default=False, editable=False, help_text='A copy in which simulated workers answer: nobody is paid, and it can be deleted with all answers.')),
                ('survey', models.CharField(blank=True, choices=[('caption_check', 'caption_check'), ('atom_visual', 'atom_visual')], db_default='', default='', editable=False, help_text="The one question that a survey asks; empty: the paper's six tasks.", max_length=20)),
                ('created_at', models.DateTimeField(default=runtime.clock.now, editable=False)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('state__in', ['draft', 'running', 'paused', 'finished', 'archived'])), name='project_state_known'), models.CheckConstraint(condition=models.Q(('survey__in', ['caption_check', 'atom_visual', ''])), name='project_survey_known')],
                'indexes': [],
            },
        ),
        migrations.CreateModel(
            name='Image',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='images', to='annotation.project')),
                ('name', models.CharField(max_length=200)),
                ('path', models.CharField(blank=True, db_default='', default='', help_text='Its path in its source.', max_length=300)),
                ('coco_id', models.JSONField(blank=True, editable=False, help_text='Its id in COCO files: that of the import, or one given at import. Empty: its position, from 1.', null=True)),
                ('position', models.PositiveIntegerField(help_text='Import order within the project, from 0.')),
                ('width', models.PositiveIntegerField()),
                ('height', models.PositiveIntegerField()),
                ('picture', models.CharField(blank=True, help_text='Name in storage; empty if there are no pixels.', max_length=300)),
                ('state', models.CharField(choices=[('linking', 'linking'), ('boxing', 'boxing'), ('in review', 'in review'), ('merged', 'merged')], default='linking', max_length=10)),
                ('source', models.CharField(blank=True, help_text='The file or address it was imported from.', max_length=500)),
            ],
            options={
                'ordering': ('project', 'position'),
                'indexes': [models.Index(fields=['project', 'state'], name='annotation__project_f4bdff_idx')],
                'constraints': [models.UniqueConstraint(fields=('project', 'name'), name='image_once_per_project'), models.UniqueConstraint(fields=('project', 'position'), name='image_position_once_per_project'), models.CheckConstraint(condition=models.Q(('state__in', ['linking', 'boxing', 'in review', 'merged'])), name='image_state_known'), models.CheckConstraint(condition=models.Q(('height__gt', 0), ('width__gt', 0)), name='image_not_empty')],
            },
        ),
        migrations.CreateModel(
            name='Caption',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('image', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='captions', to='annotation.image')),
                ('number', models.PositiveSmallIntegerField(help_text='From 0, in the order of the source.')),
                ('text', models.TextField()),
                ('words', models.JSONField()),
                ('offsets', models.JSONField(help_text='Position of the first character of each word in the text.')),
                ('non_visual', models.JSONField(default=list, help_text='Chunks that are not mentions: [first word, end].')),
                ('chunked', models.BooleanField(default=True, help_text='Off while its phrases are still to be found.')),
            ],
            options={
                'ordering': ('image', 'number'),
                'constraints': [models.UniqueConstraint(fields=('image', 'number'), name='caption_number_once')],
                'indexes': [],
            },
        ),
        migrations.CreateModel(
            name='Chain',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('image', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='chains', to='annotation.image')),
                ('name', models.PositiveIntegerField(help_text='Number of its first mention.')),
                ('state', models.CharField(choices=[('linking', 'linking'), ('verification', 'verification'), ('requirement', 'requirement'), ('drawing', 'drawing'), ('quality', 'quality'), ('coverage', 'coverage'), ('complete', 'complete'), ('non-visual', 'non-visual'), ('review', 'review')], max_length=12)),
                ('representative', models.PositiveIntegerField(blank=True, help_text='Number of the mention shown to workers; empty before the first box task.', null=True)),
                ('non_visual', models.CharField(blank=True, choices=[('scene', 'scene'), ('no box', 'no box')], max_length=6)),
                ('doubted', models.CharField(blank=True, help_text='Why the chain is in doubt.', max_length=200)),
                ('review', models.CharField(blank=True, help_text='Why an expert is needed.', max_length=200)),
                ('merged_into', models.PositiveIntegerField(blank=True, help_text='Name of the chain it was merged into.', null=True)),
            ],
            options={
                'ordering': ('image', 'name'),
                'indexes': [models.Index(fields=['state'], name='annotation__state_057c93_idx')],
                'constraints': [models.UniqueConstraint(fields=('image', 'name'), name='chain_name_once'), models.CheckConstraint(condition=models.Q(('state__in', ['linking', 'verification', 'requirement', 'drawing', 'quality', 'coverage', 'complete', 'non-visual', 'review'])), name='chain_state_known'), models.CheckConstraint(condition=models.Q(('non_visual__in', ['scene', 'no box', ''])), name='chain_non_visual_known'), models.CheckConstraint(condition=models.Q(('state', 'non-visual'), ('non_visual', ''), _connector='XOR'), name='chain_non_visual_has_a_kind'), models.CheckConstraint(condition=models.Q(('state', 'review'), ('review', ''), _connector='XOR'), name='chain_review_has_a_reason')],
            },
        ),
        migrations.CreateModel(
            name='Mention',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('image', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='mentions', to='annotation.image')),
                ('caption', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='mentions', to='annotation.caption')),
                ('number', models.PositiveIntegerField(help_text='Number within the image; never used again.')),
                ('start', models.PositiveSmallIntegerField(help_text='First word.')),
                ('end', models.PositiveSmallIntegerField(help_text='One past the last word.')),
                ('types', models.JSONField()),
                ('text', models.CharField(max_length=500)),
                ('chain', models.PositiveIntegerField(blank=True, help_text='Name of its chain; empty before linking.', null=True)),
            ],
            options={
                'ordering': ('image', 'caption__number', 'start'),
                'constraints': [models.UniqueConstraint(fields=('image', 'number'), name='mention_number_once'), models.UniqueConstraint(fields=('caption', 'start'), name='mention_start_once'), models.CheckConstraint(condition=models.Q(('start__lt', models.F('end'))), name='mention_has_words')],
                'indexes': [],
            },
        ),
        migrations.CreateModel(
            name='MergedBox',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('x0', models.PositiveIntegerField()),
                ('y0', models.PositiveIntegerField()),
                ('x1', models.PositiveIntegerField()),
                ('y1', models.PositiveIntegerField()),
                ('image', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='merged_boxes', to='annotation.image')),
                ('number', models.PositiveIntegerField(help_text='Order of merged boxes by their first member, from 0.')),
                ('members', models.JSONField(help_text='Numbers of the boxes it is the mean of.')),
            ],
            options={
                'verbose_name_plural': 'merged boxes',
                'ordering': ('image', 'number'),
                'constraints': [models.UniqueConstraint(fields=('image', 'number'), name='merged_box_number_once'), models.CheckConstraint(condition=models.Q(('x0__lt', models.F('x1')), ('y0__lt', models.F('y1'))), name='merged_box_not_empty')],
                'indexes': [],
            },
        ),
        migrations.CreateModel(
            name='KnownBox',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('x0', models.PositiveIntegerField()),
                ('y0', models.PositiveIntegerField()),
                ('x1', models.PositiveIntegerField()),
                ('y1', models.PositiveIntegerField()),
                ('image', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='known_boxes', to='annotation.image')),
                ('category', models.CharField(max_length=100)),
                ('exported', models.BooleanField(db_default=True, default=True, help_text='Exports hold it with its category. Off if it is used in another way.')),
            ],
            options={
                'verbose_name_plural': 'known boxes',
                'constraints': [models.CheckConstraint(condition=models.Q(('x0__lt', models.F('x1')), ('y0__lt', models.F('y1'))), name='known_box_not_empty')],
                'indexes': [],
            },
        ),
        migrations.CreateModel(
            name='Gold',
            fields=[
                ('image', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='gold', serialize=False, to='annotation.image')),
                ('chains', models.JSONField(help_text='For each chain: name, numbers of mentions, scene, boxes [x0, y0, x1, y1].')),
                ('complete', models.BooleanField(db_default=True, default=True, help_text='Every phrase and box is known. Otherwise two annotators still disagree: no simulation uses it.')),
            ],
            options={
                'verbose_name_plural': 'gold',
                'indexes': [],
                'constraints': [],
            },
        ),
    ]
