"""Addresses of the gallery."""

from django.urls import path

from projects.gallery import access, views

app_name = "gallery"
urlpatterns = [
    path("", views.first_page, name="start"),
    path("projects/<slug:name>/", views.project, name="project"),
    path("projects/<slug:name>/export/<str:export_format>/", access.send_export, name="export"),
    path("projects/<slug:name>/export/<str:export_format>/<slug:state>/", access.send_export, name="export"),
    path("projects/<slug:name>/images/<int:image_id>/", views.image, name="image"),
    path("pictures/<int:image_id>/<str:size>/", views.send_picture, name="picture"),
]
