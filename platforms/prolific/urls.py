"""Addresses of this platform."""

from django.urls import URLPattern, path

from platforms.prolific.hooks import hook
from platforms.prolific.page import work

urlpatterns: list[URLPattern] = [
    path("hook/", hook, name="prolific_hook"),
    path("<slug:key>/", work, name="prolific_work"),
]
