"""Permissions on rows: the admin pages of every model, by role, for viewing, changing, adding, deleting and actions."""

from typing import Any

import pytest
from django.contrib import admin
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.db.models import Model
from django.http import HttpRequest
from django.urls import reverse

from tests.support.everybody import ACTORS, ADMIN, MANAGE, NOBODY, RECORD, Place, answer, expected, gets_in, quick

pytestmark = pytest.mark.django_db

# Who sees a row of ours in its list and on its page, who changes it, who adds and who deletes one.
# "O" may add rows to the other project; that ours is not offered there is a test of its own.
READ = (RECORD, NOBODY, NOBODY, NOBODY)
MODELS: dict[str, tuple[str, str, str, str]] = {
    **dict.fromkeys(
        [
            *("annotation.Box", "annotation.Caption", "annotation.Chain", "annotation.Image", "annotation.KnownBox"),
            *(
                "annotation.Mention",
                "annotation.MergedBox",
                "annotation.Project",
                "pipeline.Assignment",
                "pipeline.Entry",
            ),
            *("pipeline.Judgment", "pipeline.Progress", "pipeline.Question", "pipeline.Skip", "pipeline.Spending"),
            *("pipeline.SettingsVersion", "pipeline.LedgerEntry", "workers.TrustChange", "workers.WorkerSignal"),
            *("pipeline.Transition", "platforms.Offer", "platforms.Payment", "platforms.Recruitment"),
            *("platforms.Screening", "platforms.Session", "workers.SkillEstimate", "workers.TrustStatus"),
            *("campaign.StateChange", "campaign.ImportRun", "campaign.ImportProblem", "campaign.Upload"),
            *("campaign.ItemsFile", "campaign.UploadedFile", "campaign.UploadedPiece", "pipeline.LabelDoubt"),
            *(
                "campaign.ErrorSample",
                "campaign.Figures",
                "campaign.Looked",
                "campaign.ModelMeasurement",
                "campaign.ModelPrediction",
                "exchange.Selection",
            ),
            "campaign.CampaignPrediction",
            "campaign.Evaluation",
            "members.BorrowedPictures",
        ],
        READ,
    ),
    **dict.fromkeys(
        [
            *("campaign.Alert", "campaign.AlertChannel", "campaign.Delivery", "members.RequesterToken"),
            *("campaign.GoldAnnotation", "campaign.GoldImage"),
            *("annotation.Gold", "pipeline.KnownQuestion", "platforms.Identity", "workers.ApiKey"),
        ],
        (MANAGE, NOBODY, NOBODY, NOBODY),
    ),
    "messaging.Conversation": (MANAGE, NOBODY, NOBODY, NOBODY),
    "messaging.Post": (MANAGE, NOBODY, NOBODY, NOBODY),
    "members.Membership": (MANAGE, MANAGE, ADMIN, MANAGE),
    "members.MemberInvitation": (MANAGE, NOBODY, NOBODY, MANAGE),
    "members.Right": (ADMIN, NOBODY, NOBODY, ADMIN),
    "platforms.Counterpart": (ADMIN, NOBODY, NOBODY, NOBODY),
    "workers.Access": (RECORD, NOBODY, "OQD", MANAGE),
    "workers.Invitation": (MANAGE, MANAGE, "OQD", MANAGE),
    "workers.Message": (MANAGE, NOBODY, NOBODY, MANAGE),
    "workers.Worker": (RECORD, MANAGE, "OQD", NOBODY),
    "auth.User": (ADMIN, ADMIN, ADMIN, ADMIN),
    "auth.Group": (ADMIN, ADMIN, ADMIN, ADMIN),
}


def of_model(model: type[Model]) -> str:
    return f"admin/{model._meta.app_label}/{model._meta.model_name}/"


def row_of(place: Place, model: type[Model]) -> Model:
    path = getattr(admin.site._registry[model], "project_path", "")
    if path == "pk":
        return place.project
    names = {field.name for field in model._meta.get_fields()}
    rows = model._default_manager.all()
    return (rows.filter(**{path: place.project}) if path.split("__")[0] in names else rows).latest("pk")


def who(place: Place, method: str, address: str) -> set[str]:
    return {one for one in ACTORS if gets_in(answer(place, one, method, address))}


@pytest.mark.slow
def test_a_row_is_seen_changed_and_deleted_only_by_those_in_the_table(place: Place) -> None:
    wrong = []
    for model in admin.site._registry:
        row, start = row_of(place, model), "/" + of_model(model)
        own = f"{start}{row.pk}/"
        sees, changes, adds, deletes = MODELS[model._meta.label]

        def shows(one: str, row: Model = row, start: str = start) -> bool:
            listed = answer(place, one, "GET", start)
            return gets_in(listed) and row in list(listed.context["cl"].result_list)

        with quick(place):
            found = {"list": ({one for one in ACTORS if shows(one)}, sees)}
            for method, address, wanted in (
                ("GET", f"{own}change/", sees),
                ("GET", f"{own}history/", sees),
                ("POST", f"{own}change/", changes),
                ("POST", f"{start}add/", adds),  # the empty form is refused by the same decision
                ("GET", f"{own}delete/", deletes),
            ):
                found[f"{method} {address}"] = (who(place, method, address), wanted)
        for what, (got_in, wanted) in found.items():
            if got_in != expected(wanted):
                wrong.append(f"{model.__name__} {what}: {sorted(got_in)}, not {sorted(expected(wanted))}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.slow
def test_the_pages_that_a_reviewer_sees_can_be_drawn(place: Place) -> None:
    """Those of rows that somebody may change, add or delete: all others are drawn for everybody as for a superuser."""
    drawn = [model for model in admin.site._registry if "R" in MODELS[model._meta.label][0]]
    drawn = [model for model in drawn if any(MODELS[model._meta.label][1:])]
    assert drawn
    for model in drawn:
        for page in ("", f"{row_of(place, model).pk}/change/"):
            assert answer(place, "R", "GET", f"/{of_model(model)}{page}").status_code == 200


@pytest.mark.both_engines
def test_an_action_on_chosen_rows_reaches_only_rows_that_the_member_may_change(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    reached: list[Any] = []

    def note(page: Any, request: HttpRequest, rows: Any) -> None:
        reached.extend(rows)

    monkeypatch.setattr(admin.ModelAdmin, "response_action", note)
    wrong, actions = [], 0
    for model, page in admin.site._registry.items():
        row = row_of(place, model)
        for action in page.actions or ():
            actions += 1
            found = set()
            for one in ACTORS:
                reached.clear()
                with quick(place):
                    chosen = {"action": action, ACTION_CHECKBOX_NAME: [row.pk], "index": 0}
                    answer(place, one, "POST", f"/{of_model(model)}", chosen)
                found |= {one} if row in reached else set()
            if found != set(MANAGE):
                wrong.append(f"{model.__name__} {action}: {sorted(found)}")
    assert actions and not wrong, "\n".join(wrong)


@pytest.mark.parametrize("model", ["workers_invitation", "workers_access"])
def test_a_form_offers_only_the_projects_that_the_member_manages(place: Place, model: str) -> None:
    form = place.clients["O"].get(reverse(f"admin:{model}_add")).context["adminform"].form
    assert [project.name for project in form.fields["project"].queryset] == ["other"]
