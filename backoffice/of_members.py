"""Admin pages limited to the rows that a member may see or change: those of the own projects, by the member's role."""

from copy import deepcopy
from typing import Any

from django.contrib import admin
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.db.models import Exists, IntegerField, Model, OuterRef, Q, QuerySet
from django.forms import ModelChoiceField
from django.http import HttpRequest

from accounts.may import Action, is_administrator, may_somewhere, project_ids, projects_for
from annotation.models import Project
from backoffice.form_fields import NumberedSelect, number_in
from pipeline.models import Assignment
from workers.models import Access, Worker


class OfMembers:
    """Mixed into admin pages: members see the rows of their projects, and change them where their role allows.

    `project_path` leads from a row to its project; without one, a page is for administrators. `accounts.may` decides.
    """

    model: Any
    project_path = "project"
    to_see, to_change = Action.READ_RECORD, Action.MANAGE

    def may(self, request: HttpRequest, action: Action, row: Any = None) -> bool:
        """Tell whether the user may do this to the row, which may be an id; without a row: to some row."""
        if row is None:
            return may_somewhere(request.user, action) if self.project_path else is_administrator(request.user)
        # An administrator learns from the page itself that there is no such row.
        return is_administrator(request.user) or self.limit(request, self._only(row), action).exists()

    def limit(self, request: HttpRequest, rows: QuerySet[Any], action: Action) -> QuerySet[Any]:
        """Select those of the rows to which the user may do this."""
        if is_administrator(request.user):
            return rows
        ids = project_ids(request.user, action)
        if not self.project_path:
            return rows.none()
        return rows if ids is None else self.of_projects(rows, ids)

    def limit_changes(self, request: HttpRequest, rows: QuerySet[Any]) -> QuerySet[Any]:
        """Select those of the rows that the user may change or delete."""
        return self.limit(request, rows, self.to_change)

    def of_projects(self, rows: QuerySet[Any], ids: set[int]) -> QuerySet[Any]:
        """Select those of the rows that belong to these projects."""
        return rows.filter(**{f"{self.project_path}__in": ids})

    def _only(self, row: Any) -> QuerySet[Any]:
        key = row.pk if isinstance(row, Model) else row
        rows = self.model._default_manager
        return rows.filter(pk=key) if self._may_be_key(key) else rows.none()

    def _may_be_key(self, key: Any) -> bool:
        """Tell whether a row may have this key, which comes from an address typed by hand."""
        field = self.model._meta.pk
        while field.remote_field:
            field = field.target_field
        return not isinstance(field, IntegerField) or number_in(str(key)) is not None

    # --- What Django asks ---

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        if not self._may_be_key(object_id):
            return None
        return super().get_object(request, object_id, from_field)  # type: ignore[misc]

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name in self.get_autocomplete_fields(request):  # type: ignore[attr-defined]
            kwargs["widget"] = NumberedSelect(db_field, self.admin_site)  # type: ignore[attr-defined]
        return super().formfield_for_foreignkey(db_field, request, **kwargs)  # type: ignore[misc]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return self.limit(request, super().get_queryset(request), self.to_see)  # type: ignore[misc]

    def get_field_queryset(self, db: Any, db_field: Any, request: HttpRequest) -> QuerySet[Any] | None:
        """Offer only rows that the user sees, such as workers of the user's projects."""
        model = db_field.remote_field.model
        target = admin.site.get_model_admin(model) if admin.site.is_registered(model) else None
        if isinstance(target, OfMembers):
            return target.limit(request, target.model._default_manager.all(), target.to_see)
        return super().get_field_queryset(db, db_field, request)  # type: ignore[misc,no-any-return]

    def get_form(self, request: HttpRequest, obj: Any = None, *args: Any, **kwargs: Any) -> Any:
        form = super().get_form(request, obj, *args, **kwargs)  # type: ignore[misc]
        limit_projects(form.base_fields, request)
        return form

    def response_action(self, request: HttpRequest, queryset: QuerySet[Any], *args: Any, **kwargs: Any) -> Any:
        may_change = self.limit_changes(request, queryset)
        chosen = request.POST.getlist(ACTION_CHECKBOX_NAME)
        possible = [key for key in chosen if self._may_be_key(key)]
        if possible != chosen:  # somebody typed the others by hand
            sent = request.POST.copy()
            sent.setlist(ACTION_CHECKBOX_NAME, possible)
            request.POST = sent  # type: ignore[assignment]
        return super().response_action(request, may_change, *args, **kwargs)  # type: ignore[misc]

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.may(request, self.to_see)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.may(request, self.to_see, obj)

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        return self.may(request, self.to_change)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        if obj is None:
            return self.may(request, self.to_change)
        return is_administrator(request.user) or self.limit_changes(request, self._only(obj)).exists()

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return OfMembers.has_change_permission(self, request, obj)


def limit_projects(fields: dict[str, Any], request: HttpRequest) -> None:
    """Let the form field `project`, if there is one, offer only projects that the user may manage."""
    if isinstance(fields.get("project"), ModelChoiceField):
        fields["project"] = own = deepcopy(fields["project"])
        own.queryset = projects_for(request.user, Action.MANAGE).order_by("name")


class OfWorkers(OfMembers):
    """Mixed into pages of rows that belong to a worker, who may work in several projects.

    A member sees the rows of workers in the member's projects, and changes them only if the worker is in no other.
    """

    worker_path = "worker"

    def limit(self, request: HttpRequest, rows: QuerySet[Any], action: Action) -> QuerySet[Any]:
        ids = None if is_administrator(request.user) else project_ids(request.user, action)
        if ids is None:
            return rows
        return rows.filter(**{f"{self.worker_path}__in": workers_of(Q(project__in=ids))})

    def limit_changes(self, request: HttpRequest, rows: QuerySet[Any]) -> QuerySet[Any]:
        rows = super().limit_changes(request, rows)
        ids = None if is_administrator(request.user) else project_ids(request.user, self.to_change)
        return rows if ids is None else rows.exclude(**{f"{self.worker_path}__in": workers_of(~Q(project__in=ids))})


def workers_of(projects: Q) -> QuerySet[Worker]:
    """Select the workers who have access to one of the projects, or were given questions there."""
    # By the index of each worker's rows: to list the workers of all assignments would be to read all of these.
    had = Exists(Assignment.objects.filter(projects, worker=OuterRef("pk")).order_by())
    return Worker.objects.filter(Exists(Access.objects.filter(projects, worker=OuterRef("pk"))) | had)


class OwnProjectFilter(admin.RelatedFieldListFilter):
    """A filter by project that names only the projects whose record the user may read."""

    def field_choices(self, field: Any, request: HttpRequest, model_admin: Any) -> Any:
        own = projects_for(request.user, Action.READ_RECORD).order_by("name")
        return [(project.pk, project.name) for project in own]


# Every filter of a list that leads to a project is this one.
admin.FieldListFilter.register(
    lambda field: getattr(field.remote_field, "model", None) is Project, OwnProjectFilter, take_priority=True
)
