from django.db import migrations, models

import upkeep.clock


class Migration(migrations.Migration):

    dependencies = [
        ('members', '0001_initial'),
    ]

    # while running: no statement is run; only the model gives the time instead of Django
    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AlterField(
                    model_name='membership',
                    name='created_at',
                    field=models.DateTimeField(default=upkeep.clock.now, editable=False),
                ),
            ],
        ),
    ]
