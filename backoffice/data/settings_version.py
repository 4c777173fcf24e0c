"""Admin pages of a project's settings: a change is a new version, with a reason."""

import json
from typing import Any, cast

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied, ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponseBase, HttpResponseRedirect
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from unfold.widgets import UnfoldAdminTextareaWidget, UnfoldAdminTextInputWidget

from annotation.models import Project
from backoffice.base import ReadOnlyAdmin
from backoffice.columns import pretty, row_link
from backoffice.form_fields import number_in
from backoffice.links import anchor
from members.may import Action, projects_for
from pipeline.models import SettingsVersion
from pipeline.open_questions import links_on_their_way
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.settings_versions import change_settings, current_settings

# A value of the wrong type fails in the rules' own operations, with one of these.
WRONG = (ValueError, TypeError, KeyError, AttributeError)


def readable(values: dict[str, Any]) -> str:
    """Return JSON with one setting a line."""
    lines = (f"  {json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}" for name, value in values.items())
    return "{\n" + ",\n".join(lines) + "\n}"


class ReadableJSONField(forms.JSONField):
    def prepare_value(self, value: Any) -> Any:
        return readable(value) if isinstance(value, dict) else super().prepare_value(value)


class SettingsForm(forms.ModelForm):
    """A project's next version: all values, and the reason. It is refused if a version was made in the meantime."""

    project = forms.ModelChoiceField(Project.objects.all(), widget=forms.HiddenInput)
    values = ReadableJSONField(
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 22, "spellcheck": "false", "class": "font-mono"}),
    )
    reason = forms.CharField(max_length=200, widget=UnfoldAdminTextInputWidget, help_text="Why the settings change.")
    based_on = forms.IntegerField(widget=forms.HiddenInput)

    class Meta:
        model = SettingsVersion
        fields = ("project", "values", "reason")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        wanted = str(self["project"].value())
        offered = cast(forms.ModelChoiceField, self.fields["project"]).queryset or Project.objects.none()
        project = offered.filter(pk=wanted).first() if wanted.isdecimal() else None
        if project is not None:
            self.fields["values"].help_text = format_html(
                "All settings of {}. {} says what a change does before it is saved, and can keep it to images not yet "
                "begun. Each image follows the new version from its next entry; earlier decisions stay. {} link "
                "questions are answered or with workers now: their answers count under the new version, whatever the "
                "strategy. Other open links may be withdrawn.",
                project,
                anchor(reverse("campaign:settings", args=[project.name]), "The form"),
                f"{links_on_their_way(project.pk):,}",
            )

    def clean_values(self) -> dict[str, Any]:
        values = self.cleaned_data["values"]
        if not isinstance(values, dict):
            raise ValidationError('Write an object: {"name": value, ...}.')
        try:
            json.dumps(values, allow_nan=False)
            settings = ProtocolSettings.from_json(values)
            settings.edited_dictionaries()
        except WRONG as error:
            raise ValidationError(f"{error}") from error
        self.settings = settings
        return values

    def clean(self) -> dict[str, Any]:
        project, based_on = self.cleaned_data.get("project"), self.cleaned_data.get("based_on")
        if project is None or based_on is None or "values" not in self.cleaned_data:
            return self.cleaned_data
        Project.objects.select_for_update().get(id=project.id)  # held until the new version is saved
        version, current = current_settings(project.id)
        if version != based_on:
            raise ValidationError(
                f"Version {version} was made in the meantime: reload this page and start from that version."
            )
        if self.settings == current:
            raise ValidationError("These are the current settings: nothing would change.")
        return self.cleaned_data


@admin.register(SettingsVersion)
class SettingsVersionAdmin(ReadOnlyAdmin):
    form = SettingsForm
    list_display = ("__str__", row_link("project"), "reason", "made_by", "created_at")
    list_filter = ("project",)
    list_select_related = ("project",)
    search_fields = ("project__name", "reason")
    ordering = ("project__name", "-version")
    fields = ("project", "version", "reason", "made_by", "created_at", "begun_from", "changed", pretty("values"))
    readonly_fields = ("version", "made_by", "created_at", "begun_from", "changed", fields[-1])

    def has_add_permission(self, request: HttpRequest) -> bool:
        return self.may(request, Action.MANAGE)

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return self.fields if obj else ("values", "reason", "project", "based_on")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return self.readonly_fields if obj else ()

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        project = request.GET["project"]
        version, settings = current_settings(int(project))
        return {"project": project, "values": settings.to_json(), "based_on": version}

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponseBase:
        """Start from the current settings of `?project=ID`, or of the only project if there is just one."""
        if not self.has_add_permission(request):
            raise PermissionDenied
        wanted, own = request.GET.get("project", ""), projects_for(request.user, Action.MANAGE)
        number = number_in(wanted)
        if request.method == "POST" or (number is not None and own.filter(id=number).exists()):
            return super().add_view(request, form_url, extra_context)
        projects = list(own.values_list("id", flat=True)[:2])
        if len(projects) == 1 and not wanted:
            return HttpResponseRedirect(f"{request.path}?project={projects[0]}")
        messages.warning(request, "Open a project and choose “change the settings” on its page.")
        return HttpResponseRedirect(reverse("admin:annotation_project_changelist"))

    def save_model(self, request: HttpRequest, obj: SettingsVersion, form: Any, change: bool) -> None:
        version = change_settings(
            project_id=obj.project_id, settings=form.settings, reason=obj.reason, made_by=request.user.get_username()
        )
        saved = SettingsVersion.objects.get(project_id=obj.project_id, version=version)
        obj.pk, obj.version = saved.pk, version

    def get_queryset(self, request: HttpRequest) -> QuerySet[SettingsVersion]:
        return super().get_queryset(request).defer("values")

    @admin.display(description="changed")
    def changed(self, row: SettingsVersion) -> SafeString | str:
        """List each setting that differs from the version before."""
        before = SettingsVersion.objects.filter(project=row.project_id, version=row.version - 1).first()
        if before is None:
            return "the first version"
        names = [name for name in row.values if row.values[name] != before.values.get(name)]
        lines = ((name, json.dumps(before.values.get(name)), json.dumps(row.values[name])) for name in names)
        return format_html_join(SafeString("<br>"), "{}: {} &rarr; {}", lines) or format_html("nothing")
