"""Addresses of the pages for workers. The fixed ones come first, so that no project's name can hide them."""

from django.urls import path

from labelling import own_data, pictures
from labelling.joining import join
from labelling.pages import conversations
from labelling.pages import views as pages

app_name = "labelling"
urlpatterns = [
    path("", pages.home, name="home"),
    path("language/", pages.choose_language, name="language"),
    path("my-data/", own_data.own_data, name="own_data"),
    path("my-data/file/", own_data.take_out, name="take_out"),
    path("my-data/delete/", own_data.delete, name="delete"),
    path("my-data/platform/", own_data.on_platform, name="on_platform"),
    path("messages/<int:message_id>/read/", pages.mark_message_read, name="read"),
    path("conversations/<int:conversation_id>/read/", conversations.mark_conversation_read, name="read_answers"),
    path("pictures/<str:size>/<int:until>/<str:signature>/<path:name>", pictures.picture, name="picture"),
    path("<slug:name>/", pages.project, name="project"),
    path("<slug:name>/earned/", pages.earned, name="earned"),
    path("<slug:name>/messages/", conversations.conversations, name="messages"),
    path("<slug:name>/all/", pages.all_tasks, name="all"),
    path("<slug:name>/try/", join.try_as_worker, name="try"),
    path("<slug:name>/<str:task>/appeal/", pages.appeal, name="appeal"),
    path("<slug:name>/<str:task>/", pages.work, name="work"),
]
