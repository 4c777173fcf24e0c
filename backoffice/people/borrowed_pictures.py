"""Admin pages of pictures that surveys have of other projects."""

from django.contrib import admin

from accounts.models import BorrowedPictures
from backoffice.base import ReadOnlyAdmin


@admin.register(BorrowedPictures)
class BorrowedPicturesAdmin(ReadOnlyAdmin):
    list_display = ("project", "source")
    list_select_related = ("project", "source")
    search_fields = ("project__name", "source__name")
    fields = ("project", "source")
