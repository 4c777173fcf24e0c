"""Pages of the data: projects, images, captions, chains, boxes, settings and what was learned."""

import json
from collections.abc import Callable
from typing import Any

from django.contrib import admin
from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from accounts.may import Action
from accounts.models import Membership
from annotation.models import Box, Caption, Chain, Gold, Image, KnownBox, Mention, MergedBox, Project
from annotation.rules.states import ImageState
from annotation.word_search import HasWords, words_in
from backoffice.bases import (
    LargeAdmin,
    OfChainAdmin,
    ReadOnlyAdmin,
    StoryPart,
    of_chain,
    of_image,
    of_project,
    read_only,
)
from backoffice.columns import Column, acted_on, anchor, image_drawing, list_of, page_of, wrapped
from exchange.models import Selection
from pipeline.models import Assignment, Entry, Judgment, Learned, Progress, Question, SettingsVersion, Transition
from pipeline.project.settings_versions import learned_values
from pipeline.protocol.tasks.task import QuestionState

read_only(
    Box,
    "__str__ state chain_link image number",
    fields="image number chain_link state pre_annotated x0 y0 x1 y1",
    filters="state pre_annotated",
    search="image__name",
    path="image__project",
    base=OfChainAdmin,
)


read_only(
    MergedBox,
    "__str__ members image number",
    fields="image number members x0 y0 x1 y1",
    search="image__name",
    path="image__project",
)
read_only(
    KnownBox,
    "__str__ category image",
    fields="image category x0 y0 x1 y1 exported",
    search="category image__name",
    path="image__project",
)
read_only(
    Caption,
    "text image number chunked",
    fields="image number text story words offsets non_visual chunked",
    filters="chunked",
    search="text image__name",
    path="image__project",
    parts=(StoryPart(Mention, lambda row: {"caption__id__exact": row.pk}),),
)


read_only(
    Mention,
    "text types chain_link image number",
    fields="image caption number text types chain_link start end",
    search="text image__name",
    path="image__project",
    base=OfChainAdmin,
)


@admin.register(Chain)
class ChainAdmin(LargeAdmin):
    project_path = "image__project"
    list_display = ("__str__", "first_mention", "image", "state", "non_visual", "doubted", "review")
    list_filter = (
        *("state", "non_visual"),
        ("doubted", admin.EmptyFieldListFilter),
        ("merged_into", admin.EmptyFieldListFilter),
        "image__project",
    )
    search_fields = ("image__name", "review", "doubted")
    fields = (
        *("image", "name", "state", "story", "phrases", "representative"),
        *("non_visual", "doubted", "review", "merged_into"),
    )
    parts = (
        *(StoryPart(model, of_chain) for model in (Mention, Box, Question)),
        StoryPart(
            Judgment, lambda row: {"question__image__id__exact": row.image_id, "question__chain__exact": row.name}
        ),
        StoryPart(
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
        said = Mention.objects.filter(HasWords("text", search_term)).order_by()
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


@admin.register(Gold)
class GoldAdmin(LargeAdmin):
    project_path = "image__project"
    to_see = Action.MANAGE
    list_display = ("image", "complete")
    list_filter = ("image__project", "complete")
    search_fields = ("image__name",)
    ordering = ("-image",)
    fields = ("image", "complete", "chains")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Gold]:
        return super().get_queryset(request).defer("chains")


PICTURE, SOURCE = wrapped("picture"), wrapped("source")


@admin.register(Image)
class ImageAdmin(LargeAdmin):
    ordering = ("project", "position")
    list_display = ("name", "project", "position", "state", "width", "height", "has_picture")
    list_filter = ("project", "state", ("picture", admin.EmptyFieldListFilter))
    search_fields = ("name",)
    fields = (
        *("project", "name", "state", "story", "boxes", "position"),
        *("width", "height", PICTURE, SOURCE),
    )
    parts = (
        *(StoryPart(model, of_image) for model in (Caption, Mention, Chain, Box, MergedBox, KnownBox, Gold, Question)),
        StoryPart(Judgment, lambda row: {"question__image__id__exact": row.pk}),
        StoryPart(Entry, of_image, "entries of its record"),
        *(StoryPart(model, of_image) for model in (Transition, Progress)),
    )

    @admin.display(description="pixels", boolean=True)
    def has_picture(self, row: Image) -> bool:
        return bool(row.picture)

    @admin.display(description="boxes")
    def boxes(self, row: Image) -> SafeString:
        return image_drawing(row)


@admin.register(Learned)
class LearnedAdmin(ReadOnlyAdmin):
    list_display = ("key", "project", "origin", "created_at")
    list_filter = ("origin", "project")
    search_fields = ("project__name", "key")
    ordering = ("project__name", "-created_at")
    fields = ("project", "key", "origin", "base", "created_at", "values")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Learned]:
        return super().get_queryset(request).defer("values")


