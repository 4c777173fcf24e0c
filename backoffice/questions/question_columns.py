"""Lists of rows about questions: each shows the question in words, with its phrases, and a small picture."""

from typing import Any

from django.contrib import admin
from django.utils.html import format_html
from django.utils.safestring import SafeString

from backoffice.base import FiguresAdmin
from backoffice.drawing import question_drawing
from backoffice.links import gallery_url, page_of
from pipeline.models import Judgment, KnownQuestion, Question
from projects.quality.answers_of_task import word
from projects.quality.question_words import captions_of, words_of_question

THUMBNAIL = "width: 6rem; height: 4.5rem; object-fit: contain"


class ShowsQuestions(FiguresAdmin):
    """Mixed into admin pages whose rows are questions or name one; the words of a page are read in one statement."""

    question_fields: tuple[str, ...] = ()
    """Fields one of which holds the row's question; none: the row is the question. Lists select it with its image."""

    def asked_of(self, row: Any) -> Question | KnownQuestion:
        """Return the row's question."""
        held = (getattr(row, name) for name in self.question_fields)
        asked: Question | KnownQuestion = next((question for question in held if question is not None), row)
        return asked

    def add_figures(self, rows: list[Any]) -> None:
        said = captions_of(self.asked_of(row) for row in rows)
        for row in rows:
            row.question_words = words_of_question(self.asked_of(row), said)

    @admin.display(description="question")
    def in_words(self, row: Any) -> str:
        return str(row.question_words)

    @admin.display(description="question")
    def question_link(self, row: Any) -> SafeString:
        asked = self.asked_of(row)
        return page_of(type(asked), asked.pk, row.question_words)

    @admin.display(description="picture")
    def thumbnail(self, row: Any) -> SafeString | str:
        image = self.asked_of(row).image
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
        asked, answer = self.asked_of(row), getattr(row, "answer", None)
        shown = {"boxes": [], "new_box": None, **asked.shown}
        if isinstance(answer, dict) and "box" in answer:
            shown["new_box"] = answer["box"]
        return question_drawing(asked.image, shown)


def judgment_words(row: Judgment) -> str:
    """Return a judgment in words: "ada: a box"."""
    return f"{row.worker}: {word(row.answer)}"
