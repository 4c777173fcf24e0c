"""Pages of questions, answers and the record."""

from typing import Any

from django.contrib import admin
from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from accounts.may import Action
from backoffice.bases import FiguresAdmin, LargeAdmin, OfChainAdmin, StoryPart, read_only
from backoffice.columns import (
    EntryKindFilter,
    MachineFilter,
    acted_on,
    anchor,
    gallery_url,
    page_of,
    phrases_of,
    question_drawing,
)
from pipeline.known.question_mix import answer_name
from pipeline.models import Assignment, Entry, Judgment, KnownQuestion, LabelDoubt, Progress, Question, Skip, Transition
from pipeline.protocol.tasks.task import QuestionState, Task
from projects.quality.answers import captions_of, word, words_of_question

THUMBNAIL = "width: 6rem; height: 4.5rem; object-fit: contain"


class ShowsQuestions(FiguresAdmin):
    """Mixed into admin pages whose rows are questions or name one; the words of a page are read in one statement."""

    question_fields: tuple[str, ...] = ()
    """Fields one of which holds the row's question; none: the row is the question. Lists select it with its image."""

    def question_of(self, row: Any) -> Question | KnownQuestion:
        """Return the row's question."""
        held = (getattr(row, name) for name in self.question_fields)
        asked: Question | KnownQuestion = next((question for question in held if question is not None), row)
        return asked

    def add_figures(self, rows: list[Any]) -> None:
        said = captions_of(self.question_of(row) for row in rows)
        for row in rows:
            row.question_words = words_of_question(self.question_of(row), said)

    @admin.display(description="question")
    def in_words(self, row: Any) -> str:
        return str(row.question_words)

    @admin.display(description="question")
    def question_link(self, row: Any) -> SafeString:
        asked = self.question_of(row)
        return page_of(type(asked), asked.pk, row.question_words)

    @admin.display(description="picture")
    def thumbnail(self, row: Any) -> SafeString | str:
        image = self.question_of(row).image
        picture, page = (
            gallery_url("picture", image.pk, "thumbnail"),
            gallery_url("image", image.project.name, image.pk),
        )
        if not image.picture or not picture:
            return "-"
        return format_html(
            '<a href="{}"><img src="{}" alt="{}" loading="lazy" style="{}"></a>', page, picture, image.name, THUMBNAIL
        )

    @admin.display(description="picture")
    def picture(self, row: Any) -> SafeString:
        """Show the picture with the boxes of the question, and the box that was drawn as the answer."""
        asked, answer = self.question_of(row), getattr(row, "answer", None)
        shown = {"boxes": [], "new_box": None, **asked.shown}
        if isinstance(answer, dict) and "box" in answer:
            shown["new_box"] = answer["box"]
        return question_drawing(asked.image, shown)


def judgment_words(row: Judgment) -> str:
    """Return a judgment in words: "ada: a box"."""
    return f"{row.worker}: {word(row.answer)}"


PAY_ACTS = acted_on("Assignments", lambda row: reverse("projects:assignments", args=[row.project.name, row.worker_id]))


@admin.register(Assignment)
class AssignmentAdmin(LargeAdmin):
    list_display = (
        *("__str__", "worker", "project", "state", "acceptance", "size", "earned_cents"),
        *("created_at", "expires_at"),
    )
    list_filter = ("project", "task", "state", "kind", "acceptance")
    search_fields = ("worker__name", "=token")
    fields = (
        *(
            "worker",
            "project",
            "task",
            "kind",
            "state",
            "story",
            "questions_shown",
            PAY_ACTS,
            "created_at",
            "expires_at",
        ),
        *("ended_at", "reward_cents", "earned_cents", "acceptance", "acceptance_reason", "token"),
    )
    parts = (StoryPart(Judgment, lambda row: {"assignment__id__exact": row.pk}),)

    @admin.display(description="questions")
    def size(self, row: Assignment) -> int:
        return row.size

    @admin.display(description="questions, in the order shown")
    def questions_shown(self, row: Assignment) -> SafeString:
        found = Question.objects.select_related("image").in_bulk(row.questions)
        # The assignment still names questions that an expert's correction removed.
        shown = [found[number] for number in row.questions if number in found]
        said = captions_of(shown)
        links = ((page_of(Question, question.pk, words_of_question(question, said)),) for question in shown)
        return format_html_join(SafeString("<br>"), "{}", links)


