"""Pages of people: workers, their access and trust, messages, invitations and keys."""

from typing import Any

from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpRequest
from django.template.defaultfilters import linebreaksbr
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from unfold.admin import TabularInline
from unfold.decorators import display
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget, UnfoldBooleanWidget

from accounts.events import Kind, record
from accounts.may import Action, is_administrator
from accounts.models import RequesterToken
from backoffice.bases import (
    DeletedOnlyAdmin,
    FiguresAdmin,
    OfMembers,
    OfWorkers,
    ReadOnlyAdmin,
    StoryAdmin,
    StoryPart,
    limit_projects,
    of_worker,
    read_only,
)
from backoffice.columns import (
    TASKS,
    SignalKindFilter,
    TaskFilter,
    acted_on,
    choice_field,
    page_of,
    project_field,
    refuse_tasks,
    worker_page,
)
from labelling.joining.account_adapter import recovery_link
from labelling.models import Conversation, Post
from labelling.own_data import is_member
from pipeline.gold_questions.known_forecast import warnings
from pipeline.models import Assignment, Judgment
from platforms.models import Identity, Session
from projects.quality.answers import word
from runtime.words import interval, percent
from workers.invitations import begin_with_test
from workers.models import (
    Access,
    ApiKey,
    Invitation,
    Message,
    SkillEstimate,
    TrustChange,
    TrustStatus,
    Worker,
    WorkerSignal,
)
from workers.rules.texts import time_in_words
from workers.rules.trust_states import TrustState
from workers.tokens import revoke_api_key


class AccessForm(forms.ModelForm):
    """An access. The worker starts with the qualification test, unless the requester ticks *trusted*."""

    project = project_field()
    task = choice_field(TASKS)
    trusted = forms.BooleanField(
        required=False,
        widget=UnfoldBooleanWidget,
        help_text="The worker needs no test and no probation. Trust that the worker has, or lost, stays as it is.",
    )

    class Meta:
        model = Access
        fields = ("worker", "project", "task")

    def clean(self) -> dict[str, Any]:
        values = super().clean() or self.cleaned_data
        refuse_tasks(self, "task", values)
        return values

    def _save_m2m(self) -> None:
        """Begin the worker's trust. Django calls this once the access is saved."""
        super()._save_m2m()  # type: ignore[misc]  # Django's own hook, which the stubs leave out
        if not self.cleaned_data.get("trusted"):
            begin_with_test(self.instance.worker_id, self.instance.project_id, [self.instance.task])


@admin.register(Access)
class AccessAdmin(StoryAdmin):
    """An access is given or taken away, not changed."""

    form = AccessForm
    list_display = ("id", "worker", "project", "task", "granted_at")
    list_filter = ("project", TaskFilter)
    search_fields = ("worker__name",)
    ordering = ("-id",)
    autocomplete_fields = ("worker",)
    readonly_fields = ("granted_at",)

    def get_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return ("worker", "project", "task", "granted_at") if obj else ("worker", "project", "task", "trusted")

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class AccessInline(OfMembers, TabularInline):
    """The accesses of a worker, on the worker's page. New ones start with the qualification test."""

    model = Access
    form = AccessForm
    to_see = Action.MANAGE
    extra = 0
    fields = ("project", "task")

    def may(self, request: HttpRequest, action: Action, row: Any = None) -> bool:
        return super().may(request, action)  # Django asks with the worker, and shows only the accesses of get_queryset

    def get_formset(self, request: HttpRequest, obj: Any = None, **kwargs: Any) -> Any:
        formset = super().get_formset(request, obj, **kwargs)
        limit_projects(formset.form.base_fields, request)
        return formset

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.may(request, self.to_change)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(ApiKey)
class ApiKeyAdmin(OfWorkers, ReadOnlyAdmin):
    """`manage.py make_api_key` makes a key and shows it once; this page never shows one."""

    to_see = Action.MANAGE
    actions = ("revoke",)
    list_display = ("prefix", "worker", "created_at", "revoked_at")
    list_filter = (("revoked_at", admin.EmptyFieldListFilter),)
    search_fields = ("prefix", "worker__name")
    fields = ("prefix", "worker", "created_at", "revoked_at")

    def has_revoke_permission(self, request: HttpRequest) -> bool:
        return self.may(request, Action.MANAGE)

    @admin.action(description="Revoke the chosen keys", permissions=["revoke"])
    def revoke(self, request: HttpRequest, chosen: QuerySet[ApiKey]) -> None:
        revoked = 0
        for key in chosen.select_related("worker"):
            if revoke_api_key(key.pk):
                record(Kind.KEYS, f"key {key.pk} of {key.worker}", result="revoked")
                revoked += 1
        messages.success(request, f"{revoked} of them revoked. Nobody can sign in with them any more.")


