"""Admin pages of conversations: what workers wrote, and the form by which a requester answers."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest
from django.template.defaultfilters import linebreaksbr
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from unfold.decorators import display
from unfold.widgets import UnfoldAdminTextareaWidget

from backoffice.base import StoryAdmin
from backoffice.columns import row_link, task_name
from members.may import Action
from messaging.answer_worker import answer_worker
from messaging.errors import BadMessageError
from messaging.jobs import hint
from messaging.models import LENGTH, Conversation, Post
from messaging.write_to_requester import clean_text
from workers.rules.times import time_in_words


class AnswerForm(forms.ModelForm):
    """An answer to the worker."""

    answer = forms.CharField(
        max_length=LENGTH,
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 5}),
        help_text="The worker reads it on their page, and gets it by mail if the account has an address.",
    )

    def clean_answer(self) -> str:
        try:
            return clean_text(self.cleaned_data["answer"])
        except BadMessageError as error:
            raise ValidationError(str(error)) from error


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
class ConversationAdmin(StoryAdmin):
    """Saving the page sends the answer. Nothing that was written is changed."""

    to_see = Action.MANAGE
    form = AnswerForm
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
    fields = (row_link("worker"), row_link("project"), "subject", task_name, row_link("assignment"), "said", "answer")
    readonly_fields = fields[:-1]
    actions = None

    @display(description="", label={"waits": "warning", "answered": "success"})
    def waiting(self, row: Conversation) -> str:
        return "waits" if row.waits_since else "answered"

    @admin.display(description="so far")
    def said(self, row: Conversation) -> SafeString:
        """Show the texts, oldest first, with who wrote them and whether mail went out."""
        return format_html_join("", "<p class='mb-2'><b>{}</b><br>{}</p>", map(_said, row.posts.all()))

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: Conversation, form: Any, change: bool) -> None:
        text = form.cleaned_data["answer"]
        post = answer_worker(conversation_id=obj.pk, text=text, actor=request.user.get_username())
        hint()
        messages.info(request, "The worker gets a mail." if post.mail else "The worker reads it on their page.")


def _said(post: Post) -> tuple[SafeString, SafeString]:
    mail = f", mail {post.mail}" if post.mail else ""
    return format_html("{}, {}{}", post.actor or "the worker", time_in_words(post.created_at), mail), linebreaksbr(
        post.text
    )
