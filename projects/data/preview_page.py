"""The page that shows a sample of the phrases in the colours of their types, where words can be given other types."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from annotation.models import Project
from annotation.rules.mention_type import NOUN_TYPES, MentionType
from annotation.rules.states import ProjectState
from exchange.chunk_captions import why_no_chunker
from exchange.chunk_project import waiting_images
from pipeline.project.settings_versions import current_settings
from projects.access import managers_only
from projects.data.operations import apply_types
from projects.data.phrase_sample import COLOUR
from projects.data.retype_word import NO_PHRASE
from projects.operation_page import action_page
from projects.runs import row_of


@managers_only("GET", surveys=False)
def preview(request: HttpRequest, project: Project) -> HttpResponse:
    settings = current_settings(project.pk)[1]
    newest = project.runs.filter(operation=apply_types.name).first()
    context = {
        "project": project,
        "types": [(kind.value, COLOUR[kind.value]) for kind in NOUN_TYPES],
        "pronoun": COLOUR[MentionType.PRONOUN.value] if settings.pronouns else None,
        "no_phrase": NO_PHRASE,
        "is_draft": project.state == ProjectState.DRAFT.value,
        "images": project.images.count(),
        "waiting": len(waiting_images(project)),
        "no_chunker": why_no_chunker(settings.caption_language),
        "newest": row_of(newest) if newest else None,
    }
    return render(request, "projects/data/preview.html", context)


types = action_page(apply_types, "projects:preview")
