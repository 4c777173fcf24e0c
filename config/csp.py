"""The Content-Security-Policy header: the policy of the settings, with exceptions for the admin pages."""

from csp.constants import SELF, UNSAFE_EVAL, UNSAFE_INLINE
from csp.middleware import CSPMiddleware
from django.http import HttpRequest, HttpResponseBase
from django.urls import reverse

# The admin theme evaluates expressions in attributes and sets inline styles and scripts.
ADMIN = {"script-src": [SELF, UNSAFE_INLINE, UNSAFE_EVAL], "style-src": [SELF, UNSAFE_INLINE]}


class ContentPolicyMiddleware(CSPMiddleware):
    """Adds a Content-Security-Policy header to every response."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        if request.path_info.startswith(reverse("admin:index")) and not hasattr(response, "_csp_replace"):
            response._csp_replace = ADMIN  # type: ignore[attr-defined]
        return super().process_response(request, response)
