"""Where platforms send workers and events. None of these pages needs a cookie."""

from django.urls import include, path

app_name = "platforms"
urlpatterns = [
    path("mturk/", include("platforms.mturk.urls")),
    path("prolific/", include("platforms.prolific.urls")),
]