read_only(
    RequesterToken,
    "id user name project created_at expires_at used_on revoked_at",
    fields="user name project scopes prefix created_at expires_at used_on revoked_at",
    search="user__username name",
    to_see=Action.MANAGE,
)


WORKER_ACTS = acted_on("of the worker", worker_page)


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
        "worker",
        "project",
        "task_name",
        "created_at",
        "waits_since",
    )
    list_filter = (WaitingFilter, "project", "subject")
    search_fields = ("worker__name", "posts__text")
    fields = (
        "worker",
        "project",
        "subject",
        "task_name",
        "assignment",
        "posts_in_words",
        WORKER_ACTS,
    )
    actions = None

    @display(description="", label={"waits": "warning", "answered": "success"})
    def waiting(self, row: Conversation) -> str:
        return "waits" if row.waits_since else "answered"

    @admin.display(description="so far")
    def posts_in_words(self, row: Conversation) -> SafeString:
        """Show the texts, oldest first, with who wrote them and whether mail went out."""
        return format_html_join(
            "", "<p class='mb-2'><b>{}</b><br>{}</p>", map(_post_text, row.posts.select_related("mail"))
        )


def _post_text(post: Post) -> tuple[SafeString, SafeString]:
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
        "conversation",
        "actor",
        "created_at",
        "read_at",
        "mail",
    )
    list_filter = ("mail__state", "conversation__project")
    list_select_related = ("conversation__worker",)
    search_fields = ("text", "conversation__worker__name")


@admin.register(Message)
class MessageAdmin(DeletedOnlyAdmin):
    """Messages are not changed once written: the worker may have read them."""

    to_see = Action.MANAGE
    list_display = ("__str__", "worker", "project", "created_at", "read_at")
    list_filter = ("project",)
    search_fields = ("text", "worker__name")
    fields = ("worker", "project", "text", "created_at", "read_at")
    readonly_fields = ("created_at", "read_at")


class InvitationForm(forms.ModelForm):
    project = project_field()
    tasks = forms.MultipleChoiceField(
        choices=TASKS,
        required=False,
        widget=UnfoldAdminCheckboxSelectMultipleWidget,
        help_text="Choose none to invite to all that the project asks.",
    )

    def clean(self) -> dict[str, Any]:
        values = super().clean() or self.cleaned_data
        refuse_tasks(self, "tasks", values)
        return values


@admin.register(Invitation)
class InvitationAdmin(StoryAdmin):
    to_see = Action.MANAGE
    form = InvitationForm
    list_display = ("__str__", "project", "trusted", "joined", "most", "expires_at", "created_at")
    list_filter = ("project",)
    search_fields = ("note",)
    readonly_fields = ("link", "joined", "created_at")

    def get_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        given = ("project", "tasks", "trusted", "note", "most", "expires_at")
        return ("link", *given, "joined", "created_at") if obj else given

    def get_form(self, request: HttpRequest, obj: Any = None, *args: Any, **kwargs: Any) -> Any:
        if obj:
            obj.address = _address(request, obj)
        return super().get_form(request, obj, *args, **kwargs)

    @admin.display(description="link")
    def link(self, row: Any) -> SafeString:
        style = "w-full max-w-2xl rounded border px-3 py-2"
        return format_html('<input class="{}" readonly value="{}" aria-label="link">', style, row.address)

    def response_add(self, request: HttpRequest, obj: Any, post_url_continue: str | None = None) -> Any:
        messages.success(request, f"The link to send: {_address(request, obj)}")
        for warning in [] if obj.trusted else warnings(obj.project_id):
            messages.warning(request, warning)
        return super().response_add(request, obj, post_url_continue)


