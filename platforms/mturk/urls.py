"""Addresses of this platform."""

from django.urls import URLPattern, path

from platforms.mturk.page import work

urlpatterns: list[URLPattern] = [path("<slug:key>/", work, name="mturk_work")]