TERMS = ("requester", "contact", "purpose", "kept_days")


def project_page(name: str, page: str) -> Column:
    """Return a field that leads to a requesters' page of the project."""

    @admin.display(description=name.lower())
    def column(row: Project) -> SafeString:
        return anchor(reverse(page, args=[row.name]), name)

    return column


PAGES = (
    project_page("Settings", "projects:settings"),
    project_page("Known questions", "projects:gold"),
    project_page("Workers", "projects:workers"),
    project_page("Recruiting", "projects:recruit"),
    project_page("Delete", "projects:delete"),
)


def in_state(state: str) -> Callable[[Project], dict[str, Any]]:
    """Return the filter that finds the project's rows in `state`."""
    return lambda row: {**of_project(row), "state__exact": state}


@admin.register(Project)
class ProjectAdmin(ReadOnlyAdmin):
    project_path = "pk"
    list_display = ("name", "title", "image_count", "created_at")
    search_fields = ("name", "title")
    ordering = ("name",)
    fields = ("name", "title", *TERMS, "created_at", "story", *PAGES)
    parts = (
        *(StoryPart(Image, in_state(state.value), f"images {state.value}") for state in ImageState),
        *(StoryPart(Question, in_state(state.value), f"questions {state.value}") for state in QuestionState),
        StoryPart(Assignment, of_project),
        StoryPart(SettingsVersion, of_project),
        StoryPart(Membership, of_project),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Project]:
        return super().get_queryset(request).annotate(images_in_it=Count("images"))

    @admin.display(description="images", ordering="images_in_it")
    def image_count(self, row: Any) -> SafeString:
        return list_of(Image, f"{row.images_in_it:,}", of_project(row))


read_only(
    Selection,
    "__str__ project words include_unmerged created_at",
    fields="project words include_unmerged digest created_at images",
    filters="include_unmerged",
    search="words digest",
)


ACTS_COLUMN = acted_on("Settings", lambda row: reverse("projects:settings", args=[row.project.name]))


@admin.register(SettingsVersion)
class SettingsVersionAdmin(ReadOnlyAdmin):
    list_display = ("__str__", "project", "reason", "made_by", "created_at")
    list_filter = ("project",)
    search_fields = ("project__name", "reason")
    ordering = ("project__name", "-version")
    fields = (
        *(
            "project",
            "version",
            "reason",
            "made_by",
            "created_at",
            ACTS_COLUMN,
            "begun_from",
            "learned_from",
            "learned",
        ),
        "changed",
        "values",
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[SettingsVersion]:
        return super().get_queryset(request).defer("values")

    @admin.display(description="changed")
    def changed(self, row: SettingsVersion) -> SafeString | str:
        """List each setting that differs from the version before."""
        before = SettingsVersion.objects.filter(project=row.project_id, version=row.version - 1).first()
        if before is None:
            return "the first version"
        was, now = (version.values | learned_values(version.learned_id) for version in (before, row))
        names = sorted(name for name in {*was, *now} if was.get(name) != now.get(name))
        lines = ((name, json.dumps(was.get(name)), json.dumps(now.get(name))) for name in names)
        return format_html_join(SafeString("<br>"), "{}: {} &rarr; {}", lines) or format_html("nothing")
