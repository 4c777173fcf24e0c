import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
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
    ]
