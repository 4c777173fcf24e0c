"""The API by which pages and programs ask for work and submit answers. Each call runs a verb of the pipeline."""

from dataclasses import asdict
from functools import cache
from typing import Any, cast
from uuid import UUID

from django.utils.translation import gettext, gettext_noop
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.may import tasks_open_to
from annotation.models import Project
from labelling.api import serializers as shapes
from labelling.api.authentication import WorkerAuthentication, WorkerCaller
from labelling.api.payload import assignment_payload, examples_of, receipt_in_words, seconds_left
from labelling.api.serializers import Shape
from labelling.messages import as_values, conversations_of, read_answers, write_to_requester
from labelling.open_tasks import in_turn, nothing_open, open_tasks
from pipeline.asking.admission import Guard
from pipeline.asking.end_lease import return_assignment
from pipeline.asking.keep_lease import KeptLease, keep_lease
from pipeline.asking.lease_assignment import lease_questions, leased_questions
from pipeline.asking.receipt import GivenAnswer, Reply, Skipped
from pipeline.asking.submit_assignment import submit_assignment
from pipeline.errors import BadAnswerError, SignedOutError
from pipeline.jobs import enqueue_questions
from pipeline.models import Assignment
from pipeline.protocol.tasks.task import Task
from pipeline.record.intervene import report_problem
from platforms.sessions import HeldSession, finish_session, is_open, session_quota
from runtime import clock
from workers.change_preferences import change_preferences
from workers.models import Access, Worker
from workers.preferences import Preferences
from workers.tokens import make_page_token


def report_question(
    *, token: UUID, worker_id: int, guard: Guard, place: int, what: str, number: int | None, reason: str
) -> None:
    """Record the report. `place`: of the question in the assignment, from 0. `number`: of a mention or caption shown.

    Raises BadAnswerError if the question does not show this, NoSuchAssignmentError, NotYoursError,
    SignedOutError, and NoAccessError.
    """
    questions = leased_questions(token=token, worker_id=worker_id, guard=guard).questions
    if place >= len(questions):
        raise BadAnswerError(f"This assignment has {len(questions)} questions; there is no question {place + 1}.")
    question = questions[place]
    shown = {
        "mention": {mention for mention, *_ in question.shown["mentions"]},
        "caption": {caption for _, caption, *_ in question.shown["mentions"]},
        "image": {0},
    }[what]
    wanted = 0 if what == "image" else number
    if wanted is None or wanted not in shown:
        raise BadAnswerError(f"The question shows no {what} with the number {number}.")
    report_problem(image_id=question.image_id, what=what, number=wanted, worker_id=worker_id, reason=reason)


REPORTED = gettext_noop(
    "Thank you. The requester sees your report. Answer the question as well as you can, or skip it."
)


@cache
def _reader(shape: type[Shape]) -> Shape:
    """Return a serializer that reads one body after the other: making one takes longer than reading."""
    return shape()


def refusals(*codes: int) -> dict[int, type[shapes.ErrorShape]]:
    """Return the error responses of a call: these and the ones that every call has."""
    return {code: shapes.ErrorShape for code in (*codes, 400, 401, 503)}


class WorkerView(APIView):
    """A call by a worker, who is known by the token of a page or the key of a program."""

    authentication_classes = (WorkerAuthentication,)
    guards_itself = False
    """The statements of the call check that the caller is signed in. The frequent calls do, to save a statement."""

    @property
    def worker_id(self) -> int:
        return self.caller.worker_id

    @property
    def session_id(self) -> int | None:
        return self.caller.session_id

    @property
    def caller(self) -> WorkerCaller:
        return cast(WorkerCaller, self.request.user)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        if not self.guards_itself and not self.caller.has_key and not self.caller.guard.holds():
            raise SignedOutError

    def read(self, shape: type[Shape]) -> dict[str, Any]:
        """Return the body of the request. Raises ValidationError if it does not have this shape."""
        return cast(dict[str, Any], _reader(shape).run_validation(self.request.data))

    def lease_response(self, lease: KeptLease) -> Response:
        left = seconds_left(lease, clock.now())
        renews = lease.renews and not self.caller.has_key and (self.session_id is None or is_open(self.session_id))
        bearer = make_page_token(*self.caller.token) if renews else None
        return Response({"seconds_left": left, "state": lease.state, "bearer": bearer})


