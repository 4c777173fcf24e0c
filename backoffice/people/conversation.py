"""Admin pages of conversations and messages: what was written to workers and by them, and what became of mails."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.template.defaultfilters import linebreaksbr
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from unfold.decorators import display

from accounts.may import Action
from backoffice.base import DeletedOnlyAdmin, ReadOnlyAdmin
from backoffice.columns import acted_on, row_link, task_name, worker_page
from labelling.models import Conversation, Post
from workers.models import Message
from workers.rules.texts import time_in_words

ACTS = acted_on("of the worker", worker_page)


class WaitingFilter(admin.SimpleListFilter):
    """Conversations in which a message waits for an answer."""

    title = "answered"
    parameter_name = "waits"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("yes", "waits for an answer"), ("no", "answered")]

    def queryset(self, request: HttpRequest, rows: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() in ("yes", "no"):
            return rows.filter(waits_since__isnull=self.value() == "no")
        return rows


@admin.register(Conversation)
class ConversationAdmin(ReadOnlyAdmin):
    to_see = Action.MANAGE
    list_display = (
        "__str__",
        "waiting",
        row_link("worker"),
        row_link("project"),
        task_name,
        "created_at",
        "waits_since",
    )
    list_filter = (WaitingFilter, "project", "subject")
    list_select_related = ("worker", "project")
    search_fields = ("worker__name", "posts__text")
    fields = (row_link("worker"), row_link("project"), "subject", task_name, row_link("assignment"), "said", ACTS)
    readonly_fields = fields
    actions = None

    @display(description="", label={"waits": "warning", "answered": "success"})
    def waiting(self, row: Conversation) -> str:
        return "waits" if row.waits_since else "answered"

    @admin.display(description="so far")
    def said(self, row: Conversation) -> SafeString:
        """Show the texts, oldest first, with who wrote them and whether mail went out."""
        return format_html_join("", "<p class='mb-2'><b>{}</b><br>{}</p>", map(_said, row.posts.select_related("mail")))


def _said(post: Post) -> tuple[SafeString, SafeString]:
    mail = f", mail {post.mail.get_state_display()}" if post.mail else ""
    return format_html("{}, {}{}", post.actor or "the worker", time_in_words(post.created_at), mail), linebreaksbr(
        post.text
    )


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
    )
    list_filter = ("mail__state", "conversation__project")
    list_select_related = ("conversation__worker", "mail")
    search_fields = ("text", "conversation__worker__name")


@admin.register(Message)
class MessageAdmin(DeletedOnlyAdmin):
    """Messages are not changed once written: the worker may have read them."""

    to_see = Action.MANAGE
    list_display = ("__str__", row_link("worker"), row_link("project"), "created_at", "read_at")
    list_filter = ("project",)
    list_select_related = ("worker", "project")
    search_fields = ("text", "worker__name")
    fields = ("worker", "project", "text", "created_at", "read_at")
    readonly_fields = ("created_at", "read_at")
