"""The page of an unforeseen error."""

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string

PLAIN = "Something went wrong here. This was a mistake of the service. Wait a moment, then load the page again.\n"


def server_error(request: HttpRequest) -> HttpResponse:
    """Return the page of error 500. Reads neither session nor account: the database may be what failed.

    Returns plain text if the page cannot be made either, because the front end was not built, for example.
    """
    try:
        return HttpResponse(render_to_string("500.html"), status=500)
    except Exception:  # the first error is in the log, and a second one would hide it from the visitor
        return HttpResponse(PLAIN, status=500, content_type="text/plain")
