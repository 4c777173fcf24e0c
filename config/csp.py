"""The Content-Security-Policy header: the policy of the settings, with exceptions for the admin pages."""

from functools import cached_property

from csp.constants import HEADER, SELF, UNSAFE_INLINE
from csp.middleware import CSPMiddleware
from csp.utils import build_policy
from django.conf import settings
from django.http import HttpRequest, HttpResponseBase
from django.urls import reverse

# The admin theme sets inline styles and scripts.
ADMIN = {"script-src": [SELF, UNSAFE_INLINE], "style-src": [SELF, UNSAFE_INLINE]}


class ContentPolicyMiddleware(CSPMiddleware):
    """Adds a Content-Security-Policy header to every response.

    The two policies are written once. A response that a view has marked with a policy of its own is left to django-csp.
    """

    _written: tuple[object, str, str] = (None, "", "")
    """The settings' policy, and its two texts: for pages, and for the admin pages."""

    def policy(self, *, admin: bool) -> str:
        directives = settings.CONTENT_SECURITY_POLICY
        if self._written[0] is not directives:
            self._written = (directives, build_policy(), build_policy(replace=ADMIN))
        _, for_pages, for_admin = self._written
        return for_admin if admin else for_pages

    @cached_property
    def admin_address(self) -> str:
        return reverse("admin:index")

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        if settings.DEBUG or any(name.startswith("_csp") for name in vars(response)):
            return super().process_response(request, response)
        if HEADER not in response:
            response[HEADER] = self.policy(admin=request.path_info.startswith(self.admin_address))
        return response
