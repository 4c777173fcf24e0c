import django.db.models.deletion
import runtime.clock
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
            name='Membership',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to=settings.AUTH_USER_MODEL)),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to='annotation.project')),
                ('role', models.CharField(choices=[('requester', 'Requester'), ('reviewer', 'Reviewer'), ('viewer', 'Viewer')], max_length=9)),
                ('created_at', models.DateTimeField(default=runtime.clock.now, editable=False)),
            ],
            options={
                'ordering': ('project', 'user'),
                'constraints': [models.UniqueConstraint(fields=('user', 'project'), name='membership_once'), models.CheckConstraint(condition=models.Q(('role__in', ['requester', 'reviewer', 'viewer'])), name='membership_role_known')],
                'indexes': [],
            },
        ),
        migrations.CreateModel(
            name='BorrowedPictures',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='borrowed_pictures', to='annotation.project')),
                ('source', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='lent_pictures', to='annotation.project')),
            ],
            options={
                'verbose_name_plural': 'borrowed pictures',
                'constraints': [models.UniqueConstraint(fields=('project', 'source'), name='borrowed_once')],
                'indexes': [],
            },
        ),
        migrations.CreateModel(
            name='Right',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='rights', to=settings.AUTH_USER_MODEL)),
                ('kind', models.CharField(choices=[('projects', 'make projects'), ('folders', 'import from folders and buckets of the server'), ('admin', 'enter the admin pages')], max_length=8)),
                ('membership', models.ForeignKey(help_text='It ends with this membership; empty: it stays until it is taken back.', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='rights', to='accounts.membership')),
                ('given_by', models.ForeignKey(help_text='The administrator; empty if that account is gone.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('given_at', models.DateTimeField(default=runtime.clock.now, editable=False)),
            ],
            options={
                'ordering': ('user', 'kind'),
                'constraints': [models.UniqueConstraint(fields=('user', 'kind', 'membership'), name='right_once'), models.UniqueConstraint(condition=models.Q(('membership', None)), fields=('user', 'kind'), name='right_once_by_itself'), models.CheckConstraint(condition=models.Q(('kind__in', ['projects', 'folders', 'admin'])), name='right_known')],
                'indexes': [],
            },
        ),
        migrations.CreateModel(
            name='MemberInvitation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='member_invitations', to='annotation.project')),
                ('to', models.CharField(help_text='The name of an account, or an e-mail address.', max_length=254)),
                ('role', models.CharField(choices=[('requester', 'Requester'), ('reviewer', 'Reviewer'), ('viewer', 'Viewer')], default='viewer', max_length=9)),
                ('code', models.CharField(max_length=43, unique=True)),
                ('made_by', models.ForeignKey(help_text='It counts as long as this account manages the project.', on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('made_at', models.DateTimeField(default=runtime.clock.now, editable=False)),
                ('expires_at', models.DateTimeField()),
            ],
            options={
                'ordering': ('project', 'id'),
                'constraints': [models.UniqueConstraint(fields=('project', 'to'), name='member_invited_once'), models.CheckConstraint(condition=models.Q(('role__in', ['requester', 'reviewer', 'viewer'])), name='member_invitation_role_known')],
                'indexes': [],
            },
        ),
        migrations.CreateModel(
            name='RequesterToken',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='requester_tokens', to=settings.AUTH_USER_MODEL)),
                ('name', models.CharField(help_text='Where the token is used.', max_length=100)),
                ('project', models.ForeignKey(blank=True, help_text='The only project that it opens; empty: every project of the user.', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='annotation.project')),
                ('scopes', models.JSONField(help_text='Kinds of calls that it allows.')),
                ('prefix', models.CharField(max_length=8, unique=True)),
                ('digest', models.CharField(max_length=64)),
                ('created_at', models.DateTimeField(default=runtime.clock.now, editable=False)),
                ('expires_at', models.DateTimeField(blank=True, null=True)),
                ('revoked_at', models.DateTimeField(blank=True, null=True)),
                ('used_on', models.DateField(blank=True, help_text='The last day on which it was used.', null=True)),
            ],
            options={
                'ordering': ('user', 'id'),
                'indexes': [],
                'constraints': [],
            },
        ),
        migrations.CreateModel(
            name='SecurityEvent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(help_text='When it happened; of several, the first.')),
                ('last_at', models.DateTimeField(help_text='When the count was last written.')),
                ('kind', models.CharField(choices=[('sign in', 'sign in'), ('sign out', 'sign out'), ('failed sign in', 'failed sign in'), ('refusal', 'refusal'), ('rights', 'rights'), ('keys', 'keys'), ('password', 'password'), ('recovery link', 'recovery link'), ('export', 'export')], max_length=14)),
                ('actor', models.CharField(blank=True, help_text='The account or worker; empty: a visitor.', max_length=150)),
                ('address', models.CharField(blank=True, help_text='The network address.', max_length=64)),
                ('what', models.CharField(max_length=300)),
                ('result', models.CharField(max_length=20)),
                ('count', models.PositiveIntegerField(default=1, help_text='At least so many equal ones in an hour.')),
            ],
            options={
                'ordering': ('-id',),
                'indexes': [models.Index(fields=['actor'], name='security_event_actor')],
                'constraints': [models.CheckConstraint(condition=models.Q(('kind__in', ('sign in', 'sign out', 'failed sign in', 'refusal', 'rights', 'keys', 'password', 'recovery link', 'export'))), name='security_event_kind_known')],
            },
        ),
    ]
