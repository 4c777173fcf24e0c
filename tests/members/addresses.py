"""Addresses of the service that lead to rows of ours."""

import re

from django.contrib.auth.models import User

from campaign.models import (
    AlertChannel,
    CampaignPrediction,
    Delivery,
    ErrorSample,
    Evaluation,
    ImportRun,
    ModelMeasurement,
)
from members.models import MemberInvitation, Membership, RequesterToken
from messaging.models import Conversation
from pipeline.models import Assignment, Question
from platforms.models import Offer, Recruitment
from tests.support.everybody import Place
from workers.models import Invitation, Message, Worker, WorkerSignal


def values_in_addresses(place: Place) -> dict[str, object]:
    """Return a value of ours for each name that a route has, but for those that hang on the route."""
    question, recruitment = Question.objects.get(image=place.image), Recruitment.objects.get()
    return {
        **{"name": "ours", "project": "ours", "image_id": place.image.pk, "size": "screen", "task": "box_quality"},
        **{
            "state": "none",
            "platform": recruitment.platform,
            "code": Invitation.objects.get().code,
            "token": Assignment.objects.get().token,
            "message_id": Message.objects.get().pk,
            "conversation_id": Conversation.objects.get().pk,
            "conversation": Conversation.objects.get().pk,
            "until": 1,
            "chart": "hours",
            "channel_id": AlertChannel.objects.get().pk,
            "invitation_id": Invitation.objects.get().pk,
            "member_id": Membership.objects.get(project=place.project, role="viewer", user__username="viewer").pk,
            "delivery_id": Delivery.objects.get().pk,
            "uidb64": "MQ",
            "worker_id": Worker.objects.get(accesses__project=place.project).pk,
            "signal_id": WorkerSignal.objects.get().pk,
            "token_id": RequesterToken.objects.latest("pk").pk,
            "record": "0-1",
            "signature": "x",
        },
        **{"key": Offer.objects.get().key, "pk": recruitment.pk, "project_id": place.project.pk},
        "run_id": ImportRun.objects.get().pk,
        "measurement_id": ModelMeasurement.objects.order_by("pk")[0].pk,
        "forecast_id": CampaignPrediction.objects.order_by("pk")[0].pk,
        **{"question_id": question.pk, "id": User.objects.get(username="ada").pk, "url": "nothing/"},
        **{
            "evaluation_id": Evaluation.objects.get().pk,
            "file": "report.json",
            "sample_id": ErrorSample.objects.get().pk,
            "place": 1,
            "object_id": recruitment.pk,
            "content_type_id": 1,
            "app_label": "annotation",
        },
    }


def address_of(place: Place, route: str, values: dict[str, object]) -> str:
    """Return an address of the route that leads to rows of ours."""
    values = {**values, "export_format": "coco" if "state" in route else "jsonl"}
    if "membership/" in route or "members/" in route:
        invited = MemberInvitation.objects.get()
        values |= {"code": invited.code, "invitation_id": invited.pk}
    query = "?app_label=workers&model_name=access&field_name=worker" if "autocomplete" in route else ""
    plain = re.sub(r"\(\?P<(\w+)>[^)]*\)", r"<\1>", route).replace("^", "").replace("$", "")
    return "/" + re.sub(r"<(?:\w+:)?(\w+)>", lambda found: str(values[found[1]]), plain) + query
