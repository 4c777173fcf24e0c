from django.db import migrations
from django.db.models import Exists, OuterRef

ALL = ("projects", "folders", "admin")
BY_HAND = "Staff status"
"""The name of the field in the admin's history where an administrator ticked it."""


def give_rights(apps, schema_editor):
    """Turn "staff", which every membership gave, into rights. docs/decisions.md says who keeps what, and why."""
    User, LogEntry = apps.get_model("auth", "User"), apps.get_model("admin", "LogEntry")
    Worker, Right = apps.get_model("workers", "Worker"), apps.get_model("members", "Right")
    ticked = LogEntry.objects.filter(
        content_type__app_label="auth", content_type__model="user", change_message__contains=BY_HAND
    )
    by_hand = set(ticked.values_list("object_id", flat=True))
    works = Exists(Worker.objects.filter(user=OuterRef("pk")))
    for user in User.objects.filter(is_staff=True, is_superuser=False).annotate(works=works):
        memberships = list(user.memberships.all())
        roles = {one.role for one in memberships}
        if str(user.pk) in by_hand or "requester" in roles or (not roles and not user.works):
            new = [Right(user=user, kind=kind) for kind in ALL]
        else:
            new = [Right(user=user, kind="admin", membership=one) for one in memberships if one.role == "reviewer"]
        Right.objects.bulk_create(new, ignore_conflicts=True)
        if not new:
            User.objects.filter(pk=user.pk).update(is_staff=False)


def give_back(apps, schema_editor):
    """Make staff of everybody who may enter the admin pages."""
    User, Right = apps.get_model("auth", "User"), apps.get_model("members", "Right")
    User.objects.filter(pk__in=Right.objects.filter(kind="admin").values("user")).update(is_staff=True)


class Migration(migrations.Migration):

    dependencies = [
        ('members', '0004_rights_and_invitations'),
        ('admin', '0003_logentry_add_action_flag_choices'),
        ('auth', '0012_alter_user_first_name_max_length'),
        ('contenttypes', '0002_remove_content_type_name'),
        ('workers', '0005_preferences'),
    ]

    # while running: it reads and writes accounts of staff alone, some dozens. Who keeps a right stays staff for the
    # version that still runs, and members whom that version makes staff meanwhile get no right from it.
    operations = [migrations.RunPython(give_rights, give_back)]