def _address(request: HttpRequest, row: Invitation) -> str:
    return request.build_absolute_uri(reverse("join", args=[row.code]))


COLOURS = {
    **{TrustState.INVITED.value: "info", TrustState.TESTING.value: "info", TrustState.PROBATION.value: "info"},
    **{TrustState.TRUSTED.value: "success", TrustState.SUSPENDED.value: "warning", TrustState.BARRED.value: "danger"},
}


@admin.register(TrustStatus)
class TrustStatusAdmin(ReadOnlyAdmin):
    """A worker with access and without a status is trusted by hand, and measured by nothing."""

    list_display = ("worker", "project", "task_name", "trust", "appealed", "trusted_since")
    list_filter = ("project", TaskFilter, "state", "appealed")
    search_fields = ("worker__name",)
    fields = (
        *("worker", "project", "task_name", "trust", WORKER_ACTS, "suspended_until", "resumes", "appealed"),
        *("trusted_since", "score_since", "reviewed_at"),
    )

    @display(description="trust", ordering="state", label=COLOURS)
    def trust(self, row: TrustStatus) -> str:
        return row.state


@admin.register(TrustChange)
class TrustChangeAdmin(ReadOnlyAdmin):
    list_display = ("id", "worker", "project", "task", "event", "reason", "actor", "created_at")
    list_filter = ("project", TaskFilter, "event")
    search_fields = ("worker__name", "reason", "actor")
    fields = (
        "worker",
        "project",
        "task",
        "event",
        "reason",
        WORKER_ACTS,
        "old",
        "new",
        "figures",
        "actor",
        "created_at",
    )


@admin.register(SkillEstimate)
class SkillEstimateAdmin(ReadOnlyAdmin):
    list_display = (
        *("worker", "project", "task_name"),
        *("share", "interval", "checked", "known", "computed_at"),
    )
    list_filter = ("project", TaskFilter)
    search_fields = ("worker__name",)

    @admin.display(description="checked answers", ordering="answers")
    def checked(self, row: SkillEstimate) -> str:
        return f"{row.answers:,}"

    @admin.display(description="to verification questions", ordering="known_answers")
    def known(self, row: SkillEstimate) -> str:
        return f"{row.known_answers:,}"

    @admin.display(description="right", ordering="accuracy")
    def share(self, row: SkillEstimate) -> str:
        return percent(row.accuracy)

    @admin.display(description="95 % interval", ordering="low")
    def interval(self, row: SkillEstimate) -> str:
        return interval(row.low, row.high)


@admin.register(Worker)
class WorkerAdmin(OfWorkers, StoryAdmin):
    """Workers are never deleted, because the record names them. To end a worker's work, take away the accesses."""

    worker_path = "pk"
    actions = ("make_recovery_links",)
    list_display = ("name", "kind", "user", "created_at")
    list_filter = ("kind",)
    list_select_related = ("user",)
    search_fields = ("name", "user__username")
    ordering = ("name",)
    autocomplete_fields = ("user",)
    fields = ("name", "kind", "user", "created_at", "closed_at", "story")
    readonly_fields = ("created_at", "closed_at", "story")
    inlines = (AccessInline,)
    parts = tuple(StoryPart(model, of_worker) for model in (Judgment, Assignment, Access, Identity, Session))

    def get_queryset(self, request: HttpRequest) -> QuerySet[Worker]:
        """Leave out the simulated workers of dry runs."""
        dry = Access.objects.filter(worker=OuterRef("pk"), project__dry_run=True)
        rows: QuerySet[Worker] = super().get_queryset(request)
        return rows.exclude(Exists(dry), kind=Worker.Kind.VIRTUAL)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[Any, ...]:
        # With another user a worker would be another person, so only administrators choose one.
        return self.readonly_fields if is_administrator(request.user) else (*self.readonly_fields, "user")

    @admin.action(description="Make links to choose a new password", permissions=["change"])
    def make_recovery_links(self, request: HttpRequest, chosen: QuerySet[Worker]) -> None:
        """Show a link for each worker, to pass on. It opens the account: only administrators make one for a member."""
        for worker in chosen.select_related("user"):
            if worker.user is None or not worker.user.is_active:
                messages.error(request, f"{worker}: there is no open account.")
            elif is_member(worker) and not is_administrator(request.user):
                messages.error(request, f"{worker}: this account is staff's or a member's; ask an administrator.")
            else:
                link = recovery_link(worker.user, settings.ADDRESS)
                words = "{}: send this link to nobody else. It works once, within three days: {}"
                messages.success(request, format_html(words, worker, link))
                self.log_change(request, worker, "Made a link to choose a new password.")

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


