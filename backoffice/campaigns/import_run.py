"""Admin pages of imports: their runs, what they left out, uploads, and items that wait for their import."""

from django.contrib import admin

from backoffice.base import LargeAdmin
from projects.models import ImportProblem, ImportRun, ItemsFile, Upload, UploadedFile, UploadedPiece


@admin.register(ImportRun)
class ImportRunAdmin(LargeAdmin):
    project_path = "project"
    list_display = ("id", "project", "kind", "source", "state", "done", "total", "left_out", "user", "asked_at")
    list_filter = ("project", "kind", "state")
    list_select_related = ("project", "user")
    search_fields = ("project__name", "user__username", "source")
    fields = (
        *("project", "user", "kind", "source", "use", "program", "state", "wanted", "done", "total", "images"),
        *("already_there", "left_out", "without_phrases", "problem", "asked_at", "begun_at", "ended_at"),
    )


@admin.register(ImportProblem)
class ImportProblemAdmin(LargeAdmin):
    project_path = "run__project"
    list_display = ("id", "run", "image", "file", "line", "message")
    list_filter = ("run__project",)
    list_select_related = ("run__project",)
    search_fields = ("image", "file", "message")
    fields = ("run", "image", "file", "line", "message")


@admin.register(Upload)
class UploadAdmin(LargeAdmin):
    project_path = "project"
    ordering = ("project",)
    list_display = ("project", "files", "bytes", "touched_at")
    list_filter = ("project",)
    list_select_related = ("project",)
    search_fields = ("project__name",)
    fields = ("project", "files", "bytes", "touched_at")


@admin.register(UploadedFile)
class UploadedFileAdmin(LargeAdmin):
    project_path = "project"
    list_display = ("id", "project", "path", "received", "size")
    list_filter = ("project",)
    list_select_related = ("project",)
    search_fields = ("project__name", "path")
    fields = ("project", "path", "received", "size")


@admin.register(UploadedPiece)
class UploadedPieceAdmin(LargeAdmin):
    project_path = "file__project"
    list_display = ("id", "file", "at", "length", "name")
    list_filter = ("file__project",)
    list_select_related = ("file__project",)
    search_fields = ("file__path", "name")
    fields = ("file", "at", "length", "name")


@admin.register(ItemsFile)
class ItemsFileAdmin(LargeAdmin):
    project_path = "project"
    ordering = ("project",)
    list_display = ("project", "name", "items", "known", "source", "given_at")
    list_filter = ("project",)
    list_select_related = ("project", "source")
    search_fields = ("project__name", "name")
    fields = ("project", "name", "items", "known", "seed", "source", "given_at")
