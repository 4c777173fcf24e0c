import annotation.word_search
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
            name='Box',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('x0', models.PositiveIntegerField()),
                ('y0', models.PositiveIntegerField()),
                ('x1', models.PositiveIntegerField()),
                ('y1', models.PositiveIntegerField()),
                ('image', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='boxes', to='annotation.image')),
                ('number', models.PositiveIntegerField(help_text='Order of drawing within the image, from 0.')),
                ('chain', models.PositiveIntegerField(help_text='Name of the chain it was drawn for.')),
                ('state', models.CharField(choices=[('pending', 'pending'), ('accepted', 'accepted'), ('discarded', 'discarded')], default='pending', max_length=9)),
                ('drawn_by', models.ForeignKey(db_index=False, help_text='The worker who drew it, or the program that proposed it; empty if it was known at import or drawn by an expert.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='boxes', to='workers.worker')),
                ('judged_at', models.DateTimeField(help_text='When a quality judgment accepted or discarded a drawn box.', null=True)),
                ('pre_annotated', models.BooleanField(db_default=False, default=False, help_text='A program predicted it: nobody was asked to draw it.')),
            ],
            options={
                'verbose_name_plural': 'boxes',
                'ordering': ('image', 'number'),
                'indexes': [models.Index(fields=['drawn_by', 'judged_at'], name='box_of_worker'), models.Index(condition=models.Q(('state', 'pending')), fields=['image'], name='box_pending'), models.Index(condition=models.Q(('pre_annotated', True)), fields=['image'], name='box_pre_annotated')],
                'constraints': [models.UniqueConstraint(fields=('image', 'number'), name='box_number_once'), models.CheckConstraint(condition=models.Q(('x0__lt', models.F('x1')), ('y0__lt', models.F('y1'))), name='box_not_empty'), models.CheckConstraint(condition=models.Q(('state__in', ['pending', 'accepted', 'discarded'])), name='box_state_known')],
            },
        ),
        migrations.RunPython(
            code=annotation.word_search.build,
            reverse_code=annotation.word_search.drop,
        ),
    ]
