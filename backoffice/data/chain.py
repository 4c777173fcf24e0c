"""Admin pages of coreference chains."""

from typing import Any

from django.contrib import admin
from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from annotation.models import Box, Chain, Mention
from annotation.word_search import Holds, words_in
from backoffice.base import LargeAdmin, Part, of_chain
from backoffice.columns import row_link
from backoffice.links import page_of
from pipeline.models import Judgment, Question, Transition


@admin.register(Chain)
class ChainAdmin(LargeAdmin):
    project_path = "image__project"
    list_display = ("__str__", "first_mention", row_link("image"), "state", "non_visual", "doubted", "review")
    list_filter = (
        *("state", "non_visual"),
        ("doubted", admin.EmptyFieldListFilter),
        ("merged_into", admin.EmptyFieldListFilter),
        "image__project",
    )
    list_select_related = ("image",)
    search_fields = ("image__name", "review", "doubted")
    fields = (
        *("image", "name", "state", "story", "phrases", "representative"),
        *("non_visual", "doubted", "review", "merged_into"),
    )
    readonly_fields = ("story", "phrases")
    parts = (
        *(Part(model, of_chain) for model in (Mention, Box, Question)),
        Part(Judgment, lambda row: {"question__image__id__exact": row.image_id, "question__chain__exact": row.name}),
        Part(
            Transition,
            lambda row: {"image__id__exact": row.image_id, "machine": "chain", "subject__exact": str(row.name)},
        ),
    )

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Chain], search_term: str
    ) -> tuple[QuerySet[Chain], bool]:
        """Find chains by the words of their phrases, too: whole words and their simple plurals."""
        found, may_repeat = super().get_search_results(request, queryset, search_term)
        if not words_in(search_term):
            return found, may_repeat
        # By id: with "or" in one condition, PostgreSQL would read every chain's phrases.
        own = {"image": OuterRef("image_id"), "name": OuterRef("own")}
        said = Mention.objects.filter(Holds("text", search_term)).order_by()
        said = said.annotate(own=Coalesce("chain", "number"))
        chains = said.annotate(pk_of=Subquery(Chain.objects.filter(**own).order_by().values("pk")[:1]))
        rows = queryset.filter(Q(pk__in=chains.values("pk_of")) | Q(pk__in=found.order_by().values("pk")))
        return rows, may_repeat

    def get_queryset(self, request: HttpRequest) -> QuerySet[Chain]:
        first = Mention.objects.filter(image=OuterRef("image"), number=OuterRef("name"))
        return super().get_queryset(request).annotate(words=Subquery(first.values("text")[:1]))

    @admin.display(description="first mention")
    def first_mention(self, row: Any) -> str:
        return row.words or "-"

    @admin.display(description="mentions")
    def phrases(self, row: Chain) -> SafeString:
        mentions = Mention.objects.filter(image=row.image_id, chain=row.name)
        return format_html_join(", ", "{}", ((page_of(Mention, m.pk, m.text),) for m in mentions))