@admin.register(Judgment)
class JudgmentAdmin(ShowsQuestions, LargeAdmin):
    project_path = "assignment__project"
    question_fields = ("question", "known")
    list_display = (
        *("judgment", "thumbnail", "question_link", "task", "image", "worker"),
        *("right", "seconds", "created_at"),
    )
    list_filter = ("question__project", "question__task", "worker__kind")
    list_select_related = ("question__image__project", "known__image__project")
    search_fields = ("worker__name", "question__image__name", "comment")
    fields = (
        *("in_words", "picture", "judgment", "question", "known", "image", "worker", "assignment", "answer", "right"),
        *("comment", "seconds", "created_at", "record"),
    )

    def lookup_allowed(self, lookup: str, value: Any, request: HttpRequest) -> bool:
        own = ("question__image__id__exact", "question__chain__exact")  # links of the pages of images and chains
        return lookup in own or super().lookup_allowed(lookup, value, request)

    @admin.display(description="judgment")
    def judgment(self, row: Judgment) -> str:
        return judgment_words(row)

    @admin.display(description="task", ordering="question__task")
    def task(self, row: Judgment) -> str:
        return self.question_of(row).task

    @admin.display(description="image", ordering="question__image")
    def image(self, row: Judgment) -> SafeString:
        image = self.question_of(row).image
        return page_of(type(image), image.pk, image.name)

    @admin.display(description="in the record")
    def record(self, row: Judgment) -> SafeString | str:
        if row.known_id:
            return "never: it is an answer to a verification question"
        entry = Entry.objects.filter(judgment=row).first()
        return page_of(Entry, entry.pk, f"entry {entry.sequence}") if entry else "not yet: it has not acted"


@admin.register(Skip)
class SkipAdmin(ShowsQuestions, LargeAdmin):
    project_path = "question__project"
    question_fields = ("question",)
    list_display = ("id", "question_link", "thumbnail", "worker", "reason", "comment", "created_at")
    list_filter = ("question__project", "reason")
    list_select_related = ("question__image__project",)
    search_fields = ("worker__name", "comment")
    fields = ("question", "worker", "assignment", "reason", "comment", "created_at")


KNOWN_ACTS = acted_on("All known questions", lambda row: reverse("projects:known_questions", args=[row.project.name]))


@admin.register(KnownQuestion)
class KnownQuestionAdmin(LargeAdmin):
    to_see = Action.MANAGE
    list_display = (
        *("__str__", "image", "answer", "purpose", "right", "source", "added_by", "created_at", "retired_at"),
    )
    list_filter = ("project", "task", "purpose", "source", ("retired_at", admin.EmptyFieldListFilter))
    search_fields = ("image__name", "added_by")
    fields = (
        *(
            "project",
            "task",
            "image",
            "purpose",
            "phrases",
            "picture",
            "answer",
            "explanation",
            "story",
            "right",
            KNOWN_ACTS,
        ),
        *("source", "added_by", "created_at", "retired_at", "truth", "shown"),
    )
    parts = (StoryPart(Judgment, lambda row: {"known__id__exact": row.pk}),)

    def get_queryset(self, request: HttpRequest) -> QuerySet[KnownQuestion]:
        own = Judgment.objects.filter(known=OuterRef("pk")).order_by().values("known")
        counts = {"answers": Count("pk"), "good": Count("pk", filter=Q(right=True))}
        columns = {name: Subquery(own.annotate(n=count).values("n")) for name, count in counts.items()}
        return super().get_queryset(request).annotate(**columns)

    @admin.display(description="right answer")
    def answer(self, row: KnownQuestion) -> str:
        return answer_name(Task(row.task), row.truth)

    @admin.display(description="right answers", ordering="good")
    def right(self, row: Any) -> str:
        return f"{row.good} of {row.answers}" if row.answers else "-"

    @admin.display(description="shows")
    def phrases(self, row: KnownQuestion) -> SafeString:
        return phrases_of(row.image_id, row.shown)

    @admin.display(description="boxes")
    def picture(self, row: KnownQuestion) -> SafeString:
        return question_drawing(row.image, row.shown, row.truth)


