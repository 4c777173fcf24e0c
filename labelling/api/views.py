"""The API by which pages and programs ask for work and answer it. Each call is a verb of the pipeline."""

from dataclasses import asdict
from typing import Any, cast
from uuid import UUID

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.models import Project
from labelling.api import serializers as shapes
from labelling.api.authentication import Asker, WorkerAuthentication
from labelling.api.examples import examples_of
from labelling.api.payload import assignment_payload, seconds_left
from labelling.api.report import report_question
from labelling.api.words import receipt_in_words
from labelling.open_tasks import nothing_open, open_tasks
from pipeline.asking.end_lease import return_assignment
from pipeline.asking.keep_lease import keep_assignment
from pipeline.asking.lease_assignment import held_questions, lease_questions
from pipeline.asking.receipt import Given, Reply, Skipped
from pipeline.asking.submit_assignment import submit_assignment
from pipeline.jobs import hint
from pipeline.models import Assignment
from pipeline.rules.tasks.task import Task
from platforms.sessions.finish_session import finish_session
from platforms.sessions.hold_session import HeldSession, session_quota
from workers.models import Access
from workers.page_token import make_bearer

REPORTED = "Thank you. The requester sees it. Answer the question as well as you can, or skip it."


def refusals(*codes: int) -> dict[int, type[shapes.ErrorShape]]:
    return {code: shapes.ErrorShape for code in (*codes, 400, 401, 503)}


class WorkerView(APIView):
    """Asked by a worker: a page's token or a program's key says which."""

    authentication_classes = (WorkerAuthentication,)

    @property
    def worker_id(self) -> int:
        return cast(Asker, self.request.user).worker_id

    @property
    def session_id(self) -> int | None:
        return cast(Asker, self.request.user).session_id

    def read(self, shape: type[shapes.Shape]) -> dict[str, Any]:
        """What was sent, checked."""
        serializer = shape(data=self.request.data)
        serializer.is_valid(raise_exception=True)
        return cast(dict[str, Any], serializer.validated_data)

    def lease_answer(self, assignment: Assignment) -> Response:
        left = seconds_left(assignment, timezone.now())
        return Response({"seconds_left": left, "bearer": make_bearer(self.worker_id, self.session_id)})


class TasksView(WorkerView):
    @extend_schema(operation_id="tasks", responses={200: shapes.OfferShape(many=True), **refusals(404)})
    def get(self, request: Request, project: str) -> Response:
        """What is open to you, task by task."""
        found = Project.objects.filter(name=project).first()
        if found is None or not (offers := open_tasks(found, self.worker_id)):
            raise NotFound("PlatformState is no such project, or you have no access to any of its tasks.")
        return Response([asdict(offer) for offer in offers])


class ExamplesView(WorkerView):
    @extend_schema(
        operation_id="examples",
        parameters=[shapes.TaskShape],
        responses={200: shapes.ExamplesShape, **refusals(404)},
    )
    def get(self, request: Request, project: str) -> Response:
        """Questions of a task with their answers and why: read them before the qualification test."""
        shape = shapes.TaskShape(data=request.query_params)
        shape.is_valid(raise_exception=True)
        task = Task(shape.validated_data["task"])
        found = Project.objects.filter(name=project).first()
        if (
            found is None
            or not Access.objects.filter(project_id=found.id, task=task.value, worker=self.worker_id).exists()
        ):
            raise NotFound("PlatformState is no such project, or you have no access to this task.")
        return Response({"questions": examples_of(found, task)})


class AssignmentsView(WorkerView):
    @extend_schema(
        operation_id="ask", request=shapes.TaskShape, responses={200: shapes.WorkShape, **refusals(403, 409)}
    )
    def post(self, request: Request, project: str) -> Response:
        """Ask for an assignment of one task. While you hold one, asking gives the same one back, with its draft."""
        task = Task(self.read(shapes.TaskShape)["task"])
        now = timezone.now()
        session = HeldSession(self.session_id) if self.session_id else None
        lease = lease_questions(project_id=project, worker_id=self.worker_id, task=task, session=session, now=now)
        if lease is None:
            message = nothing_open(Project.objects.get(name=project), task)
            return Response({"assignment": None, "message": message})
        return Response({"assignment": assignment_payload(lease, project, now), "message": ""})


