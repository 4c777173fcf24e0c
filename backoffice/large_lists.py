"""Lists of tables with millions of rows: counted up to a limit, and searched without reading whole tables twice."""

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import CharField, Q, QuerySet, TextField
from django.http import HttpRequest
from django.utils.functional import cached_property
from django.utils.text import smart_split, unescape_string_literal

MOST = 10_000
"""The most rows that a list counts and leads to; filters and the search narrow the list."""
LOOKUPS = {"^": "istartswith", "=": "iexact", "@": "search"}


class CappedPaginator(Paginator):  # type: ignore[type-arg]
    """Pages of the first MOST rows. To count all of a table with millions of rows takes longer than its page."""

    @cached_property
    def found(self) -> int:
        """The number of rows, or one more than MOST."""
        rows: Any = self.object_list
        return int(rows.order_by()[: MOST + 1].count())

    @cached_property
    def count(self) -> int:
        return min(self.found, MOST)


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
        found.update(rows.model._default_manager.filter(condition).order_by().values_list("pk", flat=True)[: MOST + 1])
        if len(found) > MOST:
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
        if getattr(changes.paginator, "found", 0) > MOST and request.method == "GET":
            messages.info(request, f"There are more than {MOST:,}: these are the first. Filters narrow the list.")
        return changes