class TasksView(WorkerView):
    @extend_schema(
        operation_id="tasks",
        parameters=[shapes.TurnShape],
        responses={200: shapes.OfferShape(many=True), **refusals(404)},
    )
    def get(self, request: Request, project: str) -> Response:
        """List your tasks in a project, and how many questions of each are open to you."""
        shape = shapes.TurnShape(data=request.query_params)
        shape.is_valid(raise_exception=True)
        after = shape.validated_data.get("after")
        found = Project.objects.filter(name=project).first()
        if found is None or not (offers := open_tasks(found, self.worker_id)):
            raise NotFound(gettext("There is no such project, or you have no access to any of its tasks."))
        return Response([asdict(offer) for offer in (in_turn(offers, after) if after else offers)])


class ExamplesView(WorkerView):
    @extend_schema(
        operation_id="examples",
        parameters=[shapes.TaskShape],
        responses={200: shapes.ExamplesShape, **refusals(404)},
    )
    def get(self, request: Request, project: str) -> Response:
        """Get examples of a task: questions with the right answer and the reason. Read them before the test."""
        shape = shapes.TaskShape(data=request.query_params)
        shape.is_valid(raise_exception=True)
        task = Task(shape.validated_data["task"])
        found = Project.objects.filter(name=project).first()
        if found is None or task.value not in tasks_open_to(self.worker_id, found.id):
            raise NotFound(gettext("There is no such project, or you have no access to this task."))
        return Response({"questions": examples_of(found, task)})


class AssignmentsView(WorkerView):
    guards_itself = True

    @extend_schema(
        operation_id="ask", request=shapes.AskShape, responses={200: shapes.WorkShape, **refusals(403, 404, 409)}
    )
    def post(self, request: Request, project: str) -> Response:
        """Ask for an assignment of one task. While you hold one, you get the same one again, with its draft."""
        asked = self.read(shapes.AskShape)
        task, ahead_of = Task(asked["task"]), asked.get("ahead_of")
        now = clock.now()
        session = HeldSession(self.session_id) if self.session_id else None
        lease = lease_questions(
            project_id=project,
            worker_id=self.worker_id,
            task=task,
            count=asked.get("count"),
            session=session,
            guard=self.caller.guard,
            ahead_of=ahead_of,
            now=now,
        )
        if lease is None and ahead_of:
            return Response({"assignment": None, "message": ""})
        if lease is None:
            message = nothing_open(Project.objects.get(name=project), task)
            return Response({"assignment": None, "message": message})
        return Response({"assignment": assignment_payload(lease, project, now), "message": ""})


class AssignmentView(WorkerView):
    @extend_schema(operation_id="look", responses={200: shapes.AssignmentShape, **refusals(403, 404)})
    def get(self, request: Request, token: UUID) -> Response:
        """Get an assignment in its present state, even if its time has run out."""
        lease = leased_questions(token=token, worker_id=self.worker_id)
        project = Project.objects.values_list("name", flat=True).get(id=lease.assignment.project_id)
        return Response(assignment_payload(lease, project, clock.now()))


class HeartbeatView(WorkerView):
    guards_itself = True

    @extend_schema(operation_id="keep", request=None, responses={200: shapes.LeaseShape, **refusals(403, 404)})
    def post(self, request: Request, token: UUID) -> Response:
        """Extend the lease of an assignment that you are working on."""
        return self.lease_response(keep_lease(token=token, worker_id=self.worker_id, guard=self.caller.guard))


class DraftView(WorkerView):
    guards_itself = True

    @extend_schema(
        operation_id="save", request=shapes.DraftShape, responses={200: shapes.LeaseShape, **refusals(403, 404)}
    )
    def put(self, request: Request, token: UUID) -> Response:
        """Save a draft of your answers. This also extends the lease."""
        draft = self.read(shapes.DraftShape)["draft"]
        kept = keep_lease(token=token, worker_id=self.worker_id, draft=draft, guard=self.caller.guard)
        return self.lease_response(kept)


