"""Addresses of this platform."""

from django.urls import URLPattern, path

from platforms.mturk.page import work

urlpatterns: list[URLPattern] = [path("<str:key>/", work, name="mturk_work")]