@admin.register(Question)
class QuestionAdmin(ShowsQuestions, OfChainAdmin):
    list_display = (
        "in_words",
        "thumbnail",
        "image",
        "chain_link",
        "state",
        "outcome",
        "leased_to",
        "opened_at",
    )
    list_filter = ("project", "task", "state", "for_people")
    list_select_related = ("image__project", "assignment__worker")
    search_fields = ("image__name",)
    fields = (
        *("in_words", "picture", "project", "image", "task", "number", "story", "answers", "subject", "chain_link"),
        *("state", "outcome", "value", "predicted"),
        *("promotion", "assignment", "barred", "for_people", "opened_at"),
    )
    parts = (
        StoryPart(Judgment, lambda row: {"question__id__exact": row.pk}),
        StoryPart(
            Transition,
            lambda row: {"image__id__exact": row.image_id, "machine": "question", "subject__exact": row.number},
        ),
    )

    @admin.display(description="known question")
    def promotion(self, row: Question) -> SafeString | str:
        if row.state != QuestionState.CLOSED.value:
            return "when it is closed"
        return anchor(reverse("projects:promote", args=[row.project.name, row.pk]), "use it as one")

    @admin.display(description="leased to")
    def leased_to(self, row: Question) -> SafeString | str:
        return page_of(Assignment, row.assignment_id, row.assignment.worker.name) if row.assignment else "-"

    @admin.display(description="judgments")
    def answers(self, row: Question) -> SafeString | str:
        judgments = row.judgments.select_related("worker")
        links = ((page_of(Judgment, judgment.pk, judgment_words(judgment)),) for judgment in judgments)
        return format_html_join(SafeString("<br>"), "{}", links) or "none yet"


@admin.register(Entry)
class EntryAdmin(LargeAdmin):
    list_display = ("__str__", "image", "judgment", "actor", "reason", "created_at")
    list_filter = ("project", EntryKindFilter)
    list_select_related = ("judgment__worker",)
    search_fields = ("image__name", "actor", "reason")
    fields = (
        *("image", "sequence", "kind", "judgment", "story", "settings_version", "actor", "reason", "created_at"),
        "data",
    )
    parts = (
        StoryPart(
            Transition, lambda row: {"image__id__exact": row.image_id, "sequence__exact": row.sequence}, "moves caused"
        ),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Entry]:
        return super().get_queryset(request).defer("data")  # an import's entry holds a whole image


@admin.register(Transition)
class TransitionAdmin(LargeAdmin):
    list_display = ("__str__", "image", "reason", "cause", "created_at")
    list_filter = ("project", MachineFilter)
    search_fields = ("image__name",)
    fields = ("image", "machine", "subject", "old", "new", "reason", "cause", "created_at")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Transition]:
        cause = Entry.objects.filter(image=OuterRef("image"), sequence=OuterRef("sequence"))
        return super().get_queryset(request).annotate(cause_pk=Subquery(cause.values("pk")[:1]))

    @admin.display(description="caused by")
    def cause(self, row: Any) -> SafeString | str:
        return page_of(Entry, row.cause_pk, f"entry {row.sequence}") if row.cause_pk else f"entry {row.sequence}"


read_only(
    LabelDoubt,
    "__str__ image standing part doubt",
    fields="image chain standing part doubt mentions boxes flag",
    filters="standing part",
    search="image__name",
)


@admin.register(Progress)
class ProgressAdmin(LargeAdmin):
    list_display = ("image", "project", "sequence", "due")
    list_filter = ("project", "due")
    search_fields = ("image__name",)
    ordering = ("-image",)
    fields = ("image", "project", "sequence", "due", "state")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Progress]:
        return super().get_queryset(request).defer("state")
