"""The page of an export with options: it asks for the archive, and leads to the page that waits for it."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from accounts.may import may
from annotation.models import Project
from exchange.formats.format import ExportOption
from exchange.publish_export import archive_called
from exchange.registry import FORMATS, installed_formats
from projects.access import operation_page
from projects.data.export_operations import make_export
from projects.gallery.access import needed_for
from projects.gallery.exports import archive_address
from projects.operation_form import OperationForm, form_for
from projects.operation_page import done_or_refused


@operation_page(make_export, "GET", "POST")
def export_with_options(request: HttpRequest, project: Project) -> HttpResponse:
    """Show the options that a format takes; a POST asks for the archive."""
    formats = [name for name in installed_formats() if may(request.user, needed_for(name), project)]
    chosen = request.GET.get("format", formats[0])
    if chosen not in formats:
        raise Http404(f"There is no format {chosen[:40]!r}: choose one of {', '.join(formats)}.")
    form = _form(chosen, request)
    made = done_or_refused(form, request, project) if form.is_bound else None
    if made is not None and (archive := archive_called(project, made.format, made.record)):
        return redirect(archive_address(archive))
    context = {"project": project, "form": form, "formats": formats, "chosen": chosen}
    return render(request, "projects/data/export.html", context, status=form.status if form.is_bound else 200)


def _form(export_format: str, request: HttpRequest) -> OperationForm:
    """Return the form of the options that the format takes. Images are chosen on the page Explore."""
    without = {"format", "images", *(frozenset(ExportOption) - FORMATS[export_format].options)}
    form_class = form_for(make_export, without=without)
    is_sent = request.method == "POST"
    data, files = (request.POST, request.FILES) if is_sent else (None, None)
    return form_class(data, files, place={"format": export_format})