class AssignmentView(WorkerView):
    @extend_schema(operation_id="look", responses={200: shapes.AssignmentShape, **refusals(403, 404)})
    def get(self, request: Request, token: UUID) -> Response:
        """The assignment as it stands, whether or not its time has run out."""
        lease = held_questions(token=token, worker_id=self.worker_id)
        project = Project.objects.values_list("name", flat=True).get(id=lease.assignment.project_id)
        return Response(assignment_payload(lease, project, timezone.now()))


class HeartbeatView(WorkerView):
    @extend_schema(operation_id="keep", request=None, responses={200: shapes.LeaseShape, **refusals(403, 404)})
    def post(self, request: Request, token: UUID) -> Response:
        """You are still at it: the lease is extended."""
        return self.lease_answer(keep_assignment(token=token, worker_id=self.worker_id))


class DraftView(WorkerView):
    @extend_schema(
        operation_id="save", request=shapes.DraftShape, responses={200: shapes.LeaseShape, **refusals(403, 404)}
    )
    def put(self, request: Request, token: UUID) -> Response:
        """Keep what you have so far. It extends the lease, too."""
        draft = self.read(shapes.DraftShape)["draft"]
        return self.lease_answer(keep_assignment(token=token, worker_id=self.worker_id, draft=draft))


class SubmitView(WorkerView):
    @extend_schema(
        operation_id="submit",
        request=shapes.SubmissionShape,
        responses={200: shapes.ReceiptShape, **refusals(403, 404, 409)},
    )
    def post(self, request: Request, token: UUID) -> Response:
        """Hand in your answers, one entry per question in order. The same submission again is answered the same."""
        replies = [_reply(one) for one in self.read(shapes.SubmissionShape)["answers"]]
        receipt = submit_assignment(assignment_id=token, worker_id=self.worker_id, answers=replies)
        assignment = receipt.assignment
        hint(Task(assignment.task), assignment.project_id)
        return Response(
            {
                "stored": receipt.taken,
                "too_late": receipt.late_places,
                "skipped": receipt.left_out,
                "repeated": receipt.repeated,
                "message": receipt.message or receipt_in_words(receipt),
                "earned_cents": receipt.earned_cents,
                "test": receipt.test and receipt.test._asdict(),
                "session": session_quota(self.session_id)._asdict() if self.session_id else None,
            }
        )


class FinishView(WorkerView):
    @extend_schema(
        operation_id="finish", request=None, responses={200: shapes.FinishedShape, **refusals(403, 404, 409)}
    )
    def post(self, request: Request) -> Response:
        """On a platform: you hand your session in. After this go back to the platform, which pays for it."""
        if self.session_id is None:
            raise NotFound("You are at work here by yourself: there is no session of a platform to hand in.")
        finish_session(session_id=self.session_id, worker_id=self.worker_id)
        return Response({"finished": True})


class ReturnView(WorkerView):
    @extend_schema(operation_id="give_back", request=None, responses={200: shapes.ReturnedShape, **refusals(403, 404)})
    def post(self, request: Request, token: UUID) -> Response:
        """Give the assignment back unanswered: its questions go to others."""
        return Response({"returned": return_assignment(assignment_id=token, worker_id=self.worker_id)})


class ReportsView(WorkerView):
    @extend_schema(
        operation_id="report",
        request=shapes.ReportShape,
        responses={200: shapes.MessageShape, **refusals(403, 404)},
    )
    def post(self, request: Request, token: UUID) -> Response:
        """A phrase, a caption or the picture of a question is wrong. Two workers' reports send it to an expert."""
        data = self.read(shapes.ReportShape)
        report_question(
            token=token,
            worker_id=self.worker_id,
            place=data["question"],
            what=data["what"],
            number=data.get("number"),
            reason=data.get("comment", ""),
        )
        return Response({"message": REPORTED})


def _reply(sent: dict[str, Any] | None) -> Reply | None:
    if sent is None:
        return None
    comment = sent.get("comment", "")
    return Skipped(sent["skip"], comment) if "skip" in sent else Given(sent["answer"], sent.get("seconds"), comment)
