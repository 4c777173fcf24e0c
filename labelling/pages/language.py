"""The choice of the interface's language."""

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase
from django.views.decorators.http import require_POST
from django.views.i18n import set_language

from workers.change_preferences import change_preferences
from workers.models import Worker


@require_POST
def choose_language(request: HttpRequest) -> HttpResponseBase:
    """Keep the choice in a cookie for pages, and with the worker's preferences for mail, and go back to the page."""
    language = request.POST.get("language", "")
    worker = Worker.objects.filter(user=request.user.pk).first() if request.user.is_authenticated else None
    if worker and language in dict(settings.LANGUAGES):
        change_preferences(worker_id=worker.pk, changes={"language": language})
    return set_language(request)