LINKED = 40
"""Judgments that a signal's page links to."""
STATES = {"open": "warning", "no longer found": "info", "dismissed": "success"}


SIGNAL_ACTS = acted_on("of the worker", lambda row: reverse("projects:worker", args=[row.project.name, row.workers[0]]))


@admin.register(WorkerSignal)
class WorkerSignalAdmin(FiguresAdmin, ReadOnlyAdmin):
    """A signal bars nobody: a requester decides about the worker, or dismisses it, on the worker's page."""

    list_display = ("__str__", "who", "project", "found", "rarity", "state", "found_at")
    list_filter = (
        *("project", SignalKindFilter, TaskFilter),
        *(("dismissed_at", admin.EmptyFieldListFilter), ("gone_at", admin.EmptyFieldListFilter)),
    )
    search_fields = ("words", "note", "dismissed_by")
    fields = (
        "kind",
        "of_task",
        "project",
        "who",
        "found",
        "rarity",
        "judgments",
        "state",
        SIGNAL_ACTS,
        "found_at",
        "gone_at",
        "note",
        "dismissed_by",
        "dismissed_at",
    )

    def add_figures(self, rows: list[Any]) -> None:
        found = Worker.objects.in_bulk({worker_id for row in rows for worker_id in row.workers})
        for row in rows:
            row.named = [found[worker_id] for worker_id in row.workers if worker_id in found]

    @admin.display(description="workers")
    def who(self, row: Any) -> SafeString:
        return format_html_join(", ", "{}", ((page_of(Worker, worker.pk, worker.name),) for worker in row.named))

    @admin.display(description="task")
    def of_task(self, row: WorkerSignal) -> str:
        return row.task.replace("_", " ") or "several, taken together"

    @admin.display(description="what was found")
    def found(self, row: WorkerSignal) -> str:
        return row.words

    @admin.display(description="how rare", ordering="chance")
    def rarity(self, row: WorkerSignal) -> str:
        return row.rarity

    @display(description="state", label=STATES)
    def state(self, row: WorkerSignal) -> str:
        if row.dismissed_at:
            return "dismissed"
        return "no longer found" if row.gone_at else "open"

    @admin.display(description="judgments")
    def judgments(self, row: WorkerSignal) -> SafeString:
        newest = Judgment.objects.filter(id__in=row.evidence["judgments"]).select_related("worker").order_by("-id")
        several = len(row.workers) > 1
        links = (
            (page_of(Judgment, judgment.pk, _in_short(judgment, with_name=several)),) for judgment in newest[:LINKED]
        )
        in_all = f"{row.evidence['count']:,} in all, the newest:"
        return format_html("{}<br>{}", in_all, format_html_join(SafeString(" &middot; "), "{}", links))


def _in_short(judgment: Judgment, *, with_name: bool) -> str:
    name = f"{judgment.worker}: " if with_name else ""
    drawn = isinstance(judgment.answer, dict) and judgment.answer.get("box")
    return f"{name}{drawn or word(judgment.answer)}" + (f", {judgment.seconds:.1f} s" if judgment.seconds else "")