class SubmitView(WorkerView):
    guards_itself = True

    @extend_schema(
        operation_id="submit",
        request=shapes.SubmissionShape,
        responses={200: shapes.ReceiptShape, **refusals(403, 404, 409)},
    )
    def post(self, request: Request, token: UUID) -> Response:
        """Submit your answers, one entry per question in order. Of several submissions the first one counts."""
        replies = [_reply(answer) for answer in self.read(shapes.SubmissionShape)["answers"]]
        receipt = submit_assignment(
            assignment_id=token, worker_id=self.worker_id, answers=replies, guard=self.caller.guard
        )
        assignment = receipt.assignment
        enqueue_questions(Task(assignment.task), assignment.project_id)
        return Response(
            {
                "stored": receipt.taken,
                "too_late": receipt.late,
                "skipped": receipt.left_out,
                "repeated": receipt.repeated,
                "differs": receipt.differs,
                "message": receipt_in_words(receipt),
                "earned_cents": receipt.earned_cents,
                "test": receipt.test and {**receipt.test._asdict(), "mistakes": receipt.mistakes},
                "session": session_quota(self.session_id)._asdict() if self.session_id else None,
            }
        )


class PreferencesView(WorkerView):
    @extend_schema(operation_id="preferences", responses={200: shapes.PreferencesShape, **refusals()})
    def get(self, request: Request) -> Response:
        """Get your preferences: how you like to work, in all projects."""
        stored = Worker.objects.values_list("preferences", flat=True).get(id=self.worker_id)
        return Response(Preferences.from_json(stored).to_json())

    @extend_schema(
        operation_id="prefer", request=shapes.PreferencesShape, responses={200: shapes.PreferencesShape, **refusals()}
    )
    def patch(self, request: Request) -> Response:
        """Change some of your preferences. Returns all of them."""
        serializer = shapes.PreferencesShape(data=request.data, partial=True)
        serializer.is_valid(raise_exception=True)
        try:
            changed = change_preferences(worker_id=self.worker_id, changes=serializer.validated_data)
        except ValueError as error:
            raise ValidationError(str(error)) from error
        return Response(changed.to_json())


class FinishView(WorkerView):
    @extend_schema(
        operation_id="finish", request=None, responses={200: shapes.FinishedShape, **refusals(403, 404, 409)}
    )
    def post(self, request: Request) -> Response:
        """Hand in your session. Then go back to the platform, which pays for it."""
        if self.session_id is None:
            raise NotFound(gettext("There is no session to hand in: you did not come here from a platform."))
        finish_session(session_id=self.session_id, worker_id=self.worker_id)
        return Response({"finished": True})


class ReturnView(WorkerView):
    @extend_schema(operation_id="give_back", request=None, responses={200: shapes.ReturnedShape, **refusals(403, 404)})
    def post(self, request: Request, token: UUID) -> Response:
        """Return an assignment without answers. Its questions go to other workers."""
        return Response({"returned": return_assignment(assignment_id=token, worker_id=self.worker_id)})


class ReportsView(WorkerView):
    @extend_schema(
        operation_id="report",
        request=shapes.ReportShape,
        responses={200: shapes.MessageShape, **refusals(403, 404)},
    )
    def post(self, request: Request, token: UUID) -> Response:
        """Report a wrong phrase, caption or picture. After two workers' reports an expert looks at it."""
        data = self.read(shapes.ReportShape)
        report_question(
            token=token,
            worker_id=self.worker_id,
            guard=self.caller.guard,
            place=data["question"],
            what=data["what"],
            number=data.get("number"),
            reason=data.get("comment", ""),
        )
        return Response({"message": gettext(REPORTED)})


def _reply(sent: dict[str, Any] | None) -> Reply | None:
    if sent is None:
        return None
    comment = sent.get("comment", "")
    return (
        Skipped(sent["skip"], comment) if "skip" in sent else GivenAnswer(sent["answer"], sent.get("seconds"), comment)
    )


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
