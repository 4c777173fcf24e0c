"""Addresses of the API, version 1."""

from django.urls import path

from labelling.api import views
from labelling.api import views as api

app_name = "api"
urlpatterns = [
    path("projects/<slug:project>/tasks/", api.TasksView.as_view(), name="tasks"),
    path("projects/<slug:project>/examples/", api.ExamplesView.as_view(), name="examples"),
    path("projects/<slug:project>/assignments/", api.AssignmentsView.as_view(), name="assignments"),
    path("preferences/", api.PreferencesView.as_view(), name="preferences"),
    path("session/finish/", api.FinishView.as_view(), name="finish"),
    path("assignments/<uuid:token>/", api.AssignmentView.as_view(), name="assignment"),
    path("assignments/<uuid:token>/heartbeat/", api.HeartbeatView.as_view(), name="heartbeat"),
    path("assignments/<uuid:token>/draft/", api.DraftView.as_view(), name="draft"),
    path("assignments/<uuid:token>/submit/", api.SubmitView.as_view(), name="submit"),
    path("assignments/<uuid:token>/return/", api.ReturnView.as_view(), name="return"),
    path("assignments/<uuid:token>/reports/", api.ReportsView.as_view(), name="reports"),
    path("projects/<slug:project>/messages/", views.MessagesView.as_view(), name="messages"),
    path("conversations/<int:conversation>/read/", views.ReadView.as_view(), name="read"),
]
