"""Admin page of outgoing mail: what was sent, what waits, and why a mail server did not take it. Never a text."""

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest

from accounts.may import is_administrator
from backoffice.base import LargeAdmin
from labelling.messages.outbox import send_again
from labelling.models import OutgoingMail


@admin.register(OutgoingMail)
class OutgoingMailAdmin(LargeAdmin):
    """Without the text: it may hold a link that opens an account."""

    project_path = ""  # a mail is of no project: administrators only
    actions = ("send_again",)
    list_display = ("id", "to", "subject", "state", "tries", "made_at", "due_at", "sent_at", "problem")
    list_filter = ("state",)
    list_select_related = ("user",)
    search_fields = ("to", "subject", "user__username")
    fields = ("to", "user", "subject", "state", "tries", "made_at", "due_at", "sent_at", "problem")

    def has_send_permission(self, request: HttpRequest) -> bool:
        return is_administrator(request.user)

    @admin.action(description="Send the chosen mail again", permissions=["send"])
    def send_again(self, request: HttpRequest, chosen: QuerySet[OutgoingMail]) -> None:
        again = sum(send_again(one) for one in chosen.values_list("pk", flat=True))
        messages.success(request, f"{again} of them sent again within a minute. The others were sent, or have no text.")
