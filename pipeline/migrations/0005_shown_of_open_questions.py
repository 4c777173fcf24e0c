"""Questions that are open already get what a worker is shown of them."""

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from pipeline.rules.progress_json import from_json
from pipeline.rules.shown import shown


def fill(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    question_of = apps.get_model("pipeline", "Question")
    open_ones = question_of.objects.exclude(state="closed")
    rows = apps.get_model("pipeline", "Progress").objects.filter(image_id__in=open_ones.values("image_id"))
    for row in rows.order_by("image_id").iterator(chunk_size=200):
        progress = from_json(row.state)
        for question in progress.open.values():
            own = open_ones.filter(image_id=row.image_id, number=question.number)
            own.update(shown=shown(progress, question))


class Migration(migrations.Migration):
    dependencies = [("pipeline", "0004_labelling")]
    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]
