"""Every address of the service. /healthz and /readyz are answered earlier, in config/health.py."""

from importlib.util import find_spec

from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path
from drf_spectacular.views import SpectacularAPIView

urlpatterns: list[URLPattern | URLResolver] = [
    path("admin/", admin.site.urls),
    path("api/schema/", SpectacularAPIView.as_view(), name="schema"),
]
urlpatterns += [path("", include(app)) for app in ("pipeline.urls", "gallery.urls") if find_spec(app)]
