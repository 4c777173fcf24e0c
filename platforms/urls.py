"""Addresses to which platforms send workers and events. None of these pages needs a cookie."""

from django.urls import path

from platforms.pages import mturk, prolific

app_name = "platforms"
urlpatterns = [
    path("mturk/<slug:key>/", mturk.mturk_work, name="mturk_work"),
    path("prolific/hook/", prolific.hook, name="prolific_hook"),
    path("prolific/<slug:key>/", prolific.prolific_work, name="prolific_work"),
]
