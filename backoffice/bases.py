"""Bases of admin pages: limited to the rows of members, with a story, read-only, with figures, and for large tables."""

from abc import abstractmethod
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.core.paginator import Paginator
from django.db.models import CharField, Exists, IntegerField, JSONField, Model, OuterRef, Q, QuerySet, TextField
from django.forms import ModelChoiceField
from django.http import HttpRequest
from django.utils.functional import cached_property
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.text import smart_split, unescape_string_literal
from unfold.admin import ModelAdmin
from unfold.views import ChangeList

from accounts.may import Action, is_administrator, may_somewhere, project_ids, projects_for
from accounts.reauthentication import reauthenticated
from annotation.models import Chain, Project
from backoffice.columns import NumberedSelect, chain_pk, list_of, number_in, page_of, pretty, row_link
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

    def get_urls(self) -> list[Any]:
        """Ask for the password again before whatever is changed or deleted here."""
        found: list[Any] = super().get_urls()  # type: ignore[misc]
        for address in found:
            address.callback = reauthenticated(address.callback)
        return found

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


MAX_ROWS_COUNTED = 10_000
"""The most rows that a list counts and leads to; filters and the search narrow the list."""
LOOKUPS = {"^": "istartswith", "=": "iexact", "@": "search"}


class CappedPaginator(Paginator):  # type: ignore[type-arg]
    """Pages of the first MOST rows. To count all of a table with millions of rows takes longer than its page."""

    @cached_property
    def found(self) -> int:
        """The number of rows, or one more than MOST."""
        rows: Any = self.object_list
        return int(rows.order_by()[: MAX_ROWS_COUNTED + 1].count())

    @cached_property
    def count(self) -> int:
        return min(self.found, MAX_ROWS_COUNTED)


def found_by_words(rows: QuerySet[Any], fields: tuple[str, ...], words: str) -> QuerySet[Any]:
    """Select the rows that hold each of the words in one of the fields at least, as Django's admin does.

    Each field is looked up by itself, so that PostgreSQL begins with the few images, workers or comments that hold the
    word; with "or" between tables it would read all rows. A word that very many rows hold is left to such an "or": it
    finds a page of them at once.
    """
    for bit in smart_split(words):
        word = unescape_string_literal(bit) if bit[:1] in "\"'" and bit[-1:] == bit[:1] else bit
        conditions = [_condition(rows, name, word) for name in fields]
        ids = _ids(rows, conditions)
        rows = rows.filter(_any(conditions)) if ids is None else rows.filter(pk__in=ids)
    return rows


def _ids(rows: QuerySet[Any], conditions: list[Q]) -> set[Any] | None:
    """Return the keys of all rows that one of the conditions finds; None: there are more than MOST."""
    found: set[Any] = set()
    for condition in conditions:
        found.update(
            rows.model._default_manager.filter(condition)
            .order_by()
            .values_list("pk", flat=True)[: MAX_ROWS_COUNTED + 1]
        )
        if len(found) > MAX_ROWS_COUNTED:
            return None
    return found


def _condition(rows: QuerySet[Any], name: str, word: str) -> Q:
    lookup = LOOKUPS.get(name[0], "icontains")
    path = name[1:] if name[0] in LOOKUPS else name
    condition = Q(**{f"{path}__{lookup}": word})
    if "__" in path:
        return condition
    field = rows.model._meta.get_field(path)
    # True of every row that holds a word; it lets PostgreSQL use an index of the few rows that hold any.
    return condition & ~Q(**{path: ""}) if isinstance(field, CharField | TextField) and field.blank else condition


def _any(conditions: list[Q]) -> Q:
    one = conditions[0]
    for other in conditions[1:]:
        one |= other
    return one


class LargeList:
    """Mixed into admin pages of large tables."""

    paginator = CappedPaginator

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        fields = tuple(self.get_search_fields(request))  # type: ignore[attr-defined]
        return (found_by_words(queryset, fields, search_term) if fields and search_term else queryset), False

    def get_changelist_instance(self, request: HttpRequest) -> Any:
        """Say that the list is cut off, where it is."""
        changes = super().get_changelist_instance(request)  # type: ignore[misc]
        if getattr(changes.paginator, "found", 0) > MAX_ROWS_COUNTED and request.method == "GET":
            messages.info(
                request, f"There are more than {MAX_ROWS_COUNTED:,}: these are the first. Filters narrow the list."
            )
        return changes


@dataclass(frozen=True)
class StoryPart:
    """One part of an object's story: the rows of `model` that `filters` finds, counted and linked."""

    model: type[Model]
    filters: Callable[[Any], dict[str, Any]]
    label: str = ""

    def link(self, row: Any) -> SafeString:
        """Return a link such as "judgments: 1,234"."""
        filters = self.filters(row)
        rows, page = self.model._default_manager.filter(**filters), admin.site.get_model_admin(self.model)
        if isinstance(page, OfMembers) and hasattr(row, "seen_in"):
            rows = page.limit(row.seen_in, rows, page.to_see)
        count = rows.count()
        return list_of(self.model, f"{self.label or self.model._meta.verbose_name_plural}: {count:,}", filters)


