from django.db import migrations
from django.db.models import OuterRef, Subquery


def name_sources(apps, schema_editor):
    """Give runs the id of the project that they read: the one of that name, if it is older than the run."""
    Run, Project = apps.get_model("campaign", "ImportRun"), apps.get_model("annotation", "Project")
    of = Project.objects.filter(name=OuterRef("source"), created_at__lt=OuterRef("asked_at")).values("pk")[:1]
    of_projects = Run.objects.filter(kind__in=("copy", "dryrun", "items"), source_project=None).exclude(source="")
    of_projects.update(source_project=Subquery(of))
    Borrowed = apps.get_model("members", "BorrowedPictures")
    for run in Run.objects.filter(kind="items").exclude(source_project=None):
        Borrowed.objects.get_or_create(project_id=run.project_id, source_id=run.source_project_id)


class Migration(migrations.Migration):

    dependencies = [
        ('campaign', '0012_source_by_id'),
        ('members', '0004_rights_and_invitations'),
    ]

    # while running: it writes one new column of copies, dry runs and surveys, of which a service has some dozens.
    operations = [migrations.RunPython(name_sources, migrations.RunPython.noop)]
