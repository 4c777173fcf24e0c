"""The addresses of the service. /healthz, /readyz and /metrics are answered before them."""

from django.contrib import admin
from django.contrib.auth.decorators import login_required
from django.urls import URLPattern, URLResolver, include, path
from django.views.generic import RedirectView, TemplateView
from drf_spectacular.views import SpectacularAPIView

from config.doctor import service
from config.find import find
from config.help import help_file, help_page
from labelling.joining.join import join

handler400 = "config.error_pages.bad_request"
handler500 = "config.error_pages.server_error"
help_urls = [
    path("", help_page, name="home"),
    path("files/<path:path>", help_file, name="file"),
    path("<path:name>/", help_page, name="page"),
]
urlpatterns: list[URLPattern | URLResolver] = [
    path("admin/", admin.site.urls),
    path("account/", login_required(TemplateView.as_view(template_name="account/account.html")), name="account"),
    # Guests, and who signs in by a provider, choose no password here.
    path("account/password/set/", RedirectView.as_view(pattern_name="account")),
    path("account/", include("allauth.urls")),
    path("api/schema/", SpectacularAPIView.as_view(), name="schema"),
    path("api/v1/requester/", include("projects.api.urls")),
    path("api/v1/", include("labelling.api.urls")),
    path("work/", include("labelling.urls")),
    path("platforms/", include("platforms.urls")),
    path("join/<str:code>/", join, name="join"),
    path("service/", service, name="service"),
    path("find/", find, name="find"),
    path("help/", include((help_urls, "help"))),
    path("", include("projects.urls")),
    path("", include("projects.gallery.urls")),
]
