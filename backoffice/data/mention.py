"""Admin pages of mentions."""

from django.contrib import admin

from annotation.models import Mention
from backoffice.base import OfChainAdmin
from backoffice.columns import chain_link, row_link


@admin.register(Mention)
class MentionAdmin(OfChainAdmin):
    project_path = "image__project"
    list_display = ("text", "types", chain_link, row_link("image"), "number")
    list_filter = ("image__project",)
    search_fields = ("text", "image__name")
    fields = ("image", "caption", "number", "text", "types", chain_link, "start", "end")
    readonly_fields = (chain_link,)
