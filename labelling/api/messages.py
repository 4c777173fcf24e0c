"""The calls by which workers write to the requester, and read the answers."""

from django.utils.translation import gettext, gettext_noop
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.models import Project
from labelling.api import serializers as shapes
from labelling.api.views import WorkerView, refusals
from labelling.messages.conversations import as_values, conversations_of, read_answers, write_to_requester
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
