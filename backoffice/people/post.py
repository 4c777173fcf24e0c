"""Admin pages of posts: the texts of all conversations, and what became of their mail."""

from django.contrib import admin

from backoffice.base import ReadOnlyAdmin
from backoffice.columns import row_link
from members.may import Action
from messaging.models import Post


@admin.register(Post)
class PostAdmin(ReadOnlyAdmin):
    to_see = Action.MANAGE
    project_path = "conversation__project"
    list_display = (
        "__str__",
        row_link("conversation"),
        "actor",
        "created_at",
        "read_at",
        "mail",
        "mail_at",
        "mail_tries",
    )
    list_filter = ("mail", "conversation__project")
    list_select_related = ("conversation__worker",)
    search_fields = ("text", "conversation__worker__name")