class StoryAdmin(OfMembers, ModelAdmin):
    """A page that links to the parts of its object's story."""

    parts: tuple[StoryPart, ...] = ()
    fields: tuple[Any, ...] | None = None
    readonly_fields: tuple[Any, ...] = ()
    list_select_related: tuple[str, ...] = ()
    """Relations that a list reads besides those of its columns."""
    list_per_page = 50

    def _relations(self) -> list[str]:
        """Return the columns of the list that name a related row."""
        names = {field.name for field in self.model._meta.get_fields() if field.many_to_one or field.one_to_one}
        return [name for name in self.list_display if name in names]

    def get_list_display(self, request: HttpRequest) -> list[Any]:
        """Let the name of a related row lead to the row's page, where another column leads to the page of this one."""
        relations = self._relations()
        columns = list(self.list_display)
        if len(relations) == len(columns):
            return columns
        return [row_link(column) if column in relations else column for column in columns]

    def get_list_display_links(self, request: HttpRequest, list_display: Any) -> list[Any]:
        relations = self._relations()
        return [column for column in self.list_display if column not in relations][:1] or relations[:1]

    def get_list_select_related(self, request: HttpRequest) -> tuple[str, ...]:
        return (*self._relations(), *self.list_select_related)

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        row = super().get_object(request, object_id, from_field)
        if row is not None:
            row.seen_in = request  # the story counts only what this user sees
        return row

    @admin.display(description="story")
    def story(self, row: Any) -> SafeString:
        return format_html_join(SafeString(" &middot; "), "{}", ((part.link(row),) for part in self.parts))

    @admin.display(description="task", ordering="task")
    def task_name(self, row: Any) -> str:
        """Show the row's task with spaces instead of underscores."""
        return str(row.task.replace("_", " "))


class ReadOnlyAdmin(StoryAdmin):
    """Rows that cannot be added, changed or deleted here: state changes only through the record."""

    actions: tuple[str, ...] | None = None

    def get_fields(self, request: HttpRequest, obj: Any = None) -> list[Any]:
        """Show JSON over several lines."""
        json = {field.name for field in self.model._meta.fields if isinstance(field, JSONField)}
        return [pretty(name) if name in json else name for name in super().get_fields(request, obj)]

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class DeletedOnlyAdmin(StoryAdmin):
    """Rows that are deleted here, and neither added nor changed."""

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class LargeAdmin(LargeList, ReadOnlyAdmin):
    """A table with millions of rows: a list counts no more than it leads to."""

    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER
    ordering: tuple[str, ...] = ("-id",)


def read_only(
    model: type[Model],
    columns: str,
    *,
    fields: str,
    search: str = "",
    filters: str = "",
    related: str = "",
    path: str = "project",
    by_project: bool = True,
    order: str = "",
    base: type[ReadOnlyAdmin] = LargeAdmin,
    **more: Any,
) -> None:
    """Register a page that shows rows and changes none. All texts are names of fields, with spaces between.

    `columns`: of the list; `fields`: of the page of one row; `search`: fields in which words are looked up; `related`:
    rows read with each row besides those that columns name; `path`: leads from a row to its project, and is a filter
    unless `by_project` is off; `order`: of the list. `more`: attributes of the page, such as further columns.
    """
    if order:
        more["ordering"] = tuple(order.split())
    page = {
        "project_path": path,
        "list_display": tuple(columns.split()),
        "fields": tuple(fields.split()),
        "search_fields": tuple(search.split()),
        "list_filter": (*((path,) if path and by_project else ()), *filters.split()),
        "list_select_related": tuple(related.split()),
    }
    admin.site.register(model, type(f"{model.__name__}Admin", (base,), page | more))


class OfChainAdmin(LargeAdmin):
    """Rows that name a chain of their image, for the column `chain_link`."""

    list_select_related: tuple[str, ...] = ("image",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).annotate(chain_pk=chain_pk())

    @admin.display(description="chain", ordering="chain")
    def chain_link(self, row: Any) -> SafeString | str:
        if row.chain is None:
            return "-"
        # A chain that became part of another, or was split, is gone; the row still has its name.
        return page_of(Chain, row.chain_pk, f"chain {row.chain}") if row.chain_pk else f"chain {row.chain} (gone)"


class FiguresAdmin(OfMembers, ModelAdmin):
    """A list whose figures are read once for all rows on the page, and a page of one row with the same figures."""

    @abstractmethod
    def add_figures(self, rows: list[Any]) -> None:
        """Set the figures as attributes of the rows."""

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        row = super().get_object(request, object_id, from_field)
        if row is not None:
            self.add_figures([row])
        return row

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        add_figures = self.add_figures

        class WithFigures(ChangeList):
            def get_results(self, request: HttpRequest) -> None:
                super().get_results(request)
                add_figures(list(self.result_list))

        return WithFigures


# --- Filters of parts ---


def of_project(row: Any) -> dict[str, Any]:
    return {"project__id__exact": row.pk}


def of_image(row: Any) -> dict[str, Any]:
    return {"image__id__exact": row.pk}


def of_chain(row: Chain) -> dict[str, Any]:
    return {"image__id__exact": row.image_id, "chain__exact": row.name}


def of_worker(row: Any) -> dict[str, Any]:
    return {"worker__id__exact": row.pk}
