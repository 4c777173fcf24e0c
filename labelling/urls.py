"""Addresses of the pages for workers. The fixed ones come first, so that no project's name can hide them."""

from django.urls import path

from labelling import pictures
from labelling.joining import guest, sign_in
from labelling.pages import views as pages

app_name = "labelling"
urlpatterns = [
    path("", pages.home, name="home"),
    path("sign-in/", sign_in.SignIn.as_view(), name="sign_in"),
    path("sign-out/", sign_in.SignOut.as_view(), name="sign_out"),
    path("password/", sign_in.ChangePassword.as_view(), name="password"),
    path("messages/<int:message_id>/read/", pages.read, name="read"),
    path("pictures/<str:size>/<int:until>/<str:signature>/<path:name>", pictures.picture, name="picture"),
    path("<slug:name>/", pages.project, name="project"),
    path("<slug:name>/earned/", pages.earned, name="earned"),
    path("<slug:name>/try/", guest.try_as_worker, name="try"),
    path("<slug:name>/<str:task>/appeal/", pages.appeal, name="appeal"),
    path("<slug:name>/<str:task>/", pages.work, name="work"),
]
