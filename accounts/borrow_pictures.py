"""Note that a survey has pictures of another project."""

from django.db import transaction

from accounts.models import BorrowedPictures
from annotation.models import Project


@transaction.atomic
def borrow_pictures(project: Project, source: Project) -> None:
    """Note it for the source and for every project of which the source has pictures itself."""
    of_source = BorrowedPictures.objects.filter(project=source).values_list("source", flat=True)
    for project_id in (source.pk, *of_source):
        BorrowedPictures.objects.get_or_create(project=project, source_id=project_id)
