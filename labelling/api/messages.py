"""The calls by which workers write to the requester, and requesters read and answer."""

from typing import Any, cast

from django.contrib.auth.models import User
from django.utils.translation import gettext, gettext_noop
from drf_spectacular.utils import extend_schema
from rest_framework.authentication import SessionAuthentication
from rest_framework.exceptions import NotFound
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.may import Action, projects_for
from accounts.models import Scope
from accounts.token_authentication import AllowedByToken, RequesterTokenAuthentication, opened_by
from annotation.models import Project
from labelling.api import serializers as shapes
from labelling.api.survey_shapes import Shape
from labelling.api.views import WorkerView, refusals
from labelling.messages.answer_worker import answer_worker
from labelling.messages.conversations import as_values, conversations_in, conversations_of, read_answers
from labelling.messages.jobs import enqueue_mail
from labelling.messages.write_to_requester import write_to_requester
from labelling.models import Conversation
from pipeline.models import Assignment
from workers.models import Access

NO_PROJECT = gettext_noop("There is no such project, or you have no part in it.")


class MessagesView(WorkerView):
    @extend_schema(operation_id="messages", responses={200: shapes.ConversationShape(many=True), **refusals(404)})
    def get(self, request: Request, project: str) -> Response:
        """List what you wrote to the requester of a project, with the answers, newest first."""
        found = self._project(project)
        return Response([as_values(conversation) for conversation in conversations_of(self.worker_id, found.pk)])

    @extend_schema(
        operation_id="write",
        request=shapes.WriteShape,
        responses={200: shapes.ConversationShape, **refusals(404, 429)},
    )
    def post(self, request: Request, project: str) -> Response:
        """Write to the requester: about an assignment, a task, or in reply to an answer."""
        data, found = self.read(shapes.WriteShape), self._project(project)
        written = write_to_requester(
            worker_id=self.worker_id,
            project_id=found.pk,
            text=data["text"],
            token=data.get("assignment"),
            task=data.get("task", ""),
            conversation_id=data.get("conversation"),
        )
        return Response(as_values(written))

    def _project(self, name: str) -> Project:
        found = Project.objects.filter(name=name).first()
        rows = {"worker": self.worker_id, "project": found}
        if found and (Access.objects.filter(**rows).exists() or Assignment.objects.filter(**rows).exists()):
            return found
        raise NotFound(gettext(NO_PROJECT))


class ReadView(WorkerView):
    @extend_schema(operation_id="read_answers", request=None, responses={200: shapes.ReadShape, **refusals()})
    def post(self, request: Request, conversation: int) -> Response:
        """Mark the answers of a conversation as read."""
        return Response({"read": read_answers(conversation_id=conversation, worker_id=self.worker_id)})


class RequesterView(APIView):
    """A call by a requester, who is signed in on the pages, or by a token of theirs."""

    authentication_classes = (RequesterTokenAuthentication, SessionAuthentication)
    permission_classes = (IsAuthenticated, AllowedByToken)
    scopes = {"GET": Scope.READ, "POST": Scope.WRITE}  # noqa: RUF012  # read only

    @property
    def user(self) -> User:
        return cast(User, self.request.user)

    def read(self, shape: type[Shape]) -> dict[str, Any]:
        serializer = shape(data=self.request.data)
        serializer.is_valid(raise_exception=True)
        return cast(dict[str, Any], serializer.validated_data)


class RequesterMessagesView(RequesterView):
    @extend_schema(
        operation_id="requester_messages",
        parameters=[shapes.WaitingShape],
        responses={200: shapes.RequesterConversationShape(many=True), **refusals(403, 404)},
    )
    def get(self, request: Request, project: str) -> Response:
        """List what workers of a project wrote, newest first. For its requesters."""
        shape = shapes.WaitingShape(data=request.query_params)
        shape.is_valid(raise_exception=True)
        found = opened_by(request.auth, projects_for(self.user, Action.MANAGE)).filter(name=project).first()
        if found is None:
            raise NotFound("There is no such project, or you are not a requester of it.")
        rows = conversations_in(found.pk, waiting=shape.validated_data["waiting"])
        return Response([{**as_values(row), "worker": row.worker.name} for row in rows])


class AnswerView(RequesterView):
    @extend_schema(
        operation_id="answer",
        request=shapes.AnswerShape,
        responses={200: shapes.ConversationShape, **refusals(403, 404)},
    )
    def post(self, request: Request, conversation: int) -> Response:
        """Answer a worker. The worker reads the answer on their page, and gets it by mail where there is an address."""
        own = opened_by(request.auth, projects_for(self.user, Action.MANAGE))
        found = Conversation.objects.filter(pk=conversation, project__in=own).first()
        if found is None:
            raise NotFound("There is no such conversation, or you are not a requester of its project.")
        answer_worker(
            conversation_id=found.pk, text=self.read(shapes.AnswerShape)["text"], actor=self.user.get_username()
        )
        enqueue_mail()
        return Response(as_values(Conversation.objects.get(pk=found.pk)))
