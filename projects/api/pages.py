"""Pages about the API: a requester's tokens, and the reference of every call that programs make with them."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from drf_spectacular.generators import SchemaGenerator

from accounts.may import Action, projects_for
from accounts.models import RequesterToken, Scope
from accounts.requester_tokens import LONGEST_NAME, MOST_DAYS, make_requester_token, revoke_requester_token
from annotation.models import Project
from projects.access import managers_of_something

OF_REQUESTERS = "/api/v1/requester/"


class TokenForm(forms.Form):
    name = forms.CharField(max_length=LONGEST_NAME, help_text="Where the token is used: “nightly export”.")
    scopes = forms.MultipleChoiceField(
        choices=Scope.choices, widget=forms.CheckboxSelectMultiple, label="Allows", initial=[Scope.READ.value]
    )
    project = forms.ModelChoiceField(
        Project.objects.none(), required=False, to_field_name="name", empty_label="all of mine", label="Project"
    )
    days = forms.IntegerField(
        min_value=1, max_value=MOST_DAYS, required=False, initial=90, label="Days", help_text="Empty: it never expires."
    )

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        project = self.fields["project"]
        assert isinstance(project, forms.ModelChoiceField)
        project.queryset = projects_for(user, Action.LOOK).order_by("name")


@login_required
@managers_of_something
@require_http_methods(["GET", "HEAD", "POST"])
def tokens(request: HttpRequest) -> HttpResponse:
    """List the tokens, and make one. The new token is on the answer to the form, and nowhere else."""
    user = request.user
    assert isinstance(user, User)
    form = TokenForm(user, request.POST or None)
    made = ""
    if request.method == "POST" and form.is_valid():
        given = form.cleaned_data
        made = make_requester_token(
            user, name=given["name"], scopes=given["scopes"], project=given["project"], days=given["days"]
        )
        form = TokenForm(user)
    rows = RequesterToken.objects.filter(user=user, revoked_at=None).select_related("project")
    context = {"form": form, "made": made, "tokens": rows}
    response = render(request, "projects/tokens.html", context, status=400 if form.errors else 200)
    response["Cache-Control"] = "no-store"
    return response


@require_POST
@login_required
def revoke(request: HttpRequest, token_id: int) -> HttpResponse:
    """Revoke a token of one's own."""
    user = request.user
    assert isinstance(user, User)
    if revoke_requester_token(user, token_id):
        messages.success(request, "The token is revoked: programs that use it are refused from now on.")
    else:
        messages.error(request, "You have no such token.")
    return redirect("projects:tokens")


@dataclass(frozen=True)
class Field:
    """A parameter, or a value that is sent or comes back."""

    name: str
    kind: str
    about: str
    needed: bool


@dataclass(frozen=True)
class Call:
    """One call of the API."""

    name: str
    method: str
    path: str
    about: str
    parameters: list[Field]
    sends: list[Field]
    answers: list[Field]


@login_required
@managers_of_something
@require_safe
def reference(request: HttpRequest) -> HttpResponse:
    return render(request, "projects/api_reference.html", {"calls": calls()})


@cache
def calls() -> list[Call]:
    """Return the calls of requesters' programs as the schema at /api/schema/ has them, by path."""
    schema = SchemaGenerator().get_schema(request=None, public=True)
    shapes = schema["components"]["schemas"]
    return [
        Call(
            name=operation["operationId"],
            method=method.upper(),
            path=path,
            about=operation.get("description", ""),
            parameters=[
                Field(
                    parameter["name"],
                    _kind(parameter["schema"]),
                    parameter.get("description", ""),
                    parameter.get("required", False),
                )
                for parameter in operation.get("parameters", [])
            ],
            sends=list(_fields(operation.get("requestBody", {}), shapes)),
            answers=list(_fields(_answer(operation["responses"]), shapes)),
        )
        for path, methods in schema["paths"].items()
        if path.startswith(OF_REQUESTERS)
        for method, operation in methods.items()
    ]


def _answer(responses: dict[str, Any]) -> dict[str, Any]:
    good = next((status for status in responses if status.startswith("2")), "")
    found: dict[str, Any] = responses.get(good, {})
    return found


def _fields(body: dict[str, Any], shapes: dict[str, Any]) -> Iterator[Field]:
    """Yield the fields of the JSON that a request or a response holds; those of one item if that is a list."""
    shape = body.get("content", {}).get("application/json", {}).get("schema", {})
    shape = shape.get("items", shape)
    shape = shapes.get(shape.get("$ref", "").rpartition("/")[2], shape)
    for name, schema in shape.get("properties", {}).items():
        yield Field(name, _kind(schema), schema.get("description", ""), name in shape.get("required", ()))


def _kind(shape: dict[str, Any]) -> str:
    """Return the kind of a value in a word or two."""
    if shape.get("type") == "array":
        return f"list of {_kind(shape['items'])}"
    if "enum" in shape:
        return " or ".join(f"“{allowed}”" for allowed in shape["enum"][:6])
    inner = next((part for part in shape.get("oneOf", shape.get("allOf", ())) if "$ref" in part), shape)
    return str(
        shape.get("format") or shape.get("type") or inner.get("$ref", "").rpartition("/")[2].removesuffix("Shape")
    )
