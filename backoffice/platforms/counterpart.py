"""Admin pages of counterparts: what was made on a platform, and the platform's name for it."""

from django.contrib import admin

from backoffice.base import ReadOnlyAdmin
from backoffice.filters import platform_filter
from platforms.models import Counterpart


@admin.register(Counterpart)
class CounterpartAdmin(ReadOnlyAdmin):
    project_path = ""  # one counterpart may serve several projects: administrators only
    list_display = ("name", "platform", "external_id")
    list_filter = (platform_filter(),)
    search_fields = ("name", "=external_id")
